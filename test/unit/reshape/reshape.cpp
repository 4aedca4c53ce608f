// SPDX-License-Identifier: BSL-1.0

// Array descriptions against an oracle of division and remainder; what a reshape changes.

#include <algorithm>
#include <bmmc/planning.hpp>
#include <bmmc/study.hpp>
#include <set>

#include "support/array_cases.hpp"
#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using namespace bmmc;
using shape = std::vector<unsigned>;  // lg of extents, the slowest first

array_layout gray_array(shape const& s, index_t processes) {
  return array_layout::over(lg_extents(s), processes, axis_code::gray);
}

/// All shapes of n bits whose axes have two elements at least.
std::vector<shape> all_shapes(unsigned n) {
  if (n == 0) return {{}};
  std::vector<shape> all;
  for (unsigned first = 1; first <= n; ++first)
    for (auto rest : all_shapes(n - first)) {
      rest.insert(rest.begin(), first);
      all.push_back(rest);
    }
  return all;
}

/// The set D of definition 3, from partial sums.
index_t definition_3(shape const& u, shape const& v) {
  const auto tops = [](shape const& s) {
    std::set<unsigned> set;
    unsigned sum = 0;
    for (std::size_t m = s.size(); m-- > 1;) set.insert((sum += s[m]) - 1);
    return set;
  };
  const auto a = tops(u), b = tops(v);
  index_t d = 0;
  for (unsigned j = 0; j < 63; ++j)
    if (a.count(j) != b.count(j)) d += oracle::power(j);
  return d;
}

