// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/plan/explain.hpp>

namespace bmmc {

namespace detail {

BMMC_ONCE std::string partner_table(plan const& p) {
  std::string text = "  step: process -> target\n";
  for (index_t step = 0; step < p.messages(); ++step) {
    text.append("  ").append(std::to_string(step)).append(":");
    for (index_t proc = 0; proc < p.procs(); ++proc)
      text.append(" ")
          .append(std::to_string(proc))
          .append("->")
          .append(std::to_string(p.target(proc, step)));
    text += '\n';
  }
  return text;
}

}  // namespace detail

BMMC_ONCE std::string explain(plan const& p) {
  const auto number = [](index_t x) { return std::to_string(x); };
  std::string text = detail::counted(bit(p.bits()), "element") + " (2^" + std::to_string(p.bits()) +
                     ") on " + detail::counted(p.procs(), "process") + ", " +
                     number(p.chunk_elements()) + " each\n";
  if (p.bits() <= 16)
    text += "source address to target address, bit 0 first, complement behind the bar:\n" +
            to_string(p.physical());
  if (p.is_local()) return text + "local: no element leaves its process\n";
  const index_t stay = p.stays();
  text += "matrix rank " + std::to_string(p.rank()) + ": each process's elements go to " +
          detail::counted(p.messages(), "process") + ", " +
          detail::counted(p.message_elements(), "element") + " to each\n" +
          "elements that stay on their process: " + number(stay) +
          ", that move: " + number(bit(p.bits()) - stay) + "\n";
  if (p.rank() == 0) text += "whole chunks change their process; nothing is regrouped\n";
  if (p.procs() <= 8 && p.messages() <= 8) text += detail::partner_table(p);
  return text;
}

}  // namespace bmmc
