/* SPDX-License-Identifier: BSL-1.0 */

/* Handles that are none: an error, and nothing else happens. */

#include "check.h"

void test_handles(void) {
  const uint64_t n = 6, procs = 1;
  bmmc_map map = {0}, copy = {0}, old = {0};
  bmmc_plan plan = {0};
  bmmc_operation operation = {0};
  uint64_t y = 7;
  int done = 3;
  double data[64];

  DO(bmmc_map_by_name("shuffle", 1, &n, &map));
  copy = old = map;
  DO(bmmc_map_free(&map));
  CHECK(map.id == 0);
  DO(bmmc_map_free(&map)); /* as free(NULL) */
  FAILS(bmmc_map_apply(map, 0, &y), BMMC_BAD_HANDLE, "a handle is 0 where a map is expected");
  FAILS(bmmc_map_apply(copy, 0, &y), BMMC_BAD_HANDLE, "it was freed, or never made");
  FAILS(bmmc_map_free(&copy), BMMC_BAD_HANDLE, "it was freed, or never made");
  FAILS(bmmc_map_free(NULL), BMMC_BAD_VALUE, "null pointer");
  copy.id = 123456789; /* place 6022457 of a list that is shorter */
  FAILS(bmmc_map_apply(copy, 0, &y), BMMC_BAD_HANDLE, "handle 123456789 is not a map");

  DO(bmmc_map_by_name("shuffle", 1, &n, &map));
  CHECK(map.id != old.id); /* though it may have the place of the other in a list */
  FAILS(bmmc_map_apply(old, 0, &y), BMMC_BAD_HANDLE, "it was freed, or never made");
  DO(bmmc_plan_make(map, (bmmc_map){0}, (bmmc_map){0}, procs, &plan));
  copy.id = plan.id;
  FAILS(bmmc_map_apply(copy, 0, &y), BMMC_BAD_HANDLE, "is a plan, not a map");
  operation.id = map.id;
  FAILS(bmmc_run_in_place(operation, data, 64), BMMC_BAD_HANDLE, "is a map, not an operation");
  FAILS(bmmc_test(operation, &done), BMMC_BAD_HANDLE, "is a map, not an operation");
  FAILS(bmmc_map_by_name("shuffle", 1, &n, NULL), BMMC_BAD_VALUE, "`result` is a null pointer");
  CHECK(y == 7 && done == 3);
  DO(bmmc_plan_free(&plan));
  DO(bmmc_map_free(&map));
}
