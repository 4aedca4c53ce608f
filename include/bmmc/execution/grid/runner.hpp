// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <bmmc/comm/communicator.hpp>
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

/// A grid_runner whose calls are started and waited for; several arrays may go the same way.
class grid_flight : public grid_runner {
 public:
  /// The sources are free again on return; the targets are written by wait() or test(). One address
  /// for each array.
  virtual void start(std::span<void const* const> sources, std::span<void* const> targets) = 0;
  void start(void const* source, void* target) {
    start(std::span(&source, 1), std::span(&target, 1));
  }
  [[nodiscard]] virtual bool is_under_way() const noexcept = 0;
  virtual void wait() = 0;
  [[nodiscard]] virtual bool test() = 0;
};

}  // namespace bmmc::detail
