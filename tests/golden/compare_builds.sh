#!/usr/bin/env bash
# Restructuring leaves every bit as it was: the JSON of every example with every solver and method for rare events, seeds 1 to 3,
# one and two threads.
#   compare_builds.sh record ERGODE FOLDER    keeps what this program prints
#   compare_builds.sh compare ERGODE FOLDER   prints what differs from it; exit code 1 when anything does
# Records hold for one machine: mathematical libraries choose their code by processor.
set -u
verb=$1 program=$(realpath "$2") folder=$3
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$folder"
differ=0 cases=0
ask() {
  local name=$1
  shift
  # A run's id and how it was made (times, host, threads) are its own.
  "$program" run "$@" --no-store --json 2>&1 | sed -e '/"run_id"/d' -e '/"made": {/,/}/d' >"$folder/$name.new"
  cases=$((cases + 1))
  if [ "$verb" = record ]; then
    mv "$folder/$name.new" "$folder/$name"
  elif cmp -s "$folder/$name" "$folder/$name.new"; then
    rm "$folder/$name.new"
  else
    echo "differs: $name ($*)"
    diff "$folder/$name" "$folder/$name.new" | head -6
    differ=1
  fi
}
for example in examples/0*/; do
  model=$example/model.ergode label=$(basename "$example")
  for seed in 1 2 3; do
    for threads in 1 2; do
      at="--seed $seed --threads $threads"
      ask "$label.$seed.$threads.all" "$model" --solver all --replications 400 $at
      ask "$label.$seed.$threads.biased" "$model" --variance-reduction failure-biasing --replications 400 --no-cross-check $at
      ask "$label.$seed.$threads.split" "$model" --variance-reduction splitting --replications 2 --effort 100 --no-cross-check $at
    done
  done
done
echo "$cases cases"
exit $differ
