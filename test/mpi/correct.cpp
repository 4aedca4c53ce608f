// SPDX-License-Identifier: BSL-1.0

// y[A x + c] = x on real processes, for layouts, policies and element kinds in every combination.

#include <set>

#include "mpi/cases.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"

namespace {

namespace comm = bmmc::comm;
namespace element = bmmc::element;
using bmmc::permutation;
using cases::fault;

constexpr int element_kinds = 8, policy_kinds = 6;
#if defined(BMMC_TEST_FEWER) || defined(BMMC_TEST_WAYS)  // windows take long to make
constexpr int random_cases = 288;
#else
constexpr int random_cases = 2000;
#endif

template <class Comm>
std::string fault_of(int element_kind, permutation<> const& p, int source, int target) {
  switch (element_kind) {
    case 0:
      return fault<std::uint8_t, Comm>(p, source, target);
    case 1:
      return fault<std::uint16_t, Comm>(p, source, target);
    case 2:
      return fault<std::uint32_t, Comm>(p, source, target);
    case 3:
      return fault<std::uint64_t, Comm>(p, source, target);
    case 4:
      return fault<std::complex<double>, Comm>(p, source, target);
    case 5:
      return fault<cases::record, Comm>(p, source, target);
    case 6:
      return fault<std::string, Comm>(p, source, target);
    default:
      return fault<double, Comm, element::native>(p, source, target);
  }
}

#ifdef BMMC_TEST_WAYS
using first = comm::shared_window;
using second = small_nodes;
using third = small_pieces;
using fourth = full_memory;
using fifth = comm::automatic;
using sixth = small_window;
#else
using first = comm::sendrecv;
using second = comm::sendrecv_replace;
using third = comm::alltoallv;
using fourth = comm::dimension_exchange;
using fifth = isend_irecv;
using sixth = comm::radix_exchange;
#endif

std::string fault_of(int policy_kind, int element_kind, permutation<> const& p, int source,
                     int target) {
  switch (policy_kind) {
    case 0:
      return fault_of<first>(element_kind, p, source, target);
    case 1:
      return fault_of<second>(element_kind, p, source, target);
    case 2:
      return fault_of<third>(element_kind, p, source, target);
    case 3:
      return fault_of<fourth>(element_kind, p, source, target);
    case 4:
      return fault_of<fifth>(element_kind, p, source, target);
    default:
      return fault_of<sixth>(element_kind, p, source, target);
  }
}

/// All 168 nonsingular 3 x 3 matrices.
std::vector<bmmc::bit_matrix<>> gl3() {
  std::vector<bmmc::bit_matrix<>> all;
  for (unsigned word = 0; word < 512; ++word) {
    const bmmc::bit_matrix<> a{3, {word & 7, (word >> 3) & 7, word >> 6}};
    if (oracle::rank(oracle::read(a)) == 3) all.push_back(a);
  }
  return all;
}

}  // namespace

TEST_CASE("every permutation of GL(3,2) moves every element to its place", "[mpi]") {
  if (cases::proc_bits() > 3) return;  // 2^3 elements have no more processes
  const auto all = gl3();
  REQUIRE(all.size() == 168);
  int turn = 0;
  for (auto const& a : all) {
    const permutation<> p(a, static_cast<bmmc::index_t>(turn) % 8);
    INFO(p);
    CHECK(fault_of(turn % policy_kinds, turn / 4 % element_kinds, p, 0, 0) == "");
    CHECK(fault_of((turn + 1) % policy_kinds, 3, p, turn % 6, turn / 6 % 6) == "");
    ++turn;
  }
}

TEST_CASE("random permutations of 2^0 to 2^16 elements move every element to its place", "[mpi]") {
  oracle::generator random(2024);
  std::set<std::tuple<int, int>> pairs[6];  // of source, target, policy, element, each with each
  for (int turn = 0; turn < random_cases; ++turn) {
    const unsigned p_bits = cases::proc_bits();
    const auto n = p_bits + static_cast<unsigned>(random() % (17 - p_bits));
    // from low to full rank: products of few gates are nearly the identity
    permutation<> p = bmmc::random_permutation(n, random);
    if (turn % 3 == 0)
      p = to_library(oracle::affine{
          oracle::random_of_rank(
              n, p_bits, static_cast<unsigned>(random() % (std::min(p_bits, n - p_bits) + 1)),
              random),
          oracle::to_bits(random() % oracle::power(n), n)});
    // 48 turns meet all pairs of source, target and kind, 288 those with the policy too
    const int kind = turn % element_kinds, source = turn / element_kinds % 6;
    const int target = (source + kind + turn / 288) % 6;
    const int policy = (source + kind + turn / 48) % policy_kinds;
    INFO("turn " << turn << ", policy " << policy << ", element " << kind << ", "
                 << (n <= 8 ? cases::describe(p, source, target) : std::string()));
    CHECK(fault_of(policy, kind, p, source, target) == "");
    pairs[0].insert({source, target});
    pairs[1].insert({source, policy});
    pairs[2].insert({source, kind});
    pairs[3].insert({target, policy});
    pairs[4].insert({target, kind});
    pairs[5].insert({policy, kind});
  }
  const std::size_t expected[6] = {36, 6 * policy_kinds, 48, 6 * policy_kinds,
                                   48, 8 * policy_kinds};
  for (int k = 0; k < 6; ++k) CHECK(pairs[k].size() == expected[k]);
}

