// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include <bmmc/index/stride.hpp>
#include <bmmc/layout/section.hpp>

namespace bmmc {

/// Positions along an axis that two processes have in common, as offsets in the section of either:
/// `length` of them side by side in both, `count` times at equal steps, and all that `repeat` times
/// at equal skips.
struct common_piece {
  index_t source = 0, target = 0, length = 0;
  index_t count = 1, source_step = 0, target_step = 0;
  index_t repeat = 1, source_skip = 0, target_skip = 0;

  [[nodiscard]] constexpr index_t positions() const noexcept { return length * count * repeat; }
  friend constexpr bool operator==(common_piece const&, common_piece const&) = default;
};

namespace detail {

/// Positions side by side that two sections share.
struct shared_run {
  index_t start = 0, length = 0;
};

/// Two periods, and what is to be known of them to find runs that sections with them share.
struct two_periods {
  index_t first, second, divisor, turns, undo;

  constexpr two_periods(index_t p, index_t q)
      : first(p),
        second(q),
        divisor(std::gcd(p, q)),
        turns(q / divisor),
        undo(inverse_modulo(p / divisor % turns, turns)) {}
  /// The least common multiple, after which all is repeated.
  [[nodiscard]] constexpr wide_index repeats_after() const noexcept {
    return static_cast<wide_index>(first / divisor) * second;
  }
};

/// Finds what two sections of an axis have in common. The pair alone decides on the pieces and
/// their order, so that sender and receiver agree on both without a message.
class section_pair {
 public:
  constexpr section_pair(periodic_section const& a, periodic_section const& b,
                         std::vector<common_piece>& found)
      : a_(a), b_(b), end_(std::min(a.end, b.end)), found_(found), before_(found.size()) {
    if (!is_simple()) find_shared_runs(two_periods(a.period, b.period));
  }
  /// The same with periods that are known already, which several pairs have,
  constexpr section_pair(periodic_section const& a, periodic_section const& b,
                         two_periods const& periods, std::vector<common_piece>& found)
      : a_(a), b_(b), end_(std::min(a.end, b.end)), found_(found), before_(found.size()) {
    if (!is_simple()) find_shared_runs(periods);
  }
  /// or with all runs that they share, in ascending order, where nothing is repeated.
  template <class Runs>
  constexpr section_pair(periodic_section const& a, periodic_section const& b,
                         two_periods const& periods, Runs const& runs,
                         std::vector<common_piece>& found)
      : a_(a), b_(b), end_(std::min(a.end, b.end)), found_(found), before_(found.size()) {
    if (!is_simple()) add_runs(runs, periods.repeats_after());
  }

 private:
  /// Whether all is found without going through runs.
  constexpr bool is_simple() {
    if (a_.empty() || b_.empty()) return true;
    if (a_ == b_)
      found_.push_back({0, 0, a_.count()});
    else if (a_.is_interval() || b_.is_interval())
      with_interval(std::max(a_.first, b_.first), a_.is_interval() ? b_ : a_);
    else
      return false;
    return true;
  }

  /// One section is an interval, the other one, `runs`, may be one, too: what is left of its runs
  /// begins with the rest of one, goes on with whole ones and ends with a part of one.
  constexpr void with_interval(index_t low, periodic_section const& runs) {
    if (low >= end_) return;
    index_t next = (low - runs.first) / runs.period;
    const index_t within = (low - runs.first) % runs.period;
    if (within != 0) {
      if (within < runs.run) add(low, std::min(runs.run - within, end_ - low));
      ++next;
    }
    const index_t start = runs.first + next * runs.period;
    if (start >= end_) return;
    const index_t whole =
        (end_ - start) / runs.period + ((end_ - start) % runs.period >= runs.run ? 1 : 0);
    if (whole != 0) {
      auto& piece = add(start, runs.run);
      piece.count = whole;
      if (whole > 1) {
        piece.source_step = a_.offset_of(start + runs.period) - piece.source;
        piece.target_step = b_.offset_of(start + runs.period) - piece.target;
      }
    }
    const index_t rest = start + whole * runs.period;
    if (rest < end_) add(rest, end_ - rest);
  }

  constexpr void find_shared_runs(two_periods const& periods) {
    std::vector<shared_run> window;
    // Either the distances between starts of runs that overlap are tried, or all runs.
    if ((a_.run + b_.run) / periods.divisor < std::min(a_.runs(), periods.turns))
      by_distances(periods, window);
    else
      by_runs(periods.turns, window);
    std::sort(window.begin(), window.end(),
              [](shared_run const& x, shared_run const& y) { return x.start < y.start; });
    add_runs(window, periods.repeats_after());
  }
  template <class Runs>
  constexpr void add_runs(Runs const& window, wide_index repeats_after) {
    for (shared_run const& run : window) repeat(run, repeats_after);
    for (shared_run const& run : window) add_last(run, repeats_after);
  }

