/* SPDX-License-Identifier: BSL-1.0 */

/* Permuters with elements of many sizes: every element carries its index, and is found where the
   map and the layouts send it. */

#include "check.h"

enum { MOST = 256 * 100 }; /* bytes of a chunk at most */

static const size_t sizes[] = {1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 48, 64, 100};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Byte k of the element with index x < 256. */
static unsigned char byte_of(uint64_t x, size_t k) { return (unsigned char)(x ^ k * 37); }

static uint64_t apply(bmmc_map map, uint64_t x) {
  uint64_t y = x;
  if (map.id != 0) DO(bmmc_map_apply(map, x, &y));
  return y;
}

/* This process's part of the array of the indices, in a layout. */
static void fill(unsigned char* chunk, size_t bytes, unsigned n, bmmc_map layout) {
  const uint64_t length = (UINT64_C(1) << n) / (unsigned)processes();
  for (uint64_t x = 0; x < UINT64_C(1) << n; ++x) {
    const uint64_t at = apply(layout, x);
    if (at / length != (unsigned)my_rank()) continue;
    for (size_t k = 0; k < bytes; ++k) chunk[at % length * bytes + k] = byte_of(x, k);
  }
}
/* Whether the element with index x is at map(x), in a layout. */
static int is_right(unsigned char const* chunk, size_t bytes, unsigned n, bmmc_map map,
                    bmmc_map layout) {
  const uint64_t length = (UINT64_C(1) << n) / (unsigned)processes();
  for (uint64_t x = 0; x < UINT64_C(1) << n; ++x) {
    const uint64_t at = apply(layout, apply(map, x));
    if (at / length != (unsigned)my_rank()) continue;
    for (size_t k = 0; k < bytes; ++k)
      if (chunk[at % length * bytes + k] != byte_of(x, k)) return 0;
  }
  return 1;
}

/* No involution, no permutation of bits: bit j goes to bits j + 1 and 0, say. */
static bmmc_map mixed(unsigned n) {
  bmmc_map map = {0};
  uint64_t column[63];
  for (unsigned j = 0; j < n; ++j) column[j] = (UINT64_C(1) << (j + 1) % n) | (j + 1 < n ? 1 : 0);
  DO(bmmc_map_from_columns(n, n, column, n > 2 ? 5 : 0, &map));
  return map;
}

/* What is under way is not disturbed by other calls: another start is refused, except in one
   process without MPI, where all is done at once; a run works. */
static void try_while_under_way(bmmc_operation made, unsigned char* from, unsigned char* to,
                                size_t bytes, unsigned n, bmmc_map map, bmmc_map source,
                                bmmc_map target, int is_local) {
  static unsigned char other[MOST + 1], result[MOST];
  const uint64_t length = (UINT64_C(1) << n) / (unsigned)processes();
  memset(to, 255, MOST);
  fill(from, bytes, n, source);
  DO(bmmc_start(made, from, length, to, length));
  DO(bmmc_run(made, from, length, result, length));
  CHECK(is_right(result, bytes, n, map, target));
  memset(other, 170, MOST);
  DO(bmmc_run_in_place(made, other + 1, length));
  if (is_local)
    DO(bmmc_start_in_place(made, other + 1, length));
  else
    FAILS(bmmc_start_in_place(made, other + 1, length), BMMC_BAD_VALUE, "is under way");
  DO(bmmc_wait(made));
  CHECK(is_right(to, bytes, n, map, target) && to[length * bytes] == 255);
}

