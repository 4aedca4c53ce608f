// SPDX-License-Identifier: BSL-1.0

// Whole plans in constant expressions: to compile is to pass.

#include <bmmc/planning.hpp>

namespace {

using namespace bmmc;
constexpr layout::processor_major by_blocks{};

/// Both ends of every message agree, and the plan takes each index to p(index): some of them, as
/// clang allows about 2^12 steps.
constexpr bool carries_out(plan const& made, permutation<> const& p, index_t stride) {
  const unsigned m = made.bits() - made.proc_bits();
  for (index_t x = 0; x < bit(made.bits()); x += stride) {
    const index_t proc = x >> m, gathered = made.gather(proc)(x & low_bits(m));
    const index_t step = gathered / made.message_elements(), target = made.target(proc, step);
    if (made.source(target, step) != proc) return false;
    if (((target << m) | made.scatter(target)(gathered)) != p(x)) return false;
  }
  return true;
}

// bit reversal of 2^20 elements over 8 processes: all to all, one 64th each
constexpr plan reversal = make_plan(bit_reversal<20>(), by_blocks, 8);
static_assert(reversal.bits() == 20 && reversal.procs() == 8 &&
              reversal.chunk_elements() == 131072);
static_assert(reversal.rank() == 3 && reversal.messages() == 8);
static_assert(reversal.message_elements() == 16384);
static_assert(reversal.stays() == 131072 && !reversal.is_local());
static_assert(carries_out(reversal, bit_reversal(20), 4099));

// transpose of 2^9 x 2^11 over 16 processes
constexpr plan transposition = make_plan(transpose<9, 11>(), by_blocks, 16);
static_assert(transposition.messages() == 16 && transposition.message_elements() == 4096);
static_assert(carries_out(transposition, transpose(9, 11), 4099));

// column sums of 2^9 x 2^11 over 16 processes: each has its share of every process's sums
constexpr reduce_plan column_sums = make_reduce_plan(drop_axes({9, 11}, {0}), by_blocks, 16);
static_assert(column_sums.received(3) == traffic{15, 15 * 128} && !column_sums.is_local());
static_assert(make_gather_plan(drop_axes({9, 11}, {1}), by_blocks, 16).is_local());

// Gray code: each process's block becomes another's, one to one
constexpr plan gray_code = make_plan(gray_encode<20>(), by_blocks, 8);
static_assert(gray_code.messages() == 1 &&
              gray_code.message_elements() == gray_code.chunk_elements());
static_assert(gray_code.target(5, 0) == 0b111 && gray_code.source(0b111, 0) == 5);
static_assert(gray_code.stays(0) == 131072 && gray_code.stays(5) == 0);
static_assert(gray_code.stays() == 2 * 131072);  // processes 0 and 1
static_assert(carries_out(gray_code, gray_encode(20), 4099));

// the same, dealt out: the process bits are the low ones, and only one of them gets a higher one
constexpr plan gray_cyclic = make_plan(gray_encode<20>(), layout::processor_minor{}, 8);
static_assert(gray_cyclic.messages() == 2 && gray_cyclic.message_elements() == 65536);

// redistribution, local plans, one process, one element each, and the largest
constexpr plan dealt =
    make_plan(permutation<10>{}, layout::between{by_blocks, layout::processor_minor{}}, index_t{4});
static_assert(dealt.messages() == 4 && dealt == make_plan(block_to_cyclic(10, 4), by_blocks, 4));
static_assert(make_plan(shuffle<10>(), by_blocks, 1).is_local());
static_assert(make_plan(flip<10>(3), by_blocks, 8).is_local());
static_assert(!make_plan(flip<10>(7), by_blocks, 8).is_local());
static_assert(make_plan(bit_reversal<3>(), by_blocks, 8).messages() == 1);
static_assert(make_plan(permutation<0>{}, by_blocks, 1).is_local());
static_assert(make_plan(bit_reversal<63>(), by_blocks, bit(31)).message_elements() == 2);

// a plan made for a permutation that is a template argument
template <permutation<12> P>
constexpr plan over_four = make_plan(P, by_blocks, 4);
static_assert(over_four<bit_reversal<12>()>.messages() == 4);
static_assert(over_four<vector_reversal<12>()>.target(0, 0) == 3);

}  // namespace

int main() {}
