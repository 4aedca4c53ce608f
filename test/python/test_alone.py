# SPDX-License-Identifier: BSL-1.0
"""One process without mpi4py: a module of that name cannot be imported here."""
import sys

sys.modules['mpi4py'] = None

import numpy as np

import bmmc


def reversed_bits(n):
    return np.array([int(f'{x:0{n}b}'[::-1], 2) for x in range(1 << n)])


def test_permute():
    for dtype in ('u1', 'f8', 'V12', 'V64'):
        array = np.arange(256 * np.dtype(dtype).itemsize, dtype='u4').astype('u1').view(dtype)
        right = np.empty_like(array)
        right[reversed_bits(8)] = array
        out = np.zeros_like(array)
        assert bmmc.permute(array, bmmc.Map.bit_reversal(8), out=out) is out
        assert out.tobytes() == right.tobytes()
        assert bmmc.permute(array, bmmc.Map.bit_reversal(8)).tobytes() == right.tobytes()
        keep = bmmc.Permuter(dtype, bmmc.Map.bit_reversal(8))
        keep(right)
        keep(right, out)
        assert out.tobytes() == array.tobytes()


def test_transpose_many_axes():
    matrix = np.arange(1 << 12, dtype='f8').reshape(32, 128)
    assert (bmmc.transpose(matrix.copy(), 5, 7) == matrix.T).all()
    out = np.empty((128, 32))
    assert (bmmc.transpose(matrix, 5, 7, out=out) == matrix.T).all()
    cube = np.arange(1 << 10).reshape((2,) * 10)
    axes = [3, 1, 4, 0, 5, 9, 2, 6, 8, 7]
    moved = np.empty_like(cube)
    bmmc.permute(cube, bmmc.Map.axes([1] * 10, axes), out=moved)
    assert (moved == cube.transpose(axes)).all()


def test_what_needs_a_communicator_says_so():
    one = bmmc.Array([bmmc.local(4)])
    for call in (lambda: bmmc.Redistributor('f8', one, one, comm=None),
                 lambda: bmmc.redistribute(np.zeros(4), one, one, comm=None),
                 lambda: bmmc.Gatherer('f8', bmmc.Map.bit_reversal(2), comm=None),
                 lambda: bmmc.Reducer('f8', bmmc.Map.bit_reversal(2), comm=None),
                 lambda: bmmc.Permuter('f8', bmmc.Map.bit_reversal(2), source=bmmc.Map.bit_reversal(2))):
        try:
            call()
        except ValueError as error:
            assert 'comm' in str(error) or 'MPI is not running' in str(error)
        else:
            assert False


def test_calls_between_start_and_wait():
    """One process has all done when it has started, of whatever size elements are."""
    for dtype in ('u1', 'V3'):
        array = np.arange(16 * np.dtype(dtype).itemsize, dtype='u1').view(dtype)
        right = bmmc.permute(array.copy(), bmmc.Map.bit_reversal(4))
        keep = bmmc.Permuter(dtype, bmmc.Map.bit_reversal(4))
        keep.start(array)
        keep(np.zeros_like(array))
        keep.wait()
        assert array.tobytes() == right.tobytes()


def test_drawing():
    import importlib.util
    plan = bmmc.Plan(bmmc.Map.bit_reversal(8), 4)
    if importlib.util.find_spec('matplotlib') is None:
        try:
            plan.draw()
        except ImportError as error:
            assert 'matplotlib' in str(error)
        return
    import matplotlib
    matplotlib.use('Agg')
    axes = plan.draw()
    assert axes.get_title() == '4 messages of 16 elements per process'
    assert (axes.images[0].get_array() == plan.elements()).all()
