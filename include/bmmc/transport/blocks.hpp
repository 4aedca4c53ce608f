// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include <bmmc/comm/window.hpp>
#include <bmmc/transport/exchange.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::transport {

/// A function that outlives the call which it is handed to. Nothing is allocated.
template <class Signature>
class function_ref;
template <class... Args>
class function_ref<void(Args...)> {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, function_ref>)
  function_ref(F&& f)  // NOLINT: meant to convert
      : object_(const_cast<void*>(static_cast<void const*>(std::addressof(f)))),
        call_([](void* object, Args... args) {
          (*static_cast<std::remove_reference_t<F>*>(object))(args...);
        }) {}
  void operator()(Args... args) const { call_(object_, args...); }

 private:
  void* object_;
  void (*call_)(void*, Args...);
};

/// Takes elements [first, first + count) of the block that comes in a round.
using arrival = function_ref<void(index_t round, index_t first, index_t count, void const* data)>;

/// The blocks of a map under way, by whatever way: elements are bytes here. Called by all processes
/// alike; a call allocates nothing.
class blocks {
 public:
  blocks() = default;
  blocks(blocks const&) = delete;
  blocks& operator=(blocks const&) = delete;
  virtual ~blocks() = default;

  /// Collective, once, when all processes have agreed.
  virtual void open() {}
  /// Where a process may put what it sends, so that it need not be copied; nullptr: anywhere.
  [[nodiscard]] virtual void* staging() const noexcept { return nullptr; }
  /// What copies blocks, in place of memcpy, to where neighbours read them.
  using copy_block = std::function<void(void const* from, void* to, std::size_t bytes)>;
  virtual void stage_by(copy_block) {}

  /// Brings every block to its place in the target.
  virtual void deliver(void const* source, void* target) = 0;
  /// Hands every block to arrive, whole or in parts, in the order of rounds, once ready() has been
  /// called.
  virtual void combine(void const* source, function_ref<void()> ready, arrival arrive) = 0;
  /// The same from a window that holds what all send, where it can be read there.
  [[nodiscard]] virtual bool reads(comm::window const&) const noexcept { return false; }
  virtual void combine(comm::window const& source, function_ref<void()> ready, arrival arrive) {
    combine(static_cast<void const*>(source.part()), ready, arrive);
  }
};

/// Blocks that a policy moves all together.
/// Memory  combining: a row of all blocks received, besides the policy's own.
template <class Comm>
class moved_blocks final : public blocks {
 public:
  moved_blocks(std::shared_ptr<comm::communicator const> c, message_pattern pattern,
               comm::datatype element, std::size_t element_bytes, index_t elements, bool combines,
               Comm const& policy)
      : element_(std::move(element)),
        exchange_(std::move(c), in_row(std::move(pattern), combines), element_.handle(),
                  element_bytes, elements),
        policy_(policy),
        landing_(combines ? exchange_.blocks() * exchange_.block_bytes() : 0) {
    if constexpr (comm::PreparedPolicy<Comm>) policy_.prepare(exchange_);
  }

  void deliver(void const* source, void* target) override {
    policy_.move(exchange_, source, target);
  }
  void combine(void const* source, function_ref<void()> ready, arrival arrive) override {
    void* const landing = landing_.elements().data();
    policy_.move(exchange_, source, landing);
    ready();
    for (index_t b = 0; b < exchange_.blocks(); ++b)
      if (exchange_.source(b) != MPI_PROC_NULL)
        arrive(b, 0, exchange_.block_elements(), exchange_.at(landing, b));
  }

 private:
  /// Where blocks are combined they land one after the other.
  [[nodiscard]] static message_pattern in_row(message_pattern pattern, bool combines) {
    index_t first = 0;
    if (combines)
      for (message_round& round : pattern.rounds) {
        round.received.first = first;
        first += round.received.elements;
      }
    return pattern;
  }

  comm::datatype element_;
  comm::exchange exchange_;
  Comm policy_;
  workspace<std::byte> landing_;
};

}  // namespace bmmc::transport
