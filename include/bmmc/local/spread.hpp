// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/gf2/subspace.hpp>
#include <bmmc/local/make_element_plan.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::local {

/// target[x] = source[A x + c] for all x, with any A: elements are picked out, repeated, or both.
/// The mirror image of a pass, which takes elements from x to A x + c. Prepared once, run often.
/// Fast    as a pass, one for each time that an element is repeated, where whole lines are filled;
///         and where runs are copied or one element is repeated side by side. Else elements are
///         copied one at a time, in the tiled order of a pass.
/// Tables  as a pass.
template <class T>
class spread {
 public:
  spread() : spread(affine_map{}) {}
  explicit spread(affine_map const& map) : runs_(map), elements_(map.matrix.cols()) {
    auto const& a = map.matrix;
    if (runs_.q == a.cols()) return;  // one run
    while (repeated_ < a.cols() && a.column[repeated_] == 0) ++repeated_;
    if (repeated_ != 0) {
      bit_matrix<> rest(a.rows(), a.cols() - repeated_);
      for (unsigned j = repeated_; j < a.cols(); ++j) rest.column[j - repeated_] = a.column[j];
      runs_ = run_walk({rest, map.complement});
      way_ = way::repeats;
    } else if (!prepare_passes(map)) {
      tiled_ = make_element_plan(a, shape_of<T>.line_elements);
      offset_ = map.complement;
      way_ = way::elements;
    }
  }

  /// Whether it copies runs, or whole lines.
  [[nodiscard]] bool has_lines() const noexcept {
    return way_ == way::passes ? pass_.lines() != nullptr : way_ == way::runs;
  }

  /// The arrays do not overlap.
  void operator()(T const* source, T* target) {
    switch (way_) {
      case way::runs:
        return runs_.for_each(0, bit(elements_), [=](index_t x, index_t y, index_t count) {
          std::copy_n(source + y, count, target + x);
        });
      case way::repeats:
        return runs_.for_each(
            0, bit(elements_ - repeated_), [=, this](index_t x, index_t y, index_t count) {
              for (index_t i = 0; i < count; ++i)
                std::fill_n(target + ((x + i) << repeated_), bit(repeated_), source[y + i]);
            });
      case way::passes:
        for (index_t k = 0, x = 0;; x ^= again_[trailing_zeros(++k, again_.size())]) {
          pass_.set_complement(x, offset_);
          pass_(source, target);
          if (k + 1 == bit(again_.size())) return;
        }
      case way::elements:
        return tiled_.for_each(offset_, 0, tiled_.runs(),
                               [=](index_t x, index_t y) { target[x] = source[y]; });
    }
  }

 private:
  static constexpr unsigned least_run = 2;
  static constexpr index_t least_pass = 4096;  // bytes of a pass that is one of several
  enum class way { runs, repeats, passes, elements };

  /// Each element once, in ascending order of their places in the source, from what the lowest
  /// columns of A that span the others reach; and what may be added to x where A x stays as it is.
  /// False where elements are to be moved one at a time.
  [[nodiscard]] bool prepare_passes(affine_map const& map) {
    auto const& a = map.matrix;
    subspace places(a.rows());
    short_list<index_t> lowest;
    for (unsigned j = 0; j < a.cols(); ++j)
      if (places.add(a.column[j]))
        lowest.push_back(bit(j));
      else
        again_.push_back(bit(j) ^ lowest.sum(places.sum_of(a.column[j])));
    const bool is_invertible = again_.size() == 0 && a.rows() == a.cols();
    if (!is_invertible && runs_.q >= least_run) return true;  // by runs
    if (again_.size() != 0 && sizeof(T) << places.dimension() < least_pass) return false;
    bit_matrix<> back(a.cols(), places.dimension());
    for (unsigned j = 0; j < back.cols(); ++j)
      back.column[j] = lowest.sum(places.sum_of(places.vectors.column[j]));
    offset_ = map.complement;
    tuning t;
    t.stream_from >>= again_.size();  // all passes together fill the target
    pass_ = pass<T>(affine_map{back, 0}, {places.vectors, offset_}, t);
    way_ = way::passes;
    return again_.size() == 0 || pass_.lines() != nullptr;
  }

  run_walk runs_;
  unsigned elements_ = 0, repeated_ = 0;
  way way_ = way::runs;
  index_t offset_ = 0;
  element_plan tiled_{};
  pass<T> pass_;
  short_list<index_t> again_;
};

}  // namespace bmmc::local
