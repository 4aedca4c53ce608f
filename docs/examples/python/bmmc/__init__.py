# SPDX-License-Identifier: BSL-1.0
"""Permutes, transposes and redistributes arrays that are distributed over MPI processes.

An array of 2^n elements has indices of n bits. Every permutation here is y = A x + c over these bits:
the element at index x goes to index y. `Map` is such a permutation; `permute` and `transpose` carry
one out, `Permuter` keeps what a repeated one needs, `Plan` says what would be sent. `redistribute` is
for arrays of any extents.

Arrays are whatever has the buffer protocol or DLPack, with elements of a fixed size one after the
other in the memory of the CPU: numpy arrays above all. They are changed in place, without a copy, or
go from one to another. `comm` is a communicator of mpi4py, of which all processes call alike; without
one a call is about one process, and mpi4py is not needed.

What is wrong, on whichever process, is a ValueError with the same text on all of them, and no element
has moved. Calls of what has been made before (`Permuter` and the like) check by themselves.
"""
from __future__ import annotations

from operator import index
from typing import Any, Callable, NamedTuple, Sequence

import numpy

from . import _core

__all__ = ['Array', 'Axis', 'Gatherer', 'Map', 'Permuter', 'Plan', 'Redistributor', 'Reducer', 'blocks',
           'cyclic', 'local', 'permute', 'redistribute', 'transpose']


def _address(comm: Any) -> int:
    """Where the MPI_Comm of a communicator lies."""
    from mpi4py import MPI
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f'comm must be a communicator of mpi4py, not {type(comm).__name__}')
    ours, theirs = _core.mpi_library(), MPI.Get_library_version()
    if ours.strip('\0 \n') != theirs.strip('\0 \n'):
        raise RuntimeError(f'bmmc was compiled with {ours}, mpi4py with {theirs}')
    return MPI._addressof(comm)


def _together(comm: Any, prepare: Callable[[], tuple[Any, ...]], call: Callable[..., Any]) -> Any:
    """call(address of comm, *prepare()); where prepare() fails on one process, all are told."""
    if comm is None:
        return call(0, *prepare())
    address = _address(comm)
    try:
        arguments = prepare()
    except Exception as error:
        _core.agree(address, _text_of(error))
        raise
    return call(address, *arguments)


def _text_of(error: Exception) -> str:
    """What an exception says, as agree() can send it: UTF-8 without zeros, and never empty."""
    text = f'{error}'.replace('\0', '\\0').encode(errors='backslashreplace').decode()
    return text or type(error).__name__


def _require_comm(comm: Any) -> None:
    if comm is None:
        raise ValueError('comm is missing: a communicator of mpi4py')


def _bytes_of(dtype: Any) -> int:
    known = numpy.dtype(dtype)
    if known.hasobject:
        raise ValueError('the elements are Python objects, which cannot leave their process')
    return known.itemsize


