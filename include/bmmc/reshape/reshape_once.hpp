// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/reshape/reshape.hpp>

namespace bmmc {

namespace detail {

BMMC_ONCE std::string name_set(index_t set) {
  std::string text;
  for (unsigned d = 64; d-- > 0;)
    if (((set >> d) & 1) != 0) text.append(text.empty() ? "" : ", ").append(std::to_string(d));
  return text.empty() ? "none" : text;
}

BMMC_ONCE std::string name_address_bit(array_layout const& a, unsigned address_bit) {
  const unsigned m = a.bits() - a.proc_bits();
  return std::string(address_bit < m ? "offset bit " : "process bit ")
      .append(std::to_string(address_bit < m ? address_bit : address_bit - m));
}

}  // namespace detail

BMMC_ONCE std::string explain(reshaping const& r) {
  using detail::name_set;
  std::string text;
  const auto say = [&](auto const&... parts) { (text.append(parts), ...); };
  say("dimensions whose code changes (D): ", name_set(r.changed),
      "\n  on processes (D_paddr): ", name_set(r.changed_on_processes),
      "\n  in memory (D_maddr): ", name_set(r.changed_in_memory),
      "\ndimensions that move: ", name_set(r.moved), "\n");
  if (r.communicating == 0) say("no process bit communicates\n");
  const auto from = r.source.assignment();
  for (unsigned k = 0; k < r.source.proc_bits(); ++k) {
    if (((r.communicating >> k) & 1) == 0) continue;
    const unsigned d = r.target.process_bit(k);
    say("process bit ", std::to_string(k), " communicates: it is dimension ", std::to_string(d));
    if (((r.moved >> d) & 1) != 0) {
      const auto was = detail::lowest_one(from(bit(d)));
      say(", which was ", detail::name_address_bit(r.source, was));
    }
    if (((r.changed >> d) & 1) != 0)
      say(", whose code becomes the sum of ", name_set(detail::row_of(r.recoding.matrix(), d)));
    say("\n");
  }
  return text;
}

}  // namespace bmmc
