// SPDX-License-Identifier: BSL-1.0

// The permuter as an object: calls, workspace, life time, traffic.

#include <algorithm>
#include <boost/mpi/communicator.hpp>

#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"

namespace {

using bmmc::index_t;
using bmmc::permutation;
namespace comm = bmmc::comm;

using cases::after;
using cases::before;
using cases::sample;

/// Six calls try both ways to write what others read, and more follow.
template <class T>
void check_often(bmmc::permutation<> const& p, comm::shared_window const& policy) {
  auto permute = bmmc::make_permuter<T>(MPI_COMM_WORLD, p, {}, policy);
  const auto first = before<T>(p.bits()), expected = after<T>(p);
  for (int call = 0; call < 10; ++call) {
    auto chunk = first;
    std::vector<T> target(first.size());
    counted = {};
    permute(chunk, target);
    const bool is_kept = chunk == first;
    permute(chunk);
    const auto sums = counted;  // CHECK allocates
    CHECK(is_kept);
    CHECK(target == expected);
    CHECK(chunk == expected);
    CHECK(sums.allocations == 0);
    CHECK(sums.reductions == 0);
  }
}

}  // namespace

TEST_CASE("what others read is written in every way, and every call is right", "[mpi]") {
  oracle::generator random(2026);
  for (unsigned lg_chunk : {2U, 4U, 7U, 11U, 14U}) {
    const unsigned n = cases::proc_bits() + lg_chunk;
    for (auto const& p : {bmmc::random_permutation(n, random), bmmc::bit_reversal(n),
                          bmmc::vector_reversal(n), bmmc::shuffle(n)})
      for (std::size_t const piece_bytes : {0U, 1U << 9, 1U << 20}) {
        check_often<index_t>(p, comm::shared_window{.piece_bytes = piece_bytes});
        check_often<std::uint8_t>(p, comm::shared_window{.piece_bytes = piece_bytes});
        check_often<cases::record>(p, comm::shared_window{.piece_bytes = piece_bytes});
      }
  }
}

TEST_CASE("a permuter is called often, with other data each time", "[mpi]") {
  const unsigned n = cases::proc_bits() + 7;
  const auto p = sample(n);
  auto permute = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, p);
  permutation<> composed = bmmc::identity_permutation(n);
  auto chunk = before<index_t>(n);
  for (int call = 0; call < 5; ++call) {
    permute(chunk);
    composed = compose(p, composed);
    CHECK(chunk == after<index_t>(composed));
  }
}

TEMPLATE_TEST_CASE("a repeated call allocates nothing and sends nothing but the data", "[mpi]",
                   comm::sendrecv, comm::sendrecv_replace, comm::pipelined) {
  const unsigned n = cases::proc_bits() + 8;
  for (unsigned seed = 0; seed < 5; ++seed) {
    oracle::generator random(seed);
    const auto p = bmmc::random_permutation(n, random);
    auto permute = bmmc::make_permuter<index_t, TestType>(MPI_COMM_WORLD, p);
    auto chunk = before<index_t>(n);
    auto other = chunk;
    counted = {};
    permute(chunk);
    permute(chunk, other);
    const auto sums = counted;  // CHECK allocates
    CHECK(sums.allocations == 0);
    CHECK(sums.reductions == 0);
    auto const& plan = permute.plan();
    const auto me = static_cast<index_t>(cases::proc());
    const index_t stays = plan.stays(me);
    CHECK(sums.bytes == 2 * (plan.chunk_elements() - stays) * sizeof(index_t));
    CHECK(counted.messages == 2 * (plan.messages() - (stays != 0 ? 1 : 0)));
  }
}

TEST_CASE("with nodes of two, messages go from node to node alone", "[mpi]") {
  if (cases::proc_bits() == 0) return;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const unsigned n = cases::proc_bits() + 8;
    oracle::generator random(seed);
    const auto p = bmmc::random_permutation(n, random);
    auto permute = bmmc::make_permuter<index_t, nodes_of_two>(MPI_COMM_WORLD, p);
    auto chunk = before<index_t>(n);
    counted = {};
    permute(chunk);
    const auto sums = counted;
    CHECK(sums.allocations == 0);
    CHECK(sums.in_pair_messages == 0);
    const bmmc::plan among_nodes(p, cases::proc_bits() - 1);
    CHECK(sums.messages <= std::max<index_t>(1, among_nodes.messages() / 2));
    CHECK(chunk == after<index_t>(p));
  }
}

