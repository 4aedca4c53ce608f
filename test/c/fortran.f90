! SPDX-License-Identifier: BSL-1.0

! The module bmmc: every way in which arguments pass, against loops. Prints "right" on process 0.
program fortran
  use mpi_f08
  use bmmc
  implicit none
  integer :: rank, processes, lg

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, processes)
  lg = trailz(processes)
  call require(bmmc_abi() == 1, 'the number of the interface')
  call permutes()
  call transposes()
  call redistributes()
  call reduces()
  call fails()
  call MPI_Barrier(MPI_COMM_WORLD)
  if (rank == 0) print '(a)', 'right'
  call MPI_Finalize()

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(a, i0, 4a)', 'process ', rank, ': wrong: ', what, '; last error: ', bmmc_error_text()
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  ! Bit j of an index of n bits goes to bit j + 2, in turn.
  pure integer(bmmc_int) function rotated(x, n)
    integer(bmmc_int), intent(in) :: x
    integer, intent(in) :: n
    rotated = iand(ior(ishft(x, 2), ishft(x, 2 - n)), ishft(1_bmmc_int, n) - 1)
  end function

  subroutine permutes()
    integer :: n, j
    integer(bmmc_int) :: x, y
    integer(bmmc_int) :: columns(40)
    integer(bmmc_int), asynchronous :: a(16), b(16)
    type(bmmc_map) :: map, by_bits, by_columns, back, same, cyclic, identity
    type(bmmc_operation) :: keep, deal
    logical :: done
    n = lg + 4
    call bmmc_map_by_name('rotate_bits ', [int(n, bmmc_int), 2_bmmc_int], map)
    call bmmc_map_from_bits([(mod(j + 2, n), j = 0, n - 1)], by_bits)
    columns(:n) = [(ishft(1_bmmc_int, mod(j + 2, n)), j = 0, n - 1)]
    call bmmc_map_from_columns(n, columns(:n), by_columns, complement=0_bmmc_int)
    call bmmc_map_inverse(map, back)
    call bmmc_map_compose(back, by_bits, same)
    do x = 0, ishft(1_bmmc_int, n) - 1
      call bmmc_map_apply(by_columns, x, y)
      call require(y == rotated(x, n), 'a map from columns')
      call bmmc_map_apply(same, x, y)
      call require(y == x, 'a map after its inverse')
    end do
    call bmmc_permuter(MPI_COMM_WORLD, map, 8, keep)
    call fill(a)
    call bmmc_run(keep, a, 16_bmmc_int, b, 16_bmmc_int)
    call require(is_rotated(b, n), 'bmmc_run')
    b = -1
    call bmmc_start(keep, a, 16_bmmc_int, b, 16_bmmc_int)
    call bmmc_wait(keep)
    call require(is_rotated(b, n), 'bmmc_start')
    call bmmc_start_in_place(keep, a, 16_bmmc_int)
    done = .false.
    do while (.not. done)
      call bmmc_test(keep, done)
    end do
    call require(is_rotated(a, n), 'bmmc_start_in_place')
    call fill(a)
    call bmmc_run_in_place(keep, a, 16_bmmc_int)
    call require(is_rotated(a, n), 'bmmc_run_in_place')
    call fill(a)
    call bmmc_permute(MPI_COMM_WORLD, by_bits, 8, a, 16_bmmc_int)
    call require(is_rotated(a, n), 'bmmc_permute')

    call bmmc_map_by_name('identity', [int(n, bmmc_int)], identity)
    call bmmc_map_by_name('processor_minor', [int(n, bmmc_int), int(processes, bmmc_int)], cyclic)
    call bmmc_permuter(MPI_COMM_WORLD, identity, 8, deal, target=cyclic)
    call fill(a)
    call bmmc_run_in_place(deal, a, 16_bmmc_int)
    call require(all(a == [(int(j, bmmc_int) * processes + rank, j = 0, 15)]), 'a layout')
    call bmmc_operation_free(deal)
    call bmmc_operation_free(keep)
    call bmmc_map_free(map)
    call bmmc_map_free(by_bits)
    call bmmc_map_free(by_columns)
    call bmmc_map_free(back)
    call bmmc_map_free(same)
    call bmmc_map_free(cyclic)
    call bmmc_map_free(identity)
  end subroutine

  subroutine fill(a)
    integer(bmmc_int), intent(out) :: a(16)
    integer :: i
    a = [(int(rank, bmmc_int) * 16 + i, i = 0, 15)]
  end subroutine
  logical function is_rotated(a, n)
    integer(bmmc_int), intent(in) :: a(16)
    integer, intent(in) :: n
    integer :: i
    is_rotated = all([(rotated(a(i), n) == int(rank, bmmc_int) * 16 + i - 1, i = 1, 16)])
  end function

  ! a(8, 2 P), in C 2 P rows of 8 columns; afterwards (2 P, 8).
  subroutine transposes()
    real(kind(1d0)) :: a(8, 2), b(2 * processes, 8 / processes)
    integer :: i, j
    do j = 1, 2
      a(:, j) = [((rank * 2 + j - 1) * 8d0 + i, i = 0, 7)]
    end do
    call bmmc_transpose(MPI_COMM_WORLD, lg + 1, 3, 8, a, 16_bmmc_int)
    b = reshape(a, shape(b))
    do j = 1, size(b, 2)
      do i = 1, size(b, 1)
        call require(b(i, j) == (i - 1) * 8d0 + rank * size(b, 2) + j - 1, 'bmmc_transpose')
      end do
    end do
  end subroutine

  ! a(5, 6) over processes by its second index, to (6, 5) dealt out by its second index.
  subroutine redistributes()
    type(bmmc_array) :: before, after
    type(bmmc_operation) :: keep
    integer(bmmc_int) :: here, there, procs
    complex :: a(5, 6), b(6, 5)
    integer :: i, j, first, column
    procs = processes
    call bmmc_array_make([bmmc_axis(6, procs), bmmc_axis(5)], before)
    call bmmc_array_make([bmmc_axis(5, procs, 1), bmmc_axis(6)], after)
    call bmmc_array_count(before, rank, here)
    call bmmc_array_count(after, rank, there)
    first = rank * (6 / processes) + min(rank, mod(6, processes))
    do j = 1, int(here) / 5
      a(:, j) = [(cmplx(i, first + j), i = 1, 5)]
    end do
    call bmmc_redistributor(MPI_COMM_WORLD, storage_size(a) / 8, before, after, keep, axes=[1, 0])
    call bmmc_run(keep, a, here, b, there)
    do j = 1, int(there) / 6
      column = rank + 1 + (j - 1) * processes
      call require(all(b(:, j) == [(cmplx(column, i), i = 1, 6)]), 'bmmc_redistributor')
    end do
    call bmmc_operation_free(keep)
    call bmmc_array_free(before)
    call bmmc_array_free(after)
  end subroutine

  subroutine reduces()
    type(bmmc_map) :: drop
    type(bmmc_operation) :: add, repeat
    real(kind(1d0)) :: a(16), b(4)
    integer :: i
    a = [(rank * 16d0 + i, i = 0, 15)]
    call bmmc_map_by_name('drop_bits', [int(lg + 4, bmmc_int), 0_bmmc_int, 2_bmmc_int], drop)
    call bmmc_reducer(MPI_COMM_WORLD, drop, bmmc_double, bmmc_sum, add, unreached=-1d0)
    call bmmc_run(add, a, 16_bmmc_int, b, 4_bmmc_int)
    call require(all(b == [(sum(a(4 * i + 1:4 * i + 4)), i = 0, 3)]), 'bmmc_reducer')
    call bmmc_gatherer(MPI_COMM_WORLD, drop, 8, repeat)
    call bmmc_run(repeat, b, 4_bmmc_int, a, 16_bmmc_int)
    call require(all(a == [(b(i / 4 + 1), i = 0, 15)]), 'bmmc_gatherer')
    call bmmc_operation_free(add)
    call bmmc_operation_free(repeat)
    call bmmc_map_free(drop)
  end subroutine

  subroutine fails()
    type(bmmc_map) :: none, map
    integer(bmmc_int) :: a(16)
    integer :: ierror
    call bmmc_map_by_name('no such name', [3_bmmc_int], map, ierror)
    call require(ierror == bmmc_bad_value, 'a status')
    call require(bmmc_error_text() == 'there is no map of the name no such name', 'its text')
    call bmmc_map_by_name('identity', [int(lg + 4, bmmc_int)], map, ierror)
    call require(ierror == bmmc_success, 'no error')
    call fails_for_lists()
    if (rank == processes - 1) call swap(none, map)
    call bmmc_permute(MPI_COMM_WORLD, map, 8, a, 16_bmmc_int, ierror)
    call require(ierror == bmmc_bad_value .and. index(bmmc_error_text(), 'a handle is 0') > 0, &
                 'one process without a map')
  end subroutine
  ! A grid, or axes, of which there are too few or too many.
  subroutine fails_for_lists()
    type(bmmc_array) :: two, grid
    type(bmmc_operation) :: keep
    integer :: axes(3) = [1, 0, 2], ierror
    call bmmc_array_make([bmmc_axis(6), bmmc_axis(5)], grid, [0], ierror)
    call require(ierror == bmmc_bad_value, 'a grid of one axis for two')
    call require(bmmc_error_text() == 'an array of 2 axes cannot have 1 of them named', 'its text')
    call bmmc_array_make([bmmc_axis(6), bmmc_axis(5)], grid, axes, ierror)
    call require(ierror == bmmc_bad_value, 'a grid of three axes for two')
    call bmmc_array_make([bmmc_axis(6), bmmc_axis(5)], grid, axes(:2), ierror)
    call require(ierror == bmmc_success, 'a grid of two axes')
    call bmmc_array_make([bmmc_axis(6, int(processes, bmmc_int)), bmmc_axis(6)], two)
    call bmmc_redistributor(MPI_COMM_WORLD, 8, two, two, keep, axes(:merge(3, 2, rank == 0)), ierror)
    call require(ierror == bmmc_bad_value .and. index(bmmc_error_text(), &
                 'an array of 2 axes cannot have 3 of them named') > 0, 'one process with 3 axes')
    call bmmc_redistributor(MPI_COMM_WORLD, 8, two, two, keep, axes(2:merge(1, 2, rank == 0)), ierror)
    call require(ierror == bmmc_bad_value .and. index(bmmc_error_text(), 'have 0 of them') > 0, &
                 'one process without axes')
    call bmmc_array_free(two)
    call bmmc_array_free(grid)
  end subroutine
  subroutine swap(a, b)
    type(bmmc_map), intent(inout) :: a, b
    type(bmmc_map) :: c
    c = a
    a = b
    b = c
  end subroutine
end program
