// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <bmmc/file/transfer.hpp>

namespace bmmc::file {

namespace detail {
[[nodiscard]] inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds for each of `count` requests of so many bytes, at random places of the file.
template <Transfer X, class Now>
[[nodiscard]] double seconds_for_a_request(stored_file const& f, index_t file_bytes, index_t bytes,
                                           std::size_t count, tile_buffer const& memory,
                                           X const& transfer, Now now, std::mt19937_64& random) {
  std::vector<run> runs;
  for (std::size_t k = 0; k < count; ++k)
    runs.push_back({random() % (file_bytes / bytes) * bytes, memory.data() + k * bytes, bytes});
  const double begin = now();
  transfer(direction::read, f, runs);
  return (now() - begin) / static_cast<double>(count);
}

[[nodiscard]] inline double median(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}
}  // namespace detail

/// What a disk showed of itself: bytes in a second, and disk_costs::request.
struct disk_speed {
  double rate = 0;
  index_t request_cost = 0;
};

/// How fast a disk reads, and what a request to it costs beside its bytes.
/// Way     Requests of 16 KiB and of 1 MiB are read at random places of the file, in turn, several
///         at a time as `transfer` has it. Where s bytes take t(s) = (s + q) / R seconds, the two
///         medians give the disk's rate R and the cost q. Writing is taken to cost the same.
/// Takes   `seconds`, or six turns if they take longer, and 16 MiB. The file has 1 MiB or more.
/// Result  a cost of 0 to 16 MiB; it varies as the disk does. Errors: io_error.
template <Transfer X, class Now = double (*)()>
[[nodiscard]] disk_speed measure_disk(stored_file const& f, index_t file_bytes, X const& transfer,
                                      double seconds = 1, Now now = detail::steady_seconds) {
  constexpr index_t small = index_t{1} << 14, large = index_t{1} << 20;
  constexpr double most = double{1 << 24};
  std::mt19937_64 random(f.status().st_ino);
  const tile_buffer memory(16 * large);  // one for all turns: memory is given out only once
  std::array<std::vector<double>, 2> times;
  const double begin = now();
  for (int turn = 0; turn < 6 || now() - begin < seconds; ++turn) {
    times[0].push_back(
        detail::seconds_for_a_request(f, file_bytes, small, 64, memory, transfer, now, random));
    times[1].push_back(
        detail::seconds_for_a_request(f, file_bytes, large, 16, memory, transfer, now, random));
    if (turn >= 1 && now() - begin > 8 * seconds) break;
  }
  const double t_small = detail::median(times[0]), t_large = detail::median(times[1]);
  if (t_large <= t_small) return {static_cast<double>(large) / t_large, static_cast<index_t>(most)};
  const double rate = static_cast<double>(large - small) / (t_large - t_small);
  const double cost = std::clamp(rate * t_small - static_cast<double>(small), 0.0, most);
  return {rate, static_cast<index_t>(cost)};
}

/// Seconds until the disk has a page that was written over: the median of some, in a file without a
/// name in the folder of `path`. Times disk_speed::rate it is disk_costs::flush.
/// Takes   half a second, or three turns if they take longer.
/// Result  nothing where the system has no files without a name there, or the disk no space.
[[nodiscard]] inline std::optional<double> seconds_for_a_flush(std::string const& path) {
#ifdef O_TMPFILE
  const detail::descriptor file(
      ::open(detail::folder_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const tile_buffer page(page_bytes);
  std::vector<double> times;
  const double begin = detail::steady_seconds();
  for (double last = begin; times.size() < 4 || (times.size() < 64 && last - begin < 0.5);) {
    if (!file.is_open() || ::pwrite(file.number(), page.data(), page_bytes, 0) != page_bytes ||
        ::fdatasync(file.number()) != 0)
      return std::nullopt;
    const double now = detail::steady_seconds();
    times.push_back(now - last);
    last = now;
  }
  times.erase(times.begin());  // the first one gives the file its space
  return detail::median(times);
#else
  static_cast<void>(path);
  return std::nullopt;
#endif
}

}  // namespace bmmc::file
