// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <bmmc/local/involutions.hpp>
#include <bmmc/local/pass.hpp>

namespace bmmc::local {

/// An involution of the elements of one array, carried out in place: prepared once, run often.
template <class T>
class involution_pass {
 public:
  /// p must be its own inverse. Throws std::bad_alloc where tiles change places by way of buffers
  /// and there is no memory for those of this thread; another one that runs the pass may, too.
  explicit involution_pass(permutation<> const& p, tuning const& t = {})
      : bits_(p.bits()),
        complement_(p.complement()),
        tuning_(t),
        tables_(make_involution_tables(p, shape, t)) {}

  template <Threading E = sequential>
  void operator()(T* data, E const& threads = {}) const {
    if constexpr (shape.has_lines)
      if (auto const& pairs = tables_.pairs) {
        auto* const bytes = reinterpret_cast<unsigned char*>(data);
        const line_job job{
            bytes, bytes, pairs->lines.start(complement_ << shape.lg_size),
            tuning_.stores_in_place(bytes, bit(bits_ + shape.lg_size), shape.lg_size),
            &tuning_.shape};
        threads(bit(pairs->tiles.count), [&](index_t first, index_t last) {
          exchange_tiles<shape.lg_unit>(tuning_.use, *pairs, job, first, last);
        });
        return;
      }
    threads(tables_.elements.runs(), [&](index_t first, index_t last) {
      tables_.elements.for_each(complement_, first, last, [data](index_t x, index_t y) {
        using std::swap;
        if (x < y) swap(data[x], data[y]);
      });
    });
  }

  /// The tables for pairs of tiles; null where elements are exchanged one at a time.
  [[nodiscard]] pair_plan const* pairs() const noexcept {
    return tables_.pairs ? &*tables_.pairs : nullptr;
  }
  [[nodiscard]] tuning const& settings() const noexcept { return tuning_; }

 private:
  static constexpr element_shape shape = shape_of<T>;

  unsigned bits_;
  index_t complement_;
  tuning tuning_;
  involution_tables tables_;
};

/// A permutation in place, for any A, without a workspace of the caller's: one involution after
/// another.
/// Passes  over the array, each reads and writes every line once: none for the identity, one for an
///         involution, two for every other bit permutation, three for most other matrices; see
///         involutions().
/// Tables  some 15 KiB per pass, built with O(n^4) word operations.
template <class T>
class in_place_pass {
 public:
  explicit in_place_pass(permutation<> const& p, tuning const& t = {}) : elements_(bit(p.bits())) {
    for (auto const& f : involutions(p)) factors_.emplace_back(f, t);
  }

  template <Threading E = sequential>
  void operator()(T* data, E const& threads = {}) const {
    for (auto const& f : factors_) f(data, threads);
  }

  [[nodiscard]] index_t elements() const noexcept { return elements_; }
  [[nodiscard]] std::size_t passes() const noexcept { return factors_.size(); }
  /// The involutions, the first one first.
  [[nodiscard]] std::vector<involution_pass<T>> const& factors() const noexcept { return factors_; }

 private:
  index_t elements_;
  std::vector<involution_pass<T>> factors_;
};

/// One process, no MPI: the element at x goes to p(x), in the same array.
/// Cost    see in_place_pass. The workspace may be empty: none is needed.
/// Errors  bad_value before anything is moved.
template <class T, unsigned N, Threading E = sequential>
void permute_in_place(std::span<T> data, permutation<N> const& p, std::span<T> workspace = {},
                      E const& threads = {}) {
  static_cast<void>(workspace);
  if (data.size() != bit(p.bits()))
    throw bad_value("the array must hold " + std::to_string(bit(p.bits())) + " elements, not " +
                    std::to_string(data.size()));
  in_place_pass<T>(permutation<>(p))(data.data(), threads);
}

}  // namespace bmmc::local
