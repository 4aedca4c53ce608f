// SPDX-License-Identifier: BSL-1.0

// Permutations that need not be affine: what is refused, on all processes alike, with the data
// untouched. Each test ends with a permutation that works, which a process left behind would miss.

#include <numeric>
#include <stdexcept>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/fragile.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
using agreed::agreed_text;
using agreed::holds;
using agreed::procs;
using bmmc::index_t;
using bmmc::stride_permutation;
using bmmc::target_list;
using list = std::vector<index_t>;

int last() { return procs() - 1; }
bool is_last() { return cases::proc() == last(); }

/// Four elements on each process, but one more on the first two of three or more.
index_t elements() { return static_cast<index_t>(4 * procs() + (procs() > 2 ? 2 : 0)); }
list start() {
  const bmmc::layout::blocks layout(elements(), static_cast<index_t>(procs()));
  list chunk(layout.count(static_cast<index_t>(cases::proc())));
  std::iota(chunk.begin(), chunk.end(), layout.first(static_cast<index_t>(cases::proc())));
  return chunk;
}

void still_works() {
  auto chunk = start(), back = chunk;
  for (auto& x : back) x = elements() - 1 - x;
  bmmc::permute<index_t>(MPI_COMM_WORLD, chunk,
                         stride_permutation(elements(), elements() - 1, elements() - 1));
  CHECK(chunk == back);
}

template <class Comm = comm::pairwise>
std::string refusal(list& chunk, auto const& map) {
  const auto untouched = chunk;
  auto text = agreed_text([&] { bmmc::permute<index_t, Comm>(MPI_COMM_WORLD, chunk, map); });
  CHECK(chunk == untouched);
  still_works();
  return text;
}

}  // namespace

TEST_CASE("chunks of the wrong length", "[any]") {
  auto chunk = start();
  if (is_last()) chunk.resize(3);
  CHECK(holds(refusal(chunk, stride_permutation(elements(), 1)),
              "process " + std::to_string(last()) + ": of " + std::to_string(elements()) +
                  " elements this process must hold 4, not 3"));
  chunk = start();
  CHECK(holds(refusal(chunk, stride_permutation(elements() + 1, 1)), "must hold"));
}

TEST_CASE("source and target that overlap", "[any]") {
  auto chunk = start();
  const std::span<index_t> all(chunk);
  const stride_permutation s(elements(), 1, 1);
  CHECK(holds(agreed_text([&] { bmmc::permute<index_t>(MPI_COMM_WORLD, all, all, s); }),
              "source and target overlap"));
  CHECK(chunk == start());
}

TEST_CASE("processes that disagree", "[any]") {
  if (procs() == 1) return;
  auto chunk = start();
  CHECK(holds(refusal(chunk, stride_permutation(elements(), 1, is_last() ? 2 : 1)),
              "disagree on the shift"));
  CHECK(holds(refusal(chunk, stride_permutation(elements(), is_last() ? elements() - 1 : 1)),
              "disagree on the stride"));
  // all counts agree, two targets do not
  const bool swapped = cases::proc() == 0;
  const auto swap = [=](index_t x) { return swapped && x < 2 ? 1 - x : x; };
  const auto here = bmmc::function_bijection(
      elements(), [=](index_t x) { return elements() - 1 - swap(x); },
      [=](index_t x) { return swap(elements() - 1 - x); });
  CHECK(holds(refusal(chunk, here), "processes disagree on the bijection"));
}

TEST_CASE("a bijection that its inverse does not undo", "[any]") {
  auto chunk = start();
  const auto n = elements();
  const auto next = [=](index_t x) { return (x + 1) % n; };
  CHECK(holds(refusal(chunk, bmmc::function_bijection(n, next, next)),
              "do not undo each other: index 0 is sent to 1, and the inverse takes that to 2"));
  const auto beyond = [](index_t x) { return x + 1; };
  CHECK(holds(refusal(chunk, bmmc::function_bijection(n, beyond, next)),
              "index " + std::to_string(n - 1) + " is sent to " + std::to_string(n)));
  CHECK(holds(refusal(chunk, bmmc::function_bijection(n, next, beyond)),
              "the inverse takes index " + std::to_string(n - 1)));
  const auto thrower = [=](index_t x) {
    return x == n - 1 ? throw std::runtime_error("no target for this") : x;
  };
  CHECK(holds(refusal(chunk, bmmc::function_bijection(n, thrower, next)), "no target for this"));
}

