// SPDX-License-Identifier: BSL-1.0

// Redistribution between array descriptions, by moving data: the payload is the source index, and
// where it must be is found by division and remainder.

#include <numeric>

#include "mpi/cases.hpp"
#include "mpi/policies.hpp"
#include "support/array_cases.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using namespace bmmc;
using arrays::array_case;

/// What this process holds of an array: element at offset o is the one with index held[o].
std::vector<index_t> held(array_case const& c, unsigned p, auto index_of) {
  std::vector<index_t> chunk(oracle::power(c.bits() - p));
  for (index_t x = 0; x < oracle::power(c.bits()); ++x)
    if (const auto at = arrays::spot(c, x); at.proc == static_cast<index_t>(cases::proc()))
      chunk[at.offset] = index_of(x);
  return chunk;
}
std::vector<index_t> held(array_case const& c, unsigned p) {
  return held(c, p, [](index_t x) { return x; });
}

template <class T, class Comm, class Element = element::default_for<T>>
std::string fault(array_case const& from, array_case const& to, Comm policy = {}) {
  const unsigned p = cases::proc_bits();
  const auto source = arrays::to_library(from), target = arrays::to_library(to);
  const auto before = cases::elements<T>(held(from, p)), after = cases::elements<T>(held(to, p));
  auto chunk = before;
  redistribute<T, Comm, Element>(MPI_COMM_WORLD, chunk, source, target, policy);
  if (chunk != after) return "in place";
  std::vector<T> other(chunk.size());
  redistribute<T, Comm, Element>(MPI_COMM_WORLD, before, other, source, target, policy);
  if (other != after) return "from source to target";
  auto again = make_redistributor<T, Comm, Element>(MPI_COMM_WORLD, target, source, policy);
  again(other);
  return other == before ? "" : "and back";
}

template <class T>
std::string fault_with(int policy, array_case const& from, array_case const& to) {
  switch (policy) {
    case 0:
      return fault<T, comm::sendrecv>(from, to);
    case 1:
      return fault<T, comm::sendrecv_replace>(from, to);
    case 2:
      return fault<T, comm::alltoallv>(from, to);
    default:
      return fault<T, isend_irecv>(from, to);
  }
}
std::string fault_of_kind(int kind, int policy, array_case const& from, array_case const& to) {
  switch (kind) {
    case 0:
      return fault_with<std::uint8_t>(policy, from, to);
    case 1:
      return fault_with<std::uint16_t>(policy, from, to);
    case 2:
      return fault_with<float>(policy, from, to);
    case 3:
      return fault_with<index_t>(policy, from, to);
    case 4:
      return fault_with<std::complex<double>>(policy, from, to);
    case 5:
      return fault_with<cases::record>(policy, from, to);
    case 6:
      return fault_with<std::string>(policy, from, to);
    default:
      return fault<double, comm::sendrecv, element::native>(from, to);
  }
}

#ifdef BMMC_TEST_FEWER
constexpr int random_pairs = 40;
#else
constexpr int random_pairs = 200;
#endif

using arrays::spread;
/// Three axes with these spreads; the process bits go to the axes in turn.
array_case three_axes(unsigned p, std::array<spread, 3> spreads, std::array<axis_code, 3> codes) {
  array_case c;
  for (unsigned k = 0; k < 3; ++k)
    c.axes.push_back({3 + k, p / 3 + (k < p % 3 ? 1 : 0), spreads[k], 0, {}, codes[k]});
  return c;
}

}  // namespace

TEST_CASE("200 random pairs of arrays, all element kinds and policies", "[mpi]") {
  const unsigned p = cases::proc_bits();
  oracle::generator random(200);
  for (int i = 0; i < random_pairs; ++i) {
    const auto n = p + static_cast<unsigned>(random() % 7);
    const auto from = arrays::random_array(n, p, random), to = arrays::random_array(n, p, random);
    const int kind = i % 8, policy = i / 8 % 4;
    INFO("pair " << i << ", kind " << kind << ", policy " << policy << "\n"
                 << to_string(reshape(arrays::to_library(from), arrays::to_library(to)).map));
    CHECK(fault_of_kind(kind, policy, from, to) == "");
  }
}

TEST_CASE("blocks, cyclic and Gray on three axes, each to each", "[mpi]") {
  const unsigned p = cases::proc_bits();
  constexpr std::array codes{axis_code::binary, axis_code::gray, axis_code::gray_processes};
  constexpr std::array spreads{spread::blocks, spread::cyclic};
  std::vector<array_case> all;
  for (auto code : codes)
    for (auto kind : spreads) all.push_back(three_axes(p, {kind, kind, kind}, {code, code, code}));
  all.push_back(three_axes(p, {spread::blocks, spread::cyclic, spread::blocks}, codes));
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < all.size(); ++b) {
      INFO(a << " to " << b);
      CHECK(fault<index_t, comm::sendrecv>(all[a], all[b]) == "");
    }
}

