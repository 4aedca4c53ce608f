// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <bmmc/gf2/echelon.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::local {

/// The source elements x that a map takes to one place y are a coset of its kernel. A fold combines
/// them from the left in ascending order of x:  target[y] = op(... op(op(s0, s1), s2) ..., sk).
/// Places that no x reaches stay as they are. Any map; prepared once, run often.
/// Cost    each source element is read once and each target written once. 2^g neighbouring places
///         are worked on together, so that lines are read whole also where a slow axis is folded.
/// Tables  some 2 KiB, and 2^g <= 512 elements and indices.
template <class T>
class fold {
 public:
  fold() = default;
  explicit fold(affine_map const& map) : offset_(map.offset) {
    auto const& a = map.matrix;
    const auto same = kernel(a);
    if (same.dimension() == 0) {
      pass_.emplace(map);
      return;
    }
    members_ = bit(same.dimension());
    index_t touched = same.pivots;
    for (index_t v : same.vectors.column) {
      fibre_.append(v);
      touched |= v;
    }
    // Each coset has one element without 1s at the pivots: its least. Those name the cosets.
    const index_t names = low_bits(a.cols()) & ~same.pivots;
    contiguous_ = (touched & 1) == 0;
    const unsigned together =
        contiguous_ ? trailing_zeros(touched, most_together)
                    : std::min(few_together, static_cast<unsigned>(std::popcount(names)));
    walk<step> group;
    unsigned taken = 0;
    for (index_t rest = names; rest != 0; rest &= rest - 1, ++taken) {
      const auto j = static_cast<unsigned>(std::countr_zero(rest));
      (taken < together ? group : groups_).append({bit(j), a.column[j]});
    }
    for (index_t i = 0; i < bit(group.count); ++i) in_group_.push_back(group.at(i));
    partial_ = std::vector<slot>(in_group_.size());
  }

  template <class Op>
  void operator()(T const* source, T* target, Op& op) {
    if (pass_) return (*pass_)(source, target);
    step at;
    for (index_t group = 0;;) {
      combine(source, at.source, op);
      for (std::size_t i = 0; i < in_group_.size(); ++i)
        target[offset_ ^ at.target ^ in_group_[i].target] = partial_[i].value;
      if (++group == bit(groups_.count)) return;
      groups_.advance(at, group);
    }
  }

  /// Nothing is folded and nothing is moved.
  [[nodiscard]] bool is_identity() const noexcept { return pass_ && pass_->is_identity(); }

 private:
  static constexpr unsigned most_together = 9, few_together = 3;
  using step = element_plan::step;
  struct slot {  // so that no vector<bool> comes in between
    T value{};
  };

  /// Folds the cosets of one group, whose first name is given, into partial_.
  template <class Op>
  void combine(T const* source, index_t first, Op& op) {
    slot* const partial = partial_.data();
    step const* const in_group = in_group_.data();
    const std::size_t count = partial_.size();
    for (std::size_t i = 0; i < count; ++i) partial[i].value = source[first ^ in_group[i].source];
    index_t x = first;
    for (index_t member = 1; member < members_; ++member) {
      fibre_.advance(x, member);
      if (contiguous_)
        for (std::size_t i = 0; i < count; ++i)
          partial[i].value = static_cast<T>(op(partial[i].value, source[x + i]));
      else
        for (std::size_t i = 0; i < count; ++i)
          partial[i].value = static_cast<T>(op(partial[i].value, source[x ^ in_group[i].source]));
    }
  }

  std::optional<pass<T>> pass_;
  index_t offset_ = 0, members_ = 1;
  walk<index_t> fibre_{};
  walk<step> groups_{};
  bool contiguous_ = false;
  std::vector<step> in_group_;
  std::vector<slot> partial_;
};

}  // namespace bmmc::local
