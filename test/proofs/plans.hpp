// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/gf2/exchange_factors.hpp>
#include <bmmc/plan/pieces.hpp>
#include <bmmc/plan/radix.hpp>

#include "cases.hpp"

namespace proofs {

using places = std::array<number, 16>;  // what stands at each address, process by process

[[nodiscard]] inline places nothing() {
  places none;
  none.fill(nowhere);
  return none;
}
inline void put(places& at, number place, number element, char const* what) {
  require(place < at.size() && at[place] == nowhere, what);
  at[place] = element;
}

/// A = V W: W stays inside the processes, and what V does to process bits is that r offset bits
/// are added to them.
inline void check_factoring(affine const& map, unsigned p) {
  const unsigned m = map.n - p;
  const auto f = bmmc::factor(to_library(map).matrix(), p);
  for (number x = 0; x < map.size(); ++x) {
    const number inside = image(f.w, x);
    require(inside >> m == x >> m, "W leaves every element in its process");
    require((image(f.v, inside) ^ map.c) == map.to[x], "V W = A");
  }
  for (unsigned j = 0; j + f.rank < m; ++j)
    require(f.v.column[j] >> m == 0, "only r offset bits decide where V sends an element");
}

/// Lemma 3: a process sends to 2^r processes, to each the same number of elements.
inline void check_lemma(affine const& map, bmmc::plan const& plan) {
  const number chunk = plan.chunk_elements();
  for (number k = 0; k < plan.procs(); ++k) {
    std::array<number, 16> sent{};
    for (number x = k * chunk; x < (k + 1) * chunk; ++x) ++sent[map.to[x] / chunk];
    number targets = 0;
    for (const number elements : sent) {
      targets += elements != 0;
      require(elements == 0 || elements == plan.message_elements(), "messages have one length");
    }
    require(targets == plan.messages(), "there are as many messages as processes to reach");
    require(plan.stays(k) == sent[k], "stays(k) counts what stays");
  }
}

/// What stands where after every process has gathered.
inline places gathered(bmmc::plan const& plan) {
  places after = nothing();
  const number chunk = plan.chunk_elements();
  for (number k = 0; k < plan.procs(); ++k) {
    const auto gather = plan.gather(k);
    for (number o = 0; o < chunk; ++o)
      put(after, k * chunk + gather(o), k * chunk + o, "gather moves each element once");
  }
  return after;
}
/// Every process scatters: then all is where it belongs.
inline void check_scattered(affine const& map, bmmc::plan const& plan, places const& blocks) {
  places after = nothing();
  const number chunk = plan.chunk_elements();
  for (number k = 0; k < plan.procs(); ++k) {
    const auto scatter = plan.scatter(k);
    for (number t = 0; t < chunk; ++t)
      put(after, k * chunk + scatter(t), blocks[k * chunk + t], "scatter moves each element once");
  }
  for (number x = 0; x < map.size(); ++x)
    require(after[map.to[x]] == x, "the element x arrives at A x + c");
}

/// The whole way: by messages, and by reading the blocks of others in a window.
inline void check_way(affine const& map, bmmc::plan const& plan) {
  const number chunk = plan.chunk_elements(), size = plan.message_elements();
  const places before = gathered(plan);
  places sent = nothing(), read = nothing();
  for (number step = 0; step < plan.messages(); ++step)
    for (number k = 0; k < plan.procs(); ++k) {
      const number to = plan.target(k, step), from = plan.source(k, step);
      require(plan.source(to, step) == k, "who receives knows who sends");
      for (number j = step * size; j < (step + 1) * size; ++j) {
        put(sent, to * chunk + j, before[k * chunk + j], "one block arrives in each place");
        put(read, k * chunk + j, before[from * chunk + j], "one block is read for each place");
      }
    }
  require(sent == read, "what is read in a window is what would be sent");
  check_scattered(map, plan, sent);
}

/// Rounds of k bits take every block where its message would.
inline void check_rounds(bmmc::plan const& plan, unsigned bits) {
  const bmmc::radix_plan rounds(plan, bits);
  const number blocks = plan.messages();
  places at = nothing();
  for (number b = 0; b < plan.procs() * blocks; ++b) at[b] = b;
  for (unsigned j = 0; j < rounds.rounds(); ++j) {
    places after = nothing();
    const number from_run_to_run = number{1} << (rounds.first(j) + rounds.bits(j));
    for (number v = 0; v < rounds.messages(j); ++v)
      for (number k = 0; k < plan.procs(); ++k) {
        const number to = rounds.target(k, j, v);
        require(rounds.source(to, j, v) == k, "who receives in a round knows who sends");
        for (number run = 0; run < rounds.runs(j); ++run)
          for (number i = 0; i < rounds.run_blocks(j); ++i) {
            const number b = run * from_run_to_run + rounds.block(j, v) + i;
            put(after, to * blocks + b, at[k * blocks + b], "a round moves each block once");
          }
      }
    at = after;
  }
  for (number k = 0; k < plan.procs(); ++k)
    for (number b = 0; b < blocks; ++b)
      require(at[plan.target(k, b) * blocks + b] == k * blocks + b,
              "the rounds together take a block to its target");
}

/// Pieces of 2^lg elements, one after the other.
inline void check_pieces(affine const& map, bmmc::plan const& plan, unsigned lg) {
  const bmmc::pieces cut(plan, lg);
  const number chunk = plan.chunk_elements(), size = cut.message_elements();
  places after = nothing();
  for (number piece = 0; piece < cut.count(); ++piece) {
    places sent = nothing(), received = nothing();
    for (number k = 0; k < plan.procs(); ++k) {
      auto from = cut.gather_from(k);
      from.complement = cut.source_offset(k, piece);
      for (number s = 0; s < cut.elements(); ++s)
        put(sent, k * chunk + cut.gather_to()(s), k * chunk + from(s), "a piece is filled once");
    }
    for (number k = 0; k < plan.procs(); ++k)
      for (number i = 0; i < cut.messages(); ++i) {
        const number to = plan.target(k, cut.block(piece, i));
        for (number j = i * size; j < (i + 1) * size; ++j)
          put(received, to * chunk + j, sent[k * chunk + j], "a piece is received once");
      }
    for (number k = 0; k < plan.procs(); ++k) {
      auto to = cut.scatter(k);
      to.complement = cut.scatter_offset(k, piece);
      for (number t = 0; t < cut.elements(); ++t)
        put(after, k * chunk + to(t), received[k * chunk + t], "pieces fill the target once");
    }
  }
  for (number x = 0; x < map.size(); ++x)
    require(after[map.to[x]] == x, "all pieces together are the permutation");
}

/// The conditional exchanges of A, one dimension after the other, are A.
inline bool check_exchanges(affine const& map) {
  const auto list = bmmc::exchange_factors(to_library(map).matrix());
  if (!list) return false;
  for (number x = 0; x < map.size(); ++x) {
    number y = x;
    for (auto const& step : *list) {
      number parity = 0;
      for (unsigned j = 0; j < map.n; ++j) parity ^= (step.row & y) >> j & 1;
      y = (y & ~(number{1} << step.dimension)) | parity << step.dimension;
    }
    require((y ^ map.c) == map.to[x], "the conditional exchanges are A");
  }
  return true;
}

inline void check_plans() {
  number plans = 0, rounds = 0, cuts = 0, products = 0;
  for (unsigned n = 0; n <= 4; ++n)
    each_affine(n, [&](affine const& map) {
      current = map;
      const auto made = to_library(map);
      const auto back = inverse(made);
      for (number x = 0; x < map.size(); ++x)
        require(made(x) == map.to[x] && back(map.to[x]) == x, "the inverse undoes the map");
      for (unsigned p = 0; p <= n; ++p) {
        current_procs = p;
        const bmmc::plan plan(made, p);
        check_factoring(map, p);
        check_lemma(map, plan);
        check_way(map, plan);
        for (unsigned bits = 1; bits <= plan.rank(); ++bits, ++rounds) check_rounds(plan, bits);
        for (unsigned lg = 0; lg < n - p; ++lg, ++cuts) check_pieces(map, plan, lg);
        ++plans;
      }
    });
  for (unsigned n = 0; n <= 4; ++n)
    each_matrix(n, [&](std::array<number, 4> const& column) {
      current = made_of(n, column, 0);
      products += check_exchanges(current) ? 1 : 0;
    });
  report("plans: A = V W, gather, messages or a window, scatter; each element arrives once", plans);
  report("exchanges in rounds of k bits: each block arrives where its message would", rounds);
  report("plans in pieces: together they are the permutation", cuts);
  report("products of conditional exchanges: they are A", products);
  require(products == 1 + 1 + 4 + 64 + 4096, "2^(n(n-1)) matrices have nonsingular leading minors");
}

}  // namespace proofs