TEST_CASE("transposes of arrays of every order", "[mpi]") {
  const unsigned p = cases::proc_bits();
  oracle::generator random(201);
  for (int i = 0; i < 60; ++i) {
    const auto n = p + static_cast<unsigned>(random() % 6);
    const auto from = arrays::random_array(n, p, random);
    const auto order = static_cast<unsigned>(from.axes.size());
    std::vector<unsigned> axes(order);
    std::iota(axes.begin(), axes.end(), 0U);
    std::shuffle(axes.begin(), axes.end(), random);
    array_case to;  // the permuted extents, and any process bits
    unsigned left = p;
    for (unsigned k = 0; k < order; ++k) {
      const unsigned bits = from.axes[axes[k]].bits;
      const unsigned procs = std::min(bits, left);
      left -= procs;
      to.axes.push_back(arrays::random_axis(bits, procs, random));
    }
    dimension_order given;
    for (unsigned k : axes) given.push_back(k);
    // the element at index y of the target is that of the source with the positions put back
    const auto source_index = [&](index_t y) {
      std::vector<index_t> position(order);
      for (unsigned k = order; k-- > 0;) {
        const index_t extent = oracle::power(to.axes[k].bits);
        position[axes[k]] = y % extent;
        y /= extent;
      }
      index_t x = 0;
      for (unsigned k = 0; k < order; ++k) x = x * oracle::power(from.axes[k].bits) + position[k];
      return x;
    };
    const auto before = held(from, p), after = held(to, p, source_index);
    const auto source = arrays::to_library(from), target = arrays::to_library(to);
    auto chunk = before;
    transpose<index_t>(MPI_COMM_WORLD, chunk, source, target, given);
    CHECK(chunk == after);
    std::vector<index_t> other(chunk.size());
    transpose<index_t, comm::alltoallv>(MPI_COMM_WORLD, before, other, source, target, given);
    CHECK(other == after);
  }
}

TEST_CASE("all processes refuse what does not fit, and keep their data", "[mpi]") {
  const unsigned p = cases::proc_bits();
  const unsigned n = p + 3;
  const index_t procs = bmmc::bit(p);
  const array_layout source{axis::blocks(n, procs)}, target{axis::cyclic(n, procs)};
  const array_layout longer{axis::blocks(n + 1, procs)}, wider{axis::blocks(n, 2 * procs)};
  const std::vector<int> before{1, 2, 3, 4, 5, 6, 7, 8};
  auto chunk = before;
  CHECK_THROWS_AS(redistribute<int>(MPI_COMM_WORLD, chunk, source, longer), bad_value);
  CHECK_THROWS_AS(redistribute<int>(MPI_COMM_WORLD, chunk, longer, longer), bad_value);
  CHECK_THROWS_AS(redistribute<int>(MPI_COMM_WORLD, chunk, source, wider), bad_value);
  CHECK_THROWS_AS(transpose<int>(MPI_COMM_WORLD, chunk, source, target, {1}), bad_value);
  CHECK_THROWS_AS(transpose<int>(MPI_COMM_WORLD, chunk, source, target, {0, 0}), bad_value);
  const array_layout flat{axis::blocks(n - 1, procs), axis::local(1)};
  const array_layout upright{axis::local(1), axis::blocks(n - 1, procs)};
  const array_layout other{axis::blocks(n, procs), axis::local(0)};
  CHECK_THROWS_AS(transpose<int>(MPI_COMM_WORLD, chunk, flat, other, {1, 0}), bad_value);
  CHECK_THROWS_AS(transpose<int>(MPI_COMM_WORLD, chunk, flat, flat, {1, 0}), bad_value);
  CHECK_THROWS_AS(transpose<int>(MPI_COMM_WORLD, chunk, flat, target, {0}), bad_value);
  CHECK(chunk == before);
  transpose<int>(MPI_COMM_WORLD, chunk, flat, upright, {1, 0});
  transpose<int>(MPI_COMM_WORLD, chunk, upright, flat, {1, 0});
  if (p > 0) {  // one process disagrees: all of them throw, and none waits
    const bool odd = cases::proc() == 1;
    CHECK_THROWS_AS(redistribute<int>(MPI_COMM_WORLD, chunk, source, odd ? source : target),
                    bad_value);
    CHECK_THROWS_AS(redistribute<int>(MPI_COMM_WORLD, chunk, source, odd ? longer : target),
                    bad_value);
    CHECK_THROWS_AS(transpose<int>(MPI_COMM_WORLD, chunk, source, target,
                                   odd ? dimension_order{1} : dimension_order{0}),
                    bad_value);
  }
  CHECK(chunk == before);
  redistribute<int>(MPI_COMM_WORLD, chunk, source, source);
  CHECK(chunk == before);
}