TEST_CASE("shared vectors, in place and from one to the other", "[mpi]") {
  for (unsigned seed = 0; seed < 4; ++seed) {
    const unsigned n = cases::proc_bits() + (seed == 3 ? 13 : 9);  // one tile, or a part for each
    oracle::generator random(seed);
    const auto p = seed == 0 ? bmmc::swap_bits(n, 0, 7) : bmmc::random_permutation(n, random);
    const auto first = before<float>(n), expected = after<float>(p);
    const auto check = [&](auto permute) {
      bmmc::shared_vector<float> chunk(MPI_COMM_WORLD, first.size()),
          target(MPI_COMM_WORLD, first.size());
      std::copy(first.begin(), first.end(), chunk.begin());
      counted = {};
      permute(chunk, target);
      CHECK(counted.messages == 0);
      CHECK(std::equal(target.begin(), target.end(), expected.begin()));
      CHECK(std::equal(chunk.begin(), chunk.end(), first.begin()));
      permute(chunk);
      CHECK(std::equal(chunk.begin(), chunk.end(), expected.begin()));
      CHECK_THROWS_AS(([&] {
                        bmmc::shared_vector<float> empty;
                        permute(empty);
                      }()),
                      bmmc::bad_value);
    };
    check(bmmc::make_permuter<float, comm::shared_window>(MPI_COMM_WORLD, p));
    comm::automatic often;
    often.costs = comm::cost_model{.message = 1, .message_together = 1};
    check(bmmc::make_permuter<float>(MPI_COMM_WORLD, p, {}, often));
  }
}

TEST_CASE("all windows of a communicator share one communicator of MPI for its node", "[mpi]") {
  const auto p = sample(cases::proc_bits() + 9);
  const bmmc::shared_vector<float> first(MPI_COMM_WORLD, 512);
  counted = {};
  const bmmc::shared_vector<float> second(MPI_COMM_WORLD, 512);
  const auto permute = bmmc::make_permuter<float, comm::shared_window>(MPI_COMM_WORLD, p);
  const auto in_pieces =
      bmmc::make_permuter<float>(MPI_COMM_WORLD, p, {}, comm::shared_window{.piece_bytes = 512});
  const auto gather =
      bmmc::make_gatherer<float>(MPI_COMM_WORLD, bmmc::as_map(p), {}, comm::shared_window());
  const auto automatic = bmmc::make_permuter<float>(MPI_COMM_WORLD, p);
  CHECK(counted.communicators == 0);
}

TEST_CASE("tiles of a shared array are those of the node's first process", "[mpi]") {
  const auto mine = bmmc::local::default_shape();
  auto shape = bmmc::local::fetched_tiles(index_t{1} << 20);
  const bool is_even = cases::proc() % 2 == 0;
  shape.source_row = shape.target_row = is_even ? 12 : 6;
  shape.tile = is_even ? 20 : 12;  // by the one shape other lines are together than by the other
  bmmc::local::set_default_shape(shape);
  const unsigned n = cases::proc_bits() + 13;
  const auto p = bmmc::bit_reversal(n);
  auto permute = bmmc::make_permuter<float, comm::shared_window>(MPI_COMM_WORLD, p);
  bmmc::local::set_default_shape(mine);
  const auto first = before<float>(n), expected = after<float>(p);
  bmmc::shared_vector<float> chunk(MPI_COMM_WORLD, first.size()),
      target(MPI_COMM_WORLD, first.size());
  std::copy(first.begin(), first.end(), chunk.begin());
  permute(chunk, target);
  CHECK(std::equal(target.begin(), target.end(), expected.begin()));
}

TEMPLATE_TEST_CASE("without windows shared vectors are arrays as any other", "[mpi]",
                   comm::sendrecv, comm::sendrecv_replace, comm::alltoallv, comm::pipelined,
                   comm::dimension_exchange, comm::within_budget, isend_irecv) {
  const unsigned n = cases::proc_bits() + 6;
  const auto p = sample(n);
  const auto first = before<float>(n), expected = after<float>(p);
  auto permute = bmmc::make_permuter<float, TestType>(MPI_COMM_WORLD, p);
  bmmc::shared_vector<float> chunk(MPI_COMM_WORLD, first.size()),
      target(MPI_COMM_WORLD, first.size());
  std::copy(first.begin(), first.end(), chunk.begin());
  permute(chunk, target);
  CHECK(std::equal(target.begin(), target.end(), expected.begin()));
  CHECK(std::equal(chunk.begin(), chunk.end(), first.begin()));
  permute(chunk);
  CHECK(std::equal(chunk.begin(), chunk.end(), expected.begin()));
}

