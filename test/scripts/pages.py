#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the first program of a page for another language with the lines that stand below it there.

    pages.py PAGE INCLUDE LIBRARY [PYTHON PACKAGE]     pages.py --self-test

The page has a section "A first program": "Save it as `NAME`", the program, the commands, and what they
print. INCLUDE and LIBRARY are the folders that the commands get from pkg-config; python3 is PYTHON, with
the package in the folder PACKAGE.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def parts_of(text):
    """(name of the file, program, command lines, expected output); raises ValueError."""
    section = re.search(r'## A first program\n(.*?)(?:\n## |\Z)', text, re.S)
    if not section:
        raise ValueError('no section "A first program"')
    name = re.search(r'Save it as `([\w.]+)`', section[1])
    program = re.search(r'```\w+\n(.*?)```', section[1], re.S)
    if not name or not program:
        raise ValueError('the section has no program with a name')
    blocks = re.findall(r'(?:^    .*\n)+', section[1][program.end():], re.M)
    if len(blocks) < 2:
        raise ValueError('commands and output do not stand below the program')
    lines = [[line.strip() for line in block.splitlines()] for block in blocks]
    return name[1], program[1], lines[0], lines[1]


def self_test():
    good = ('## A first program\nSave it as `a.c`:\n```c\nint x;\n```\n    cc a.c\n    ./a\ntext\n'
            '    prints\n\n## Next\n')
    assert parts_of(good) == ('a.c', 'int x;\n', ['cc a.c', './a'], ['prints'])
    for bad in ('', good.replace('```c', ''), good.replace('    prints', 'prints'),
                good.replace('Save', 'Keep')):
        try:
            parts_of(bad)
        except ValueError:
            continue
        sys.exit('self-test: a page without its parts was taken')


def main(arguments):
    if arguments == ['--self-test']:
        self_test()
        return 0
    page, include, library = (pathlib.Path(name).resolve() for name in arguments[:3])
    file, program, commands, expected = parts_of(page.read_text(encoding='utf-8'))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / file).write_text(program, encoding='utf-8')
        (work / 'bmmc-c.pc').write_text(
            f'fortran={include}/bmmc/c/bmmc.f90\nName: bmmc-c\nDescription: bmmc\nVersion: 0\n'
            f'Cflags: -I{include}\nLibs: -L{library} -lbmmc_c\n', encoding='utf-8')
        known = os.environ | {'PKG_CONFIG_PATH': folder, 'LD_LIBRARY_PATH': str(library)}
        if len(arguments) == 5:
            (work / 'python3').symlink_to(arguments[3])
            known |= {'PATH': f'{folder}:{known["PATH"]}', 'PYTHONPATH': str(pathlib.Path(arguments[4]).resolve())}
        printed = ''
        for line in commands:
            done = subprocess.run(line, shell=True, cwd=work, env=known, capture_output=True, text=True,
                                  timeout=120, check=False)
            if done.returncode != 0:
                sys.exit(f'{line} failed:\n{done.stdout}{done.stderr}')
            printed += done.stdout
        if [line.rstrip() for line in printed.splitlines()] != expected:
            sys.exit(f'{page.name} promises {expected}, but the program prints\n{printed}')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
