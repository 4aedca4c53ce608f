// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <bmmc/comm/window.hpp>
#include <bmmc/execution/permutation/runner.hpp>

namespace bmmc::detail {

/// The window of a runner: its own, or memory that several runners use in turn.
class used_window {
 public:
  used_window() = default;
  explicit used_window(working_memory const& memory)
      : kept_in_(memory.window), agrees_before_calls_(memory.agrees_before_calls) {}

  /// Collective: parts of `bytes` bytes. prepare() is what a process does before, and may throw
  /// like objection::attempt's. Errors: bad_value on all processes, as agreed_window.
  template <class Prepare>
  void open(comm::communicator const& c, std::shared_ptr<comm::node const> const& n,
            std::size_t bytes, Prepare prepare) {
    comm::objection against;
    std::shared_ptr<comm::window> fresh;
    against.attempt("no memory for the tables of a permutation through windows", [&] {
      prepare();
      if (kept_in_ != nullptr) fresh = std::make_shared<comm::window>();
    });
    if (kept_in_ == nullptr) {
      window_ = comm::agreed_window(c, n, bytes, against);
      return;
    }
    auto& kept = *kept_in_;
    if (!kept || kept->part_bytes() < bytes || !kept->owner()->is_like(*n)) {
      *fresh = comm::agreed_window(c, n, bytes, against);
      kept = std::move(fresh);
    } else {
      comm::agree(c, against);
    }
    kept_ = kept;
    window_ = kept_->view(bytes);
  }

  [[nodiscard]] comm::window& operator*() noexcept { return window_; }
  [[nodiscard]] comm::window const* operator->() const noexcept { return &window_; }
  /// Whether other runners write to the same memory.
  [[nodiscard]] bool is_shared() const noexcept { return kept_ != nullptr; }
  /// Whether a call may begin while others still read what the one before has left here.
  [[nodiscard]] bool needs_last_barrier() const noexcept { return !agrees_before_calls_; }

 private:
  std::shared_ptr<comm::window>* kept_in_ = nullptr;  // null for a window of its own
  bool agrees_before_calls_ = false;
  std::shared_ptr<comm::window> kept_;
  comm::window window_;
};

}  // namespace bmmc::detail
