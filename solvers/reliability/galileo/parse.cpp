#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"
#include "solvers/reliability/galileo/statements.h"

namespace ergode {
namespace {

using TreeKind = TreeElement::Kind;

constexpr int most_galileo_phases = 1000;
constexpr double most_spare_questions = 500000.0;

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// The number a word of digits means; -1: not one, or too large to mean anything.
int small_number(std::string_view text) {
  if (text.empty() || text.size() > 7 || text.find_first_not_of("0123456789") != std::string_view::npos) return -1;
  return std::stoi(std::string(text));
}

std::string inputs_text(std::size_t n) { return std::to_string(n) + (n == 1 ? " input" : " inputs"); }

class TreeParser {
 public:
  explicit TreeParser(Diagnostics& problems) : problems_(problems) {}

  FaultTree parse(const std::vector<GalileoStatement>& statements) {
    // Parameters first: values may use those that are declared below.
    for (const GalileoStatement& s : statements)
      if (word_is(s[0], "param")) parameter(s);
    for (const GalileoStatement& s : statements) {
      if (word_is(s[0], "param")) continue;
      if (word_is(s[0], "toplevel")) top_event(s);
      else if (s[0].assigned)
        report("GAL001", s[0].place,
               "A statement begins with \"" + quotable(s[0].text) + "=\"; wanted an element's name.");
      else if (s.size() < 2)
        report("GAL001", s[0].place,
               "\"" + quotable(s[0].text) +
                   "\" stands alone; wanted a gate with its inputs, or attributes of a basic event.");
      else element(s);
    }
    resolve();
    if (!has_errors(problems_)) circles();
    return std::move(tree_);
  }

 private:
  static bool word_is(const GalileoWord& word, std::string_view keyword) {
    return !word.quoted && !word.assigned && lower_case(word.text) == keyword;
  }
  void report(const char* code, TextPlace place, std::string message, std::string hint = {},
              Severity severity = Severity::error) {
    problems_.push_back(tree_problem(code, place, std::move(message), std::move(hint), severity));
  }

  void parameter(const GalileoStatement& s);
  void top_event(const GalileoStatement& s);
  void element(const GalileoStatement& s);
  bool gate(const GalileoWord& word, std::size_t inputs, TreeElement& out);
  void basic_event(const GalileoStatement& s, TreeElement& out);
  TreeValue value(const GalileoWord& word, double low, double high, bool open, const char* wanted);
  void resolve();
  void inputs(TreeElement& e);
  void arity(const TreeElement& e);
  void spares();
  void circles();

