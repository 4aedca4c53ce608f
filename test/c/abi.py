#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares what the library bmmc_c exports, and the numbers and shapes of bmmc.h, with abi.txt.

    abi.py ABI_TXT LIBRARY PROGRAM HEADER          PROGRAM prints numbers and shapes
    abi.py --write ABI_TXT LIBRARY PROGRAM HEADER
    abi.py --self-test

A line that is gone or other than before needs another BMMC_C_ABI; a new function does not.
"""
import pathlib
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def found(library, program, header):
    """Functions with their declarations, and what the program prints."""
    symbols = [line.split() for line in output('nm', '-D', '--defined-only', library).splitlines()]
    exported = sorted(name.split('@')[0] for _, kind, name in symbols if kind != 'A')  # A: the version
    text = re.sub(r'/\*.*?\*/|^#[^\n]*', '', pathlib.Path(header).read_text(encoding='utf-8'),
                  flags=re.DOTALL | re.MULTILINE)
    declared = {match[2]: ' '.join((match[1] + match[2] + match[3]).split())
                for match in re.finditer(r'BMMC_API ([^;(]*?)(\w+)(\([^;]*\));', text)}
    lines = [declared.pop(name, f'{name}: exported, but not declared in bmmc.h') for name in exported]
    lines += [f'{name}: declared, but not exported' for name in sorted(declared)]
    return lines + output(program).splitlines()


def complaints(written, now):
    for line in written:
        if line not in now:
            yield f'gone or changed: {line}'
    for line in now:
        if line not in written:
            yield f'not written down: {line}'


def self_test():
    faults = [(['int f(void)'], ['int f(void)'], []),
              (['int f(void)', 'size s 8'], ['int f(int)', 'size s 8'],
               ['gone or changed: int f(void)', 'not written down: int f(int)']),
              (['size s 8'], [], ['gone or changed: size s 8'])]
    return 0 if all(list(complaints(a, b)) == told for a, b, told in faults) else 1


def main(arguments):
    if arguments == ['--self-test']:
        return self_test()
    writes = arguments[:1] == ['--write']
    page, library, program, header = arguments[writes:]
    now = found(library, program, header)
    if writes:
        pathlib.Path(page).write_text('\n'.join(now) + '\n', encoding='utf-8')
        return 0
    told = list(complaints(pathlib.Path(page).read_text(encoding='utf-8').splitlines(), now))
    print('\n'.join(told) if told else f'{len(now)} lines as written down')
    return 1 if told else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
