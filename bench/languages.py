#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""What a call costs from Python beside C++ and C, and transpositions beside numpy; one process.

    languages.py BENCH_LANGUAGES LIBBMMC_C        with the package bmmc where Python finds it

BENCH_LANGUAGES is the program of languages.cpp, LIBBMMC_C the library. Medians; numpy and ours in turn.
"""
import ctypes
import statistics
import subprocess
import sys
import time

import bmmc
import numpy as np


def time_of(calls, call):
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    return (time.perf_counter_ns() - start) / calls


def in_turn(ways, calls, rounds):
    """The median nanoseconds of each way, and the last one over the first."""
    times = [[] for _ in ways]
    for _ in range(rounds):
        for way, spent in zip(ways, times):
            spent.append(time_of(calls, way))
    return ([statistics.median(spent) for spent in times] +
            [statistics.median(last / first for first, last in zip(times[0], times[-1]))])


def from_c(library, comm, source, target):
    """The same call of C on the same arrays, by ctypes."""
    c = ctypes.CDLL(library)
    bits, map, operation = ctypes.c_uint64(len(source).bit_length() - 1), ctypes.c_uint64(), ctypes.c_uint64()
    word, none = ctypes.c_uint64, ctypes.c_uint64(0)
    status = c.bmmc_map_by_name(b'bit_reversal', 1, ctypes.byref(bits), ctypes.byref(map))
    status |= c.bmmc_permuter_f(comm.py2f(), map, ctypes.c_size_t(8), none, none, ctypes.byref(operation))
    if status != 0:
        sys.exit('a call of C failed')
    length = word(len(source))
    where = [ctypes.c_void_p(array.ctypes.data) for array in (source, target)]
    return lambda: c.bmmc_run(operation, where[0], length, where[1], length)


def calls_of_a_permuter(program, library):
    print('a bit reversal of doubles from one array to another, by what was made before: nanoseconds')
    print(f'{"bytes":>10} {"C++":>12} {"C":>12} {"Python":>12}')
    from mpi4py import MPI
    for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines():
        size, cpp, c, ratio = (float(word) for word in line.split())
        elements = int(size) // 8
        source, target = np.ones(elements), np.empty(elements)
        permute = bmmc.Permuter('f8', bmmc.Map.bit_reversal(elements.bit_length() - 1), comm=MPI.COMM_WORLD)
        ways = [lambda: permute(source, target), from_c(library, MPI.COMM_WORLD, source, target)]
        for way in ways:
            way()
        calls = max(1, min(20000, int(2e6 / cpp)))
        python, by_ctypes, beside = in_turn(ways, calls, 41)
        print(f'{int(size):10} {cpp:12.0f} {c:12.0f} {python:12.0f}   ' +
              (f'C {c - cpp:+.0f} ns, Python {python - cpp:+.0f} ns' if size < 1 << 20 else
               f'C {ratio - 1:+.1%}, Python {1 / beside - 1:+.1%} beside C on the same arrays'))


def beside_numpy():
    print('\nmilliseconds beside numpy')
    matrix = np.random.default_rng(1).random((4096, 4096))
    out = np.empty_like(matrix)
    keep = bmmc.Permuter('f8', bmmc.Map.transpose(12, 12))
    ways = {'ascontiguousarray(a.T)': lambda: np.ascontiguousarray(matrix.T),
            'copyto(out, a.T)': lambda: np.copyto(out, matrix.T),
            'ours, new array': lambda: bmmc.transpose(matrix, 12, 12, out=np.empty_like(matrix)),
            'ours, to out': lambda: keep(matrix, out),
            'ours, in place': lambda: keep(matrix)}
    print('4096 x 4096 doubles transposed:')
    show(ways)
    cube = np.random.default_rng(2).random(1 << 24).reshape((2,) * 24)
    order = [int(k) for k in np.random.default_rng(3).permutation(24)]
    other = np.empty_like(cube)
    axes = bmmc.Permuter('f8', bmmc.Map.axes([1] * 24, order))
    backwards = bmmc.Permuter('f8', bmmc.Map.bit_reversal(24))
    print(f'24 axes of extent 2, doubles, in the order {order}:')
    show({'ascontiguousarray(a.transpose)': lambda: np.ascontiguousarray(cube.transpose(order)),
          'ours, to out': lambda: axes(cube, other)})
    print('24 axes of extent 2, doubles, backwards:')
    show({'ascontiguousarray(a.T)': lambda: np.ascontiguousarray(cube.T),
          'ours, to out': lambda: backwards(cube, other)})


def show(ways):
    for way in ways.values():
        way()
    times = in_turn(ways.values(), 1, 9)
    for name, spent in zip(ways, times):
        print(f'  {name:32} {spent / 1e6:9.1f}   numpy takes {times[0] / spent:5.1f} times that')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    calls_of_a_permuter(*sys.argv[1:])
    beside_numpy()
