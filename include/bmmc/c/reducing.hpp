// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include <bmmc/c/make.hpp>

namespace bmmc::detail::c {

template <class T>
bool is_nan(T const& a) {
  if constexpr (std::floating_point<T>) return std::isnan(a);
  return false;
}
/// The less one of two; NaN where one is NaN, so that its place does not matter.
struct least {
  template <class T>
  T operator()(T const& a, T const& b) const {
    return b < a || is_nan(b) ? b : a;
  }
};
struct largest {
  template <class T>
  T operator()(T const& a, T const& b) const {
    return a < b || is_nan(b) ? b : a;
  }
};

/// Calls f with a number of the type.
template <class F>
auto with_type(int type, F f) {
  switch (type) {
    case BMMC_INT32:
      return f(std::int32_t{});
    case BMMC_INT64:
      return f(std::int64_t{});
    case BMMC_UINT32:
      return f(std::uint32_t{});
    case BMMC_UINT64:
      return f(std::uint64_t{});
    case BMMC_FLOAT:
      return f(float{});
    case BMMC_DOUBLE:
      return f(double{});
    case BMMC_COMPLEX_FLOAT:
      return f(std::complex<float>{});
    case BMMC_COMPLEX_DOUBLE:
      return f(std::complex<double>{});
    default:
      refuse({"there is no bmmc_type ", type});
  }
}

/// Calls f with the operation for numbers T.
template <class T, class F>
auto with_combination(int combine, F f) {
  if (combine == BMMC_SUM) return f(std::plus<>());
  if (combine == BMMC_PROD) return f(std::multiplies<>());
  if constexpr (std::totally_ordered<T>) {
    if (combine == BMMC_MIN) return f(least());
    if (combine == BMMC_MAX) return f(largest());
  }
  throw bad_value(combine == BMMC_MIN || combine == BMMC_MAX
                      ? text({"complex numbers have no order: no least or largest one"})
                      : text({"there is no bmmc_combine ", combine}));
}

[[nodiscard]] inline std::unique_ptr<mover> reducing(affine_map const& map, int type, int combine,
                                                     void const* unreached, bmmc_map source,
                                                     bmmc_map target) {
  const auto both = layouts_of(source, map.matrix.cols(), target, map.matrix.rows());
  return with_type(type, [&]<class T>(T) {
    reducer_options<T> options{};
    if (unreached != nullptr) std::memcpy(&options.unreached, unreached, sizeof(T));
    return with_combination<T>(combine, [&]<class Op>(Op op) -> std::unique_ptr<mover> {
      using kept = reducer<T, Op, comm::automatic, layouts>;
      return std::make_unique<
          kept_mover<kept, T, affine_map, Op, layouts, comm::automatic, reducer_options<T>>>(
          1, map, op, both, comm::automatic{}, options);
    });
  });
}
[[nodiscard]] inline std::size_t bytes_of_type(int type) {
  return with_type(type, []<class T>(T) { return sizeof(T); });
}

}  // namespace bmmc::detail::c