class Map:
    """An affine map y = A x + c of index bits; bit 0 is the lowest.

    `columns[j]` is the image of the index 2^j, of `rows` bits (as many as there are columns, where
    nothing is said). Or `bits[j]`, the target bit of source bit j. Or `matrix`, rows of 0 and 1 with
    row i for target bit i.
    """

    def __init__(self, columns: Sequence[int] | None = None, *, bits: Sequence[int] | None = None,
                 matrix: Any = None, rows: int | None = None, complement: int = 0) -> None:
        if sum(given is not None for given in (columns, bits, matrix)) != 1:
            raise ValueError('a map is given by one of columns, bits and matrix')
        if rows is not None and columns is None:
            raise ValueError('rows goes with columns only: bits and matrix say themselves how many there are')
        if bits is not None:
            self._map = _core.Map.from_bits(_numbers(bits, 'bits', 32), _number(complement, 'complement'))
            return
        if matrix is not None:
            table = numpy.asarray(matrix)
            if table.ndim != 2 or not numpy.isin(table, (0, 1)).all():
                raise ValueError('a matrix has rows and columns of 0 and 1')
            rows = table.shape[0]
            columns = [sum(int(one) << i for i, one in enumerate(column)) for column in table.T]
        each = _numbers(columns, 'columns')
        self._map = _core.Map(len(each) if rows is None else _number(rows, 'rows', 32), each,
                              _number(complement, 'complement'))

    @classmethod
    def _of(cls, core: _core.Map) -> Map:
        made = cls.__new__(cls)
        made._map = core
        return made

    @classmethod
    def named(cls, name: str, *parameters: int) -> Map:
        """One of the catalogue: Map.named('gray_encode', 10). bmmc/c/bmmc.h lists the names."""
        if not isinstance(name, str) or '\0' in name:
            raise ValueError(f'the name of a map must be a text without zeros, not {name!r}')
        return cls._of(_core.Map.by_name(name, _numbers(parameters, 'parameters')))

    @classmethod
    def bit_reversal(cls, n: int) -> Map:
        """Bit j of an index goes to bit n-1-j."""
        return cls.named('bit_reversal', n)

    @classmethod
    def transpose(cls, lg_rows: int, lg_cols: int) -> Map:
        """A row-major matrix of 2^lg_rows x 2^lg_cols elements."""
        return cls.named('transpose', lg_rows, lg_cols)

    @classmethod
    def axes(cls, lg_extents: Sequence[int], axes: Sequence[int]) -> Map:
        """Axis k of the result is axis axes[k] of an array with 2^lg_extents[k] positions along axis k."""
        return cls._of(_core.Map.from_axes(_numbers(lg_extents, 'lg_extents', 32),
                                           _numbers(axes, 'axes', 32)))

    def __call__(self, x: int) -> int:
        return self._map.apply(_number(x, 'index'))

    def __matmul__(self, first: Map) -> Map:
        """(f @ g)(x) = f(g(x))."""
        return Map._of(self._map.after(first._map)) if isinstance(first, Map) else NotImplemented

    def __invert__(self) -> Map:
        """The inverse of a permutation."""
        return Map._of(self._map.inverse())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and self._map.columns() == other._map.columns()

    def __hash__(self) -> int:
        rows, columns, complement = self._map.columns()
        return hash((rows, tuple(columns), complement))

    @property
    def columns(self) -> list[int]:
        """The images of the indices 2^j, without the complement."""
        return self._map.columns()[1]

    @property
    def complement(self) -> int:
        """The image of index 0."""
        return self._map.columns()[2]

    def __repr__(self) -> str:
        rows, columns, complement = self._map.columns()
        return f'Map({columns}, rows={rows}, complement={complement})'

    def __str__(self) -> str:
        rows, columns, complement = self._map.columns()
        return '\n'.join(' '.join('1' if column >> i & 1 else '.' for column in columns) + ' | ' +
                         ('1' if complement >> i & 1 else '.') for i in range(rows))


def _number(given: Any, name: str, bits: int = 64) -> int:
    """A number that the compiled part takes as one of so many bits without a sign."""
    try:
        number = index(given)
    except TypeError:
        raise ValueError(f'{name} must be a whole number, not {given!r}') from None
    if not 0 <= number < 1 << bits:
        raise ValueError(f'{name} must be from 0 to 2^{bits} - 1, not {number}')
    return number


def _numbers(given: Any, name: str, bits: int = 64) -> list[int]:
    try:
        each = list(given)
    except TypeError:
        raise ValueError(f'{name} must be a list of numbers, not {given!r}') from None
    return [_number(one, name, bits) for one in each]


def _axes(given: Sequence[int] | None, order: int) -> list[int] | None:
    if given is None:
        return None
    each = _numbers(given, 'axes', 32)
    if len(each) != order:
        raise ValueError(f'an array of {order} axes cannot have {len(each)} of them named')
    return each


def _map(given: Any, name: str) -> _core.Map:
    if not isinstance(given, Map):
        raise ValueError(f'{name} must be a Map, not {given!r}')
    return given._map


def _layout(given: Any, name: str) -> _core.Map | None:
    if given is None:
        return None
    if not isinstance(given, Map):
        raise ValueError(f'{name} must be a Map or None, not {given!r}')
    return given._map


def _array(given: Any, name: str) -> _core.Array:
    if not isinstance(given, Array):
        raise ValueError(f'{name} must be an Array, not {given!r}')
    return given._array


def _map_of(map: Map | None, bits: Any, matrix: Any, complement: int) -> Map:
    if map is None:
        return Map(bits=bits, matrix=matrix, complement=complement)
    if not isinstance(map, Map) or bits is not None or matrix is not None or complement != 0:
        raise ValueError('a permutation is given by map (a Map), or by bits or matrix with complement')
    return map


