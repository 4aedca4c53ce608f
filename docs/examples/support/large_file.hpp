// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/mpi/communicator.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include <bmmc/file/explain.hpp>
#include <bmmc/file/in_place.hpp>
#include <bmmc/file/measure_disk.hpp>
#include <bmmc/file/permute_axes.hpp>
#ifdef WITH_URING
#include <bmmc/file/uring.hpp>
#endif

#include "array_file.hpp"
#include "together.hpp"

namespace example {

/// Half of the memory of this machine.
[[nodiscard]] inline std::uint64_t half_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), size = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || size <= 0) return std::uint64_t{1} << 30;
  return static_cast<std::uint64_t>(pages) / 2 * static_cast<std::uint64_t>(size);
}

/// "1 h 20 min", "35 s"
[[nodiscard]] inline std::string time_text(double seconds) {
  const auto all = static_cast<std::uint64_t>(std::max(seconds, 0.0) + 0.5);
  if (all >= 3600)
    return std::to_string(all / 3600) + " h " + std::to_string(all % 3600 / 60) + " min";
  if (all >= 60) return std::to_string(all / 60) + " min " + std::to_string(all % 60) + " s";
  return std::to_string(all) + " s";
}

/// Tells on the error stream, at most every two seconds, how many bytes have been moved, how fast,
/// and how long the rest takes at that rate.
class rate_report {
 public:
  explicit rate_report(bool speaks) : speaks_(speaks) {}

  void operator()(std::uint64_t done, std::uint64_t all) {
    const auto now = std::chrono::steady_clock::now();
    if (first_) {  // a resumed run has not moved what was done before
      first_ = false;
      begin_ = said_ = now;
      before_ = done;
    }
    if (!speaks_ || now - said_ < std::chrono::seconds(2)) return;
    said_ = now;
    const double seconds = std::chrono::duration<double>(now - begin_).count();
    const double rate = static_cast<double>(done - before_) / seconds;
    std::array<char, 160> line{};
    std::snprintf(line.data(), line.size(), "%s of %s moved, %.2f GB/s, %s left",
                  bmmc::file::bytes_text(done).c_str(), bmmc::file::bytes_text(all).c_str(),
                  rate * 1e-9, time_text(static_cast<double>(all - done) / rate).c_str());
    std::cerr << line.data() << std::endl;
  }

 private:
  bool speaks_, first_ = true;
  std::chrono::steady_clock::time_point begin_{}, said_{};
  std::uint64_t before_ = 0;
};

