// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/index/coset_permutation.hpp>
#include <bmmc/local/part_runs.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/permute.hpp>

namespace bmmc::local {

/// Several permutations on cosets, one after the other, in one pass over an array in place.
/// Method  each adds vectors of its directions() to indices, so a coset of the space D that holds
///         the directions of all is taken to itself by every one of them. The array goes through a
///         buffer coset by coset; D holds the bits of a line, too, so that only whole lines move.
///         In a coset of D each condition is one on the coordinates there, and its value depends
///         on which coset it is: that is the sum of the condition on the coset's first index.
/// Passes  the array is read once and written once, without the cosets in which nothing moves, as
///         long as a coset fits a cache: see buffer_bits().
/// Memory  scratch_elements() of the caller's: two cosets at most.
template <class T>
class coset_sequence {
 public:
  coset_sequence() = default;
  /// All of n bits. A coset has `least_bytes` or more. Throws bad_value where numbers of bits
  /// differ.
  coset_sequence(unsigned n, std::span<coset_permutation const> steps,
                 index_t least_bytes = index_t{1} << 17)
      : block_(n) {
    for (unsigned j = 0; j < n && sizeof(T) << j < line_bytes; ++j) block_.add(bit(j));
    for (auto const& each : steps) {
      bmmc::detail::require_same_bits(n, each.bits());
      const subspace added = directions(each);
      for (const index_t v : added.vectors.column) block_.add(v);
    }
    for (unsigned j = 0; j < n && sizeof(T) << block_.dimension() < least_bytes; ++j)
      block_.add(bit(j));
    index_t others = 0;
    for (unsigned j = 0; j < n; ++j)
      if ((block_.pivots & bit(j)) == 0) {
        firsts_.append(bit(j));
        others |= bit(j);
      }
    for (auto const& each : steps)
      if (!bmmc::is_identity(each)) steps_.emplace_back(moved_part(each), block_);
    runs_ = part_runs<T>({block_.vectors, 0}, others);
    if (runs_.has_lines()) return;
    there_ = pass<T>(affine_map{identity_matrix(buffer_bits()), 0}, {block_.vectors, 0});
    back_ = pass<T>(affine_map{block_.vectors, 0});
  }

  /// A coset has 2^buffer_bits() elements: the directions, the bits of a line, and low bits.
  [[nodiscard]] unsigned buffer_bits() const noexcept { return block_.dimension(); }
  [[nodiscard]] index_t scratch_elements() const noexcept {
    return steps_.empty() ? 0 : bit(buffer_bits()) + held();
  }

  void operator()(T* data, T* scratch) {
    if (steps_.empty()) return;
    index_t first = 0;
    for (index_t k = 0;;) {
      on_block(first, data, scratch);
      if (++k == bit(firsts_.count)) return;
      firsts_.advance(first, k);
    }
  }

 private:
  /// One of the permutations, in coordinates of the block.
  class step {
   public:
    step(coset_permutation const& c, subspace const& block) : c_(c) {
      const bit_matrix<> to_coordinates = transposed(block.vectors);
      subspace rows(block.dimension());
      for (unsigned i = 0; i < c.where().size(); ++i) {
        conditions_.push_back(c.where()[i]);
        const index_t row = to_coordinates * c.where()[i].bits;
        // Those that add a row to the space number its combinations; the others must agree.
        if (rows.contains(row))
          checks_.push_back(from_added(rows.sum_of(row)) | bit(i));
        else
          rows.add(row), added_.push_back(i);
      }
      free_ = low_bits(block.dimension()) & ~rows.pivots;
      unsigned r = 0;
      for (index_t rest = rows.pivots; rest != 0; rest &= rest - 1, ++r)
        pivots_.emplace_back(rest & (~rest + 1), from_added(rows.sum_of(rows.vectors.column[r])));
      // the solutions of the conditions that are 0: free coordinates, and pivots that follow
      for (unsigned j = 0; j < block.dimension(); ++j) {
        if ((free_ & bit(j)) == 0) continue;
        index_t v = bit(j);
        for (unsigned i = 0; i < rows.dimension(); ++i)
          if ((rows.vectors.column[i] & bit(j)) != 0) v |= pivots_[i].first;
        sources_.push_back(v);
        const index_t x = block.vectors * v;
        targets_.push_back(v ^ block.coordinates(c.on_all().matrix() * x ^ x));
      }
      // On all of W one vector is added: then pairs change places.
      const subspace all = directions(c);
      const auto by = c.where().points();
      is_swap_ = all.dimension() == 1 && c.on_all()(by.points.complement) != by.points.complement;
      for (const index_t column : by.points.matrix.column)
        is_swap_ = is_swap_ && c.on_all().matrix() * column == column;
      if (is_swap_) make_pairs(block.coordinates(all.vectors.column[0]));
      make_walk();
    }