class Plan:
    """What a permutation of distributed elements would send: known without a communicator.

    `source` and `target` are layouts, maps from an index to process and offset; None is the usual one,
    equal blocks: see Map.named('processor_minor', n, procs) for cyclic.
    """

    def __init__(self, map: Map, procs: int, source: Map | None = None, target: Map | None = None) -> None:
        self._plan = _core.Plan(_map(map, 'map'), _layout(source, 'source'), _layout(target, 'target'),
                                _number(procs, 'procs'))
        (self.procs, self.chunk_elements, self.messages, self.message_elements,
         self.moving_elements) = self._plan.facts()

    def target(self, proc: int, step: int) -> int:
        """Whom process `proc` sends its message number `step`."""
        return self._plan.target(_number(proc, 'proc'), _number(step, 'step'))

    def __str__(self) -> str:
        """A table of who sends what to whom."""
        return self._plan.explain()

    def elements(self) -> numpy.ndarray[Any, numpy.dtype[numpy.int64]]:
        """How many elements go from process i to process j, as a matrix."""
        sent = numpy.zeros((self.procs, self.procs), dtype=numpy.int64)
        for proc in range(self.procs):
            for step in range(self.messages):
                sent[proc, self.target(proc, step)] += self.message_elements
        return sent

    def draw(self, axes: Any = None) -> Any:
        """Draws elements() with matplotlib, into `axes` or axes of its own; returns them."""
        from matplotlib import pyplot  # type: ignore[import]
        if axes is None:
            axes = pyplot.subplots()[1]
        axes.imshow(self.elements(), cmap='Blues', vmin=0)
        axes.set_xlabel('to process')
        axes.set_ylabel('from process')
        axes.set_title(f'{self.messages} messages of {self.message_elements} elements per process')
        return axes


class _Operation:
    """What is made once and called often."""

    _core: _core.Operation

    def elements(self) -> tuple[int, int]:
        """Elements of this process before and after a call."""
        return self._core.elements()

    def __str__(self) -> str:
        """The plan, and how it is carried out."""
        return self._core.explain()


class _Mover(_Operation):
    def __call__(self, chunk: Any, out: Any = None) -> None:
        """In place, or from `chunk`, which stays as it is, to `out`. All processes call alike."""
        self._core.run(chunk, out)

    def start(self, chunk: Any, out: Any = None) -> None:
        """The same in two steps: what is written is complete, and may be used, after wait() only."""
        self._core.start(chunk, out)

    def test(self) -> bool:
        """Whether all is in its place, or nothing was started."""
        return self._core.test()

    def wait(self) -> None:
        """Returns when all is in its place."""
        self._core.wait()


class Permuter(_Mover):
    """A permutation with its plan and workspace, for elements of one dtype: made once, called often.

    The permutation is a `map`, or given by `bits` or `matrix` and `complement` as for Map. Each of the
    2^p processes of `comm` holds 2^(n-p) elements. `source` and `target` are layouts as for Plan.
    Collective. With comm=None it serves one process, and takes no layouts.
    """

    def __init__(self, dtype: Any, map: Map | None = None, *, bits: Sequence[int] | None = None,
                 matrix: Any = None, complement: int = 0, source: Map | None = None,
                 target: Map | None = None, comm: Any = None) -> None:
        def prepare() -> tuple[Any, ...]:
            if comm is None and (source is not None or target is not None):
                raise ValueError('layouts are for processes: comm is missing')
            return (_map_of(map, bits, matrix, complement)._map, _bytes_of(dtype),
                    _layout(source, 'source'), _layout(target, 'target'))

        def make(address: int, map: _core.Map, size: int, *layouts: Any) -> _core.Operation:
            return (_core.permuter(address, map, size, *layouts) if address
                    else _core.local_permuter(map, size))
        self._core = _together(comm, prepare, make)


