// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <bmmc/execution/element_kind.hpp>
#include <bmmc/plan/plan.hpp>
#include <bmmc/transport/persistent.hpp>
#include <bmmc/transport/workspace.hpp>

namespace bmmc::detail {

/// One array of a set that travels together: what it was gathered into and arrives in.
struct field {
  field(plan const& p, index_t proc, element_kind const& element)
      : kind(element),
        gathered(p.chunk_elements() * element.bytes()),
        received(p.chunk_elements() * element.bytes()),
        gather(element.pass(p.gather(proc))),
        scatter(element.pass(p.scatter(proc))) {}

  element_kind kind;
  transport::workspace<std::byte> gathered, received;
  any_pass gather, scatter;
};

/// A permutation of several arrays that is started and waited for: one message per block for all
/// of them. Between start and arrival nothing of the caller's is touched.
/// Memory  two chunks of every array.
template <class = void>
class in_flight {
 public:
  in_flight(std::shared_ptr<comm::communicator const> c, plan const& p, std::vector<field> fields)
      : fields_(std::move(fields)), targets_(fields_.size()) {
    std::vector<transport::travelling_array> arrays;
    for (field const& f : fields_)
      arrays.push_back({f.gathered.elements().data(), f.received.elements().data(),
                        f.kind.datatype(), f.kind.bytes()});
    const auto proc = static_cast<index_t>(c->rank());
    messages_ = std::make_unique<transport::persistent_messages<>>(
        std::move(c), pattern_of(p, proc), std::move(arrays));
  }
  in_flight(in_flight const&) = delete;
  in_flight& operator=(in_flight const&) = delete;
  /// Waits for what is under way; while an exception leaves the process, and after an error, that
  /// cannot be: what MPI may still use is then never freed.
  ~in_flight() {
    if (comm::is_finalized()) return;
    if (is_under_way() && std::uncaught_exceptions() != 0) messages_->abandon();
    if (messages_->is_abandoned()) static_cast<void>(new std::vector<field>(std::move(fields_)));
  }

  [[nodiscard]] bool is_under_way() const noexcept { return messages_->is_under_way(); }

  /// Sources are free again on return; `targets` are written by wait() or test(). One address per
  /// array.
  void start(std::span<void const* const> sources, std::span<void* const> targets) {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      fields_[i].gather(sources[i], fields_[i].gathered.elements().data());
    std::copy(targets.begin(), targets.end(), targets_.begin());
    messages_->start();
  }
  void wait() {
    if (messages_->wait()) arrive();
  }
  /// Whether all is in its place, or nothing was started.
  [[nodiscard]] bool test() {
    if (messages_->test()) arrive();
    return !is_under_way();
  }

 private:
  void arrive() {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      fields_[i].scatter(fields_[i].received.elements().data(), targets_[i]);
  }

  std::vector<field> fields_;
  std::vector<void*> targets_;
  std::unique_ptr<transport::persistent_messages<>> messages_;
};

}  // namespace bmmc::detail
