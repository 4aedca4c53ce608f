#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs qubits on circuits of all kinds, and on files that are no circuits.

  check_qubits.py results|exchanges|files PROGRAM MPIRUN...

results    amplitudes agree with gate by gate to 1e-12, for all circuits and 200 random ones;
           probabilities agree with a simulation written here
exchanges  at 20 qubits and 4 processes, beside the gate-by-gate way; memory short on one process
files      refused with line and column, and never a crash, for hostile and mutilated files
"""
import cmath
import math
import os
import pathlib
import random
import re
import sys
import tempfile

from check_tools import Checks, expect_refusal, run

sys.path.insert(0, str(pathlib.Path(__file__).parent / "qubits"))
import circuits  # noqa: E402  (a sibling folder)

HEAD = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n'


def matrix_of(kind):
    """The 2 x 2 matrix of a gate on one qubit, from its definition."""
    half = 1 / math.sqrt(2)
    phases = {"z": math.pi, "s": math.pi / 2, "sdg": -math.pi / 2, "t": math.pi / 4,
              "tdg": -math.pi / 4, "u1(0.3)": 0.3, "rz(-0.7)": -0.7}
    if kind in phases:
        return [[1, 0], [0, cmath.exp(1j * phases[kind])]]
    if kind == "x":
        return [[0, 1], [1, 0]]
    if kind == "y":
        return [[0, -1j], [1j, 0]]
    if kind == "id":
        return [[1, 0], [0, 1]]
    if kind == "rz2(0.7)":  # of crz: up to a factor, the gate that is rz here
        return [[cmath.exp(-0.35j), 0], [0, cmath.exp(0.35j)]]
    if kind == "rx(0.9)":
        return [[math.cos(0.45), -1j * math.sin(0.45)], [-1j * math.sin(0.45), math.cos(0.45)]]
    if kind == "ry(-1.1)":
        return [[math.cos(0.55), math.sin(0.55)], [-math.sin(0.55), math.cos(0.55)]]
    if kind == "h":
        return [[half, half], [half, -half]]
    theta, phi, lam = {"u2(0.1,pi/3)": (math.pi / 2, 0.1, math.pi / 3),
                       "u3(0.4,0.5,-0.6)": (0.4, 0.5, -0.6)}[kind]
    c, s = math.cos(theta / 2), math.sin(theta / 2)
    return [[c, -s * cmath.exp(1j * lam)], [s * cmath.exp(1j * phi), c * cmath.exp(1j * (phi + lam))]]


CONTROLLED = {"cy": "y", "ch": "h", "crz(0.7)": "rz2(0.7)", "cu3(0.4,0.5,-0.6)": "u3(0.4,0.5,-0.6)"}


def more_gates(n, seed, gates=60):
    """Random gates, most of them ones that the other circuits do not have."""
    c = circuits.Circuit(n)
    chance = random.Random(seed)
    for j in range(n):
        c.add("h", j)
    for _ in range(gates):
        kind = chance.choice(["id", "y", "rx(0.9)", "ry(-1.1)", "h", "t", *CONTROLLED, *CONTROLLED])
        c.add(kind, *chance.sample(range(n), 2 if kind in CONTROLLED else 1))
    return c


def simulated(circuit):
    """Probabilities of a circuit's basis states; only the lines that circuits.py writes."""
    state = [0j] * 2**circuit.qubits
    state[0] = 1
    for line in circuit.lines[3:]:
        kind, _, rest = line.rstrip(";").rpartition(" ")
        q = [int(j) for j in re.findall(r"q\[(\d+)\]", rest)]
        new = [0j] * len(state)
        for x, value in enumerate(state):
            b = [x >> j & 1 for j in q]
            y = x
            if kind == "cx" and b[0]:
                y = x ^ 1 << q[1]
            elif kind == "ccx" and b[0] and b[1]:
                y = x ^ 1 << q[2]
            elif kind == "swap" and b[0] != b[1]:
                y = x ^ 1 << q[0] ^ 1 << q[1]
            elif kind == "cswap" and b[0] and b[1] != b[2]:
                y = x ^ 1 << q[1] ^ 1 << q[2]
            elif kind in ("cz", "cu1(pi/16)"):
                angle = math.pi if kind == "cz" else math.pi / 16
                value *= cmath.exp(1j * angle) if b[0] and b[1] else 1
            elif len(q) == 1 or b[0] and kind in CONTROLLED:
                m = matrix_of(CONTROLLED.get(kind, kind))
                for to in (0, 1):
                    new[x & ~(1 << q[-1]) | to << q[-1]] += m[to][b[-1]] * value
                continue
            new[y] += value
        state = new
    return [abs(value)**2 for value in state]