def permute(chunk: Any, map: Map | None = None, *, bits: Sequence[int] | None = None, matrix: Any = None,
            complement: int = 0, comm: Any = None, out: Any = None) -> Any:
    """Permutes the array of which `chunk` is this process's part: the element at x goes to A x + c.

    In place, or to `out`. Collective; for many calls make a Permuter. Returns where the result is.
    """
    def prepare() -> tuple[Any, ...]:
        size = _core.element_bytes(chunk)
        chosen = _map_of(map, bits, matrix, complement)
        _core.require_array(chunk if out is None else out, size)
        return chosen, size

    def call(address: int, chosen: Map, size: int) -> None:
        if address and out is None:
            _core.permute(address, chosen._map, size, chunk)
            return
        operation = (_core.permuter(address, chosen._map, size, None, None) if address
                     else _core.local_permuter(chosen._map, size))
        _checked(address, operation, chunk, out)
    _together(comm, prepare, call)
    return chunk if out is None else out


def _checked(address: int, operation: _core.Operation, chunk: Any, out: Any) -> None:
    """One call of an operation, where all processes agree first that their arrays fit it."""
    if address:
        objection = ''
        try:
            operation.require(chunk, out)
        except Exception as error:
            objection = _text_of(error)
        _core.agree(address, objection)
    operation.run(chunk, out)


def transpose(chunk: Any, lg_rows: int, lg_cols: int, *, comm: Any = None, out: Any = None) -> Any:
    """Transposes a row-major matrix of 2^lg_rows x 2^lg_cols elements, rows over processes.

    In place, or to `out`. Returns the result; in place, where the chunk has two axes, a view of it with
    rows of 2^lg_rows elements, or the chunk itself where it is shorter than one of them. A chunk, or
    `out`, of two axes has rows as long as those of its matrix, unless it is shorter than one.
    """
    def prepare() -> tuple[Any, ...]:
        chosen = Map.transpose(lg_rows, lg_cols)
        _require_rows(chunk, 1 << index(lg_cols), 'chunk')
        _require_rows(out, 1 << index(lg_rows), 'out')
        return chosen, _holds_rows(chunk, 1 << index(lg_rows)) and hasattr(chunk, 'reshape')
    chosen, is_reshaped = _together(comm, prepare, lambda _, *arguments: arguments)
    moved = permute(chunk, chosen, comm=comm, out=out)
    return chunk.reshape(-1, 1 << index(lg_rows)) if out is None and is_reshaped else moved


def _holds_rows(array: Any, length: int) -> bool:
    """Whether an array has two axes, and room for a row of so many elements."""
    shape: Any = getattr(array, 'shape', ())
    return len(shape) == 2 and int(shape[0] * shape[1]) >= length


def _require_rows(array: Any, length: int, name: str) -> None:
    if _holds_rows(array, length) and array.shape[1] != length:
        raise ValueError(f'the rows of {name} have {array.shape[1]} elements, those of the matrix {length}')


class Axis(NamedTuple):
    """One axis of an array: positions, processes along it, positions of a block (0: one block each, as
    equal as possible), and the process that has the first block."""
    extent: int
    procs: int = 1
    block: int = 0
    first: int = 0


def local(extent: int) -> Axis:
    """An axis that each process has whole."""
    return Axis(extent)


def blocks(extent: int, procs: int) -> Axis:
    """One block for each process along the axis, as equal as possible."""
    return Axis(extent, procs)


def cyclic(extent: int, procs: int, block: int = 1) -> Axis:
    """Blocks of so many positions, dealt out in turn."""
    if _number(block, 'block') == 0:
        raise ValueError('a block has one position at least, not 0: blocks() deals out one block each')
    return Axis(extent, procs, block)


class Array:
    """An array of any extents over a grid of processes: its axes, the slowest first.

    The grid is numbered like the array, the last axis fastest, or with the axes in the order of `grid`.
    """

    def __init__(self, axes: Sequence[Axis], grid: Sequence[int] | None = None) -> None:
        self.axes = [Axis(*each) for each in axes]
        self._array = _core.Array([tuple(_numbers(each, 'axis')) for each in self.axes],
                                  _axes(grid, len(self.axes)))

    def count(self, proc: int) -> int:
        """Elements that a process holds."""
        return self._array.count(_number(proc, 'proc'))

    def index(self, proc: int, i: int) -> int:
        """The index, in the whole array, of element i of a process."""
        return self._array.index(_number(proc, 'proc'), _number(i, 'i'))


