// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>

#include <bmmc/local/permute.hpp>

namespace bmmc::local::detail {

BMMC_ONCE bool overlap(bytes_of_array a, bytes_of_array b) noexcept {
  const std::less<std::byte const*> before;  // a total order, also between arrays
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

BMMC_ONCE char const* objection_to_pair(bytes_of_array a, bytes_of_array b) noexcept {
  if ((!a.empty() && a.data() == nullptr) || (!b.empty() && b.data() == nullptr))
    return "source or target is a null pointer";
  return overlap(a, b) ? "source and target overlap" : "";
}

BMMC_ONCE void require_arrays(bytes_of_array source, bytes_of_array target, index_t elements,
                              index_t element_bytes) {
  const index_t before = source.size() / element_bytes, after = target.size() / element_bytes;
  if (before != elements || after != elements)
    bmmc::detail::refuse(
        {"source and target must hold ", elements, " elements each, not ", before, " and ", after});
  if (char const* const text = objection_to_pair(source, target); *text != '\0')
    throw bad_value(text);
}

}  // namespace bmmc::local::detail
