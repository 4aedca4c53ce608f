// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/node.hpp>
#include <bmmc/comm/shared_memory.hpp>

namespace bmmc::comm {

/// Memory that all processes of a node see: a part for each, one after another in the order of
/// their numbers, so that together they are one array, at a page. It is zero at first.
/// It is memory of the library's own: MPI's (MPI_Win_allocate_shared) may take a file system that
/// is full, and then fails on one process while the others wait for ever.
/// Making one is collective, see agreed_window; each process gives it back by itself.
class window {
 public:
  window() = default;
  window(window&& other) noexcept { swap(other); }
  window& operator=(window&& other) noexcept {
    swap(other);
    return *this;
  }
  void swap(window& other) noexcept {
    std::swap(node_, other.node_);
    std::swap(bytes_, other.bytes_);
    std::swap(array_, other.array_);
    memory_.swap(other.memory_);
  }

  /// A window of fewer bytes in the memory of this one, which outlives it.
  [[nodiscard]] window view(std::size_t bytes) const {
    window part;
    part.node_ = node_;
    part.bytes_ = bytes;
    part.array_ = array_;
    return part;
  }

  /// The array of the whole node, and the part of this process in it.
  [[nodiscard]] std::byte* array() const noexcept { return array_; }
  [[nodiscard]] std::byte* part() const noexcept {
    return node_ ? array_ + static_cast<std::size_t>(node_->place()) * bytes_ : nullptr;
  }
  [[nodiscard]] std::size_t part_bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::shared_ptr<node const> const& owner() const noexcept { return node_; }

  /// Collective in the node: what was written before is seen by all afterwards.
  void synchronize() const {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    check(MPI_Barrier(node_->handle()), "MPI_Barrier");
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

 private:
  friend window agreed_window(communicator const&, std::shared_ptr<node const>, std::size_t,
                              objection);

  std::shared_ptr<node const> node_;
  std::size_t bytes_ = 0;
  std::byte* array_ = nullptr;
  shared_memory memory_;
};

/// Collective: a window with parts of `bytes` bytes, or bad_value on all processes where one has no
/// memory for it, or has something else against it.
[[nodiscard]] inline window agreed_window(communicator const& c, std::shared_ptr<node const> n,
                                          std::size_t bytes, objection against = {}) {
  window made;
  const auto parts = static_cast<std::size_t>(n->processes());
  if (bytes > ~std::size_t{0} / 2 / parts) against.raise("no shared memory of so many bytes");
  const std::size_t all = std::max<std::size_t>(1, parts * bytes);
  shared_memory::ticket ticket;
  if (n->place() == 0 && against.empty()) ticket = made.memory_.make(all, against);
  n->share(&ticket, sizeof ticket);
  if (n->place() != 0 && against.empty()) made.memory_.open(ticket, all, against);
  agree(c, against);
  made.memory_.ready();
  made.array_ = made.memory_.data();
  made.node_ = std::move(n);
  made.bytes_ = bytes;
  return made;
}

}  // namespace bmmc::comm
