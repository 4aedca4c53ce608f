// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstdio>
#include <ostream>
#include <string>

#include <bmmc/file/plan.hpp>

namespace bmmc::file {

/// 134217728 as "128 MiB": whole where it is, else with two digits after the point.
[[nodiscard]] inline std::string bytes_text(index_t bytes) {
  constexpr std::array unit{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  unsigned k = 0;
  if (bytes == 1) return "1 byte";
  while (k + 1 < unit.size() && (bytes >> (10 * (k + 1))) != 0) ++k;
  const index_t whole = bytes >> (10 * k);
  if ((whole << (10 * k)) == bytes) return std::to_string(whole) + " " + unit[k];
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.2f ",
                static_cast<double>(bytes) / static_cast<double>(bit(10 * k)));
  return digits.data() + std::string(unit[k]);
}

namespace detail {
[[nodiscard]] inline std::string pass_text(plan const& p, tiling const& t) {
  const auto run = [&](unsigned bits) { return bytes_text(p.element_bytes() << bits); };
  const traffic moved = p.moves(t);
  std::string text = std::to_string(t.tiles()) + (t.tiles() == 1 ? " tile of " : " tiles of ") +
                     run(t.tile_bits()) + ", read in runs of " + run(t.source_run_bits()) +
                     ", written in runs of " + run(t.target_run_bits()) + "; " +
                     bytes_text(moved.read) + " read, " + bytes_text(moved.written) + " written";
  if (moved.journal != 0) text += ", " + bytes_text(moved.journal) + " into the journal";
  return text + "\n";
}
}  // namespace detail

/// Tells people what a plan will do, and how far it is from what is possible.
[[nodiscard]] inline std::string explain(plan const& p) {
  const auto number = [](index_t x) { return std::to_string(x); };
  std::string text = number(bit(p.map().bits())) + " elements (2^" + number(p.map().bits()) +
                     ") of " + bytes_text(p.element_bytes()) + ", " + bytes_text(p.bytes()) +
                     (p.in_place() ? ", in place\n" : ", to another file\n");
  if (p.passes().empty()) return text + "the identity: nothing is read or written\n";
  text += "memory " + bytes_text(p.memory()) + ": " + number(p.buffers()) + " tiles of at most " +
          bytes_text(p.tile_bytes());
  if (p.processes() > 1) text += " on each of " + number(p.processes()) + " processes";
  if (p.processes() < p.given().processes)
    text += ", by " + number(p.processes()) + " of " + number(p.given().processes) +
            " processes: more of them would have to share the memory";
  text += "; blocks of " + bytes_text(p.block_bytes()) +
          " or more, where a request costs as much as " + bytes_text(p.given().costs.request);
  if (p.in_place()) text += ", a wait for the disk as much as " + bytes_text(p.given().costs.flush);
  text += "\n";
  unsigned k = 0;
  for (auto const& t : p.passes()) text += "pass " + number(++k) + ": " + detail::pass_text(p, t);
  const traffic all = p.moves();
  text += "in all " + bytes_text(all.bytes()) + " in " +
          bmmc::detail::counted(all.requests, "request") + ", " + bytes_text(p.temporary_bytes()) +
          " of temporary space";
  if (p.in_place()) text += ", " + bmmc::detail::counted(all.flushes, "wait") + " for the disk";
  text += "\n";
  text += "rank " + number(p.spread()) + ": the elements of a block go to " +
          bmmc::detail::counted(bit(p.spread()), "block") +
          "; between two files no plan with these blocks and tiles has less than " +
          bmmc::detail::counted(p.lower_bound(), "pass") + "\n";
  return text;
}

inline std::ostream& operator<<(std::ostream& out, plan const& p) { return out << explain(p); }

}  // namespace bmmc::file
