// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/local/axes/axes_boxes.hpp>
#include <bmmc/local/axes/make_axes_plan.hpp>
#include <bmmc/local/tuning/tuning.hpp>
#include <bmmc/plan/grid_boxes.hpp>

namespace bmmc::detail {

/// Moves boxes of elements of so many bytes between arrays and messages: strided passes, in cache
/// or past it as in local::axes_pass.
template <class = void>
class box_mover {
 public:
  explicit box_mover(index_t element_bytes, local::tuning const& machine = {})
      : bytes_(element_bytes), stream_from_(machine.stream_from), use_(machine.use) {}

  [[nodiscard]] index_t element_bytes() const noexcept { return bytes_; }

  /// Offsets of the box count from these first elements.
  void operator()(grid_box const& box, void const* source, void* target) const {
    short_list<local::strided_axis> loops;
    for (auto const& each : box.loops)
      loops.push_back({each.extent, each.source * bytes_, each.target * bytes_});
    const bool past_caches = box.elements() * bytes_ >= stream_from_;
    const auto plan = local::make_axes_plan(loops, bytes_, local::fitted({}, use_, past_caches));
    const local::box_way way(plan, use_, past_caches);
    local::move_boxes(plan, static_cast<unsigned char const*>(source) + box.source * bytes_,
                      static_cast<unsigned char*>(target) + box.target * bytes_, way.buffer(plan),
                      way.moves, 0, plan.boxes);
  }
  void operator()(grid_boxes boxes, void const* source, void* target) const {
    for (grid_box box; boxes.next(box);) (*this)(box, source, target);
  }

 private:
  index_t bytes_, stream_from_;
  local::instructions use_;
};

}  // namespace bmmc::detail
