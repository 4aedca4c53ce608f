// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <bit>

#include <bmmc/local/axes_plan.hpp>
#include <bmmc/local/box_kernel.hpp>

namespace bmmc::local {

namespace detail {

/// Nested loops over some axes, with places that move along.
template <std::size_t Places>
struct nest {
  using places = std::array<index_t, Places>;
  struct loop {
    index_t count, at;
    places step;
  };
  std::array<loop, 64> loops;  // those beyond `depth` are never set: nests are made often
  unsigned depth = 0;

  /// The loop that is added first is the fastest.
  void add(index_t count, places const& step) {
    if (count > 1) loops[depth++] = {count, 0, step};
  }
  /// To the next place, or back to the first one: then it is false.
  bool advance(places& at) {
    for (unsigned k = 0; k < depth; ++k) {
      loop& l = loops[k];
      for (std::size_t i = 0; i < Places; ++i) at[i] += l.step[i];
      if (++l.at < l.count) return true;
      for (std::size_t i = 0; i < Places; ++i) at[i] -= l.step[i] * l.count;
      l.at = 0;
    }
    return false;
  }
};

/// The box with a number: where it begins, its widths, and whether the runs of the target begin
/// and end with it.
struct box {
  index_t source = 0, target = 0;
  std::array<index_t, 64> width;
  bool begins = true, ends = true;

  box(axes_plan const& p, index_t number) {
    const auto place = [&](unsigned k) {
      auto const& a = p.axes[k];
      const index_t boxes = a.boxes(), at = number % boxes * a.width;
      number /= boxes;
      source += at * a.source;
      target += at * a.target;
      width[k] = std::min(a.width, a.extent - at);
      return at;
    };
    if (p.sweep != axes_plan::none) {
      begins = place(p.sweep) == 0;
      ends = target + p.axes[p.sweep].target * width[p.sweep] ==
             p.axes[p.sweep].target * p.axes[p.sweep].extent;
    }
    for (unsigned i = p.source_order.size(); i-- > 0;)
      if (p.source_order[i] != p.sweep) place(p.source_order[i]);
  }
};

/// Fetches the next box into the second-level cache while another one is moved.
class fetch_ahead {
 public:
  /// Nothing is fetched unless `any`.
  fetch_ahead(axes_plan const& p, box const& b, unsigned char const* source, bool any)
      : source_(source) {
    if (!any) return;
    run_ = p.unit;
    bool in_run = true;
    for (unsigned i = p.source_order.size(); i-- > 0;) {
      const unsigned k = p.source_order[i];
      auto const& a = p.axes[k];
      in_run = in_run && a.source == run_;
      if (in_run)
        run_ *= b.width[k];
      else
        rows_.add(b.width[k], {a.source});
      in_run = in_run && b.width[k] == a.extent;
    }
    at_ = {b.source};
    more_ = true;
    start_rows();
  }
  /// Lines of about so many bytes.
  void take(index_t bytes) {
    for (index_t pieces = bytes / piece; pieces != 0 && count_ != 0; --pieces) {
      if (row_ == count_) {
        row_ = 0;
        done_ += piece;
        if (done_ >= run_) {
          start_rows();
          continue;
        }
      }
      auto const* const from = source_ + starts_[row_++] + done_;
      for (index_t i = 0; i < piece; i += 64) __builtin_prefetch(from + i, 0, 2);
    }
  }

