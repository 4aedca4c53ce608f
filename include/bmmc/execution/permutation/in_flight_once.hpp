// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <utility>

#include <bmmc/execution/permutation/in_flight.hpp>
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

/// Several arrays that travel together, and their persistent messages.
template <class = void>
class fields_in_flight final : public in_flight {
 public:
  fields_in_flight(std::shared_ptr<comm::communicator const> c, plan const& p,
                   std::vector<field> fields)
      : fields_(std::move(fields)), targets_(fields_.size()) {
    std::vector<transport::travelling_array> arrays;
    for (field const& f : fields_)
      arrays.push_back({f.gathered.elements().data(), f.received.elements().data(),
                        f.kind.datatype(), f.kind.bytes()});
    const auto proc = static_cast<index_t>(c->rank());
    messages_ = std::make_unique<transport::persistent_messages<>>(
        std::move(c), pattern_of(p, proc), std::move(arrays));
  }
  ~fields_in_flight() override {
    if (comm::is_finalized()) return;
    if (is_under_way() && std::uncaught_exceptions() != 0) messages_->abandon();
    if (messages_->is_abandoned()) static_cast<void>(new std::vector<field>(std::move(fields_)));
  }

  [[nodiscard]] bool is_under_way() const noexcept override { return messages_->is_under_way(); }

  void start(std::span<void const* const> sources, std::span<void* const> targets) override {
    for (std::size_t i = 0; i < fields_.size(); ++i)
      fields_[i].gather(sources[i], fields_[i].gathered.elements().data());
    std::copy(targets.begin(), targets.end(), targets_.begin());
    messages_->start();
  }
  void wait() override {
    if (messages_->wait()) arrive();
  }
  [[nodiscard]] bool test() override {
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

template <class>
std::unique_ptr<in_flight> make_in_flight(std::shared_ptr<comm::communicator const> c,
                                          plan const& p, std::vector<element_kind> const& kinds) {
  std::vector<field> fields;
  for (element_kind const& kind : kinds)
    fields.emplace_back(p, static_cast<index_t>(c->rank()), kind);
  return std::make_unique<fields_in_flight<>>(std::move(c), p, std::move(fields));
}

}  // namespace bmmc::detail
