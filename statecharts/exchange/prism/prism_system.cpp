// How modules go together: `system ... endsystem`, the steps of the whole, and the labels that follow from them.
#include "statecharts/exchange/prism/prism_system.h"

#include <functional>

namespace ergode {
namespace {

using Joined = PrismSystem::Kind;
using E = PrismExpression::Kind;

constexpr std::size_t most_combinations = 20000;

bool by_module(const PrismStep::Part& a, const PrismStep::Part& b) { return a.module < b.module; }

/// Steps of a part of the system. Throws PrismFailure when there are too many.
class Composer {
 public:
  explicit Composer(const PrismProgram& program) : program_(program) {}

  std::vector<PrismStep> steps(const PrismSystem& system) {
    if (system.kind == Joined::module) return alone(system.module);
    std::vector<PrismStep> out = steps(system.of.front());
    std::set<std::string> have = alphabet(system.of.front());
    for (std::size_t i = 1; i < system.of.size(); ++i) {
      const std::set<std::string> other = alphabet(system.of[i]);
      std::set<std::string> joint(system.actions.begin(), system.actions.end());
      if (system.kind == Joined::full)
        for (const std::string& action : other)
          if (have.contains(action)) joint.insert(action);
      out = together(std::move(out), steps(system.of[i]), joint);
      have.insert(other.begin(), other.end());
    }
    return out;
  }

 private:
  std::vector<PrismStep> alone(std::size_t m) {
    std::vector<PrismStep> out;
    for (std::size_t c = 0; c < program_.modules[m].commands.size(); ++c) {
      const PrismCommand& command = program_.modules[m].commands[c];
      last_ = command.place;
      for (std::size_t a = 0; a < command.alternatives.size(); ++a) out.push_back({{{m, c, a}}, command.action});
      bound(out);
    }
    return out;
  }
  /// Actions of its commands, whether they can ever be taken or not.
  std::set<std::string> alphabet(const PrismSystem& system) const {
    std::set<std::string> out;
    if (system.kind == Joined::module)
      for (const PrismCommand& c : program_.modules[system.module].commands)
        if (!c.action.empty()) out.insert(c.action);
    for (const PrismSystem& part : system.of) out.merge(alphabet(part));
    return out;
  }
  std::vector<PrismStep> together(std::vector<PrismStep> left, std::vector<PrismStep> right,
                                  const std::set<std::string>& joint) const {
    const auto waits = [&](const PrismStep& step) { return joint.contains(step.action); };
    const auto first = std::stable_partition(left.begin(), left.end(), std::not_fn(waits));
    const std::vector<PrismStep> waiting(first, left.end());
    left.erase(first, left.end());
    std::map<std::string, std::vector<const PrismStep*>> partners;
    for (PrismStep& step : right) {
      if (waits(step)) partners[step.action].push_back(&step);
      else left.push_back(std::move(step));
    }
    for (const PrismStep& step : waiting)
      for (const PrismStep* partner : partners[step.action]) {
        PrismStep both = step;
        both.parts.insert(both.parts.end(), partner->parts.begin(), partner->parts.end());
        std::sort(both.parts.begin(), both.parts.end(), by_module);
        left.push_back(std::move(both));
        bound(left);
      }
    return left;
  }
  void bound(const std::vector<PrismStep>& steps) const {
    if (steps.size() > most_combinations)
      prism_fail(last_, "Commands go together in more than " + std::to_string(most_combinations) + " ways.", {},
                 "PRI003");
  }

