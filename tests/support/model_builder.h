#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode::test {

/// Writes small models in code. Elements get the ids 1, 2, 3, ... in the order in which they are added, so that random
/// streams, which are named by ids, are the same in every run of a test; 1 is the header.
///
/// Texts are those of the model file, "2e-4 /h", and nothing is checked here: validation says what is wrong with them.
/// Properties `more` are added to those that the function sets, or replace them.
class ModelBuilder {
 public:
  /// A model named "Test" with this mission time.
  explicit ModelBuilder(const std::string& horizon = "24 h");

  /// Valid as long as the builder; what is added later shows in it.
  const Document& document() const { return document_; }
  /// Property of the header.
  void header(const std::string& property, Value value);

  ElementId parameter(const std::string& name, const std::string& value, Value more = Value::object());
  ElementId measure(const std::string& name, const std::string& type, const std::string& expression,
                    Value more = Value::object());
  ElementId scenario(const std::string& name, const std::string& values);
  ElementId diagram(const std::string& name, const std::string& notation);
  /// Components and groups stand in one system diagram, "System", made when it is first needed (it takes an id then).
  /// @param chart      name of the diagram that says how the component behaves.
  /// @param count      how many of its kind; empty: one.
  /// @param arguments  of the chart's parameters; empty: their defaults.
  ElementId component(const std::string& name, const std::string& chart, const std::string& count = "",
                      const std::string& arguments = "");
  /// @param members  components, each of which gets an edge `membership` (an id of its own, in this order).
  ElementId group(const std::string& name, const std::string& cause, Value properties,
                  const std::vector<ElementId>& members);

  ElementId node(ElementId diagram, ElementId parent, const std::string& kind, Value properties = Value::object());
  ElementId edge(ElementId diagram, const std::string& kind, ElementId source, ElementId target,
                 Value properties = Value::object());
  /// Any element of any section. One that has an id keeps it and uses up no number.
  ElementId add(Element element);
  /// Sets a property of an element that is there. @throws std::logic_error otherwise
  void set(ElementId id, const std::string& property, Value value);

 private:
  Document document_;
  std::uint64_t next_ = 1;
  ElementId system_;
};

/// One statechart of a model. A parent of null is the chart itself. Ids that the functions return are those of the
/// nodes and edges made; empty texts leave the property out.
class ChartBuilder {
 public:
  /// Adds the diagram. The model must live as long as the builder.
  ChartBuilder(ModelBuilder& model, const std::string& name);
  ElementId id() const { return chart_; }

  ElementId state(const std::string& name, ElementId parent = {}, const std::string& entry = "",
                  const std::string& exit = "");
  ElementId region(const std::string& name, ElementId parent);
  /// Vertices without a name.
  ElementId choice(ElementId parent = {});
  ElementId final_state(ElementId parent = {});
  /// A vertex `initial` in `parent`, with a transition to `target`, which need not stand beside it.
  /// @returns the vertex; the transition has the next id.
  ElementId initial(ElementId target, ElementId parent = {}, const std::string& action = "");
  /// @param type       "real", "integer", "boolean", "time" and what else charts know
  /// @param parameter  components may set it with their arguments
  ElementId variable(const std::string& name, const std::string& type = "real", const std::string& initial = "0",
                     const std::string& unit = "", bool parameter = false);
  /// @param trigger  "rate(2e-4 /h)", "after(5 s)", "when(x > 2)" or events; empty: none is needed
  ElementId transition(ElementId source, ElementId target, const std::string& trigger = "",
                       const std::string& guard = "", const std::string& action = "", Value more = Value::object());

 private:
  ModelBuilder& model_;
  ElementId chart_;
};

/// The codes of all entries: "SCH001 SCH010", sorted, as often as they occur, warnings and remarks too. Empty: none.
std::string codes(const Diagnostics& list);
/// The first with this code, or null. Valid as long as the list.
const Diagnostic* find_code(const Diagnostics& list, const std::string& code);
/// All messages, one a line with code, element and pointer: shown when a test fails.
std::string listed(const Diagnostics& list);
/// The whole of a file of the project, byte by byte.
/// @param path  from the top of the source tree, "tests/support/model_builder.h".
/// @throws std::runtime_error  when it cannot be read.
std::string project_file(const std::string& path);

}  // namespace ergode::test
