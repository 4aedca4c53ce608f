# SPDX-License-Identifier: BSL-1.0
"""A Fourier transform of 2^20 points over 4 processes: numpy.fft for rows, bmmc between them.

    mpirun -np 4 python3 64_fft.py

The points x[r, c], r < R and c < C, are a matrix, row by row, of which each process has an equal share of
the rows. With k = k1 + R k2 the transform is

    X[k1 + R k2] = sum over c of w_C^(c k2)  w_N^(c k1)  sum over r of x[r, c] w_R^(r k1)

so: transpose, transform rows of R points, twist by w_N^(c k1), transpose, transform rows of C points,
transpose to have the result in order.
"""
import numpy as np
from mpi4py import MPI

import bmmc

# %% The points: two waves and some noise, this process's part of them
world = MPI.COMM_WORLD
LG_R, LG_C = 10, 10
R, C = 1 << LG_R, 1 << LG_C
N = R * C
share = N // world.size
mine = np.arange(world.rank * share, (world.rank + 1) * share)
noise = np.random.default_rng(1).normal(size=N)[mine]
x = np.exp(2j * np.pi * 1234 * mine / N) + 0.5 * np.exp(2j * np.pi * 56789 * mine / N) + 0.1 * noise

# %% What is used three times is made once, and before: who will send how much to whom
turn = bmmc.Permuter(np.complex128, bmmc.Map.transpose(LG_R, LG_C), comm=world)
back = bmmc.Permuter(np.complex128, bmmc.Map.transpose(LG_C, LG_R), comm=world)
plan = bmmc.Plan(bmmc.Map.transpose(LG_R, LG_C), world.size)
if world.rank == 0:
    print(f'each process sends {plan.messages} messages of {plan.message_elements} points, three times')

# %% The transform, in place
field = x.copy()
turn(field)                                                # rows are columns: c, then r
rows = field.reshape(C // world.size, R)
rows[:] = np.fft.fft(rows, axis=1)                         # r becomes k1
c = np.arange(world.rank * len(rows), (world.rank + 1) * len(rows))[:, None]
rows *= np.exp(-2j * np.pi * c * np.arange(R) / N)         # the twist
back(field)                                                # k1, then c
rows = field.reshape(R // world.size, C)
rows[:] = np.fft.fft(rows, axis=1)                         # c becomes k2
turn(field)                                                # k2, then k1: X in order

# %% Against numpy on one process
points, result = world.gather(x), world.gather(field)
if world.rank == 0:
    right, result = np.fft.fft(np.concatenate(points)), np.concatenate(result)
    error = np.abs(result - right).max() / np.abs(right).max()
    peaks = sorted(int(k) for k in np.argsort(np.abs(result))[-2:])
    print(f'the two largest of {N} coefficients: {peaks}')
    print('as numpy has it' if error < 1e-12 else f'wrong by {error}')
    if error >= 1e-12:
        world.Abort(1)

# Prints:
# each process sends 4 messages of 65536 points, three times
# the two largest of 1048576 coefficients: [1234, 56789]
# as numpy has it
