#include "plugins/performance_representatives/engine/asked_target.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "plugins/support/input_file.h"

namespace performance_representatives {
namespace {

using nlohmann::json;
using plugin_support::seen_json;

constexpr std::size_t most_sizes = 8, most_types = 64;
constexpr double greatest_size = 1e9;

[[noreturn]] void refuse(const std::string& at, const std::string& what) {
  throw std::invalid_argument(at + " " + what);
}

void know(const json& object, const std::string& at, const std::set<std::string>& keys) {
  for (const auto& [key, value] : object.items())
    if (keys.count(key) == 0) {
      std::string all;
      for (const std::string& one : keys) all += (all.empty() ? "" : ", ") + one;
      refuse(at, "has a key \"" + key + "\"; wanted one of " + all);
    }
}
const json& object_of(const json& value, const std::string& at) {
  if (!value.is_object()) refuse(at, "is " + seen_json(value) + "; wanted an object");
  return value;
}
std::string text_of(const json& value, const std::string& at) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    refuse(at, "is " + seen_json(value) + "; wanted a word");
  return value.get<std::string>();
}
std::int64_t size_of(const json& value, const std::string& at, double least) {
  const double x = value.is_number() ? value.get<double>() : -1.0;
  if (!(x >= least && x <= greatest_size && x == std::floor(x)))
    refuse(at, "is " + seen_json(value) + "; wanted a whole number from " + std::to_string(static_cast<int>(least)) +
                   " to 1e9");
  return static_cast<std::int64_t>(x);
}

class TargetReader {
 public:
  explicit TargetReader(const std::string& path) : path_(path) {}

  AskedTarget read(const json& whole) {
    object_of(whole, "The target");
    AskedType general;
    if (!whole.contains("types")) {
      know(whole, "The target", {"plugin", "output", "parameters", "files", "swept"});
      take(whole, "", general);
      add(whole, "", std::move(general));
    } else {
      know(whole, "The target", {"plugin", "output", "parameters", "files", "types"});
      take(whole, "", general);
      const json& types = whole["types"];
      if (!types.is_array() || types.empty() || types.size() > most_types)
        refuse("types", "is " + seen_json(types) + "; wanted a list of 1 to 64 types of layers");
      for (std::size_t i = 0; i < types.size(); ++i) {
        const std::string at = "types[" + std::to_string(i) + "]";
        know(object_of(types[i], at), at, {"type", "plugin", "output", "parameters", "files", "swept"});
        AskedType type = general;
        if (!types[i].contains("type")) refuse(at, "has no \"type\"; wanted the word that layers of a network have");
        type.name = text_of(types[i]["type"], at + ".type");
        for (const AskedType& other : out_.types)
          if (other.name == type.name) refuse(at + ".type", "is \"" + type.name + "\" again; wanted each once");
        take(types[i], at + ".", type);
        add(types[i], at + ".", std::move(type));
      }
    }
    for (AskedType& type : out_.types) {
      type.sets.resize(out_.names.size());
      for (std::size_t i = type.ranges.size(); i < out_.names.size(); ++i) type.ranges.push_back(nothing(i));
    }
    return std::move(out_);
  }

 private:
  SizeRange nothing(std::size_t size) const {
    SizeRange out;
    out.name = out_.names[size], out.low = 0, out.high = 0;
    return out;
  }

  /// What types may have of the whole.
  void take(const json& from, const std::string& at, AskedType& to) const {
    if (from.contains("plugin")) to.plugin = text_of(from["plugin"], at + "plugin");
    if (from.contains("output")) to.output = text_of(from["output"], at + "output");
    if (from.contains("parameters"))
      for (const auto& [name, value] : object_of(from["parameters"], at + "parameters").items()) {
        if (!value.is_number() && !value.is_string() && !value.is_boolean())
          refuse(at + "parameters." + name, "is " + seen_json(value) + "; wanted a number, a word, true or false");
        to.parameters[name] = value;
      }
    if (from.contains("files"))
      for (const auto& [name, value] : object_of(from["files"], at + "files").items()) {
        const std::string named = text_of(value, at + "files." + name);
        try {
          to.files[name] = plugin_support::path_beside(path_, named);
        } catch (const std::invalid_argument& bad) {
          refuse(at + "files." + name, bad.what());
        }
      }
  }

