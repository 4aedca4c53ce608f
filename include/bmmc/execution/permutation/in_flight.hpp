// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/execution/element_kind.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// A permutation of several arrays that is started and waited for: one message per block for all
/// of them. Between start and arrival nothing of the caller's is touched.
/// Memory  two chunks of every array.
class in_flight {
 public:
  in_flight() = default;
  in_flight(in_flight const&) = delete;
  in_flight& operator=(in_flight const&) = delete;
  /// Waits for what is under way; while an exception leaves the process, and after an error, that
  /// cannot be: what MPI may still use is then never freed.
  virtual ~in_flight() = default;

  [[nodiscard]] virtual bool is_under_way() const noexcept = 0;
  /// Sources are free again on return; `targets` are written by wait() or test(). One address per
  /// array.
  virtual void start(std::span<void const* const> sources, std::span<void* const> targets) = 0;
  virtual void wait() = 0;
  /// Whether all is in its place, or nothing was started.
  [[nodiscard]] virtual bool test() = 0;
};

/// For arrays of these kinds of elements.
template <class = void>
[[nodiscard]] std::unique_ptr<in_flight> make_in_flight(std::shared_ptr<comm::communicator const> c,
                                                        plan const& p,
                                                        std::vector<element_kind> const& kinds);

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has it, once for a program
#include <bmmc/execution/permutation/in_flight_once.hpp>
#endif