TEST_CASE("a shared vector of processes in another order is an array as any other", "[mpi]") {
  const int last = static_cast<int>(1U << cases::proc_bits()) - 1;
  const auto mirrored = comm::renumbered(MPI_COMM_WORLD, last - cases::proc());
  const unsigned n = cases::proc_bits() + 6;
  oracle::generator random(3);
  auto permute = bmmc::make_permuter<float, comm::shared_window>(
      mirrored, bmmc::random_permutation(n, random));
  std::vector<float> chunk = before<float>(n), target(chunk.size());
  bmmc::shared_vector<float> shared(MPI_COMM_WORLD, chunk.size()),
      shared_target(MPI_COMM_WORLD, chunk.size());
  std::copy(chunk.begin(), chunk.end(), shared.begin());
  permute(chunk, target);
  permute(shared, shared_target);
  CHECK(std::equal(target.begin(), target.end(), shared_target.begin()));
  permute(chunk);
  permute(shared);
  CHECK(std::equal(chunk.begin(), chunk.end(), shared.begin()));
}

TEST_CASE("local plans send nothing", "[mpi]") {
  const unsigned n = cases::proc_bits() + 4;
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::swap_bits(n, 0, 3));
  CHECK(permute.plan().is_local());
  auto chunk = before<int>(n);
  counted = {};
  permute(chunk);
  CHECK(counted.messages == 0);
  CHECK(chunk == after<int>(bmmc::swap_bits(n, 0, 3)));
}

TEST_CASE("the workspace stated is the workspace used", "[mpi]") {
  using replacing = bmmc::permuter<double, comm::sendrecv_replace>;
  using moving = bmmc::permuter<double, comm::sendrecv>;
  const unsigned n = cases::proc_bits() + 6;
  const auto p = cases::proc_bits() == 0 ? sample(n) : compose(sample(n), bmmc::flip(n, n - 1));
  const auto plan =
      bmmc::make_plan(p, bmmc::layout::processor_major{}, index_t{1} << cases::proc_bits());
  const index_t chunk_elements = plan.chunk_elements();
  CHECK(replacing::workspace_elements(plan, bmmc::call_kind::in_place) == chunk_elements);
  if (!plan.is_local()) {
    CHECK(replacing::workspace_elements(plan) == chunk_elements);
    CHECK(moving::workspace_elements(plan) == 2 * chunk_elements);
    CHECK(moving::workspace_elements(plan, bmmc::call_kind::between_spans) == chunk_elements);
  } else {
    CHECK(moving::workspace_elements(plan) == chunk_elements);
    CHECK(moving::workspace_elements(plan, bmmc::call_kind::between_spans) == 0);
  }

  const auto needed = moving::workspace_elements(plan);
  std::vector<double> lent(needed + 1, -1.0);  // one more, which nobody may touch
  moving permute(MPI_COMM_WORLD, p, {}, {}, {.lent = std::span(lent).first(needed)});
  auto chunk = before<double>(n);
  permute(chunk);
  CHECK(chunk == after<double>(p));
  CHECK(lent.back() == -1.0);
  chunk = before<double>(n);
  std::vector<double> target(chunk.size());
  permute(chunk, target);
  CHECK(target == after<double>(p));
  CHECK(lent.back() == -1.0);
}

TEST_CASE("a permuter outlives the communicator that it was built on, and can be moved", "[mpi]") {
  const unsigned n = cases::proc_bits() + 5;
  const auto p = sample(n);
  auto build = [&] {  // the communicator ends here
    const boost::mpi::communicator temporary(MPI_COMM_WORLD, boost::mpi::comm_duplicate);
    return bmmc::make_permuter<int>(temporary, p);
  };
  auto first = build();
  auto permute = std::move(first);
  auto chunk = before<int>(n);
  permute(chunk);
  CHECK(chunk == after<int>(p));
  auto of_rvalue = bmmc::make_permuter<int>(
      boost::mpi::communicator(MPI_COMM_WORLD, boost::mpi::comm_duplicate), inverse(p));
  of_rvalue(chunk);
  CHECK(chunk == before<int>(n));
}

TEST_CASE("messages of the caller with any tag do not meet ours", "[mpi]") {
  const unsigned n = cases::proc_bits() + 5;
  int in = -1, out = cases::proc();
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
  auto chunk = before<int>(n);
  bmmc::permute<int>(MPI_COMM_WORLD, chunk, sample(n));
  CHECK(chunk == after<int>(sample(n)));
  MPI_Send(&out, 1, MPI_INT, cases::proc(), 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == cases::proc());
}

