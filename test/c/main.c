/* SPDX-License-Identifier: BSL-1.0 */

/* The tests of the C interface:  mpirun -np N ./c_interface N  */

#include "check.h"

int main(int argc, char** argv) {
  int all_right = 0, done = 1;
  bmmc_map map = {0};
  /* Before MPI: maps and local operations only. */
  const uint64_t n = 4;
  CHECK(bmmc_last_error()[0] == '\0');
  DO(bmmc_map_by_name("bit_reversal", 1, &n, &map));
  {
    unsigned char source[16], target[16];
    for (unsigned i = 0; i < 16; ++i) source[i] = (unsigned char)i;
    DO(bmmc_local_permute(map, 1, source, target, 16));
    CHECK(target[8] == 1 && target[12] == 3 && target[4] == 2);
    CHECK(bmmc_permute(MPI_COMM_WORLD, map, 1, source, 16) == BMMC_BAD_VALUE);
    CHECK(strstr(bmmc_last_error(), "MPI is not running") != NULL);
  }

  MPI_Init(&argc, &argv);
  if (argc != 2 || atoi(argv[1]) != processes()) {
    fprintf(stderr, "%d processes, not those of the command line\n", processes());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  CHECK(bmmc_c_abi() == BMMC_C_ABI && bmmc_version() >= 100);
  test_maps();
  test_plans();
  test_handles();
  test_arrays();
  if (1 << lg_processes() == processes()) {
    test_permuters();
    test_gather_and_reduce();
  } else {
    unsigned char chunk[96] = {0};
    FAILS(bmmc_permute(MPI_COMM_WORLD, map, 8, chunk, 8), BMMC_BAD_VALUE, "a power of two, not 3");
    FAILS(bmmc_permute(MPI_COMM_WORLD, map, 12, chunk, 8), BMMC_BAD_VALUE, "a power of two, not 3");
  }
  MPI_Allreduce(&done, &all_right, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all_right == processes());
  DO(bmmc_map_free(&map));
  MPI_Finalize();
  return 0;
}
