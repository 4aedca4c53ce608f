// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/plan/grid_route.hpp>

namespace bmmc {

BMMC_ONCE grid_route::grid_route(grid_plan const& plan, index_t proc)
    : proc_(proc), own_number_(plan.number(proc)), plan_(plan) {
  grid_layout const &a = plan_.source(), &b = plan_.target();
  const auto own_source = a.strides(proc), own_target = b.strides(own_number_);
  for (unsigned k = 0; k < b.order(); ++k) {
    const unsigned axis = plan_.axes()[k];
    source_strides_.push_back(own_source[axis]);
    target_strides_.push_back(own_target[k]);
    out_.emplace_back(a.section(proc, axis), axis_pieces::side::source, b.axis(k));
    in_.emplace_back(b.section(own_number_, k), axis_pieces::side::target, a.axis(axis));
  }
  dense_strides_ = strides_of(proc);
}

BMMC_ONCE index_t grid_route::sent(index_t proc) const { return positions(pieces_to(proc)); }

BMMC_ONCE index_t grid_route::received(index_t proc) const { return positions(pieces_from(proc)); }

BMMC_ONCE grid_boxes grid_route::sent_boxes(index_t proc) const {
  return {pieces_to(proc), &source_strides_, nullptr};
}

BMMC_ONCE grid_boxes grid_route::received_boxes(index_t proc) const {
  return {pieces_from(proc), nullptr, &target_strides_};
}

BMMC_ONCE grid_boxes grid_route::kept_boxes() const {
  return {pieces_to(proc_), &source_strides_, &target_strides_};
}

BMMC_ONCE grid_boxes grid_route::staged_boxes(index_t proc) const {
  return grid_boxes::in_source(pieces_to(proc), source_strides_, dense_strides_);
}

BMMC_ONCE grid_boxes grid_route::fetched_boxes(index_t proc,
                                               grid_boxes::strides const& theirs) const {
  return {pieces_from(proc), &theirs, &target_strides_};
}

BMMC_ONCE grid_boxes::strides grid_route::strides_of(index_t proc) const {
  grid_boxes::strides dense, each;
  for (unsigned k = 0; k < plan_.source().order(); ++k) dense.push_back(1);
  for (unsigned k = plan_.source().order(); k-- > 1;)
    dense[k - 1] = dense[k] * plan_.source().section(proc, k).count();
  for (const unsigned axis : plan_.axes()) each.push_back(dense[axis]);
  return each;
}

BMMC_ONCE short_list<grid_boxes::along> grid_route::pieces_to(index_t proc) const {
  return pieces_with(out_, plan_.target(), plan_.number(proc), proc_ < plan_.source().procs(),
                     [](unsigned k) { return k; });
}

BMMC_ONCE short_list<grid_boxes::along> grid_route::pieces_from(index_t proc) const {
  return pieces_with(in_, plan_.source(), proc, own_number_ < plan_.target().procs(),
                     [&](unsigned k) { return plan_.axes()[k]; });
}

BMMC_ONCE index_t grid_route::positions(short_list<grid_boxes::along> const& pieces) {
  index_t all = 1;
  for (auto const& each : pieces) {
    index_t along = 0;
    for (auto const* piece = each.first; piece != each.last; ++piece) along += piece->positions();
    all *= along;
  }
  return all;
}

}  // namespace bmmc
