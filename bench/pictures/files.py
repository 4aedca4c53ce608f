# SPDX-License-Identifier: BSL-1.0
"""Time over the size of a file, across the border of memory, from a table of bench_files --csv."""
import style


def files(table, path):
    machine, rows = style.read(table)
    memory = {int(row['memory']) for row in rows}
    if len(memory) != 1 or len(rows) < 5:
        raise style.Fault('it takes five sizes or more with the same memory')
    border = style.lg(memory.pop())
    if not style.lg(rows[0]['bytes']) < border < style.lg(rows[-1]['bytes']):
        raise style.Fault('the sizes do not cross the border of memory')
    figure, panels = style.start(1, 'Permuting a file larger than memory takes twice as long as copying it', width=8.5)
    panel = panels[0]
    panel.set_yscale('log', base=2)
    panel.set_ylim(0.2, 16)
    panel.set_xlim(style.lg(rows[0]['bytes']) - 0.3, style.lg(rows[-1]['bytes']) + 0.3)
    panel.axvline(border, color='0.55', linestyle=':')
    panel.annotate('memory', (border, 12), xytext=(4, 0), textcoords='offset points', color='0.4', fontsize=9)
    style.lines(panel, [('bit reversal of doubles', 'bmmc',
                         [(style.lg(row['bytes']), float(row['permuted'])) for row in rows]),
                        ('copy in sequence', 'copy',
                         [(style.lg(row['bytes']), float(row['sequential'])) for row in rows])], room=0.25)
    panel.set_xticks(range(26, 33, 2), ['64 MiB', '256 MiB', '1 GiB', '4 GiB'])
    panel.set_yticks([0.25, 0.5, 1, 2, 4, 8, 16], ['0.25', '0.5', '1', '2', '4', '8', '16'])
    panel.set_xlabel('the file, bytes', x=0.4)
    panel.set_ylabel('seconds')
    style.save(figure, f'One run each. {machine}. Logarithmic axes.', path)