TEST_CASE("a part of the processes permutes an array of its own", "[mpi]") {
  const boost::mpi::communicator world;
  const auto half = world.split(world.rank() % 2);
  if ((half.size() & (half.size() - 1)) != 0) return;
  const auto p_bits = bmmc::proc_bits_of(static_cast<index_t>(half.size()));
  const unsigned n = p_bits + 3;
  const auto p = bmmc::bit_reversal(n);
  std::vector<index_t> chunk;
  for (index_t i = 0; i < 8; ++i) chunk.push_back(static_cast<index_t>(half.rank()) * 8 + i);
  bmmc::permute<index_t>(half, chunk, p);
  for (index_t i = 0; i < 8; ++i) CHECK(p(chunk[i]) == static_cast<index_t>(half.rank()) * 8 + i);
}

TEST_CASE("the element type of a chunk need not be named", "[mpi]") {
  const unsigned n = cases::proc_bits() + 5;
  const auto p = sample(n);
  auto chunk = before<float>(n);
  std::vector<float> target(chunk.size());
  bmmc::permute(MPI_COMM_WORLD, chunk, target, p);
  CHECK(target == after<float>(p));
  bmmc::permute(MPI_COMM_WORLD, std::span(chunk), p, {}, comm::sendrecv{});
  CHECK(chunk == after<float>(p));
  bmmc::gather(MPI_COMM_WORLD, chunk, target, bmmc::as_map(p));  // back
  CHECK(target == before<float>(n));
  bmmc::reduce(MPI_COMM_WORLD, target, chunk, bmmc::as_map(p), std::plus<>(), {}, comm::automatic{},
               {.unreached = 0.5F});
  CHECK(chunk == after<float>(p));
}

TEST_CASE("what will be done is told by the header that does it", "[mpi]") {
  const unsigned n = cases::proc_bits() + 4;
  const auto p = bmmc::bit_reversal(n);
  CHECK(explain(bmmc::make_permuter<int>(MPI_COMM_WORLD, p)).find("automatic: ") !=
        std::string::npos);
  const auto told = explain(bmmc::make_gatherer<int>(MPI_COMM_WORLD, bmmc::as_map(p)));
  const std::string size = std::to_string(16 << cases::proc_bits());
  CHECK(told.find(size + " elements to " + size + " on ") == 0);
  const auto plan_of = [](std::string const& all) { return all.substr(0, all.find("automatic")); };
  const auto also = explain(bmmc::make_reducer<int>(MPI_COMM_WORLD, bmmc::as_map(inverse(p))));
  CHECK(plan_of(told) == plan_of(also));
}

TEST_CASE("permuters that cannot be called say so", "[mpi]") {
  const unsigned n = cases::proc_bits() + 5;
  const auto p = sample(n);
  auto first = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, p);
  auto second = std::move(first);
  auto chunk = before<index_t>(n);
  const auto untouched = chunk;
  std::vector<index_t> target(chunk.size());
  const bmmc::bad_value moved("this permuter has been moved from");
  CHECK_THROWS_WITH(first(chunk), moved.what());  // NOLINT: used after it was moved from
  CHECK_THROWS_WITH(first(chunk, target), moved.what());
  CHECK_THROWS_WITH(first.start(chunk), moved.what());
  CHECK(first.choice().empty());
  const std::span<index_t> nothing(static_cast<index_t*>(nullptr), chunk.size());
  CHECK_THROWS_AS(second(nothing), bmmc::bad_value);
  CHECK_THROWS_AS(second(nothing, target), bmmc::bad_value);
  CHECK_THROWS_AS(second(chunk, nothing), bmmc::bad_value);
  CHECK_THROWS_AS(second.start(nothing), bmmc::bad_value);
  CHECK_THROWS_AS(bmmc::permute<index_t>(MPI_COMM_WORLD, nothing, p), bmmc::bad_value);
  CHECK(chunk == untouched);
  second(chunk);
  CHECK(chunk == after<index_t>(p));
}

