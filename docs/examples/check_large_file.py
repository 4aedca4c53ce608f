#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs permute_file on arrays that do not fit into the memory it is given.

  check_large_file.py PART PROGRAM FAULTY_DISK MPIRUN...    PART is results, killed or faults

killed: SIGKILL at random instants, in place and not, then --resume; faults: a preloaded library
whose reads and writes fail, fall short or meet a full disk.
"""
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

from check_permute_file import MATRIX, COMPLEMENT, by_rows, npy, read_npy
from check_tools import Checks, run

LG = 16  # elements of the larger files


def bit_reversed(count):
    bits = count.bit_length() - 1
    return [int(format(x, f"0{bits}b")[::-1], 2) for x in range(count)]


def permuted(data, size, target_of):
    target = bytearray(len(data))
    for x, y in enumerate(target_of):
        target[y * size:(y + 1) * size] = data[x * size:(x + 1) * size]
    return bytes(target)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def alone(program, arguments, **environment):
    """Runs the program as one process, without mpirun: (exit code, output, errors)."""
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=300, env=os.environ | environment)
    return done.returncode, done.stdout, done.stderr


def left_behind():
    return sorted(name for name in os.listdir(".") if "journal" in name or "unfinished" in name)


def part_results(checks, program, _, mpirun):
    dice = random.Random(1)
    targets = bit_reversed(1 << LG)
    for size in [*range(1, 17), 24]:
        data = dice.randbytes(size << LG)
        write("raw", data)
        memory = str(1 << 19)
        for io in ("threads", "automatic"):
            code, _, errors = alone(program, ["-q", "-p", "bit_reversal", "-e", str(size), "--memory",
                                              memory, "--block", str(64 * size), "--io", io, "raw",
                                              "out"])
            checks.expect(code == 0, f"{size} bytes, {io}: {errors}")
            good = code == 0 and read("out") == permuted(data, size, targets)
            checks.expect(good, f"{size} bytes, {io}: wrong data")
        code, _, errors = alone(program, ["-q", "-p", "bit_reversal", "-e", str(size), "--memory",
                                          memory, "--in-place", "raw"])
        good = code == 0 and read("raw") == permuted(data, size, targets)
        checks.expect(good, f"{size} bytes in place: wrong data; {errors}")
    checks.expect(left_behind() == [], f"left: {left_behind()}")

    # Several processes
    data = dice.randbytes(8 << LG)
    expected = permuted(data, 8, targets)
    for procs in (2, 4):
        write("raw", data)
        where = ["-p", "bit_reversal", "-e", "8", "--memory", "256K"]
        code, _, errors = run(mpirun, procs, [program, "-q", *where, "raw", "out"])
        checks.expect(code == 0 and read("out") == expected, f"{procs} processes: {errors}")
        code, _, errors = run(mpirun, procs, [program, "-q", *where, "--in-place", "raw"])
        checks.expect(code == 0 and read("raw") == expected, f"{procs} in place: {errors}")
    checks.expect(left_behind() == [], f"left: {left_behind()}")

    # Axes, in either order, and a matrix; headers
    shape = (8, 32, 128)
    values = list(range(1 << 15))
    data = b"".join(x.to_bytes(4, "little") for x in values)

    def turned(index):  # element of axes 2, 0, 1 at (i, j, k) is element (j, k, i)
        return b"".join(index(j, k, i).to_bytes(4, "little")
                        for i in range(128) for j in range(8) for k in range(32))

    for fortran in (False, True):
        npy("cube.npy", "'<u4'", shape, data, fortran=fortran)
        if fortran:
            expected = turned(lambda i, j, k: i + 8 * (j + 32 * k))
        else:
            expected = turned(lambda i, j, k: k + 128 * (j + 32 * i))
        for way in (["cube.npy", "out.npy"], ["--in-place", "cube.npy"]):
            code, _, errors = alone(program, ["-q", "--axes", "2,0,1", "--memory", "64K", *way])
            checks.expect(code == 0, f"axes, {fortran}: {errors}")
            dtype, found, result = read_npy(way[-1])
            good = (dtype, found) == ("<u4", (128, 8, 32)) and result == expected
            checks.expect(good, f"axes, Fortran order {fortran}, {way}: {dtype} {found}")
    # Extents that are no powers of two
    shape = (7, 33, 130)
    data = dice.randbytes(3 * 7 * 33 * 130)
    npy("cube.npy", "'|S3'", shape, data)
    code, _, errors = alone(program, ["-q", "--axes", "2,0,1", "--memory", "64K", "cube.npy",
                                      "out.npy"])
    expected = b"".join(data[3 * x:3 * x + 3] for x in
                        (i + 130 * (k + 33 * j) for i in range(130) for j in range(7)
                         for k in range(33)))
    good = code == 0 and read_npy("out.npy") == ("|S3", (130, 7, 33), expected)
    checks.expect(good, f"any extents: {code} {errors}")
    code, _, errors = alone(program, ["--axes", "2,0,1", "--in-place", "cube.npy"])
    checks.expect(code == 1 and "no powers of two" in errors, f"in place: {errors}")
    code, output, _ = alone(program, ["--plan", "--axes", "2,0,1", "--memory", "64K", "cube.npy"])
    checks.expect(code == 0 and "boxes of at most" in output, output)

    rows = [row + "0" * (LG - 10) for row in MATRIX]
    rows += ["0" * j + "1" + "0" * (LG - 1 - j) for j in range(10, LG)]
    constant = COMPLEMENT + [1] + [0] * (LG - 11)
    write("matrix", "".join(f"{row} | {c}\n" for row, c in zip(rows, constant)).encode())
    data = dice.randbytes(2 << LG)
    write("raw", data)
    code, output, errors = alone(program, ["-m", "matrix", "-e", "2", "--memory", "64K", "-v", "raw",
                                           "out"])
    target_of = by_rows(rows, constant)
    good = code == 0 and read("out") == permuted(data, 2, [target_of(x) for x in range(1 << LG)])
    checks.expect(good and f"verified {1 << LG}" in output, f"matrix: {errors}")

    code, output, _ = alone(program, ["--plan", "-p", "bit_reversal", "-e", "2", "--memory", "64K",
                                      "raw"])
    checks.expect(code == 0 and "pass 1:" in output and "a copy about" in output, output)
    code, output, _ = alone(program, ["--plan", "-p", "bit_reversal", "-e", "2", "raw"])
    checks.expect(code == 0 and "it fits into memory" in output, output)

    # Memory: at most the limit, plus what a file of one block takes.
    def peak(arguments):
        before = os.fork()
        if before == 0:
            code, _, _ = alone(program, arguments)
            used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            write("peak", f"{code} {used}".encode())
            os._exit(0)
        os.waitpid(before, 0)
        code, used = map(int, read("peak").split())
        checks.expect(code == 0, f"peak {arguments}: {code}")
        return used << 10

    with open("large", "wb") as file:
        file.truncate(1 << 28)
    write("block", bytes(4096))
    little = peak(["-q", "-p", "bit_reversal", "-e", "8", "--block", "4096", "block", "out"])
    for way in (["large", "out"], ["--in-place", "large"]):
        used = peak(["-q", "-p", "bit_reversal", "-e", "8", "--memory", "32M", *way])
        checks.expect(used <= (32 << 20) + little + (8 << 20),
                      f"{way}: {used >> 10} KiB where a block takes {little >> 10}")


def part_killed(checks, program, _, __):
    """SIGKILL at random instants, each run killed up to four times before it may end."""
    dice = random.Random(int(os.environ.get("KILL_SEED", "2")))
    targets = bit_reversed(1 << LG)
    data = dice.randbytes(16 << LG)
    once = permuted(data, 16, targets)
    kills = 0
    # Of an instant in one run little is known; many instants in many runs are what counts.
    for turn in range(int(os.environ.get("KILL_TURNS", "14"))):
        in_place = turn % 2 == 0
        write("raw", data)
        if os.path.exists("out"):
            os.remove("out")
        # Small tiles make a run long.
        arguments = ["-q", "-p", "bit_reversal", "-e", "16", "--memory", "128K", "--block", "4096"]
        arguments += ["--in-place", "raw"] if in_place else ["raw", "out"]
        resume = []
        for attempt in range(5):
            child = subprocess.Popen([program, *resume, *arguments], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True)
            if attempt < 4:
                time.sleep(dice.uniform(0.02, 0.35))
                child.send_signal(signal.SIGKILL)
            _, errors = child.communicate(timeout=300)
            kills += child.returncode == -signal.SIGKILL
            if child.returncode == 0:
                break
            checks.expect(child.returncode == -signal.SIGKILL and attempt < 4,
                          f"turn {turn}, attempt {attempt}: {child.returncode} {errors}")
            journal = os.path.exists("raw.journal" if in_place else "out.journal")
            if not in_place:
                checks.expect(read("raw") == data, "the source was touched")
                checks.expect(not os.path.exists("out") or read("out") == once, "out: not complete")
            elif not journal:  # it had not begun, or it was done
                checks.expect(read("raw") in (data, once), "no journal, and neither old nor new")
                if read("raw") == once:
                    break
            resume = ["--resume"] if journal else []
        checks.expect(read("raw" if in_place else "out") == once, f"turn {turn}: wrong data")
        checks.expect(left_behind() in ([], ["raw.journal.new"], ["out.journal.new"]),
                      f"left: {left_behind()}")
    print(f"{kills} runs were killed")
    checks.expect(kills >= 14, f"only {kills} runs were killed")


def part_faults(checks, program, faulty_disk, _):
    dice = random.Random(3)
    targets = bit_reversed(1 << LG)
    data = dice.randbytes(8 << LG)
    once = permuted(data, 8, targets)
    common = ["-q", "-p", "bit_reversal", "-e", "8", "--memory", "64K", "--block", "4096", "--io",
              "threads"]
    words = {"read-eio": "Input/output error", "write-eio": "Input/output error",
             "write-enospc": "No space left", "sync-eio": "Input/output error",
             "reserve-enospc": "No space left"}
    for in_place in (False, True):
        data_file = "raw" if in_place else "out.unfinished"
        where = ["--in-place", "raw"] if in_place else ["raw", "out"]
        for fault in (*words, "read-short", "write-short"):
            for at in (1, 2, 30, 300):
                write("raw", data)
                for name in ("out", *left_behind()):
                    if os.path.exists(name):
                        os.remove(name)
                what = f"{fault} at {at}, {where}"
                code, _, errors = alone(program, [*common, *where], LD_PRELOAD=faulty_disk,
                                        FAULT=fault, FAULT_AT=str(at), FAULT_FILE=os.getcwd())
                result = "raw" if in_place else "out"
                if code == 0:  # what is short is completed; some calls are never reached
                    checks.expect(fault.endswith("short") or at > 1, f"{what}: no error")
                    checks.expect(read(result) == once, f"{what}: wrong data")
                    continue
                checks.expect(code == 1, f"{what}: exit code {code}, {errors}")
                checks.expect(re.search(words.get(fault, "-"), errors) is not None and
                              errors.startswith("permute_file: "), f"{what}: {errors}")
                if not in_place:
                    checks.expect(read("raw") == data, f"{what}: the source was touched")
                    checks.expect(not os.path.exists("out"), f"{what}: out is there")
                journal = os.path.exists(result + ".journal")
                checks.expect(journal or not in_place or read("raw") == data,
                              f"{what}: {data_file} was changed and cannot be resumed")
                checks.expect(("--resume" in errors) == journal, f"{what}: {errors}")
                resume = ["--resume"] if journal else []
                code, _, errors = alone(program, [*resume, *common, *where])
                checks.expect(code == 0 and read(result) == once, f"{what}: resumed: {errors}")
                checks.expect(left_behind() == [], f"{what}: {left_behind()}")
    # A source that ends too early, and one that grows shorter later
    write("short.npy", b"")
    npy("short.npy", "'<f8'", (1 << LG,), data[:-8])
    code, _, errors = alone(program, ["-p", "bit_reversal", "--memory", "64K", "short.npy", "out"])
    checks.expect(code == 1 and "it is truncated" in errors, errors)


def main(arguments):
    parts = {"results": part_results, "killed": part_killed, "faults": part_faults}
    if len(arguments) < 4 or arguments[0] not in parts:
        print(__doc__, end="")
        return 2
    checks = Checks()
    with tempfile.TemporaryDirectory() as directory:
        program, faulty_disk = map(os.path.abspath, arguments[1:3])
        os.chdir(directory)
        parts[arguments[0]](checks, program, faulty_disk, arguments[3:])
        os.chdir("/")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
