// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/local/involutions.hpp>
#include <bmmc/local/lines/make_element_plan.hpp>
#include <bmmc/local/lines/make_pair_plan.hpp>

#include "cases.hpp"

namespace proofs {

using lines = std::vector<number>;  // numbers of lines, ascending

constexpr number line = 64;

/// The byte map of elements of 2^e bytes, which lie inside one line: where source byte b goes.
struct byte_map {
  affine map;
  unsigned e;

  [[nodiscard]] number operator()(number b) const {
    return map.to[b >> e] << e | (b & ((number{1} << e) - 1));
  }
  [[nodiscard]] number size() const { return map.size() << e; }
};
/// The lines that the bytes of some lines go to; each is to be filled.
[[nodiscard]] inline lines filled(byte_map const& map, lines const& source) {
  std::vector<number> bytes;
  for (const number l : source)
    for (number b = l * line; b < (l + 1) * line; b += std::min(line, number{1} << map.e))
      bytes.push_back(map(b) / line);
  std::sort(bytes.begin(), bytes.end());
  bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
  return bytes;
}
/// Whether lines make up whole rows of 2^bits bytes.
[[nodiscard]] inline bool are_rows(lines const& some, unsigned bits) {
  for (const number l : some)
    for (unsigned j = 6; j < bits; ++j)
      if (!std::binary_search(some.begin(), some.end(), l ^ number{1} << (j - 6))) return false;
  return true;
}
[[nodiscard]] inline lines sorted(lines some) {
  std::sort(some.begin(), some.end());
  return some;
}

/// The source lines of a tile of a plan, or the target lines, register tile by register tile.
struct tile {
  std::vector<lines> sources, targets;
};
[[nodiscard]] inline tile tile_of(bmmc::local::line_plan const& plan, number number_of_tile,
                                  number c) {
  tile made;
  const auto start = plan.start(c);
  const auto at = plan.outer.at(number_of_tile);
  for (number i = 0; i < number{1} << plan.inner.count; ++i)
    for (number first = 0; first < number{1} << plan.lg_group;
         first += number{1} << plan.lg_lines) {
      const auto step = plan.inner.at(i);
      auto& source = made.sources.emplace_back();
      auto& target = made.targets.emplace_back();
      for (number g = first; g < first + (number{1} << plan.lg_lines); ++g) {
        source.push_back((start.source ^ at.source ^ step.source ^ plan.source_line[g]) / line);
        target.push_back((start.target ^ at.target ^ step.target ^ plan.target_line[g]) / line);
      }
    }
  return made;
}
[[nodiscard]] inline lines joined(std::vector<lines> const& some) {
  lines all;
  for (auto const& each : some) all.insert(all.end(), each.begin(), each.end());
  return sorted(all);
}

/// A coset of S(k, j) is whole rows of 2^k source bytes and of 2^j target bytes, and cosets cover
/// the array once.
inline void check_tiles(byte_map const& map, bmmc::local::line_plan const& plan, unsigned k,
                        unsigned j) {
  lines read, written;
  for (number t = 0; t < number{1} << plan.lg_tiles; ++t) {
    const tile made = tile_of(plan, t, map.map.c << map.e);
    for (std::size_t r = 0; r < made.sources.size(); ++r)
      require(filled(map, made.sources[r]) == sorted(made.targets[r]),
              "the lines of a register tile fill as many lines");
    const lines source = joined(made.sources), target = joined(made.targets);
    require(are_rows(source, k), "a tile is whole rows of the source");
    require(are_rows(target, j), "a tile fills whole rows of the target");
    read.insert(read.end(), source.begin(), source.end());
    written.insert(written.end(), target.begin(), target.end());
  }
  read = sorted(read), written = sorted(written);
  require(read.size() == map.size() / line, "as many lines are read as there are");
  for (number l = 0; l < read.size(); ++l)
    require(read[l] == l && written[l] == l, "each line is read once and written once");
}

/// S(k, j) itself: all sums of a vector of L_k and one that A takes to L_j.
inline void check_cosets(affine const& map) {
  for (unsigned k = 0; k <= map.n; ++k)
    for (unsigned j = 0; j <= map.n; ++j) {
      std::uint32_t s = 0, image = 0;
      for (number x = 0; x < number{1} << k; ++x)
        for (number z = 0; z < map.size(); ++z)
          if ((map.to[z] ^ map.c) >> j == 0) s |= std::uint32_t{1} << (x ^ z);
      for (number start = 0; start < map.size(); ++start) {
        std::uint32_t coset = 0;
        image = 0;
        for (number v = 0; v < map.size(); ++v)
          if ((s >> v & 1) != 0) {
            coset |= std::uint32_t{1} << (start ^ v);
            image |= std::uint32_t{1} << map.to[start ^ v];
          }
        for (number x = 0; x < map.size(); ++x) {
          const std::uint32_t row = ((std::uint32_t{1} << (1U << k)) - 1) << (x >> k << k),
                              target_row = ((std::uint32_t{1} << (1U << j)) - 1) << (x >> j << j);
          require((coset & row) == 0 || (coset & row) == row, "a coset of S is whole source rows");
          require((image & target_row) == 0 || (image & target_row) == target_row,
                  "its image is whole target rows");
        }
      }
    }
}

/// One involution: pairs of elements, and pairs of tiles, change places once.
inline void check_pairs(affine const& map) {
  for (unsigned q = 0; q <= map.n; ++q) {
    std::array<number, 16> seen{};
    const auto plan = bmmc::local::make_element_plan(to_library(map).matrix(), q);
    plan.for_each(map.c, 0, plan.runs(), [&](number x, number y) {
      require(x < map.size() && y == map.to[x], "each element is taken to its target");
      ++seen[x];
    });
    for (number x = 0; x < map.size(); ++x) require(seen[x] == 1, "each element is visited once");
  }
  constexpr unsigned e = 4;  // 16 lines of four elements at most
  const byte_map bytes{map, e};
  bmmc::local::tile_shape shape;
  shape.is_square = true;
  shape.source_row = shape.target_row = 6;
  const auto of_bytes = bmmc::local::on_bytes({to_library(map).matrix(), 0}, e).matrix;
  for (auto const& plan :
       {bmmc::local::make_pair_plan(of_bytes, shape), bmmc::local::make_direct_plan(of_bytes),
        bmmc::local::make_direct_plan(of_bytes, 1)}) {  // pairs of single lines
    if (!plan) return;
    check_tiles(bytes, plan->lines, 6, 6);
    const number tiles = number{1} << plan->tiles.count, c = map.c << e;
    const auto start = plan->start(plan->lines.start(c));
    for (number t = 0; t < tiles; ++t) {
      auto at = plan->tiles.at(t);
      at ^= start;
      require(at.partner_count < tiles, "a tile's partner is a tile");
      const auto own = tile_of(plan->lines, t, c),
                 partner = tile_of(plan->lines, at.partner_count, c);
      require(joined(own.targets) == joined(partner.sources), "a tile goes where its partner is");
      require(joined(partner.targets) == joined(own.sources), "and the partner comes back");
    }
  }
}

inline void check_local() {
  namespace local = bmmc::local;
  number cosets = 0, plans = 0, factored = 0, involutions = 0;
  std::size_t most = 0;
  for (unsigned n = 0; n <= 4; ++n) {
    each_matrix(n, [&](std::array<number, 4> const& column) {
      current = made_of(n, column, 0);
      check_cosets(current), ++cosets;
    });
    each_affine(n, [&](affine const& map) {
      current = map;
      current_procs = 0;
      const auto made = to_library(map);
      for (const unsigned e : {3U, 4U, 5U})
        for (const unsigned target_row : {6U, 7U}) {
          local::tile_shape shape;
          shape.source_row = 13 - target_row;
          shape.target_row = target_row;
          shape.interleaved = 0;
          const auto bytes = local::on_bytes({made.matrix(), 0}, e).matrix;
          if (const auto plan = local::make_line_plan(bytes, shape))
            check_tiles({map, e}, *plan, std::min(shape.source_row, n + e),
                        std::min(target_row, n + e)),
                ++plans;
        }
      const auto list = local::involutions(made);
      std::array<number, 16> at{};
      for (number x = 0; x < map.size(); ++x) at[x] = x;
      for (auto const& f : list) {
        for (number x = 0; x < map.size(); ++x) require(f(f(x)) == x, "a factor undoes itself");
        for (number x = 0; x < map.size(); ++x) at[x] = f(at[x]);
      }
      for (number x = 0; x < map.size(); ++x)
        require(at[x] == map.to[x], "the factors one after another are the permutation");
      most = std::max<std::size_t>(most, list.size());
      ++factored;
      bool is_involution = true;
      for (number x = 0; x < map.size(); ++x) is_involution &= map.to[map.to[x]] == x;
      if (is_involution) check_pairs(map), ++involutions;
    });
  }
  report("matrices: every coset of every S(k, j) is whole rows on both sides", cosets);
  report("tables of tiles: each line is read once and written once, tile by tile", plans);
  report("permutations as involutions one after another", factored);
  report("involutions: elements and tiles change places in pairs, each once", involutions);
  require(most <= 6, "four bits take six involutions at most");
}

}  // namespace proofs
