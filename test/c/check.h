/* SPDX-License-Identifier: BSL-1.0 */
#ifndef BMMC_TEST_C_CHECK_H
#define BMMC_TEST_C_CHECK_H

#include <bmmc/c/bmmc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tests in C, run by all processes alike. A failure ends them all: others may wait for this one. */
#define CHECK(what)                                                                            \
  do {                                                                                         \
    if (!(what)) {                                                                             \
      fprintf(stderr, "%s:%d: process %d: failed: %s\n  last error: %s\n", __FILE__, __LINE__, \
              my_rank(), #what, bmmc_last_error());                                            \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                            \
    }                                                                                          \
  } while (0)
/* The call succeeds. */
#define DO(call) CHECK((call) == BMMC_SUCCESS)
/* The call fails so, and says so. */
#define FAILS(call, status, words) \
  do {                             \
    CHECK((call) == (status));     \
    CHECK(says(words));            \
  } while (0)

static inline int my_rank(void) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
static inline int processes(void) {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}
static inline int lg_processes(void) {
  int p = 0;
  while (1 << p < processes()) ++p;
  return p;
}
static inline int says(char const* words) {
  const int found = strstr(bmmc_last_error(), words) != NULL;
  if (!found) fprintf(stderr, "no \"%s\" in \"%s\"\n", words, bmmc_last_error());
  return found;
}

/* Calls that all processes make; each is in a file of its own. */
void test_maps(void);
void test_plans(void);
void test_handles(void);
void test_permuters(void);
void test_arrays(void);
void test_gather_and_reduce(void);

#endif
