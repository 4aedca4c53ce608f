// SPDX-License-Identifier: BSL-1.0

// comm::radix_exchange: all goes where it must, by the messages that its plan tells.

#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "support/catch.hpp"

namespace {

using bmmc::index_t;
namespace comm = bmmc::comm;

template <class T>
void check(bmmc::permutation<> const& p, unsigned bits) {
  const comm::radix_exchange policy{bits};
  auto permute = bmmc::make_permuter<T>(MPI_COMM_WORLD, p, {}, policy);
  const auto first = cases::before<T>(p.bits()), last = cases::after<T>(p);
  std::vector<T> target(first.size());
  for (int call = 0; call < 2; ++call) {
    auto chunk = first;
    permute(chunk);
    CHECK(chunk == last);
    permute(first, target);
    CHECK(target == last);
  }
}

}  // namespace

TEST_CASE("rounds of any number of bits bring all elements to their places", "[mpi]") {
  const unsigned p = cases::proc_bits();
  oracle::generator random(19);
  for (unsigned bits = 1; bits <= 4; ++bits)
    for (unsigned seed = 0; seed < 4; ++seed) {
      const unsigned n = p + 4 + seed;
      const auto map = seed == 0 ? bmmc::bit_reversal(n) : bmmc::random_permutation(n, random);
      check<index_t>(map, bits);
      check<std::uint8_t>(map, bits);
      check<cases::record>(map, bits);
      check<std::string>(map, bits);
    }
}

TEST_CASE("long runs go as datatypes, short ones are packed", "[mpi]") {
  const unsigned p = cases::proc_bits();
  for (const unsigned n : {p + 6, p + 16})
    for (unsigned bits = 1; bits <= 2; ++bits)
      for (auto const& map : {bmmc::bit_reversal(n), bmmc::vector_reversal(n), bmmc::gray_encode(n),
                              bmmc::transpose(n / 2, n - n / 2)})
        check<double>(map, bits);
}

TEST_CASE("messages and bytes are those of the plan, and a repeated call allocates nothing",
          "[mpi]") {
  const unsigned p = cases::proc_bits(), n = p + 9;
  oracle::generator random(20);
  for (unsigned bits = 1; bits <= 4; ++bits) {
    const auto map = bmmc::random_permutation(n, random);
    auto permute =
        bmmc::make_permuter<index_t>(MPI_COMM_WORLD, map, {}, comm::radix_exchange{bits});
    auto chunk = cases::before<index_t>(n);
    counted = {};
    permute(chunk);
    const auto sums = counted;
    CHECK(sums.allocations == 0);
    CHECK(sums.reductions == 0);
    if (permute.plan().is_local()) continue;
    const auto sent =
        bmmc::radix_plan(permute.plan(), bits).sent(static_cast<index_t>(cases::proc()));
    CHECK(sums.messages == sent.messages);
    CHECK(sums.bytes == sent.elements * permute.plan().message_elements() * sizeof(index_t));
  }
}

TEST_CASE("maps take the policy too", "[mpi]") {
  const unsigned n = cases::proc_bits() + 5;
  const auto map = bmmc::bit_reversal(n);
  const auto first = cases::before<index_t>(n);
  std::vector<index_t> target(first.size());
  bmmc::gather<index_t>(MPI_COMM_WORLD, first, target, bmmc::as_map(inverse(map)), {},
                        comm::radix_exchange{1});
  CHECK(target == cases::after<index_t>(map));
}

TEST_CASE("rounds of no bits are refused by all", "[mpi]") {
  if (cases::proc_bits() == 0) return;
  auto chunk = cases::before<index_t>(cases::proc_bits() + 5);
  CHECK_THROWS_AS(
      bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, bmmc::bit_reversal(cases::proc_bits() + 5), {},
                             comm::radix_exchange{0}),
      bmmc::bad_value);
}
