// SPDX-License-Identifier: BSL-1.0
#pragma once

// A circuit on a state over processes: what only moves amplitudes is postponed, phases are applied
// where amplitudes lie, and data moves when a gate combines amplitudes of different processes.

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <bmmc.hpp>

#include "qasm.hpp"

namespace qubits {

using amplitude = std::complex<double>;
using bmmc::bit;
using bmmc::coset;
using bmmc::index_t;

/// What an operation is to the library: a permutation of all indices; a factor on a coset; or a
/// gate on pairs of indices x and x + direction.
struct step {
  enum class kind { permutation, phase, pairs } is;
  bmmc::permutation<> map{};
  coset where{};           // of a phase; of pairs: the first index of each
  index_t direction = 0;   // of pairs
  std::array<amplitude, 4> matrix{};  // of pairs, by rows; a phase is matrix[0]
};

/// cos and sin of u3's angles: the matrix of qelib1.inc.
inline std::array<amplitude, 4> unitary(std::array<double, 3> const& angle) {
  const auto [theta, phi, lambda] = angle;
  const double c = std::cos(theta / 2), s = std::sin(theta / 2);
  return {c, -std::polar(s, lambda), std::polar(s, phi), std::polar(c, phi + lambda)};
}

inline step step_of(qasm::operation const& op, unsigned n) {
  const auto [a, b, c] = op.qubit;
  constexpr std::array<amplitude, 4> exchange{0, 1, 1, 0};
  const auto permuted = [](bmmc::permutation<> const& p) {
    return step{step::kind::permutation, p};
  };
  const auto phased = [&](std::initializer_list<bmmc::bit_condition> on) {
    return step{step::kind::phase, {}, coset(n, on), 0, {std::polar(1.0, op.angle[0])}};
  };
  const auto paired = [](coset const& where, index_t v, std::array<amplitude, 4> const& u) {
    return step{step::kind::pairs, {}, where, v, u};
  };
  switch (op.kind) {
    case qasm::gate::x:
      return permuted(bmmc::flip(n, a));
    case qasm::gate::cx:
      return permuted(bmmc::cnot(n, a, b));
    case qasm::gate::swap:
      return permuted(bmmc::swap_bits(n, a, b));
    case qasm::gate::phase:
      return phased({{bit(a), true}});
    case qasm::gate::cphase:
      return phased({{bit(a), true}, {bit(b), true}});
    case qasm::gate::ccx:
      return paired(coset(n, {{bit(a), true}, {bit(b), true}, {bit(c), false}}), bit(c), exchange);
    case qasm::gate::cswap:
      return paired(coset(n, {{bit(a), true}, {bit(b), true}, {bit(c), false}}), bit(b) | bit(c),
                    exchange);
    case qasm::gate::controlled:
      return paired(coset(n, {{bit(a), true}, {bit(b), false}}), bit(b), unitary(op.angle));
    default:
      return paired(coset(n, {{bit(a), false}}), bit(a), unitary(op.angle));
  }
}

/// The directions that the steps from `first` on need local, as many as can be at a time.
inline bmmc::upcoming_directions look_ahead(std::vector<step> const& steps, std::size_t first,
                                            unsigned n, unsigned p) {
  bmmc::upcoming_directions next(n);
  for (std::size_t k = first; k < steps.size(); ++k) {
    if (steps[k].is == step::kind::permutation) next.then(steps[k].map);
    if (steps[k].is == step::kind::pairs && !next.add(steps[k].direction, p)) break;
  }
  return next;
}

inline void combine(std::array<amplitude, 4> const& u, amplitude* first, amplitude* second,
                    index_t count) {
  const auto times = [](amplitude x, amplitude y) {  // operator* asks for infinities
    return amplitude(x.real() * y.real() - x.imag() * y.imag(),
                     x.real() * y.imag() + x.imag() * y.real());
  };
  for (index_t i = 0; i < count; ++i) {
    const amplitude a = first[i], b = second[i];
    first[i] = times(u[0], a) + times(u[1], b);
    second[i] = times(u[2], a) + times(u[3], b);
  }
}

/// What a process keeps of a circuit. It is made without communication, so that all can agree on
/// what fails, where memory is short on one of them, before they simulate.
struct share {
  unsigned qubits, proc_bits;
  std::vector<step> steps{};
  std::vector<amplitude> chunk{};

  /// Throws bmmc::bad_value where the qubits are too few for the processes.
  share(qasm::program const& program, int procs)
      : qubits(program.qubits), proc_bits(bmmc::proc_bits_of(static_cast<index_t>(procs))) {
    const std::string who = std::to_string(qubits) + " qubits ";
    if (proc_bits > qubits)
      throw bmmc::bad_value(who + "are too few for " + std::to_string(procs) + " processes");
    for (auto const& op : program.operations) steps.push_back(step_of(op, qubits));
    const auto is_of_pairs = [](step const& s) { return s.is == step::kind::pairs; };
    if (proc_bits == qubits && std::any_of(steps.begin(), steps.end(), is_of_pairs))
      throw bmmc::bad_value(who + "on " + std::to_string(procs) +
                            " processes leave one amplitude each: use " +
                            std::to_string(procs / 2) + " processes at most");
    const index_t count = bit(qubits - proc_bits);
    try {
      chunk.resize(count);
    } catch (std::bad_alloc const&) {
      throw std::runtime_error("no memory for the " + std::to_string(count) +
                               " amplitudes of a process, " +
                               std::to_string(count * sizeof(amplitude)) + " bytes");
    }
  }
};

/// A circuit from |0...0>, over the processes of a communicator.
class simulator {
 public:
  simulator(MPI_Comm comm, share own)
      : share_(std::move(own)), state_(comm, share_.chunk, first_map()) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto at = state_.place(0);
    if (at.proc == static_cast<index_t>(rank)) share_.chunk[at.offset] = 1;
  }

