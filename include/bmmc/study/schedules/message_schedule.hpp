// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <bmmc/comm/dimension_exchange.hpp>
#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/radix_exchange.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/comm/shared_window.hpp>
#include <bmmc/execution/permutation/scratch.hpp>
#include <bmmc/plan/dimensions.hpp>
#include <bmmc/plan/nodes.hpp>
#include <bmmc/plan/pattern.hpp>
#include <bmmc/plan/pieces.hpp>
#include <bmmc/plan/radix.hpp>

namespace bmmc {

/// Messages of one process that are under way together, in the order in which they are started;
/// each is of `elements` elements, and where they lie is left out. Nobody sends to itself.
struct message_step {
  std::vector<message> sent{}, received{};
  /// Elements that the processor copies in this step: packed, unpacked, or kept.
  index_t copied = 0;
  friend constexpr bool operator==(message_step const&, message_step const&) = default;
};

/// What one process sends and receives between gather and scatter when a policy carries out a plan,
/// known before and without MPI: step j begins when step j - in_flight has ended, and a step ends
/// when all its messages have been sent and received.
/// Memory  48 bytes for a message that is sent and one that is received.
struct message_schedule {
  index_t proc = 0;
  std::vector<message_step> steps{};
  index_t in_flight = 1;

  /// What leaves the process in all steps, and what comes to it.
  [[nodiscard]] constexpr traffic sent() const { return sum(&message_step::sent); }
  [[nodiscard]] constexpr traffic received() const { return sum(&message_step::received); }

