#include "statecharts/exchange/boost_statechart_writer.h"

#include <algorithm>

#include "core/base/text.h"
#include "statecharts/exchange/boost_statechart_program.h"

namespace ergode {
namespace {

using Kind = Trigger::Kind;
constexpr std::size_t most_entries = 50;  // of one list of types in Boost.MPL as the program sets it

// What every written program has; `@` stands where the chart comes in.
constexpr const char* head = R"(#define BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS
#define BOOST_MPL_LIMIT_LIST_SIZE 50
#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/statechart/custom_reaction.hpp>
#include <boost/statechart/deep_history.hpp>
#include <boost/statechart/event.hpp>
#include <boost/statechart/shallow_history.hpp>
#include <boost/statechart/state.hpp>
#include <boost/statechart/state_machine.hpp>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace sc = boost::statechart;
namespace mpl = boost::mpl;

)";

constexpr const char* tail = R"(
// One event of the outside: to the end of everything it causes.
void give(Machine& machine, const std::string& given) {
  if (machine.halted) return;
  machine.begun = true;
  for (std::string name = given;;) {
    const auto known = machine.makers().find(name);
    if (known != machine.makers().end()) {
      known->second(machine);
      break;
    }
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) {
      machine.process_event(Other());
      break;
    }
    name.resize(dot);
  }
  machine.settle();
}

#ifndef ERGODE_NO_MAIN
int main(int argc, char** argv) {
  Machine machine;
  machine.start();
  machine.settle();
  machine.print();
  if (argc > 1) {
    for (int i = 1; i < argc; ++i) give(machine, argv[i]), machine.print();
  } else {
    for (std::string name; std::getline(std::cin, name);) give(machine, name), machine.print();
  }
}
#endif
)";

}  // namespace

BoostProgram::BoostProgram(const Document& document, const Element& diagram) : export_(document, diagram) {
  spelling_.active = [](int state) { return "machine.active[" + std::to_string(state) + "]"; };
  spelling_.carried = [](const std::string&) { return std::string("0.0"); };
  spelling_.event_is = [this](const std::string& event) {
    names_read_ = true;
    return "machine.event == " + cpp_literal(event);
  };
  spelling_.event_seen = "machine.begun";
  spelling_.variable = [](const std::string& name) { return "machine.v_" + name; };
  spelling_.functions = {{"abs", "std::abs"},     {"exp", "std::exp"},   {"log", "std::log"}, {"sqrt", "std::sqrt"},
                         {"floor", "std::floor"}, {"ceil", "std::ceil"}, {"pow", "std::pow"}, {"round", "std::round"},
                         {"^", "std::pow"},       {"mod", "std::fmod"},  {"min", "least"},    {"max", "greatest"},
                         {"sin", "std::sin"},     {"cos", "std::cos"},   {"tan", "std::tan"}};
}

ExportedText BoostProgram::write() {
  ExportedText out;
  if (!has_errors(export_.diagnostics())) {
    for (std::size_t t = 0; t < chart().transitions.size(); ++t)
      ways_[chart().transitions[t].source].push_back(static_cast<int>(t));
    alphabet();
    check();
  }
  if (!has_errors(export_.diagnostics())) program();
  out.diagnostics = export_.diagnostics();
  if (!has_errors(out.diagnostics)) out.text = std::move(text_);
  return out;
}

void BoostProgram::alphabet() {
  const auto add = [this](const std::string& event) {
    if (std::find(events_.begin(), events_.end(), event) == events_.end()) events_.push_back(event);
  };
  const auto actions = [&](const std::vector<ActionSyntax>& list) {
    for (const ActionSyntax& action : list)
      if (!action.target && (action.value.word == "raise" || action.value.word == "send")) add(event_of(action.value));
  };
  for (const Transition& t : chart().transitions) {
    for (const std::string& event : t.trigger.events) {
      if (event == "*") continue;
      // `done.state` waits for all of them.
      if (event_matches(event, "done.state"))
        for (std::size_t s = 1; s < chart().states.size(); ++s) add(done_event_name(chart(), static_cast<int>(s)));
      else add(event);
    }
    actions(t.actions);
  }
  for (const State& s : chart().states) actions(s.entry), actions(s.exit);
}

std::string BoostProgram::event_of(const Syntax& call) {
  if (call.children.empty()) return {};
  const Syntax& name = call.children.front();
  if (name.kind == Syntax::Kind::text) return name.word;
  std::string out;
  for (const Syntax::Segment& segment : name.segments) out += (out.empty() ? "" : ".") + segment.word;
  return out;
}

std::string BoostProgram::event_type(const std::string& event) const {
  const auto found = std::find(events_.begin(), events_.end(), event);
  return "Event" + std::to_string(found - events_.begin());
}

