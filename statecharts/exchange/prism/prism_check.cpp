// Names and types of a program.
#include <algorithm>

#include "core/base/text_place.h"

#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {
namespace {

using E = PrismExpression::Kind;

const char* text_of(PrismType type) {
  return type == PrismType::boolean ? "a condition" : type == PrismType::integer ? "a whole number" : "a number";
}

class PrismChecker {
 public:
  PrismChecker(const PrismProgram& program, Diagnostics& problems) : program_(program), problems_(problems) {
    for (const PrismConstant& c : program.constants) types_.emplace(c.name, std::pair(c.type, true));
    for (const PrismModule& m : program.modules)
      for (const PrismVariable& v : m.variables) types_.emplace(v.name, std::pair(v.type, false));
    for (const PrismVariable& v : program.globals) types_.emplace(v.name, std::pair(v.type, false));
  }

  std::optional<PrismType> type(const PrismExpression& e, bool constant = false) {
    const auto wrong = [&](std::string message, const char* code = "PRI005") {
      problems_.push_back(prism_problem(code, e.place, std::move(message)));
      return std::optional<PrismType>();
    };
    switch (e.kind) {
      case E::number:
        return e.whole ? PrismType::integer : PrismType::real;
      case E::truth:
        return PrismType::boolean;
      case E::label:
        if (e.word == "init" || e.word == "deadlock") return PrismType::boolean;
        return wrong("There is no label \"" + quotable(e.word) + "\".", "PRI004");
      case E::name: {
        const auto found = types_.find(e.word);
        if (found == types_.end())
          return wrong("There is no variable, constant or formula \"" + e.word + "\".", "PRI004");
        if (constant && !found->second.second) return wrong("\"" + e.word + "\" changes; wanted constants only.");
        return found->second.first;
      }
      default:
        break;
    }
    std::vector<PrismType> of;
    for (const PrismExpression& child : e.of) {
      const auto one = type(child, constant);
      if (!one) return std::nullopt;
      of.push_back(*one);
    }
    const auto all = [&](bool boolean) {
      return std::all_of(of.begin(), of.end(), [&](PrismType t) { return (t == PrismType::boolean) == boolean; });
    };
    const bool whole = std::all_of(of.begin(), of.end(), [](PrismType t) { return t == PrismType::integer; });
    const std::string& op = e.word;
    if (e.kind == E::conditional) {
      if (of[0] != PrismType::boolean)
        return wrong("Before `?` stands " + std::string(text_of(of[0])) + "; wanted a condition.");
      if (of[1] == of[2]) return of[1];
      if (of[1] == PrismType::boolean || of[2] == PrismType::boolean)
        return wrong("The branches of `?` are of different types.");
      return PrismType::real;
    }
    if (op == "!" || op == "&" || op == "|" || op == "=>" || op == "<=>") {
      if (!all(true)) return wrong("`" + op + "` wants conditions.");
      return PrismType::boolean;
    }
    if ((op == "=" || op == "!=") && all(true)) return PrismType::boolean;
    if (!all(false)) return wrong("`" + op + "` wants numbers.");
    if (op == "=" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">=") return PrismType::boolean;
    if (op == "/" || op == "log") return PrismType::real;
    if (op == "floor" || op == "ceil" || op == "round") return PrismType::integer;
    if (op == "mod" && !whole) return wrong("mod wants whole numbers.");
    return whole ? PrismType::integer : PrismType::real;
  }

  void want(const PrismExpression& e, PrismType wanted, bool constant, const std::string& what) {
    const auto found = type(e, constant);
    if (!found || *found == wanted || (wanted == PrismType::real && *found == PrismType::integer)) return;
    problems_.push_back(
        prism_problem("PRI005", e.place, what + " is " + text_of(*found) + "; wanted " + text_of(wanted) + "."));
  }

  void variable(const PrismVariable& v) {
    if (v.low) want(*v.low, PrismType::integer, true, "The lower bound of \"" + v.name + "\"");
    if (v.high) want(*v.high, PrismType::integer, true, "The upper bound of \"" + v.name + "\"");
    if (v.initial) want(*v.initial, v.type, true, "The initial value of \"" + v.name + "\"");
  }

  void names() {
    std::set<std::string> taken, modules;
    const auto declare = [&](const std::string& name, PrismPlace place) {
      if (!taken.insert(name).second)
        problems_.push_back(prism_problem("PRI004", place, "The name \"" + name + "\" is used twice."));
    };
    for (const auto& [name, value] : program_.formulas) declare(name, value.place);
    for (const PrismConstant& c : program_.constants) declare(c.name, c.place);
    for (const PrismVariable& v : program_.globals) declare(v.name, v.place);
    for (const PrismModule& m : program_.modules) {
      if (!modules.insert(m.name).second)
        problems_.push_back(prism_problem("PRI004", m.place, "The module \"" + m.name + "\" is there twice."));
      for (const PrismVariable& v : m.variables) declare(v.name, v.place);
    }
    if (program_.modules.empty()) problems_.push_back(prism_problem("PRI004", {1, 1}, "The program has no module."));
  }

  void command(std::size_t module, const PrismCommand& c) {
    want(c.guard, PrismType::boolean, false, "The guard");
    for (const PrismAlternative& a : c.alternatives) {
      want(a.rate, PrismType::real, false, "The rate");
      std::set<std::string> set;
      for (const PrismUpdate& u : a.updates) {
        const PrismVariable* v = program_.variable(u.variable);
        if (v == nullptr) {
          problems_.push_back(prism_problem("PRI004", u.place, "There is no variable \"" + u.variable + "\"."));
          continue;
        }
        if (!set.insert(u.variable).second)
          problems_.push_back(prism_problem("PRI005", u.place, "\"" + u.variable + "\" is set twice."));
        if (v->module != module && (v->module != program_.modules.size() || !c.action.empty()))
          problems_.push_back(prism_problem(
              "PRI005", u.place,
              "\"" + u.variable + "\" belongs to " +
                  (v->module == program_.modules.size() ? "all, and a command with an action must not set it."
                                                        : "another module.")));
        want(u.value, v->type, false, "The new value of \"" + u.variable + "\"");
      }
    }
  }

  void program() {
    names();
    for (const PrismConstant& c : program_.constants)
      if (c.value) want(*c.value, c.type, true, "The constant \"" + c.name + "\"");
    for (const PrismVariable& v : program_.globals) variable(v);
    for (std::size_t m = 0; m < program_.modules.size(); ++m) {
      for (const PrismVariable& v : program_.modules[m].variables) variable(v);
      for (const PrismCommand& c : program_.modules[m].commands) command(m, c);
    }
    if (program_.init) want(*program_.init, PrismType::boolean, false, "The condition of `init`");
    for (const auto& [name, value] : program_.labels)
      want(value, PrismType::boolean, false, "The label \"" + name + "\"");
    for (const PrismReward& r : program_.rewards)
      for (const PrismReward::Item& item : r.items) {
        want(item.guard, PrismType::boolean, false, "The condition of the reward");
        want(item.value, PrismType::real, false, "The reward");
      }
  }

 private:
  const PrismProgram& program_;
  Diagnostics& problems_;
  std::map<std::string, std::pair<PrismType, bool>> types_;
};

}  // namespace

void check_prism(const PrismProgram& program, Diagnostics& problems) { PrismChecker(program, problems).program(); }

std::optional<PrismType> prism_type(const PrismProgram& program, const PrismExpression& e, Diagnostics& problems) {
  return PrismChecker(program, problems).type(e);
}

}  // namespace ergode
