// Actions of one element as specifications over slots: assignments, events raised, sent, recorded and cancelled.
#include <algorithm>

#include "statecharts/compile/compiler.h"

namespace ergode {

class ActionCompiler {
 public:
  ActionCompiler(ModelCompiler& compiler, std::uint32_t instance, ElementId element, const char* property)
      : compiler_(compiler), model_(compiler.model_), instance_(instance), element_(element), property_(property) {}

  /// The action's number; nothing when it was refused.
  std::optional<std::uint32_t> compile(const ActionSyntax& action) {
    ActionSpec spec;
    if (!(action.target ? assign(action, spec) : call(action.value, spec))) return {};
    model_.actions.push_back(spec);
    return static_cast<std::uint32_t>(model_.actions.size() - 1);
  }

 private:
  bool refuse(std::string message, int begin) {
    compiler_.complain({"SCH011", std::move(message), begin + 1, {}}, element_, property_, {});
    return false;
  }
  bool refuse(const ExpressionError& error) {
    compiler_.complain(error, element_, property_, {});
    return false;
  }
  ModelCompiler::ModelScope& scope() { return compiler_.scope(instance_); }

  bool program(const Syntax& syntax, ValueType type, std::int32_t& out) {
    auto made = compile_as(compiler_.resolved(syntax), type, scope());
    if (const auto* error = std::get_if<ExpressionError>(&made)) return refuse(*error);
    out = compiler_.keep(std::get<Program>(std::move(made)));
    return true;
  }

  bool assign(const ActionSyntax& action, ActionSpec& spec) {
    const auto target = ergode::compile(*action.target, scope());
    if (const auto* error = std::get_if<ExpressionError>(&target)) return refuse(*error);
    const std::string& name = action.target->segments.front().word;
    const auto variable = compiler_.variable(instance_, name);
    if (!action.target->is_word() || !variable || variable->constant)
      return refuse("\"" + name + "\" cannot be assigned to; wanted a variable of this chart.", action.target->begin);
    spec.kind = ActionSpec::Kind::assign;
    spec.slot = variable->slot;
    return program(action.value, variable->type, spec.program);
  }

  bool call(const Syntax& call, ActionSpec& spec) {
    if (call.word == "cancel") return cancel(call, spec);
    const bool send = call.word == "send", raise = call.word == "raise";
    if (!send && !raise && call.word != "record")
      return refuse("There is no action \"" + call.word + "\"; wanted raise, send, cancel or record.", call.begin);
    const std::string event = event_argument(call);
    if (event.empty())
      return refuse(
          call.word + "(...) wants an event's name" + (send ? ", then optionally a component and a delay." : "."),
          call.begin);
    spec.kind = send ? ActionSpec::Kind::send : raise ? ActionSpec::Kind::raise : ActionSpec::Kind::record;
    spec.event = compiler_.table_->events.number(event);
    spec.first = 0, spec.last = static_cast<std::uint32_t>(model_.instances.size()) - 1;
    bool receiver = false, delayed = false;
    std::vector<EventParameter> parameters;
    for (std::size_t i = 1; i < call.children.size(); ++i) {
      const Syntax& value = call.children[i];
      const std::string& name = call.names[i];
      const bool component = name == "to" || (name.empty() && !receiver && !delayed && is_component(value));
      if (send && component) {
        receiver = true;
        if (!receivers(value, spec)) return false;
      } else if (send && (name == "delay" || (name.empty() && !delayed))) {
        if (name.empty() && !receiver && value.is_word() && !scope().name(value.segments.front().word))
          return refuse("send(...) wants a component as its second argument: EDG[2], EDG[*] or grid.", value.begin);
        delayed = true;
        if (!program(value, ValueType::real(Dimension::of_time()), spec.program)) return false;
      } else if (send && name == "id") {
        const std::string id = value.is_word() ? value.segments.front().word : value.word;
        if (id.empty()) return refuse("id = ... wants a name.", value.begin);
        spec.id = compiler_.send_id(instance_, id);
      } else if (name == "if") {
        if (!program(value, ValueType::boolean(), spec.condition)) return false;
      } else if (!name.empty() && spec.kind != ActionSpec::Kind::record) {
        EventParameter parameter{compiler_.event_parameter(name), -1};
        if (!program(value, compiler_.event_types_.at(name), parameter.program)) return false;
        parameters.push_back(parameter);
      } else {
        return refuse(call.word + "(...) has too many arguments.", value.begin);
      }
    }
    if (parameters.size() > most_event_parameters)
      return refuse("The event carries " + std::to_string(parameters.size()) + " values; wanted at most " +
                        std::to_string(most_event_parameters) + ".",
                    call.begin);
    spec.parameters = static_cast<std::uint32_t>(model_.event_parameters.size());
    model_.event_parameters.insert(model_.event_parameters.end(), parameters.begin(), parameters.end());
    spec.parameters_end = static_cast<std::uint32_t>(model_.event_parameters.size());
    return true;
  }

