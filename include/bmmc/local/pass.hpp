// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstring>
#include <type_traits>
#include <utility>

#include <bmmc/index/maps.hpp>
#include <bmmc/local/kernels/moves.hpp>
#include <bmmc/local/tables.hpp>
#include <bmmc/local/tuning/threading.hpp>

namespace bmmc::local {

namespace detail {

/// A pass as far as it depends on the size and form of elements alone.
class untyped_pass {
 public:
  untyped_pass(affine_map const& map, affine_map const& source_of, element_shape const& shape,
               tuning const& t);

  /// The same maps with other complements: nothing is built anew.
  void set_complement(index_t c, index_t source_c = 0) noexcept;

  /// From now on targets are written by these two of tuning; nothing is built anew, and the number
  /// of parts may be another. A pass that was made with keeps_target writes those that are not
  /// aligned to the caches; one that was made for the caches without it may fetch other lines than
  /// it moves where it writes past them.
  void write_as(index_t stream_from, bool keeps_target) noexcept {
    tuning_.stream_from = stream_from;
    tuning_.keeps_target = keeps_target;
  }

  [[nodiscard]] index_t elements() const noexcept { return bit(map_.matrix.cols()); }
  [[nodiscard]] index_t target_elements() const noexcept { return bit(map_.matrix.rows()); }
  [[nodiscard]] bool is_identity() const noexcept { return is_identity_; }
  [[nodiscard]] affine_map const& map() const noexcept { return map_; }
  [[nodiscard]] tuning const& settings() const noexcept { return tuning_; }
  /// The tables for whole lines; null where elements are moved one at a time.
  [[nodiscard]] line_plan const* lines() const noexcept {
    return tables_.lines ? &*tables_.lines : nullptr;
  }
  /// The same for a large target that is not aligned; null where it is written into the caches.
  [[nodiscard]] line_plan const* shifted_lines() const noexcept {
    return tables_.shifted && !tuning_.keeps_target ? &*tables_.shifted : nullptr;
  }

 protected:
  affine_map map_, source_of_;
  tuning tuning_;
  pass_tables tables_;
  bool is_identity_ = false;
};

}  // namespace detail

/// An injective affine map of the elements of one array to places in another, prepared once and run
/// often. A map of n source bits and m >= n target bits leaves the other places alone.
/// Fast    for trivially copyable elements of 1, 2, 4, 8, 16 or any power of two bytes, where whole
///         lines of 64 bytes are filled; all others are moved one at a time, in tiled order.
/// Tables  some 10 KiB, for large arrays some 20 KiB, built with O(n^3) word operations.
/// Memory  up to 650 KiB for each thread that moves large arrays, kept until the thread ends; none
///         is allocated in a repeated call.
/// Threads a pass may be run by several at once.
template <class T>
class pass : public detail::untyped_pass {
 public:
  pass() : pass(permutation<>{}) {}
  explicit pass(permutation<> const& p, tuning const& t = {}) : pass(as_map(p), t) {}
  /// Throws bad_value for a map that is not injective, or of more than 63 bits of bytes.
  explicit pass(affine_map const& map, tuning const& t = {})
      : pass(map, {identity_matrix(map.matrix.cols()), 0}, t) {}
  /// The same from a part of a larger array: target[map(x)] = source[source_of(x)].
  /// Throws bad_value for maps that are not injective, of different domains, or of more than 63
  /// bits of bytes.
  pass(affine_map const& map, affine_map const& source_of, tuning const& t = {})
      : detail::untyped_pass(map, source_of, shape_of<T>, t) {}

  /// target[map(x)] = source[x] for all x. The arrays do not overlap; a source that is not const
  /// may be moved from.
  template <class Source, Threading E = sequential>
    requires std::is_same_v<std::remove_const_t<Source>, T>
  void operator()(Source* source, T* target, E const& threads = {}) const {
    if constexpr (std::is_trivially_copyable_v<T> && std::is_same_v<E, sequential>)
      if (is_identity_ && !streams_copy(target)) {  // the C library knows the machine's way to copy
        std::memcpy(target, source, elements() * sizeof(T));
        return;
      }
    threads(parts(target), [&](index_t first, index_t last) { run(source, target, first, last); });
  }

  /// Parts that may be moved one by one, in any order and at the same time: a power of two, the
  /// same for all targets that have the same place in their lines, until write_as() is called.
  [[nodiscard]] index_t parts(T const* target) const noexcept {
    return tables_.lines ? bit(lg_parts(stores_to(target))) : tables_.elements.runs();
  }
  /// Moves parts [first, last) of parts(target).
  template <class Source>
  void run(Source* source, T* target, index_t first, index_t last) const {
    if constexpr (shape.has_lines)
      if (tables_.lines) return run_lines(source, target, first, last);
    const auto move_one = [=](index_t x, index_t y) {
      if constexpr (std::is_const_v<Source>)
        target[y] = source[x];
      else
        target[y] = std::move(source[x]);
    };
    tables_.elements.for_each(map_.complement, first, last, move_one, source_of_.complement);
  }

 private:
  static constexpr element_shape shape = shape_of<T>;

  /// How a target is written by the tables that there are.
  [[nodiscard]] stores stores_to(T const* target) const noexcept {
    const auto how = tuning_.stores_to(target, elements() * sizeof(T), shape.lg_size);
    return how == stores::shifted && !tables_.shifted ? stores::from_memory : how;
  }
  /// Whether an identity is copied past the caches, not by the C library.
  [[nodiscard]] bool streams_copy(T const* target) const noexcept {
    const auto how = stores_to(target);
    return tables_.lines &&
           (how == stores::past_cache || (how == stores::shifted && tables_.shifted->moves_rows));
  }
  /// Where lines of a run wait, the tiles that fill 1 KiB of it are one part; else each tile is.
  [[nodiscard]] unsigned lg_parts(stores how) const noexcept {
    return how == stores::shifted ? tables_.shifted->lg_parts() : tables_.lines->lg_tiles;
  }
  void run_lines(T const* source, T* target, index_t first, index_t last) const {
    const auto how = stores_to(target);
    line_plan const& plan = how == stores::shifted ? *tables_.shifted : *tables_.lines;
    const line_job job{
        reinterpret_cast<unsigned char const*>(source), reinterpret_cast<unsigned char*>(target),
        plan.start(map_.complement << shape.lg_size, source_of_.complement << shape.lg_size), how,
        &tuning_.shape};
    const unsigned lg_tiles = plan.lg_tiles - lg_parts(how);  // of a part
    move_lines<shape.lg_unit>(tuning_.use, plan, job, first << lg_tiles, last << lg_tiles);
  }
};

}  // namespace bmmc::local

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/local/pass_once.hpp>
#endif