/// Bytes in a second that the disk gives of this file, read in sequence for a second at most.
[[nodiscard]] inline double read_rate(std::string const& path, std::uint64_t bytes) {
  namespace file = bmmc::file;
  const file::stored_file in(path, file::access::read);
  const std::uint64_t piece = std::min<std::uint64_t>(bytes, std::uint64_t{1} << 26);
  const file::tile_buffer memory(piece);
  const auto begin = std::chrono::steady_clock::now();
  double seconds = 0;
  std::uint64_t done = 0;
  while (seconds < 1 && done + piece <= bytes) {
    const file::run all{done, memory.data(), piece};
    file::threads{}(file::direction::read, in, {&all, 1});
    done += piece;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return static_cast<double>(done) / std::max(seconds, 1e-9);
}

/// What --plan adds: how long the plan takes by its own costs, and how long a copy would. Nothing
/// where there is too little to read to tell how fast the disk is.
[[nodiscard]] inline std::string times_text(bmmc::file::plan const& p, std::string const& source) {
  if (p.passes().empty() || p.bytes() < std::uint64_t{1} << 16) return {};
  const double rate = read_rate(source, p.bytes());
  std::array<char, 200> line{};
  std::snprintf(line.data(), line.size(),
                "at %.2f GB/s, as the source was read just now: about %s; a copy about %s\n",
                rate * 1e-9, time_text(p.cost() / rate).c_str(),
                time_text(2 * static_cast<double>(p.bytes()) / rate).c_str());
  return line.data();
}

/// How a large file is to be permuted.
struct large_job {
  std::string source, target, preamble;  // in place: the target is empty
  std::uint64_t data_offset = 0;
  std::string io;
  bool resume = false, quiet = false;
};

/// Calls work(transfer) with the way of reading and writing that --io names.
inline void with_transfer(std::string const& io, auto work) {
  namespace file = bmmc::file;
#ifdef WITH_URING
  if (io == "uring" || (io == "automatic" && file::uring::is_available()))
    return work(file::uring());
#endif
  if (io == "uring") throw usage_error("this program was built without liburing");
  work(file::threads{});
}

/// What the disk costs that this array is on, where an earlier run of this job has not noted it.
/// What is smaller than 256 MiB is not worth measuring.
[[nodiscard]] inline bmmc::file::disk_costs costs_of(large_job const& j) {
  namespace file = bmmc::file;
  if (j.resume)
    if (const auto earlier = file::earlier_job(j.target.empty() ? j.source : j.target))
      return earlier->costs;
  file::disk_costs costs;
  std::error_code ignored;
  const std::uint64_t bytes = std::filesystem::file_size(j.source, ignored);
  if (ignored || bytes < std::uint64_t{1} << 28) return costs;
  const file::stored_file in(j.source, file::access::read);
  // First: after many requests some disks make flushes wait as well, though the rate counts that.
  const auto flush = j.target.empty() ? file::seconds_for_a_flush(file::regular_target(j.source)) : std::nullopt;
  file::disk_speed disk;
  with_transfer(j.io,
                [&](auto const& transfer) { disk = file::measure_disk(in, bytes, transfer); });
  costs.request = disk.request_cost;
  if (flush) costs.flush = static_cast<std::uint64_t>(std::min(*flush * disk.rate, 0x1p40));
  return costs;
}

namespace detail {
/// Calls permute(options, transfer, together) as the job says; so many processes work.
template <class Permute>
void run_large(boost::mpi::communicator const& world, large_job const& j, unsigned working,
               Permute permute) {
  rate_report report(world.rank() == 0 && !j.quiet);
  bmmc::file::run_options options;
  options.resume = j.resume;
  options.rank = static_cast<unsigned>(world.rank());
  options.progress = [&](std::uint64_t done, std::uint64_t all) {  // all are about as far
    report(done * working, all * working);
  };
  const auto each = [&](auto step) { together(world, step); };
  with_transfer(j.io, [&](auto const& transfer) { permute(options, transfer, each); });
}
}  // namespace detail

/// Collective: carries out a plan over all processes.
inline void permute_large(boost::mpi::communicator const& world, bmmc::file::plan const& plan,
                          large_job const& j) {
  namespace file = bmmc::file;
  const auto permute = [&](auto const& options, auto const& transfer, auto each) {
    if (j.target.empty())
      file::permute_in_place(plan, j.source, j.data_offset, j.preamble, options, transfer, each);
    else
      file::permute_between(plan, j.source, j.data_offset, j.target, j.preamble, options, transfer,
                            each);
  };
  detail::run_large(world, j, plan.processes(), permute);
}

/// Collective: axes of any extents.
inline void permute_large(boost::mpi::communicator const& world, bmmc::file::box_work const& work,
                          large_job const& j) {
  const auto permute = [&](auto const& options, auto const& transfer, auto each) {
    bmmc::file::permute_axes(work, j.source, j.data_offset, j.target, j.preamble, options, transfer,
                             each);
  };
  detail::run_large(world, j, work.processes(), permute);
}

/// What is done with axes of any extents.
[[nodiscard]] inline std::string boxes_text(bmmc::file::axis_boxes const& boxes) {
  const auto bytes = bmmc::file::bytes_text;
  return std::to_string(boxes.count()) + " boxes of at most " + bytes(boxes.bytes()) + ", " +
         shape_text(boxes.widths) + " elements; read in runs of " +
         bytes(boxes.source_run_bytes()) + ", written in runs of " +
         bytes(boxes.target_run_bytes()) + "\n";
}

}  // namespace example
