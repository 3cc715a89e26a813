#include "statecharts/exchange/prism/prism_expressions.h"

#include <set>

namespace ergode {
namespace {

using E = PrismExpression::Kind;

constexpr std::size_t most_nodes = 2000000;  // of all expressions, with formulas written out

}  // namespace

bool PrismParser::keyword(const std::string& word) {
  static const std::set<std::string> words = {"A",
                                              "bool",
                                              "clock",
                                              "const",
                                              "ctmc",
                                              "C",
                                              "double",
                                              "dtmc",
                                              "E",
                                              "endinit",
                                              "endinvariant",
                                              "endmodule",
                                              "endobservables",
                                              "endrewards",
                                              "endsystem",
                                              "false",
                                              "formula",
                                              "filter",
                                              "func",
                                              "F",
                                              "global",
                                              "G",
                                              "init",
                                              "invariant",
                                              "I",
                                              "int",
                                              "label",
                                              "max",
                                              "mdp",
                                              "min",
                                              "module",
                                              "X",
                                              "nondeterministic",
                                              "observable",
                                              "observables",
                                              "of",
                                              "Pmax",
                                              "Pmin",
                                              "P",
                                              "pomdp",
                                              "popta",
                                              "probabilistic",
                                              "prob",
                                              "pta",
                                              "rate",
                                              "rewards",
                                              "Rmax",
                                              "Rmin",
                                              "R",
                                              "S",
                                              "stochastic",
                                              "system",
                                              "true",
                                              "U",
                                              "W"};
  return words.count(word) > 0;
}

void PrismParser::deeper() {
  if (++depth_ > 100) prism_fail(token().place, "Nested deeper than 100 levels.");
}

PrismExpression PrismParser::expression() {
  deeper();
  PrismExpression out = binary(0);
  if (is("?")) {
    const PrismPlace place = token().place;
    ++at_;
    PrismExpression yes = expression();
    expect(":");
    out = node(E::conditional, "?", {std::move(out), std::move(yes), expression()}, place);
  }
  --depth_;
  return out;
}

PrismExpression PrismParser::node(E kind, std::string word, std::vector<PrismExpression> of, PrismPlace place) {
  PrismExpression out;
  out.kind = kind, out.word = std::move(word), out.of = std::move(of), out.place = place;
  for (const PrismExpression& child : out.of) out.height = std::max(out.height, child.height + 1);
  if (out.height > deepest_prism)
    prism_fail(place, "The expression is deeper than " + std::to_string(deepest_prism) + " levels.");
  count(1, place);
  return out;
}
void PrismParser::count(std::size_t nodes, PrismPlace place) {
  if ((nodes_ += nodes) > most_nodes)
    prism_fail(place, "The program is too large with its formulas written out.", {}, "PRI003");
}

// Operators by how loosely they bind.
PrismExpression PrismParser::binary(std::size_t level) {
  static const std::vector<std::vector<std::string_view>> levels = {
      {"=>"}, {"<=>"}, {"|"}, {"&"}, {"!"}, {"=", "!="}, {"<", "<=", ">", ">="}, {"+", "-"}, {"*", "/"}};
  if (level == levels.size()) return unary();
  if (levels[level].front() == "!") {
    const PrismPlace place = token().place;
    bool negated = false, any = false;
    while (accept("!")) negated = !negated, any = true;
    PrismExpression out = binary(level + 1);
    // Twice is once more than none: it must still be a condition.
    if (any) out = node(E::unary, "!", {std::move(out)}, place);
    return any && !negated ? node(E::unary, "!", {std::move(out)}, place) : out;
  }
  PrismExpression left = binary(level + 1);
  for (;;) {
    std::string found;
    for (const std::string_view op : levels[level])
      if (is(op)) found = op;
    if (found.empty()) return left;
    const PrismPlace place = token().place;
    ++at_;
    PrismExpression right = binary(level + 1);
    left = node(E::binary, found, {std::move(left), std::move(right)}, place);
  }
}

PrismExpression PrismParser::unary() {
  const PrismPlace place = token().place;
  bool negated = false, any = false;
  while (accept("-")) negated = !negated, any = true;
  PrismExpression out = primary();
  // As with `!`: it must still be a number.
  if (any) out = node(E::unary, "-", {std::move(out)}, place);
  return any && !negated ? node(E::unary, "-", {std::move(out)}, place) : out;
}

PrismExpression PrismParser::inserted(const PrismExpression& what, PrismPlace place) {
  count(what.nodes(), place);
  return what;
}

PrismExpression PrismParser::primary() {
  const PrismToken first = token();
  switch (first.kind) {
    case PrismToken::Kind::number: {
      ++at_;
      PrismExpression out = node(E::number, first.text, {}, first.place);
      out.whole = first.text.find_first_of(".eE") == std::string::npos;
      return out;
    }
    case PrismToken::Kind::text: {
      if (labels == nullptr) prism_fail(first.place, "A label stands where a value is wanted.");
      ++at_;
      const auto known = labels->find(first.text);
      if (known != labels->end()) return inserted(known->second, first.place);
      return node(E::label, first.text, {}, first.place);
    }
    case PrismToken::Kind::word:
      break;
    default:
      if (accept("(")) {
        PrismExpression inner = expression();
        expect(")");
        return inner;
      }
      // `!` may stand inside too: a + !b is refused by its type, not here. What follows it nests, as brackets do.
      if (is("!")) {
        deeper();
        PrismExpression inner = binary(4);
        --depth_;
        return inner;
      }
      prism_fail(first.place, "Here is " + shown() + "; wanted a value.");
  }
  ++at_;
  if (first.text == "true" || first.text == "false") return node(E::truth, first.text, {}, first.place);
  if (is("(") && (first.text == "func")) {
    ++at_;
    const std::string function = tokens_[at_++].text;
    expect(",");
    return call(function, first.place);
  }
  if (accept("(")) return call(first.text, first.place);
  if (keyword(first.text)) prism_fail(first.place, "Here is `" + first.text + "`; wanted a value.");
  if (formulas != nullptr)
    if (const auto known = formulas->find(first.text); known != formulas->end())
      return inserted(known->second, first.place);
  return node(E::name, first.text, {}, first.place);
}

PrismExpression PrismParser::call(const std::string& function, PrismPlace place) {
  static const std::set<std::string> known = {"min", "max", "floor", "ceil", "round", "pow", "mod", "log"};
  if (known.count(function) == 0) prism_fail(place, "There is no function \"" + function + "\".");
  std::vector<PrismExpression> of;
  do of.push_back(expression());
  while (accept(","));
  expect(")");
  const bool many = function == "min" || function == "max",
             two = function == "pow" || function == "mod" || function == "log";
  if (many ? of.size() < 2 : of.size() != (two ? 2U : 1U))
    prism_fail(place, function + " has " + std::to_string(of.size()) + " arguments; wanted " +
                          (many  ? "two or more."
                           : two ? "2."
                                 : "1."));
  return node(E::call, function, std::move(of), place);
}

}  // namespace ergode
