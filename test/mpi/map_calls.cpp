// SPDX-License-Identifier: BSL-1.0

// What calls of gather() and reduce() leave for the next ones: that they are right in any order,
// what a repeated one costs, and what is kept.

#include <bit>
#include <functional>
#include <limits>
#include <vector>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "support/catch.hpp"
#include "support/singular.hpp"

namespace {

using bmmc::affine_map;
using bmmc::bit;
using bmmc::index_t;
using cases::own_world;
namespace comm = bmmc::comm;

/// A random map of up to 2^5 elements on each process, on either side.
affine_map random_map(oracle::generator& random) {
  const unsigned p = cases::proc_bits(), n = p + static_cast<unsigned>(random() % 6),
                 m = p + static_cast<unsigned>(random() % 6),
                 rank = static_cast<unsigned>(random() % (std::min(n, m) + 1));
  return {to_library(singular::random_of_rank(n, m, rank, random)), random() % bit(n)};
}

/// The part of this process of 2^bits values f(index).
template <class T, class F>
std::vector<T> held(unsigned bits, F f) {
  const index_t here = bit(bits - cases::proc_bits());
  std::vector<T> all(here);
  for (index_t i = 0; i < here; ++i)
    all[i] = static_cast<T>(f(static_cast<index_t>(cases::proc()) * here + i));
  return all;
}
index_t value(index_t x) { return x * x + 3; }

template <class T, class Comm>
void check_gather(MPI_Comm c, affine_map const& map, Comm const& policy) {
  const auto source = held<T>(map.matrix.rows(), value);
  std::vector<T> target(bit(map.matrix.cols() - cases::proc_bits()));
  bmmc::gather<T>(c, source, target, map, {}, policy);
  CHECK(target == held<T>(map.matrix.cols(), [&](index_t y) { return value(map(y)); }));
}
template <class T, class Comm, class Op = std::plus<>>
void check_reduce(MPI_Comm c, affine_map const& map, Comm const& policy, Op const& op = {},
                  T unreached = {}) {
  const auto source = held<T>(map.matrix.cols(), value);
  std::vector<T> target(bit(map.matrix.rows() - cases::proc_bits()));
  bmmc::reduce<T>(c, source, target, map, op, {}, policy, {.unreached = unreached});
  CHECK(target == held<T>(map.matrix.rows(), [&](index_t y) {
          T sum = unreached;
          bool is_first = true;
          for (index_t x = 0; x < bit(map.matrix.cols()); ++x)
            if (map(x) == y) {
              const auto v = static_cast<T>(value(x));
              sum = is_first ? v : static_cast<T>(op(sum, v));
              is_first = false;
            }
          return sum;
        }));
}

}  // namespace

TEST_CASE("calls of gather, reduce and permute in any order are right", "[mpi]") {
  const own_world world;
  oracle::generator random(31);
  std::vector<affine_map> maps;
  for (unsigned k = 0; k < 5; ++k) maps.push_back(random_map(random));
  for (unsigned step = 0; step < 120; ++step) {
    auto const& map = maps[random() % (step < 60 ? 2 : maps.size())];
    switch (random() % 9) {
      case 0: {
        const auto p = bmmc::bit_reversal(cases::proc_bits() + static_cast<unsigned>(step % 4));
        auto chunk = cases::before<index_t>(p.bits());
        bmmc::permute<index_t>(world, chunk, p);
        CHECK(chunk == cases::after<index_t>(p));
        break;
      }
      case 1:
        check_gather<index_t>(world, map, comm::sendrecv());
        break;
      case 2:
        check_gather<float>(world, map, comm::shared_window());
        break;
      case 3:
        check_reduce<index_t>(world, map, comm::pipelined{64});
        break;
      case 4:
        check_reduce<index_t>(world, map, comm::automatic(), std::plus<>(), index_t{step % 2 * 7});
        break;
      case 5:
        check_reduce<index_t>(world, map, comm::automatic(), std::bit_xor<>());
        break;
      case 6: {
        const index_t mask = random() % 2;  // what an operation holds cannot be compared
        check_reduce<index_t>(world, map, comm::automatic(),
                              [mask](index_t a, index_t b) { return a ^ b ^ mask; });
        break;
      }
      case 7:
        check_reduce<index_t>(world, map, comm::alltoallv());
        break;
      default:
        check_gather<index_t>(world, map, comm::automatic());
    }
  }
}

TEST_CASE("a repeated call of gather or reduce costs one reduction and allocates nothing",
          "[mpi]") {
  const own_world world;
  oracle::generator random(32);
  const unsigned n = cases::proc_bits() + 7;
  const affine_map map{to_library(singular::random_of_rank(n, n, n - 1, random)), 5};
  const auto source = held<index_t>(n, value);
  std::vector<index_t> target(source.size());
  const auto messages = [&] {
    bmmc::gather<index_t>(world, source, target, map, {}, comm::sendrecv());
    bmmc::reduce<index_t>(world, source, target, map, {}, {}, comm::pipelined());
  };
  const auto chosen = [&] {
    bmmc::gather<index_t>(world, source, target, map);
    bmmc::reduce<index_t>(world, source, target, map);
  };
  messages();
  for (int call = 0; call < agreed::calls_that_try; ++call) chosen();
  for (std::function<void()> const& all : {std::function<void()>(messages), {chosen}})
    for (int round = 0; round < 3; ++round) {
      counted = {};
      all();
      const auto sums = counted;
      CHECK(sums.allocations == 0);
      CHECK(sums.reductions == 2);
    }
}

