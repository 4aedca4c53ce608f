// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <bmmc/index/permutation.hpp>
#include <bmmc/local/element_plan.hpp>
#include <bmmc/local/threading.hpp>
#include <bmmc/local/tuning.hpp>

namespace bmmc::local {

/// How the elements of a type lie in lines. Whole lines can be moved as bytes where the size is a
/// power of two; others have tables for lines of about as many elements.
template <class T>
struct element_layout {
  static constexpr bool has_lines =
      std::is_trivially_copyable_v<T> && std::has_single_bit(sizeof(T));
  static constexpr unsigned lg_size = static_cast<unsigned>(std::bit_width(sizeof(T))) - 1;
  static constexpr unsigned line_elements = line_bits > lg_size ? line_bits - lg_size : 0;
  static constexpr unsigned lg_unit = std::min(lg_size, line_bits);  // bytes that stay together
};

/// An injective affine map of the elements of one array to places in another, prepared once and run
/// often. A map of n source bits and m >= n target bits leaves the other places alone.
/// Fast    for trivially copyable elements of 1, 2, 4, 8, 16 or any power of two bytes, where whole
///         lines of 64 bytes are filled; all others are moved one at a time, in tiled order.
/// Tables  some 10 KiB, for large arrays some 20 KiB, built with O(n^3) word operations.
/// Memory  up to 600 KiB for each thread that moves large arrays, kept until the thread ends; none
///         is allocated in a repeated call.
/// Threads a pass may be run by several at once.
template <class T>
class pass {
 public:
  pass() : pass(permutation<>{}) {}
  explicit pass(permutation<> const& p, tuning const& t = {})
      : pass(affine_map{p.matrix(), p.complement()}, t) {}
  /// Throws bad_value for a map that is not injective, or of more than 63 bits of bytes.
  explicit pass(affine_map const& map, tuning const& t = {})
      : pass(map, {identity_matrix(map.matrix.cols()), 0}, t) {}
  /// The same from a part of a larger array: target[map(x)] = source[source_of(x)].
  /// Throws bad_value for maps that are not injective, of different domains, or of more than 63
  /// bits of bytes.
  pass(affine_map const& map, affine_map const& source_of, tuning const& t = {})
      : map_(map), source_of_(source_of), tuning_(t) {
    require_injective(map);
    require_injective(source_of);
    const unsigned n = map.matrix.cols(), stays = detail::bits_kept(source_of.matrix);
    if (source_of.matrix.cols() != n)
      throw bad_value("a pass has one domain, not one of " + std::to_string(n) + " and one of " +
                      std::to_string(source_of.matrix.cols()) + " bits");
    elements_plan_ = make_element_plan(map.matrix, std::min(layout::line_elements, stays));
    elements_plan_.embed_source(source_of.matrix);
    if constexpr (layout::has_lines)
      if (t.use != instructions::portable) {
        lines_ =
            make_line_plan(on_bytes(map, layout::lg_size).matrix, t.shape, stays + layout::lg_size);
        if (lines_ && bytes() >= t.stream_from)
          shifted_ = make_line_plan(on_bytes(map, layout::lg_size).matrix, t.shifted_shape(),
                                    stays + layout::lg_size);
        if (shifted_)  // here, not in the first call; without it that call is slower
          static_cast<void>(
              thread_workspace(pass_bytes(*shifted_, stores::shifted, t.shape.buffered)));
        for (auto* plan : {&lines_, &shifted_})
          if (*plan) (*plan)->embed_source(on_bytes(source_of, layout::lg_size).matrix);
      }
    stays_whole_ = stays == source_of.matrix.rows();
    set_complement(map.complement, source_of.complement);
  }

  /// target[map(x)] = source[x] for all x. The arrays do not overlap; a source that is not const
  /// may be moved from.
  template <class Source, Threading E = sequential>
    requires std::is_same_v<std::remove_const_t<Source>, T>
  void operator()(Source* source, T* target, E const& threads = {}) const {
    threads(parts(), [&](index_t first, index_t last) { run(source, target, first, last); });
  }

  /// The same maps with other complements: nothing is built anew.
  void set_complement(index_t c, index_t source_c = 0) noexcept {
    // What a source complement changes inside a row can as well be said of the target.
    const index_t inside = source_c & low_bits(detail::bits_kept(source_of_.matrix));
    source_of_.complement = source_c ^ inside;
    map_.complement = c ^ map_.matrix * inside;
    is_identity_ =
        stays_whole_ && map_.complement == 0 && map_.matrix == identity_matrix(map_.matrix.cols());
  }

  /// Parts that may be moved one by one, in any order and at the same time: a power of two.
  [[nodiscard]] index_t parts() const noexcept {
    return lines_ ? bit(lg_parts()) : elements_plan_.runs();
  }
  /// Moves parts [first, last).
  template <class Source>
  void run(Source* source, T* target, index_t first, index_t last) const {
    if constexpr (layout::has_lines)
      if (lines_) return run_lines(source, target, first, last);
    const auto move_one = [=](index_t x, index_t y) {
      if constexpr (std::is_const_v<Source>)
        target[y] = source[x];
      else
        target[y] = std::move(source[x]);
    };
    elements_plan_.for_each(map_.complement, first, last, move_one, source_of_.complement);
  }

  [[nodiscard]] index_t elements() const noexcept { return bit(map_.matrix.cols()); }
  [[nodiscard]] index_t target_elements() const noexcept { return bit(map_.matrix.rows()); }
  [[nodiscard]] bool is_identity() const noexcept { return is_identity_; }
  [[nodiscard]] affine_map const& map() const noexcept { return map_; }

 private:
  using layout = element_layout<T>;

  void run_lines(T const* source, T* target, index_t first, index_t last) const {
    const auto how = tuning_.stores_to(target, bytes(), layout::lg_size);
    line_plan const& plan = how == stores::shifted && shifted_ ? *shifted_ : *lines_;
    const line_job job{
        reinterpret_cast<unsigned char const*>(source), reinterpret_cast<unsigned char*>(target),
        plan.start(map_.complement << layout::lg_size, source_of_.complement << layout::lg_size),
        how, &tuning_.shape};
    const unsigned lg_tiles = plan.lg_tiles - lg_parts();
    move_lines<layout::lg_unit>(tuning_.use, plan, job, first << lg_tiles, last << lg_tiles);
  }
  [[nodiscard]] index_t bytes() const noexcept { return elements() << layout::lg_size; }
  [[nodiscard]] unsigned lg_parts() const noexcept {
    return shifted_ ? std::min(lines_->lg_parts(), shifted_->lg_parts()) : lines_->lg_parts();
  }

  static void require_injective(affine_map const& map) {
    const unsigned n = map.matrix.cols(), rank = matrix_rank(map.matrix);
    if (rank != n || map.matrix.rows() + layout::lg_size > most_bits)
      throw bad_value("a map of rank " + std::to_string(rank) + " from " + std::to_string(n) +
                      " to " + std::to_string(map.matrix.rows()) + " bits moves no array of " +
                      std::to_string(sizeof(T)) + " byte elements");
  }
  affine_map map_, source_of_;
  tuning tuning_;
  element_plan elements_plan_;
  std::optional<line_plan> lines_, shifted_;  // the second one for a target that is not aligned
  bool stays_whole_ = false, is_identity_ = false;
};

}  // namespace bmmc::local