// Types of the events on which a transition reacts: Event0, Other, Completion.
std::set<std::string> BoostProgram::reactions(const Transition& t) const {
  std::set<std::string> out;
  if (t.trigger.kind == Kind::none || t.trigger.kind == Kind::when) out.insert("Completion");
  for (const std::string& descriptor : t.trigger.events) {
    if (descriptor == "*") out.insert("Other");
    for (const std::string& event : events_)
      if (event_matches(descriptor, event)) out.insert(event_type(event));
  }
  return out;
}

void BoostProgram::line(int depth, const std::string& text) {
  text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n";
}

void BoostProgram::program() {
  for (std::size_t t = 0; t < chart().transitions.size(); ++t)
    completion_ = completion_ || (!is_start(static_cast<int>(t)) &&
                                  reactions(transition(static_cast<int>(t))).count("Completion") > 0);
  // Written twice: what the states read is known only then.
  for (int pass = 0; pass < 2; ++pass) write_program();
}

void BoostProgram::write_program() {
  text_ = "// The statechart " + in_line_comment(chart().name) +
          " on Boost.Statechart, written by Ergode " ERGODE_VERSION ".\n";
  text_ += head;
  for (std::size_t e = 0; e < events_.size(); ++e)
    line(0, "struct Event" + std::to_string(e) + " : sc::event<Event" + std::to_string(e) + "> {};  // " + events_[e]);
  line(0, "struct Other : sc::event<Other> {};            // an event that no transition names");
  line(0, "struct Completion : sc::event<Completion> {};  // transitions that need no event");
  for (std::size_t s = 1; s < chart().states.size(); ++s)
    if (!state(static_cast<int>(s)).history())
      line(0, "struct " + type(static_cast<int>(s)) + ";  // " + export_.id(static_cast<int>(s)));
  machine();
  for (std::size_t s = 1; s < chart().states.size(); ++s)
    if (!state(static_cast<int>(s)).history()) define(static_cast<int>(s));
  line(0, "");
  line(0, "inline const Machine::Makers& Machine::makers() {");
  line(1, "static const Makers all = {");
  for (std::size_t e = 0; e < events_.size(); ++e)
    line(3, "{" + cpp_literal(outside(events_[e])) + ", [](Machine& m) { m.handle(Event" + std::to_string(e) + "(), " +
                cpp_literal(events_[e]) + "); }},");
  line(1, "};");
  line(1, "return all;");
  line(0, "}");
  text_ += tail;
}

// Events of finished states are made inside; nobody outside calls them as the tables do.
std::string BoostProgram::outside(const std::string& event) const {
  for (std::size_t s = 1; s < chart().states.size(); ++s)
    if (done_event_name(chart(), static_cast<int>(s)) == event) return "done.state." + export_.id(static_cast<int>(s));
  return event;
}

void BoostProgram::machine() {
  const std::string first = type(transition(state(0).initial).targets.front());
  line(0, "");
  line(0, "inline double least(double a, double b) { return std::min(a, b); }");
  line(0, "inline double greatest(double a, double b) { return std::max(a, b); }");
  line(0, "");
  line(0, "struct Machine : sc::state_machine<Machine, " + first + "> {");
  line(1, "using Makers = std::map<std::string, void (*)(Machine&)>;");
  line(1, "static const Makers& makers();");
  line(1, "bool active[" + std::to_string(chart().states.size()) + "] = {};");
  line(1, "bool reacted = false, halted = false, begun = false;  // begun: there has been an event");
  line(1, "std::string event;  // the one that is handled");
  line(1, "std::deque<std::string> internal, external;");
  for (const ChartVariable& v : chart().variables)
    line(1,
         std::string(v.type == "boolean" ? "bool" : "double") + " v_" + v.name + " = " +
             (v.type == "boolean" ? (export_.initial(v) != 0.0 ? "true" : "false") : plain_number(export_.initial(v))) +
             ";");
  line(1, "void start() {");
  line(2, "Machine& machine = *this;");
  line(2, "(void)machine;");
  actions(transition(state(0).initial).actions, transition(state(0).initial).element, "action", 2);
  line(2, "initiate();");
  line(1, "}");
  line(1, "template <class Event>");
  line(1, names_read_ ? "void handle(const Event& given, const char* name) {"
                      : "void handle(const Event& given, const char*) {");
  if (names_read_) line(2, "event = name;");
  line(2, "begun = true;");
  line(2, "process_event(given);");
  line(1, "}");
  line(1, "// Transitions without event come before internal events, those before external ones.");
  line(1, "void settle() {");
  line(2, "for (long steps = 0; !halted; ++steps) {");
  if (completion_) {
    line(3, "reacted = false;");
    line(3, "process_event(Completion());");
    line(3, "if (steps > 1000000) std::cerr << \"the chart does not come to rest\\n\", std::exit(2);");
    line(3, "if (reacted) continue;");
  }
  text_ += R"(      std::deque<std::string>& queue = internal.empty() ? external : internal;
      if (queue.empty()) return;
      if (steps > 1000000) std::cerr << "the chart does not come to rest\n", std::exit(2);
      const std::string name = queue.front();
      queue.pop_front();
      const auto known = makers().find(name);
      if (known != makers().end()) known->second(*this);
    }
  }
  // The active states without active states inside.
  std::vector<std::string> configuration() const {
    static const std::pair<int, const char*> leaves[] = {
)";
  for (std::size_t s = 1; s < chart().states.size(); ++s) {
    const State::Kind kind = state(static_cast<int>(s)).kind;
    if (kind == State::Kind::atomic || kind == State::Kind::final)
      line(4, "{" + std::to_string(s) + ", " + cpp_literal(export_.id(static_cast<int>(s))) + "},");
  }
  text_ += R"(    };
    std::vector<std::string> out;
    for (const auto& [state, name] : leaves)
      if (active[state]) out.push_back(name);
    std::sort(out.begin(), out.end());
    return out;
  }
  void print() const {
    bool first = true;
    for (const std::string& name : configuration()) std::cout << (first ? "" : "|") << name, first = false;
    std::cout << std::endl;
  }
)";
  for (std::size_t i = 0; i < chart().transitions.size(); ++i) {
    const Transition& t = transition(static_cast<int>(i));
    if (is_start(static_cast<int>(i)) || t.actions.empty()) continue;
    line(1, "template <class Event>");
    line(1, "void action" + std::to_string(i) + "(const Event&) {");
    line(2, "Machine& machine = *this;");
    actions(t.actions, t.element, "action", 2);
    line(1, "}");
  }
  line(0, "};");
}

