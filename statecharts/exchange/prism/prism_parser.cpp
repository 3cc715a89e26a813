// From tokens to a program: declarations, modules, renamed modules.
#include <algorithm>
#include <functional>

#include "core/base/read_file.h"
#include "core/base/text.h"
#include "statecharts/exchange/prism/prism_expressions.h"
#include "statecharts/exchange/prism/prism_system.h"

namespace ergode {
namespace {

constexpr std::size_t longest_text = std::size_t{4} << 20U;

using E = PrismExpression::Kind;

/// What stands between `formula x =` and `;` is kept as tokens until all formulas are known.
class ProgramParser {
 public:
  ProgramParser(std::vector<PrismToken> tokens, PrismProgram& program)
      : parser_(std::move(tokens)), program_(program) {}

  void read() {
    find_formulas();
    parser_.formulas = &program_.formulas;
    bool typed = false;
    while (!parser_.ended()) item(typed);
    if (!typed) prism_fail({1, 1}, "The program does not say its type.", "Write ctmc as the first word.", "PRI002");
    finish();
  }

 private:
  // Formulas may use each other in any order: each is read when it is first needed.
  void find_formulas() {
    const std::vector<PrismToken>& all = parser_.tokens();
    std::map<std::string, std::size_t> begin;
    for (std::size_t i = 0; i + 3 < all.size(); ++i) {
      if (all[i].kind != PrismToken::Kind::word || all[i].text != "formula") continue;
      if (all[i + 1].kind != PrismToken::Kind::word || all[i + 2].text != "=") continue;
      if (!begin.emplace(all[i + 1].text, i + 3).second)
        prism_fail(all[i + 1].place, "The name \"" + all[i + 1].text + "\" is used twice.", {}, "PRI004");
    }
    std::set<std::string> open;
    const std::function<void(const std::string&)> read = [&](const std::string& name) {
      if (program_.formulas.count(name) > 0) return;
      const std::size_t first = begin.at(name);
      if (!open.insert(name).second || open.size() > 200)
        prism_fail(all[first].place,
                   "The formula \"" + name + "\" uses itself, or formulas are nested deeper than 200.", {}, "PRI004");
      std::vector<PrismToken> body;
      for (std::size_t i = first; i < all.size() && all[i].text != ";"; ++i) {
        body.push_back(all[i]);
        if (all[i].kind == PrismToken::Kind::word && begin.count(all[i].text) > 0) read(all[i].text);
      }
      body.push_back(
          {PrismToken::Kind::end, "the end of the formula", body.empty() ? all[first].place : body.back().place});
      PrismParser one(std::move(body));
      one.formulas = &program_.formulas;
      PrismExpression made = one.expression();
      if (!one.ended()) prism_fail(one.token().place, "Here is " + one.shown() + "; wanted `;`.");
      program_.formulas.emplace(name, std::move(made));
      open.erase(name);
    };
    for (const auto& [name, first] : begin) read(name);
  }

  void item(bool& typed) {
    const PrismToken first = parser_.token();
    const std::string& word = first.text;
    if (first.kind != PrismToken::Kind::word)
      prism_fail(first.place, "Here is " + parser_.shown() + "; wanted a declaration.");
    if (word == "ctmc" || word == "stochastic") {
      if (typed) prism_fail(first.place, "The type of the program is given twice.", {}, "PRI002");
      parser_.accept_word(word);
      typed = true;
    } else if (word == "dtmc" || word == "mdp" || word == "pta" || word == "pomdp" || word == "popta" ||
               word == "probabilistic" || word == "nondeterministic" || word == "ma") {
      prism_fail(first.place, "The program is of type " + word + "; wanted ctmc.", {}, "PRI002");
    } else if (word == "const") {
      constant();
    } else if (word == "formula") {
      while (!parser_.is(";") && !parser_.ended()) parser_.next();
      parser_.expect(";");
    } else if (word == "label") {
      parser_.next();
      const PrismToken name = parser_.token();
      if (name.kind != PrismToken::Kind::text)
        prism_fail(name.place, "Here is " + parser_.shown() + "; wanted a name in quotes.");
      parser_.next(), parser_.expect("=");
      parser_.labels = &program_.labels;
      PrismExpression value = parser_.expression();
      parser_.labels = nullptr;
      parser_.expect(";");
      if (name.text == "init" || name.text == "deadlock")
        prism_fail(name.place, "The label \"" + name.text + "\" means something in every program; wanted another name.",
                   {}, "PRI004");
      if (!program_.labels.emplace(name.text, std::move(value)).second)
        prism_fail(name.place, "The label \"" + name.text + "\" is used twice.", {}, "PRI004");
    } else if (word == "global") {
      parser_.next();
      program_.globals.push_back(variable());
    } else if (word == "module") {
      module();
    } else if (word == "rewards") {
      rewards();
    } else if (word == "init") {
      if (program_.init) prism_fail(first.place, "`init` stands twice.", {}, "PRI002");
      parser_.next();
      program_.init = parser_.expression(), program_.init_place = first.place;
      parser_.expect_word("endinit");
    } else if (word == "system") {
      if (system_) prism_fail(first.place, "`system` stands twice.", {}, "PRI002");
      parser_.next();
      system_ = parser_.at();
      while (!parser_.is_word("endsystem") && !parser_.ended()) parser_.next();
      parser_.expect_word("endsystem");
    } else if (word == "observables" || word == "invariant") {
      prism_fail(first.place, "`" + word + "` is not read.", {}, "PRI002");
    } else {
      prism_fail(first.place, "Here is " + parser_.shown() + "; wanted a declaration.");
    }
  }
  void constant() {
    parser_.next();
    PrismConstant out;
    out.type = PrismType::integer;
    if (parser_.accept_word("double") || parser_.accept_word("rate") || parser_.accept_word("prob"))
      out.type = PrismType::real;
    else if (parser_.accept_word("bool")) out.type = PrismType::boolean;
    else parser_.accept_word("int");
    out.place = parser_.token().place;
    out.name = parser_.name("a constant's name");
    if (parser_.accept("=")) out.value = parser_.expression();
    parser_.expect(";");
    program_.constants.push_back(std::move(out));
  }

