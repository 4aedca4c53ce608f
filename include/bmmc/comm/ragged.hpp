// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>

#include <bmmc/comm/automatic.hpp>

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

/// A way to carry out a permutation that need not be affine: `pairwise`, `bitonic`, or any policy
/// that moves blocks, such as one of a user's own. Messages then are padded to the longest of any
/// process, those that are empty apart. `automatic` takes `pairwise`.
template <class P>
concept RaggedPolicy = std::same_as<P, pairwise> || std::same_as<P, bitonic> || MapPolicy<P>;

}  // namespace bmmc::comm
