#include <algorithm>

#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/format/json_text.h"
#include "core/format/model_file.h"

namespace ergode {
namespace {

constexpr int deepest_containment = 256;  // nodes inside nodes; what walks over them recurses

class Reader {
 public:
  explicit Reader(Diagnostics& problems) : problems_(problems) {}

  Document read(const Value& file);

 private:
  void report(const std::string& code, const std::string& pointer, const std::string& message,
              const std::string& hint = {}, ElementId id = {}) {
    problems_.push_back({.code = code, .element = id, .pointer = pointer, .message = message, .hint = hint});
  }
  static std::string shown(const Value& value) {
    if (value.is_structured() && value.size() > 8) return value.is_array() ? "a long list" : "a large object";
    return quotable(value.dump());
  }
  ElementId id_in(const Value& object, const char* key, const std::string& pointer);
  void element(const Value& object, Section section, const std::string& kind, ElementId diagram,
               const std::string& pointer);
  void list(const Value& file, const char* key, Section section, const std::string& kind);
  void diagrams(const Value& file);
  void layouts(const Value& file);
  void check_links();
  void check_containment();
  std::optional<std::vector<double>> numbers(const Value& value, std::size_t count, const std::string& pointer);

  Diagnostics& problems_;
  Document document_;
  std::unordered_map<ElementId, std::string> places_;
};

ElementId Reader::id_in(const Value& object, const char* key, const std::string& pointer) {
  const auto found = object.find(key);
  const auto id = found != object.end() && found->is_string() ? ElementId::parse(found->text()) : std::nullopt;
  if (!id)
    report("FMT007", pointer + "/" + key,
           std::string("\"") + key + "\" is " + (found == object.end() ? "missing" : shown(*found)) +
               "; wanted 16 hexadecimal digits.");
  return id.value_or(ElementId());
}

void Reader::element(const Value& object, Section section, const std::string& kind, ElementId diagram,
                     const std::string& pointer) {
  if (!object.is_object()) return report("FMT006", pointer, "Here is " + shown(object) + "; wanted an object.");
  Element out;
  out.section = section;
  out.diagram = diagram;
  out.id = id_in(object, "id", pointer);
  out.kind = kind;
  if (kind.empty()) {
    const auto found = object.find("kind");
    if (found == object.end() || !found->is_string())
      report("FMT006", pointer + "/kind", "The element has no kind; wanted a word.");
    else out.kind = found->get<std::string>();
  }
  if (section == Section::edge) {
    out.source = id_in(object, "source", pointer);
    out.target = id_in(object, "target", pointer);
  }
  if (section == Section::node && object.contains("parent")) out.parent = id_in(object, "parent", pointer);
  for (const auto& [key, value] : object.items()) {
    const bool reserved = key == "id" || (kind.empty() && key == "kind") ||
                          (section == Section::edge && (key == "source" || key == "target")) ||
                          (section == Section::node && key == "parent") ||
                          (section == Section::diagram && (key == "nodes" || key == "edges"));
    if (!reserved) out.properties.append(key, value);  // the keys of a text that was read are all different
  }
  if (!out.id) return;
  if (!places_.emplace(out.id, pointer).second)
    return report("FMT008", pointer + "/id",
                  "The id " + out.id.text() + " stands twice; it is also at " + places_[out.id] + ".",
                  "Give one of them a new id.", out.id);
  if (section == Section::model) document_.replace(0, std::move(out));
  else document_.append(std::move(out));
}

void Reader::list(const Value& file, const char* key, Section section, const std::string& kind) {
  const auto found = file.find(key);
  if (found == file.end()) return;
  const std::string pointer = std::string("/") + key;
  if (!found->is_array())
    return report("FMT006", pointer, std::string("\"") + key + "\" is " + shown(*found) + "; wanted a list.");
  for (std::size_t i = 0; i < found->size(); ++i)
    element((*found)[i], section, kind, {}, pointer + "/" + std::to_string(i));
}

void Reader::diagrams(const Value& file) {
  list(file, "diagrams", Section::diagram, "diagram");
  const auto found = file.find("diagrams");
  if (found == file.end() || !found->is_array()) return;
  for (std::size_t i = 0; i < found->size(); ++i) {
    const Value& diagram = (*found)[i];
    if (!diagram.is_object()) continue;
    const auto id_text = diagram.find("id");
    const auto id = id_text != diagram.end() && id_text->is_string() ? ElementId::parse(id_text->text()) : std::nullopt;
    if (!id) continue;
    for (const auto& [key, section] : {std::pair{"nodes", Section::node}, {"edges", Section::edge}}) {
      const auto part = diagram.find(key);
      if (part == diagram.end()) continue;
      const std::string pointer = "/diagrams/" + std::to_string(i) + "/" + key;
      if (!part->is_array()) {
        report("FMT006", pointer, std::string("\"") + key + "\" is " + shown(*part) + "; wanted a list.");
        continue;
      }
      for (std::size_t k = 0; k < part->size(); ++k)
        element((*part)[k], section, {}, *id, pointer + "/" + std::to_string(k));
    }
  }
}

std::optional<std::vector<double>> Reader::numbers(const Value& value, std::size_t count, const std::string& pointer) {
  std::vector<double> out;
  if (value.is_array() && value.size() == count)
    for (const Value& number : value)
      if (number.is_number()) out.push_back(number.get<double>());
  if (out.size() == count) return out;
  report("FMT006", pointer, "Here is " + shown(value) + "; wanted a list of " + std::to_string(count) + " numbers.");
  return std::nullopt;
}

void Reader::layouts(const Value& file) {
  const auto found = file.find("layout");
  if (found == file.end()) return;
  if (!found->is_object()) return report("FMT006", "/layout", "\"layout\" is " + shown(*found) + "; wanted an object.");
  for (const auto& [key, value] : found->items()) {
    const std::string pointer = "/layout/" + quotable(key);
    const auto id = ElementId::parse(key);
    const Element* known = id ? document_.find(*id) : nullptr;
    if (known == nullptr) {
      problems_.push_back({.severity = Severity::warning,
                           .code = "FMT010",
                           .pointer = pointer,
                           .message = "The layout names " + quotable(key) +
                                      ", which is no element of the model; it is dropped on saving."});
      continue;
    }
    Element element = *known;
    if (value.is_array()) {
      if (const auto b = numbers(value, 4, pointer)) element.layout.bounds = Rect{(*b)[0], (*b)[1], (*b)[2], (*b)[3]};
    } else if (value.is_object()) {
      if (const auto points = value.find("points"); points != value.end()) {
        if (!points->is_array())
          report("FMT006", pointer + "/points", "Here is " + shown(*points) + "; wanted a list of points.");
        for (std::size_t i = 0; points->is_array() && i < points->size(); ++i)
          if (const auto p = numbers((*points)[i], 2, pointer + "/points/" + std::to_string(i)))
            element.layout.way_points.push_back({(*p)[0], (*p)[1]});
      }
      for (const auto& [part, unused] : value.items())
        if (part != "points" && part != "label")
          report("FMT006", pointer, "The layout has \"" + quotable(part) + "\"; wanted points or label.");
      if (const auto label = value.find("label"); label != value.end())
        if (const auto p = numbers(*label, 2, pointer + "/label"))
          element.layout.label_offset = Point{(*p)[0], (*p)[1]};
    } else {
      report("FMT006", pointer, "Here is " + shown(value) + "; wanted a list or an object.");
    }
    document_.replace(document_.index_of(*id), std::move(element));
  }
}

void Reader::check_links() {
  for (const Element& element : document_.elements()) {
    const std::string& pointer = places_[element.id];
    const auto wants_node = [&](ElementId id, const char* key) {
      if (!id) return;
      const Element* other = document_.find(id);
      if (other == nullptr || !other->is_node() || other->diagram != element.diagram)
        report("FMT011", pointer + "/" + key,
               std::string("\"") + key + "\" is " + id.text() + "; wanted the id of a node in the same diagram.", {},
               element.id);
    };
    if (element.is_edge()) wants_node(element.source, "source"), wants_node(element.target, "target");
    if (element.is_node() && element.parent) wants_node(element.parent, "parent");
  }
  check_containment();
}

// Each element is walked over once: what is known of those above is kept.
void Reader::check_containment() {
  constexpr int unknown = -1, open = -2;
  std::vector<int> depth(document_.elements().size(), unknown);
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    std::size_t at = i;
    path.clear();
    for (; at < depth.size() && depth[at] == unknown; at = document_.index_of(document_.elements()[at].parent)) {
      depth[at] = open;
      path.push_back(at);
    }
    int above = at < depth.size() ? depth[at] : 0;
    if (above == open) {
      const Element& element = document_.elements()[at];
      report("FMT012", places_[element.id] + "/parent", "The element contains itself.", {}, element.id);
      above = 0;
    }
    for (auto down = path.rbegin(); down != path.rend(); ++down) {
      depth[*down] = ++above;
      if (above != deepest_containment + 1) continue;
      const Element& element = document_.elements()[*down];
      report("FMT016", places_[element.id] + "/parent",
             "The element is nested deeper than " + std::to_string(deepest_containment) + " levels.", {}, element.id);
    }
  }
}

Document Reader::read(const Value& file) {
  if (file.contains("model")) element(file["model"], Section::model, "model", {}, "/model");
  else report("FMT006", "/model", "The file has no \"model\"; wanted an object with id and name.");
  list(file, "parameters", Section::parameter, "parameter");
  diagrams(file);
  list(file, "measures", Section::measure, "measure");
  list(file, "scenarios", Section::scenario, "scenario");
  list(file, "studies", Section::study, "study");
  list(file, "exclusions", Section::exclusion, "exclusion");
  layouts(file);
  check_links();
  Value unknown = Value::object();
  for (const auto& [key, value] : file.items())
    if (std::find(model_file_keys().begin(), model_file_keys().end(), key) == model_file_keys().end())
      unknown.append(key, value);
  document_.set_unknown(std::move(unknown));
  return std::move(document_);
}

}  // namespace

