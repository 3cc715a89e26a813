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
plant core/plugin/planted.cpp '#include "plugins/host/discovery.h"'
plant solvers/queueing/planted.cpp '#include "plugins/host/discovery.h"'
plant plugins/host/planted.cpp '#include "solvers/registry.h"'
plant plugins/child/planted.cpp '#include "core/base/value.h"'
plant plugins/llm_serving/engine/planted.cpp '#include "plugins/cost_effectiveness/engine/plans.h"'
plant plugins/cost_effectiveness/planted.cpp '#include "core/base/value.h"'
plant plugins/template/planted.c '#include "core/base/value.h"'
plant core/CMakeLists.txt 'target_link_libraries(ergode_core PRIVATE Qt6::Core)'
# Both ways between two rooms, and round a circle of three.
plant solvers/reliability/planted.cpp '#include "solvers/model/analysis_model.h"'
plant app/gui/canvas/planted.h '#include "app/gui/tools/tool_box.h"'
plant core/base/planted.cpp '#include "core/study/solver.h"'
plant solvers/model/planted.cpp '  # include "solvers/simulation/solve/simulation_solver.h"'
plant statecharts/model/planted.h '#include "statecharts/execute/chart_part.h"'
# Notations among themselves, and who knows them.
plant solvers/reliability/planted.h '#include "statecharts/notation/transition_label.h"'
plant core/drawing/planted.cpp '#include "statecharts/notation/shapes.h"'
plant app/gui/panels/planted.cpp '#include "solvers/reliability/notation.h"'
plant app/session/check.cpp '#include "statecharts/notation/notation.h"'
# Names of kinds.
plant core/drawing/planted.cpp 'bool round(const Element& e) { return e.kind == "state"; }'
plant core/report/planted.cpp 'if (e->kind == "ccf_group") list(*e);'
plant app/gui/edit/planted.cpp 'element.kind = "component";'
plant app/session/planted.cpp 'if ("ccf_group" != element->kind) return;'
plant app/gui/canvas/planted.cpp 'return std::set<std::string>{"choice", "junction"}.contains(node.kind);'
plant core/catalogue/planted.cpp 'if (e.kind == "station") return true;'
plant core/study/planted.cpp 'return e.kind == "state";'
plant solvers/simulation/planted.cpp 'return e.kind == "state";'
plant solvers/model/planted.cpp 'if (e.kind == "ccf_group") groups.push_back(&e);'
plant solvers/markov/planted.cpp 'for (const Element* e : model.nodes("queueing", "station")) refuse(*e);'
plant solvers/registry.cpp 'const char* first = "gpu_fleet";'
plant plugins/host/planted.cpp 'e.kind = "station";'
plant core/des/planted.cpp 'if (node->kind == "place") tokens(*node);'
plant app/session/planted.cpp 'for (const char* word : {"fork", "join"}) offer(word);'
plant app/session/planted.cpp 'return kind == std::string_view("station");'
plant app/cli/planted.cpp 'if (is_kind(e, "station")) list(e);'
plant app/gui/planted.cpp 'const std::map<std::string, int> ranks = {{"state", 1}, {"choice", 2}};'
plant app/gui/planted.cpp 'const char* ends = "state final";  // kinds, with blanks between'
# The same in files whose own words are named like kinds.
plant app/cli/plugins.cpp 'bool served(const Element& e) { return e.kind == "station"; }'
plant app/cli/plugins.cpp 'bool served(const Element& e) { return e.kind == std::string_view("station"); }'
plant app/cli/plugins.cpp 'bool served(const Element& e) { return is_kind(e, "station"); }'
plant core/format/reader.cpp 'element.kind = std::string("source");'
# Names of notations.
plant core/report/planted.cpp 'if (diagram.text("notation") == "queueing") tables();'
plant app/gui/canvas/planted.cpp 'return diagram.text("notation") == "system";'
plant app/session/planted.cpp 'diagram.properties["notation"] = "statechart";'
plant solvers/model/planted.cpp 'if ("cluster" != diagram->text("notation")) continue;'
plant core/drawing/planted.cpp 'if (diagram.text("notation") == "timed_automaton") round();'
plant app/cli/planted.cpp 'const NotationSpec* of = catalogue().notation("simulators");'
# Insides of notations.
plant solvers/queueing/running/planted.cpp '#include "statecharts/execute/chart_replication.h"'
plant solvers/cluster/running/planted.h '#include "statecharts/compile/compiled_model.h"'
plant solvers/simulators/planted.cpp '#include "statecharts/model/state_chart.h"'
plant solvers/cluster/model/planted.cpp '#include "solvers/queueing/running/ring.h"'
plant solvers/queueing/model/planted.h '#include "solvers/reliability/ccf_group.h"'
plant solvers/model/planted.cpp '#include "solvers/queueing/running/ring.h"'
plant solvers/simulation/planted.cpp '#include "solvers/cluster/running/running_rentals.h"'
plant solvers/markov/planted.h '#include "solvers/simulators/simulator_words.h"'
plant solvers/hybrid/planted.cpp '#include "solvers/queueing/model/network.h"'
plant app/gui/canvas/planted.cpp '#include "statecharts/execute/chart_history.h"'
plant app/gui/panels/planted.cpp '#include "solvers/queueing/running/ring.h"'
# Two types of one name.
plant solvers/queueing/chain/planted.h 'struct Crowd {'
plant core/drawing/planted.h 'class Document : public Other {'
# A word that is said to stand somewhere and does not: of all files the last that other_meanings names.
vain=$(grep -v '^#' "${check%/*}/other_meanings" | tail -1 | cut -d' ' -f1)
mv "$copy/$vain" "$copy/saved" && : >"$copy/$vain"
"$check" "$copy" | grep -qF "$vain: " || { echo "not found: a word in vain in other_meanings"; status=1; }
mv "$copy/saved" "$copy/$vain"
"$check" "$copy" >/dev/null || { echo "a violation was left behind"; status=1; }
[ $status -eq 0 ] && echo "every planted violation is found"
exit $status
