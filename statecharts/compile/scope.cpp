#include <limits>

#include "core/base/text.h"
#include "statecharts/compile/compiler.h"

namespace ergode {

std::optional<Symbol> ModelCompiler::ModelScope::name(std::string_view word) {
  Symbol out;
  if (const auto index = compiler_.indices_.find(std::string(word)); index != compiler_.indices_.end()) {
    out.type = ValueType::integer();
    out.constant = static_cast<double>(index->second);
    return out;
  }
  if (instance_ >= 0) {
    if (const auto found = compiler_.variable(static_cast<std::uint32_t>(instance_), word)) {
      out.type = found->type;
      out.element = found->element;
      if (found->constant) out.constant = found->value;
      else compiler_.reading_.own.insert(out.slot = found->slot);
      return out;
    }
    if (word == "index") {
      compiler_.reading_.index = true;
      out.type = ValueType::integer();
      out.constant = compiler_.model_.instances[static_cast<std::size_t>(instance_)].member + 1.0;
      return out;
    }
  }
  if (word == "now") {
    out.type = ValueType::real(Dimension::of_time());
    out.slot = World::now_slot;
    return out;
  }
  return ParameterScope(compiler_.parameters_).name(word);
}

std::vector<std::string> ModelCompiler::ModelScope::names() const {
  std::vector<std::string> out = ParameterScope(compiler_.parameters_).names();
  for (const ComponentArray& array : compiler_.model_.arrays) out.push_back(array.name);
  for (const auto& [name, thing] : compiler_.table_->things())
    if (compiler_.array(name) == nullptr) out.push_back(name);
  if (instance_ >= 0) {
    const auto i = static_cast<std::size_t>(instance_);
    for (const auto& [name, variable] : compiler_.variables_[compiler_.variables_of_[i]]) out.push_back(name);
    for (const State& state : compiler_.lowered_[compiler_.model_.instances[i].chart].states) out.push_back(state.name);
  }
  return out;
}

bool ModelCompiler::ModelScope::declares(std::string_view word) const {
  if (ParameterScope(compiler_.parameters_).name(word) || compiler_.indices_.contains(std::string(word))) return true;
  if (compiler_.table_->declared(word) != nullptr) return true;
  if (instance_ < 0) return false;
  const auto i = static_cast<std::size_t>(instance_);
  if (compiler_.variables_[compiler_.variables_of_[i]].contains(word)) return true;
  return compiler_.state_names(compiler_.model_.instances[i].chart).contains(std::string(word));
}

const std::unordered_set<std::string>& ModelCompiler::state_names(std::uint32_t chart) {
  state_names_.resize(std::max<std::size_t>(state_names_.size(), chart + std::size_t{1}));
  std::unordered_set<std::string>& names = state_names_[chart];
  if (names.empty())
    for (const State& state : lowered_[chart].states) names.insert(state.name);
  return names;
}

// What the event that is being handled carries; NaN when it carries no such value, so that no comparison holds.
std::variant<Symbol, StateSet, std::string> ModelCompiler::ModelScope::event_value(const std::string& word) {
  const auto instance = static_cast<std::size_t>(instance_);
  CompiledModel& model = compiler_.model_;
  const auto fresh_slot = [&] { return compiler_.table_->add(std::numeric_limits<double>::quiet_NaN()); };
  Symbol out;
  if (word == "name") {
    std::uint32_t& slot = model.event_name_slots[instance];
    if (slot == 0) slot = fresh_slot();
    compiler_.reading_.own.insert(slot);
    out.type = ValueType::integer();
    out.slot = slot;
    return out;
  }
  const auto type = compiler_.event_types_.find(word);
  if (type == compiler_.event_types_.end()) return "No event of the model carries \"" + word + "\".";
  const auto [slot, fresh] = compiler_.event_slots_[static_cast<std::uint32_t>(instance)].emplace(word, 0U);
  if (fresh) slot->second = fresh_slot();
  compiler_.reading_.own.insert(slot->second);
  out.type = type->second;
  out.slot = slot->second;
  return out;
}

std::variant<Symbol, StateSet, std::string> ModelCompiler::ModelScope::path(const ResolvedPath& path) {
  const std::string& head = path.words.front();
  const ComponentArray* array = compiler_.array(head);
  if (instance_ >= 0 && array == nullptr && head == "event" && path.words.size() == 2 && !path.indexed)
    return event_value(path.words[1]);
  if (array == nullptr && compiler_.table_->declared(head) != nullptr) {
    auto found = compiler_.table_->path(path);
    if (const auto* why_not = std::get_if<std::string>(&found)) return *why_not;
    return std::get<Symbol>(found);
  }
  std::uint32_t first = 0, count = 1, chart = 0;
  std::size_t skip = 1;
  if (array != nullptr) {
    chart = array->chart;
    if (array->array && !path.indexed)
      return "\"" + head + "\" is an array of " + std::to_string(array->count) + "; wanted an index: " + head +
             "[1] or " + head + "[*].";
    if (!array->array && path.indexed) return "\"" + head + "\" is a single component; wanted no index.";
    first = array->first, count = array->count;
    if (path.indexed && !path.all) {
      if (path.first < 1 || path.last > static_cast<long>(array->count) || path.first > path.last)
        return head + "[" + std::to_string(path.first) +
               (path.last != path.first ? ".." + std::to_string(path.last) : "") + "] is out of range; " + head +
               " has members 1 to " + std::to_string(array->count) + ".";
      first += static_cast<std::uint32_t>(path.first - 1);
      count = static_cast<std::uint32_t>(path.last - path.first + 1);
    }
    if (path.words.size() == 1)
      return "\"" + head + "\" is a component; wanted one of its states: " + head + ".Failed.";
  } else if (instance_ >= 0 && !path.indexed) {
    first = static_cast<std::uint32_t>(instance_);
    chart = compiler_.model_.instances[first].chart;
    skip = 0;
  } else {
    return "\"" + head + "\" is no parameter, component or state.";
  }
  if (array != nullptr && path.words.size() == 2 && count == 1) {
    if (const auto found = compiler_.variable(first, path.words[1])) {
      Symbol out;
      out.type = found->type;
      out.element = found->element;
      if (found->constant) out.constant = found->value;
      else compiler_.reading_.named.insert(out.slot = found->slot);
      return out;
    }
  }
  const StateChart& drawn = compiler_.lowered_[chart];
  const int state = drawn.find(path.words, skip);
  std::string wanted;
  for (std::size_t i = skip; i < path.words.size(); ++i) wanted += (wanted.empty() ? "" : ".") + path.words[i];
  if (state == -2)
    return "Several states of the chart \"" + drawn.name + "\" are called \"" + wanted +
           "\"; say which, with the state around it.";
  if (state < 0) {
    if (array == nullptr) return "\"" + head + "\" is no parameter, variable, component or state of this chart.";
    std::vector<std::string> known;
    for (const State& s : drawn.states) known.push_back(s.name);
    const std::string near = nearest_word(path.words.back(), known);
    return "The chart \"" + drawn.name + "\" has no state \"" + wanted + "\"" +
           (near.empty() ? "." : "; did you mean " + near + "?");
  }
  const std::uint32_t slot = compiler_.count_slot(first, count, state);
  (skip == 0 ? compiler_.reading_.own : compiler_.reading_.named).insert(slot);
  return StateSet{slot, count};
}

}  // namespace ergode
