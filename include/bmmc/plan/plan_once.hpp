// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

BMMC_ONCE plan compiled_plan_between(permutation<> const& source, permutation<> const& p,
                                     permutation<> const& target, unsigned proc_bits) {
  return constant_plan_between(source, p, target, proc_bits);
}

}  // namespace bmmc::detail
