# SPDX-License-Identifier: BSL-1.0
"""Who holds which cell of a volume, by rows and in Morton order, and the path of that order; from a
table of 66_morton_volume cells."""
import numpy

import style


def cubes(panel, rows, column):
    filled = numpy.zeros((8, 8, 8), dtype=bool)
    colours = numpy.empty((8, 8, 8), dtype=object)
    for row in rows:
        at = int(row['y']), int(row['z']), int(row['x'])  # x, the slowest axis, upwards
        filled[at] = True
        colours[at] = style.PROCESSES[int(row[column])]
    panel.voxels(filled, facecolors=colours, edgecolor='0.3', linewidth=0.3)


def morton(table, path):
    origin, rows = style.read(table)
    if len(rows) != 512 or len({row['place'] for row in rows}) != 512:
        raise style.Fault('it takes the 512 cells of a volume of 8 x 8 x 8')
    figure = style.plt.figure(figsize=(11.5, 4.6))
    figure.suptitle('In Morton order a process holds a block of the volume instead of a slab, '
                    'and neighbours lie close together', fontsize=13, y=0.97)
    titles = 'row by row', 'in Morton order', 'the order of 4 x 4 x 4 cells, from light to dark'
    panels = [figure.add_subplot(1, 3, k + 1, projection='3d', title=title) for k, title in enumerate(titles)]
    cubes(panels[0], rows, 'rows')
    cubes(panels[1], rows, 'morton')
    steps = sorted((int(row['place']), int(row['y']), int(row['z']), int(row['x'])) for row in rows
                   if all(int(row[axis]) < 4 for axis in 'xyz'))
    points = [step[1:] for step in steps]
    panels[2].plot(*zip(*points), color='0.5', linewidth=1)
    panels[2].scatter(*zip(*points), c=[step[0] for step in steps], cmap='viridis_r', s=24, depthshade=False)
    for panel in panels:
        panel.set_xlabel('y', labelpad=-8)
        panel.set_ylabel('z', labelpad=-8)
        panel.set_zlabel('x', labelpad=-8)
        panel.set_xticks([])
        panel.set_yticks([])
        panel.set_zticks([])
        panel.view_init(24, -58)
    figure.subplots_adjust(left=0.01, right=0.97, top=0.86, bottom=0.16, wspace=0.08)
    for k, colour in enumerate(style.PROCESSES):
        left = 0.13 + 0.12 * k
        figure.add_artist(style.plt.Rectangle((left, 0.115), 0.015, 0.035, facecolor=colour, edgecolor='0.3'))
        figure.text(left + 0.02, 0.12, f'process {k}', fontsize=9)
    style.save(figure, f'A volume of 8 x 8 x 8 cells on 4 processes; {origin}.', path)
