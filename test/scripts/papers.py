#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks docs/papers.md: what it names exists, and every item of the papers has its row.

    papers.py ROOT
    papers.py --self-test

A row is | item | headers | tests | programs | note |. Headers are below include/bmmc. A test is a file
below test, and behind it in quotes how the names of its cases begin. Programs are in docs/examples and
in its meson.build. What is not there needs a note, and a figure or a table needs a program.
"""
import pathlib
import re
import sys

import checks


def numbered(kind, *numbers):
    return [f'{kind} {number}' for number in numbers]


# What the papers number, and what else the page must speak of.
ITEMS = {
    'Cormen 1997': ['Lemma 1', 'Theorem 2', 'Lemma 3', 'Figure 1', *numbered('Equation', *range(1, 7)),
                    'Section 2, y = A x + c', "Section 3, A M = A'",
                    'Section 3, trailer, reducer, swapper', 'Section 4, A = V W',
                    'Section 5, intraprocessor program', 'Section 5, interprocessor program',
                    'Section 6, Q', 'Section 7, interface', 'Appendix A', 'Appendix B',
                    'Appendix B, bound', 'Appendix C'],
    'Edelman, Heller and Johnsson 1994': [
        *numbered('Definition', '3.1', '3.2', '3.3', '5.1', '5.2', '5.3'),
        *numbered('Lemma', '3.1', '5.1', '5.2', '5.3'), *numbered('Theorem', '3.1', '4.1', '4.2'),
        *numbered('Corollary', *(f'3.{k}' for k in range(1, 8)), '4.1', '4.2'),
        *numbered('Equation', '3.1', '5.6', '5.7'), 'Section 3, pipelines',
        'Section 4, encoding and decoding',
        'Section 5, shuffles through one bit and of fewer dimensions'],
    'Johnsson and Ho 1990': [
        *numbered('Figure', *range(1, 6)), *numbered('Definition', *range(1, 4)),
        *numbered('Lemma', *range(1, 5)), *numbered('Corollary', *range(1, 5)),
        *numbered('Theorem', *range(1, 6)), 'Conjecture 1',
        'Section 1, cyclic shift of a consistent allocation', 'Section 4, first program',
        'Section 4, second program'],
    'Hou, Wang, Ku and Hsu 2001': [
        *numbered('Definition', *range(1, 9)), *numbered('Theorem', *range(1, 6)),
        *numbered('Corollary', 1, 2), *numbered('Example', *range(1, 7)),
        *numbered('Figure', *range(1, 9)), *numbered('Table', 1, 2), 'Section 2.3, e-cube',
        'Section 5, three objectives', 'Section 6, P-cube', 'Section 6, Chiu', 'Section 6, Min',
        'Section 6, MIXab3 and MIXbb3'],
    'Orcutt 1974': [
        *numbered('Figure', '3.1', '3.2', '4.1', '5.1'), *numbered('Table', '3.1', '4.1', '5.1'),
        'Section II, machine and lengths', 'Theorem of section V', 'Section VI, p-ordered vectors',
        *(f'Section {k}, program and counts' for k in ('III', 'IV', 'V')), 'Section VII, queues',
        'Section VII, universal program and counts', 'Section VII, composite',
        'Straightforward method'],
}
CODE = re.compile(r'`([^`]+)`')
TEST = re.compile(r'`([^`]+)`((?:,? *"[^"]+")*)')
CASE = re.compile(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"')


def rows_of(text):
    """Paper -> rows of five cells, in the order of the page."""
    found = {}
    for chapter in text.split('\n## ')[1:]:
        title, _, body = chapter.partition('\n')
        table = [line for line in body.split('\n') if line.startswith('|')][2:]
        found[title] = [[cell.strip() for cell in line.strip('|').split('|')] for line in table]
    return found


def complaints_of_row(root, name, row):
    if len(row) != 5:
        yield f'{name}: {len(row)} cells, not 5'
        return
    _, headers, tests, programs, note = row
    for header in CODE.findall(headers):
        if not (root / 'include/bmmc' / header).is_file():
            yield f'{name}: there is no header {header}'
    for file, cases in TEST.findall(tests):
        path = root / 'test' / file
        if not path.is_file():
            yield f'{name}: there is no test file {file}'
            continue
        there = CASE.findall(path.read_text(encoding='utf-8'))
        wanted = re.findall(r'"([^"]+)"', cases)
        if not wanted:
            yield f'{name}: {file} without a test case'
        for case in wanted:
            if not any(each.startswith(case) for each in there):
                yield f'{name}: {file} has no test case "{case}"'
    built = (root / 'docs/examples/meson.build').read_text(encoding='utf-8')
    for program in CODE.findall(programs):
        if not (root / 'docs/examples' / (program + '.cpp')).is_file() or f"'{program}" not in built:
            yield f'{name}: there is no program {program}'
    if not (tests or note):
        yield f'{name}: neither a test nor a note'
    if name.split(': ')[1].split()[0] in ('Figure', 'Table') and not CODE.findall(programs):
        yield f'{name}: no program prints it'


def complaints(root, items):
    pages = rows_of((root / 'docs/papers.md').read_text(encoding='utf-8'))
    for paper, wanted in items.items():
        there = [row[0] for row in pages.get(paper, [])]
        for item in sorted(set(wanted) | set(there)):
            if there.count(item) != wanted.count(item):
                yield f'{paper}: {item} has {there.count(item)} rows, not {wanted.count(item)}'
    for paper, rows in pages.items():
        if paper not in items:
            yield f'{paper}: no such paper'
        for row in rows:
            yield from complaints_of_row(root, f'{paper}: {row[0]}', row)
    names = (root / 'docs/examples/papers').read_text(encoding='utf-8')
    for program in sorted({p for rows in pages.values() for row in rows if len(row) == 5
                           for p in CODE.findall(row[3])}):
        if program not in names:
            yield f'docs/examples/papers does not run {program}'


def self_test():
    """A small page without fault, then with each fault that must be found."""
    items = {'A 1999': ['Lemma 1', 'Figure 2']}
    head = '# Papers\n\n## A 1999\n\n| item | where | tests | programs | note |\n|---|---|---|---|---|\n'
    lemma = '| Lemma 1 | `gf2/a.hpp` | `unit/a.cpp` "one", "two" | | |\n'
    figure = '| Figure 2 | | | `20_a` | not tested |\n'
    sound = {'docs/papers.md': head + lemma + figure, 'include/bmmc/gf2/a.hpp': '',
             'test/unit/a.cpp': 'TEST_CASE("one thing", "")\nTEST_CASE("two things", "")\n',
             'docs/examples/20_a.cpp': '', 'docs/examples/meson.build': "numbered = ['20_a']\n",
             'docs/examples/papers': '20_a\n'}
    faults = {
        None: {},
        'Lemma 1 has 0 rows': {'docs/papers.md': head + figure},
        'Lemma 1 has 2 rows': {'docs/papers.md': head + lemma + lemma + figure},
        'Lemma 3 has 1 rows': {'docs/papers.md': head + lemma + figure
                               + lemma.replace('Lemma 1', 'Lemma 3')},
        'no header gf2/b.hpp': {'docs/papers.md': head + lemma.replace('a.hpp', 'b.hpp') + figure},
        'no test file unit/b.cpp': {'docs/papers.md': head + lemma.replace('a.cpp', 'b.cpp') + figure},
        'no test case "three"': {'docs/papers.md': head + lemma.replace('two', 'three') + figure},
        'without a test case': {'docs/papers.md': head + lemma.replace(' "one", "two"', '') + figure},
        'no program 20_b': {'docs/papers.md': head + lemma + figure.replace('20_a', '20_b'),
                            'docs/examples/papers': '20_b\n'},
        'no program 20_a': {'docs/examples/meson.build': ''},
        'neither a test nor a note': {'docs/papers.md': head + lemma
                                      + figure.replace('not tested', '')},
        'no program prints it': {'docs/papers.md': head + lemma + figure.replace('`20_a`', '')},
        'not 5': {'docs/papers.md': head + lemma + figure.replace('| not tested', '')},
        'no such paper': {'docs/papers.md': head + lemma + figure + '\n## B 2000\n'},
        'does not run 20_a': {'docs/examples/papers': ''},
    }
    return checks.self_test(sound, faults, lambda root: complaints(root, items))


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    if arguments[0] == '--self-test':
        return self_test()
    return checks.report(complaints(pathlib.Path(arguments[0]), ITEMS))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
