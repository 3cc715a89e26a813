#!/bin/sh
# Plants one violation after the other in a copy of the sources and demands that check_layers.sh finds each.
root=${1:?usage: plant_violations.sh ROOT}
check=$root/tests/layering/check_layers.sh
copy=$(mktemp -d) || exit 2
trap 'rm -rf "$copy"' EXIT INT TERM
for room in core statecharts solvers app plugins tests; do
  [ -d "$root/$room" ] && mkdir -p "$copy/$room" && (cd "$root" && find "$room" -type f \( -name '*.h' -o -name '*.cpp' -o -name CMakeLists.txt \) -exec cp --parents -t "$copy" {} +)
done
"$check" "$copy" >/dev/null || { echo "the copy is not clean to begin with"; "$check" "$copy"; exit 1; }

status=0
# plant FILE LINE: the check must fail while the line stands in the file.
plant() {
  file=$copy/$1
  mkdir -p "$(dirname "$file")"
  [ -f "$file" ] && cp "$file" "$copy/saved" || rm -f "$copy/saved"
  printf '%s\n' "$2" >>"$file"
  if "$check" "$copy" >"$copy/out"; then
    echo "not found: $1: $2"
    status=1
  elif ! grep -qF "$1" "$copy/out"; then
    echo "found without its place: $1: $2"
    status=1
  fi
  if [ -f "$copy/saved" ]; then mv "$copy/saved" "$file"; else rm -f "$file"; fi
}
plant core/base/planted.h '#include "statecharts/model/state_chart.h"'
plant core/document/document.cpp '#include "app/session/check.h"'
plant core/stats/planted.cpp '#include <QString>'
plant statecharts/lower/lower.cpp '#include "solvers/registry.h"'
plant solvers/registry.cpp '  #  include "app/cli/commands.h"'
plant solvers/planted.h '#include <QtCore/QObject>'
plant app/session/planted.cpp '#include "app/gui/window.h"'
plant app/session/planted.h '#include <boost/statechart/state.hpp>'
plant app/cli/planted.cpp '#include <QApplication>'
plant app/gui/planted.cpp '#include <qcustomplot.h>'
plant app/gui/planted.h '#include "app/cli/commands.h"'
plant core/planted.cpp '#include "../solvers/registry.h"'
plant core/CMakeLists.txt 'target_link_libraries(ergode_core PRIVATE Qt6::Core)'
"$check" "$copy" >/dev/null || { echo "a violation was left behind"; status=1; }
[ $status -eq 0 ] && echo "every planted violation is found"
exit $status
