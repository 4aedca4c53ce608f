// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "support/array_oracle.hpp"

/// Arrays over grids of processes as one deals cards: lists, nothing else. Shares no code with the
/// library.
namespace oracle {

/// How one axis is spread; the library's description of it is made from the same words elsewhere.
struct split {
  enum kind { blocks, full_blocks, cyclic, block_cyclic } how = blocks;
  std::uint64_t extent = 1, procs = 1, block = 1, begins = 0;
};

/// The process along the axis that has each position, and the place there.
struct dealt {
  std::vector<std::uint64_t> owner, place, held;
};
inline dealt deal(split const& s) {
  dealt d{{}, {}, std::vector<std::uint64_t>(s.procs, 0)};
  std::vector<std::uint64_t> cards(s.procs, 0);  // for blocks: how many each gets
  for (std::uint64_t x = 0; x < s.extent; ++x) ++cards[x % s.procs];
  std::uint64_t block = s.block, now = 0, left = cards[0];
  if (s.how == split::cyclic) block = 1;
  if (s.how == split::full_blocks) {
    block = 1;
    while (block * s.procs < s.extent) ++block;
  }
  for (std::uint64_t x = 0; x < s.extent; ++x) {
    std::uint64_t turn = x / block % s.procs;
    if (s.how == split::blocks) {
      while (left == 0) left = cards[++now];
      --left;
      turn = now;
    }
    const std::uint64_t who = (turn + s.begins) % s.procs;
    d.owner.push_back(who);
    d.place.push_back(d.held[who]++);
  }
  return d;
}

/// An array: how its axes are spread, and in which order the grid is numbered, slowest axis first.
struct array {
  std::vector<split> axes;
  std::vector<unsigned> numbered;

  [[nodiscard]] positions extents() const {
    positions each;
    for (split const& s : axes) each.push_back(s.extent);
    return each;
  }
  [[nodiscard]] std::uint64_t procs() const {
    std::uint64_t all = 1;
    for (split const& s : axes) all *= s.procs;
    return all;
  }
  /// The process and its place, without gaps, of each element in the order of indices.
  struct home {
    std::uint64_t proc, offset;
  };
  [[nodiscard]] std::vector<home> homes() const {
    std::vector<dealt> all;
    for (split const& s : axes) all.push_back(deal(s));
    std::vector<home> each;
    each_element(extents(), [&](positions const& at) {
      home h{0, 0};
      for (const unsigned k : numbered) h.proc = h.proc * axes[k].procs + all[k].owner[at[k]];
      for (std::size_t k = 0; k < axes.size(); ++k)
        h.offset = h.offset * all[k].held[all[k].owner[at[k]]] + all[k].place[at[k]];
      each.push_back(h);
    });
    return each;
  }
};

/// What `procs` processes hold, by number and offset, where element x of the array has value[x].
inline std::vector<positions> chunks(array const& a, positions const& value, std::uint64_t procs) {
  std::vector<positions> held(procs);
  const auto homes = a.homes();
  for (std::size_t x = 0; x < homes.size(); ++x) {
    auto& chunk = held[homes[x].proc];
    if (chunk.size() <= homes[x].offset) chunk.resize(homes[x].offset + 1);
    chunk[homes[x].offset] = value[x];
  }
  return held;
}

/// A random array of these extents on `procs` processes or fewer.
inline array random_array(positions const& extents, std::uint64_t procs, std::mt19937_64& random) {
  array a;
  std::uint64_t left = procs;
  for (const auto extent : extents) {
    split s{static_cast<split::kind>(random() % 4), extent, 1 + random() % left,
            1 + random() % (extent + 1), 0};
    if (random() % 3 == 0) s.procs = 1;
    s.begins = random() % s.procs;
    left /= s.procs;
    a.axes.push_back(s);
    a.numbered.push_back(static_cast<unsigned>(a.numbered.size()));
  }
  std::shuffle(a.axes.begin(), a.axes.end(), random);  // so that any axis may have many processes
  for (std::size_t k = 0; k < extents.size(); ++k) {
    a.axes[k].extent = extents[k];
    a.axes[k].block = 1 + random() % (extents[k] + 1);
  }
  std::shuffle(a.numbered.begin(), a.numbered.end(), random);
  return a;
}

}  // namespace oracle
