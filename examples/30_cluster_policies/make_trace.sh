#!/bin/sh
# Writes trace.csv: 600 jobs of five users within three days, drawn from what has been published of Microsoft Philly: run
# times with a median of 874 s and a mean of 18,006 s (here a lognormal law with these, at most two days), 1.93 GPUs on
# average (here 1, 2, 4 or 8 with 0.74, 0.11, 0.09 and 0.06; Hu et al., NSDI 2024, give median and means of both). Every
# number comes from a generator written out below, so that the file is the same wherever it is made:
# `sh make_trace.sh > trace.csv`.
awk '
# Park and Miller, Random number generators: good ones are hard to find, Comm. ACM 31(10), 1988.
function uniform() { state = (16807 * state) % 2147483647; return state / 2147483647 }
function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
BEGIN {
  state = 20190710
  print "job_id,user,submit_time,num_gpu,cpu_num,memory_gib,duration"
  # Median exp(m), mean exp(m + s^2 / 2).
  m = log(874); s = sqrt(2 * log(18006 / 874))
  for (job = 1; job <= 600; ++job) {
    # More by day than by night.
    hour = (now / 3600) % 24
    now += -432 * log(uniform()) * (hour > 8 && hour < 20 ? 0.7 : 1.6)
    run = exp(m + s * normal()); if (run > 172800) run = 172800
    wide = uniform(); gpus = wide < 0.74 ? 1 : wide < 0.85 ? 2 : wide < 0.94 ? 4 : 8
    who = uniform(); user = who < 0.4 ? "vision" : who < 0.65 ? "speech" : who < 0.85 ? "search" : who < 0.95 ? "ads" : "robots"
    print job "," user "," int(now) "," gpus "," gpus * (1 + int(8 * uniform())) "," gpus * (8 + int(56 * uniform())) "," int(run) + 1
  }
}'
