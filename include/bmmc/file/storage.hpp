// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <bmmc/error.hpp>
#include <bmmc/file/plan.hpp>

// What files are to the operating system (POSIX; direct I/O where there is O_DIRECT).

namespace bmmc::file {

/// A file that cannot be read, written, made or renamed; the text names it and the reason.
class io_error : public std::runtime_error, public error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] char const* what() const noexcept override { return std::runtime_error::what(); }
};

namespace detail {
[[noreturn]] inline void fail(std::string const& path, std::string const& what, int code) {
  throw io_error(path + ": " + what + ": " + std::strerror(code));
}

/// A file descriptor that is closed in the end.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int number) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_ = -1;
};

[[nodiscard]] constexpr bool is_whole_pages(index_t x) noexcept { return x % page_bytes == 0; }
}  // namespace detail

/// How a file is opened: to read it, to change parts of it, as a new one, or to change it whether
/// it is new or not.
enum class access { read, update, create, update_or_create };

/// An open file, twice: through the page cache and, where the file system allows it, past it.
class stored_file {
 public:
  stored_file() = default;
  /// `create` makes a new file and fails where there is one. Throws io_error.
  stored_file(std::string path, access how, bool direct = true) : path_(std::move(path)) {
    const int flags = (how == access::read     ? O_RDONLY
                       : how == access::update ? O_RDWR
                       : how == access::create ? O_RDWR | O_CREAT | O_EXCL
                                               : O_RDWR | O_CREAT) |
                      O_CLOEXEC;
    cached_ = detail::descriptor(::open(path_.c_str(), flags, 0666));
    if (!cached_.is_open()) detail::fail(path_, "it cannot be opened", errno);
#ifdef O_DIRECT
    if (direct)
      direct_ = detail::descriptor(::open(path_.c_str(), (flags & ~(O_CREAT | O_EXCL)) | O_DIRECT));
#else
    static_cast<void>(direct);
#endif
  }

  [[nodiscard]] std::string const& path() const noexcept { return path_; }
  [[nodiscard]] bool is_direct() const noexcept { return direct_.is_open(); }
  /// The descriptor for a request: direct I/O takes whole pages, in memory too.
  [[nodiscard]] int descriptor_for(index_t offset, void const* data, index_t bytes) const noexcept {
    const bool whole = detail::is_whole_pages(offset) && detail::is_whole_pages(bytes) &&
                       detail::is_whole_pages(reinterpret_cast<std::uintptr_t>(data));
    return whole && is_direct() ? direct_.number() : cached_.number();
  }
  [[nodiscard]] int cached() const noexcept { return cached_.number(); }
  [[nodiscard]] int direct() const noexcept { return direct_.number(); }

  [[nodiscard]] struct ::stat status() const {
    struct ::stat s {};
    if (::fstat(cached(), &s) != 0) detail::fail(path_, "nothing is known of it", errno);
    return s;
  }
  /// Waits until everything written has reached the disk.
  void sync() const {
    if (::fdatasync(cached()) != 0) detail::fail(path_, "what was written may be lost", errno);
  }
  /// Leaves nothing in the file.
  void clear() const {
    if (::ftruncate(cached(), 0) != 0) detail::fail(path_, "it cannot be cleared", errno);
  }
  /// Makes the file as long as this and reserves its space, so that a full disk is met now.
  void reserve(index_t bytes) const {
    const int code = bytes == 0 ? 0 : ::posix_fallocate(cached(), 0, static_cast<off_t>(bytes));
    if (code != 0)
      detail::fail(path_, "there is no space for its " + std::to_string(bytes) + " bytes", code);
  }
  /// Small pieces: headers and records. Throws io_error where not all of it is there.
  void read_at(index_t offset, void* data, index_t bytes) const {
    auto* to = static_cast<char*>(data);
    while (bytes > 0) {
      const auto got = ::pread(cached(), to, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) detail::fail(path_, "it cannot be read", errno);
      if (got == 0) throw io_error(path_ + ": it ends at byte " + std::to_string(offset));
      advance(to, offset, bytes, got);
    }
  }
  void write_at(index_t offset, void const* data, index_t bytes) const {
    auto const* from = static_cast<char const*>(data);
    while (bytes > 0) {
      const auto put = ::pwrite(cached(), from, bytes, static_cast<off_t>(offset));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) detail::fail(path_, "it cannot be written", errno);
      advance(from, offset, bytes, put);
    }
  }
  /// Throws io_error where its name is another file's now.
  void require_named() const {
    struct ::stat now {};
    const auto s = status();
    if (::lstat(path_.c_str(), &now) != 0 || now.st_ino != s.st_ino || now.st_dev != s.st_dev)
      throw io_error(path_ + ": another run has replaced it");
  }
  /// Keeps other runs away until this one ends, however it ends. Throws io_error.
  void lock() const {
    if (::flock(cached(), LOCK_EX | LOCK_NB) == 0) return;
    if (errno == EWOULDBLOCK) throw io_error(path_ + ": another run is at work with it");
    detail::fail(path_, "it cannot be locked", errno);
  }

 private:
  static void advance(auto*& at, index_t& offset, index_t& bytes, ssize_t done) noexcept {
    at += done;
    offset += static_cast<index_t>(done);
    bytes -= static_cast<index_t>(done);
  }

  std::string path_;
  detail::descriptor cached_, direct_;
};

namespace detail {
[[nodiscard]] inline std::string folder_of(std::string const& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}
}  // namespace detail

/// Writes down that names in the folder of `path` have changed.
inline void sync_folder_of(std::string const& path) {
  const std::string folder = detail::folder_of(path);
  const detail::descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot sync a folder, and need not.
  if (!opened.is_open() || (::fsync(opened.number()) != 0 && errno != EINVAL))
    detail::fail(folder, "it cannot be synced", errno);
}

/// Memory for one tile: whole pages, large ones where the system gives them. It is mapped: what
/// malloc has given out it may keep when it is freed, and then the next tiles come on top of the
/// limit.
class tile_buffer {
 public:
  explicit tile_buffer(index_t bytes) {
    constexpr index_t large = index_t{1} << 21;
    const index_t unit = bytes < large ? page_bytes : large;
    const index_t whole = std::max(unit, (bytes + unit - 1) / unit * unit);
    mapped_ = whole + (unit == large ? large : 0);  // the bytes before data() are never touched
    base_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    std::size_t space = mapped_;
    void* begin = base_;
    data_ = static_cast<unsigned char*>(std::align(unit, whole, begin, space));
#ifdef MADV_HUGEPAGE
    if (unit == large) ::madvise(data_, whole, MADV_HUGEPAGE);
#endif
  }
  tile_buffer(tile_buffer&& other) noexcept
      : base_(other.base_), mapped_(std::exchange(other.mapped_, 0)), data_(other.data_) {}
  tile_buffer& operator=(tile_buffer&&) = delete;
  ~tile_buffer() {
    if (mapped_ != 0) ::munmap(base_, mapped_);
  }
  [[nodiscard]] unsigned char* data() const noexcept { return data_; }

 private:
  void* base_;
  std::size_t mapped_;
  unsigned char* data_;
};

}  // namespace bmmc::file
