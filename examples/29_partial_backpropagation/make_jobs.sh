#!/bin/sh
# Writes jobs.csv: 24 training jobs of four workers each, drawn from four sorts of networks. Every number comes from a
# generator written out below, so that the file is the same wherever it is made: `sh make_jobs.sh > jobs.csv`.
awk '
# Park and Miller, Random number generators: good ones are hard to find, Comm. ACM 31(10), 1988.
function uniform() { state = (16807 * state) % 2147483647; return state / 2147483647 }
BEGIN {
  state = 20211110
  print "job,arrival_s,iterations,workers,forward_s,backward_s,parameter_bytes,activation_bytes,optimiser_bytes"
  forward[0] = 0.05; bytes[0] = 1e8; forward[1] = 0.08; bytes[1] = 2.4e8
  forward[2] = 0.12; bytes[2] = 5.5e8; forward[3] = 0.2; bytes[3] = 1.4e9
  for (job = 0; job < 24; ++job) {
    sort = int(4 * uniform()); now += -20 * log(uniform())
    printf "%d,%.1f,%d,4,%.3f,%.3f,%.0f,%.0f,%.0f\n", job, now, 150 + 50 * int(12 * uniform()), forward[sort], 2 * forward[sort], bytes[sort], 3 * bytes[sort], 2 * bytes[sort]
  }
}'
