// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>

#include <bmmc/index/detect.hpp>

namespace bmmc::detail {

BMMC_ONCE index_t probes_for(double epsilon, double eta) {
  if (!(epsilon > 0 && epsilon <= 1 && eta > 0 && eta < 1))
    detail::refuse({"epsilon must lie in (0, 1] and eta in (0, 1), not ", std::to_string(epsilon),
                    " and ", std::to_string(eta)});
  return static_cast<index_t>(std::ceil(std::log(1 / eta) / epsilon));
}

}  // namespace bmmc::detail
