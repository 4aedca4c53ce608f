# SPDX-License-Identifier: BSL-1.0
# Seconds over the bytes of a file: bit reversal of doubles with 256 MiB, and a copy in sequence.
set terminal svg size 720,420 font "sans,13" background "white"
set output image
set datafile separator ","
set logscale xy 2
set xlabel "size of the file in MiB"
set ylabel "seconds"
set key bottom right
set grid
set format x "%.0f"
set format y "%.3g"
set arrow from 256, graph 0 to 256, graph 1 nohead dashtype 2
set label "memory" at 270, graph 0.95
set xrange [48:5500]
plot table using ($2/1048576.):5 with linespoints pointtype 7 title "bit reversal of doubles, 256 MiB of memory", \
     table using ($2/1048576.):7 with linespoints pointtype 6 title "copy in sequence by the same program"
