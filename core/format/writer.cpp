#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/base/atomic_file.h"
#include "core/base/sha256.h"
#include "core/format/hash.h"
#include "core/format/model_file.h"

namespace ergode {
namespace {

Value line_of(const Element& element) {
  Value out = Value::object();
  out["id"] = element.id.text();
  const bool drawn = element.is_node() || element.is_edge();
  if (drawn) out["kind"] = element.kind;
  if (element.is_node() && element.parent) out["parent"] = element.parent.text();
  if (element.is_edge()) out["source"] = element.source.text(), out["target"] = element.target.text();
  for (const auto& [key, value] : element.properties.items()) out[key] = value;
  return out;
}

Value layout_of(const Layout& layout) {
  // Whole numbers are written without a fraction: diffs of a moved node stay short.
  const auto number = [](double v) -> Value {
    if (std::abs(v) < 1e15 && v == std::floor(v)) return static_cast<long long>(v);
    return v;
  };
  if (layout.bounds) {
    const Rect& b = *layout.bounds;
    return Value::array({number(b.x), number(b.y), number(b.width), number(b.height)});
  }
  Value out = Value::object();
  if (!layout.way_points.empty()) {
    out["points"] = Value::array();
    for (const Point& p : layout.way_points) out["points"].push_back(Value::array({number(p.x), number(p.y)}));
  }
  if (layout.label_offset)
    out["label"] = Value::array({number(layout.label_offset->x), number(layout.label_offset->y)});
  return out;
}

// A place that is no number is left out: JSON has no word for it, and the element is then placed automatically.
bool finite(const Layout& layout) {
  const auto ok = [](const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); };
  if (layout.bounds && !(ok({layout.bounds->x, layout.bounds->y}) && ok({layout.bounds->width, layout.bounds->height})))
    return false;
  if (layout.label_offset && !ok(*layout.label_offset)) return false;
  return std::all_of(layout.way_points.begin(), layout.way_points.end(), ok);
}

void write_lines(std::string& out, const std::string& indent, const std::vector<Value>& lines) {
  out += "[";
  for (std::size_t i = 0; i < lines.size(); ++i) out += (i == 0 ? "\n" : ",\n") + indent + "  " + lines[i].dump();
  out += lines.empty() ? "]" : "\n" + indent + "]";
}

struct Style {
  bool layout = true;
  bool remarks = true;
};

std::string write(const Document& document, Style style) {
  const auto line = [&](const Element& element) {
    Value out = line_of(element);
    if (!style.remarks) out.erase("description"), out.erase("question");
    return out;
  };
  const auto lines = [&](Section section) {
    std::vector<Value> out;
    for (const Element* element : document.of(section)) out.push_back(line(*element));
    return out;
  };
  std::string out = "{\n  \"format\": \"ergode-model\",\n  \"schema\": " + std::to_string(schema_version) + ",\n";
  out += "  \"model\": " + line(document.model()).dump();
  const std::pair<const char*, Section> before[] = {{"parameters", Section::parameter}};
  const std::pair<const char*, Section> after[] = {{"measures", Section::measure},
                                                   {"scenarios", Section::scenario},
                                                   {"studies", Section::study},
                                                   {"exclusions", Section::exclusion}};
  const auto begin_list = [&](const char* key) { out.append(",\n  \"").append(key).append("\": "); };
  for (const auto& [key, section] : before) {
    begin_list(key);
    write_lines(out, "  ", lines(section));
  }
  // One walk for all diagrams: a model may have as many of them as elements.
  std::unordered_map<ElementId, std::pair<std::vector<const Element*>, std::vector<const Element*>>> drawn;
  for (const Element& element : document.elements()) {
    if (element.is_node()) drawn[element.diagram].first.push_back(&element);
    if (element.is_edge()) drawn[element.diagram].second.push_back(&element);
  }
  out += ",\n  \"diagrams\": [";
  bool first = true;
  for (const Element* diagram : document.of(Section::diagram)) {
    std::string head = line(*diagram).dump();
    head.pop_back();
    out += std::string(first ? "\n" : ",\n") + "    " + head + ",\n      \"nodes\": ";
    std::vector<Value> nodes, edges;
    for (const Element* node : drawn[diagram->id].first)
      if (style.remarks || node->kind != "note") nodes.push_back(line(*node));
    for (const Element* edge : drawn[diagram->id].second) edges.push_back(line(*edge));
    write_lines(out, "      ", nodes);
    out += ",\n      \"edges\": ";
    write_lines(out, "      ", edges);
    out += "}";
    first = false;
  }
  out += first ? "]" : "\n  ]";
  for (const auto& [key, section] : after) {
    begin_list(key);
    write_lines(out, "  ", lines(section));
  }
  for (const auto& [key, value] : document.unknown().items()) out += ",\n  " + Value(key).dump() + ": " + value.dump();
  if (style.layout) {
    out += ",\n  \"layout\": {";
    first = true;
    const auto place = [&](const Element& element) {
      if (element.layout.empty() || !finite(element.layout)) return;
      out +=
          std::string(first ? "\n" : ",\n") + "    \"" + element.id.text() + "\": " + layout_of(element.layout).dump();
      first = false;
    };
    // In the order of the lines above, not in that of editing: what is read back is written the same.
    const auto place_all = [&](const std::vector<const Element*>& elements) {
      for (const Element* element : elements) place(*element);
    };
    place(document.model());
    for (const auto& [key, section] : before) place_all(document.of(section));
    for (const Element* diagram : document.of(Section::diagram)) {
      place(*diagram);
      place_all(drawn[diagram->id].first);
      place_all(drawn[diagram->id].second);
    }
    for (const auto& [key, section] : after) place_all(document.of(section));
    out += first ? "}" : "\n  }";
  }
  return out + "\n}\n";
}

}  // namespace

std::string write_model(const Document& document) { return write(document, {}); }

std::optional<Diagnostic> save_model(const Document& document, const std::string& path) {
  std::optional<Diagnostic> problem = write_file_atomically(path, write_model(document));
  if (problem) problem->code = "FMT009";
  return problem;
}

std::string file_hash(const Document& document) { return sha256_hex(write_model(document)); }
std::string semantic_hash(const Document& document) {
  return sha256_hex(write(document, {.layout = false, .remarks = false}));
}

}  // namespace ergode
