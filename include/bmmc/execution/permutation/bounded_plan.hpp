// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <utility>

#include <bmmc/execution/permutation/bounded.hpp>
#include <bmmc/transport/in_place_once.hpp>

namespace bmmc::detail {

/// Carries out a plan without any workspace, for memory that is full: gather and scatter as
/// involutions in place, one to three passes each (see local/in_place.hpp), the exchange by
/// MPI_Sendrecv_replace in pieces of 128 KiB, which MPI buffers.
class bounded_plan final : public plan_runner {
 public:
  bounded_plan(std::shared_ptr<comm::communicator const> c, plan const& p,
               element_kind const& element, in_place_maker pass_in_place)
      : bytes_(p.chunk_elements() * element.bytes()), element_(element) {
    const auto proc = static_cast<index_t>(c->rank());
    first_ = pass_in_place(p.is_local() ? local_permutation(p, proc) : p.gather(proc));
    if (p.is_local()) return;
    last_ = pass_in_place(p.scatter(proc));
    exchange_ = std::make_unique<comm::exchange>(std::move(c), p.moves(), element_.datatype(),
                                                 element_.bytes(), p.message_elements());
  }

  void in_place(void* chunk) override {
    first_(chunk);
    if (!exchange_) return;
    comm::sendrecv_replace().replace(*exchange_, chunk);
    last_(chunk);
  }
  void move(void const* source, void* target) override {
    std::memcpy(target, source, bytes_);
    in_place(target);
  }

 private:
  std::size_t bytes_;
  element_kind element_;
  std::unique_ptr<comm::exchange> exchange_;
  std::function<void(void*)> first_, last_;
};

template <class>
std::unique_ptr<plan_runner> make_bounded(std::shared_ptr<comm::communicator const> c,
                                          plan const& p, element_kind const& element,
                                          in_place_maker pass_in_place) {
  return std::make_unique<bounded_plan>(std::move(c), p, element, pass_in_place);
}

}  // namespace bmmc::detail
