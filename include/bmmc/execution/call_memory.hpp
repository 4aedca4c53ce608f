// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <bmmc/comm/call.hpp>
#include <bmmc/comm/window.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc {

/// What calls of permute(), gather() and reduce() may leave on a communicator for the calls that
/// follow, on each process: permuters of the last few permutations, and one workspace that they use
/// in turn; gatherers and reducers of the last few maps, each of which counts as many bytes as its
/// source and target. A call that does not fit leaves nothing. Zero of either: calls leave nothing.
struct call_limits {
  std::size_t permuters = 8;
  std::size_t bytes = std::size_t{1} << 29;

  friend bool operator==(call_limits const&, call_limits const&) = default;
};

namespace detail {

/// A permuter, gatherer or reducer that a call has left.
struct kept_call {
  kept_call() = default;
  kept_call(kept_call const&) = delete;
  kept_call& operator=(kept_call const&) = delete;
  virtual ~kept_call() = default;

  void const* type = nullptr;
  std::uint64_t number = 0;      // the same on all processes
  std::size_t own_bytes = 0;     // as is this: of buffers that it shares with no other one
  bool is_for_one_call = false;  // its policy did not reckon with a second one
};
template <class Call>
inline constexpr char type_of{};  // its address tells types apart

/// One with what tells it from others of its type: permutation or map, layout, policy.
template <class Operation, class Key>
struct keyed_call final : kept_call {
  explicit keyed_call(Key k) : key(std::move(k)) { type = &type_of<keyed_call>; }

  Key key;
  std::optional<Operation> operation;
};

/// What the calls on a communicator have left. All processes have the same, in the same order: only
/// what they have agreed upon changes it.
class call_memory {
 public:
  [[nodiscard]] static call_memory& of(comm::communicator const& c);

  [[nodiscard]] call_limits const& limits() const noexcept { return limits_; }
  void set_limits(call_limits const& l);
  /// As many as there have been since all was given back; fewer than make ways worth trying.
  [[nodiscard]] double expected_calls() const noexcept;
  /// All is given back, on all processes.
  void forget() noexcept;
  [[nodiscard]] bool keeps() const noexcept { return limits_.permuters != 0 && limits_.bytes != 0; }
  [[nodiscard]] std::size_t bytes() const noexcept;
  [[nodiscard]] std::size_t calls() const noexcept { return calls_.size(); }
  [[nodiscard]] std::shared_ptr<comm::window>& window() noexcept { return window_; }
  [[nodiscard]] std::span<std::byte> scratch() const noexcept { return scratch_.elements(); }

  template <class Call, class Key>
  [[nodiscard]] Call* find(Key const& key) const {
    for (auto const& each : calls_)
      if (each->type == &type_of<Call>)
        if (auto* const call = static_cast<Call*>(each.get()); call->key == key) return call;
    return nullptr;
  }
  /// The last one used is the last one dropped.
  void use(kept_call const* call);

  /// Room for one more call: keep() allocates nothing.
  void reserve();
  /// Keeps a new call in place of `former`, or of the one not used for longest where there are too
  /// many. `fresh` is workspace that it needed where the one at hand was too small: then, and where
  /// it has made a larger window, those that use the former ones are dropped. So are the oldest
  /// ones with buffers of their own, where they have more than they may.
  void keep(std::unique_ptr<kept_call> call, kept_call const* former,
            transport::workspace<std::byte> fresh, comm::window const* window_before);
  /// After a call: the workspace and the window may have been needed by different ones.
  void keep_to_limits();
  /// All is given back, on this process.
  void clear() noexcept;

 private:
  call_limits limits_;
  std::vector<std::unique_ptr<kept_call>> calls_;
  transport::workspace<std::byte> scratch_;
  std::shared_ptr<comm::window> window_;
  std::uint64_t kept_ = 0, kept_before_ = 0;
};

/// While an exception is under way nothing that others may still write to is used again.
struct clear_on_exception {
  call_memory* memory;
  int before = std::uncaught_exceptions();
  ~clear_on_exception();
};

}  // namespace detail

/// Sets what calls of permute(), gather() and reduce() may leave on a communicator, and gives back
/// what they have left. Collective, the same on all processes.
/// Errors  bad_value on all processes where they disagree.
template <Communicator C>
void limit_calls(C const& communicator, call_limits const& limits) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  const comm::exclusive_use use(*c);
  const std::array<comm::common_fact, 3> facts{{detail::function_fact("limit_calls"),
                                                {"number of permuters", limits.permuters},
                                                {"bytes of workspace", limits.bytes}}};
  comm::agree(*c, {}, facts);
  detail::call_memory::of(*c).set_limits(limits);
}

/// Gives back what calls have left on a communicator: permuters, gatherers, reducers, workspace,
/// windows. It is given back with the communicator, too. Collective.
/// Errors  bad_value on all processes where some call another function.
template <Communicator C>
void forget_calls(C const& communicator) {
  const auto c = comm::communicator::of(static_cast<MPI_Comm>(communicator));
  const comm::exclusive_use use(*c);
  const auto called = detail::function_fact("forget_calls");
  comm::agree(*c, {}, {&called, 1});
  detail::call_memory::of(*c).forget();
}

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/execution/call_memory_once.hpp>
#endif
