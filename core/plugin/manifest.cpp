#include "core/plugin/manifest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/base/value.h"
#include "core/format/json_text.h"
#include "core/study/run_option.h"

namespace ergode {

const char* to_text(PluginParameter::Type type) {
  static constexpr std::array words = {"number", "integer", "boolean", "choice", "file"};
  return words[static_cast<std::size_t>(type)];
}

const char* to_text(PluginOutput::Kind kind) {
  static constexpr std::array words = {"value", "count", "indicator", "observations"};
  return words[static_cast<std::size_t>(kind)];
}

const PluginParameter* PluginManifest::parameter(std::string_view wanted) const {
  for (const PluginParameter& one : parameters)
    if (one.name == wanted) return &one;
  return nullptr;
}

const std::vector<ManifestKeys>& plugin_manifest_keys() {
  static const std::vector<ManifestKeys> keys = {
      {"manifest",
       {"format", "schema", "name", "label", "version", "licence", "description", "reference", "author", "abi",
        "library", "command", "one_run_per_process", "reentrant", "time_limit_s", "parameters", "simulator",
        "station"}},
      {"parameter",
       {"name", "label", "type", "unit", "default", "minimum", "maximum", "choices", "help", "reference", "for"}},
      {"choice", {"name", "label"}},
      {"output", {"name", "label", "unit", "kind", "minimum", "maximum", "help", "headline"}},
      {"table", {"name", "title", "columns", "first_row_names", "scatter"}},
      {"column", {"label", "unit", "text"}},
      {"attribute", {"name", "unit", "help", "default"}},
      {"scatter", {"x", "y", "front", "label"}},
      {"simulator", {"outputs", "tables", "deterministic", "measures_targets"}},
      {"station", {"attributes", "outputs", "tables"}}};
  return keys;
}

namespace {

constexpr std::size_t most_manifest_entries = 1000;

/// Reads one manifest; every complaint has the pointer of what it is about.
class ManifestReader {
 public:
  ManifestReader(const std::string& path, Diagnostics& problems) : path_(path), problems_(problems) {}

  PluginManifest read(const Value& whole);
  bool failed() const { return failed_; }

 private:
  void complain(const char* code, const std::string& pointer, const std::string& message, const std::string& hint = {},
                Severity severity = Severity::error) {
    problems_.push_back(
        {.severity = severity, .code = code, .pointer = pointer, .message = path_ + ": " + message, .hint = hint});
    if (severity == Severity::error && std::string_view(code) != "PLG004") failed_ = true;
  }
  static std::string seen(const Value& value) { return quotable(value.dump(-1, Value::BadText::replace)); }
  static std::string last_key(const std::string& pointer) { return pointer.substr(pointer.rfind('/') + 1); }

