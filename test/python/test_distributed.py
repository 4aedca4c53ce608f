# SPDX-License-Identifier: BSL-1.0
"""Distributed arrays from Python, against numpy on the whole array. The payload is the index."""
import ctypes
import threading

import numpy as np
import pytest
from mpi4py import MPI

import bmmc

WORLD = MPI.COMM_WORLD
ME, PROCS = WORLD.rank, WORLD.size
LG = PROCS.bit_length() - 1
LAST = ME == PROCS - 1

DTYPES = ['i1', 'i2', 'f4', 'f8', 'c16', 'V3', 'V32', 'U5', 'datetime64[s]', [('a', 'f8'), ('O', 'i4')]]


def whole(n, dtype):
    """2^n elements, each different from all others as far as its bytes allow."""
    index = np.arange(1 << n)
    raw = np.zeros((1 << n, np.dtype(dtype).itemsize), np.uint8)
    for k in range(raw.shape[1]):
        raw[:, k] = index >> 8 if k == 1 else index ^ k * 37 & 255 if k else index
    return raw.reshape(-1).view(dtype)


def part(array):
    length = len(array) // PROCS
    return array[ME * length:(ME + 1) * length].copy()


def permuted(array, matrix, complement):
    """By a loop over the bits of numpy's own integers."""
    n = len(matrix)
    x = np.arange(len(array))
    y = np.full(len(array), complement)
    for i in range(n):
        for j in range(n):
            y ^= (x >> j & matrix[i][j]) << i
    moved = np.empty_like(array)
    moved[y] = array
    return moved


def mixed(n):
    """Neither an involution nor a permutation of bits."""
    matrix = np.zeros((n, n), int)
    for j in range(n):
        matrix[(j + 1) % n, j] = 1
        if j + 1 < n:
            matrix[0, j] = 1
    return matrix


def same(a, b):
    return a.tobytes() == b.tobytes()


@pytest.mark.parametrize('dtype', DTYPES)
def test_permute_every_dtype(dtype):
    n = LG + 4
    array, matrix = whole(n, dtype), mixed(n)
    right = part(permuted(array, matrix, 5))
    chunk = part(array)
    address = chunk.ctypes.data
    assert bmmc.permute(chunk, matrix=matrix, complement=5, comm=WORLD) is chunk
    assert same(chunk, right) and chunk.ctypes.data == address
    source, target = part(array), np.zeros_like(chunk)
    assert bmmc.permute(source, matrix=matrix, complement=5, comm=WORLD, out=target) is target
    assert same(target, right) and same(source, part(array))
    keep = bmmc.Permuter(dtype, matrix=matrix, complement=5, comm=WORLD)
    for _ in range(3):
        chunk = part(array)
        keep(chunk)
        assert same(chunk, right)
    keep.start(source, target)
    while not keep.test():
        pass
    assert same(target, right)
    keep.start(source)
    keep.wait()
    assert same(source, right)
    assert keep.elements() == (16, 16) and 'elements' in str(keep)


def test_ways_to_say_a_permutation():
    n = LG + 4
    matrix = np.zeros((n, n), int)
    bits = [(j + 2) % n for j in range(n)]
    for j, i in enumerate(bits):
        matrix[i, j] = 1
    named = bmmc.Map.named('rotate_bits', n, 2)
    assert bmmc.Map(bits=bits) == named == bmmc.Map(matrix=matrix) == bmmc.Map([1 << i for i in bits])
    assert hash(named) == hash(bmmc.Map(bits=bits)) and named != bmmc.Map(bits=bits, complement=1)
    right = part(permuted(whole(n, 'f8'), matrix, 0))
    for how in ({'bits': bits}, {'matrix': matrix}, {'map': named}):
        assert same(bmmc.permute(part(whole(n, 'f8')), comm=WORLD, **how), right)
    assert (~named @ named)(5) == 5 and named(1) == 4
    assert named.columns == [1 << i for i in bits] and named.complement == 0
    assert str(bmmc.Map(bits=[1, 0], complement=2)) == '. 1 | .\n1 . | 1'


