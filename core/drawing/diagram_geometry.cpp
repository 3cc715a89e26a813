#include "core/drawing/diagram_geometry.h"

#include <algorithm>
#include <cmath>

#include "core/document/layout_limits.h"
#include "core/drawing/picture.h"

namespace ergode {
namespace {

constexpr Font label_font{label_font_size};
constexpr double label_width_limit = 210.0;

/// Size of a node that has never been placed.
Point default_size(const std::string& kind) {
  if (kind == "initial") return {20, 20};
  if (kind == "final") return {24, 24};
  if (kind == "choice") return {30, 30};
  if (kind == "history") return {26, 26};
  if (kind == "junction") return {12, 12};
  if (kind == "bar") return {8, 80};
  if (is_point_kind(kind)) return {18, 18};
  if (kind == "component") return {160, 70};
  if (kind == "ccf_group") return {150, 44};
  if (kind == "note") return {180, 60};
  if (kind == "variable") return {160, 30};
  if (kind == "region") return {240, 160};
  return {140, 60};
}

std::string between_parentheses(const std::string& text, std::size_t open) {
  const std::size_t close = text.find(')', open);
  std::string inner = text.substr(open + 1, close == std::string::npos ? std::string::npos : close - open - 1);
  std::erase(inner, ' ');
  return inner;
}

/// How many groups of one cause a pill names.
constexpr int named_groups = 4;

}  // namespace

std::string transition_label(const Element& transition) {
  std::string label = transition.text("trigger");
  const std::string guard = transition.text("guard"), action = transition.text("action");
  if (!guard.empty()) label += (label.empty() ? "[" : " [") + guard + "]";
  if (!action.empty()) label += (label.empty() ? "/ " : " / ") + action;
  return label;
}

std::vector<std::string> transition_label_lines(const Element& transition) {
  std::vector<std::string> parts, lines;
  const std::string trigger = transition.text("trigger"), guard = transition.text("guard"),
                    action = transition.text("action");
  if (!trigger.empty()) parts.push_back(trigger);
  if (!guard.empty()) parts.push_back("[" + guard + "]");
  if (!action.empty()) parts.push_back("/ " + action);
  // What differs from the default is drawn, as UML writes constraints.
  std::string constraints;
  const auto constrain = [&](const std::string& text) { constraints += (constraints.empty() ? "" : ", ") + text; };
  if (transition.text("type") == "internal") constrain("internal");
  if (transition.text("memory") == "resume") constrain("resume");
  if (const std::string priority = transition.text("priority"); !priority.empty() && priority != "0")
    constrain("priority " + priority);
  if (!constraints.empty()) parts.push_back("{" + constraints + "}");
  for (const std::string& part : parts) {
    if (!lines.empty() && text_width(lines.back() + " " + part, label_font) <= label_width_limit) {
      lines.back() += " " + part;
      continue;
    }
    for (std::string& line : wrapped(part, label_font, label_width_limit)) lines.push_back(std::move(line));
  }
  return lines;
}

std::string common_cause_of(const Element& transition) {
  for (const char* property : {"trigger", "guard"}) {
    const std::string text = transition.text(property);
    const std::size_t at = text.find("ccf(");
    if (at != std::string::npos) return between_parentheses(text, at + 3);
  }
  return {};
}

std::string group_badge(const std::string& name) { return name.starts_with("CCF") ? name : "CCF " + name; }

namespace {

using NamesOfGroups = std::unordered_map<std::string, std::string>;

/// By cause: the common-cause groups that have it.
NamesOfGroups names_of_groups(const Document& document) {
  NamesOfGroups out;
  std::unordered_map<std::string, int> groups;
  for (const Element& node : document.elements()) {
    if (!node.is_node() || node.kind != "ccf_group" || !node.has("cause")) continue;
    std::string& names = out[node.text("cause")];
    const int number = ++groups[node.text("cause")];
    if (number <= named_groups) names += (names.empty() ? "" : ", ") + node.name();
    if (number == named_groups + 1) names += ", ...";
  }
  return out;
}

}  // namespace

DiagramGeometry::DiagramGeometry(const Document& document, ElementId diagram) {
  std::unordered_map<ElementId, std::vector<const Element*>> contents;  // siblings in document order
  for (const Element* node : document.nodes(diagram)) contents[node->parent].push_back(node);
  std::optional<NamesOfGroups> group_of_cause;  // of the whole model: only for diagrams that ask for it

  // Parents before children, each with all it contains before its next sibling.
  constexpr int deepest = 64;
  std::vector<const Element*> drawn;
  std::vector<std::pair<const Element*, int>> open;
  const auto descend = [&](ElementId parent, int depth) {
    const auto found = contents.find(parent);
    if (found == contents.end() || depth > deepest) return;
    for (auto child = found->second.rbegin(); child != found->second.rend(); ++child) open.emplace_back(*child, depth);
  };
  descend({}, 0);
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    drawn.push_back(node);
    descend(node->id, depth + 1);
  }
  const auto placed = [](const Element& node) { return node.layout.bounds && drawable(*node.layout.bounds); };
  double below = 40.0;
  std::size_t unplaced = 0;
  for (const Element* node : drawn)
    if (placed(*node)) below = std::max(below, node->layout.bounds->bottom() + 40.0);
    else ++unplaced;
  // What has no place stands in rows below the rest.
  const double row_end = 220.0 * std::max(20.0, std::ceil(std::sqrt(static_cast<double>(unplaced))));
  double beside = 40.0, row_height = 0.0;
  std::vector<RoutedNode> boxes;
  for (const Element* node : drawn) {
    RoutedNode box;
    const Point size = default_size(node->kind);
    if (placed(*node)) {
      box.box = *node->layout.bounds;
    } else {
      box.box = {beside, below, size.x, size.y};
      row_height = std::max(row_height, size.y);
      beside += size.x + 40.0;
      if (beside > row_end) beside = 40.0, below += row_height + 40.0, row_height = 0.0;
    }
    box.centred = (is_point_kind(node->kind) && node->kind != "bar") || node->kind == "ccf_group";
    if (const auto parent = node_index_.find(node->parent); parent != node_index_.end()) box.parent = parent->second;
    node_index_[node->id] = static_cast<int>(nodes_.size());
    nodes_.push_back(node->id);
    if (node->kind == "region") regions_[node->parent].push_back(node->id);
    composite_.push_back(0);
    if (node->kind == "region") box.container = true, box.title_height = 22;
    if (box.parent >= 0) {
      RoutedNode& around = boxes[static_cast<std::size_t>(box.parent)];
      around.container = true;
      around.title_height = std::max(around.title_height, node->kind == "region" ? 22.0 : title_bar_height);
      composite_[static_cast<std::size_t>(box.parent)] = 1;
    }
    boxes.push_back(box);
  }

