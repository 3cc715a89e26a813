#include "statecharts/exchange/chart_layout.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace ergode {
namespace {

constexpr double header = 44, margin = 24, gap_x = 110, gap_y = 44;
constexpr std::size_t widest = 6;  // columns before a row of states goes on below

struct Size {
  double width = 0, height = 0;
};

class Layouter {
 public:
  Layouter(Document& document, ElementId diagram) : document_(document), diagram_(diagram) {
    for (const Element* node : document.nodes(diagram)) {
      children_[node->parent].push_back(node);
      parents_[node->id] = node->parent;
    }
    for (const Element* edge : document.edges(diagram)) note_edge(edge->source, edge->target);
  }

  void run() {
    const Size chart = measure({});
    place({}, 20, 20);
    double y = 40;
    for (const Element* node : children_[ElementId()])
      if (node->kind == "variable") bounds_[node->id] = Rect{chart.width + 80, y, 200, 30}, y += 44;
    for (const auto& [id, bounds] : bounds_) {
      Element after = *document_.find(id);
      after.layout.bounds = bounds;
      document_.replace(document_.index_of(id), std::move(after));
    }
  }

 private:
  static Size own_size(const Element& node) {
    if (node.kind == "initial") return {20, 20};
    if (node.kind == "final" || node.kind == "history") return {28, 28};
    if (node.kind == "choice" || node.kind == "junction") return {30, 30};
    if (node.kind == "bar") return {10, 80};
    const double letters =
        static_cast<double>(std::max(node.name().size(), std::min<std::size_t>(node.text("entry").size(), 40)));
    return {std::max(140.0, 40 + 8 * letters), node.has("entry") || node.has("exit") ? 80.0 : 60.0};
  }

  std::vector<ElementId> around(ElementId at) const {
    std::vector<ElementId> out;
    for (auto found = parents_.find(at); found != parents_.end(); found = parents_.find(at)) {
      out.push_back(at);
      at = found->second;
    }
    return out;
  }
  // An edge matters in one place: the innermost container around both ends, between the two children that lead to them.
  void note_edge(ElementId source, ElementId target) {
    const std::vector<ElementId> from = around(source), to = around(target);
    std::size_t same = 0;
    while (same < from.size() && same < to.size() && from[from.size() - 1 - same] == to[to.size() - 1 - same]) ++same;
    if (same == from.size() || same == to.size()) return;
    const ElementId container = same == 0 ? ElementId() : from[from.size() - same];
    edges_[container].push_back({from[from.size() - 1 - same], to[to.size() - 1 - same]});
  }

  // Columns of a container: by distance from its initial vertex; what cannot be reached comes behind.
  std::vector<std::vector<const Element*>> columns(ElementId container) {
    std::vector<const Element*> vertices;
    std::unordered_map<ElementId, std::size_t> rank;
    std::vector<ElementId> open;
    for (const Element* child : children_[container]) {
      if (child->kind == "variable") continue;
      vertices.push_back(child);
      if (child->kind == "initial") rank[child->id] = 0, open.push_back(child->id);
    }
    std::unordered_map<ElementId, std::vector<ElementId>> next;
    for (const auto& [from, to] : edges_[container]) next[from].push_back(to);
    std::size_t last = 0;
    const auto spread = [&] {
      for (std::size_t i = 0; i < open.size(); ++i)
        for (const ElementId to : next[open[i]])
          if (rank.try_emplace(to, rank[open[i]] + 1).second) last = std::max(last, rank[to]), open.push_back(to);
      open.clear();
    };
    spread();
    for (const Element* vertex : vertices)
      if (rank.try_emplace(vertex->id, last == 0 && rank.empty() ? 0 : last + 1).second) {
        last = std::max(last, rank[vertex->id]);
        open.push_back(vertex->id);
        spread();
      }
    std::vector<std::vector<const Element*>> out(last + 1);
    for (const Element* vertex : vertices) out[rank[vertex->id]].push_back(vertex);
    return out;
  }

  Size measure(ElementId container) {
    const auto found = children_.find(container);
    if (found == children_.end()) return {};
    bool regions = false;
    for (const Element* child : found->second) regions = regions || child->kind == "region";
    for (const Element* child : found->second) {
      Size size = own_size(*child);
      const Size inside = measure(child->id);
      size.width = std::max(size.width, inside.width), size.height = std::max(size.height, inside.height);
      sizes_[child->id] = size;
    }
    if (regions) {
      double width = 0;
      for (const Element* child : found->second)
        if (child->kind == "region") width = std::max(width, sizes_[child->id].width);
      double y = header;
      std::vector<std::pair<const Element*, Rect>>& plan = plans_[container];
      double x = margin;
      for (const Element* child : found->second)
        if (child->kind != "region" && child->kind != "variable") {
          plan.push_back({child, {x, y, sizes_[child->id].width, sizes_[child->id].height}});
          x += sizes_[child->id].width + margin;
        }
      if (x > margin) y += 40;
      for (const Element* child : found->second)
        if (child->kind == "region") {
          sizes_[child->id].width = width;
          plan.push_back({child, {margin, y, width, sizes_[child->id].height}});
          y += sizes_[child->id].height + 16;
        }
      return {std::max(width, x) + 2 * margin, y + margin - 16};
    }
    double x = margin, y = header, row_height = 0, width = 0;
    std::size_t in_row = 0;
    for (const auto& column : columns(container)) {
      if (column.empty()) continue;
      if (in_row == widest) x = margin, y += row_height + 2 * gap_y, row_height = 0, in_row = 0;
      double column_width = 0, height = 0;
      for (const Element* vertex : column) column_width = std::max(column_width, sizes_[vertex->id].width);
      for (const Element* vertex : column) {
        const Size size = sizes_[vertex->id];
        const bool small = size.width <= 30;
        plans_[container].push_back(
            {vertex, {x + (column_width - size.width) / 2, y + height + (small ? 20 : 0), size.width, size.height}});
        height += size.height + gap_y + (small ? 20 : 0);
      }
      row_height = std::max(row_height, height - gap_y);
      width = std::max(width, x + column_width);
      x += column_width + gap_x;
      ++in_row;
    }
    return {width + margin, y + row_height + margin};
  }

  void place(ElementId container, double x, double y) {
    for (const auto& [element, rect] : plans_[container]) {
      bounds_[element->id] = Rect{x + rect.x, y + rect.y, rect.width, rect.height};
      place(element->id, x + rect.x, y + rect.y);
    }
  }

  Document& document_;
  ElementId diagram_;
  std::unordered_map<ElementId, std::vector<const Element*>> children_;
  std::unordered_map<ElementId, ElementId> parents_;
  std::unordered_map<ElementId, std::vector<std::pair<ElementId, ElementId>>> edges_;  ///< by container
  std::unordered_map<ElementId, Size> sizes_;
  std::unordered_map<ElementId, std::vector<std::pair<const Element*, Rect>>> plans_;
  std::map<ElementId, Rect> bounds_;
};

}  // namespace

void layout_chart(Document& document, ElementId diagram) { Layouter(document, diagram).run(); }

}  // namespace ergode
