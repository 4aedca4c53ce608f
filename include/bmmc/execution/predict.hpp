// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <utility>

#include <bmmc/comm/automatic.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// The ways among which comm::automatic chooses.
enum class way { window, pipelined, bounded };
inline constexpr std::array<char const*, 3> way_names{"shared_window", "pipelined",
                                                      "sendrecv_replace and passes in place"};

/// What a plan for chunks of some bytes costs with each way, and which is the cheapest.
class prediction {
 public:
  /// A way may be chosen where it is `possible`.
  prediction(plan const& p, index_t chunk_bytes, unsigned node_bits, comm::automatic const& policy,
             comm::cost_model const& costs, std::array<bool, way_names.size()> possible)
      : costs_(costs), possible_(possible), is_local_(p.is_local()) {
    const bool within_node = plan(p.physical(), p.proc_bits() - node_bits).is_local();
    const auto bytes = static_cast<double>(chunk_bytes);
    const double elements =
        static_cast<double>(p.procs()) * static_cast<double>(p.chunk_elements());
    const double moved = bytes * (1 - static_cast<double>(p.stays()) / elements);
    const double messages = p.is_local() ? 0 : static_cast<double>(p.messages());
    const double copy = bytes * costs.copied_byte;
    at(way::window) = (2 * tiled * copy + 2 * costs.barrier) * (within_node ? 1 : 2) +
                      (within_node ? 0 : moved * costs.message_byte + messages * costs.message) +
                      (costs.window + bytes * costs.window_byte) / policy.calls;
    at(way::pipelined) =
        passes(p) * copy + messages * costs.message_together + moved * costs.message_byte;
    at(way::bounded) = 4 * tiled * copy + messages * costs.message + moved * costs.replaced_byte;
    while (!possible_[static_cast<std::size_t>(chosen_)])
      chosen_ = static_cast<way>(static_cast<int>(chosen_) + 1);
    for (std::size_t w = 0; w < seconds_.size(); ++w)
      if (possible_[w] && seconds_[w] < at(chosen_)) chosen_ = static_cast<way>(w);
  }

  [[nodiscard]] way chosen() const noexcept { return chosen_; }

  [[nodiscard]] std::string text() const {
    if (is_local_)
      return chosen_ == way::bounded ? "automatic: passes in place\n" : "automatic: a pass\n";
    std::string all = "automatic: ";
    all.append(way_names[static_cast<std::size_t>(chosen_)]).append("\n  predicted ms: ");
    for (std::size_t w = 0; w < seconds_.size(); ++w)
      if (possible_[w])
        all.append(way_names[w]).append(" ").append(figure(1e3 * seconds_[w])).append("; ");
    all.append("costs in us:");
    const std::array<std::pair<char const*, double>, 5> costs{
        {{"message", costs_.message},
         {"one of many", costs_.message_together},
         {"barrier", costs_.barrier},
         {"MiB sent", mebi * costs_.message_byte},
         {"MiB copied", mebi * costs_.copied_byte}}};
    for (auto const& [name, seconds] : costs)
      all.append(" ").append(name).append(" ").append(figure(1e6 * seconds)).append(";");
    all.back() = '\n';
    return all;
  }

 private:
  // In copies: a tiled pass over memory, one whose other side stays in cache.
  static constexpr double tiled = 1.5, in_cache = 1.2, mebi = 1 << 20;

  /// What the passes of a pipeline cost, in copies.
  [[nodiscard]] static double passes(plan const& p) {
    if (p.is_local()) return tiled;
    return p.is_exchange_only() ? 0 : 2 * in_cache;
  }
  [[nodiscard]] static std::string figure(double x) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g", x);
    return text.data();
  }
  [[nodiscard]] double& at(way w) noexcept { return seconds_[static_cast<std::size_t>(w)]; }

  comm::cost_model costs_;
  std::array<bool, way_names.size()> possible_;
  std::array<double, way_names.size()> seconds_{};
  bool is_local_;
  way chosen_ = way::window;
};

}  // namespace bmmc::detail