static void try_all_calls(bmmc_operation made, size_t bytes, unsigned n, bmmc_map map,
                          bmmc_map source, bmmc_map target, int is_local) {
  static unsigned char a[MOST + 1], b[MOST + 1];
  unsigned char *from = a + 1, *to = b + 1; /* at odd addresses */
  const uint64_t length = (UINT64_C(1) << n) / (unsigned)processes();
  uint64_t before = 0, after = 0;
  char text[3000];
  int done = 0;

  DO(bmmc_operation_elements(made, &before, &after));
  CHECK(before == length && after == length);
  for (int again = 0; again < 2; ++again) {
    fill(from, bytes, n, source);
    memset(to, 255, MOST);
    DO(bmmc_run(made, from, length, to, length));
    CHECK(is_right(to, bytes, n, map, target) && to[length * bytes] == 255);
    memset(to, 255, MOST);
    DO(bmmc_start(made, from, length, to, length));
    fill(from, bytes, n, source); /* it is free at once */
    DO(bmmc_wait(made));
    CHECK(is_right(to, bytes, n, map, target) && to[length * bytes] == 255);
    try_while_under_way(made, from, to, bytes, n, map, source, target, is_local);
    fill(from, bytes, n, source);
    DO(bmmc_start_in_place(made, from, length));
    for (done = 0; !done;) DO(bmmc_test(made, &done));
    CHECK(is_right(from, bytes, n, map, target));
    fill(from, bytes, n, source);
    DO(bmmc_run_in_place(made, from, length));
    CHECK(is_right(from, bytes, n, map, target));
    DO(bmmc_wait(made)); /* nothing is under way */
    CHECK(is_right(from, bytes, n, map, target));
  }
  DO(bmmc_operation_explain(made, text, sizeof text, NULL));
  CHECK(strstr(text, "elements") != NULL);

  FAILS(bmmc_run_in_place(made, from, length + 1), BMMC_BAD_VALUE, "must hold");
  FAILS(bmmc_run_in_place(made, NULL, length), BMMC_BAD_VALUE, "`data` is a null pointer");
  FAILS(bmmc_run(made, from, length, to, length / 2), BMMC_BAD_VALUE, "must hold");
  FAILS(bmmc_run(made, NULL, length, to, length), BMMC_BAD_VALUE, "`source` is a null pointer");
  FAILS(bmmc_run(made, from, length, NULL, length), BMMC_BAD_VALUE, "`target` is a null pointer");
  FAILS(bmmc_run(made, from, length, from + (length * bytes - 1), length), BMMC_BAD_VALUE,
        "source and target overlap");
  FAILS(bmmc_start(made, from, length - 1, to, length), BMMC_BAD_VALUE, "must hold");
  CHECK(is_right(from, bytes, n, map, target));
}

static void test_sizes_and_layouts(void) {
  const unsigned p = (unsigned)lg_processes(), n = p + 4;
  const uint64_t cyclic[2] = {n, (uint64_t)processes()}, banded[3] = {n, (uint64_t)processes(), 2};
  bmmc_map map = mixed(n), minor = {0}, bands = {0};
  bmmc_operation made = {0};
  DO(bmmc_map_by_name("processor_minor", 2, cyclic, &minor));
  DO(bmmc_map_by_name("banded", 3, banded, &bands));
  for (int k = 0; k < SIZES; ++k) {
    DO(bmmc_permuter(MPI_COMM_WORLD, map, sizes[k], (bmmc_map){0}, (bmmc_map){0}, &made));
    try_all_calls(made, sizes[k], n, map, (bmmc_map){0}, (bmmc_map){0}, 0);
    DO(bmmc_operation_free(&made));
    CHECK(made.id == 0);
    DO(bmmc_permuter(MPI_COMM_WORLD, map, sizes[k], minor, bands, &made));
    try_all_calls(made, sizes[k], n, map, minor, bands, 0);
    DO(bmmc_operation_free(&made));
    if (processes() == 1) {
      DO(bmmc_local_permuter(map, sizes[k], &made));
      try_all_calls(made, sizes[k], n, map, (bmmc_map){0}, (bmmc_map){0}, 1);
      DO(bmmc_operation_free(&made));
    }
  }
  DO(bmmc_map_free(&map));
  DO(bmmc_map_free(&minor));
  DO(bmmc_map_free(&bands));
}

