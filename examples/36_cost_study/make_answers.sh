#!/bin/sh
# Writes answers.csv: what somebody would score who reads no interview and always says 5, or 7. The truths are 187, as often
# 0, 1, ... 24 as in CEBench (arXiv 2407.12797, 2024): `sh make_answers.sh > answers.csv`.
awk 'BEGIN {
  split("25 17 17 15 10 10 6 15 5 10 11 7 7 3 2 5 5 4 4 2 4 1 1 1 0", often, " ")
  print "experiment,truth,answer"
  for (said = 5; said <= 7; said += 2)
    for (truth = 0; truth <= 24; ++truth)
      for (i = 0; i < often[truth + 1]; ++i) printf "always %d,%d,Total score: %02d\n", said, truth, said
}'
