#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""Draws the pictures that `picture` has written on one sheet, each with its caption.

    overview.py DIRECTORY

DIRECTORY holds panels.csv and the pictures; overview.png is written beside them.
"""
import csv
import pathlib
import sys
import textwrap

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError:
    sys.exit('overview.py: this Python has no Pillow (Debian: python3-pil)')

ACROSS, CELL, GAP = 4, 384, 24
LETTERS = 'DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'


def fonts():
    try:
        return [ImageFont.truetype(name, size) for name, size in zip(LETTERS, (17, 19))]
    except OSError:
        sys.exit('overview.py: the letters DejaVu Sans are missing (Debian: fonts-dejavu-core)')


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ('-h', '--help'):
        print(__doc__, end='')
        return 0 if sys.argv[1:] and sys.argv[1] in ('-h', '--help') else 2
    directory = pathlib.Path(sys.argv[1])
    with open(directory / 'panels.csv', encoding='utf-8', newline='') as table:
        panels = list(csv.DictReader(table))
    plain, bold = fonts()
    lines = 4  # of a caption: the name, the messages, two for the meaning
    pictures = []
    for panel in panels:
        image = Image.open(directory / (panel['name'] + '.png'))
        scale = CELL / max(image.size)
        size = [max(1, round(side * scale)) for side in image.size]
        pictures.append(image.resize(size, Image.LANCZOS if scale < 1 else Image.NEAREST))

    # A row is as high as its highest picture and the caption below.
    rows = [range(k, min(k + ACROSS, len(panels))) for k in range(0, len(panels), ACROSS)]
    heights = [max(pictures[k].height for k in row) + 24 * lines + 2 * GAP for row in rows]
    sheet = Image.new('RGB', (ACROSS * (CELL + GAP) + GAP, sum(heights) + GAP), 'white')
    pen = ImageDraw.Draw(sheet)
    top = GAP
    for row, height in zip(rows, heights):
        for place, k in enumerate(row):
            left = GAP + place * (CELL + GAP)
            sheet.paste(pictures[k], (left + (CELL - pictures[k].width) // 2, top))
            text = top + height - 24 * lines - GAP
            pen.text((left, text), panels[k]['name'], font=bold, fill='black')
            caption = [panels[k]['messages'], *textwrap.wrap(panels[k]['meaning'], 42)]
            if len(caption) >= lines:
                sys.exit(f"overview.py: the caption of {panels[k]['name']} is too long")
            for line, words in enumerate(caption):
                pen.text((left, text + 24 * (line + 1)), words, font=plain, fill='black')
        top += height
    sheet.save(directory / 'overview.png')
    return 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except OSError as error:
        sys.exit(f'overview.py: {error}')
