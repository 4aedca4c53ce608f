#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that every header compiles alone, and that the planning part needs no MPI and no Boost.

    headers.py [--without-mpi] INCLUDE_DIRECTORY COMPILER [FLAGS...]
    headers.py --self-test COMPILER [FLAGS...]

With --without-mpi the headers that need <mpi.h> or Boost are left out. HEADERS=1/3 in the environment
tries the first third of them in the order of their names' hashes, 2/3 and 3/3 the others; without it all
are tried.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

import checks

FOREIGN = re.compile(r'(?:^|/)(?:mpi\.h|mpicxx\.h|boost/\S+)$')
STRICT = ['-std=c++20', '-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror']


def mpi_flags():
    """Where mpi.h is, from what MPI's compiler would call."""
    if not shutil.which('mpicc'):
        return []
    shown = subprocess.run(['mpicc', '-show'], capture_output=True, text=True, check=True).stdout
    return [word.replace('-I', '-isystem') for word in shown.split() if word.startswith('-I')]


def compile_text(command, text):
    return subprocess.run(command + ['-x', 'c++', '-'], input=text, capture_output=True, text=True,
                          check=False)


def alone(command, root, name):
    """Compiles one header twice in one file, so that its guard is tried as well; and without what
    is compiled once, where there is some of it."""
    ways = {'alone': []}
    if '_once.hpp>' in (root / name).read_text(encoding='utf-8'):
        ways['alone with BMMC_COMPILED'] = ['-DBMMC_COMPILED']
    for way, flags in ways.items():
        done = compile_text(command + flags + ['-I', str(root), '-fsyntax-only'],
                            f'#include <{name}>\n' * 2)
        if done.returncode != 0:
            return f'{name} does not compile {way}:\n{done.stderr}'
    return None


def files_read_by(command, root, name):
    """Every file that a header reads, or None where that cannot be found out."""
    done = compile_text(command + ['-I', str(root), '-M', '-MG'], f'#include <{name}>\n')
    return done.stdout.replace('\\\n', ' ').split()[1:] if done.returncode == 0 else None


def foreign_files(command, root, name):
    read = files_read_by(command, root, name)
    return [f'{name} cannot be read'] if read is None else [f for f in read if FOREIGN.search(f)]


def share_of(names):
    part, parts = map(int, os.environ.get('HEADERS', '1/1').split('/'))
    return [name for name in names
            if int(hashlib.sha256(name.encode()).hexdigest(), 16) % parts == part - 1]


def complaints(root, command, with_mpi):
    planning = 'bmmc/planning.hpp'
    foreign = foreign_files(command, root, planning)
    if foreign:
        yield f'{planning} reads {" ".join(foreign[:3])}'
    names = share_of([str(path.relative_to(root)) for path in sorted(root.rglob('*.hpp'))])
    flags = command + (mpi_flags() if with_mpi else [])
    if not with_mpi:
        names = [name for name in names if not foreign_files(command, root, name)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        yield from filter(None, pool.map(lambda name: alone(flags, root, name), names))


def self_test(command):
    """A tree without fault, then with each fault that must be found."""
    os.environ.pop('HEADERS', None)
    sound = {'bmmc/planning.hpp': '#pragma once\n#include <bmmc/part.hpp>\n',
             'bmmc/part.hpp': '#pragma once\n#include <cstddef>\ninline std::size_t one() { return 1; }\n'}
    faults = {
        None: {},
        'part.hpp does not': {'bmmc/part.hpp': '#include <cstddef>\ninline int one() { return 1; }\n'},
        'b.hpp does not': {'bmmc/b.hpp': '#pragma once\ninline std::vector<int> none() { return {}; }\n'},
        'c.hpp does not compile alone with': {
            'bmmc/c.hpp': '#pragma once\n#ifndef BMMC_COMPILED\n#include <bmmc/c_once.hpp>\n#endif\n'
                          'inline std::size_t zero() { return 0; }\n',
            'bmmc/c_once.hpp': '#include <bmmc/part.hpp>\n'},
        'planning.hpp reads': {'bmmc/planning.hpp': '#pragma once\n#include <bmmc/mpi.h>\n',
                               'bmmc/mpi.h': ''},
    }
    return checks.self_test(sound, faults, lambda root: complaints(root, command, False))


def main(arguments):
    with_mpi = '--without-mpi' not in arguments
    arguments = [argument for argument in arguments if argument != '--without-mpi']
    if len(arguments) < 2:
        print(__doc__)
        return 2
    if arguments[0] == '--self-test':
        return self_test(arguments[1:] + STRICT)
    return checks.report(complaints(pathlib.Path(arguments[0]), arguments[1:] + STRICT, with_mpi))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
