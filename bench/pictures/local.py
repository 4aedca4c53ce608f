# SPDX-License-Identifier: BSL-1.0
"""What a local permutation costs beside a copy, over the size of the data, from a table of
bench_local --csv."""
import statistics

import style


def local(table, path):
    machine, rows = style.read(table)
    ratios = {}
    for row in rows:
        if row['kind'] == 'random':
            ratios.setdefault(int(row['size']), {}).setdefault(int(row['lg_bytes']), []).append(float(row['ratio']))
    def worst(sizes):
        """The largest median from 1 MiB on."""
        return max((statistics.median(found) for size in sizes for lg, found in ratios.get(size, {}).items()
                    if lg >= 20), default=0)

    title = f'From 1 MiB on a pass takes 1 to {worst((4, 16)):.1f} copies of the array'
    if worst((1,)) > worst((4, 16)):
        title += f', with single bytes up to {worst((1,)):.1f}'
    figure, panels = style.start(1, title, width=8.5)
    panel = panels[0]
    panel.set_xlim(11.5, 28.5)
    highest = max((statistics.median(found) for sizes in ratios.values() for found in sizes.values()), default=0)
    panel.set_ylim(0, max(3.5, 1.25 * highest))
    panel.plot((12, 28), (1, 1), color='0.55', linewidth=1)
    panel.annotate('a copy', (12, 1.2), color='0.4', fontsize=9)
    style.lines(panel, [(f'elements of {name}', name,
                         [(lg, statistics.median(found)) for lg, found in ratios.get(size, {}).items()])
                        for size, name in ((1, '1 byte'), (4, '4 bytes'), (16, '16 bytes'))], room=0.22)
    panel.set_xticks(range(12, 29, 4), ['4 KiB', '64 KiB', '1 MiB', '16 MiB', '256 MiB'])
    panel.set_xlabel('the array, bytes', x=0.4)
    panel.set_ylabel('time in copies of the same bytes')
    style.save(figure, f'Medians over random matrices. {machine}.', path)
