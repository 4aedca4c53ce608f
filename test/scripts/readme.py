#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles and runs the first program of README.md with the lines that stand below it there.

    readme.py ROOT [mpirun]        readme.py --self-test

Without mpirun it only looks whether program, lines and output are there. Every other block of C++ in
README.md is compiled behind `#include <bmmc.hpp>` inside a function, with the names it supposes.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# What the fragments below "Where to start" take for granted.
AROUND = '''
#include <complex>
#include <vector>
#include <bmmc.hpp>
void fragment(MPI_Comm world, std::vector<double>& chunk, std::vector<std::complex<double>>& amplitudes,
              std::vector<std::vector<std::complex<double>>>& fields, unsigned n, unsigned p) {
  (void)world, (void)chunk, (void)amplitudes, (void)fields, (void)n, (void)p;
'''


def parts_of(text):
    """(program, command lines, expected output, fragments) of a README; raises ValueError."""
    section = re.search(r'## A first program\n(.*?)\n## ', text, re.S)
    if not section:
        raise ValueError('no section "A first program"')
    program = re.search(r'```cpp\n(.*?)```', section[1], re.S)
    if not program:
        raise ValueError('the section has no program')
    after = section[1][program.end():]
    blocks = re.findall(r'(?:^    .*\n)+', after, re.M)
    if len(blocks) < 2:
        raise ValueError('commands and output do not stand below the program')
    lines = [[line.strip() for line in block.splitlines()] for block in blocks]
    rest = text[section.end() - 4:]
    fragments = [block for block in re.findall(r'(?:^    .*\n)+', rest, re.M)
                 if re.search(r'bmmc::', block)]
    return program[1], lines[0], lines[1], fragments


def run(line, directory):
    done = subprocess.run(line, shell=True, cwd=directory, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f'{line} failed:\n{done.stdout}{done.stderr}')
    return done.stdout


def self_test():
    good = ('## A first program\n```cpp\nint main() {}\n```\n    c++ first.cpp\n    ./first\ntext\n'
            '    prints\n\n## Next\n    bmmc::x();\n')
    assert parts_of(good) == ('int main() {}\n', ['c++ first.cpp', './first'], ['prints'],
                              ['    bmmc::x();\n'])
    for bad in ('', good.replace('```cpp', ''), good.replace('    prints', 'prints')):
        try:
            parts_of(bad)
        except ValueError:
            continue
        sys.exit('self-test: a README without its parts was taken')


def main(arguments):
    if arguments == ['--self-test']:
        self_test()
        return 0
    root = pathlib.Path(arguments[0]).resolve()
    program, commands, expected, fragments = parts_of((root / 'README.md').read_text(encoding='utf-8'))
    if len(program.splitlines()) > 25:
        sys.exit('the first program has more than 25 lines')
    if len(fragments) < 5:
        sys.exit(f'only {len(fragments)} fragments of C++ were found')
    if len(arguments) == 1:
        return 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        (work / 'include').symlink_to(root / 'include')
        (work / 'first.cpp').write_text(program, encoding='utf-8')
        printed = ''.join(run(line, work) for line in commands)
        if printed.splitlines() != expected:
            sys.exit(f'README.md promises {expected}, but the program prints\n{printed}')
        (work / 'fragments.cpp').write_text(
            AROUND + ''.join(f'{{\n{block}}}\n' for block in fragments) + '}\n', encoding='utf-8')
        run('mpicxx -std=c++20 -fsyntax-only -I include fragments.cpp', work)
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
