# SPDX-License-Identifier: BSL-1.0
"""One tile of docs/theory/local.md in the source and in the target, computed with lines of 4 elements
and pages of 32: rows of 16 elements of the source fill rows of 8 of the target."""
import functools
import operator

import style

BITS, LINE, PAGE = 10, 2, 5  # of an index, a place in a line, and a place in a page
K, J = 4, 3                  # the tile's rows, as in S(k, j)
REVERSED = [1 << (BITS - 1 - j) for j in range(BITS)]
# A random nonsingular matrix: the images of bits 0 to 9.
RANDOM = [0x27e, 0x106, 0x2f8, 0x170, 0x32f, 0x2c4, 0x3c6, 0x35e, 0x2f6, 0x29c]


def image(columns, x):
    return functools.reduce(operator.xor, (c for j, c in enumerate(columns) if x >> j & 1), 0)


def tile(columns):
    """{index: number of its row in the source} of the tile of index 0: L_k + A^-1 L_j."""
    short = [x for x in range(1 << BITS) if image(columns, x) < 1 << J]
    rows = sorted({x >> K for x in short})
    return {row << K | i: number for number, row in enumerate(rows) for i in range(1 << K)}


def memory(panel, title, colours):
    """All elements, those with a colour in it, and the borders of lines."""
    width, height = 1 << PAGE, 1 << (BITS - PAGE)
    panel.add_patch(style.plt.Rectangle((0, 0), width, height, facecolor='0.93', linewidth=0))
    for x, colour in colours.items():
        panel.add_patch(style.plt.Rectangle((x % width, x >> PAGE), 1, 1, facecolor=colour, linewidth=0))
    panel.vlines(range(0, width + 1, 1 << LINE), 0, height, color='white', linewidth=0.8)
    panel.hlines(range(height + 1), 0, width, color='white', linewidth=0.8)
    panel.set_xlim(0, width)
    panel.set_ylim(height, 0)
    panel.set_aspect('equal')
    panel.set_title(title, fontsize=11)
    panel.set_xticks([])
    panel.set_yticks([])
    panel.spines[:].set_visible(False)


def tiles(path):
    figure, panels = style.start(4, 'A tile is whole lines in the source and whole lines in the target, for every A',
                                 width=3.3, height=4.2)
    shades = style.plt.get_cmap('viridis_r')
    for panel, name, columns in ((0, 'bit reversal', REVERSED), (2, 'a random matrix', RANDOM)):
        if len({image(columns, x) for x in range(1 << BITS)}) != 1 << BITS:
            raise style.Fault(f'the matrix of {name} is singular')
        rows = tile(columns)
        lines = {image(columns, x) >> LINE for x in rows}
        if len(rows) != len(lines) << LINE:
            raise style.Fault(f'{name}: lines of the target are not filled')
        last = max(rows.values())
        colours = {x: shades(0.1 + 0.9 * row / last) for x, row in rows.items()}
        memory(panels[panel], f'{name}: the source', colours)
        memory(panels[panel + 1], 'the target', {image(columns, x): c for x, c in colours.items()})
    style.save(figure, 'An array of 1024 elements, 32 in each row of the picture, in lines of 4. One colour for each row of '
               'the tile in the source. Computed, not measured.', path)
