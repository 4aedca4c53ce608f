// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <utility>
#include <vector>

#include <bmmc/plan/grid_boxes.hpp>
#include <bmmc/plan/grid_plan.hpp>
#include <bmmc/plan/route.hpp>

namespace bmmc {

/// What one process knows of a grid_plan: the boxes that go to and come from each process. A Route.
/// Memory  what its positions along each axis have in common with those of each process there.
/// Cost    to make it: that of axis_pieces for each axis, twice. A box: O(d).
class grid_route {
 public:
  grid_route(grid_plan const& plan, index_t proc);

  [[nodiscard]] grid_plan const& plan() const noexcept { return plan_; }
  [[nodiscard]] index_t proc() const noexcept { return proc_; }

  [[nodiscard]] index_t sent(index_t proc) const;
  [[nodiscard]] index_t received(index_t proc) const;

  /// From this process's source to a message, from a message to its target, and from one to the
  /// other.
  [[nodiscard]] grid_boxes sent_boxes(index_t proc) const;
  [[nodiscard]] grid_boxes received_boxes(index_t proc) const;
  [[nodiscard]] grid_boxes kept_boxes() const;
  /// From this process's source to a copy of it without gaps, the elements that go to a process.
  [[nodiscard]] grid_boxes staged_boxes(index_t proc) const;
  /// From the source of another process, without gaps, whose strides these are, to this one's
  /// target.
  [[nodiscard]] grid_boxes fetched_boxes(index_t proc, grid_boxes::strides const& theirs) const;
  /// The strides of a process's source without gaps, along the axes of the target.
  [[nodiscard]] grid_boxes::strides strides_of(index_t proc) const;

  [[nodiscard]] auto sending(index_t proc) const { return cursor<true>{walk(sent_boxes(proc))}; }
  [[nodiscard]] auto receiving(index_t proc) const {
    return cursor<false>{walk(received_boxes(proc))};
  }
  template <class F>
  void each_kept(F f) const {
    walk(kept_boxes()).take(sent(proc_), f);
  }

 private:
  /// Goes through the elements of some boxes.
  class walk {
   public:
    explicit walk(grid_boxes const& boxes) : boxes_(boxes) {}
    template <class F>
    void take(index_t count, F f) {
      for (; count != 0; --count) {
        if (!is_inside_) {
          boxes_.next(box_);
          is_inside_ = true;
        }
        f(box_.source, box_.target);
        advance();
      }
    }

   private:
    void advance() {
      for (unsigned k = box_.loops.size(); k-- > 0;) {
        auto const& loop = box_.loops[k];
        box_.source += loop.source;
        box_.target += loop.target;
        if (++at_[k] < loop.extent) return;
        box_.source -= loop.source * loop.extent;
        box_.target -= loop.target * loop.extent;
        at_[k] = 0;
      }
      is_inside_ = false;
    }
    grid_boxes boxes_;
    grid_box box_;
    std::array<index_t, 64> at_{};
    bool is_inside_ = false;
  };
  template <bool OfSource>
  struct cursor {
    walk elements;

    template <class F>
    void take(index_t count, F f) {
      elements.take(count, [&](index_t from, index_t to) { f(OfSource ? from : to); });
    }
  };

  [[nodiscard]] short_list<grid_boxes::along> pieces_to(index_t proc) const;
  [[nodiscard]] short_list<grid_boxes::along> pieces_from(index_t proc) const;
  template <class AxisOf>
  [[nodiscard]] static short_list<grid_boxes::along> pieces_with(
      std::vector<axis_pieces> const& tables, grid_layout const& others, index_t number,
      bool is_in_grid, AxisOf axis_of) {
    short_list<grid_boxes::along> pieces;
    if (!is_in_grid || number >= others.procs()) {
      pieces.push_back({});  // an axis with nothing in common
      return pieces;
    }
    for (unsigned k = 0; k < tables.size(); ++k) {
      const auto shared = tables[k].with(others.at(number, axis_of(k)));
      pieces.push_back({shared.data(), shared.data() + shared.size()});
    }
    return pieces;
  }
  [[nodiscard]] static index_t positions(short_list<grid_boxes::along> const& pieces);

  index_t proc_, own_number_;
  grid_plan plan_;
  grid_boxes::strides source_strides_{}, dense_strides_{}, target_strides_{};
  std::vector<axis_pieces> out_{}, in_{};
};

static_assert(Route<grid_route>);

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/plan/grid_route_once.hpp>
#endif
