#include "statecharts/exchange/prism/prism_reader.h"

#include <algorithm>

#include "core/base/text.h"
#include "statecharts/exchange/chart_layout.h"
#include "statecharts/exchange/prism/prism_spelling.h"

namespace ergode {
namespace {

constexpr std::size_t most_values = 8;  // that an event carries

/// One component for each module: a state in which it stays, its variables, and clocks for what happens. Where commands
/// of several modules go together the first of them has the clock, with the rates multiplied, and sends the others what
/// they set: events are handled one after the other, so new values are worked out before any is set.
class Builder {
 public:
  Builder(const PrismProgram& program, const std::string& name, const std::string& unit, Diagnostics& problems)
      : program_(program), name_(name), unit_(unit), problems_(problems), spelling_(program) {}

  Document build() {
    const std::string mission = spelling_.fresh("mission_time");
    Element header = document_.model();
    header.id = ElementId(0x5C);
    header.properties = {
        {"name", name_},
        {"horizon", mission},
        {"time_unit", unit_},
        {"description", "Read from a program in the PRISM language; its unit of time is taken as one " + unit_ + "."}};
    document_.replace(0, header);
    add({.section = Section::parameter,
         .kind = "parameter",
         .properties = {{"name", mission}, {"type", "time"}, {"value", "1 " + unit_}, {"unit", unit_}}});
    for (const PrismConstant& c : program_.constants) constant(c);
    system_ =
        add({.section = Section::diagram, .kind = "diagram", .properties = {{"name", "Main"}, {"notation", "system"}}});
    for (std::size_t m = 0; m <= program_.modules.size(); ++m) chart(m);
    for (const PrismStep& step : prism_steps(program_, problems_)) draw(step);
    for (const ElementId chart : charts_)
      if (chart) layout_chart(document_, chart);
    measures();
    return std::move(document_);
  }

 private:
  ElementId add(Element element) {
    std::uint64_t z = ++counter_ * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    element.id = ElementId((z ^ (z >> 27U)) | 1U);
    const ElementId id = element.id;
    document_.append(std::move(element));
    return id;
  }
  std::string text(const PrismExpression& e, std::size_t inside,
                   const std::map<std::string, std::string>& instead = {}) const {
    return spelling_.expression(e, inside, instead);
  }
  std::size_t nobody() const { return program_.modules.size() + 1; }

  void constant(const PrismConstant& c) {
    if (!c.value)
      problems_.push_back(
          {.severity = Severity::info,
           .code = "PRI006",
           .message = "The constant \"" + c.name + "\" has no value.",
           .hint = "Give one: --set " + spelling_.name(c.name) + "=..., or in the list of parameters."});
    static const char* const types[] = {"integer", "real", "boolean"};
    add({.section = Section::parameter,
         .kind = "parameter",
         .properties = {{"name", spelling_.name(c.name)},
                        {"type", types[static_cast<int>(c.type)]},
                        {"value", c.value ? text(*c.value, nobody()) : std::string()}}});
  }

  const std::vector<PrismVariable>& variables(std::size_t m) const {
    return m < program_.modules.size() ? program_.modules[m].variables : program_.globals;
  }

  void chart(std::size_t m) {
    charts_.emplace_back(), states_.emplace_back();
    if (m == program_.modules.size() && program_.globals.empty()) return;
    const std::string& name = spelling_.module(m);
    charts_[m] = add(
        {.section = Section::diagram, .kind = "diagram", .properties = {{"name", name}, {"notation", "statechart"}}});
    states_[m] =
        add({.section = Section::node, .kind = "state", .diagram = charts_[m], .properties = {{"name", "Run"}}});
    const ElementId start = add({.section = Section::node, .kind = "initial", .diagram = charts_[m]});
    add({.section = Section::edge, .kind = "transition", .diagram = charts_[m], .source = start, .target = states_[m]});
    std::string bounds;
    for (const PrismVariable& v : variables(m)) {
      const bool boolean = v.type == PrismType::boolean;
      std::string range;
      if (v.low) {
        const std::string low = text(*v.low, nobody()), high = text(*v.high, nobody()), own = spelling_.name(v.name);
        range = "From " + low + " to " + high + ".";
        bounds +=
            (bounds.empty() ? "" : " and ") + own + " >= " + operand(low) + " and " + own + " <= " + operand(high);
      }
      variable(m, spelling_.name(v.name), boolean,
               v.initial ? text(*v.initial, nobody())
               : boolean ? "false"
                         : text(*v.low, nobody()),
               range);
    }
    // Where PRISM refuses the program a run must not give a number: a negative rate ends it.
    if (!bounds.empty())
      edge(m, "rate(" + bounds + " ? 0 /" + unit_ + " : -1 /" + unit_ + ")", "",
           "Never taken. Ends the run when a variable leaves its bounds, with a negative rate.");
    Element component{.section = Section::node,
                      .kind = "component",
                      .diagram = system_,
                      .properties = {{"name", name}, {"chart", name}}};
    component.layout.bounds =
        Rect{80.0 + 200.0 * static_cast<double>(m % 5), 60.0 + 110.0 * static_cast<double>(m / 5), 160, 70};
    add(std::move(component));
  }

