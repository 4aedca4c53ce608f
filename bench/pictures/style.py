# SPDX-License-Identifier: BSL-1.0
"""What all pictures of figures have in common: one look for one way of doing a thing, the name of each
line beside its last point, a title that says what one sees, the machine in the caption; and checks.
A panel of more than six lines, a line without data, and words that overlap or lie outside the
picture are faults."""
import csv
import io
import math
import sys

try:
    import matplotlib
except ImportError:
    sys.exit('draw: this Python has no matplotlib (Debian: python3-matplotlib)')
matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402

# Colour, dashes, width. Dashes and widths tell lines apart where there are no colours.
LOOKS = {
    # policies
    'automatic': ('#d55e00', '-', 2.4), 'shared_window': ('#e69f00', '--', 1.6),
    'pipelined': ('#009e73', '-.', 1.6), 'sendrecv': ('#0072b2', ':', 1.8),
    'sendrecv_replace': ('#56b4e9', (0, (3, 1, 1, 1)), 1.5), 'alltoallv': ('#7a5c00', (0, (8, 2)), 1.5),
    'dimension_exchange': ('#cc79a7', (0, (5, 1, 1, 1, 1, 1)), 1.6),
    'radix_exchange': ('#882255', (0, (1, 1)), 2.0), 'shared_vector': ('black', '-', 1.2),
    # others
    'bmmc': ('#d55e00', '-', 2.4), 'FFTW': ('#332288', '--', 1.6), 'derived types': ('#999933', '-.', 1.6),
    'bytes alone': ('#44aa99', ':', 1.8), 'copy': ('0.55', '-', 1.0),
    # elements of 1, 4 and 16 bytes
    '1 byte': ('#d55e00', '-', 1.6), '4 bytes': ('#0072b2', '--', 1.6), '16 bytes': ('#009e73', '-.', 1.6),
    # routings of messages, programs of a mesh
    'first': ('black', '-', 1.6), 'second': ('#0072b2', '--', 1.6), 'third': ('#009e73', '-.', 1.6),
    'fourth': ('#e69f00', '-', 3.6), 'fifth': ('#cc79a7', ':', 2.2), 'sixth': ('#d55e00', (0, (8, 2)), 1.6)}
# Of processes 0 .. 3, from light to dark, so that they differ in grey.
PROCESSES = ('#fde725', '#35b779', '#31688e', '#440154')
plt.rcParams['svg.hashsalt'] = 'bmmc'  # the same picture from the same figures


class Fault(Exception):
    """Why a picture must not be drawn."""


def read(path):
    """The machine, from the comment in the first line ('' without one), and the rows by name of column."""
    with open(path, encoding='utf-8', newline='') as table:
        text = table.read()
    head, _, rest = text.partition('\n')
    machine = head[1:].strip() if head.startswith('#') else ''
    rows = list(csv.DictReader(io.StringIO(rest if machine else text)))
    if not rows:
        raise Fault(f'{path} has no figures')
    return machine, rows


def start(panels, title, width=6.2, height=4.6, sharey=True):
    figure, axes = plt.subplots(1, panels, figsize=(width * panels, height), squeeze=False, sharey=sharey)
    figure.subplots_adjust(left=0.85 / figure.get_figwidth(), right=1 - 0.1 / figure.get_figwidth(),
                           top=1 - 0.8 / height, bottom=0.95 / height, wspace=0.05 if sharey else 0.2)
    figure.suptitle(title, fontsize=13, y=1 - 0.15 / height)
    for panel in axes[0]:
        panel.grid(axis='y', color='0.9')
        panel.spines[['top', 'right']].set_visible(False)
    return figure, axes[0]


def lines(panel, named, room=0.42):
    """Draws [(name, look, points)], and each name beside its last point; the names take `room` of the
    panel's width. Set the scales before."""
    if len(named) > 6:
        raise Fault(f'{len(named)} lines in one panel')
    for name, look, points in named:
        if len(points) < 2:
            raise Fault(f'there are no figures for the line {name}')
        color, dashes, width = LOOKS[look]
        panel.plot(*zip(*sorted(points)), color=color, linestyle=dashes, linewidth=width)
    left, right = panel.get_xlim()
    panel.set_xlim(left, left + (right - left) / (1 - room))
    panel.figure.canvas.draw()
    ends = [max(points) for _, _, points in named]
    box = panel.get_window_extent()
    heights = [panel.transData.transform(end)[1] - box.y0 for end in ends]
    moved = spread(heights, 0.19 * panel.figure.dpi, 0.06 * panel.figure.dpi, box.height)
    for (name, look, _), end, height in zip(named, ends, moved):
        panel.annotate(name, end, xytext=(1 - room * 0.92, height / box.height), textcoords='axes fraction',
                       va='center', color=LOOKS[look][0], fontsize=9, annotation_clip=False,
                       arrowprops={'arrowstyle': '-', 'color': '0.8', 'linewidth': 0.6, 'shrinkA': 1, 'relpos': (0, 0.5)})


def spread(places, least, low, high):
    """The same places in the same order, at least `least` apart, within [low, high]."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = [min(max(place, low), high) for place in places]
    for _ in range(400):
        for below, above in zip(order, order[1:]):
            lack = least - (moved[above] - moved[below])
            if lack > 0:
                moved[below] -= lack / 2
                moved[above] += lack / 2
        moved = [min(max(place, low), high) for place in moved]
    return moved


def powers_of_two(axis, exponents, unit=''):
    """Ticks of an axis that holds binary logarithms."""
    axis.set_ticks(list(exponents), [f'{2 ** k}{unit}' for k in exponents])


def lg(number):
    return math.log2(float(number))


def save(figure, caption, path):
    """`caption` names the machine, or says that nothing was timed."""
    figure.text(0.5, 0.1 / figure.get_figheight(), caption, ha='center', va='bottom', fontsize=9)
    try:
        require_readable(figure)
        figure.savefig(path, metadata={'Date': None})
    finally:
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
            raise Fault(f'"{text}" lies outside the picture')
        if isinstance(words, matplotlib.text.Annotation):
            for other, second in labels:
                if box.overlaps(second):
                    raise Fault(f'"{text}" and "{other}" overlap')
            labels.append((text, box))
