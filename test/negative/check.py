#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks a program that must not compile.

    check.py FILE COMPILER [FLAGS...]
    check.py --self-test COMPILER [FLAGS...]

The first line of FILE is  // EXPECT: <regular expression>.  As it stands the file compiles; with
-DBROKEN it fails with the text expected. The self-test shows that the check can fail.
"""
import os
import re
import subprocess
import sys
import tempfile


def compile_only(command, path):
    """Exit status and messages of a compilation that writes nothing; quotes are plain ASCII."""
    done = subprocess.run(command + ['-fsyntax-only', path], capture_output=True, text=True,
                          env=dict(os.environ, LC_ALL='C'), check=False)
    return done.returncode, done.stderr


def complaint(path, command):
    """What is wrong with the negative test, or None."""
    with open(path, encoding='utf-8') as file:
        first = file.readline().rstrip('\n')
    if not first.startswith('// EXPECT: '):
        return 'the first line is not  // EXPECT: regular expression'
    status, messages = compile_only(command, path)
    if status != 0:
        return 'does not compile as it stands:\n' + messages
    status, messages = compile_only(command + ['-DBROKEN'], path)
    if status == 0:
        return 'compiles with -DBROKEN'
    if not re.search(first.removeprefix('// EXPECT: '), messages):
        return f'fails with -DBROKEN, but without "{first}":\n{messages}'
    return None


def self_test(command):
    """Programs with one fault each, and a good one."""
    good = '// EXPECT: sentence\n#ifdef BROKEN\n#error a sentence\n#endif\n'
    cases = {
        'good': (good, None),
        'no EXPECT': (good.replace('EXPECT', 'expect'), 'first line'),
        'control fails': (good + '#error always a sentence\n', 'as it stands'),
        'never fails': (good.replace('#error a', '#define'), 'compiles with'),
        'another message': (good.replace('a sentence', 'something else'), 'but without'),
    }
    failed = 0
    for name, (text, expected) in cases.items():
        with tempfile.NamedTemporaryFile('w', suffix='.cpp') as file:
            file.write(text)
            file.flush()
            found = complaint(file.name, command)
        if (found is None) != (expected is None) or (expected and expected not in found):
            print(f'self-test "{name}": expected {expected}, got {found}')
            failed = 1
    return failed


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    if arguments[0] == '--self-test':
        return self_test(arguments[1:])
    found = complaint(arguments[0], arguments[1:])
    if found:
        print(f'{arguments[0]}: {found}')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
