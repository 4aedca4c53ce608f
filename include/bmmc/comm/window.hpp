// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <bmmc/comm/agree.hpp>
#include <bmmc/comm/node.hpp>

namespace bmmc::comm {

/// Memory that all processes of a node see: a part for each, one after another in the order of
/// their numbers, so that together they are one array, at a page. What it holds at first MPI leaves
/// open.
/// Making and freeing one is collective in the node. While an exception leaves a process its window
/// is not freed, since the others may not be at their end; the system has it back when MPI ends.
class window {
 public:
  window() = default;
  /// Throws transport_error where there is no such memory.
  window(std::shared_ptr<node const> n, std::size_t bytes) : node_(std::move(n)), bytes_(bytes) {
    constexpr std::size_t page = 4096;
    const auto size = static_cast<MPI_Aint>(bytes + (node_->place() == 0 ? page : 0));
    void* mine = nullptr;
    check(MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, node_->handle(), &mine, &handle_),
          "MPI_Win_allocate_shared");
    check(MPI_Win_lock_all(MPI_MODE_NOCHECK, handle_), "MPI_Win_lock_all");
    MPI_Aint whole = 0;
    int unit = 0;
    void* first = nullptr;
    check(MPI_Win_shared_query(handle_, 0, &whole, &unit, &first), "MPI_Win_shared_query");
    // Systems map the memory at pages, so all processes skip the same bytes.
    const auto start = reinterpret_cast<std::uintptr_t>(first);
    array_ = static_cast<std::byte*>(first) + ((start + page - 1) / page * page - start);
  }
  window(window&& other) noexcept { swap(other); }
  window& operator=(window&& other) noexcept {
    swap(other);
    return *this;
  }
  ~window() {
    if (handle_ == MPI_WIN_NULL || is_view_ || is_finalized() ||
        std::uncaught_exceptions() > exceptions_)
      return;
    MPI_Win_unlock_all(handle_);
    MPI_Win_free(&handle_);
  }
  void swap(window& other) noexcept {
    std::swap(node_, other.node_);
    std::swap(bytes_, other.bytes_);
    std::swap(handle_, other.handle_);
    std::swap(array_, other.array_);
    std::swap(exceptions_, other.exceptions_);
    std::swap(is_view_, other.is_view_);
  }

  /// A window of fewer bytes in the memory of this one, which outlives it.
  [[nodiscard]] window view(std::size_t bytes) const {
    window part;
    part.node_ = node_;
    part.bytes_ = bytes;
    part.handle_ = handle_;
    part.array_ = array_;
    part.is_view_ = true;
    return part;
  }
  [[nodiscard]] bool is_view() const noexcept { return is_view_; }

  /// The array of the whole node, and the part of this process in it.
  [[nodiscard]] std::byte* array() const noexcept { return array_; }
  [[nodiscard]] std::byte* part() const noexcept {
    return node_ ? array_ + static_cast<std::size_t>(node_->place()) * bytes_ : nullptr;
  }
  [[nodiscard]] std::size_t part_bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::shared_ptr<node const> const& owner() const noexcept { return node_; }

  /// Collective in the node: what was written before is seen by all afterwards.
  void synchronize() const {
    check(MPI_Win_sync(handle_), "MPI_Win_sync");
    check(MPI_Barrier(node_->handle()), "MPI_Barrier");
    check(MPI_Win_sync(handle_), "MPI_Win_sync");
  }

 private:
  std::shared_ptr<node const> node_;
  std::size_t bytes_ = 0;
  MPI_Win handle_ = MPI_WIN_NULL;
  std::byte* array_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();
  bool is_view_ = false;
};

/// Collective: a window, or bad_value on all processes where one has no memory for it.
[[nodiscard]] inline window agreed_window(communicator const& c, std::shared_ptr<node const> n,
                                          std::size_t bytes) {
  window made;
  std::string objection;
  try {
    made = window(std::move(n), bytes);
  } catch (transport_error const& error) {
    objection = error.what();
  }
  agree(c, objection);
  return made;
}

}  // namespace bmmc::comm
