#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs programs with argument lists made up at random: none ends by a signal or stays away, the exit
code is 0, 1 or 2 as --help says, and what is refused is refused with a sentence.

  check_options.py [--seconds S] [--seed N] PROGRAM... -- MPIRUN...

Names of options are those that --help prints; values are some that make sense, and some that do not.
The random numbers are those of the commit, so each commit tries others. Every eighth run has two
processes, but for 53_wormhole.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from check_picture import write_png
from check_tools import Checks

LIMIT = 20  # seconds; what makes sense here takes one
NUMBERS = ["0", "1", "2", "3", "7", "-1", "-0", "+2", "1.5", "0x10", "1e3", "1e400", "nan", "inf", "-inf",
           "2147483648", "4294967295", "4294967298", "9223372036854775807", "18446744073709551615",
           "18446744073709551617", "999999999999999999999", "1K", "16G", "99999999T", " 1", "1 ", "--1"]
TEXTS = ["", "-", "--", "x", "\n", "%s%n", "%value%", "\u00e9", "a" * 5000, "=", "'\"", "../..", "-h", "bit",
         "-", ",", "1,0", "0,0", "9" * 40 + ",1", "axes:2x3:1,0", "bit_reversal", "gray:gray:gray"]
FILES = ["picture.png", "picture.npy", "circuit.qasm", "raw", "matrix.txt", "empty.png", "empty.npy", "empty.qasm",
         "folder", "folder.npy", "missing.png", "missing/raw", "zeros.npy", "zeros.qasm", "zeros", "broken.png",
         "/dev/null", "/dev/null/x", "out", "out/a", "target"]
WORDS = {
    "53_wormhole": ["transpose", "bit-reversal", "reverse-flip", "e-cube", "p-cube", "ascending-falls", "M-S",
                    "M-G"],
    "picture": ["crop", "scale"],
    "qubits": [],
    "permute_file": ["bit_reversal", "transpose", "gray_encode", "swap:0,1", "processor_minor", "processor_major",
                     "banded:1", "sendrecv", "alltoallv", "threads", "uring"],
}
# What keeps a run short, in front of what is made up; an option that is given twice is refused.
SHORT = {"53_wormhole": ["--dimensions=3", "--cycles=300"], "permute_file": ["--element-bytes=4", "--quiet"]}


def make_files(here):
    """What the names of FILES stand for."""
    write_png(here / "picture.png", 8, 4, bytes(range(96)))
    header = "{'descr': '<u4', 'fortran_order': False, 'shape': (4, 8), }"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + bytes(128)
    (here / "picture.npy").write_bytes(array)
    (here / "circuit.qasm").write_text('OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[3];\nh q[0];\n'
                                       'cx q[0],q[2];\nccx q[0],q[2],q[1];\n')
    (here / "raw").write_bytes(bytes(256))
    (here / "matrix.txt").write_text("".join("." * k + "1" + "." * (5 - k) + "\n" for k in range(6)))
    (here / "broken.png").write_bytes((here / "picture.png").read_bytes()[:-30])
    for name in ["empty.png", "empty.npy", "empty.qasm"]:
        (here / name).write_bytes(b"")
    for name in ["folder", "folder.npy"]:
        (here / name).mkdir()
    for name in ["zeros", "zeros.npy", "zeros.qasm"]:
        (here / name).symlink_to("/dev/zero")


def options_of(program):
    """Names as --help prints them, and whether a value follows."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    return [(name, bool(value)) for name, value in
            re.findall(r"^  (?:-\w \[ )?(--[a-z-]+)(?: \])?( [A-Za-z]+)?", text, re.MULTILINE)]


def value(rng, program):
    pools = [NUMBERS, TEXTS, FILES, WORDS[program], ["2", "1", "3"]]
    return rng.choice(rng.choice([pool for pool in pools if pool]))


def arguments(rng, program, options):
    made = [word for word in SHORT.get(program, []) if rng.random() < 0.97]
    for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 5])):
        name, has_value = rng.choice(options)
        if rng.random() < 0.05:
            name = name[:-1] if rng.random() < 0.5 else name + "x"
        if has_value == (rng.random() < 0.95):
            word = value(rng, program)
            made += [name + "=" + word] if rng.random() < 0.3 else [name, word]
        else:
            made.append(name)
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        made.append(rng.choice(FILES if rng.random() < 0.9 else TEXTS))
    if rng.random() < 0.3:
        rng.shuffle(made)
    return [word.replace("\0", "") for word in made]


def is_short(program, made):
    """53_wormhole simulates what it is told to, for hours if need be."""
    return program != "53_wormhole" or (SHORT[program][0] in made and SHORT[program][1] in made)


def complaint(program, command, here):
    """What is wrong with a run, or nothing."""
    try:
        done = subprocess.run(command, cwd=here, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
                              check=False)
    except subprocess.TimeoutExpired:
        return f"it does not end within {LIMIT} s"
    said = done.stderr.decode(errors="replace")
    if done.returncode not in (0, 1, 2):
        return f"exit code {done.returncode}\n{said}"
    if done.returncode != 0 and not re.search(rf"^({program}|\S*): .{{8}}", said, re.MULTILINE):
        return f"exit code {done.returncode} without a sentence: {said!r}"
    if re.search("terminate called|what\\(\\)|Sanitizer|Assertion|core dumped", said):
        return said
    return None


def try_program(checks, path, mpirun, rng, seconds):
    program = pathlib.Path(path).name
    options = options_of(path)
    checks.expect(len(options) >= 4, f"{program}: options {options}")
    codes = {0: 0, 1: 0, 2: 0}
    end = time.monotonic() + seconds
    tried = 0
    with tempfile.TemporaryDirectory() as name:
        here = pathlib.Path(name)
        make_files(here)
        while time.monotonic() < end:
            made = arguments(rng, program, options)
            if not is_short(program, made):
                continue
            tried += 1
            two = tried % 8 == 0 and program != "53_wormhole"
            launch = [*mpirun, "--timeout", str(LIMIT), "-np", "2"] if two else []
            wrong = complaint(program, [*launch, path, *made], here)
            checks.expect(wrong is None, f"{program} {made}{' on 2 processes' if two else ''}: {wrong}")
    return tried


def main():
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--seconds", type=float, default=3)
    parse.add_argument("--seed", type=int)
    parse.add_argument("programs", nargs="+")
    given = parse.parse_args(sys.argv[1:at])
    if at == len(sys.argv):
        parse.error("-- and the command of mpirun are missing")
    seed = given.seed
    if seed is None:
        done = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "HEAD"],
                              capture_output=True, text=True, check=False)
        seed = int(done.stdout[:7], 16) if done.returncode == 0 else 1
    checks = Checks()
    for path in map(os.path.abspath, given.programs):
        tried = try_program(checks, path, sys.argv[at + 1:], random.Random(seed), given.seconds)
        print(f"{pathlib.Path(path).name}: {tried} argument lists, --seed {seed}")
        checks.expect(tried > 0, "something is tried")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
