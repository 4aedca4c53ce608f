// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include <bmmc/layout/grid_axis.hpp>
#include <bmmc/plan/common_pieces.hpp>

namespace bmmc {

/// What a process's positions along an axis have in common with those of each process there: for
/// each pair what append_common_pieces finds, all together in less time.
/// Cost    O(P + r) for P processes and the r runs that the process shares with them, where they
///         are not repeated; else P times that of append_common_pieces.
class axis_pieces {
  // first, since clang wants to see it before a constant expression needs it
  template <class... Known>
  constexpr void add(periodic_section const& other, Known const&... known) {
    if (is_source_)
      detail::section_pair(own_, other, known..., pieces_);
    else
      detail::section_pair(other, own_, known..., pieces_);
  }

 public:
  enum class side { source, target };

  /// `own` is a section of the source or of the target, `others` the axis of the other one.
  constexpr axis_pieces(periodic_section const& own, side which, grid_axis const& others)
      : own_(own), is_source_(which == side::source) {
    starts_.reserve(others.procs() + 1);
    starts_.push_back(0);
    std::optional<detail::two_periods> periods;
    if (!own.is_interval() && others.period() != 0)
      periods.emplace(is_source_ ? own.period : others.period(),
                      is_source_ ? others.period() : own.period);
    if (periods && periods->repeats_after() >= others.extent())
      add_runs(others, *periods);
    else
      for (index_t at = 0; at < others.procs(); ++at) {
        if (periods)
          add(others.section(at), *periods);
        else
          add(others.section(at));
        starts_.push_back(pieces_.size());
      }
  }

  /// The pieces shared with process `at` along the axis.
  [[nodiscard]] constexpr std::span<common_piece const> with(index_t at) const {
    return std::span(pieces_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }
  /// Processes that share some positions.
  [[nodiscard]] constexpr index_t partners() const {
    index_t all = 0;
    for (std::size_t at = 0; at + 1 < starts_.size(); ++at)
      all += starts_[at] != starts_[at + 1] ? 1U : 0U;
    return all;
  }

 private:
  /// Goes through its own runs once and deals out the parts of each to those who hold them.
  constexpr void add_runs(grid_axis const& others, detail::two_periods const& periods) {
    std::vector<index_t> holder;
    std::vector<detail::shared_run> found;
    std::vector<std::size_t> next(others.procs() + 1, 0);
    for (index_t start = own_.first; start < own_.end; start += own_.period) {
      const index_t beyond = start + own_.run;
      for (index_t at = start; at < std::min(beyond, own_.end);) {
        const auto block = others.block_of(at);
        const index_t high = std::min(beyond, block.end);
        holder.push_back(block.proc);
        found.push_back({at, high - at});
        ++next[block.proc + 1];
        at = high;
      }
    }
    for (index_t at = 0; at < others.procs(); ++at) next[at + 1] += next[at];
    std::vector<detail::shared_run> sorted(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) sorted[next[holder[i]]++] = found[i];
    // next[at] has become the end of the runs of process `at`
    for (index_t at = 0; at < others.procs(); ++at) {
      const std::size_t first = at == 0 ? 0 : next[at - 1];
      add(others.section(at), periods, std::span(sorted).subspan(first, next[at] - first));
      starts_.push_back(pieces_.size());
    }
  }

  periodic_section own_;
  bool is_source_;
  std::vector<common_piece> pieces_{};
  std::vector<std::size_t> starts_{};
};

}  // namespace bmmc