TEST_CASE("permutations that fix, rename or keep processes", "[mpi]") {
  const unsigned p = cases::proc_bits();
  for (const unsigned m : {0U, 1U, 5U}) {  // m = 0: one element per process
    const unsigned n = m + p;
    std::vector<permutation<>> special{
        bmmc::identity_permutation(n), bmmc::vector_reversal(n), bmmc::bit_reversal(n),
        bmmc::gray_encode(n),          bmmc::shuffle(n),         bmmc::gray_decode(n)};
    if (p >= 1) special.push_back(bmmc::flip(n, n - 1));  // whole chunks change their process
    if (m >= 1) special.push_back(bmmc::flip(n, 0));      // nothing leaves its process
    if (m >= 2) special.push_back(bmmc::swap_bits(n, 0, 1));
    if (p >= 2) {
      special.push_back(bmmc::cnot(n, n - 1, n - 2));       // half of the processes stay
      special.push_back(bmmc::swap_bits(n, n - 1, n - 2));  // two of four processes stay
      // a cycle of three processes, and one that stays
      special.push_back(bmmc::circuit<>(n).cnot(n - 1, n - 2).swap(n - 1, n - 2));
    }
    if (p >= 1 && m >= 1) {
      special.push_back(bmmc::cnot(n, 0, n - 1));  // half of the elements move
      special.push_back(bmmc::cnot(n, n - 1, 0));  // local, but not alike everywhere
    }
    for (std::size_t i = 0; i < special.size(); ++i)
      for (int policy = 0; policy < policy_kinds; ++policy) {
        INFO("m " << m << ", case " << i << ", policy " << policy);
        CHECK(fault_of(policy, 3, special[i], 0, 0) == "");
        CHECK(fault_of(policy, 6, special[i], 1, 1) == "");
      }
  }
}

TEST_CASE("redistribution is the identity between two layouts", "[mpi]") {
  const unsigned n = cases::proc_bits() + 6;
  for (int source = 0; source < 6; ++source)
    for (int target = 0; target < 6; ++target)
      CHECK(fault<std::uint32_t, comm::sendrecv>(bmmc::identity_permutation(n), source, target) ==
            "");
}

TEST_CASE("a permutation known to the compiler", "[mpi]") {
  if (cases::proc_bits() > 4) return;
  constexpr auto p = bmmc::compose(bmmc::gray_encode<8>(), bmmc::bit_reversal<8>());
  auto chunk = cases::elements<float>(cases::held(0, 8, cases::proc_bits()));
  bmmc::permute<float>(MPI_COMM_WORLD, chunk, p);
  const auto targets = cases::all_targets(p);
  CHECK(chunk == cases::elements<float>(cases::held(0, 8, cases::proc_bits(), &targets)));
}

#ifdef BMMC_TEST_WAYS
TEST_CASE("permuters that use the memory of one window in turn", "[mpi]") {
  const unsigned n = cases::proc_bits() + 8;
  oracle::generator random(31);
  const std::array maps{bmmc::bit_reversal(n), bmmc::random_permutation(n, random)};
  comm::shared_window large, small;
  large.piece_bytes = 1024;
  small.piece_bytes = 128;
  std::shared_ptr<comm::window> window;
  bmmc::permuter_options<bmmc::index_t> options;
  options.window = &window;
  auto first = bmmc::make_permuter<bmmc::index_t>(MPI_COMM_WORLD, maps[0], {}, large, options);
  auto second = bmmc::make_permuter<bmmc::index_t>(MPI_COMM_WORLD, maps[1], {}, small, options);
  const auto source = cases::before<bmmc::index_t>(n);
  const std::array expected{cases::after<bmmc::index_t>(maps[0]),
                            cases::after<bmmc::index_t>(maps[1])};
  std::array targets{source, source};
  bool is_right = true;
  for (int turn = 0; turn < 20; ++turn) {
    first(source, targets[0]);
    second(source, targets[1]);
    is_right = is_right && targets == expected;
    std::array chunks{source, source};
    first(chunks[0]);
    second(chunks[1]);
    is_right = is_right && chunks == expected;
  }
  CHECK(is_right);
}
#endif
