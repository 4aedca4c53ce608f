// SPDX-License-Identifier: BSL-1.0
#pragma once

// Where simulators of quantum computers keep their amplitudes, as their public headers have it. The
// functions take whatever has members of those names, so nothing of theirs is included. In all of
// them qubit j is bit j of the index, and process k has the k-th part of the state.

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include <bmmc/error.hpp>
#include <bmmc/permute/state_view.hpp>

namespace bmmc {

/// A Qureg of QuEST 3: stateVec has real and imaginary parts apart, numAmpsPerChunk of each; so has
/// pairStateVec, its buffer for messages, which is there on more than one process.
/// Source  struct Qureg in QuEST.h, version 3.7.
template <class Qureg>
[[nodiscard]] auto quest3_view(Qureg const& q) {
  using real = std::remove_pointer_t<decltype(q.stateVec.real)>;
  const auto elements = static_cast<std::size_t>(q.numAmpsPerChunk);
  const std::span<real> lent =
      q.numChunks > 1 ? std::span<real>(q.pairStateVec.real, elements) : std::span<real>();
  return view_of(std::span<real>(q.stateVec.real, elements),
                 std::span<real>(q.stateVec.imag, elements), lent);
}

/// A Qureg of QuEST 4: cpuAmps has numAmpsPerNode complex numbers; so has cpuCommBuffer, its buffer
/// for messages, which is there where the state is distributed.
/// Errors  bad_value where the amplitudes are in the memory of a GPU.
/// Source  struct Qureg in quest/include/qureg.h, version 4.
template <class Qureg>
[[nodiscard]] auto quest4_view(Qureg const& q) {
  using amplitude = std::remove_pointer_t<decltype(q.cpuAmps)>;
  if (q.isGpuAccelerated != 0)
    throw bad_value("the amplitudes are in the memory of a GPU: copy them to the processor first");
  const auto elements = static_cast<std::size_t>(q.numAmpsPerNode);
  return view_of(std::span<amplitude>(q.cpuAmps, elements),
                 q.cpuCommBuffer != nullptr ? std::span<amplitude>(q.cpuCommBuffer, elements)
                                            : std::span<amplitude>());
}

/// A QuantumState of qulacs: data_cpp() has dim complex numbers, those of this process where the
/// state is made for several. Its buffer for messages is its own; lend another where there is one.
/// Source  class QuantumStateBase in cppsim/state.hpp, version 0.6.
template <class State>
[[nodiscard]] auto qulacs_view(
    State const& state,
    std::span<std::remove_pointer_t<decltype(std::declval<State const&>().data_cpp())>> lent = {}) {
  return view_of(decltype(lent)(state.data_cpp(), static_cast<std::size_t>(state.dim)), lent);
}

}  // namespace bmmc
