/* SPDX-License-Identifier: BSL-1.0 */

/* Arrays of any extents over any number of processes, with elements of any size. */

#include "check.h"

enum { MOST = 6 * 5 * 4 * 48 };

static unsigned char byte_of(uint64_t x, size_t k) { return (unsigned char)(x ^ k * 37); }

/* Elements of this process, each with its index in the whole array. */
static uint64_t fill(bmmc_array array, unsigned char* chunk, size_t bytes) {
  uint64_t count = 0, x = 0;
  DO(bmmc_array_count(array, (uint64_t)my_rank(), &count));
  for (uint64_t i = 0; i < count; ++i) {
    DO(bmmc_array_index(array, (uint64_t)my_rank(), i, &x));
    for (size_t k = 0; k < bytes; ++k) chunk[i * bytes + k] = byte_of(x, k);
  }
  return count;
}
/* Whether element (c, a, b) of the target is (a, b, c) of the 6 x 5 x 4 source, or each its own. */
static int is_right(bmmc_array array, unsigned char const* chunk, size_t bytes, int transposed) {
  uint64_t count = 0, y = 0;
  DO(bmmc_array_count(array, (uint64_t)my_rank(), &count));
  for (uint64_t i = 0; i < count; ++i) {
    DO(bmmc_array_index(array, (uint64_t)my_rank(), i, &y));
    const uint64_t c = y / 30, a = y / 5 % 6, b = y % 5;
    const uint64_t x = transposed ? (a * 5 + b) * 4 + c : y;
    for (size_t k = 0; k < bytes; ++k)
      if (chunk[i * bytes + k] != byte_of(x, k)) return 0;
  }
  return 1;
}

static void try_all_calls(bmmc_array from, bmmc_array to, unsigned const* axes, size_t bytes) {
  static unsigned char a[MOST], b[MOST];
  bmmc_operation made = {0};
  uint64_t before = 0, after = 0;
  char text[3000];
  int done = 0;
  DO(bmmc_redistributor(MPI_COMM_WORLD, bytes, from, to, axes, &made));
  DO(bmmc_operation_elements(made, &before, &after));
  const uint64_t both = before > after ? before : after;
  CHECK(fill(from, a, bytes) == before);
  DO(bmmc_run(made, a, before, b, after));
  CHECK(is_right(to, b, bytes, axes != NULL));
  memset(b, 255, sizeof b);
  DO(bmmc_start(made, a, before, b, after));
  DO(bmmc_wait(made));
  CHECK(is_right(to, b, bytes, axes != NULL));
  DO(bmmc_start_in_place(made, a, both));
  while (!done) DO(bmmc_test(made, &done));
  CHECK(is_right(to, a, bytes, axes != NULL));
  fill(from, a, bytes);
  DO(bmmc_run_in_place(made, a, both));
  CHECK(is_right(to, a, bytes, axes != NULL));
  DO(bmmc_operation_explain(made, text, sizeof text, NULL));
  FAILS(bmmc_run(made, a, before + 1, b, after), BMMC_BAD_VALUE, "must hold");
  DO(bmmc_operation_free(&made));
}

void test_arrays(void) {
  const uint64_t procs = (uint64_t)processes();
  const size_t sizes[] = {1, 3, 4, 8, 12, 16, 48};
  const bmmc_axis slabs[3] = {{6, procs, 0, 0}, {5, 1, 0, 0}, {4, 1, 0, 0}};
  const bmmc_axis dealt[3] = {{6, 1, 0, 0}, {5, procs, 2, procs - 1}, {4, 1, 0, 0}};
  const bmmc_axis turned[3] = {{4, procs, 1, 0}, {6, 1, 0, 0}, {5, 1, 0, 0}};
  const bmmc_axis empty[1] = {{0, 1, 0, 0}}, beyond[1] = {{5, 2, 0, 2}};
  const unsigned axes[3] = {2, 0, 1}, twice[3] = {0, 1, 1};
  const uint64_t extents[3] = {6, 5, 4};
  bmmc_array rows = {0}, columns = {0}, target = {0}, none = {0};
  bmmc_operation made = {0};
  uint64_t y = 0;
  DO(bmmc_array_make(3, slabs, NULL, &rows));
  DO(bmmc_array_make(3, dealt, axes, &columns));
  DO(bmmc_array_make(3, turned, NULL, &target));
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
    try_all_calls(rows, columns, NULL, sizes[k]);
    try_all_calls(columns, target, axes, sizes[k]);
    if (processes() == 1) {
      static unsigned char a[MOST], b[MOST];
      fill(rows, a, sizes[k]);
      DO(bmmc_local_transposer(3, extents, axes, sizes[k], &made));
      DO(bmmc_run(made, a, 120, b, 120));
      CHECK(is_right(target, b, sizes[k], 1));
      FAILS(bmmc_run_in_place(made, a, 120), BMMC_BAD_VALUE, "from a source to a target");
      DO(bmmc_operation_free(&made));
    }
  }
  {
    const int wrong = my_rank() == processes() - 1;
    FAILS(bmmc_redistributor(MPI_COMM_WORLD, 8, wrong ? none : rows, columns, NULL, &made),
          BMMC_BAD_VALUE, "a handle is 0 where an array is expected");
    FAILS(bmmc_redistributor(MPI_COMM_WORLD, 8, rows, target, wrong ? twice : axes, &made),
          BMMC_BAD_VALUE, "axis 1 is named twice");
    FAILS(bmmc_redistributor(MPI_COMM_WORLD, 8, rows, target, NULL, &made), BMMC_BAD_VALUE, "");
    CHECK(made.id == 0);
  }
  FAILS(bmmc_array_make(1, empty, NULL, &none), BMMC_BAD_VALUE, "none of them may be 0");
  FAILS(bmmc_array_make(1, beyond, NULL, &none), BMMC_BAD_VALUE, "cannot lie on process 2");
  FAILS(bmmc_array_make(3, slabs, twice, &none), BMMC_BAD_VALUE, "named twice");
  FAILS(bmmc_array_make(3, NULL, NULL, &none), BMMC_BAD_VALUE, "`axis` is a null pointer");
  FAILS(bmmc_array_index(rows, procs, 0, &y), BMMC_BAD_VALUE, "has 0 elements");
  FAILS(bmmc_local_transposer(3, extents, twice, 8, &made), BMMC_BAD_VALUE, "named twice");
  DO(bmmc_array_free(&rows));
  DO(bmmc_array_free(&columns));
  DO(bmmc_array_free(&target));
}
