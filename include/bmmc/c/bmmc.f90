! SPDX-License-Identifier: BSL-1.0

! The library from Fortran 2008 (with TS 29113, as mpi_f08 has it): compile this file with your MPI's
! compiler, and link bmmc_c. docs/guide/fortran.md begins with a program.
!
! What is here is as in bmmc/c/bmmc.h, whose comments say what the arguments are. Numbers of elements,
! bits and processes are of the kind bmmc_int; axes and bits are numbered from 0. Elements have
! element_bytes bytes: storage_size(a) / 8. Arrays are contiguous, in Fortran's order: the first
! index runs fastest, so axes stand in reverse where C has the slowest first.
! Without the argument ierror a failure ends the program with its text; with it, ierror is one of the
! numbers below, and bmmc_error_text() is the text.
module bmmc
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08, only: MPI_Comm, MPI_Abort, MPI_COMM_WORLD
  implicit none
  private

  integer, parameter, public :: bmmc_int = c_int64_t
  integer, parameter, public :: bmmc_success = 0, bmmc_bad_value = 1, bmmc_bad_handle = 2, &
                                bmmc_no_memory = 3, bmmc_transport_error = 4, bmmc_other_error = 5
  integer, parameter, public :: bmmc_int32 = 1, bmmc_int64 = 2, bmmc_uint32 = 3, bmmc_uint64 = 4, &
                                bmmc_float = 5, bmmc_double = 6, bmmc_complex_float = 7, &
                                bmmc_complex_double = 8
  integer, parameter, public :: bmmc_sum = 1, bmmc_prod = 2, bmmc_min = 3, bmmc_max = 4

  type, bind(C), public :: bmmc_map
    integer(c_int64_t) :: id = 0
  end type
  type, bind(C), public :: bmmc_array
    integer(c_int64_t) :: id = 0
  end type
  type, bind(C), public :: bmmc_operation
    integer(c_int64_t) :: id = 0
  end type
  type, bind(C), public :: bmmc_axis
    integer(c_int64_t) :: extent = 1, procs = 1, block = 0, first = 0
  end type

  public :: bmmc_map_by_name, bmmc_map_from_bits, bmmc_map_from_columns, bmmc_map_compose, &
            bmmc_map_inverse, bmmc_map_apply, bmmc_map_free, bmmc_array_make, bmmc_array_count, &
            bmmc_array_free, bmmc_permuter, bmmc_redistributor, bmmc_gatherer, bmmc_reducer, &
            bmmc_run_in_place, bmmc_run, bmmc_start_in_place, bmmc_start, bmmc_test, bmmc_wait, &
            bmmc_operation_free, bmmc_permute, bmmc_transpose, bmmc_error_text, bmmc_abi

  interface
    function c_abi() result(abi) bind(C, name='bmmc_c_abi')
      import; integer(c_int) :: abi
    end function
    function c_last_error() result(text) bind(C, name='bmmc_last_error')
      import; type(c_ptr) :: text
    end function
    function c_strlen(text) result(length) bind(C, name='strlen')
      import; type(c_ptr), value :: text; integer(c_size_t) :: length
    end function
    function c_by_name(name, count, parameter, map) result(status) bind(C, name='bmmc_map_by_name')
      import; character(kind=c_char), intent(in) :: name(*); integer(c_int), value :: count
      integer(c_int64_t), intent(in) :: parameter(*); type(bmmc_map), intent(inout) :: map
      integer(c_int) :: status
    end function
    function c_from_bits(n, target_of, complement, map) result(status) &
        bind(C, name='bmmc_map_from_bits')
      import; integer(c_int), value :: n; integer(c_int), intent(in) :: target_of(*)
      integer(c_int64_t), value :: complement; type(bmmc_map), intent(inout) :: map
      integer(c_int) :: status
    end function
    function c_from_columns(rows, columns, column, complement, map) result(status) &
        bind(C, name='bmmc_map_from_columns')
      import; integer(c_int), value :: rows, columns; integer(c_int64_t), intent(in) :: column(*)
      integer(c_int64_t), value :: complement; type(bmmc_map), intent(inout) :: map
      integer(c_int) :: status
    end function
    function c_compose(after, first, map) result(status) bind(C, name='bmmc_map_compose')
      import; type(bmmc_map), value :: after, first; type(bmmc_map), intent(inout) :: map
      integer(c_int) :: status
    end function
    function c_inverse(of, map) result(status) bind(C, name='bmmc_map_inverse')
      import; type(bmmc_map), value :: of; type(bmmc_map), intent(inout) :: map
      integer(c_int) :: status
    end function
    function c_apply(map, x, y) result(status) bind(C, name='bmmc_map_apply')
      import; type(bmmc_map), value :: map; integer(c_int64_t), value :: x
      integer(c_int64_t), intent(inout) :: y; integer(c_int) :: status
    end function
    function c_map_free(map) result(status) bind(C, name='bmmc_map_free')
      import; type(bmmc_map), intent(inout) :: map; integer(c_int) :: status
    end function
    function c_array_make(order, axis, named, grid, array) result(status) &
        bind(C, name='bmmc_array_make_f')
      import; integer(c_int), value :: order, named; type(bmmc_axis), intent(in) :: axis(*)
      integer(c_int), intent(in), optional :: grid(*); type(bmmc_array), intent(inout) :: array
      integer(c_int) :: status
    end function
    function c_array_count(array, proc, elements) result(status) bind(C, name='bmmc_array_count')
      import; type(bmmc_array), value :: array; integer(c_int64_t), value :: proc
      integer(c_int64_t), intent(inout) :: elements; integer(c_int) :: status
    end function
    function c_array_free(array) result(status) bind(C, name='bmmc_array_free')
      import; type(bmmc_array), intent(inout) :: array; integer(c_int) :: status
    end function
    function c_permuter(comm, map, bytes, source, target, operation) result(status) &
        bind(C, name='bmmc_permuter_f')
      import; integer(c_int), value :: comm; type(bmmc_map), value :: map, source, target
      integer(c_size_t), value :: bytes; type(bmmc_operation), intent(inout) :: operation
      integer(c_int) :: status
    end function
    function c_gatherer(comm, map, bytes, source, target, operation) result(status) &
        bind(C, name='bmmc_gatherer_f')
      import; integer(c_int), value :: comm; type(bmmc_map), value :: map, source, target
      integer(c_size_t), value :: bytes; type(bmmc_operation), intent(inout) :: operation
      integer(c_int) :: status
    end function
    function c_reducer(comm, map, number, combine, unreached, source, target, operation) &
        result(status) bind(C, name='bmmc_reducer_f')
      import; integer(c_int), value :: comm, number, combine
      type(bmmc_map), value :: map, source, target; type(*), intent(in), optional :: unreached
      type(bmmc_operation), intent(inout) :: operation; integer(c_int) :: status
    end function
    function c_redistributor(comm, bytes, source, target, named, axes, operation) result(status) &
        bind(C, name='bmmc_redistributor_axes_f')
      import; integer(c_int), value :: comm, named; integer(c_size_t), value :: bytes
      type(bmmc_array), value :: source, target; integer(c_int), intent(in), optional :: axes(*)
      type(bmmc_operation), intent(inout) :: operation; integer(c_int) :: status
    end function
    function c_in_place(operation, data, elements) result(status) bind(C, name='bmmc_run_in_place')
      import; type(bmmc_operation), value :: operation; type(*), intent(inout) :: data(*)
      integer(c_int64_t), value :: elements; integer(c_int) :: status
    end function
    function c_run(operation, source, before, target, after) result(status) bind(C, name='bmmc_run')
      import; type(bmmc_operation), value :: operation; type(*), intent(in) :: source(*)
      type(*), intent(inout) :: target(*); integer(c_int64_t), value :: before, after
      integer(c_int) :: status
    end function
    function c_start_in_place(operation, data, elements) result(status) &
        bind(C, name='bmmc_start_in_place')
      import; type(bmmc_operation), value :: operation
      type(*), intent(inout), asynchronous :: data(*); integer(c_int64_t), value :: elements
      integer(c_int) :: status
    end function
    function c_start(operation, source, before, target, after) result(status) &
        bind(C, name='bmmc_start')
      import; type(bmmc_operation), value :: operation; type(*), intent(in) :: source(*)
      type(*), intent(inout), asynchronous :: target(*); integer(c_int64_t), value :: before, after
      integer(c_int) :: status
    end function
    function c_test(operation, done) result(status) bind(C, name='bmmc_test')
      import; type(bmmc_operation), value :: operation; integer(c_int), intent(inout) :: done
      integer(c_int) :: status
    end function
    function c_wait(operation) result(status) bind(C, name='bmmc_wait')
      import; type(bmmc_operation), value :: operation; integer(c_int) :: status
    end function
    function c_operation_free(operation) result(status) bind(C, name='bmmc_operation_free')
      import; type(bmmc_operation), intent(inout) :: operation; integer(c_int) :: status
    end function
    function c_permute(comm, map, bytes, data, elements) result(status) &
        bind(C, name='bmmc_permute_f')
      import; integer(c_int), value :: comm; type(bmmc_map), value :: map
      integer(c_size_t), value :: bytes; type(*), intent(inout) :: data(*)
      integer(c_int64_t), value :: elements; integer(c_int) :: status
    end function
    function c_transpose(comm, lg_rows, lg_columns, bytes, data, elements) result(status) &
        bind(C, name='bmmc_transpose_f')
      import; integer(c_int), value :: comm, lg_rows, lg_columns; integer(c_size_t), value :: bytes
      type(*), intent(inout) :: data(*); integer(c_int64_t), value :: elements
      integer(c_int) :: status
    end function
  end interface