def test_transpose():
    rows, cols = LG + 2, LG + 3
    matrix = np.arange(1 << rows + cols, dtype='f4').reshape(1 << rows, 1 << cols)
    mine = part(matrix)
    turned = bmmc.transpose(mine, rows, cols, comm=WORLD)
    assert turned.shape == ((1 << cols) // PROCS, 1 << rows)
    assert same(turned, part(matrix.T.copy())) and turned.base is mine
    out = np.empty_like(turned)
    assert bmmc.transpose(part(matrix), rows, cols, comm=WORLD, out=out) is out
    assert same(out, turned)


def test_layouts():
    n = LG + 4
    array = whole(n, 'i8')
    cyclic = bmmc.Map.named('processor_minor', n, PROCS)
    deal = bmmc.Permuter('i8', bmmc.Map.named('identity', n), target=cyclic, comm=WORLD)
    chunk = part(array)
    deal(chunk)
    assert same(chunk, array[ME::PROCS].copy())


def test_redistribute():
    shape, dtype = (6, 5, 4), 'f8'
    array = np.arange(120, dtype=dtype)
    rows = bmmc.Array([bmmc.blocks(6, PROCS), bmmc.local(5), bmmc.local(4)])
    dealt = bmmc.Array([bmmc.local(6), bmmc.cyclic(5, PROCS, 2), bmmc.local(4)], grid=[1, 0, 2])
    turned = bmmc.Array([bmmc.cyclic(4, PROCS), bmmc.local(6), bmmc.local(5)])

    def of(layout, values):
        return np.array([values[layout.index(ME, i)] for i in range(layout.count(ME))], dtype)
    mine = of(rows, array)
    assert same(bmmc.redistribute(mine, rows, dealt, comm=WORLD), of(dealt, array))
    right = of(turned, array.reshape(shape).transpose(2, 0, 1).ravel())
    assert same(bmmc.redistribute(mine, rows, turned, [2, 0, 1], comm=WORLD), right)
    keep = bmmc.Redistributor(dtype, rows, turned, [2, 0, 1], comm=WORLD)
    out = np.empty_like(right)
    keep(mine, out)
    assert same(out, right)
    out[:] = -1
    keep.start(mine, out)
    keep.wait()
    assert same(out, right) and keep.elements() == (len(mine), len(out))
    with pytest.raises(ValueError, match='named twice'):
        bmmc.redistribute(mine, rows, turned, [2, 0, 0] if LAST else [2, 0, 1], comm=WORLD)
    with pytest.raises(ValueError, match='must hold'):
        bmmc.redistribute(mine[:-1] if LAST else mine, rows, dealt, comm=WORLD)


@pytest.mark.parametrize('dtype', ['i4', 'i8', 'u4', 'u8', 'f4', 'f8', 'c8', 'c16'])
def test_gather_and_reduce(dtype):
    n = LG + 4
    drop = bmmc.Map.named('drop_bits', n, 1, 2)
    small = (np.arange(1 << n - 2) % 11 + 1).astype(dtype)
    mine, spread = part(small), np.empty(16, dtype)
    bmmc.Gatherer(dtype, drop, comm=WORLD)(mine, spread)
    big = small[[drop(x) for x in range(1 << n)]]
    assert same(spread, part(big))
    array = (np.arange(1 << n) % 5 + 1).astype(dtype)
    cube = array.reshape(-1, 4, 2)
    ways = {'sum': cube.sum(axis=1), 'prod': cube.prod(axis=1)}
    if dtype[0] != 'c':
        ways |= {'min': cube.min(axis=1), 'max': cube.max(axis=1)}
    for way, right in ways.items():
        reduce = bmmc.Reducer(dtype, drop, way, comm=WORLD)
        total = np.empty(4, dtype)
        reduce(part(array), total)
        assert same(total, part(right.astype(dtype).ravel()))
        with pytest.raises(ValueError, match='must be of the format|must have'):
            reduce(part(array).view('V%d' % array.itemsize), total)
    with pytest.raises(ValueError, match='none of sum, prod, min, max'):
        bmmc.Reducer(dtype, drop, 'mean' if LAST else 'sum', comm=WORLD)
    with pytest.raises(ValueError, match='none of the types'):
        bmmc.Reducer('i2' if LAST else 'i4', drop, comm=WORLD)


def test_plan():
    plan = bmmc.Plan(bmmc.Map.bit_reversal(6), 4)
    sent = np.zeros((4, 4), int)
    for x in range(64):
        sent[x // 16, bmmc.Map.bit_reversal(6)(x) // 16] += 1
    assert (plan.elements() == sent).all()
    assert plan.moving_elements == sent.sum() - np.trace(sent)
    assert (plan.procs, plan.chunk_elements, plan.messages, plan.message_elements) == (4, 16, 4, 4)
    assert '64 elements (2^6) on 4 processes' in str(plan)


WRONG = {
    'a chunk that is no array': lambda good: 7,
    'a list': lambda good: list(good),
    'every other element': lambda good: np.zeros(32)[::2],
    'the transposed matrix': lambda good: good.reshape(4, 4).T,
    'read-only': lambda good: bytes(good),
    'objects': lambda good: np.array([None] * 16),
    'too short': lambda good: good[:-1],
    'wider elements': lambda good: good.astype('c16'),
    'nothing': lambda good: None,
}


@pytest.mark.parametrize('name', WRONG)
def test_one_process_has_a_wrong_chunk(name):
    n = LG + 4
    chunk = part(whole(n, 'f8'))
    given = WRONG[name](chunk) if LAST else chunk
    if PROCS > 1 or name != 'wider elements':  # alone, all elements are as wide
        with pytest.raises(ValueError) as told:
            bmmc.permute(given, bmmc.Map.bit_reversal(n), comm=WORLD)
        assert len(set(WORLD.allgather(str(told.value)))) == 1
    assert same(chunk, part(whole(n, 'f8')))
    with pytest.raises(ValueError) as told:
        bmmc.permute(chunk, bmmc.Map.bit_reversal(n), comm=WORLD, out=WRONG[name](chunk.copy())
                     if LAST and name != 'nothing' else np.zeros(0) if LAST else chunk.copy())
    assert len(set(WORLD.allgather(str(told.value)))) == 1
    bmmc.permute(chunk, bmmc.Map.bit_reversal(n), comm=WORLD)


def test_one_process_has_a_wrong_map():
    n = LG + 4
    chunk = part(whole(n, 'f8'))
    for wrong in ({'bits': [0] * n}, {'matrix': np.ones((n, n))}, {'matrix': 5}, {'bits': 'no'}, {},
                  {'map': 3}, {'map': bmmc.Map.bit_reversal(n), 'complement': 1},
                  {'bits': range(n), 'complement': -1}, {'bits': range(n), 'complement': 1 << n},
                  {'map': bmmc.Map.bit_reversal(n - 1)}):
        if PROCS == 1 and wrong.get('map') == bmmc.Map.bit_reversal(n - 1):
            continue  # alone, it is right for another chunk
        with pytest.raises(ValueError) as told:
            bmmc.permute(chunk, comm=WORLD, **(wrong if LAST else {'bits': range(n)}))
        assert len(set(WORLD.allgather(str(told.value)))) == 1
        with pytest.raises(ValueError) as told:
            bmmc.Permuter('f8', comm=WORLD, **(wrong if LAST else {'bits': range(n)}))
    with pytest.raises(ValueError):
        bmmc.transpose(chunk, 70 if LAST else LG + 1, 3, comm=WORLD)
    with pytest.raises(TypeError):
        bmmc.permute(chunk, bits=range(n), comm=5)
    with pytest.raises(ValueError, match='Python objects'):
        bmmc.Permuter(object if LAST else 'f8', bits=range(n), comm=WORLD)
    assert same(chunk, part(whole(n, 'f8')))


def test_kept_operations_check_their_arrays():
    n = LG + 4
    keep = bmmc.Permuter('f8', bmmc.Map.bit_reversal(n), comm=WORLD)
    chunk = part(whole(n, 'f8'))
    for name, wrong in WRONG.items():
        with pytest.raises(ValueError):
            keep(wrong(chunk))
        if name not in ('nothing', 'read-only'):
            with pytest.raises(ValueError):
                keep(chunk, wrong(chunk.copy()))
    with pytest.raises(ValueError, match='overlap'):
        keep(chunk, chunk)
    assert same(chunk, part(whole(n, 'f8')))


class OnlyDlpack:
    """As arrays of other libraries: no buffer protocol, no numpy."""

    def __init__(self, array, device=None):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_dlpack_and_buffers():
    n = LG + 4
    array = whole(n, 'f8')
    right = part(permuted(array, mixed(n), 0))
    chunk = part(array)
    bmmc.permute(OnlyDlpack(chunk), matrix=mixed(n), comm=WORLD)
    assert same(chunk, right)
    keep = bmmc.Permuter('f8', matrix=mixed(n), comm=WORLD)
    chunk = part(array)
    keep(OnlyDlpack(chunk))
    assert same(chunk, right)
    with pytest.raises(ValueError, match='do not lie one after the other'):
        keep(OnlyDlpack(np.zeros(32)[::2]))
    held = (ctypes.c_double * 16).from_buffer(bytearray(part(array).tobytes()))
    keep(held)
    assert bytes(held) == right.tobytes()
    small = part(whole(LG + 4, 'u1'))
    data = bytearray(small.tobytes())
    bmmc.permute(data, matrix=mixed(n), comm=WORLD)
    assert bytes(data) == part(permuted(whole(n, 'u1'), mixed(n), 0)).tobytes()


def test_memory_is_kept_while_under_way():
    n = LG + 4
    keep = bmmc.Permuter('f8', bmmc.Map.bit_reversal(n), comm=WORLD)
    data = bytearray(part(whole(n, 'f8')).tobytes())
    keep.start(np.frombuffer(data), np.frombuffer(data_out := bytearray(len(data))))
    with pytest.raises(BufferError):
        data_out.extend(b'x')  # it is written later: nobody may move it
    keep.wait()
    data_out.extend(b'x')
    with pytest.raises(ValueError, match='under way'):
        chunk = part(whole(n, 'f8'))
        keep.start(chunk)
        keep.start(chunk)
    keep.wait()


def test_other_threads_run_meanwhile():
    if PROCS != 1:
        return
    big = np.arange(1 << 24, dtype='f8')
    out = np.empty_like(big)
    keep = bmmc.Permuter('f8', bmmc.Map.bit_reversal(24), comm=WORLD)
    steps, is_over = [0], threading.Event()

    def count():
        while not is_over.is_set():
            steps[0] += 1
    thread = threading.Thread(target=count)
    thread.start()
    before = steps[0]
    keep(big, out)
    during = steps[0] - before
    is_over.set()
    thread.join()
    assert during > 1000


def test_duplicated_and_split_communicators():
    n = 4
    alone = WORLD.Split(ME, 0)
    chunk = whole(n, 'f8')
    bmmc.permute(chunk, matrix=mixed(n), comm=alone)
    assert same(chunk, permuted(whole(n, 'f8'), mixed(n), 0))
    alone.Free()
    with pytest.raises(ValueError, match='MPI_COMM_NULL'):
        bmmc.permute(chunk, matrix=mixed(n), comm=MPI.COMM_NULL)
