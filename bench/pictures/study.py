# SPDX-License-Identifier: BSL-1.0
"""What the papers' machines cost: routes on a mesh, counted by 41_mesh_counts data, and latency on a
wormhole-routed hypercube, simulated by 53_wormhole --data."""
import math

import style

PROGRAMS = (('straightforward', 'first'), ('perfect shuffle', 'second'), ('bit reversal', 'third'),
            ('general', 'fourth'), ('universal', 'fifth'), ('exchanges, random A', 'sixth'))
ROUTINGS = (('e-cube', 'first'), ('p-cube', 'third'), ('ascending-falls', 'second'), ('M-S', 'fourth'),
            ('M-G', 'sixth'))


def mesh(table, path):
    origin, rows = style.read(table)
    figure, panels = style.start(2, 'Sorting on a mesh (universal) takes fewer routes than going around the ring from 256 '
                                 'elements on, fewer unit routes from 4096 on')
    for panel, column, title in zip(panels, ('routes', 'units'), ('R: route instructions', 'L: unit routes')):
        panel.set_yscale('log', base=2)
        panel.set_ylim(4, 8192)
        panel.set_xlim(3.8, 12.2)
        panel.set_title(title, fontsize=11)
        style.lines(panel, [(name, look, [(style.lg(row['elements']), float(row[column])) for row in rows
                                          if row['program'] == name]) for name, look in PROGRAMS], room=0.34)
        style.powers_of_two(panel.xaxis, range(4, 13, 2))
        panel.set_yticks([4 ** k for k in range(1, 7)], [str(4 ** k) for k in range(1, 7)])
        panel.set_xlabel('elements N', x=0.33)
    panels[0].set_ylabel('number of routes')
    style.save(figure, f'{origin}. Both axes are logarithmic.', path)


def wormhole(table, path):
    origin, rows = style.read(table)
    patterns = ('transpose', 'bit-reversal', 'reverse-flip')
    figure, panels = style.start(3, 'Mapped processes (M-S, M-G) sustain 4 to 13 times the throughput of the '
                                 'routings without a mapping', width=5.0)
    for panel, pattern in zip(panels, patterns):
        panel.set_yscale('log')
        panel.set_ylim(20, 1000)
        panel.set_xlim(math.log10(0.02), 0)
        panel.set_title(pattern, fontsize=11)
        style.lines(panel, [(name, look, [(math.log10(float(row['throughput'])), float(row['latency']))
                                          for row in rows if (row['pattern'], row['routing']) == (pattern, name)])
                            for name, look in ROUTINGS], room=0.3)
        panel.set_xticks([math.log10(x) for x in (0.02, 0.05, 0.125, 0.25, 0.5, 1)],
                         ['.02', '.05', '1/8', '1/4', '1/2', '1'])
        panel.set_yticks([20, 50, 100, 200, 500, 1000], ['20', '50', '100', '200', '500', '1000'])
        panel.minorticks_off()
        panel.set_xlabel('throughput, flits per cycle and processor', x=0.35)
    panels[0].set_ylabel('latency, cycles')
    style.save(figure, f'{origin}. Both axes are logarithmic; only loads that are sustained.', path)
