// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <string>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/comm/window.hpp>
#include <bmmc/execution/element_kind.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// A permutation's plan ready to be run, by whatever way: called by all processes alike. Arrays are
/// this process's chunks.
class plan_runner {
 public:
  static constexpr std::array<char const*, 2> calls{"in place", "from source to target"};

  plan_runner() = default;
  plan_runner(plan_runner const&) = delete;
  plan_runner& operator=(plan_runner const&) = delete;
  virtual ~plan_runner() = default;

  /// Collective, once, before anything else: what takes all processes to make. Throws bad_value on
  /// all of them or on none. A constructor is not collective, so a process where it fails can say
  /// so while nobody waits.
  virtual void open() {}

  virtual void in_place(void* chunk) = 0;
  /// The target does not overlap the source, which stays as it is.
  virtual void move(void const* source, void* target) = 0;

  /// The same for arrays that are parts of windows. In place the memory may be exchanged.
  virtual void in_window(comm::window& chunk) { in_place(static_cast<void*>(chunk.part())); }
  virtual void move_windows(comm::window const& source, comm::window const& target) {
    move(static_cast<void const*>(source.part()), static_cast<void*>(target.part()));
  }

  /// What was chosen and why, where there was a choice.
  [[nodiscard]] virtual std::string choice() const { return {}; }
};

/// What a runner works in besides the data.
struct working_memory {
  void* scratch = nullptr;
  /// A window that runners use in turn, made where there is none and made larger where it is too
  /// small; nullptr: a window of its own.
  std::shared_ptr<comm::window>* window = nullptr;
  bool agrees_before_calls = false;  // nobody reads there any more when a call begins
  /// The kinds of calls that there will be.
  bool in_place = true, to_target = true;

  /// A window of that size is there, and has been written to.
  [[nodiscard]] bool has_window(std::size_t part_bytes) const noexcept {
    return window != nullptr && *window != nullptr && (*window)->part_bytes() >= part_bytes;
  }
};

/// How a way without memory is made: nullptr where there is none.
using bounded_maker = std::unique_ptr<plan_runner> (*)(std::shared_ptr<comm::communicator const>,
                                                       plan const&, element_kind const&);

}  // namespace bmmc::detail
