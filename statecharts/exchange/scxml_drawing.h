#pragma once
#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/document/document.h"
#include "statecharts/exchange/scxml_content.h"
#include "statecharts/exchange/scxml_reader.h"

namespace ergode {

/// Draws a parsed document: its names once, then as often as needed its vertices (scxml_reader.cpp) and what leads from
/// one to the other (scxml_transitions.cpp). Of this room alone.
class ScxmlReader {
 public:
  /// @param root  of what `text` was parsed to; both outlive it @param name  of the chart where the document has none
  ScxmlReader(pugi::xml_node root, std::string_view text, const std::string& name, const std::string& folder);
  ScxmlImport read();

 private:
  void declare(pugi::xml_node node, int depth);
  void keep_names(pugi::xml_node node, std::string_view kind);
  ElementId add(Element element);
  ElementId add_node(const char* kind, ElementId parent, Value properties = Value::object());
  void add_edge(ElementId source, ElementId target, Value properties = Value::object());
  static void join(std::string& actions, const std::string& more);
  void set(ElementId id, const char* property, const std::string& value);
  void build();
  std::string root_prefix() const;
  std::string data(pugi::xml_node node, int depth);
  void nodes(pugi::xml_node node, ElementId parent, int depth, bool in_parallel);
  void keep_id(Value& properties, pugi::xml_node node) const;
  void vertex(pugi::xml_node node, ElementId parent, int depth, bool in_parallel);
  static pugi::xml_node child_named(pugi::xml_node node, std::string_view name);
  void variables();
  void remarks();

  ElementId vertex_of(const std::string& id) const;
  std::vector<ElementId> targets(pugi::xml_node node, const std::string& text, bool& all);
  ElementId open_place(ElementId at) const;
  void lead(ElementId source, ElementId place, const std::vector<ElementId>& targets, Value properties);
  bool inside(ElementId element, ElementId ancestor) const;
  void transition(pugi::xml_node node, ElementId source);
  void initial(pugi::xml_node node, ElementId container, const std::string& first);
  void edges(pugi::xml_node node, ElementId element, int depth);
  void default_history(pugi::xml_node node);

  pugi::xml_node root_;
  ScxmlReport report_;
  ScxmlNames names_;
  ScxmlContent content_;
  Document document_;
  std::uint64_t counter_ = 0;
  ElementId chart_, wrapper_;
  std::string chart_name_, component_name_, start_;
  std::map<std::string, pugi::xml_node> ids_;
  std::vector<pugi::xml_node> duplicates_;
  std::unordered_map<std::size_t, std::string> names_of_;
  std::unordered_map<std::size_t, ElementId> vertices_, history_;
};

inline constexpr int deepest_scxml_states = 100;

/// Whether an element of that name becomes a state, a region or a final state.
inline bool is_scxml_vertex(std::string_view name) { return name == "state" || name == "parallel" || name == "final"; }

}  // namespace ergode
