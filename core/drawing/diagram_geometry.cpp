#include "core/drawing/diagram_geometry.h"

#include <algorithm>
#include <cmath>

#include "core/document/layout_limits.h"
#include "core/drawing/node_places.h"
#include "core/drawing/picture.h"

namespace ergode {
namespace {

constexpr Font label_font{label_font_size};
constexpr double label_width_limit = 210.0;

/// How many elements of one word a pill names.
constexpr int named_on_pill = 4;

}  // namespace

std::vector<std::string> label_lines(const std::vector<std::string>& parts) {
  std::vector<std::string> lines;
  for (const std::string& part : parts) {
    if (!lines.empty() && text_width(lines.back() + " " + part, label_font) <= label_width_limit) {
      lines.back() += " " + part;
      continue;
    }
    for (std::string& line : wrapped(part, label_font, label_width_limit)) lines.push_back(std::move(line));
  }
  return lines;
}

namespace {

using NamesOnPills = std::unordered_map<std::string, std::string>;

/// By word: the elements that answer to it.
NamesOnPills names_on_pills(const Document& document, const Catalogue& catalogue) {
  NamesOnPills out;
  std::unordered_map<std::string, int> count;
  for (const Element& node : document.elements()) {
    const KindSpec* kind = node.is_node() ? catalogue.kind_of(document, node) : nullptr;
    if (kind == nullptr || kind->pill_property.empty() || !node.has(kind->pill_property)) continue;
    const std::string word = node.text(kind->pill_property);
    std::string& names = out[word];
    const int number = ++count[word];
    if (number <= named_on_pill) names += (names.empty() ? "" : ", ") + node.name();
    if (number == named_on_pill + 1) names += ", ...";
  }
  return out;
}

}  // namespace

DiagramGeometry::DiagramGeometry(const Document& document, ElementId diagram, const Catalogue& catalogue)
    : notation_(catalogue.notation_of(document, diagram)) {
  std::optional<NamesOnPills> names_of_words;  // of the whole model: only for diagrams that ask for it
  std::vector<RoutedNode> boxes;
  for (const NodePlace& place : node_places(document, diagram, catalogue)) {
    const Element* const node = place.node;
    RoutedNode box;
    const KindSpec* spec = kind(*node);
    const bool part = spec != nullptr && spec->compartment;
    box.box = place.box;
    box.centred = spec != nullptr && spec->ports == Ports::centres;
    if (const auto parent = node_index_.find(node->parent); parent != node_index_.end()) box.parent = parent->second;
    node_index_[node->id] = static_cast<int>(nodes_.size());
    nodes_.push_back(node->id);
    if (part) compartments_[node->parent].push_back(node->id);
    composite_.push_back(0);
    if (part) box.container = true, box.title_height = compartment_title_height;
    if (box.parent >= 0) {
      RoutedNode& around = boxes[static_cast<std::size_t>(box.parent)];
      around.container = true;
      around.title_height = std::max(around.title_height, part ? compartment_title_height : title_bar_height);
      composite_[static_cast<std::size_t>(box.parent)] = 1;
    }
    boxes.push_back(box);
  }

  std::unordered_map<std::string, int> told_apart;  // by name
  for (const ElementId id : nodes_) {
    const Element& node = *document.find(id);
    if (const KindSpec* spec = kind(node); spec == nullptr || !spec->told_apart) continue;
    series_[id] = static_cast<int>(told_apart.size());
    told_apart.try_emplace(node.name(), series_[id]);
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
    EdgeWords words;
    const KindSpec* spec = kind(*edge);
    if (spec != nullptr && spec->edge_look) words.look = spec->edge_look(*edge);
    words.lines = label_lines(words.look.label);
    const auto alike = told_apart.find(words.look.like);
    // What leaves one that is told apart looks like it.
    const auto from = words.look.like.empty() ? series_.find(edge->source) : series_.end();
    if (alike != told_apart.end() || from != series_.end()) {
      const int place = alike != told_apart.end() ? alike->second : from->second;
      words.look.role = series_role(static_cast<std::size_t>(place));
      words.look.dash = series_dash(static_cast<std::size_t>(place));
      series_[edge->id] = place;
    }
    for (const std::string& text : words.lines) {
      line.label_width = std::max(line.label_width, text_width(text, label_font) + 6);
      line.label_height += label_font.line_height();
    }
    if (const std::string& word = words.look.pill_of; !word.empty()) {
      if (!names_of_words) names_of_words = names_on_pills(document, catalogue);
      const auto names = names_of_words->find(word);
      words.pill = prefixed(words.look.pill_prefix, names == names_of_words->end() ? word : names->second);
      line.label_width = std::max(line.label_width, text_width(words.pill, label_font) + 2 * pill_padding);
      line.label_height += pill_height + 2;
    }
    if (line.label_height > 0) line.label_height += 2;
    if (words.look.clock) line.label_width += 16;
    words_.push_back(std::move(words));
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

const std::vector<ElementId>& DiagramGeometry::compartments(ElementId node) const {
  static const std::vector<ElementId> none;
  const auto found = compartments_.find(node);
  return found == compartments_.end() ? none : found->second;
}

const DiagramGeometry::EdgeWords& DiagramGeometry::words(ElementId edge) const {
  static const EdgeWords none;
  const auto found = edge_index_.find(edge);
  return found == edge_index_.end() ? none : words_[static_cast<std::size_t>(found->second)];
}

const EdgeLook& DiagramGeometry::look(ElementId edge) const { return words(edge).look; }
const std::vector<std::string>& DiagramGeometry::label(ElementId edge) const { return words(edge).lines; }
const std::string& DiagramGeometry::pill(ElementId edge) const { return words(edge).pill; }

int DiagramGeometry::series(ElementId element) const {
  const auto found = series_.find(element);
  return found == series_.end() ? -1 : found->second;
}

const KindSpec* DiagramGeometry::kind(const Element& element) const {
  return notation_ != nullptr ? notation_->kind(element.kind) : nullptr;
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

}  // namespace ergode
