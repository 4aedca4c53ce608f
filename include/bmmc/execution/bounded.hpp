// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include <bmmc/comm/sendrecv.hpp>
#include <bmmc/execution/execution.hpp>
#include <bmmc/execution/workspace.hpp>
#include <bmmc/local/in_place.hpp>
#include <bmmc/plan/plan.hpp>

namespace bmmc::detail {

/// Carries out a plan without any workspace, for memory that is full: gather and scatter as
/// involutions in place, one to three passes each (see local/in_place.hpp), the exchange by
/// MPI_Sendrecv_replace in pieces of 1 MiB, which MPI buffers.
template <class T, class Element>
class bounded_execution final : public execution<T> {
 public:
  bounded_execution(std::shared_ptr<comm::communicator const> c, plan const& p)
      : chunk_(p.chunk_elements()), gather_(first_pass(*c, p)), scatter_(last_pass(*c, p)) {
    if (p.is_local()) return;
    exchange_ = std::make_unique<comm::exchange>(std::move(c), p.moves(), element_.handle(),
                                                 sizeof(T), p.message_elements());
  }

  void in_place(T* chunk) override {
    gather_(chunk);
    if (!exchange_) return;
    comm::sendrecv_replace().replace(*exchange_, chunk);
    scatter_(chunk);
  }
  void move(T const* source, T* target) override {
    std::copy_n(source, chunk_, target);
    in_place(target);
  }

 private:
  /// All that a local plan has to do, or what comes before the exchange.
  [[nodiscard]] static permutation<> first_pass(comm::communicator const& c, plan const& p) {
    const auto proc = static_cast<index_t>(c.rank());
    return p.is_local() ? compose(p.scatter(proc), p.gather(proc)) : p.gather(proc);
  }
  [[nodiscard]] static permutation<> last_pass(comm::communicator const& c, plan const& p) {
    if (p.is_local()) return identity_permutation(p.bits() - p.proc_bits());
    return p.scatter(static_cast<index_t>(c.rank()));
  }

  index_t chunk_;
  comm::datatype element_ = Element::template datatype<T>();
  std::unique_ptr<comm::exchange> exchange_;
  local::in_place_pass<T> gather_, scatter_;
};

}  // namespace bmmc::detail
