// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include <bmmc/execution/permutation/runner.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/transport/written.hpp>

namespace bmmc::detail {

/// Carries out a plan on elements that must be written into bytes to travel. They are written in
/// the order that gather would give them and read into the places that scatter would: no pass of
/// its own is needed, and nothing of the caller's changes before all processes have written.
/// Memory  see transport/written.hpp.
template <class T, class Element, class Comm>
class written_plan final : public plan_runner {
 public:
  [[nodiscard]] static constexpr index_t scratch(plan const& p, bool in_place) noexcept {
    return p.is_local() && in_place ? p.chunk_elements() : 0;
  }

  written_plan(std::shared_ptr<comm::communicator const> c, plan const& p, Comm const& policy,
               void* scratch)
      : comm_(std::move(c)), policy_(policy), scratch_(static_cast<T*>(scratch)), plan_(p) {
    const auto proc = static_cast<index_t>(comm_->rank());
    ungather_ = inverse(p.gather(proc));
    scatter_ = p.scatter(proc);
    pattern_ = pattern_of(p, proc);
    if (p.is_local()) local_ = local::pass<T>(local_permutation(p, proc));
  }

  void in_place(void* chunk) override {
    if (!plan_.is_local()) return move(chunk, chunk);
    transport::move_together<T>(*comm_, [&] {
      if (local_.is_identity()) return;          // on other processes it may be none
      local_(static_cast<T*>(chunk), scratch_);  // moves the elements there
      std::move(scratch_, scratch_ + plan_.chunk_elements(), static_cast<T*>(chunk));
    });
  }

  void move(void const* from, void* to) override {
    auto const* const source = static_cast<T const*>(from);
    auto* const target = static_cast<T*>(to);
    if (plan_.is_local())
      return transport::copy_together<T>(*comm_, [&] { local_(source, target); });
    const index_t length = plan_.message_elements();
    transport::carry_written<Element>(
        *comm_, pattern_, policy_,
        [&](index_t bytes) { return comm::exchange(comm_, plan_.moves(), MPI_BYTE, 1, bytes); },
        [&](index_t b, auto& write) {
          for (index_t j = 0; j < length; ++j) write(source[ungather_(b * length + j)]);
        },
        [] {},
        [&](index_t b, auto& read) {
          for (index_t j = 0; j < length; ++j) read(target[scatter_(b * length + j)]);
        });
  }

 private:
  std::shared_ptr<comm::communicator const> comm_;
  Comm policy_;
  T* scratch_;
  plan plan_;
  permutation<> ungather_, scatter_;
  message_pattern pattern_;
  local::pass<T> local_;
};

}  // namespace bmmc::detail
