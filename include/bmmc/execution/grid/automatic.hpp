// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/grid/all_at_once.hpp>
#include <bmmc/execution/grid/in_rounds.hpp>
#include <bmmc/execution/grid/windows.hpp>
#include <bmmc/execution/tried_ways.hpp>

namespace bmmc::detail {

/// What each way takes, from what all processes know of the plan alike: a process that holds most
/// sends and receives all of it but what an even share of the processes would keep.
[[nodiscard]] inline workload work_of(way w, grid_plan const& p, index_t procs,
                                      std::size_t element_bytes) {
  constexpr double in_cache = 1.2;  // a pass over memory, in copies, as tiled_pass
  const double bytes = static_cast<double>(std::max(p.source().most(), p.target().most())) *
                       static_cast<double>(element_bytes);
  const double others = static_cast<double>(procs - 1);
  const double moved = bytes * others / static_cast<double>(procs);
  switch (w) {
    case way::window:
      return {.copied_bytes = tiled_pass * bytes + moved,
              .barriers = 2,
              .windows = 1,
              .window_bytes = bytes};
    case way::pipelined:  // the first call touches the memory of both sides
      return {.copied_bytes = 2 * tiled_pass * bytes,
              .messages_together = others,
              .sent_bytes = moved,
              .window_bytes = 2 * moved};
    default:
      return {.copied_bytes = 2 * in_cache * bytes,
              .messages = others + moved / static_cast<double>(bit(20)),
              .sent_bytes = moved};
  }
}

/// Carries out a grid_plan in the way that is predicted to be the fastest, or, for many calls, in
/// the one that was the fastest in the first of them: see comm::automatic.
template <class = void>
class grid_automatic final : public grid_runner {
 public:
  /// `only` where nothing is to be chosen; pipelined where processes do not share memory.
  grid_automatic(grid_work work, std::array<bool, 2> const& serves, comm::automatic policy,
                 std::optional<way> only = {})
      : work_(std::move(work)), serves_(serves), policy_(std::move(policy)), only_(only) {}

  void open() override {
    around_ = comm::surroundings::of(*work_.comm);
    if (!only_) costs_ = policy_.costs ? *policy_.costs : around_->costs(*work_.comm);
    open_ways(*work_.comm, ways_, "no memory for the buffers of a redistribution", !only_,
              [&](bool windows) { return ways(windows && around_->all()); });
  }
  void in_place(void* chunk) override {
    ways_.run(*work_.comm, 0, [&](grid_runner& r) { r.in_place(chunk); });
  }
  void move(void const* source, void* target) override {
    ways_.run(*work_.comm, 1, [&](grid_runner& r) { r.move(source, target); });
  }
  [[nodiscard]] std::string choice() const override { return ways_.text(); }

 private:
  [[nodiscard]] tried_ways<grid_runner> ways(bool windows) const {
    grid_plan const& p = work_.route->plan();
    const index_t most = std::max(p.source().most(), p.target().most()) * work_.element_bytes;
    const bool is_tried = !only_ && policy_.is_tried();
    return {chosen(windows),
            is_tried ? around_ : nullptr,
            p.fingerprint() ^ work_.element_bytes,
            most,
            [&](candidate const& c) { return make(c); },
            serves_};
  }
  [[nodiscard]] detail::choice chosen(bool windows) const {
    if (only_) return {windows ? *only_ : way::pipelined, ""};
    std::vector<candidate> possible;
    for (const way w : {way::window, way::pipelined, way::pairwise})
      if (w != way::window || windows)
        possible.push_back(
            {w, work_of(w, work_.route->plan(), work_.procs(), work_.element_bytes)});
    return {possible, costs_, policy_.expected_calls};
  }
  [[nodiscard]] std::unique_ptr<grid_runner> make(candidate const& c) const {
    if (c.name == way::window) return std::make_unique<grid_in_window<>>(work_, around_->all());
    if (c.name == way::pipelined) return std::make_unique<grid_pipelined<>>(work_);
    return std::make_unique<grid_in_rounds<>>(work_, serves_[0]);
  }

  grid_work work_;
  std::array<bool, 2> serves_;  // in place, from source to target
  comm::automatic policy_;
  std::optional<way> only_;
  comm::cost_model costs_;
  std::shared_ptr<comm::surroundings const> around_;
  tried_ways<grid_runner> ways_;
};

}  // namespace bmmc::detail
