#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Uses the library as a stranger's project does.

    use.py ROOT COMPILER [--without-mpi]

Installed: by pkg-config, with any MPI that is here; by find_package of CMake. From the sources: as a
subproject of Meson, by FetchContent, as one amalgamated header. Each way builds a program of two files
that permutes, and runs it; the strict one with warnings as errors in the user's own files. Other
compilers that are installed, one with libc++, parse it as strictly. The subproject must bring no flags
beyond include folders and libraries. The recipes of package managers are parsed. The status is 0 when
all of it works.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

WITH_MPI = '--without-mpi' not in sys.argv
ROOT, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
if not WITH_MPI:
    COMPILER.remove('--without-mpi')
STRICT = ['-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Wold-style-cast', '-Wsign-conversion',
          '-Werror']

PROGRAM = '''
#include <bmmc.hpp>
#include <vector>
void more(std::vector<double>& chunk);
#if !defined(BMMC_HAS_MPI) || BMMC_VERSION < 100
#error
#endif
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<double> chunk{0, 1, 2, 3, 4, 5, 6, 7};
  bmmc::permute(MPI_COMM_WORLD, chunk, bmmc::bit_reversal<3>());
  const bool right = chunk[1] == 4 && chunk[3] == 6;
  more(chunk);
  MPI_Finalize();
  return right && chunk[3] == 3 ? 0 : 1;
}
''' if WITH_MPI else '''
#include <bmmc/planning.hpp>
#include <vector>
void more(std::vector<double>& chunk);
#if BMMC_VERSION < 100
#error
#endif
int main() {
  std::vector<double> source{0, 1, 2, 3, 4, 5, 6, 7}, target(8);
  bmmc::local::permute(source, target, bmmc::bit_reversal<3>());
  const bool right = target[1] == 4 && target[3] == 6;
  more(target);
  return right && target[3] == 3 ? 0 : 1;
}
'''
SECOND = '''
#include <bmmc.hpp>
#include <vector>
void more(std::vector<double>& chunk);
void more(std::vector<double>& chunk) {
  bmmc::permute(MPI_COMM_WORLD, chunk, bmmc::bit_reversal<3>());
}
''' if WITH_MPI else '''
#include <bmmc/planning.hpp>
#include <vector>
void more(std::vector<double>& chunk);
void more(std::vector<double>& chunk) {
  const std::vector<double> source = chunk;
  bmmc::local::permute(source, chunk, bmmc::bit_reversal<3>());
}
'''
MESON_PROJECT = '''
project('stranger', 'cpp', 'c', default_options: 'cpp_std=c++20')
bmmc = dependency('bmmc', fallback: 'bmmc')
test('runs', executable('stranger', 'main.cpp', 'second.cpp', dependencies: bmmc))
'''
TARGET = 'bmmc::bmmc' if WITH_MPI else 'bmmc::planning'
CMAKE_PROJECT = f'''
cmake_minimum_required(VERSION 3.18)
project(stranger CXX)
FIND
add_executable(stranger main.cpp second.cpp)
target_link_libraries(stranger PRIVATE {TARGET})
'''
ENVIRONMENT = os.environ | {'CXX': ' '.join(COMPILER), 'OMPI_ALLOW_RUN_AS_ROOT': '1',
                            'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1'}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False, **({'env': ENVIRONMENT} | options))
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def sources_in(folder):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'main.cpp').write_text(PROGRAM)
    (folder / 'second.cpp').write_text(SECOND)
    return [folder / 'main.cpp', folder / 'second.cpp']


def mpi_flags(name):
    """Its include folders are the system's: an MPI's own header need not be free of warnings."""
    flags = run('pkg-config', '--cflags', '--libs', name).split()
    return [flag.replace('-I', '-isystem') for flag in flags]


def installed(work):
    prefix, mpi = work / 'prefix', '-Dmpi=' + ('enabled' if WITH_MPI else 'disabled')
    run('meson', 'setup', work / 'build', ROOT, '--prefix', prefix, mpi, '-Dtests=false',
        '-Dexamples=false', '-Dbench=false')
    run('meson', 'install', '-C', work / 'build')
    if not (prefix / 'share/licenses/bmmc/LICENSE').exists():
        sys.exit('the licence is not installed')
    project = re.search(r"version: '(\d+)\.(\d+)\.(\d+)'", (ROOT / 'meson.build').read_text())
    header = re.search(r'#define BMMC_VERSION (\d+)', (ROOT / 'include/bmmc/version.hpp').read_text())
    major, minor, patch = map(int, project.groups())
    if int(header[1]) != 10000 * major + 100 * minor + patch:
        sys.exit(f'meson.build says {project[0]}, version.hpp {header[0]}')
    return prefix