    /// Elements of a second buffer.
    [[nodiscard]] index_t held() const noexcept { return is_swap_ ? 0 : bit(elements_bits()); }
    /// The first coordinates in the block that begins at index `first`; false where nothing moves.
    [[nodiscard]] bool starts(index_t first, index_t& t) const noexcept {
      index_t values = 0;
      for (unsigned i = 0; i < conditions_.size(); ++i)
        if (((std::popcount(conditions_[i].bits & first) & 1) != 0) != conditions_[i].value)
          values |= bit(i);
      for (const index_t each : checks_)
        if ((std::popcount(each & values) & 1) != 0) return false;
      t = 0;
      for (auto const& [pivot, sum] : pivots_)
        if ((std::popcount(sum & values) & 1) != 0) t |= pivot;
      return true;
    }
    void operator()(index_t first, index_t t, subspace const& block, T* buffer, T* held) const {
      if (is_swap_) {
        for_each({t, 0}, [&](places const& at, index_t) {
          change_places(buffer[at.source], buffer[at.source ^ added_vector_]);
        });
        return;
      }
      const index_t x = first ^ block.vectors * t;
      const index_t to = t ^ block.coordinates(c_.on_all()(x) ^ x);
      for_each({t, to},
               [&](places const& at, index_t s) { held[s] = std::move(buffer[at.source]); });
      for_each({t, to},
               [&](places const& at, index_t s) { buffer[at.target] = std::move(held[s]); });
    }

   private:
    static void change_places(T& a, T& b) noexcept(std::is_nothrow_swappable_v<T>) {
      if constexpr (std::is_trivially_copyable_v<T>) {  // as bytes: compilers take wide registers
        std::array<unsigned char, sizeof(T)> x, y;
        std::memcpy(x.data(), &a, sizeof(T));
        std::memcpy(y.data(), &b, sizeof(T));
        std::memcpy(&a, y.data(), sizeof(T));
        std::memcpy(&b, x.data(), sizeof(T));
      } else {
        std::swap(a, b);
      }
    }
    struct places {
      index_t source = 0, target = 0;
      constexpr places& operator^=(places const& by) noexcept {
        source ^= by.source, target ^= by.target;
        return *this;
      }
      friend constexpr places operator^(places a, places const& b) noexcept { return a ^= b; }
    };
    static constexpr unsigned most_inner = 3;

    [[nodiscard]] unsigned elements_bits() const noexcept {
      return static_cast<unsigned>(sources_.size());
    }
    /// Numbers of conditions, of numbers of those that have added a row.
    [[nodiscard]] index_t from_added(index_t sum) const noexcept {
      index_t numbers = 0;
      for (; sum != 0; sum &= sum - 1) numbers |= bit(added_[bmmc::detail::lowest_one(sum)]);
      return numbers;
    }
    /// Of each pair the one without one coordinate of v, a free one.
    void make_pairs(index_t v) {
      added_vector_ = v;
      for (unsigned j = 0; j < sources_.size(); ++j) {
        if ((v & sources_[j] & free_) == 0) continue;
        sources_.erase(sources_.begin() + j);
        targets_.erase(targets_.begin() + j);
        return;
      }
    }
    void make_walk() {
      inner_bits_ = std::min(most_inner, elements_bits());
      for (index_t s = 0; s < bit(inner_bits_); ++s)
        for (unsigned j = 0; j < inner_bits_; ++j)
          if ((s & bit(j)) != 0) inner_[s] ^= {sources_[j], targets_[j]};
      for (unsigned j = inner_bits_; j < elements_bits(); ++j)
        outer_.append({sources_[j], targets_[j]});
    }
    template <class Visit>
    void for_each(places at, Visit visit) const {
      const index_t inner = bit(inner_bits_), outer = bit(outer_.count);
      for (index_t k = 0;;) {
        for (index_t s = 0; s < inner; ++s) visit(at ^ inner_[s], k * inner + s);
        if (++k == outer) return;
        outer_.advance(at, k);
      }
    }

    coset_permutation c_;
    std::vector<bit_condition> conditions_;
    std::vector<unsigned> added_;  // conditions whose rows are independent in the block
    std::vector<index_t> checks_;  // sums of conditions without coordinates
    std::vector<std::pair<index_t, index_t>> pivots_;  // and the conditions whose sum gives each
    std::vector<index_t> sources_, targets_;
    index_t free_ = 0;  // coordinates
    bool is_swap_ = false;
    index_t added_vector_ = 0;
    unsigned inner_bits_ = 0;
    std::array<places, bit(most_inner)> inner_{};
    walk<places> outer_{};
  };

  [[nodiscard]] index_t held() const noexcept {
    index_t most = 0;
    for (auto const& each : steps_) most = std::max(most, each.held());
    return most;
  }
  void on_block(index_t first, T* data, T* buffer) {
    bool is_there = false;
    for (auto const& each : steps_) {
      index_t t = 0;
      if (!each.starts(first, t)) continue;
      if (!is_there) fetch(first, data, buffer);
      is_there = true;
      each(first, t, block_, buffer, buffer + bit(buffer_bits()));
    }
    if (is_there) bring_back(first, buffer, data);
  }
  void fetch(index_t first, T* data, T* buffer) {
    if (runs_.has_lines()) {
      runs_.set_offset(first);
      return runs_.pack(data, buffer);
    }
    there_.set_complement(0, first);
    there_(data, buffer);
  }
  void bring_back(index_t first, T* buffer, T* data) {
    if (runs_.has_lines()) return runs_.unpack(buffer, data);
    back_.set_complement(first);
    back_(buffer, data);
  }

  subspace block_{};
  walk<index_t> firsts_{};
  std::vector<step> steps_;
  part_runs<T> runs_;
  pass<T> there_, back_;
};

}  // namespace bmmc::local
