// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::local {

/// The source elements x that a map takes to one place y are a coset of its kernel. A fold combines
/// them from the left in ascending order of x:  target[y] = op(... op(op(s0, s1), s2) ..., sk).
/// Places that no x reaches stay as they are. Any map; prepared once, run often.
/// Cost    each source element is read once and each target written once. Lines are read whole,
///         where a slow axis is folded, too: many neighbouring places are worked on together.
/// Tables  some 3 KiB, and those places: some 64 KiB, or one element.
template <class T>
class fold {
 public:
  fold() = default;
  explicit fold(affine_map const& map) : offset_(map.complement) {
    auto const& a = map.matrix;
    const auto same = kernel(a);
    if (same.dimension() == 0) {
      pass_.emplace(map);
      return;
    }
    index_t touched = same.pivots;
    for (index_t v : same.vectors.column) touched |= v;
    const auto& v = same.vectors.column;
    while (run_ < v.size() && v[run_] == bit(run_)) ++run_;
    for (unsigned j = run_; j < v.size(); ++j) fibre_.append(v[j]);
    // Each coset has one element without 1s at the pivots: its least. Those name the cosets.
    const index_t names = low_bits(a.cols()) & ~same.pivots;
    const unsigned together = lg_together(touched, names);
    const bool is_in_rows = (touched & 1) == 0;
    bit_matrix<> group(a.rows(), 0);
    walk<index_t> sources;
    index_t others = offset_;
    for (index_t rest = names; rest != 0; rest &= rest - 1) {
      const auto j = static_cast<unsigned>(std::countr_zero(rest));
      if (group.cols() < together) {
        group.column[group.column.count++] = a.column[j];
        sources.append(bit(j));
      } else {
        groups_.append({bit(j), a.column[j]});
        others |= a.column[j];
      }
    }
    targets_ = run_walk({group, 0}, others);
    partial_ = std::vector<slot>(bit(together));
    for (index_t i = 0; !is_in_rows && i < partial_.size(); ++i) in_group_.push_back(sources.at(i));
  }

  template <class Op>
  void operator()(T const* source, T* target, Op& op) {
    if (pass_) return (*pass_)(source, target);
    element_plan::step at;
    for (index_t group = 0;;) {
      if (run_ != 0)
        for (std::size_t i = 0; i < partial_.size(); ++i)
          partial_[i].value = combine_runs(source, at.source ^ in_group_[i], op);
      else if (in_group_.empty())
        combine_group(source, at.source, op, [](index_t x, std::size_t i) { return x + i; });
      else
        combine_group(source, at.source, op, [places = in_group_.data()](index_t x, std::size_t i) {
          return x ^ places[i];
        });
      write(target, at.target ^ offset_);
      if (++group == bit(groups_.count)) return;
      groups_.advance(at, group);
    }
  }

  /// Nothing is folded and nothing is moved.
  [[nodiscard]] bool is_identity() const noexcept { return pass_ && pass_->is_identity(); }

 private:
  static constexpr unsigned most_together =
      std::max(16U, shape_of<T>.lg_size) - shape_of<T>.lg_size;

  /// How many cosets are folded together, as a number of bits: rows of them, or as many as one line
  /// may hold.
  [[nodiscard]] static unsigned lg_together(index_t touched, index_t names) noexcept {
    if ((touched & 1) == 0) return trailing_zeros(touched, most_together);
    return std::min(shape_of<T>.line_elements, static_cast<unsigned>(std::popcount(names)));
  }

  struct slot {  // so that no vector<bool> comes in between
    T value{};
  };

  /// One coset, whose elements stand in runs of 2^run_.
  template <class Op>
  [[nodiscard]] T combine_runs(T const* source, index_t first, Op& op) const {
    const std::size_t length = bit(run_);
    T sum = source[first];
    index_t x = first;
    for (index_t run = 0;;) {
      for (std::size_t i = run == 0 ? 1 : 0; i < length; ++i)
        sum = static_cast<T>(op(sum, source[x + i]));
      if (++run == bit(fibre_.count)) return sum;
      fibre_.advance(x, run);
    }
  }

  /// The cosets of one group; at(x, i) is where the i-th one has the element that the first has
  /// at x.
  template <class Op, class At>
  void combine_group(T const* source, index_t first, Op& op, At at) {
    slot* const partial = partial_.data();
    const std::size_t count = partial_.size();
    for (std::size_t i = 0; i < count; ++i) partial[i].value = source[at(first, i)];
    index_t x = first;
    for (index_t member = 1; member < bit(fibre_.count); ++member) {
      fibre_.advance(x, member);
      for (std::size_t i = 0; i < count; ++i)
        partial[i].value = static_cast<T>(op(partial[i].value, source[at(x, i)]));
    }
  }

  void write(T* target, index_t place) const {
    targets_.for_each(0, partial_.size(), [&](index_t i, index_t y, index_t count) {
      for (index_t k = 0; k < count; ++k) target[(y ^ place) + k] = partial_[i + k].value;
    });
  }

  std::optional<pass<T>> pass_;
  index_t offset_ = 0;
  unsigned run_ = 0;
  walk<index_t> fibre_{};
  walk<element_plan::step> groups_{};
  run_walk targets_{};
  std::vector<index_t> in_group_;  // empty where a group stands in rows
  std::vector<slot> partial_;
};

}  // namespace bmmc::local
