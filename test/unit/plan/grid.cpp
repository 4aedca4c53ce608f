// SPDX-License-Identifier: BSL-1.0

// Arrays of any extents over grids of any processes: who holds what, who sends what to whom. The
// oracle deals positions out like cards.

#include <bmmc/plan/grid_plan.hpp>
#include <bmmc/plan/grid_route.hpp>
#include <map>
#include <numeric>
#include <set>

#include "support/catch.hpp"
#include "support/grid_cases.hpp"
#include "support/some_of.hpp"
#include "support/throws.hpp"

namespace {

using bmmc::axis_order;
using bmmc::common_piece;
using bmmc::extents;
using bmmc::grid_axis;
using bmmc::grid_layout;
using bmmc::grid_plan;
using bmmc::grid_route;
using bmmc::index_t;
using oracle::split;
using list = oracle::positions;

#ifdef BMMC_TEST_FEWER
constexpr index_t fewer = 10;
#else
constexpr index_t fewer = 1;
#endif

list indices(index_t n) {
  list all(n);
  std::iota(all.begin(), all.end(), index_t{0});
  return all;
}

/// What the processes hold after messages and what is kept have gone where routes say, in boxes and
/// element by element.
std::vector<list> moved(grid_plan const& plan, std::vector<list> const& source, bool in_parts) {
  const index_t procs = plan.procs();
  std::vector<grid_route> routes;
  std::vector<list> target(procs);
  for (index_t k = 0; k < procs; ++k) {
    routes.emplace_back(plan, k);
    target[k].assign(plan.target().span(plan.number(k)), ~index_t{0});
  }
  const auto copy = [](bmmc::grid_box box, list const& from, list& to) {
    list at(box.loops.size(), 0);
    for (index_t left = box.elements(); left != 0; --left) {
      to.at(box.target) = from.at(box.source);
      for (unsigned k = box.loops.size(); k-- > 0;) {
        box.source += box.loops[k].source;
        box.target += box.loops[k].target;
        if (++at[k] < box.loops[k].extent) break;
        box.source -= box.loops[k].source * box.loops[k].extent;
        box.target -= box.loops[k].target * box.loops[k].extent;
        at[k] = 0;
      }
    }
  };
  const auto each_box = [&](bmmc::grid_boxes boxes, auto&& use) {
    bmmc::grid_box box;
    if (in_parts)
      for (bmmc::grid_parts parts(boxes); parts.next(7, box);) {
        CHECK(box.elements() <= 7);
        use(box);
      }
    else
      while (boxes.next(box)) use(box);
  };
  for (index_t from = 0; from < procs; ++from)
    for (index_t to = 0; to < procs; ++to) {
      CHECK(routes[from].sent(to) == routes[to].received(from));
      list message(routes[from].sent(to), ~index_t{0});
      if (from == to && in_parts) {
        each_box(routes[to].kept_boxes(),
                 [&](auto const& box) { copy(box, source[to], target[to]); });
      } else if (in_parts) {
        each_box(routes[from].sent_boxes(to),
                 [&](auto const& box) { copy(box, source[from], message); });
        each_box(routes[to].received_boxes(from),
                 [&](auto const& box) { copy(box, message, target[to]); });
      } else if (from == to) {
        routes[to].each_kept([&](index_t a, index_t b) { target[to].at(b) = source[to].at(a); });
      } else {
        std::size_t sent = 0, received = 0;
        routes[from].sending(to).take(
            message.size(), [&](index_t offset) { message[sent++] = source[from].at(offset); });
        routes[to].receiving(from).take(
            message.size(), [&](index_t offset) { target[to].at(offset) = message[received++]; });
      }
    }
  return target;
}

/// What the oracle says they hold, and what it counts of what is sent.
void check_against_oracle(oracle::array const& from, oracle::array const& to,
                          std::vector<unsigned> const& axes) {
  const auto each = from.extents();
  const index_t n = oracle::product(each);
  const grid_plan plan(cases::layout_of(from), cases::layout_of(to), axis_order(axes));
  const auto targets = oracle::targets_of_axes(each, axes);
  list sources(n);
  for (index_t x = 0; x < n; ++x) sources[targets[x]] = x;
  const auto before = oracle::chunks(from, indices(n), plan.procs()),
             after = oracle::chunks(to, sources, plan.procs());
  CHECK(moved(plan, before, false) == after);
  CHECK(moved(plan, before, true) == after);

  const auto home = from.homes(), next = to.homes();
  std::map<std::pair<index_t, index_t>, index_t> count;
  for (index_t x = 0; x < n; ++x) ++count[{home[x].proc, next[targets[x]].proc}];
  index_t messages = 0, elements = 0;
  for (index_t k = 0; k < plan.procs(); ++k) {
    bmmc::traffic out, in;
    for (auto const& [pair, some] : count) {
      if (pair.first == pair.second) continue;
      if (pair.first == k) ++out.messages, out.elements += some;
      if (pair.second == k) ++in.messages, in.elements += some;
    }
    CHECK(plan.sent(k) == out);
    CHECK(plan.received(k) == in);
    CHECK(plan.source().count(k) == before[k].size());
    CHECK(plan.target().count(k) == after[k].size());
    messages += out.messages;
    elements += out.elements;
    for (index_t other = 0; other < plan.procs(); ++other)
      CHECK(plan.elements(k, other) == (count.count({k, other}) != 0 ? count[{k, other}] : 0));
  }
  CHECK(plan.sent() == bmmc::traffic{messages, elements});
  CHECK(plan.stays() == n - elements);
}

}  // namespace

