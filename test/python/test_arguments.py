# SPDX-License-Identifier: BSL-1.0
"""Arguments that no call can take: a ValueError on every process, also where one alone has them."""
import numpy as np
import pytest
from mpi4py import MPI

import bmmc

WORLD = MPI.COMM_WORLD
ME, PROCS = WORLD.rank, WORLD.size
LG = PROCS.bit_length() - 1
LAST = ME == PROCS - 1
N = LG + 4
REVERSAL = bmmc.Map.bit_reversal(N)
DROP = bmmc.Map.named('drop_bits', N, 0, 1)


def refused(call, wrong, right, words):
    """The last process passes what is wrong: all get one text, with these words."""
    with pytest.raises(ValueError, match=words) as told:
        call(wrong if LAST else right)
    assert len(set(WORLD.allgather(str(told.value)[-60:]))) == 1


@pytest.mark.parametrize('wrong', [False, 0, '', [], 'map', np.zeros(3), bmmc.Array([bmmc.local(3)])],
                         ids=str)
def test_one_process_has_no_map_or_array(wrong):
    rows = bmmc.Array([bmmc.blocks(6, PROCS), bmmc.local(5)])
    mine = np.zeros(rows.count(ME))
    refused(lambda given: bmmc.Permuter('f8', REVERSAL, source=given, comm=WORLD), wrong, None,
            'source must be a Map or None, not ')
    refused(lambda given: bmmc.Permuter('f8', REVERSAL, target=given, comm=WORLD), wrong, None,
            'target must be a Map or None, not ')
    refused(lambda given: bmmc.Gatherer('f8', given, comm=WORLD), wrong, DROP, 'map must be a Map, not ')
    refused(lambda given: bmmc.Reducer('f8', given, comm=WORLD), wrong, DROP, 'map must be a Map, not ')
    with pytest.raises(ValueError, match='map must be a Map, not '):
        bmmc.Plan(wrong, 2)
    with pytest.raises(ValueError, match='target must be a Map or None, not '):
        bmmc.Plan(REVERSAL, 2, target=wrong)
    for no_array in (REVERSAL, None, 'rows', 7):
        for call in (lambda given: bmmc.Redistributor('f8', given, rows, comm=WORLD),
                     lambda given: bmmc.redistribute(mine, given, rows, comm=WORLD)):
            refused(call, no_array, rows, 'source must be an Array, not ')
        for call in (lambda given: bmmc.Redistributor('f8', rows, given, comm=WORLD),
                     lambda given: bmmc.redistribute(mine, rows, given, comm=WORLD)):
            refused(call, no_array, rows, 'target must be an Array, not ')


@pytest.mark.parametrize('axes, words', [
    ([1], '2 axes cannot have 1 of them named'), ([], 'cannot have 0'), ([0, 1, 0], 'cannot have 3'),
    ([0, 1 << 32], 'from 0 to 2\\^32 - 1'), ([0, -1], 'from 0 to'), (5, 'a list of numbers'),
    ([0, 'x'], 'a whole number'), ([0, 2], 'axis 2')], ids=str)
def test_axes(axes, words):
    rows = bmmc.Array([bmmc.blocks(6, PROCS), bmmc.local(6)])
    mine = np.zeros(rows.count(ME))
    refused(lambda given: bmmc.Redistributor('f8', rows, rows, given, comm=WORLD), axes, [1, 0], words)
    refused(lambda given: bmmc.redistribute(mine, rows, rows, given, comm=WORLD), axes, [1, 0], words)
    with pytest.raises(ValueError):
        bmmc.Array([bmmc.local(6), bmmc.local(6)], grid=axes)
    with pytest.raises(ValueError):
        bmmc.Map.axes([1, 1], axes)


def test_numbers_of_32_bits():
    for wrong in (1 << 32, -1):
        for call in (lambda: bmmc.Map([1], rows=wrong), lambda: bmmc.Map(bits=[wrong]),
                     lambda: bmmc.Map.axes([wrong], [0])):
            with pytest.raises(ValueError, match=f'must be from 0 to 2\\^32 - 1, not {wrong}'):
                call()
        refused(lambda given: bmmc.permute(np.zeros(16), bits=given, comm=WORLD), [wrong] * N, range(N),
                'bits must be from 0')


@pytest.mark.parametrize('wrong, dtype', [
    ([], 'i8'), ([7], 'i8'), ([[1, 2]], 'f8'), ('5', 'i8'), (None, 'f8'), (3.7, 'i8'), (np.nan, 'i8'),
    (-1, 'u4'), (1 << 40, 'i4'), (1 << 63, 'i8'), (1 << 70, 'f8'), (1e300, 'f4'), (1j, 'f8'),
    (2**53 + 1.0j, 'i8')], ids=str)
def test_unreached_is_no_number_of_the_type(wrong, dtype):
    refused(lambda given: bmmc.Reducer(dtype, DROP, 'sum', given, comm=WORLD), wrong, 0, 'unreached')


@pytest.mark.parametrize('given, dtype', [
    (7, 'i8'), (np.int8(-7), 'i4'), (3.0, 'u4'), ((1 << 64) - 1, 'u8'), (0.1, 'f4'), (np.nan, 'f4'),
    (-np.inf, 'f8'), (2, 'c8'), (1 + 2j, 'c16'), (True, 'f8'), (np.array(5), 'i4')], ids=str)
