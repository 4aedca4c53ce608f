// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <bmmc/plan/plan.hpp>

#include "catch.hpp"

using chunks = std::vector<std::vector<bmmc::index_t>>;  // [process][offset]

/// Every process's offset x goes to map_of(process)(x).
inline chunks move_inside(chunks const& before, auto const& map_of) {
  chunks after = before;
  for (std::size_t proc = 0; proc < before.size(); ++proc) {
    const auto map = map_of(proc);
    for (bmmc::index_t x = 0; x < before[proc].size(); ++x) after[proc][map(x)] = before[proc][x];
  }
  return after;
}

/// The messages of all steps. Each process sends and receives one per step, and both ends agree.
inline chunks exchange(bmmc::plan const& p, chunks const& before) {
  const bmmc::index_t size = p.message_elements();
  chunks after(before.size(), std::vector<bmmc::index_t>(before[0].size(), ~bmmc::index_t{0}));
  for (bmmc::index_t step = 0; step < p.messages(); ++step) {
    std::vector<char> received(before.size(), 0);
    for (bmmc::index_t proc = 0; proc < p.procs(); ++proc) {
      const bmmc::index_t target = p.target(proc, step);
      REQUIRE(target < p.procs());
      REQUIRE(p.source(target, step) == proc);
      REQUIRE(received[target]++ == 0);
      for (bmmc::index_t j = step * size; j < (step + 1) * size; ++j)
        after[target][j] = before[proc][j];
    }
  }
  return after;
}

/// What a plan does with the data of all processes, without MPI.
inline chunks simulate(bmmc::plan const& p, chunks const& data) {
  const auto gathered = move_inside(data, [&](bmmc::index_t proc) { return p.gather(proc); });
  return move_inside(exchange(p, gathered), [&](bmmc::index_t proc) { return p.scatter(proc); });
}
