// Names in a JMT model: whoever is named is declared, once.
#include <algorithm>
#include <map>
#include <set>

#include "core/base/text_place.h"
#include "solvers/queueing/exchange/jsimg_import.h"

namespace ergode {

using pugi::xml_node;

namespace {

/// What JMT writes as the reference of a class whose customers begin nowhere: who comes to be of it does so there.
constexpr const char* no_stations[] = {"", "ClassSwitch", "Fork", "Scaler", "StatelessLink"};

/// What a node's sections say by class: every class that is named, and the first list in which values and classes do
/// not take turns.
struct ByClass : pugi::xml_tree_walker {
  std::set<std::string> named;
  xml_node broken;

  static bool takes_turns(const xml_node& list) {
    std::set<std::string> seen;
    bool value_next = false;
    for (const xml_node& one : list.children()) {
      if (one.type() != pugi::node_element) continue;
      const bool value = std::string(one.name()) != "refClass";
      if (value != value_next || (!value && !seen.insert(one.child_value()).second)) return false;
      value_next = !value;
    }
    return !value_next;
  }
  bool for_each(xml_node& one) override {
    if (std::string(one.name()) == "refClass") named.insert(one.child_value());
    else if (!broken && one.child("refClass") && !takes_turns(one)) broken = one;
    return true;
  }
};

}  // namespace

void JsimgImport::undeclared(const std::string& at, const std::string& what, const std::string& name,
                             const char* wanted) {
  problems_.push_back({.code = "JMT002",
                       .message = "\"" + quotable(at) + "\": " + what + " is \"" + quotable(name) +
                                  "\", which the file does not declare; wanted a " + wanted + "."});
}

void JsimgImport::check_titles() {
  for (const char* kind : {"userClass", "node"}) {
    std::map<std::string, int> seen;
    for (const xml_node& one : sim_.children(kind))
      if (const std::string title = one.attribute("name").value(); title.empty() || ++seen[title] == 2)
        problems_.push_back({.code = "JMT002",
                             .message = title.empty() ? "A <" + std::string(kind) + "> has no name; wanted one."
                                                      : "\"" + quotable(title) + "\": Two of <" + std::string(kind) +
                                                            "> have this name; wanted one of their own each."});
  }
}

bool JsimgImport::check_names() {
  check_titles();
  std::set<std::string> classes, nodes;
  for (const xml_node& one : sim_.children("userClass")) classes.insert(one.attribute("name").value());
  for (const xml_node& one : sim_.children("node")) nodes.insert(one.attribute("name").value());
  const auto of_class = [&](const std::string& at, const std::string& what, const std::string& name) {
    if (classes.count(name) == 0) undeclared(at, what, name, "class (<userClass>)");
  };
  const auto of_node = [&](const std::string& at, const std::string& what, const std::string& name) {
    if (nodes.count(name) == 0) undeclared(at, what, name, "node (<node>)");
  };
  for (const xml_node& one : sim_.children("userClass")) {
    const std::string reference = one.attribute("referenceSource").value();
    if (std::find(std::begin(no_stations), std::end(no_stations), reference) == std::end(no_stations))
      of_node(one.attribute("name").value(), "The reference of this class", reference);
  }
  for (const xml_node& one : sim_.children("node")) {
    const std::string title = one.attribute("name").value();
    ByClass walk;
    xml_node all = one;
    all.traverse(walk);
    for (const std::string& name : walk.named) of_class(title, "The class of a parameter", name);
    if (walk.broken)
      problems_.push_back({.code = "JMT002",
                           .message = "\"" + quotable(title) + "\": The values of \"" +
                                      quotable(walk.broken.attribute("name").value()) +
                                      "\" are not one for each class; wanted <refClass> before each, a class once."});
  }
  for (const xml_node& one : sim_.children("connection")) {
    const std::string source = one.attribute("source").value(), target = one.attribute("target").value();
    const std::string at = source + " → " + target;
    of_node(at, "The source of this connection", source);
    of_node(at, "The target of this connection", target);
    targets_[source].push_back(target);
  }
  for (const xml_node& one : sim_.child("preload").children("stationPopulations")) {
    const std::string station = one.attribute("stationName").value();
    of_node("preload", "A station", station);
    for (const xml_node& part : one.children("classPopulation"))
      of_class(station, "The class of customers put there", part.attribute("refClass").value());
  }
  for (const xml_node& one : sim_.children("blockingRegion"))
    for (const xml_node& part : one.children())
      if (const pugi::xml_attribute name = part.attribute("jobClass"))
        of_class(one.attribute("name").value(), "The class of its <" + std::string(part.name()) + ">", name.value());
  return !has_errors(problems_);
}

}  // namespace ergode
