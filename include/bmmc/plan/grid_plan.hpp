// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/layout/grid.hpp>
#include <bmmc/plan/axis_pieces.hpp>
#include <bmmc/plan/map_plan.hpp>
#include <bmmc/plan/route_tables.hpp>

namespace bmmc {

/// Who sends what to whom where an array of any extents goes from one grid of processes to another,
/// and its axes may be permuted: axis k of the target is axis axes[k] of the source, as in numpy.
/// Two processes exchange the product of what their positions along each axis have in common.
/// Everything that changes its process is sent once, straight to its new one, and nothing else: no
/// scheme moves less between these two grids.
/// Cost    a process needs what it has in common with each process along each axis: microseconds
///         for slabs and pencils, less than a millisecond for grids of 1024 processes.
class grid_plan {
 public:
  /// Throws bad_value unless the target's extents are the source's, permuted so.
  constexpr grid_plan(grid_layout const& source, grid_layout const& target, axis_order const& axes)
      : source_(source), target_(target), axes_(axes) {
    detail::require_axes(source.order(), axes);
    if (target.order() != source.order())
      detail::refuse(
          {"an array of ", source.order(), " axes cannot become one of ", target.order()});
    for (unsigned k = 0; k < axes.size(); ++k)
      if (target.shape()[k] != source.shape()[axes[k]])
        detail::refuse({"axis ", k, " of the target has ", target.shape()[k], " positions, axis ",
                        axes[k], " of the source ", source.shape()[axes[k]]});
  }
  /// All axes in their places.
  constexpr grid_plan(grid_layout const& source, grid_layout const& target)
      : grid_plan(source, target, axis_order::unchanged(source.order())) {}

  /// The same where process k becomes process number numbers[k] of the target's grid; numbers at
  /// and beyond target().procs() are those of processes that hold nothing. Throws bad_value unless
  /// they are 0 .. size - 1, each once, of procs() or more.
  [[nodiscard]] constexpr grid_plan renumbered(std::vector<index_t> numbers) const {
    std::vector<char> taken(numbers.size());
    for (const index_t number : numbers)
      if (number >= numbers.size() || std::exchange(taken[number], char{1}) != 0)
        detail::refuse({"the number ", number, " is given twice or is no number of ",
                        numbers.size(), " processes"});
    if (numbers.size() < procs())
      detail::refuse({"there are ", procs(), " processes to be numbered, not ", numbers.size()});
    grid_plan changed = *this;
    changed.numbers_ = std::move(numbers);
    return changed;
  }

  [[nodiscard]] constexpr grid_layout const& source() const noexcept { return source_; }
  [[nodiscard]] constexpr grid_layout const& target() const noexcept { return target_; }
  [[nodiscard]] constexpr axis_order const& axes() const noexcept { return axes_; }
  [[nodiscard]] constexpr index_t elements() const noexcept { return source_.elements(); }
  /// Processes that hold elements before or afterwards have smaller numbers than this.
  [[nodiscard]] constexpr index_t procs() const noexcept {
    return std::max({source_.procs(), target_.procs(), index_t{numbers_.size()}});
  }
  [[nodiscard]] constexpr bool is_renumbered() const noexcept {
    for (index_t proc = 0; proc < numbers_.size(); ++proc)
      if (numbers_[proc] != proc) return true;
    return false;
  }
  /// The number that process `proc` has in the target's grid.
  [[nodiscard]] constexpr index_t number(index_t proc) const noexcept {
    return proc < numbers_.size() ? numbers_[proc] : proc;
  }

