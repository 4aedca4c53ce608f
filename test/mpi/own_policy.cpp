// SPDX-License-Identifier: BSL-1.0

// The policy that the guide writes, taken from its page as it stands there, carries out all that
// the library moves: permutations, affine or not, gather and reduce, arrays from grid to grid, of
// elements of all three kinds.

#include <random>

#include "mpi/dealt.hpp"
#include "support/catch.hpp"
#include "support/grid_cases.hpp"

#include "guide_policy.inc"

namespace {

namespace element = bmmc::element;
namespace layout = bmmc::layout;
using bmmc::index_t;
using dealt::list, dealt::part, dealt::start, dealt::inverse_of;

bool is_power_of_two() { return (dealt::procs() & (dealt::procs() - 1)) == 0; }

/// The same, and tells how often it was called, and that processes must agree on `number`.
struct counted : all_at_once {
  int* calls = nullptr;
  std::uint64_t number = 0;
  void move(bmmc::comm::exchange const& e, void const* source, void* target) const {
    ++*calls;
    all_at_once::move(e, source, target);
  }
  [[nodiscard]] std::uint64_t settings() const { return number; }
};

static_assert(bmmc::comm::MapPolicy<counted> && bmmc::comm::RaggedPolicy<counted>);
static_assert(bmmc::comm::GridPolicy<counted> && bmmc::comm::GridPolicy<bmmc::comm::alltoallv>);
static_assert(!bmmc::comm::RaggedPolicy<bmmc::comm::sendrecv_replace>);
static_assert(!bmmc::comm::RaggedPolicy<bmmc::comm::within_budget>);
static_assert(!bmmc::comm::GridPolicy<bmmc::comm::sendrecv_replace>);
static_assert(!bmmc::comm::GridPolicy<bmmc::comm::within_budget>);
static_assert(!bmmc::comm::GridPolicy<bmmc::comm::bitonic>);

struct larger {
  template <class T>
  T operator()(T const& a, T const& b) const {
    return a < b ? b : a;
  }
};

/// What a map reads for each of its indices.
list images_of(auto const& map, unsigned bits) {
  list images;
  for (index_t x = 0; x < index_t{1} << bits; ++x) images.push_back(map(x));
  return images;
}
bmmc::affine_map random_map(unsigned rows, unsigned cols) {
  std::mt19937_64 random(rows * 100 + cols);
  bmmc::affine_map map{bmmc::bit_matrix<>(rows, cols), 5};
  for (unsigned j = 0; j < cols; ++j) map.matrix.column[j] = random() % (index_t{1} << rows);
  map.matrix.column[0] = map.matrix.column[cols - 1];  // not injective
  return map;
}

template <class T, class Element>
void check_permutations() {
  using expected = std::vector<T>;
  int calls = 0;
  const counted policy{{}, &calls};
  const auto check = [&](list const& targets, auto permute) {
    const auto source = cases::elements<T>(start(targets.size()));
    const expected after = cases::elements<T>(part(inverse_of(targets)));
    auto chunk = source;
    permute(std::span<T>(chunk));
    CHECK(chunk == after);
    expected other(source.size());
    permute(std::span<T const>(source), std::span<T>(other));
    CHECK(other == after);
    CHECK(calls == 2);
    calls = 0;
  };
  std::mt19937_64 random(7);
  list shuffled(75);
  for (index_t x = 0; x < shuffled.size(); ++x) shuffled[x] = x * 31 % 75;  // 31 and 75 are coprime
  std::shuffle(shuffled.begin(), shuffled.begin() + 50, random);
  const auto mine = part(shuffled);
  check(shuffled, [&](auto... spans) {
    bmmc::permute<T, counted, Element>(MPI_COMM_WORLD, spans..., bmmc::target_list{mine}, policy);
  });
  const bmmc::stride_permutation stride(90, 7, 3);
  list strided;
  for (index_t x = 0; x < 90; ++x) strided.push_back((7 * x + 3) % 90);
  check(strided, [&](auto... spans) {
    bmmc::permute<T, counted, Element>(MPI_COMM_WORLD, spans..., stride, policy);
  });
  if (!is_power_of_two()) return;
  const auto p = bmmc::random_permutation(7, random);
  const auto targets = images_of(p, 7);
  check(targets, [&](auto... spans) {
    bmmc::permute<T, counted, layout::processor_major, Element>(MPI_COMM_WORLD, spans..., p, {},
                                                                policy);
  });
  check(targets, [&](auto... spans) {
    bmmc::permute<T, counted, Element>(MPI_COMM_WORLD, spans..., bmmc::as_bijection(p), policy);
  });
  bmmc::permuter<T, counted, layout::processor_major, Element> kept(MPI_COMM_WORLD, p, {}, policy);
  check(targets, [&](auto... spans) { kept(spans...); });
}

template <class T, class Element>
void check_maps() {
  int calls = 0;
  const counted policy{{}, &calls};
  const auto map = random_map(6, 7);
  const auto images = images_of(map, 7);
  list all(64);
  std::iota(all.begin(), all.end(), index_t{0});
  const auto source = cases::elements<T>(part(all));
  std::vector<T> gathered(images.size() / dealt::procs());
  bmmc::gather<T, counted, layout::processor_major, Element>(MPI_COMM_WORLD, source, gathered, map,
                                                             {}, policy);
  CHECK(gathered == cases::elements<T>(part(images)));
  CHECK(calls == 1);

  std::vector<char> is_reached(64, 0);
  std::vector<T> largest(64);
  for (index_t x = 0; x < images.size(); ++x) {
    const T one = cases::element<T>(x);
    largest[images[x]] = is_reached[images[x]] != 0 ? larger()(largest[images[x]], one) : one;
    is_reached[images[x]] = 1;
  }
  list wide(128);
  std::iota(wide.begin(), wide.end(), index_t{0});
  std::vector<T> reduced(64 / dealt::procs()), expected;
  bmmc::reduce<T, larger, counted, layout::processor_major, Element>(
      MPI_COMM_WORLD, cases::elements<T>(part(wide)), reduced, map, {}, {}, policy);
  for (const index_t y : part(all)) expected.push_back(largest[y]);
  CHECK(reduced == expected);
  CHECK(calls == 2);
}

/// Arrays of random extents, from one random grid to another, their axes permuted.
template <class T, class Element>
void check_grids() {
  std::mt19937_64 random(11);
  const std::vector<std::pair<list, std::vector<unsigned>>> arrays{
      {{13, 9}, {1, 0}}, {{6, 5, 7}, {2, 0, 1}}, {{31}, {0}}, {{4, 1, 10}, {0, 1, 2}}};
  for (auto const& [extents, axes] : arrays) {
    list permuted;
    for (const unsigned axis : axes) permuted.push_back(extents[axis]);
    const auto from = oracle::random_array(extents, dealt::procs(), random);
    const auto to = oracle::random_array(permuted, dealt::procs(), random);
    const auto targets = oracle::targets_of_axes(extents, axes);
    list all(targets.size());
    std::iota(all.begin(), all.end(), index_t{0});
    const auto me = static_cast<std::size_t>(cases::proc());
    const auto source = cases::elements<T>(oracle::chunks(from, all, dealt::procs())[me]);
    const auto after =
        cases::elements<T>(oracle::chunks(to, inverse_of(targets), dealt::procs())[me]);
    const auto a = cases::layout_of(from), b = cases::layout_of(to);
    int calls = 0;
    const counted policy{{}, &calls};
    bmmc::redistributor<T, counted, Element> kept(MPI_COMM_WORLD, a, b, bmmc::axis_order(axes),
                                                  policy);
    for (int call = 0; call < 2; ++call) {
      auto chunk = source;
      chunk.resize(std::max(source.size(), after.size()));
      kept(chunk);
      chunk.resize(after.size());
      CHECK(chunk == after);
      std::vector<T> other(after.size());
      kept(source, other);
      CHECK(other == after);
    }
    CHECK(calls == 4);
  }
}

}  // namespace

