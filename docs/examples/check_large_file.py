#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs permute_file on arrays that do not fit into the memory it is given.

  check_large_file.py PART PROGRAM FAULTY_DISK MPIRUN...    PART is results, killed or faults

killed: SIGKILL at 50 random instants for each way (KILLS changes that): between two files, in place,
and with axes of any extents; then --resume. A fifth as many for one of two processes. faults: a preloaded library whose reads and writes fail,
fall short or meet a full disk.
"""
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from check_permute_file import MATRIX, COMPLEMENT, by_rows, npy, read_npy
from check_tools import Checks, run

# A process counts the memory of the one that has made it until its own program begins: so a small one
# starts the program, and prints its status and KiB.
PEAK = """
import os, sys
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(process, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)
"""
LG = 16  # elements of the larger files
# One process without mpirun starts faster when it starts no daemon of Open MPI.
os.environ["OMPI_MCA_ess_singleton_isolated"] = "1"


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


SHAPE, TURNED = (7, 33, 130), (130, 7, 33)


def any_extents(dice):
    """An array of this shape, elements of 3 bytes, and what its axes 2, 0, 1 make of it."""
    data = dice.randbytes(3 * 7 * 33 * 130)
    return data, b"".join(data[3 * x:3 * x + 3] for x in
                          (i + 130 * (k + 33 * j) for i in range(130) for j in range(7)
                           for k in range(33)))


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
    for procs, disks in ((2, 2), (4, 4), (4, 1)):
        write("raw", data)
        # Where waiting for the disk is dear, one process with larger tiles works in place.
        where = ["-p", "bit_reversal", "-e", "8", "--memory", "256K", "--disks", str(disks),
                 "--flush-cost", "1"]
        shared = "on each of" if disks > 1 else "by 1 of 4 processes"
        for way in ([], ["--in-place"] if disks > 1 else []):
            code, output, _ = run(mpirun, procs, [program, "--plan", *where, *way, "raw"])
            checks.expect(code == 0 and shared in output,
                          f"{procs} processes, {disks} disks, {way}: {output}")
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
    data, expected = any_extents(dice)
    npy("cube.npy", "'|S3'", SHAPE, data)
    turn = ["--axes", "2,0,1", "--memory", "64K"]
    for procs in (1, 3):
        code, output, errors = run(mpirun, procs, [program, "-v", *turn, "--disks", str(procs),
                                                   "cube.npy", "out.npy"])
        good = code == 0 and read_npy("out.npy") == ("|S3", TURNED, expected)
        checks.expect(good, f"any extents, {procs} processes: {code} {errors}")
        checks.expect(f"verified {len(data) // 3} elements" in output, output)
    npy("fortran.npy", "'|S3'", SHAPE[::-1], data, fortran=True)
    code, output, errors = alone(program, ["-v", "--axes", "0,2,1", "--memory", "64K",
                                           "fortran.npy", "out.npy"])
    good = code == 0 and read_npy("out.npy") == ("|S3", TURNED, expected)
    checks.expect(good and "verified" in output, f"Fortran order: {errors}")
    with open("out.npy", "r+b") as file:  # one wrong byte is found
        file.seek(-1, os.SEEK_END)
        file.write(bytes([expected[-1] ^ 1]))
    code, _, errors = alone(program, ["--verify-only", "--axes", "0,2,1", "fortran.npy", "out.npy"])
    last = len(data) // 3 - 1
    checks.expect(code == 1 and f"element {last} is not element {last}" in errors, errors)
    code, _, errors = alone(program, ["--axes", "2,0,1", "--in-place", "cube.npy"])
    checks.expect(code == 1 and "extents that are powers of two" in errors, f"in place: {errors}")
    code, output, _ = alone(program, ["--plan", *turn, "cube.npy"])
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

    # Memory: at most the limit, plus what a file of one block takes, and 8 MiB. Where an array does
    # not begin at a page, what is read lands in pages first: 264 KiB for each of 32 requests.
    pages = 32 * (264 << 10)

    def peak(arguments):
        environment = dict(os.environ)
        environment.pop("MALLOC_PERTURB_", None)  # Meson's: it touches what nobody uses
        done = subprocess.run([sys.executable, "-I", "-S", "-c", PEAK, program, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=300, env=environment)
        code, used = map(int, done.stdout.split()[-2:])
        checks.expect(code == 0, f"peak {arguments}: {code} {done.stderr}")
        return used << 10

    with open("large", "wb") as file:
        file.truncate(1 << 28)
    write("block", bytes(4096))
    little = peak(["-q", "-p", "bit_reversal", "-e", "8", "--block", "4096", "block", "out"])
    for way in (["large", "out"], ["--in-place", "large"]):
        used = peak(["-q", "-p", "bit_reversal", "-e", "8", "--memory", "32M", *way])
        checks.expect(used <= (32 << 20) + little + (8 << 20),
                      f"{way}: {used >> 10} KiB where a block takes {little >> 10}")
    npy("large.npy", "'<f8'", (300, 333, 335), b"")
    with open("large.npy", "r+b") as file:
        file.truncate(128 + 8 * 300 * 333 * 335)
    used = peak(["-q", "--axes", "2,0,1", "--memory", "32M", "large.npy", "out"])
    checks.expect(used <= (32 << 20) + little + pages + (8 << 20),
                  f"boxes: {used >> 10} KiB where a block takes {little >> 10}")
    # What requests cost is measured where a plan has to weigh it, and said.
    code, output, _ = alone(program, ["--plan", "-p", "bit_reversal", "-e", "8", "--memory", "32M",
                                      "large"])
    checks.expect(code == 0 and "where a request costs as much as" in output, output)
    for cost, passes in (("0", 1), ("4M", 2)):
        code, output, _ = alone(program, ["--plan", "-p", "bit_reversal", "-e", "8", "--memory",
                                          "32M", "--request-cost", cost, "large"])
        good = output.count("\npass ") == passes if cost != "0" else code == 2
        checks.expect(good, f"--request-cost {cost}: {output}")


def kill(child, dice):
    """SIGKILL for the program, or for one of the processes that mpirun has started: it ends the
    others."""
    with open(f"/proc/{child.pid}/task/{child.pid}/children", encoding="ascii") as file:
        processes = [int(pid) for pid in file.read().split()]
    try:
        os.kill(dice.choice(processes) if processes else child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has just ended


def part_killed(checks, program, faulty_disk, mpirun):
    """Runs killed up to four times each before they may end, at instants over all of their time. A
    slow disk makes them longer than what comes before they begin."""
    dice = random.Random(int(os.environ.get("KILL_SEED", "2")))
    wanted = int(os.environ.get("KILLS", "50"))
    data = dice.randbytes(16 << LG)
    reversed_data = permuted(data, 16, bit_reversed(1 << LG))
    cube, turned = any_extents(dice)
    npy("cube.npy", "'|S3'", SHAPE, cube)
    write("raw", data)
    # Small tiles make a run long.
    slow = {"LD_PRELOAD": faulty_disk, "FAULT": "slow", "FAULT_FILE": os.getcwd()}
    by_tiles = ["-p", "bit_reversal", "-e", "16", "--memory", "128K", "--block", "4096",
                "--flush-cost", "1"]  # so that two processes work
    one, two = [], [*mpirun, "--timeout", "120", "-np", "2"]
    ways = {"between": (one, "out", reversed_data, "10000", [*by_tiles, "raw", "out"]),
            "in place": (one, "raw", reversed_data, "1", [*by_tiles, "--in-place", "raw"]),
            "any extents": (one, "out", turned, "1500",
                            ["--axes", "2,0,1", "--memory", "4K", "cube.npy", "out"]),
            "between, 2 processes": (two, "out", reversed_data, "20000", [*by_tiles, "raw", "out"]),
            "in place, 2 processes": (two, "raw", reversed_data, "2",
                                      [*by_tiles, "--in-place", "raw"])}
    for name, (launch, result, expected, pause, arguments) in ways.items():
        source = None if "--in-place" in arguments else arguments[-2]
        untouched = read(source) if source else None
        kills, resumed, seconds = 0, 0, 1.5 if launch else 0.5
        enough = wanted // 5 if launch else wanted
        while kills < enough:
            write("raw", data)
            if os.path.exists("out"):
                os.remove("out")
            resume = []
            for attempt in range(5):
                begin = time.monotonic()
                child = subprocess.Popen([*launch, program, "-q", "--io", "threads", *resume,
                                          *arguments],
                                         env=os.environ | slow | {"FAULT_AT": pause}, text=True,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                if attempt < 4:
                    try:
                        child.wait(dice.uniform(0.2, 1.0) * seconds)
                    except subprocess.TimeoutExpired:
                        kill(child, dice)
                _, errors = child.communicate(timeout=300)
                was_killed = child.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)
                kills += was_killed
                if child.returncode == 0:
                    if not resume:  # a whole run
                        seconds = time.monotonic() - begin
                    break
                checks.expect(was_killed and attempt < 4,
                              f"{name}, attempt {attempt}: {child.returncode} {errors}")
                journal = os.path.exists(result + ".journal")
                if source:
                    checks.expect(read(source) == untouched, "the source was touched")
                    whole = not os.path.exists("out") or read("out").endswith(expected)
                    checks.expect(whole, "out: not complete")
                elif not journal:  # it had not begun, or it was done
                    checks.expect(read("raw") in (data, expected), "neither old nor new")
                    if read("raw") == expected:
                        break
                resume = ["--resume"] if journal else []
                resumed += journal
            checks.expect(read(result).endswith(expected), f"{name}, {kills} kills: wrong data")
            checks.expect(left_behind() in ([], ["raw.journal.new"], ["out.journal.new"]),
                          f"left: {left_behind()}")
        print(f"{name}: {kills} runs were killed, {resumed} of them left a journal and were resumed")
        checks.expect(resumed >= enough // 2, f"{name}: only {resumed} runs were resumed")

    # A run in place on two processes that is killed: others may neither read the array nor write it.
    write("raw", data)
    write("other", data)
    both = [*two, program, "-q", "--io", "threads", *by_tiles, "--disks", "2", "--in-place", "raw"]
    child = subprocess.Popen(both, env=os.environ | slow | {"FAULT_AT": "2000"},
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while read("raw") == data and child.poll() is None:
        time.sleep(0.02)
    kill(child, dice)
    child.communicate(timeout=300)
    checks.expect(left_behind() == ["raw.journal-0", "raw.journal-1"], f"left: {left_behind()}")
    unfinished = read("raw")
    checks.expect(unfinished not in (data, reversed_data), "it was killed too early or too late")
    for arguments, words in (([*by_tiles, "--in-place", "raw"], "an earlier run did not finish"),
                             ([*by_tiles, "--in-place", "--resume", "raw"], "another job"),
                             ([*by_tiles, "raw", "out"], "a run in place did not finish"),
                             (["-p", "shuffle", "-e", "16", "raw", "out"], "a run in place did not"),
                             ([*by_tiles, "other", "raw"], "an earlier run did not finish"),
                             (["-p", "shuffle", "-e", "16", "other", "raw"], "an earlier run")):
        code, _, errors = alone(program, arguments)
        checks.expect(code == 1 and words in errors, f"{arguments}: {code} {errors}")
        checks.expect(read("raw") == unfinished, f"{arguments}: it was touched")
    code = subprocess.run([*both, "--resume"], stdout=subprocess.DEVNULL, check=False).returncode
    checks.expect(code == 0 and read("raw") == reversed_data, f"resumed on two processes: {code}")
    checks.expect(left_behind() == [], f"left: {left_behind()}")


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
    # A target that is a link: its journal lies beside the file that it names
    os.mkdir("far")
    write("far/out", b"old")
    os.symlink("far/out", "link")
    code, _, errors = alone(program, [*common, "raw", "link"], LD_PRELOAD=faulty_disk, FAULT="write-eio",
                            FAULT_AT="30", FAULT_FILE=os.getcwd())
    checks.expect(code == 1 and "--resume" in errors, f"by a link: {code} {errors}")
    code, _, errors = alone(program, [*common, "--resume", "raw", "link"])
    expected = permuted(read("raw"), 8, targets)
    checks.expect(code == 0 and read("far/out") == expected, f"by a link, resumed: {errors}")
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
