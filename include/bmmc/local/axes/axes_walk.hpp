// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>

#include <bmmc/local/axes/axes_plan.hpp>

namespace bmmc::local::detail {

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
    for (unsigned i = 0; i < p.box_order.size(); ++i) {
      const unsigned k = p.box_order[i];
      const index_t at = place(k);
      if (i >= p.sweeps) continue;
      begins = begins && at == 0;
      ends = ends && at + width[k] == p.axes[k].extent;
    }
  }
  [[nodiscard]] index_t bytes(axes_plan const& p) const noexcept {
    index_t all = p.unit;
    for (unsigned k = 0; k < p.axes.size(); ++k) all *= width[k];
    return all;
  }
};

/// Calls move(part) for the parts of a box, one after the other along the runs of the target.
template <class Move>
void each_part(axes_plan const& p, box const& whole, Move move) {
  box part = whole;
  std::array<index_t, 64> at;
  for (unsigned k = p.first_cut; k < p.last_cut; ++k) at[k] = 0;
  for (bool more = true; more; move(part)) {
    part.source = whole.source;
    part.target = whole.target;
    part.begins = whole.begins;
    part.ends = whole.ends;
    for (unsigned k = p.first_cut; k < p.last_cut; ++k) {
      auto const& a = p.axes[k];
      const index_t left = whole.width[k] - at[k];
      part.width[k] = std::min(a.part, left);
      part.source += at[k] * a.source;
      part.target += at[k] * a.target;
      part.begins = part.begins && at[k] == 0;
      part.ends = part.ends && left <= a.part;
    }
    more = false;
    for (unsigned k = p.last_cut; !more && k-- > p.first_cut;) {
      at[k] += p.axes[k].part;
      more = at[k] < whole.width[k];
      if (!more) at[k] = 0;
    }
  }
}

/// Fetches the next box into the second-level cache while another one is moved.
class fetch_ahead {
 public:
  /// All of box b while so many bytes are moved. Nothing is fetched unless `any`.
  fetch_ahead(axes_plan const& p, box const& b, index_t moved, unsigned char const* source,
              bool any)
      : source_(source) {
    if (!any) return;
    pace_ = (b.bytes(p) * whole_pace + moved - 1) / moved;
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
  /// While so many bytes are moved: lines of as many, or what that is in a box of another size,
  /// with those that were still due.
  void take(index_t bytes) {
    for (due_ += bytes * pace_; count_ != 0;) {
      const index_t end = std::min(done_ + piece, run_);
      const index_t cost = (end - done_) * whole_pace;
      if (due_ < cost) return;
      due_ -= cost;
      auto const* const run = source_ + starts_[row_++];
      for (index_t i = done_; i < end; i += 64) __builtin_prefetch(run + i, 0, 2);
      if (end == run_) __builtin_prefetch(run + run_ - 1, 0, 2);  // not aligned
      if (row_ < count_) continue;
      row_ = 0;
      done_ = end;
      if (done_ == run_) start_rows();
    }
  }
  [[nodiscard]] bool is_done() const noexcept { return count_ == 0; }

 private:
  /// A few lines of one run, then of the next of sixteen: the hardware's prefetcher follows each.
  static constexpr index_t piece = 256, together = 16, whole_pace = 256;
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
  index_t pace_ = 0, run_ = 0, done_ = 0, row_ = 0, count_ = 0, due_ = 0;
  bool more_ = false;
};

}  // namespace bmmc::local::detail
