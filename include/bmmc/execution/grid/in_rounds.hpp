// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include <bmmc/execution/grid/mover.hpp>
#include <bmmc/execution/grid/runner.hpp>
#include <bmmc/transport/rounds.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::detail {

/// A message in parts that stay in the cache: boxes, as many as have room in a part. Sender and
/// receiver cut it alike.
template <class = void>
class message_parts {
 public:
  message_parts(grid_boxes const& boxes, index_t most) : parts_(boxes), most_(most) {
    is_there_ = parts_.next(most_, next_);
  }
  /// Calls use(box) for the boxes of the next part, and returns its elements: 0 behind the last.
  template <class F>
  index_t take(F use) {
    index_t all = 0;
    for (index_t count; is_there_ && all + (count = next_.elements()) <= most_; all += count) {
      use(std::as_const(next_));
      is_there_ = parts_.next(most_, next_);
    }
    return all;
  }
  [[nodiscard]] index_t count() const {
    return message_parts(*this).take([](grid_box const&) {});
  }

 private:
  grid_parts parts_;
  index_t most_;
  grid_box next_{};
  bool is_there_;
};

/// P - 1 rounds with one partner to send to and one to receive from. Each message is packed, sent
/// and put in its place in parts of 1 MiB.
/// Memory  a part sent and one received; in place a copy of the chunk, too.
template <class = void>
class grid_in_rounds final : public grid_runner {
 public:
  grid_in_rounds(grid_work work, bool in_place)
      : work_(std::move(work)),
        mover_(work_.element_bytes),
        part_(std::max<index_t>(1, bit(20) / work_.element_bytes)),
        copy_(in_place ? work_.source_span() * work_.element_bytes : 0) {
    index_t sent = 0, received = 0;
    for (index_t proc = 0; proc < work_.procs(); ++proc) {
      if (proc == work_.proc()) continue;
      sent = std::max(sent, work_.route->sent(proc));
      received = std::max(received, work_.route->received(proc));
    }
    sent_ = transport::workspace<std::byte>(std::min(sent, part_) * work_.element_bytes);
    received_ = transport::workspace<std::byte>(std::min(received, part_) * work_.element_bytes);
  }

  void move(void const* source, void* target) override {
    mover_(work_.route->kept_boxes(), source, target);
    transport::for_each_round(*work_.comm,
                              [&](index_t to, index_t from) { trade(to, from, source, target); });
  }
  void in_place(void* chunk) override {
    if (work_.route->plan().is_unchanged()) return;
    std::copy_n(static_cast<std::byte const*>(chunk), copy_.elements().size(),
                copy_.elements().data());  // a process may hold nothing
    move(copy_.elements().data(), chunk);
  }

 private:
  void trade(index_t to, index_t from, void const* source, void* target) {
    message_parts<> out(work_.route->sent_boxes(to), part_),
        in(work_.route->received_boxes(from), part_);
    std::byte *const packed = sent_.elements().data(), *const arrived = received_.elements().data();
    for (index_t sent = 0, received = 0;;) {
      const auto in_part = [&](void* part, index_t before) {
        return static_cast<std::byte*>(part) - before * work_.element_bytes;
      };
      const index_t leaves =
          out.take([&](grid_box const& box) { mover_(box, source, in_part(packed, sent)); });
      const index_t comes = in.count();
      if (leaves == 0 && comes == 0) return;
      transport::trade(*work_.comm, work_.element, work_.element_bytes, packed, {to, 0, leaves},
                       arrived, {from, 0, comes});
      in.take([&](grid_box const& box) { mover_(box, in_part(arrived, received), target); });
      sent += leaves;
      received += comes;
    }
  }

  grid_work work_;
  box_mover<> mover_;
  index_t part_;
  transport::workspace<std::byte> copy_, sent_, received_;
};

}  // namespace bmmc::detail