  Diagnostics& problems_;
  FaultTree tree_;
  ParameterTable none_;
  std::map<std::string, int> index_;
  std::string top_;
  TextPlace top_place_;
};

void TreeParser::parameter(const GalileoStatement& s) {
  if (s.size() != 2 || s[1].assigned || !is_identifier(s[1].text))
    return report("GAL001", s[0].place, "The parameter is not understood.", "Write: param NAME;");
  for (const FaultTree::Parameter& known : tree_.parameters)
    if (known.name == s[1].text)
      return report("GAL003", s[1].place, "The parameter \"" + quotable(s[1].text) + "\" is declared twice.");
  tree_.parameters.push_back({s[1].text, s[1].place});
}

void TreeParser::top_event(const GalileoStatement& s) {
  if (s.size() != 2 || s[1].assigned)
    return report("GAL001", s[0].place, "The top event is not understood.", "Write: toplevel NAME;");
  if (!top_.empty())
    return report(
        "GAL002", s[0].place,
        "There are two top events, \"" + quotable(top_) + "\" and \"" + quotable(s[1].text) + "\"; wanted one.");
  top_ = s[1].text, top_place_ = s[1].place;
  if (top_.empty()) report("GAL001", top_place_, "The name is empty.");
}

void TreeParser::element(const GalileoStatement& s) {
  TreeElement out;
  out.name = s[0].text, out.place = s[0].place;
  if (out.name.empty()) return report("GAL001", out.place, "The name is empty.");
  const auto [known, fresh] = index_.emplace(out.name, static_cast<int>(tree_.elements.size()));
  if (!fresh)
    return report("GAL003", out.place,
                  "The name \"" + quotable(out.name) + "\" is used twice; first in line " +
                      std::to_string(tree_.at(known->second).place.line) + ".");
  const bool probabilistic = s[1].assigned && lower_case(s[1].text) == "pdep";
  if (s[1].assigned && !probabilistic) {
    basic_event(s, out);
  } else if (!gate(s[1], s.size() - 2, out)) {
    report("GAL001", s[1].place, "The gate \"" + quotable(s[1].text) + "\" is not known.",
           "Known are and, or, vot2, 2of3, pand, por, wsp, csp, hsp, spare, fdep, pdep=0.5, seq, mutex.");
  } else {
    for (std::size_t i = 2; i < s.size(); ++i) {
      if (s[i].assigned)
        report("GAL001", s[i].place,
               "The attribute \"" + quotable(s[i].text) + "\" stands among the inputs of a gate.");
      out.children.push_back({s[i].text, s[i].place, -1});
    }
  }
  tree_.elements.push_back(std::move(out));
}

bool TreeParser::gate(const GalileoWord& word, std::size_t inputs, TreeElement& out) {
  static const std::map<std::string, TreeKind> plain = {
      {"and", TreeKind::conjunction}, {"or", TreeKind::disjunction}, {"wsp", TreeKind::spare},
      {"csp", TreeKind::spare},       {"hsp", TreeKind::spare},      {"spare", TreeKind::spare},
      {"seq", TreeKind::sequence},    {"mutex", TreeKind::mutex},    {"fdep", TreeKind::dependency}};
  static const std::map<std::string, bool> orders = {
      {"", false}, {"-incl", false}, {"<=", false}, {"-excl", true}, {"<", true}};
  if (word.quoted) return false;
  const std::string text = lower_case(word.text);
  if (word.assigned) {
    out.kind = TreeKind::dependency;
    out.probability = value(word, 0.0, 1.0, false, "0 to 1");
    return true;
  }
  if (const auto found = plain.find(text); found != plain.end()) {
    out.kind = found->second;
    out.cold = text == "csp";
    out.probability = {"1", 1.0, word.place};
    return true;
  }
  for (const auto& [name, kind] : {std::pair<std::string, TreeKind>{"pand", TreeKind::pand}, {"por", TreeKind::por}}) {
    if (text.substr(0, name.size()) != name) continue;
    const auto order = orders.find(text.substr(name.size()));
    if (order == orders.end()) continue;
    out.kind = kind, out.exclusive = order->second;
    return true;
  }
  out.kind = TreeKind::vote;
  if (text.substr(0, 3) == "vot") {
    out.needed = small_number(text.substr(3));
    return out.needed >= 0;
  }
  const auto of = text.find("of");
  if (of == std::string::npos) return false;
  out.needed = small_number(text.substr(0, of));
  const int all = small_number(text.substr(of + 2));
  if (out.needed < 0 || all < 0) return false;
  if (static_cast<std::size_t>(all) != inputs)
    report("GAL006", word.place,
           "\"" + quotable(out.name) + "\" is " + text + " but has " + std::to_string(inputs) + " inputs; wanted " +
               std::to_string(all) + ".");
  return true;
}

TreeValue TreeParser::value(const GalileoWord& word, double low, double high, bool open, const char* wanted) {
  TreeValue out{word.value, parse_number(word.value), word.value_place};
  const auto refuse = [&](const std::string& why) {
    report("GAL007", out.place,
           "\"" + quotable(word.text) + "\" is \"" + quotable(word.value) + "\"" + why + "; wanted " + wanted + ".");
    return out;
  };
  if (!out.number) {
    auto parsed = parse_expression(word.value);
    if (std::holds_alternative<SyntaxError>(parsed)) return refuse("");
    bool known = true, constant = true;
    walk(std::get<Syntax>(parsed), [&](const Syntax& s) {
      known = known && s.unit.empty() &&
              (s.kind == Syntax::Kind::number || s.kind == Syntax::Kind::unary || s.kind == Syntax::Kind::binary ||
               s.is_word());
      if (!s.is_word()) return;
      constant = false;
      known = known && std::any_of(tree_.parameters.begin(), tree_.parameters.end(),
                                   [&](const auto& p) { return p.name == s.segments.front().word; });
    });
    if (!known) return refuse(", which is neither a number nor made of parameters");
    if (!constant) return out;
    ParameterScope scope(none_);
    const auto compiled = compile(std::get<Syntax>(parsed), scope);
    if (!std::holds_alternative<Compiled>(compiled) || !std::get<Compiled>(compiled).type.number()) return refuse("");
    out.number = std::get<Compiled>(compiled).program.value();
  }
  const double x = *out.number;
  if (!std::isfinite(x) || x < low || x > high || (open && x == low)) return refuse("");
  return out;
}

void TreeParser::basic_event(const GalileoStatement& s, TreeElement& out) {
  static const std::vector<std::string> known = {"lambda", "phases", "rate", "shape", "mean", "stddev", "prob", "dorm"};
  std::map<std::string, GalileoWord> given;
  for (std::size_t i = 1; i < s.size(); ++i) {
    const std::string key = lower_case(s[i].text);
    if (!s[i].assigned) {
      report("GAL001", s[i].place,
             "Here is \"" + quotable(s[i].text) + "\" among the attributes of \"" + quotable(out.name) +
                 "\"; wanted name=value.");
    } else if (std::find(known.begin(), known.end(), key) == known.end()) {
      const std::string near = nearest_word(key, known);
      report("GAL008", s[i].place, "The attribute \"" + quotable(s[i].text) + "\" is not supported.",
             near.empty() ? "Known are lambda, phases, rate, shape, mean, stddev, prob, dorm."
                          : "Did you mean " + near + "?");
    } else if (!given.emplace(key, s[i]).second) {
      report("GAL008", s[i].place, "The attribute \"" + quotable(key) + "\" is given twice.");
    }
  }
  struct Form {
    FailureLaw::Kind kind;
    const char* first;
    const char* second;
  };
  static const Form forms[] = {{FailureLaw::Kind::exponential, "lambda", ""},
                               {FailureLaw::Kind::weibull, "rate", "shape"},
                               {FailureLaw::Kind::lognormal, "mean", "stddev"},
                               {FailureLaw::Kind::constant, "prob", ""}};
  const Form* form = nullptr;
  int laws = 0;
  for (const Form& f : forms)
    if (given.contains(f.first) || given.contains(f.second)) form = &f, ++laws;
  if (laws != 1)
    return report("GAL008", out.place,
                  "The basic event \"" + quotable(out.name) + "\" has " + (laws == 0 ? "no law" : "several laws") +
                      "; wanted lambda=, rate= with shape=, mean= with stddev=, or prob=.");
  for (const char* key : {form->first, form->second})
    if (*key != '\0' && !given.contains(key))
      return report("GAL008", out.place,
                    "The basic event \"" + quotable(out.name) + "\" lacks \"" + quotable(key) + "=\".");
  constexpr double huge = 1e300;
  FailureLaw& law = out.law;
  law.kind = form->kind;
  const GalileoWord& first = given[form->first];
  switch (law.kind) {
    case FailureLaw::Kind::weibull:
      law.first = value(first, 0.0, huge, true, "a number > 0");
      law.second = value(given["shape"], 0.0, huge, true, "a number > 0");
      break;
    case FailureLaw::Kind::lognormal:
      law.first = value(first, -huge, huge, false, "a number");
      law.second = value(given["stddev"], 0.0, huge, true, "a number > 0");
      break;
    case FailureLaw::Kind::constant:
      law.first = value(first, 0.0, 1.0, false, "0 to 1");
      break;
    default:
      law.first = value(first, 0.0, huge, false, "a number >= 0");
  }
  if (const auto phases = given.find("phases"); phases != given.end()) {
    law.phases = small_number(phases->second.value);
    if (law.kind != FailureLaw::Kind::exponential)
      report("GAL008", phases->second.place, "Phases belong to lambda=, not to \"" + quotable(form->first) + "=\".");
    else if (law.phases < 1 || law.phases > most_galileo_phases)
      report("GAL007", phases->second.value_place,
             "The number of phases is \"" + quotable(phases->second.value) + "\"; wanted 1 to " +
                 std::to_string(most_galileo_phases) + ".");
    else if (law.phases > 1) law.kind = FailureLaw::Kind::erlang;
  }
  if (const auto dorm = given.find("dorm"); dorm != given.end())
    law.dormancy = value(dorm->second, 0.0, 1.0, false, "0 to 1");
}

void TreeParser::resolve() {
  std::vector<std::string> names;
  for (const TreeElement& e : tree_.elements) names.push_back(e.name);
  const auto find = [&](const std::string& name, TextPlace place) {
    const auto found = index_.find(name);
    if (found != index_.end()) return found->second;
    const std::string near = nearest_word(name, names);
    report("GAL004", place, "There is no element \"" + quotable(name) + "\".",
           near.empty() ? std::string() : "Did you mean " + near + "?");
    return -1;
  };
  if (top_.empty() && !has_errors(problems_))
    report("GAL002", {}, "The tree has no top event.", "Write: toplevel NAME;");
  if (!top_.empty()) {
    tree_.top = find(top_, top_place_);
    if (tree_.top >= 0 && !tree_.at(tree_.top).can_fail())
      report("GAL002", top_place_,
             "The top event \"" + quotable(top_) + "\" is a constraint or dependency, which cannot fail.");
  }
  for (TreeElement& e : tree_.elements) {
    for (TreeElement::Child& child : e.children) child.element = find(child.name, child.place);
    inputs(e);
    arity(e);
  }
  spares();
}

// Which spare is free is asked of every gate that shares it, by every gate about each of its inputs.
void TreeParser::spares() {
  std::vector<double> users(tree_.elements.size(), 0.0);
  double questions = 0.0;
  for (const TreeElement& e : tree_.elements) {
    if (e.kind != TreeKind::spare) continue;
    questions += static_cast<double>(e.children.size()) * static_cast<double>(e.children.size());
    for (const TreeElement::Child& child : e.children)
      if (child.element >= 0) users[static_cast<std::size_t>(child.element)] += 1.0;
  }
  for (const double n : users) questions += n * n;
  if (questions <= most_spare_questions) return;
  // The place of the gate that asks most.
  const auto asks = [&](const TreeElement& e) {
    double out = 0.0;
    for (const TreeElement::Child& child : e.children)
      out += static_cast<double>(e.children.size()) +
             (child.element >= 0 ? users[static_cast<std::size_t>(child.element)] : 0.0);
    return e.kind == TreeKind::spare ? out : -1.0;
  };
  const TreeElement& worst = *std::max_element(tree_.elements.begin(), tree_.elements.end(),
                                               [&](const auto& a, const auto& b) { return asks(a) < asks(b); });
  report("GAL009", worst.place,
         "The spare gates are too large, or share too many spares: the squares of their inputs and of the gates that "
         "share a spare add up to " +
             number_text(questions, 6) + "; wanted at most " + number_text(most_spare_questions, 6) + ".");
}

// Constraints and dependencies are no inputs: written as such they have no effect on the gate.
void TreeParser::inputs(TreeElement& e) {
  for (std::size_t i = 0; i < e.children.size(); ++i) {
    const TreeElement::Child& child = e.children[i];
    if (child.element < 0) continue;
    const TreeElement& input = tree_.at(child.element);
    if (!input.can_fail()) {
      report("GAL010", child.place,
             "\"" + quotable(child.name) + "\" is a constraint or dependency and never fails; as an input of \"" +
                 quotable(e.name) + "\" it is left out.",
             {}, Severity::warning);
      e.children.erase(e.children.begin() + static_cast<std::ptrdiff_t>(i--));
    } else if (e.kind == TreeKind::dependency && i > 0 && input.kind != TreeKind::basic_event) {
      report("GAL009", child.place,
             "\"" + quotable(child.name) + "\" depends on a trigger but is a gate; wanted a basic event.",
             "Make the basic events below it depend on the trigger.");
    }
  }
}

void TreeParser::arity(const TreeElement& e) {
  if (e.kind == TreeKind::basic_event) return;
  const std::size_t n = e.children.size(), least = e.kind == TreeKind::dependency ? 2 : 1;
  if (n < least)
    report("GAL006", e.place,
           "\"" + quotable(e.name) + "\" has " + inputs_text(n) + "; wanted " +
               (least == 2 ? "a trigger and at least one event that depends on it." : "at least one."));
  else if (e.kind == TreeKind::vote && (e.needed < 1 || e.needed > static_cast<int>(n)))
    report("GAL006", e.place,
           "\"" + quotable(e.name) + "\" asks for " + std::to_string(e.needed) + " of " + inputs_text(n) +
               "; wanted 1 to " + std::to_string(n) + ".");
  std::vector<std::string> names;
  for (const TreeElement::Child& child : e.children) names.push_back(child.name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    report("GAL006", e.place, "\"" + quotable(e.name) + "\" has the input \"" + quotable(*twice) + "\" twice.");
}

void TreeParser::circles() {
  const std::vector<int> order = failing_order(tree_);
  std::vector<bool> sound(tree_.elements.size(), false);
  for (const int e : order) sound[static_cast<std::size_t>(e)] = true;
  const auto bad = [&](int e) { return tree_.at(e).can_fail() && !sound[static_cast<std::size_t>(e)]; };
  for (int e = 0; e < static_cast<int>(tree_.elements.size()); ++e) {
    if (!bad(e)) continue;
    // Every element left over has an input left over: following them leads into a circle.
    std::vector<int> path;
    for (int at = e; std::find(path.begin(), path.end(), at) == path.end();) {
      path.push_back(at);
      for (const TreeElement::Child& child : tree_.at(at).children)
        if (bad(child.element)) {
          at = child.element;
          break;
        }
    }
    int last = path.back();
    for (const TreeElement::Child& child : tree_.at(last).children)
      if (bad(child.element)) {
        last = child.element;
        break;
      }
    std::string names;
    std::size_t named = 0;
    for (auto at = std::find(path.begin(), path.end(), last); at != path.end(); ++at, ++named) {
      if (named < 12) names += quotable(tree_.at(*at).name) + " → ";
      if (named == 12) names += "... → ";
    }
    return report("GAL005", tree_.at(last).place,
                  "The tree has a circle: " + names + quotable(tree_.at(last).name) + ".",
                  "Only dependencies (fdep, pdep) may go round in circles.");
  }
}

}  // namespace

FaultTree tree_of_statements(const std::vector<GalileoStatement>& statements, Diagnostics& problems) {
  return TreeParser(problems).parse(statements);
}

FaultTree parse_galileo(std::string_view text, Diagnostics& problems) {
  return tree_of_statements(galileo_statements(text, problems), problems);
}

}  // namespace ergode
