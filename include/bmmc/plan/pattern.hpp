// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <vector>

#include <bmmc/plan/map_plan.hpp>
#include <bmmc/plan/plan.hpp>
#include <bmmc/plan/route.hpp>

namespace bmmc {

/// A block that one process sends to another or receives from it: who the other one is, and where
/// the block lies in this one's array. Without elements there is no message.
struct message {
  index_t proc = 0, first = 0, elements = 0;
  friend constexpr bool operator==(message const&, message const&) = default;
};

/// A process sends a block and receives one; either may be missing. What process k sends to another
/// in some round the other receives in the same round from k.
struct message_round {
  message sent{}, received{};
  friend constexpr bool operator==(message_round const&, message_round const&) = default;
};

/// Who sends how much to whom, and where it lies: the messages of one process, round by round, for
/// a permutation's plan, a map's plan and a route alike. What a process keeps is a message to
/// itself. Usable in constant expressions.
/// Memory  48 bytes for each round.
struct message_pattern {
  index_t proc = 0;
  std::vector<message_round> rounds{};

  /// What leaves for other processes, and what comes from them.
  [[nodiscard]] constexpr traffic sent() const { return of_others(&message_round::sent); }
  [[nodiscard]] constexpr traffic received() const { return of_others(&message_round::received); }
  friend constexpr bool operator==(message_pattern const&, message_pattern const&) = default;

 private:
  [[nodiscard]] constexpr traffic of_others(message message_round::* side) const {
    traffic sum;
    for (message_round const& round : rounds)
      if (message const& one = round.*side; one.elements != 0 && one.proc != proc) {
        ++sum.messages;
        sum.elements += one.elements;
      }
    return sum;
  }
};

/// The pattern of 2^r blocks of equal length in a row: block b (r low bits) of process k (the high
/// bits) becomes block b of another process.
[[nodiscard]] constexpr message_pattern pattern_of(permutation<> const& moves, unsigned proc_bits,
                                                   index_t proc, index_t elements) {
  const unsigned r = moves.bits() - proc_bits;
  const auto back = inverse(moves);
  message_pattern pattern{proc, {}};
  for (index_t b = 0; b < bit(r); ++b) {
    const index_t own = proc << r | b, first = b * elements;
    pattern.rounds.push_back(
        {{moves(own) >> r, first, elements}, {back(own) >> r, first, elements}});
  }
  return pattern;
}

/// What process `proc` sends between gather and scatter; positions are in the gathered chunk.
[[nodiscard]] constexpr message_pattern pattern_of(plan const& p, index_t proc) {
  return pattern_of(p.moves(), p.proc_bits(), proc, p.message_elements());
}

namespace detail {
/// Both sides of a map in rounds: in each, processes speak to each other whose numbers differ by
/// the same exclusive or, in which both sides ascend. place(position) is where a block is sent
/// from.
template <class Place>
[[nodiscard]] constexpr message_pattern rounds_of(map_plan::partners const& out,
                                                  map_plan::partners const& in, index_t proc,
                                                  index_t elements, Place place) {
  message_pattern pattern{proc, {}};
  for (index_t i = 0, j = 0; i < out.count || j < in.count;) {
    const index_t to = i < out.count ? out.procs(i) ^ proc : ~index_t{0};
    const index_t from = j < in.count ? in.procs(j) ^ proc : ~index_t{0};
    message_round& round = pattern.rounds.emplace_back();
    if (to <= from) round.sent = {out.procs(i), place(out.positions(i)), elements}, ++i;
    if (from <= to) round.received = {in.procs(j), in.positions(j), elements}, ++j;
  }
  return pattern;
}
}  // namespace detail

/// Positions of what is sent are offsets of the source, where blocks are contiguous; if they are
/// packed first, offsets of the plan's region. Positions of what is received are places in the
/// target's list.
[[nodiscard]] constexpr message_pattern pattern_of(gather_plan const& p, index_t proc,
                                                   bool packed = false) {
  return detail::rounds_of(
      p.of_image(proc), p.of_domain(proc), proc, p.block_elements(),
      [&](index_t position) { return packed ? p.place_in_region(position) : position; });
}
/// Positions are places in the list of the source, and offsets of the target.
[[nodiscard]] constexpr message_pattern pattern_of(reduce_plan const& p, index_t proc) {
  return detail::rounds_of(p.of_domain(proc), p.of_image(proc), proc, p.block_elements(),
                           [](index_t position) { return position; });
}

/// Rounds by the difference of process numbers, any number of them: what is kept comes first.
/// Positions count the elements that the rounds before send, and receive.
template <Route R>
[[nodiscard]] constexpr message_pattern pattern_of(R const& route, index_t proc, index_t procs) {
  message_pattern pattern{proc, {}};
  index_t sent = 0, received = 0;
  for (index_t k = 0; k < procs; ++k) {
    const index_t to = (proc + k) % procs, from = (proc + procs - k) % procs;
    const index_t out = route.sent(to), in = route.received(from);
    pattern.rounds.push_back({{to, sent, out}, {from, received, in}});
    sent += out;
    received += in;
  }
  return pattern;
}

}  // namespace bmmc
