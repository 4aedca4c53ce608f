// SPDX-License-Identifier: BSL-1.0

// Permutations that need not be affine, of any number of elements over any number of processes.
// The payload is the source index; what a process must hold is found by dealing out all of it.

#include <algorithm>
#include <numeric>
#include <random>

#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "mpi/dealt.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
namespace element = bmmc::element;
using bmmc::index_t;
using dealt::inverse_of, dealt::list, dealt::part, dealt::procs, dealt::start;

bool is_power_of_two() { return (procs() & (procs() - 1)) == 0; }

/// A permutation of n indices, the same on all processes.
list random_targets(index_t n, std::uint64_t seed) {
  list targets(n);
  std::iota(targets.begin(), targets.end(), index_t{0});
  std::mt19937_64 random(seed);
  for (index_t i = n; i > 1; --i) std::swap(targets[i - 1], targets[random() % i]);
  return targets;
}

/// A bijection known by two tables that every process has.
auto tabled(list const& targets, list const& sources) {
  return bmmc::function_bijection(
      targets.size(), [&targets](index_t x) { return targets[x]; },
      [&sources](index_t y) { return sources[y]; });
}

/// Nothing, or what went wrong in place or from a source to a target.
template <class T, class Comm, class Element = element::default_for<T>>
std::string fault(list const& targets, auto const& map) {
  const auto before = cases::elements<T>(start(targets.size()));
  const auto after = cases::elements<T>(part(inverse_of(targets)));
  auto chunk = before;
  bmmc::permute<T, Comm, Element>(MPI_COMM_WORLD, chunk, map);
  if (chunk != after) return "in place";
  std::vector<T> other(before.size());
  bmmc::permute<T, Comm, Element>(MPI_COMM_WORLD, before, other, map);
  return other == after ? "" : "from source to target";
}
template <class Comm>
std::string fault_of_kind(index_t kind, list const& targets, auto const& map) {
  switch (kind % 4) {
    case 0:
      return fault<std::uint64_t, Comm>(targets, map);
    case 1:
      return fault<std::string, Comm>(targets, map);
    case 2:
      return fault<cases::record, Comm>(targets, map);
    default:
      return fault<double, Comm, element::native>(targets, map);
  }
}

list targets_of(auto const& map, index_t n) {
  list targets;
  for (index_t x = 0; x < n; ++x) targets.push_back(map(x));
  return targets;
}

}  // namespace

TEST_CASE("random permutations of 1 to 300 elements, every number of them", "[any]") {
  for (index_t n = 1; n <= 300; ++n) {
    const auto targets = random_targets(n, n), sources = inverse_of(targets), mine = part(targets);
    INFO(n << " elements");
    for (index_t turn = 0; turn < 2; ++turn) {
      CHECK(fault_of_kind<comm::pairwise>(n + turn, targets, bmmc::target_list{mine}) == "");
      CHECK(fault_of_kind<comm::pairwise>(n + 1 + turn, targets, tabled(targets, sources)) == "");
    }
    if (!is_power_of_two()) continue;
    CHECK(fault_of_kind<comm::bitonic>(n, targets, bmmc::target_list{mine}) == "");
    CHECK(fault_of_kind<comm::bitonic>(n + 1, targets, tabled(targets, sources)) == "");
  }
}

TEST_CASE("the empty array has one permutation", "[any]") {
  CHECK(fault<std::uint64_t, comm::pairwise>({}, bmmc::target_list{}) == "");
}

TEST_CASE("stride permutations of 1 to 300 elements", "[any]") {
  for (index_t n = 1; n <= 300; ++n) {
    std::mt19937_64 random(n);
    index_t q = random() % n;
    while (std::gcd(q, n) != 1) q = random() % n;
    const bmmc::stride_permutation s(n, q, random());
    // by additions, so that no product can hide an error
    list targets{s.shift()};
    while (targets.size() < n) {
      index_t y = targets.back();
      for (index_t k = 0; k < q; ++k) y = y + 1 == n ? 0 : y + 1;
      targets.push_back(y);
    }
    INFO("i -> " << q << " i + " << s.shift() << " mod " << n);
    CHECK(fault_of_kind<comm::pairwise>(n, targets, s) == "");
    CHECK(fault_of_kind<comm::pairwise>(n + 1, targets, s) == "");
    if (is_power_of_two()) CHECK(fault_of_kind<comm::bitonic>(n, targets, s) == "");
  }
}

TEST_CASE("a million elements", "[any]") {
  const index_t n = 1000000;
  const auto targets = random_targets(n, 6), sources = inverse_of(targets), mine = part(targets);
  CHECK(fault<std::uint64_t, comm::pairwise>(targets, bmmc::target_list{mine}) == "");
  CHECK(fault<std::uint32_t, comm::pairwise>(targets, tabled(targets, sources)) == "");
  CHECK(fault<cases::record, comm::pairwise>(targets, bmmc::target_list{mine}) == "");
  CHECK(fault<std::string, comm::pairwise>(targets, bmmc::target_list{mine}) == "");
  if (is_power_of_two())
    CHECK(fault<std::uint64_t, comm::bitonic>(targets, bmmc::target_list{mine}) == "");
  const bmmc::stride_permutation s(n, 617283, 999);
  CHECK(fault<std::uint64_t, comm::pairwise>(targets_of(s, n), s) == "");
}

