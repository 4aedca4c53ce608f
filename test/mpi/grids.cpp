// SPDX-License-Identifier: BSL-1.0

// Arrays of any extents from one grid of processes to another, against positions dealt out like
// cards.

#include <algorithm>
#include <random>

#include "mpi/agreed.hpp"
#include "mpi/cases.hpp"
#include "mpi/counting.hpp"
#include "support/catch.hpp"
#include "support/grid_cases.hpp"
#include "support/some_of.hpp"

namespace {

namespace comm = bmmc::comm;
namespace element = bmmc::element;
using bmmc::axis_order;
using bmmc::call_kind;
using bmmc::grid_axis;
using bmmc::grid_layout;
using bmmc::index_t;
using list = oracle::positions;

index_t procs() { return static_cast<index_t>(agreed::procs()); }
index_t me() { return static_cast<index_t>(cases::proc()); }

/// An array that goes from one description to another, and what this process holds: without gaps,
/// its elements known by their source index.
struct movement {
  oracle::array from, to;
  std::vector<unsigned> axes;
  list before, after;
  std::vector<list> all_after;

  movement(oracle::array const& a, oracle::array const& b, std::vector<unsigned> const& order)
      : from(a), to(b), axes(order) {
    const auto targets = oracle::targets_of_axes(from.extents(), axes);
    list all(targets.size()), sources(targets.size());
    for (index_t x = 0; x < targets.size(); ++x) sources[targets[x]] = all[x] = x;
    for (index_t x = 0; x < targets.size(); ++x) sources[targets[x]] = x;
    before = oracle::chunks(from, all, procs())[me()];
    all_after = oracle::chunks(to, sources, procs());
    after = all_after[me()];
  }
  static movement random(list const& extents, std::vector<unsigned> const& axes,
                         std::mt19937_64& random) {
    list permuted;
    for (const unsigned axis : axes) permuted.push_back(extents[axis]);
    const auto a = oracle::random_array(extents, procs(), random);
    return {a, oracle::random_array(permuted, procs(), random), axes};
  }
  [[nodiscard]] grid_layout source() const { return cases::layout_of(from); }
  [[nodiscard]] grid_layout target() const { return cases::layout_of(to); }
  [[nodiscard]] axis_order order() const { return axis_order(axes); }
};

/// The same elements with rows of `row` elements that start `stride` apart.
template <class T>
std::vector<T> apart(std::vector<T> const& dense, index_t row, index_t stride, T const& gap) {
  std::vector<T> all;
  for (index_t i = 0; i < dense.size(); ++i) {
    if (i != 0 && i % row == 0) all.insert(all.end(), stride - row, gap);
    all.push_back(dense[i]);
  }
  return all;
}

template <class T, class Comm, class Element = element::default_for<T>>
std::string fault(movement const& m) {
  const auto before = cases::elements<T>(m.before), after = cases::elements<T>(m.after);
  auto chunk = before;
  chunk.resize(std::max(before.size(), after.size()));
  const auto first_part = [&] {
    return std::vector<T>(chunk.begin(), chunk.begin() + std::ptrdiff_t(after.size()));
  };
  bmmc::transpose<T, Comm, Element>(MPI_COMM_WORLD, chunk, m.source(), m.target(), m.order());
  if (first_part() != after) return "in place";
  std::vector<T> other(after.size());
  auto kept = before;
  bmmc::transpose<T, Comm, Element>(MPI_COMM_WORLD, kept, other, m.source(), m.target(), m.order());
  if (other != after) return "from source to target";
  if (kept != before) return "the source was changed";
  if (m.axes.size() < 2) return "";
  // rows of 3 and 5 elements more, on every other process
  const auto source =
      me() % 2 == 0
          ? m.source()
          : m.source().with_row_stride(m.source().axis(m.source().order() - 1).extent() + 3);
  const auto target =
      me() % 2 != 0
          ? m.target()
          : m.target().with_row_stride(m.target().axis(m.target().order() - 1).extent() + 5);
  const auto spread = [&](grid_layout const& a, std::vector<T> const& dense) {
    const index_t row = a.section(me(), a.order() - 1).count();
    return a.row_stride() == 0 || row == 0 ? dense : apart(dense, row, a.row_stride(), T{});
  };
  other.assign(spread(target, after).size(), T{});
  bmmc::transpose<T, Comm, Element>(MPI_COMM_WORLD, spread(source, before), other, source, target,
                                    m.order());
  return other == spread(target, after) ? "" : "with rows apart";
}
std::string fault(movement const& m, index_t kind) {
  switch (kind % 10) {
    case 0:
      return fault<std::string, comm::pairwise>(m);
    case 1:
      return fault<cases::record, comm::pipelined>(m);
    case 2:
      return fault<double, comm::pairwise, element::native>(m);
    case 3:
      return fault<std::uint8_t, comm::alltoallv>(m);
    case 4:
      return fault<index_t, comm::shared_window>(m);
    case 5:
      return fault<std::uint32_t, comm::automatic>(m);
    case 6:
      return fault<std::string, comm::automatic>(m);
    case 7:
      return fault<std::complex<double>, comm::shared_window>(m);
    case 8:
      return fault<index_t, comm::pairwise>(m);
    default:
      return fault<std::uint16_t, comm::pipelined>(m);
  }
}
void check(movement const& m, index_t kind) {
  const auto text = fault(m, kind);
  if (text.empty()) return;
  UNSCOPED_INFO(text << ", kind " << kind % 10);
  CHECK(false);
}

}  // namespace

