// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/cost_model.hpp>
#include <bmmc/plan/map_plan.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// The ways among which comm::automatic and comm::within_budget choose.
enum class way { window, pipelined, rounds, bounded, pairwise, window_pieces };
inline constexpr std::array<char const*, 6> way_names{
    "shared_window",  "pipelined",
    "radix_exchange", "sendrecv_replace and passes in place",
    "pairwise",       "shared_window in pieces"};

/// What a process has to do in some way, in the units of a cost model.
struct workload {
  double copied_bytes = 0;
  double messages = 0, messages_together = 0, sent_bytes = 0, replaced_bytes = 0;
  double barriers = 0;
  double windows = 0, window_bytes = 0;  // once, for all calls

  [[nodiscard]] double seconds(comm::cost_model const& c, double calls) const noexcept;
};

/// A way that is possible, and what it takes; with rounds, of processes or of nodes, the bits that
/// each decides.
struct candidate {
  way name;
  workload work;
  unsigned bits = 0;

  /// Of the way and its bits, for those who remember it.
  [[nodiscard]] unsigned number() const noexcept {
    return static_cast<unsigned>(name) + numbers * bits;
  }
  static constexpr unsigned numbers = 8;
};

/// Passes over memory, in copies: by tiles, and in pieces, whose rows are short.
inline constexpr double tiled_pass = 1.5, pieces_pass = 1.7;

/// What each way takes for a plan's chunks of `chunk_bytes`; rounds decide `bits` each, between
/// nodes too, where 0 says that messages go one after the other; pieces in a window have 2^bits
/// bytes.
[[nodiscard]] workload work_of(way w, plan const& p, index_t chunk_bytes, unsigned node_bits,
                               unsigned bits = 0);

/// What each way takes for a map whose processes copy `copied` elements into and out of windows of
/// `window` elements, where a message would have brought them to their places; and, in any way, a
/// pass over what a process has and one over what it gets.
[[nodiscard]] workload work_of(way w, map_plan const& p, std::size_t element_bytes, index_t copied,
                               index_t window);
[[nodiscard]] workload work_of(way w, gather_plan const& p, std::size_t element_bytes);
[[nodiscard]] workload work_of(way w, reduce_plan const& p, std::size_t element_bytes);

/// The one choice of `automatic`: the way that is predicted to be the fastest of those possible,
/// the first of equals; and how people are told.
class choice {
 public:
  choice() = default;
  choice(std::vector<candidate> possible, comm::cost_model const& costs, double calls);
  /// Where there is nothing to choose from.
  choice(way only, char const* text) : chosen_{only, {}}, text_(text) {}

  [[nodiscard]] candidate const& chosen() const noexcept { return chosen_; }
  /// The ways that may be the fastest as far as predictions can be trusted, the most promising one
  /// first.
  [[nodiscard]] std::vector<candidate> rivals() const;
  [[nodiscard]] std::string text() const;

  [[nodiscard]] static std::string name(unsigned number);
  [[nodiscard]] static std::string figure(double x);

 private:
  [[nodiscard]] double seconds(candidate const& c) const;

  std::vector<candidate> possible_;
  comm::cost_model costs_{};
  double calls_ = 1;
  candidate chosen_{way::pipelined, {}};
  char const* text_ = "";
};

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/execution/choice_once.hpp>
#endif
