#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "statecharts/model/state_chart.h"

namespace ergode {

/// One lowering of one diagram: nodes become states (lower.cpp), edges and the connectors between them become
/// transitions (transitions.cpp, trigger.cpp), then the whole is checked (checks.cpp).
class ChartLowering {
 public:
  ChartLowering(const Document& document, const Element& diagram, Diagnostics& problems);
  StateChart lower();

 private:
  /// What an edge says, before paths through connectors are put together.
  struct Path {
    const Element* first = nullptr;  ///< the edge whose source is a state
    Transition made;
    int length = 0;
  };

  void report(const char* code, ElementId id, const char* property, std::string message, std::string hint = {},
              Severity severity = Severity::error, int column = 0);
  State& state(int index) { return chart_.states[static_cast<std::size_t>(index)]; }

  void variables();
  void fill(int parent, ElementId container);
  State::Kind meaning_of(const Element& node);
  int add_state(const Element& node, int parent, State::Kind kind);
  std::vector<ActionSyntax> actions(const Element& element, const char* property);

  void transitions();
  void read_edge(const Element& edge, int source, Transition& t);
  void read_trigger(const Element& edge, int source, Transition& t);
  bool read_events(const std::string& text, int source, Trigger& trigger);
  void read_guard(const Element& edge, Transition& t);
  void start(const Element& edge, int source);
  void follow(Path path, const Element& edge, std::vector<Transition>& out);
  void branch(const Path& path, const Element& connector, std::vector<Transition>& out);
  void fork(Path path, const Element& bar, std::vector<Transition>& out);
  void join(const Element& bar);
  bool extend(Path& path, const Element& edge);
  void default_entry(int owner, const Element& edge, std::vector<Transition> paths);
  void sort_by_priority();

  void initials();
  void histories();
  /// By state: transitions that leave it, in document order.
  std::vector<std::vector<const Transition*>> ways_out() const;
  void choices();
  void reachable();

  const Document& document_;
  const Element& diagram_;
  Diagnostics& problems_;
  StateChart chart_;
  std::unordered_map<ElementId, std::vector<const Element*>> children_;
  std::unordered_map<ElementId, int> index_;                                       ///< node -> state
  std::unordered_map<ElementId, int> initial_of_;                                  ///< initial node -> its composite
  std::unordered_map<ElementId, const Element*> connectors_;                       ///< junctions, points and bars
  std::unordered_map<ElementId, std::vector<const Element*>> ways_in_, ways_out_;  ///< of connectors, as drawn
  std::map<int, std::vector<const Element*>> initials_;  ///< composite -> initial nodes drawn in it
  std::vector<const Element*> terminates_;               ///< all of them mean one final state of the chart
};

}  // namespace ergode