 private:
  /// A few lines of one run, then of the next of sixteen: the hardware's prefetcher follows each.
  static constexpr index_t piece = 256, together = 16;
  void start_rows() {
    done_ = row_ = count_ = 0;
    while (more_ && count_ < together) {
      starts_[count_++] = at_[0];
      more_ = rows_.advance(at_);
    }
  }
  nest<1> rows_;
  nest<1>::places at_{};
  std::array<index_t, together> starts_{};
  unsigned char const* source_;
  index_t run_ = 0, done_ = 0, row_ = 0, count_ = 0;
  bool more_ = false;
};

/// Calls move(source, target) with the offsets, in bytes, of each unit of a box.
template <class Move>
void each_element(axes_plan const& p, box const& b, Move move) {
  nest<2> all;
  for (unsigned k = p.axes.size(); k-- > 0;)
    all.add(b.width[k], {p.axes[k].source, p.axes[k].target});
  nest<2>::places at{b.source, b.target};
  do move(at[0], at[1]);
  while (all.advance(at));
}

using widths = std::array<index_t, 64>;

/// Moves so many positions along each axis from `from` to `to`, where the positions along an axis
/// are `step(axis)` bytes apart.
template <unsigned Unit, class Step>
void fill(axes_plan const& p, widths const& width, unsigned char const* from, unsigned char* to,
          Step step) {
  const unsigned s = p.fastest_of_source(), t = p.axes.size() - 1;
  auto const &in_source = p.axes[s], &in_target = p.axes[t];
  nest<2> rest;
  for (unsigned k = p.axes.size(); k-- > 0;)
    if (k != s && k != t) rest.add(width[k], {p.axes[k].source, step(p.axes[k])});
  const index_t unit = Unit == 0 ? p.unit : Unit, rows = width[s], cols = width[t];
  nest<2>::places at{};
  if (s == t) {
    if (in_target.source == unit && step(in_target) == unit) {
      do copy_bytes(to + at[1], from + at[0], cols * unit);
      while (rest.advance(at));
      return;
    }
  } else if constexpr (Unit != 0) {
    if (in_source.source == Unit && step(in_target) == Unit) {
      do
        transpose_plane<Unit>(from + at[0], in_target.source, to + at[1], step(in_source), rows,
                              cols);
      while (rest.advance(at));
      return;
    }
  }
  do {
    for (index_t i = 0; i < (s == t ? 1 : rows); ++i)
      for (index_t j = 0; j < cols; ++j)
        copy_bytes(to + at[1] + i * step(in_source) + j * step(in_target),
                   from + at[0] + i * in_source.source + j * in_target.source, unit);
  } while (rest.advance(at));
}

/// Moves a box in pieces by way of a buffer.
template <unsigned Unit>
void move_box(axes_plan const& p, box const& b, unsigned char const* source, unsigned char* target,
              unsigned char* buffer, bool begins, bool ends, fetch_ahead& ahead, line_copy copy) {
  const auto in_buffer = [](auto const& a) { return a.buffer; };
  unsigned char* const waiting = buffer + p.piece_bytes;
  widths width;
  index_t run = p.unit;
  nest<3> pieces;  // places in the source, in the target, and numbers of runs
  const unsigned s = p.fastest_of_source(), first_of_run = p.axes.size() - p.run_axes;
  for (unsigned i = p.source_order.size(); i-- > 0;) {
    const unsigned k = p.source_order[i];
    auto const& a = p.axes[k];
    width[k] = k >= first_of_run ? b.width[k] : 1;
    if (k >= first_of_run)
      run *= b.width[k];
    else if (k != s)
      pieces.add(b.width[k], {a.source, a.target, a.row});
  }
  auto const& rows = p.axes[s];
  nest<3>::places at{b.source, b.target, 0};
  do {
    const index_t all = s < first_of_run ? b.width[s] : 1;
    for (index_t i = 0; i < all; i += rows.piece) {
      if (s < first_of_run) width[s] = std::min(rows.piece, all - i);
      fill<Unit>(p, width, source + at[0] + i * rows.source, buffer + 64, in_buffer);
      for (index_t j = 0; j < (s < first_of_run ? width[s] : 1); ++j) {
        unsigned char* const from = buffer + 64 + j * rows.buffer;
        unsigned char* const kept = waiting + 64 * (at[2] + (i + j) * rows.row);
        if (!begins) std::memcpy(from - 64, kept, 64);
        stream_run(target + at[1] + (i + j) * rows.target, from, run, begins, ends, kept + 64,
                   copy);
      }
      ahead.take(run * (s < first_of_run ? width[s] : 1));
    }
  } while (pieces.advance(at));
}

}  // namespace detail

/// Moves boxes [first, last) of a plan for units of so many bytes; 0 stands for any others.
/// `buffer` has p.buffer_bytes(), or is null: then each box is written through the caches.
template <unsigned Unit>
void move_boxes(axes_plan const& p, unsigned char const* source, unsigned char* target,
                unsigned char* buffer, line_copy copy, index_t first, index_t last) {
  const auto in_target = [](auto const& a) { return a.target; };
  for (index_t number = first; number < last; ++number) {
    const detail::box b(p, number);
    if (buffer == nullptr) {
      detail::fill<Unit>(p, b.width, source + b.source, target + b.target, in_target);
      continue;
    }
    const bool any = number + 1 < last;
    detail::fetch_ahead ahead(p, detail::box(p, any ? number + 1 : number), source, any);
    detail::move_box<Unit>(p, b, source, target, buffer, b.begins || number == first,
                           b.ends || number + 1 == last, ahead, copy);
  }
  if (buffer != nullptr) end_of_rows();
}

/// The same for the unit of the plan.
inline void move_boxes(axes_plan const& p, unsigned char const* source, unsigned char* target,
                       unsigned char* buffer, line_copy copy, index_t first, index_t last) {
  switch (p.unit) {
    case 1:
      return move_boxes<1>(p, source, target, buffer, copy, first, last);
    case 2:
      return move_boxes<2>(p, source, target, buffer, copy, first, last);
    case 4:
      return move_boxes<4>(p, source, target, buffer, copy, first, last);
    case 8:
      return move_boxes<8>(p, source, target, buffer, copy, first, last);
    case 16:
      return move_boxes<16>(p, source, target, buffer, copy, first, last);
    default:
      return move_boxes<0>(p, source, target, buffer, copy, first, last);
  }
}

}  // namespace bmmc::local
