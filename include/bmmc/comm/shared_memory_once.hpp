// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <bmmc/comm/shared_memory.hpp>

namespace bmmc::comm {

BMMC_ONCE shared_memory::shared_memory(shared_memory&& other) noexcept { swap(other); }

BMMC_ONCE shared_memory& shared_memory::operator=(shared_memory&& other) noexcept {
  swap(other);
  return *this;
}

BMMC_ONCE shared_memory::~shared_memory() {
  ready();
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

BMMC_ONCE void shared_memory::swap(shared_memory& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(file_, other.file_);
  std::swap(number_, other.number_);
}

BMMC_ONCE auto shared_memory::make(std::size_t bytes, objection& against) noexcept -> ticket {
  static std::atomic<std::uint64_t> made{0};
  number_ = ++made;
  struct stat is {};
  if (exceeds_memory(bytes)) {
    against.raise("no shared memory: more than this machine has");
  } else if (file_ = create(number_); file_ < 0 ||
                                      ::ftruncate(file_, static_cast<off_t>(bytes)) != 0 ||
                                      ::fstat(file_, &is) != 0 || !has_space(bytes)) {
    complain("no shared memory could be made", against);
  } else if (map(bytes, against)) {
    return {static_cast<std::uint64_t>(::getpid()), number_in_ticket(), is.st_dev, is.st_ino};
  }
  return {};
}

BMMC_ONCE void shared_memory::open(ticket const& t, std::size_t bytes,
                                   objection& against) noexcept {
  if (t.process == 0) return;
  struct stat is {};
  file_ = find(t);
  if (file_ < 0 || ::fstat(file_, &is) != 0)
    complain("shared memory of another process cannot be opened", against);
  else if (is.st_dev != t.device || is.st_ino != t.file)
    against.raise("shared memory of another process is not seen here");
  else
    map(bytes, against);
  close();
}

BMMC_ONCE void shared_memory::ready() noexcept {
  if (file_ < 0) return;
#ifndef __linux__
  ::shm_unlink(name(static_cast<std::uint64_t>(::getpid()), number_).text);
#endif
  close();
}

BMMC_ONCE auto shared_memory::name(std::uint64_t process, std::uint64_t number) noexcept -> path {
  path made{};
#ifdef __linux__
  constexpr char const* form = "/proc/%llu/fd/%llu";
#else
  constexpr char const* form = "/bmmc-%llu-%llu";
#endif
  std::snprintf(made.text, sizeof made.text, form, static_cast<unsigned long long>(process),
                static_cast<unsigned long long>(number));
  return made;
}

#ifdef __linux__
BMMC_ONCE int shared_memory::create(std::uint64_t) noexcept {
  return ::memfd_create("bmmc", MFD_CLOEXEC);
}
BMMC_ONCE int shared_memory::find(ticket const& t) noexcept {
  return ::open(name(t.process, t.number).text, O_RDWR | O_CLOEXEC);
}
BMMC_ONCE std::uint64_t shared_memory::number_in_ticket() const noexcept {
  return static_cast<std::uint64_t>(file_);
}
/// Its pages are made when they are written to, as those of any memory.
BMMC_ONCE bool shared_memory::has_space(std::size_t) const noexcept { return true; }
#else
BMMC_ONCE int shared_memory::create(std::uint64_t number) noexcept {
  return ::shm_open(name(static_cast<std::uint64_t>(::getpid()), number).text,
                    O_RDWR | O_CREAT | O_EXCL, 0600);
}
BMMC_ONCE int shared_memory::find(ticket const& t) noexcept {
  return ::shm_open(name(t.process, t.number).text, O_RDWR, 0600);
}
BMMC_ONCE std::uint64_t shared_memory::number_in_ticket() const noexcept { return number_; }
/// A file system without space would end the process that writes there.
BMMC_ONCE bool shared_memory::has_space(std::size_t bytes) const noexcept {
#if defined(_POSIX_ADVISORY_INFO) && _POSIX_ADVISORY_INFO > 0
  errno = ::posix_fallocate(file_, 0, static_cast<off_t>(bytes));
  return errno == 0;
#else
  return bytes != 0;
#endif
}
#endif

BMMC_ONCE bool shared_memory::exceeds_memory(std::size_t bytes) noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 &&
         bytes / static_cast<std::size_t>(page) > static_cast<std::size_t>(pages);
}

BMMC_ONCE bool shared_memory::map(std::size_t bytes, objection& against) noexcept {
  void* const found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (found == MAP_FAILED) {
    complain("shared memory cannot be mapped", against);
    return false;
  }
  data_ = found;
  bytes_ = bytes;
  return true;
}

BMMC_ONCE void shared_memory::close() noexcept {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

BMMC_ONCE void shared_memory::complain(char const* what, objection& against) noexcept {
  char text[160];
  std::snprintf(text, sizeof text, "%s: %s", what, std::strerror(errno));
  against.raise(text);
}

}  // namespace bmmc::comm
