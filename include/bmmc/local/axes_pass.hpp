// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <bmmc/index/catalogue/axes.hpp>
#include <bmmc/local/axes/axes_boxes.hpp>
#include <bmmc/local/axes/make_axes_plan.hpp>
#include <bmmc/local/permute.hpp>

namespace bmmc::local {

/// What an axes_pass may use of the machine. The defaults are meant for everyone; tests set others.
struct axes_tuning {
  tuning machine{};
  box_shape shape{};
};

/// Elements from one position along an axis to the next, for each axis.
using axis_strides = std::span<index_t const>;

namespace detail {
/// Elements that an array with these strides spans, from the first to the last. Throws bad_value
/// where they are not one for each axis, and for over 2^63 bytes.
[[nodiscard]] inline index_t spanned(extents const& array, axis_strides strides,
                                     index_t element_bytes) {
  if (strides.size() != array.order())
    bmmc::detail::refuse(
        {"an array of ", array.order(), " axes needs as many strides, not ", strides.size()});
  bmmc::detail::wide_index last = 0;
  const index_t most = bit(most_bits) / element_bytes;
  for (unsigned k = 0; k < array.order(); ++k) {
    last += static_cast<bmmc::detail::wide_index>(array[k] - 1) * strides[k];
    if (last >= most) throw bad_value("an array spans at most 2^63 bytes");
  }
  return static_cast<index_t>(last) + 1;
}
[[nodiscard]] inline short_list<index_t> dense_strides(extents const& array) {
  short_list<index_t> strides;
  for (unsigned k = 0; k < array.order(); ++k) strides.push_back(array.stride(k));
  return strides;
}
[[nodiscard]] inline axis_strides as_span(short_list<index_t> const& strides) {
  return {strides.data(), strides.size()};
}
}  // namespace detail

/// The axes of an array of any extents permuted, prepared once and run often: axis k of the target
/// is axis axes[k] of the source. Both may be parts of larger arrays.
/// Fast    for trivially copyable elements of 1, 2, 4, 8 and 16 bytes, which are transposed in
///         vectors, and of any size where the fastest axis stays; of other sizes each is copied.
///         Where all extents are powers of two and there are no gaps this is a pass.
/// Memory  up to 400 KiB, with many short axes 1.2 MiB, for each thread that moves 4 MiB or more,
///         kept until the thread ends; none is allocated in a repeated call. The plan has 5 KiB.
/// Threads a pass may be run by several at once.
template <class T>
class axes_pass {
 public:
  /// Arrays without gaps. Throws bad_value unless `axes` names each axis once, and for over 2^63
  /// bytes.
  axes_pass(extents const& source, axis_order const& axes, axes_tuning const& t = {})
      : axes_pass(source, axes, detail::as_span(detail::dense_strides(source)),
                  detail::as_span(
                      detail::dense_strides(digit_permutation(source, axes).target_extents())),
                  t, affine_pass(source, axes, t)) {}
  /// Strides in elements: of the axes of the source in its order, and of the target in its own.
  /// Throws bad_value also where two elements could have one place in the target: each stride must
  /// pass all that the axes of smaller strides span.
  axes_pass(extents const& source, axis_order const& axes, axis_strides source_strides,
            axis_strides target_strides, axes_tuning const& t = {})
      : axes_pass(source, axes, source_strides, target_strides, t, std::nullopt) {}

  /// Moves all elements. The arrays do not overlap; a source that is not const may be moved from.
  template <class Source, Threading E = sequential>
    requires std::is_same_v<std::remove_const_t<Source>, T>
  void operator()(Source* source, T* target, E const& threads = {}) const {
    if (affine_)
      (*affine_)(source, target, threads);
    else
      threads(parts(target),
              [&](index_t first, index_t last) { run(source, target, first, last); });
  }

  /// Parts that may be moved one by one, in any order and at the same time, the same for all
  /// targets that have the same place in their lines.
  [[nodiscard]] index_t parts(T const* target) const noexcept {
    return affine_ ? affine_->parts(target) : plan_.boxes;
  }
  /// Moves parts [first, last) of parts(target).
  template <class Source>
  void run(Source* source, T* target, index_t first, index_t last) const {
    if (affine_) return affine_->run(source, target, first, last);
    if constexpr (std::is_trivially_copyable_v<T>) {
      move_boxes(plan_, reinterpret_cast<unsigned char const*>(source),
                 reinterpret_cast<unsigned char*>(target), way_.buffer(plan_), way_.moves, first,
                 last);
    } else {
      for (index_t number = first; number < last; ++number) {
        const detail::box b(plan_, number);
        detail::each_element(plan_, b, [=](index_t from, index_t to) {
          if constexpr (std::is_const_v<Source>)
            target[to / sizeof(T)] = source[from / sizeof(T)];
          else
            target[to / sizeof(T)] = std::move(source[from / sizeof(T)]);
        });
      }
    }
  }

