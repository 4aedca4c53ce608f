// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/execution/grid/mover.hpp>
#include <bmmc/plan/grid_route.hpp>

namespace bmmc::detail {

/// What the ways of a grid_plan have in common: elements that travel as they lie in memory.
struct grid_work {
  std::shared_ptr<comm::communicator const> comm;
  std::shared_ptr<grid_route const> route;
  index_t element_bytes = 1;
  MPI_Datatype element = MPI_DATATYPE_NULL;  // belongs to who made this

  [[nodiscard]] index_t proc() const { return route->proc(); }
  [[nodiscard]] index_t procs() const { return static_cast<index_t>(comm->size()); }
  [[nodiscard]] index_t source_span() const { return route->plan().source().span(proc()); }
};

/// A way to carry out a grid_plan, ready to be called; nothing is allocated in a call.
class grid_runner {
 public:
  static constexpr std::array<char const*, 2> calls{"in place", "from source to target"};

  grid_runner() = default;
  grid_runner(grid_runner const&) = delete;
  grid_runner& operator=(grid_runner const&) = delete;
  virtual ~grid_runner() = default;

  /// Collective, once, after all processes have agreed: for what is made together.
  virtual void open() {}
  /// From an array to another that does not overlap it; and in one array.
  virtual void move(void const* source, void* target) = 0;
  virtual void in_place(void* chunk) = 0;
  /// What was chosen and why, where there was a choice.
  [[nodiscard]] virtual std::string choice() const { return {}; }
};

}  // namespace bmmc::detail