const std::vector<std::string>& model_file_keys() {
  static const std::vector<std::string> keys = {"format",   "schema",    "model",   "parameters", "diagrams",
                                                "measures", "scenarios", "studies", "exclusions", "layout"};
  return keys;
}

ReadOutcome parse_model(std::string_view text) {
  ReadOutcome out;
  const Value file = parse_json_text(text, out.diagnostics);
  if (has_errors(out.diagnostics)) return out;
  if (!file.is_object() || file.value("format", Value()) != "ergode-model") {
    out.diagnostics.push_back({.code = "FMT001",
                               .pointer = "/format",
                               .message = "Not an Ergode model: \"format\" is not \"ergode-model\".",
                               .hint = "Open a file made by Ergode, or begin one with `ergode new`."});
    return out;
  }
  const Value schema = file.value("schema", Value());
  if (!schema.is_number_integer() || schema.get<long long>() < 1) {
    out.diagnostics.push_back({.code = "FMT005",
                               .pointer = "/schema",
                               .message = "The schema version is " + quotable(schema.dump()) +
                                          "; wanted a whole number from 1 to " + std::to_string(schema_version) + "."});
    return out;
  }
  if (schema.get<long long>() > schema_version) {
    out.diagnostics.push_back({.code = "FMT005",
                               .pointer = "/schema",
                               .message = "The file has schema version " + quotable(schema.dump()) +
                                          "; this program reads up to " + std::to_string(schema_version) + ".",
                               .hint = "Open it with a newer Ergode."});
    return out;
  }
  Document document = Reader(out.diagnostics).read(file);
  if (!has_errors(out.diagnostics)) out.document = std::move(document);
  return out;
}

ReadOutcome read_model(const std::string& path) {
  auto text = read_text(path);
  if (auto* problem = std::get_if<Diagnostic>(&text)) return {std::nullopt, {std::move(*problem)}};
  return parse_model(std::get<std::string>(text));
}

}  // namespace ergode
