#!/bin/sh
# Writes trace.csv: 33 days of made jobs like those of an A100 cluster, `sh make_trace.sh > trace.csv`. Nothing of a real
# log is in it; numbers come from a generator written out below, so that the file is the same wherever it is made.
#
# Its statistics are those of the A100 jobs of Lonestar6 from 2023-02-27 to 03-31 that are published with Mirage (Ding,
# Zheng, Kudari, Venkataraman and Zhang, SC 2023; data CC BY 4.0): 7,476 jobs; 79 % on one node, 8 % on two, 4 % on
# three, 6 % on four, 3 % on 8 to 16; limits up to 1 h 36 %, 2 h 16 %, 12 h 22 %, 24 h 5 %, 48 h 4 %, just 48 h 17 %; of
# the limit half the jobs use less than 7 %, a tenth of the short and a fifth of the long use all; most come by day, and
# in batches of one user (gaps with a coefficient of variation of 3).
awk '
# Park and Miller, Random number generators: good ones are hard to find, Comm. ACM 31(10), 1988.
function uniform() { state = (16807 * state) % 2147483647; return state / 2147483647 }
function exponential(mean) { return -mean * log(uniform()) }
function pad(n) { return n < 10 ? "0" n : n }
function moment(s,   day, hour, minute, date) {
  day = int(s / 86400); s -= 86400 * day; hour = int(s / 3600); s -= 3600 * hour; minute = int(s / 60)
  date = day < 2 ? "2025-02-" 27 + day : day < 33 ? "2025-03-" pad(day - 1) : "2025-04-" pad(day - 32)
  return date "T" pad(hour) ":" pad(minute) ":" pad(s - 60 * minute)
}
# One of a list of values with their shares, both in words.
function one_of(values, shares,   v, p, n, i, u) {
  n = split(values, v, " "); split(shares, p, " "); u = uniform()
  for (i = 1; i < n; ++i) { u -= p[i]; if (u < 0) return v[i] }
  return v[n]
}
# Linear between quantiles: of the share of the limit that a job uses.
function used(quantiles,   q, n, at, below) {
  n = split(quantiles, q, " "); at = uniform() * (n - 1) + 1; below = int(at)
  return below == n ? q[n] : q[below] + (at - below) * (q[below + 1] - q[below])
}
BEGIN {
  state = 24
  print "JobID,Submit,Start,End,TimelimitRaw,NNodes"
  for (job = 1; now < 33 * 86400;) {
    hour = (now / 3600) % 24
    now += int(exponential(hour < 8 ? 2900 : 1000)) + 1
    class = one_of("1 2 3 4 5 6", "0.36 0.16 0.22 0.05 0.04 0.17")
    if (class == 1) { limit = one_of("10 15 30 60", "0.2 0.1 0.3 0.4"); shares = "0 0 0.001 0.01 0.03 0.07 0.15 0.25 0.45 1 1" }
    if (class == 2) { limit = one_of("90 120", "0.5 0.5"); shares = "0 0 0 0.001 0.004 0.01 0.04 0.1 0.3 0.8 1" }
    if (class == 3) { limit = one_of("180 240 480 600", "0.3 0.3 0.2 0.2"); shares = "0 0 0.001 0.005 0.02 0.06 0.15 0.35 0.7 1 1" }
    if (class == 4) { limit = one_of("1200 1440", "0.2 0.8"); shares = "0 0 0 0.005 0.015 0.03 0.2 0.6 0.9 1 1" }
    if (class == 5) { limit = one_of("2085 2160 2820", "0.35 0.45 0.2"); shares = "0 0 0.001 0.1 0.4 0.7 0.87 0.91 0.95 1 1" }
    if (class == 6) { limit = 2880; shares = "0 0 0 0.005 0.01 0.03 0.25 0.6 0.9 1 1" }
    nodes = one_of("1 2 3 4 8 16", "0.788 0.082 0.036 0.056 0.018 0.02")
    if (nodes == 16 && class >= 5 && uniform() > 0.2) nodes = 4
    for (batch = 1 + int(exponential(3.1)); batch > 0; --batch) {
      run = int(60 * limit * used(shares)) + 1
      wait = int(exponential(600))
      if (now < 33 * 86400) print 100000 + job++ "," moment(now) "," moment(now + wait) "," moment(now + wait + run) "," limit "," nodes
      now += int(exponential(20))
    }
  }
}'
