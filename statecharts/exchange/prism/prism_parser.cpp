// From text to a program: tokens, declarations, expressions by precedence, renamed modules.
#include <algorithm>
#include <cctype>
#include <functional>

#include "core/base/text.h"
#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {
namespace {

constexpr std::size_t longest_text = std::size_t{4} << 20U;
constexpr std::size_t most_nodes = 2000000;  // of all expressions, with formulas written out

using E = PrismExpression::Kind;

struct Token {
  enum class Kind { word, number, text, symbol, end } kind = Kind::end;
  std::string text;
  PrismPlace place;
};

struct Failure {
  Diagnostic problem;
};
[[noreturn]] void fail(PrismPlace place, std::string message, std::string hint = {}, const char* code = "PRI001") {
  throw Failure{prism_problem(code, place, std::move(message), std::move(hint))};
}

bool letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  PrismPlace here;
  std::size_t at = 0;
  const auto step = [&] {
    if (text[at++] == '\n') ++here.line, here.column = 1;
    else ++here.column;
  };
  while (at < text.size()) {
    const char c = text[at];
    const PrismPlace place = here;
    const std::size_t begin = at;
    const auto take = [&](Token::Kind kind) {
      out.push_back({kind, std::string(text.substr(begin, at - begin)), place});
    };
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      step();
    } else if (text.substr(at, 2) == "//") {
      while (at < text.size() && text[at] != '\n') step();
    } else if (letter(c)) {
      while (at < text.size() && (letter(text[at]) || digit(text[at]))) step();
      take(Token::Kind::word);
    } else if (digit(c) || (c == '.' && at + 1 < text.size() && digit(text[at + 1]))) {
      while (at < text.size() && digit(text[at])) step();
      // `0..3` is a range, not a number that ends with a dot.
      if (at < text.size() && text[at] == '.' && text.substr(at, 2) != "..") {
        step();
        while (at < text.size() && digit(text[at])) step();
      }
      if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t ahead = at + 1;
        if (ahead < text.size() && (text[ahead] == '+' || text[ahead] == '-')) ++ahead;
        if (ahead < text.size() && digit(text[ahead])) {
          while (at < ahead) step();
          while (at < text.size() && digit(text[at])) step();
        }
      }
      take(Token::Kind::number);
      if (!parse_number(out.back().text)) fail(place, "The number \"" + out.back().text + "\" is too large.");
    } else if (c == '"') {
      step();
      while (at < text.size() && text[at] != '"' && text[at] != '\n') step();
      if (at >= text.size() || text[at] != '"') fail(place, "The name in quotes does not end on its line.");
      step();
      out.push_back({Token::Kind::text, std::string(text.substr(begin + 1, at - begin - 2)), place});
    } else {
      static constexpr std::string_view symbols[] = {"<=>", "->", "=>", "<=", ">=", "!=", ".."};
      std::size_t length = 1;
      for (const std::string_view s : symbols)
        if (text.substr(at, s.size()) == s) {
          length = s.size();
          break;
        }
      static constexpr std::string_view single = "()[]{}:;,+-*/=<>!&|?'.";
      if (length == 1 && single.find(c) == std::string_view::npos)
        fail(place, "An unexpected character" +
                        (std::isprint(static_cast<unsigned char>(c)) != 0 ? std::string(": ") + c : std::string()) +
                        ".");
      while (length-- > 0) step();
      take(Token::Kind::symbol);
    }
  }
  out.push_back({Token::Kind::end, "the end of the text", here});
  return out;
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  /// Names of formulas are written out where they stand.
  const std::map<std::string, PrismExpression>* formulas = nullptr;
  const std::map<std::string, PrismExpression>* labels = nullptr;

  const Token& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is(std::string_view symbol, std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::symbol && token(ahead).text == symbol;
  }
  bool is_word(std::string_view word, std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::word && token(ahead).text == word;
  }
  bool accept(std::string_view symbol) { return is(symbol) ? ++at_, true : false; }
  bool accept_word(std::string_view word) { return is_word(word) ? ++at_, true : false; }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) fail(token().place, "Here is " + shown() + "; wanted `" + std::string(symbol) + "`.");
  }
  void expect_word(std::string_view word) {
    if (!accept_word(word)) fail(token().place, "Here is " + shown() + "; wanted `" + std::string(word) + "`.");
  }
  std::string name(const char* what) {
    if (token().kind != Token::Kind::word || keyword(token().text))
      fail(token().place, "Here is " + shown() + "; wanted " + what + ".");
    return tokens_[at_++].text;
  }
  std::string shown() const { return token().kind == Token::Kind::end ? token().text : "`" + token().text + "`"; }
  void next() { ++at_; }
  bool ended() const { return token().kind == Token::Kind::end; }
  const std::vector<Token>& tokens() const { return tokens_; }

  static bool keyword(const std::string& word) {
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

  PrismExpression expression() {
    if (++depth_ > 100) fail(token().place, "Nested deeper than 100 levels.");
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

 private:
  PrismExpression node(E kind, std::string word, std::vector<PrismExpression> of, PrismPlace place) {
    PrismExpression out;
    out.kind = kind, out.word = std::move(word), out.of = std::move(of), out.place = place;
    for (const PrismExpression& child : out.of) out.height = std::max(out.height, child.height + 1);
    if (out.height > deepest_prism)
      fail(place, "The expression is deeper than " + std::to_string(deepest_prism) + " levels.");
    count(1, place);
    return out;
  }
  void count(std::size_t nodes, PrismPlace place) {
    if ((nodes_ += nodes) > most_nodes)
      fail(place, "The program is too large with its formulas written out.", {}, "PRI003");
  }

  // Operators by how loosely they bind.
  PrismExpression binary(std::size_t level) {
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

  PrismExpression unary() {
    const PrismPlace place = token().place;
    int signs = 0;
    while (accept("-")) ++signs;
    PrismExpression out = primary();
    return signs % 2 == 1 ? node(E::unary, "-", {std::move(out)}, place) : out;
  }

  static std::size_t size_of(const PrismExpression& e) {
    std::size_t out = 1;
    for (const PrismExpression& child : e.of) out += size_of(child);
    return out;
  }
  PrismExpression inserted(const PrismExpression& what, PrismPlace place) {
    count(size_of(what), place);
    return what;
  }

  PrismExpression primary() {
    const Token first = token();
    switch (first.kind) {
      case Token::Kind::number: {
        ++at_;
        PrismExpression out = node(E::number, first.text, {}, first.place);
        out.whole = first.text.find_first_of(".eE") == std::string::npos;
        return out;
      }
      case Token::Kind::text: {
        if (labels == nullptr) fail(first.place, "A label stands where a value is wanted.");
        ++at_;
        const auto known = labels->find(first.text);
        if (known != labels->end()) return inserted(known->second, first.place);
        return node(E::label, first.text, {}, first.place);
      }
      case Token::Kind::word:
        break;
      default:
        if (accept("(")) {
          PrismExpression inner = expression();
          expect(")");
          return inner;
        }
        // `!` may stand inside too: a + !b is refused by its type, not here.
        if (is("!")) return binary(4);
        fail(first.place, "Here is " + shown() + "; wanted a value.");
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
    if (keyword(first.text)) fail(first.place, "Here is `" + first.text + "`; wanted a value.");
    if (formulas != nullptr)
      if (const auto known = formulas->find(first.text); known != formulas->end())
        return inserted(known->second, first.place);
    return node(E::name, first.text, {}, first.place);
  }

  PrismExpression call(const std::string& function, PrismPlace place) {
    static const std::set<std::string> known = {"min", "max", "floor", "ceil", "round", "pow", "mod", "log"};
    if (known.count(function) == 0) fail(place, "There is no function \"" + function + "\".");
    std::vector<PrismExpression> of;
    do of.push_back(expression());
    while (accept(","));
    expect(")");
    const bool many = function == "min" || function == "max",
               two = function == "pow" || function == "mod" || function == "log";
    if (many ? of.size() < 2 : of.size() != (two ? 2U : 1U))
      fail(place, function + " has " + std::to_string(of.size()) + " arguments; wanted " +
                      (many  ? "two or more."
                       : two ? "2."
                             : "1."));
    return node(E::call, function, std::move(of), place);
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0, nodes_ = 0;
  int depth_ = 0;
};

/// What stands between `formula x =` and `;` is kept as tokens until all formulas are known.
class ProgramParser {
 public:
  ProgramParser(std::vector<Token> tokens, PrismProgram& program) : parser_(std::move(tokens)), program_(program) {}

  void read() {
    find_formulas();
    parser_.formulas = &program_.formulas;
    bool typed = false;
    while (!parser_.ended()) item(typed);
    if (!typed) fail({1, 1}, "The program does not say its type.", "Write ctmc as the first word.", "PRI002");
    finish();
  }

 private:
  // Formulas may use each other in any order: each is read when it is first needed.
  void find_formulas() {
    const std::vector<Token>& all = parser_.tokens();
    std::map<std::string, std::size_t> begin;
    for (std::size_t i = 0; i + 3 < all.size(); ++i) {
      if (all[i].kind != Token::Kind::word || all[i].text != "formula") continue;
      if (all[i + 1].kind != Token::Kind::word || all[i + 2].text != "=") continue;
      if (!begin.emplace(all[i + 1].text, i + 3).second)
        fail(all[i + 1].place, "The name \"" + all[i + 1].text + "\" is used twice.", {}, "PRI004");
    }
    std::set<std::string> open;
    const std::function<void(const std::string&)> read = [&](const std::string& name) {
      if (program_.formulas.count(name) > 0) return;
      const std::size_t first = begin.at(name);
      if (!open.insert(name).second || open.size() > 200)
        fail(all[first].place, "The formula \"" + name + "\" uses itself, or formulas are nested deeper than 200.", {},
             "PRI004");
      std::vector<Token> body;
      for (std::size_t i = first; i < all.size() && all[i].text != ";"; ++i) {
        body.push_back(all[i]);
        if (all[i].kind == Token::Kind::word && begin.count(all[i].text) > 0) read(all[i].text);
      }
      body.push_back({Token::Kind::end, "the end of the formula", body.empty() ? all[first].place : body.back().place});
      Parser one(std::move(body));
      one.formulas = &program_.formulas;
      PrismExpression made = one.expression();
      if (!one.ended()) fail(one.token().place, "Here is " + one.shown() + "; wanted `;`.");
      program_.formulas.emplace(name, std::move(made));
      open.erase(name);
    };
    for (const auto& [name, first] : begin) read(name);
  }

  void item(bool& typed) {
    const Token first = parser_.token();
    const std::string& word = first.text;
    if (first.kind != Token::Kind::word) fail(first.place, "Here is " + parser_.shown() + "; wanted a declaration.");
    if (word == "ctmc" || word == "stochastic") {
      if (typed) fail(first.place, "The type of the program is given twice.", {}, "PRI002");
      parser_.accept_word(word);
      typed = true;
    } else if (word == "dtmc" || word == "mdp" || word == "pta" || word == "pomdp" || word == "popta" ||
               word == "probabilistic" || word == "nondeterministic" || word == "ma") {
      fail(first.place, "The program is of type " + word + "; wanted ctmc.", {}, "PRI002");
    } else if (word == "const") {
      constant();
    } else if (word == "formula") {
      while (!parser_.is(";") && !parser_.ended()) parser_.next();
      parser_.expect(";");
    } else if (word == "label") {
      parser_.next();
      const Token name = parser_.token();
      if (name.kind != Token::Kind::text) fail(name.place, "Here is " + parser_.shown() + "; wanted a name in quotes.");
      parser_.next(), parser_.expect("=");
      parser_.labels = &program_.labels;
      PrismExpression value = parser_.expression();
      parser_.labels = nullptr;
      parser_.expect(";");
      if (!program_.labels.emplace(name.text, std::move(value)).second)
        fail(name.place, "The label \"" + name.text + "\" is used twice.", {}, "PRI004");
    } else if (word == "global") {
      parser_.next();
      program_.globals.push_back(variable());
    } else if (word == "module") {
      module();
    } else if (word == "rewards") {
      rewards();
    } else if (word == "init" || word == "system" || word == "observables" || word == "invariant") {
      fail(first.place, "`" + word + "` is not read.",
           word == "init" ? "Give each variable its initial value." : std::string(), "PRI002");
    } else {
      fail(first.place, "Here is " + parser_.shown() + "; wanted a declaration.");
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
      fail(parser_.token().place, "A variable without bounds is not read.", "Write [low..high].", "PRI002");
    } else {
      fail(parser_.token().place, "Here is " + parser_.shown() + "; wanted [low..high] or bool.");
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
    while (parser_.token().kind == Token::Kind::word && !parser_.is_word("endmodule")) {
      if (parser_.is_word("invariant"))
        fail(parser_.token().place, "`invariant` belongs to timed automata, which are not read.", {}, "PRI002");
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
      const bool bare = (parser_.is("(") && parser_.token(1).kind == Token::Kind::word && parser_.is("'", 2)) ||
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
    if (parser_.token().kind == Token::Kind::text) out.name = parser_.token().text, parser_.next();
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
        fail(renaming.place, "There is no module \"" + renaming.base + "\" before this one.", {}, "PRI004");
      copied += base->commands.size();
      if (copied > 100000) fail(renaming.place, "The renamed modules have more than 100,000 commands.", {}, "PRI003");
      PrismModule made = *base;
      made.name = renaming.made.name, made.place = renaming.made.place;
      for (PrismVariable& v : made.variables) {
        if (renaming.names.count(v.name) == 0)
          fail(renaming.place, "The variable \"" + v.name + "\" of \"" + renaming.base + "\" gets no other name.", {},
               "PRI004");
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
  }

  struct Renaming {
    PrismModule made;
    std::string base;
    Names names;
    PrismPlace place;
    std::size_t place_in_program;
  };
  Parser parser_;
  PrismProgram& program_;
  std::vector<Renaming> renamings_;
};

}  // namespace

Diagnostic prism_problem(const char* code, PrismPlace place, std::string message, std::string hint) {
  return {.code = code,
          .pointer = std::to_string(place.line) + ":" + std::to_string(place.column),
          .message = std::move(message) + " (line " + std::to_string(place.line) + ", column " +
                     std::to_string(place.column) + ")",
          .hint = std::move(hint),
          .column = place.column};
}

const PrismVariable* PrismProgram::variable(const std::string& name) const {
  for (const PrismModule& module : modules)
    for (const PrismVariable& v : module.variables)
      if (v.name == name) return &v;
  for (const PrismVariable& v : globals)
    if (v.name == name) return &v;
  return nullptr;
}

const PrismConstant* PrismProgram::constant(const std::string& name) const {
  for (const PrismConstant& c : constants)
    if (c.name == name) return &c;
  return nullptr;
}

PrismProgram parse_prism(std::string_view text, Diagnostics& problems) {
  PrismProgram out;
  try {
    if (text.size() > longest_text) fail({1, 1}, "The text is larger than 4 MB.", {}, "PRI003");
    ProgramParser(tokens_of(text), out).read();
  } catch (Failure& failure) {
    problems.push_back(std::move(failure.problem));
    return out;
  }
  check_prism(out, problems);
  return out;
}

std::variant<PrismExpression, Diagnostic> parse_prism_expression(const PrismProgram& program, std::string_view text) {
  try {
    Parser parser(tokens_of(text));
    parser.formulas = &program.formulas, parser.labels = &program.labels;
    PrismExpression out = parser.expression();
    if (!parser.ended()) fail(parser.token().place, "Here is " + parser.shown() + " after the expression.");
    Diagnostics problems;
    if (!prism_type(program, out, problems)) return problems.front();
    return out;
  } catch (Failure& failure) {
    return std::move(failure.problem);
  }
}

}  // namespace ergode
