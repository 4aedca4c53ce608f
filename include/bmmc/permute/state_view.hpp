// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include <bmmc/index/controlled_circuit.hpp>
#include <bmmc/permute/circuit.hpp>

namespace bmmc {

/// The amplitudes that this process has, in the memory of a simulator: one array of complex
/// numbers, or one of real parts and one of imaginary parts. Process k of 2^p has the amplitudes of
/// the indices from k 2^(n-p) on.
template <class T>
struct state_view {
  std::array<std::span<T>, 2> parts{};
  unsigned count = 1;  // of parts
  /// Memory that may be written between the simulator's own calls: its buffer for messages, say.
  std::span<T> lent{};
};

/// Amplitudes as complex numbers, one after the other.
template <class T>
[[nodiscard]] state_view<T> view_of(std::span<T> amplitudes, std::span<T> lent = {}) {
  return {{amplitudes, {}}, 1, lent};
}
/// Real parts and imaginary parts in arrays of their own.
template <class T>
[[nodiscard]] state_view<T> view_of(std::span<T> real, std::span<T> imaginary, std::span<T> lent) {
  return {{real, imaginary}, 2, lent};
}

/// Moves the amplitudes of a simulator, in place: by a permutation, one on a coset, or a circuit
/// with controlled gates. Built once, called often, as long as the simulator keeps its arrays.
/// Cost     a circuit_permuter; where real and imaginary parts are apart, its exchanges twice, each
///          of half as much.
/// Memory   as circuit_permuter: what is lent serves each move that needs no more than it.
/// Errors   bad_value on every process, or on none, where the arrays have another length.
template <class T, class Comm = comm::automatic>
class state_permuter {
 public:
  /// Collective on the simulator's communicator.
  template <Communicator C, class Map>
  state_permuter(C const& communicator, state_view<T> const& state, Map const& map,
                 Comm const& policy = {})
      : state_(state),
        permute_(
            communicator, map, {}, policy, state.lent,
            [&](index_t elements) {
              std::string text;
              for (unsigned i = 0; i < state.count && text.empty(); ++i)
                text = objection_to(state.parts[i], elements, state.lent);
              if (text.empty() && state.count == 2 &&
                  local::overlap<T>(state.parts[0], state.parts[1]))
                text = "real and imaginary parts overlap";
              return text;
            },
            state.count == 1 ? "state_permuter" : "state_permuter of real and imaginary parts") {}

  void operator()() {
    for (unsigned i = 0; i < state_.count; ++i) permute_(state_.parts[i]);
  }
  [[nodiscard]] circuit_plan const& plan() const noexcept { return permute_.plan(); }

 private:
  [[nodiscard]] static std::string objection_to(std::span<T const> part, index_t elements,
                                                std::span<T> lent) {
    return detail::objection_to_call<T>({.kind = call_kind::in_place, .lent = lent},
                                        call_kind::in_place, {part, part},
                                        detail::objection_to(elements, part));
  }

  state_view<T> state_;
  circuit_permuter<T, Comm> permute_;
};

}  // namespace bmmc
