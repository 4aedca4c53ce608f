// SPDX-License-Identifier: BSL-1.0

// Axes of arrays of any extents, permuted over any number of processes, against nested loops.

#include <algorithm>
#include <random>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "mpi/dealt.hpp"
#include "support/array_oracle.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
namespace element = bmmc::element;
using bmmc::axis_order;
using bmmc::extents;
using bmmc::index_t;
using dealt::inverse_of, dealt::list, dealt::part, dealt::procs, dealt::start;

template <class T, class Element = element::default_for<T>, class Comm = comm::pairwise>
bool is_right(list const& targets, bmmc::digit_permutation const& p) {
  const auto before = cases::elements<T>(start(targets.size())),
             after = cases::elements<T>(part(inverse_of(targets)));
  auto chunk = before;
  bmmc::permute<T, Comm, Element>(MPI_COMM_WORLD, chunk, p);
  std::vector<T> other(before.size());
  bmmc::permute<T, Comm, Element>(MPI_COMM_WORLD, before, other, p);
  return chunk == after && other == after;
}
bool is_right_for(index_t kind, list const& targets, bmmc::digit_permutation const& p) {
  switch (kind % 5) {
    case 0:
      return is_right<std::string>(targets, p);
    case 1:
      return is_right<cases::record>(targets, p);
    case 2:
      return is_right<double, element::native>(targets, p);
    default:
      return is_right<index_t>(targets, p);
  }
}

}  // namespace

TEST_CASE("axes of all arrays with extents of 2 and more and up to 60 elements", "[digits]") {
  index_t kind = 0;
  for (unsigned order = 0; order <= 5; ++order)
    oracle::each_extents(order, 2, 60, [&](list const& each) {
      oracle::each_order(order, [&](std::vector<unsigned> const& axes) {
        // more than two axes: a third of the orders, another third at each number of processes
        if (order > 2 && (++kind + procs()) % 3 != 0) return;
        const auto p = bmmc::axis_permutation(extents(each), axis_order(axes));
        if (!is_right_for(kind / 3, oracle::targets_of_axes(each, axes), p)) {
          UNSCOPED_INFO("case " << kind);
          CHECK(false);
        }
      });
    });
}

TEST_CASE("reversed, shifted and spread axes, and a large array", "[digits]") {
  const list each{7, 6, 5};
  for (unsigned axis = 0; axis < 3; ++axis)
    for (index_t q = 1; q < each[axis]; ++q) {
      if (std::gcd(q, each[axis]) != 1) continue;
      list moved;
      for (index_t x = 0; x < each[axis]; ++x) moved.push_back((q * x + 2) % each[axis]);
      CHECK(is_right_for(q, oracle::targets_of_positions(each, axis, moved),
                         bmmc::axis_stride(extents(each), axis, q, 2)));
    }
  const list large{100, 60, 48};
  const auto p = bmmc::axis_permutation(extents(large), {2, 0, 1});
  const auto targets = oracle::targets_of_axes(large, {2, 0, 1});
  for (index_t kind = 0; kind < 4; ++kind) CHECK(is_right_for(kind, targets, p));
}

TEST_CASE("powers of two give what the affine way gives", "[digits]") {
  const list each{4, 8, 16};
  const bmmc::lg_extents lg{2, 3, 4};
  oracle::each_order(3, [&](std::vector<unsigned> const& axes) {
    const auto p = bmmc::axis_permutation(extents(each), axis_order(axes));
    const auto targets = oracle::targets_of_axes(each, axes);
    CHECK(is_right<index_t>(targets, p));
    if ((procs() & (procs() - 1)) != 0) return;
    CHECK(is_right<index_t, element::bytes, comm::bitonic>(targets, p));
    auto by_digits = start(512), by_bits = by_digits;
    bmmc::permute<index_t>(MPI_COMM_WORLD, by_digits, p);
    bmmc::permute<index_t>(MPI_COMM_WORLD, by_bits, bmmc::axis_permutation(lg, axis_order(axes)));
    CHECK(by_digits == by_bits);
  });
}

TEST_CASE("what changes its process is sent, and nothing else", "[digits]") {
  const list each{30, 7, 11};
  const auto p = bmmc::axis_permutation(extents(each), {2, 1, 0});
  const auto targets = oracle::targets_of_axes(each, {2, 1, 0});
  const index_t n = targets.size();
  list home(n);  // of each index
  for (index_t k = 0, x = 0; k < procs(); ++k)
    for (index_t i = 0; i < n / procs() + (k < n % procs() ? 1 : 0); ++i) home[x++] = k;
  index_t leaving = 0;
  for (index_t x = 0; x < n; ++x)
    leaving += home[x] == index_t(cases::proc()) && home[targets[x]] != home[x];
  auto chunk = start(n);
  bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, p);  // the first call makes the duplicate
  counted = {};
  chunk = start(n);
  bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, p);
  CHECK(counted.bytes == leaving * sizeof(index_t));
  CHECK(counted.messages <= procs() - 1);
}

TEST_CASE("processes that disagree, and chunks of the wrong length", "[digits][errors]") {
  const bool is_last = cases::proc() == agreed::procs() - 1;
  const auto refused = [&](bmmc::digit_permutation const& p, list chunk, std::string const& part) {
    const auto untouched = chunk;
    const auto text =
        agreed::agreed_text([&] { bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, p); });
    CHECK(chunk == untouched);
    CHECK(agreed::holds(text, part));
    CHECK(is_right<index_t>(oracle::targets_of_axes({3, 5, 2}, {2, 0, 1}),
                            bmmc::axis_permutation(extents{3, 5, 2}, {2, 0, 1})));
  };
  auto chunk = start(60);
  chunk.push_back(0);
  refused(bmmc::axis_permutation(extents{6, 10}, {1, 0}), chunk, "60 elements");
  if (procs() == 1) return;
  const auto disagree = [&](auto const& mine, auto const& others, index_t n) {
    refused(is_last ? mine : others, start(n), "disagree");
  };
  disagree(bmmc::axis_permutation(extents{6, 10}, {1, 0}),
           bmmc::axis_permutation(extents{10, 6}, {1, 0}), 60);
  disagree(bmmc::axis_permutation(extents{3, 4, 5}, {1, 2, 0}),
           bmmc::axis_permutation(extents{3, 4, 5}, {2, 0, 1}), 60);
  disagree(bmmc::axis_shift(extents{6, 10}, 1, 3), bmmc::axis_shift(extents{6, 10}, 1, 4), 60);
  // affine on some processes only, and another size
  disagree(bmmc::axis_permutation(extents{8, 8}, {1, 0}), bmmc::axis_shift(extents{8, 8}, 1, 3),
           64);
  refused(bmmc::axis_permutation(is_last ? extents{6, 10} : extents{6, 12}, {1, 0}),
          start(is_last ? 60 : 72), "disagree");
}
