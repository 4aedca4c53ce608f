// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <bmmc/index/coset_permutation.hpp>
#include <bmmc/local/part_runs.hpp>
#include <bmmc/local/pass.hpp>
#include <bmmc/local/permute.hpp>

namespace bmmc::local {

/// Permutes the elements of a part of an array in place: part element t lies at points(t) and goes
/// to points(q(t)). No other element is read or written. Prepared once, run often.
/// Method  q adds (A + 1) t + c to t. Where that is c for all t, runs of elements change places.
///         Else q maps each coset of any space that holds c and the image of A + 1 to itself: the
///         part is permuted coset by coset, through a buffer of one coset, which holds some low
///         bits too and fits a cache where that image is small.
/// Passes  the part is read once and written once where a coset fits a cache; else twice.
/// Memory  scratch_elements() of the caller's.
template <class T>
class coset_pass {
 public:
  coset_pass() : coset_pass(identity_permutation(0), {}) {}
  /// Throws bad_value for points that are not injective, or have other bits than q.
  coset_pass(permutation<> const& q, affine_map const& points, tuning const& t = {})
      : q_(q), points_(points), is_identity_(bmmc::is_identity(q)) {
    const unsigned n = q.bits();
    if (is_identity_) return;
    if (q.matrix() == identity_matrix(n)) {
      make_swap();
      return;
    }
    block_.add(q.complement());
    for (unsigned j = 0; j < n; ++j) block_.add(q.matrix().column[j] ^ bit(j));
    for (unsigned j = 0; j < n && bit(block_.dimension()) * sizeof(T) < block_bytes; ++j)
      block_.add(bit(j));
    const auto& b = block_.vectors;
    bit_matrix<> inside(b.cols(), b.cols());
    for (unsigned j = 0; j < b.cols(); ++j)
      inside.column[j] = block_.coordinates(q.matrix() * b.column[j]);
    const bit_matrix<> places = points.matrix * b;
    there_ = pass<T>(affine_map{inside, 0}, {places, 0}, t);
    back_ = pass<T>(affine_map{places, 0}, t);
    for (unsigned j = 0; j < n; ++j)
      if ((block_.pivots & bit(j)) == 0) others_.append(bit(j));
  }

  /// Elements of a buffer that each call needs.
  [[nodiscard]] index_t scratch_elements() const noexcept {
    return is_identity_ || step_ != 0 ? 0 : there_.elements();
  }
  [[nodiscard]] bool is_identity() const noexcept { return is_identity_; }

  void operator()(T* data, T* scratch) {
    if (is_identity_) return;
    if (step_ != 0) return swapped_.swap(data, step_);
    index_t first = 0;
    for (index_t k = 0;;) {
      there_.set_complement(block_.coordinates(q_(first) ^ first), points_(first));
      there_(data, scratch);
      back_.set_complement(points_(first));
      back_(scratch, data);
      if (++k == bit(others_.count)) return;
      others_.advance(first, k);
    }
  }

 private:
  /// Of each pair t, t + c the one without the highest 1 of c.
  void make_swap() {
    auto const& a = points_.matrix;
    const auto high = bmmc::detail::highest_one(q_.complement());
    affine_map firsts{{a.rows(), a.cols() - 1}, points_.complement};
    for (unsigned j = 0; j + 1 < a.cols(); ++j)
      firsts.matrix.column[j] = a.column[j < high ? j : j + 1];
    step_ = a * q_.complement();
    swapped_ = part_runs<T>(firsts, step_);
  }

  static constexpr index_t block_bytes = index_t{1} << 17;

  permutation<> q_;
  affine_map points_;
  bool is_identity_;
  subspace block_{q_.bits()};
  walk<index_t> others_{};
  pass<T> there_, back_;
  index_t step_ = 0;
  part_runs<T> swapped_;
};

/// One process, no MPI: target[c(x)] = source[x] for all x < 2^n; elements outside of the coset are
/// copied. Shape and errors as for a permutation of all.
/// Cost    a copy, and a pass over the elements of the coset that may move.
template <class Source, class Target>
  requires bmmc::detail::SameElements<Source, Target>
void permute(Source const& source, Target&& target, coset_permutation const& c) {
  using T = bmmc::detail::element_of<Source>;
  const std::span<T const> from(source);
  const std::span<T> to(target);
  require_arrays<T>(from, to, bit(c.bits()));
  const coset_permutation moved = moved_part(c);
  const affine_map points = moved.where().points().points;
  const affine_map there = compose(as_map(c.on_all()), points);
  const pass<T> part(there, points);
  std::copy(from.begin(), from.end(), to.begin());
  if (!bmmc::is_identity(moved)) part(from.data(), to.data());
}

/// One process, no MPI: the element at x goes to c(x), in the same array. Elements outside of the
/// coset are neither read nor written.
/// Cost    see coset_pass; a workspace of at least 2^(n-k) elements is used where one is given.
/// Errors  bad_value before anything is moved.
template <class T>
void permute_in_place(std::span<T> data, coset_permutation const& c, std::span<T> workspace = {}) {
  if (data.size() != bit(c.bits()))
    throw bad_value("the array must hold " + std::to_string(bit(c.bits())) + " elements, not " +
                    std::to_string(data.size()));
  const coset_permutation moved = moved_part(c);
  const auto by = moved.where().points();
  coset_pass<T> part(moved.inside(by), by.points);
  if (workspace.size() >= part.scratch_elements()) return part(data.data(), workspace.data());
  std::vector<T> own(part.scratch_elements());
  part(data.data(), own.data());
}

}  // namespace bmmc::local