TEST_CASE("arrays with extents of 2 and more and up to 60 elements, over all kinds of splits",
          "[grids]") {
  // Some of them, unless BMMC_TEST_EVERY=1 asks for all.
  std::mt19937_64 random(1 + procs());
  some_of three(3), others(12);
  for (unsigned order = 0; order <= 5; ++order)
    oracle::each_extents(order, 2, 60, [&](list const& each) {
      oracle::each_order(order, [&](std::vector<unsigned> const& axes) {
        if (order > 2 && !(order == 3 ? three : others)()) return;
        check(movement::random(each, axes, random), random());
      });
    });
}

TEST_CASE("each kind of split to each other, each by every policy", "[grids]") {
  // Two of these three decide on the third, and every pair of them occurs.
  using oracle::split;
  const auto split_of = [&](unsigned kind, index_t extent, index_t begins) {
    const index_t all = kind == 4 ? 1 : procs();
    return split{static_cast<split::kind>(kind % 4), extent, all, 2, begins % all};
  };
  for (unsigned from = 0; from < 5; ++from)
    for (unsigned to = 0; to < 5; ++to)
      for (index_t half = 0; half < 2; ++half) {
        const oracle::array a{{split_of(from, 17, half), {.extent = 4}, {.extent = 6}}, {0, 1, 2}};
        const oracle::array b{{{.extent = 6}, split_of(to, 17, 1), {.extent = 4}}, {0, 1, 2}};
        check(movement(a, b, {2, 0, 1}), from + to + 5 * half);
        const oracle::array c{{{.extent = 6}, {.extent = 17}, split_of(to, 4, half)}, {2, 1, 0}};
        check(movement(a, c, {2, 0, 1}), from + to + 5 * half);
      }
}

