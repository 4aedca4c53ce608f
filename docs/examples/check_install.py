#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Installs what `meson install` gives to people, bmmc-permute, in a folder, and uses it there.

  check_install.py BUILD MESON...
"""
import os
import pathlib
import random
import stat
import subprocess
import sys
import tempfile

from check_permute_file import npy, read_npy
from check_tools import Checks


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, end="")
        return 2
    checks = Checks()
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        subprocess.run([*arguments[1:], "install", "-C", arguments[0], "--no-rebuild", "--tags",
                        "runtime", "--destdir", place / "root"], check=True,
                       stdout=subprocess.DEVNULL)
        found = list((place / "root").rglob("bin/*"))
        checks.expect([path.name for path in found] == ["bmmc-permute"], f"installed: {found}")
        mode = stat.S_IMODE(found[0].stat().st_mode)
        checks.expect(mode == 0o755, f"mode {mode:o}")
        # Nothing of the build is needed: it runs in another folder, with no path set.
        data = random.Random(1).randbytes(8 * 32 * 64)
        npy(place / "a.npy", "'<f8'", (32, 64), data)
        environment = {name: value for name, value in os.environ.items()
                       if name.startswith(("OMPI_", "PRTE_", "PATH", "HOME"))}
        done = subprocess.run([found[0], "--axes", "1,0", "--memory", "16K", "-v", "a.npy", "b.npy"],
                              cwd=place, env=environment, capture_output=True, text=True,
                              check=False, timeout=120)
        checks.expect(done.returncode == 0 and "verified 2048" in done.stdout, done.stderr)
        _, shape, result = read_npy(place / "b.npy")
        expected = b"".join(data[8 * (64 * i + j):8 * (64 * i + j) + 8]
                            for j in range(64) for i in range(32))
        checks.expect(shape == (64, 32) and result == expected, "wrong data")
        done = subprocess.run([found[0], "--help"], cwd=place, env=environment, capture_output=True,
                              text=True, check=False, timeout=120)
        checks.expect(done.returncode == 0 and "--in-place" in done.stdout, done.stderr)
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
