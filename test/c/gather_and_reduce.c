/* SPDX-License-Identifier: BSL-1.0 */

/* Gathers, and reductions of every type of number, against loops. */

#include "check.h"

#include <complex.h>
#include <math.h>

static uint64_t dropped(uint64_t x) { return x % 2 + x / 8 * 2; } /* without bits 1 and 2 */

static void test_gather(void) {
  const unsigned n = (unsigned)lg_processes() + 2; /* of the source; two more of the target */
  const uint64_t parameters[3] = {n + 2, 1, 2};
  bmmc_map map = {0}, none = {0};
  bmmc_operation made = {0};
  uint64_t source[4], target[16];
  unsigned char small[12], large[48];
  const uint64_t me = (uint64_t)my_rank();
  DO(bmmc_map_by_name("drop_bits", 3, parameters, &map));
  for (uint64_t i = 0; i < 4; ++i) {
    source[i] = me * 4 + i;
    for (unsigned k = 0; k < 3; ++k) small[3 * i + k] = (unsigned char)(me * 4 + i + 50 * k);
  }
  DO(bmmc_gatherer(MPI_COMM_WORLD, map, 8, none, none, &made));
  DO(bmmc_run(made, source, 4, target, 16));
  for (uint64_t i = 0; i < 16; ++i) CHECK(target[i] == dropped(me * 16 + i));
  FAILS(bmmc_run_in_place(made, target, 16), BMMC_BAD_VALUE, "from a source to a target");
  FAILS(bmmc_start(made, source, 4, target, 16), BMMC_BAD_VALUE, "in one step");
  FAILS(bmmc_run(made, source, 4, target, 15), BMMC_BAD_VALUE, "4 and 16 elements, not 4 and 15");
  DO(bmmc_operation_free(&made));
  DO(bmmc_gatherer(MPI_COMM_WORLD, map, 3, none, none, &made)); /* padded */
  DO(bmmc_run(made, small, 4, large, 16));
  for (uint64_t i = 0; i < 16; ++i)
    for (unsigned k = 0; k < 3; ++k)
      CHECK(large[3 * i + k] == (unsigned char)(dropped(me * 16 + i) + 50 * k));
  DO(bmmc_operation_free(&made));
  DO(bmmc_map_free(&map));
}

/* Source element x is x % 5 + 1; target y has the four x that drop two bits to it. */
static int number(uint64_t x) { return (int)(x % 5) + 1; }
static int combined(int combine, uint64_t y) {
  int all = 0;
  for (uint64_t k = 0; k < 4; ++k) {
    const int one = number(y % 2 + 2 * k + y / 2 * 8);
    if (k == 0)
      all = one;
    else if (combine == BMMC_SUM)
      all += one;
    else if (combine == BMMC_PROD)
      all *= one;
    else if (combine == BMMC_MIN ? one < all : one > all)
      all = one;
  }
  return all;
}

#define TRY(type, T)                                                                          \
  do {                                                                                        \
    T source[16], target[4];                                                                  \
    for (uint64_t i = 0; i < 16; ++i) source[i] = (T)number(me * 16 + i);                     \
    for (int c = BMMC_SUM; c <= ((type) >= BMMC_COMPLEX_FLOAT ? BMMC_PROD : BMMC_MAX); ++c) { \
      DO(bmmc_reducer(MPI_COMM_WORLD, map, (type), c, NULL, none, none, &made));              \
      DO(bmmc_run(made, source, 16, target, 4));                                              \
      for (uint64_t i = 0; i < 4; ++i) CHECK(target[i] == (T)combined(c, me * 4 + i));        \
      DO(bmmc_operation_free(&made));                                                         \
    }                                                                                         \
  } while (0)