def agreed(checks, code, output, errors, count, what):
    """The program has compared `count` circuits with gate by gate, and all is well."""
    found = [float(x) for x in re.findall(r"from gate by gate: (\S+)", output)]
    checks.expect(code == 0 and len(found) == count and all(x <= 1e-12 for x in found),
                  f"{what}: exit code {code}, differences {found[:5]}\n{errors}")


def check_results(checks, program, mpirun):
    for procs, n in ((1, 12), (2, 12), (4, 13), (8, 12), (16, 8)):
        files = [str(f) for f in circuits.write(f"all{n}", n).values()]
        agreed(checks, *run(mpirun, procs, [program, "--compare", "--probabilities", "0", *files]),
               len(files), f"all of {n} qubits on {procs} processes")
    for procs in (2, 4):
        files = []
        for seed in range(100):
            circuit = circuits.random_gates(4 + seed % 7, 1000 * procs + seed, 20 + 2 * seed)
            files.append(f"r{procs}_{seed}.qasm")
            pathlib.Path(files[-1]).write_text(circuit.text(), encoding="ascii")
        agreed(checks, *run(mpirun, procs, [program, "--compare", "--probabilities", "0", *files]),
               100, f"random ones on {procs} processes")
    check_products(checks, program, mpirun)
    for seed in range(16):
        circuit = circuits.random_gates(5, seed, 60) if seed < 6 else more_gates(5, seed)
        pathlib.Path("small.qasm").write_text(circuit.text(), encoding="ascii")
        code, output, errors = run(mpirun, 4, [program, "--probabilities", "32", "--samples", "50",
                                               "--compare", "small.qasm"])
        expected = simulated(circuit)
        shown = {int(k, 2): float(p) for k, p in re.findall(r"^\|([01]+)>  (\S+)", output, re.M)}
        checks.expect(code == 0 and len(shown) == 32 and
                      all(abs(shown[x] - expected[x]) < 1e-6 for x in range(32)),
                      f"probabilities of random circuit {seed}\n{errors}")
        drawn = re.findall(r"^sample \|([01]+)>", output, re.M)
        checks.expect(len(drawn) == 50 and all(expected[int(k, 2)] > 1e-9 for k in drawn),
                      f"samples of random circuit {seed}")


def check_products(checks, program, mpirun):
    """What the multiplier leaves is x * y, for every x."""
    bits, n = 3, 16
    pathlib.Path("multiplier.qasm").write_text(circuits.multiplier(n).text(), encoding="ascii")
    code, output, errors = run(mpirun, 4, [program, "--probabilities", str(2**n),
                                           "multiplier.qasm"])
    found = {int(k, 2): float(p) for k, p in re.findall(r"^\|([01]+)>  (\S+)", output, re.M)}
    y = sum(1 << j for j in range(0, bits, 2))
    expected = {x | y << bits | x * y << 3 * bits for x in range(2**bits)}
    checks.expect(code == 0 and {k for k, p in found.items() if p > 1e-6} == expected,
                  f"products\n{errors}")


def check_exchanges(checks, program, mpirun):
    least_ratio = {f"random_{k}": 5 for k in range(4)}
    most = {"adder": 2, "qft": 2, "cnot": 0, "ghz": 1}
    for name, file in circuits.write("large", 20).items():
        code, output, errors = run(mpirun, 4, [program, "--compare", "--probabilities", "0",
                                               str(file)])
        agreed(checks, code, output, errors, 1, f"{name} of 20 qubits")
        found = re.search(r"exchanges: (\d+), gate by gate: (\d+)", output)
        ours, theirs = (int(x) for x in found.groups())
        print(f"{name}: {ours} exchanges, gate by gate {theirs}")
        checks.expect(ours <= theirs and ours <= most.get(name, theirs) and
                      ours * least_ratio.get(name, 0) <= theirs, f"{name}: {ours} of {theirs}")


    check_memory(checks, program, mpirun)


