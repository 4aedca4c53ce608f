# SPDX-License-Identifier: BSL-1.0
"""Tries a planted bug with what another build has: compiles and links again only what the bug changes.

The changed header, or source file beside the headers, stands in a folder of its own, which the compiler searches first, so neither the tree
nor the build changes. Bugs in headers of programs that the build has can be tried; others cannot. With clang only in builds without precompiled headers.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import tempfile


class Build:
    """A build directory of Meson and Ninja, as it stands."""

    def __init__(self, path):
        self.path = pathlib.Path(path).resolve()
        found = self.output(['meson', 'introspect', '--tests', self.path])
        self.tests = {test['name']: test for test in json.loads(found)}
        self.programs = {}

    def output(self, command):
        return subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=True).stdout

    def program_of(self, name):
        """Position of a test's program in its command; None without one that is built and up to date."""
        if name not in self.programs:
            self.programs[name] = self.find_program(name)
        return self.programs[name]

    def find_program(self, name):
        test = self.tests.get(name)
        for k, word in enumerate(test['cmd'] if test else []):
            path = self.path / word
            if path.is_relative_to(self.path) and path.is_file():
                target = str(path.relative_to(self.path))
                done = subprocess.run(['ninja', '-n', target], cwd=self.path, capture_output=True, text=True)
                return k if 'no work to do' in done.stdout else None
        return None

    def files_read(self, out):
        return self.output(['ninja', '-t', 'deps', out]).split()

    def changed_commands(self, target, header, overlay):
        """What makes `target` again into the folder `overlay` when `header` has changed there; and where
        it then is, None where it does not depend on the header."""
        made, commands = {}, []
        for line in self.output(['ninja', '-t', 'commands', target]).splitlines():
            words = shlex.split(line)
            out = words[words.index('-o') + 1] if '-o' in words else next(
                (word for word in words if word.endswith('.a')), None)
            if out is None:
                continue
            if '-c' in words:
                if out.endswith('.gch'):
                    continue
                needed = self.files_read(out)
                if '-include' in words:  # precompiled for others, too: here each file reads what it includes
                    at = words.index('-include')
                    needed += self.files_read(str(pathlib.Path(out).parent / words[at + 1]) + '.gch')
                    del words[at:at + 2]
                if not any(word.endswith('/include/' + header) for word in needed):
                    continue
                first = next(k for k, word in enumerate(words) if word.startswith('-I'))
                words.insert(first, '-I' + str(overlay))
                words.append('-Wno-error')  # a bug may leave a name without use
                words = [str(overlay / header) if word.endswith('/include/' + header) else word for word in words]
            elif not any(word in made for word in words):
                continue
            made[out] = str(overlay / out)
            line = ' '.join(word if word == '&&' else shlex.quote(made.get(word, word)) for word in words)
            commands.append((overlay / out, line))
        return commands, made.get(target)


def try_in(build, header, text, name, work):
    """'caught', 'NOT CAUGHT', 'build' when it does not compile, or None when the test does not depend on
    the header. `text` is the header with the bug in it."""
    k = build.program_of(name)
    if k is None:
        return None
    test = build.tests[name]
    target = str((build.path / test['cmd'][k]).relative_to(build.path))
    overlay = work.resolve()
    shutil.rmtree(overlay, ignore_errors=True)
    commands, program = build.changed_commands(target, header, overlay)
    if program is None:
        return None
    (overlay / header).parent.mkdir(parents=True)
    (overlay / header).write_text(text, encoding='utf-8')
    for out, command in commands:
        out.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(command, shell=True, cwd=build.path, capture_output=True, text=True)
        if done.returncode != 0:
            return 'build'
    command = test['cmd'][:k] + [program] + test['cmd'][k + 1:]
    env = os.environ | test['env']
    if 'LD_LIBRARY_PATH' in env:  # where Meson has libraries found
        folders = [pathlib.Path(folder) for folder in env['LD_LIBRARY_PATH'].split(':') if folder]
        made = [overlay / folder.relative_to(build.path) for folder in folders
                if folder.is_relative_to(build.path)]
        env['LD_LIBRARY_PATH'] = ':'.join(map(str, made + folders))
    with subprocess.Popen(command, cwd=build.path, env=env,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        try:
            status = running.wait(timeout=60)
        except subprocess.TimeoutExpired:
            running.terminate()  # mpirun then ends its processes
            return 'caught'
    return 'caught' if status != 0 else 'NOT CAUGHT'


def self_test():
    """Status 0 when bugs in a program of a few lines are told apart."""
    files = {'include/a.hpp': '#pragma once\ninline int a() { return 1; }\n',
             'include/lib.cpp': '#include <a.hpp>\nint of_lib() { return a(); }\n',
             't.cpp': 'int of_lib();\nint main() { return of_lib() == 1 ? 0 : 1; }\n',
             'meson.build': "project('t', 'cpp')\ninside = include_directories('include')\n"
                            "lib = shared_library('l', 'include/lib.cpp', include_directories: inside)\n"
                            "test('t', executable('t', 't.cpp', link_with: lib))\n"
                            "test('p', executable('p', 'p.cpp', include_directories: inside,\n"
                            "                     cpp_pch: 'pch/p.hpp'))\n",
             'pch/p.hpp': '#include <a.hpp>\n',
             'p.cpp': '#include <a.hpp>\nint main() { return a() == 1 ? 0 : 1; }\n'}
    expected = {'inline int a() { return 2; }\n': 'caught', 'inline int a() { return 0 + 1; }\n': 'NOT CAUGHT',
                'inline int a() {\n': 'build'}
    with tempfile.TemporaryDirectory() as directory:
        root = pathlib.Path(directory)
        for name, text in files.items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text, encoding='utf-8')
        subprocess.run(['meson', 'setup', root / 'b', root], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(['ninja', '-C', root / 'b'], check=True, stdout=subprocess.DEVNULL)
        build, work = Build(root / 'b'), root / 'work'
        found = [{text: try_in(build, 'a.hpp', text, name, work) for text in expected} for name in 'tp']
        other = [try_in(build, 'b.hpp', '', 't', work), try_in(build, 'a.hpp', '', 'u', work),
                 try_in(build, 'lib.cpp', files['include/lib.cpp'].replace('a()', '2'), 't', work)]
    if found != [expected, expected] or other != [None, None, 'caught']:
        print(f'self-test: {found}, {other}')
        return 1
    return 0
