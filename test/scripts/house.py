#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the house from the includes: its rooms and the arrows between them, as an SVG picture.

    house.py INCLUDE_DIRECTORY PICTURE            draws
    house.py --check INCLUDE_DIRECTORY PICTURE    fails where the picture is not what would be drawn
    house.py --self-test                          --check fails where it should

An arrow goes from a room to one whose headers it includes; those that follow from others are left
out. Rooms stand above all that they include.
"""
import pathlib
import re
import sys
import tempfile

INCLUDE = re.compile(r'^#include <bmmc/([^>]+)>', re.MULTILINE)
QUESTION = {
    'gf2': 'what is true of bit matrices?', 'index': 'which index goes where?',
    'layout': 'who holds it?', 'element': 'how is one element written?',
    'local': 'how does it move inside one process?', 'plan': 'who sends what to whom?',
    'comm': 'what has the user chosen, what is there?', 'transport': 'how do blocks travel?',
    'execution': 'in which order is it done?', 'reshape': 'arrays with axes',
    'study': 'machine models, schedules', 'entry points': 'permute, gather, reduce',
    'file': 'arrays larger than memory', 'c': 'C, and what calls C',
}
UMBRELLAS = {'planning.hpp', 'study.hpp', 'compiled.hpp', 'mpi_compiled.hpp', 'planning_compiled.hpp',
             'memory.hpp', 'error.hpp', 'error_once.hpp', 'version.hpp'}


def room_of(name):
    room = name.split('/')[0]
    return 'entry points' if room.endswith('.hpp') or room in ('permute', 'permuter') else room


def arrows_of(root):
    """The rooms, and for each the rooms that it includes."""
    arrows = {}
    for path in sorted((root / 'bmmc').rglob('*.hpp')):
        name = str(path.relative_to(root / 'bmmc'))
        if name in UMBRELLAS:
            continue
        room = arrows.setdefault(room_of(name), set())
        room |= {room_of(other) for other in INCLUDE.findall(path.read_text(encoding='utf-8'))
                 if other not in UMBRELLAS} - {room_of(name)}
    return arrows


def levels_of(arrows):
    """How high each room stands: above all that it includes."""
    level = {}

    def height(room, path=()):
        if room in path:
            raise SystemExit('rooms include each other: ' + ' '.join(path + (room,)))
        if room not in level:
            level[room] = 1 + max((height(r, path + (room,)) for r in arrows[room]), default=-1)
        return level[room]
    for room in sorted(arrows):
        height(room)
    return level


def without_detours(arrows):
    """Arrows that no longer way says as well."""
    def reached(room):
        seen = set(arrows[room])
        for other in arrows[room]:
            seen |= reached(other)
        return seen
    return {room: {r for r in to if not any(r in reached(o) for o in to if o != r)}
            for room, to in arrows.items()}


def rows_of(arrows, level):
    """What stands in each row from the top: rooms, and bends of arrows that pass the row, each
    below what leads to it. Also the bends of every arrow."""
    rows = [[r for r in sorted(level) if level[r] == k] for k in range(max(level.values()) + 1)]
    bends = {}
    for room in sorted(arrows):
        for other in sorted(arrows[room]):
            bends[room, other] = [(room, other, k)
                                  for k in range(level[room] - 1, level[other], -1)]
            for bend in bends[room, other]:
                rows[bend[2]].append(bend)
    above = {}
    for (room, other), way in bends.items():
        chain = [room] + way + [other]
        for upper, lower in zip(chain, chain[1:]):
            above.setdefault(lower, []).append(upper)
    rows.reverse()
    for upper, row in zip(rows, rows[1:]):
        where = {one: k / max(1, len(upper) - 1) for k, one in enumerate(upper)}
        row.sort(key=lambda one: (sum(where[a] for a in above.get(one, [])) /
                                  max(1, len(above.get(one, []))), str(one)))
    return rows, bends


def picture(arrows):
    arrows = without_detours(arrows)
    rows, bends = rows_of(arrows, levels_of(arrows))
    width, height, gap_x, gap_y = 270, 44, 30, 46
    size = {one: width if isinstance(one, str) else 20 for row in rows for one in row}
    across = max(sum(size[one] + gap_x for one in row) for row in rows) + gap_x
    down = len(rows) * (height + gap_y) + gap_y // 2
    middle = {}
    for k, row in enumerate(rows):
        left = (across - sum(size[one] + gap_x for one in row) + gap_x) / 2
        for one in row:
            middle[one] = (left + size[one] / 2, gap_y // 2 + k * (height + gap_y))
            left += size[one] + gap_x
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {down}" '
             'font-family="sans-serif" text-anchor="middle">',
             '<rect width="100%" height="100%" fill="white"/>']
    for (room, other), way in sorted(bends.items()):
        points = [(middle[room][0], middle[room][1] + height)]
        for bend in way:
            x, y = middle[bend]
            points += [(x, y), (x, y + height)]
        x, y = middle[other]
        points.append((x + (points[-1][0] - x) / 8, y - 6))
        at = ' '.join(f'{px:.0f},{py:.0f}' for px, py in points)
        lines.append(f'<polyline points="{at}" fill="none" stroke="#555"/>')
        x, y = points[-1]
        lines.append(f'<path d="M{x - 4:.0f},{y:.0f} h8 l-4,6 z" fill="#555"/>')
    for room in sorted(arrows):
        x, y = middle[room]
        lines += [f'<rect x="{x - width / 2:.0f}" y="{y:.0f}" width="{width}" height="{height}" '
                  'rx="5" fill="#eef3fa" stroke="#34557f"/>',
                  f'<text x="{x:.0f}" y="{y + 18:.0f}" font-size="15" font-weight="bold">{room}'
                  '</text>',
                  f'<text x="{x:.0f}" y="{y + 35:.0f}" font-size="12">{QUESTION.get(room, "")}'
                  '</text>']
    return '\n'.join(lines + ['</svg>', ''])


def check(root, drawn):
    if drawn.read_text(encoding='utf-8') == picture(arrows_of(root)):
        return 0
    print(f'{drawn} is not the house as it stands: test/scripts/house.py {root} {drawn}')
    return 1


def self_test():
    with tempfile.TemporaryDirectory() as directory:
        root, drawn = pathlib.Path(directory), pathlib.Path(directory, 'house.svg')
        for name, text in {'gf2/a.hpp': '', 'index/b.hpp': '#include <bmmc/gf2/a.hpp>\n',
                           'plan/c.hpp': '#include <bmmc/index/b.hpp>\n#include <bmmc/gf2/a.hpp>\n'}.items():
            (root / 'bmmc' / name).parent.mkdir(parents=True, exist_ok=True)
            (root / 'bmmc' / name).write_text(text, encoding='utf-8')
        arrows = arrows_of(root)
        right = (without_detours(arrows) == {'gf2': set(), 'index': {'gf2'}, 'plan': {'index'}}
                 and levels_of(arrows) == {'gf2': 0, 'index': 1, 'plan': 2})
        drawn.write_text(picture(arrows), encoding='utf-8')
        right = right and check(root, drawn) == 0
        (root / 'bmmc/gf2/a.hpp').write_text('#include <bmmc/local/d.hpp>\n', encoding='utf-8')
        (root / 'bmmc/local').mkdir()
        (root / 'bmmc/local/d.hpp').write_text('', encoding='utf-8')
        right = right and check(root, drawn) == 1
    return 0 if right else 1


def main(arguments):
    if arguments == ['--self-test']:
        return self_test()
    if len(arguments) == 3 and arguments[0] == '--check':
        return check(pathlib.Path(arguments[1]), pathlib.Path(arguments[2]))
    if len(arguments) != 2:
        print(__doc__)
        return 2
    pathlib.Path(arguments[1]).write_text(picture(arrows_of(pathlib.Path(arguments[0]))),
                                          encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
