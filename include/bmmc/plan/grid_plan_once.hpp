// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/plan/grid_plan.hpp>

namespace bmmc {

namespace detail {

BMMC_ONCE std::string text_of(extents const& shape) {
  std::string all = shape.order() == 0 ? "1" : "";
  for (unsigned k = 0; k < shape.order(); ++k)
    all.append(k == 0 ? "" : " x ").append(std::to_string(shape[k]));
  return all;
}

BMMC_ONCE std::string text_of_grid(grid_layout const& a) {
  std::string all = a.order() == 0 ? "1" : "";
  for (unsigned k = 0; k < a.order(); ++k)
    all.append(k == 0 ? "" : " x ").append(std::to_string(a.axis(k).procs()));
  return all;
}

}  // namespace detail

BMMC_ONCE std::string explain(grid_plan const& p, index_t element_bytes) {
  const traffic sent = p.sent();
  const auto bytes = [&](index_t elements) {
    return element_bytes == 0 ? std::string()
                              : detail::text({" (", elements * element_bytes, " bytes)"});
  };
  std::string all =
      detail::text({detail::text_of(p.source().shape()), " elements on a grid of ",
                    detail::text_of_grid(p.source()), " processes to ",
                    detail::text_of(p.target().shape()), " on ", detail::text_of_grid(p.target()),
                    p.is_renumbered() ? ", whose processes have other numbers\n" : "\n"});
  if (sent.elements == 0) return all + "local: no element leaves its process\n";
  all += detail::text({detail::counted(sent.messages, "message"), ", ",
                       detail::counted(sent.elements, "element"), bytes(sent.elements), " sent; ",
                       p.elements() - sent.elements,
                       " elements stay\nno scheme sends less: each element that is sent changes "
                       "its process, and goes there at once\n"});
  for (index_t proc = 0; proc < p.procs() && p.procs() <= 16; ++proc) {
    const traffic out = p.sent(proc);
    all += detail::text({"  process ", proc, " sends ", detail::counted(out.elements, "element"),
                         " in ", detail::counted(out.messages, "message"), " and keeps ",
                         p.stays(proc), "\n"});
  }
  return all;
}

}  // namespace bmmc
