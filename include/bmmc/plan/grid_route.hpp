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
  grid_route(grid_plan const& plan, index_t proc)
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

  [[nodiscard]] grid_plan const& plan() const noexcept { return plan_; }
  [[nodiscard]] index_t proc() const noexcept { return proc_; }

  [[nodiscard]] index_t sent(index_t proc) const { return positions(pieces_to(proc)); }
  [[nodiscard]] index_t received(index_t proc) const { return positions(pieces_from(proc)); }

  /// From this process's source to a message, from a message to its target, and from one to the
  /// other.
  [[nodiscard]] grid_boxes sent_boxes(index_t proc) const {
    return {pieces_to(proc), &source_strides_, nullptr};
  }
  [[nodiscard]] grid_boxes received_boxes(index_t proc) const {
    return {pieces_from(proc), nullptr, &target_strides_};
  }
  [[nodiscard]] grid_boxes kept_boxes() const {
    return {pieces_to(proc_), &source_strides_, &target_strides_};
  }
  /// From this process's source to a copy of it without gaps, the elements that go to a process.
  [[nodiscard]] grid_boxes staged_boxes(index_t proc) const {
    return grid_boxes::in_source(pieces_to(proc), source_strides_, dense_strides_);
  }
  /// From the source of another process, without gaps, whose strides these are, to this one's
  /// target.
  [[nodiscard]] grid_boxes fetched_boxes(index_t proc, grid_boxes::strides const& theirs) const {
    return {pieces_from(proc), &theirs, &target_strides_};
  }
  /// The strides of a process's source without gaps, along the axes of the target.
  [[nodiscard]] grid_boxes::strides strides_of(index_t proc) const {
    grid_boxes::strides dense, each;
    for (unsigned k = 0; k < plan_.source().order(); ++k) dense.push_back(1);
    for (unsigned k = plan_.source().order(); k-- > 1;)
      dense[k - 1] = dense[k] * plan_.source().section(proc, k).count();
    for (const unsigned axis : plan_.axes()) each.push_back(dense[axis]);
    return each;
  }

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

  [[nodiscard]] short_list<grid_boxes::along> pieces_to(index_t proc) const {
    return pieces_with(out_, plan_.target(), plan_.number(proc), proc_ < plan_.source().procs(),
                       [](unsigned k) { return k; });
  }
  [[nodiscard]] short_list<grid_boxes::along> pieces_from(index_t proc) const {
    return pieces_with(in_, plan_.source(), proc, own_number_ < plan_.target().procs(),
                       [&](unsigned k) { return plan_.axes()[k]; });
  }
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
  [[nodiscard]] static index_t positions(short_list<grid_boxes::along> const& pieces) {
    index_t all = 1;
    for (auto const& each : pieces) {
      index_t along = 0;
      for (auto const* piece = each.first; piece != each.last; ++piece) along += piece->positions();
      all *= along;
    }
    return all;
  }

  index_t proc_, own_number_;
  grid_plan plan_;
  grid_boxes::strides source_strides_{}, dense_strides_{}, target_strides_{};
  std::vector<axis_pieces> out_{}, in_{};
};

static_assert(Route<grid_route>);

}  // namespace bmmc
