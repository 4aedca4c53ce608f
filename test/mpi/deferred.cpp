// SPDX-License-Identifier: BSL-1.0

// Arrays whose permutations are postponed, against an array of all elements on every process.

#include <memory>
#include <optional>

#include <bmmc/permute/deferred_array.hpp>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "support/catch.hpp"
#include "support/every_coset.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::bit;
using bmmc::coset;
using bmmc::index_t;

#ifdef BMMC_TEST_FEWER
constexpr int random_cases = 20;
#else
constexpr int random_cases = 100;
#endif

/// An array as the library has it, and all elements by index.
struct arrays {
  unsigned n;
  std::vector<index_t> chunk, all;
  bmmc::deferred_array<index_t> made;

  arrays(unsigned bits, bmmc::permutation<> const& where)
      : n(bits),
        chunk(bit(bits - cases::proc_bits())),
        all(bit(bits)),
        made(MPI_COMM_WORLD, chunk, where) {
    for (index_t i = 0; i < chunk.size(); ++i) chunk[i] = made.index_at(i) * 3;
    for (index_t x = 0; x < all.size(); ++x) all[x] = x * 3;
  }
  [[nodiscard]] bool agree() const {
    for (index_t i = 0; i < chunk.size(); ++i)
      if (chunk[i] != all[made.index_at(i)]) return false;
    for (index_t x = 0; x < all.size(); ++x) {
      const auto at = made.place(x);
      if (at.proc == static_cast<index_t>(cases::proc()) && chunk[at.offset] != all[x])
        return false;
    }
    return made.read(0, all.size()) == all;
  }

  void permute(oracle::generator& random) {
    const auto map = random_affine(n, random);
    std::vector<index_t> moved(all.size());
    for (index_t x = 0; x < all.size(); ++x) moved[map(x)] = all[x];
    all = moved;
    made.permute(to_library(map));
  }
  void add(oracle::generator& random) {
    const auto s = every_coset::random(n, random);
    const auto w = s.on_coset().where();
    for (index_t x = 0; x < all.size(); ++x)
      if (s.meets(x)) all[x] += 1000003;
    made.apply(w, [](index_t* run, index_t count) {
      for (index_t i = 0; i < count; ++i) run[i] += 1000003;
    });
  }
  /// Pairs x, x + v where bit j of v is 1 and x has none there: what is no permutation.
  void combine(oracle::generator& random) {
    const index_t v = 1 + random() % (bit(n) - 1);
    unsigned j = 0;
    while ((v >> j & 1) == 0) ++j;
    if (n == cases::proc_bits()) return;
    made.make_local(v);
    CHECK(made.is_local(v));
    for (index_t x = 0; x < all.size(); ++x)
      if ((x >> j & 1) == 0) {
        all[x] += 7 * all[x ^ v];
        all[x ^ v] += 5 * all[x];
      }
    made.apply_pairs(coset(n, {{bit(j), false}}), v,
                     [](index_t* first, index_t* second, index_t count) {
                       for (index_t i = 0; i < count; ++i) {
                         first[i] += 7 * second[i];
                         second[i] += 5 * first[i];
                       }
                     });
  }
};

}  // namespace

TEST_CASE("deferred_array: permutations, factors on cosets, pairs", "[deferred]") {
  oracle::generator random(33);
  const unsigned p = cases::proc_bits();
  for (int k = 0; k < random_cases; ++k) {
    const unsigned n = std::max(1U, p + static_cast<unsigned>(random() % 7));
    arrays a(n, bmmc::random_permutation(n, random));
    for (index_t step = random() % 8; step > 0; --step) switch (random() % 3) {
        case 0:
          a.permute(random);
          break;
        case 1:
          a.add(random);
          break;
        default:
          a.combine(random);
      }
    const bool agree = a.agree();
    CHECK(agree);
    a.made.settle();
    CHECK(is_identity(a.made.where()));
    const bool settled = a.agree();
    CHECK(settled);
    CHECK_FALSE(a.made.settle());
  }
}

TEST_CASE("deferred_array: what moves nothing sends nothing, what moves does it once",
          "[deferred]") {
  const unsigned p = cases::proc_bits(), n = p + 6;
  arrays a(n, bmmc::identity_permutation(n));
  oracle::generator random(34);
  const auto before = counted;
  a.permute(random);
  a.add(random);
  CHECK(counted.messages == before.messages);
  CHECK(counted.reductions == before.reductions);
  CHECK(a.made.exchanges() == 0);
  if (p == 0) return;
  bmmc::deferred_array<index_t> b(MPI_COMM_WORLD, a.chunk, n);
  CHECK_THROWS_AS(b.apply_pairs(coset(n, {}), bit(n - 1), [](index_t*, index_t*, index_t) {}),
                  bmmc::bad_value);
  bmmc::upcoming_directions next(n);
  for (unsigned j = 0; j < 6; ++j) CHECK(next.add(bit(n - 1 - j), p));
  CHECK_FALSE(next.add(1, p));
  CHECK(b.make_local(next) == true);
  CHECK(b.exchanges() == 1);
  for (unsigned j = 0; j < 6; ++j) CHECK(b.is_local(bit(n - 1 - j)));
  CHECK_FALSE(b.make_local(next));
  CHECK_FALSE(b.make_local(bit(n - 1)));
  CHECK(b.exchanges() == 1);
}

