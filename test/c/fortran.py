#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles the module and its test as Fortran 2008 with TS 29113, and runs it on 1, 2 and 4 processes.

    fortran.py INCLUDE LIBRARY_FOLDER TEST
"""
import pathlib
import subprocess
import sys
import tempfile

include, library, test = (pathlib.Path(name).resolve() for name in sys.argv[1:])
with tempfile.TemporaryDirectory() as work:
    def run(*command):
        done = subprocess.run([str(word) for word in command], cwd=work, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    run('mpifort', '-std=f2008ts', '-Wall', '-Wextra', '-Werror', '-Wno-compare-reals',
        '-Wno-integer-division', include / 'bmmc/c/bmmc.f90', test,
        f'-L{library}', '-lbmmc_c', f'-Wl,-rpath,{library}', '-o', 'fortran')
    for procs in (1, 2, 4):
        if run('mpirun', '--timeout', '60', '-np', procs, './fortran') != 'right\n':
            sys.exit(f'the program does not say that all is right on {procs} processes')
