#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs picture and compares every PNG, pixel by pixel, with what plain Python says it should be.

  check_picture.py PROGRAM MPIRUN...
"""
import csv
import os
import random
import struct
import subprocess
import sys
import tempfile
import zlib

from check_tools import Checks, expect_refusal, run


def write_png(path, width, height, pixels, channels=3):
    rows = b"".join(b"\0" + pixels[k:k + channels * width]
                    for k in range(0, channels * width * height, channels * width))

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, {1: 0, 3: 2}[channels], 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def read_png(path):
    """(width, height, pixels) of an RGB picture of 8 bits that is not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    packed, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at:at + 4])
        name, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        if name == b"IHDR":
            width, height, *kind = struct.unpack(">IIBBBBB", body)
            assert kind == [8, 2, 0, 0, 0], kind
        if name == b"IDAT":
            packed += body
        at += length + 12
    raw, line = zlib.decompress(packed), 3 * width
    above, pixels = bytearray(line), b""
    for start in range(0, len(raw), line + 1):
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + line])
        for k in range(line):
            a, b, c = (row[k - 3], above[k], above[k - 3]) if k >= 3 else (0, above[k], 0)
            closest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[k] = row[k] + [0, a, b, (a + b) // 2, closest][kind] & 0xff
        pixels, above = pixels + row, row
    return width, height, pixels


def reversed_bits(x, n):
    return int(format(x, f"0{n}b")[::-1], 2)


W, H, C, R = 64, 32, 6, 5  # sides of the picture, and their bits
N = W * H


T = 4  # side of a tile: 16 tiles across, 8 down
ACROSS, DOWN, TILES = W // T, H // T, W * H // (T * T)


def z_order(tile):
    row, column = divmod(tile, ACROSS)
    y = 0
    for j in range(3):  # the shorter axis
        y |= (column >> j & 1) << 2 * j | (row >> j & 1) << 2 * j + 1
    return y | column >> 3 << 6


def tiled(place):
    """Moves whole tiles: the tile with number t goes to place(t)."""
    def move(r, c):
        row, column = divmod(place(r // T * ACROSS + c // T), ACROSS)
        return (row * T + r % T) * W + column * T + c % T
    return move


# Where the pixel at (row, column) goes: to an index of the result. The random one is not here.
EFFECTS = {
    "original": lambda r, c: r * W + c,
    "transposed": lambda r, c: c * H + r,
    "turned_right": lambda r, c: c * H + H - 1 - r,
    "turned_left": lambda r, c: (W - 1 - c) * H + r,
    "turned_over": lambda r, c: (H - 1 - r) * W + W - 1 - c,
    "mirrored": lambda r, c: r * W + W - 1 - c,
    "upside_down": lambda r, c: (H - 1 - r) * W + c,
    "unshuffled_axes": lambda r, c: (r // 2 + r % 2 * H // 2) * W + c // 2 + c % 2 * W // 2,
    "tiles_shuffled": tiled(lambda t: t * 2 % TILES + t * 2 // TILES),
    "tiles_unshuffled": tiled(lambda t: t // 2 + t % 2 * TILES // 2),
    "tiles_bit_reversed": tiled(lambda t: reversed_bits(t, 7)),
    "axes_bit_reversed": tiled(lambda t: reversed_bits(t // ACROSS, 3) * ACROSS
                               + reversed_bits(t % ACROSS, 4)),
    "tiles_gray_encoded": tiled(lambda t: t ^ t >> 1),
    "tiles_in_z_order": tiled(z_order),
    "tiles_from_z_order": tiled([z_order(t) for t in range(TILES)].index),
}


def main(arguments):
    if len(arguments) < 2 or arguments[0] in ("-h", "--help"):
        print(__doc__, end="")
        return 2
    checks = Checks()
    program, mpirun = os.path.abspath(arguments[0]), arguments[1:]
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        compare_effects(checks, program, mpirun)
        read_other_kinds(checks, program, mpirun)
        refusals(checks, program, mpirun)
        os.chdir("/")
    return checks.exit_code()


def compare_effects(checks, program, mpirun):
    """A picture of 70 x 41 random pixels: its middle is used."""
    noise = random.Random(1).randbytes(3 * 70 * 41)
    write_png("noise.png", 70, 41, noise)
    middle = b"".join(noise[3 * (70 * (row + 4) + 3):][:3 * W] for row in range(H))
    for procs in (1, 4):
        code, output, errors = run(mpirun, procs,
                                   [program, "-o", "out", "-a", "noise.npy", "noise.png"])
        checks.expect(code == 0, f"exit code {code}\n{errors}")
        checks.expect("70 x 41 pixels, cropped to 64 x 32" in output, output)
        for name, target in EFFECTS.items():
            expected = bytearray(3 * N)
            for row in range(H):
                for column in range(W):
                    x, y = row * W + column, target(row, column)
                    expected[3 * y:3 * y + 3] = middle[3 * x:3 * x + 3]
            turned = name in ("transposed", "turned_right", "turned_left")
            width, height, pixels = read_png(f"out/{name}.png")
            checks.expect((width, height) == ((H, W) if turned else (W, H)), f"{name}: size")
            checks.expect(pixels == expected, f"{name} on {procs} processes: wrong pixels")
        everything = [middle[k:k + 3] for k in range(0, 3 * N, 3)]
        pixels = read_png("out/tiles_random.png")[2]
        same = sorted(everything) == sorted(pixels[k:k + 3] for k in range(0, 3 * N, 3))
        checks.expect(same and pixels != middle, "tiles_random: other pixels")
        check_overview(checks, procs)
    run(mpirun, 4, [program, "-o", "again", "noise.npy"])
    checks.expect(read_png("again/original.png") == (W, H, middle), "the .npy array differs")


def check_overview(checks, procs):
    """Every picture has a panel with its name and its messages."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "overview.py")
    done = subprocess.run([script, "out"], capture_output=True, text=True)
    checks.expect(done.returncode == 0, f"overview.py: {done.stderr}")
    with open("out/panels.csv", encoding="utf-8") as file:
        panels = {row["name"]: row["messages"] for row in csv.DictReader(file)}
    checks.expect(set(panels) == {*EFFECTS, "tiles_random"}, f"panels.csv: {panels}")
    # Transposed, every process has something for every other; turned over, for one.
    few = "no message" if procs == 1 else "1 message per process"
    many = "no message" if procs == 1 else f"{procs} messages per process"
    checks.expect(panels["turned_over"] == few and panels["transposed"] == many, f"{panels}")
    checks.expect(panels["mirrored"] == "no message", f"{panels}")
    if done.returncode == 0:
        checks.expect(read_png("out/overview.png")[0] > 4 * W, "overview.png: too small")


def read_other_kinds(checks, program, mpirun):
    gray = random.Random(2).randbytes(8 * 8)
    write_png("gray.png", 8, 8, gray, channels=1)
    code, _, errors = run(mpirun, 16, [program, "-o", "gray", "gray.png"])
    checks.expect(code == 0, f"gray: exit code {code}\n{errors}")
    expected = b"".join(bytes([value] * 3) for value in gray[::-1])
    checks.expect(read_png("gray/turned_over.png") == (8, 8, expected), "gray: wrong pixels")

    blocks = bytes(10 * (column // 3) for _ in range(6) for column in range(12) for _ in range(3))
    write_png("blocks.png", 12, 6, blocks)
    code, output, _ = run(mpirun, 4, [program, "--fit", "scale", "-o", "scaled", "blocks.png"])
    checks.expect(code == 0 and "scaled to 8 x 4" in output, f"scaled: {output}")
    checks.expect(read_png("scaled/original.png")[:2] == (8, 4), "scaled: size")


def refusals(checks, program, mpirun):
    write_png("small.png", 2, 1, bytes(6))
    with open("text.png", "w", encoding="utf-8") as file:
        file.write("no picture")
    with open("noise.png", "rb") as file, open("half.png", "wb") as half:
        half.write(file.read()[:4000])
    for procs, line, code, words in (
            (2, "missing.png", 1, r"missing.png: .*No such file"),
            (2, "text.png", 1, r"text.png: .*PNG"),
            (2, "half.png", 1, r"^picture: half.png: "),
            (4, "small.png", 1, r"cannot be spread over 2\^2 processes"),
            (3, "gray.png", 1, r"power of two, not 3"),
            (2, "-o text.png gray.png", 1, r"text.png"),
            (2, "", 2, r"a SOURCE picture is missing"),
            (2, "--fit stretch gray.png", 2, r"--fit takes crop or scale, not 'stretch'"),
            (2, "--wrong gray.png", 2, r"unrecognised option")):
        expect_refusal(checks, mpirun, program, procs, line.split(), code, words)
    # What stands where a result should go: a directory and a device are refused, a link stays a
    # link, and the file that it names keeps its permissions.
    os.makedirs("there/original.png")
    expect_refusal(checks, mpirun, program, 2, ["-o", "there", "gray.png"], 1,
                   r"original.png: it is a directory")
    os.rmdir("there/original.png")
    os.symlink("/dev/full", "there/original.png")
    expect_refusal(checks, mpirun, program, 2, ["-o", "there", "gray.png"], 1,
                   r"/dev/full: it is no regular file")
    os.remove("there/original.png")
    with open("elsewhere.png", "wb"):
        pass
    os.chmod("elsewhere.png", 0o640)
    os.symlink("../elsewhere.png", "there/original.png")
    code, _, errors = run(mpirun, 2, [program, "-o", "there", "gray.png"])
    checks.expect(code == 0, f"through a link: {errors}")
    checks.expect(os.path.islink("there/original.png"), "the link was replaced")
    checks.expect(os.stat("elsewhere.png").st_mode & 0o777 == 0o640, "other permissions")
    checks.expect(read_png("elsewhere.png")[:2] == read_png("there/original.png")[:2], "no picture")
    left = [name for name in os.listdir("there") if "unfinished" in name]
    checks.expect(left == [], f"left: {left}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
