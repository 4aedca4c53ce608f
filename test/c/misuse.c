/* SPDX-License-Identifier: BSL-1.0 */

/* Random calls with random arguments, most of them wrong: handles of another kind, freed, never
   made; null pointers; numbers that nobody means. Each returns a status and a text, and reads and
   writes no byte that it was not given: arrays are as long as is said, so that AddressSanitizer
   sees. Run by one process, so that nobody else is waiting.  misuse CALLS SEED  */

#include "check.h"

enum { KEPT = 12, MOST_BITS = 10 };

static uint64_t state = 1;
static uint64_t any(void) { /* xorshift */
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}
static uint64_t below(uint64_t n) { return any() % n; }

/* Handles that were made, and may have been freed since: copies of one number in every kind. */
static uint64_t made[KEPT];
static size_t bytes_of[KEPT];
static uint64_t last_map, last_plan, last_array, last_operation; /* the latest of each kind */
static size_t last_bytes;
static uint64_t handle(void) {
  switch (below(8)) {
    case 0:
      return 0;
    case 1:
      return any();
    case 2:
      return made[below(KEPT)] + below(3);
    default:
      return made[below(KEPT)];
  }
}
static uint64_t either(uint64_t right) { return below(3) ? right : handle(); }
static bmmc_map a_map(void) { return (bmmc_map){either(last_map)}; }
static bmmc_plan a_plan(void) { return (bmmc_plan){either(last_plan)}; }
static bmmc_array an_array(void) { return (bmmc_array){either(last_array)}; }
static uint64_t number(void) {
  const uint64_t odd[] = {0, 63, 64, 65, UINT64_C(1) << 31, UINT64_MAX, any()};
  return below(4) == 0 ? odd[below(sizeof odd / sizeof *odd)] : below(MOST_BITS);
}
static size_t element_bytes(void) {
  const size_t sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 32, 0};
  return sizes[below(sizeof sizes / sizeof *sizes)];
}

/* What a map would have a process allocate; UINT64_MAX for a handle that is no map. */
static uint64_t elements_of(bmmc_map map) {
  unsigned rows = 0, columns = 0;
  if (bmmc_map_columns(map, &rows, &columns, NULL, NULL) != BMMC_SUCCESS) return 0;
  return UINT64_C(1) << (rows > columns ? rows : columns);
}
static int is_small(bmmc_map map) { return elements_of(map) <= UINT64_C(1) << MOST_BITS; }

static int make_map(bmmc_map* map) {
  uint64_t words[64];
  unsigned bits[64];
  static char const* const names[] = {"bit_reversal", "transpose", "cnot", "drop_bits",
                                      "gray_encode",  "banded",    "none", ""};
  for (int k = 0; k < 64; ++k) words[k] = number(), bits[k] = (unsigned)number();
  words[63] = MOST_BITS - 4;
  if (below(3) != 0) /* that others of as many bits can follow */
    return bmmc_map_by_name(names[below(2) * 4], 1, &words[63], map);
  switch (below(6)) {
    case 0:
      return bmmc_map_from_columns((unsigned)number(), (unsigned)number(), below(9) ? words : NULL,
                                   number(), map);
    case 1:
      for (unsigned k = 0; k < 64; ++k) bits[k] = (k + 1) % MOST_BITS;
      return bmmc_map_from_bits(below(2) ? MOST_BITS : (unsigned)number(), bits, number(), map);
    case 2:
      return bmmc_map_from_axes((unsigned)number(), bits, below(9) ? bits + 9 : NULL, map);
    case 3:
      return bmmc_map_compose(a_map(), a_map(), map);
    case 4:
      return bmmc_map_inverse(a_map(), map);
    default:
      return bmmc_map_by_name(below(9) ? names[below(8)] : NULL, (unsigned)below(4),
                              below(9) ? words : NULL, map);
  }
}
static int make_array(bmmc_array* array) {
  bmmc_axis axes[64];
  unsigned grid[64];
  for (int k = 0; k < 64; ++k) {
    axes[k] = (bmmc_axis){1 + below(9), below(9) ? 1 : number(), below(4), below(9) ? 0 : number()};
    grid[k] = (unsigned)below(4);
  }
  return bmmc_array_make(below(9) ? (unsigned)below(5) : (unsigned)number(), below(9) ? axes : NULL,
                         below(3) ? NULL : grid, array);
}
static int make_operation(size_t bytes, bmmc_operation* operation) {
  const bmmc_map map = a_map(), source = a_map(), target = a_map();
  const unsigned axes[3] = {(unsigned)below(3), (unsigned)below(3), (unsigned)below(3)};
  const uint64_t extents[3] = {below(9), below(9), below(9)};
  const MPI_Comm comm = below(9) ? MPI_COMM_SELF : MPI_COMM_NULL;
  if (!is_small(map) || !is_small(source) || !is_small(target)) return BMMC_BAD_VALUE;
  switch (below(6)) {
    case 0:
      return bmmc_permuter(comm, map, bytes, source, target, operation);
    case 1:
      return bmmc_gatherer(comm, map, bytes, (bmmc_map){0}, target, operation);
    case 2:
      return bmmc_reducer(comm, map, (int)below(10), (int)below(6), NULL, source, (bmmc_map){0},
                          operation);
    case 3:
      return bmmc_redistributor(comm, bytes, an_array(), an_array(), NULL, operation);
    case 4:
      return bmmc_local_transposer(3, below(9) ? extents : NULL, axes, bytes, operation);
    default:
      return bmmc_local_permuter(map, bytes, below(9) ? operation : NULL);
  }
}

