// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <bmmc/comm/objection.hpp>

namespace bmmc::comm {

/// Memory that several processes of a machine have mapped. One makes it, the others open it by its
/// ticket; the system has it back when the last of them has unmapped it or ended, in whatever way.
/// On Linux it is a file without a name (memfd), which takes no space of /dev/shm; elsewhere it is
/// one of POSIX, whose name is gone when ready() has been called.
class shared_memory {
 public:
  /// What others need to open it, as bytes: zeros where it could not be made.
  struct ticket {
    std::uint64_t process = 0, number = 0, device = 0, file = 0;
  };

  shared_memory() = default;
  shared_memory(shared_memory&& other) noexcept;
  shared_memory& operator=(shared_memory&& other) noexcept;
  ~shared_memory();
  void swap(shared_memory& other) noexcept;

  [[nodiscard]] std::byte* data() const noexcept { return static_cast<std::byte*>(data_); }

  /// Makes memory of zeros and maps it. What is wrong is told to `against`; nothing is thrown.
  [[nodiscard]] ticket make(std::size_t bytes, objection& against) noexcept;

  /// Maps what another process has made. Nothing where that one could not.
  void open(ticket const& t, std::size_t bytes, objection& against) noexcept;

  /// Called when all have opened it.
  void ready() noexcept;

 private:
  struct path {
    char text[64];
  };
  [[nodiscard]] static path name(std::uint64_t process, std::uint64_t number) noexcept;

  [[nodiscard]] static int create(std::uint64_t number) noexcept;
  [[nodiscard]] static int find(ticket const& t) noexcept;
  [[nodiscard]] std::uint64_t number_in_ticket() const noexcept;
  [[nodiscard]] bool has_space(std::size_t bytes) const noexcept;

  /// The system would promise it, and end a process that uses it.
  [[nodiscard]] static bool exceeds_memory(std::size_t bytes) noexcept;

  bool map(std::size_t bytes, objection& against) noexcept;
  void close() noexcept;
  static void complain(char const* what, objection& against) noexcept;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  int file_ = -1;
  std::uint64_t number_ = 0;
};

}  // namespace bmmc::comm

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/comm/shared_memory_once.hpp>
#endif