TEST_CASE("random arrays, and large ones", "[grids]") {
  std::mt19937_64 random(100 + procs());
#ifdef BMMC_TEST_FEWER
  constexpr int count = 50;
#else
  constexpr int count = 300;  // 2,100 over all numbers of processes
#endif
  for (int i = 0; i < count; ++i) {
    list each;
    std::vector<unsigned> axes;
    const bool is_large = i % 100 == 0;
    for (unsigned k = 0; k < 1 + random() % 4; ++k) {
      each.push_back(1 + random() % (is_large ? 60 : 9));
      axes.push_back(k);
    }
    std::shuffle(axes.begin(), axes.end(), random);
    check(movement::random(each, axes, random), random());
  }
  // messages of several parts, and sizes of books
  const oracle::array slabs{{{oracle::split::blocks, 100, procs()}, {.extent = 60}, {.extent = 48}},
                            {0, 1, 2}};
  const oracle::array turned{
      {{.extent = 48}, {.extent = 100}, {oracle::split::full_blocks, 60, procs()}}, {0, 1, 2}};
  const movement book(slabs, turned, {2, 0, 1});
  for (index_t k = 0; k < 10; ++k) check(book, k);
  const oracle::array dealt{{{oracle::split::block_cyclic, 500, procs(), 13}, {.extent = 700}},
                            {0, 1}};
  const oracle::array columns{{{.extent = 700}, {oracle::split::blocks, 500, procs()}}, {0, 1}};
  const movement large(dealt, columns, {1, 0});
  CHECK(fault<cases::record, comm::pairwise>(large) == "");
  CHECK(fault<double, comm::automatic>(large) == "");
}

TEST_CASE("powers of two give what the affine way gives", "[grids]") {
  if ((procs() & (procs() - 1)) != 0) return;
  const unsigned p = cases::proc_bits();
  using bmmc::array_layout;
  using bmmc::axis;
  const std::array<array_layout, 4> layouts{
      array_layout{axis::blocks(4, procs()), axis::local(3), axis::local(5)},
      array_layout{axis::local(4), axis::local(3), axis::cyclic(5, procs())},
      array_layout{axis::block_cyclic(4, bmmc::bit(p / 2), 1), axis::local(3),
                   axis::block_cyclic(5, bmmc::bit(p - p / 2), 2)}
          .on_grid({2, 1, 0}),
      array_layout{axis::local(4), axis::blocks(3, bmmc::bit(p / 2)),
                   axis::blocks(5, bmmc::bit(p - p / 2))}};
  const array_layout turned{axis::local(5), axis::blocks(4, procs()), axis::local(3)};
  for (auto const& from : layouts) {
    std::vector<double> chunk(as_grid(from).count(me()));
    for (index_t i = 0; i < chunk.size(); ++i)
      chunk[i] = static_cast<double>(as_grid(from).index_at(me(), i));
    for (auto const& to : layouts) {
      std::vector<double> by_bits(chunk.size()), by_grids(chunk.size());
      bmmc::redistribute<double>(MPI_COMM_WORLD, chunk, by_bits, from, to);
      bmmc::redistribute<double>(MPI_COMM_WORLD, chunk, by_grids, as_grid(from), as_grid(to));
      CHECK(by_bits == by_grids);
    }
    std::vector<double> by_bits(chunk.size()), by_grids(chunk.size());
    bmmc::transpose<double>(MPI_COMM_WORLD, chunk, by_bits, from, turned,
                            bmmc::dimension_order{2, 0, 1});
    bmmc::transpose<double>(MPI_COMM_WORLD, chunk, by_grids, as_grid(from), as_grid(turned),
                            axis_order{2, 0, 1});
    CHECK(by_bits == by_grids);
  }
}

TEMPLATE_TEST_CASE("a repeated call allocates nothing and sends what the plan says", "[grids]",
                   comm::pairwise, comm::pipelined, comm::alltoallv, comm::shared_window,
                   comm::automatic) {
  const grid_layout slabs{grid_axis::blocks(50, procs()), grid_axis::local(21)};
  const grid_layout turned{grid_axis::block_cyclic(21, procs(), 2), grid_axis::local(50)};
  auto move = bmmc::make_transposer<double, TestType>(MPI_COMM_WORLD, slabs, turned, {1, 0});
  std::vector<double> source(slabs.count(me()), 1), target(turned.count(me()));
  std::vector<double> both(std::max(source.size(), target.size()));
  agreed::settle(move, [&] {  // automatic may try its ways
    move(source, target);
    move(both);
  });
  counted = {};
  for (int i = 0; i < 3; ++i) {
    move(source, target);
    move(both);
  }
  const auto sums = counted;  // CHECK allocates
  CHECK(sums.allocations == 0);
  CHECK(sums.reductions == 0);
  if (std::is_same_v<TestType, comm::pairwise>) {
    CHECK(sums.messages == 6 * move.plan().sent(me()).messages);
    CHECK(sums.bytes == 6 * move.plan().sent(me()).elements * sizeof(double));
  }
}