/* Elements as many as the operation wants, mostly. */
static uint64_t length(uint64_t wanted) {
  return below(4) ? wanted : below(UINT64_C(1) << MOST_BITS);
}

static long moved = 0; /* calls of an operation that worked */
static int call_operation(void) {
  const uint64_t place = below(KEPT);
  const int is_last = below(3) != 0;
  const bmmc_operation operation = {is_last ? last_operation : made[place]};
  const size_t bytes = is_last ? last_bytes : bytes_of[place] ? bytes_of[place] : 32;
  uint64_t before = 0, after = 0;
  int done = 0, status = bmmc_operation_elements(operation, &before, &after);
  const uint64_t n = length(before), m = length(after),
                 both = length(before > after ? before : after);
  /* malloc may give a pointer for 0 bytes; elements of another size than meant are at most 32 bytes
   */
  char *from = calloc(n + (n == 0), bytes), *to = calloc(m + (m == 0), bytes),
       *all = calloc(both + (both == 0), bytes);
  char* const data = below(9) ? all : NULL;
  char const* const source = below(9) ? from : NULL;
  char* const target = below(9) ? to : NULL;
  switch (below(7)) {
    case 0:
      status = bmmc_run_in_place(operation, data, both);
      break;
    case 1:
      status = bmmc_start_in_place(operation, data, both);
      if (status == BMMC_SUCCESS) status = bmmc_wait(operation);
      break;
    case 2:
      status = bmmc_start(operation, source, n, target, m);
      while (status == BMMC_SUCCESS && !done) status = bmmc_test(operation, &done);
      break;
    case 3:
      status = bmmc_operation_explain(operation, data, both < 40 ? both : 40, NULL);
      break;
    case 4:
      status = bmmc_test(operation, below(2) ? &done : NULL);
      break;
    default:
      status = bmmc_run(operation, source, n, target, m);
  }
  moved += status == BMMC_SUCCESS;
  free(from);
  free(to);
  free(all);
  return status;
}

static int ask(void) {
  bmmc_plan_facts facts;
  uint64_t out = 0;
  char text[30];
  switch (below(7)) {
    case 0:
      return bmmc_map_apply(a_map(), number(), below(9) ? &out : NULL);
    case 1:
      return bmmc_plan_ask(a_plan(), below(9) ? &facts : NULL);
    case 2:
      return bmmc_plan_target(a_plan(), number(), number(), &out);
    case 3:
      return bmmc_plan_explain(a_plan(), below(9) ? text : NULL, below(sizeof text + 1), NULL);
    case 4:
      return bmmc_array_count(an_array(), number(), &out);
    case 5:
      return bmmc_array_index(an_array(), number(), number(), &out);
    default:
      return bmmc_agree(MPI_COMM_SELF, below(2) ? "" : below(2) ? NULL : "no");
  }
}

/* Makes something in a place, or frees what is there, maybe as another kind; its number stays. */
static int change(void) {
  const uint64_t place = below(KEPT);
  uint64_t copy = made[place], fresh = 0;
  size_t bytes = 0;
  int status = 0;
  switch (below(8)) {
    case 0:
      return bmmc_map_free((bmmc_map*)&copy);
    case 1:
      return bmmc_plan_free((bmmc_plan*)&copy);
    case 2:
      return bmmc_array_free((bmmc_array*)&copy);
    case 3:
      return bmmc_operation_free((bmmc_operation*)&copy);
    case 4: {
      bmmc_plan plan = {0};
      status = bmmc_plan_make(a_map(), a_map(), a_map(), UINT64_C(1) << below(5), &plan);
      fresh = last_plan = plan.id;
      break;
    }
    case 5: {
      bmmc_array array = {0};
      status = make_array(&array);
      fresh = last_array = array.id;
      break;
    }
    case 6: {
      bmmc_operation operation = {0};
      bytes = element_bytes();
      status = make_operation(bytes, &operation);
      fresh = operation.id;
      if (bytes < 16) bytes = 16; /* what reduces has at most so many */
      if (fresh != 0) last_operation = fresh, last_bytes = bytes;
      break;
    }
    default: {
      bmmc_map map = {0};
      status = make_map(&map);
      fresh = map.id;
      if (fresh != 0) last_map = fresh;
    }
  }
  CHECK((fresh != 0) == (status == BMMC_SUCCESS));
  if (fresh != 0 && below(4) != 0) made[place] = fresh, bytes_of[place] = bytes;
  return status;
}

int main(int argc, char** argv) {
  long failed = 0, worked = 0;
  const long calls = argc > 1 ? atol(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  state = argc > 2 ? (uint64_t)atol(argv[2]) : 1;
  for (long k = 0; k < calls; ++k) {
    const uint64_t kind = below(4);
    const int status = kind == 0 ? ask() : kind == 1 ? call_operation() : change();
    CHECK(status >= BMMC_SUCCESS && status < BMMC_OTHER_ERROR);
    if (status == BMMC_SUCCESS) ++worked;
    if (status != BMMC_SUCCESS) ++failed;
    CHECK(failed == 0 || bmmc_last_error()[0] != '\0');
  }
  printf("%ld calls worked, %ld of them of operations; %ld failed\n", worked, moved, failed);
  CHECK(moved > calls / 100 && worked > calls / 20 && failed > calls / 4);
  MPI_Finalize();
  return 0;
}
