/* SPDX-License-Identifier: BSL-1.0 */

/* Maps and plans, against loops over all indices. */

#include "check.h"

static uint64_t apply(bmmc_map map, uint64_t x) {
  uint64_t y = 0;
  DO(bmmc_map_apply(map, x, &y));
  return y;
}
static bmmc_map named(char const* name, unsigned count, uint64_t a, uint64_t b, uint64_t c) {
  const uint64_t parameters[3] = {a, b, c};
  bmmc_map map = {0};
  DO(bmmc_map_by_name(name, count, parameters, &map));
  return map;
}

/* What each name does to the index x of n = 6 bits. */
static uint64_t expected(char const* name, uint64_t x) {
  const uint64_t n = 6, all = 63;
  uint64_t y = 0;
  if (strcmp(name, "identity") == 0 || strcmp(name, "processor_major") == 0) return x;
  if (strcmp(name, "bit_reversal") == 0) {
    for (unsigned j = 0; j < n; ++j) y |= (x >> j & 1) << (n - 1 - j);
    return y;
  }
  if (strcmp(name, "vector_reversal") == 0) return all - x;
  if (strcmp(name, "shuffle") == 0) return x < 32 ? 2 * x : 2 * (x - 32) + 1;
  if (strcmp(name, "unshuffle") == 0) return x % 2 == 0 ? x / 2 : 32 + x / 2;
  if (strcmp(name, "gray_encode") == 0) return x ^ x / 2;
  if (strcmp(name, "gray_decode") == 0) {
    for (uint64_t shifted = x; shifted != 0; shifted /= 2) y ^= shifted;
    return y;
  }
  if (strcmp(name, "rotate_bits") == 0) return (x << 2 | x >> 4) & all;
  if (strcmp(name, "morton_encode") == 0) {
    for (unsigned j = 0; j < 3; ++j) y |= (x >> j & 1) << 2 * j | (x >> (3 + j) & 1) << (2 * j + 1);
    return y;
  }
  if (strcmp(name, "morton_decode") == 0) {
    for (unsigned j = 0; j < 3; ++j) y |= (x >> 2 * j & 1) << j | (x >> (2 * j + 1) & 1) << (3 + j);
    return y;
  }
  if (strcmp(name, "flip") == 0) return x ^ 4;
  if (strcmp(name, "swap_bits") == 0) return (x & 51) | (x >> 2 & 1) << 3 | (x >> 3 & 1) << 2;
  if (strcmp(name, "cnot") == 0) return x ^ (x >> 2 & 1) << 3;
  if (strcmp(name, "transpose") == 0) return x % 16 * 4 + x / 16;      /* 4 x 16 */
  if (strcmp(name, "block_to_cyclic") == 0) return x % 4 * 16 + x / 4; /* 4 processes */
  if (strcmp(name, "cyclic_to_block") == 0) return x / 16 + x % 16 * 4;
  if (strcmp(name, "processor_minor") == 0) return x % 4 * 16 + x / 4;
  if (strcmp(name, "banded") == 0) return x / 8 % 4 * 16 + x / 32 * 8 + x % 8; /* blocks of 8 */
  if (strcmp(name, "gray_processes") == 0) return (x / 16 ^ x / 32) * 16 + x % 16;
  if (strcmp(name, "drop_bits") == 0) return x % 4 + x / 8 * 4; /* without bit 2 */
  CHECK(!"a name without an expected value");
  return 0;
}

static void test_names(void) {
  static struct {
    char const* name;
    unsigned count;
    uint64_t a, b, c;
  } const all[] = {
      {"identity", 1, 6, 0, 0},
      {"bit_reversal", 1, 6, 0, 0},
      {"vector_reversal", 1, 6, 0, 0},
      {"shuffle", 1, 6, 0, 0},
      {"unshuffle", 1, 6, 0, 0},
      {"gray_encode", 1, 6, 0, 0},
      {"gray_decode", 1, 6, 0, 0},
      {"rotate_bits", 2, 6, 2, 0},
      {"morton_encode", 2, 6, 2, 0},
      {"morton_decode", 2, 6, 2, 0},
      {"flip", 2, 6, 2, 0},
      {"swap_bits", 3, 6, 2, 3},
      {"cnot", 3, 6, 2, 3},
      {"transpose", 2, 2, 4, 0},
      {"block_to_cyclic", 2, 6, 4, 0},
      {"cyclic_to_block", 2, 6, 4, 0},
      {"processor_major", 2, 6, 4, 0},
      {"processor_minor", 2, 6, 4, 0},
      {"banded", 3, 6, 4, 3},
      {"gray_processes", 2, 6, 4, 0},
      {"drop_bits", 3, 6, 2, 1},
  };
  for (size_t k = 0; k < sizeof(all) / sizeof(*all); ++k) {
    bmmc_map map = named(all[k].name, all[k].count, all[k].a, all[k].b, all[k].c);
    for (uint64_t x = 0; x < 64; ++x) {
      if (apply(map, x) != expected(all[k].name, x))
        fprintf(stderr, "%s takes %d to %d\n", all[k].name, (int)x, (int)apply(map, x));
      CHECK(apply(map, x) == expected(all[k].name, x));
    }
    DO(bmmc_map_free(&map));
  }
}

