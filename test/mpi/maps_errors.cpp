// SPDX-License-Identifier: BSL-1.0

// Bad values of gather and reduce: the same exception on every process, no byte changed. Each test
// ends with a call that works, which a process left behind would not reach.

#include <bmmc/gather.hpp>
#include <bmmc/reduce.hpp>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/fragile.hpp"
#include "mpi/policies.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using agreed::agreed_text;
using agreed::holds;
using agreed::procs;
using bmmc::bad_value;

bool is_power_of_two() { return (procs() & (procs() - 1)) == 0; }

/// What both calls, with source and target in each other's place, say by one policy.
template <class Comm>
std::string texts_of(std::vector<int>& image, std::vector<int>& domain, bmmc::affine_map const& map,
                     auto const& layout, Comm const& policy = {}) {
  const auto gathered =
      agreed_text([&] { bmmc::gather<int>(MPI_COMM_WORLD, image, domain, map, layout, policy); });
  const auto added = agreed_text([&] {
    bmmc::reduce<int>(MPI_COMM_WORLD, domain, image, map, std::plus<>(), layout, policy);
  });
  CHECK_FALSE(gathered.empty());
  CHECK_FALSE(added.empty());
  return gathered + "; " + added;
}
/// What they say by all.
std::string both_texts(std::vector<int>& image, std::vector<int>& domain,
                       bmmc::affine_map const& map, auto const& layout) {
  const auto text = texts_of<bmmc::comm::automatic>(image, domain, map, layout);
  CHECK(texts_of<bmmc::comm::sendrecv>(image, domain, map, layout) == text);
  CHECK(texts_of<bmmc::comm::alltoallv>(image, domain, map, layout) == text);
  CHECK(texts_of<bmmc::comm::pipelined>(image, domain, map, layout) == text);
  CHECK(texts_of<bmmc::comm::shared_window>(image, domain, map, layout) == text);
  CHECK(texts_of<nodes_of_two>(image, domain, map, layout) == text);
  return text;
}
std::string both_texts(std::vector<int>& image, std::vector<int>& domain,
                       bmmc::affine_map const& map) {
  return both_texts(image, domain, map, bmmc::layout::processor_major{});
}

void still_works() {
  const unsigned p = cases::proc_bits();
  const auto map = bmmc::drop_bits(p + 3, 0, 2);
  std::vector<int> whole(8, 1), sums(2, -1);
  bmmc::reduce<int>(MPI_COMM_WORLD, whole, sums, map);
  CHECK(sums == std::vector<int>(2, 4));
  bmmc::gather<int>(MPI_COMM_WORLD, sums, whole, map);
  CHECK(whole == std::vector<int>(8, 4));
}

}  // namespace

TEST_CASE("maps on a number of processes that is no power of two", "[maps]") {
  if (is_power_of_two()) return;
  std::vector<int> image(8, 5), domain(8, 6);
  const auto text = both_texts(image, domain, bmmc::drop_bits(5, 0, 0));
  CHECK(holds(text, "power of two, not " + std::to_string(procs())));
  CHECK(image == std::vector<int>(8, 5));
  CHECK(domain == std::vector<int>(8, 6));
}

