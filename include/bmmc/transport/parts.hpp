// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <bmmc/transport/blocks.hpp>
#include <bmmc/transport/ring.hpp>

namespace bmmc::transport {

/// Blocks in rounds, in parts: a few are always under way, while the one that came first is used.
/// One part at a time: a round begins when the one before has ended.
/// Memory  combining: the parts under way; else nothing.
template <class = void>
class blocks_in_parts final : public blocks {
 public:
  /// What is combined is cut into parts of `part_bytes`, so that it comes while other parts are
  /// used; else only MPI's int asks for parts.
  blocks_in_parts(std::shared_ptr<comm::communicator const> c, message_pattern pattern,
                  comm::datatype element, std::size_t element_bytes, index_t elements,
                  bool combines, std::size_t part_bytes, index_t in_flight)
      : element_(std::move(element)),
        exchange_(std::move(c), std::move(pattern), element_.handle(), element_bytes, elements) {
    const std::size_t bytes = combines ? part_bytes : std::size_t{1} << 30;
    part_ =
        std::min({elements, std::max<index_t>(1, bytes / element_bytes), comm::detail::most_count});
    parts_ = (elements + part_ - 1) / part_;
    depth_ = std::clamp<index_t>(in_flight, 1, std::max<index_t>(1, exchange_.blocks() * parts_));
    ring_ = ring(depth_, 1);
    if (combines) landing_ = workspace<std::byte>(depth_ * part_ * element_bytes);
  }

  void deliver(void const* source, void* target) override {
    run(
        source, [&](step const& s) { return exchange_.at(target, s.round) + offset(s); },
        [&](step const& s, std::byte const* data, std::byte* to) {
          if (data != to) std::memcpy(to, data, s.count * exchange_.element_bytes());
        });
  }
  void combine(void const* source, function_ref<void()> ready, arrival arrive) override {
    ready();
    run(
        source,
        [&](step const& s) {
          return landing_.elements().data() + s.slot * part_ * exchange_.element_bytes();
        },
        [&](step const& s, std::byte const* data, std::byte*) {
          arrive(s.round, s.first, s.count, data);
        });
  }

 private:
  /// A part of the blocks of one round.
  struct step {
    index_t round, slot, first, count;
  };
  [[nodiscard]] step step_at(index_t k) const noexcept {
    const index_t first = k % parts_ * part_;
    return {k / parts_, k % depth_, first, std::min(part_, exchange_.block_elements() - first)};
  }
  [[nodiscard]] std::size_t offset(step const& s) const noexcept {
    return s.first * exchange_.element_bytes();
  }

  /// place(step) is where a part lands, use(step, data, place) is called in the order of steps.
  template <class Place, class Use>
  void run(void const* source, Place place, Use use) {
    const given_up_on_exception guard(ring_.receives(), ring_.sends());
    const index_t steps = exchange_.blocks() * parts_;
    for (index_t k = 0; k < steps + depth_; ++k) {
      if (k >= depth_ && k - depth_ < steps) finish(step_at(k - depth_), source, place, use);
      if (k < steps) start(step_at(k), source, place);
    }
  }
  template <class Place>
  void start(step const& s, void const* source, Place place) {
    if (exchange_.stays(s.round)) return;
    const auto count = static_cast<int>(s.count);
    if (exchange_.source(s.round) != MPI_PROC_NULL)
      ring_.receive(s.slot, 0, exchange_, s.round, place(s), element_.handle(), count);
    if (exchange_.target(s.round) != MPI_PROC_NULL)
      ring_.send(s.slot, 0, exchange_, s.round, exchange_.at(source, s.round) + offset(s),
                 element_.handle(), count);
  }
  template <class Place, class Use>
  void finish(step const& s, void const* source, Place place, Use use) {
    ring_.wait_received(s.slot, exchange_);
    ring_.wait_sent(s.slot);
    if (exchange_.source(s.round) == MPI_PROC_NULL) return;
    std::byte* const to = place(s);
    use(s, exchange_.stays(s.round) ? exchange_.at(source, s.round) + offset(s) : to, to);
  }

  comm::datatype element_;
  comm::exchange exchange_;
  index_t part_, parts_, depth_;
  ring ring_;
  workspace<std::byte> landing_;
};

}  // namespace bmmc::transport
