#include "statecharts/exchange/scxml_names.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"

namespace ergode {
namespace {

using Type = EcmaValue::Type;

// Far from the numbers a chart counts with, so that a variable may hold both.
constexpr double first_text = 1000001;

// Words that mean something in our expressions, triggers and actions.
constexpr const char* seen = "event.name == event.name";

bool reserved(const std::string& word) {
  static const std::set<std::string> words = {"and",  "or",   "not", "true", "false", "event",
                                              "done", "else", "now", "in",   "index", "if"};
  return words.count(word) > 0;
}

// One _ for each character that may not stand in an identifier.
std::string identifier(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;  // the rest of a character beyond ASCII
    const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    out += good ? c : '_';
  }
  if (out.empty() || (out.front() >= '0' && out.front() <= '9')) out.insert(out.begin(), '_');
  return out;
}

// A word of a trigger: `event` means nothing there.
std::string event_word(const std::string& token) {
  const std::string out = identifier(token);
  return reserved(out) && out != "event" ? out + "_" : out;
}
// A word in the brackets of send().
std::string argument_word(const std::string& name) {
  const std::string out = event_word(name);
  return out == "delay" || out == "id" || out == "to" || out == "if" || out == "name" ? out + "_" : out;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto inside = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_' ||
                                (static_cast<unsigned char>(text[at]) & 0x80U) != 0);
  };
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
    if (!inside(at - 1) && !inside(at + word.size())) return true;
  return false;
}

EcmaValue value(Type type, std::string text) {
  EcmaValue out;
  out.type = type, out.text = std::move(text);
  return out;
}

}  // namespace

std::string ScxmlNames::declare(const std::string& wanted) {
  std::string name = identifier(wanted);
  if (reserved(name)) name += "_";
  const std::string stem = name;
  for (int i = 2; !taken_.insert(name).second; ++i) name = stem + "_" + std::to_string(i);
  if (name != wanted && !wanted.empty() && wanted.front() != ' ') names_changed.insert(wanted + " -> " + name);
  return name;
}

void ScxmlNames::keep_event(const std::string& name) {
  for (const std::string& token : split(name, '.'))
    if (event_word(token) == token) word(token);
    else if (token == "done") word("done_");
}
void ScxmlNames::keep_parameter(const std::string& name) {
  if (argument_word(name) == name) parameter(name);
}
void ScxmlNames::keep_send(const std::string& id) {
  if (argument_word(id) == id) send_id(id);
}

std::string ScxmlNames::unique(Words& words, const std::string& wanted, const std::string& spelt, const char* what) {
  const auto [known, fresh] = words.known.try_emplace(wanted, spelt);
  std::string& name = known->second;
  if (!fresh) return name;
  for (int i = 2; !words.taken.insert(name).second; ++i) name = spelt + "_" + std::to_string(i);
  if (name != wanted) names_changed.insert(what + (" " + wanted) + " -> " + name);
  return name;
}

std::optional<std::string> ScxmlNames::state(const std::string& id) const {
  const auto found = states_.find(id);
  if (found == states_.end()) return std::nullopt;
  return found->second;
}

ScxmlNames::Variable* ScxmlNames::find_variable(const std::string& id) {
  const auto found = variables_.find(id);
  return found == variables_.end() ? nullptr : &found->second;
}

ScxmlNames::Variable& ScxmlNames::variable(const std::string& id) {
  const auto [found, fresh] = variables_.try_emplace(id);
  if (fresh) found->second.name = declare(id), found->second.undefined = true, changed = true;
  return found->second;
}

void ScxmlNames::widen(Variable& variable, const EcmaValue& value) {
  const auto set = [&](bool& flag) {
    if (!flag) flag = changed = true;
  };
  if (value.literal) {
    set(variable.text);
    if (variable.texts.insert(*value.literal).second) changed = true;
  } else if (value.type == Type::boolean) {
    set(variable.boolean);
  } else if (value.type == Type::text) {
    set(variable.text);
    set(variable.open);
  } else if (value.type == Type::number) {
    set(variable.number);
  }
}

void ScxmlNames::note_bound(const std::string& text) {
  for (auto& [id, variable] : variables_)
    if (!variable.tracked && !variable.bound_name.empty() && has_word(text, variable.bound_name))
      variable.tracked = changed = true;
}

// The descriptor `done` becomes `done.*, done_`, which is written as `done done_`: read again it must be the same.
std::string ScxmlNames::word(const std::string& token) {
  if (token != "done") return unique(words_, token, event_word(token), "event");
  names_changed.insert("event done -> done_");
  return unique(words_, "done_", "done_", "event");
}

