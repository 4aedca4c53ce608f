// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <bmmc/file/factors.hpp>
#include <bmmc/file/tiling.hpp>

namespace bmmc::file {

/// Direct I/O moves pages of so many bytes; blocks are multiples of it where they can be.
inline constexpr index_t page_bytes = 4096;

/// What a plan may use.
struct resources {
  index_t memory = index_t{1} << 30;  // bytes for tiles, of all processes together
  index_t block = 0;                  // bytes, 2^k elements; 0: what is cheapest
  bool in_place = false;
  unsigned processes = 1;  // each has its share of the memory
  /// What a request to the disk costs beside its bytes, in bytes that could move meanwhile. The
  /// default is what a disk of 1 GB/s showed for requests of 16 to 128 KiB, 32 at a time.
  index_t request_cost = 24576;
};

/// Bytes that a plan moves, and requests that it makes.
struct traffic {
  index_t read = 0, written = 0, journal = 0, requests = 0;

  [[nodiscard]] constexpr index_t bytes() const noexcept { return read + written + journal; }
  constexpr traffic& operator+=(traffic const& t) noexcept {
    read += t.read;
    written += t.written;
    journal += t.journal;
    requests += t.requests;
    return *this;
  }
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
      if (r.in_place) return split(involutions, b, m - b);
      return split(p, b, m - b);
    };
    double least = 0;
    // With fewer tiles in memory they are larger, but less is done at the same time.
    for (const unsigned buffers : r.in_place ? std::array{5U, 3U, 3U} : std::array{4U, 3U, 2U}) {
      const auto m = tile_bits_for(buffers);
      if (!m) continue;
      for (unsigned b = first_block_bits(); b <= last_block_bits(*m); ++b) {
        if (b == *m && !stays_in_blocks(involutions, b)) continue;
        const auto tried = factors(b, *m);
        const double cost = estimate(tried, *m, buffers);
        if (buffers_ != 0 && cost >= least * 0.999) continue;
        least = cost;
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
  [[nodiscard]] constexpr index_t memory() const noexcept {
    return buffers_ * tile_bytes() * resources_.processes;
  }

  /// What one pass moves; all passes together.
  [[nodiscard]] constexpr traffic moves(tiling const& pass) const {
    return in_place() ? moves_in_place(pass) : moves_between(pass);
  }
  [[nodiscard]] constexpr traffic moves() const {
    traffic sum;
    for (auto const& pass : passes_) sum += moves(pass);
    return sum;
  }
  /// Bytes on the disk beside source and target: a second file between passes, or the journal.
  [[nodiscard]] constexpr index_t temporary_bytes() const noexcept {
    if (in_place()) return passes_.empty() ? 0 : 2 * tile_bytes() * resources_.processes;
    return passes_.size() > 1 ? bytes() : 0;
  }
  /// The rank on which passes depend, and the fewest of them that tiles and blocks like these allow
  /// between two files.
  [[nodiscard]] constexpr unsigned spread() const { return spread_of(map_.matrix(), block_bits_); }
  [[nodiscard]] constexpr unsigned lower_bound() const {
    return fewest_passes(spread(), tile_bits_ - block_bits_);
  }

 private:
  constexpr void require() const {
    if (element_bytes_ == 0 || element_bytes_ > (index_t{1} << 20) ||
        static_cast<unsigned>(std::bit_width(element_bytes_)) + map_.bits() > most_bits)
      throw bad_value("2^" + std::to_string(map_.bits()) + " elements of " +
                      std::to_string(element_bytes_) + " bytes are no file");
    if (!std::has_single_bit(resources_.processes))
      throw bad_value("the number of processes must be a power of two, not " +
                      std::to_string(resources_.processes));
    const index_t block = resources_.block;
    if (block != 0 && (block % element_bytes_ != 0 || !std::has_single_bit(block / element_bytes_)))
      throw bad_value("a block of " + std::to_string(block) + " bytes is not 2^k elements of " +
                      std::to_string(element_bytes_) + " bytes");
  }
  [[nodiscard]] std::string too_little_memory() const {
    return std::to_string(resources_.memory) + " bytes of memory are too little for " +
           std::to_string(resources_.processes) + " processes that keep " +
           (in_place() ? "3" : "2") + " tiles each, of at least two blocks of " +
           std::to_string(element_bytes_ << first_block_bits()) + " bytes";
  }
  /// The largest tiles of which so many fit into the memory of a process.
  [[nodiscard]] constexpr std::optional<unsigned> tile_bits_for(unsigned buffers) const noexcept {
    const index_t elements = resources_.memory / resources_.processes / buffers / element_bytes_;
    if (elements == 0) return std::nullopt;
    return std::min(static_cast<unsigned>(std::bit_width(elements)) - 1, largest_tile_bits());
  }
  /// Every process has a tile to work at, where there are so many blocks.
  [[nodiscard]] constexpr unsigned largest_tile_bits() const noexcept {
    const auto procs = static_cast<unsigned>(std::countr_zero(resources_.processes));
    return std::max(map_.bits() - std::min(procs, map_.bits()),
                    std::min(map_.bits(), first_block_bits() + 1));
  }
  [[nodiscard]] constexpr unsigned first_block_bits() const noexcept {
    if (resources_.block != 0)
      return std::min(map_.bits(),
                      static_cast<unsigned>(std::countr_zero(resources_.block / element_bytes_)));
    unsigned b = 0;
    while (b < map_.bits() && (element_bytes_ << b) % page_bytes != 0) ++b;
    return b;
  }
  [[nodiscard]] constexpr unsigned last_block_bits(unsigned tile_bits) const noexcept {
    return resources_.block != 0 ? std::min(first_block_bits(), tile_bits) : tile_bits;
  }
  /// Whether tiles of one block are enough.
  [[nodiscard]] constexpr bool stays_in_blocks(local::involution_list const& involutions,
                                               unsigned b) const {
    if (!in_place()) return spread_of(map_.matrix(), b) == 0;
    bool stays = true;
    for (auto const& f : involutions) stays = stays && spread_of(f.matrix(), b) == 0;
    return stays;
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
                                          unsigned buffers) const {
    double cost = 0;
    for (auto const& f : factors) {
      const traffic t = moves(tile(f, m));
      cost += static_cast<double>(t.bytes()) +
              static_cast<double>(t.requests) * static_cast<double>(resources_.request_cost);
    }
    // Where reading, permuting and writing take turns, permuting costs about a sixth.
    if (in_place()) return buffers == 5 ? cost : cost * 1.1;
    return buffers == 4 ? cost : buffers == 3 ? cost * 1.05 : cost * 1.15;
  }

  [[nodiscard]] constexpr traffic moves_between(tiling const& t) const noexcept {
    return {bytes(), bytes(), 0,
            bit(t.bits() - t.source_run_bits()) + bit(t.bits() - t.target_run_bits())};
  }
  /// Tiles that map to themselves element by element are left alone; of pairs of tiles one is
  /// logged, of a tile that maps to itself the result.
  [[nodiscard]] constexpr traffic moves_in_place(tiling const& t) const {
    const auto [still, alone] = fixed_tiles(t);
    const index_t moved = t.tiles() - still, logged = (t.tiles() - alone) / 2 + (alone - still);
    const index_t tile = element_bytes_ << t.tile_bits();
    return {moved * tile, moved * tile, logged * tile,
            2 * moved * bit(t.tile_bits() - t.source_run_bits()) + logged};
  }
  /// The numbers of tiles whose elements all stay, and of those that map to themselves.
  [[nodiscard]] static constexpr std::pair<index_t, index_t> fixed_tiles(tiling const& t) {
    const unsigned outer = t.bits() - t.tile_bits();
    // On the tiles f is x -> A x + c again; x is a fixed point where (A + 1) x = c.
    bit_matrix<> moved(outer, outer);
    const index_t c = t.image(0);
    for (unsigned j = 0; j < outer; ++j) moved.column[j] = t.image(bit(j)) ^ c ^ bit(j);
    if (!solve(moved, c)) return {0, 0};
    const index_t alone = bit(outer - matrix_rank(moved));
    if (t.inside(0).matrix != identity_matrix(t.tile_bits())) return {0, alone};
    bit_matrix<> all = t.map().matrix();
    for (unsigned j = 0; j < t.bits(); ++j) all.column[j] ^= bit(j);
    if (!solve(all, t.map().complement())) return {0, alone};
    return {bit(t.bits() - matrix_rank(all) - t.tile_bits()), alone};
  }

  permutation<> map_;
  index_t element_bytes_;
  resources resources_;
  unsigned buffers_ = 0, block_bits_ = 0, tile_bits_ = 0;
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
