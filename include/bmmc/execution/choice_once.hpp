// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstdio>

#include <bmmc/execution/choice.hpp>
#include <bmmc/plan/nodes.hpp>
#include <bmmc/plan/radix.hpp>

namespace bmmc::detail {

[[gnu::noinline]] BMMC_ONCE double workload::seconds(comm::cost_model const& c,
                                                     double calls) const noexcept {
  return copied_bytes * c.copied_byte + messages * c.message +
         messages_together * c.message_together + sent_bytes * c.message_byte +
         replaced_bytes * c.replaced_byte + barriers * c.barrier +
         (windows * c.window + window_bytes * c.window_byte) / calls;
}

/// Adds rounds for chunks of `bytes`: each waits for the one before; from the second on runs are
/// packed.
inline void add_rounds(workload& work, radix_plan const& rounds, double bytes) {
  for (unsigned j = 0; j < rounds.rounds(); ++j) {
    const auto count = static_cast<double>(rounds.messages(j));
    const double leaves = bytes * (1 - 1 / count);
    work.messages += 1;
    work.messages_together += count - 2;
    work.sent_bytes += leaves;
    work.copied_bytes += j == 0 ? 0 : 2 * leaves;
  }
}

/// The part of all elements that a plan moves to another process.
inline double part_that_leaves(plan const& p) {
  const double elements = static_cast<double>(p.procs()) * static_cast<double>(p.chunk_elements());
  return 1 - static_cast<double>(p.stays()) / elements;
}

BMMC_ONCE workload work_of(way w, plan const& p, index_t chunk_bytes, unsigned node_bits,
                           unsigned bits) {
  const auto bytes = static_cast<double>(chunk_bytes);
  const double messages = p.is_local() ? 0 : static_cast<double>(p.messages());
  switch (w) {
    case way::window: {
      const node_plan nodes(p, node_bits);
      const double times = nodes.is_within_nodes() ? 1 : 2;
      workload work{.copied_bytes = 2 * tiled_pass * bytes * times, .barriers = 2 * times};
      work.windows = 1;
      work.window_bytes = bytes;
      if (nodes.is_within_nodes()) return work;
      if (bits != 0) {
        add_rounds(work, {nodes.moves(), p.proc_bits(), bits}, bytes);
      } else {
        work.messages = static_cast<double>(nodes.messages());
        work.sent_bytes = bytes * part_that_leaves(nodes.among());
      }
      return work;
    }
    case way::window_pieces: {
      const auto piece = static_cast<double>(bit(bits));
      return {.copied_bytes = 2 * pieces_pass * bytes,
              .barriers = std::max(1.0, bytes / piece),
              .windows = 1,
              .window_bytes = 2 * std::min(bytes, piece)};
    }
    case way::pipelined: {
      const double passes = p.is_local() ? tiled_pass : p.is_exchange_only() ? 0 : 2 * pieces_pass;
      return {.copied_bytes = passes * bytes,
              .messages_together = messages,
              .sent_bytes = bytes * part_that_leaves(p)};
    }
    case way::rounds: {
      workload work{.copied_bytes = 2 * tiled_pass * bytes};
      add_rounds(work, {p, bits}, bytes);
      return work;
    }
    default:
      return {.copied_bytes = 4 * tiled_pass * bytes,
              .messages = messages,
              .replaced_bytes = bytes * part_that_leaves(p)};
  }
}

BMMC_ONCE workload work_of(way w, map_plan const& p, std::size_t element_bytes, index_t copied,
                           index_t window) {
  const auto bytes = [&](index_t elements) {
    return static_cast<double>(elements * element_bytes);
  };
  const double passes = tiled_pass * bytes(p.region_elements() + p.domain_elements());
  if (w == way::window)
    return {.copied_bytes = passes + bytes(copied),
            .barriers = 2,
            .windows = 1,
            .window_bytes = bytes(window)};
  const index_t blocks = std::max<index_t>(2, p.list_elements() / p.block_elements());
  return {.copied_bytes = passes,
          .messages = 1,
          .messages_together = static_cast<double>(blocks - 2),
          .sent_bytes = bytes((blocks - 1) * p.block_elements())};
}

BMMC_ONCE workload work_of(way w, gather_plan const& p, std::size_t element_bytes) {
  const index_t there = p.lists_are_offsets() ? p.list_elements() : 0;
  return work_of(w, p, element_bytes, p.region_elements() + there, p.region_elements());
}

BMMC_ONCE workload work_of(way w, reduce_plan const& p, std::size_t element_bytes) {
  const index_t there = p.lists_are_offsets() ? p.list_elements() : 0;
  return work_of(w, p, element_bytes, there, p.list_elements());
}

BMMC_ONCE choice::choice(std::vector<candidate> possible, comm::cost_model const& costs,
                         double calls)
    : possible_(std::move(possible)), costs_(costs), calls_(calls) {
  chosen_ = possible_.front();
  for (candidate const& each : possible_)
    if (seconds(each) < seconds(chosen_)) chosen_ = each;
}

BMMC_ONCE std::vector<candidate> choice::rivals() const {
  if (possible_.empty()) return {chosen_};
  std::vector<candidate> ordered = possible_;
  for (std::size_t i = 1; i < ordered.size(); ++i)  // they are few
    for (std::size_t j = i; j > 0 && seconds(ordered[j]) < seconds(ordered[j - 1]); --j)
      std::swap(ordered[j], ordered[j - 1]);
  constexpr double trusted = 4;  // predictions were wrong by factors of up to 2.7
  // Partners of messages wait for each other, too; with more processes than cores a barrier tells
  // how long.
  const double most = trusted * (seconds(ordered.front()) + costs_.barrier);
  // Three radices: the best of them takes at most 1.18 times what the best of all does in 525
  // simulated cells, the best of two up to 1.4 (docs/theory/exchange.md).
  std::array<unsigned, way_names.size()> rounds{};
  std::size_t kept = 0;
  for (candidate const& each : ordered)
    if (seconds(each) <= most &&
        (each.bits == 0 || ++rounds[static_cast<std::size_t>(each.name)] <= 3))
      ordered[kept++] = each;
  while (ordered.size() > kept) ordered.pop_back();
  return ordered;
}

BMMC_ONCE std::string choice::text() const {
  if (possible_.empty()) return text_;
  std::string all = detail::text({"automatic: ", name(chosen_.number()), "\n  predicted ms: "});
  for (candidate const& each : possible_)
    all.append(name(each.number())).append(" ").append(figure(1e3 * seconds(each))).append("; ");
  constexpr double mebi = 1 << 20;
  const std::array<std::pair<char const*, double>, 5> costs{
      {{"costs in us: message ", costs_.message},
       {"; one of many ", costs_.message_together},
       {"; barrier ", costs_.barrier},
       {"; a MiB sent ", mebi * costs_.message_byte},
       {"; a MiB copied ", mebi * costs_.copied_byte}}};
  for (auto const& [what, seconds_each] : costs)
    all.append(what).append(figure(1e6 * seconds_each));
  return all.append("\n");
}

BMMC_ONCE std::string choice::name(unsigned number) {
  const char* const name = way_names[number % candidate::numbers];
  const unsigned bits = number / candidate::numbers;
  return bits == 0 ? name : detail::text({name, " ", bits});
}

BMMC_ONCE std::string choice::figure(double x) {
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.3g", x);
  return digits.data();
}

BMMC_ONCE double choice::seconds(candidate const& c) const {
  return c.work.seconds(costs_, calls_);
}

}  // namespace bmmc::detail
