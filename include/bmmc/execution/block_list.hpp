// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <vector>

#include <bmmc/comm/blocks.hpp>
#include <bmmc/plan/map_plan.hpp>

namespace bmmc::detail {

/// The blocks of one process under way: equal in length, in ascending order of the exclusive or of
/// both process numbers, the block that stays among them. A combining exchange hands each block to
/// arrive(i, first, count, data) in the order of `in`, whole or in parts.
struct block_list {
  std::shared_ptr<comm::communicator const> comm;
  std::vector<comm::block> out, in;
  index_t elements;  // of each
  // For windows alone. The node whose processes read each other's memory, if any; how long all is
  // that a process sends, as it lies together; and where there each block of `in` begins.
  std::shared_ptr<comm::node const> node{};
  index_t staged_elements = 0;
  std::vector<index_t> origins{};

  [[nodiscard]] bool stays(comm::block const& b) const { return b.proc == comm->rank(); }
};

/// The partners of a process as its transport wants them; place(position) is where a block begins.
template <class Place>
[[nodiscard]] std::vector<comm::block> blocks_of(map_plan::partners const& p, Place place) {
  std::vector<comm::block> blocks;
  blocks.reserve(p.count);
  for (index_t step = 0; step < p.count; ++step)
    blocks.push_back({static_cast<int>(p.procs(step)), place(p.positions(step))});
  return blocks;
}
[[nodiscard]] inline std::vector<comm::block> blocks_of(map_plan::partners const& p) {
  return blocks_of(p, [](index_t position) { return position; });
}

}  // namespace bmmc::detail