TEST_CASE("affine permutations: by plan on powers of two, by rounds otherwise", "[any]") {
  oracle::generator random(3);
  for (unsigned n = 0; n <= 12; ++n) {
    const auto map = random_affine(n, random);
    const bmmc::permutation<> p = to_library(map);
    const auto targets = targets_of(map, bmmc::bit(n));
    const auto before = cases::elements<std::string>(start(bmmc::bit(n)));
    const auto after = cases::elements<std::string>(part(inverse_of(targets)));
    auto chunk = before;
    bmmc::permute<std::string>(MPI_COMM_WORLD, chunk, bmmc::as_bijection(p));
    CHECK(chunk == after);
    std::vector<std::string> other(before.size());
    bmmc::permute<std::string>(MPI_COMM_WORLD, before, other, bmmc::as_bijection(p));
    CHECK(other == after);
    if (n == 6) {
      auto fixed = cases::elements<int>(start(64));
      bmmc::permute<int>(MPI_COMM_WORLD, fixed, bmmc::as_bijection(bmmc::permutation<6>(p)));
      CHECK(fixed == cases::elements<int>(part(inverse_of(targets))));
    }
  }
}

TEST_CASE("a stride permutation sends what changes its process, and nothing else", "[any]") {
  for (const index_t n : {index_t{1000}, index_t{4096}, index_t{30030}})
    for (const index_t q : {index_t{1}, index_t{17}, index_t{541}, n - 1}) {
      const bmmc::stride_permutation s(n, q, 5);
      const auto targets = targets_of(s, n);
      list home(n);  // of each index
      for (index_t k = 0, x = 0; k < procs(); ++k)
        for (index_t i = 0; i < n / procs() + (k < n % procs() ? 1 : 0); ++i) home[x++] = k;
      index_t leaving = 0, stay = 0;
      list partners(procs(), 0);
      for (index_t x = 0; x < n; ++x) {
        stay += home[x] == home[targets[x]];
        if (home[x] != index_t(cases::proc()) || home[targets[x]] == home[x]) continue;
        ++leaving;
        partners[home[targets[x]]] = 1;
      }
      auto chunk = start(n);
      bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, s);  // the first call makes the duplicate
      chunk = start(n);
      counted = {};
      bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, s);
      const counts seen = counted;
      CHECK(seen.bytes == leaving * sizeof(index_t));
      CHECK(seen.messages == index_t(std::count(partners.begin(), partners.end(), 1)));
      CHECK(seen.reductions == 1);
      index_t moved = seen.bytes / sizeof(index_t);
      MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
      CHECK(moved == n - stay);
    }
}

TEST_CASE("the element type of a chunk need not be named", "[any]") {
  const index_t n = 103;
  const bmmc::stride_permutation s(n, 17, 5);
  const auto before = start(n);
  auto chunk = before, target = before;
  bmmc::permute(MPI_COMM_WORLD, before, target, s);
  bmmc::permute(MPI_COMM_WORLD, std::span(chunk), s);
  CHECK(chunk == target);
  const auto back = [&](index_t x) { return bmmc::inverse(s)(x); };
  bmmc::permute(MPI_COMM_WORLD, chunk, bmmc::function_bijection(n, back, s), comm::pairwise{});
  CHECK(chunk == before);
  const auto targets = targets_of(s, n), mine = part(targets);
  bmmc::permute(MPI_COMM_WORLD, chunk, bmmc::target_list{mine});
  CHECK(chunk == target);
}

TEST_CASE("the bitonic policy speaks to hypercube neighbours, p (p + 1) messages", "[any]") {
  if (!is_power_of_two()) return;
  const index_t n = 1003, p = cases::proc_bits(), longest = (n + procs() - 1) / procs();
  const auto targets = random_targets(n, 8), mine = part(targets);
  auto chunk = start(n);
  bmmc::permute<index_t, comm::bitonic>(MPI_COMM_WORLD, chunk, bmmc::target_list{mine});
  counted = {};
  bmmc::permute<index_t, comm::bitonic>(MPI_COMM_WORLD, chunk, bmmc::target_list{mine});
  const counts seen = counted;
  CHECK(seen.messages == p * (p + 1));
  CHECK(seen.bytes == p * (p + 1) * longest * 8);
  CHECK(seen.far_messages == 0);
}

TEST_CASE("detection of a distributed list", "[any]") {
  oracle::generator random(12);
  for (unsigned turn = 0; turn < 40; ++turn) {
    const unsigned n = 3 + turn % 8;
    const auto map = random_affine(n, random);
    auto targets = targets_of(map, bmmc::bit(n));
    const auto mine = part(targets);
    const auto found = bmmc::detect(MPI_COMM_WORLD, bmmc::target_list{mine});
    CHECK(found.is_bmmc());
    CHECK(found.map == to_library(map));
    CHECK(found == bmmc::detect(targets));
    CHECK(bmmc::detect_quickly(MPI_COMM_WORLD, bmmc::target_list{mine}, 0.1, 0.01, turn) == found);
    const index_t i = random() % targets.size(),
                  j = (i + 1 + random() % (targets.size() - 1)) % targets.size();
    std::swap(targets[i], targets[j]);
    const auto other = part(targets);
    const auto refused = bmmc::detect(MPI_COMM_WORLD, bmmc::target_list{other});
    CHECK_FALSE(refused.is_bmmc());
    CHECK(refused == bmmc::detect(targets));  // with the same witness
  }
  const auto odd = part(random_targets(100, 1));
  CHECK_FALSE(bmmc::detect(MPI_COMM_WORLD, bmmc::target_list{odd}).is_bmmc());
  // wrong in half of all places, which only some process sees
  const auto map = bmmc::shuffle(10);
  auto targets = targets_of(map, 1024);
  std::reverse(targets.begin() + 513, targets.end());
  const auto wrong = part(targets);
  CHECK_FALSE(
      bmmc::detect_quickly(MPI_COMM_WORLD, bmmc::target_list{wrong}, 0.4, 1e-9, 7).is_bmmc());
}