TEST_CASE("deferred_array: all processes refuse, or none", "[deferred]") {
  const unsigned p = cases::proc_bits(), n = p + 4;
  std::vector<index_t> chunk(cases::proc() == 0 ? 15 : 16);
  using agreed::agreed_text;
  using agreed::holds;
  CHECK(holds(agreed_text([&] { bmmc::deferred_array<index_t>(MPI_COMM_WORLD, chunk, n); }), "16"));
  chunk.resize(16);
  if (p > 0)
    CHECK(holds(agreed_text([&] {
                  bmmc::deferred_array<index_t>(MPI_COMM_WORLD, chunk,
                                                bmmc::flip(n, cases::proc() == 0 ? 0 : 1));
                }),
                "processes disagree"));
  const bmmc::deferred_array<index_t> made(MPI_COMM_WORLD, chunk, n);
  CHECK(holds(agreed_text([&] { static_cast<void>(made.read(bit(n) - 1, 2)); }), "2^"));
  CHECK(made.read(bit(n), 0).empty());
  const bool is_first = cases::proc() == 0;
  if (p > 0) {
    const auto read = [&](index_t first, index_t count) {
      return agreed_text([&] { static_cast<void>(made.read(first, count)); });
    };
    CHECK(holds(read(is_first ? bit(n) : 0, 2), "2^"));
    CHECK(holds(read(is_first ? 0 : 4, 4), "disagree on the first element to read"));
    CHECK(holds(read(0, is_first ? 4 : 5), "disagree on the number of elements to read"));
  }
}

TEST_CASE("deferred_array: directions and indices that are not there", "[deferred]") {
  using bmmc::bad_value;
  const unsigned p = cases::proc_bits(), n = p + 4;
  std::vector<index_t> chunk(16, 3);
  bmmc::deferred_array<index_t> made(MPI_COMM_WORLD, chunk, n);
  const auto combine = [&](index_t v) {
    made.apply_pairs(coset(n, {}), v, [](index_t* first, index_t*, index_t) { *first = 0; });
  };
  CHECK_COMPLAINS(bad_value, combine(0), "index x + 0 are no pairs");
  CHECK(made.is_local(0));
  CHECK_FALSE(made.make_local(0));
  for (const index_t v : {bit(n), bit(40), bit(n) | 1}) {
    const std::string number = std::to_string(v);
    CHECK_COMPLAINS(bad_value, combine(v), "index x + " + number + " are no pairs");
    CHECK_COMPLAINS(bad_value, made.make_local(v), "direction " + number + " is not below 2^");
    CHECK_FALSE(made.is_local(v));
  }
  CHECK_COMPLAINS(bad_value, static_cast<void>(made.place(bit(n))), "not among 2^");
  CHECK_COMPLAINS(bad_value, static_cast<void>(made.index_at(16)), "not among the 16");
  CHECK(chunk == std::vector<index_t>(16, 3));

  if (p == 0) return;
  std::vector<index_t> one(1, 3);  // no direction can be local
  bmmc::deferred_array<index_t> few(MPI_COMM_WORLD, one, p);
  CHECK_COMPLAINS(bad_value, few.make_local(1), "cannot be on one process");
  CHECK_FALSE(few.make_local(bmmc::upcoming_directions(p)));
}

TEST_CASE("deferred_array: what has been moved from says so", "[deferred]") {
  const unsigned n = cases::proc_bits() + 4;
  std::vector<index_t> chunk(16);
  bmmc::deferred_array<index_t> first(MPI_COMM_WORLD, chunk, n);
  first.permute(bmmc::bit_reversal(n));
  auto second = std::move(first);
  CHECK_COMPLAINS(bmmc::bad_value, static_cast<void>(first.read(0, 1)),  // NOLINT: moved from
                  "this deferred_array has been moved from");
  CHECK_COMPLAINS(bmmc::bad_value, first.settle(), "this deferred_array has been moved from");
  const bmmc::coset all(n, {});
  const auto nothing = [](auto...) {};
  CHECK_COMPLAINS(bmmc::bad_value, first.apply(all, nothing), "has been moved from");
  CHECK_COMPLAINS(bmmc::bad_value, first.apply_pairs(all, bit(n - 1), nothing),
                  "has been moved from");
  CHECK_COMPLAINS(bmmc::bad_value, static_cast<void>(first.index_at(0)), "has been moved from");
  CHECK(second.settle());
}

TEST_CASE("deferred_array: what its moves leave is that of its communicator", "[deferred]") {
  const unsigned n = cases::proc_bits() + 4;
  std::vector<index_t> chunk(16);
  std::optional<bmmc::deferred_array<index_t>> made;
  std::weak_ptr<bmmc::comm::communicator const> known;
  {
    const cases::own_world world;
    made.emplace(world, chunk, n);
    known = bmmc::comm::communicator::of(world);
    CHECK(bmmc::comm::communicator::of(known.lock()->handle()) == known.lock());
    made->permute(bmmc::bit_reversal(n));
    CHECK(made->settle());
    CHECK(world.memory().calls() == 1);
    bmmc::forget_calls(world);
    CHECK(world.memory().calls() == 0);
  }
  // The caller's communicator has been freed: nothing that is left may keep the duplicate.
  for (index_t i = 0; i < chunk.size(); ++i) chunk[i] = made->index_at(i);
  made->permute(bmmc::bit_reversal(n));
  CHECK(made->settle());
  CHECK(chunk == cases::after<index_t>(bmmc::bit_reversal(n)));
  made.reset();
  CHECK(known.expired());
}
