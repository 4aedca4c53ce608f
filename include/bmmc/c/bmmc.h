// SPDX-License-Identifier: BSL-1.0
#ifndef BMMC_C_BMMC_H
#define BMMC_C_BMMC_H

// The library from C99 and from whatever calls C. Link bmmc_c, which is bmmc/c/bmmc.cpp compiled
// once by a C++20 compiler against your MPI. docs/guide/c.md begins with a program.
//
// Indices have n bits, arrays 2^n elements, bit 0 is the lowest. Elements are bytes: a function
// that makes something is told how many an element has. Every function returns BMMC_SUCCESS or
// another bmmc_status, then bmmc_last_error() has a text, and nothing has been written. No function
// ends the program, and no C++ exception leaves one.
//
// Handles are numbers. No number is given twice, so one that has been freed is told from all
// others. 0 is no handle. Every object that is made is freed by its own function, which sets the
// handle to 0.
//
// "Collective": all processes of the communicator call it. It fails on all of them or on none,
// whatever is wrong on one: with BMMC_BAD_VALUE, for handles, too, and no byte of data has changed.

#ifdef __cplusplus  // MPI's C++ bindings are dead, and cost libraries
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#endif
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BMMC_API __attribute__((visibility("default")))
#else
#define BMMC_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version of this interface: another one where a program must be compiled again. Functions are
/// added without it.
#define BMMC_C_ABI 1
BMMC_API int bmmc_c_abi(void);
/// 10000 * major + 100 * minor + patch of the library.
BMMC_API int bmmc_version(void);

/// What functions return.
typedef enum bmmc_status {
  BMMC_SUCCESS = 0,
  BMMC_BAD_VALUE = 1,   ///< a value that the function cannot take
  BMMC_BAD_HANDLE = 2,  ///< no handle, one that was freed, or one of another kind
  BMMC_NO_MEMORY = 3,
  BMMC_TRANSPORT_ERROR = 4,  ///< MPI failed: what was under way is undefined
  BMMC_OTHER_ERROR = 5
} bmmc_status;

/// What the last call of this thread that failed had to say; "" before the first one. The text
/// stays until the next call of this thread that fails.
BMMC_API char const* bmmc_last_error(void);

/// Y = A x + c on index bits.
typedef struct bmmc_map {
  uint64_t id;
} bmmc_map;
/// Who sends what to whom.
typedef struct bmmc_plan {
  uint64_t id;
} bmmc_plan;
/// Axes over a grid of processes.
typedef struct bmmc_array {
  uint64_t id;
} bmmc_array;
/// Moves data, as often as you like.
typedef struct bmmc_operation {
  uint64_t id;
} bmmc_operation;

// ---- Maps: y = A x + c over GF(2). Not collective, and without MPI.

/// column[j] is the image of the index 2^j, of `rows` bits; there are `columns` of them.
BMMC_API int bmmc_map_from_columns(unsigned rows, unsigned columns, uint64_t const* column,
                                   uint64_t complement, bmmc_map* map);
/// Source bit j goes to target bit target_of[j]; then the bits of `complement` are flipped.
BMMC_API int bmmc_map_from_bits(unsigned n, unsigned const* target_of, uint64_t complement,
                                bmmc_map* map);
/// Axis k of the result is axis axes[k] of an array of 2^lg_extent[k] positions along axis k, the
/// last axis running fastest.
BMMC_API int bmmc_map_from_axes(unsigned order, unsigned const* lg_extent, unsigned const* axes,
                                bmmc_map* map);
/// One of the catalogue, with its parameters:
///   identity n              bit_reversal n           vector_reversal n
///   shuffle n               unshuffle n              rotate_bits n steps (any number of them)
///   gray_encode n           gray_decode n            transpose lg_rows lg_columns
///   morton_encode n axes    morton_decode n axes     swap_bits n i j
///   flip n bit              cnot n control target
///   block_to_cyclic n procs                          cyclic_to_block n procs
/// layouts, from an index to process and offset:
///   processor_major n procs           processor_minor n procs
///   banded n procs lowest_bit         gray_processes n procs
/// maps with fewer bits on one side, for bmmc_gatherer and bmmc_reducer:
///   drop_bits n first count
BMMC_API int bmmc_map_by_name(char const* name, unsigned count, uint64_t const* parameter,
                              bmmc_map* map);
/// after(first(x))
BMMC_API int bmmc_map_compose(bmmc_map after, bmmc_map first, bmmc_map* map);
/// Of a permutation.
BMMC_API int bmmc_map_inverse(bmmc_map of, bmmc_map* map);
/// *y = A x + c.
BMMC_API int bmmc_map_apply(bmmc_map map, uint64_t x, uint64_t* y);
/// `column` has room for 63 words, or is NULL.
BMMC_API int bmmc_map_columns(bmmc_map map, unsigned* rows, unsigned* columns, uint64_t* column,
                              uint64_t* complement);
/// Sets the handle to 0; nothing happens where it is 0.
BMMC_API int bmmc_map_free(bmmc_map* map);

