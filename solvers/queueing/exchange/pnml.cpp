// Place/transition nets of the Petri Net Markup Language.
#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <utility>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/queueing/exchange/file_numbers.h"
#include "solvers/queueing/exchange/measure_all.h"
#include "solvers/queueing/exchange/network_drawing.h"
#include "solvers/queueing/exchange/network_readers.h"

namespace ergode {
namespace {

using pugi::xml_node;

/// <name><text>...</text></name>; before the standard it was <value>. Nothing where there is no such label.
std::optional<std::string> label_of(const xml_node& node, const char* what) {
  const xml_node one = node.child(what), text = one.child("text");
  if (!one) return std::nullopt;
  return std::string(trim((text ? text : one.child("value")).child_value()));
}
std::string label(const xml_node& node, const char* what) { return label_of(node, what).value_or(""); }

class PnmlImport {
 public:
  explicit PnmlImport(const std::string& name) : drawing_(name) {}
  ReadOutcome read(const xml_node& net) {
    // Pages hold elements, and further pages.
    nodes(net);
    check_references();
    arcs(net);
    hold_capacities();
    say_left_out();
    drawing_.run_for(10000, 10);
    measure_all(drawing_);
    ReadOutcome out;
    const bool whole = !has_errors(problems_);
    out.diagnostics = std::move(problems_);
    if (whole) out.document = std::move(drawing_.document());
    return out;
  }

 private:
  struct Node {
    ElementId element;
    std::string kind, id;
  };
  /// What arcs between a place and a transition come to.
  struct Between {
    std::uint64_t takes = 0, brings = 0;
    ElementId inhibitor;  ///< the flow that holds the transition back
    std::uint64_t held_at = 0;
  };
  struct LeftOut {
    std::size_t count = 0;
    std::string first;
  };
  struct Reference {
    std::string to, kind;
  };
  static constexpr double most_tokens = 1e9, most_at_once = 1e6;

  void refuse(const std::string& id, const std::string& message) {
    problems_.push_back({.code = "PNM002", .message = "\"" + id + "\": " + message});
  }
  Point place_of(const std::string& id, const xml_node& node) {
    // So that what is made of it lies where there can be something (layout_limit).
    constexpr NumberRange drawn{-1e5, 1e5};
    const xml_node at = node.child("graphics").child("position");
    const auto read = [&](const char* name) {
      const pugi::xml_attribute given = at.attribute(name);
      if (!given) return 0.0;
      return numbers_.number(given.value(), id, "The " + std::string(name) + " of its position", drawn).value_or(0.0);
    };
    return {1.5 * read("x") + 60, 1.5 * read("y") + 60};
  }
  /// A marking or a weight; no label: `otherwise`. @returns nothing where it was refused
  std::optional<std::uint64_t> number(const std::string& id, const char* what, const std::optional<std::string>& text,
                                      std::uint64_t otherwise, double least, double most) {
    if (!text) return otherwise;
    const auto value = numbers_.number(*text, id, what, {least, most, true});
    return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
  }
  void add(const std::string& id, const char* kind, const std::string& title, Value properties, const xml_node& one) {
    const ElementId made = drawing_.node(kind, title, std::move(properties), place_of(id, one));
    if (id.empty()) return refuse(id, "A " + std::string(kind) + " has no id; wanted one, by which arcs name it.");
    if (!ids_.emplace(id, Node{made, kind, id}).second || references_.contains(id))
      refuse(id, "Two nodes have this id; wanted one of their own each.");
  }
  /// The node of an id, by references from page to page. @returns null: there is none
  const Node* node_of(std::string id) {
    for (std::size_t step = 0; step <= references_.size(); ++step) {
      const auto reference = references_.find(id);
      if (reference == references_.end()) break;
      id = reference->second.to;
    }
    const auto found = ids_.find(id);
    return found == ids_.end() ? nullptr : &found->second;
  }
  void check_references() {
    for (const auto& [id, reference] : references_) {
      const Node* node = node_of(id);
      if (node == nullptr)
        refuse(id, "It stands for \"" + reference.to + "\", which leads to no " + reference.kind + " of the net.");
      else if (node->kind != reference.kind)
        refuse(id, "It stands for a " + node->kind + "; wanted a " + reference.kind + ".");
    }
  }
  /// Labels that nobody here reads.
  void look_at_labels(const xml_node& node, const std::string& id, std::initializer_list<const char*> read) {
    for (const xml_node& one : node.children()) {
      if (one.type() != pugi::node_element) continue;
      std::string label = one.name();
      if (label == "graphics" || label == "name" || std::find(read.begin(), read.end(), label) != read.end()) continue;
      if (label == "toolspecific") label = std::string("what the tool \"") + one.attribute("tool").value() + "\" keeps";
      else label = "the label \"" + label + "\"";
      LeftOut& seen = left_out_[label];
      if (seen.count++ == 0) seen.first = id;
    }
  }
  void say_left_out() {
    for (const auto& [label, seen] : left_out_)
      problems_.push_back(
          {.severity = Severity::warning,
           .code = "PNM003",
           .message = "\"" + seen.first + "\": " + label +
                      (seen.count > 1 ? " there and at " + std::to_string(seen.count - 1) + " more" : "") +
                      " is left out: a place/transition net has places, tokens, capacities, transitions "
                      "and arcs."});
  }
  /// Of a place that may hold so many at most: who would bring more is held back by it.
  void hold_capacities() {
    for (const auto& [pair, arcs] : between_) {
      const auto& [place, transition] = pair;
      const auto most = capacities_.find(place);
      if (most == capacities_.end() || arcs.brings <= arcs.takes) continue;
      if (arcs.brings > most->second) {
        refuse(place, "Its capacity is " + std::to_string(most->second) + ", and \"" + transition + "\" brings " +
                          std::to_string(arcs.brings) + " at once; wanted a transition that can fire.");
        continue;
      }
      const std::uint64_t held_at = most->second - arcs.brings + arcs.takes + 1;
      if (arcs.inhibitor && arcs.held_at <= held_at) continue;
      if (arcs.inhibitor) drawing_.set(arcs.inhibitor, "count", std::to_string(held_at));
      else
        drawing_.flow(ids_.at(place).element, ids_.at(transition).element,
                      {{"inhibits", "true"}, {"count", std::to_string(held_at)}});
    }
  }
  void nodes(const xml_node& within) {
    for (const xml_node& one : within.children()) {
      const std::string kind = one.name(), id = one.attribute("id").value();
      std::string title = label(one, "name");
      if (title.empty()) title = id;
      if (kind == "page") nodes(one);
      if (kind == "place") {
        const std::optional<std::string> tokens = label_of(one, "initialMarking");
        Value properties = Value::object();
        const auto n = number(id, "The marking", tokens, 0, 0, most_tokens);
        if (n && *n > 0) properties["tokens"] = std::to_string(*n);
        const std::optional<std::string> room = label_of(one, "capacity");
        if (const auto k = number(id, "The capacity", room, 0, 0, most_tokens); k && *k > 0) {  // 0: any number
          capacities_[id] = *k;
          if (n && *n > *k)
            refuse(id,
                   "There are " + std::to_string(*n) + " tokens in a place of capacity " + std::to_string(*k) + ".");
        }
        look_at_labels(one, id, {"initialMarking", "capacity"});
        add(id, "place", title, std::move(properties), one);
      }
      if (kind == "transition") look_at_labels(one, id, {});
      if (kind == "transition") add(id, "transition", title, {{"time", "exponential(mean = 1 s)"}}, one);
      if (kind == "referencePlace" || kind == "referenceTransition") {
        const Reference made{one.attribute("ref").value(), kind == "referencePlace" ? "place" : "transition"};
        if (!references_.emplace(id, made).second || ids_.contains(id))
          refuse(id, "Two nodes have this id; wanted one of their own each.");
      }
    }
  }
  void arcs(const xml_node& within) {
    for (const xml_node& one : within.children()) {
      if (one.name() == std::string("page")) arcs(one);
      if (one.name() != std::string("arc")) continue;
      const std::string id = one.attribute("id").value(), type = label(one, "type");
      const Node *from = node_of(one.attribute("source").value()), *to = node_of(one.attribute("target").value());
      if (from == nullptr || to == nullptr) {
        refuse(id, "It leads from or to nothing that is known.");
        continue;
      }
      if (const std::string why = drawing_.why_not(from->element, to->element); !why.empty()) {
        refuse(id, why);
        continue;
      }
      look_at_labels(one, id, {"inscription", "type"});
      Value properties = Value::object();
      const auto n = number(id, "The weight", label_of(one, "inscription"), 1, 1, most_at_once);
      if (n && *n > 1) properties["count"] = std::to_string(*n);
      const bool inhibits =
          type == "inhibitor" || one.child("type").attribute("value").value() == std::string("inhibitor");
      if (inhibits) properties["inhibits"] = "true";
      else if (!type.empty() && type != "normal") refuse(id, "An arc of type \"" + type + "\" does not map.");
      const ElementId flow = drawing_.flow(from->element, to->element, std::move(properties));
      const bool out = from->kind == "place";
      Between& here = between_[out ? std::pair(from->id, to->id) : std::pair(to->id, from->id)];
      if (inhibits) here.inhibitor = flow, here.held_at = n.value_or(1);
      else (out ? here.takes : here.brings) += n.value_or(1);
    }
  }