contains

  !> The version of the interface to C that is linked.
  integer function bmmc_abi()
    bmmc_abi = c_abi()
  end function

  !> What the last call that failed had to say.
  function bmmc_error_text() result(text)
    character(len=:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: from
    integer :: k
    from = c_last_error()
    call c_f_pointer(from, letters, [c_strlen(from)])
    allocate (character(len=size(letters)) :: text)
    do k = 1, size(letters)
      text(k:k) = letters(k)
    end do
  end function

  !> Hands a status to the caller, or ends all processes with its text.
  subroutine report(status, ierror)
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: ierror
    if (present(ierror)) then
      ierror = status
    else if (status /= bmmc_success) then
      write (error_unit, '(2a)') 'bmmc: ', bmmc_error_text()
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine

  subroutine bmmc_map_by_name(name, parameters, map, ierror)
    character(len=*), intent(in) :: name
    integer(bmmc_int), intent(in) :: parameters(:)
    type(bmmc_map), intent(inout) :: map
    integer, intent(out), optional :: ierror
    call report(c_by_name(trim(name)//c_null_char, size(parameters), parameters, map), ierror)
  end subroutine

  subroutine bmmc_map_from_bits(target_of, map, complement, ierror)
    integer, intent(in) :: target_of(:)
    type(bmmc_map), intent(inout) :: map
    integer(bmmc_int), intent(in), optional :: complement
    integer, intent(out), optional :: ierror
    call report(c_from_bits(size(target_of), int(target_of, c_int), or_zero(complement), map), ierror)
  end subroutine

  subroutine bmmc_map_from_columns(rows, columns, map, complement, ierror)
    integer, intent(in) :: rows
    integer(bmmc_int), intent(in) :: columns(:)
    type(bmmc_map), intent(inout) :: map
    integer(bmmc_int), intent(in), optional :: complement
    integer, intent(out), optional :: ierror
    call report(c_from_columns(rows, size(columns), columns, or_zero(complement), map), ierror)
  end subroutine

  pure integer(c_int64_t) function or_zero(given)
    integer(bmmc_int), intent(in), optional :: given
    or_zero = 0
    if (present(given)) or_zero = given
  end function

  subroutine bmmc_map_compose(after, first, map, ierror)
    type(bmmc_map), intent(in) :: after, first
    type(bmmc_map), intent(inout) :: map
    integer, intent(out), optional :: ierror
    call report(c_compose(after, first, map), ierror)
  end subroutine

  subroutine bmmc_map_inverse(of, map, ierror)
    type(bmmc_map), intent(in) :: of
    type(bmmc_map), intent(inout) :: map
    integer, intent(out), optional :: ierror
    call report(c_inverse(of, map), ierror)
  end subroutine

  subroutine bmmc_map_apply(map, x, y, ierror)
    type(bmmc_map), intent(in) :: map
    integer(bmmc_int), intent(in) :: x
    integer(bmmc_int), intent(inout) :: y
    integer, intent(out), optional :: ierror
    call report(c_apply(map, x, y), ierror)
  end subroutine

  subroutine bmmc_map_free(map, ierror)
    type(bmmc_map), intent(inout) :: map
    integer, intent(out), optional :: ierror
    call report(c_map_free(map), ierror)
  end subroutine

  !> The axes as in C, the slowest first: reverse them for an array of Fortran.
  subroutine bmmc_array_make(axes, array, grid, ierror)
    type(bmmc_axis), intent(in) :: axes(:)
    type(bmmc_array), intent(inout) :: array
    integer, intent(in), optional :: grid(:)
    integer, intent(out), optional :: ierror
    call report(c_array_make(size(axes), axes, named_by(grid), grid, array), ierror)
  end subroutine

  pure integer(c_int) function named_by(axes)
    integer, intent(in), optional :: axes(:)
    named_by = 0
    if (present(axes)) named_by = size(axes)
  end function

  subroutine bmmc_array_count(array, proc, elements, ierror)
    type(bmmc_array), intent(in) :: array
    integer, intent(in) :: proc
    integer(bmmc_int), intent(inout) :: elements
    integer, intent(out), optional :: ierror
    call report(c_array_count(array, int(proc, c_int64_t), elements), ierror)
  end subroutine

  subroutine bmmc_array_free(array, ierror)
    type(bmmc_array), intent(inout) :: array
    integer, intent(out), optional :: ierror
    call report(c_array_free(array), ierror)
  end subroutine

  pure type(bmmc_map) function or_blocks(layout)
    type(bmmc_map), intent(in), optional :: layout
    if (present(layout)) or_blocks = layout
  end function

  !> Collective, as all that take a communicator.
  subroutine bmmc_permuter(comm, permutation, element_bytes, operation, source, target, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(bmmc_map), intent(in) :: permutation
    integer, intent(in) :: element_bytes
    type(bmmc_operation), intent(inout) :: operation
    type(bmmc_map), intent(in), optional :: source, target
    integer, intent(out), optional :: ierror
    call report(c_permuter(comm%MPI_VAL, permutation, int(element_bytes, c_size_t), &
                           or_blocks(source), or_blocks(target), operation), ierror)
  end subroutine

  subroutine bmmc_gatherer(comm, map, element_bytes, operation, source, target, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(bmmc_map), intent(in) :: map
    integer, intent(in) :: element_bytes
    type(bmmc_operation), intent(inout) :: operation
    type(bmmc_map), intent(in), optional :: source, target
    integer, intent(out), optional :: ierror
    call report(c_gatherer(comm%MPI_VAL, map, int(element_bytes, c_size_t), or_blocks(source), &
                           or_blocks(target), operation), ierror)
  end subroutine

  subroutine bmmc_reducer(comm, map, number, combine, operation, unreached, source, target, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(bmmc_map), intent(in) :: map
    integer, intent(in) :: number, combine
    type(bmmc_operation), intent(inout) :: operation
    type(*), intent(in), optional :: unreached
    type(bmmc_map), intent(in), optional :: source, target
    integer, intent(out), optional :: ierror
    call report(c_reducer(comm%MPI_VAL, map, number, combine, unreached, or_blocks(source), &
                          or_blocks(target), operation), ierror)
  end subroutine

  subroutine bmmc_redistributor(comm, element_bytes, source, target, operation, axes, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: element_bytes
    type(bmmc_array), intent(in) :: source, target
    type(bmmc_operation), intent(inout) :: operation
    integer, intent(in), optional :: axes(:)
    integer, intent(out), optional :: ierror
    call report(c_redistributor(comm%MPI_VAL, int(element_bytes, c_size_t), source, target, &
                                named_by(axes), axes, operation), ierror)
  end subroutine

  subroutine bmmc_run_in_place(operation, data, elements, ierror)
    type(bmmc_operation), intent(in) :: operation
    type(*), intent(inout) :: data(*)
    integer(bmmc_int), intent(in) :: elements
    integer, intent(out), optional :: ierror
    call report(c_in_place(operation, data, elements), ierror)
  end subroutine

  subroutine bmmc_run(operation, source, before, target, after, ierror)
    type(bmmc_operation), intent(in) :: operation
    type(*), intent(in) :: source(*)
    type(*), intent(inout) :: target(*)
    integer(bmmc_int), intent(in) :: before, after
    integer, intent(out), optional :: ierror
    call report(c_run(operation, source, before, target, after), ierror)
  end subroutine

  !> The array is contiguous and asynchronous, and not used before bmmc_wait.
  subroutine bmmc_start_in_place(operation, data, elements, ierror)
    type(bmmc_operation), intent(in) :: operation
    type(*), intent(inout), asynchronous :: data(*)
    integer(bmmc_int), intent(in) :: elements
    integer, intent(out), optional :: ierror
    call report(c_start_in_place(operation, data, elements), ierror)
  end subroutine

  subroutine bmmc_start(operation, source, before, target, after, ierror)
    type(bmmc_operation), intent(in) :: operation
    type(*), intent(in) :: source(*)
    type(*), intent(inout), asynchronous :: target(*)
    integer(bmmc_int), intent(in) :: before, after
    integer, intent(out), optional :: ierror
    call report(c_start(operation, source, before, target, after), ierror)
  end subroutine

  subroutine bmmc_test(operation, done, ierror)
    type(bmmc_operation), intent(in) :: operation
    logical, intent(out) :: done
    integer, intent(out), optional :: ierror
    integer(c_int) :: is_done
    is_done = 0
    call report(c_test(operation, is_done), ierror)
    done = is_done /= 0
  end subroutine

  subroutine bmmc_wait(operation, ierror)
    type(bmmc_operation), intent(in) :: operation
    integer, intent(out), optional :: ierror
    call report(c_wait(operation), ierror)
  end subroutine

  subroutine bmmc_operation_free(operation, ierror)
    type(bmmc_operation), intent(inout) :: operation
    integer, intent(out), optional :: ierror
    call report(c_operation_free(operation), ierror)
  end subroutine

  subroutine bmmc_permute(comm, permutation, element_bytes, data, elements, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(bmmc_map), intent(in) :: permutation
    integer, intent(in) :: element_bytes
    type(*), intent(inout) :: data(*)
    integer(bmmc_int), intent(in) :: elements
    integer, intent(out), optional :: ierror
    call report(c_permute(comm%MPI_VAL, permutation, int(element_bytes, c_size_t), data, elements), &
                ierror)
  end subroutine

  !> In C's terms: a matrix a(2^lg_columns, 2^lg_rows) of Fortran, of which each process has an equal
  !> share of the second index.
  subroutine bmmc_transpose(comm, lg_rows, lg_columns, element_bytes, data, elements, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: lg_rows, lg_columns, element_bytes
    type(*), intent(inout) :: data(*)
    integer(bmmc_int), intent(in) :: elements
    integer, intent(out), optional :: ierror
    call report(c_transpose(comm%MPI_VAL, lg_rows, lg_columns, int(element_bytes, c_size_t), data, &
                            elements), ierror)
  end subroutine

end module bmmc