  incident_.resize(boxes.size());
  std::vector<RoutedEdge> lines;
  for (const Element* edge : document.edges(diagram)) {
    const auto source = node_index_.find(edge->source), target = node_index_.find(edge->target);
    if (source == node_index_.end() || target == node_index_.end()) continue;
    RoutedEdge line;
    line.source = source->second;
    line.target = target->second;
    Layout layout = drawable_part(edge->layout);
    line.way_points = std::move(layout.way_points);
    line.label_offset = layout.label_offset;
    for (const std::string& text : transition_label_lines(*edge)) {
      line.label_width = std::max(line.label_width, text_width(text, label_font) + 6);
      line.label_height += label_font.line_height();
    }
    if (const std::string cause = common_cause_of(*edge); !cause.empty()) {
      if (!group_of_cause) group_of_cause = names_of_groups(document);
      const auto group = group_of_cause->find(cause);
      std::string& pill = pills_[edge->id];
      pill = group_badge(group == group_of_cause->end() ? cause : group->second);
      line.label_width = std::max(line.label_width, text_width(pill, label_font) + 2 * pill_padding);
      line.label_height += pill_height + 2;
    }
    if (line.label_height > 0) line.label_height += 2;
    // A clock glyph stands before the text of a timeout.
    if (edge->text("trigger").starts_with("after")) line.label_width += 16;
    const int index = static_cast<int>(edges_.size());
    incident_[static_cast<std::size_t>(line.source)].push_back(index);
    if (line.source != line.target) incident_[static_cast<std::size_t>(line.target)].push_back(index);
    edge_index_[edge->id] = index;
    edges_.push_back(edge->id);
    lines.push_back(std::move(line));
  }
  router_ = std::make_unique<OrthogonalRouter>(std::move(boxes), std::move(lines));
}

Rect DiagramGeometry::box(ElementId node) const {
  const auto found = node_index_.find(node);
  return found == node_index_.end() ? Rect{} : router_->node(found->second).box;
}

const EdgeRoute* DiagramGeometry::route(ElementId edge) const {
  const auto found = edge_index_.find(edge);
  return found == edge_index_.end() ? nullptr : &router_->route(found->second);
}

bool DiagramGeometry::composite(ElementId node) const {
  const auto found = node_index_.find(node);
  return found != node_index_.end() && composite_[static_cast<std::size_t>(found->second)] != 0;
}

const std::vector<ElementId>& DiagramGeometry::regions(ElementId node) const {
  static const std::vector<ElementId> none;
  const auto found = regions_.find(node);
  return found == regions_.end() ? none : found->second;
}

const std::string& DiagramGeometry::pill(ElementId edge) const {
  static const std::string none;
  const auto found = pills_.find(edge);
  return found == pills_.end() ? none : found->second;
}

std::vector<ElementId> DiagramGeometry::move(const std::vector<std::pair<ElementId, Rect>>& boxes) {
  std::vector<int> edges;
  for (const auto& [id, box] : boxes) {
    const auto found = node_index_.find(id);
    if (found == node_index_.end()) continue;
    router_->set_box(found->second, box);
    const auto& incident = incident_[static_cast<std::size_t>(found->second)];
    edges.insert(edges.end(), incident.begin(), incident.end());
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  router_->reroute(edges);
  std::vector<ElementId> changed;
  for (const int e : edges) changed.push_back(edges_[static_cast<std::size_t>(e)]);
  return changed;
}

bool is_point_kind(std::string_view kind) {
  static constexpr std::string_view kinds[] = {"initial",  "final",       "choice",     "history",  "bar",
                                               "junction", "entry_point", "exit_point", "terminate"};
  return std::find(std::begin(kinds), std::end(kinds), kind) != std::end(kinds);
}

}  // namespace ergode