/* As many steps as nobody needs, and more than fit 32 bits. */
static void test_rotations(void) {
  const uint64_t steps[] = {6, 8, (UINT64_C(1) << 20) + 1, (UINT64_C(1) << 32) + 3, UINT64_MAX};
  for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
    bmmc_map map = named("rotate_bits", 2, 6, steps[k], 0);
    const unsigned r = (unsigned)(steps[k] % 6);
    for (uint64_t x = 0; x < 64; ++x) CHECK(apply(map, x) == ((x << r | x >> (6 - r)) & 63));
    DO(bmmc_map_free(&map));
    map = named("rotate_bits", 2, 0, steps[k], 0);
    CHECK(apply(map, 0) == 0);
    DO(bmmc_map_free(&map));
  }
}

void test_maps(void) {
  const uint64_t column[3] = {3, 4, 2}; /* x0 -> bits 0 and 1, x1 -> bit 2, x2 -> bit 1 */
  const unsigned target_of[3] = {1, 2, 0};
  const unsigned lg_extent[3] = {1, 2, 1}, axes[3] = {2, 0, 1};
  uint64_t got[63], complement = 0, y = 0;
  unsigned rows = 0, columns = 0;
  bmmc_map map = {0}, bits = {0}, both = {0}, back = {0};

  test_names();
  test_rotations();
  DO(bmmc_map_from_columns(3, 3, column, 5, &map));
  for (uint64_t x = 0; x < 8; ++x)
    CHECK(apply(map, x) == ((x & 1 ? 3U : 0U) ^ (x & 2 ? 4U : 0U) ^ (x & 4 ? 2U : 0U) ^ 5U));
  DO(bmmc_map_from_bits(3, target_of, 1, &bits));
  for (uint64_t x = 0; x < 8; ++x) CHECK(apply(bits, x) == (((x << 1 | x >> 2) & 7) ^ 1));
  DO(bmmc_map_compose(map, bits, &both));
  DO(bmmc_map_inverse(both, &back));
  for (uint64_t x = 0; x < 8; ++x) {
    CHECK(apply(both, x) == apply(map, apply(bits, x)));
    CHECK(apply(back, apply(both, x)) == x);
  }
  DO(bmmc_map_columns(map, &rows, &columns, got, &complement));
  CHECK(rows == 3 && columns == 3 && memcmp(got, column, sizeof column) == 0 && complement == 5);
  DO(bmmc_map_columns(map, NULL, NULL, NULL, NULL));
  DO(bmmc_map_free(&both));

  DO(bmmc_map_from_axes(3, lg_extent, axes, &both)); /* 2 x 4 x 2: (a, b, c) to (c, a, b) */
  for (uint64_t a = 0; a < 2; ++a)
    for (uint64_t b = 0; b < 4; ++b)
      for (uint64_t c = 0; c < 2; ++c) CHECK(apply(both, a * 8 + b * 2 + c) == c * 8 + a * 4 + b);

  FAILS(bmmc_map_apply(map, 8, &y), BMMC_BAD_VALUE, "more than 3 bits");
  FAILS(bmmc_map_from_columns(2, 3, column, 0, &back), BMMC_BAD_VALUE, "more than 2 bits");
  FAILS(bmmc_map_from_columns(3, 3, column, 8, &back), BMMC_BAD_VALUE, "complement 8");
  FAILS(bmmc_map_from_columns(3, 3, NULL, 0, &back), BMMC_BAD_VALUE, "`column` is a null pointer");
  FAILS(bmmc_map_from_columns(65, 1, column, 0, &back), BMMC_BAD_VALUE, "64 x 64");
  FAILS(bmmc_map_from_columns(3, 4000000000U, column, 0, &back), BMMC_BAD_VALUE, "at most 64");
  FAILS(bmmc_map_from_bits(3, lg_extent, 0, &back), BMMC_BAD_VALUE, "taken once");
  FAILS(bmmc_map_from_axes(3, lg_extent, lg_extent, &back), BMMC_BAD_VALUE,
        "axis 1 is named twice");
  FAILS(bmmc_map_by_name("bitreversal", 1, column, &back), BMMC_BAD_VALUE, "no map of the name");
  FAILS(bmmc_map_by_name("transpose", 1, column, &back), BMMC_BAD_VALUE, "has 2 parameters, not 1");
  FAILS(bmmc_map_by_name(NULL, 0, NULL, &back), BMMC_BAD_VALUE, "`name` is a null pointer");
  FAILS(bmmc_map_compose(both, map, &back), BMMC_BAD_VALUE, "cannot follow");
  got[0] = 64;
  FAILS(bmmc_map_by_name("identity", 1, got, &back), BMMC_BAD_VALUE, "at most 63 bits");
  got[0] = got[1] = 40;
  FAILS(bmmc_map_by_name("transpose", 2, got, &back), BMMC_BAD_VALUE, "at most 63 bits");
  DO(bmmc_map_free(&both));
  both = named("drop_bits", 3, 6, 2, 1);
  FAILS(bmmc_map_inverse(both, &map), BMMC_BAD_VALUE, "is no permutation");
  DO(bmmc_map_free(&map));
  DO(bmmc_map_free(&bits));
  DO(bmmc_map_free(&both));
  DO(bmmc_map_free(&back));
}

