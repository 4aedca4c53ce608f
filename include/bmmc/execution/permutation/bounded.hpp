// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <bmmc/execution/element_kind.hpp>
#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/local/in_place.hpp>

namespace bmmc::detail {

/// How a pass in place is made for elements of some type.
using in_place_maker = std::function<void(void*)> (*)(permutation<> const&);
template <class T>
[[nodiscard]] std::function<void(void*)> in_place_pass_of(permutation<> const& p) {
  return [pass = local::in_place_pass<T>(p)](void* data) { pass(static_cast<T*>(data)); };
}

/// Makes a bounded_plan.
template <class = void>
[[nodiscard]] std::unique_ptr<plan_runner> make_bounded(std::shared_ptr<comm::communicator const> c,
                                                        plan const& p, element_kind const& element,
                                                        in_place_maker pass_in_place);
/// Makes a bounded_plan for elements of a type.
template <class T>
[[nodiscard]] std::unique_ptr<plan_runner> make_bounded_plan(
    std::shared_ptr<comm::communicator const> c, plan const& p, element_kind const& element) {
  return make_bounded(std::move(c), p, element, &in_place_pass_of<T>);
}

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has it, once for a program
#include <bmmc/execution/permutation/bounded_plan.hpp>
#endif