TEST_CASE("whichever way is tried, the elements are in their places", "[grids]") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 3; ++i) {
    const auto m = movement::random({12, 7, 10}, {2, 0, 1}, random);
    auto move = bmmc::make_transposer<index_t>(MPI_COMM_WORLD, m.source(), m.target(), m.order());
    agreed::settle(move, [&] {
      list target(m.after.size()), chunk = m.before;
      chunk.resize(std::max(m.before.size(), m.after.size()));
      move(m.before, target);
      CHECK(target == m.after);
      move(chunk);
      chunk.resize(m.after.size());
      CHECK(chunk == m.after);
    });
    CHECK(move.choice().find("will be tried") == std::string::npos);
    CHECK(agreed::all_alike(move.choice()));
  }
  const auto told = [&](call_kind kind) {
    const grid_layout blocks{grid_axis::blocks(35, procs())},
        cyclic{grid_axis::cyclic(35, procs())};
    return bmmc::make_redistributor<double>(MPI_COMM_WORLD, blocks, cyclic, {}, kind).choice();
  };
  const auto any = told(call_kind::any);  // of both kinds, where there is more than one way to try
  CHECK(agreed::holds(any, "  in place: ") == agreed::holds(any, "  from source to target: "));
  CHECK_FALSE(agreed::holds(told(call_kind::in_place), "  from source to target: "));
  CHECK_FALSE(agreed::holds(told(call_kind::between_spans), "  in place: "));
}

TEMPLATE_TEST_CASE("rows move farther apart in place, on some processes alone", "[grids]",
                   comm::pairwise, comm::pipelined, comm::shared_window, comm::automatic) {
  const grid_layout dense{grid_axis::blocks(4 * procs() + 1, procs()), grid_axis::local(5)};
  const auto source = dense.with_row_stride(me() == 0 ? 7 : 6), target = dense.with_row_stride(7);
  list elements(dense.count(me()));
  for (index_t i = 0; i < elements.size(); ++i) elements[i] = dense.index_at(me(), i);
  const auto far = apart(elements, 5, 7, index_t{0}), near = apart(elements, 5, 6, index_t{0});
  auto move = bmmc::make_redistributor<index_t, TestType>(MPI_COMM_WORLD, source, target);
  agreed::settle(move, [&] {
    auto chunk = me() == 0 ? far : near;
    chunk.resize(far.size());
    move(chunk);
    for (index_t i = 0; i < elements.size(); ++i) CHECK(chunk[i / 5 * 7 + i % 5] == elements[i]);
    std::vector<index_t> other(far.size());
    move(std::span<index_t const>(me() == 0 ? far : near), other);
    CHECK(other == far);
  });
}

TEST_CASE("started and waited for", "[grids]") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 20; ++i) {
    const auto m = movement::random({7, 6, 5}, {2, 0, 1}, random);
    auto move = bmmc::make_transposer<index_t>(MPI_COMM_WORLD, m.source(), m.target(), m.order());
    auto source = m.before;
    list target(m.after.size()), chunk = m.before;
    chunk.resize(std::max(m.before.size(), m.after.size()));
    for (int again = 0; again < 2; ++again) {
      source = m.before;
      move.start(source, target);
      std::fill(source.begin(), source.end(), 77);  // it is free
      if (again == 0)
        move.wait();
      else
        while (!move.test()) continue;
      CHECK(target == m.after);
    }
    move.start(chunk);
    CHECK_THROWS_AS(move.start(chunk), bmmc::bad_value);
    move.wait();
    move.wait();
    chunk.resize(m.after.size());
    CHECK(chunk == m.after);
  }
}