  bool cancel(const Syntax& call, ActionSpec& spec) {
    const std::string id = event_argument(call);
    const bool conditional = call.children.size() == 2 && call.names[1] == "if";
    if (id.empty() || call.children.size() != (conditional ? 2U : 1U))
      return refuse("cancel(...) wants the id of a sent event.", call.begin);
    if (conditional && !program(call.children[1], ValueType::boolean(), spec.condition)) return false;
    spec.kind = ActionSpec::Kind::cancel;
    spec.id = compiler_.send_id(instance_, id);
    return true;
  }

  bool is_component(const Syntax& s) const {
    return s.kind == Syntax::Kind::path && s.segments.size() == 1 &&
           compiler_.array(s.segments.front().word) != nullptr;
  }

  bool receivers(const Syntax& to, ActionSpec& spec) {
    if (!is_component(to))
      return refuse("send(...) wants a component as its second argument: EDG[2], EDG[*] or grid.", to.begin);
    const ComponentArray& array = *compiler_.array(to.segments.front().word);
    spec.first = array.first, spec.last = array.first + array.count - 1;
    if (array.array && to.index == Syntax::Index::none)
      return refuse("\"" + array.name + "\" is an array; wanted " + array.name + "[*] or " + array.name + "[1].",
                    to.begin);
    if (!array.array && to.index != Syntax::Index::none)
      return refuse("\"" + array.name + "\" is a single component; wanted no index.", to.begin);
    if (to.children.empty()) return true;
    const auto index = [&](const Syntax& s) {
      const auto compiled = compile_as(s, ValueType::integer(), scope());
      const Program* program = std::get_if<Program>(&compiled);
      const bool good =
          program != nullptr && program->is_constant() && program->value() >= 1 && program->value() <= array.count;
      return good ? static_cast<std::uint32_t>(program->value()) : 0U;
    };
    const std::uint32_t first = index(to.children.front()), last = index(to.children.back());
    if (first == 0 || last < first)
      return refuse(
          "The index is out of range; " + array.name + " has members 1 to " + std::to_string(array.count) + ".",
          to.begin);
    spec.first = array.first + first - 1, spec.last = array.first + last - 1;
    return true;
  }

  ModelCompiler& compiler_;
  CompiledModel& model_;
  std::uint32_t instance_;
  ElementId element_;
  const char* property_;
};

std::vector<MemberNumber> ModelCompiler::actions(std::uint32_t instance, ElementId element, const char* property,
                                                 const std::vector<ActionSyntax>& list) {
  std::vector<MemberNumber> out;
  ActionCompiler one(*this, instance, element, property);
  for (const ActionSyntax& action : list)
    if (const auto number = one.compile(action)) out.push_back({*number, 0});
  return out;
}

std::uint32_t ModelCompiler::event_parameter(const std::string& name) {
  auto& names = model_.event_parameter_names;
  const auto place = static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
  if (place == names.size()) names.push_back(name);
  return place;
}

std::uint32_t ModelCompiler::send_id(std::uint32_t instance, const std::string& id) {
  const std::string key = std::to_string(instance) + "/" + id;
  const auto [place, fresh] = send_ids_.emplace(key, last_send_id_ + 1);
  if (fresh) ++last_send_id_;
  return place->second;
}

// What events carry must be known before anything that reads it is compiled. A value passed on from another event is
// typed on the second look.
void ModelCompiler::event_parameter_types() {
  bool last = false;
  const auto look = [&](std::uint32_t instance, const std::vector<ActionSyntax>& list) {
    for (const ActionSyntax& action : list) {
      const Syntax& call = action.value;
      if (action.target || (call.word != "send" && call.word != "raise")) continue;
      for (std::size_t i = 1; i < call.children.size(); ++i) {
        const std::string& name = call.names[i];
        if (name.empty() || name == "if") continue;
        if (call.word == "send" && (name == "to" || name == "delay" || name == "id")) continue;
        const auto value = compile(resolved(call.children[i]), scope(instance));
        if (const auto* compiled = std::get_if<Compiled>(&value)) {
          const auto [known, fresh] = event_types_.emplace(name, compiled->type);
          // A whole number here and a real there: the event carries reals.
          if (!fresh && known->second.base == ValueType::Base::integer && compiled->type.base == ValueType::Base::real)
            known->second = compiled->type;
        } else if (last) event_types_.emplace(name, ValueType::real());
      }
    }
  };
  for (int pass = 0; pass < 2; ++pass) {
    last = pass == 1;
    for (const ComponentArray& array : model_.arrays) {
      const StateChart& chart = lowered_[array.chart];
      for (const State& s : chart.states) look(array.first, s.entry), look(array.first, s.exit);
      for (const Transition& t : chart.transitions) look(array.first, t.actions), look(array.first, t.fault);
    }
  }
}

// `event.name == "a.b"`: the text becomes the event's number.
Syntax ModelCompiler::resolved(const Syntax& syntax) {
  Syntax out = syntax;
  for (Syntax& child : out.children) child = resolved(child);
  if (const Syntax* text = event_name_text(out)) {
    Syntax& named = out.children[text == &out.children[0] ? 0 : 1];
    named.kind = Syntax::Kind::number;
    named.number = table_->events.number(named.word);
  }
  return out;
}

}  // namespace ergode