class Redistributor(_Mover):
    """Brings an array from one Array to another, of the same extents; with axis k of the target axis
    axes[k] of the source, where axes are given. Collective. In place the memory has room for the longer
    one of before and afterwards."""

    def __init__(self, dtype: Any, source: Array, target: Array, axes: Sequence[int] | None = None, *,
                 comm: Any) -> None:
        def prepare() -> tuple[Any, ...]:
            _require_comm(comm)
            arrays = _array(source, 'source'), _array(target, 'target')
            return _bytes_of(dtype), *arrays, _axes(axes, len(source.axes))
        self._core = _together(comm, prepare, _core.redistributor)


def redistribute(chunk: Any, source: Array, target: Array, axes: Sequence[int] | None = None, *,
                 comm: Any, out: Any = None) -> Any:
    """One redistribution: `chunk` is this process's part of `source`, and stays as it is; the part of
    `target` is returned, in `out` or in an array of numpy. Collective."""
    def prepare() -> tuple[Any, ...]:
        _require_comm(comm)
        arrays = _array(source, 'source'), _array(target, 'target')
        made = out
        if made is None:
            data = numpy.asarray(chunk)
            made = numpy.empty(target.count(comm.Get_rank()), dtype=data.dtype)
        _core.require_array(made, _core.element_bytes(chunk))
        return made, _core.element_bytes(chunk), *arrays, _axes(axes, len(source.axes))

    def call(address: int, made: Any, *arguments: Any) -> Any:
        _checked(address, _core.redistributor(address, *arguments), chunk, made)
        return made
    return _together(comm, prepare, call)


class Gatherer(_Operation):
    """target[y] = source[map(y)] for every index y. Collective."""

    def __init__(self, dtype: Any, map: Map, *, comm: Any) -> None:
        def prepare() -> tuple[Any, ...]:
            _require_comm(comm)
            return _map(map, 'map'), _bytes_of(dtype)
        self._core = _together(comm, prepare, _core.gatherer)

    def __call__(self, source: Any, target: Any) -> None:
        self._core.run(source, target)


_NUMBERS = {'int32': (1, 'i'), 'int64': (2, 'lq'), 'uint32': (3, 'I'), 'uint64': (4, 'LQ'),
            'float32': (5, 'f'), 'float64': (6, 'd'), 'complex64': (7, 'F'), 'complex128': (8, 'D')}
_COMBINE = {'sum': 1, 'prod': 2, 'min': 3, 'max': 4}


def _unreached(given: Any, known: numpy.dtype[Any]) -> bytes:
    """A number as an element. Floating-point ones are rounded; no other value is changed."""
    number = numpy.asarray(given)
    if number.ndim != 0 or number.dtype.kind not in 'biufc':
        raise ValueError(f'unreached must be one number, not {given!r}')
    fits = number.dtype.kind != 'c' or known.kind == 'c'
    if fits:
        with numpy.errstate(all='ignore'):
            element = number.astype(known)
        fits = (element.item() == number.item() if known.kind in 'iu'
                else bool(numpy.isfinite(element) or not numpy.isfinite(number)))
    if not fits:
        raise ValueError(f'unreached is {given!r}, which is no {known}')
    return element.tobytes()


class Reducer(_Operation):
    """target[y] = all source[x] with map(x) = y combined by 'sum', 'prod', 'min' or 'max', in an order
    that is the same in every run; `unreached`, a number of that dtype, where there is none. The least
    and the largest are NaN where one of them is, as in numpy. Collective."""

    def __init__(self, dtype: Any, map: Map, combine: str = 'sum', unreached: Any = 0, *,
                 comm: Any) -> None:
        def prepare() -> tuple[Any, ...]:
            _require_comm(comm)
            known = numpy.dtype(dtype)
            if known.name not in _NUMBERS or not known.isnative:
                raise ValueError(f'{known} is none of the types that can be combined: ' +
                                 ', '.join(_NUMBERS))
            if not isinstance(combine, str) or combine not in _COMBINE:
                raise ValueError(f'{combine!r} is none of ' + ', '.join(_COMBINE))
            number, formats = _NUMBERS[known.name]
            return _map(map, 'map'), number, _COMBINE[combine], _unreached(unreached, known), formats
        self._core = _together(comm, prepare, _core.reducer)

    def __call__(self, source: Any, target: Any) -> None:
        self._core.run(source, target)
