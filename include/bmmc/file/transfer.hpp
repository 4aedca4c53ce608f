// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include <bmmc/file/storage.hpp>

namespace bmmc::file {

/// From the file to memory, or back.
enum class direction { read, write };

/// Bytes that stand together, in a file and in memory.
struct run {
  index_t offset = 0;
  unsigned char* data = nullptr;
  index_t bytes = 0;
};

/// How tiles travel between disk and memory: a call moves all runs of a tile, many at a time, and
/// returns when they have been moved. It throws io_error where one cannot be, and a source that
/// ends too early counts as that. Two calls may go on at once, for two directions or files.
/// Models: `threads` here and `uring` in bmmc/file/uring.hpp.
template <class X>
concept Transfer = requires(X& transfer, direction d, stored_file const& f,
                            std::span<run const> runs) { transfer(d, f, runs); };

/// No request is longer: several of them keep a disk busy. Those that need pages of their own are
/// shorter, for these count as memory.
inline constexpr index_t request_bytes = index_t{1} << 20, rounded_bytes = index_t{1} << 18;

namespace detail {

/// A request on its way. Where direct I/O wants whole pages and the bytes to be read do not begin
/// or end with one, the pages around them are read and the bytes taken out.
class request {
 public:
  request(direction d, stored_file const& f, run const& r) : direction_(d), file_(&f), left_(r) {
    rounded_ = is_rounded(d, f, r);
  }
  [[nodiscard]] static bool is_rounded(direction d, stored_file const& f, run const& r) noexcept {
    const bool whole = is_whole_pages(r.offset) && is_whole_pages(r.bytes) &&
                       is_whole_pages(reinterpret_cast<std::uintptr_t>(r.data));
    return d == direction::read && f.is_direct() && !whole;
  }
  [[nodiscard]] bool done() const noexcept { return left_.bytes == 0; }

  /// What is to be asked of the system now. `pages` holds rounded_bytes and two pages more.
  struct call {
    int descriptor;
    unsigned char* data;
    index_t bytes, offset;
  };
  [[nodiscard]] call next(unsigned char* pages) const noexcept {
    if (!rounded_)
      return {file_->descriptor_for(left_.offset, left_.data, left_.bytes), left_.data, left_.bytes,
              left_.offset};
    const index_t begin = left_.offset / page_bytes * page_bytes;
    const index_t end = (left_.offset + left_.bytes + page_bytes - 1) / page_bytes * page_bytes;
    return {file_->direct(), pages, end - begin, begin};
  }
  /// Takes the answer of the system: bytes moved, or an error below zero.
  void answered(call const& asked, long result) {
    if (result == -EINTR || result == -EAGAIN) return;
    if (result < 0)
      fail(file_->path(),
           direction_ == direction::read ? "it cannot be read" : "it cannot be written",
           static_cast<int>(-result));
    auto moved = static_cast<index_t>(result);
    if (rounded_) {
      const index_t before = left_.offset - asked.offset;
      moved = std::min(moved > before ? moved - before : 0, left_.bytes);
      std::memcpy(left_.data, asked.data + before, moved);
    }
    if (moved == 0)
      throw io_error(file_->path() + ": it ends at byte " + std::to_string(left_.offset) +
                     ", too early");
    left_ = {left_.offset + moved, left_.data + moved, left_.bytes - moved};
  }
  [[nodiscard]] direction way() const noexcept { return direction_; }
  [[nodiscard]] bool needs_pages() const noexcept { return rounded_; }

 private:
  direction direction_;
  stored_file const* file_;
  run left_;
  bool rounded_;
};

/// Runs cut into requests that are not too long; cuts in a file are at multiples of their length.
[[nodiscard]] inline std::vector<run> cut(direction d, stored_file const& f,
                                          std::span<run const> runs) {
  std::vector<run> pieces;
  for (run r : runs) {
    const index_t most = request::is_rounded(d, f, r) ? rounded_bytes : request_bytes;
    while (r.bytes > 0) {
      const index_t bytes = std::min(r.bytes, most - r.offset % most);
      pieces.push_back({r.offset, r.data, bytes});
      r = {r.offset + bytes, r.data + bytes, r.bytes - bytes};
    }
  }
  return pieces;
}

/// What went through the page cache is not needed again: it makes room for the memory of others.
inline void forget(direction d, stored_file const& f, std::span<run const> runs) {
  constexpr index_t little = index_t{1} << 22;
  index_t bytes = 0;
  for (auto const& r : runs) bytes += r.bytes;
  if (f.is_direct() || bytes < little) return;
  if (d == direction::write) f.sync();
  for (auto const& r : runs)
    ::posix_fadvise(f.cached(), static_cast<off_t>(r.offset), static_cast<off_t>(r.bytes),
                    POSIX_FADV_DONTNEED);
}

}  // namespace detail

/// Threads that read and write, each one request at a time.
struct threads {
  unsigned depth = 16;

  void operator()(direction d, stored_file const& f, std::span<run const> runs) const {
    const auto pieces = detail::cut(d, f, runs);
    std::atomic<std::size_t> next = 0;
    std::exception_ptr error;
    std::mutex guard;
    const auto work = [&] {
      try {
        std::vector<tile_buffer> pages;
        for (std::size_t k = 0; (k = next++) < pieces.size();) {
          detail::request r(d, f, pieces[k]);
          if (r.needs_pages() && pages.empty()) pages.emplace_back(rounded_bytes + 2 * page_bytes);
          while (!r.done()) step(r, pages.empty() ? nullptr : pages[0].data());
        }
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!error) error = std::current_exception();
        next = pieces.size();
      }
    };
    {
      std::vector<std::jthread> others;
      for (std::size_t k = 1; k < std::min<std::size_t>(depth, pieces.size()); ++k)
        others.emplace_back(work);
      work();
    }
    if (error) std::rethrow_exception(error);
    detail::forget(d, f, runs);
  }

 private:
  static void step(detail::request& r, unsigned char* pages) {
    const auto call = r.next(pages);
    const auto offset = static_cast<off_t>(call.offset);
    const auto moved = r.way() == direction::read
                           ? ::pread(call.descriptor, call.data, call.bytes, offset)
                           : ::pwrite(call.descriptor, call.data, call.bytes, offset);
    r.answered(call, moved < 0 ? -errno : moved);
  }
};

}  // namespace bmmc::file