// ---- Plans: what an operation would do. Not collective, and without MPI.

/// The figures of a plan, of every process alike.
typedef struct bmmc_plan_facts {
  uint64_t procs;
  uint64_t chunk_elements;  ///< of each process
  uint64_t messages;        ///< that each process sends, one to itself included where there is one
  uint64_t message_elements;  ///< of each message
  uint64_t moving_elements;   ///< that leave their process, in all
} bmmc_plan_facts;

/// A permutation and two layouts, maps from an index to process and offset; {0} is processor_major.
BMMC_API int bmmc_plan_make(bmmc_map permutation, bmmc_map source, bmmc_map target, uint64_t procs,
                            bmmc_plan* plan);
/// The figures of a plan.
BMMC_API int bmmc_plan_ask(bmmc_plan plan, bmmc_plan_facts* facts);
/// Whom process `proc` sends its message `step` < messages.
BMMC_API int bmmc_plan_target(bmmc_plan plan, uint64_t proc, uint64_t step, uint64_t* target);
/// What people read. Writes at most `size` characters with the 0 at the end; *length, where it is
/// not NULL, is the length of the whole text without it.
BMMC_API int bmmc_plan_explain(bmmc_plan plan, char* text, size_t size, size_t* length);
/// Sets the handle to 0; nothing happens where it is 0.
BMMC_API int bmmc_plan_free(bmmc_plan* plan);

// ---- Arrays of any extents over grids of any processes. Not collective.

/// One axis of an array, and how its positions are spread over processes.
typedef struct bmmc_axis {
  uint64_t extent;  ///< positions
  uint64_t procs;   ///< processes along the axis
  uint64_t
      block;  ///< dealt out in blocks of so many in turn; 0: one block each, as equal as possible
  uint64_t first;  ///< the process along the axis that has the first block
} bmmc_axis;

/// The slowest axis first, the last one running fastest. The grid of processes is numbered alike,
/// or with the axes in the order grid[0] (slowest), grid[1], ... where it is not NULL.
BMMC_API int bmmc_array_make(unsigned order, bmmc_axis const* axis, unsigned const* grid,
                             bmmc_array* array);
/// Elements that process `proc` holds.
BMMC_API int bmmc_array_count(bmmc_array array, uint64_t proc, uint64_t* elements);
/// The index, in the whole array, of element `i` of process `proc`.
BMMC_API int bmmc_array_index(bmmc_array array, uint64_t proc, uint64_t i, uint64_t* index);
/// Sets the handle to 0; nothing happens where it is 0.
BMMC_API int bmmc_array_free(bmmc_array* array);

// ---- Operations: made once, called often.

/// Collective: the element with index x goes to the index permutation(x). Each of the 2^p processes
/// has 2^(n-p) elements. Layouts as for a plan. Sizes that are no power of two are padded to the
/// next one: that takes two copies more, and the padding travels.
BMMC_API int bmmc_permuter(MPI_Comm comm, bmmc_map permutation, size_t element_bytes,
                           bmmc_map source, bmmc_map target, bmmc_operation* operation);
/// Collective: from one array to another, of the same extents; with axis k of the target axis
/// axes[k] of the source where axes is not NULL. Any element size. In place the memory has room for
/// the longer one of before and afterwards.
BMMC_API int bmmc_redistributor(MPI_Comm comm, size_t element_bytes, bmmc_array source,
                                bmmc_array target, unsigned const* axes, bmmc_operation* operation);
/// Collective: target[y] = source[map(y)]; source to target only. Layouts and sizes as
/// bmmc_permuter.
BMMC_API int bmmc_gatherer(MPI_Comm comm, bmmc_map map, size_t element_bytes, bmmc_map source,
                           bmmc_map target, bmmc_operation* operation);

/// Numbers that can be combined.
typedef enum bmmc_type {
  BMMC_INT32 = 1,
  BMMC_INT64 = 2,
  BMMC_UINT32 = 3,
  BMMC_UINT64 = 4,
  BMMC_FLOAT = 5,
  BMMC_DOUBLE = 6,
  BMMC_COMPLEX_FLOAT = 7,  ///< no order: sums and products only
  BMMC_COMPLEX_DOUBLE = 8
} bmmc_type;
/// How two numbers are combined.
typedef enum bmmc_combine { BMMC_SUM = 1, BMMC_PROD = 2, BMMC_MIN = 3, BMMC_MAX = 4 } bmmc_combine;

/// `type` is a bmmc_type, `combine` a bmmc_combine.
/// Collective: target[y] = all source[x] with map(x) = y combined, in an order that is the same in
/// every run; *unreached where there is none (NULL: 0). The least and the largest of numbers are
/// NaN where one of them is. Source to target only.
BMMC_API int bmmc_reducer(MPI_Comm comm, bmmc_map map, int type, int combine, void const* unreached,
                          bmmc_map source, bmmc_map target, bmmc_operation* operation);

/// The same in one process, without MPI.
BMMC_API int bmmc_local_permuter(bmmc_map permutation, size_t element_bytes,
                                 bmmc_operation* operation);