def by_pkg_config(work, prefix):
    """Strictly, with every MPI that is here, and with a newer standard."""
    found = ENVIRONMENT | {'PKG_CONFIG_PATH': str(prefix / 'share/pkgconfig')}
    flags = run('pkg-config', '--cflags', '--libs', 'bmmc', env=found).split()
    files = sources_in(work / 'pkg_config')
    known = [name for name in ('ompi-c', 'mpich')
             if subprocess.run(['pkg-config', '--exists', name], check=False).returncode == 0]
    if WITH_MPI and not known:
        sys.exit('pkg-config knows neither ompi-c nor mpich')
    for name in known if WITH_MPI else [None]:
        mpi = mpi_flags(name) if name else []
        # MPICH's macros, MPI_COMM_WORLD among them, are casts of C.
        strict = [flag for flag in STRICT if name != 'mpich' or flag != '-Wold-style-cast']
        program = work / f'installed-{name}'
        run(*COMPILER, '-std=c++20', *strict, '-fno-rtti', *files, '-o', program, *flags, *mpi)
        run(program)
    newest = next(standard for standard in ('c++26', 'c++23') if subprocess.run(
        [*COMPILER, '-std=' + standard, '-fsyntax-only', '-xc++', os.devnull], check=False,
        capture_output=True).returncode == 0)
    run(*COMPILER, '-std=' + newest, *STRICT, '-fsyntax-only', files[1], *flags,
        *(mpi_flags(known[0]) if WITH_MPI else []))


def by_other_compilers(work, prefix):
    """Their warnings, and another standard library, where no Boost library is linked."""
    found = ENVIRONMENT | {'PKG_CONFIG_PATH': str(prefix / 'share/pkgconfig')}
    flags = run('pkg-config', '--cflags', 'bmmc', env=found).split()
    file = sources_in(work / 'other')[1]
    for compiler, *options in (['clang++-16'], ['clang++-16', '-stdlib=libc++'], ['clang++-19'], ['g++']):
        if not shutil.which(compiler):
            print(f'{compiler} is not installed: not tried')
            continue
        run(compiler, *options, '-std=c++20', *STRICT, '-fno-rtti', '-fsyntax-only', file, *flags,
            *([flag for flag in mpi_flags('ompi-c') if flag.startswith('-isystem')] if WITH_MPI else []))


def by_cmake(work, name, find, *options):
    if not shutil.which('cmake'):
        sys.exit('cmake is missing (Debian: cmake)')
    project = work / name
    sources_in(project)
    (project / 'CMakeLists.txt').write_text(CMAKE_PROJECT.replace('FIND', find))
    run('cmake', '-S', project, '-B', project / 'build', *options)
    run('cmake', '--build', project / 'build')
    run(project / 'build/stranger')


def as_subproject(work):
    project = work / 'project'
    sources_in(project)
    (project / 'subprojects').mkdir()
    (project / 'subprojects/bmmc').symlink_to(ROOT)
    (project / 'meson.build').write_text(MESON_PROJECT)
    run('meson', 'setup', project / 'build', project,
        '-Dbmmc:mpi=' + ('enabled' if WITH_MPI else 'disabled'))
    run('meson', 'test', '-C', project / 'build')
    for target in json.loads(run('meson', 'introspect', '--targets', project / 'build')):
        if target['subproject'] is not None:  # our own library, with our own warnings
            continue
        for source in target['target_sources']:
            leaked = [flag for flag in source['parameters']
                      if flag.startswith('-W') and flag not in ('-Wall', '-Winvalid-pch')]
            if leaked:
                sys.exit(f'flags leak to users: {leaked}')


def as_one_header(work):
    folder = work / 'one'
    files = sources_in(folder)
    name, options = ('bmmc.hpp', []) if WITH_MPI else ('bmmc/planning.hpp', ['--planning'])
    (folder / 'bmmc').mkdir()
    run(ROOT / 'docs/packaging/amalgamate', *options, folder / name)
    mpi = mpi_flags('ompi-c') if WITH_MPI else []
    run(*COMPILER, '-std=c++20', *STRICT, '-I', folder, *files, '-o', folder / 'program', *mpi)
    run(folder / 'program')


def check_recipes():
    """What can be known without the package managers: each file parses, versions agree."""
    folder = ROOT / 'docs/packaging'
    for recipe in ('spack/bmmc/package.py', 'conan/conanfile.py'):
        compile((folder / recipe).read_text(encoding='utf-8'), recipe, 'exec')
    manifest = json.loads((folder / 'vcpkg/vcpkg.json').read_text(encoding='utf-8'))
    project = re.search(r"version: '([\d.]+)'", (ROOT / 'meson.build').read_text())[1]
    conan = re.search(r'version = "([\d.]+)"', (folder / 'conan/conanfile.py').read_text())[1]
    if not manifest['version'] == conan == project:
        sys.exit(f"versions differ: {manifest['version']}, {conan}, {project}")
    portfile = (folder / 'vcpkg/portfile.cmake').read_text(encoding='utf-8')
    if portfile.count('(') != portfile.count(')'):
        sys.exit('portfile.cmake: parentheses do not match')


def main():
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        check_recipes()
        prefix = installed(work)
        by_pkg_config(work, prefix)
        by_other_compilers(work, prefix)
        by_cmake(work, 'found', 'find_package(bmmc 0.1 REQUIRED)', f'-DCMAKE_PREFIX_PATH={prefix}')
        by_cmake(work, 'fetched', f'include(FetchContent)\nFetchContent_Declare(bmmc SOURCE_DIR {ROOT} '
                 'SOURCE_SUBDIR docs/packaging/cmake)\nFetchContent_MakeAvailable(bmmc)')
        as_subproject(work)
        as_one_header(work)
    return 0


if __name__ == '__main__':
    sys.exit(main())
