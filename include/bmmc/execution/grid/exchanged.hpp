// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <bmmc/execution/grid/mover.hpp>
#include <bmmc/execution/grid/runner.hpp>
#include <bmmc/plan/pattern.hpp>
#include <bmmc/transport/exchange.hpp>
#include <bmmc/transport/workspace.hpp>
#include <bmmc/transport/written.hpp>

namespace bmmc::detail {

/// Carries out a grid_plan by a policy that moves equal blocks: every message is padded to the
/// longest of any process. What stays is copied.
/// Memory  the padded messages sent, and those received; in place what is kept, too.
template <class Comm>
class grid_exchanged final : public grid_runner {
 public:
  grid_exchanged(grid_work work, Comm const& policy, bool in_place)
      : work_(std::move(work)),
        mover_(work_.element_bytes),
        policy_(policy),
        pattern_(transport::among_others(pattern_of(*work_.route, work_.proc(), work_.procs()))),
        kept_(in_place ? work_.route->sent(work_.proc()) * work_.element_bytes : 0) {}

  void open() override {
    length_ = comm::padded_length(*work_.comm, transport::longest_sent(pattern_));
    comm::objection against;
    against.attempt("no memory for the messages of a redistribution", [&] {
      const std::size_t bytes = pattern_.rounds.size() * length_ * work_.element_bytes;
      sent_ = transport::workspace<std::byte>(bytes);
      received_ = transport::workspace<std::byte>(bytes);
      exchange_.emplace(work_.comm, transport::padded(pattern_, length_), work_.element,
                        work_.element_bytes, length_);
      if constexpr (comm::PreparedPolicy<Comm>) policy_.prepare(*exchange_);
    });
    comm::agree(*work_.comm, against);
  }

  void move(void const* source, void* target) override {
    mover_(work_.route->kept_boxes(), source, target);
    send(source);
    unpack(target);
  }
  void in_place(void* chunk) override {
    void* const kept = kept_.elements().data();
    mover_(work_.route->sent_boxes(work_.proc()), chunk, kept);
    send(chunk);
    mover_(work_.route->received_boxes(work_.proc()), kept, chunk);
    unpack(chunk);
  }

 private:
  void send(void const* source) {
    for (std::size_t b = 0; b < pattern_.rounds.size(); ++b)
      if (message const& m = pattern_.rounds[b].sent; m.elements != 0)
        mover_(work_.route->sent_boxes(m.proc), source, block(sent_, b));
    policy_.move(*exchange_, static_cast<void const*>(sent_.elements().data()),
                 static_cast<void*>(received_.elements().data()));
  }
  void unpack(void* target) const {
    for (std::size_t b = 0; b < pattern_.rounds.size(); ++b)
      if (message const& m = pattern_.rounds[b].received; m.elements != 0)
        mover_(work_.route->received_boxes(m.proc), block(received_, b), target);
  }
  [[nodiscard]] std::byte* block(transport::workspace<std::byte> const& row, std::size_t b) const {
    return row.elements().data() + b * length_ * work_.element_bytes;
  }

  grid_work work_;
  box_mover<> mover_;
  Comm policy_;
  message_pattern pattern_;
  index_t length_ = 0;
  transport::workspace<std::byte> kept_, sent_{}, received_{};
  std::optional<comm::exchange> exchange_{};
};

}  // namespace bmmc::detail
