// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>

#include <bmmc/plan/common_pieces.hpp>

namespace bmmc {

/// Elements that move together: nested loops, the slowest first, with the distance of offsets on
/// either side from one step to the next.
struct grid_box {
  struct loop {
    index_t extent = 1, source = 0, target = 0;
  };
  index_t source = 0, target = 0;  ///< offsets of the first element
  short_list<loop> loops{};

  [[nodiscard]] constexpr index_t elements() const noexcept {
    index_t all = 1;
    for (loop const& each : loops) all *= each.extent;
    return all;
  }
};

/// The boxes in which the elements lie that go from one process to another, in an order on which
/// both agree: that of the target's axes, pieces along an axis one after the other.
class grid_boxes {
 public:
  /// The pieces along each axis of the target.
  struct along {
    common_piece const *first = nullptr, *last = nullptr;
  };
  using strides = short_list<index_t>;
  /// Strides of one side along the axes of the target; without, the elements of that side stand in
  /// a row, as in a message.
  constexpr grid_boxes(short_list<along> const& pieces, strides const* source,
                       strides const* target)
      : pieces_(pieces), source_(source), target_(target) {
    for (along const& each : pieces) {
      at_.push_back(each.first);
      if (each.first == each.last) is_done_ = true;
    }
  }

  /// From the source to another array of the source's elements, which has these strides.
  [[nodiscard]] static constexpr grid_boxes in_source(short_list<along> const& pieces,
                                                      strides const& source, strides const& copy) {
    grid_boxes made(pieces, &source, &copy);
    made.is_in_source_ = true;
    return made;
  }

  /// The next box, or false behind the last one.
  constexpr bool next(grid_box& box) {
    if (is_done_) return false;
    box.source = source_ != nullptr ? 0 : passed_;
    box.target = target_ != nullptr ? 0 : passed_;
    box.loops.count = 0;
    for (unsigned k = 0; k < at_.size(); ++k) {
      common_piece piece = *at_[k];
      if (is_in_source_) {
        piece.target = piece.source;
        piece.target_step = piece.source_step;
        piece.target_skip = piece.source_skip;
      }
      const index_t from = source_ != nullptr ? (*source_)[k] : 0,
                    to = target_ != nullptr ? (*target_)[k] : 0;
      box.source += piece.source * from;
      box.target += piece.target * to;
      const auto add = [&](index_t extent, index_t source_step, index_t target_step) {
        if (extent != 1) box.loops.push_back({extent, source_step * from, target_step * to});
      };
      add(piece.repeat, piece.source_skip, piece.target_skip);
      add(piece.count, piece.source_step, piece.target_step);
      add(piece.length, 1, 1);
    }
    index_t row = 1;
    for (unsigned k = box.loops.size(); k-- > 0;) {
      if (source_ == nullptr) box.loops[k].source = row;
      if (target_ == nullptr) box.loops[k].target = row;
      row *= box.loops[k].extent;
    }
    passed_ += row;
    advance();
    return true;
  }

 private:
  constexpr void advance() {
    for (unsigned k = at_.size(); k-- > 0;) {
      if (++at_[k] != pieces_[k].last) return;
      at_[k] = pieces_[k].first;
    }
    is_done_ = true;
  }

  short_list<along> pieces_{};
  short_list<common_piece const*> at_{};
  strides const *source_, *target_;
  index_t passed_ = 0;
  bool is_done_ = false, is_in_source_ = false;
};

/// Takes boxes in parts of some elements. Both sides of a message get the same parts.
class grid_parts {
 public:
  explicit constexpr grid_parts(grid_boxes const& boxes) : boxes_(boxes) {}

  /// The next part of at most so many elements, or false behind the last one. A part is a box, too.
  constexpr bool next(index_t most, grid_box& part) {
    if (!is_cut_) {
      if (!boxes_.next(whole_)) return false;
      start(most);
    }
    part = whole_;
    unsigned k = 0;
    for (; k < cut_; ++k) fix(part, k, at_[k]);
    if (cut_ < whole_.loops.size()) {
      fix(part, cut_, at_[cut_]);
      part.loops[cut_].extent = std::min(width_, whole_.loops[cut_].extent - at_[cut_]);
    }
    for (unsigned i = cut_; i < part.loops.size(); ++i) part.loops[i - cut_] = part.loops[i];
    part.loops.count -= cut_;
    advance();
    return true;
  }

 private:
  /// All loops before `cut_` are taken step by step, that one `width_` steps at a time.
  constexpr void start(index_t most) {
    index_t inner = 1;
    cut_ = whole_.loops.size();
    width_ = 1;
    while (cut_ > 0 && inner * whole_.loops[cut_ - 1].extent <= most)
      inner *= whole_.loops[--cut_].extent;
    if (cut_ == 0) {
      width_ = whole_.loops.empty() ? 1 : whole_.loops[0].extent;
    } else {
      --cut_;
      width_ = std::max<index_t>(1, most / inner);
    }
    at_.fill(0);
    is_cut_ = true;
  }
  static constexpr void fix(grid_box& part, unsigned k, index_t at) {
    part.source += part.loops[k].source * at;
    part.target += part.loops[k].target * at;
  }
  constexpr void advance() {
    if (cut_ < whole_.loops.size()) {
      at_[cut_] += width_;
      if (at_[cut_] < whole_.loops[cut_].extent) return;
      at_[cut_] = 0;
      for (unsigned k = cut_; k-- > 0;) {
        if (++at_[k] < whole_.loops[k].extent) return;
        at_[k] = 0;
      }
    }
    is_cut_ = false;
  }

  grid_boxes boxes_;
  grid_box whole_{};
  std::array<index_t, 64> at_{};
  unsigned cut_ = 0;
  index_t width_ = 1;
  bool is_cut_ = false;
};

}  // namespace bmmc
