// SPDX-License-Identifier: BSL-1.0
#pragma once

// Needs liburing, for its header and at link time; the rest of bmmc/file does not. Without it this
// header is empty.
#if __has_include(<liburing.h>)
#include <liburing.h>

#include <memory>
#include <optional>
#include <vector>

#include <bmmc/file/transfer.hpp>

namespace bmmc::file {

/// One thread that keeps many requests under way by io_uring (Linux 5.6 or newer).
class uring {
 public:
  /// Whether the kernel lets this process use it.
  [[nodiscard]] static bool is_available() noexcept {
    io_uring ring;
    if (io_uring_queue_init(2, &ring, 0) != 0) return false;
    io_uring_queue_exit(&ring);
    return true;
  }
  explicit uring(unsigned depth = 32) : depth_(depth) {}

  void operator()(direction d, stored_file const& f, std::span<run const> runs) const {
    const auto pieces = detail::cut(d, f, runs);
    under_way all(std::min<std::size_t>(depth_, pieces.size()));
    std::size_t next = 0, busy = 0;
    for (auto& s : all.slots)
      if (next < pieces.size()) {
        s.request.emplace(d, f, pieces[next++]);
        all.submit(s);
        ++busy;
      }
    while (busy > 0) {
      slot& s = all.wait();
      if (s.request->done() && next < pieces.size()) s.request.emplace(d, f, pieces[next++]);
      if (s.request->done())
        --busy;
      else
        all.submit(s);
    }
    detail::forget(d, f, runs);
  }

 private:
  struct slot {
    std::optional<detail::request> request;
    detail::request::call call{};
    std::vector<tile_buffer> pages;
  };

  /// A ring and what it works at. In the end it waits for the kernel to let go of the buffers.
  struct under_way {
    explicit under_way(std::size_t count) : slots(count) {
      const int code =
          io_uring_queue_init(static_cast<unsigned>(std::max<std::size_t>(count, 1)), &ring, 0);
      if (code != 0) detail::fail("io_uring", "it cannot be used", -code);
    }
    under_way(under_way const&) = delete;
    under_way& operator=(under_way const&) = delete;
    ~under_way() {
      io_uring_cqe* done = nullptr;
      for (; submitted > 0 && io_uring_wait_cqe(&ring, &done) == 0; --submitted)
        io_uring_cqe_seen(&ring, done);
      io_uring_queue_exit(&ring);
    }

    void submit(slot& s) {
      if (s.request->needs_pages() && s.pages.empty())
        s.pages.emplace_back(rounded_bytes + 2 * page_bytes);
      s.call = s.request->next(s.pages.empty() ? nullptr : s.pages[0].data());
      io_uring_sqe* const entry = io_uring_get_sqe(&ring);
      const auto bytes = static_cast<unsigned>(s.call.bytes);
      if (s.request->way() == direction::read)
        io_uring_prep_read(entry, s.call.descriptor, s.call.data, bytes, s.call.offset);
      else
        io_uring_prep_write(entry, s.call.descriptor, s.call.data, bytes, s.call.offset);
      io_uring_sqe_set_data(entry, &s);
      const int code = io_uring_submit(&ring);
      if (code < 0) detail::fail("io_uring", "it cannot be used", -code);
      ++submitted;
    }
    slot& wait() {
      io_uring_cqe* done = nullptr;
      int code = 0;
      do code = io_uring_wait_cqe(&ring, &done);
      while (code == -EINTR);
      if (code != 0) detail::fail("io_uring", "it cannot be used", -code);
      slot& s = *static_cast<slot*>(io_uring_cqe_get_data(done));
      const int result = done->res;
      io_uring_cqe_seen(&ring, done);
      --submitted;
      s.request->answered(s.call, result);
      return s;
    }

    io_uring ring{};
    std::vector<slot> slots;
    std::size_t submitted = 0;
  };

  unsigned depth_;
};

}  // namespace bmmc::file

#endif