  NetworkDrawing drawing_;
  Diagnostics problems_;
  FileNumbers numbers_{problems_, "PNM002"};
  std::map<std::string, Node> ids_;
  std::map<std::string, Reference> references_;
  std::map<std::string, std::uint64_t> capacities_;
  std::map<std::pair<std::string, std::string>, Between> between_;  ///< by place and transition
  std::map<std::string, LeftOut> left_out_;                         ///< by label
};

}  // namespace

ReadOutcome read_pnml(const xml_node& file, const std::string& name) {
  const xml_node net = file.child("pnml").child("net");
  ReadOutcome out;
  if (!net) {
    out.diagnostics.push_back({.code = "PNM001", .message = "There is no net in the file; wanted <net> below <pnml>."});
    return out;
  }
  const std::string type = net.attribute("type").value();
  if (type.find("ptnet") == std::string::npos && type.find("PTNet") == std::string::npos &&
      type.find("P/T") == std::string::npos && type.find("pnmlcoremodel") == std::string::npos && !type.empty())
    out.diagnostics.push_back(
        {.code = "PNM002", .message = "The net is of type \"" + type + "\"; wanted a place/transition net."});
  const auto named = [](const xml_node& one) {
    const std::string title = label(one, "name"), id = one.attribute("id").value();
    return "\"" + (title.empty() ? id : title) + "\"";
  };
  for (xml_node other = net.next_sibling("net"); other; other = other.next_sibling("net"))
    out.diagnostics.push_back({.severity = Severity::warning,
                               .code = "PNM003",
                               .message = "The net " + named(other) +
                                          " is left out: a file is imported as one net, here " + named(net) + "."});
  ReadOutcome read = PnmlImport(name).read(net);
  read.diagnostics.insert(read.diagnostics.begin(), out.diagnostics.begin(), out.diagnostics.end());
  if (has_errors(read.diagnostics)) read.document.reset();
  return read;
}

}  // namespace ergode
