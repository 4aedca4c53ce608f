// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <numeric>

#include <bmmc/reshape/array_layout.hpp>

#include "oracle.hpp"

/// Array descriptions, each as the library has it and as the oracle has it: by division, remainder
/// and lists of Gray codes.
namespace arrays {

using oracle::number;

enum class spread { local, blocks, cyclic, block_cyclic, any };

struct axis_case {
  unsigned bits = 0, proc_bits = 0;
  spread kind = spread::local;
  unsigned lg_block = 0;          // block_cyclic
  std::vector<unsigned> named{};  // any: ascending
  bmmc::axis_code code = bmmc::axis_code::binary;
};

struct array_case {
  std::vector<axis_case> axes{};  // the slowest first
  std::vector<unsigned> grid{};   // axes from the slowest of the process grid to the fastest

  [[nodiscard]] unsigned bits() const {
    unsigned n = 0;
    for (auto const& a : axes) n += a.bits;
    return n;
  }
};

inline bmmc::array_layout to_library(array_case const& c) {
  std::vector<bmmc::axis> axes;
  for (auto const& a : c.axes) {
    bmmc::index_t named = 0;
    for (unsigned j : a.named) named += oracle::power(j);
    bmmc::axis made =
        a.kind == spread::local    ? bmmc::axis::local(a.bits)
        : a.kind == spread::blocks ? bmmc::axis::blocks(a.bits, oracle::power(a.proc_bits))
        : a.kind == spread::cyclic ? bmmc::axis::cyclic(a.bits, oracle::power(a.proc_bits))
        : a.kind == spread::any
            ? bmmc::axis::on_bits(a.bits, named)
            : bmmc::axis::block_cyclic(a.bits, oracle::power(a.proc_bits), a.lg_block);
    if (a.code == bmmc::axis_code::gray) made = made.gray();
    if (a.code == bmmc::axis_code::gray_processes) made = made.gray_processes();
    axes.push_back(made);
  }
  const bmmc::array_layout all{std::span<bmmc::axis const>(axes)};
  switch (c.grid.size()) {  // on_grid takes a list
    case 1:
      return all.on_grid({c.grid[0]});
    case 2:
      return all.on_grid({c.grid[0], c.grid[1]});
    case 3:
      return all.on_grid({c.grid[0], c.grid[1], c.grid[2]});
    default:
      return all;
  }
}

/// Gray code, from the list by reflection where that is not too long.
inline number gray_of(unsigned bits, number x) {
  return bits <= 12 ? oracle::gray_list(bits)[x] : x ^ x / 2;
}

/// Where a position along an axis lives: coordinate in the process grid, and place there.
inline oracle::spot spot_on_axis(axis_case const& a, number position) {
  using oracle::power;
  if (a.code == bmmc::axis_code::gray) position = gray_of(a.bits, position);
  oracle::spot at;
  switch (a.kind) {
    case spread::local:
      at = {0, position};
      break;
    case spread::blocks: {
      const number length = power(a.bits) / power(a.proc_bits);
      at = {position / length, position % length};
      break;
    }
    case spread::cyclic:
      at = {position % power(a.proc_bits), position / power(a.proc_bits)};
      break;
    case spread::block_cyclic: {
      const number length = power(a.lg_block), block = position / length;
      at = {block % power(a.proc_bits), block / power(a.proc_bits) * length + position % length};
      break;
    }
    case spread::any:
      at = oracle::process_bits(a.named)(a.bits, 0, position);
      break;
  }
  if (a.code == bmmc::axis_code::gray_processes) at.proc = gray_of(a.proc_bits, at.proc);
  return at;
}

inline oracle::spot spot(array_case const& c, number index) {
  const auto order = c.axes.size();
  std::vector<oracle::spot> at(order);
  for (std::size_t k = order; k-- > 0;) {
    const number extent = oracle::power(c.axes[k].bits);
    at[k] = spot_on_axis(c.axes[k], index % extent);
    index /= extent;
  }
  oracle::spot whole;
  for (std::size_t k = 0; k < order; ++k) {
    const auto& a = c.axes[k];
    whole.offset = whole.offset * oracle::power(a.bits - a.proc_bits) + at[k].offset;
    const auto g = c.grid.empty() ? k : c.grid[k];
    whole.proc = whole.proc * oracle::power(c.axes[g].proc_bits) + at[g].proc;
  }
  return whole;
}

inline axis_case random_axis(unsigned bits, unsigned procs, oracle::generator& random) {
  axis_case a{bits, procs, static_cast<spread>(1 + random() % 4),
              0,    {},    static_cast<bmmc::axis_code>(random() % 3)};
  if (procs == 0 && random() % 2 == 0) a.kind = spread::local;
  a.lg_block = static_cast<unsigned>(random() % (bits - procs + 1));
  std::vector<unsigned> all(bits);
  std::iota(all.begin(), all.end(), 0U);
  std::shuffle(all.begin(), all.end(), random);
  if (a.kind == spread::any) a.named.assign(all.begin(), all.begin() + procs);
  std::sort(a.named.begin(), a.named.end());
  return a;
}

/// Up to four axes of together n bits, p of which name processes.
inline array_case random_array(unsigned n, unsigned p, oracle::generator& random) {
  array_case c;
  const auto order = static_cast<unsigned>(1 + random() % 4);
  std::vector<unsigned> owner(n), bits(order, 0), procs(order, 0);
  for (auto& each : owner) ++bits[each = static_cast<unsigned>(random() % order)];
  std::shuffle(owner.begin(), owner.end(), random);
  for (unsigned k = 0; k < p; ++k) ++procs[owner[k]];
  for (unsigned k = 0; k < order; ++k) c.axes.push_back(random_axis(bits[k], procs[k], random));
  if (order < 4 && random() % 2 == 0) {
    c.grid.resize(order);
    std::iota(c.grid.begin(), c.grid.end(), 0U);
    std::shuffle(c.grid.begin(), c.grid.end(), random);
  }
  return c;
}

}  // namespace arrays
