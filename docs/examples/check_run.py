#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs docs/examples/run with the programs of a build, and with arguments that it must refuse.

  check_run.py BUILD
"""
import pathlib
import subprocess
import sys
import tempfile

from check_picture import write_png
from check_tools import Checks

RUN = pathlib.Path(__file__).resolve().parent / 'run'


def run(*arguments):
    done = subprocess.run([RUN, *arguments], capture_output=True, text=True, timeout=250)
    return done.returncode, done.stdout, done.stderr


def main(arguments):
    if len(arguments) != 1 or arguments[0] in ('-h', '--help'):
        print(__doc__, end='')
        return 2
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        out = pathlib.Path(name)
        source = out / 'source.png'
        write_png(source, 64, 32, bytes(k % 251 for k in range(3 * 64 * 32)))
        code, output, errors = run('--build', arguments[0], '--out', out, '--picture', source)
        checks.expect(code == 0, f'exit code {code}\n{output}{errors}')
        for result in ('picture/overview.png', 'transposed.npy', 'reversed.npy'):
            checks.expect((out / result).exists(), f'{result} is missing')
            checks.expect(result in output, f'{result} is not named at the end\n{output}')
        checks.expect(output.count('verified 2048 elements') == 2, f'not verified\n{output}')
        for wrong, status, words in ((['--procs', '3'], 2, 'a power of two, not 3'),
                                     (['--wrong'], 2, 'there is no option --wrong'),
                                     (['--procs'], 2, '--procs needs a value'),
                                     (['--picture', out / 'none.png'], 1, 'cannot be read')):
            code, _, errors = run('--out', out, *wrong)
            checks.expect(code == status and words in errors, f'{wrong}: {code} {errors}')
    return checks.exit_code()


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