  void add(const json& from, const std::string& at, AskedType type) {
    if (type.plugin.empty()) refuse("The target", "has no \"plugin\"; wanted the name of one with a simulator");
    if (type.output.empty()) refuse("The target", "has no \"output\"; wanted one that its simulator measures");
    if (!from.contains("swept")) refuse(at.empty() ? "The target" : at.substr(0, at.size() - 1), "has no \"swept\"");
    const json& swept = object_of(from["swept"], at + "swept");
    if (swept.empty()) refuse(at + "swept", "is empty; wanted a parameter with a range");
    std::set<std::string> set_by;
    for (const auto& [name, value] : swept.items()) {
      const std::string here = at + "swept." + name;
      auto place = std::find(out_.names.begin(), out_.names.end(), name);
      if (place == out_.names.end()) {
        if (out_.names.size() == most_sizes) refuse(here, "is the ninth size; wanted 8 at most");
        place = out_.names.insert(place, name);
      }
      const auto size = static_cast<std::size_t>(place - out_.names.begin());
      while (type.ranges.size() <= size) type.ranges.push_back(nothing(type.ranges.size()));
      type.sets.resize(type.ranges.size());
      type.ranges[size] = range_of(object_of(value, here), here, name);
      type.sets[size] = sets_of(value, here, name);
      for (const std::string& parameter : type.sets[size]) {
        if (type.parameters.contains(parameter))
          refuse(here, "sets " + parameter + ", which is also among the parameters; wanted one of the two");
        if (!set_by.insert(parameter).second) refuse(here, "sets " + parameter + ", which another size sets");
      }
    }
    out_.types.push_back(std::move(type));
  }

  static SizeRange range_of(const json& from, const std::string& at, const std::string& name) {
    know(from, at, {"low", "high", "base", "width", "offset", "hints", "sets"});
    SizeRange out;
    out.name = name;
    for (const char* end : {"low", "high"})
      if (!from.contains(end)) refuse(at, std::string("has no \"") + end + "\"; wanted a range");
    for (const auto& [key, to] : {std::pair{"low", &out.low},
                                  {"high", &out.high},
                                  {"base", &out.base},
                                  {"width", &out.width},
                                  {"offset", &out.offset}})
      if (from.contains(key)) *to = size_of(from[key], at + "." + key, 0.0);
    if (*out.low > *out.high)
      refuse(at + ".high",
             "is " + std::to_string(*out.high) + "; wanted no less than low, " + std::to_string(*out.low));
    if (out.offset && *out.offset >= std::max<std::int64_t>(1, out.width.value_or(0)))
      refuse(at + ".offset", "is " + std::to_string(*out.offset) + "; wanted less than the width");
    if (!from.contains("hints")) return out;
    if (!from["hints"].is_array())
      refuse(at + ".hints", "is " + seen_json(from["hints"]) + "; wanted a list of widths");
    for (const json& hint : from["hints"]) out.hints.push_back(size_of(hint, at + ".hints", 1.0));
    return out;
  }
  static std::vector<std::string> sets_of(const json& from, const std::string& at, const std::string& name) {
    if (!from.contains("sets")) return {name};
    const json& sets = from["sets"];
    if (!sets.is_array()) return {text_of(sets, at + ".sets")};
    std::vector<std::string> out;
    for (const json& one : sets) out.push_back(text_of(one, at + ".sets"));
    if (out.empty()) refuse(at + ".sets", "is empty; wanted parameters of the plugin");
    return out;
  }

  const std::string& path_;
  AskedTarget out_;
};

}  // namespace

std::string AskedType::parameters_at(const Point& point) const {
  json out = parameters;
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (const std::string& parameter : sets[i]) out[parameter] = point[i];
  return out.dump();
}

AskedTarget parse_target(const std::string& text, const std::string& path) {
  return TargetReader(path).read(plugin_support::parse_json_file(text));
}

}  // namespace performance_representatives