  /// Beside an operator: what is no plain number in brackets.
  static std::string operand(const std::string& text) { return parse_number(text) ? text : "(" + text + ")"; }

  void variable(std::size_t m, const std::string& name, bool boolean, const std::string& initial,
                const std::string& notes) {
    Value properties = {{"name", name}, {"type", boolean ? "boolean" : "integer"}, {"initial", initial}};
    if (!notes.empty()) properties["description"] = notes;
    add({.section = Section::node, .kind = "variable", .diagram = charts_[m], .properties = std::move(properties)});
  }

  void edge(std::size_t m, const std::string& trigger, const std::string& action, const std::string& notes = {}) {
    Value properties = {{"trigger", trigger}, {"type", "internal"}};
    if (!notes.empty()) properties["description"] = notes;
    if (!action.empty()) properties["action"] = action;
    add({.section = Section::edge,
         .kind = "transition",
         .diagram = charts_[m],
         .source = states_[m],
         .target = states_[m],
         .properties = std::move(properties)});
  }

  // Assignments one after the other that do what updates do at once: nobody reads what was set already. Where updates
  // read each other in a circle, the old value is kept for a moment.
  std::string assignments(std::size_t m, std::vector<const PrismUpdate*> updates,
                          const std::map<std::string, std::string>& carried) {
    std::string out, after;
    std::map<std::string, std::string> instead;
    const auto append = [](std::string& to, const std::string& more) { to += (to.empty() ? "" : "; ") + more; };
    const auto value = [&](const PrismUpdate& u) {
      const auto event = carried.find(u.variable);
      return event != carried.end() ? event->second : text(u.value, m, instead);
    };
    const auto read_by_others = [&](const PrismUpdate* u) {
      return instead.count(u->variable) == 0 &&
             std::any_of(updates.begin(), updates.end(), [&](const PrismUpdate* other) {
               return other != u && carried.count(other->variable) == 0 && reads(other->value, u->variable);
             });
    };
    while (!updates.empty()) {
      const auto free = std::find_if(updates.begin(), updates.end(), [&](auto* u) { return !read_by_others(u); });
      if (free != updates.end()) {
        append(out, spelling_.name((*free)->variable) + " := " + value(**free));
        updates.erase(free);
        continue;
      }
      const std::string& name = updates.front()->variable;
      const bool boolean = program_.variable(name)->type == PrismType::boolean;
      std::string& kept = kept_[{m, name}];
      const std::string none = boolean ? "false" : "0";
      if (kept.empty()) kept = spelling_.fresh("old_" + name), variable(m, kept, boolean, none, "For a moment only.");
      append(out, kept + " := " + spelling_.name(name));
      append(after, kept + " := " + none);
      instead[name] = kept;
    }
    if (!after.empty()) append(out, after);
    return out;
  }

  void draw(const PrismStep& step) {
    const std::size_t owner = step.parts.front().module;
    std::string guard, rate, sends;
    std::map<std::size_t, std::vector<const PrismUpdate*>> updates;
    for (const PrismStep::Part& part : step.parts) {
      const PrismCommand& command = program_.modules[part.module].commands[part.command];
      const PrismAlternative& chosen = command.alternatives[part.alternative];
      guard += (guard.empty() ? "(" : " and (") + text(command.guard, owner) + ")";
      if (!(chosen.rate.whole && chosen.rate.word == "1"))
        rate += (rate.empty() ? "(" : " * (") + text(chosen.rate, owner) + ")";
      for (const PrismUpdate& u : chosen.updates) updates[program_.variable(u.variable)->module].push_back(&u);
    }
    rate = (rate.empty() ? "1" : rate + " * 1") + " /" + unit_;
    for (const auto& [m, list] : updates)
      if (m != owner) sends += (sends.empty() ? "" : "; ") + send(m, list, owner);
    const auto own = updates.find(owner);
    const std::string set = own == updates.end() ? std::string() : assignments(owner, own->second, {});
    edge(owner, "rate(" + guard + " ? " + rate + " : 0 /" + unit_ + ")",
         sends + (sends.empty() || set.empty() ? "" : "; ") + set);
  }

