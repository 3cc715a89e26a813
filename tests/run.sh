#!/usr/bin/env bash
# Sets Ergode up on a Debian 12 machine and runs every test. Arguments go to ctest: tests/run.sh -L unit
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/../.ci/setup.sh"
cd build
exec ctest --output-on-failure -j "$(nproc)" "$@"
