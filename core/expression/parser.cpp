#include <algorithm>

#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/expression/declarations.h"
#include "core/expression/lexer.h"
#include "core/expression/syntax.h"

namespace ergode {
namespace {

constexpr int deepest = 100;  // brackets this deep are a mistake or an attack
constexpr int longest = 500;  // the same of a chain of operators: its tree is as deep as it is long

struct ParseFailure {
  SyntaxError error;
};

bool is_keyword(std::string_view word) {
  return word == "and" || word == "or" || word == "not" || word == "true" || word == "false";
}

// Recursive descent over the tokens. A syntax error leaves by exception inside this file only: every level would
// otherwise have to carry it up by hand.
class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens) : text_(text), tokens_(std::move(tokens)) {}

  Syntax whole() {
    Syntax out = expression();
    if (token().kind != Token::Kind::end) fail_here("an operator or the end");
    return out;
  }

  std::vector<ActionSyntax> actions() {
    std::vector<ActionSyntax> out;
    while (token().kind != Token::Kind::end) {
      ActionSyntax action;
      Syntax first = expression();
      if (accept(":=")) {
        if (first.kind != Syntax::Kind::path) fail("Only a variable can be assigned to.", first.begin);
        action.target = std::move(first);
        action.value = expression();
      } else {
        if (first.kind == Syntax::Kind::binary && (first.word == "=" || first.word == "=="))
          fail("To assign, write `:=`.", first.children[1].begin);
        if (first.kind != Syntax::Kind::call)
          fail("Wanted `variable := value`, raise(...), send(...) or record(...).", first.begin);
        action.value = std::move(first);
      }
      out.push_back(std::move(action));
      if (token().kind != Token::Kind::end && !accept(";")) fail_here("`;` or the end");
    }
    return out;
  }

  std::vector<ArgumentSyntax> arguments() {
    std::vector<ArgumentSyntax> out;
    while (token().kind != Token::Kind::end) out.push_back(argument());
    return out;
  }