TEST_CASE("the guide's policy brings arrays of elements of all kinds from grid to grid",
          "[own_policy]") {
  check_grids<index_t, element::bytes>();
  check_grids<double, element::native>();
  check_grids<std::string, element::serialized>();
}

TEST_CASE("the guide's policy deals out what one process has, and brings it back", "[own_policy]") {
  const index_t each = 10, all = each * static_cast<index_t>(dealt::procs()),
                me = static_cast<index_t>(cases::proc());
  const bmmc::grid_layout one{bmmc::grid_axis::blocks(all, 1)};
  const bmmc::grid_layout blocks{bmmc::grid_axis::blocks(all, all / each)};
  std::vector<index_t> whole(me == 0 ? all : 0), mine(each), expected(each);
  std::iota(whole.begin(), whole.end(), index_t{0});
  std::iota(expected.begin(), expected.end(), each * me);
  int calls = 0;
  const counted policy{{}, &calls};
  const bmmc::axis_order order{0};
  const std::vector<index_t> before = whole;
  bmmc::redistributor<index_t, counted>(MPI_COMM_WORLD, one, blocks, order, policy)(whole, mine);
  CHECK(mine == expected);
  std::fill(whole.begin(), whole.end(), all);
  bmmc::redistributor<index_t, counted>(MPI_COMM_WORLD, blocks, one, order, policy)(mine, whole);
  CHECK(whole == before);
  CHECK(calls == 2);
}

TEST_CASE("the guide's policy permutes elements of all kinds", "[own_policy]") {
  check_permutations<index_t, element::bytes>();
  check_permutations<double, element::native>();
  check_permutations<std::string, element::serialized>();
}

TEST_CASE("the guide's policy gathers and reduces elements of all kinds", "[own_policy]") {
  if (!is_power_of_two()) return;
  check_maps<index_t, element::bytes>();
  check_maps<double, element::native>();
  check_maps<std::string, element::serialized>();
}

TEST_CASE("processes that differ in the settings of a user's own policy all throw",
          "[own_policy]") {
  int calls = 0;
  const counted policy{{}, &calls, static_cast<std::uint64_t>(cases::proc())};
  auto chunk = start(75);
  const auto mine = chunk;
  const auto text = agreed::agreed_text(
      [&] { bmmc::permute<index_t>(MPI_COMM_WORLD, chunk, bmmc::target_list{mine}, policy); });
  CHECK(text.find("settings of the policy") != std::string::npos);
  CHECK(calls == 0);
  CHECK(chunk == mine);
}
