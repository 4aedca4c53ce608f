// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <climits>
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <bmmc/comm/alltoallv.hpp>
#include <bmmc/comm/automatic.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/ragged.hpp>
#include <bmmc/comm/shared_window.hpp>

namespace bmmc::comm {

/// Whom a block of an array goes to or comes from, and where it begins, in elements.
struct block {
  int proc;
  index_t position;
};

/// A way to bring blocks of one length to all that need them, from one array to another:
///   sendrecv       in rounds, in each of which processes k and k ^ round speak to each other
///   pipelined      the same rounds, in parts, without waiting: some travel while others are used
///   alltoallv      all at once, by one call of MPI
///   shared_window  processes of a node read each other's memory; between nodes as pipelined
///   automatic      shared_window or pipelined, 8 parts under way: what is predicted to be faster
template <class P>
concept BlockPolicy = std::same_as<P, sendrecv> || std::same_as<P, alltoallv> ||
                      std::derived_from<P, pipelined> || std::derived_from<P, shared_window> ||
                      (std::derived_from<P, automatic> && !std::derived_from<P, within_budget>);

/// Says of a policy what a map has against it.
template <class P>
consteval bool requires_block_policy() {
  static_assert(BlockPolicy<P> || !ReplacingPolicy<P>,
                "a map has no array in which blocks are replaced: source and target are two, and "
                "many may read a block. comm::sendrecv exchanges pairs from one to the other");
  static_assert(!std::derived_from<P, within_budget>,
                "a map's memory follows from its plan, whatever the policy: see gatherer and "
                "reducer. There is no budget to keep to");
  static_assert(BlockPolicy<P> || ReplacingPolicy<P> || std::derived_from<P, within_budget>,
                "Comm is automatic, shared_window, pipelined, sendrecv or alltoallv: see "
                "comm::BlockPolicy");
  return true;
}

/// Calls round(out, in) for each process that this one sends a block to or receives one from, in
/// ascending order of its exclusive or with this one's rank, in which both lists are. They are
/// indices into the lists, or `none`.
inline constexpr std::size_t none = ~std::size_t{0};
template <class F>
void for_each_partner(int rank, std::span<block const> out, std::span<block const> in, F round) {
  for (std::size_t i = 0, j = 0; i < out.size() || j < in.size();) {
    const int to = i < out.size() ? out[i].proc ^ rank : INT_MAX;
    const int from = j < in.size() ? in[j].proc ^ rank : INT_MAX;
    round(to <= from ? i : none, from <= to ? j : none);
    if (to <= from) ++i;
    if (from <= to) ++j;
  }
}

/// All blocks in one MPI_Alltoallv, save the one that stays. Positions are multiples of the length.
class all_blocks {
 public:
  all_blocks() = default;
  all_blocks(communicator const& c, std::span<block const> out, std::span<block const> in,
             index_t elements, MPI_Datatype element)
      : block_(datatype::row_of(element, elements)),
        sent_(c, out, elements),
        received_(c, in, elements) {}

  void operator()(communicator const& c, void const* source, void* target) const {
    check(
        MPI_Alltoallv(source, sent_.count.data(), sent_.place.data(), block_.handle(), target,
                      received_.count.data(), received_.place.data(), block_.handle(), c.handle()),
        "MPI_Alltoallv");
  }

 private:
  struct side {
    std::vector<int> count, place;

    side() = default;
    side(communicator const& c, std::span<block const> blocks, index_t elements)
        : count(static_cast<std::size_t>(c.size())), place(count.size()) {
      for (block const& b : blocks) {
        if (b.proc == c.rank()) continue;
        count[static_cast<std::size_t>(b.proc)] = 1;
        place[static_cast<std::size_t>(b.proc)] = static_cast<int>(b.position / elements);
      }
    }
  };

  datatype block_;
  side sent_, received_;
};

}  // namespace bmmc::comm