  /// The value of a key when it has the type, null where it is missing or a complaint was made.
  const Value* get(const Value& object, const char* key, const std::string& at, const char* wanted,
                   bool (Value::*is)() const, bool required) {
    const auto found = object.find(key);
    if (found == object.end()) {
      if (required) complain("PLG002", at, std::string("\"") + key + "\" is missing; wanted " + wanted + ".");
      return nullptr;
    }
    if (((*found).*is)()) return &*found;
    complain("PLG002", at + "/" + key, std::string("\"") + key + "\" is " + seen(*found) + "; wanted " + wanted + ".");
    return nullptr;
  }
  std::string text(const Value& object, const char* key, const std::string& at, bool required = false) {
    const Value* const found = get(object, key, at, "a text", &Value::is_string, required);
    if (found == nullptr) return {};
    if (required && trim(found->text()).empty())
      complain("PLG003", at + "/" + key, std::string("\"") + key + "\" is empty; wanted a text.");
    return found->text();
  }
  bool flag(const Value& object, const char* key, const std::string& at, bool otherwise) {
    const Value* const found = get(object, key, at, "true or false", &Value::is_boolean, false);
    return found != nullptr ? found->boolean() : otherwise;
  }
  std::optional<double> number(const Value& object, const char* key, const std::string& at, bool required = false) {
    const Value* const found = get(object, key, at, "a number", &Value::is_number, required);
    return found != nullptr ? std::optional(found->real()) : std::nullopt;
  }
  /// A name that expressions and files can say, unique among `taken`.
  std::string name(const Value& object, const std::string& at, std::set<std::string>* taken) {
    std::string out = text(object, "name", at, true);
    if (out.empty()) return out;
    if (!is_identifier(out))
      complain("PLG003", at + "/name", "The name is \"" + quotable(out) + "\"; wanted letters, digits and _.");
    else if (taken != nullptr && !taken->insert(out).second)
      complain("PLG003", at + "/name", "The name \"" + quotable(out) + "\" is used twice.");
    return out;
  }
  std::string unit(const Value& object, const std::string& at) {
    std::string out = text(object, "unit", at);
    if (!parse_unit(out))
      complain("PLG003", at + "/unit", "\"" + quotable(out) + "\" is no unit.", "Wanted one like h, /h, GB, USD.");
    return out;
  }
  /// Calls `each` for the entries of a list of objects.
  template <class Each>
  void list(const Value& object, const char* key, const std::string& at, std::string_view kind, bool required,
            Each each) {
    const Value* const found = get(object, key, at, "a list", &Value::is_array, required);
    if (found == nullptr) return;
    if (required && found->empty())
      complain("PLG003", at + "/" + key, std::string("\"") + key + "\" is empty; wanted at least one.");
    if (found->size() > most_manifest_entries)
      return complain("PLG003", at + "/" + key,
                      std::string("\"") + key + "\" has " + std::to_string(found->size()) +
                          " entries; wanted at most " + std::to_string(most_manifest_entries) + ".");
    for (std::size_t i = 0; i < found->size(); ++i) {
      const std::string place = at + "/" + key + "/" + std::to_string(i);
      const Value& one = found->at(i);
      if (!one.is_object()) complain("PLG002", place, "The entry is " + seen(one) + "; wanted an object.");
      else known(one, kind, place), each(one, place);
    }
  }
  /// Warns of keys that nobody reads.
  void known(const Value& object, std::string_view kind, const std::string& at) {
    for (const ManifestKeys& one : plugin_manifest_keys()) {
      if (one.object != kind) continue;
      const std::vector<std::string> words(one.keys.begin(), one.keys.end());
      for (const auto& [key, value] : object.items()) {
        if (std::find(words.begin(), words.end(), key) != words.end() || key.starts_with("$") || key.starts_with("x_"))
          continue;
        const std::string near = nearest_word(key, words);
        complain("PLG002", at + "/" + key, "The key \"" + quotable(key) + "\" means nothing here.",
                 near.empty() ? "" : "Did you mean " + near + "?", near.empty() ? Severity::warning : Severity::error);
      }
    }
  }
  PluginParameter parameter(const Value& object, const std::string& at, std::set<std::string>& taken);
  void take_default(PluginParameter& p, const Value& object, const std::string& at);
  PluginOutput output(const Value& object, const std::string& at, std::set<std::string>& taken);
  PluginTable table(const Value& object, const std::string& at, std::set<std::string>& taken);
  TableScatter scatter(const Value& object, const std::string& at, const PluginTable& table);
  void bounds(const std::optional<double>& low, const std::optional<double>& high, const std::string& at) {
    if (low && high && *low > *high)
      complain("PLG003", at + "/minimum",
               "The minimum is " + number_text(*low) + " and the maximum " + number_text(*high) +
                   "; wanted a minimum of at most the maximum.");
  }
  void versions(const Value& whole, PluginManifest& out);
  void program(const Value& whole, PluginManifest& out);

