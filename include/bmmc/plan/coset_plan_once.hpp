// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/plan/coset_plan.hpp>

namespace bmmc {

BMMC_ONCE std::string explain(coset_plan const& p) {
  const auto inner = p.plan();
  std::string text =
      detail::text({"on a coset: of ", detail::counted(bit(p.bits()), "element"), " ",
                    p.is_identity() ? 0 : bit(inner.bits()), " may move, on ", inner.procs(),
                    " of ", detail::counted(p.procs(), "process"), "\n"});
  return p.is_identity() ? text : text + explain(inner);
}

}  // namespace bmmc