def check_memory(checks, program, mpirun):
    """One process has too little memory for its share of 26 qubits: all say so, and end."""
    pathlib.Path("wide.qasm").write_text(HEAD + "qreg q[26]; h q;", encoding="ascii")
    short = ["sh", "-c", f"ulimit -v 500000; exec '{program}' wide.qasm"]
    for command in ([program, "wide.qasm", ":", "-np", "1", *short],
                    [*short, ":", "-np", "1", program, "wide.qasm"]):
        code, _, errors = run(mpirun, 1, command)
        said = re.findall(r"no memory for the 33554432 amplitudes of a process, 536870912 bytes", errors)
        checks.expect(code == 2 and len(said) == 1, f"memory short on one: exit code {code}\n{errors}")


HOSTILE = {
    "": "line 1, column 1: 'OPENQASM' is missing",
    "OPENQASM 3.0;": "line 1, column 10: only OpenQASM 2.0",
    "OPENQASM 2.0": "line 1, column 13: ';' is missing",
    HEAD + "qreg q[0];": "line 3, column 9: a register has one element",
    HEAD + "qreg q[31];": "line 3, column 11: there are more than 30 qubits",
    HEAD + "qreg q[99999999999999999999];": "line 3, column 8: a whole number",
    HEAD + "qreg q[2];\nqreg q[2];": "line 4, column 7: there is a register q already",
    HEAD + "qreg q[2];\n  x q[2];": "line 4, column 8: register q has 2 elements",
    HEAD + "qreg q[2];\ncx q[1],q[1];": "line 4, column 13: a gate needs different qubits",
    HEAD + "qreg q[2]; qreg r[3];\ncx q,r;": "line 4, column 7: the registers have different sizes",
    HEAD + "qreg q[2];\nfoo q[1];": "line 4, column 1: there is no gate 'foo'",
    HEAD + "qreg q[2];\nx r[1];": "line 4, column 4: there is no quantum register r",
    HEAD + "creg q[2];\nx q[1];": "line 4, column 4: there is no quantum register q",
    HEAD + "qreg q[2];\nx q[1]": "line 4, column 7: ';' is missing",
    HEAD + "qreg q[2];\nu1(1/0) q[1];": "line 4, column 7: the angle is no finite number",
    HEAD + "qreg q[2];\nu1(1e999) q[1];": "line 4, column 4: a number is missing",
    HEAD + "qreg q[2];\nu1() q[1];": "line 4, column 4: a number is missing",
    HEAD + "qreg q[2];\nu3(1,2) q[1];": "line 4, column 7: ',' is missing",
    HEAD + "qreg q[2];\nu1(" + "(" * 100000 + "1": "nested too deeply",
    HEAD + "qreg q[2];\nu1(" + "-" * 100000 + "1) q[0];": "nested too deeply",
    HEAD + "qreg q[2];\nu1(" + "2^" * 100000 + "1) q[0];": "nested too deeply",
    HEAD + 'include "stdgates.inc': "line 3, column 9: the text does not end",
    HEAD + 'include "/etc/passwd";': "line 3, column 9: only",
    HEAD + "qreg q[2]; creg c[3];\nmeasure q -> c;": "line 4, column 15: a measurement has",
    HEAD + "qreg q[2]; creg c[2];\nmeasure q -> c;\nx q;": "line 5, column 1: gates after",
    HEAD + "gate g a { x a; }": "line 3, column 1: there is no gate 'gate'",
    HEAD + "qreg q[2];\n\x01\x7f": "line 4, column 1: there is no gate '\\?'",
    HEAD + "// no end of line": None,
    HEAD + "qreg q[3]; barrier q[0],q; h q; cx q[0],q[1]; u1(-(2+pi)/3*sin(1)^2) q[2];": None,
}


