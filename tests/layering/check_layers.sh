#!/bin/sh
# Checks who includes whom below ROOT: each room sees only the rooms under it, and some libraries have one place.
# Prints every violation as FILE:LINE:include and exits with 1 when there is one. With `words` it prints the names of
# notations and kinds that it looks for instead.
root=${1:?usage: check_layers.sh ROOT [words]}
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

# Source files below the folders named.
sources() {
  find "$@" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.cc' \) 2>/dev/null
}

# A notation's room holds a notation.h. Where a kind or a notation gets its name there: a field, a constant, or the first
# argument of what makes a kind.
notations=$(find core statecharts solvers plugins -name notation.h 2>/dev/null | sed 's|/notation\.h$||')
kinds=$(for room in $notations; do
  grep -hoE '(\b[a-z_]*kind = ([a-z_.]+ = )*|\b(simple|sign|box)\(|_word = )"[a-z_]+"' $room/*notation*.cpp $room/*kinds.cpp $room/*_words.h
done 2>/dev/null | grep -oE '"[a-z_]+"' | tr -d '"' | sort -u | grep -vxE 'note|diagram|measure|simulators' | paste -sd'|')
[ -n "$kinds" ] || { echo "no kinds of elements found"; exit 2; }
named=$(for room in $notations; do
  grep -hA1 -E 'NotationSpec out|diagrams = \{\{\.name|s_word = ' $room/*notation*.cpp $room/*_words.h | grep -oE '(name|s_word) = "[a-z_]+"'
done 2>/dev/null | grep -oE '"[a-z_]+"' | tr -d '"' | sort -u | paste -sd'|')
[ -n "$named" ] || { echo "no names of notations found"; exit 2; }
# For the test that compares them with what is registered (tst_catalogue).
if [ "${2:-}" = words ]; then
  printf '%s\n' "$kinds|$named" | tr '|' '\n'
  exit
fi

qt='Q[A-Z][A-Za-z]*>|Qt[A-Z][A-Za-z]*/|qcustomplot'

set -- $(sources core)
[ $# -gt 0 ] || { echo "no sources below $root/core"; exit 2; }
forbid 'core sees only core' '(statecharts|solvers|app|plugins|tests)/' "$@"
set -- $(sources statecharts)
forbid 'statecharts sees core' '(solvers|app|plugins|tests)/' "$@"
set -- $(sources solvers)
forbid 'solvers sees core and statecharts' '(app|plugins|tests)/' "$@"
set -- $(sources plugins/host)
forbid 'the host of plugins sees core and the C header' '(statecharts|solvers|app|tests|plugins/(child|template|token_server|support|[a-z_]*/engine))/' "$@"
set -- $(find plugins tests/plugins/misbehaving -name '*.[ch]' -o -name '*.cpp' 2>/dev/null | grep -v -e '^plugins/child/.*\.h$' -e '^plugins/host/')
forbid 'what runs in the process of a plugin sees the C header' '(core|statecharts|solvers|app|tests|plugins/host)/' "$@"
for engine in plugins/*/engine; do
  plugin=$(basename "$(dirname "$engine")")
  others=$(find plugins -mindepth 1 -maxdepth 1 -type d ! -name abi ! -name support ! -name "$plugin" -printf '%f|')
  set -- $(sources "plugins/$plugin")
  forbid "of plugins, $plugin sees the C header, what all share and itself" "plugins/(${others%|})/" "$@"
done
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

# Inside a room too nothing points both ways: a folder of sources is a room of its own, and rooms that include each
# other, straight or round a circle, are printed with the includes that join them (the first three of each pair).
set -- $(sources core statecharts solvers plugins app)
circle=$(grep -HnoE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' "$@" /dev/null | awk -F'"' '
  function folder(path) { return path ~ /\// ? substr(path, 1, match(path, /\/[^\/]*$/) - 1) : "" }
  {
    place = $1; sub(/:[^:]*$/, "", place); file = place; sub(/:[0-9]+$/, "", file)
    from = folder(file); to = folder($2)
    if (from == to || to !~ /^(core|statecharts|solvers|plugins|app)(\/|$)/) next
    edge = from SUBSEP to
    if (count[edge]++ < 3) lines[edge] = lines[edge] place ":" $2 "\n"
  }
  END {
    # What neither sees nor is seen by any of the rest stands in no circle.
    do {
      changed = 0
      split("", sees); split("", seen)
      for (edge in count) { split(edge, end, SUBSEP); sees[end[1]] = 1; seen[end[2]] = 1 }
      for (edge in count) {
        split(edge, end, SUBSEP)
        if (!(end[1] in seen) || !(end[2] in sees)) { delete count[edge]; changed = 1 }
      }
    } while (changed)
    for (edge in count) printf "%s", lines[edge]
  }' | sort)
if [ -n "$circle" ]; then
  printf '%s:\n%s\n' 'rooms do not see each other both ways, nor round a circle' "$circle"
  status=1
fi

# Who draws, checks and lists elements of any notation sees none of them: only the
# room itself and the catalogue do. Rooms of different notations do not see each other. Charts are a notation all through
# their room; common-cause groups alone see into it (not into how charts are drawn), because a group strikes states of
# charts and stands in their system diagrams: the two share a notation and are compiled into the loop together.
all=$(sources core statecharts solvers plugins app)
for room in $notations; do
  set -- $(printf '%s\n' $all | grep -vE "^($room/|app/session/catalogue\.cpp$)")
  forbid "only the catalogue sees the notation of $room" "$room/notation\.h" "$@"
  [ "${room##*/}" = notation ] && forbid "the drawing side of $room is its own" "$room/" "$@"
  for other in $notations; do
    [ "$room" = "$other" ] && continue
    insides=${other%/notation}
    [ "$room" = solvers/reliability ] && insides=$other
    forbid 'notations do not see each other' "$insides/" $(printf '%s\n' $all | grep "^$room/")
  done
done
# What runs and solves any model sees charts and groups, which are compiled into its loop, and no other notation: these
# are parts behind core/des/running_part.h, or bring solvers of their own. The desktop sees none at all; the session and
# the command line see what imports, exports and converts.
others=$(for room in $notations; do printf '%s\n' "$room"; done | grep -vxE 'statecharts/notation|solvers/reliability' | paste -sd'|')
set -- $(sources solvers/model solvers/simulation solvers/hybrid solvers/markov)
forbid 'what solves any model sees charts and groups only' "($others)/" "$@"
set -- $(sources app/gui)
forbid 'the desktop sees no notation' "($others|statecharts|solvers/reliability)/" "$@"

# Names of notations and of kinds of elements are the notations' own: those who draw, list, check and run any kind ask the
# catalogue. The names are read from where they are registered. A text that is such a word and means something else (a key
# in a file, a column) stands in other_meanings beside this script, with its file; a comparison of kinds is none of these.
meanings=$(dirname "$0")/other_meanings
rooms="core solvers/model solvers/simulation solvers/hybrid solvers/markov solvers/built_in plugins/host app"
set -- $(sources $rooms) $(find solvers -maxdepth 1 -name '*.cpp' -o -maxdepth 1 -name '*.h')
# Texts, not comments; each as FILE:LINE:WORD.
words=$(grep -nE "\"($kinds|$named)( [a-z_]+)*\"" "$@" /dev/null | awk -v words="$kinds|$named" '
  BEGIN { n = split(words, list, "|"); for (i = 1; i <= n; ++i) is[list[i]] = 1 }
  {
    place = $0; match(place, /^[^:]*:[0-9]+:/); rest = substr(place, RLENGTH + 1); place = substr(place, 1, RLENGTH)
    while (match(rest, /"([^"\\]|\\.)*"|\/\//)) {
      text = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      if (text == "//") break
      n = split(substr(text, 2, length(text) - 2), each, " ")
      known = n > 0
      for (i = 1; i <= n; ++i) known = known && each[i] in is
      for (i = 1; known && i <= n; ++i) print place each[i]
    }
  }')
found=$(printf '%s\n' "$words" | awk -F: -v meanings="$meanings" '
  BEGIN { while ((getline line < meanings) > 0) { n = split(line, field, " "); if (line !~ /^#/) for (i = 2; i <= n; ++i) other[field[1] ":" field[i]] = 1 } }
  $0 != "" && !(($1 ":" $3) in other)')
compared=$(grep -nE "\b(kind[a-z_]*|[a-z_]*_kind)(\(\))? *(==|!=|=|\(|\{) *([a-zA-Z_:]+[({] *|[a-z_>.-]+, *)?\"($kinds)\"|\"($kinds)\" *[=!]= *[A-Za-z_.>()-]*kind|\"($kinds)\".*contains\([a-z_.>-]*kind|\"notation\"\)? *[])]* *[=!]?= *\"|\"[a-z_]+\" *[=!]= *[A-Za-z_.>-]*text\(\"notation\"" \
  "$@" /dev/null | grep -vE '^[^:]*:[0-9]+:[[:space:]]*//')
if [ -n "$found$compared" ]; then
  printf '%s:\n%s\n' 'names of notations and kinds stay in their rooms' "$(printf '%s\n%s\n' "$found" "$compared" | sort -u)"
  status=1
fi
# What stands there in vain would hide the next one.
vain=$(printf '%s\n' "$words" | awk -F: -v meanings="$meanings" '
  { there[$1 ":" $3] = 1 }
  END { while ((getline line < meanings) > 0) { n = split(line, field, " "); if (line !~ /^#/) for (i = 2; i <= n; ++i) if (!((field[1] ":" field[i]) in there)) print field[1] ": " field[i] } }')
if [ -n "$vain" ]; then
  printf '%s:\n%s\n' 'other_meanings tells of words that are not there' "$vain"
  status=1
fi

# One name, one type: two of a name link without a word, and one is taken for the other.
twice=$(grep -nE '^(struct|class|union|enum class) [A-Za-z_0-9]+( final)?( *:[^:].*)?( *\{.*)$' \
  $(sources core statecharts solvers plugins app | tr ' ' '\n' | grep '\.h$') /dev/null |
  sed -E 's/^([^:]*:[0-9]+):(enum )?(struct|class|union) ([A-Za-z_0-9]+).*/\4 \1/' | sort |
  awk '{ if ($1 == last) { if (place != "") print place ": " $1; print $2 ": " $1; place = "" } else { last = $1; place = $2 } }')
if [ -n "$twice" ]; then
  printf '%s:\n%s\n' 'two types have one name' "$twice"
  status=1
fi

# The build must say the same as the sources.
for room in core statecharts solvers app/session app/cli; do
  if grep -nE '(Qt6::|QCustomPlot|ergode_gui)' "$room/CMakeLists.txt" /dev/null 2>/dev/null; then
    echo "$room links a desktop library"
    status=1
  fi
done
[ $status -eq 0 ] && echo "layers are respected"
exit $status