std::string ScxmlNames::event_name(const std::string& name) {
  const auto known = events_.find(name);
  if (known != events_.end()) return known->second;
  std::string out;
  const std::vector<std::string> tokens = split(name, '.');
  const bool done = tokens.size() == 3 && tokens[0] == "done" && tokens[1] == "state";
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool state_id = done && i == 2;
    const auto known_state = state_id ? state(tokens[i]) : std::nullopt;
    // The first words of the events of the interpreter itself are kept.
    const bool kept = tokens.size() > 1 && i == 0 && (tokens[i] == "done" || tokens[i] == "error");
    std::string here = known_state ? *known_state : kept ? tokens[i] : word(tokens[i]);
    // The end of a state that is not there is the end of no other one.
    const auto drawn = [&](const auto& one) { return one.second == here; };
    while (state_id && !known_state && std::any_of(states_.begin(), states_.end(), drawn)) here += "_";
    out += (i == 0 ? "" : ".") + here;
  }
  if (!done) events_[name] = out;
  return out;
}

std::string ScxmlNames::descriptor(const std::string& text) {
  std::string name = text;
  while (!name.empty() && (name.back() == '*' || name.back() == '.')) {
    const bool star = name.back() == '*';
    name.pop_back();
    if (!star && !name.empty() && name.back() == '.') break;
  }
  if (name.empty()) return "*";
  if (name == "error") return name + ".*";
  if (name == "done") return "done.*, " + event_name(name);  // an event of just that name is called otherwise here
  if (name == "done.state") return "done.state.*";
  return event_name(name);
}

std::string ScxmlNames::parameter(const std::string& name) {
  return unique(carried_names_, name, argument_word(name), "data");
}
std::string ScxmlNames::send_id(const std::string& id) { return unique(send_ids_, id, argument_word(id), "send"); }

std::string ScxmlNames::done_variable(const std::string& id, const std::string& parameter) {
  return "done " + id + " " + parameter;
}

EcmaValue ScxmlNames::value_of(Variable& variable) {
  ++references;
  EcmaValue out = value(variable.array            ? Type::array
                        : variable.is_condition() ? Type::boolean
                        : variable.number         ? Type::number
                        : variable.text           ? Type::text
                                                  : Type::number,
                        variable.name);
  out.elements = variable.elements;
  out.maybe_boolean = variable.boolean && out.type == Type::number;
  out.maybe_text = variable.text && out.type == Type::number;
  if (variable.array) out.text.clear();
  if (variable.undefined && variable.bound_name.empty()) variable.bound_name = declare(variable.name + "_bound");
  if (variable.undefined) out.bound = variable.bound_name;
  return out;
}

std::optional<EcmaValue> ScxmlNames::name(const std::vector<std::string>& path) {
  const std::string& head = path.front();
  if (head == "_event") {
    auto out = event_field(path);
    // Before the first event _event is not bound (section 5.10.1): no event has a number yet.
    if (out && !event_known && path.size() == 1) out->bound = seen;
    if (out && !event_known && path.size() > 1 && out->fails.empty()) out->fails = unless(seen);
    return out;
  }
  const auto text = [this](const std::string& literal) {
    EcmaValue out = value(Type::text, text_number(literal));
    out.literal = literal;
    return out;
  };
  if (head == "_name" && path.size() == 1) return text(document_name);
  if (head == "_sessionid" && path.size() == 1) return text("session");
  if (head == "_ioprocessors")
    return path.size() == 3 && path[2] == "location" ? text("#_scxml_session") : text("[object ioprocessors]");
  Variable* variable = find_variable(head);
  if (variable == nullptr || path.size() > 1) return std::nullopt;
  return value_of(*variable);
}

void ScxmlNames::carry(const std::string& parameter, const EcmaValue& value) {
  const auto [found, fresh] = parameters_.try_emplace(parameter);
  bool& kind = value.type == Type::boolean                 ? found->second.boolean
               : value.type == Type::text || value.literal ? found->second.text
                                                           : found->second.number;
  changed = changed || fresh || !kind;
  kind = true;
}

// What an event does not carry is NaN, which does not equal itself.
EcmaValue ScxmlNames::carried_text(const std::string& parameter) {
  EcmaValue out = value(Type::text, "event." + parameter);
  out.bound = out.text + " == " + out.text;
  return out;
}

EcmaValue ScxmlNames::carried_value(const std::string& parameter) const {
  const Carried& kinds = parameters_.at(parameter);
  EcmaValue out = carried_text(parameter);
  if (kinds.text && !kinds.number && !kinds.boolean) return out;
  out.type = Type::number;
  out.maybe_boolean = kinds.boolean, out.maybe_text = kinds.text;
  if (!kinds.boolean || kinds.number || kinds.text) return out;
  out.type = Type::boolean, out.text = "abs(" + out.text + ") > 0", out.strength = 5;
  return out;
}

