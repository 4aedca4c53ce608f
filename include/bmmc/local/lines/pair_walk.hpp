// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <bmmc/local/lines/line_job.hpp>

namespace bmmc::local {

/// Tiles of an involution and their partners, each pair where the first of the two comes.
struct pair_range {
  pair_plan const* pairs;
  index_t count, last;
  pair_step at;
  bool at_partner = false;

  pair_range(pair_plan const& p, line_step const& start, index_t first, index_t end)
      : pairs(&p), count(first), last(end), at(p.tiles.at(first)) {
    at ^= p.start(start);
    if (comes_second()) next_pair();
  }
  [[nodiscard]] bool is_over() const { return count == last; }
  [[nodiscard]] bool is_single() const { return at.partner_count == count; }
  [[nodiscard]] bool comes_second() const {
    return pair_plan::comes_second(count, at.partner_count, pairs->lg_share);
  }
  [[nodiscard]] index_t offset() const { return at_partner ? at.partner.source : at.tile.source; }
  bool next_pair() {
    do {
      if (count == last || ++count == last) return false;
      pairs->tiles.advance(at, count);
    } while (comes_second());
    return true;
  }
  bool next() {
    at_partner = !at_partner && !is_over() && !is_single();
    return at_partner || next_pair();
  }
};

/// Pairs of register tiles, each where the first of the two comes. The state of the walk is kept in
/// single words: as structs it would go through memory.
struct direct_pair {
  pair_step const* steps;  // prefix sums
  index_t count, last, partner_count;
  index_t source, target, other_source, other_target;
  lane_word lanes, other_lanes;
  unsigned lg_share;

  [[gnu::always_inline]] void add(pair_step const& s) {
    partner_count ^= s.partner_count;
    source ^= s.tile.source;
    target ^= s.tile.target;
    lanes ^= s.tile.lanes;
    other_source ^= s.partner.source;
    other_target ^= s.partner.target;
    other_lanes ^= s.partner.lanes;
  }
  [[gnu::always_inline]] bool next() {
    do {
      if (++count == last) return false;
      add(steps[static_cast<unsigned>(std::countr_zero(count))]);
    } while (comes_second());
    return true;
  }
  /// Tiles [first, last), first < last, of a plan; `is_over` if all of them come second.
  [[gnu::always_inline]] direct_pair(pair_plan const& p, line_step const& start, index_t first,
                                     index_t end)
      : steps(p.tiles.prefix.data()),
        count(first),
        last(end),
        partner_count(0),
        source(0),
        target(0),
        other_source(0),
        other_target(0),
        lanes(0),
        other_lanes(0),
        lg_share(p.lg_share) {
    add(p.tiles.at(first));
    add(p.start(start));
    if (comes_second()) next();
  }
  [[nodiscard, gnu::always_inline]] bool comes_second() const {
    return pair_plan::comes_second(count, partner_count, lg_share);
  }
  [[nodiscard, gnu::always_inline]] bool is_single() const { return partner_count == count; }
  [[nodiscard, gnu::always_inline]] bool is_over() const { return count == last; }
};

/// Fetches a line into the second level.
struct fetch_far {
  [[gnu::always_inline]] void operator()(unsigned char const* line) const {
    __builtin_prefetch(line, 0, 2);
  }
};

/// Fetches the lines of pairs of register tiles that are exchanged later into the second level, by
/// Take: both lines of 128 bytes one after the other, if the next register tile has the other one,
/// with every second pair.
template <unsigned R, class Take = fetch_far>
struct pair_fetch {
  /// At most, and half as many at least: 512 lines, and two S(7, 7).
  static constexpr index_t pairs_ahead = std::max(512U / (2U << R), 8U);

  unsigned char const* data;
  index_t const* line;
  direct_pair at;
  index_t second_row;
  bool any, in_pairs;
  index_t touched;                       // lines of the machine
  index_t source = 0, other_source = 0;  // of the pair that is being fetched
  unsigned next = 1U << R;               // line
  index_t passed = 0;                    // pairs before `at`

  /// From the first pair on, if anything is fetched: the first ones at once.
  [[gnu::always_inline]] pair_fetch(pair_plan const& p, unsigned char const* from,
                                    direct_pair const& first, bool fetches)
      : data(from),
        line(p.lines.source_line.data()),
        at(first),
        second_row(p.second_row),
        any(fetches),
        in_pairs(p.has_rows),
        touched(lines_touched(from, p.has_rows ? 2 : 1)) {
    for (index_t i = 0; any && i < pairs_ahead; ++i) {
      go_on(0);
      fetch(4U << R);
    }
  }
  /// Goes on to the next pair when one is fetched and `done` are exchanged. Where tiles change
  /// places with tiles of their own S(7, 7) more pairs than two, or less, have the lines that are
  /// fetched at once: fetching would run further and further ahead, or be too late ever after.
  [[gnu::always_inline]] void go_on(index_t done) {
    if (passed < done + pairs_ahead / 2) fetch(4U << R);
    if (!any || next != 1U << R || passed >= done + pairs_ahead) return;
    const index_t mask = in_pairs ? ~index_t{2 * line_bytes - 1} : ~index_t{0};
    source = at.source & mask;
    other_source =
        pair_plan::fetched_partner(at.other_source, at.count, at.partner_count, second_row) & mask;
    next = 0;
    do {
      any = at.next();
      ++passed;
    } while (any && in_pairs && at.count % 2 != 0);
  }
  /// What is still to be fetched of the pair, `lines` lines at most.
  [[gnu::always_inline]] void fetch(unsigned lines) {
    for (unsigned k = 0; k < lines && next != 1U << R; k += in_pairs ? 4 : 2, ++next) {
      const index_t offset = in_pairs ? line[next] & ~index_t{2 * line_bytes - 1} : line[next];
      fetch_row(source ^ offset);
      fetch_row(other_source ^ offset);
    }
  }
  [[gnu::always_inline]] void fetch_row(index_t offset) const {
    for (index_t i = 0; i < touched; ++i) Take{}(data + offset + i * line_bytes);
  }
};

}  // namespace bmmc::local