  std::vector<DeclarationSyntax> declarations() {
    std::vector<DeclarationSyntax> out;
    while (token().kind != Token::Kind::end) {
      DeclarationSyntax one;
      // The type is taken as it is written: what a unit is the lexer does not know.
      if (token().kind == Token::Kind::word && is_symbol(":", 1)) {
        const std::size_t name = at_;
        at_ += 2;
        one.type_begin = token().begin;
        while (!is_symbol("=") && !is_symbol(":=")) {
          if (token().kind == Token::Kind::end || is_symbol(",") || is_symbol(";")) fail_here("`=`");
          one.type = text_.substr(static_cast<std::size_t>(one.type_begin),
                                  static_cast<std::size_t>(token().end - one.type_begin));
          ++at_;
        }
        tokens_[at_ - 1] = tokens_[name], --at_;
      }
      one.value = argument();
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  ArgumentSyntax argument() {
    if (token().kind != Token::Kind::word) fail_here("a name");
    ArgumentSyntax out{token().text, token().begin, {}};
    ++at_;
    if (!accept("=") && !accept(":=")) fail_here("`=`");
    out.value = expression();
    if (token().kind != Token::Kind::end && !accept(",") && !accept(";")) fail_here("`,` or the end");
    return out;
  }
  [[noreturn]] static void fail(std::string message, int offset) {
    throw ParseFailure{{std::move(message), offset + 1, "EXP001"}};
  }
  [[noreturn]] void fail_here(const std::string& wanted) const {
    const Token& seen = token();
    const std::string what = seen.kind == Token::Kind::end
                                 ? "the end"
                                 : "`" +
                                       quotable(text_.substr(static_cast<std::size_t>(seen.begin),
                                                             static_cast<std::size_t>(seen.end - seen.begin))) +
                                       "`";
    fail("Here is " + what + "; wanted " + wanted + ".", seen.begin);
  }
  // Beyond the end it stays at the end token, so no caller has to ask how many are left.
  const Token& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool is_symbol(std::string_view symbol, std::size_t ahead = 0) const {
    return token(ahead).kind == Token::Kind::symbol && token(ahead).text == symbol;
  }
  bool is_word(std::string_view word) const { return token().kind == Token::Kind::word && token().text == word; }
  bool accept(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view symbol) {
    if (!accept(symbol)) fail_here("`" + std::string(symbol) + "`");
  }

  Syntax join(std::string op, Syntax left, Syntax right) const {
    Syntax out;
    out.kind = Syntax::Kind::binary;
    out.word = std::move(op);
    out.begin = left.begin, out.end = right.end;
    out.height = 1 + std::max(left.height, right.height);
    if (out.height > longest)
      fail("More than " + std::to_string(longest) + " operators in a row; split the expression into parameters.",
           right.begin);
    out.children.push_back(std::move(left));
    out.children.push_back(std::move(right));
    return out;
  }
  static Syntax with_height(Syntax out) {
    for (const Syntax& child : out.children) out.height = std::max(out.height, child.height + 1);
    return out;
  }
  // Counts a level of right recursion while it lasts.
  Syntax deeper(Syntax (Parser::*read)(), int begin) {
    if (++depth_ > deepest) fail("Nested deeper than " + std::to_string(deepest) + " levels.", begin);
    Syntax out = (this->*read)();
    --depth_;
    return out;
  }

  Syntax expression() { return deeper(&Parser::conditional, token().begin); }

  Syntax conditional() {
    Syntax condition = disjunction();
    if (accept("?")) {
      Syntax out;
      out.kind = Syntax::Kind::conditional;
      out.begin = condition.begin;
      out.children.push_back(std::move(condition));
      out.children.push_back(expression());
      expect(":");
      out.children.push_back(expression());
      out.end = out.children.back().end;
      return with_height(std::move(out));
    }
    return condition;
  }

  Syntax disjunction() {
    Syntax left = conjunction();
    while (is_word("or") || is_symbol("||")) ++at_, left = join("or", std::move(left), conjunction());
    return left;
  }
  Syntax conjunction() {
    Syntax left = negation();
    while (is_word("and") || is_symbol("&&")) ++at_, left = join("and", std::move(left), negation());
    return left;
  }
  Syntax prefix(std::string op, Syntax operand, int begin) const {
    Syntax out;
    out.kind = Syntax::Kind::unary;
    out.word = std::move(op);
    out.begin = begin, out.end = operand.end;
    out.children.push_back(std::move(operand));
    return with_height(std::move(out));
  }
  Syntax negation() {
    if (!is_word("not") && !is_symbol("!")) return comparison();
    const int begin = token().begin;
    ++at_;
    return prefix("not", deeper(&Parser::negation, begin), begin);
  }
  Syntax comparison() {
    Syntax left = sum();
    for (const std::string_view op : {"<", "<=", ">", ">=", "==", "=", "!="}) {
      if (!is_symbol(op)) continue;
      ++at_;
      Syntax out = join(std::string(op == "=" ? "==" : op), std::move(left), sum());
      // a < b < c would compare a truth with a number, which nobody means.
      for (const std::string_view next : {"<", "<=", ">", ">=", "==", "=", "!="})
        if (is_symbol(next)) fail("Comparisons do not chain; join them with `and`.", token().begin);
      return out;
    }
    return left;
  }
  Syntax sum() {
    Syntax left = term();
    while (is_symbol("+") || is_symbol("-")) {
      std::string op = token().text;
      ++at_;
      left = join(std::move(op), std::move(left), term());
    }
    return left;
  }
  Syntax term() {
    Syntax left = unary();
    while (is_symbol("*") || is_symbol("/")) {
      std::string op = token().text;
      ++at_;
      left = join(std::move(op), std::move(left), unary());
    }
    return left;
  }
  Syntax unary() {
    if (!is_symbol("-") && !is_symbol("+")) return power();
    const bool minus = is_symbol("-");
    const int begin = token().begin;
    ++at_;
    Syntax operand = deeper(&Parser::unary, begin);
    return minus ? prefix("-", std::move(operand), begin) : operand;
  }
  Syntax power() {
    Syntax base = postfix();
    if (!accept("^")) return base;
    return join("^", std::move(base), deeper(&Parser::unary, token().begin));
  }

  bool unit_word(std::size_t ahead) const {
    const Token& word = token(ahead);
    // `8 h / min(a, b)`: a word before a bracket is a function or a component.
    return word.kind == Token::Kind::word && !is_keyword(word.text) && !is_symbol("(", ahead + 1) &&
           !is_symbol("[", ahead + 1) && is_unit_word(word.text);
  }
  // Reads `h`, `/h`, `W/m^2`, `m.s^-1` after a primary; leaves everything else alone.
  void unit_after(Syntax& out) {
    const bool after_number = out.kind == Syntax::Kind::number;
    std::size_t ahead = 0;
    if (after_number && is_symbol("/") && unit_word(1)) ahead = 1;
    else if (after_number && token().kind == Token::Kind::word && !is_keyword(token().text) && !unit_word(0))
      throw ParseFailure{{"\"" + quotable(token().text) + "\" is no unit.", token().begin + 1, "UNI001"}};
    else if (!unit_word(0)) return;
    const int begin = token().begin;
    int end = begin;
    while (true) {
      end = token(ahead).end;
      ++ahead;
      if (is_symbol("^", ahead)) {
        const std::size_t sign = is_symbol("-", ahead + 1) ? 1 : 0;
        if (token(ahead + 1 + sign).kind == Token::Kind::number) end = token(ahead + 1 + sign).end, ahead += 2 + sign;
      }
      const bool joined = (is_symbol("/", ahead) || is_symbol(".", ahead)) && unit_word(ahead + 1);
      if (!joined) break;
      ++ahead;
    }
    at_ += ahead;
    out.unit_begin = begin;
    out.unit = std::string(text_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    out.end = end;
  }

  Syntax postfix() {
    Syntax out = with_height(primary());
    unit_after(out);
    return out;
  }

  Syntax primary() {
    const Token& first = token();
    Syntax out;
    out.begin = first.begin, out.end = first.end;
    if (first.kind == Token::Kind::number) {
      out.number = first.number;
      ++at_;
      return out;
    }
    if (first.kind == Token::Kind::text) {
      out.kind = Syntax::Kind::text, out.word = first.text;
      ++at_;
      return out;
    }
    if (is_symbol("(")) {
      ++at_;
      Syntax inner = expression();
      expect(")");
      if (inner.unit.empty()) return inner;
      // `(8 h) min`: the inner unit must not be overwritten by an outer one.
      Syntax wrapped = prefix("+", std::move(inner), first.begin);
      return wrapped;
    }
    if (is_symbol("[")) {
      out.kind = Syntax::Kind::list;
      ++at_;
      while (!is_symbol("]")) {
        out.children.push_back(expression());
        if (!accept(",") && !is_symbol("]")) fail_here("`,` or `]`");
      }
      out.end = token().end;
      ++at_;
      return out;
    }
    if (first.kind != Token::Kind::word || first.text == "and" || first.text == "or") fail_here("a value");
    if (first.text == "true" || first.text == "false") {
      out.kind = Syntax::Kind::boolean, out.number = first.text == "true" ? 1 : 0;
      ++at_;
      return out;
    }
    if (is_symbol("(", 1)) return call();
    return path();
  }

  Syntax call() {
    Syntax out;
    out.kind = Syntax::Kind::call;
    out.word = token().text;
    out.begin = out.word_begin = token().begin;
    at_ += 2;
    while (!is_symbol(")")) {
      std::string name;
      if (token().kind == Token::Kind::word && is_symbol("=", 1)) {
        name = token().text;
        at_ += 2;
      }
      out.names.push_back(std::move(name));
      out.children.push_back(expression());
      // table(x, x1: y1, x2: y2): points are pairs of arguments.
      if (out.word == "table" && out.children.size() > 1 && accept(":")) {
        out.names.emplace_back();
        out.children.push_back(expression());
      }
      if (!accept(",") && !is_symbol(")")) fail_here("`,` or `)`");
    }
    out.end = token().end;
    ++at_;
    return out;
  }

  Syntax path() {
    Syntax out;
    out.kind = Syntax::Kind::path;
    out.begin = token().begin, out.end = token().end;
    out.segments.push_back({token().text, token().begin});
    ++at_;
    if (accept("[")) {
      if (accept("*")) out.index = Syntax::Index::all;
      else {
        out.index = Syntax::Index::one;
        out.children.push_back(expression());
        if (accept("..")) {
          out.index = Syntax::Index::range;
          out.children.push_back(expression());
        }
      }
      out.end = token().end;
      expect("]");
    }
    while (is_symbol(".") && token(1).kind == Token::Kind::word) {
      out.segments.push_back({token(1).text, token(1).begin});
      out.end = token(1).end;
      at_ += 2;
    }
    return out;
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

template <class Result, class Read>
std::variant<Result, SyntaxError> parse(std::string_view text, Read read) {
  auto tokens = tokens_of(text);
  if (auto* error = std::get_if<SyntaxError>(&tokens)) return *error;
  try {
    Parser parser(text, std::get<std::vector<Token>>(std::move(tokens)));
    return read(parser);
  } catch (const ParseFailure& failure) {
    return failure.error;
  }
}

}  // namespace

std::variant<Syntax, SyntaxError> parse_expression(std::string_view text) {
  return parse<Syntax>(text, [](Parser& p) { return p.whole(); });
}

std::variant<std::vector<ActionSyntax>, SyntaxError> parse_actions(std::string_view text) {
  return parse<std::vector<ActionSyntax>>(text, [](Parser& p) { return p.actions(); });
}

std::variant<std::vector<ArgumentSyntax>, SyntaxError> parse_arguments(std::string_view text) {
  return parse<std::vector<ArgumentSyntax>>(text, [](Parser& p) { return p.arguments(); });
}

std::variant<std::vector<DeclarationSyntax>, SyntaxError> parse_declarations(std::string_view text) {
  return parse<std::vector<DeclarationSyntax>>(text, [](Parser& p) { return p.declarations(); });
}

void walk(const Syntax& syntax, const std::function<void(const Syntax&)>& visit) {
  visit(syntax);
  for (const Syntax& child : syntax.children) walk(child, visit);
}

}  // namespace ergode
