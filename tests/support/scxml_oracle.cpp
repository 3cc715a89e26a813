#include "tests/support/scxml_oracle.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

namespace ergode::test::oracle {
namespace {

/// Evaluating failed: error.execution.
struct ExecutionError {};
struct GaveUp {};

const State& at(const Chart& chart, int s) { return chart.states[static_cast<std::size_t>(s)]; }

}  // namespace

// --- the tree -----------------------------------------------------------------------------------------------------

bool Chart::is_descendant(int state, int ancestor) const {
  for (int s = at(*this, state).parent; s >= 0; s = at(*this, s).parent)
    if (s == ancestor) return true;
  return false;
}
std::vector<int> Chart::proper_ancestors(int state, int up_to) const {
  std::vector<int> out;
  for (int s = at(*this, state).parent; s >= 0 && s != up_to; s = at(*this, s).parent) out.push_back(s);
  return out;
}
bool Chart::compound(int s) const {
  if (at(*this, s).kind != State::Kind::state) return false;
  return std::any_of(at(*this, s).children.begin(), at(*this, s).children.end(),
                     [&](int c) { return !at(*this, c).history(); });
}
bool Chart::atomic(int s) const {
  return at(*this, s).kind == State::Kind::final || (at(*this, s).kind == State::Kind::state && !compound(s));
}

bool name_match(const std::vector<std::string>& descriptors, const std::string& event) {
  const auto tokens = [](const std::string& text) {
    std::vector<std::string> out(1);
    for (const char c : text)
      if (c == '.') out.emplace_back();
      else out.back() += c;
    return out;
  };
  const std::vector<std::string> words = tokens(event);
  for (const std::string& descriptor : descriptors) {
    if (descriptor == "*") return true;
    std::vector<std::string> prefix = tokens(descriptor);
    if (prefix.back() == "*" || prefix.back().empty()) prefix.pop_back();
    if (prefix.size() <= words.size() && std::equal(prefix.begin(), prefix.end(), words.begin())) return true;
  }
  return false;
}

// --- data ---------------------------------------------------------------------------------------------------------

double Interpreter::evaluate(const Expression& e) const {
  using Kind = Expression::Kind;
  const auto of = [&](std::size_t i) { return evaluate(e.of[i]); };
  switch (e.kind) {
    case Kind::number:
    case Kind::truth:
      return e.number;
    case Kind::variable:
      return values_.at(e.word);
    case Kind::in:
      for (const int s : configuration_)
        if (at(chart_, s).id == e.word) return 1.0;
      return 0.0;
    case Kind::event_is:
      if (!event_) throw ExecutionError();  // _event is not bound before the first event (section 5.10.1)
      return event_->name == e.word ? 1.0 : 0.0;
    case Kind::carried:
      if (!event_ || !event_->parameter) throw ExecutionError();
      return *event_->parameter;
    case Kind::undeclared:
      throw ExecutionError();
    case Kind::add:
      return of(0) + of(1);
    case Kind::subtract:
      return of(0) - of(1);
    case Kind::multiply:
      return of(0) * of(1);
    case Kind::remainder:
      return std::fmod(of(0), of(1));
    case Kind::less:
      return of(0) < of(1) ? 1.0 : 0.0;
    case Kind::equal:
      return of(0) == of(1) ? 1.0 : 0.0;
    case Kind::conjunction:
      return of(0) != 0.0 && of(1) != 0.0 ? 1.0 : 0.0;
    case Kind::disjunction:
      return of(0) != 0.0 || of(1) != 0.0 ? 1.0 : 0.0;
    case Kind::negation:
      return of(0) == 0.0 ? 1.0 : 0.0;
    case Kind::choice:
      return of(0) != 0.0 ? of(1) : of(2);
  }
  return 0.0;
}

// Section 5.9.1: what cannot be evaluated counts as false and raises error.execution.
bool Interpreter::holds(const Expression& e) {
  try {
    return evaluate(e) != 0.0;
  } catch (const ExecutionError&) {
    internal_.push_back({"error.execution", {}});
    return false;
  }
}

// Section 4.10: an error ends the block that it occurs in.
void Interpreter::run(const Block& block) {
  try {
    for (const Content& content : block) execute(content);
  } catch (const ExecutionError&) {
    internal_.push_back({"error.execution", {}});
  }
}

void Interpreter::execute(const Content& content) {
  const auto event = [&] {
    Event out{content.name, {}};
    if (content.parameter) out.parameter = evaluate(*content.parameter);
    return out;
  };
  switch (content.kind) {
    case Content::Kind::raise:
      internal_.push_back(event());
      break;
    case Content::Kind::send:
      if (content.delay_ms > 0) delayed_.push_back({now_ + content.delay_ms, order_++, event(), content.id});
      else external_.push_back(event());
      break;
    case Content::Kind::cancel:
      std::erase_if(delayed_, [&](const Delayed& d) { return d.id == content.id; });
      break;
    case Content::Kind::assign: {
      const double value = evaluate(content.value) + 0.0;  // no negative zero
      if (values_.count(content.name) == 0) throw ExecutionError();
      values_[content.name] = value;
      break;
    }
    case Content::Kind::choose:
      for (const Branch& branch : content.branches) {
        if (branch.condition && !holds(*branch.condition)) continue;
        for (const Content& inner : branch.block) execute(inner);
        break;
      }
      break;
    case Content::Kind::for_each:
      for (std::size_t i = 0; i < content.array.size(); ++i) {
        values_[content.name] = content.array[i];
        if (!content.id.empty()) values_[content.id] = static_cast<double>(i);
        for (const Content& inner : content.branches.front().block) execute(inner);
      }
      break;
  }
}

// --- appendix D ---------------------------------------------------------------------------------------------------

void Interpreter::start() {
  for (std::size_t s = 0; s < chart_.states.size(); ++s)
    for (const Transition& t : chart_.states[s].transitions) sources_[&t] = static_cast<int>(s);
  start_ = initial_of(0);
  sources_[&start_] = 0;
  running_ = true;
  try {
    enter_states({&start_});
    main_event_loop();
  } catch (const GaveUp&) {
    gave_up_ = true;
  }
}

void Interpreter::until(double time_ms) {
  steps_now_ = 0;
  try {
    while (running_ && !gave_up_) {
      const auto next = std::min_element(delayed_.begin(), delayed_.end(), [](const Delayed& a, const Delayed& b) {
        return a.time != b.time ? a.time < b.time : a.order < b.order;
      });
      if (next == delayed_.end() || next->time > time_ms) break;
      const Delayed due = *next;
      delayed_.erase(next);
      // Events that send several others multiply.
      if (delayed_.size() > patience) throw GaveUp();
      now_ = due.time;
      external_.push_back(due.event);
      main_event_loop();
    }
  } catch (const GaveUp&) {
    gave_up_ = true;
  }
  now_ = time_ms;
}

void Interpreter::give(const std::string& event) {
  if (!running_ || gave_up_) return;
  steps_now_ = 0;
  external_.push_back({event, {}});
  try {
    main_event_loop();
  } catch (const GaveUp&) {
    gave_up_ = true;
  }
}

void Interpreter::main_event_loop() {
  while (running_) {
    macrostep();
    if (!running_ || external_.empty()) return;
    event_ = external_.front();
    external_.pop_front();
    if (const Enabled enabled = select(&event_->name); !enabled.empty()) microstep(enabled);
  }
}

void Interpreter::macrostep() {
  while (running_) {
    if (++steps_now_ > patience) throw GaveUp();
    Enabled enabled = select(nullptr);
    if (enabled.empty()) {
      if (internal_.empty()) return;
      event_ = internal_.front();
      internal_.pop_front();
      enabled = select(&event_->name);
    }
    if (!enabled.empty()) microstep(enabled);
  }
}

bool Interpreter::condition_match(const Transition& t) { return !t.condition || holds(*t.condition); }

Interpreter::Enabled Interpreter::select(const std::string* event) {
  Enabled enabled;
  for (const int leaf : configuration_) {
    if (!chart_.atomic(leaf)) continue;
    std::vector<int> path = {leaf};
    for (const int s : chart_.proper_ancestors(leaf, -1)) path.push_back(s);
    bool found = false;
    for (const int s : path) {
      for (const Transition& t : at(chart_, s).transitions) {
        const bool asked = event == nullptr ? t.events.empty() : !t.events.empty() && name_match(t.events, *event);
        if (!asked || !condition_match(t)) continue;
        if (std::find(enabled.begin(), enabled.end(), &t) == enabled.end()) enabled.push_back(&t);
        found = true;
        break;
      }
      if (found) break;
    }
  }
  return remove_conflicting(enabled);
}

Interpreter::Enabled Interpreter::remove_conflicting(const Enabled& enabled) const {
  Enabled filtered;
  for (const Transition* t1 : enabled) {
    bool preempted = false;
    std::set<const Transition*> remove;
    const std::set<int> left1 = exit_set(*t1);
    for (const Transition* t2 : filtered) {
      const std::set<int> left2 = exit_set(*t2);
      const bool meet = std::any_of(left1.begin(), left1.end(), [&](int s) { return left2.count(s) > 0; });
      if (!meet) continue;
      if (chart_.is_descendant(source_of(*t1), source_of(*t2))) {
        remove.insert(t2);
      } else {
        preempted = true;
        break;
      }
    }
    if (preempted) continue;
    std::erase_if(filtered, [&](const Transition* t) { return remove.count(t) > 0; });
    filtered.push_back(t1);
  }
  return filtered;
}

void Interpreter::microstep(const Enabled& enabled) {
  ++microsteps_;
  exit_states(enabled);
  for (const Transition* t : enabled) run(t->content);
  enter_states(enabled);
}

std::set<int> Interpreter::exit_set(const Transition& t) const {
  std::set<int> out;
  if (t.targets.empty()) return out;
  const int around = domain(t);
  for (const int s : configuration_)
    if (chart_.is_descendant(s, around)) out.insert(s);
  return out;
}

void Interpreter::exit_states(const Enabled& enabled) {
  std::set<int> leaving;
  for (const Transition* t : enabled)
    for (const int s : exit_set(*t)) leaving.insert(s);
  for (const int s : leaving)
    for (const int h : at(chart_, s).children) {
      if (!at(chart_, h).history()) continue;
      std::set<int> kept;
      for (const int inner : configuration_) {
        const bool deep = at(chart_, h).kind == State::Kind::deep;
        if (deep ? chart_.atomic(inner) && chart_.is_descendant(inner, s) : at(chart_, inner).parent == s)
          kept.insert(inner);
      }
      history_[h] = kept;
    }
  for (auto s = leaving.rbegin(); s != leaving.rend(); ++s) {
    for (const Block& block : at(chart_, *s).on_exit) run(block);
    configuration_.erase(*s);
  }
}

Transition Interpreter::initial_of(int s) const {
  Transition out = at(chart_, s).initial;
  if (!out.targets.empty()) return out;
  for (const int child : at(chart_, s).children)
    if (!at(chart_, child).history()) {
      out.targets = {child};
      break;
    }
  return out;
}

void Interpreter::enter_states(const Enabled& enabled) {
  Entry entry;
  for (const Transition* t : enabled) entry_set(*t, entry);
  for (const int s : entry.states) {
    configuration_.insert(s);
    for (const Block& block : at(chart_, s).on_entry) run(block);
    if (entry.defaults.count(s) > 0) run(at(chart_, s).initial.content);
    if (const auto content = entry.history_content.find(s); content != entry.history_content.end())
      run(*content->second);
    if (at(chart_, s).kind != State::Kind::final) continue;
    const int parent = at(chart_, s).parent;
    if (parent == 0) {
      running_ = false;
      continue;
    }
    internal_.push_back({"done.state." + at(chart_, parent).id, {}});
    const int grandparent = at(chart_, parent).parent;
    if (grandparent <= 0 || at(chart_, grandparent).kind != State::Kind::parallel) continue;
    if (in_final_state(grandparent)) internal_.push_back({"done.state." + at(chart_, grandparent).id, {}});
  }
}

bool Interpreter::in_final_state(int s) const {
  const std::vector<int>& children = at(chart_, s).children;
  if (chart_.compound(s))
    return std::any_of(children.begin(), children.end(),
                       [&](int c) { return at(chart_, c).kind == State::Kind::final && configuration_.count(c) > 0; });
  return at(chart_, s).kind == State::Kind::parallel && std::all_of(children.begin(), children.end(), [&](int c) {
           return at(chart_, c).history() || in_final_state(c);
         });
}

std::vector<int> Interpreter::effective_targets(const Transition& t) const {
  std::vector<int> out;
  const auto add = [&out](int s) {
    if (std::find(out.begin(), out.end(), s) == out.end()) out.push_back(s);
  };
  for (const int s : t.targets) {
    if (!at(chart_, s).history()) add(s);
    else if (const auto kept = history_.find(s); kept != history_.end())
      for (const int inner : kept->second) add(inner);
    else
      for (const int inner : effective_targets(at(chart_, s).transitions.front())) add(inner);
  }
  return out;
}

int Interpreter::domain(const Transition& t) const {
  const std::vector<int> states = effective_targets(t);
  const int source = source_of(t);
  if (&t == &start_) return 0;
  if (t.internal && chart_.compound(source) &&
      std::all_of(states.begin(), states.end(), [&](int s) { return chart_.is_descendant(s, source); }))
    return source;
  return lcca(source, states);
}

int Interpreter::lcca(int source, const std::vector<int>& states) const {
  for (const int s : chart_.proper_ancestors(source, -1)) {
    if (s != 0 && !chart_.compound(s)) continue;
    if (std::all_of(states.begin(), states.end(), [&](int inner) { return chart_.is_descendant(inner, s); })) return s;
  }
  return 0;
}

void Interpreter::entry_set(const Transition& t, Entry& entry) const {
  if (t.targets.empty()) return;
  for (const int s : t.targets) add_descendants(s, entry);
  const int ancestor = domain(t);
  for (const int s : effective_targets(t)) add_ancestors(s, ancestor, entry);
}

void Interpreter::add_descendants(int s, Entry& entry) const {
  const State& state = at(chart_, s);
  const auto inside = [&](int child) {
    return std::any_of(entry.states.begin(), entry.states.end(),
                       [&](int other) { return chart_.is_descendant(other, child); });
  };
  if (state.history()) {
    if (const auto kept = history_.find(s); kept != history_.end()) {
      for (const int inner : kept->second) add_descendants(inner, entry);
      for (const int inner : kept->second) add_ancestors(inner, state.parent, entry);
    } else {
      const Transition& way = state.transitions.front();
      entry.history_content[state.parent] = &way.content;
      for (const int inner : way.targets) add_descendants(inner, entry);
      for (const int inner : way.targets) add_ancestors(inner, state.parent, entry);
    }
    return;
  }
  entry.states.insert(s);
  if (chart_.compound(s)) {
    entry.defaults.insert(s);
    const Transition way = initial_of(s);
    for (const int inner : way.targets) add_descendants(inner, entry);
    for (const int inner : way.targets) add_ancestors(inner, s, entry);
  } else if (state.kind == State::Kind::parallel) {
    for (const int child : state.children)
      if (!at(chart_, child).history() && !inside(child)) add_descendants(child, entry);
  }
}

void Interpreter::add_ancestors(int s, int ancestor, Entry& entry) const {
  for (const int above : chart_.proper_ancestors(s, ancestor)) {
    entry.states.insert(above);
    if (at(chart_, above).kind != State::Kind::parallel) continue;
    for (const int child : at(chart_, above).children) {
      const bool inside = std::any_of(entry.states.begin(), entry.states.end(),
                                      [&](int other) { return chart_.is_descendant(other, child); });
      if (!at(chart_, child).history() && !inside) add_descendants(child, entry);
    }
  }
}

// --- as a document ------------------------------------------------------------------------------------------------

namespace {

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string number(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::string script(const Expression& e) {
  using Kind = Expression::Kind;
  const auto infix = [&](const char* op) { return "(" + script(e.of[0]) + " " + op + " " + script(e.of[1]) + ")"; };
  switch (e.kind) {
    case Kind::number:
      return number(e.number);
    case Kind::truth:
      return e.number != 0.0 ? "true" : "false";
    case Kind::variable:
      return e.word;
    case Kind::in:
      return "In('" + e.word + "')";
    case Kind::event_is:
      return "_event.name === '" + e.word + "'";
    case Kind::carried:
      return "_event.data." + e.word;
    case Kind::undeclared:
      return "nobody + 1";
    case Kind::add:
      return infix("+");
    case Kind::subtract:
      return infix("-");
    case Kind::multiply:
      return infix("*");
    case Kind::remainder:
      return infix("%");
    case Kind::less:
      return infix("<");
    case Kind::equal:
      return infix("===");
    case Kind::conjunction:
      return infix("&&");
    case Kind::disjunction:
      return infix("||");
    case Kind::negation:
      return "!(" + script(e.of[0]) + ")";
    case Kind::choice:
      return "(" + script(e.of[0]) + " ? " + script(e.of[1]) + " : " + script(e.of[2]) + ")";
  }
  return {};
}

class Writer {
 public:
  explicit Writer(const Chart& chart) : chart_(chart) {}
  std::string write() {
    out_ << "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\" name=\"Random\" datamodel=\"ecmascript\""
         << ids(" initial", at(chart_, 0).initial_element ? std::vector<int>{} : at(chart_, 0).initial.targets)
         << ">\n";
    if (!chart_.variables.empty()) {
      out_ << "<datamodel>";
      for (const auto& [name, value] : chart_.variables)
        out_ << "<data id=\"" << name << "\" expr=\""
             << (chart_.truths.count(name) > 0 ? value != 0.0 ? "true" : "false" : number(value)) << "\"/>";
      out_ << "</datamodel>\n";
    }
    for (const int child : at(chart_, 0).children) state(child);
    out_ << "</scxml>\n";
    return out_.str();
  }

 private:
  std::string ids(const char* attribute, const std::vector<int>& states) const {
    std::string out;
    for (const int s : states) out += (out.empty() ? "" : " ") + at(chart_, s).id;
    return out.empty() ? out : std::string(attribute) + "=\"" + out + "\"";
  }

  void state(int s) {
    const State& drawn = at(chart_, s);
    using Kind = State::Kind;
    const char* name = drawn.kind == Kind::parallel ? "parallel"
                       : drawn.kind == Kind::final  ? "final"
                       : drawn.history()            ? "history"
                                                    : "state";
    out_ << "<" << name << " id=\"" << drawn.id << "\"";
    if (drawn.kind == Kind::deep) out_ << " type=\"deep\"";
    if (!drawn.initial_element) out_ << ids(" initial", drawn.initial.targets);
    out_ << ">\n";
    if (drawn.initial_element) {
      out_ << "<initial>";
      transition(drawn.initial);
      out_ << "</initial>\n";
    }
    for (const Block& content : drawn.on_entry) block("onentry", content);
    for (const Block& content : drawn.on_exit) block("onexit", content);
    for (const Transition& t : drawn.transitions) transition(t);
    for (const int child : drawn.children) state(child);
    out_ << "</" << name << ">\n";
  }

  void transition(const Transition& t) {
    out_ << "<transition";
    std::string events;
    for (const std::string& event : t.events) events += (events.empty() ? "" : " ") + event;
    if (!events.empty()) out_ << " event=\"" << events << "\"";
    if (t.condition) out_ << " cond=\"" << escaped(script(*t.condition)) << "\"";
    out_ << ids(" target", t.targets);
    if (t.internal) out_ << " type=\"internal\"";
    out_ << ">";
    contents(t.content);
    out_ << "</transition>\n";
  }

  void block(const char* name, const Block& content) {
    out_ << "<" << name << ">";
    contents(content);
    out_ << "</" << name << ">\n";
  }

  void contents(const Block& content) {
    for (const Content& one : content) write(one);
  }

  void write(const Content& c) {
    const auto parameter = [&] {
      if (c.parameter) out_ << "<param name=\"p\" expr=\"" << escaped(script(*c.parameter)) << "\"/>";
    };
    switch (c.kind) {
      case Content::Kind::raise:
        out_ << "<raise event=\"" << c.name << "\"/>";
        break;
      case Content::Kind::send:
        out_ << "<send event=\"" << c.name << "\"";
        if (!c.id.empty()) out_ << " id=\"" << c.id << "\"";
        if (c.delay_ms > 0) out_ << " delay=\"" << number(c.delay_ms / 1000) << "s\"";
        out_ << ">";
        parameter();
        out_ << "</send>";
        break;
      case Content::Kind::cancel:
        out_ << "<cancel sendid=\"" << c.id << "\"/>";
        break;
      case Content::Kind::assign:
        out_ << "<assign location=\"" << c.name << "\" expr=\"" << escaped(script(c.value)) << "\"/>";
        break;
      case Content::Kind::choose:
        for (std::size_t i = 0; i < c.branches.size(); ++i) {
          const Branch& branch = c.branches[i];
          const std::string condition =
              branch.condition ? " cond=\"" + escaped(script(*branch.condition)) + "\"" : std::string();
          out_ << (i == 0 ? "<if" : branch.condition ? "<elseif" : "<else") << condition << (i == 0 ? ">" : "/>");
          contents(branch.block);
        }
        out_ << "</if>";
        break;
      case Content::Kind::for_each: {
        out_ << "<foreach array=\"[";
        for (std::size_t i = 0; i < c.array.size(); ++i) out_ << (i == 0 ? "" : ", ") << number(c.array[i]);
        out_ << "]\" item=\"" << c.name << "\"" << (c.id.empty() ? "" : " index=\"" + c.id + "\"") << ">";
        contents(c.branches.front().block);
        out_ << "</foreach>";
        break;
      }
    }
  }

  const Chart& chart_;
  std::ostringstream out_;
};

}  // namespace

std::string scxml_text(const Chart& chart) { return Writer(chart).write(); }

}  // namespace ergode::test::oracle
