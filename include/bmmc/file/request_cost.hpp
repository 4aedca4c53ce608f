// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
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
}  // namespace detail

/// What a request to the disk costs beside its bytes, in bytes that could move meanwhile: a value
/// for resources::request_cost.
/// Way     Requests of 16 KiB and of 1 MiB are read at random places of the file, in turn, several
///         at a time as `transfer` has it. Where s bytes take t(s) = (s + q) / R seconds, the two
///         medians give the disk's rate R and the cost q. Writing is taken to cost the same.
/// Takes   `seconds`, or six turns if they take longer, and 16 MiB. The file has 1 MiB or more.
/// Result  0 to 16 MiB; it varies as the disk does. Errors: io_error.
template <Transfer X, class Now = double (*)()>
[[nodiscard]] index_t measure_request_cost(stored_file const& f, index_t file_bytes,
                                           X const& transfer, double seconds = 1,
                                           Now now = detail::steady_seconds) {
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
  for (auto& of_size : times)
    std::nth_element(of_size.begin(),
                     of_size.begin() + static_cast<std::ptrdiff_t>(of_size.size() / 2),
                     of_size.end());
  const double t_small = times[0][times[0].size() / 2], t_large = times[1][times[1].size() / 2];
  if (t_large <= t_small) return static_cast<index_t>(most);
  const double rate = static_cast<double>(large - small) / (t_large - t_small);
  return static_cast<index_t>(std::clamp(rate * t_small - static_cast<double>(small), 0.0, most));
}

}  // namespace bmmc::file