/// Axis k of the target is axis axes[k] of the source, of any extents. Source to target only.
BMMC_API int bmmc_local_transposer(unsigned order, uint64_t const* extent, unsigned const* axes,
                                   size_t element_bytes, bmmc_operation* operation);

/// Elements of this process before and after a call.
BMMC_API int bmmc_operation_elements(bmmc_operation operation, uint64_t* source, uint64_t* target);
/// Carry it out. Called by all processes alike, each with the number of elements that `data` or
/// `source` and `target` hold; that is checked here, without asking the others. Nothing is
/// allocated, and nothing sent but elements. `source` stays as it is and shares no memory with
/// `target`.
BMMC_API int bmmc_run_in_place(bmmc_operation operation, void* data, uint64_t elements);
/// The same from one array to another.
BMMC_API int bmmc_run(bmmc_operation operation, void const* source, uint64_t source_elements,
                      void* target, uint64_t target_elements);
/// The same in two steps, for permuters and redistributors: compute between them. `data` is not to
/// be used, and `target` is not filled, before bmmc_wait returns or bmmc_test sets *done to 1;
/// `source` is free at once. Until then bmmc_start is refused and bmmc_run is not. A local permuter
/// is done when it has started.
BMMC_API int bmmc_start_in_place(bmmc_operation operation, void* data, uint64_t elements);
/// The same from one array to another.
BMMC_API int bmmc_start(bmmc_operation operation, void const* source, uint64_t source_elements,
                        void* target, uint64_t target_elements);
/// Whether all is in its place, or nothing was started.
BMMC_API int bmmc_test(bmmc_operation operation, int* done);
/// Returns when all is in its place.
BMMC_API int bmmc_wait(bmmc_operation operation);
/// The plan, and what was chosen to carry it out; as bmmc_plan_explain.
BMMC_API int bmmc_operation_explain(bmmc_operation operation, char* text, size_t size,
                                    size_t* length);
/// Collective where it was made so.
BMMC_API int bmmc_operation_free(bmmc_operation* operation);

// ---- One call. Plans and workspace stay on the communicator for the next one.

/// Collective, in place; the number of elements is checked on all processes.
BMMC_API int bmmc_permute(MPI_Comm comm, bmmc_map permutation, size_t element_bytes, void* data,
                          uint64_t elements);
/// Collective, in place: a row-major matrix of 2^lg_rows x 2^lg_columns elements, rows over
/// processes.
BMMC_API int bmmc_transpose(MPI_Comm comm, unsigned lg_rows, unsigned lg_columns,
                            size_t element_bytes, void* data, uint64_t elements);
/// One process, without MPI.
BMMC_API int bmmc_local_permute(bmmc_map permutation, size_t element_bytes, void const* source,
                                void* target, uint64_t elements);

// ---- For other languages.

/// Collective: succeeds where `objection` is "" on all processes; otherwise all fail with the first
/// of the texts. A process that cannot take part in a collective call of the others calls this
/// instead, and they all fail with its text.
BMMC_API int bmmc_agree(MPI_Comm comm, char const* objection);
/// bmmc_array_make where `grid`, unless it is NULL, is a list of `named` axes: as many as `order`,
/// or the call fails.
BMMC_API int bmmc_array_make_f(unsigned order, bmmc_axis const* axis, unsigned named,
                               unsigned const* grid, bmmc_array* array);
/// The collective functions above for a communicator as Fortran has it.
BMMC_API int bmmc_permuter_f(MPI_Fint comm, bmmc_map permutation, size_t element_bytes,
                             bmmc_map source, bmmc_map target, bmmc_operation* operation);
BMMC_API int bmmc_redistributor_f(MPI_Fint comm, size_t element_bytes, bmmc_array source,
                                  bmmc_array target, unsigned const* axes,
                                  bmmc_operation* operation);
/// Where `axes`, unless it is NULL, is a list of `named` axes: as many as the array has, or all
/// fail.
BMMC_API int bmmc_redistributor_axes_f(MPI_Fint comm, size_t element_bytes, bmmc_array source,
                                       bmmc_array target, unsigned named, unsigned const* axes,
                                       bmmc_operation* operation);
BMMC_API int bmmc_gatherer_f(MPI_Fint comm, bmmc_map map, size_t element_bytes, bmmc_map source,
                             bmmc_map target, bmmc_operation* operation);
BMMC_API int bmmc_reducer_f(MPI_Fint comm, bmmc_map map, int type, int combine,
                            void const* unreached, bmmc_map source, bmmc_map target,
                            bmmc_operation* operation);
BMMC_API int bmmc_permute_f(MPI_Fint comm, bmmc_map permutation, size_t element_bytes, void* data,
                            uint64_t elements);
BMMC_API int bmmc_transpose_f(MPI_Fint comm, unsigned lg_rows, unsigned lg_columns,
                              size_t element_bytes, void* data, uint64_t elements);

#ifdef __cplusplus
}
#endif

#endif
