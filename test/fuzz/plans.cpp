// SPDX-License-Identifier: BSL-1.0
// Plans of whatever permutation, layouts, map and number of processes the fuzzer makes up, of up to
// 63 bits: some elements are followed on their way, by the plan and by loops over bits.

#include <bmmc/plan/map_plan.hpp>
#include <bmmc/plan/pieces.hpp>
#include <bmmc/plan/radix.hpp>

#include "input.hpp"

namespace {

using namespace bmmc;
using fuzz::input;
using fuzz::require;

/// A x + c by its entries.
index_t image(affine_map const& map, index_t x) {
  index_t y = map.complement;
  for (unsigned j = 0; j < map.matrix.cols(); ++j)
    if ((x >> j & 1) != 0) y ^= map.matrix.column[j];
  return y;
}
index_t image(permutation<> const& p, index_t x) {
  return image(affine_map{p.matrix(), p.complement()}, x);
}

/// A layout, with and without a name.
layout::affine<> some_layout(input& in, unsigned n, unsigned p) {
  permutation<> l;
  switch (in.below(5)) {
    case 0:
      l = layout::processor_major{}.physical(n, p);
      break;
    case 1:
      l = layout::processor_minor{}.physical(n, p);
      break;
    case 2:
      l = layout::banded(in.below(n - p + 1)).physical(n, p);
      break;
    case 3:
      l = layout::gray<layout::processor_minor>{}.physical(n, p);
      break;
    default:
      l = fuzz::made_up(in, n, 40);
      break;
  }
  return layout::affine<>(l);
}

/// Rounds of some bits take block b of process k where the message would.
void follow_rounds(plan const& made, index_t k, index_t b, unsigned bits) {
  const radix_plan rounds(made, bits);
  index_t at = k;
  for (unsigned j = 0; j < rounds.rounds(); ++j) {
    const index_t v = b >> rounds.first(j) & (rounds.messages(j) - 1);
    const index_t to = rounds.target(at, j, v);
    require(rounds.source(to, j, v) == at, "who receives in a round knows who sends");
    at = to;
  }
  require(at == made.target(k, b), "rounds take a block to its target");
}

/// The s-th element of a piece arrives where the map takes it.
void follow_piece(plan const& made, input& in) {
  const unsigned m = made.bits() - made.proc_bits();
  const pieces cut(made, in.below(m + 2));
  const index_t k = in.number(made.proc_bits()), piece = in.number(64) & (cut.count() - 1),
                s = in.number(64) & (cut.elements() - 1);
  require(cut.count() * cut.elements() == made.chunk_elements(), "pieces are all of the chunk");
  require(cut.messages() * cut.message_elements() == cut.elements(), "messages are all of a piece");
  auto from = cut.gather_from(k);
  from.complement = cut.source_offset(k, piece);
  const index_t source = from(s), place = cut.gather_to()(s);
  const index_t to = made.target(k, cut.block(piece, place / cut.message_elements()));
  auto scatter = cut.scatter(to);
  scatter.complement = cut.scatter_offset(to, piece);
  require((to << m | scatter(place)) == image(made.physical(), k << m | source),
          "an element of a piece arrives at its target");
}

void try_permutation(input& in) {
  const unsigned n = in.below(64), p = in.below(n + 1), m = n - p;
  const auto source = some_layout(in, n, p), target = some_layout(in, n, p);
  const auto map = fuzz::made_up(in, n, 60);
  const plan made = make_plan(map, layout::between{source, target}, bit(p));
  require(made.rank() <= std::min(p, m) && made.messages() * made.message_elements() == bit(m),
          "the blocks of a process are its chunk");
  for (unsigned i = 0; i < 8; ++i) {
    const index_t x = in.number(n), from = image(source.map, x);
    const index_t to = image(target.map, image(map, x));
    require(image(made.physical(), from) == to, "the map from address to address");
    const index_t k = from >> m, z = made.gather(k)(from & low_bits(m));
    const index_t b = z / made.message_elements(), l = made.target(k, b);
    require(made.source(l, b) == k, "who receives knows who sends");
    require(l == to >> m, "an element goes to the process that it belongs to");
    require(made.scatter(l)(z) == (to & low_bits(m)), "and to its place there");
    require(k != l || made.stays(k) == made.message_elements(), "what stays is counted");
    follow_rounds(made, k, b, 1 + in.below(6));
  }
  follow_piece(made, in);
}

/// Which partner of an image process a domain process is, by its number: among few.
bool has_user(map_plan const& made, index_t c, index_t d, index_t offset, index_t in_block) {
  const auto users = made.of_image(c);
  if (users.count > 4096) return true;
  for (index_t t = 0; t < users.count; ++t)
    if (users.procs(t) == d)
      return (users.positions(t) ^ image(affine_map{made.block(), 0}, in_block)) == offset;
  return false;
}

void try_map(input& in) {
  const unsigned rows = in.below(64), cols = in.below(64), p = in.below(std::min(rows, cols) + 1);
  const auto domain = some_layout(in, cols, p), range = some_layout(in, rows, p);
  affine_map map{{rows, cols}, in.number(rows)};
  const unsigned given = in.below(cols + 1);  // the other columns are zero
  for (unsigned j = 0; j < given; ++j) map.matrix.column[j] = in.number(rows);
  const gather_plan made = make_gather_plan(map, layout::between{range, domain}, bit(p));
  for (unsigned i = 0; i < 8; ++i) {
    const index_t y = in.number(cols), here = image(domain.map, y);
    const index_t there = image(range.map, image(map, y));
    const index_t d = here >> (cols - p), c = there >> (rows - p);
    const index_t place = image(made.list(d), here & low_bits(cols - p));
    require(place < made.list_elements(), "a list has the place");
    require(made.address(d, place) == there, "and the address that is needed");
    const index_t first = made.place_in_list(c);
    require(first <= place && place - first < made.block_elements(), "in the block of its owner");
    const auto owners = made.of_domain(d);
    const index_t s = first / made.block_elements();
    bool is_named = owners.count > 4096;
    for (index_t t = 0; t < owners.count && !is_named; ++t)
      is_named = owners.procs(t) == c && owners.positions(t) == first;
    require(is_named && s < owners.count, "which the process knows for its partner");
    require(has_user(made, c, d, there & low_bits(rows - p), place - first),
            "the owner knows the process, and what it asks for");
  }
}

/// Values that make no sense are refused, by bad_value alone.
void try_nonsense(input& in) {
  const unsigned n = in.below(70), p = in.below(70);
  try {
    bit_matrix<> a(n, in.below(3) == 0 ? in.below(70) : n);
    for (unsigned j = 0; j < a.cols(); ++j) a.column[j] = in.number(64);
    const permutation<> map(a, in.number(64));
    std::vector<unsigned> named(in.below(70));
    for (unsigned& j : named) j = in.below(70);
    const bool is_banded = in.below(2) == 0;
    const auto made = is_banded
                          ? make_plan(map, layout::banded(in.below(70)), in.number(64))
                          : make_plan(map, layout::process_bits(std::span<unsigned const>(named)),
                                      p < 64 ? bit(p) : 0);
    const index_t x = in.number(made.bits());
    require(image(inverse(map), image(map, x)) == x, "what is taken for a permutation is one");
  } catch (bad_value const&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  input in(data, size);
  switch (in.below(3)) {
    case 0:
      try_permutation(in);
      break;
    case 1:
      try_map(in);
      break;
    default:
      try_nonsense(in);
      break;
  }
  return 0;
}