void BoostProgram::actions(const std::vector<ActionSyntax>& list, ElementId element, const char* property, int depth) {
  for (const ActionSyntax& action : list) {
    const Syntax& call = action.value;
    if (action.target) {
      line(depth,
           "machine.v_" + action.target->segments.front().word + " = " + expression(call, element, property) + ";");
      continue;
    }
    std::string condition;
    for (std::size_t i = 1; i < call.children.size(); ++i) {
      if (call.names[i] == "if") condition = "if (" + expression(call.children[i], element, property) + ") ";
      else if (call.names[i] == "to")
        refuse(element, property, "The program is one component; there is nobody to send to.");
      else if (call.word == "send" && (call.names[i].empty() || call.names[i] == "delay"))
        refuse(element, property, "The program has no clock; wanted an event without delay.");
      else if (call.names[i] != "id") refuse(element, property, "Events of the program carry no values.");
    }
    if (call.word == "raise")
      line(depth, condition + "machine.internal.push_back(" + cpp_literal(outside(event_of(call))) + ");");
    else if (call.word == "send")
      line(depth, condition + "machine.external.push_back(" + cpp_literal(outside(event_of(call))) + ");");
    else if (call.word == "record") export_.note("SCX203", element, property, "record(...) is left out.");
    else refuse(element, property, "\"" + call.word + "(...)\" has no counterpart there.");
  }
}

bool BoostProgram::remembers(int s, State::Kind kind) const {
  for (const int child : state(s).children)
    if (state(child).kind == kind) return true;
  return false;
}

void BoostProgram::define(int s) {
  const State& drawn = state(s);
  std::string context = drawn.parent == 0 ? "Machine" : type(drawn.parent);
  std::string inner;
  if (drawn.parent > 0 && state(drawn.parent).kind == State::Kind::parallel) {
    int place = 0;
    for (const int sibling : state(drawn.parent).children) {
      if (sibling == s) break;
      place += state(sibling).history() ? 0 : 1;
    }
    context += "::orthogonal<" + std::to_string(place) + ">";
  }
  if (drawn.kind == State::Kind::parallel) {
    for (const int region : drawn.children)
      if (!state(region).history()) inner += (inner.empty() ? "" : ", ") + type(region);
    inner = ", mpl::list<" + inner + ">";
  } else if (drawn.kind == State::Kind::composite) {
    inner = ", " + type(transition(drawn.initial).targets.front());
  }
  const bool shallow = remembers(s, State::Kind::history_shallow), deep = remembers(s, State::Kind::history_deep);
  if (shallow || deep)
    inner += shallow && deep ? ", sc::has_full_history"
             : shallow       ? ", sc::has_shallow_history"
                             : ", sc::has_deep_history";
  line(0, "");
  line(0, "struct " + type(s) + " : sc::state<" + type(s) + ", " + context + inner + "> {");
  std::map<std::string, std::vector<int>> by_event = ways(s);
  if (by_event.size() > most_entries) refuse(drawn.element, "", "More than 50 events leave the state.");
  std::string list;
  for (const auto& [event, unused] : by_event)
    list += (list.empty() ? "" : ", ") + ("sc::custom_reaction<" + event + ">");
  if (!list.empty()) line(1, "using reactions = mpl::list<" + list + ">;");
  line(1, type(s) + "(my_context given) : my_base(given) {");
  line(2, "Machine& machine = outermost_context();");
  line(2, "machine.active[" + std::to_string(s) + "] = true;");
  actions(drawn.entry, drawn.element, "entry", 2);
  if (drawn.kind == State::Kind::final) finish(s);
  line(1, "}");
  line(1, "void exit() {");
  line(2, "Machine& machine = outermost_context();");
  actions(drawn.exit, drawn.element, "exit", 2);
  line(2, "machine.active[" + std::to_string(s) + "] = false;");
  line(1, "}");
  for (const auto& [event, list_of_ways] : by_event) react(event, list_of_ways);
  line(0, "};");
}