TEST_CASE("bad values of gather and reduce are agreed upon and change nothing", "[maps]") {
  if (!is_power_of_two()) return;
  const unsigned p = cases::proc_bits(), n = p + 1, m = p + 3;
  const int last = procs() - 1;
  const bool is_last = cases::proc() == last;
  const auto map = bmmc::drop_bits(m, 0, 2);  // 2 image and 8 domain elements on each process
  std::vector<int> image(2, 1), domain(8, 2);
  const std::string at_last = "process " + std::to_string(last) + ": ";

  SECTION("more processes than elements on one side") {
    if (p == 0) return;
    CHECK(holds(
        both_texts(image, domain, bmmc::drop_bits(m, 0, 4)),
        "2^" + std::to_string(p - 1) + " elements cannot be spread over 2^" + std::to_string(p)));
  }
  SECTION("an image of the wrong length on one process") {
    if (is_last) image.resize(3, 1);
    const auto text = both_texts(image, domain, map);
    CHECK(holds(text, at_last + "the source must hold 2 elements and the target 8, not 3 and 8"));
    CHECK(holds(text, at_last + "the source must hold 8 elements and the target 2, not 8 and 3"));
    image.resize(2);
  }
  SECTION("a domain of the wrong length on all") {
    CHECK(holds(both_texts(image, domain, bmmc::drop_bits(m + 1, 0, 3)),
                "the target 16, not 2 and 8"));
  }
  SECTION("a map with its sides exchanged") {
    CHECK(holds(both_texts(image, domain, {transposed(map.matrix), 0}),
                "must hold 8 elements and the target 2, not 2 and 8"));
  }
  SECTION("another matrix on one process") {
    if (p == 0) return;
    const auto mine = is_last ? bmmc::drop_bits(m, 1, 2) : map;
    const auto text = both_texts(image, domain, mine);
    CHECK(holds(text, "disagree on the map and layout: process " + std::to_string(last)));
  }
  SECTION("another offset, another layout, another shape on one process") {
    if (p == 0) return;
    auto moved = map;
    if (is_last) moved.complement = 1;
    CHECK(holds(both_texts(image, domain, moved), "disagree on the map and layout"));
    CHECK(holds(both_texts(image, domain, map, cases::any_layout{is_last ? 1 : 0}),
                "disagree on the map and layout"));
    std::vector<int> larger(is_last ? 16 : 8, 3);
    const auto text =
        both_texts(image, larger, bmmc::drop_bits(is_last ? m + 1 : m, 0, is_last ? 3 : 2));
    const std::string who = ": process " + std::to_string(last) + " has 16, process 0 has 8";
    CHECK(holds(text, "disagree on the target elements of a process" + who));
    CHECK(holds(text, "disagree on the source elements of a process" + who));
  }
  SECTION("another setting of a policy on one process") {
    if (p == 0) return;
    const auto differ = [&](auto usual, auto other) {
      const auto text =
          texts_of(image, domain, map, bmmc::layout::processor_major{}, is_last ? other : usual);
      CHECK(holds(text, "disagree on the settings of the policy: process " + std::to_string(last)));
    };
    bmmc::comm::shared_window alone;
    alone.processes_per_node = 1;
    differ(bmmc::comm::shared_window(), alone);
    differ(bmmc::comm::pipelined(), bmmc::comm::pipelined{0, 3});
    bmmc::comm::automatic informed;
    informed.costs.emplace();
    differ(bmmc::comm::automatic(), informed);
  }
  SECTION("nodes that the processes cannot be dealt out to") {
    bmmc::comm::shared_window odd;
    odd.processes_per_node = 3;
    CHECK(holds(texts_of(image, domain, map, bmmc::layout::processor_major{}, odd),
                "a node must have a power of two"));
  }
  SECTION("elements of another size on one process") {
    if (p == 0) return;
    const auto text = agreed_text([&] {
      std::vector<double> wide_image(2), wide_domain(8);
      if (is_last)
        bmmc::gather<double>(MPI_COMM_WORLD, wide_image, wide_domain, map);
      else
        bmmc::gather<int>(MPI_COMM_WORLD, image, domain, map);
    });
    CHECK(holds(text, "bytes of an element"));
  }
  SECTION("spans that overlap on one process") {
    std::vector<int> both(12, 3);
    const std::span<int> all(both);
    const auto source = all.subspan(is_last ? 7 : 8, 2);
    CHECK(holds(agreed_text([&] { bmmc::gather<int>(MPI_COMM_WORLD, source, all.first(8), map); }),
                at_last + "source and target overlap"));
    CHECK(both == std::vector<int>(12, 3));
  }
  SECTION("a map that is none") {
    auto wrong = map;
    wrong.complement = bmmc::bit(n);
    CHECK(holds(both_texts(image, domain, wrong), "has more than " + std::to_string(n) + " bits"));
    CHECK(holds(both_texts(image, domain, {bmmc::bit_matrix<>(64, 1), 0}), "at most 63 bits"));
  }
  SECTION("a layout that does not fit one side") {
    CHECK(holds(both_texts(image, domain, map, bmmc::layout::banded(2)),
                "do not fit into " + std::to_string(n) + " bits"));
  }
  CHECK(image == std::vector<int>(2, 1));
  CHECK(domain == std::vector<int>(8, 2));
  still_works();
}

