// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <bmmc/element/bytes.hpp>
#include <bmmc/execution/call_memory.hpp>
#include <bmmc/execution/map/operation.hpp>

namespace bmmc::detail {

/// Calls that may leave something: their elements travel as bytes, and they can be compared.
template <class T, class Element, class... Key>
concept KeepsMapCalls = element::Direct<Element, T> && (std::equality_comparable<Key> && ...);

/// Bytes of a process's source and target, the same on all of them; 2^63 for more.
[[nodiscard]] std::size_t map_bytes(affine_map const& map, int procs, std::size_t size);

/// One call of gather() or reduce(), through an operation that an earlier one has left, or a new
/// one: see call_limits.
///   key    begins with the map
///   make   of a policy: an operation for these spans, agreed upon
///   again  gives an earlier operation what is not in its key
template <class T, class Element, class Plan, class Runner, class Operation, class Comm, class Key,
          class Make, class Again>
void one_map_call(MPI_Comm original, Comm const& policy, Key const& key, std::span<T const> source,
                  std::span<T> target, Make make, Again again) {
  using call = keyed_call<Operation, Key>;
  const auto c = comm::communicator::of(original);
  const comm::exclusive_use use(*c);
  const std::size_t bytes = map_bytes(std::get<0>(key), c->size(), sizeof(T));
  call_memory* memory = nullptr;
  call* found = nullptr;
  std::unique_ptr<kept_call> kept;
  comm::objection against;
  against.attempt("no memory for a call", [&] {
    memory = &call_memory::of(*c);
    found = memory->find<call>(key);
    if (found != nullptr && !found->is_for_one_call)
      return objection_to(found->operation->plan(), source, std::span<T const>(target));
    if (memory->keeps() && bytes <= memory->limits().bytes) {
      kept = std::make_unique<call>(key);
      kept->own_bytes = bytes;
      memory->reserve();
    }
    return std::string();
  });
  const bool all_alike =
      comm::agree_and_compare(*c, against, map_call_facts<T, Element, Plan, Runner>(true, policy),
                              found != nullptr ? found->number : 0);
  const bool lasts = found != nullptr && all_alike;
  if (lasts && !found->is_for_one_call) {
    memory->use(found);
    const clear_on_exception guard{memory};
    again(*found->operation);
    return (*found->operation)(source, target);
  }
  Operation once = make(lasts ? policy : for_one_call(policy));
  if (kept == nullptr || !all_alike) return once(source, target);
  kept->is_for_one_call = !lasts && !(for_one_call(policy) == policy);
  Operation& ready = static_cast<call&>(*kept).operation.emplace(std::move(once));
  memory->keep(std::move(kept), found, {}, memory->window().get());
  const clear_on_exception guard{memory};
  ready(source, target);
}

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has it, once for a program
#include <bmmc/execution/map/one_call_once.hpp>
#endif