  /// Elements that go from one process to another, or stay on it.
  [[nodiscard]] constexpr index_t elements(index_t from, index_t to) const {
    index_t all = 1;
    std::vector<common_piece> pieces;
    for (unsigned k = 0; k < axes_.size() && all != 0; ++k) {
      pieces.clear();
      append_common_pieces(source_.section(from, axes_[k]), target_.section(number(to), k), pieces);
      all *= positions(pieces);
    }
    return from < source_.procs() && number(to) < target_.procs() ? all : 0;
  }
  /// Elements of a process that do not leave it.
  [[nodiscard]] constexpr index_t stays(index_t proc) const { return elements(proc, proc); }
  /// What a process sends to others, and what it receives from them.
  [[nodiscard]] constexpr traffic sent(index_t proc) const {
    index_t all = 1;
    for (unsigned k = 0; k < axes_.size(); ++k)
      all *=
          axis_pieces(source_.section(proc, axes_[k]), axis_pieces::side::source, target_.axis(k))
              .partners();
    return of_others(proc, source_.count(proc), all);
  }
  [[nodiscard]] constexpr traffic received(index_t proc) const {
    index_t all = 1;
    for (unsigned k = 0; k < axes_.size(); ++k)
      all *= axis_pieces(target_.section(number(proc), k), axis_pieces::side::target,
                         source_.axis(axes_[k]))
                 .partners();
    return of_others(proc, target_.count(number(proc)), all);
  }

  /// What all processes together send, and what they keep. Cost: as that of all of them.
  [[nodiscard]] constexpr traffic sent() const {
    traffic all;
    for (index_t proc = 0; proc < source_.procs(); ++proc) {
      const traffic one = sent(proc);
      all.messages += one.messages;
      all.elements += one.elements;
    }
    return all;
  }
  [[nodiscard]] constexpr index_t stays() const {
    index_t all = 0;
    for (index_t proc = 0; proc < source_.procs(); ++proc) all += stays(proc);
    return all;
  }
  /// Each process has the same elements in the same order afterwards: known alike to all, whatever
  /// the row stride of each.
  [[nodiscard]] constexpr bool keeps_order() const {
    return !is_renumbered() && source_.shares_grid(target_) &&
           axes_ == axis_order::unchanged(axes_.size());
  }
  /// This process has the same elements at the same offsets afterwards.
  [[nodiscard]] constexpr bool is_unchanged() const {
    return keeps_order() && source_.row_stride() == target_.row_stride();
  }
  /// Tells plans apart, all processes' parts of them: row strides are each process's own.
  [[nodiscard]] constexpr index_t fingerprint() const {
    index_t hash = axes_.size();
    for (grid_layout const* each : {&source_, &target_})
      for (unsigned k = 0; k < axes_.size(); ++k) {
        for (const index_t word : each->axis(k).words()) hash = detail::pair_hash(hash, word);
        hash = detail::pair_hash(hash, each->grid_stride(k));
      }
    for (const unsigned axis : axes_) hash = detail::pair_hash(hash, axis);
    for (const index_t number : numbers_) hash = detail::pair_hash(hash, number);
    return hash;
  }
  /// No element leaves its process.
  [[nodiscard]] constexpr bool is_local() const { return stays() == elements(); }

 private:
  [[nodiscard]] static constexpr index_t positions(std::vector<common_piece> const& pieces) {
    index_t all = 0;
    for (common_piece const& piece : pieces) all += piece.positions();
    return all;
  }
  /// Of `held` elements that a process has in common with `partners` processes.
  [[nodiscard]] constexpr traffic of_others(index_t proc, index_t held, index_t partners) const {
    if (held == 0) return {};
    const index_t kept = stays(proc);
    return {partners - (kept != 0 ? 1 : 0), held - kept};
  }

  grid_layout source_, target_;
  axis_order axes_;
  std::vector<index_t> numbers_{};  // none: each process keeps its own
};

namespace detail {
/// "100 x 60 x 48".
[[nodiscard]] std::string text_of(extents const& shape);
[[nodiscard]] std::string text_of_grid(grid_layout const& a);
}  // namespace detail

/// Tells people what a plan will do; up to 16 processes it says what each sends and keeps.
/// `element_bytes` of 0 counts elements only.
[[nodiscard]] std::string explain(grid_plan const& p, index_t element_bytes = 0);
inline std::ostream& operator<<(std::ostream& out, grid_plan const& p) { return out << explain(p); }

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/plan/grid_plan_once.hpp>
#endif
