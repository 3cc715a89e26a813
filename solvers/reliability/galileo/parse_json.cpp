#include <map>

#include "core/base/text.h"
#include "core/format/json_text.h"
#include "solvers/reliability/galileo/statements.h"

namespace ergode {
namespace {

/// Numbers and truth values as text; what else there is as nothing.
std::string text_of(const Value& node, const char* key) {
  const auto found = node.find(key);
  if (found == node.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_integer()) return std::to_string(found->get<long long>());
  if (found->is_number()) return number_text(found->get<double>());
  if (found->is_boolean()) return found->get<bool>() ? "1" : "0";
  return {};
}

/// Turns nodes into statements of the Galileo format, so that one reader checks both.
class JsonTree {
 public:
  JsonTree(const Value& root, Diagnostics& problems) : root_(root), problems_(problems) {}

  std::vector<GalileoStatement> statements() {
    const auto nodes = root_.find("nodes");
    if (nodes == root_.end() || !nodes->is_array()) {
      problems_.push_back(
          {.code = "GAL001", .message = "The file has no list \"nodes\"; wanted a fault tree in JSON."});
      return {};
    }
    for (const Value& node : *nodes)
      if (const Value* data = data_of(node)) names_[text_of(*data, "id")] = text_of(*data, "name");
    std::vector<GalileoStatement> out;
    if (const auto parameters = root_.find("parameters"); parameters != root_.end())
      // A list of names, or an object with names as keys.
      for (auto one = parameters->begin(); one != parameters->end(); ++one)
        out.push_back({plain("param"), quoted(parameters->is_object() ? one.key()
                                              : one->is_string()      ? one->get<std::string>()
                                                                      : one->dump())});
    if (root_.contains("toplevel")) out.push_back({plain("toplevel"), quoted(name(text_of(root_, "toplevel")))});
    for (const Value& node : *nodes) {
      if (const Value* data = data_of(node)) out.push_back(element(*data));
      else problems_.push_back(tree_problem("GAL001", place_, "The node has no object \"data\"."));
      ++place_.column;
    }
    return out;
  }

 private:
  static const Value* data_of(const Value& node) {
    if (!node.is_object()) return nullptr;
    const auto data = node.find("data");
    return data != node.end() && data->is_object() ? &*data : nullptr;
  }
  GalileoWord plain(std::string text) const {
    return {.text = std::move(text), .value = {}, .place = place_, .value_place = place_};
  }
  GalileoWord quoted(std::string text) const {
    GalileoWord out = plain(std::move(text));
    out.quoted = true;
    return out;
  }
  GalileoWord assigned(std::string key, std::string value) const {
    GalileoWord out = plain(std::move(key));
    out.value = std::move(value), out.assigned = true;
    return out;
  }
  std::string name(const std::string& id) const {
    const auto found = names_.find(id);
    return found == names_.end() ? id : found->second;
  }

  GalileoStatement element(const Value& data) const {
    GalileoStatement out = {quoted(text_of(data, "name"))};
    const std::string type = text_of(data, "type");
    if (type == "be") {
      attributes(data, out);
      return out;
    }
    const bool exclusive = data.contains("inclusive") && text_of(data, "inclusive") == "0";
    if (type == "pdep") out.push_back(assigned("pdep", text_of(data, "probability")));
    else out.push_back(plain(type == "vot" ? type + text_of(data, "voting") : exclusive ? type + "-excl" : type));
    if (const auto children = data.find("children"); children != data.end() && children->is_array())
      for (const Value& child : *children)
        out.push_back(quoted(name(child.is_string() ? child.get<std::string>() : child.dump())));
    return out;
  }
  void attributes(const Value& data, GalileoStatement& out) const {
    const std::string law = data.contains("distribution") ? text_of(data, "distribution") : "exponential";
    const auto add = [&](const char* key, const char* from) {
      if (data.contains(from)) out.push_back(assigned(key, text_of(data, from)));
    };
    if (law == "const") add("prob", "failed");
    else if (law == "weibull") add("rate", "rate"), add("shape", "shape");
    else if (law == "exponential" || law == "erlang") add("lambda", "rate"), add("phases", "phases");
    else if (law == "lognormal") add("mean", "mean"), add("stddev", "stddev");
    else if (law == "probability") add("prob", "prob");
    else out.push_back(assigned(law, "1"));  // not known: named by the diagnostic
    add("dorm", "dorm");
  }

  const Value& root_;
  Diagnostics& problems_;
  std::map<std::string, std::string> names_;
  TextPlace place_{0, 0};
};

}  // namespace

FaultTree parse_tree_json(std::string_view text, Diagnostics& problems) {
  const Value root = parse_json_text(text, problems);
  if (has_errors(problems)) return {};
  if (!root.is_object()) {
    problems.push_back({.code = "GAL001", .message = "The file is no JSON object; wanted a fault tree in JSON."});
    return {};
  }
  const std::vector<GalileoStatement> statements = JsonTree(root, problems).statements();
  return has_errors(problems) ? FaultTree{} : tree_of_statements(statements, problems);
}

}  // namespace ergode