  void run() {
    for (std::size_t k = 0; k < share_.steps.size(); ++k) {
      step const& s = share_.steps[k];
      if (s.is == step::kind::permutation) {
        state_.permute(s.map);
      } else if (s.is == step::kind::phase) {
        state_.apply(s.where, [&](amplitude* run, index_t count) {
          for (index_t i = 0; i < count; ++i) run[i] *= s.matrix[0];
        });
      } else {
        if (!state_.is_local(s.direction))
          state_.make_local(look_ahead(share_.steps, k, state_.bits(), state_.proc_bits()));
        state_.apply_pairs(s.where, s.direction,
                           [&](amplitude* first, amplitude* second, index_t count) {
                             combine(s.matrix, first, second, count);
                           });
      }
    }
  }

  [[nodiscard]] bmmc::deferred_array<amplitude> const& state() const noexcept { return state_; }

 private:
  /// One amplitude is not 0 at first: it may lie anywhere, so this map costs nothing.
  [[nodiscard]] bmmc::permutation<> first_map() const {
    const auto [n, p] = std::pair(share_.qubits, share_.proc_bits);
    return bmmc::make_local(look_ahead(share_.steps, 0, n, p).basis(), n, p);
  }

  share share_;
  bmmc::deferred_array<amplitude> state_;
};

/// The same circuit on one array, gate by gate, each written out index by index.
inline std::vector<amplitude> gate_by_gate(qasm::program const& program) {
  std::vector<amplitude> state(bit(program.qubits));
  state[0] = 1;
  for (auto const& op : program.operations) {
    const auto [a, b, c] = op.qubit;
    const auto is_set = [](index_t x, unsigned j) { return (x >> j & 1) != 0; };
    const auto u = unitary(op.angle);
    const amplitude factor = std::polar(1.0, op.angle[0]);
    for (index_t x = 0; x < state.size(); ++x) switch (op.kind) {
        case qasm::gate::x:
          if (!is_set(x, a)) std::swap(state[x], state[x ^ bit(a)]);
          break;
        case qasm::gate::cx:
          if (is_set(x, a) && !is_set(x, b)) std::swap(state[x], state[x ^ bit(b)]);
          break;
        case qasm::gate::swap:
          if (is_set(x, a) && !is_set(x, b)) std::swap(state[x], state[x ^ bit(a) ^ bit(b)]);
          break;
        case qasm::gate::ccx:
          if (is_set(x, a) && is_set(x, b) && !is_set(x, c))
            std::swap(state[x], state[x ^ bit(c)]);
          break;
        case qasm::gate::cswap:
          if (is_set(x, a) && is_set(x, b) && !is_set(x, c))
            std::swap(state[x], state[x ^ bit(b) ^ bit(c)]);
          break;
        case qasm::gate::phase:
          if (is_set(x, a)) state[x] *= factor;
          break;
        case qasm::gate::cphase:
          if (is_set(x, a) && is_set(x, b)) state[x] *= factor;
          break;
        case qasm::gate::unitary:
          if (!is_set(x, a)) {
            const amplitude zero = state[x], one = state[x ^ bit(a)];
            state[x] = u[0] * zero + u[1] * one;
            state[x ^ bit(a)] = u[2] * zero + u[3] * one;
          }
          break;
        case qasm::gate::controlled:
          if (is_set(x, a) && !is_set(x, b)) {
            const amplitude zero = state[x], one = state[x ^ bit(b)];
            state[x] = u[0] * zero + u[1] * one;
            state[x ^ bit(b)] = u[2] * zero + u[3] * one;
          }
      }
  }
  return state;
}

/// Exchanges of a simulator that applies gate by gate, with qubit k at address bit k: one for each
/// gate that combines or moves amplitudes of different processes.
inline std::size_t exchanges_gate_by_gate(qasm::program const& program, unsigned p) {
  std::size_t count = 0;
  for (auto const& op : program.operations) {
    const auto is_far = [&](unsigned k) { return op.qubit[k] >= program.qubits - p; };
    switch (op.kind) {
      case qasm::gate::x:
      case qasm::gate::unitary:
        count += is_far(0) ? 1 : 0;
        break;
      case qasm::gate::cx:
      case qasm::gate::controlled:
        count += is_far(1) ? 1 : 0;
        break;
      case qasm::gate::swap:
        count += is_far(0) || is_far(1) ? 1 : 0;
        break;
      case qasm::gate::ccx:
        count += is_far(2) ? 1 : 0;
        break;
      case qasm::gate::cswap:
        count += is_far(1) || is_far(2) ? 1 : 0;
        break;
      default:
        break;
    }
  }
  return count;
}

}  // namespace qubits