  PrismVariable variable() {
    PrismVariable out;
    out.place = parser_.token().place;
    out.name = parser_.name("a variable's name");
    parser_.expect(":");
    if (parser_.accept("[")) {
      out.low = parser_.expression();
      parser_.expect("..");
      out.high = parser_.expression();
      parser_.expect("]");
    } else if (parser_.accept_word("bool")) {
      out.type = PrismType::boolean;
    } else if (parser_.is_word("int") || parser_.is_word("clock")) {
      prism_fail(parser_.token().place, "A variable without bounds is not read.", "Write [low..high].", "PRI002");
    } else {
      prism_fail(parser_.token().place, "Here is " + parser_.shown() + "; wanted [low..high] or bool.");
    }
    if (parser_.accept_word("init")) out.initial = parser_.expression();
    parser_.expect(";");
    return out;
  }

  void module() {
    parser_.next();
    PrismModule out;
    out.place = parser_.token().place;
    out.name = parser_.name("a module's name");
    if (parser_.accept("=")) return renamed(std::move(out));
    while (parser_.token().kind == PrismToken::Kind::word && !parser_.is_word("endmodule")) {
      if (parser_.is_word("invariant"))
        prism_fail(parser_.token().place, "`invariant` belongs to timed automata, which are not read.", {}, "PRI002");
      out.variables.push_back(variable());
    }
    while (parser_.is("[")) out.commands.push_back(command());
    parser_.expect_word("endmodule");
    program_.modules.push_back(std::move(out));
  }

  PrismCommand command() {
    PrismCommand out;
    out.place = parser_.token().place;
    parser_.expect("[");
    if (!parser_.is("]")) out.action = parser_.name("an action's name");
    parser_.expect("]");
    out.guard = parser_.expression();
    parser_.expect("->");
    do {
      PrismAlternative one;
      // Without a rate the rate is one; an update begins with `(x'` or is `true`.
      const bool bare = (parser_.is("(") && parser_.token(1).kind == PrismToken::Kind::word && parser_.is("'", 2)) ||
                        (parser_.is_word("true") && !parser_.is(":", 1));
      if (bare) {
        one.rate.word = "1", one.rate.whole = true, one.rate.place = parser_.token().place;
      } else {
        one.rate = parser_.expression();
        parser_.expect(":");
      }
      if (!parser_.accept_word("true")) {
        do {
          PrismUpdate update;
          parser_.expect("(");
          update.place = parser_.token().place;
          update.variable = parser_.name("a variable's name");
          parser_.expect("'"), parser_.expect("=");
          update.value = parser_.expression();
          parser_.expect(")");
          one.updates.push_back(std::move(update));
        } while (parser_.accept("&"));
      }
      out.alternatives.push_back(std::move(one));
    } while (parser_.accept("+"));
    parser_.expect(";");
    return out;
  }

  void rewards() {
    parser_.next();
    PrismReward out;
    if (parser_.token().kind == PrismToken::Kind::text) out.name = parser_.token().text, parser_.next();
    while (!parser_.is_word("endrewards")) {
      PrismReward::Item item;
      if (parser_.accept("[")) {
        item.transition = true;
        if (!parser_.is("]")) item.action = parser_.name("an action's name");
        parser_.expect("]");
      }
      item.guard = parser_.expression();
      parser_.expect(":");
      item.value = parser_.expression();
      parser_.expect(";");
      out.items.push_back(std::move(item));
    }
    parser_.expect_word("endrewards");
    program_.rewards.push_back(std::move(out));
  }

  void renamed(PrismModule made) {
    const PrismPlace place = parser_.token().place;
    const std::string base = parser_.name("a module's name");
    std::map<std::string, std::string> names;
    parser_.expect("[");
    do {
      const std::string from = parser_.name("a name");
      parser_.expect("=");
      names[from] = parser_.name("a name");
    } while (parser_.accept(","));
    parser_.expect("]");
    parser_.expect_word("endmodule");
    renamings_.push_back({std::move(made), base, std::move(names), place, program_.modules.size()});
    program_.modules.push_back(renamings_.back().made);
  }

