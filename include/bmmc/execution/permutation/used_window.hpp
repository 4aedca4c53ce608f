// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <bmmc/comm/window.hpp>

namespace bmmc::detail {

/// The window of a runner: its own, or memory that several runners use in turn.
class used_window {
 public:
  /// `kept`: see working_memory; null for a window of its own.
  explicit used_window(std::shared_ptr<comm::window>* kept = nullptr) : kept_in_(kept) {}

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

 private:
  std::shared_ptr<comm::window>* kept_in_;
  std::shared_ptr<comm::window> kept_;
  comm::window window_;
};

}  // namespace bmmc::detail
