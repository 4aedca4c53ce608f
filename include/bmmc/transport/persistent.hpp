// SPDX-License-Identifier: BSL-1.0
#pragma once

// One message per round for several arrays, by persistent requests.

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/comm/communicator.hpp>
#include <bmmc/comm/datatype.hpp>
#include <bmmc/plan/pattern.hpp>
#include <bmmc/transport/pending.hpp>

namespace bmmc::transport {

/// An array whose blocks travel with those of others.
struct travelling_array {
  std::byte *sent, *received;
  MPI_Datatype element;
  std::size_t element_bytes;
};

/// The messages of a pattern, with the blocks of all arrays in each, to be sent again and again.
/// The arrays must stay where they are, also while messages are under way.
template <class = void>
class persistent_messages {
 public:
  persistent_messages(std::shared_ptr<comm::communicator const> c, message_pattern pattern,
                      std::vector<travelling_array> arrays)
      : comm_(std::move(c)), pattern_(std::move(pattern)), arrays_(std::move(arrays)) {
    for (message_round const& round : pattern_.rounds) prepare(round.received, false);
    for (message_round const& round : pattern_.rounds) prepare(round.sent, true);
    statuses_.resize(requests_.size());
  }
  persistent_messages(persistent_messages const&) = delete;
  persistent_messages& operator=(persistent_messages const&) = delete;
  /// Waits for what is under way.
  ~persistent_messages() {
    if (comm::is_finalized() || is_abandoned_) return;
    MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }

  /// Nobody will wait: what MPI may still write to or read must never be freed.
  void abandon() noexcept { is_abandoned_ = true; }
  [[nodiscard]] bool is_abandoned() const noexcept { return is_abandoned_; }

  [[nodiscard]] bool is_under_way() const noexcept { return is_under_way_; }

  void start() {
    if (is_abandoned_) throw transport_error("messages that were started before have failed");
    is_under_way_ = true;
    const given_up_on_exception guard{*this};
    if (!requests_.empty()) comm::check(MPI_Startall(count(), requests_.data()), "MPI_Startall");
    for (message_round const& round : pattern_.rounds)
      if (round.sent.elements != 0 && round.sent.proc == pattern_.proc)
        for (travelling_array const& a : arrays_)
          std::memcpy(a.received + round.received.first * a.element_bytes,
                      a.sent + round.sent.first * a.element_bytes,
                      round.sent.elements * a.element_bytes);
  }
  /// Whether this call has brought what was under way: not where nothing was started.
  bool wait() {
    if (!is_under_way_) return false;
    const given_up_on_exception guard{*this};
    comm::check(MPI_Waitall(count(), requests_.data(), statuses_.data()), "MPI_Waitall");
    arrive();
    return true;
  }
  [[nodiscard]] bool test() {
    if (!is_under_way_) return false;
    const given_up_on_exception guard{*this};
    int done = 0;
    comm::check(MPI_Testall(count(), requests_.data(), &done, statuses_.data()), "MPI_Testall");
    if (done != 0) arrive();
    return done != 0;
  }

 private:
  /// After an error nothing is under way for the caller, and the communicator has failed. Receives
  /// end; MPI may still send.
  struct given_up_on_exception {
    persistent_messages& messages;
    int before = std::uncaught_exceptions();
    ~given_up_on_exception() {
      if (std::uncaught_exceptions() == before) return;
      for (std::size_t i = 0; i < messages.receives_; ++i) cancel_receive(messages.requests_[i]);
      messages.is_under_way_ = false;
      messages.abandon();
      messages.comm_->fail();
    }
  };

  [[nodiscard]] int count() const noexcept { return static_cast<int>(requests_.size()); }

  /// The request for a block: one type that reaches it in every array.
  void prepare(message const& m, bool sends) {
    if (m.elements == 0 || m.proc == pattern_.proc) return;
    std::vector<comm::datatype> rows;
    std::vector<MPI_Datatype> types;
    std::vector<MPI_Aint> addresses(arrays_.size());
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      travelling_array const& a = arrays_[i];
      rows.push_back(comm::datatype::row_of(a.element, m.elements));
      types.push_back(rows.back().handle());
      MPI_Get_address((sends ? a.sent : a.received) + m.first * a.element_bytes, &addresses[i]);
    }
    MPI_Datatype const all =
        types_.emplace_back(comm::datatype::structure(types, addresses)).handle();
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    const auto peer = static_cast<int>(m.proc);
    if (sends)
      comm::check(MPI_Send_init(MPI_BOTTOM, 1, all, peer, 0, comm_->handle(), &request),
                  "MPI_Send_init");
    else
      comm::check(MPI_Recv_init(MPI_BOTTOM, 1, all, peer, 0, comm_->handle(), &request),
                  "MPI_Recv_init");
    if (!sends) ++receives_;
  }
  void arrive() {
    require_whole();
    is_under_way_ = false;
  }
  void require_whole() const {
    for (std::size_t i = 0; i < receives_ && !arrays_.empty(); ++i) {
      int received = 0;
      comm::check(MPI_Get_count(&statuses_[i], types_[i].handle(), &received), "MPI_Get_count");
      if (received != 1)
        throw transport_error(
            detail::text({"a persistent receive brought a short message (process ", pattern_.proc,
                          ", from ", statuses_[i].MPI_SOURCE, ")"}));
    }
  }

  std::shared_ptr<comm::communicator const> comm_;
  message_pattern pattern_;
  std::vector<travelling_array> arrays_;
  std::vector<comm::datatype> types_;  // of the receives, then of the sends, as the requests
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::size_t receives_ = 0;
  bool is_abandoned_ = false, is_under_way_ = false;
};

}  // namespace bmmc::transport
