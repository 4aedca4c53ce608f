// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/index/controlled_circuit.hpp>
#include <bmmc/permute/coset.hpp>

namespace bmmc {

/// A circuit with controlled gates on a distributed array: a permuter for each of its moves, built
/// once, called often, in place. Its controlled part comes first, as the circuit has it.
/// Memory   the largest workspace of its moves, which use it in turn.
/// Errors   as coset_permuter and permuter.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>>
class circuit_permuter {
 public:
  /// Collective.
  template <Communicator C>
  circuit_permuter(C const& communicator, controlled_circuit const& c, L const& l = {},
                   Comm const& policy = {}) {
    const auto parent = comm::communicator::of(static_cast<MPI_Comm>(communicator));
    for (auto const& each : c.first())
      first_.emplace_back(communicator, each, l, policy,
                          permuter_options<T>{.kind = call_kind::in_place});
    if (!is_identity(c.last()) || first_.empty())
      last_.emplace(communicator, c.last(), l, policy,
                    permuter_options<T>{.kind = call_kind::in_place});
  }

  /// Permutes the array of which `chunk` is this process's part, in place.
  void operator()(std::span<T> chunk) {
    for (auto& each : first_) each(chunk);
    if (last_) (*last_)(chunk);
  }

  /// The plans of its moves.
  [[nodiscard]] std::vector<coset_permuter<T, Comm, L, Element>> const& first() const noexcept {
    return first_;
  }
  [[nodiscard]] std::optional<permuter<T, Comm, L, Element>> const& last() const noexcept {
    return last_;
  }
  [[nodiscard]] std::size_t moves() const noexcept { return first_.size() + (last_ ? 1 : 0); }

 private:
  std::vector<coset_permuter<T, Comm, L, Element>> first_;
  std::optional<permuter<T, Comm, L, Element>> last_;
};

/// Tells people what a circuit's permuter will do, move by move.
template <class T, class Comm, class L, class Element>
[[nodiscard]] std::string explain(circuit_permuter<T, Comm, L, Element> const& p) {
  std::string text = detail::text({"a circuit in ", p.moves(), " moves\n"});
  for (auto const& each : p.first()) text += explain(each);
  if (p.last()) text += explain(*p.last());
  return text;
}

/// A circuit's permuter whose policy and layout are deduced.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
[[nodiscard]] circuit_permuter<T, Comm, L, Element> make_permuter(C const& communicator,
                                                                  controlled_circuit const& c,
                                                                  L const& l = {},
                                                                  Comm const& policy = {}) {
  return circuit_permuter<T, Comm, L, Element>(communicator, c, l, policy);
}

/// Carries out a circuit with controlled gates on a distributed array, in place: c.moves() moves.
/// Shape and errors as permute.
template <class T, class Comm = comm::automatic, class L = layout::processor_major,
          class Element = element::default_for<T>, Communicator C>
void permute(C const& communicator, std::type_identity_t<std::span<T>> chunk,
             controlled_circuit const& c, L const& l = {}, Comm const& policy = {}) {
  for (auto const& each : c.first()) permute<T, Comm, L, Element>(communicator, chunk, each, l, policy);
  if (c.first().empty() || !is_identity(c.last()))
    permute<T, Comm, L, Element>(communicator, chunk, c.last(), l, policy);
}
template <detail::Chunk Chunk, Communicator C, class L = layout::processor_major,
          class Comm = comm::automatic>
void permute(C const& communicator, Chunk&& chunk, controlled_circuit const& c, L const& l = {},
             Comm const& policy = {}) {
  permute<detail::element_of<Chunk>, Comm, L>(communicator, std::span(chunk), c, l, policy);
}

}  // namespace bmmc