TEST_CASE("who holds what is what dealing gives", "[grid]") {
  std::mt19937_64 random(7);
  for (index_t extent = 1; extent <= 20; ++extent)
    for (index_t procs = 1; procs <= 6; ++procs)
      for (int how = 0; how < 4; ++how)
        for (index_t block = 1; block <= (how == 3 ? extent + 1 : 1); ++block) {
          const split s{split::kind(how), extent, procs, block, random() % procs};
          const auto axis = cases::layout_of({{s}, {0}}).axis(0);
          const auto d = oracle::deal(s);
          for (index_t at = 0; at < procs; ++at) {
            const auto held = axis.section(at);
            CHECK(held.count() == d.held[at]);
            CHECK(axis.most() >= d.held[at]);
            index_t runs = 0;
            for (index_t x = 0; x < extent; ++x) {
              CHECK(held.contains(x) == (d.owner[x] == at));
              if (d.owner[x] != at) continue;
              CHECK(axis.proc_of(x) == at);
              CHECK(held.offset_of(x) == d.place[x]);
              CHECK(held.position_of(d.place[x]) == x);
              if (x == 0 || d.owner[x - 1] != at || (how == 3 && procs > 1 && x % block == 0))
                ++runs;
            }
            CHECK(held.is_interval() == (held.runs() <= 1));
            if (procs > 1) CHECK(held.runs() == runs);
          }
        }
  CHECK(grid_axis::full_blocks(9, 4).count(3) == 0);  // 3 3 3 0
  CHECK(grid_axis::blocks(9, 4).count(3) == 2);       // 3 2 2 2
}

TEST_CASE("a layout places all elements, and finds them again", "[grid]") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 60; ++i) {
    const list each{1 + random() % 5, 1 + random() % 6, 1 + random() % 7};
    const auto a = oracle::random_array(each, 12, random);
    const auto l = cases::layout_of(a);
    const auto homes = a.homes();
    CHECK(l.procs() == a.procs());
    index_t most = 0;
    for (index_t k = 0; k < l.procs(); ++k) most = std::max(most, l.count(k));
    CHECK(l.most() == most);
    for (index_t x = 0; x < homes.size(); ++x) {
      CHECK(l.place(x) == bmmc::placement{homes[x].proc, homes[x].offset});
      CHECK(l.index_at(homes[x].proc, homes[x].offset) == x);
    }
    const auto apart = l.with_row_stride(11);
    for (index_t x = 0; x < homes.size(); ++x) {
      const index_t row = l.section(homes[x].proc, 2).count();
      CHECK(apart.place(x).offset == homes[x].offset / row * 11 + homes[x].offset % row);
    }
  }
}

