#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Instructions, cycles and the busiest port for each line of 64 bytes of a register tile, as
llvm-mca computes them, without running anything on these processors.

    mca.py [--mca llvm-mca-19] [--compiler g++] [--arm-compiler aarch64-linux-gnu-g++]

All data in the first-level cache; a tile of 2^r lines whose lanes stay (plain transpositions), are
translated (a number is added to them, as in most maps) or looked up. Prints a table in Markdown.
Debian: llvm-19, g++-aarch64-linux-gnu.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
AVX512 = ['-mavx512f', '-mavx512bw', '-mavx512vbmi']
# Straight code: loops whose number of turns is known are written out.
UNROLLED = ['-O3', '-fno-tree-vectorize', '--param=max-completely-peeled-insns=20000',
            '--param=max-completely-peel-times=64']
NEAR = ['-DNEAR=1']
# Name, kernel, flags, llvm-mca's processor.
PROCESSORS = [('Sapphire Rapids, AVX-512', 'avx512', AVX512, 'sapphirerapids'),
              ('the same, arrays in the caches', 'avx512', AVX512 + NEAR, 'sapphirerapids'),
              ('Sapphire Rapids, AVX2', 'avx2', ['-mavx2'], 'sapphirerapids'),
              ('Zen 4, AVX-512', 'avx512', AVX512, 'znver4'),
              ('the same, arrays in the caches', 'avx512', AVX512 + NEAR, 'znver4'),
              ('Zen 4, AVX2', 'avx2', ['-mavx2'], 'znver4'),
              ('Neoverse V2, NEON', 'neon', [], 'neoverse-v2')]
TILES = [(4, 2), (3, 3), (2, 4)]  # lines of a tile and bytes of an element, as powers of two


def assembly(compiler, kernel, flags, lines, size, lanes):
    """The instructions of one_tile, without directives."""
    with tempfile.TemporaryDirectory() as directory:
        out = pathlib.Path(directory, 'tile.s')
        subprocess.run([compiler, '-std=c++20', *UNROLLED, *flags, f'-DKERNEL={kernel}',
                        f'-DLINES_LG={lines}', f'-DWORDS={int(size >= 2)}', f'-DLANES={lanes}',
                        f'-I{ROOT / "include"}', '-S', '-o', out, ROOT / 'bench/local/tile.cpp'],
                       check=True)
        text = out.read_text(encoding='utf-8')
    body = re.search(r'^_ZN\S*one_tile\S*:\n(.*?)^\s*\.size\s', text, re.MULTILINE | re.DOTALL)
    code = [line for line in body.group(1).splitlines() if not re.match(r'\s*\.|\s*[#/]', line)]
    if any(re.match(r'\s*(j[a-z]+|b|b\.\w+|cbn?z)\s', line) for line in code):
        sys.exit(f'{kernel}, {2 ** lines} lines: the compiler left a jump, and nothing can be reckoned')
    return '\n'.join(line for line in code if not re.match(r'\s*ret\b|\.L\w+:', line)) + '\n'


def reckoned(mca, processor, code):
    arm = processor.startswith('neoverse')
    target = ['-mtriple=aarch64'] if arm else ['-mtriple=x86_64']
    done = subprocess.run([mca, *target, f'-mcpu={processor}', '-iterations=100'], input=code,
                          capture_output=True, text=True, check=True).stdout
    number = lambda name: float(re.search(name + r':\s+([\d.]+)', done).group(1))
    names = dict(re.findall(r'^\[([\d.]+)\]\s+- (\S+)', done, re.MULTILINE))
    pressure = done.split('Resource pressure per iteration:')[1].splitlines()
    heads = re.findall(r'\[([\d.]+)\]', pressure[1])
    values = [0.0 if v == '-' else float(v) for v in pressure[2].split()]
    busiest = max(zip(values, heads))
    return number('Instructions') / 100, number('Total Cycles') / 100, names[busiest[1]], busiest[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n\n')[0])
    parser.add_argument('--mca', default='llvm-mca-19')
    parser.add_argument('--compiler', default='g++')
    parser.add_argument('--arm-compiler', default='aarch64-linux-gnu-g++')
    options = parser.parse_args()
    for tool in (options.mca, options.compiler, options.arm_compiler):
        if not shutil.which(tool):
            sys.exit(f'{tool} is missing (Debian: llvm-19, g++, g++-aarch64-linux-gnu)')
    print('| for a line of 64 bytes | element | instructions | cycles | busiest unit | lanes '
          'translated: instructions | cycles | busiest unit | looked up: instructions | cycles '
          '| busiest unit |\n|---|---|---|---|---|---|---|---|---|---|---|')
    for name, kernel, flags, processor in PROCESSORS:
        compiler = options.arm_compiler if kernel == 'neon' else options.compiler
        for lines, size in TILES:
            cells = []
            for lanes in (0, 1, 2):
                code = assembly(compiler, kernel, flags, lines, size, lanes)
                count, cycles, unit, busy = reckoned(options.mca, processor, code)
                per = 2.0 ** lines
                cells += [f'{count / per:.1f}', f'{cycles / per:.2f}', f'{unit} {busy / per:.2f}']
            print(f'| {name} | {2 ** size} | {" | ".join(cells)} |')


if __name__ == '__main__':
    main()
