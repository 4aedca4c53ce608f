// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <functional>

#include <bmmc/local/permute.hpp>

namespace bmmc::local::detail {

BMMC_ONCE bool overlap(array_bytes a, array_bytes b) noexcept {
  const std::less<std::byte const*> before;  // a total order, also between arrays
  auto const *const in_a = static_cast<std::byte const*>(a.first),
                    *const in_b = static_cast<std::byte const*>(b.first);
  return a.bytes != 0 && b.bytes != 0 && before(in_a, in_b + b.bytes) &&
         before(in_b, in_a + a.bytes);
}

BMMC_ONCE char const* objection_to_pair(array_bytes a, array_bytes b) noexcept {
  if ((a.bytes != 0 && a.first == nullptr) || (b.bytes != 0 && b.first == nullptr))
    return "source or target is a null pointer";
  return overlap(a, b) ? "source and target overlap" : "";
}

BMMC_ONCE void require_arrays(array_bytes source, array_bytes target, index_t elements,
                              index_t element_bytes) {
  if (source.bytes != elements * element_bytes || target.bytes != elements * element_bytes)
    bmmc::detail::refuse({"source and target must hold ", elements, " elements each, not ",
                          source.bytes / element_bytes, " and ", target.bytes / element_bytes});
  if (char const* const text = objection_to_pair(source, target); *text != '\0')
    throw bad_value(text);
}

}  // namespace bmmc::local::detail