  // What another module sets comes to it as an event. Values that need others' variables are worked out here.
  std::string send(std::size_t m, const std::vector<const PrismUpdate*>& list, std::size_t owner) {
    std::map<std::string, std::string> carried;
    std::string values;
    for (const PrismUpdate* u : list) {
      if (!reads_others(u->value, m)) continue;
      carried[u->variable] = "event." + spelling_.name(u->variable);
      values += ", " + spelling_.name(u->variable) + " = " + text(u->value, owner);
    }
    if (carried.size() > most_values)
      problems_.push_back(prism_problem("PRI003", list.front()->place,
                                        "More than 8 values that depend on other modules are set at once."));
    // The same updates are the same event.
    const std::string set = assignments(m, list, carried);
    std::string& event = events_[{m, set}];
    if (event.empty()) event = spelling_.fresh("set_" + spelling_.module(m)), edge(m, event, set);
    return "send(" + event + ", to = " + spelling_.module(m) + values + ")";
  }

  bool reads_others(const PrismExpression& e, std::size_t m) const {
    if (e.kind == PrismExpression::Kind::name)
      if (const PrismVariable* v = program_.variable(e.word); v != nullptr && v->module != m) return true;
    return std::any_of(e.of.begin(), e.of.end(), [&](const PrismExpression& child) { return reads_others(child, m); });
  }

  void measures();

  const PrismProgram& program_;
  std::string name_, unit_;
  Diagnostics& problems_;
  PrismSpelling spelling_;
  Document document_;
  std::uint64_t counter_ = 0;
  ElementId system_;
  std::vector<ElementId> charts_, states_;  ///< by module; the last: globals
  std::map<std::pair<std::size_t, std::string>, std::string> kept_, events_;
};

std::string reward_text(const PrismProgram& program, const PrismReward& reward, bool transitions) {
  const PrismSpelling spelling(program);
  const std::size_t nobody = program.modules.size() + 1;
  const auto text = [&](const PrismExpression& e) { return spelling.expression(e, nobody); };
  std::string out;
  const auto add = [&](const std::string& condition, const std::string& value) {
    out += (out.empty() ? "" : " + ") + ("((" + condition + ") ? (" + value + ") : 0)");
  };
  Diagnostics none;
  const std::vector<PrismStep> steps = transitions ? prism_steps(program, none) : std::vector<PrismStep>();
  for (const PrismReward::Item& item : reward.items) {
    if (!item.transition) add(text(item.guard), text(item.value));
    for (const PrismStep& step : steps) {
      if (!item.transition || step.action != item.action) continue;
      std::string guard = "(" + text(item.guard) + ")", value = "(" + text(item.value) + ")";
      for (const PrismStep::Part& part : step.parts) {
        const PrismCommand& command = program.modules[part.module].commands[part.command];
        guard += " and (" + text(command.guard) + ")";
        value += " * (" + text(command.alternatives[part.alternative].rate) + ")";
      }
      add(guard, value);
    }
  }
  return out.empty() ? "0" : out;
}

void Builder::measures() {
  const auto measure = [&](const std::string& name, const std::string& label, const char* type,
                           const std::string& expression) {
    add({.section = Section::measure,
         .kind = "measure",
         .properties = {
             {"name", spelling_.fresh(name)}, {"label", label}, {"type", type}, {"expression", expression}}});
  };
  for (const auto& [name, value] : program_.labels) {
    std::string word = is_identifier(name) ? name : "label";
    measure(word, name, "probability_at", text(value, nobody()));
  }
  for (const PrismReward& r : program_.rewards)
    measure(is_identifier(r.name) ? "reward_" + r.name : "reward",
            "reward " + r.name + " per " + unit_ + ", on average", "time_average", reward_text(program_, r, true));
}

}  // namespace

PrismImport::PrismImport(std::string_view text, const std::string& name, const std::string& unit)
    : program_(parse_prism(text, diagnostics)) {
  if (has_errors(diagnostics)) return;
  program_.time_unit = unit;
  Document made = Builder(program_, name, unit, diagnostics).build();
  if (!has_errors(diagnostics)) document = std::move(made);
}

std::variant<std::string, Diagnostic> PrismImport::condition(std::string_view text) const {
  auto parsed = parse_prism_expression(program_, text);
  if (auto* problem = std::get_if<Diagnostic>(&parsed)) return std::move(*problem);
  return PrismSpelling(program_).expression(std::get<PrismExpression>(parsed), program_.modules.size() + 1);
}

std::optional<std::string> PrismImport::reward(const std::string& name, bool transitions) const {
  for (const PrismReward& r : program_.rewards)
    if (r.name == name || (name.empty() && &r == &program_.rewards.front()))
      return reward_text(program_, r, transitions);
  return std::nullopt;
}

}  // namespace ergode