// The condition that the event carries any of its data, or none; empty: no event does.
std::string ScxmlNames::carries(const std::string& but) const {
  std::string out;
  for (const auto& [parameter, kinds] : parameters_)
    if (!parameter.starts_with("scxml_") && parameter != but)
      out += (out.empty() ? "" : " or ") + ("event." + parameter + " == event." + parameter);
  return out;
}

bool ScxmlNames::asks_the_event_alone(const std::string& fails) const {
  return fails == unless(seen) || fails == unless(carries(""));
}

// `_event.data`: the content of the event, an object with what else it carries, or undefined.
EcmaValue ScxmlNames::event_data() const {
  const std::string fields = carries("content");
  if (parameters_.count("content") == 0 && fields.empty()) return value(Type::undefined, "0");
  EcmaValue out = value(Type::object, "");
  out.bound = fields;
  if (parameters_.count("content") == 0) return out;
  out = carried_value("content");
  out.object = fields, out.bound = carries("");
  return out;
}

EcmaValue ScxmlNames::event_data(const std::string& key) {
  const std::string carried = parameter(key), data = carries("");
  EcmaValue out = parameters_.count(carried) > 0 ? carried_value(carried) : value(Type::undefined, "0");
  // Without any data `_event.data` is undefined (section 5.10.1), and ECMAScript refuses to look into that.
  out.fails = data.empty() ? "true" : unless(data);
  return out;
}

std::vector<std::string> ScxmlNames::done_bounds(const std::string& id) {
  std::vector<std::string> out;
  const std::string first = done_variable(id, "");
  for (auto at = variables_.lower_bound(first); at != variables_.end() && at->first.starts_with(first); ++at)
    if (at->second.tracked) out.push_back(at->second.bound_name);
  return out;
}

// What the final states of `done_state_` have left.
EcmaValue ScxmlNames::done_data(const std::string& key) {
  std::string left;
  const std::string first = done_variable(*done_state_, "");
  for (auto at = variables_.lower_bound(first); at != variables_.end() && at->first.starts_with(first); ++at)
    left += (left.empty() ? "" : " or ") + value_of(at->second).bound;
  Variable* found = find_variable(done_variable(*done_state_, key));
  EcmaValue out = found == nullptr ? value(Type::undefined, "0") : value_of(*found);
  if (key.empty() && found == nullptr && !left.empty()) out = value(Type::object, ""), out.bound = left;
  if (!key.empty()) out.fails = left.empty() ? "true" : unless(left);
  return out;
}

std::optional<EcmaValue> ScxmlNames::event_field(const std::vector<std::string>& path) {
  if (path.size() == 1) return value(Type::object, "");
  const std::string& field = path[1];
  if (field == "data") {
    if (path.size() > 3) return std::nullopt;
    const std::string key = path.size() == 3 ? path[2] : "";
    if (done_state_) return done_data(key);
    const auto left = variables_.lower_bound("done ");
    done_data_missed_ =
        done_data_missed_ || (maybe_done && left != variables_.end() && left->first.starts_with("done "));
    return key.empty() ? event_data() : event_data(key);
  }
  if (path.size() > 2) return std::nullopt;
  if (field == "invokeid") return value(Type::undefined, "0");
  if (field == "name") {
    EcmaValue out = value(Type::text, "event.scxml_name");
    out.event_name = true;
    return out;
  }
  if (field != "type" && field != "sendid" && field != "origin" && field != "origintype") return std::nullopt;
  use_field(field);
  const std::string carried = "scxml_" + field, outside = field == "type" ? text_number("external") : "0";
  if (parameters_.count(carried) == 0) return value(field == "type" ? Type::text : Type::undefined, outside);
  EcmaValue out = carried_text(carried);
  // Events from outside carry no fields of ours.
  if (field == "type") {
    out.text = out.bound + " ? " + out.text + " : " + outside, out.strength = 1;
    out.bound.clear();
  }
  return out;
}

std::optional<std::string> ScxmlNames::in_state(const std::string& id) {
  const auto found = state(id);
  if (!found || found->empty()) return std::nullopt;
  ++references;
  return "in(" + *found + ")";
}

std::string ScxmlNames::text_number(const std::string& text) {
  if (text.empty()) return "0";
  const auto [found, fresh] = texts_.try_emplace(text, first_text + static_cast<double>(texts_.size()));
  if (fresh) changed = true;
  return std::to_string(static_cast<long>(found->second));
}

}  // namespace ergode