 private:
  [[nodiscard]] constexpr traffic sum(std::vector<message> message_step::* side) const {
    traffic all;
    for (message_step const& step : steps)
      for (message const& one : step.*side) ++all.messages, all.elements += one.elements;
    return all;
  }
};

namespace detail {

/// A step of one message to a process and one from a process, or a copy where both are this one.
[[nodiscard]] constexpr message_step trade_step(index_t proc, index_t to, index_t from,
                                                index_t elements) {
  message_step step;
  if (to != proc) step.sent.push_back({to, 0, elements});
  if (from != proc) step.received.push_back({from, 0, elements});
  if (to == proc) step.copied = elements;
  return step;
}

/// Steps of `most` elements at most that exchange `elements` and copy each part `copies` times.
constexpr void trade_in_parts(message_schedule& s, index_t to, index_t from, index_t elements,
                              index_t most, index_t copies) {
  for (index_t done = 0; done < elements; done += most) {
    const index_t part = std::min(most, elements - done);
    s.steps.push_back(trade_step(s.proc, to, from, part));
    s.steps.back().copied = copies * part;
  }
}

/// Each round of a pattern waits for the one before.
constexpr void add_in_turn(message_schedule& s, message_pattern const& pattern) {
  for (message_round const& round : pattern.rounds)
    s.steps.push_back(
        trade_step(s.proc, round.sent.proc, round.received.proc, round.sent.elements));
}

/// Messages of each round are under way together.
constexpr void add_rounds(message_schedule& s, radix_plan const& rounds, index_t block_elements) {
  for (unsigned j = 0; j < rounds.rounds(); ++j) {
    const index_t length = rounds.runs(j) * rounds.run_blocks(j) * block_elements;
    const index_t copies = rounds.runs(j) > 1 ? 2 : 0;
    message_step& step = s.steps.emplace_back();
    for (index_t v = 0; v < rounds.messages(j); ++v) {
      const index_t to = rounds.target(s.proc, j, v), from = rounds.source(s.proc, j, v);
      if (from != s.proc) step.received.push_back({from, 0, length});
      if (to != s.proc) step.sent.push_back({to, 0, length});
      step.copied += to == s.proc ? length : copies * length;
    }
  }
}

}  // namespace detail

/// The schedule of comm::sendrecv: a step for each block of the chunk, in which the process sends
/// it and receives the one that takes its place, and no step begins before the last has ended.
[[nodiscard]] constexpr message_schedule schedule_of(plan const& p, index_t proc,
                                                     std::size_t /*element_bytes*/,
                                                     comm::sendrecv) {
  message_schedule s{proc};
  if (p.is_local()) return s;
  detail::add_in_turn(s, pattern_of(p, proc));
  return s;
}

/// The schedule of comm::pipelined: a step for each piece, some of which are under way at a time.
/// From a source to a target: in place no piece is received before all have been gathered.
[[nodiscard]] constexpr message_schedule schedule_of(plan const& p, index_t proc,
                                                     std::size_t element_bytes,
                                                     comm::pipelined const& policy) {
  message_schedule s{proc};
  if (p.is_local()) return s;
  const pieces cut = detail::pieces_of(p, element_bytes, policy);
  const auto pattern = pattern_of(p, proc);
  s.in_flight = std::min(detail::slots_of(policy), cut.count());
  for (index_t k = 0; k < cut.count(); ++k) {
    message_step& step = s.steps.emplace_back();
    for (index_t i = 0; i < cut.messages(); ++i) {
      auto const& [sent, received] = pattern.rounds[cut.block(k, i)];
      if (sent.proc == proc) step.copied += cut.message_elements();
      if (sent.proc != proc) step.sent.push_back({sent.proc, 0, cut.message_elements()});
      if (received.proc != proc)
        step.received.push_back({received.proc, 0, cut.message_elements()});
    }
  }
  return s;
}

/// The schedule of comm::radix_exchange: a step for each round of 2^bits messages; messages of
/// several runs are packed and unpacked.
[[nodiscard]] constexpr message_schedule schedule_of(plan const& p, index_t proc,
                                                     std::size_t /*element_bytes*/,
                                                     comm::radix_exchange const& policy) {
  message_schedule s{proc};
  if (!p.is_local()) detail::add_rounds(s, {p, policy.bits}, p.message_elements());
  return s;
}

/// Between nodes of as many processes as the policy says: it must say how many. Barriers of a node
/// are left out. Of the two passes through each node's window the two that a plan of processes does
/// not have are copies.
/// Throws bad_value for no power of two.
[[nodiscard]] constexpr message_schedule schedule_of(plan const& p, index_t proc,
                                                     std::size_t /*element_bytes*/,
                                                     comm::shared_window const& policy) {
  if (policy.processes_per_node < 1)
    throw bad_value("a schedule through windows needs to know how many processes a node has");
  const node_plan nodes(p, proc_bits_of(static_cast<index_t>(policy.processes_per_node)));
  message_schedule s{proc};
  if (nodes.is_within_nodes()) return s;
  const message_step pass{{}, {}, p.chunk_elements()};
  s.steps.push_back(pass);
  if (policy.bits != 0)
    detail::add_rounds(s, {nodes.moves(), p.proc_bits(), policy.bits}, nodes.message_elements());
  else
    detail::add_in_turn(s,
                        pattern_of(nodes.moves(), p.proc_bits(), proc, nodes.message_elements()));
  s.steps.push_back(pass);
  return s;
}

/// The schedule of comm::dimension_exchange: neighbour by neighbour, each time as much as the
/// buffer holds.
/// Throws bad_value for elements of 0 bytes.
[[nodiscard]] constexpr message_schedule schedule_of(plan const& p, index_t proc,
                                                     std::size_t element_bytes,
                                                     comm::dimension_exchange const& policy) {
  if (element_bytes == 0) throw bad_value("an element has one byte at least");
  message_schedule s{proc};
  if (p.is_local()) return s;
  const dimension_plan dimensions(p);
  const index_t blocks = p.chunk_elements() / p.message_elements();
  const index_t room = policy.room(p.chunk_elements(), element_bytes);
  for (dimension_plan::step const& step : dimensions.steps(proc)) {
    const index_t run = step.run(blocks), length = run * p.message_elements();
    const index_t packed = step.packed_runs(blocks, room, p.message_elements());
    index_t moved = 0;
    for (index_t b = 0; b < blocks; b += run) moved += step.moves(b) ? 1 : 0;
    if (packed == 0)
      for (; moved != 0; --moved)
        detail::trade_in_parts(s, step.neighbour, step.neighbour, length, room, 1);
    else
      detail::trade_in_parts(s, step.neighbour, step.neighbour, moved * length, packed * length, 2);
  }
  if (const index_t to = dimensions.renamed_to(proc); to != proc)
    detail::trade_in_parts(s, to, dimensions.renamed_from(proc), p.chunk_elements(), room, 1);
  return s;
}

}  // namespace bmmc
