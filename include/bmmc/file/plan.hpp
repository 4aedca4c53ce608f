// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <bmmc/file/factors_in_place.hpp>
#include <bmmc/file/traffic.hpp>

namespace bmmc::file {

/// Direct I/O moves pages of so many bytes; blocks are multiples of it where they can be.
inline constexpr index_t page_bytes = 4096;

/// What a disk takes beside the bytes, in bytes that could move meanwhile. The defaults are what a
/// disk of 1 GB/s takes for requests of 16 to 128 KiB, 32 at a time, and a millisecond of it for
/// waiting until what was written is there, as runs in place do up to three times for two tiles.
struct disk_costs {
  index_t request = 24576;
  index_t flush = index_t{1} << 20;
};

/// What a plan may use.
struct resources {
  index_t memory = index_t{1} << 30;  // bytes for tiles, of all processes together
  index_t block = 0;                  // bytes, 2^k elements; 0: what is cheapest
  bool in_place = false;
  unsigned processes = 1;  // those that there are; how many of them work is the plan's choice
  unsigned disks = 1;      // so many processes read and write as fast as each of them alone
  disk_costs costs = {};
};

/// How a file of 2^n elements is permuted in tiles that fit into memory.
class plan {
 public:
  /// Throws bad_value where the memory is too small, or the block is not one of 2^k elements.
  constexpr plan(permutation<> const& p, index_t element_bytes, resources const& r)
      : map_(p), element_bytes_(element_bytes), resources_(r) {
    require();
    const auto involutions = r.in_place ? local::involutions(p) : local::involution_list{};
    const auto factors = [&](unsigned b, unsigned m) {
      if (r.in_place) return split_in_place(p, involutions, b, m - b);
      return split(p, b, m - b);
    };
    // With fewer tiles in memory, or fewer processes that share it, tiles are larger, but less is
    // done at the same time.
    for (unsigned procs = r.processes; procs != 0; procs /= 2)
      for (const unsigned buffers :
           r.in_place ? short_list<unsigned>{5, 3} : short_list<unsigned>{4, 3, 2}) {
        const auto m = tile_bits_for(procs, buffers);
        if (!m) continue;
        for (unsigned b = first_block_bits(); b <= last_block_bits(*m); ++b) {
          if (b == *m && spread_of(p.matrix(), b) != 0) continue;
          const auto tried = factors(b, *m);
          const double cost = estimate(tried, *m, buffers, procs) / std::min(procs, r.disks);
          if (buffers_ != 0 && cost >= cost_ * (procs < processes_ ? 0.97 : 0.999)) continue;
          cost_ = cost;
          processes_ = procs;
          buffers_ = buffers;
          block_bits_ = b;
          tile_bits_ = *m;
        }
      }
    if (buffers_ == 0) throw bad_value(too_little_memory());
    const auto chosen = factors(block_bits_, tile_bits_);
    for (auto const& f : chosen) passes_.push_back(tile(f, tile_bits_));
    if (r.block == 0) block_bits_ = shortest_run_bits();
  }

  [[nodiscard]] constexpr permutation<> const& map() const noexcept { return map_; }
  [[nodiscard]] constexpr index_t element_bytes() const noexcept { return element_bytes_; }
  [[nodiscard]] constexpr index_t bytes() const noexcept { return element_bytes_ << map_.bits(); }
  [[nodiscard]] constexpr bool in_place() const noexcept { return resources_.in_place; }
  [[nodiscard]] constexpr resources const& given() const noexcept { return resources_; }

  /// The passes in their order. In place there is none for the identity; else there is one.
  [[nodiscard]] constexpr std::vector<tiling> const& passes() const noexcept { return passes_; }
  /// Runs have at least 2^block_bits() elements on both sides, in every pass.
  [[nodiscard]] constexpr unsigned block_bits() const noexcept { return block_bits_; }
  [[nodiscard]] constexpr index_t block_bytes() const noexcept {
    return element_bytes_ << block_bits_;
  }
  /// Tiles have at most 2^tile_bits() elements, and buffers() of them are in memory at a time.
  [[nodiscard]] constexpr unsigned tile_bits() const noexcept { return tile_bits_; }
  [[nodiscard]] constexpr index_t tile_bytes() const noexcept {
    return element_bytes_ << tile_bits_;
  }
  [[nodiscard]] constexpr unsigned buffers() const noexcept { return buffers_; }
  /// Of the processes that there are the first ones work, each at its tiles; the others wait.
  [[nodiscard]] constexpr unsigned processes() const noexcept { return processes_; }
  [[nodiscard]] constexpr index_t memory() const noexcept {
    return buffers_ * tile_bytes() * processes_;
  }

