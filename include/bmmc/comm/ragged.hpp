// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/comm/datatype.hpp>
#include <bmmc/gf2/bit_matrix.hpp>

namespace bmmc::comm {

/// Messages of any lengths, for permutations whose blocks are not equal: P - 1 rounds, and in round
/// k each process sends to the one k places above it and receives from the one k places below.
/// Messages  one to each process that something goes to, in parts of 1 MiB (serialized elements:
///           of 1 GiB).
/// Memory    a part that is sent and one that is received.
struct pairwise {
  friend constexpr bool operator==(pairwise, pairwise) = default;
};

/// Elements are sorted by target index in merge steps between neighbours of a hypercube: p (p+1)/2
/// steps for 2^p processes, in each of which every process exchanges its whole block, padded to the
/// longest, with one neighbour, and its indices with it. More bytes than `pairwise`, but p partners
/// instead of P - 1: for machines where messages to far processes are dear.
/// Messages  p (p+1) per process, half of them of indices.
/// Memory    three blocks of elements and of indices, five of indices while its own are sorted.
///           Elements are default constructible.
/// Source    Orcutt 1974, section VII (Batcher's bitonic sort); merging of blocks instead of single
///           elements: Baudet and Stevenson 1978.
struct bitonic {
  friend constexpr bool operator==(bitonic, bitonic) = default;
};

/// A way to carry out a permutation that need not be affine.
template <class P>
concept RaggedPolicy = std::same_as<P, pairwise> || std::same_as<P, bitonic>;

/// One message of its own: where to or from, and how many elements. No elements, no message.
struct message {
  int proc;
  index_t elements;
};

/// Sends a message and receives one, however many bytes they have.
inline void trade(communicator const& c, MPI_Datatype element, std::size_t element_bytes,
                  void const* source, message to, void* target, message from) {
  const index_t part = std::max<index_t>(1, bit(30) / std::max<std::size_t>(1, element_bytes));
  for (index_t done = 0; done < std::max(to.elements, from.elements); done += part) {
    const auto rest = [&](message const& m) {
      return static_cast<int>(std::min(part, m.elements - std::min(m.elements, done)));
    };
    const auto peer = [&](message const& m) { return rest(m) == 0 ? MPI_PROC_NULL : m.proc; };
    const auto with = [&] {
      return " (process " + std::to_string(c.rank()) + ", to " + std::to_string(to.proc) +
             ", from " + std::to_string(from.proc) + ", " + std::to_string(element_bytes) +
             " bytes an element)";
    };
    MPI_Status status;
    const int code = MPI_Sendrecv(
        static_cast<std::byte const*>(source) + std::min(done, to.elements) * element_bytes,
        rest(to), element, peer(to), 0,
        static_cast<std::byte*>(target) + std::min(done, from.elements) * element_bytes, rest(from),
        element, peer(from), 0, c.handle(), &status);
    if (code != MPI_SUCCESS) detail::throw_transport_error(code, "MPI_Sendrecv", with());
    int received = 0;
    check(MPI_Get_count(&status, element, &received), "MPI_Get_count");
    if (received != rest(from))
      throw transport_error("MPI_Sendrecv received a short message" + with());
  }
}

/// Calls round(target, source) for the P - 1 rounds of `pairwise`.
template <class F>
void for_each_round(communicator const& c, F round) {
  for (int k = 1; k < c.size(); ++k)
    round((c.rank() + k) % c.size(), (c.rank() + c.size() - k) % c.size());
}

/// One word from each process to each: what this process holds for process k stands at k.
[[nodiscard]] inline std::vector<index_t> all_to_all(communicator const& c,
                                                     std::vector<index_t> const& words) {
  std::vector<index_t> received(words.size());
  check(MPI_Alltoall(words.data(), 1, MPI_UINT64_T, received.data(), 1, MPI_UINT64_T, c.handle()),
        "MPI_Alltoall");
  return received;
}

/// The sum of a word over all processes, modulo 2^64.
[[nodiscard]] inline index_t sum_of(communicator const& c, index_t mine) {
  check(MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_UINT64_T, MPI_SUM, c.handle()), "MPI_Allreduce");
  return mine;
}

}  // namespace bmmc::comm