TEST_CASE("several arrays in one exchange", "[grids]") {
  std::mt19937_64 random(9);
  for (int i = 0; i < 10; ++i) {
    const auto m = movement::random({7, 6, 5}, {2, 0, 1}, random);
    const bmmc::grid_plan plan(m.source(), m.target(), m.order());
    counted = {};
    auto move = bmmc::make_redistributor_set<double, std::uint8_t, cases::record, double>(
        MPI_COMM_WORLD, m.source(), m.target(), m.order());
    CHECK(counted.messages == plan.sent(me()).messages);  // prepared: one for all arrays
    const auto room = std::max(m.before.size(), m.after.size());
    const auto chunk = [&]<class T>(T) {
      auto all = cases::elements<T>(m.before);
      all.resize(room);
      return all;
    };
    const auto arrived = [&]<class T>(std::vector<T> all) {
      all.resize(m.after.size());
      return all == cases::elements<T>(m.after);
    };
    auto x = chunk(double{}), y = x;
    auto bytes = chunk(std::uint8_t{});
    auto records = chunk(cases::record{});
    const auto before_x = x;
    const auto before_bytes = bytes;
    const auto before_records = records;
    const std::vector<bmmc::field_span> all{x, bytes, records, y};
    for (int call = 0; call < 3; ++call) {
      std::copy(before_x.begin(), before_x.end(), x.begin());
      std::copy(before_bytes.begin(), before_bytes.end(), bytes.begin());
      std::copy(before_records.begin(), before_records.end(), records.begin());
      std::fill(y.begin(), y.end(), 5.0);
      counted = {};
      move.start(all);
      if (call == 0)
        while (!move.test()) continue;
      else
        move.wait();
      const auto sums = counted;  // CHECK allocates
      CHECK(sums.allocations == 0);
      CHECK(arrived(x));
      CHECK(arrived(bytes));
      CHECK(arrived(records));
      CHECK(y == std::vector<double>(room, 5.0));
    }
    CHECK_THROWS_AS(move({x, bytes, records}), bmmc::bad_value);
    CHECK_THROWS_AS(move({x, bytes, records, bytes}), bmmc::bad_value);
    CHECK_THROWS_AS(move({x, bytes, records, std::span(y).first(room - 1)}), bmmc::bad_value);
  }
  const grid_layout a{grid_axis::blocks(12, procs())}, b{grid_axis::cyclic(12, procs())};
  using bmmc::field_kind;
  const auto text_of = [&](grid_layout const& to, std::vector<field_kind> const& kinds) {
    return agreed::agreed_text(
        [&] { (void)bmmc::redistributor_set(MPI_COMM_WORLD, a, to, {0}, kinds); });
  };
  const bool is_last = me() == procs() - 1;
  const auto number = field_kind::of<int>(), other = field_kind::of<float>();
  CHECK(agreed::holds(text_of(b, {}), "one array at least"));
  CHECK(agreed::holds(text_of(is_last ? grid_layout{grid_axis::local(11)} : b, {number}),
                      "the target has 11"));
  if (procs() > 1) {
    CHECK(agreed::holds(text_of(is_last ? a : b, {number}), "disagree"));
    CHECK(agreed::holds(text_of(b, {number, is_last ? other : number}), "element types"));
  }
}

TEST_CASE("processes of the result get the numbers with which most stays", "[grids]") {
  std::mt19937_64 random(8);
  for (int i = 0; i < 30; ++i) {
    const auto m = movement::random({7, 6, 5}, {2, 0, 1}, random);
    const auto plan = bmmc::relabelled_plan(MPI_COMM_WORLD, m.source(), m.target(), m.order());
    const auto renamed = bmmc::relabelled_communicator(MPI_COMM_WORLD, plan);
    int number = 0;
    MPI_Comm_rank(renamed, &number);
    CHECK(index_t(number) == plan.number(me()));
    bmmc::redistributor<index_t> move(MPI_COMM_WORLD, plan);
    list target(plan.target().span(plan.number(me())));
    move(m.before, target);
    CHECK(target == m.all_after[index_t(number)]);
    CHECK(plan.stays() >= bmmc::grid_plan(m.source(), m.target(), m.order()).stays());
    counted = {};
    auto in_rounds = bmmc::redistributor<index_t, comm::pairwise>(MPI_COMM_WORLD, plan);
    in_rounds(m.before, target);
    CHECK(counted.bytes == plan.sent(me()).elements * sizeof(index_t));
  }
  const grid_layout a{grid_axis::blocks(12, procs())}, b{grid_axis::local(11)};
  const auto text = agreed::agreed_text(
      [&] { (void)bmmc::relabelled_plan(MPI_COMM_WORLD, a, me() == procs() - 1 ? b : a, {0}); });
  CHECK(agreed::holds(text, "the target has 11"));
}