  /// What one pass moves; all passes together.
  [[nodiscard]] constexpr traffic moves(tiling const& pass) const {
    return moves(pass, processes_);
  }
  [[nodiscard]] constexpr traffic moves() const {
    traffic sum;
    for (auto const& pass : passes_) sum += moves(pass);
    return sum;
  }
  /// What the plan was chosen by: its time, in bytes that one disk could move meanwhile.
  [[nodiscard]] constexpr double cost() const noexcept { return cost_; }
  /// Bytes on the disk beside source and target: a second file between passes, or the journal.
  [[nodiscard]] constexpr index_t temporary_bytes() const noexcept {
    if (in_place()) return passes_.empty() ? 0 : 2 * tile_bytes() * processes_;
    return passes_.size() > 1 ? bytes() : 0;
  }
  /// The rank on which passes depend, and the fewest of them that tiles and blocks like these allow
  /// between two files.
  [[nodiscard]] constexpr unsigned spread() const { return spread_of(map_.matrix(), block_bits_); }
  [[nodiscard]] constexpr unsigned lower_bound() const {
    return fewest_passes(spread(), tile_bits_ - block_bits_);
  }

 private:
  [[nodiscard]] constexpr traffic moves(tiling const& pass, unsigned procs) const {
    return in_place() ? moves_in_place(pass, element_bytes_, procs)
                      : moves_between(pass, element_bytes_);
  }
  constexpr void require() const {
    if (element_bytes_ == 0 || element_bytes_ > (index_t{1} << 20) ||
        static_cast<unsigned>(std::bit_width(element_bytes_)) + map_.bits() > most_bits)
      throw bad_value("2^" + std::to_string(map_.bits()) + " elements of " +
                      std::to_string(element_bytes_) + " bytes are no file");
    if (!std::has_single_bit(resources_.processes))
      throw bad_value("the number of processes must be a power of two, not " +
                      std::to_string(resources_.processes));
    if (resources_.disks == 0) throw bad_value("a plan for 0 disks");
    const index_t block = resources_.block;
    if (block != 0 && (block % element_bytes_ != 0 || !std::has_single_bit(block / element_bytes_)))
      throw bad_value("a block of " + std::to_string(block) + " bytes is not 2^k elements of " +
                      std::to_string(element_bytes_) + " bytes");
  }
  [[nodiscard]] std::string too_little_memory() const {
    return std::to_string(resources_.memory) + " bytes of memory are too little for " +
           (in_place() ? "3" : "2") + " tiles of at least two blocks of " +
           std::to_string(element_bytes_ << first_block_bits()) + " bytes";
  }
  /// The largest tiles of which so many fit into the memory of each of so many processes; each has
  /// a tile to work at.
  [[nodiscard]] constexpr std::optional<unsigned> tile_bits_for(unsigned procs,
                                                                unsigned buffers) const noexcept {
    const index_t elements = resources_.memory / procs / buffers / element_bytes_;
    const auto lg_procs = bmmc::detail::lowest_one(procs);
    if (elements == 0 || lg_procs > map_.bits()) return std::nullopt;
    return std::min(bmmc::detail::highest_one(elements), map_.bits() - lg_procs);
  }
  [[nodiscard]] constexpr unsigned first_block_bits() const noexcept {
    if (resources_.block != 0)
      return std::min(map_.bits(), bmmc::detail::lowest_one(resources_.block / element_bytes_));
    unsigned b = 0;
    while (b < map_.bits() && (element_bytes_ << b) % page_bytes != 0) ++b;
    return b;
  }
  [[nodiscard]] constexpr unsigned last_block_bits(unsigned tile_bits) const noexcept {
    return resources_.block != 0 ? std::min(first_block_bits(), tile_bits) : tile_bits;
  }
  [[nodiscard]] constexpr tiling tile(permutation<> const& f, unsigned m) const {
    return in_place() ? make_tiling_in_place(f, m) : make_tiling(f, m);
  }

  [[nodiscard]] constexpr unsigned shortest_run_bits() const noexcept {
    unsigned k = tile_bits_;
    for (auto const& t : passes_) k = std::min({k, t.source_run_bits(), t.target_run_bits()});
    return k;
  }

  /// In bytes that the disk could move meanwhile.
  [[nodiscard]] constexpr double estimate(std::vector<permutation<>> const& factors, unsigned m,
                                          unsigned buffers, unsigned procs) const {
    double cost = 0;
    for (auto const& f : factors) {
      const traffic t = moves(tile(f, m), procs);
      cost += static_cast<double>(t.bytes()) +
              static_cast<double>(t.requests) * static_cast<double>(resources_.costs.request) +
              static_cast<double>(t.flushes) * static_cast<double>(resources_.costs.flush);
    }
    // Where reading, permuting and writing take turns, permuting costs about a sixth.
    if (in_place()) return buffers == 5 ? cost : cost * 1.1;
    return buffers == 4 ? cost : buffers == 3 ? cost * 1.05 : cost * 1.15;
  }

  permutation<> map_;
  index_t element_bytes_;
  resources resources_;
  unsigned processes_ = 0, buffers_ = 0, block_bits_ = 0, tile_bits_ = 0;
  double cost_ = 0;
  std::vector<tiling> passes_;
};

/// A plan for 2^n elements of `element_bytes` bytes each.
/// Cost    O(n^5) word operations: less than a second. Nothing is read or written.
/// Errors  bad_value with the figures where the memory is too small.
[[nodiscard]] constexpr plan make_plan(permutation<> const& p, index_t element_bytes,
                                       resources const& r = {}) {
  return {p, element_bytes, r};
}

}  // namespace bmmc::file