static void test_reduce(void) {
  const uint64_t parameters[3] = {(uint64_t)lg_processes() + 4, 1, 2};
  const uint64_t me = (uint64_t)my_rank(), last = (uint64_t)processes() * 4 - 1;
  const uint64_t zero[63] = {0};
  const double minus = -1;
  double source[16], target[4];
  bmmc_map map = {0}, none = {0}, to_zero = {0};
  bmmc_operation made = {0};
  DO(bmmc_map_by_name("drop_bits", 3, parameters, &map));
  TRY(BMMC_INT32, int32_t);
  TRY(BMMC_INT64, int64_t);
  TRY(BMMC_UINT32, uint32_t);
  TRY(BMMC_UINT64, uint64_t);
  TRY(BMMC_FLOAT, float);
  TRY(BMMC_DOUBLE, double);
  TRY(BMMC_COMPLEX_FLOAT, float _Complex);
  TRY(BMMC_COMPLEX_DOUBLE, double _Complex);

  /* All source elements go to the last target; the others have none. */
  DO(bmmc_map_from_columns((unsigned)lg_processes() + 2, (unsigned)lg_processes() + 4, zero, last,
                           &to_zero));
  DO(bmmc_reducer(MPI_COMM_WORLD, to_zero, BMMC_DOUBLE, BMMC_SUM, &minus, none, none, &made));
  for (int i = 0; i < 16; ++i) source[i] = 1;
  DO(bmmc_run(made, source, 16, target, 4));
  for (uint64_t i = 0; i < 4; ++i)
    CHECK(target[i] == (me * 4 + i == last ? 16.0 * processes() : -1));
  FAILS(bmmc_run(made, (char*)source + 1, 16, target, 4), BMMC_BAD_VALUE, "no multiple of 8 bytes");
  DO(bmmc_operation_free(&made));

  {
    const int wrong = my_rank() == processes() - 1;
    FAILS(bmmc_reducer(MPI_COMM_WORLD, map, wrong ? 99 : BMMC_DOUBLE, BMMC_SUM, NULL, none, none,
                       &made),
          BMMC_BAD_VALUE, "there is no bmmc_type 99");
    FAILS(bmmc_reducer(MPI_COMM_WORLD, map, BMMC_DOUBLE, wrong ? 0 : 1, NULL, none, none, &made),
          BMMC_BAD_VALUE, "there is no bmmc_combine 0");
    FAILS(bmmc_reducer(MPI_COMM_WORLD, map, BMMC_COMPLEX_FLOAT, BMMC_MIN, NULL, none, none, &made),
          BMMC_BAD_VALUE, "complex numbers have no order");
    if (processes() > 1)
      FAILS(bmmc_reducer(MPI_COMM_WORLD, map, BMMC_INT64, wrong ? BMMC_MIN : BMMC_MAX, NULL, none,
                         none, &made),
            BMMC_BAD_VALUE, "disagree on the operation");
  }
  DO(bmmc_map_free(&map));
  DO(bmmc_map_free(&to_zero));
}

/* Of sixteen numbers that go to one target each is NaN in turn; so is what is left, for both types.
 */
static void test_nan(void) {
  const uint64_t parameters[3] = {4 + (uint64_t)lg_processes(), 0, 4};
  bmmc_map map = {0}, none = {0};
  bmmc_operation made = {0};
  DO(bmmc_map_by_name("drop_bits", 3, parameters, &map));
  for (int combine = BMMC_MIN; combine <= BMMC_MAX; ++combine) {
    float one[16], least_one = 0;
    double two[16], least_two = 0;
    for (int k = 0; k < 16; ++k) {
      for (int i = 0; i < 16; ++i) one[i] = (float)(two[i] = i == k ? (double)NAN : i * 7 % 16);
      DO(bmmc_reducer(MPI_COMM_WORLD, map, BMMC_FLOAT, combine, NULL, none, none, &made));
      DO(bmmc_run(made, one, 16, &least_one, 1));
      DO(bmmc_operation_free(&made));
      DO(bmmc_reducer(MPI_COMM_WORLD, map, BMMC_DOUBLE, combine, NULL, none, none, &made));
      DO(bmmc_run(made, two, 16, &least_two, 1));
      DO(bmmc_operation_free(&made));
      CHECK(isnan(least_one) && isnan(least_two));
    }
  }
  DO(bmmc_map_free(&map));
}

void test_gather_and_reduce(void) {
  test_gather();
  test_nan();
  test_reduce();
}
