#!/bin/sh
# Writes trace.tsv and throughputs.csv: 120 training jobs in Shockwave's format, drawn as its generator draws them (gaps,
# classes of durations, numbers of GPUs, ways to change the batch size), and speeds that are no measurements but a law:
# steps/s = a gpus^0.9 / (1 + batch / b). Every number comes from a generator written out below, so that the files are the
# same wherever they are made: `sh make_data.sh`.
cd "$(dirname "$0")" && awk '
# Park and Miller, Random number generators: good ones are hard to find, Comm. ACM 31(10), 1988.
function uniform() { state = (16807 * state) % 2147483647; return state / 2147483647 }
function speed(model, batch, gpus) { return sprintf("%.4f", a[model] * exp(0.9 * log(gpus)) / (1 + batch / b[model])) }
function add(model, rate, half, least, most) { ++models; name[models] = model; a[model] = rate; b[model] = half; low[model] = least; high[model] = most }
BEGIN {
  state = 20230417
  add("ResNet-18", 90, 30, 16, 256); add("ResNet-50", 14, 18, 16, 128); add("Transformer", 12, 16, 16, 128)
  add("LM", 160, 15, 5, 80); add("Recommendation", 250, 900, 512, 8192)
  print "model,batch_size,num_gpus,steps_per_s" > "throughputs.csv"
  for (m = 1; m <= models; ++m)
    for (batch = low[name[m]]; batch <= high[name[m]]; batch *= 2)
      for (gpus = 1; gpus <= 8; gpus *= 2) print name[m] "," batch "," gpus "," speed(name[m], batch, gpus) > "throughputs.csv"
  for (job = 0; job < 120; ++job) {
    model = name[1 + int(models * uniform())]
    doublings = int(log(high[model] / low[model]) / log(2) + 0.5)
    batch = low[model]; for (times = int(doublings * uniform()); times > 0; --times) batch *= 2
    width = uniform(); gpus = width < 0.6 ? 1 : width < 0.9 ? 2 : width < 0.99 ? 4 : 8
    if (model == "Recommendation") gpus = 1
    mode = model == "Transformer" ? "static" : uniform() < 0.5 ? "accordion" : "gns"
    # A hundred durations from 0.2 h to 5 h, evenly by their logarithm, in four classes from short to long.
    class = uniform()
    from = class < 0.72 ? 0 : class < 0.92 ? 20 : class < 0.97 ? 50 : 90
    to = class < 0.72 ? 20 : class < 0.92 ? 50 : class < 0.97 ? 90 : 100
    place = from + int((to - from) * uniform())
    duration = int(720 * exp(place / 99 * log(25)))
    steps = int(duration * speed(model, batch, gpus))
    print model " (batch size " batch ")\t-\t-\t-\t0\t" steps "\t" gpus "\t" mode "\t1\t-1\t" duration "\t" now + 0 > "trace.tsv"
    now += int(-40 * log(uniform()))
  }
}'
