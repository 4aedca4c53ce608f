#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs 57_image_library and compares every picture, pixel by pixel, with what plain Python says.

  check_image_library.py PROGRAM MPIRUN...
"""
import os
import random
import sys
import tempfile

from check_picture import read_png, reversed_bits, write_png
from check_tools import Checks, expect_refusal, run

# name: where the pixel at (x, y), y upwards, of a picture of 2^h x 2^h pixels goes
MOVES = {
    "original": lambda x, y, h: (x, y),
    "diagonal": lambda x, y, h: (y, x),
    "other_diagonal": lambda x, y, h: (2**h - 1 - y, 2**h - 1 - x),
    "turned_left": lambda x, y, h: (2**h - 1 - y, x),
    "turned_right": lambda x, y, h: (y, 2**h - 1 - x),
    "left_right": lambda x, y, h: (2**h - 1 - x, y),
    "upside_down": lambda x, y, h: (x, 2**h - 1 - y),
    "turned_over": lambda x, y, h: (2**h - 1 - x, 2**h - 1 - y),
    "bit_reversed": lambda x, y, h: (reversed_bits(y, h), reversed_bits(x, h)),
    "shuffled": lambda x, y, h: ((2 * x + y // 2**(h - 1)) % 2**h, (2 * y + x // 2**(h - 1)) % 2**h),
    "rows_bit_reversed": lambda x, y, h: (reversed_bits(x, h), y),
    "columns_bit_reversed": lambda x, y, h: (x, reversed_bits(y, h)),
}


def expected_pictures(h, pixel):
    """name -> (side, pixels); pixel(x, y) with y upwards, as the paper counts."""
    side = 2**h
    for name, move in MOVES.items():
        moved = {move(x, y, h): pixel(x, y) for x in range(side) for y in range(side)}
        yield name, side, lambda x, y, moved=moved: moved[x, y]
    yield "scaled_up", side, lambda x, y: pixel(x // 2, y // 2)

    def mean(x, y):
        four = [pixel(2 * x + i, 2 * y + j) for i in (0, 1) for j in (0, 1)]
        return bytes(sum(colours) // 4 for colours in zip(*four))
    yield "scaled_down", side // 2, mean


def check_pictures(checks, program, mpirun, procs, h):
    side, name = 2**h, f"noise{h}.png"
    pixels = random.Random(h).randbytes(3 * side * side)
    write_png(name, side, side, pixels)

    def pixel(x, y):
        at = 3 * ((side - 1 - y) * side + x)
        return pixels[at:at + 3]
    directory = f"out{h}_{procs}"
    code, _, errors = run(mpirun, procs, [program, directory, name])
    checks.expect(code == 0, f"{procs} processes: exit code {code}\n{errors}")
    names = []
    for found, length, expected in expected_pictures(h, pixel):
        names.append(found + ".png")
        wanted = b"".join(expected(x, length - 1 - row)
                          for row in range(length) for x in range(length))
        checks.expect(read_png(f"{directory}/{found}.png") == (length, length, wanted),
                      f"{found} of 2^{h} x 2^{h} pixels on {procs} processes")
    checks.expect(sorted(names) == sorted(os.listdir(directory)), f"{directory}: other files")


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, end="")
        return 2
    program, mpirun = os.path.abspath(arguments[0]), arguments[1:]
    checks = Checks()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for procs, h in ((1, 1), (2, 3), (4, 4), (8, 5), (16, 4)):  # the paper's are 16 x 16
            check_pictures(checks, program, mpirun, procs, h)
        write_png("wide.png", 4, 2, bytes(24))
        expect_refusal(checks, mpirun, program, 2, ["out", "wide.png"], 1, r"not 4 x 2")
        expect_refusal(checks, mpirun, program, 3, ["out", "noise3.png"], 1,
                       r"power of two, not 3")
        os.chdir("/")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