// What entering a final state says: its parent is done; a state around is when all its regions are.
void BoostProgram::finish(int s) {
  const int parent = state(s).parent;
  if (parent == 0) return line(2, "machine.halted = true;");
  raise_done(parent, "");
  const int around = state(parent).parent;
  if (around <= 0 || state(around).kind != State::Kind::parallel) return;
  raise_done(around, "if (" + done_condition(around) + ") ");
}

std::string BoostProgram::done_condition(int s) const {
  std::string out;
  const bool parallel = state(s).kind == State::Kind::parallel;
  for (const int child : state(s).children) {
    const State& inner = state(child);
    if (inner.history()) continue;
    const std::string one = parallel                           ? done_condition(child)
                            : inner.kind == State::Kind::final ? "machine.active[" + std::to_string(child) + "]"
                                                               : std::string();
    if (!one.empty()) out += (out.empty() ? "" : parallel ? " && " : " || ") + one;
  }
  return out.empty() ? "false" : "(" + out + ")";
}

void BoostProgram::raise_done(int s, const std::string& condition) {
  const std::string event = done_event_name(chart(), s);
  if (std::find(events_.begin(), events_.end(), event) != events_.end())
    line(2, condition + "machine.internal.push_back(" + cpp_literal(outside(event)) + ");");
}

// The state's transitions by the event they react on, `else` last.
std::map<std::string, std::vector<int>> BoostProgram::ways(int s) {
  std::map<std::string, std::vector<int>> out;
  const auto found = ways_.find(s);
  if (found == ways_.end()) return out;
  for (const bool otherwise : {false, true})
    for (const int t : found->second)
      if (!is_start(t) && transition(t).otherwise == otherwise)
        for (const std::string& event : reactions(transition(t))) out[event].push_back(t);
  return out;
}

void BoostProgram::react(const std::string& event, const std::vector<int>& list) {
  line(1, "sc::result react(const " + event + "& given) {");
  line(2, "Machine& machine = outermost_context();");
  line(2, "(void)machine, (void)given;");
  for (const int index : list) {
    const Transition& t = transition(index);
    std::string guard;
    const auto add = [&](const Syntax& syntax, const char* property) {
      guard += (guard.empty() ? "" : " && ") + ("(" + expression(syntax, t.element, property) + ")");
    };
    if (t.trigger.kind == Kind::when) add(t.trigger.argument, "trigger");
    for (const Syntax& one : t.guard) add(one, "guard");
    line(2, guard.empty() ? "{" : "if (" + guard + ") {");
    line(3, "machine.reacted = true;");
    const std::string action = "action" + std::to_string(index);
    if (t.targets.empty()) {
      if (!t.actions.empty()) line(3, "machine." + action + "(given);");
      line(3, "return discard_event();");
    } else {
      line(3, "return transit<" + target(t.targets.front()) + ">(" +
                  (t.actions.empty() ? "" : "&Machine::" + action + "<" + event + ">, given") + ");");
    }
    line(2, "}");
  }
  line(2, "return forward_event();");
  line(1, "}");
}

std::string BoostProgram::target(int s) const {
  const State& drawn = state(s);
  if (!drawn.history()) return type(s);
  const int start = drawn.initial >= 0 ? drawn.initial : state(drawn.parent).initial;
  return std::string(drawn.kind == State::Kind::history_deep ? "sc::deep_history<" : "sc::shallow_history<") +
         type(transition(start).targets.front()) + ">";
}

ExportedText write_boost_statechart(const Document& document, const Element& diagram) {
  return BoostProgram(document, diagram).write();
}

}  // namespace ergode
