// SPDX-License-Identifier: BSL-1.0
#pragma once

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
  window(window&& other) noexcept;
  window& operator=(window&& other) noexcept;
  void swap(window& other) noexcept;

  /// A window of fewer bytes in the memory of this one, which outlives it.
  [[nodiscard]] window view(std::size_t bytes) const;

  /// The array of the whole node, and the part of this process in it.
  [[nodiscard]] std::byte* array() const noexcept { return array_; }
  [[nodiscard]] std::byte* part() const noexcept {
    return node_ ? array_ + static_cast<std::size_t>(node_->place()) * bytes_ : nullptr;
  }
  [[nodiscard]] std::size_t part_bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::shared_ptr<node const> const& owner() const noexcept { return node_; }

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
[[nodiscard]] window agreed_window(communicator const& c, std::shared_ptr<node const> n,
                                   std::size_t bytes, objection against = {});

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/window_once.hpp>
#endif
