// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/permuter/options.hpp>

namespace bmmc::detail {

BMMC_ONCE std::string objection_to_chunk(index_t elements, void const* data, std::size_t size) {
  if (size != elements) return text({"the chunk must hold ", elements, " elements, not ", size});
  return elements != 0 && data == nullptr ? "the chunk is a null pointer" : "";
}

BMMC_ONCE std::string objection_to_arrays(local::detail::bytes_of_array source,
                                          local::detail::bytes_of_array target, index_t elements,
                                          index_t element_bytes) {
  try {
    local::detail::require_arrays(source, target, elements, element_bytes);
  } catch (bad_value const& objection) {
    return objection.what();
  }
  return {};
}

BMMC_ONCE std::string objection_to_call(call_kind built_for, local::detail::bytes_of_array lent,
                                        call_kind kind,
                                        std::array<local::detail::bytes_of_array, 2> const& used,
                                        std::string text) {
  if (built_for != call_kind::any && built_for != kind)
    return "this permuter was built for calls of the other kind";
  if (local::detail::overlap(used[0], lent) || local::detail::overlap(used[1], lent))
    return "the data overlaps the workspace that was lent";
  return text;
}

}  // namespace bmmc::detail
