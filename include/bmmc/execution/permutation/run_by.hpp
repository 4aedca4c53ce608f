// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <utility>

#include <bmmc/comm/shared_window.hpp>
#include <bmmc/execution/permutation/bounded.hpp>
#include <bmmc/execution/permutation/exchanged.hpp>
#include <bmmc/execution/permutation/make.hpp>
#include <bmmc/execution/permutation/written.hpp>

namespace bmmc::detail {

/// How a policy carries out plans over elements of a type: scratch elements, and the runner. As an
/// exchange of blocks, unless the library knows a better way.
template <class T, class Element, class Comm>
struct run_by {
  static constexpr bool chooses = std::derived_from<Comm, comm::automatic>;
  static constexpr bool is_bounded = std::derived_from<Comm, comm::within_budget>;

  [[nodiscard]] static constexpr index_t scratch(plan const& p, Comm const& policy, bool in_place) {
    if constexpr (!element::Direct<Element, T>)
      return written_plan<T, Element, Comm>::scratch(p, in_place);
    else if constexpr (!Movable<T, Element>)
      return scratch_of_exchange(p, comm::ReplacingPolicy<Comm>, in_place);
    else if constexpr (chooses || is_bounded)
      return scratch_of_choice(p, sizeof(T), budget(policy), in_place);
    else if constexpr (std::derived_from<Comm, comm::shared_window>)
      return policy.piece_bytes != 0 && in_place ? p.chunk_elements() : 0;
    else if constexpr (std::derived_from<Comm, comm::pipelined>)
      return scratch_of_pieces(p, sizeof(T), policy, in_place);
    else
      return scratch_of_exchange(p, comm::ReplacingPolicy<Comm>, in_place);
  }

  /// Not collective: see plan_runner::open.
  [[nodiscard]] static std::unique_ptr<plan_runner> make(
      std::shared_ptr<comm::communicator const> c, plan const& p, Comm const& policy,
      working_memory memory) {
    if constexpr (!element::Direct<Element, T>) {
      return std::make_unique<written_plan<T, Element, Comm>>(std::move(c), p, policy,
                                                              memory.scratch);
    } else {
      const auto kind = element_kind::of<T, Element>();
      if constexpr (!Movable<T, Element>)
        return std::make_unique<exchanged_plan<Comm>>(std::move(c), p, kind, policy,
                                                      memory.scratch);
      else if constexpr (chooses)
        return make_automatic(std::move(c), p, kind, policy, budget(policy), memory, nullptr);
      else if constexpr (is_bounded)
        return make_automatic(std::move(c), p, kind, policy.choice(), budget(policy), memory,
                              &make_bounded_plan<T>);
      else if constexpr (std::derived_from<Comm, comm::shared_window>)
        return make_shared_plan(std::move(c), p, kind, policy, memory);
      else if constexpr (std::derived_from<Comm, comm::pipelined>)
        return make_piecewise(std::move(c), p, kind, policy, memory);
      else
        return std::make_unique<exchanged_plan<Comm>>(std::move(c), p, kind, policy,
                                                      memory.scratch);
    }
  }

 private:
  /// Scratch elements that a policy allows.
  [[nodiscard]] static constexpr index_t budget(Comm const& policy) {
    if constexpr (is_bounded)
      return policy.bytes / sizeof(T);
    else
      return unlimited;
  }
};

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has the library's own policies, once for a program
#include <bmmc/transport/all_at_once.hpp>
#include <bmmc/transport/dimensions.hpp>
#include <bmmc/transport/in_place_once.hpp>
#include <bmmc/transport/radix_once.hpp>
#include <bmmc/transport/ring.hpp>
#include <bmmc/transport/rounds.hpp>
#endif
