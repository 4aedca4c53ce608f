/* SPDX-License-Identifier: BSL-1.0 */

/* Prints what programs compiled against bmmc.h rely on besides the functions: numbers and shapes.
 */

#include "check.h"

#define VALUE(name) printf("value %s %d\n", #name, (int)(name))
#define SIZE(type) printf("size %s %d\n", #type, (int)sizeof(type))
#define MEMBER(type, name) printf("member %s.%s %d\n", #type, #name, (int)offsetof(type, name))

int main(void) {
  VALUE(BMMC_C_ABI);
  VALUE(BMMC_SUCCESS);
  VALUE(BMMC_BAD_VALUE);
  VALUE(BMMC_BAD_HANDLE);
  VALUE(BMMC_NO_MEMORY);
  VALUE(BMMC_TRANSPORT_ERROR);
  VALUE(BMMC_OTHER_ERROR);
  VALUE(BMMC_INT32);
  VALUE(BMMC_INT64);
  VALUE(BMMC_UINT32);
  VALUE(BMMC_UINT64);
  VALUE(BMMC_FLOAT);
  VALUE(BMMC_DOUBLE);
  VALUE(BMMC_COMPLEX_FLOAT);
  VALUE(BMMC_COMPLEX_DOUBLE);
  VALUE(BMMC_SUM);
  VALUE(BMMC_PROD);
  VALUE(BMMC_MIN);
  VALUE(BMMC_MAX);
  SIZE(bmmc_map);
  SIZE(bmmc_plan);
  SIZE(bmmc_array);
  SIZE(bmmc_operation);
  SIZE(bmmc_axis);
  MEMBER(bmmc_axis, extent);
  MEMBER(bmmc_axis, procs);
  MEMBER(bmmc_axis, block);
  MEMBER(bmmc_axis, first);
  SIZE(bmmc_plan_facts);
  MEMBER(bmmc_plan_facts, procs);
  MEMBER(bmmc_plan_facts, chunk_elements);
  MEMBER(bmmc_plan_facts, messages);
  MEMBER(bmmc_plan_facts, message_elements);
  MEMBER(bmmc_plan_facts, moving_elements);
  return 0;
}
