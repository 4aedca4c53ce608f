// SPDX-License-Identifier: BSL-1.0

// Every bad value: the same exception on every process, no hang, no byte changed. Each of these
// tests ends with a permutation that works, which a process left behind would not reach.

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/fragile.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::bad_value;
using bmmc::permutation;
namespace comm = bmmc::comm;

using agreed::agreed_text;
using agreed::holds;
using agreed::procs;

bool is_power_of_two() { return (procs() & (procs() - 1)) == 0; }

void still_works() {
  const unsigned n = cases::proc_bits() + 2;
  CHECK(cases::fault<int, comm::sendrecv>(bmmc::bit_reversal(n), 0, 0) == "");
}

}  // namespace

TEST_CASE("a number of processes that is no power of two", "[mpi]") {
  if (is_power_of_two()) return;
  std::vector<int> chunk(8, 5);
  const auto text =
      agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::shuffle(5)); });
  CHECK(holds(text, "power of two, not " + std::to_string(procs())));
  CHECK(chunk == std::vector<int>(8, 5));
}

TEST_CASE("bad values are agreed upon and change nothing", "[mpi]") {
  if (!is_power_of_two()) return;
  const unsigned p = cases::proc_bits(), n = p + 3;
  const int last = procs() - 1;
  std::vector<int> chunk(8, cases::proc());
  const auto untouched = chunk;

  SECTION("more processes than elements") {
    if (p == 0) return;
    std::vector<int> one(1);
    CHECK(holds(agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, one, bmmc::shuffle(p - 1)); }),
                "cannot be spread over 2^" + std::to_string(p)));
  }
  SECTION("a chunk of the wrong length on every process") {
    CHECK(
        holds(agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::shuffle(n + 1)); }),
              "must hold 16 elements, not 8: the permutation is of 2^" + std::to_string(n + 1) +
                  " elements, on "));
  }
  SECTION("a chunk of the wrong length on one process") {
    if (cases::proc() == last) chunk.resize(7);
    CHECK(holds(agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::shuffle(n)); }),
                "process " + std::to_string(last) + ": the chunk must hold 8 elements, not 7"));
    chunk = untouched;
  }
  SECTION("another matrix on one process") {
    if (p == 0) return;
    const auto mine = cases::proc() == last ? bmmc::unshuffle(n) : bmmc::shuffle(n);
    const auto text = agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, mine); });
    CHECK(holds(text, "disagree on the permutation or the layout"));
    CHECK(holds(text, "process " + std::to_string(last) + " has another than process 0"));
  }
  SECTION("another complement on one process") {
    if (p == 0) return;
    const auto mine = cases::proc() == 0 ? bmmc::flip(n, 1) : bmmc::flip(n, 2);
    CHECK(holds(agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, mine); }), "disagree"));
  }
  SECTION("another layout on one process") {
    if (p == 0) return;
    const cases::any_layout mine{cases::proc() == last ? 1 : 0};
    CHECK(holds(
        agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::gray_encode(n), mine); }),
        "disagree"));
  }
  SECTION("another number of bits on one process") {
    if (p == 0) return;
    std::vector<int> mine(cases::proc() == 0 ? 16 : 8);
    CHECK(holds(agreed_text([&] {
                  bmmc::permute<int>(MPI_COMM_WORLD, mine,
                                     bmmc::shuffle(cases::proc() == 0 ? n + 1 : n));
                }),
                "disagree on the number of index bits"));
  }
  SECTION("elements of another size on one process") {
    if (p == 0) return;
    const auto text = agreed_text([&] {
      std::vector<double> wide(8);
      if (cases::proc() == last)
        bmmc::permute<double>(MPI_COMM_WORLD, wide, bmmc::shuffle(n));
      else
        bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::shuffle(n));
    });
    CHECK(holds(
        text, "bytes of an element: process " + std::to_string(last) + " has 8, process 0 has 4"));
  }
  SECTION("a policy with other settings on one process") {
    if (p == 0) return;
    const comm::pipelined mine{cases::proc() == last ? 64U : 128U, 2};
    CHECK(holds(
        agreed_text([&] { bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::shuffle(n), {}, mine); }),
        "disagree on the settings of the policy"));
  }
  SECTION("a node of three processes") {
    comm::shared_window three;
    three.processes_per_node = 3;
    CHECK(holds(agreed_text([&] {
                  bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::shuffle(n), {}, three);
                }),
                "a node must have a power of two"));
  }
  SECTION("shared vectors of other lengths") {
    if (p == 0) return;
    CHECK(holds(agreed_text([&] {
                  bmmc::shared_vector<int>(MPI_COMM_WORLD, cases::proc() == last ? 8U : 16U);
                }),
                "disagree on the number of elements"));
  }
  SECTION("shared vectors of more bytes than memory can have") {
    CHECK(holds(agreed_text([] { bmmc::shared_vector<int>(MPI_COMM_WORLD, bmmc::bit(62)); }),
                "4611686018427387904 elements of 4 bytes"));
  }
  SECTION("spans that overlap on one process") {
    std::vector<int> both(16, 3);
    const std::span<int> all(both);
    const auto target = all.subspan(cases::proc() == 0 ? 7 : 8, 8);
    CHECK(holds(agreed_text([&] {
                  bmmc::permute<int>(MPI_COMM_WORLD, all.first(8), target, bmmc::shuffle(n));
                }),
                "process 0: source and target overlap"));
    CHECK(both == std::vector<int>(16, 3));
  }
  SECTION("a layout that does not fit") {
    CHECK(holds(agreed_text([&] {
                  bmmc::permute<int>(MPI_COMM_WORLD, chunk, bmmc::shuffle(n),
                                     bmmc::layout::banded(4));
                }),
                "do not fit into " + std::to_string(n) + " bits"));
  }
  SECTION("a workspace that is too small on one process") {
    std::vector<int> lent(cases::proc() == last ? 3 : 16);
    CHECK(holds(agreed_text([&] {
                  (void)bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::bit_reversal(n), {},
                                                 comm::sendrecv{}, {.lent = lent});
                }),
                "process " + std::to_string(last) + ": the workspace lent must hold"));
  }
  SECTION("a singular matrix") {  // refused where the permutation is made
    CHECK_COMPLAINS(
        bmmc::singular_matrix,
        bmmc::permute<int>(MPI_COMM_WORLD, chunk, permutation<>(bmmc::bit_matrix<>(n, n))),
        "rank 0", std::to_string(n) + " bits");
  }
  CHECK(chunk == untouched);
  still_works();
}