  const std::string& path_;
  Diagnostics& problems_;
  bool failed_ = false;
};

void ManifestReader::take_default(PluginParameter& p, const Value& object, const std::string& at) {
  using Type = PluginParameter::Type;
  const std::string place = at + "/default";
  const auto found = object.find("default");
  if (found == object.end()) return complain("PLG002", at, "\"default\" is missing; every parameter has one.");
  const auto wanted = [&](const std::string& what) {
    complain("PLG003", place, "\"default\" is " + seen(*found) + "; wanted " + what + ".");
  };
  if (p.type == Type::boolean) {
    if (!found->is_boolean()) return wanted("true or false");
    p.default_text = found->boolean() ? "true" : "false";
  } else if (p.type == Type::choice || p.type == Type::file) {
    if (!found->is_string()) return wanted("a text");
    p.default_text = found->text();
    if (p.type == Type::file) return;
    std::vector<std::string> words;
    for (const Choice& one : p.choices) words.push_back(one.name);
    if (std::find(words.begin(), words.end(), p.default_text) == words.end()) wanted(listed_words(words));
  } else {
    if (!found->is_number()) return wanted("a number");
    const double value = found->real();
    if (p.type == Type::integer && (value != std::floor(value) || std::fabs(value) > 9e15))
      return wanted("a whole number");
    if ((p.minimum && value < *p.minimum) || (p.maximum && value > *p.maximum))
      wanted("from " + (p.minimum ? number_text(*p.minimum) : "any number") + " to " +
             (p.maximum ? number_text(*p.maximum) : "any number"));
    p.default_text = number_text(value) + (p.unit.empty() ? "" : " " + p.unit);
  }
}

PluginParameter ManifestReader::parameter(const Value& object, const std::string& at, std::set<std::string>& taken) {
  using Type = PluginParameter::Type;
  PluginParameter out;
  out.name = name(object, at, &taken);
  out.label = text(object, "label", at);
  if (out.label.empty()) out.label = out.name;
  const std::string type = text(object, "type", at, true);
  bool found = false;
  std::vector<std::string> words;
  for (const Type one : {Type::number, Type::integer, Type::boolean, Type::choice, Type::file}) {
    words.emplace_back(to_text(one));
    if (type == words.back()) out.type = one, found = true;
  }
  if (!found && !type.empty()) {
    complain("PLG003", at + "/type", "The type is \"" + quotable(type) + "\"; wanted " + listed_words(words) + ".");
    return out;
  }
  out.help = text(object, "help", at, true), out.reference = text(object, "reference", at);
  const bool numeric = out.type == Type::number || out.type == Type::integer;
  if (out.type == Type::number) out.unit = unit(object, at);
  else if (object.contains("unit")) complain("PLG003", at + "/unit", "Only numbers have a unit; wanted none.");
  if (numeric) {
    out.minimum = number(object, "minimum", at), out.maximum = number(object, "maximum", at);
    bounds(out.minimum, out.maximum, at);
  }
  if (out.type == Type::choice) {
    std::set<std::string> names;
    list(object, "choices", at, "choice", true, [&](const Value& one, const std::string& place) {
      Choice choice{name(one, place, &names), text(one, "label", place)};
      if (choice.label.empty()) choice.label = choice.name;
      out.choices.push_back(std::move(choice));
    });
  }
  if (const std::string whom = text(object, "for", at); !whom.empty()) {
    out.for_simulator = whom == "simulator", out.for_station = whom == "station";
    if (!out.for_simulator && !out.for_station)
      complain("PLG003", at + "/for",
               "\"for\" is \"" + quotable(whom) + "\"; wanted simulator or station, or leave it out.");
  }
  take_default(out, object, at);
  return out;
}

PluginOutput ManifestReader::output(const Value& object, const std::string& at, std::set<std::string>& taken) {
  using Kind = PluginOutput::Kind;
  PluginOutput out;
  out.name = name(object, at, &taken);
  out.label = text(object, "label", at, true);
  out.unit = unit(object, at);
  out.help = text(object, "help", at);
  out.headline = flag(object, "headline", at, true);
  const std::string kind = text(object, "kind", at, true);
  std::vector<std::string> words;
  bool found = false;
  for (const Kind one : {Kind::value, Kind::count, Kind::indicator, Kind::observations}) {
    words.emplace_back(to_text(one));
    if (kind == words.back()) out.kind = one, found = true;
  }
  if (!found && !kind.empty())
    complain("PLG003", at + "/kind", "The kind is \"" + quotable(kind) + "\"; wanted " + listed_words(words) + ".");
  out.minimum = number(object, "minimum", at), out.maximum = number(object, "maximum", at);
  bounds(out.minimum, out.maximum, at);
  if ((out.kind == Kind::indicator || out.kind == Kind::count) && !out.unit.empty())
    complain("PLG003", at + "/unit",
             "The unit is \"" + quotable(out.unit) + "\"; wanted none for a count or an indicator.");
  return out;
}

PluginTable ManifestReader::table(const Value& object, const std::string& at, std::set<std::string>& taken) {
  PluginTable out;
  out.name = name(object, at, &taken);
  out.title = text(object, "title", at, true);
  list(object, "columns", at, "column", true, [&](const Value& one, const std::string& place) {
    out.columns.push_back({text(one, "label", place, true), unit(one, place), flag(one, "text", place, false)});
  });
  if (const Value* const drawn = get(object, "scatter", at, "an object", &Value::is_object, false))
    out.scatter = scatter(*drawn, at + "/scatter", out);
  out.first_row_names = flag(object, "first_row_names", at, false);
  if (out.first_row_names && out.scatter)
    complain("PLG003", at + "/scatter", "Its columns are named by its first row; wanted labels that are known before.");
  return out;
}

TableScatter ManifestReader::scatter(const Value& object, const std::string& at, const PluginTable& table) {
  known(object, "scatter", at);
  TableScatter out{text(object, "x", at, true), text(object, "y", at, true), text(object, "front", at),
                   text(object, "label", at)};
  std::vector<std::string> labels;
  for (const PluginTable::Column& column : table.columns) labels.push_back(column.label);
  const auto check = [&](const char* key, const std::string& label, bool of_numbers) {
    const auto place = std::find(labels.begin(), labels.end(), label);
    if (label.empty()) return;
    if (place == labels.end())
      complain("PLG003", at + "/" + key,
               "There is no column \"" + quotable(label) + "\"; wanted " + listed_words(labels) + ".");
    else if (of_numbers && table.columns[static_cast<std::size_t>(place - labels.begin())].text)
      complain("PLG003", at + "/" + key, "The column \"" + quotable(label) + "\" holds words; wanted one of numbers.");
  };
  check("x", out.x, true), check("y", out.y, true), check("front", out.front, false), check("label", out.label, false);
  return out;
}

void ManifestReader::versions(const Value& whole, PluginManifest& out) {
  const auto whole_of = [&](const char* key) -> std::optional<long> {
    const Value* const found = get(whole, key, "", "a whole number", &Value::is_number_integer, true);
    return found != nullptr ? std::optional<long>(found->integer()) : std::nullopt;
  };
  if (const auto schema = whole_of("schema"); schema && *schema != plugin_manifest_schema)
    complain("PLG004", "/schema",
             "The manifest has schema " + std::to_string(*schema) + "; wanted " +
                 std::to_string(plugin_manifest_schema) + ".",
             *schema > plugin_manifest_schema ? "It needs a newer Ergode." : "");
  if (const auto abi = whole_of("abi")) {
    out.abi = static_cast<int>(std::clamp<long>(*abi, -1, 1000000));
    if (*abi != plugin_abi_major)
      complain(
          "PLG004", "/abi",
          "The plugin was made for version " + std::to_string(*abi) + " of the interface; wanted " +
              std::to_string(plugin_abi_major) + ".",
          *abi > plugin_abi_major ? "It needs a newer Ergode." : "Build it again with the header of this version.");
  }
}

void ManifestReader::program(const Value& whole, PluginManifest& out) {
  out.library = text(whole, "library", "");
  if (const Value* const command = get(whole, "command", "", "a list of texts", &Value::is_array, false))
    for (std::size_t i = 0; i < command->size(); ++i) {
      const Value& one = command->at(i);
      if (one.is_string() && !one.text().empty() && one.text().find('\0') == std::string::npos)
        out.command.push_back(one.text());
      else complain("PLG002", "/command/" + std::to_string(i), "The entry is " + seen(one) + "; wanted a text.");
    }
  if (out.library.empty() == out.command.empty())
    complain("PLG002", "",
             out.library.empty() ? "Neither \"library\" nor \"command\" is given; wanted one of them."
                                 : "\"library\" and \"command\" are both given; wanted one of them.");
  // A library stands beside its manifest: a manifest that names others' files is no plugin of its own.
  if (out.library.find('/') != std::string::npos)
    complain("PLG003", "/library",
             "The library is \"" + quotable(out.library) + "\"; wanted the name of a file beside the manifest.");
}

PluginManifest ManifestReader::read(const Value& whole) {
  PluginManifest out;
  if (const std::string format = text(whole, "format", "", true); format != "ergode-plugin") {
    complain("PLG001", "/format", "The format is \"" + quotable(format) + "\"; wanted \"ergode-plugin\".");
    return out;
  }
  known(whole, "manifest", "");
  versions(whole, out);
  out.name = name(whole, "", nullptr);
  out.label = text(whole, "label", "", true), out.version = text(whole, "version", "", true);
  out.licence = text(whole, "licence", "", true), out.description = text(whole, "description", "", true);
  out.reference = text(whole, "reference", ""), out.author = text(whole, "author", "");
  program(whole, out);
  out.one_run_per_process = flag(whole, "one_run_per_process", "", false);
  out.reentrant = flag(whole, "reentrant", "", false);
  out.time_limit_s = number(whole, "time_limit_s", "").value_or(out.time_limit_s);
  if (!(out.time_limit_s > 0.0 && out.time_limit_s <= 1e6))
    complain("PLG003", "/time_limit_s",
             "The time limit is " + number_text(out.time_limit_s) + " s; wanted more than 0 and at most 1e6.");
  std::set<std::string> names;
  list(whole, "parameters", "", "parameter", false,
       [&](const Value& one, const std::string& at) { out.parameters.push_back(parameter(one, at, names)); });
  if (const Value* const object = get(whole, "simulator", "", "an object", &Value::is_object, false)) {
    known(*object, "simulator", "/simulator");
    PluginManifest::Simulator& made = out.simulator.emplace();
    made.deterministic = flag(*object, "deterministic", "/simulator", false);
    made.measures_targets = flag(*object, "measures_targets", "/simulator", false);
    std::set<std::string> outputs, tables;
    list(*object, "outputs", "/simulator", "output", true,
         [&](const Value& one, const std::string& at) { made.outputs.push_back(output(one, at, outputs)); });
    list(*object, "tables", "/simulator", "table", false,
         [&](const Value& one, const std::string& at) { made.tables.push_back(table(one, at, tables)); });
  }
  if (const Value* const object = get(whole, "station", "", "an object", &Value::is_object, false)) {
    known(*object, "station", "/station");
    PluginManifest::Station& made = out.station.emplace();
    std::set<std::string> outputs, attributes, tables;
    list(*object, "attributes", "/station", "attribute", false, [&](const Value& one, const std::string& at) {
      made.attributes.push_back(
          {name(one, at, &attributes), unit(one, at), text(one, "help", at), number(one, "default", at).value_or(0.0)});
    });
    list(*object, "outputs", "/station", "output", false,
         [&](const Value& one, const std::string& at) { made.outputs.push_back(output(one, at, outputs)); });
    list(*object, "tables", "/station", "table", false,
         [&](const Value& one, const std::string& at) { made.tables.push_back(table(one, at, tables)); });
  }
  if (!out.simulator && !out.station)
    complain("PLG002", "", "It offers nothing; wanted \"simulator\", \"station\" or both.");
  return out;
}

}  // namespace

std::optional<PluginManifest> parse_plugin_manifest(std::string_view text, const std::string& path,
                                                    Diagnostics& problems) {
  Diagnostics of_text;
  const Value whole = parse_json_text(text, of_text);
  if (whole.is_discarded() || !whole.is_object()) {
    const std::string why = of_text.empty() ? "The manifest is no JSON object." : of_text.front().message;
    problems.push_back({.code = "PLG001", .message = path + ": " + why});
    return std::nullopt;
  }
  ManifestReader reader(path, problems);
  PluginManifest out = reader.read(whole);
  if (reader.failed()) return std::nullopt;
  return out;
}

}  // namespace ergode