static void test_one_call(void) {
  static unsigned char chunk[MOST];
  const unsigned p = (unsigned)lg_processes(), n = p + 4;
  const uint64_t length = (UINT64_C(1) << n) / (unsigned)processes();
  const uint64_t shape[2] = {p + 1, 3};
  bmmc_map map = mixed(n), transposed = {0};
  DO(bmmc_map_by_name("transpose", 2, shape, &transposed));
  for (int k = 0; k < SIZES; ++k) {
    for (int again = 0; again < 3; ++again) {
      fill(chunk, sizes[k], n, (bmmc_map){0});
      DO(bmmc_permute(MPI_COMM_WORLD, map, sizes[k], chunk, length));
      CHECK(is_right(chunk, sizes[k], n, map, (bmmc_map){0}));
    }
    fill(chunk, sizes[k], n, (bmmc_map){0});
    DO(bmmc_transpose(MPI_COMM_WORLD, p + 1, 3, sizes[k], chunk, length));
    CHECK(is_right(chunk, sizes[k], n, transposed, (bmmc_map){0}));
  }
  DO(bmmc_map_free(&map));
  DO(bmmc_map_free(&transposed));
}

/* The last character of the last error has all of its three bytes. */
static int ends_whole(void) {
  char const* const text = bmmc_last_error();
  const size_t length = strlen(text);
  return length > 3 && memcmp(text + length - 3, "\xE2\x82\xAC", 3) == 0;
}

/* Texts in UTF-8 that are too long are cut between characters. */
static void test_long_texts(void) {
  char long_text[3000] = {0};
  for (int before = 0; before < 4; ++before) {
    for (int k = 0; k < before; ++k) long_text[k] = 'a';
    for (int k = before; k + 3 < (int)sizeof long_text; k += 3)
      memcpy(long_text + k, "\xE2\x82\xAC", 3); /* the sign of the euro */
    CHECK(bmmc_agree(MPI_COMM_WORLD, long_text) == BMMC_BAD_VALUE && ends_whole());
    FAILS(bmmc_map_by_name(long_text, 0, NULL, &(bmmc_map){0}), BMMC_BAD_VALUE, "no map of the");
    CHECK(ends_whole());
  }
}

