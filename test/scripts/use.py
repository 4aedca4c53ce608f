#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Uses the library as a stranger's project does: installed, by pkg-config, and as a subproject.

    use.py ROOT COMPILER [--without-mpi]

Each way builds a program that calls permute (or plans, without MPI). The subproject must bring no
flags beyond include folders and libraries. The status is 0 when all of it works.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

WITH_MPI = '--without-mpi' not in sys.argv
ROOT, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
if not WITH_MPI:
    COMPILER.remove('--without-mpi')

PROGRAM = '''
#include <bmmc.hpp>
#include <vector>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    std::vector<double> chunk(8);
    bmmc::permute<double>(MPI_COMM_WORLD, chunk, bmmc::bit_reversal<3>());
  }
  MPI_Finalize();
}
''' if WITH_MPI else '''
#include <bmmc/planning.hpp>
#include <vector>
int main() {
  std::vector<double> source(8), target(8);
  bmmc::local::permute(source, target, bmmc::bit_reversal<3>());
}
'''
PROJECT = '''
project('stranger', 'cpp', 'c', default_options: 'cpp_std=c++20')
bmmc = dependency('bmmc', fallback: 'bmmc')
test('runs', executable('stranger', 'main.cpp', dependencies: bmmc))
'''


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        environment = os.environ | {'CXX': ' '.join(COMPILER), 'OMPI_ALLOW_RUN_AS_ROOT': '1',
                                    'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}
        mpi = '-Dmpi=' + ('enabled' if WITH_MPI else 'disabled')
        main_file = work / 'main.cpp'
        main_file.write_text(PROGRAM)

        # Installed.
        prefix = work / 'prefix'
        run('meson', 'setup', work / 'build', ROOT, '--prefix', prefix, mpi, '-Dtests=false',
            '-Dexamples=false', '-Dbench=false', env=environment)
        run('meson', 'install', '-C', work / 'build', env=environment)
        found = environment | {'PKG_CONFIG_PATH': str(prefix / 'share/pkgconfig')}
        flags = run('pkg-config', '--cflags', '--libs', 'bmmc', env=found).split()
        run(*COMPILER, '-std=c++20', main_file, '-o', work / 'installed', *flags)
        run(work / 'installed', env=environment)

        # A subproject.
        project = work / 'project'
        (project / 'subprojects').mkdir(parents=True)
        (project / 'subprojects/bmmc').symlink_to(ROOT)
        (project / 'main.cpp').write_text(PROGRAM)
        (project / 'meson.build').write_text(PROJECT)
        run('meson', 'setup', project / 'build', project, '-Dbmmc:mpi=' + mpi[6:], env=environment)
        run('meson', 'test', '-C', project / 'build', env=environment)
        for target in json.loads(run('meson', 'introspect', '--targets', project / 'build')):
            if target['subproject'] is not None:  # our own library, with our own warnings
                continue
            for source in target['target_sources']:
                leaked = [flag for flag in source['parameters']
                          if flag.startswith('-W') and flag not in ('-Wall', '-Winvalid-pch')]
                if leaked:
                    sys.exit(f'flags leak to users: {leaked}')
    return 0


if __name__ == '__main__':
    sys.exit(main())
