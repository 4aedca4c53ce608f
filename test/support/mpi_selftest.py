#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the main of the MPI tests passes, fails and aborts as it says.

    mpi_selftest.py MPIRUN PROGRAM
"""
import subprocess
import sys

# arguments of the program, whether the job must pass, and a text that it must print
CASES = [
    (['all is well', '--procs', '2'], True, 'All tests passed'),
    (['all is well', '--procs', '4'], False, 'has 2 processes where --procs says 4'),
    (['all is well'], False, 'has 2 processes where --procs says 0'),
    (['no such test', '--procs', '2'], False, 'No test'),
    (['one check fails on one process', '--procs', '2'], False, 'told on process 1'),
    (['one requirement fails on one process', '--procs', '2'], False, 'process 1:'),
    (['one process throws', '--procs', '2'], False, 'thrown on process 1'),
    (['one process fails', '--procs', '2'], False, 'given up on process 1'),
    (['one process lacks an exception', '--procs', '2'], False, 'process 1:'),
]


def main(mpirun, program):
    failed = 0
    for arguments, passes, text in CASES:
        try:
            done = subprocess.run([mpirun, '-np', '2', program] + arguments, capture_output=True,
                                  text=True, timeout=20, check=False)
        except subprocess.TimeoutExpired:
            print(f'{arguments}: hangs')
            failed = 1
            continue
        output = done.stdout + done.stderr
        if (done.returncode == 0) != passes or text not in output:
            print(f'{arguments}: status {done.returncode}, expected "{text}" in\n{output}')
            failed = 1
    return failed


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
