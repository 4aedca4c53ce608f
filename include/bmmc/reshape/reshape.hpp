// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>

#include <bmmc/index/exchanges.hpp>
#include <bmmc/reshape/array_layout.hpp>

namespace bmmc {

/// What it takes to bring the elements of one array into the shape, the codes and the places of
/// another; no index changes. Dimensions are those of the index, bit 0 the fastest. Made by
/// reshape.
struct reshaping {
  array_layout source{}, target{};
  /// From the address in the source array to the address in the target array.
  permutation<> map{};
  /// From the coded index of the source to that of the target: the change of codes alone.
  permutation<> recoding{};
  /// D: the dimensions whose code changes. For axes that are all Gray coded: the highest dimensions
  /// of the axes that only one of the two shapes has.
  index_t changed = 0;
  /// D_paddr and D_maddr: those of D that name processes in the source, and the others.
  index_t changed_on_processes = 0, changed_in_memory = 0;
  /// The dimensions that go to another bit of the address.
  index_t moved = 0;
  /// The bits of the process number that do not follow from themselves alone: the dimensions of the
  /// cube of processes that communicate. Where nothing is moved, they are those of D_paddr.
  index_t communicating = 0;

  /// No dimension changes its place in the address: the case that Johnsson and Ho treat.
  [[nodiscard]] constexpr bool keeps_assignment() const noexcept { return moved == 0; }
};

/// Compares two descriptions of an array with the same number of elements and processes.
/// Cost    O(n^2) word operations, no communication.
/// Errors  bad_value with the figures where elements or processes differ in number.
/// Source  Johnsson and Ho 1990, definition 3 and lemma 2; the dimensions that move besides are
///         what their section 1 calls a dimension permutation.
[[nodiscard]] constexpr reshaping reshape(array_layout const& source, array_layout const& target) {
  if (source.bits() != target.bits() || source.proc_bits() != target.proc_bits())
    detail::refuse({"an array of 2^", source.bits(), " elements on 2^", source.proc_bits(),
                    " processes cannot become one of 2^", target.bits(), " elements on 2^",
                    target.proc_bits()});
  reshaping r{source, target, compose(target.physical(), inverse(source.physical())),
              compose(target.encoding(), inverse(source.encoding()))};
  const unsigned n = source.bits(), p = source.proc_bits();
  const auto from = source.assignment().matrix(), to = target.assignment().matrix();
  for (unsigned d = 0; d < n; ++d) {
    if (detail::row_of(r.recoding.matrix(), d) != bit(d)) r.changed |= bit(d);
    if (from.column[d] != to.column[d]) r.moved |= bit(d);
  }
  r.changed_on_processes = r.changed & source.process_set();
  r.changed_in_memory = r.changed & ~source.process_set();
  for (unsigned k = 0; k < p; ++k)
    if (detail::row_of(r.map.matrix(), n - p + k) != bit(n - p + k)) r.communicating |= bit(k);
  return r;
}

/// The permutation of the processes where a reshaping takes the elements of a process together to
/// another one; nothing where it parts them. The schedules of cube swaps are made for it. It is
/// there where the process bits are the highest of every axis and keep their places, say.
[[nodiscard]] constexpr std::optional<permutation<>> process_permutation(reshaping const& r) {
  const unsigned p = r.source.proc_bits(), m = r.source.bits() - p;
  const auto& a = r.map.matrix();
  for (unsigned j = 0; j < m; ++j)
    if ((a.column[j] >> m) != 0) return std::nullopt;
  return permutation<>(submatrix(a, m, p, m, p));
}

namespace detail {
/// "10, 6, 4, 2": highest first.
[[nodiscard]] std::string name_set(index_t set);
/// "process bit 1" or "offset bit 3": what a bit of the address is.
[[nodiscard]] std::string name_address_bit(array_layout const& a, unsigned address_bit);
}  // namespace detail

/// Tells people what a reshaping does: the sets, and for every bit of the process number that
/// communicates the reason.
[[nodiscard]] std::string explain(reshaping const& r);

}  // namespace bmmc

#ifndef BMMC_COMPILED  // else bmmc/compiled.hpp has what is not here, once for a program
#include <bmmc/reshape/reshape_once.hpp>
#endif
