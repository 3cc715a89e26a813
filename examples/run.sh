#!/usr/bin/env bash
# Sets Ergode up on a Debian 12 machine and runs the main job: a station blackout with staggered common-cause failures,
# one million replications on all cores and core damage to ten per cent by a method for rare events, beside the exact
# values where theory gives them. `examples/run.sh --no-window`
# does not open the workbench.
set -eu
# The programs, without their tests.
targets="ergode ergode-workbench"
[ "${1:-}" = --no-window ] && targets=ergode
. "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"

ergode=$root/build/bin/ergode
blackout=examples/02_station_blackout
generators=examples/01_edg_common_cause

echo
echo "== Station blackout: one million replications on $(nproc) cores"
"$ergode" run "$blackout/model.ergode" --replications 1e6 --report "$blackout/model.report.html"

echo
echo "== Core damage to ten per cent: rare events made likelier and weighted (which method, and why, is said first)"
"$ergode" run "$blackout/model.ergode" --variance-reduction auto --precision 0.1

echo
echo "== The common-cause model behind it, beside its closed form: one million replications"
"$ergode" run "$generators/model.ergode" --scenario staggered_exponential --replications 1e6 --report "$generators/model.report.html"

echo
echo "Runs kept in   $root/$blackout/model.results.sqlite"
echo "               $root/$generators/model.results.sqlite"
echo "Reports        $root/$blackout/model.report.html"
echo "               $root/$generators/model.report.html"
echo "Again at will: build/bin/ergode --help"

if [ "${1:-}" != --no-window ] && [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "Opening the workbench."
  exec "$root/build/bin/ergode-workbench" examples/02_station_blackout/model.ergode
fi
