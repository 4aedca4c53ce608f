# SPDX-License-Identifier: BSL-1.0
# The ratio to a copy over the size of the data:
#   gnuplot -e "table='local.csv'; image='local.svg'" plot.gp
set terminal svg size 760,420 font "sans-serif,12" background "white"
set output image
set datafile separator ","
set xlabel "bytes of data, as a power of two"
set ylabel "time in copies of the same bytes"
set yrange [0:4]
set key outside right
set grid ytics
median(size, kind) = sprintf("< awk -F, '$1 == %d && $3 == \"%s\" { print $2 \",\" $7 }' %s | sort -t, -k1,1n -k2,2g | awk -F, '{ if ($1 != at) { if (count) print at \",\" v[int(count / 2)]; at = $1; count = 0 } v[count++] = $2 } END { print at \",\" v[int(count / 2)] }'", size, kind, table)
plot 1 title "a copy" with lines lc rgb "gray", \
  for [size in "1 2 4 8 16"] median(int(size), "random") using 1:2 \
    title size." bytes, random" with linespoints, \
  for [size in "4 16"] median(int(size), "bits") using 1:2 \
    title size." bytes, bits" with linespoints dt 2
