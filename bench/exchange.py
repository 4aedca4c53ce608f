#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the times of whole permutations over the size of a chunk, from a table of bench_peers --csv.
The table that is kept has the least of three runs' medians: the machine was not quiet all the time.

    bench/exchange.py TABLE.csv MACHINE FOLDER        bench/exchange.py --self-test

Writes FOLDER/exchange_peers.svg and FOLDER/exchange_policies.svg. A line without data, and words that
overlap or lie outside the picture, are errors.
"""
import csv
import math
import pathlib
import sys
import tempfile

try:
    import matplotlib
except ImportError:
    sys.exit('exchange.py: this Python has no matplotlib (Debian: python3-matplotlib)')
matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402

# One look for one way, in every picture; the dashes tell them apart without colours.
LOOKS = {
    'automatic': ('#d55e00', '-', 2.4), 'shared_window': ('#e69f00', '--', 1.5),
    'pipelined': ('#009e73', '-.', 1.5), 'sendrecv': ('#0072b2', ':', 1.8),
    'dimension_exchange': ('#cc79a7', (0, (5, 1, 1, 1, 1, 1)), 1.5),
    'shared_vector': ('black', '-', 1.2), 'FFTW measured': ('#0072b2', '--', 1.5),
    'Alltoallw with strided types': ('#56b4e9', '-.', 1.5),
    'Alltoall of the same bytes': ('#009e73', ':', 1.8), 'memcpy': ('0.55', '-', 1.0)}
NAMES = {'FFTW measured': 'FFTW-MPI, measured', 'Alltoallw with strided types': 'Alltoallw, strided types',
         'Alltoall of the same bytes': 'Alltoall, nothing rearranged', 'memcpy': 'copy of the chunk',
         'shared_vector': 'to a shared_vector'}
FIGURES = {
    'exchange_peers': ('transpose', 'Is bmmc faster than FFTW and MPI\'s own at a transposition?', (
        'automatic', 'shared_vector', 'FFTW measured', 'Alltoallw with strided types',
        'Alltoall of the same bytes', 'memcpy')),
    'exchange_policies': ('bit reversal', 'Does automatic choose the fastest policy for a bit reversal?', (
        'automatic', 'shared_window', 'pipelined', 'sendrecv', 'dimension_exchange', 'memcpy'))}


def read(path):
    """Milliseconds by (processes, permutation, way), over the chunk's bytes as a power of two."""
    times = {}
    with open(path, encoding='utf-8', newline='') as table:
        for row in csv.DictReader(table):
            key = int(row['processes']), row['permutation'], row['way']
            times.setdefault(key, {})[math.log2(int(row['bytes']))] = float(row['ms'])
    return times


def spread(places, least):
    """The same places in the same order, at least `least` apart, moved as little as is simple."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for _ in range(200):
        for low, high in zip(order, order[1:]):
            lack = least - (moved[high] - moved[low])
            if lack > 0:
                moved[low] -= lack / 2
                moved[high] += lack / 2
    return moved


def draw(times, name, machine, folder):
    permutation, question, ways = FIGURES[name]
    processes = sorted({key[0] for key in times})
    figure, panels = plt.subplots(1, len(processes), figsize=(6.2 * len(processes), 4.6), squeeze=False,
                                  sharey=True)
    figure.subplots_adjust(left=0.85 / figure.get_figwidth(), right=0.985, top=0.83, bottom=0.19, wspace=0.04)
    for panel, procs in zip(panels[0], processes):
        ends = []
        for way in ways:
            line = sorted(times.get((procs, permutation, way), {}).items())
            if len(line) < 2:
                sys.exit(f'exchange.py: {permutation} on {procs} processes has no times of {way}')
            color, dashes, width = LOOKS[way]
            panel.plot(*zip(*line), color=color, linestyle=dashes, linewidth=width)
            ends.append((way, *line[-1]))
        panel.set_yscale('log')
        panel.set_title(f'{procs} processes', fontsize=11)
        panel.set_xlabel('chunk of one process')
        panel.set_xticks(range(13, 26, 4), ['8 KiB', '128 KiB', '2 MiB', '32 MiB'])
        panel.set_xlim(12.5, 34)
        panel.grid(axis='y', color='0.9')
        panel.spines[['top', 'right']].set_visible(False)
        panel.set_ylim(5e-4, 3e3)
        heights = spread([math.log10(end[2]) for end in ends], 0.42)
        for (way, x, y), height in zip(ends, heights):
            panel.annotate(NAMES.get(way, way), (x, y), xytext=(26, 10 ** height), va='center',
                           color=LOOKS[way][0], fontsize=9,
                           arrowprops={'arrowstyle': '-', 'color': '0.8', 'linewidth': 0.6})
    panels[0][0].set_ylabel('milliseconds, a source to a target')
    figure.suptitle(question, fontsize=13, y=0.97)
    figure.text(0.5, 0.02, f'Doubles; the least of three runs\' medians. {machine}. Both axes are logarithmic: '
                'lower is faster.', ha='center', fontsize=9)
    require_readable(figure)
    figure.savefig(pathlib.Path(folder) / (name + '.svg'), metadata={'Date': None})
    plt.close(figure)


def require_readable(figure):
    figure.canvas.draw()
    size, labels = figure.bbox, []
    for words in figure.findobj(matplotlib.text.Text):
        text = words.get_text()
        if not words.get_visible() or not text.strip():
            continue
        box = matplotlib.text.Text.get_window_extent(words)  # of an annotation without its arrow
        if box.x0 < size.x0 or box.y0 < size.y0 or box.x1 > size.x1 or box.y1 > size.y1:
            sys.exit(f'exchange.py: "{text}" lies outside the picture')
        if isinstance(words, matplotlib.text.Annotation):
            for other, second in labels:
                if box.overlaps(second):
                    sys.exit(f'exchange.py: "{text}" and "{other}" overlap')
            labels.append((text, box))


def self_test():
    """A table without one line, and words outside the picture, are found."""
    complete = {(procs, permutation, way): {13.0: 1.0, 25.0: 10.0 + k} for procs in (2, 4)
                for permutation, _, ways in FIGURES.values() for k, way in enumerate(ways)}
    with tempfile.TemporaryDirectory() as folder:
        draw(complete, 'exchange_peers', 'a machine', folder)
        lacking = {key: line for key, line in complete.items() if key[2] != 'FFTW measured'}
        for times, machine in ((lacking, 'a machine'), (complete, 'a machine ' * 40)):
            try:
                draw(times, 'exchange_peers', machine, folder)
            except SystemExit:
                continue
            sys.exit('self-test: a picture with a fault was drawn')


def main(arguments):
    plt.rcParams['svg.hashsalt'] = 'bmmc'  # the same picture from the same figures
    if arguments == ['--self-test']:
        self_test()
        return 0
    if len(arguments) != 3:
        print(__doc__, end='')
        return 2
    times = read(arguments[0])
    for name in FIGURES:
        draw(times, name, arguments[1], arguments[2])
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