TEST_CASE("bad spans in a repeated call are found by each process for itself", "[mpi]") {
  if (!is_power_of_two()) return;
  const unsigned n = cases::proc_bits() + 3;
  auto permute = bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::bit_reversal(n));
  std::vector<int> both(16, 3);
  const std::span<int> all(both);
  CHECK_COMPLAINS(bad_value, permute(all), "8 elements, not 16");
  CHECK_COMPLAINS(bad_value, permute(all.first(8), all.subspan(7, 8)), "overlap");
  CHECK_COMPLAINS(bad_value, permute(all.first(8), all.last(7)), "8 and 7");
  CHECK(both == std::vector<int>(16, 3));
  auto borrowing = bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::bit_reversal(n), {},
                                            comm::sendrecv{}, {.lent = all});
  CHECK_COMPLAINS(bad_value, borrowing(all.first(8)), "overlaps the workspace");
  auto between =
      bmmc::make_permuter<int>(MPI_COMM_WORLD, bmmc::bit_reversal(n), {}, comm::sendrecv{},
                               {.kind = bmmc::call_kind::between_spans});
  CHECK_COMPLAINS(bad_value, between(all.first(8)), "calls of the other kind");
  CHECK(both == std::vector<int>(16, 3));
  still_works();
}

TEST_CASE("arrays of a permuter_set that overlap are found by each process", "[mpi]") {
  if (!is_power_of_two()) return;
  const unsigned n = cases::proc_bits() + 3;
  std::vector<double> numbers(16, 3);
  std::vector<int> integers(8, 5);
  const std::span<double> all(numbers);
  auto permute = bmmc::make_permuter_set<double, int, double>(MPI_COMM_WORLD, bmmc::shuffle(n));
  const std::span inside(reinterpret_cast<int*>(all.subspan(4).data()), 8);
  CHECK_COMPLAINS(bad_value, permute({all.first(8), integers, all.subspan(7, 8)}),
                  "arrays 0 and 2 overlap");
  CHECK_COMPLAINS(bad_value, permute({all.first(8), integers, all.first(8)}),
                  "arrays 0 and 2 overlap");
  CHECK_COMPLAINS(bad_value, permute({all.first(8), inside, all.last(8)}),
                  "arrays 0 and 1 overlap");
  permute({all.first(8), integers, all.last(8)});
  CHECK(numbers == std::vector<double>(16, 3));
}

