// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/reshape/redistributor.hpp>

namespace bmmc::detail {

BMMC_ONCE void require_processes(grid_plan const& plan, comm::communicator const& c) {
  if (plan.procs() > static_cast<index_t>(c.size()))
    refuse({"a grid of ", plan.procs(), " processes does not fit on ", c.size()});
}

BMMC_ONCE std::string objection_to_chunk(grid_plan const& p, index_t proc, void const* chunk,
                                         index_t size) {
  const index_t needed = std::max(p.source().span(proc), p.target().span(p.number(proc)));
  if (size == needed || (has_gaps(p) && size > needed))
    return needed != 0 && chunk == nullptr ? "the chunk is a null pointer" : "";
  return text(
      {"the chunk must hold ", needed, " elements, for before and for afterwards, not ", size});
}

}  // namespace bmmc::detail
