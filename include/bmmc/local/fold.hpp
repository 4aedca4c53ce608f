// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include <bmmc/local/combine.hpp>
#include <bmmc/local/fibres.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/run_copies.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::local {

/// The source elements x that a map takes to one place y are a coset of its kernel. A fold combines
/// them from the left in ascending order of x:  target[y] = op(... op(op(s0, s1), s2) ..., sk).
/// Places that no x reaches stay as they are. Any map; prepared once, run often.
/// Cost    each source element is read once and each target written once, both by whole lines:
///         where neighbours go to neighbouring places many of them are worked on together, and
///         where they do not, passes take the elements of a piece of the target to a cache.
/// Tables  some 3 KiB, and those places: some 64 KiB, or one element; or two pieces and a pass.
template <class T>
class fold {
 public:
  fold() = default;
  explicit fold(affine_map const& map, tuning const& t = {}) : offset_(map.complement) {
    auto const& a = map.matrix;
    const detail::fibres f(a);
    if (f.kernel.size() == 0) {
      pass_.emplace(map, t);
      return;
    }
    while (run_ < f.kernel.size() && f.kernel[run_] == bit(run_)) ++run_;
    for (unsigned j = run_; j < f.kernel.size(); ++j) fibre_.append(f.kernel[j]);
    if (!prepare_groups(f, a) && run_ == 0) prepare_pieces(f, a, t);
    copies_ = run_copies<T>(targets_.q, t);
  }

  /// See pass: of the target. Sums that do not lie side by side in long runs go to the caches.
  void write_as(index_t stream_from, bool keeps_target) noexcept {
    if (pass_ && !pieces_) pass_->write_as(stream_from, keeps_target);
    copies_.write_as(stream_from, keeps_target);
  }

  template <class Op>
  void operator()(T const* source, T* target, Op& op) {
    if (pass_ && !pieces_) return (*pass_)(source, target);
    element_plan::step at;
    for (index_t group = 0;;) {
      if (pieces_)
        combine_piece(source, at.source, op);
      else if (run_ != 0)
        for (std::size_t i = 0; i < together_; ++i)
          partial_[i] = combine_runs(source, at.source ^ in_group_[i], op);
      else if (in_group_.empty())
        combine_rows(source, at.source, op);
      else
        combine_group(source, at.source, op);
      write(target, at.target ^ offset_);
      if (++group == bit(groups_.count)) return;
      groups_.advance(at, group);
    }
  }

  /// Nothing is folded and nothing is moved.
  [[nodiscard]] bool is_identity() const noexcept {
    return pass_ && !pieces_ && pass_->is_identity();
  }

 private:
  static constexpr unsigned most_together =
      std::max(16U, shape_of<T>.lg_size) - shape_of<T>.lg_size;

  /// Neighbours in groups. Returns whether they lie in rows of whole lines, on both sides.
  bool prepare_groups(detail::fibres const& f, bit_matrix<> const& a) {
    index_t touched = 0;
    for (const index_t v : f.kernel) touched |= v;
    const unsigned together = lg_together(touched, f.lowest.size());
    const bool is_in_rows = (touched & 1) == 0;
    bit_matrix<> group(a.rows(), 0);
    walk<index_t> sources;
    index_t others = offset_;
    for (const index_t x : f.lowest) {
      const index_t y = a * x;
      if (group.cols() < together) {
        group.column[group.column.count++] = y;
        sources.append(x);
      } else {
        groups_.append({x, y});
        others |= y;
      }
    }
    targets_ = run_walk({group, 0}, others);
    together_ = bit(together);
    partial_ = std::make_unique<T[]>(together_);
    for (index_t i = 0; !is_in_rows && i < together_; ++i) in_group_.push_back(sources.at(i));
    return is_in_rows && targets_.q >= shape_of<T>.line_elements;
  }
  /// Instead of groups, pieces of the target: a pass collects one term of each sum.
  void prepare_pieces(detail::fibres const& f, bit_matrix<> const& a, tuning t) {
    if (!shape_of<T>.has_lines || sizeof(T) << f.image.dimension() < detail::least_piece) return;
    const detail::fibre_pieces pieces(f, a, t, shape_of<T>.lg_size);
    const auto rows = column_space(pieces.least).vectors;
    bit_matrix<> inside(rows.cols(), rows.cols());
    for (unsigned j = 0; j < rows.cols(); ++j)
      inside.column[j] = pieces.images.coordinates(a * rows.column[j]);
    t = t.for_part_of(sizeof(T) << a.cols());
    t.keeps_target = true;
    pass_.emplace(affine_map{inside, 0}, affine_map{rows, 0}, t);
    if (pass_->lines() == nullptr) return pass_.reset();
    groups_ = pieces.others;
    targets_ = pieces.places(offset_);
    together_ = pass_->elements();
    pieces_ = detail::allocate_pages(2 * together_ * sizeof(T));
    if (!pieces_) throw std::bad_alloc();
  }

  /// How many cosets are folded together, as a number of bits: rows of them, or as many as one line
  /// may hold.
  [[nodiscard]] static unsigned lg_together(index_t touched, unsigned cosets) noexcept {
    if ((touched & 1) == 0) return trailing_zeros(touched, most_together);
    return std::min(shape_of<T>.line_elements, cosets);
  }

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

  /// The cosets of one group, in rows.
  template <class Op>
  void combine_rows(T const* source, index_t first, Op& op) {
    T* const partial = partial_.get();
    std::copy_n(source + first, together_, partial);
    index_t x = first;
    for (index_t member = 1; member < bit(fibre_.count); ++member) {
      fibre_.advance(x, member);
      detail::combine(partial, source + x, together_, op);
    }
  }
  /// The same for cosets anywhere.
  template <class Op>
  void combine_group(T const* source, index_t first, Op& op) {
    T* const partial = partial_.get();
    for (std::size_t i = 0; i < together_; ++i) partial[i] = source[first ^ in_group_[i]];
    index_t x = first;
    for (index_t member = 1; member < bit(fibre_.count); ++member) {
      fibre_.advance(x, member);
      for (std::size_t i = 0; i < together_; ++i)
        partial[i] = static_cast<T>(op(partial[i], source[x ^ in_group_[i]]));
    }
  }

  /// The cosets of one piece of the target.
  template <class Op>
  void combine_piece(T const* source, index_t first, Op& op) {
    T* const sums = reinterpret_cast<T*>(pieces_.get());
    T* const terms = sums + together_;
    index_t x = first;
    for (index_t member = 0;;) {
      pass_->set_complement(0, x);
      (*pass_)(source, member == 0 ? sums : terms);
      if (member != 0) detail::combine(sums, terms, together_, op);
      if (++member == bit(fibre_.count)) return;
      fibre_.advance(x, member);
    }
  }

  void write(T* target, index_t place) const {
    T const* const values = pieces_ ? reinterpret_cast<T const*>(pieces_.get()) : partial_.get();
    targets_.for_each(0, together_, [=, this](index_t i, index_t y, index_t count) {
      copies_(values + i, target + (y ^ place), count);
    });
  }

  std::optional<pass<T>> pass_;
  index_t offset_ = 0;
  unsigned run_ = 0;
  walk<index_t> fibre_{};
  walk<element_plan::step> groups_{};
  run_walk targets_{};
  run_copies<T> copies_;
  std::vector<index_t> in_group_;  // empty where a group stands in rows
  std::size_t together_ = 0;       // cosets of a group, or of a piece
  std::unique_ptr<T[]> partial_;
  detail::pages pieces_;  // sums, and one term of each
};

}  // namespace bmmc::local
