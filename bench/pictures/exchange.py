# SPDX-License-Identifier: BSL-1.0
"""Times of whole permutations over the size of a chunk, from a table of bench_peers --csv."""
import style

PEERS = (('automatic', 'automatic', 'automatic'), ('to a shared_vector', 'shared_vector', 'shared_vector'),
         ('FFTW-MPI, measured', 'FFTW', 'FFTW measured'),
         ('Alltoallw, strided types', 'derived types', 'Alltoallw with strided types'),
         ('Alltoall, nothing rearranged', 'bytes alone', 'Alltoall of the same bytes'),
         ('copy of the chunk', 'copy', 'memcpy'))
POLICIES = (*((name, name, name) for name in ('automatic', 'shared_window', 'pipelined', 'sendrecv',
                                              'dimension_exchange')), ('copy of the chunk', 'copy', 'memcpy'))


def draw(table, path, permutation, ways, title):
    machine, rows = style.read(table)
    times = {}
    for row in rows:
        times.setdefault((int(row['processes']), row['permutation'], row['way']), []).append(
            (style.lg(row['bytes']), float(row['ms'])))
    processes = sorted({key[0] for key in times})
    if len(processes) < 2:
        raise style.Fault('there are no figures of two numbers of processes')
    figure, panels = style.start(len(processes), title)
    for panel, procs in zip(panels, processes):
        panel.set_yscale('log')
        panel.set_ylim(5e-4, 3e3)
        panel.set_xlim(12.5, 25.5)
        panel.set_title(f'{procs} processes', fontsize=11)
        style.lines(panel, [(name, look, times.get((procs, permutation, way), ())) for name, look, way in ways])
        panel.set_xticks(range(13, 26, 4), ['8 KiB', '128 KiB', '2 MiB', '32 MiB'])
        panel.set_xlabel('chunk of one process, bytes', x=0.3)
    panels[0].set_ylabel('milliseconds, a source to a target')
    style.save(figure, f"Doubles; the least of three runs' medians. {machine}. Both axes are logarithmic: "
               'lower is faster.', path)


def peers(table, path):
    draw(table, path, 'transpose', PEERS,
         'A transposition: bmmc is about as fast as FFTW-MPI or faster, and faster than Alltoallw')


def policies(table, path):
    draw(table, path, 'bit reversal', POLICIES,
         'A bit reversal: automatic is about as fast as the fastest of the policies')