TEST_CASE("descriptions and spans that do not fit: an error on all, nothing changed",
          "[grids][errors]") {
  const bool is_last = me() == procs() - 1;
  const grid_layout a{grid_axis::blocks(12, procs()), grid_axis::local(5)};
  const grid_layout b{grid_axis::local(12), grid_axis::cyclic(5, procs())};
  const auto refused = [&](grid_layout const& from, grid_layout const& to, axis_order const& axes,
                           index_t source, index_t target, char const* part) {
    list before(source, 1), after(target, 2);
    const auto text = agreed::agreed_text(
        [&] { bmmc::transpose<index_t>(MPI_COMM_WORLD, before, after, from, to, axes); });
    CHECK(agreed::holds(text, part));
    CHECK(before == list(source, 1));
    CHECK(after == list(target, 2));
  };
  const index_t held = a.count(me()), wanted = b.count(me());
  refused(a, b, {0, 1}, held + (is_last ? 1 : 0), wanted, "must hold");
  refused(a, b, {0, 1}, held, wanted + (is_last ? 1 : 0), "must hold");
  refused(a, is_last ? grid_layout{grid_axis::local(6), grid_axis::cyclic(10, procs())} : b, {0, 1},
          held, wanted, "the target has 6");
  refused(a, b, is_last ? axis_order{1, 0} : axis_order{0, 1}, held, wanted, "axis 0");
  refused(a, is_last ? grid_layout{grid_axis::cyclic(60, procs())} : b, {0, 1}, held, wanted,
          "2 axes");
  refused(a, grid_layout{grid_axis::local(12), grid_axis::cyclic(5, procs() + 1)}, {0, 1}, held,
          wanted, "does not fit");
  list chunk(std::max(held, wanted) + 1, 3);
  CHECK(agreed::holds(
      agreed::agreed_text([&] { bmmc::redistribute<index_t>(MPI_COMM_WORLD, chunk, a, b); }),
      "the chunk must hold"));
  CHECK(chunk == list(chunk.size(), 3));
  const auto rows_too_short = a.with_row_stride(is_last ? 4 : 5);
  refused(rows_too_short, b, {0, 1}, held, wanted, "cannot start 4 apart");
  if (procs() > 1) {
    const auto disagree = [&](grid_layout const& mine) {
      refused(is_last ? mine : a, b, {0, 1}, is_last ? mine.count(me()) : held, wanted, "disagree");
    };
    disagree({grid_axis::full_blocks(12, procs()), grid_axis::local(5)});
    disagree({grid_axis::blocks(12, procs()).beginning_on(1), grid_axis::local(5)});
    const auto text = agreed::agreed_text([&] {
      list before(held), after(wanted);
      if (is_last)
        bmmc::redistribute<index_t>(MPI_COMM_WORLD, before, after, a, b, comm::pairwise{});
      else
        bmmc::redistribute<index_t>(MPI_COMM_WORLD, before, after, a, b, comm::pipelined{});
    });
    CHECK(agreed::holds(text, "type of the policy"));
  }
  auto in_place = bmmc::make_redistributor<index_t>(MPI_COMM_WORLD, a, b, comm::pairwise{},
                                                    call_kind::in_place);
  list source(held), target(wanted);
  CHECK_THROWS_AS(in_place(source, target), bmmc::bad_value);
}
