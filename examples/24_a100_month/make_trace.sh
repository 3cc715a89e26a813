#!/bin/sh
# Writes trace.csv: 33 days of jobs on a cluster of 88 hosts, of a mixture like those that university clusters log: bursts
# of short jobs by day, long ones at any time, few wide ones. Every number comes from a generator written out below, so
# that the file is the same wherever it is made: `sh make_trace.sh > trace.csv`.
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
BEGIN {
  state = 20250301
  print "JobID,Submit,Start,End,TimelimitRaw,NNodes"
  for (job = 1; now < 33 * 86400; ++job) {
    hour = (now / 3600) % 24
    now += int(exponential(hour > 8 && hour < 20 ? 500 : 1100)) + 1
    kind = uniform()
    if (kind < 0.55) { limit = 30 + 30 * int(4 * uniform()); run = exponential(900); nodes = 1 }
    else if (kind < 0.9) { limit = 720; run = exponential(12000); nodes = uniform() < 0.7 ? 1 : 2 + int(3 * uniform()) }
    else { limit = 2880; run = 172800 * uniform(); nodes = uniform() < 0.8 ? 1 + int(4 * uniform()) : 8 + int(16 * uniform()) }
    run = int(run < 60 * limit ? run : 60 * limit) + 1
    wait = int(exponential(600))
    if (now < 33 * 86400) print 100000 + job "," moment(now) "," moment(now + wait) "," moment(now + wait + run) "," limit "," nodes
  }
}'