TEST_CASE("two sections of an axis: every position that they share, once", "[grid]") {
  std::mt19937_64 random(3);
  for (index_t i = 0; i < 4000 / fewer; ++i) {
    const index_t extent = 1 + random() % (i % 2 == 0 ? 40 : 400);
    split s[2];
    for (auto& each : s) {
      each = {split::kind(random() % 4), extent, 1 + random() % 7, 1 + random() % 20, 0};
      each.begins = random() % each.procs;
    }
    const auto a = oracle::deal(s[0]), b = oracle::deal(s[1]);
    const auto first = cases::layout_of({{s[0]}, {0}}).axis(0),
               second = cases::layout_of({{s[1]}, {0}}).axis(0);
    const bool at_end = i % 3 == 0;  // the two that hold the last position, or any two
    const index_t at = at_end ? a.owner[extent - 1] : random() % s[0].procs,
                  other = at_end ? b.owner[extent - 1] : random() % s[1].procs;
    std::vector<common_piece> pieces;
    bmmc::append_common_pieces(first.section(at), second.section(other), pieces);
    std::set<std::pair<index_t, index_t>> found, wanted;
    for (common_piece const& p : pieces)
      for (index_t r = 0; r < p.repeat; ++r)
        for (index_t c = 0; c < p.count; ++c)
          for (index_t k = 0; k < p.length; ++k)
            CHECK(found
                      .insert({p.source + r * p.source_skip + c * p.source_step + k,
                               p.target + r * p.target_skip + c * p.target_step + k})
                      .second);
    for (index_t x = 0; x < extent; ++x)
      if (a.owner[x] == at && b.owner[x] == other) wanted.insert({a.place[x], b.place[x]});
    CHECK(found == wanted);
    // all processes of an axis together: the same pieces in the same order
    const bmmc::axis_pieces sent(first.section(at), bmmc::axis_pieces::side::source, second),
        received(second.section(other), bmmc::axis_pieces::side::target, first);
    const auto same = [&](auto const& all, index_t k, grid_axis const& x, index_t from,
                          grid_axis const& y, index_t to) {
      std::vector<common_piece> alone;
      bmmc::append_common_pieces(x.section(from), y.section(to), alone);
      const auto with = all.with(k);
      return std::equal(alone.begin(), alone.end(), with.begin(), with.end());
    };
    index_t partners = 0;
    for (index_t k = 0; k < s[1].procs; ++k) {
      CHECK(same(sent, k, first, at, second, k));
      partners += sent.with(k).empty() ? 0U : 1U;
    }
    CHECK(sent.partners() == partners);
    for (index_t k = 0; k < s[0].procs; ++k) CHECK(same(received, k, first, k, second, other));
  }
}

TEST_CASE("large sections need few pieces", "[grid]") {
  const auto pieces_of = [](grid_axis const& a, grid_axis const& b) {
    std::vector<common_piece> pieces;
    bmmc::append_common_pieces(a.section(1), b.section(2), pieces);
    index_t all = 0;
    for (common_piece const& p : pieces) all += p.positions();
    return std::pair(pieces.size(), all);
  };
  const index_t n = index_t{1} << 60;
  CHECK(pieces_of(grid_axis::cyclic(n, 4), grid_axis::blocks(n, 8)).first == 1);
  CHECK(pieces_of(grid_axis::cyclic(n, 4), grid_axis::blocks(n, 8)).second == n / 32);
  CHECK(pieces_of(grid_axis::cyclic(n, 6), grid_axis::cyclic(n, 7)).first <= 2);
  CHECK(pieces_of(grid_axis::block_cyclic(n, 8, 64), grid_axis::block_cyclic(n, 8, 48)).first <= 6);
  CHECK(pieces_of(grid_axis::block_cyclic(n, 3, 1009), grid_axis::blocks(n, 5)).first <= 3);
  // periods that have nothing in common: as many pieces as runs meet
  CHECK(pieces_of(grid_axis::block_cyclic(100000, 5, 101), grid_axis::block_cyclic(100000, 7, 103))
            .first <= 60);
}

TEST_CASE("all arrays of up to 300 elements and 4 axes, over grids", "[grid]") {
  // Some of them, unless BMMC_TEST_EVERY=1 asks for all: then with extents of 1, too.
  std::mt19937_64 random(11);
  some_of few(fewer), three(6 * fewer), four(300 * fewer);
  for (unsigned order = 0; order <= 4; ++order)
    oracle::each_extents(order, 1, 300, [&](list const& each) {
      oracle::each_order(order, [&](std::vector<unsigned> const& axes) {
        if (!(order < 3 ? few : order == 3 ? three : four)()) return;
        const auto from = oracle::random_array(each, 8, random);
        list permuted;
        for (const unsigned axis : axes) permuted.push_back(each[axis]);
        check_against_oracle(from, oracle::random_array(permuted, 8, random), axes);
      });
    });
}

TEST_CASE("processes of the result may have other numbers", "[grid]") {
  const grid_layout rows{grid_axis::blocks(7, 3), grid_axis::local(4)};
  const grid_plan same(rows, rows);
  CHECK(same.is_local());
  const auto turned = same.renumbered({1, 2, 0});
  CHECK(turned.sent() == bmmc::traffic{3, 28});
  list all = indices(28);
  const std::vector<list> before{list(all.begin(), all.begin() + 12),
                                 list(all.begin() + 12, all.begin() + 20),
                                 list(all.begin() + 20, all.end())};
  CHECK(moved(turned, before, true) == std::vector<list>{before[1], before[2], before[0]});
  CHECK_COMPLAINS(bmmc::bad_value, same.renumbered({1, 1, 0}), "number 1 is given twice");
  CHECK_COMPLAINS(bmmc::bad_value, same.renumbered({0, 3, 1}), "number 3");
  CHECK_COMPLAINS(bmmc::bad_value, same.renumbered({1, 0}), "3 processes");
}

