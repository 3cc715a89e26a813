#!/bin/sh
# Checks who includes whom below ROOT: each room sees only the rooms under it, and some libraries have one place.
# Prints every violation as FILE:LINE:include and exits with 1 when there is one.
root=${1:?usage: check_layers.sh ROOT}
cd "$root" || exit 2
status=0

# forbid WHAT PATTERN FILES...: lines of the files that include something matching PATTERN.
forbid() {
  what=$1 pattern=$2
  shift 2
  found=$(grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" "$@" /dev/null 2>/dev/null)
  [ -z "$found" ] && return
  printf '%s:\n%s\n' "$what" "$found"
  status=1
}

# Source files below the folders named, without those below the folders after "--".
sources() {
  find "$@" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.cc' \) 2>/dev/null
}

qt='Q[A-Z][A-Za-z]*>|Qt[A-Z][A-Za-z]*/|qcustomplot'

set -- $(sources core)
[ $# -gt 0 ] || { echo "no sources below $root/core"; exit 2; }
forbid 'core sees only core' '(statecharts|solvers|app|plugins|tests)/' "$@"
set -- $(sources statecharts)
forbid 'statecharts sees core' '(solvers|app|plugins|tests)/' "$@"
set -- $(sources solvers)
forbid 'solvers sees core and statecharts' '(app|plugins|tests)/' "$@"
set -- $(sources app/session)
forbid 'app/session sees what is below app' '(app/cli|app/gui|tests)/' "$@"
set -- $(sources app/cli)
forbid 'app/cli does not see the desktop' '(app/gui|tests)/' "$@"
set -- $(sources app/gui)
forbid 'app/gui does not see the command line' '(app/cli|tests)/' "$@"
set -- $(sources core statecharts solvers plugins app/session app/cli)
forbid 'Qt stays in app/gui and tests' "$qt" "$@"
set -- $(sources app tests | grep -v '^app/gui/plots/')
forbid 'QCustomPlot stays in app/gui/plots' 'qcustomplot' "$@"
set -- $(sources core statecharts solvers plugins app | grep '\.h')
forbid 'Boost.Statechart stays in .cpp files' 'boost/statechart' "$@"
# An include by a path from the root, not by neighbourhood; tests may name the header beside them.
set -- $(sources core statecharts solvers plugins app)
forbid 'includes are paths from the root' '\.\./' "$@"

# The build must say the same as the sources.
for room in core statecharts solvers app/session app/cli; do
  if grep -nE '(Qt6::|QCustomPlot|ergode_gui)' "$room/CMakeLists.txt" /dev/null 2>/dev/null; then
    echo "$room links a desktop library"
    status=1
  fi
done
[ $status -eq 0 ] && echo "layers are respected"
exit $status