TEST_CASE("what gather and reduce leave stays within its limits", "[mpi]") {
  const own_world world;
  const unsigned p = cases::proc_bits();
  const std::size_t bytes = 2 * 64 * sizeof(index_t);
  oracle::generator random(33);
  const auto call = [&](index_t complement) {
    check_gather<index_t>(world, {bmmc::identity_matrix(p + 6), complement}, comm::sendrecv());
  };
  for (index_t k = 0; k < 12; ++k) call(k);
  CHECK(world.memory().calls() == 8);
  CHECK(world.memory().bytes() == 8 * bytes);
  bmmc::forget_calls(world);
  CHECK(world.memory().calls() == 0);
  CHECK(world.memory().bytes() == 0);

  // The oldest make room, permuters stay.
  bmmc::limit_calls(world, {.bytes = 3 * bytes});
  auto chunk = cases::before<index_t>(p + 4);
  bmmc::permute<index_t>(world, chunk, bmmc::bit_reversal(p + 4), {}, comm::sendrecv());
  for (index_t k = 0; k < 6; ++k) {
    call(k);
    CHECK(world.memory().calls() == 1 + std::min<index_t>(k + 1, 2));
    CHECK(world.memory().bytes() <= 3 * bytes);
  }
  counted = {};
  call(5);
  call(4);
  CHECK(counted.reductions == 2);  // both were there
  // A permutation that needs more workspace keeps gatherers.
  chunk = cases::before<index_t>(p + 5);
  bmmc::permute<index_t>(world, chunk, bmmc::bit_reversal(p + 5), {}, comm::sendrecv());
  CHECK(chunk == cases::after<index_t>(bmmc::bit_reversal(p + 5)));
  CHECK(world.memory().bytes() <= 3 * bytes);
  // What does not fit alone, and what owns something, leaves nothing.
  const auto before = world.memory().calls();
  check_gather<index_t>(world, {bmmc::identity_matrix(p + 8), 1}, comm::sendrecv());
  const std::vector<std::string> texts(2, "text");
  std::vector<std::string> read(2);
  bmmc::gather<std::string>(world, texts, read, {bmmc::identity_matrix(p + 1), 1});
  CHECK(read == texts);
  CHECK(world.memory().calls() == before);
  for (const bmmc::call_limits none : {bmmc::call_limits{.permuters = 0}, {.bytes = 0}}) {
    bmmc::limit_calls(world, none);
    call(1);
    CHECK(world.memory().calls() == 0);
  }
}

TEST_CASE("each call gives its own value to places that nothing reaches", "[mpi]") {
  const own_world world;
  const unsigned n = cases::proc_bits() + 3;
  const auto source = held<double>(n, value);
  auto twice = bmmc::identity_matrix(n);
  twice.column[0] = 0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double unreached : {nan, 0.0, -0.0, 3.5, nan, -nan, 0.0}) {
    std::vector<double> target(source.size());
    bmmc::reduce<double>(world, source, target, {twice, 0}, {}, {}, {}, {.unreached = unreached});
    CHECK(std::bit_cast<index_t>(target[1]) == std::bit_cast<index_t>(unreached));
    CHECK(target[0] == source[0] + source[1]);
    CHECK(world.memory().calls() == 1);
  }
}

TEST_CASE("processes that repeat different gathers all throw, and go on", "[mpi]") {
  if (agreed::procs() == 1) return;
  const own_world world;
  const unsigned n = cases::proc_bits() + 4;
  const affine_map map{bmmc::identity_matrix(n), 1}, other{bmmc::identity_matrix(n), 2},
      unknown{bmmc::identity_matrix(n), 3};
  for (int round = 0; round < 2; ++round) {
    check_gather<index_t>(world, map, comm::automatic());
    check_gather<index_t>(world, other, comm::automatic());
    for (auto const& mine : {other, unknown}) {
      const auto source = held<index_t>(n, value);
      std::vector<index_t> target(source.size(), 99);
      const auto before = target;
      CHECK(agreed::holds(agreed::agreed_text([&] {
                            bmmc::gather<index_t>(world, source, target,
                                                  cases::proc() == 1 ? mine : map);
                          }),
                          "processes disagree on the map and layout"));
      CHECK(agreed::holds(agreed::agreed_text([&] {
                            if (cases::proc() == 1)
                              bmmc::gather<index_t>(world, source, target, map);
                            else
                              bmmc::reduce<index_t>(world, source, target, map);
                          }),
                          "processes disagree on the function called"));
      target.resize(target.size() + (cases::proc() == 1 ? 1 : 0), 99);
      CHECK(agreed::holds(
          agreed::agreed_text([&] { bmmc::gather<index_t>(world, source, target, map); }),
          "process 1: the source must hold"));
      CHECK(std::all_of(target.begin(), target.end(), [](index_t x) { return x == 99; }));
    }
  }
}
