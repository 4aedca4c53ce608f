#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes circuits in OpenQASM 2:  circuits.py DIRECTORY [QUBITS]

adder        Cuccaro's ripple-carry adder of two numbers, one in superposition
multiplier   of two numbers, one in superposition: shift and add with that adder
grover       two of Grover's iterations, with a ladder of Toffoli gates
qft          the quantum Fourier transform with its reversal, of a random basis state
bv           Bernstein and Vazirani's algorithm
ghz          (|0...0> + |1...1>) / sqrt(2)
cnot         200 random CNOT gates on a random basis state
repetition   three rounds of a repetition code's parity checks
random_K     200 random gates of all kinds, K = 0 .. 3
"""
import pathlib
import random
import sys


class Circuit:
    def __init__(self, qubits):
        self.qubits = qubits
        self.lines = ['OPENQASM 2.0;', 'include "qelib1.inc";', f'qreg q[{qubits}];']

    def add(self, gate, *qubits):
        self.lines.append(gate + ' ' + ','.join(f'q[{j}]' for j in qubits) + ';')

    def text(self):
        return '\n'.join(self.lines) + '\n'


def add_numbers(c, a, b, carry_in, carry_out):
    """b += a, with the highest carry in a qubit of its own. Cuccaro and others, quant-ph/0410184."""
    carry = [carry_in] + a[:-1]
    for i in range(len(a)):
        c.add('cx', a[i], b[i])
        c.add('cx', a[i], carry[i])
        c.add('ccx', carry[i], b[i], a[i])
    c.add('cx', a[-1], carry_out)
    for i in reversed(range(len(a))):
        c.add('ccx', carry[i], b[i], a[i])
        c.add('cx', a[i], carry[i])
        c.add('cx', carry[i], b[i])


def adder(n):
    c = Circuit(n)
    bits = (n - 2) // 2
    a = [1 + 2 * i for i in range(bits)]
    b = [2 + 2 * i for i in range(bits)]
    for i in range(0, bits, 2):
        c.add('h', a[i])
    for i in range(1, bits, 3):
        c.add('x', b[i])
    add_numbers(c, a, b, 0, 2 * bits + 1)
    return c


def multiplier(n):
    """product += x * y: for each bit of x, that bit times y in spare qubits is added and undone."""
    c = Circuit(n)
    bits = (n - 1) // 5
    x, y, spare = (list(range(k * bits, (k + 1) * bits)) for k in range(3))
    product = list(range(3 * bits, 5 * bits))
    for j in x:
        c.add('h', j)
    for j in y[::2]:
        c.add('x', j)
    for i in range(bits):
        for j in range(bits):
            c.add('ccx', x[i], y[j], spare[j])
        add_numbers(c, spare, product[i:i + bits], 5 * bits, product[i + bits])
        for j in range(bits):
            c.add('ccx', x[i], y[j], spare[j])
    return c


def ladder(c, controls, work, last):
    """Applies last() where all controls are 1, by Toffoli gates through work qubits."""
    steps = [(controls[0], controls[1], work[0])]
    steps += [(controls[i + 2], work[i], work[i + 1]) for i in range(len(controls) - 2)]
    for step in steps:
        c.add('ccx', *step)
    last(steps[-1][2])
    for step in reversed(steps):
        c.add('ccx', *step)


def grover(n):
    c = Circuit(n)
    count = (n + 1) // 2
    search, work = list(range(count)), list(range(count, n))
    for j in search:
        c.add('h', j)
    for _ in range(2):
        for j in search[::3]:
            c.add('x', j)
        ladder(c, search, work, lambda target: c.add('z', target))
        for j in search[::3]:
            c.add('x', j)
        for j in search:
            c.add('h', j)
            c.add('x', j)
        ladder(c, search, work, lambda target: c.add('z', target))
        for j in search:
            c.add('x', j)
            c.add('h', j)
    return c


def qft(n):
    c = Circuit(n)
    chance = random.Random(n)
    for j in range(n):
        if chance.random() < 0.5:
            c.add('x', j)
    for j in reversed(range(n)):
        c.add('h', j)
        for k in range(j):
            c.add(f'cu1(pi/{2 ** (j - k)})', k, j)
    for j in range(n // 2):
        c.add('swap', j, n - 1 - j)
    return c


def bv(n):
    c = Circuit(n)
    c.add('x', n - 1)
    for j in range(n):
        c.add('h', j)
    for j in range(0, n - 1, 2):
        c.add('cx', j, n - 1)
    for j in range(n - 1):
        c.add('h', j)
    return c


def ghz(n):
    c = Circuit(n)
    c.add('h', 0)
    for j in range(1, n):
        c.add('cx', j - 1, j)
    return c


def cnot(n):
    c = Circuit(n)
    chance = random.Random(2 * n)
    for j in range(n):
        if chance.random() < 0.5:
            c.add('x', j)
    for _ in range(200):
        c.add('cx', *chance.sample(range(n), 2))
    return c


def repetition(n):
    """Data on even qubits, checks on odd ones; errors of a small rotation."""
    c = Circuit(n)
    data, checks = list(range(0, n, 2)), list(range(1, n - 1, 2))
    c.add('h', 0)
    for j in data[1:]:
        c.add('cx', 0, j)
    for turn in range(3):
        for j in data:
            c.add(f'u3({0.01 * (turn + 1)},0.2,0.1)', j)
        for j in checks:
            c.add('cx', j - 1, j)
            c.add('cx', j + 1, j)
    return c


KINDS = ['x', 'z', 's', 'sdg', 't', 'tdg', 'h', 'u1(0.3)', 'rz(-0.7)', 'u2(0.1,pi/3)',
         'u3(0.4,0.5,-0.6)', 'cx', 'cz', 'swap', 'cu1(pi/16)', 'ccx', 'cswap']


def random_gates(n, seed, gates=200):
    c = Circuit(n)
    chance = random.Random(seed)
    for _ in range(gates):
        kind = chance.choice(KINDS)
        count = {'cx': 2, 'cz': 2, 'swap': 2, 'cu1(pi/16)': 2, 'ccx': 3, 'cswap': 3}.get(kind, 1)
        c.add(kind, *chance.sample(range(n), count))
    return c


NAMED = [adder, multiplier, grover, qft, bv, ghz, cnot, repetition]


def write(directory, n):
    """Writes all; returns their files by name."""
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    made = {make.__name__: make(n) for make in NAMED}
    made.update({f'random_{k}': random_gates(n, k) for k in range(4)})
    files = {}
    for name, circuit in made.items():
        files[name] = directory / f'{name}_{n}.qasm'
        files[name].write_text(circuit.text(), encoding='ascii')
    return files


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3) or sys.argv[1] == '--help':
        print(__doc__.strip())
        sys.exit(0 if '--help' in sys.argv else 2)
    write(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 20)