TEST_CASE("arrays of a redistributor_set that overlap, and rows in the gaps of others", "[mpi]") {
  using bmmc::grid_axis;
  std::vector<double> numbers(16, 3);
  const std::span<double> all(numbers);
  const auto procs = static_cast<bmmc::index_t>(agreed::procs());
  auto move = bmmc::make_redistributor_set<double, double>(
      MPI_COMM_WORLD, {grid_axis::blocks(8 * procs, procs)}, {grid_axis::cyclic(8 * procs, procs)},
      {0});
  CHECK_COMPLAINS(bad_value, move({all.first(8), all.subspan(7, 8)}), "arrays 0 and 1 overlap");
  move({all.first(8), all.last(8)});
  CHECK(numbers == std::vector<double>(16, 3));

  // rows of 4 elements of each array lie in the gaps of the other
  const auto apart = [&](grid_axis const& rows) {
    return bmmc::grid_layout{rows, grid_axis::local(4)}.with_row_stride(8);
  };
  auto interleaved = bmmc::make_redistributor_set<double, double>(
      MPI_COMM_WORLD, apart(grid_axis::blocks(2 * procs, procs)),
      apart(grid_axis::cyclic(2 * procs, procs)), {0, 1});
  const auto me = static_cast<std::size_t>(cases::proc());
  for (std::size_t i = 0; i < 16; ++i)
    numbers[i] = static_cast<double>(100 * (i % 8) + 2 * me + i / 8);
  interleaved({all.first(12), all.subspan(4, 12)});
  for (std::size_t i = 0; i < 16; ++i)
    CHECK(numbers[i] == static_cast<double>(100 * (i % 8) + me + i / 8 * procs));
}

TEST_CASE("an element that cannot be serialized on one process", "[mpi]") {
  if (!is_power_of_two() || cases::proc_bits() == 0) return;
  const unsigned n = cases::proc_bits() + 2;
  std::vector<fragile> chunk(4, fragile{"whole"});
  if (cases::proc() == 1) chunk[2].text = "broken";
  const auto untouched = chunk;
  CHECK(holds(
      agreed_text([&] { bmmc::permute<fragile>(MPI_COMM_WORLD, chunk, bmmc::bit_reversal(n)); }),
      "process 1: an element cannot be serialized: this one is broken"));
  CHECK(chunk == untouched);
  chunk.assign(4, fragile{"whole"});
  bmmc::permute<fragile>(MPI_COMM_WORLD, chunk, bmmc::bit_reversal(n));
  still_works();
}

TEST_CASE("communicators that cannot be used", "[mpi]") {
  std::vector<int> chunk(8);
  CHECK_COMPLAINS(bad_value, bmmc::permute<int>(MPI_COMM_NULL, chunk, bmmc::shuffle(3)),
                  "MPI_COMM_NULL");
}

namespace {
/// Sends half of what it should: a message cut short on its way.
struct short_messages {
  void move(comm::exchange const& e, void const* source, void* target) const {
    MPI_Status status;
    const int code =
        MPI_Sendrecv(source, static_cast<int>(e.block_bytes() / 2), MPI_BYTE, e.target(0), 0,
                     target, 1, e.block_type(), e.source(0), 0, e.comm(), &status);
    e.check(code, "MPI_Sendrecv", 0, status, e.block_type());
  }
};
}  // namespace

TEST_CASE("a transport that fails names routine and partners", "[mpi]") {
  if (!is_power_of_two() || cases::proc_bits() == 0) return;
  const unsigned n = cases::proc_bits() + 3;
  std::vector<int> chunk(8);
  const auto rename = bmmc::flip(n, n - 1);
  const std::string partner = std::to_string(cases::proc() ^ (1 << (cases::proc_bits() - 1)));
  const cases::own_world world;
  CHECK_COMPLAINS(bmmc::transport_error,
                  bmmc::permute<int>(world, chunk, rename, {}, short_messages{}), "MPI_Sendrecv",
                  "short message", "from " + partner);
  CHECK_COMPLAINS(bmmc::transport_error, comm::check(MPI_ERR_RANK, "MPI_Send"),
                  "MPI_Send failed: ");
  still_works();
}
