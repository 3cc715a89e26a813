#pragma once
#include <map>
#include <unordered_map>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "statecharts/model/state_chart.h"

namespace ergode {

/// One lowering of one diagram: nodes become states (lower.cpp), edges and the connectors between them become
/// transitions (transitions.cpp, trigger.cpp), then the whole is checked (checks.cpp). Used once: lower() hands the
/// chart over. Whoever wants a chart calls lower_chart().
class ChartLowering {
 public:
  /// @param problems  an empty list of this lowering alone: later checks are made only where earlier ones found no
  ///                  error
  ChartLowering(const Document& document, const Element& diagram, Diagnostics& problems);
  StateChart lower();

 private:
  /// What an edge says, before paths through connectors are put together.
  struct Path {
    const Element* first = nullptr;  ///< the edge whose source is a state
    Transition made;                 ///< what all edges so far say together
    int length = 0;                  ///< edges behind connectors; at most 64, so that circles end
  };

  void report(const char* code, ElementId id, const char* property, std::string message, std::string hint = {},
              Severity severity = Severity::error, int column = 0);
  State& state(int index) { return chart_.states[static_cast<std::size_t>(index)]; }

  /// Variables and parameters of the chart; their texts are read when a component is compiled.
  void variables();
  /// States inside a container, depth first, so that numbers are in preorder; connectors are kept for the edges.
  void fill(int parent, ElementId container);
  /// SCH005 where a state has both regions and states.
  State::Kind meaning_of(const Element& node);
  int add_state(const Element& node, int parent, State::Kind kind);
  /// Parsed, not yet compiled; a mistake is reported and leaves no action at all.
  std::vector<ActionSyntax> actions(const Element& element, const char* property);

  /// All edges of the diagram, in document order; a join when its first way in comes up.
  void transitions();
  /// What one edge says by itself. @param source  the state that `done` means
  void read_edge(const Element& edge, int source, Transition& t);
  void read_trigger(const Element& edge, int source, Transition& t);
  /// @returns false: the text is no list of event descriptors, and nothing was changed
  bool read_events(const std::string& text, int source, Trigger& trigger);
  void read_guard(const Element& edge, Transition& t);
  /// An edge that leaves a state, an initial node or a history, with every way it leads.
  void start(const Element& edge, int source);
  /// Goes on from where the edge ends: at a state the path is a transition, at a connector it branches. At most 10,000.
  void follow(Path path, const Element& edge, std::vector<Transition>& out);
  /// Every way out of a junction or point: greater priority first, `else` last.
  void branch(const Path& path, const Element& connector, std::vector<Transition>& out);
  /// One transition with the targets of all ways out.
  void fork(Path path, const Element& bar, std::vector<Transition>& out);
  void join(const Element& bar);
  /// Adds guards, actions and role of an edge behind a connector. @returns false: it may not stand there (SCH014).
  bool extend(Path& path, const Element& edge);
  /// The way from an initial node or a history: State::initial of its owner.
  void default_entry(int owner, const Element& edge, std::vector<Transition> paths);
  /// Greatest first, else as drawn; keeps State::initial right.
  void sort_by_priority();

  /// SCH001 and SCH002: each composite begins in one place.
  void initials();
  /// SCH018, a warning.
  void histories();
  /// By state: transitions that leave it, in document order.
  std::vector<std::vector<const Transition*>> ways_out() const;
  /// SCH008: every choice can be left in one way.
  void choices();
  /// SCH010, a warning: states that no chain of transitions leads to. O(states + transitions).
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