def check_files(checks, program, mpirun):
    names = []
    for k, (text, expected) in enumerate(HOSTILE.items()):
        names.append(f"h{k}.qasm")
        pathlib.Path(names[-1]).write_text(text, encoding="latin-1")
    code, _, errors = run(mpirun, 1, [program, "--read-only", *names])
    checks.expect(code == 2, f"hostile files: exit code {code}")
    for name, (text, expected) in zip(names, HOSTILE.items()):
        said = [line for line in errors.splitlines() if line.startswith(name)]
        if expected is None:
            checks.expect(not said, f"{text!r} is refused: {said}")
        else:
            checks.expect(len(said) == 1 and re.search(expected, said[0]) and
                          re.search(r"line \d+, column \d+", said[0]),
                          f"{text[:80]!r}: {said}, not {expected}")
    check_mutilated(checks, program, mpirun)
    check_who_reads(checks, program, mpirun)
    expect_refusal(checks, mpirun, program, 4, ["missing.qasm"], 2, "cannot read missing.qasm")
    expect_refusal(checks, mpirun, program, 2, ["--samples", "x", names[0]], 2, "qubits: ")
    expect_refusal(checks, mpirun, program, 2, [], 2, "a file is missing")
    expect_refusal(checks, mpirun, program, 1, ["--probabilities", "-1", names[0]], 2, "0 to 1000000000")
    expect_refusal(checks, mpirun, program, 1, ["/dev/zero"], 2, "too long for a circuit")
    few = pathlib.Path("few.qasm")
    few.write_text(HEAD + "qreg q[1]; h q;", encoding="ascii")
    expect_refusal(checks, mpirun, program, 4, ["few.qasm"], 2, "too few")
    expect_refusal(checks, mpirun, program, 3, ["few.qasm"], 2, "power of two")
    few.write_text(HEAD + "qreg q[2]; x q[0]; cx q[0],q[1];", encoding="ascii")
    code, output, errors = run(mpirun, 4, [program, "few.qasm"])
    checks.expect(code == 0 and "|11>  1.0" in output, f"no gate on pairs: {code}\n{errors}")
    few.write_text(HEAD + "qreg q[2]; x q[0]; ch q[0],q[1];", encoding="ascii")
    expect_refusal(checks, mpirun, program, 4, ["few.qasm"], 2,
                   "2 qubits on 4 processes leave one amplitude each: use 2 processes at most")
    code, output, _ = run(mpirun, 1, [program, "--help"])
    checks.expect(code == 0 and "Exit code" in output, "--help")


def check_who_reads(checks, program, mpirun):
    """Process 0 reads, from a pipe as well; what other processes would find does not matter."""
    text = HEAD + "qreg q[5]; x q[3];"
    for procs in (1, 4):
        code, output, errors = run(mpirun, procs, [program, "--probabilities", "9", "/dev/stdin"], text)
        checks.expect(code == 0 and "|01000>  1.0" in output,
                      f"a pipe on {procs} processes: exit code {code}\n{output}{errors}")
    pathlib.Path("here.qasm").write_text(text, encoding="ascii")
    for other in ("", HEAD + "qreg q[2]; y q;", "no circuit"):
        with tempfile.TemporaryDirectory() as elsewhere:
            if other:
                (pathlib.Path(elsewhere) / "here.qasm").write_text(other, encoding="ascii")
            command = [program, "--compare", "here.qasm"]
            agreed(checks, *run(mpirun, 3, [*command, ":", "-np", "1", "--wdir", elsewhere, *command]),
                   1, "a file that is another one on process 3")
            expect_refusal(checks, mpirun, program, 3, ["elsewhere.qasm"], 2, "cannot read", elsewhere)


def check_mutilated(checks, program, mpirun):
    """Good files with bytes changed, left out, put in, and cut: read, or refused with a place."""
    chance = random.Random(2)
    names = []
    for k in range(600):
        text = bytearray(circuits.random_gates(4, k, 12).text(), encoding="ascii")
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            way = chance.randrange(5)
            if way == 0:
                text[at] = chance.randrange(256)
            elif way == 1:
                del text[at:at + chance.randint(1, 9)]
            elif way == 2:
                text[at:at] = chance.choice([b"(", b"^", b"[9]", b"1e", b"//", b'"', b"->", b"\0"])
            elif way == 3:
                del text[at + 1:]
            else:
                other = chance.randrange(len(text))
                text[at:at] = text[other:other + 20]
        names.append(f"m{k}.qasm")
        pathlib.Path(names[-1]).write_bytes(text)
    code, _, errors = run(mpirun, 1, [program, "--read-only", *names])
    said = [line for line in errors.splitlines() if re.match(r"m\d+\.qasm: ", line)]
    placed = [line for line in said if re.match(r"m\d+\.qasm: line \d+, column \d+: ", line)]
    checks.expect(code == 2 and len(said) > 300 and said == placed,
                  f"mutilated files: exit code {code}, {len(said)} refused, {len(placed)} placed")


def main(arguments):
    parts = {"results": check_results, "exchanges": check_exchanges, "files": check_files}
    if len(arguments) < 3 or arguments[0] not in parts:
        print(__doc__, end="")
        return 2
    program, mpirun = os.path.abspath(arguments[1]), arguments[2:]
    checks = Checks()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        parts[arguments[0]](checks, program, mpirun)
        os.chdir("/")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