bool places_like_the_oracle(arrays::array_case const& c, unsigned p) {
  const auto layout = arrays::to_library(c);
  const unsigned n = c.bits();
  const auto physical = layout.physical(n, p);
  for (index_t x = 0; x < oracle::power(n); ++x) {
    const auto at = arrays::spot(c, x);
    if (physical(x) != at.proc * oracle::power(n - p) + at.offset) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("one axis: every spread, code and size", "[reshape]") {
  using arrays::spread;
  for (unsigned n = 0; n <= 6; ++n)
    for (unsigned p = 0; p <= n; ++p)
      for (int code = 0; code < 3; ++code)
        for (auto kind : {spread::blocks, spread::cyclic, spread::block_cyclic})
          for (unsigned f = 0; f <= n - p; ++f) {
            if (kind != spread::block_cyclic && f != 0) continue;
            const arrays::array_case c{{{n, p, kind, f, {}, static_cast<axis_code>(code)}}, {}};
            CHECK(places_like_the_oracle(c, p));
          }
  STATIC_REQUIRE(SingleLayout<array_layout>);
  STATIC_REQUIRE(array_layout{axis::blocks(5, 4)}.physical(5, 2) == identity_permutation(5));
}

TEST_CASE("random arrays of up to four axes, on any grid", "[reshape]") {
  oracle::generator random(5);
  for (int i = 0; i < 500; ++i) {
    const auto n = static_cast<unsigned>(random() % 9),
               p = static_cast<unsigned>(random() % (n + 1));
    const auto c = arrays::random_array(n, p, random);
    if (!places_like_the_oracle(c, p)) FAIL_CHECK(to_string(arrays::to_library(c).physical(n, p)));
  }
}

TEST_CASE("random arrays of up to 2^63 elements", "[reshape]") {
  oracle::generator random(63);
  for (int i = 0; i < 200; ++i) {
    const auto n = static_cast<unsigned>(30 + random() % 34);
    const auto p = static_cast<unsigned>(random() % (n + 1));
    const auto c = arrays::random_array(n, p, random);
    const auto physical = arrays::to_library(c).physical(n, p);
    for (int k = 0; k < 20; ++k) {
      const index_t x = random() % oracle::power(n);
      const auto at = arrays::spot(c, x);
      if (physical(x) != at.proc * oracle::power(n - p) + at.offset)
        FAIL_CHECK(to_string(physical));
    }
  }
}

TEST_CASE("definition 3 for random shapes of up to 2^63 elements", "[reshape]") {
  oracle::generator random(64);
  for (int i = 0; i < 200; ++i) {
    const auto n = static_cast<unsigned>(20 + random() % 44);
    const auto cut = [&] {
      shape s{1};
      for (unsigned j = 1; j < n; ++j)
        if (random() % 3 == 0)
          s.push_back(1);
        else
          ++s.back();
      return s;
    };
    const auto u = cut(), v = cut();
    const index_t on_processes = random() % oracle::power(n);
    const auto r = reshape(gray_array(u, on_processes), gray_array(v, on_processes));
    CHECK(r.changed == definition_3(u, v));
    CHECK(r.changed_on_processes == (r.changed & on_processes));
    CHECK(exchange_factors(r.recoding).has_value());
  }
}

TEST_CASE("lemma 2: a split or a merge exchanges one dimension", "[reshape]") {
  for (unsigned n = 1; n <= 10; ++n)
    for (unsigned m = 1; m < n; ++m) {
      const auto r = reshape(gray_array({n}, low_bits(n)), gray_array({n - m, m}, low_bits(n)));
      CHECK(r.changed == oracle::power(m - 1));
      CHECK(r.changed_on_processes == r.changed);
      CHECK(r.communicating == r.changed);
      CHECK(r.keeps_assignment());
      CHECK(r.map == gray_split(n - m, m));
      // data: processes of the elements i with b_m = 1 exchange across dimension m - 1
      const auto whole = oracle::gray_list(n), high = oracle::gray_list(n - m),
                 low = oracle::gray_list(m);
      for (index_t i = 0; i < whole.size(); ++i) {
        const index_t after =
            high[i / oracle::power(m)] * oracle::power(m) + low[i % oracle::power(m)];
        const bool exchanges = (i / oracle::power(m)) % 2 == 1;
        if (after != (exchanges ? whole[i] ^ oracle::power(m - 1) : whole[i])) FAIL_CHECK(i);
        if (r.map(whole[i]) != after) FAIL_CHECK(i);
      }
      const auto back = reshape(r.target, r.source);
      CHECK(back.changed == r.changed);
      CHECK(is_identity(compose(back.map, r.map)));
    }
}

TEST_CASE("the set D is that of definition 3, for all pairs of shapes", "[reshape]") {
  unsigned pairs = 0;
  for (unsigned n = 0; n <= 7; ++n)
    for (auto const& u : all_shapes(n))
      for (auto const& v : all_shapes(n)) {
        const index_t on_processes = 0b1010110 & low_bits(n);
        const auto r = reshape(gray_array(u, on_processes), gray_array(v, on_processes));
        const index_t d = definition_3(u, v);
        CHECK(r.changed == d);
        CHECK(r.changed_on_processes == (d & on_processes));
        CHECK(r.changed_in_memory == (d & ~on_processes));
        CHECK(r.keeps_assignment());
        index_t communicating = 0;  // bit k of the process number is the k-th of its dimensions
        for (unsigned j = 0, k = 0; j < n; ++j)
          if (((on_processes >> j) & 1) != 0) communicating |= ((d >> j) & 1) << k++;
        CHECK(r.communicating == communicating);
        // exchanges in those dimensions alone, in ascending and descending order
        const auto up = exchange_factors(r.recoding, ascending_order(n));
        const auto down = exchange_factors(r.recoding, descending_order(n));
        REQUIRE((up && down));
        for (auto const* list : {&*up, &*down})
          for (auto const& e : *list) CHECK(e.is_identity() == (((d >> e.dimension) & 1) == 0));
        ++pairs;
      }
  CHECK(pairs == 1 + 1 + 4 + 16 + 64 + 256 + 1024 + 4096);
}

TEST_CASE("the example of section 2: D = {10, 6, 4, 2}", "[reshape]") {
  const auto r = reshape(array_layout::over({5, 2, 4, 3}, low_bits(14), axis_code::gray),
                         array_layout::over({3, 2, 4, 5}, low_bits(14), axis_code::gray));
  CHECK(r.changed == (bit(10) | bit(6) | bit(4) | bit(2)));
  CHECK(explain(r).find("(D): 10, 6, 4, 2\n") != std::string::npos);
  const auto some = reshape(array_layout::over({5, 2, 4, 3}, 0b110000010000, axis_code::gray),
                            array_layout::over({3, 2, 4, 5}, 0b110000010000, axis_code::gray));
  CHECK(some.changed_on_processes == (bit(10) | bit(4)));
  CHECK(some.changed_in_memory == (bit(6) | bit(2)));
  CHECK(some.communicating == 0b011);  // process bits 0, 1, 2 are the dimensions 4, 10, 11
}

TEST_CASE("theorem 5: Gray to binary is a reshape to axes of two", "[reshape]") {
  for (unsigned n = 1; n <= 12; ++n) {
    const auto gray = gray_array({n}, low_bits(n)), cube = gray_array(shape(n, 1), low_bits(n));
    const auto binary = array_layout::over({n}, low_bits(n));
    CHECK(cube.encoding() == binary.encoding());
    CHECK(reshape(gray, cube).map == gray_decode(n));
    CHECK(reshape(gray, binary).changed == low_bits(n - 1));
  }
}

TEST_CASE("corollary 2 and lemma 3: what an exchange makes of the index at an address",
          "[reshape]") {
  for (unsigned n : {1U, 3U, 6U, 10U}) {
    const auto decode = gray_decode(n);
    for (index_t a = 0; a < oracle::power(n); ++a)
      for (unsigned j = 0; j < n; ++j)
        if ((decode(a ^ oracle::power(j)) ^ decode(a)) != oracle::power(j + 1) - 1) FAIL_CHECK(a);
  }
  // Lemma 3, exchanges counted by the dimension that they cross: the element that is now at address
  // a differs from decode(a) in bit m exactly where it has crossed an odd number of the dimensions
  // m, m + 1, ...
  const unsigned n = 5;
  std::vector<unsigned> order{0, 1, 2, 3};
  do {
    dimension_order given;
    for (unsigned d : order) given.push_back(d);
    given.push_back(n - 1);
    const auto list = *exchange_factors(gray_decode(n), given);
    for (index_t i = 0; i < oracle::power(n); ++i) {
      index_t at = gray_encode(n)(i), crossed = 0;
      for (auto const& e : list) {
        const index_t control = i / oracle::power(e.dimension + 1) % 2;
        CHECK(e(at) == (control != 0 ? at ^ oracle::power(e.dimension) : at));
        crossed |= e(at) ^ at;
        at = e(at);
        for (unsigned m = 0; m < n; ++m) {
          unsigned count = 0;
          for (unsigned j = m; j < n; ++j) count += static_cast<unsigned>((crossed >> j) & 1);
          const index_t differs = (gray_decode(n)(at) ^ i) / oracle::power(m) % 2;
          if (differs != count % 2) FAIL_CHECK(i);
        }
      }
      CHECK(at == i);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("lemma 4: links are idle across every higher dimension", "[reshape]") {
  for (unsigned n = 2; n <= 7; ++n)
    for (unsigned m = 1; m < n; ++m) {
      const auto map = gray_split(n - m, m);
      for (index_t a = 0; a < oracle::power(n); ++a)
        for (unsigned j = m; j < n; ++j) {
          const index_t b = a ^ oracle::power(j);
          if ((map(a) == a) == (map(b) == b)) FAIL_CHECK(a);
        }
    }
}

TEST_CASE("the two programs of section 4, and corollary 4", "[reshape]") {
  for (unsigned n = 2; n <= 7; ++n)
    for (unsigned m = 0; m < n - 1; ++m) {  // m = n - 2 is the first program
      std::vector<index_t> held(oracle::power(n));
      const auto list = oracle::gray_list(n);
      for (index_t i = 0; i < held.size(); ++i) held[list[i]] = i;
      const auto exchange = [&](unsigned d, auto condition) {
        const auto before = held;
        for (index_t a = 0; a < held.size(); ++a)
          if (condition(a)) held[a] = before[a ^ oracle::power(d)];
      };
      const auto address_bit = [&](unsigned d) {
        return [d](index_t a) { return a / oracle::power(d + 1) % 2 != 0; };
      };
      exchange(m, [&](index_t a) {
        index_t ones = 0;
        for (unsigned j = m + 1; j < n; ++j) ones += a / oracle::power(j) % 2;
        return ones % 2 != 0;
      });
      const auto next = [&](unsigned d) {
        for (index_t a = 0; a < held.size(); ++a)  // corollary 4: the control is in the address
          if (held[a] / oracle::power(d + 1) % 2 != a / oracle::power(d + 1) % 2) FAIL_CHECK(a);
        exchange(d, address_bit(d));
      };
      for (unsigned d = m; d-- > 0;) next(d);
      for (unsigned d = n - 1; d-- > m + 1;) next(d);
      for (index_t a = 0; a < held.size(); ++a) CHECK(held[a] == a);

      // the library's program: the same exchanges, which are those that elimination finds
      auto order = dimension_order{};
      for (auto const& e : gray_to_binary_program(n, m)) order.push_back(e.dimension);
      order.push_back(n - 1);
      auto found = *exchange_factors(gray_decode(n), order);
      CHECK(found[n - 1].is_identity());
      --found.count;
      const auto program = gray_to_binary_program(n, m);
      CHECK(std::equal(found.begin(), found.end(), program.begin(), program.end()));
      for (unsigned part = 0; part < n - 1; ++part)
        CHECK(gray_to_binary_program(n, conversion_dimension(n, part, 0))[m].dimension ==
              conversion_dimension(n, part, m));
    }
  CHECK(gray_to_binary_program(1).empty());
  CHECK(gray_to_binary_program(4) == gray_to_binary_program(4, 2));
  CHECK_THROWS_AS(gray_to_binary_program(4, 3), bad_value);
  // in a phase every part has a dimension of its own: with mod (n - 2) two parts would share one
  for (unsigned n = 3; n <= 8; ++n)
    for (unsigned t = 0; t < n - 1; ++t) {
      std::set<unsigned> used, printed;
      for (unsigned m = 0; m < n - 1; ++m) {
        used.insert(conversion_dimension(n, m, t));
        printed.insert((4 * (n - 2) + n - 2 - m - t) % (n - 2));
      }
      CHECK(used.size() == n - 1);
      CHECK(printed.size() < n - 1);
    }
}

TEST_CASE("section 1: a consistent allocation after a reshape is a cyclic shift and a code change",
          "[reshape]") {
  // P x Q over N1 x N0 processors, consecutive, to one axis over all. The list of the physical
  // dimensions (maddr1 paddr0) becomes (paddr0 maddr1): n0 steps right, or p - n1 steps left.
  for (unsigned n1 = 0; n1 <= 3; ++n1)
    for (unsigned n0 = 0; n0 <= 3; ++n0)
      for (unsigned p = n1; p <= n1 + 3; ++p)
        for (unsigned q = n0; q <= n0 + 2; ++q) {
          const unsigned field = p - n1 + n0, n = p + q, low = q - n0;
          std::vector<unsigned> turn(n);
          for (unsigned j = 0; j < n; ++j)
            turn[j] = j < low || j >= low + field ? j : low + (j - low + n0) % field;
          for (auto code : {axis_code::binary, axis_code::gray}) {
            const auto coded = [&](axis a) { return code == axis_code::gray ? a.gray() : a; };
            const array_layout two{coded(axis::blocks(p, bit(n1))),
                                   coded(axis::blocks(q, bit(n0)))};
            const array_layout one{coded(axis::blocks(n, bit(n1 + n0)))};
            // physical dimensions as the paper lists them, paddr1 maddr1 paddr0 maddr0, and as the
            // library does, paddr1 paddr0 maddr1 maddr0
            std::vector<unsigned> to_library(n);
            for (unsigned j = 0; j < n; ++j) {
              const bool row = j >= q;
              const unsigned k = row ? j - q : j, memory = row ? p - n1 : q - n0;
              to_library[j] =
                  k < memory ? (row ? k + q - n0 : k) : n - n1 - n0 + (row ? n0 : 0) + (k - memory);
            }
            const auto order = bit_permutation(std::span<unsigned const>(to_library));
            const auto map = compose(inverse(order), compose(reshape(two, one).map, order));
            const auto shift = bit_permutation(std::span<unsigned const>(turn));
            if (code == axis_code::binary) CHECK(map == shift);
            // coded: one exchange, then the same shift
            const auto parts = exchange_then_rename(map, shift);
            REQUIRE(parts);
            CHECK(compose(parts->renaming, compose_exchanges(n, parts->exchanges)) == map);
            const auto active = std::count_if(parts->exchanges.begin(), parts->exchanges.end(),
                                              [](auto const& e) { return !e.is_identity(); });
            CHECK(active == (code == axis_code::gray && p != 0 && q != 0 ? 1 : 0));
          }
        }
}

TEST_CASE("what moves and what communicates, with reasons", "[reshape]") {
  // blocks to cyclic: all process bits come from memory
  const auto r = reshape(array_layout{axis::blocks(6, 4)}, array_layout{axis::cyclic(6, 4)});
  CHECK(r.changed == 0);
  CHECK(r.moved == low_bits(6));
  CHECK(r.communicating == 0b11);
  const auto text = explain(r);
  CHECK(text.find("process bit 0 communicates: it is dimension 0, which was offset bit 0\n") !=
        std::string::npos);
  CHECK(text.find("process bit 1 communicates: it is dimension 1, which was offset bit 1\n") !=
        std::string::npos);
  // the code of the processes alone
  const auto g =
      reshape(array_layout{axis::blocks(6, 4)}, array_layout{axis::blocks(6, 4).gray_processes()});
  CHECK(g.changed == bit(4));
  CHECK(g.communicating == 0b01);
  CHECK(explain(g).find("dimension 4, whose code becomes the sum of 5, 4\n") != std::string::npos);
  // local changes
  const auto l = reshape(array_layout{axis::blocks(6, 4).gray()},
                         array_layout{axis::blocks(6, 4).gray_processes()});
  CHECK(l.changed == 0b1111);
  CHECK(l.communicating == 0);
  CHECK(explain(l).find("no process bit communicates\n") != std::string::npos);
  // a process bit communicates exactly where some element changes that bit of its process
  oracle::generator random(7);
  for (int i = 0; i < 300; ++i) {
    const auto n = static_cast<unsigned>(1 + random() % 8),
               p = static_cast<unsigned>(random() % (n + 1));
    const auto a = arrays::random_array(n, p, random), b = arrays::random_array(n, p, random);
    const auto any = reshape(arrays::to_library(a), arrays::to_library(b));
    index_t differ = 0;
    for (index_t x = 0; x < oracle::power(n); ++x) {
      const auto from = arrays::spot(a, x), to = arrays::spot(b, x);
      differ |= from.proc ^ to.proc;
      if (any.map(from.proc * oracle::power(n - p) + from.offset) !=
          to.proc * oracle::power(n - p) + to.offset)
        FAIL_CHECK(x);
    }
    CHECK(any.communicating == differ);
  }
}

TEST_CASE("the permutation of processes is there where chunks stay together", "[reshape]") {
  oracle::generator random(13);
  unsigned together = 0;
  for (int i = 0; i < 400; ++i) {
    const auto n = static_cast<unsigned>(1 + random() % 7);
    const auto p = static_cast<unsigned>(random() % (n + 1));
    const auto a = arrays::random_array(n, p, random), b = arrays::random_array(n, p, random);
    std::vector<std::set<index_t>> targets(oracle::power(p));
    for (index_t x = 0; x < oracle::power(n); ++x)
      targets[arrays::spot(a, x).proc].insert(arrays::spot(b, x).proc);
    const auto found = process_permutation(reshape(arrays::to_library(a), arrays::to_library(b)));
    bool whole = true;
    for (auto const& each : targets) whole = whole && each.size() == 1;
    CHECK(found.has_value() == whole);
    if (!found) continue;
    ++together;
    for (index_t k = 0; k < targets.size(); ++k) CHECK((*found)(k) == *targets[k].begin());
  }
  CHECK(together > 40);
  // 2^8 elements on 16 processes, in blocks: four elements each, which a schedule moves
  const auto r = reshape(array_layout::over({8}, 0b11110000, axis_code::gray),
                         array_layout::over({3, 5}, 0b11110000, axis_code::gray));
  const auto chunks = process_permutation(r);
  REQUIRE(chunks);
  CHECK(changed_dimensions(*chunks) == dimension_order{0});
  CHECK(fault_of(concurrent_schedule(*chunks, 16, {0}), *chunks) == "");
}

TEST_CASE("matrices as ScaLAPACK has them", "[reshape]") {
  // row i and column j, by the rules of the two-dimensional block-cyclic distribution
  oracle::generator random(11);
  for (int i = 0; i < 200; ++i) {
    const auto pick = [&](unsigned most) { return static_cast<unsigned>(random() % (most + 1)); };
    block_cyclic_matrix a;
    a.lg_rows = pick(5);
    a.lg_cols = pick(5);
    const unsigned lg_grid_rows = pick(std::min(2U, a.lg_rows));
    const unsigned lg_grid_cols = pick(std::min(2U, a.lg_cols));
    a.grid_rows = oracle::power(lg_grid_rows);
    a.grid_cols = oracle::power(lg_grid_cols);
    a.lg_row_block = pick(a.lg_rows - lg_grid_rows);
    a.lg_col_block = pick(a.lg_cols - lg_grid_cols);
    a.by_columns = random() % 2 != 0;
    const auto layout = a.layout();
    using oracle::power;
    const index_t local_rows = power(a.lg_rows) / a.grid_rows;
    for (index_t col = 0; col < power(a.lg_cols); ++col)
      for (index_t row = 0; row < power(a.lg_rows); ++row) {
        const auto along = [](index_t at, unsigned lg_block, index_t over) {
          const index_t block = at / power(lg_block);
          return oracle::spot{block % over, block / over * power(lg_block) + at % power(lg_block)};
        };
        const auto r = along(row, a.lg_row_block, a.grid_rows);
        const auto c = along(col, a.lg_col_block, a.grid_cols);
        const index_t proc =
            a.by_columns ? c.proc * a.grid_rows + r.proc : r.proc * a.grid_cols + c.proc;
        const auto at = layout::place(layout, layout.bits(), a.grid_rows * a.grid_cols,
                                      row + col * power(a.lg_rows));
        if (!(at == placement{proc, r.offset + c.offset * local_rows})) FAIL_CHECK(row);
      }
  }
}

TEST_CASE("descriptions that do not fit are refused, with figures", "[reshape]") {
  CHECK_COMPLAINS(bad_value, axis::blocks(3, 16), "2^3", "no 16 blocks");
  CHECK_COMPLAINS(bad_value, axis::block_cyclic(5, 8, 3), "2^5", "2^3");
  CHECK_COMPLAINS(bad_value, axis::on_bits(3, 0b1000), "3 bits");
  CHECK_COMPLAINS(bad_value, axis::local(64), "64 bits");
  CHECK_COMPLAINS(bad_value, (array_layout{axis::local(40), axis::local(24)}), "63");
  CHECK_COMPLAINS(bad_value, array_layout::over({2, 2}, 0b10000), "4 bits");
  CHECK_COMPLAINS(bad_value, array_layout::over({40, 40}, 0), "63");
  CHECK_COMPLAINS(bad_value, (array_layout{axis::local(2)}.on_grid({1})), "axis 1");
  CHECK_COMPLAINS(bad_value, (array_layout{axis::local(2), axis::local(2)}.on_grid({1})), "2 axes");
  CHECK_COMPLAINS(bad_value, (array_layout{axis::blocks(5, 4)}.physical(5, 3)), "2^2", "2^3");
  CHECK_COMPLAINS(bad_value, (array_layout{axis::blocks(5, 4)}.physical(6, 2)), "2^5", "2^6");
  CHECK_COMPLAINS(bad_value,
                  reshape(array_layout{axis::blocks(5, 4)}, array_layout{axis::blocks(5, 2)}),
                  "2^2 processes", "on 2^1");
}
