#!/bin/sh
# Writes measurements.csv: cycles of matrix products of i x k by k x j on the plugin npu (m8_simple: an 8 x 8 array with a
# simple memory), sizes from 1 to 64. Sweeps of one size with the others at 16, then the ends of 8 x 8 x 8 stairs, then random
# points to learn from and to test on: `sh make_measurements.sh ERGODE > measurements.csv`, some minutes.
ergode=${1:-ergode}
measure() { # SET I K J
  cycles=$("$ergode" plugins run npu --replications 1 --set hardware=m8_simple --set "rows=$2" --set "depth=$3" --set "columns=$4" --json |
    tr -d ' \n' | sed 's/.*"id":"cycles"[^}]*"estimate":\([0-9]*\).*/\1/')
  echo "$1,$2,$3,$4,$cycles"
}
echo set,i,k,j,time
for n in $(seq 1 64); do measure sweep "$n" 16 16; measure sweep 16 "$n" 16; measure sweep 16 16 "$n"; done
# Park and Miller, Random number generators: good ones are hard to find, Comm. ACM 31(10), 1988.
awk 'function draw(n) { state = (16807 * state) % 2147483647; return 1 + int(n * state / 2147483647) }
BEGIN {
  state = 20240610
  while (chosen < 200) {
    i = 8 * draw(8); k = 8 * draw(8); j = 8 * draw(8)
    if (!seen[i, k, j]++) { print "representative", i, k, j; ++chosen }
  }
  for (n = 0; n < 200; ++n) print "random", draw(64), draw(64), draw(64)
  for (n = 0; n < 200; ++n) print "test", draw(64), draw(64), draw(64)
}' | while read -r set i k j; do measure "$set" "$i" "$k" "$j"; done