  using Names = std::map<std::string, std::string>;
  static void rename(std::string& word, const Names& names) {
    if (const auto found = names.find(word); found != names.end()) word = found->second;
  }
  static void rename(PrismExpression& e, const Names& names) {
    if (e.kind == E::name) rename(e.word, names);
    for (PrismExpression& child : e.of) rename(child, names);
  }
  static void rename(std::optional<PrismExpression>& e, const Names& names) {
    if (e) rename(*e, names);
  }

  void finish() {
    std::size_t copied = 0;
    for (std::size_t r = 0; r < renamings_.size(); ++r) {
      Renaming& renaming = renamings_[r];
      const PrismModule* base = nullptr;
      for (const PrismModule& module : program_.modules)
        if (module.name == renaming.base && (!module.variables.empty() || !module.commands.empty())) base = &module;
      if (base == nullptr)
        prism_fail(renaming.place, "There is no module \"" + renaming.base + "\" before this one.", {}, "PRI004");
      copied += base->commands.size();
      if (copied > 100000)
        prism_fail(renaming.place, "The renamed modules have more than 100,000 commands.", {}, "PRI003");
      PrismModule made = *base;
      made.name = renaming.made.name, made.place = renaming.made.place;
      for (PrismVariable& v : made.variables) {
        if (renaming.names.count(v.name) == 0)
          prism_fail(renaming.place, "The variable \"" + v.name + "\" of \"" + renaming.base + "\" gets no other name.",
                     {}, "PRI004");
        rename(v.name, renaming.names), rename(v.low, renaming.names), rename(v.high, renaming.names);
        rename(v.initial, renaming.names);
      }
      for (PrismCommand& c : made.commands) {
        rename(c.action, renaming.names), rename(c.guard, renaming.names);
        for (PrismAlternative& a : c.alternatives) {
          rename(a.rate, renaming.names);
          for (PrismUpdate& u : a.updates) rename(u.variable, renaming.names), rename(u.value, renaming.names);
        }
      }
      program_.modules[renaming.place_in_program] = std::move(made);
    }
    for (std::size_t m = 0; m < program_.modules.size(); ++m)
      for (PrismVariable& v : program_.modules[m].variables) v.module = m;
    for (PrismVariable& v : program_.globals) v.module = program_.modules.size();
    program_.number_variables();
    if (system_) {
      parser_.go_to(*system_);
      program_.system = PrismSystemParser(parser_, program_).read();
    }
  }

  struct Renaming {
    PrismModule made;
    std::string base;
    Names names;
    PrismPlace place;
    std::size_t place_in_program;
  };
  PrismParser parser_;
  PrismProgram& program_;
  std::vector<Renaming> renamings_;
  std::optional<std::size_t> system_;  ///< where its text begins: modules may be declared behind it
};

}  // namespace

void PrismProgram::number_variables() {
  for (std::size_t m = 0; m <= modules.size(); ++m) {
    const auto& own = m < modules.size() ? modules[m].variables : globals;
    for (std::size_t i = 0; i < own.size(); ++i) places_.emplace(own[i].name, std::pair(m, i));
  }
}

const PrismVariable* PrismProgram::variable(const std::string& name) const {
  const auto found = places_.find(name);
  if (found == places_.end()) return nullptr;
  const auto [m, i] = found->second;
  return m < modules.size() ? &modules[m].variables[i] : &globals[i];
}

const PrismConstant* PrismProgram::constant(const std::string& name) const {
  for (const PrismConstant& c : constants)
    if (c.name == name) return &c;
  return nullptr;
}

PrismProgram parse_prism(std::string_view text, Diagnostics& problems) {
  PrismProgram out;
  try {
    if (auto defect = encoding_defect(text, "The program")) throw PrismFailure{std::move(*defect)};
    if (text.size() > longest_text) prism_fail({1, 1}, "The text is larger than 4 MB.", {}, "PRI003");
    ProgramParser(prism_tokens(text), out).read();
    check_prism(out, problems);
    if (!has_errors(problems)) check_prism_values(out, problems);
    // The initial state is known only now.
    if (!has_errors(problems))
      for (auto& [name, value] : out.labels) write_out_labels(out, value);
  } catch (PrismFailure& failure) {
    problems.push_back(std::move(failure.problem));
  }
  return out;
}

std::variant<PrismExpression, Diagnostic> parse_prism_expression(const PrismProgram& program, std::string_view text) {
  try {
    PrismParser parser(prism_tokens(text));
    parser.formulas = &program.formulas, parser.labels = &program.labels;
    PrismExpression out = parser.expression();
    if (!parser.ended()) prism_fail(parser.token().place, "Here is " + parser.shown() + " after the expression.");
    Diagnostics problems;
    if (!prism_type(program, out, problems)) return problems.front();
    write_out_labels(program, out);
    return out;
  } catch (PrismFailure& failure) {
    return std::move(failure.problem);
  }
}

}  // namespace ergode
