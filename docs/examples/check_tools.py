# SPDX-License-Identifier: BSL-1.0
"""What the checks of permute_file and picture share: running programs, and a list of complaints."""
import re
import subprocess
import sys


class Checks:
    """Counts what was checked and tells what was wrong."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def expect(self, good, text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"WRONG: {text}", file=sys.stderr)

    def exit_code(self):
        print(f"{self.passed} checks passed, {self.failed} failed")
        return 0 if self.failed == 0 and self.passed > 0 else 1


def run(mpirun, procs, command, text=None):
    """Runs a program on `procs` processes: (exit code, output, errors); 110 is mpirun's time-out.
    `text` is what process 0 can read from its standard input."""
    full = [*mpirun, "--timeout", "60", "-np", str(procs), *command]
    done = subprocess.run(full, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=90, input=text)
    return done.returncode, done.stdout, done.stderr


def expect_refusal(checks, mpirun, program, procs, arguments, code, words, second=None):
    """The program ends with this exit code, and says so once, in words that match. With `second`,
    a directory, one more process runs there."""
    command = [program, *arguments]
    more = [":", "-np", "1", "--wdir", second, *command] if second else []
    found, _, errors = run(mpirun, procs, command + more)
    what = f"{arguments} on {procs} processes"
    checks.expect(found == code, f"{what}: exit code {found}, not {code}\n{errors}")
    hits = [line for line in errors.splitlines() if re.search(words, line)]
    checks.expect(len(hits) == 1, f"{what}: '{words}' stands {len(hits)} times in\n{errors}")
