// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <ostream>
#include <string>

#include <bmmc/index/print.hpp>
#include <bmmc/plan/map_plan.hpp>

namespace bmmc {

namespace detail {
[[nodiscard]] std::string partner_table(plan const& p);
}  // namespace detail

/// Tells people what a plan will do. Up to 8 processes and 8 steps it lists every message, up to
/// 16 bits it draws the matrix.
[[nodiscard]] std::string explain(plan const& p);

/// The same for a gather_plan or a reduce_plan; up to 8 processes it says what each sends.
template <class Plan>
  requires std::derived_from<Plan, map_plan>
[[nodiscard]] std::string explain(Plan const& p) {
  std::string all = detail::text({detail::counted(p.source_elements() << p.proc_bits(), "element"),
                                  " to ", p.target_elements() << p.proc_bits(), " on ",
                                  detail::counted(p.procs(), "process"), "\n"});
  if (p.is_local()) return all + "local: no value leaves its process\n";
  for (index_t proc = 0; proc < p.procs() && p.procs() <= 8; ++proc)
    all += detail::text({"  process ", proc, " sends ",
                         detail::counted(p.sent(proc).elements, "element"), " in ",
                         detail::counted(p.sent(proc).messages, "message"), "\n"});
  return all;
}

inline std::ostream& operator<<(std::ostream& out, plan const& p) { return out << explain(p); }

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/plan/explain_once.hpp>
#endif
