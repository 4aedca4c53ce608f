#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Draws what a local permutation costs beside a copy, over the size of the data.

    bench/local/plot.py OUTPUT.svg NAME=TABLE.csv...

One panel a table: NAME is the processor, TABLE what `bench_local --csv` wrote there. A table without
figures for an element size that is drawn is an error.
"""
import csv
import statistics
import sys

try:
    import matplotlib
except ImportError:
    sys.exit('plot.py: this Python has no matplotlib (Debian: python3-matplotlib)')
matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402

SIZES = {1: ('#d55e00', 'o'), 4: ('#0072b2', 's'), 16: ('#009e73', '^')}


def medians(path, size):
    """Median ratio to a copy of random matrices, by the data's size as a power of two."""
    ratios = {}
    with open(path, encoding='utf-8', newline='') as table:
        for row in csv.DictReader(table):
            if int(row['size']) == size and row['kind'] == 'random':
                ratios.setdefault(int(row['lg_bytes']), []).append(float(row['ratio']))
    if not ratios:
        sys.exit(f'plot.py: {path} has no figures for elements of {size} bytes')
    return [(lg, statistics.median(found)) for lg, found in sorted(ratios.items())]


def main():
    if len(sys.argv) < 3 or any('=' not in a for a in sys.argv[2:]):
        sys.exit(__doc__)
    tables = [argument.split('=', 1) for argument in sys.argv[2:]]
    plt.rcParams['svg.hashsalt'] = 'bmmc'  # the same picture from the same figures
    figure, panels = plt.subplots(1, len(tables), figsize=(6.4 * len(tables), 4.2), squeeze=False,
                                  sharey=True, layout='constrained')
    for panel, (name, path) in zip(panels[0], tables):
        panel.axhline(1, color='0.6')
        for size, (color, marker) in SIZES.items():
            x, y = zip(*medians(path, size))
            label = f'{size} byte{"s" if size > 1 else ""}'
            panel.plot(x, y, color=color, marker=marker)
            panel.annotate(label, (x[-1], y[-1]), xytext=(6, 0), textcoords='offset points',
                           va='center', color=color)
        panel.set_title(f'Random matrices beside a copy\n{name}, one thread', fontsize=11)
        panel.set_xlabel('bytes of the array, as a power of two')
        panel.set_xlim(right=panel.get_xlim()[1] + 2)
        panel.set_ylim(bottom=0)
        panel.grid(axis='y', color='0.9')
        panel.spines[['top', 'right']].set_visible(False)
    panels[0][0].set_ylabel('time in copies of the same bytes')
    figure.savefig(sys.argv[1], metadata={'Date': None})


if __name__ == '__main__':
    main()
