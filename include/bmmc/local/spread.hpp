// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/local/fibres.hpp>
#include <bmmc/local/lines/make_element_plan.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/run_copies.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::local {

/// target[x] = source[A x + c] for all x, with any A: elements are picked out, repeated, or both.
/// The mirror image of a pass, which takes elements from x to A x + c. Prepared once, run often.
/// Fast    as a pass where whole lines are filled: from the source itself, or from pieces of it in
///         a cache, once for each time that an element is repeated; and where runs are copied or
///         one element is repeated side by side. Else elements are copied one at a time, in the
///         tiled order of a pass.
/// Tables  as a pass, and a piece: some 64 or 128 KiB.
template <class T>
class spread {
 public:
  spread() : spread(affine_map{}) {}
  explicit spread(affine_map const& map, tuning const& t = {})
      : offset_(map.complement), runs_(map), elements_(map.matrix.cols()) {
    auto const& a = map.matrix;
    copies_ = run_copies<T>(runs_.q, t);
    if (runs_.q == a.cols()) return;  // one run
    while (repeated_ < a.cols() && a.column[repeated_] == 0) ++repeated_;
    if (repeated_ != 0) {
      bit_matrix<> rest(a.rows(), a.cols() - repeated_);
      for (unsigned j = repeated_; j < a.cols(); ++j) rest.column[j - repeated_] = a.column[j];
      runs_ = run_walk({rest, map.complement});
      way_ = way::repeats;
      return;
    }
    const detail::fibres f(a);
    const bool is_invertible = f.kernel.size() == 0 && a.rows() == a.cols();
    if (!is_invertible && runs_.q >= least_run) return;  // by runs
    for (const index_t k : f.kernel) again_.append(k);
    if (again_.count == 0 || sizeof(T) << f.image.dimension() >= detail::least_piece)
      if (prepare_pass(f, a, t) || (shape_of<T>.has_lines && prepare_pieces(f, a, t))) return;
    tiled_ = make_element_plan(a, shape_of<T>.line_elements);
    way_ = way::elements;
  }

  /// Whether it copies runs, or whole lines.
  [[nodiscard]] bool has_lines() const noexcept {
    return way_ == way::pass || way_ == way::pieces ? pass_.lines() != nullptr : way_ == way::runs;
  }

  /// See pass. Elements that are moved one by one or repeated side by side, and short runs, go to
  /// the caches.
  void write_as(index_t stream_from, bool keeps_target) noexcept {
    const bool is_large = sizeof(T) << elements_ >= stream_from;  // all passes together
    pass_.write_as(is_large ? 0 : stream_from, keeps_target);
    copies_.write_as(is_large ? 0 : stream_from, keeps_target);
  }

  /// The arrays do not overlap.
  void operator()(T const* source, T* target) {
    switch (way_) {
      case way::runs:
        return runs_.for_each(0, bit(elements_), [=, this](index_t x, index_t y, index_t count) {
          copies_(source + y, target + x, count);
        });
      case way::repeats:
        return runs_.for_each(
            0, bit(elements_ - repeated_), [=, this](index_t x, index_t y, index_t count) {
              for (index_t i = 0; i < count; ++i)
                std::fill_n(target + ((x + i) << repeated_), bit(repeated_), source[y + i]);
            });
      case way::pass:
        return fill_all(source, offset_, target, 0);
      case way::pieces:
        return spread_pieces(source, target);
      case way::elements:
        return tiled_.for_each(offset_, 0, tiled_.runs(),
                               [=](index_t x, index_t y) { target[x] = source[y]; });
    }
  }

 private:
  static constexpr unsigned least_run = 2;
  enum class way { runs, repeats, pass, pieces, elements };

  /// From the source itself. False where elements are to be moved one at a time.
  [[nodiscard]] bool prepare_pass(detail::fibres const& f, bit_matrix<> const& a, tuning t) {
    const unsigned again = f.kernel.size();
    t.stream_from >>= again;  // all passes together fill the target
    auto const& image = f.image.vectors;
    pass_ = pass<T>(affine_map{f.least(image, a.cols()), 0}, {image, offset_}, t);
    way_ = way::pass;
    return pass_.lines() != nullptr || (again == 0 && a.rows() == a.cols());
  }
  /// Elements are collected in pieces, each of which is moved to all its places.
  [[nodiscard]] bool prepare_pieces(detail::fibres const& f, bit_matrix<> const& a,
                                    tuning const& t) {
    const detail::fibre_pieces pieces(f, a, t, shape_of<T>.lg_size);
    pass_ = pass<T>(affine_map{pieces.least, 0}, t.for_part_of(sizeof(T) << a.cols()));
    if (pass_.lines() == nullptr) return false;
    others_ = pieces.others;
    runs_ = pieces.places(offset_);
    piece_ = detail::allocate_pages(pass_.elements() * sizeof(T));
    if (!piece_) throw std::bad_alloc();
    way_ = way::pieces;
    return true;
  }
  /// All places of the elements at `offset` of a source, the first of which is `first`.
  void fill_all(T const* source, index_t offset, T* target, index_t first) {
    for (index_t k = 0, x = first;;) {
      pass_.set_complement(x, offset);
      pass_(source, target);
      if (++k == bit(again_.count)) return;
      again_.advance(x, k);
    }
  }
  void spread_pieces(T const* source, T* target) {
    T* const piece = reinterpret_cast<T*>(piece_.get());
    element_plan::step at;
    for (index_t i = 0;;) {
      T const* const from = source;
      const index_t place = at.target ^ offset_;
      runs_.for_each(0, pass_.elements(), [=](index_t t, index_t y, index_t count) {
        std::copy_n(from + (y ^ place), count, piece + t);
      });
      fill_all(piece, 0, target, at.source);
      if (++i == bit(others_.count)) return;
      others_.advance(at, i);
    }
  }

  index_t offset_;
  run_walk runs_;
  unsigned elements_ = 0, repeated_ = 0;
  way way_ = way::runs;
  run_copies<T> copies_;
  element_plan tiled_{};
  pass<T> pass_;
  walk<element_plan::step> others_{};
  walk<index_t> again_{};
  detail::pages piece_;
};

}  // namespace bmmc::local