TEST_CASE("bad spans in a repeated call of a kept map", "[maps]") {
  if (!is_power_of_two()) return;
  const unsigned m = cases::proc_bits() + 3;
  auto gather = bmmc::make_gatherer<int>(MPI_COMM_WORLD, bmmc::drop_bits(m, 0, 2));
  auto reduce = bmmc::make_reducer<int>(MPI_COMM_WORLD, bmmc::drop_bits(m, 0, 2));
  std::vector<int> both(16, 3);
  const std::span<int> all(both);
  CHECK_COMPLAINS(bad_value, gather(all.first(3), all.last(8)), "2 elements", "not 3 and 8");
  CHECK_COMPLAINS(bad_value, reduce(all.last(8), all.first(1)), "8 elements", "not 8 and 1");
  CHECK_COMPLAINS(bad_value, reduce(all.last(8), all.subspan(7, 2)), "overlap");
  CHECK(both == std::vector<int>(16, 3));
  still_works();
}

TEST_CASE("an element of a map that cannot be serialized on one process", "[maps]") {
  if (!is_power_of_two() || cases::proc_bits() == 0) return;
  const unsigned n = cases::proc_bits() + 1;
  auto map = bmmc::as_map(bmmc::bit_reversal(n));
  std::vector<fragile> source(2, fragile{"whole"}), target(2, fragile{"old"});
  if (cases::proc() == 1) source[1].text = "broken";
  const auto untouched = target;
  CHECK(holds(agreed_text([&] { bmmc::gather<fragile>(MPI_COMM_WORLD, source, target, map); }),
              "process 1: an element cannot be serialized: this one is broken"));
  CHECK(target == untouched);
  map.matrix.column[0] = 0;  // so that some places are reached by nothing
  const auto same = [](fragile const& a, fragile const&) { return a; };
  const auto add = [&] { bmmc::reduce<fragile>(MPI_COMM_WORLD, source, target, map, same); };
  source[0].text = "broken";
  CHECK(holds(agreed_text(add), "an element cannot be serialized: this one is broken"));
  CHECK(target == untouched);
  source.assign(2, fragile{"whole"});
  add();
  still_works();
}

TEST_CASE("an operation that throws for serialized elements on one process", "[maps]") {
  if (!is_power_of_two() || cases::proc_bits() == 0) return;
  const unsigned m = cases::proc_bits() + 3;
  std::vector<std::string> source(8, "one"), target(2, "old");
  const auto add = [](std::string const& a, std::string const& b) {
    if (cases::proc() == 1) throw std::runtime_error("no sum today");
    return a + b;
  };
  CHECK(holds(agreed_text([&] {
                bmmc::reduce<std::string>(MPI_COMM_WORLD, source, target,
                                          bmmc::drop_bits(m, m - 2, 2), add);
              }),
              "process 1: no sum today"));
  const auto stays = bmmc::drop_bits(m, 0, 2);
  CHECK(holds(
      agreed_text([&] { bmmc::reduce<std::string>(MPI_COMM_WORLD, source, target, stays, add); }),
      "process 1: no sum today"));
  std::string alone;  // where nothing travels nobody waits for bytes
  std::vector<int> numbers(8, 1), sums(2);
  try {
    bmmc::reduce<int>(MPI_COMM_WORLD, numbers, sums, stays, [](int a, int b) {
      if (cases::proc() == 1) throw std::runtime_error("no sum today");
      return a + b;
    });
  } catch (std::runtime_error const& error) {
    alone = error.what();
  }
  CHECK(alone == (cases::proc() == 1 ? "no sum today" : ""));
  still_works();
}

TEST_CASE("communicators that cannot carry a map", "[maps]") {
  std::vector<int> image(8), domain(8);
  CHECK_COMPLAINS(bad_value,
                  bmmc::gather<int>(MPI_COMM_NULL, image, domain, bmmc::drop_bits(3, 0, 0)),
                  "MPI_COMM_NULL");
}