TEST_CASE("what no grid can be is refused", "[grid]") {
  using bmmc::bad_value;
  CHECK_COMPLAINS(bad_value, grid_axis::blocks(0, 3), "0 positions");
  CHECK_COMPLAINS(bad_value, grid_axis::cyclic(3, 0), "0 processes");
  CHECK_COMPLAINS(bad_value, grid_axis::block_cyclic(3, 2, 0), "blocks of 0");
  CHECK_COMPLAINS(bad_value, grid_axis::full_blocks(0, 2), "0 positions");
  CHECK_COMPLAINS(bad_value, grid_axis::blocks(3, 2).beginning_on(2), "process 2");
  CHECK_COMPLAINS(bad_value, grid_axis::local((index_t{1} << 63) + 1), "2^63");
  const auto half = grid_axis::local(index_t{1} << 40);
  CHECK_COMPLAINS(bad_value, (grid_layout{half, half}), "2^63");
  const auto many = grid_axis::cyclic(1 << 20, 1 << 20);
  CHECK_COMPLAINS(bad_value, (grid_layout{many, many}), "larger than any communicator");
  const std::vector<grid_axis> long_list(22);
  CHECK_COMPLAINS(bad_value, grid_layout(std::span<grid_axis const>(long_list)), "21 axes");
  const grid_layout plane{grid_axis::blocks(6, 2), grid_axis::local(5)};
  CHECK_COMPLAINS(bad_value, plane.on_grid({0}), "1 of them");
  CHECK_COMPLAINS(bad_value, plane.with_row_stride(4).span(0), "cannot start 4 apart");
  CHECK_COMPLAINS(bad_value, plane.with_row_stride(index_t{1} << 62).span(0), "2^63");
  CHECK_COMPLAINS(bad_value, grid_layout{half}.with_row_stride(4), "less than two axes");
  CHECK(plane.with_row_stride(9).span(1) == 23);
  CHECK_COMPLAINS(bad_value, grid_plan(plane, plane, {1, 0}), "axis 0 of the target has 6");
  CHECK_COMPLAINS(bad_value, grid_plan(plane, grid_layout{grid_axis::local(30)}), "2 axes");
  CHECK_COMPLAINS(bad_value, grid_plan(plane, plane, {0}), "1 of them");
}

TEST_CASE("explain tells messages, bytes and what stays", "[grid]") {
  const grid_layout slabs{grid_axis::blocks(10, 3), grid_axis::local(6)};
  const grid_layout columns{grid_axis::local(10), grid_axis::blocks(6, 3)};
  const auto text = explain(grid_plan(slabs, columns), 8);
  for (char const* part : {"10 x 6 elements on a grid of 3 x 1 processes to 10 x 6 on 1 x 3",
                           "6 messages, 40 elements (320 bytes) sent; 20 elements stay",
                           "process 0 sends 16 elements in 2 messages and keeps 8"})
    CHECK(text.find(part) != std::string::npos);
  CHECK(explain(grid_plan(slabs, slabs)).find("no element leaves") != std::string::npos);
  const auto few = explain(
      grid_plan(grid_layout{grid_axis::blocks(4, 2)}, grid_layout{grid_axis::cyclic(4, 2)}));
  CHECK(few.find("process 0 sends 1 element in 1 message and keeps 1") != std::string::npos);
}

namespace {
constexpr grid_layout slabs{grid_axis::blocks(100, 6), grid_axis::local(60), grid_axis::local(48)};
constexpr grid_layout pencils{grid_axis::blocks(100, 2), grid_axis::blocks(60, 3),
                              grid_axis::local(48)};
static_assert(slabs.count(0) == index_t{17} * 60 * 48 && slabs.count(5) == index_t{16} * 60 * 48);
static_assert(slabs.place(100 * 60 * 48 - 1) == bmmc::placement{5, 16 * 60 * 48 - 1});
static_assert(grid_plan(slabs, pencils).sent(1).messages == 2);
static_assert(grid_plan(slabs, pencils).stays() + grid_plan(slabs, pencils).sent().elements ==
              slabs.elements());
static_assert(!grid_plan(slabs, pencils).is_local());
}  // namespace
