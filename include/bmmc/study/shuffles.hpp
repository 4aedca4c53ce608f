// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bmmc/study/bit_exchanges.hpp>

namespace bmmc {

// The shuffle of the bits first .. last moves each of them up by one and `last` to `first`. Four
// ways to do it by elementary bit exchanges, each listed in the order of doing.

namespace detail {
constexpr void require_range(unsigned first, unsigned last, unsigned between) {
  if (last >= 64 || first > last || between < first || between > last)
    detail::refuse({"a shuffle of the bits ", first, " .. ", last, " cannot start at ", between});
}
}  // namespace detail

/// Exchanges of neighbours, around the circle from the pair (start, start - 1) downwards. With
/// start = last they are (last, last - 1), .. (first + 1, first): last - first exchanges; every
/// bit is used twice, the first and the last one once. Any other start leaves out another pair, so
/// parts of the data that start at different bits use all of them alike.
/// Source  Edelman, Heller, Johnsson 1994, equation 5.6 and example 1.
[[nodiscard]] constexpr bit_exchange_list shuffle_by_neighbours(unsigned first, unsigned last,
                                                                unsigned start) {
  detail::require_range(first, last, start);
  bit_exchange_list list;
  const unsigned length = last - first + 1;
  for (unsigned k = 0, upper = start; k + 1 < length; ++k) {
    const unsigned lower = upper == first ? last : upper - 1;
    list.push_back({upper, lower});
    upper = lower;
  }
  return list;
}
[[nodiscard]] constexpr bit_exchange_list shuffle_by_neighbours(unsigned first, unsigned last) {
  return shuffle_by_neighbours(first, last, last);
}

/// Every exchange with the bit `pivot`: last - first exchanges that all use it, and every other bit
/// once. Cheap where that bit is local: then each exchange crosses one channel instead of two.
/// Source  Edelman, Heller, Johnsson 1994, equation 5.7 and example 2.
[[nodiscard]] constexpr bit_exchange_list shuffle_by_pivot(unsigned first, unsigned last,
                                                           unsigned pivot) {
  detail::require_range(first, last, pivot);
  bit_exchange_list list;
  const unsigned length = last - first + 1;
  for (unsigned k = 1; k < length; ++k)
    list.push_back({pivot, first + (pivot - first + k) % length});
  return list;
}
[[nodiscard]] constexpr bit_exchange_list shuffle_by_pivot(unsigned first, unsigned last) {
  return shuffle_by_pivot(first, last, first);
}

/// Every exchange with a bit outside the range, one that is local, say: last - first + 2 exchanges
/// and no more than one channel each. The bit `start` is used twice, every other one once.
/// Source  Edelman, Heller, Johnsson 1994, section 5, the combination of 5.6 and 5.7.
[[nodiscard]] constexpr bit_exchange_list shuffle_through(unsigned outside, unsigned first,
                                                          unsigned last, unsigned start) {
  detail::require_range(first, last, start);
  if (outside >= 64 || (first <= outside && outside <= last))
    detail::refuse({"bit ", outside, " is not outside of ", first, " .. ", last});
  bit_exchange_list list;
  const unsigned length = last - first + 1;
  if (length == 1) return list;
  for (unsigned k = 0; k <= length; ++k)
    list.push_back({outside, first + (start - first + k) % length});
  return list;
}

/// A shuffle of first .. last as two smaller ones that share the bit `middle`: the upper range
/// first, then the lower one. Both can be split again; ranges that share no bit can be done at
/// once.
/// Source  Edelman, Heller, Johnsson 1994, section 5 (shuffles of fewer dimensions).
[[nodiscard]] constexpr bit_exchange_list shuffle_in_two(unsigned first, unsigned last,
                                                         unsigned middle) {
  detail::require_range(first, last, middle);
  auto list = shuffle_by_neighbours(middle, last);
  for (bit_exchange const& e : shuffle_by_pivot(first, middle)) list.push_back(e);
  return list;
}

}  // namespace bmmc