def test_unreached(given, dtype):
    reached = bmmc.Map([1 << j for j in range(N - 1)], rows=N)  # the lower half
    result = np.ones(16, dtype)
    bmmc.Reducer(dtype, reached, 'sum', given, comm=WORLD)(np.zeros(8, dtype), result)
    expected = np.array(given).astype(dtype)
    is_upper = ME * 16 >= 1 << N - 1 if PROCS > 1 else np.arange(16) >= 8
    right = np.where(is_upper, expected, np.zeros((), dtype))
    assert np.array_equal(result, np.broadcast_to(right, 16), equal_nan=dtype[0] in 'fc')


@pytest.mark.parametrize('way', [['sum'], None, 7, 'mean', '\ud800'], ids=ascii)
def test_combine(way):
    refused(lambda given: bmmc.Reducer('f8', DROP, given, comm=WORLD), way, 'sum', 'none of sum, prod')


@pytest.mark.parametrize('dtype', ['f4', 'f8'])
def test_the_least_and_the_largest_with_nan(dtype):
    """NaN wherever it is, as in numpy."""
    for at in range(16):
        array = np.arange(16).astype(dtype)
        array[at] = np.nan
        for way, right in (('min', np.min), ('max', np.max)):
            result = np.zeros(8, dtype)
            bmmc.Reducer(dtype, DROP, way, comm=WORLD)(array, result)
            assert np.array_equal(result, right(array.reshape(8, 2), axis=1), equal_nan=True)


def test_maps():
    with pytest.raises(ValueError, match='rows goes with columns'):
        bmmc.Map(bits=[1, 0], rows=5)
    with pytest.raises(ValueError, match='rows goes with columns'):
        bmmc.Map(matrix=np.eye(2, dtype=int), rows=5)
    assert bmmc.Map([1, 2], rows=5).columns == [1, 2]
    for name in ('identity\0garbage', '\0', b'identity', None, 3):
        with pytest.raises(ValueError, match='the name of a map must be a text'):
            bmmc.Map.named(name, 4)
    with pytest.raises(ValueError, match='no map of the name'):
        bmmc.Map.named('é' * 1000, 4)  # longer than what is kept of a text
    with pytest.raises(ValueError, match='one position at least, not 0'):
        bmmc.cyclic(12, PROCS, 0)
    with pytest.raises(ValueError, match='block must be from 0'):
        bmmc.cyclic(12, PROCS, -1)


class FailsSo:
    """Has no elements, and says why in words that are hard to pass on."""

    def __init__(self, words):
        self.words = words

    def __dlpack__(self, stream=None):
        raise RuntimeError(self.words)


@pytest.mark.parametrize('words, told', [('', 'RuntimeError'), ('\0', r'\\0'), ('a\0b', r'a\\0b'),
                                         ('\ud800', 'ud800'), ('é' * 1000, 'éé')], ids=ascii)
def test_texts_of_others(words, told):
    rows = bmmc.Array([bmmc.blocks(16 * PROCS, PROCS)])
    for call in (lambda given: bmmc.permute(given, REVERSAL, comm=WORLD),
                 lambda given: bmmc.permute(given, REVERSAL, comm=WORLD, out=np.zeros(16)),
                 lambda given: bmmc.redistribute(given, rows, rows, comm=WORLD, out=np.zeros(16))):
        refused(call, FailsSo(words), np.zeros(16), told)


class Tensor:
    """An array of another library that has names of numpy's, but is none of its arrays."""
    dtype = 'double'

    def __init__(self, array):
        self.array = array

    def view(self, *shape):
        raise TypeError('view() takes whole numbers')

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()


def test_view_and_dtype_do_not_make_an_array_of_numpy():
    array = np.arange(16.) + 16 * ME
    right = bmmc.permute(array.copy(), REVERSAL, comm=WORLD)
    bmmc.permute(Tensor(array), REVERSAL, comm=WORLD)
    assert (array == right).all()


def test_rows_of_a_transposition():
    rows, cols = LG + 1, 3  # two rows for each process
    mine = np.arange(16.) + 16 * ME
    right = bmmc.transpose(mine.copy(), rows, cols, comm=WORLD)
    wrong = mine.reshape(4, 4)
    refused(lambda given: bmmc.transpose(given, rows, cols, comm=WORLD), wrong, mine.reshape(2, 8),
            'the rows of chunk have 4 elements, those of the matrix 8')
    assert (mine == np.arange(16.) + 16 * ME).all()
    longer = 1 << rows
    refused(lambda given: bmmc.transpose(mine, rows, cols, comm=WORLD, out=given),
            np.zeros((1, 16)), np.zeros((16 // longer, longer)) if longer <= 16 else np.zeros((1, 16)),
            'the rows of out have 16 elements, those of the matrix')
    assert (bmmc.transpose(mine.reshape(2, 8), rows, cols, comm=WORLD).ravel() == right).all()


def test_chunks_shorter_than_a_row():
    """2^10 rows of 2 elements: two rows of 2^10 elements, of which some processes hold a part each."""
    matrix = np.arange(2048.).reshape(1024, 2)
    mine = np.array_split(matrix, PROCS)[ME].copy()
    turned = bmmc.transpose(mine, 10, 1, comm=WORLD)
    assert (turned.ravel() == np.array_split(matrix.T.ravel(), PROCS)[ME]).all()
    assert turned is mine if PROCS > 2 else turned.shape == (2 // PROCS, 1024)
    back = bmmc.transpose(turned, 1, 10, comm=WORLD)
    assert (back.ravel() == np.array_split(matrix.ravel(), PROCS)[ME]).all()