  /// A run of a that starts D positions behind one of b overlaps it where -run of a < D < run of b.
  /// All D are congruent modulo the common divisor of the periods, and each comes once.
  constexpr void by_distances(two_periods const& periods, std::vector<shared_run>& window) const {
    const auto behind = static_cast<std::int64_t>(a_.first) - static_cast<std::int64_t>(b_.first);
    const auto step = static_cast<std::int64_t>(periods.divisor),
               turns = static_cast<std::int64_t>(periods.turns);
    // from the least distance above -run of a that is congruent on
    std::int64_t least =
        behind % step + step - static_cast<std::int64_t>(a_.run / periods.divisor + 2) * step;
    while (least <= -static_cast<std::int64_t>(a_.run)) least += step;
    for (std::int64_t d = least; d < static_cast<std::int64_t>(b_.run); d += step) {
      std::int64_t turn = (d - behind) / step % turns;
      if (turn < 0) turn += turns;
      const wide_index start = static_cast<wide_index>(multiply_modulo(
                                   static_cast<index_t>(turn), periods.undo, periods.turns)) *
                                   a_.period +
                               a_.first;
      if (start >= end_) continue;
      const auto from = static_cast<index_t>(start);
      overlap(from, static_cast<index_t>(static_cast<std::int64_t>(from) - d), window);
    }
  }
  /// Each of the first `most` runs of a with those of b that it overlaps.
  constexpr void by_runs(index_t most, std::vector<shared_run>& window) const {
    for (index_t i = 0; i < std::min(most, a_.runs()); ++i) {
      const index_t from = a_.first + i * a_.period, beyond = from + a_.run;
      index_t j = from <= b_.first ? 0 : (from - b_.first) / b_.period;
      for (; j < b_.runs() && b_.first + j * b_.period < beyond; ++j)
        overlap(from, b_.first + j * b_.period, window);
    }
  }
  constexpr void overlap(index_t from_a, index_t from_b, std::vector<shared_run>& window) const {
    const index_t low = std::max(from_a, from_b), high = std::min(from_a + a_.run, from_b + b_.run);
    if (low < high && low < end_) window.push_back({low, high - low});
  }

  [[nodiscard]] constexpr index_t whole_repeats(shared_run const& run, wide_index after) const {
    if (run.length > end_ - run.start) return 0;
    return static_cast<index_t>((end_ - run.start - run.length) / after) + 1;
  }
  constexpr void repeat(shared_run const& run, wide_index after) {
    const index_t times = whole_repeats(run, after);
    if (times == 0) return;
    common_piece piece{a_.offset_of(run.start), b_.offset_of(run.start), run.length};
    piece.repeat = times;
    if (times > 1) {
      piece.source_skip = static_cast<index_t>(after) / a_.period * a_.run;
      piece.target_skip = static_cast<index_t>(after) / b_.period * b_.run;
    }
    if (!continues_last(piece)) found_.push_back(piece);
  }
  /// What the end of the axis cuts off.
  constexpr void add_last(shared_run const& run, wide_index after) {
    const wide_index start = run.start + whole_repeats(run, after) * after;
    if (start < end_) add(static_cast<index_t>(start), end_ - static_cast<index_t>(start));
  }
  /// Adds a run to the piece before, where it is one step further.
  constexpr bool continues_last(common_piece const& next) {
    if (found_.size() == before_) return false;
    common_piece& last = found_.back();
    if (last.length != next.length || last.repeat != next.repeat) return false;
    const index_t source_step = next.source - last.source - (last.count - 1) * last.source_step,
                  target_step = next.target - last.target - (last.count - 1) * last.target_step;
    if (last.count > 1 && (source_step != last.source_step || target_step != last.target_step))
      return false;
    last.source_step = source_step;
    last.target_step = target_step;
    ++last.count;
    return true;
  }
  constexpr common_piece& add(index_t start, index_t length) {
    found_.push_back({a_.offset_of(start), b_.offset_of(start), length});
    return found_.back();
  }

  periodic_section a_, b_;
  index_t end_;
  std::vector<common_piece>& found_;
  std::size_t before_;
};

}  // namespace detail

/// Appends what two sections of one axis have in common; sender and receiver get the same pieces in
/// the same order.
/// Cost    O(1) where one of them is an interval; else O(m log m) for the m runs that they share
///         before all is repeated.
constexpr void append_common_pieces(periodic_section const& source, periodic_section const& target,
                                    std::vector<common_piece>& pieces) {
  detail::section_pair(source, target, pieces);
}

}  // namespace bmmc
