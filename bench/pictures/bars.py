# SPDX-License-Identifier: BSL-1.0
"""Milliseconds as bars: a transform beside FFTW-MPI, from a table of 65_cyclic_fft N, and
redistributions beside ScaLAPACK, from one of bench_scalapack."""
import style

WAYS = (('one exchange', 'bmmc, cyclic to cyclic:\none exchange', 'bmmc'),
        ('scrambled in', 'FFTW-MPI, input\nscrambled', 'FFTW'),
        ('scrambled out', 'FFTW-MPI, output\nscrambled', 'FFTW'),
        ('in order', 'FFTW-MPI, in order', 'FFTW'))


def bar(panel, place, time, look, height):
    panel.barh(place, time, color=style.LOOKS[look][0], height=height)
    panel.annotate(f'{time:.0f}', (time, place), xytext=(4, 0), textcoords='offset points', va='center',
                   fontsize=9)


def prepare(figure, panel, names, places, longest):
    figure.subplots_adjust(left=0.24)
    panel.grid(False)
    panel.grid(axis='x', color='0.9')
    panel.set_axisbelow(True)
    panel.set_yticks(places, names, fontsize=9)
    panel.set_xlim(0, 1.12 * longest)
    panel.set_xticks([tick for tick in panel.get_xticks() if tick <= 1.12 * longest])
    panel.set_xlabel('milliseconds')


def fft(table, path):
    machine, rows = style.read(table)
    times = {row['way']: float(row['ms']) for row in rows}
    missing = [way for way, _, _ in WAYS if way not in times]
    if missing:
        raise style.Fault(f'there are no figures for {missing[0]}')
    gain = min(times[way] for way, _, _ in WAYS[1:]) / times['one exchange']
    figure, panels = style.start(1, f"A transform with one exchange has {gain:.1f} times the speed of "
                                 "FFTW-MPI's fastest", width=8.5, height=3.4)
    for place, (way, _, look) in enumerate(reversed(WAYS)):
        bar(panels[0], place, times[way], look, 0.6)
    prepare(figure, panels[0], [name for _, name, _ in reversed(WAYS)], range(len(WAYS)), max(times.values()))
    style.save(figure, f"2^{rows[0]['lg_points']} complex points on {rows[0]['processes']} processes, medians of 11.\n"
               f'{machine}.', path)


def scalapack(table, path):
    machine, rows = style.read(table)
    if len(rows) < 6:
        raise style.Fault('it takes six redistributions')
    ratios = [float(row['pdgemr2d']) / float(row['kept']) for row in rows]
    figure, panels = style.start(1, f'pdgemr2d takes {min(ratios):.1f} to {max(ratios):.1f} times as long as a kept '
                                 'redistributor', width=8.5, height=5.2)
    panel = panels[0]
    for place, row in enumerate(reversed(rows)):
        bar(panel, place + 0.27, float(row['kept']), 'automatic', 0.25)
        bar(panel, place, float(row['once']), 'shared_window', 0.25)
        bar(panel, place - 0.27, float(row['pdgemr2d']), 'FFTW', 0.25)
    prepare(figure, panel, [row['redistribution'] for row in reversed(rows)], range(len(rows)),
            max(float(row['pdgemr2d']) for row in rows))
    panel.set_ylim(-0.6, len(rows) + 0.4)
    for line, (name, look) in enumerate((('bmmc, a redistributor that is kept', 'automatic'),
                                         ('bmmc, single calls', 'shared_window'), ('ScaLAPACK, pdgemr2d', 'FFTW'))):
        panel.annotate(name, ((0.02, 0.42, 0.72)[line], 0.95), xycoords='axes fraction', va='center',
                       color=style.LOOKS[look][0], fontsize=9)
    style.save(figure, f"4096 x 4096 doubles on {rows[0]['processes']} processes, medians of 9.\n{machine}.", path)