namespace {

/// A user's own bijection, whose inverse cannot be had on the last process.
struct without_inverse {
  index_t n;
  [[nodiscard]] index_t size() const { return n; }
  [[nodiscard]] index_t operator()(index_t x) const { return x; }
  [[nodiscard]] friend without_inverse inverse(without_inverse const& b) {
    return is_last() ? throw std::runtime_error("no inverse here") : b;
  }
};

}  // namespace

TEST_CASE("a bijection whose inverse cannot be made", "[any]") {
  auto chunk = start();
  CHECK(holds(refusal(chunk, without_inverse{elements()}), "no inverse here"));
}

TEST_CASE("lists that are no permutation", "[any]") {
  auto chunk = start();
  auto targets = chunk;
  if (is_last()) targets.back() = targets.front();
  CHECK(holds(refusal(chunk, target_list{targets}), "is the target of two elements"));
  targets = chunk;
  if (is_last()) targets.back() = elements();
  CHECK(holds(refusal(chunk, target_list{targets}), "but there are " + std::to_string(elements())));
  if (procs() > 1) {
    targets = chunk;
    if (is_last()) targets.back() = 0;
    CHECK(holds(refusal(chunk, target_list{targets}), "the list is no permutation"));
    targets = chunk;
    if (is_last()) targets.pop_back();
    CHECK(holds(refusal(chunk, target_list{targets}), "must hold"));
  }
  if ((procs() & (procs() - 1)) != 0) {
    CHECK(holds(refusal<comm::bitonic>(chunk, target_list{start()}),
                "power of two of processes, not " + std::to_string(procs())));
    return;
  }
  targets = chunk;
  if (is_last()) targets.back() = targets.front();
  CHECK(holds(refusal<comm::bitonic>(chunk, target_list{targets}), "two elements have one target"));
  targets = chunk;
  if (is_last()) targets.back() = elements();
  CHECK(holds(refusal<comm::bitonic>(chunk, target_list{targets}), "but there are"));
}

TEMPLATE_TEST_CASE("an element that cannot be serialized on one process", "[any]", comm::pairwise,
                   comm::bitonic) {
  if constexpr (std::same_as<TestType, comm::bitonic>)
    if (procs() == 1 || (procs() & (procs() - 1)) != 0) return;
  std::vector<fragile> chunk(start().size(), fragile{"whole"});
  if (is_last()) chunk[2].text = "broken";
  const auto untouched = chunk;
  CHECK(holds(agreed_text([&] {
                bmmc::permute<fragile, TestType>(MPI_COMM_WORLD, chunk,
                                                 stride_permutation(elements(), 1, 1));
              }),
              "an element cannot be serialized: this one is broken"));
  CHECK(chunk == untouched);
  still_works();
}

TEST_CASE("other layouts still want a power of two of processes", "[any]") {
  if ((procs() & (procs() - 1)) == 0) return;
  list chunk(8, 5);
  CHECK(holds(agreed_text([&] {
                bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, bmmc::shuffle(5),
                                       bmmc::layout::processor_minor{});
              }),
              "power of two, not " + std::to_string(procs())));
  CHECK(chunk == list(8, 5));
}

TEST_CASE("lists for detection must lie in blocks, and its promise must be one", "[any]") {
  auto targets = start();
  CHECK(holds(agreed_text([&] {
                (void)bmmc::detect_quickly(MPI_COMM_WORLD, target_list{targets}, 2, 0.5, 1);
              }),
              "epsilon"));
  if (procs() == 1) return;
  if (is_last()) targets.resize(1);
  CHECK(holds(agreed_text([&] { (void)bmmc::detect(MPI_COMM_WORLD, target_list{targets}); }),
              "the list must hold"));
  still_works();
}
