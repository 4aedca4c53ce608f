#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks the house: which header may include which, and how long a header may be.

    arrows.py INCLUDE_DIRECTORY
    arrows.py --self-test
"""
import pathlib
import re
import sys

import checks

MOST_LINES = 300
ALGEBRA = {'error', 'gf2', 'version'}
# The parts of the house, each with the parts that it may include besides itself.
MAY_INCLUDE = {
    'version': set(),
    'memory': set(),
    'error': {'version'},
    'gf2': {'error', 'version'},
    'index': ALGEBRA,
    'layout': ALGEBRA | {'index'},
    'plan': ALGEBRA | {'index', 'layout'},
    'local': ALGEBRA | {'index'},
    'comm': ALGEBRA,
    'element': ALGEBRA | {'comm'},
    'transport': ALGEBRA | {'index', 'plan', 'comm', 'memory'},
    'execution': ALGEBRA | {'index', 'layout', 'plan', 'local', 'comm', 'element', 'transport'},
}
JOINED = set(MAY_INCLUDE)
MAY_INCLUDE['permuter'] = JOINED
MAY_INCLUDE['permuter_set'] = JOINED | {'permuter'}
MAY_INCLUDE['permute'] = JOINED | {'permuter'}
MAY_INCLUDE['gather'] = MAY_INCLUDE['reduce'] = JOINED
MAY_INCLUDE['mpi_compiled'] = JOINED | {'permuter', 'reshape'}
MAY_INCLUDE['compiled'] = {'mpi_compiled', 'planning_compiled'}
CORE = set(MAY_INCLUDE)
MAY_INCLUDE['reshape'] = CORE
MAY_INCLUDE['file'] = ALGEBRA | {'index', 'local'}
MAY_INCLUDE['c'] = CORE | {'reshape'}  # and nothing includes it
MAY_INCLUDE['study'] = CORE | {'reshape'}  # and nothing includes it
MAY_INCLUDE['planning'] = {'version', 'memory', 'error', 'gf2', 'index', 'layout', 'plan', 'local', 'reshape'}
MAY_INCLUDE['planning_compiled'] = MAY_INCLUDE['planning']
MAY_INCLUDE['the umbrella'] = set(MAY_INCLUDE) - {'study', 'c'}

# Rooms inside a room, each with those of them that it may include besides itself: nothing of the
# room that stands outside of them.
INSIDE = {
    'local': {
        'lines': set(),
        'kernels': {'lines'},
        'tuning': {'lines', 'kernels'},
        'boxes': {'kernels'},
        'axes': {'lines', 'kernels', 'tuning', 'boxes'},
    },
}

MAY_INCLUDE_BOOST_MPI = {'bmmc/element/native.hpp', 'bmmc/study/reordered.hpp'}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)


def part_of(name):
    """The part that a header belongs to:  bmmc/gf2/print.hpp -> gf2,  bmmc/error.hpp -> error, and what
    is compiled once of it, bmmc/error_once.hpp, too."""
    if name == 'bmmc.hpp':
        return 'the umbrella'
    return name.split('/')[1].removesuffix('.hpp').removesuffix('_once')


def inside_of(name):
    """The room inside a room that a header belongs to:  bmmc/local/axes/axes_plan.hpp -> axes."""
    path = name.split('/')
    return path[2] if len(path) == 4 and path[1] in INSIDE else ''


def complaints(root):
    """Every broken rule, one line each."""
    headers = {str(path.relative_to(root)): path.read_text(encoding='utf-8')
               for path in sorted(root.rglob('*')) if path.suffix in ('.h', '.hpp', '.inc')}
    for name, text in headers.items():
        part = part_of(name)
        if part not in MAY_INCLUDE:
            yield f'{name}: there is no part "{part}" in the house'
            continue
        room = inside_of(name)
        if room and room not in INSIDE[part]:
            yield f'{name}: there is no room "{room}" in {part}'
            continue
        if text.count('\n') > MOST_LINES:
            yield f'{name}: {text.count(chr(10))} lines, more than {MOST_LINES}'
        for bracket, target in INCLUDE.findall(text):
            if target.startswith('boost/mpi') and name not in MAY_INCLUDE_BOOST_MPI:
                yield f'{name}: must not include Boost.MPI'
            if not target.startswith('bmmc'):
                continue
            if bracket != '<':
                yield f'{name}: includes "{target}" in quotes'
            if target not in headers:
                yield f'{name}: includes {target}, which is not there'
            elif part_of(target) not in MAY_INCLUDE[part] | {part}:
                yield f'{name}: {part} must not include {part_of(target)} ({target})'
            elif room and part_of(target) == part and inside_of(target) not in INSIDE[part][room] | {room}:
                yield f'{name}: {part}/{room} must not include {target}'
    if not headers:
        yield f'no headers in {root}'


def self_test():
    """A small house without fault, then with each fault that must be found."""
    sound = {'bmmc.hpp': '#include <bmmc/plan/plan.hpp>\n',
             'bmmc/error.hpp': '#include <stdexcept>\n',
             'bmmc/gf2/a.hpp': '#include <bmmc/error.hpp>\n',
             'bmmc/plan/plan.hpp': '#include <bmmc/gf2/a.hpp>\n',
             'bmmc/comm/policy.hpp': '',
             'bmmc/element/native.hpp': '#include <boost/mpi/datatype.hpp>\n'}
    faults = {
        None: {},
        'gf2 must not include plan': {'bmmc/gf2/b.hpp': '#include <bmmc/plan/plan.hpp>\n'},
        'local must not include plan': {'bmmc/local/b.hpp': '  # include <bmmc/plan/plan.hpp>\n'},
        'comm must not include plan': {'bmmc/comm/b.hpp': '#include <bmmc/plan/plan.hpp>\n'},
        'plan must not include the umbrella': {'bmmc/plan/b.hpp': '#include <bmmc.hpp>\n'},
        'planning must not include study': {'bmmc/planning.hpp': '#include <bmmc/study/a.hpp>\n',
                                            'bmmc/study/a.hpp': ''},
        'planning must not include comm': {'bmmc/planning.hpp': '#include <bmmc/comm/policy.hpp>\n'},
        'local/lines must not include bmmc/local/axes/b.hpp': {
            'bmmc/local/lines/a.hpp': '#include <bmmc/local/axes/b.hpp>\n', 'bmmc/local/axes/b.hpp': ''},
        'local/axes must not include bmmc/local/a.hpp': {
            'bmmc/local/axes/b.hpp': '#include <bmmc/local/a.hpp>\n', 'bmmc/local/a.hpp': ''},
        'no room "cellar" in local': {'bmmc/local/cellar/a.hpp': ''},
        'which is not there': {'bmmc/gf2/b.hpp': '#include <bmmc/gf2/c.hpp>\n'},
        'in quotes': {'bmmc/gf2/b.hpp': '#include "bmmc/gf2/a.hpp"\n'},
        'no part "util"': {'bmmc/util/b.hpp': ''},
        '301 lines': {'bmmc/gf2/b.hpp': '\n' * 301},
        'must not include Boost.MPI': {'bmmc/element/b.hpp': '#include <boost/mpi/datatype.hpp>\n'},
    }
    return checks.self_test(sound, faults, complaints)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    if arguments[0] == '--self-test':
        return self_test()
    return checks.report(complaints(pathlib.Path(arguments[0])))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