/* One process is wrong: all get the same error, and the next call works. */
static void test_one_is_wrong(void) {
  static unsigned char chunk[MOST];
  const unsigned p = (unsigned)lg_processes(), n = p + 4;
  const uint64_t length = 16;
  const int wrong = my_rank() == processes() - 1;
  const uint64_t zero[63] = {0};
  bmmc_map map = mixed(n), smaller = mixed(n - 1), none = {0}, freed = smaller, singular = {0};
  bmmc_map const *here = wrong ? &none : &map, *there = wrong ? &smaller : &map;
  bmmc_operation made = {0};
  int status = 0;

  fill(chunk, 8, n, none);
  FAILS(bmmc_permute(MPI_COMM_WORLD, *here, 8, chunk, length), BMMC_BAD_VALUE,
        "a handle is 0 where a map is expected");
  FAILS(bmmc_permuter(MPI_COMM_WORLD, *here, 8, none, none, &made), BMMC_BAD_VALUE,
        "a handle is 0 where a map is expected");
  FAILS(bmmc_permuter(MPI_COMM_WORLD, map, 8, none, none, wrong ? NULL : &made), BMMC_BAD_VALUE,
        "`operation` is a null pointer");
  FAILS(bmmc_permuter(MPI_COMM_WORLD, map, wrong ? 0 : 8, none, none, &made), BMMC_BAD_VALUE,
        "elements have 1 to 2^40 bytes, not 0");
  FAILS(bmmc_permute(MPI_COMM_WORLD, map, 8, wrong ? NULL : chunk, length), BMMC_BAD_VALUE,
        "null pointer");
  FAILS(bmmc_permute(MPI_COMM_WORLD, map, 8, chunk, wrong ? length - 1 : length), BMMC_BAD_VALUE,
        "must hold 16 elements, not 15");
  FAILS(bmmc_permute(MPI_COMM_WORLD, map, 12, chunk, wrong ? length - 1 : length), BMMC_BAD_VALUE,
        "must hold 16 elements, not 15");
  FAILS(bmmc_permute(MPI_COMM_WORLD, map, 8, chunk, wrong ? UINT64_C(1) << 63 : length),
        BMMC_BAD_VALUE, "too many elements of 8 bytes: 9223372036854775808, and");
  DO(bmmc_map_from_columns(n, n, zero, 0, &singular));
  FAILS(bmmc_permute(MPI_COMM_WORLD, wrong ? singular : map, 8, chunk, length), BMMC_BAD_VALUE,
        "of rank 0, is no permutation");
  FAILS(bmmc_permuter(MPI_COMM_WORLD, map, 8, none, wrong ? singular : map, &made), BMMC_BAD_VALUE,
        "of rank 0, is no permutation");
  DO(bmmc_map_free(&singular));
  DO(bmmc_map_free(&freed));
  FAILS(bmmc_permute(MPI_COMM_WORLD, *there, 8, chunk, length), BMMC_BAD_VALUE,
        "it was freed, or never made");
  if (processes() > 1) {
    bmmc_map other = {0};
    const uint64_t bits = n;
    DO(bmmc_map_by_name(wrong ? "shuffle" : "unshuffle", 1, &bits, &other));
    FAILS(bmmc_permute(MPI_COMM_WORLD, other, 8, chunk, length), BMMC_BAD_VALUE, "disagree");
    FAILS(bmmc_permuter(MPI_COMM_WORLD, map, wrong ? 4 : 8, none, none, &made), BMMC_BAD_VALUE,
          "disagree on the bytes of an element");
    FAILS(bmmc_permuter(MPI_COMM_WORLD, map, wrong ? 12 : 16, none, none, &made), BMMC_BAD_VALUE,
          "disagree on the bytes of an element");
    FAILS(bmmc_permute(MPI_COMM_WORLD, map, wrong ? 12 : 16, chunk, length), BMMC_BAD_VALUE,
          "disagree on the");
    FAILS(bmmc_permute(MPI_COMM_WORLD, map, wrong ? 11 : 12, chunk, length), BMMC_BAD_VALUE,
          "disagree on the bytes of an element");
    status = wrong ? bmmc_agree(MPI_COMM_WORLD, "my reason")
                   : bmmc_permute(MPI_COMM_WORLD, map, 8, chunk, length);
    CHECK(status == BMMC_BAD_VALUE && says("my reason"));
    FAILS(bmmc_agree(MPI_COMM_WORLD, wrong ? "another reason" : ""), BMMC_BAD_VALUE,
          "another reason");
    status = wrong ? bmmc_agree(MPI_COMM_WORLD, "")
                   : bmmc_permute(MPI_COMM_WORLD, map, 8, chunk, length);
    CHECK(status == BMMC_BAD_VALUE && says("disagree on the function called"));
    DO(bmmc_map_free(&other));
  }
  DO(bmmc_agree(MPI_COMM_WORLD, ""));
  test_long_texts();
  FAILS(bmmc_agree(MPI_COMM_WORLD, NULL), BMMC_BAD_VALUE, "null pointer");
  FAILS(bmmc_permute(MPI_COMM_NULL, map, 8, chunk, length), BMMC_BAD_VALUE, "MPI_COMM_NULL");
  CHECK(made.id == 0 && is_right(chunk, 8, n, none, none));
  DO(bmmc_permute_f(MPI_Comm_c2f(MPI_COMM_WORLD), map, 8, chunk, length));
  CHECK(is_right(chunk, 8, n, map, none));
  DO(bmmc_map_free(&map));
}

void test_permuters(void) {
  test_sizes_and_layouts();
  test_one_call();
  test_one_is_wrong();
}
