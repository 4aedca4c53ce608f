// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/surroundings.hpp>
#include <bmmc/execution/choice.hpp>
#include <bmmc/execution/grid/all_at_once.hpp>
#include <bmmc/execution/grid/in_rounds.hpp>
#include <bmmc/execution/grid/windows.hpp>

namespace bmmc::detail {

/// The ways of a grid_plan among which comm::automatic chooses.
enum class grid_way { window, pipelined, rounds };
inline constexpr std::array<char const*, 3> grid_way_names{"shared_window", "pipelined",
                                                           "pairwise"};

/// What each way takes, from what all processes know of the plan alike: a process that holds most
/// sends and receives all of it but what an even share of the processes would keep.
[[nodiscard]] inline workload work_of(grid_way w, grid_plan const& p, index_t procs,
                                      std::size_t element_bytes) {
  constexpr double tiled = 1.5, in_cache = 1.2;  // passes over memory, in copies
  const double bytes = static_cast<double>(std::max(p.source().most(), p.target().most())) *
                       static_cast<double>(element_bytes);
  const double others = static_cast<double>(procs - 1);
  const double moved = bytes * others / static_cast<double>(procs);
  switch (w) {
    case grid_way::window:
      return {.copied_bytes = tiled * bytes + moved,
              .barriers = 2,
              .windows = 1,
              .window_bytes = bytes};
    case grid_way::pipelined:  // the first call touches the memory of both sides
      return {.copied_bytes = 2 * tiled * bytes,
              .messages_together = others,
              .sent_bytes = moved,
              .window_bytes = 2 * moved};
    default:
      return {.copied_bytes = 2 * in_cache * bytes,
              .messages = others + moved / static_cast<double>(bit(20)),
              .sent_bytes = moved};
  }
}

/// Carries out a grid_plan in the way that is predicted to be the fastest.
class grid_automatic final : public grid_runner {
 public:
  /// With a node of all processes it is a window in any case, if they share memory.
  grid_automatic(grid_work work, bool in_place, comm::automatic policy,
                 std::optional<grid_way> only = {})
      : work_(std::move(work)), in_place_(in_place), policy_(std::move(policy)), only_(only) {}

  void open() override {
    const auto around = comm::surroundings::of(*work_.comm);
    const grid_way way = chosen(*around);
    comm::objection against;
    against.attempt("no memory for the buffers of a redistribution", [&] {
      if (way == grid_way::window)
        runner_ = std::make_unique<grid_in_window>(work_, around->all());
      else if (way == grid_way::pipelined)
        runner_ = std::make_unique<grid_pipelined>(work_);
      else
        runner_ = std::make_unique<grid_in_rounds>(work_, in_place_);
    });
    comm::agree(*work_.comm, against);
    runner_->open();
  }
  void move(void const* source, void* target) override { runner_->move(source, target); }
  void in_place(void* chunk) override { runner_->in_place(chunk); }
  [[nodiscard]] std::string choice() const override { return text_; }

 private:
  [[nodiscard]] grid_way chosen(comm::surroundings const& around) {
    const bool shares = around.all() != nullptr;
    if (only_) return shares ? *only_ : grid_way::pipelined;
    const auto costs = policy_.costs ? *policy_.costs : around.costs(*work_.comm);
    grid_way best = grid_way::rounds;
    double least = -1;
    std::string figures;
    for (const grid_way w : {grid_way::window, grid_way::pipelined, grid_way::rounds}) {
      if (w == grid_way::window && !shares) continue;
      const double seconds = work_of(w, work_.route->plan(), work_.procs(), work_.element_bytes)
                                 .seconds(costs, policy_.expected_calls);
      if (least < 0 || seconds < least) {
        least = seconds;
        best = w;
      }
      figures += text({name(w), " ", choice::figure(1e3 * seconds), "; "});
    }
    text_ = text({"automatic: ", name(best), "\n  predicted ms: ", figures, "\n"});
    return best;
  }
  [[nodiscard]] static char const* name(grid_way w) {
    return grid_way_names[static_cast<std::size_t>(w)];
  }

  grid_work work_;
  bool in_place_;
  comm::automatic policy_;
  std::optional<grid_way> only_;
  std::unique_ptr<grid_runner> runner_;
  std::string text_;
};

}  // namespace bmmc::detail