/* A plan says what a loop over all elements counts. */
void test_plans(void) {
  const uint64_t procs = 4, chunk = 16;
  bmmc_map reverse = named("bit_reversal", 1, 6, 0, 0),
           cyclic = named("processor_minor", 2, 6, 4, 0);
  bmmc_plan plan = {0};
  bmmc_plan_facts facts;
  char text[40], whole[4000];
  size_t length = 0, again = 0;
  uint64_t moving = 0, target = 9;
  int sent[4][4] = {{0}};

  DO(bmmc_plan_make(reverse, cyclic, (bmmc_map){0}, procs, &plan));
  DO(bmmc_plan_ask(plan, &facts));
  for (uint64_t x = 0; x < 64; ++x) {
    const uint64_t from = apply(cyclic, x) / chunk, to = apply(reverse, x) / chunk;
    moving += from != to;
    ++sent[from][to];
  }
  CHECK(facts.procs == procs && facts.chunk_elements == chunk && facts.moving_elements == moving);
  for (uint64_t proc = 0; proc < procs; ++proc) {
    for (uint64_t step = 0; step < facts.messages; ++step) {
      DO(bmmc_plan_target(plan, proc, step, &target));
      CHECK(sent[proc][target] == (int)facts.message_elements);
      sent[proc][target] = 0;
    }
    for (uint64_t to = 0; to < procs; ++to) CHECK(sent[proc][to] == 0);
  }
  DO(bmmc_plan_explain(plan, whole, sizeof whole, &length));
  CHECK(length == strlen(whole) && strstr(whole, "64 elements (2^6) on 4 processes") != NULL);
  DO(bmmc_plan_explain(plan, text, sizeof text, &again));
  CHECK(again == length && strlen(text) == sizeof text - 1 && strncmp(text, whole, 39) == 0);
  DO(bmmc_plan_explain(plan, NULL, 0, &length));

  FAILS(bmmc_plan_explain(plan, NULL, 5, &length), BMMC_BAD_VALUE, "null pointer");
  FAILS(bmmc_plan_target(plan, 4, 0, &target), BMMC_BAD_VALUE, "no message 0 of process 4");
  FAILS(bmmc_plan_ask(plan, NULL), BMMC_BAD_VALUE, "`facts` is a null pointer");
  DO(bmmc_plan_free(&plan));
  FAILS(bmmc_plan_make(reverse, cyclic, cyclic, 3, &plan), BMMC_BAD_VALUE, "power of two, not 3");
  FAILS(bmmc_plan_make(reverse, cyclic, cyclic, 128, &plan), BMMC_BAD_VALUE, "cannot be spread");
  CHECK(plan.id == 0);
  DO(bmmc_map_free(&reverse));
  DO(bmmc_map_free(&cyclic));
}
