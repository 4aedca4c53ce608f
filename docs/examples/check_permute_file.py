#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs permute_file and compares its files with what plain Python says that they should be.

  check_permute_file.py PART PROGRAM MPIRUN...     PART is sample, formats, large or refusals
"""
import itertools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

from check_tools import Checks, expect_refusal, run

N = 10  # bits of an index in most cases


def npy(path, dtype, shape, data, fortran=False, version=1):
    text = f"{{'descr': {dtype}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    start = b"\x93NUMPY" + bytes([version, 0])
    length = "<H" if version == 1 else "<I"
    used = len(start) + struct.calcsize(length) + len(text) + 1
    text += " " * (-used % 64) + "\n"
    with open(path, "wb") as file:
        file.write(start + struct.pack(length, len(text)) + text.encode() + data)


def read_npy(path):
    """(dtype, shape, data) of a version 1.0 file."""
    with open(path, "rb") as file:
        start = file.read(10)
        assert start[:8] == b"\x93NUMPY\x01\x00", start
        (length,) = struct.unpack("<H", start[8:])
        assert (10 + length) % 64 == 0, length
        header = eval(file.read(length), {"__builtins__": {}})
        assert header["fortran_order"] is False
        return header["descr"], header["shape"], file.read()


def reversed_bits(x, n):
    return int(format(x, f"0{n}b")[::-1], 2)


def gray_undone(y):
    x = 0
    while y:
        x ^= y
        y >>= 1
    return x


def deinterleaved(x, n):
    text = format(x, f"0{n}b")
    return int(text[0::2] + text[1::2], 2)


def by_rows(rows, complement):
    def target(x):
        y = 0
        for i, row in enumerate(rows):
            y |= (sum(int(row[j]) * (x >> j & 1) for j in range(len(rows))) + complement[i]) % 2 << i
        return y

    return target


MATRIX = ["1100000000", "0100000001", "0010100000", "0001000000", "0000110000",
          "1000010000", "0000001100", "0000000100", "0010000010", "0000000001"]
COMPLEMENT = [1, 0, 0, 1, 0, 0, 0, 1, 1, 1]
HALF = 1 << N - 1
MASK = (1 << N) - 1

# What the program is told, and where x goes; here is nothing of matrices.
PERMUTATIONS = {
    "bit_reversal": lambda x: reversed_bits(x, N),
    "transpose:3,7": lambda x: x % 128 * 8 + x // 128,
    "axes:2,3,5:2,0,1": lambda x: x % 32 * 32 + x // 256 * 8 + x // 32 % 8,
    "shuffle": lambda x: x * 2 % (2 * HALF) + x // HALF,
    "unshuffle": lambda x: x // 2 + x % 2 * HALF,
    "gray_encode": lambda x: x ^ x >> 1,
    "gray_decode": gray_undone,
    "vector_reversal": lambda x: MASK - x,
    "morton_decode": lambda x: deinterleaved(x, N),
    "block_to_cyclic:4": lambda x: x % 4 * (HALF // 2) + x // 4,
    "cnot:0,9": lambda x: x ^ (x & 1) << 9,
    "MATRIX": by_rows(MATRIX, COMPLEMENT),
}
LAYOUTS = {
    "processor_major": str, "processor_minor": str, "banded:3": str, "gray:processor_minor": str,
    "random:7": str,
    "process_bits": lambda s, procs: {1: s, 2: s + ":6", 4: s + ":5,1"}[procs],
}
DTYPES = {"|u1": 1, "<i2": 2, ">f4": 4, "<f8": 8, "<c16": 16}


def pairwise(*choices):
    """Combinations among which every pair of choices of two parameters occurs."""
    open_pairs = {((i, a), (j, b)) for i, j in itertools.combinations(range(len(choices)), 2)
                  for a in choices[i] for b in choices[j]}
    dice = random.Random(1)
    while open_pairs:
        (i, a), (j, b) = min(open_pairs, key=str)
        best, most = None, -1
        for _ in range(60):
            row = [dice.choice(c) for c in choices]
            row[i], row[j] = a, b
            hits = sum(pair in open_pairs for pair in itertools.combinations(enumerate(row), 2))
            if hits > most:
                best, most = row, hits
        open_pairs -= set(itertools.combinations(enumerate(best), 2))
        yield best


def elements(data, size):
    return [data[k:k + size] for k in range(0, len(data), size)]


def permuted(data, size, target_of):
    source = elements(data, size)
    target = [b""] * len(source)
    for x, element in enumerate(source):
        target[target_of(x)] = element
    return b"".join(target)


def part_sample(checks, program, mpirun):
    layout_names = list(LAYOUTS)
    rows = pairwise([1, 2, 4], layout_names, layout_names, list(PERMUTATIONS), list(DTYPES),
                    ["sendrecv", "sendrecv_replace", "alltoallv"], ["npy", "raw"])
    with open("matrix", "w", encoding="utf-8") as file:
        for row, c in zip(MATRIX, COMPLEMENT):
            file.write(" ".join(row.replace("0", ".")) + f" | {'.1'[c]}\n")
    for number, (procs, layout, target_layout, name, dtype, policy, kind) in enumerate(rows):
        spelled = [LAYOUTS[s](s, procs) if LAYOUTS[s] is not str else s
                   for s in (layout, target_layout)]
        size = DTYPES[dtype]
        data = random.Random(number).randbytes(size << N)
        raw = kind == "raw"
        if raw:
            with open("source", "wb") as file:
                file.write(data)
        else:
            npy("source", repr(dtype), (1 << N,), data)
        command = [program, "--layout", spelled[0], "--target-layout", spelled[1], "--policy",
                   policy, "--verify", "source", "target"]
        command += ["--matrix", "matrix"] if name == "MATRIX" else ["--permutation", name]
        command += ["--element-bytes", str(size)] if raw else []
        code, output, errors = run(mpirun, procs, command)
        what = f"{procs} processes: {' '.join(command[1:])}"
        checks.expect(code == 0, f"{what}: exit code {code}\n{errors}")
        checks.expect(f"verified {1 << N} elements" in output, f"{what}: not verified\n{output}")
        if code != 0:
            continue
        if raw:
            with open("target", "rb") as file:
                found = file.read()
        else:
            found_dtype, shape, found = read_npy("target")
            checks.expect((found_dtype, shape) == (dtype, (1 << N,)), f"{what}: {shape}")
        checks.expect(found == permuted(data, size, PERMUTATIONS[name]), f"{what}: wrong data")
        os.remove("target")


def part_formats(checks, program, mpirun):
    data = random.Random(1).randbytes(2 << N)

    def result(dtype, shape, *arguments, version=1, procs=2):
        npy("source.npy", repr(dtype), shape, data, version=version)
        code, output, errors = run(mpirun, procs, [program, "source.npy", "target.npy", *arguments])
        checks.expect(code == 0, f"{arguments}: exit code {code}\n{errors}")
        return (output, *read_npy("target.npy"))

    for version in (1, 2, 3):
        _, dtype, shape, found = result("<i2", (16, 64), "-p", "transpose", version=version)
        checks.expect((dtype, shape) == ("<i2", (64, 16)), f"version {version}: {dtype} {shape}")
        expected = permuted(data, 2, lambda x: x % 64 * 16 + x // 64)
        checks.expect(found == expected, f"version {version}: data")
    _, _, shape, found = result("<i2", (4, 8, 32), "-p", "axes:2,0,1")
    checks.expect(shape == (32, 4, 8), f"axes: {shape}")
    checks.expect(found == permuted(data, 2, PERMUTATIONS["axes:2,3,5:2,0,1"]), "axes: data")
    _, _, shape, _ = result("<i2", (4, 8, 32), "-p", "bit_reversal")
    checks.expect(shape == (4, 8, 32), f"shape kept: {shape}")
    _, dtype, shape, found = result("|S4", (512,), "-p", "flip:0", "-p", "flip:0", "-p", "flip:8")
    checks.expect((dtype, shape) == ("|S4", (512,)), f"strings: {dtype} {shape}")
    checks.expect(found == permuted(data, 4, lambda x: x ^ 256), "permutations in a row")
    checks.expect("permuted in" in result("<i2", (1024,), "-p", "identity", "-r", "3")[0], "time")
    _, _, shape, _ = result("<U4", (128,), "-p", "shuffle", procs=16)
    checks.expect(shape == (128,), f"16 processes: {shape}")

    # What --verify relies on: it finds one wrong byte, and the file is left as it is.
    result("<i2", (1024,), "-p", "gray_encode")
    with open("target.npy", "r+b") as file:
        file.seek(-1, os.SEEK_END)
        last = file.read(1)[0]
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last ^ 1]))
    for procs in (1, 4):
        expect_refusal(checks, mpirun, program, procs,
                       ["--verify-only", "-p", "gray_encode", "source.npy", "target.npy"], 1,
                       r"target.npy: element 1023 is not element \d+ of source.npy")

    expect_refusal(checks, mpirun, program, 2,
                   ["--verify-only", "-p", "gray_encode", "-e", "1", "target.npy", "source.npy"], 1,
                   r"power of two, not \d+")
    npy("target.npy", "'<i2'", (1024,), data, version=2)
    code, output, _ = run(mpirun, 2, [program, "-q", "--verify-only", "-p", "identity",
                                      "source.npy", "target.npy"])
    checks.expect(code == 0 and "verified 1024" in output, f"--verify-only: {output}")
    npy("target.npy", "'<i2'", (512,), data[:1024])
    expect_refusal(checks, mpirun, program, 2,
                   ["--verify-only", "-p", "identity", "source.npy", "target.npy"], 1,
                   r"target.npy: dtype <i2, shape \(512,\).*the source has dtype <i2")

    code, output, _ = run(mpirun, 4, [program, "--dry-run", "-p", "bit_reversal", "source.npy"])
    checks.expect(code == 0 and "rank 2" in output, f"--dry-run: {output}")
    code, output, _ = run(mpirun, 2, [program, "--help"])
    checks.expect(code == 0 and output.count("Exit code") == 1, f"--help: {output}")


def part_large(checks, program, mpirun):
    """Several pieces per process: 64 MiB, runs longer and shorter than a piece."""
    with open("source", "wb") as file:
        for block in range(64):
            file.write(random.Random(block).randbytes(1 << 20))
    for procs, layout in ((1, "processor_major"), (2, "banded:20"), (4, "banded:4")):
        command = [program, "-q", "-p", "random:3", "-l", layout, "-e", "8", "-v", "source", "target"]
        code, output, errors = run(mpirun, procs, command)
        good = code == 0 and f"verified {1 << 23} elements" in output
        checks.expect(good, f"{layout}: exit code {code}\n{output}{errors}")


def expect_whole_targets(checks, program):
    """Runs that begin at once and have the same target: some write it, the others say why not."""
    data = random.Random(5).randbytes(1 << N)
    with open("source", "wb") as file:
        file.write(data)
    names = ["bit_reversal", "shuffle"]
    for tiles in [], ["--memory", "512", "--block", "16"]:
        for _ in range(4):
            command = [program, "-q", "-e", "1", *tiles, "source", "begun", "-p"]
            runs = [(name, subprocess.Popen([*command, name], stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, text=True)) for name in names * 2]
            errors = {run: run.communicate()[1] for _, run in runs}
            whole = [permuted(data, 1, PERMUTATIONS[name]) for name, run in runs if run.returncode == 0]
            with open("begun", "rb") as file:
                checks.expect(file.read() in whole, f"begun at once, {tiles}: the target is not whole")
            left = [name for name in os.listdir() if name.startswith("begun.")]
            checks.expect(not left, f"begun at once, {tiles}: {left} is left")
            for _, run in runs:
                checks.expect(run.returncode == 0 or "another run " in errors[run]
                              or "an earlier run " in errors[run],
                              f"begun at once, {tiles}: {errors[run]}")
            os.remove("begun")


def part_refusals(checks, program, mpirun):
    zeros = bytes(1 << N)
    npy("a.npy", "'|u1'", (1 << N,), zeros)
    npy("truncated.npy", "'|u1'", (2 << N,), zeros)
    npy("fortran.npy", "'|u1'", (32, 32), zeros, fortran=True)
    npy("fields.npy", "[('x', '<i4'), ('y', '<i4')]", (128,), zeros)
    npy("objects.npy", "'|O'", (128,), zeros)
    npy("wide.npy", "'|S17'", (32,), zeros)
    npy("odd.npy", "'|u1'", (1000,), zeros)
    npy("few.npy", "'|u1'", (2,), zeros)
    npy("version.npy", "'|u1'", (1 << N,), zeros, version=9)
    npy("damaged.npy", "'|u1'", "(5", zeros)
    with open("header.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00\x76\x00{'descr': '|u1'")
    for name, rows in {"singular": ["11", "11"], "small": ["01", "10"], "ragged": ["01", "1"],
                       "letters": ["0x", "10"], "flat": ["011", "110"], "empty": []}.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write("".join(row + "\n" for row in rows))

    def refused(procs, arguments, code, words, second=None):
        expect_refusal(checks, mpirun, program, procs, arguments.split(), code, words, second)
        checks.expect(not os.path.exists("out") and not os.path.exists("out.unfinished"),
                      f"{arguments}: it left a file behind")

    plain = "-p bit_reversal"
    refused(2, f"{plain} missing.npy out", 1, r"missing.npy: No such file")
    refused(2, f"{plain} . out", 1, r"\.: it is a directory")
    refused(3, f"{plain} a.npy out", 1, r"power of two, not 3")
    refused(4, f"{plain} few.npy out", 1, r"2\^1 elements cannot be spread over 2\^2 processes")
    refused(2, f"{plain} truncated.npy out", 1, r"truncated.npy: it is truncated: 2048 .* 1152 bytes")
    refused(2, f"{plain} header.npy out", 1, r"header.npy: it ends within its header")
    refused(2, f"{plain} damaged.npy out", 1, r"damaged.npy: its header is damaged")
    refused(2, f"{plain} version.npy out", 1, r"version 9 is unknown")
    refused(2, f"{plain} fortran.npy out", 1, r"Fortran order")
    refused(2, f"{plain} fields.npy out", 1, r"structures")
    refused(2, f"{plain} objects.npy out", 1, r"dtype '\|O'")
    refused(2, f"{plain} wide.npy out", 1, r"17 bytes; this program moves those of 1 to 16 bytes")
    refused(2, f"{plain} odd.npy out", 1, r"power of two, not 1000")
    refused(2, f"{plain} singular out", 1, r"say --element-bytes")
    refused(2, f"{plain} -e 4 ragged out", 1, r"5 bytes are no whole number of elements of 4")
    refused(2, f"{plain} -e 3 a.npy out", 1, r"power of two, not 384")
    refused(2, "-m singular a.npy out", 1, r"rank 1 on 2 bits is singular")
    refused(2, "-m small a.npy out", 1, r"2\^2 elements is not for a.npy with its 2\^10")
    refused(2, "-m ragged a.npy out", 1, r"ragged:2: a row of 1 entries below one of 2")
    refused(2, "-m letters a.npy out", 1, r"letters:1: 'x' is neither")
    refused(2, "-m flat a.npy out", 1, r"2 rows and 3 columns")
    refused(2, "-m empty a.npy out", 1, r"empty: it holds no matrix")
    refused(2, "-m missing a.npy out", 1, r"missing: it cannot be opened")
    refused(2, "-p swap_bits:0,99 a.npy out", 1, r"no index bit 99 among 10")
    refused(2, f"{plain} -l banded:10 a.npy out", 1, r"do not fit into 10 bits")
    refused(2, f"{plain} a.npy a.npy", 1, r"it is the source itself")
    refused(2, f"{plain} a.npy nowhere/out", 1, r"nowhere/out")
    # What is no regular file is neither replaced nor read without end; links stay links.
    refused(1, f"{plain} a.npy /dev/null", 1, r"/dev/null: it is no regular file")
    refused(1, f"{plain} --block 1K a.npy /dev/full", 1, r"/dev/full: it is no regular file")
    os.mkdir("second")
    refused(1, f"{plain} a.npy second", 1, r"second: it is a directory")
    refused(1, "-m /dev/zero a.npy out", 1, r"/dev/zero: it is too long for a matrix")
    refused(1, "-p axes a.npy out", 2, r"'axes' should be such as")
    npy("twice.npy", "'|u1', 'descr': '|u1'", (1 << N,), zeros)
    refused(1, f"{plain} twice.npy out", 1, r"the entry 'descr' twice")
    for more in ([], ["--block", "1K"]):  # in memory, and as a file that is larger
        with open("elsewhere", "wb"):
            pass
        os.chmod("elsewhere", 0o640)
        os.symlink("elsewhere", "link")
        code, _, errors = run(mpirun, 1, [program, "-p", "bit_reversal", *more, "a.npy", "link"])
        checks.expect(code == 0, f"through a link, {more}: {errors}")
        checks.expect(os.path.islink("link"), f"the link was replaced, {more}")
        checks.expect(os.stat("elsewhere").st_mode & 0o777 == 0o640, f"other permissions, {more}")
        checks.expect(os.path.getsize("elsewhere") > 1 << N, f"no data, {more}")  # and a header
        os.remove("link")
        os.remove("elsewhere")
    # Something is wrong on the second process alone.
    npy("second/few.npy", "'|u1'", (4,), zeros)
    with open("first.matrix", "w", encoding="utf-8") as file:
        file.write("01\n10\n")
    shutil.copy("first.matrix", "both.matrix")
    shutil.copy("singular", "second/both.matrix")
    with open("second/first.matrix", "w", encoding="utf-8") as file:
        file.write("10\n01\n")
    with open("four", "wb") as first, open("second/four", "wb") as file:
        first.write(bytes(4))
        file.write(bytes(4))
    refused(1, f"{plain} a.npy out", 1, r"a.npy: No such file", "second")
    refused(1, f"{plain} few.npy out", 1, r"processes disagree on the number of .* 1 has 2", "second")
    refused(1, "-m both.matrix -e 1 four out", 1, r"rank 1 on 2 bits is singular", "second")
    refused(1, "-m first.matrix -e 1 four out", 1, r"processes disagree on the perm", "second")

    refused(2, "--wrong a.npy out", 2, r"unrecognised option '--wrong'")
    refused(2, "-p mirror a.npy out", 2, r"no permutation named 'mirror'")
    refused(2, "-p flip:x a.npy out", 2, r"'x' in 'flip:x' is not a number")
    refused(2, "-p flip a.npy out", 2, r"should be such as flip:3")
    refused(2, "-p transpose a.npy out", 2, r"is for arrays of two axes, not 1")
    refused(2, f"{plain} -l diagonal a.npy out", 2, r"no layout named 'diagonal'")
    refused(2, f"{plain} --policy pigeon a.npy out", 2, r"no policy named 'pigeon'")
    refused(2, f"{plain} -r 0 a.npy out", 2, r"--repeat takes 1 or more")
    refused(1, f"{plain} -r -1 a.npy out", 2, r"--repeat takes 1 or more")
    refused(1, f"{plain} -e -1 a.npy out", 2, r"--element-bytes takes 1 to")
    refused(1, f"{plain} --memory 16Q a.npy out", 2, r"such as 4096, 64K or 16G, not '16Q'")
    refused(1, f"{plain} --memory 1 a.npy out", 1, r"1 bytes of memory are too little")
    refused(1, f"{plain} --in-place a.npy out", 2, r"--in-place takes one file")
    refused(1, "--axes 0,0 a.npy out", 2, r"'0,0' should name each of the 1 axes once")
    refused(1, f"{plain} --axes 0 a.npy out", 2, r"--axes does not go together")
    refused(1, f"{plain} --block 1K -l gray a.npy out", 2, r"for arrays that fit into memory")
    refused(1, f"{plain} --resume a.npy out", 1, r"nothing to resume")
    refused(2, f"{plain} a.npy", 2, r"a TARGET file is missing")
    refused(2, f"{plain}", 2, r"a SOURCE file is missing")
    refused(2, "a.npy out", 2, r"give --permutation, --axes or --matrix")

    expect_whole_targets(checks, program)


def main(arguments):
    parts = {"sample": part_sample, "formats": part_formats, "large": part_large,
             "refusals": part_refusals}
    if len(arguments) < 3 or arguments[0] not in parts:
        print(__doc__, end="")
        return 2
    checks = Checks()
    part, program = parts[arguments[0]], os.path.abspath(arguments[1])
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        part(checks, program, arguments[2:])
        os.chdir("/")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
