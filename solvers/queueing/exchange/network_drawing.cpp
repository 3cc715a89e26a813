#include "solvers/queueing/exchange/network_drawing.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "solvers/queueing/model/flow_rules.h"

namespace ergode {
namespace {

struct Size {
  const char* kind;
  double width, height;
};
// As the palette draws them (solvers/queueing/notation.cpp, special_kinds.cpp).
constexpr Size sizes[] = {{"source", 40, 40},       {"station", 190, 84},  {"delay", 200, 52},     {"router", 36, 36},
                          {"class_switch", 36, 36}, {"sink", 34, 34},      {"job_class", 110, 34}, {"fork", 12, 60},
                          {"join", 12, 60},         {"semaphore", 36, 36}, {"scaler", 36, 36},     {"logger", 36, 36},
                          {"region", 200, 52},      {"place", 44, 44},     {"transition", 14, 48}};

}  // namespace

NetworkDrawing::NetworkDrawing(const std::string& name) {
  Element header = document_.model();
  header.id = ElementId(0x4E);
  header.properties = {{"name", name}, {"time_unit", "s"}};
  document_.replace(0, header);
  names_.insert(run_length);
  diagram_ = add(
      {.section = Section::diagram, .kind = "diagram", .properties = {{"name", "Network"}, {"notation", "queueing"}}});
}

ElementId NetworkDrawing::add(Element element) {
  std::uint64_t z = ++count_ * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  element.id = ElementId((z ^ (z >> 27U)) | 1U);
  const ElementId id = element.id;
  document_.append(std::move(element));
  return id;
}

ElementId NetworkDrawing::node(const char* kind, const std::string& title, Value properties, Point centre) {
  std::string name;
  for (const char c : title) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "n" + name;
  const std::string stem = is_identifier(name) ? name : "n_" + name;
  name = stem;
  // Where many are called alike each begins where the last one ended.
  if (!names_.insert(name).second) {
    int& more = alike_[stem];
    do name = stem + "_" + std::to_string(more++ + 2);
    while (!names_.insert(name).second);
  }
  properties["name"] = name;
  Element made{.section = Section::node, .kind = kind, .diagram = diagram_, .properties = std::move(properties)};
  for (const Size& size : sizes)
    if (made.kind == size.kind)
      made.layout.bounds = {centre.x - size.width / 2, centre.y - size.height / 2, size.width, size.height};
  const ElementId id = add(std::move(made));
  by_title_.emplace(title, id);
  return id;
}

ElementId NetworkDrawing::flow(ElementId from, ElementId to, Value properties) {
  Element made{.section = Section::edge, .kind = "flow", .diagram = diagram_, .properties = std::move(properties)};
  made.source = from, made.target = to;
  return add(std::move(made));
}

std::string NetworkDrawing::why_not(ElementId from, ElementId to) const {
  const Element &source = *document_.find(from), &target = *document_.find(to);
  const std::string why = why_no_flow(source.kind, target.kind);
  return why.empty() ? "" : "It leads from " + called(source) + " to " + called(target) + ". " + why;
}

void NetworkDrawing::measure(const std::string& id, const std::string& type, Value properties) {
  properties["name"] = id, properties["type"] = type;
  add({.section = Section::measure, .kind = "measure", .properties = std::move(properties)});
}

ElementId NetworkDrawing::find(const std::string& title) const {
  const auto found = by_title_.find(title);
  return found == by_title_.end() ? ElementId() : found->second;
}

std::string NetworkDrawing::only_class(ElementId id) const {
  const auto found = only_.find(id);
  return found == only_.end() ? std::string() : found->second;
}

std::string NetworkDrawing::name_of(const std::string& title) const {
  const ElementId id = find(title);
  return id ? name_of(id) : std::string();
}

void NetworkDrawing::run_for(double horizon_s, int replications) {
  add({.section = Section::parameter,
       .kind = "parameter",
       .properties = {{"name", run_length},
                      {"value", number_text(horizon_s, 3) + " s"},
                      {"description", "Of a mission; what is counted is divided by it."}}});
  Element header = document_.model();
  header.properties["horizon"] = run_length;
  header.properties["replications"] = std::to_string(replications);
  document_.replace(0, header);
}

void NetworkDrawing::set(ElementId id, const std::string& property, Value value) {
  Element after = *document_.find(id);
  after.properties[property] = std::move(value);
  document_.replace(document_.index_of(id), std::move(after));
}

}  // namespace ergode