  [[nodiscard]] index_t elements() const noexcept { return elements_; }
  /// Elements from the first that is read, or written, to the last one.
  [[nodiscard]] index_t source_elements() const noexcept { return source_elements_; }
  [[nodiscard]] index_t target_elements() const noexcept { return target_elements_; }

 private:
  axes_pass(extents const& source, axis_order const& axes, axis_strides source_strides,
            axis_strides target_strides, axes_tuning const& t, std::optional<pass<T>>&& affine)
      : machine_(t.machine), elements_(source.elements()), affine_(std::move(affine)) {
    const auto target = digit_permutation(source, axes).target_extents();
    source_elements_ = detail::spanned(source, source_strides, sizeof(T));
    target_elements_ = detail::spanned(target, target_strides, sizeof(T));
    short_list<strided_axis> loops;
    for (unsigned k = 0; k < axes.size(); ++k)
      loops.push_back(
          {target[k], source_strides[axes[k]] * sizeof(T), target_strides[k] * sizeof(T)});
    const bool past_caches = elements_ * sizeof(T) >= machine_.stream_from;
    plan_ = make_axes_plan(loops, sizeof(T), fitted(t.shape, machine_.use, past_caches),
                           std::is_trivially_copyable_v<T>);
    if (affine_ || !std::is_trivially_copyable_v<T>) return;
    way_ = {plan_, machine_.use, past_caches};
    static_cast<void>(way_.buffer(plan_));  // here, not in the first call
  }

  /// Arrays of powers of two without gaps are permuted by their index bits.
  [[nodiscard]] static std::optional<pass<T>> affine_pass(extents const& source,
                                                          axis_order const& axes,
                                                          axes_tuning const& t) {
    const auto p = as_affine(digit_permutation(source, axes));
    if (!p || !shape_of<T>.has_lines || source.elements() > low_bits(63) / sizeof(T))
      return std::nullopt;
    return pass<T>(*p, t.machine);
  }

  tuning machine_;
  index_t elements_, source_elements_ = 1, target_elements_ = 1;
  axes_plan plan_;
  box_way way_{};
  std::optional<pass<T>> affine_;
};

namespace detail {
template <class T>
void require_spanned(std::span<T const> source, std::span<T const> target, axes_pass<T> const& p) {
  if (source.size() < p.source_elements() || target.size() < p.target_elements())
    throw bad_value("source and target must hold " + std::to_string(p.source_elements()) + " and " +
                    std::to_string(p.target_elements()) + " elements at least, not " +
                    std::to_string(source.size()) + " and " + std::to_string(target.size()));
  if (local::overlap(source, target)) throw bad_value("source and target overlap");
}
}  // namespace detail

/// One process, no MPI: axis k of the target array is axis axes[k] of the source, both row-major.
/// Shape   two arrays of extents.elements() elements (spans, vectors), which do not overlap.
/// Cost    one pass over both arrays; no allocation in a repeated call. A plan is made first, which
///         takes some microseconds: keep an axes_pass for repeated calls.
/// Errors  bad_value before anything is written.
template <class Source, class Target, Threading E = sequential>
  requires bmmc::detail::SameElements<Source, Target>
void permute_axes(Source const& source, Target&& target, extents const& array,
                  axis_order const& axes, E const& threads = {}) {
  using T = bmmc::detail::element_of<Source>;
  const std::span<T const> from(source);
  const std::span<T> to(target);
  const axes_pass<T> pass(array, axes);
  require_arrays<T>(from, to, array.elements());
  pass(from.data(), to.data(), threads);
}

/// The same for parts of larger arrays: strides in elements, of the axes of the source in its order
/// and of the target in its own, from the first elements of the ranges on.
/// Errors  bad_value also where the arrays end before the last element, and where two elements
///         could have one place in the target.
template <class Source, class Target, Threading E = sequential>
  requires bmmc::detail::SameElements<Source, Target>
void permute_axes(Source const& source, Target&& target, extents const& array,
                  axis_order const& axes, axis_strides source_strides, axis_strides target_strides,
                  E const& threads = {}) {
  using T = bmmc::detail::element_of<Source>;
  const std::span<T const> from(source);
  const std::span<T> to(target);
  const axes_pass<T> pass(array, axes, source_strides, target_strides);
  detail::require_spanned<T>(from, to, pass);
  pass(from.data(), to.data(), threads);
}

}  // namespace bmmc::local
