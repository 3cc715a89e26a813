#include "statecharts/exchange/scxml_rules.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

struct Pair {
  std::string_view element;
  const char *one, *other;
};
/// At most one of both may be there.
constexpr Pair exclusive[] = {{"send", "event", "eventexpr"}, {"send", "target", "targetexpr"},
                              {"send", "type", "typeexpr"},   {"send", "id", "idlocation"},
                              {"send", "delay", "delayexpr"}, {"cancel", "sendid", "sendidexpr"},
                              {"param", "expr", "location"},  {"data", "src", "expr"}};
/// One of both must be there; the same twice: that one.
constexpr Pair required[] = {
    {"cancel", "sendid", "sendidexpr"}, {"param", "name", "name"},   {"param", "expr", "location"},
    {"foreach", "array", "array"},      {"foreach", "item", "item"}, {"if", "cond", "cond"},
    {"elseif", "cond", "cond"},         {"raise", "event", "event"}, {"data", "id", "id"},
    {"assign", "location", "location"}};
struct Words {
  std::string_view element;
  const char* attribute;
  std::array<std::string_view, 2> values;
};
constexpr Words words[] = {{"scxml", "version", {"1.0", "1.0"}},
                           {"scxml", "binding", {"early", "late"}},
                           {"scxml", "datamodel", {"ecmascript", "null"}},
                           {"history", "type", {"shallow", "deep"}},
                           {"transition", "type", {"internal", "external"}}};

struct Shape {
  std::string_view element, attributes, children;  ///< "*": reported where they are read
};
/// Sections 3 to 6. An attribute or element with a prefix is an extension and is passed over.
constexpr Shape shapes[] = {
    {"scxml", "initial name version datamodel binding exmode", "*"},
    {"state", "id initial", "*"},
    {"parallel", "id", "*"},
    {"transition", "event cond target type", "*"},
    {"initial", "", "transition"},
    {"final", "id", "onentry onexit donedata transition"},
    {"onentry", "", "*"},
    {"onexit", "", "*"},
    {"history", "id type", "transition"},
    {"raise", "event", ""},
    {"if", "cond", "*"},
    {"elseif", "cond", ""},
    {"else", "", ""},
    {"foreach", "array item index", "*"},
    {"log", "label expr", ""},
    {"datamodel", "", "*"},
    {"data", "id src expr", "*"},
    {"assign", "location expr attr type", "*"},
    {"donedata", "", "content param"},
    {"content", "expr", "*"},
    {"param", "name expr location", ""},
    {"script", "src", ""},
    {"send", "event eventexpr target targetexpr type typeexpr id idlocation delay delayexpr namelist", "*"},
    {"cancel", "sendid sendidexpr", ""}};

bool listed_in(std::string_view list, std::string_view word) {
  for (const std::string& one : split(std::string(list), ' '))
    if (one == word) return true;
  return false;
}

class Rules {
 public:
  explicit Rules(ScxmlReport& report) : report_(report) {}

  void check(pugi::xml_node node) {
    const std::string_view name = local_name(node);
    for (const Pair& rule : exclusive)
      if (rule.element == name && node.attribute(rule.one) && node.attribute(rule.other))
        forbid(node, std::string("it has both ") + rule.one + " and " + rule.other + "; wanted one of them.");
    for (const Pair& rule : required)
      if (rule.element == name && !node.attribute(rule.one) && !node.attribute(rule.other))
        forbid(node, std::string("it has no ") + rule.one +
                         (rule.one == std::string_view(rule.other) ? "" : std::string(" or ") + rule.other) + ".");
    for (const Words& rule : words) check_word(node, name, rule);
    for (const Shape& shape : shapes)
      if (shape.element == name) check_shape(node, shape);
    check_content(node, name);
    check_place(node, name);
    if (name == "data") check_data(node);
    if (name == "content" || name == "invoke") return;  // documents of their own may stand there
    // No deeper than xml_defect lets pass.
    for (const pugi::xml_node child : node.children())
      if (child.type() == pugi::node_element) check(child);
  }

 private:
  void forbid(pugi::xml_node node, const std::string& what) {
    report_.add(Severity::warning, "SCX017", node, {}, what, true);
  }

