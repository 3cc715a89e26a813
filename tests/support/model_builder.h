#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/document/document.h"

namespace ergode::test {

/// Writes small models in code. Elements get the ids 1, 2, 3, ... in the order in which they are added, so that random
/// streams, which are named by ids, are the same in every run of a test.
class ModelBuilder {
 public:
  /// A model with this mission time.
  explicit ModelBuilder(const std::string& horizon = "24 h");

  const Document& document() const { return document_; }
  /// Property of the header.
  void header(const std::string& property, Value value);

  ElementId parameter(const std::string& name, const std::string& value, Value more = Value::object());
  ElementId measure(const std::string& name, const std::string& type, const std::string& expression,
                    Value more = Value::object());
  ElementId scenario(const std::string& name, const std::string& values);
  ElementId diagram(const std::string& name, const std::string& notation);
  /// Components and groups stand in one system diagram, made when it is first needed.
  ElementId component(const std::string& name, const std::string& chart, const std::string& count = "",
                      const std::string& arguments = "");
  ElementId group(const std::string& name, const std::string& cause, Value properties,
                  const std::vector<ElementId>& members);

  ElementId node(ElementId diagram, ElementId parent, const std::string& kind, Value properties = Value::object());
  ElementId edge(ElementId diagram, const std::string& kind, ElementId source, ElementId target,
                 Value properties = Value::object());
  /// Any element of any section.
  ElementId add(Element element);
  /// Sets a property of an element that is there.
  void set(ElementId id, const std::string& property, Value value);

 private:
  Document document_;
  std::uint64_t next_ = 1;
  ElementId system_;
};

/// One statechart of a model. A parent of null is the chart itself.
class ChartBuilder {
 public:
  ChartBuilder(ModelBuilder& model, const std::string& name);
  ElementId id() const { return chart_; }

  ElementId state(const std::string& name, ElementId parent = {}, const std::string& entry = "",
                  const std::string& exit = "");
  ElementId region(const std::string& name, ElementId parent);
  ElementId choice(ElementId parent = {});
  ElementId final_state(ElementId parent = {});
  /// A vertex `initial` beside `target`, with a transition to it.
  ElementId initial(ElementId target, ElementId parent = {}, const std::string& action = "");
  ElementId variable(const std::string& name, const std::string& type = "real", const std::string& initial = "0",
                     const std::string& unit = "", bool parameter = false);
  ElementId transition(ElementId source, ElementId target, const std::string& trigger = "",
                       const std::string& guard = "", const std::string& action = "", Value more = Value::object());

 private:
  ModelBuilder& model_;
  ElementId chart_;
};

/// The elements' codes: "SCH001 SCH010", sorted, warnings too.
std::string codes(const Diagnostics& list);
/// The first with this code, or null.
const Diagnostic* find_code(const Diagnostics& list, const std::string& code);
/// All messages, one a line: shown when a test fails.
std::string listed(const Diagnostics& list);
/// The whole of a file of the project.
std::string project_file(const std::string& path);

}  // namespace ergode::test
