# SPDX-License-Identifier: BSL-1.0
"""Times of an exchange over the number of processes, from a table of bench/simulated/run."""
import style

PANELS = (('fat-tree', 1 << 13, '8 KiB'), ('dragonfly', 1 << 13, '8 KiB'), ('torus', 1 << 13, '8 KiB'),
          ('fat-tree', 1 << 23, '8 MiB'))
BY_LOADS = (('fat-tree', 1 << 20, '1 MiB'), ('dragonfly', 1 << 20, '1 MiB'), ('torus', 1 << 20, '1 MiB'),
            ('torus', 1 << 26, '64 MiB'))
WAYS = (('blocks in turn', 'sendrecv'), ('all at once', 'pipelined'), ('by dimensions', 'dimension_exchange'),
        ('the best radix', 'radix_exchange'), ('automatic', 'automatic'), ('no way is faster', 'bound'))


def simulated(table, path):
    draw(table, path, PANELS, 'A bit reversal on many processes: rounds for little data, all blocks at once for much')


def by_loads(table, path):
    draw(table, path, BY_LOADS, 'A bit reversal of much data on many processes, by the loads of links')


def draw(table, path, chosen, title):
    caption, rows = style.read(table)
    times = {}
    for row in rows:
        if row['permutation'] == 'reversal':
            way = row['way'].split()[0] if row['way'].startswith('radix') else row['way']
            line = times.setdefault((row['machine'], int(row['bytes']), way), {})
            procs = style.lg(row['processes'])
            line[procs] = min(line.get(procs, float('inf')), float(row['microseconds']))
    figure, panels = style.start(len(chosen), title, width=4.6, sharey=False)
    for panel, (machine, size, words) in zip(panels, chosen):
        panel.set_yscale('log')
        low, high = limits(size, [time for (m, s, _), line in times.items() if (m, s) == (machine, size)
                                  for time in line.values()])
        panel.set_ylim(low, high)
        panel.set_yticks([10.0 ** k for k in range(8) if low <= 10 ** k <= high])
        panel.set_xlim(3.7, 14.2)
        panel.set_title(f'{machine}, {words} on each', fontsize=11)
        style.lines(panel, [(name, 'copy' if way == 'bound' else way, times.get((machine, size, way), {}).items())
                            for name, way in WAYS])
        panel.set_xticks(range(4, 15, 2), ['16', '64', '256', '1024', '4096', '16384'], fontsize=8)
        panel.set_xlabel('processes', x=0.3)
    panels[0].set_ylabel('microseconds')
    style.save(figure, f'{caption}. Both axes are logarithmic: lower is faster.', path)


def limits(size, times):
    """Those of 8 KiB alike, to be compared; others as the times are."""
    return (2, 5e3) if size < 1 << 20 or not times else (0.6 * min(times), 1.7 * max(times))