TEST_CASE("so do all others that are built once", "[mpi]") {
  const unsigned n = cases::proc_bits() + 5;
  const auto procs = index_t{1} << cases::proc_bits();
  const auto p = sample(n);
  auto chunk = before<index_t>(n);
  const auto untouched = chunk;
  std::vector<index_t> target(chunk.size());
  const std::span<index_t> nothing(static_cast<index_t*>(nullptr), chunk.size());
  const auto moved = [](std::string const& what) { return what + " has been moved from"; };
  {
    auto first =
        bmmc::make_permuter<index_t>(MPI_COMM_WORLD, bmmc::controlled(bmmc::flip(n, n - 1), 1));
    CHECK_THROWS_AS(first(nothing), bmmc::bad_value);
    auto second = std::move(first);
    CHECK_THROWS_WITH(first(chunk), moved("this permuter"));  // NOLINT: used after it was moved
    CHECK_THROWS_WITH(first(chunk, target), moved("this permuter"));
  }
  {
    auto first = bmmc::make_gatherer<index_t>(MPI_COMM_WORLD, bmmc::as_map(p));
    CHECK_THROWS_AS(first(nothing, target), bmmc::bad_value);
    CHECK_THROWS_AS(first(chunk, nothing), bmmc::bad_value);
    auto second = std::move(first);
    CHECK_THROWS_WITH(first(chunk, target), moved("this gatherer"));  // NOLINT
    CHECK(first.choice().empty());
  }
  {
    auto first = bmmc::make_reducer<index_t>(MPI_COMM_WORLD, bmmc::as_map(p));
    CHECK_THROWS_AS(first(nothing, target), bmmc::bad_value);
    auto second = std::move(first);
    CHECK_THROWS_WITH(first(chunk, target), moved("this reducer"));  // NOLINT
  }
  {
    auto first = bmmc::make_permuter_set<index_t, index_t>(MPI_COMM_WORLD, p);
    CHECK_THROWS_AS(first({chunk, nothing}), bmmc::bad_value);
    auto second = std::move(first);
    CHECK_THROWS_WITH(first({chunk, target}), moved("this set"));  // NOLINT
    CHECK_THROWS_WITH(first.start({chunk, target}), moved("this set"));
    first.wait();
    CHECK(first.test());
  }
  {
    const bmmc::grid_layout blocks{bmmc::grid_axis::blocks(bmmc::bit(n), procs)},
        cyclic{bmmc::grid_axis::cyclic(bmmc::bit(n), procs)};
    auto first = bmmc::make_redistributor<index_t>(MPI_COMM_WORLD, blocks, cyclic);
    CHECK_THROWS_AS(first(nothing), bmmc::bad_value);
    CHECK_THROWS_AS(first(nothing, target), bmmc::bad_value);
    CHECK_THROWS_AS(first.start(nothing), bmmc::bad_value);
    auto second = std::move(first);
    CHECK_THROWS_WITH(first(chunk), moved("this redistributor"));  // NOLINT
    CHECK_THROWS_WITH(first.start(chunk, target), moved("this redistributor"));
    CHECK(first.choice().empty());
    first.wait();
    auto set = bmmc::make_redistributor_set<index_t, index_t>(MPI_COMM_WORLD, blocks, cyclic, {0});
    CHECK_THROWS_AS(set({chunk, nothing}), bmmc::bad_value);
    auto other = std::move(set);
    CHECK_THROWS_WITH(set({chunk, target}), moved("this set"));  // NOLINT
    set.wait();
    CHECK(set.test());
  }
  {
    const bmmc::array_layout rows{std::array{bmmc::axis::blocks(n, procs)}},
        cyclic{std::array{bmmc::axis::cyclic(n, procs)}};
    auto first = bmmc::make_redistributor<index_t>(MPI_COMM_WORLD, bmmc::as_grid(rows),
                                                   bmmc::as_grid(cyclic));
    CHECK_THROWS_AS(first(nothing), bmmc::bad_value);
    CHECK_THROWS_AS(first(nothing, target), bmmc::bad_value);
    auto second = std::move(first);
    CHECK_THROWS_WITH(first(chunk), moved("this redistributor"));  // NOLINT
    CHECK_THROWS_WITH(first.start(chunk, target), moved("this redistributor"));
  }
  CHECK(chunk == untouched);
}

TEST_CASE("what was started and not waited for leaves the data as it was", "[mpi]") {
  const unsigned n = cases::proc_bits() + 6;
  const auto p = sample(n);
  auto chunk = before<index_t>(n);
  const auto untouched = chunk;
  std::vector<index_t> target(chunk.size(), 7);
  {
    auto permute = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, p);
    permute.start(chunk);
  }
  CHECK(chunk == untouched);
  {
    auto permute = bmmc::make_permuter<index_t>(MPI_COMM_WORLD, p);
    permute.start(chunk, target);
  }
  CHECK(target == std::vector<index_t>(chunk.size(), 7));
}
