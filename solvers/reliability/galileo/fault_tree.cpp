#include "solvers/reliability/galileo/fault_tree.h"

#include <algorithm>
#include <queue>

namespace ergode {

std::size_t FaultTree::basic_events() const {
  return static_cast<std::size_t>(std::count_if(
      elements.begin(), elements.end(), [](const TreeElement& e) { return e.kind == TreeElement::Kind::basic_event; }));
}

std::vector<int> failing_order(const FaultTree& tree) {
  const std::size_t n = tree.elements.size();
  std::vector<int> waits(n, 0), out;
  std::vector<std::vector<int>> parents(n);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;  // the earliest in the text first
  for (std::size_t i = 0; i < n; ++i) {
    const TreeElement& e = tree.elements[i];
    if (!e.can_fail()) continue;
    for (const TreeElement::Child& child : e.children)
      if (child.element >= 0) {
        parents[static_cast<std::size_t>(child.element)].push_back(static_cast<int>(i));
        ++waits[i];
      }
    if (waits[i] == 0) ready.push(static_cast<int>(i));
  }
  while (!ready.empty()) {
    const int next = ready.top();
    ready.pop();
    out.push_back(next);
    for (const int parent : parents[static_cast<std::size_t>(next)])
      if (--waits[static_cast<std::size_t>(parent)] == 0) ready.push(parent);
  }
  // Basic events first: of all that can react at a moment they do so before the gates above them.
  std::stable_partition(out.begin(), out.end(),
                        [&](int e) { return tree.at(e).kind == TreeElement::Kind::basic_event; });
  return out;
}

Diagnostic tree_problem(const char* code, TextPlace place, std::string message, std::string hint, Severity severity) {
  const bool json = place.line == 0;
  return {.severity = severity,
          .code = code,
          .pointer = json ? "/nodes/" + std::to_string(place.column) : "line " + std::to_string(place.line),
          .message = std::move(message),
          .hint = std::move(hint),
          .column = json ? 0 : place.column};
}

}  // namespace ergode
