// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <bmmc.hpp>

#include "support/convert.hpp"
#include "support/oracle.hpp"

/// Distributed test cases: the payload of every element is its source index, and what a process
/// must hold afterwards is found by the oracle alone.
namespace cases {

using bmmc::index_t;

inline int proc() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
inline unsigned proc_bits() {
  int procs = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &procs);
  return bmmc::proc_bits_of(static_cast<index_t>(procs));
}

/// A duplicate of the world of a test's own: one on which calls fail, or leave what is looked at.
class own_world {
 public:
  own_world() { MPI_Comm_dup(MPI_COMM_WORLD, &handle_); }
  own_world(own_world const&) = delete;
  own_world& operator=(own_world const&) = delete;
  ~own_world() { MPI_Comm_free(&handle_); }
  operator MPI_Comm() const { return handle_; }  // NOLINT: as an MPI_Comm
  /// What calls leave on it.
  [[nodiscard]] bmmc::detail::call_memory& memory() const {
    return bmmc::detail::call_memory::of(*bmmc::comm::communicator::of(handle_));
  }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

// Element kinds of 1, 2, 4, 8, 16, 24 bytes, and strings of different lengths.

struct record {
  std::uint64_t index;
  std::uint32_t more[2];
  double half;
  friend bool operator==(record const&, record const&) = default;
};
static_assert(sizeof(record) == 24);

template <class T>
T element(index_t x) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::to_string(x) + std::string(x % 5, '.');
  else if constexpr (std::is_same_v<T, record>)
    return {x, {static_cast<std::uint32_t>(x + 1), 7}, static_cast<double>(x) / 2};
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return {static_cast<double>(x), -static_cast<double>(x)};
  else  // where an index does not fit, mix all its bits in
    return static_cast<T>(sizeof(T) >= 4 ? x : x * 0x9e3779b97f4a7c15U >> 40);
}

// Layouts, each as the library has it and as the oracle has it.

constexpr int layout_kinds = 6;

/// The process bits of kind 3: every second index bit from the top, in falling order.
inline std::vector<unsigned> scattered_bits(unsigned n, unsigned p) {
  std::vector<unsigned> chosen;
  for (unsigned start : {1U, 2U})
    for (unsigned j = 0; j < n; ++j)
      if (j % 2 == start % 2 && chosen.size() < p) chosen.push_back(n - 1 - j);
  return chosen;
}
/// The map of kind 5.
inline bmmc::permutation<> scrambling(unsigned n) {
  oracle::generator random(n);
  return bmmc::random_permutation(n, random);
}

/// One type for all kinds, so that tests need not be compiled for each.
struct any_layout {
  int kind = 0;
  [[nodiscard]] bmmc::permutation<> physical(unsigned n, unsigned p) const {
    namespace layout = bmmc::layout;
    switch (kind) {
      case 0:
        return layout::processor_major{}.physical(n, p);
      case 1:
        return layout::processor_minor{}.physical(n, p);
      case 2:
        return layout::banded((n - p) / 2).physical(n, p);
      case 3:
        return layout::process_bits(scattered_bits(n, p)).physical(n, p);
      case 4:
        return layout::gray<layout::processor_minor>{}.physical(n, p);
      default:
        return layout::affine(scrambling(n)).physical(n, p);
    }
  }
};

inline oracle::layout oracle_layout(int kind, unsigned n, unsigned p) {
  switch (kind) {
    case 0:
      return oracle::processor_major;
    case 1:
      return oracle::processor_minor;
    case 2:
      return oracle::banded((n - p) / 2);
    case 3:
      return oracle::process_bits(scattered_bits(n, p));
    case 4:
      return oracle::gray(oracle::processor_minor);
    default:
      return oracle::affine_layout(oracle::read_affine(scrambling(n)));
  }
}

/// Where every index lives, computed once for each (kind, n, p).
inline std::vector<oracle::spot> const& spots(int kind, unsigned n, unsigned p) {
  static std::map<std::tuple<int, unsigned, unsigned>, std::vector<oracle::spot>> known;
  auto& table = known[{kind, n, p}];
  if (table.empty()) {
    const auto place = oracle_layout(kind, n, p);
    for (index_t x = 0; x < oracle::power(n); ++x) table.push_back(place(n, p, x));
  }
  return table;
}

/// y = A x + c for all x: each bit doubles the table.
inline std::vector<index_t> all_targets(bmmc::permutation<> const& p) {
  const auto a = oracle::read(p.matrix());
  std::vector<index_t> y{p.complement()};
  for (unsigned j = 0; j < p.bits(); ++j) {
    const index_t column = oracle::column_word(a, j);
    for (std::size_t x = 0, half = y.size(); x < half; ++x) y.push_back(y[x] ^ column);
  }
  return y;
}

/// The source indices of what this process, or process `who`, holds: before (map = identity) or
/// after a permutation.
inline std::vector<index_t> held(int kind, unsigned n, unsigned p,
                                 std::vector<index_t> const* targets = nullptr, int who = proc()) {
  std::vector<index_t> chunk(oracle::power(n - p));
  auto const& at = spots(kind, n, p);
  for (index_t x = 0; x < at.size(); ++x) {
    const auto spot = at[targets != nullptr ? (*targets)[x] : x];
    if (spot.proc == static_cast<index_t>(who)) chunk[spot.offset] = x;
  }
  return chunk;
}

template <class T>
std::vector<T> elements(std::vector<index_t> const& indices) {
  std::vector<T> chunk;
  for (const index_t x : indices) chunk.push_back(element<T>(x));
  return chunk;
}

/// A permutation of n bits that is not its own inverse and sends to several processes.
inline bmmc::permutation<> sample(unsigned n, unsigned seed = 0) {
  oracle::generator random(n + 100 * seed);
  return bmmc::random_permutation(n, random);
}
/// What this process holds of n-bit indices, and of those that p has moved, in blocks.
template <class T>
std::vector<T> before(unsigned n) {
  return elements<T>(held(0, n, proc_bits()));
}
template <class T>
std::vector<T> after(bmmc::permutation<> const& p) {
  const auto targets = all_targets(p);
  return elements<T>(held(0, p.bits(), proc_bits(), &targets));
}

/// What is wrong with a permutation in place and from source to target; nothing where all is well.
template <class T, class Comm, class Element = bmmc::element::default_for<T>>
std::string fault(bmmc::permutation<> const& p, int source_kind, int target_kind,
                  Comm policy = {}) {
  const bmmc::layout::between layout{any_layout{source_kind}, any_layout{target_kind}};
  const auto targets = all_targets(p);
  const auto before = elements<T>(held(source_kind, p.bits(), proc_bits()));
  const auto after = elements<T>(held(target_kind, p.bits(), proc_bits(), &targets));
  auto chunk = before;
  bmmc::permute<T, Comm, std::remove_const_t<decltype(layout)>, Element>(MPI_COMM_WORLD, chunk, p,
                                                                         layout, policy);
  if (chunk != after) return "in place";
  chunk = before;
  std::vector<T> other(chunk.size());
  bmmc::permute<T, Comm, std::remove_const_t<decltype(layout)>, Element>(MPI_COMM_WORLD, chunk,
                                                                         other, p, layout, policy);
  if (other != after) return "from source to target";
  return chunk == before ? "" : "the source was changed";
}

inline std::string describe(bmmc::permutation<> const& p, int source_kind, int target_kind) {
  return "layouts " + std::to_string(source_kind) + " -> " + std::to_string(target_kind) + "\n" +
         to_string(p);
}

}  // namespace cases
