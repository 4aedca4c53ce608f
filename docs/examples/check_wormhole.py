#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs 53_wormhole with its options: what it refuses, its seeds, its lines for a plot.

  check_wormhole.py PROGRAM
"""
import re
import subprocess
import sys

from check_tools import Checks

SHORT = ["--dimensions", "6", "--cycles", "2000"]


def run(*arguments):
    done = subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


def numbers(text):
    return [float(word) for word in re.findall(r"\d+\.\d+", text)]


def main():
    checks = Checks()
    for arguments, words in [(["--pattern", "shuffle"], "nothing named 'shuffle'"),
                             (["--strategy", "min"], "nothing named 'min'"),
                             (["--dimensions", "17"], "2 to 16"), (["--dimensions", "1"], "2 to 16"),
                             (["--seeds", "0"], "positive"), (["--load", "-1"], "positive"),
                             (["--seeds", "-1"], "positive"), (["--cycles", "-1"], "positive"),
                             (["--flits", "-1"], "positive"), (["--load", "nan"], "positive"),
                             (["--loud"], "loud"), (["--load", "much"], "much")]:
        code, output, errors = run(*arguments)
        checks.expect((code, output) == (2, "") and words in errors,
                      f"{arguments}: exit code {code}\n{output}{errors}")
    code, output, _ = run("--help")
    checks.expect(code == 0 and "--strategy" in output, "--help")

    one = ["--load", "0.1", "--pattern", "transpose", "--strategy", "e-cube", *SHORT]
    first, again, second = run(*one), run(*one), run(*one, "--seed", "2")
    checks.expect(first[0] == 0 and first == again, "the same seed gives the same")
    checks.expect(second[0] == 0 and first[1] != second[1], "another seed gives another")
    both = numbers(run(*one, "--seeds", "2")[1])
    for of_both, a, b in zip(both, numbers(first[1]), numbers(second[1])):
        checks.expect(abs(of_both - (a + b) / 2) < 0.06, f"{of_both} is the mean of {a} and {b}")
    checks.expect(len(both) == 4, "one line of four numbers")

    code, output, _ = run("--data", *SHORT)
    head, columns, *rows = output.splitlines()
    checks.expect(head.startswith("# ") and columns == "pattern,routing,throughput,latency", head + columns)
    curves = {}
    for row in rows:
        pattern, routing, load, _ = row.split(",")
        curves.setdefault((pattern, routing), []).append(float(load))
    checks.expect(code == 0 and len(curves) == 15, f"{len(curves)} curves, not 15")
    for name, loads in curves.items():
        checks.expect(len(loads) > 5, f"{name}: {len(loads)}")
        checks.expect(loads == sorted(loads) and 0 < loads[0] < loads[-1] < 1, f"{loads}")
    return checks.exit_code()


if __name__ == "__main__":
    sys.exit(main())