  void check_shape(pugi::xml_node node, const Shape& shape) {
    for (const pugi::xml_attribute attribute : node.attributes()) {
      const std::string_view name = attribute.name();
      if (name.find(':') != std::string_view::npos || name == "xmlns" || listed_in(shape.attributes, name)) continue;
      // Published documents have some: it is passed over, as by other interpreters, but not in silence.
      report_.add(Severity::warning, "SCX018", node, {},
                  "it has an attribute \"" + quotable(std::string(name)) + "\", which means nothing there.", false);
    }
    if (shape.children == "*") return;
    for (const pugi::xml_node child : node.children())
      if (child.type() == pugi::node_element && !listed_in(shape.children, local_name(child)))
        forbid(child, "it cannot stand inside " + std::string(shape.element) + ".");
  }

  void check_word(pugi::xml_node node, std::string_view name, const Words& rule) {
    if (rule.element != name || !node.attribute(rule.attribute)) return;
    const std::string value(trimmed(node, rule.attribute));
    if (std::find(rule.values.begin(), rule.values.end(), value) != rule.values.end()) return;
    forbid(node, std::string("its ") + rule.attribute + " is \"" + quotable(value) + "\"; wanted " +
                     std::string(rule.values[0]) +
                     (rule.values[0] == rule.values[1] ? "" : " or " + std::string(rule.values[1])) + ".");
  }

  static int count(pugi::xml_node node, std::string_view name) {
    int out = 0;
    for (const pugi::xml_node child : node.children()) out += local_name(child) == name ? 1 : 0;
    return out;
  }
  static bool has_content(pugi::xml_node node) {
    for (const pugi::xml_node child : node.children())
      if (child.type() == pugi::node_element || !trim(child.value()).empty()) return true;
    return false;
  }

  void check_content(pugi::xml_node node, std::string_view name) {
    const bool expressed = name == "assign" || name == "content" || name == "data";
    if (expressed && node.attribute("expr") && has_content(node))
      forbid(node, "it has both expr and content; wanted one of them.");
    if ((name == "script" || name == "data") && node.attribute("src") && has_content(node))
      forbid(node, "it has both src and content; wanted one of them.");
    if (name != "send" && name != "donedata") return;
    const int contents = count(node, "content");
    if (contents > 1 || (contents == 1 && (count(node, "param") > 0 || node.attribute("namelist"))))
      forbid(node, "its content stands beside other values; wanted it alone.");
    const bool internal = trimmed(node, "target") == "#_internal";
    if (internal && (node.attribute("delay") || node.attribute("delayexpr")))
      forbid(node, "it delays an event for the internal queue, which waits for nothing.");
  }

  void check_place(pugi::xml_node node, std::string_view name) {
    const std::string_view parent = local_name(node.parent());
    if (name == "transition" && (parent == "initial" || parent == "history")) {
      if (node.attribute("event") || node.attribute("cond"))
        forbid(node, "the way to a default state has an event or a condition; wanted neither.");
      if (trimmed(node, "target").empty()) forbid(node, "the way to a default state has no target.");
    } else if (name == "transition" && !node.attribute("event") && !node.attribute("cond") &&
               !node.attribute("target")) {
      forbid(node, "it has no event, no condition and no target; wanted one of them.");
    }
    if ((name == "initial" || name == "history") && count(node, "transition") > 1)
      forbid(node, "it has several ways to a default state; wanted one.");
    if (name == "initial" && count(node, "transition") == 0) forbid(node, "it has no transition.");
    if (name == "state" && node.attribute("initial") && count(node, "initial") > 0)
      forbid(node, "it has an attribute initial and an element initial; wanted one of them.");
    if ((name == "elseif" || name == "else") && parent != "if") forbid(node, "it stands outside an if.");
    if (name == "if") check_branches(node);
  }

  void check_branches(pugi::xml_node node) {
    bool closed = false;
    for (const pugi::xml_node child : node.children()) {
      const std::string_view name = local_name(child);
      if (closed && (name == "elseif" || name == "else")) forbid(child, "it stands behind the else.");
      closed = closed || name == "else";
    }
  }

  void check_data(pugi::xml_node node) {
    const std::string id = node.attribute("id").value();
    if (!id.empty() && !data_.insert(id).second) forbid(node, "data \"" + quotable(id) + "\" are declared twice.");
    if (!id.empty() && !is_ecma_location(id))
      forbid(node,
             "data cannot be called \"" + quotable(id) + "\"; wanted a name that is no word of ECMAScript or SCXML.");
  }

  ScxmlReport& report_;
  std::set<std::string> data_;
};

}  // namespace

void check_scxml_rules(pugi::xml_node root, ScxmlReport& report) { Rules(report).check(root); }

}  // namespace ergode
