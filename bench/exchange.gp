# SPDX-License-Identifier: BSL-1.0
# Times of whole permutations, from the lines that bench_peers --csv writes:
#   gnuplot -e "table='exchange.csv'; folder='docs/theory'" exchange.gp
# exchange_large.svg: multiples of a copy; exchange_small.svg: microseconds.
set terminal svg size 1500,900 font "sans-serif,11" background "white"
works = "'bit reversal' 'transpose' 'random A c' 'block to cyclic' '200 CNOTs'"
procs = "2 4 8"
names = system("awk -F, '$4 !~ /copy|memcpy/ && $4 !~ / in place/ && !seen[$4]++ { printf \"'\\''%s'\\'' \", $4 }' ".table)
extra = system("awk -F, '$4 ~ /FFTW.*in place/ && !seen[$4]++ { printf \"'\\''%s'\\'' \", $4 }' ".table)
ways = names." ".extra
lines(p, w, way) = sprintf("< awk -F, '$1 == %s && $3 == \"%s\" && $4 == \"%s\" { print log($2) / log(2), $5, $6 }' %s | sort -n; echo 0 NaN NaN", p, w, way, table)
set grid ytics
set key off
do for [figure in "large small"] {
  large = figure eq "large"
  set output folder."/exchange_".figure.".svg"
  set multiplot layout 4,5 margins 0.05,0.99,0.06,0.96 spacing 0.03,0.06
  if (large) { set xrange [19:29]; set yrange [0:12] } else { set xrange [9:19]; set logscale y; set yrange [1:1e5] }
  do for [p in procs] {
    do for [w in works] {
      set title w.", ".p." processes" offset 0,-0.7
      set format x "2^{%.0f}"
      if (w eq word(works, 1)) { set ylabel (large ? "copies of the chunk" : "microseconds") offset 1 } else { unset ylabel }
      plot for [k = 1:words(ways)] lines(p, w, word(ways, k)) using 1:(large ? $3 : $2 * 1e3) \
        with linespoints pt k lc k lw 1.5
    }
  }
  # the last row is the legend
  unset border; unset tics; unset title; unset ylabel; unset logscale
  set xrange [0:1]; set yrange [0:1]
  set key center center horizontal maxcols 6 samplen 2
  set multiplot next
  set multiplot next
  plot for [k = 1:words(ways)] NaN with linespoints pt k lc k lw 1.5 title word(ways, k) noenhanced
  set key off; set border; set tics
  unset multiplot
  unset logscale
}
