// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>

#include <bmmc/gf2/elimination.hpp>
#include <bmmc/local/make_element_plan.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/runs.hpp>

namespace bmmc::local {

/// target[x] = source[A x + c] for all x, with any A: elements are picked out, repeated, or both.
/// The mirror image of a pass, which takes elements from x to A x + c. Prepared once, run often.
/// Fast    where A is nonsingular (a pass), and where runs are copied or one element is repeated;
///         else elements are copied one at a time, in the tiled order of a pass.
/// Tables  as a pass.
template <class T>
class spread {
 public:
  spread() : spread(affine_map{}) {}
  explicit spread(affine_map const& map) : runs_(map), elements_(map.matrix.cols()) {
    auto const& a = map.matrix;
    if (runs_.q == a.cols()) return;  // one run
    if (a.rows() == a.cols() && matrix_rank(a) == a.cols()) {
      const auto back = inverse(a);
      pass_ = pass<T>(affine_map{back, back * map.complement});
      way_ = way::pass;
      return;
    }
    while (repeated_ < a.cols() && a.column[repeated_] == 0) ++repeated_;
    if (repeated_ != 0) {
      bit_matrix<> rest(a.rows(), a.cols() - repeated_);
      for (unsigned j = repeated_; j < a.cols(); ++j) rest.column[j - repeated_] = a.column[j];
      runs_ = run_walk({rest, map.complement});
      way_ = way::repeats;
    } else if (runs_.q < least_run) {
      tiled_ = make_element_plan(a, shape_of<T>.line_elements);
      offset_ = map.complement;
      way_ = way::elements;
    }
  }

  /// The arrays do not overlap.
  void operator()(T const* source, T* target) const {
    switch (way_) {
      case way::pass:
        return pass_(source, target);
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
      case way::elements:
        return tiled_.for_each(offset_, 0, tiled_.runs(),
                               [=](index_t x, index_t y) { target[x] = source[y]; });
    }
  }

 private:
  static constexpr unsigned least_run = 2;
  enum class way { runs, repeats, pass, elements };

  run_walk runs_;
  unsigned elements_ = 0, repeated_ = 0;
  way way_ = way::runs;
  index_t offset_ = 0;
  element_plan tiled_{};
  pass<T> pass_;
};

}  // namespace bmmc::local
