// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <bmmc/comm/window.hpp>
#include <bmmc/execution/grid/mover.hpp>
#include <bmmc/execution/grid/runner.hpp>
#include <bmmc/execution/handover.hpp>

namespace bmmc::detail {

/// Processes that share memory: each copies what others need into its part of a window, and all
/// read what they need from the others' parts, straight to its place. No messages.
/// Memory  a chunk for each process, in the window.
template <class = void>
class grid_in_window final : public grid_runner {
 public:
  /// All processes of the communicator are those of the node.
  grid_in_window(grid_work work, std::shared_ptr<comm::node const> node)
      : work_(std::move(work)),
        mover_(work_.element_bytes),
        past_caches_(work_.element_bytes, local::tuning{}.past_caches()),
        node_(std::move(node)) {
    for (index_t proc = 0; proc < work_.procs(); ++proc)
      strides_.push_back(work_.route->strides_of(proc));
  }

  void open() override {
    part_bytes_ = work_.route->plan().source().most() * work_.element_bytes;
    window_ = comm::agreed_window(*work_.comm, node_, part_bytes_);
  }
  void move(void const* source, void* target) override {
    handover_.timed([&] { stage(source); });
    node_->synchronize();
    mover_(work_.route->kept_boxes(), source, target);
    handover_.timed([&] { fetch(target); });
    leave_window();
  }
  void in_place(void* chunk) override {
    if (work_.route->plan().keeps_order()) {  // rows move nearer or farther, on each process alone
      if (!work_.route->plan().is_unchanged()) through_own_part(chunk);
      return;
    }
    handover_.timed([&] { stage(chunk); });
    mover_(work_.route->staged_boxes(work_.proc()), chunk, window_.part());
    node_->synchronize();
    fetch_from(work_.proc(), chunk);
    handover_.timed([&] { fetch(chunk); });
    leave_window();
  }

 private:
  void through_own_part(void* chunk) {
    mover_(work_.route->staged_boxes(work_.proc()), chunk, window_.part());
    fetch_from(work_.proc(), chunk);
  }
  void leave_window() {
    node_->synchronize();  // before others write there again
    handover_.end_call();
  }
  void stage(void const* source) const {
    box_mover<> const& write = handover_.is_past_caches() ? past_caches_ : mover_;
    for (index_t proc = 0; proc < work_.procs(); ++proc)
      if (proc != work_.proc()) write(work_.route->staged_boxes(proc), source, window_.part());
  }
  /// Each process begins with another one.
  void fetch(void* target) const {
    for (index_t k = 1; k < work_.procs(); ++k)
      fetch_from((work_.proc() + k) % work_.procs(), target);
  }
  void fetch_from(index_t proc, void* target) const {
    mover_(work_.route->fetched_boxes(proc, strides_[proc]), window_.array() + proc * part_bytes_,
           target);
  }

  grid_work work_;
  box_mover<> mover_, past_caches_;
  handover<> handover_{0};  // boxes are small, however large a chunk
  std::shared_ptr<comm::node const> node_;
  std::vector<grid_boxes::strides> strides_;
  comm::window window_;
  std::size_t part_bytes_ = 0;
};

}  // namespace bmmc::detail
