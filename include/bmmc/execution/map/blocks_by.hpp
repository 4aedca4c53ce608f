// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <bmmc/comm/pipelined.hpp>
#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/execution/map/machine.hpp>
#include <bmmc/transport/blocks.hpp>
#include <bmmc/transport/window.hpp>
#include <bmmc/transport/written.hpp>

namespace bmmc::detail {

/// The blocks of a map on one process, all of `elements` elements. Through the windows of a node:
/// how many elements a process sends, as they lie together, and where in what the other one sends
/// the block of each round begins.
struct map_blocks {
  std::shared_ptr<comm::communicator const> comm;
  message_pattern pattern;
  index_t elements;
  bool combines;
  std::shared_ptr<comm::node const> node{};
  index_t staged = 0;
  std::vector<index_t> origins{};
};

/// Blocks of elements that must be written into bytes.
/// Memory  see transport/written.hpp; combining, a block of elements.
template <class T, class Element, class Comm>
class written_blocks final : public transport::blocks {
 public:
  written_blocks(map_blocks work, Comm const& policy)
      : work_(std::move(work)), policy_(policy), landing_(work_.combines ? work_.elements : 0) {}

  void deliver(void const* source, void* target) override {
    transfer(
        source, [] {},
        [&](index_t b, auto& read) {
          T* const to = static_cast<T*>(target) + work_.pattern.rounds[b].received.first;
          for (index_t j = 0; j < work_.elements; ++j) read(to[j]);
        });
  }
  void combine(void const* source, transport::function_ref<void()> ready,
               transport::arrival arrive) override {
    T* const block = landing_.elements().data();
    transfer(source, ready, [&](index_t b, auto& read) {
      for (index_t j = 0; j < work_.elements; ++j) read(block[j]);
      arrive(b, 0, work_.elements, block);
    });
  }

 private:
  template <class Ready, class Read>
  void transfer(void const* source, Ready ready, Read read) {
    transport::carry_written<Element>(
        *work_.comm, work_.pattern, policy_,
        [&](index_t length) {
          return comm::exchange(work_.comm, transport::padded(work_.pattern, length), MPI_BYTE, 1,
                                length);
        },
        [&](index_t b, auto& write) {
          T const* const from = static_cast<T const*>(source) + work_.pattern.rounds[b].sent.first;
          for (index_t j = 0; j < work_.elements; ++j) write(from[j]);
        },
        ready, read);
  }

  map_blocks work_;
  Comm policy_;
  transport::workspace<T> landing_;
};

/// Parts under way where nothing is said: many of short ones, whose latency counts, but not more
/// than a cache holds until they are used.
[[nodiscard]] constexpr index_t usual_in_flight(index_t block_bytes, index_t part_bytes) noexcept {
  constexpr index_t held = index_t{1} << 19;
  return std::clamp<index_t>(held / std::max<index_t>(1, std::min(block_bytes, part_bytes)), 2, 8);
}
static_assert(usual_in_flight(1 << 12, 1 << 18) == 8 && usual_in_flight(1 << 17, 1 << 18) == 4);
static_assert(usual_in_flight(1 << 24, 1 << 18) == 2 && usual_in_flight(0, 1 << 18) == 8);

/// How a policy carries the blocks of a map. The library's own combine what comes while other parts
/// are under way; others move all blocks, which are combined then.
template <class T, class Element, class Comm>
[[nodiscard]] std::unique_ptr<transport::blocks> blocks_by(map_blocks work, Comm const& policy) {
  if constexpr (!element::Direct<Element, T>) {
    return std::make_unique<written_blocks<T, Element, Comm>>(std::move(work), policy);
  } else {
    const auto in_parts = [&](message_pattern pattern, std::size_t bytes, index_t in_flight) {
      return std::make_unique<transport::blocks_in_parts<>>(
          work.comm, std::move(pattern), Element::template datatype<T>(), sizeof(T), work.elements,
          work.combines, bytes, in_flight);
    };
    constexpr std::size_t usual_part = std::size_t{1} << 18;
    if constexpr (ThroughWindows<T, Element, Comm>) {
      const index_t in_flight = usual_in_flight(work.elements * sizeof(T), usual_part);
      if (!work.node) return in_parts(std::move(work.pattern), usual_part, in_flight);
      auto far = in_parts(transport::window_blocks<>::far_rounds(work.pattern, *work.node),
                          usual_part, in_flight);
      return std::make_unique<transport::window_blocks<>>(
          std::move(work.comm), std::move(work.node), std::move(work.pattern), sizeof(T),
          work.elements, work.staged, std::move(work.origins), std::move(far));
    } else if constexpr (std::derived_from<Comm, comm::pipelined>) {
      return in_parts(std::move(work.pattern),
                      policy.piece_bytes != 0 ? policy.piece_bytes : usual_part, policy.in_flight);
    } else if constexpr (std::same_as<Comm, comm::sendrecv>) {
      return in_parts(std::move(work.pattern), std::size_t{1} << 20, 1);
    } else {
      return std::make_unique<transport::moved_blocks<Comm>>(
          std::move(work.comm), std::move(work.pattern), Element::template datatype<T>(), sizeof(T),
          work.elements, work.combines, policy);
    }
  }
}

}  // namespace bmmc::detail

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has the library's own policies, once for a program
#include <bmmc/transport/all_at_once.hpp>
#include <bmmc/transport/rounds.hpp>
#endif