  const PrismProgram& program_;
  PrismPlace last_;
};

PrismExpression made(E kind, std::string word, std::vector<PrismExpression> of, PrismPlace place) {
  PrismExpression out;
  out.kind = kind, out.word = std::move(word), out.of = std::move(of), out.place = place;
  for (const PrismExpression& child : out.of) out.height = std::max(out.height, child.height + 1);
  return out;
}

/// All of them, as a tree that is as low as can be.
PrismExpression all_of(std::vector<PrismExpression> list, PrismPlace place) {
  if (list.empty()) return made(E::truth, "true", {}, place);
  while (list.size() > 1) {
    std::vector<PrismExpression> half;
    for (std::size_t i = 0; i < list.size(); i += 2) {
      if (i + 1 == list.size()) half.push_back(std::move(list[i]));
      else half.push_back(made(E::binary, "&", {std::move(list[i]), std::move(list[i + 1])}, place));
    }
    list = std::move(half);
  }
  return std::move(list.front());
}

PrismExpression initial_state(const PrismProgram& program, PrismPlace place) {
  std::vector<PrismExpression> list;
  for (std::size_t m = 0; m <= program.modules.size(); ++m)
    for (const PrismVariable& v : m < program.modules.size() ? program.modules[m].variables : program.globals) {
      PrismExpression value = v.initial ? *v.initial : v.low ? *v.low : made(E::truth, "false", {}, place);
      list.push_back(made(E::binary, "=", {made(E::name, v.name, {}, place), std::move(value)}, place));
    }
  return all_of(std::move(list), place);
}

PrismExpression deadlock(const PrismProgram& program, PrismPlace place) {
  Diagnostics problems;
  std::vector<PrismExpression> list;
  const std::vector<PrismStep> steps = prism_steps(program, problems);
  if (!problems.empty()) throw PrismFailure{std::move(problems.front())};
  for (const PrismStep& step : steps) {
    std::vector<PrismExpression> enabled;
    for (const PrismStep::Part& part : step.parts) {
      const PrismCommand& command = program.modules[part.module].commands[part.command];
      const PrismExpression& rate = command.alternatives[part.alternative].rate;
      enabled.push_back(command.guard);
      if (rate.kind == E::number) continue;
      enabled.push_back(made(E::binary, ">", {rate, made(E::number, "0", {}, place)}, place));
      enabled.back().of.back().whole = true;
    }
    list.push_back(made(E::unary, "!", {all_of(std::move(enabled), place)}, place));
  }
  PrismExpression out = all_of(std::move(list), place);
  if (out.height > deepest_prism)
    prism_fail(place, "The label \"deadlock\" is deeper than " + std::to_string(deepest_prism) + " levels.", {},
               "PRI003");
  return out;
}

}  // namespace

PrismSystemParser::PrismSystemParser(PrismParser& parser, const PrismProgram& program)
    : parser_(parser), program_(program) {
  for (std::size_t m = 0; m < program.modules.size(); ++m) modules_.emplace(program.modules[m].name, m);
}

PrismSystem PrismSystemParser::read() {
  const PrismPlace place = parser_.token().place;
  PrismSystem out = full();
  if (!parser_.is_word("endsystem"))
    prism_fail(parser_.token().place, "Here is " + parser_.shown() + "; wanted `endsystem`.",
               parser_.is("/") || parser_.is("{") ? "Hidden and renamed actions are not read." : "", "PRI002");
  for (const PrismModule& m : program_.modules)
    if (!used_.contains(m.name))
      prism_fail(place, "The module \"" + m.name + "\" is left out of the system; wanted every module once.", {},
                 "PRI002");
  return out;
}

// Bars are tokens of their own: the language's `|` is one.
bool PrismSystemParser::accept_bars(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!parser_.is("|", i)) return false;
  if (parser_.is("|", count) || parser_.is("[", count)) return false;
  for (std::size_t i = 0; i < count; ++i) parser_.next();
  return true;
}

PrismSystem PrismSystemParser::full() {
  if (++depth_ > 100) prism_fail(parser_.token().place, "Nested deeper than 100 levels.");
  PrismSystem out{Joined::full, 0, {}, {interleaved()}};
  while (accept_bars(2)) out.of.push_back(interleaved());
  --depth_;
  return out.of.size() == 1 ? PrismSystem(out.of.front()) : out;
}

PrismSystem PrismSystemParser::interleaved() {
  PrismSystem out{Joined::interleaved, 0, {}, {parallel()}};
  while (accept_bars(3)) out.of.push_back(parallel());
  return out.of.size() == 1 ? PrismSystem(out.of.front()) : out;
}

PrismSystem PrismSystemParser::parallel() {
  PrismSystem left = primary();
  if (!(parser_.is("|") && parser_.is("[", 1))) return left;
  parser_.next(), parser_.next();
  PrismSystem out{Joined::parallel, 0, {}, {}};
  do out.actions.push_back(parser_.name("an action's name"));
  while (parser_.accept(","));
  parser_.expect("]"), parser_.expect("|");
  out.of.push_back(std::move(left));
  out.of.push_back(primary());
  if (parser_.is("|") && parser_.is("[", 1))
    prism_fail(parser_.token().place, "A second `|[...]|` follows; wanted brackets around one of them.");
  return out;
}

PrismSystem PrismSystemParser::primary() {
  if (parser_.accept("(")) {
    PrismSystem inner = full();
    parser_.expect(")");
    return inner;
  }
  const PrismPlace place = parser_.token().place;
  const std::string name = parser_.name("a module's name");
  const auto found = modules_.find(name);
  if (found == modules_.end()) prism_fail(place, "There is no module \"" + quotable(name) + "\".", {}, "PRI004");
  if (!used_.insert(name).second)
    prism_fail(place, "The module \"" + name + "\" stands twice in the system; wanted every module once.",
               "A copy of it is `module other = " + name + " [ ... ] endmodule`.", "PRI002");
  return {Joined::module, found->second, {}, {}};
}

std::vector<PrismStep> prism_steps(const PrismProgram& program, Diagnostics& problems) {
  PrismSystem all{Joined::full, 0, {}, {}};
  for (std::size_t m = 0; m < program.modules.size(); ++m) all.of.push_back({Joined::module, m, {}, {}});
  if (all.of.empty()) return {};
  try {
    return Composer(program).steps(program.system ? *program.system : all);
  } catch (PrismFailure& failure) {
    problems.push_back(std::move(failure.problem));
    return {};
  }
}

std::optional<PrismExpression> prism_built_in_label(const PrismProgram& program, const std::string& word,
                                                    PrismPlace place) {
  if (word == "init") return initial_state(program, place);
  if (word == "deadlock") return deadlock(program, place);
  return std::nullopt;
}

void write_out_labels(const PrismProgram& program, PrismExpression& e) {
  if (e.kind == E::label) {
    if (auto known = prism_built_in_label(program, e.word, e.place)) e = std::move(*known);
    return;
  }
  for (PrismExpression& child : e.of) {
    write_out_labels(program, child);
    e.height = std::max(e.height, child.height + 1);
  }
}

}  // namespace ergode
