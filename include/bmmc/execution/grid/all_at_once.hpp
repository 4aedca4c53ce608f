// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <bmmc/execution/grid/mover.hpp>
#include <bmmc/execution/grid/runner.hpp>
#include <bmmc/plan/pattern.hpp>
#include <bmmc/transport/persistent.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::detail {

/// The two sides of an exchange in which all messages are packed first: what is sent to the
/// processes stands one after the other, and so does what is received. What a process keeps comes
/// first on both sides.
template <class = void>
class grid_packed {
 public:
  explicit grid_packed(grid_work const& work)
      : route_(work.route),
        mover_(work.element_bytes),
        pattern_(pattern_of(*route_, work.proc(), work.procs())),
        sent_(route_->plan().source().count(work.proc()) * work.element_bytes),
        received_(route_->plan().target().count(route_->plan().number(work.proc())) *
                  work.element_bytes) {}

  [[nodiscard]] std::byte* sent() const noexcept { return sent_.elements().data(); }
  [[nodiscard]] std::byte* received() const noexcept { return received_.elements().data(); }
  /// The messages to others and from them.
  [[nodiscard]] message_pattern messages() const {
    message_pattern others = pattern_;
    others.rounds.erase(others.rounds.begin());
    return others;
  }

  /// What is kept is packed only on request, and else moved by keep().
  void pack(void const* source, bool kept) const {
    for (std::size_t k = kept ? 0 : 1; k < pattern_.rounds.size(); ++k)
      if (message const& m = pattern_.rounds[k].sent; m.elements != 0)
        mover_(route_->sent_boxes(m.proc), source, sent() + m.first * mover_.element_bytes());
  }
  void keep(void const* source, void* target) const {
    mover_(route_->kept_boxes(), source, target);
  }
  void unpack(void* target, bool kept) const {
    for (std::size_t k = kept ? 0 : 1; k < pattern_.rounds.size(); ++k)
      if (message const& m = pattern_.rounds[k].received; m.elements != 0)
        mover_(route_->received_boxes(m.proc),
               (k == 0 ? sent() : received()) + m.first * mover_.element_bytes(), target);
  }

 private:
  std::shared_ptr<grid_route const> route_;
  box_mover<> mover_;
  message_pattern pattern_;
  transport::workspace<std::byte> sent_, received_;
};

/// All messages under way at a time, by persistent requests. Several arrays that go the same way
/// share their messages.
/// Memory  a chunk sent and one received, of each array.
template <class = void>
class grid_pipelined final : public grid_flight {
 public:
  explicit grid_pipelined(grid_work const& work) : grid_pipelined(std::vector{work}) {}
  /// One array at least, all with one communicator and one route; their elements may differ.
  explicit grid_pipelined(std::vector<grid_work> const& arrays) : targets_(arrays.size()) {
    std::vector<transport::travelling_array> travelling;
    for (grid_work const& work : arrays) {
      auto const& packed = *packed_.emplace_back(std::make_unique<grid_packed<>>(work));
      travelling.push_back({packed.sent(), packed.received(), work.element, work.element_bytes});
    }
    messages_ = std::make_unique<transport::persistent_messages<>>(
        arrays[0].comm, packed_[0]->messages(), std::move(travelling));
  }
  /// Waits for what is under way; while an exception leaves the process, and after an error, that
  /// cannot be: what MPI may still use is then never freed.
  ~grid_pipelined() override {
    if (comm::is_finalized()) return;
    if (is_under_way() && std::uncaught_exceptions() != 0) messages_->abandon();
    if (messages_->is_abandoned())
      for (auto& each : packed_) static_cast<void>(each.release());
  }

  void move(void const* source, void* target) override {
    packed_[0]->pack(source, false);
    messages_->start();
    packed_[0]->keep(source, target);
    messages_->wait();
    packed_[0]->unpack(target, false);
  }
  void in_place(void* chunk) override {
    start(chunk, chunk);
    wait();
  }

  using grid_flight::start;
  void start(std::span<void const* const> sources, std::span<void* const> targets) override {
    for (std::size_t i = 0; i < packed_.size(); ++i) packed_[i]->pack(sources[i], true);
    std::copy(targets.begin(), targets.end(), targets_.begin());
    messages_->start();
  }
  [[nodiscard]] bool is_under_way() const noexcept override { return messages_->is_under_way(); }
  void wait() override {
    if (messages_->wait()) arrive();
  }
  [[nodiscard]] bool test() override {
    if (messages_->test()) arrive();
    return !is_under_way();
  }

 private:
  void arrive() const {
    for (std::size_t i = 0; i < packed_.size(); ++i) packed_[i]->unpack(targets_[i], true);
  }

  std::vector<std::unique_ptr<grid_packed<>>> packed_{};
  std::vector<void*> targets_;
  std::unique_ptr<transport::persistent_messages<>> messages_{};
};

/// One MPI_Alltoallv.
/// Memory  a chunk sent and one received, and four ints for each process.
template <class = void>
class grid_alltoallv final : public grid_runner {
 public:
  /// Throws bad_value for a chunk of more elements than an int counts.
  explicit grid_alltoallv(grid_work const& work) : work_(work), packed_(work) {
    for (auto* table : {&send_count_, &send_first_, &receive_count_, &receive_first_})
      table->assign(work.procs(), 0);
    for (message_round const& round : packed_.messages().rounds) {
      enter(round.sent, send_count_, send_first_);
      enter(round.received, receive_count_, receive_first_);
    }
  }

  void move(void const* source, void* target) override {
    packed_.pack(source, false);
    packed_.keep(source, target);
    exchange();
    packed_.unpack(target, false);
  }
  void in_place(void* chunk) override {
    packed_.pack(chunk, true);
    exchange();
    packed_.unpack(chunk, true);
  }

 private:
  static void enter(message const& m, std::vector<int>& count, std::vector<int>& first) {
    if (m.elements == 0) return;
    if (m.first + m.elements > comm::detail::most_count)
      refuse({"MPI_Alltoallv counts to 2^31 - 1: it cannot take ", m.first + m.elements,
              " elements; take comm::pairwise"});
    count[m.proc] = static_cast<int>(m.elements);
    first[m.proc] = static_cast<int>(m.first);
  }
  void exchange() const {
    comm::check(MPI_Alltoallv(packed_.sent(), send_count_.data(), send_first_.data(), work_.element,
                              packed_.received(), receive_count_.data(), receive_first_.data(),
                              work_.element, work_.comm->handle()),
                "MPI_Alltoallv");
  }

  grid_work work_;
  grid_packed<> packed_;
  std::vector<int> send_count_, send_first_, receive_count_, receive_first_;
};

}  // namespace bmmc::detail
