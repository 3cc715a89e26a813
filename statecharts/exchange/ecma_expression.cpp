#include "statecharts/exchange/ecma_expression.h"

#include <algorithm>

#include "core/base/text.h"
#include "statecharts/exchange/ecma_tokens.h"

namespace ergode {
namespace {

using Type = EcmaValue::Type;
constexpr int deepest_brackets = 60;

EcmaValue make(Type type, std::string text, int strength) {
  EcmaValue out;
  out.type = type, out.text = std::move(text), out.strength = strength;
  return out;
}
EcmaValue truth(bool value) { return make(Type::boolean, value ? "true" : "false", 9); }

class Parser {
 public:
  Parser(std::vector<EcmaToken> tokens, EcmaScope& scope) : tokens_(std::move(tokens)), scope_(scope) {}

  EcmaValue whole() {
    EcmaValue out = expression();
    if (token().kind != EcmaToken::Kind::end) {
      if (token().kind == EcmaToken::Kind::symbol && token().text != "," && token().text != "&" && token().text != "|")
        unsupported("`" + token().text + "`");
      broken("`" + token().text + "` where the expression should end");
    }
    refuse_nan(out);
    return out;
  }

 private:
  const EcmaToken& token(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool symbol(std::string_view s) const { return token().kind == EcmaToken::Kind::symbol && token().text == s; }
  bool accept(std::string_view s) {
    if (!symbol(s)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view s) {
    if (!accept(s)) broken("no `" + std::string(s) + "` where one is wanted");
  }

  EcmaValue expression() {
    if (++depth_ > deepest_brackets) unsupported("brackets nested deeper than " + std::to_string(deepest_brackets));
    EcmaValue out = disjunction();
    if (accept("?")) {
      const EcmaValue yes = given(out.ruled_out_if_true, [this] { return expression(); });
      expect(":");
      const EcmaValue no = given(out.ruled_out_if_false, [this] { return expression(); });
      refuse_nan(yes), refuse_nan(no);
      const bool conditions = yes.type == Type::boolean && no.type == Type::boolean;
      const std::string condition = ecma_condition(out);
      const bool always = yes.fails == "true" && no.fails == "true";
      const std::string fails =
          always ? "true"
                 : either(out.fails, either(and_then(condition, yes.fails), and_then(negation(out).text, no.fails)));
      out = make(conditions            ? Type::boolean
                 : yes.type == no.type ? yes.type
                                       : Type::number,
                 condition_operand(condition) + " ? " + (conditions ? yes.operand(2) : wrapped(ecma_number(yes))) +
                     " : " + (conditions ? no.operand(2) : wrapped(ecma_number(no))),
                 1);
      out.fails = fails;
    }
    --depth_;
    return out;
  }
  // Reads what is evaluated only where these errors cannot be.
  template <class Read>
  EcmaValue given(const std::vector<std::string>& ruled_out, Read read) {
    const std::size_t before = ruled_out_.size();
    ruled_out_.insert(ruled_out_.end(), ruled_out.begin(), ruled_out.end());
    EcmaValue out = read();
    ruled_out_.resize(before);
    return out;
  }
  static std::vector<std::string> together(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static std::string wrapped(const std::string& text) {
    return text.find('?') == std::string::npos ? text : "(" + text + ")";
  }
  static std::string condition_operand(const std::string& text) { return wrapped(text); }
  static std::string logic_operand(const EcmaValue& value, int least) {
    const std::string text = ecma_condition(value);
    if (value.type == Type::boolean) return value.operand(least);
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }

  EcmaValue disjunction() {
    EcmaValue left = conjunction();
    while (accept("||")) {
      const EcmaValue right = given(left.ruled_out_if_false, [this] { return conjunction(); });
      const std::string fails = either(left.fails, and_then(negation(left).text, right.fails));
      const auto if_false = together(left.ruled_out_if_false, right.ruled_out_if_false);
      if (right.fails == "true") left = make(Type::boolean, ecma_condition(left), 1);
      else left = make(Type::boolean, logic_operand(left, 2) + " or " + logic_operand(right, 3), 2);
      left.fails = fails, left.ruled_out_if_false = if_false;
    }
    return left;
  }
  EcmaValue conjunction() {
    EcmaValue left = equality();
    while (accept("&&")) {
      const EcmaValue right = given(left.ruled_out_if_true, [this] { return equality(); });
      const std::string fails = either(left.fails, and_then(ecma_condition(left), right.fails));
      const auto if_true = together(left.ruled_out_if_true, right.ruled_out_if_true);
      if (right.fails == "true") left = truth(false);
      else left = make(Type::boolean, logic_operand(left, 3) + " and " + logic_operand(right, 4), 3);
      left.fails = fails, left.ruled_out_if_true = if_true;
    }
    return left;
  }

  EcmaValue equality() {
    EcmaValue left = relation();
    while (symbol("===") || symbol("!==") || symbol("==") || symbol("!=")) {
      const bool negated = token().text[0] == '!', strict = token().text.size() == 3;
      ++at_;
      const EcmaValue right = relation();
      const std::string fails = either(left.fails, right.fails);
      left = equal(left, right, strict);
      if (negated) left = negation(left);
      left.fails = fails;
    }
    return left;
  }
  static EcmaValue negation(const EcmaValue& value) {
    const std::string condition = ecma_condition(value);
    if (condition == "true" || condition == "false") return truth(condition == "false");
    EcmaValue out =
        make(Type::boolean, "not " + (condition.find(' ') == std::string::npos ? condition : "(" + condition + ")"), 4);
    out.ruled_out_if_true = value.ruled_out_if_false, out.ruled_out_if_false = value.ruled_out_if_true;
    return out;
  }
  // That it is undefined.
  static EcmaValue bound_test(const EcmaValue& value) {
    if (value.type == Type::undefined) return truth(!value.nan);
    if (value.bound.empty()) return truth(false);
    EcmaValue bound = make(Type::boolean, value.bound, 2);
    bound.ruled_out_if_true = {unless(value.bound)};
    return negation(bound);
  }
  EcmaValue equal(const EcmaValue& a, const EcmaValue& b, bool strict) {
    if (a.type_of || b.type_of) return type_test(a.type_of ? a : b, a.type_of ? b : a);
    if (a.nan || b.nan) return truth(false);
    if (a.event_name && b.literal) return name_test(*b.literal);
    if (b.event_name && a.literal) return name_test(*a.literal);
    if (a.type == Type::undefined || b.type == Type::undefined)
      return a.type == b.type ? truth(true) : bound_test(a.type == Type::undefined ? b : a);
    if ((a.type == Type::object) != (b.type == Type::object) && a.type != Type::array && b.type != Type::array)
      return truth(false);
    if (a.type == Type::array || b.type == Type::array || a.type == Type::object || b.type == Type::object)
      unsupported("the comparison of an array or object");
    if (a.literal && b.literal) return truth(*a.literal == *b.literal);
    const bool mixed = (a.type == Type::boolean) != (b.type == Type::boolean);
    if (mixed && strict && (a.maybe_boolean || b.maybe_boolean))
      unsupported("the comparison of what is a truth value at times with one");
    if (mixed && strict) return truth(false);
    if (a.type == Type::boolean && !mixed) {
      if (b.text == "true") return a;
      if (b.text == "false") return negation(a);
      if (a.text == "true") return b;
      if (a.text == "false") return negation(b);
    }
    if ((a.literal && is_number(b)) || (b.literal && is_number(a))) {
      if (strict) return truth(false);
      const auto value = parse_number(a.literal ? *a.literal : *b.literal);
      return truth(value && value == parse_number(a.literal ? b.text : a.text));
    }
    return make(Type::boolean, arithmetic_operand(a, 6) + " == " + arithmetic_operand(b, 6), 5);
  }
  // Undefined whatever happens.
  static bool is_never(const EcmaValue& v) { return v.type == Type::undefined && !v.null; }
  static EcmaValue not_a_number() {
    EcmaValue out = make(Type::undefined, "0", 9);
    out.nan = true;
    return out;
  }
  static void refuse_nan(const EcmaValue& value) {
    // What cannot be evaluated anyway has no value to write.
    if (value.nan && value.fails != "true") unsupported("a value that never is a number");
  }
  static bool is_text(const EcmaValue& v) { return v.type == Type::text || v.maybe_text; }
  static bool is_number(const EcmaValue& v) { return v.type == Type::number && parse_number(v.text).has_value(); }
  EcmaValue name_test(const std::string& name) {
    return make(Type::boolean, "event.name == \"" + scope_.event_name(name) + "\"", 5);
  }
  static EcmaValue type_test(const EcmaValue& tested, const EcmaValue& word) {
    if (!word.literal) unsupported("typeof compared with something else than a text");
    if (*word.literal == "undefined") return bound_test(tested);
    if (tested.nan) return truth(*word.literal == "number");
    if (*word.literal == "object" && (tested.type == Type::object || !tested.object.empty()))
      return make(Type::boolean, tested.object.empty() ? ecma_condition(tested) : tested.object, 2);
    const std::string seen = tested.type == Type::number    ? "number"
                             : tested.type == Type::boolean ? "boolean"
                             : tested.type == Type::text    ? "string"
                                                            : "object";
    if (!tested.bound.empty()) unsupported("typeof of a value whose type is known only at run time");
    return truth(seen == *word.literal);
  }

  EcmaValue relation() {
    EcmaValue left = sum();
    while (true) {
      if (token().kind == EcmaToken::Kind::word && token().text == "in") {
        ++at_;
        left = field_test(left);
        continue;
      }
      const bool ordered = symbol("<") || symbol("<=") || symbol(">") || symbol(">=");
      if (!ordered) return left;
      const std::string op = token().text;
      ++at_;
      const EcmaValue right = sum();
      if (left.literal || right.literal || is_text(left) || is_text(right)) unsupported("the order of texts");
      const std::string fails = either(left.fails, right.fails);
      // As a number it is NaN, and no order holds of that.
      const bool never = is_never(left) || is_never(right);
      left = never
                 ? truth(false)
                 : make(Type::boolean, arithmetic_operand(left, 6) + " " + op + " " + arithmetic_operand(right, 6), 5);
      left.fails = fails;
    }
  }
  EcmaValue field_test(const EcmaValue& field) {
    if (!field.literal || token().kind != EcmaToken::Kind::word || token().text != "_event" || token(1).text == "." ||
        token(1).text == "[")
      unsupported("`in`");
    ++at_;
    static constexpr std::string_view fields[] = {"name", "type", "sendid", "origin", "origintype", "invokeid", "data"};
    return truth(std::find(std::begin(fields), std::end(fields), *field.literal) != std::end(fields));
  }

  static std::string arithmetic_operand(const EcmaValue& value, int least) {
    if (value.type == Type::boolean) return "(" + ecma_number(value) + ")";
    if (value.type == Type::array || value.type == Type::object) unsupported("arithmetic on an array or object");
    if (value.event_name) unsupported("_event.name in arithmetic");
    return value.operand(least);
  }
  EcmaValue sum() {
    EcmaValue left = term();
    while (symbol("+") || symbol("-")) {
      const std::string op = token().text;
      ++at_;
      const EcmaValue right = term();
      const std::string fails = either(left.fails, right.fails);
      if (op == "+" && left.literal && right.literal) {
        left = text_value(*left.literal + *right.literal);
        continue;
      }
      if (is_text(left) || is_text(right)) unsupported("a text put together at run time");
      left = is_never(left) || is_never(right)
                 ? not_a_number()
                 : make(Type::number, arithmetic_operand(left, 6) + " " + op + " " + arithmetic_operand(right, 7), 6);
      left.fails = fails;
    }
    return left;
  }
  EcmaValue term() {
    EcmaValue left = unary();
    while (symbol("*") || symbol("/") || symbol("%")) {
      const std::string op = token().text;
      ++at_;
      const EcmaValue right = unary();
      const std::string fails = either(left.fails, right.fails);
      if (is_text(left) || is_text(right)) unsupported("arithmetic on texts");
      if (is_never(left) || is_never(right)) left = not_a_number();
      else if (op == "%") left = make(Type::number, "mod(" + ecma_number(left) + ", " + ecma_number(right) + ")", 9);
      else if (op == "/")  // in brackets: `3 / h` would be three per hour
        left = make(Type::number, arithmetic_operand(left, 7) + " / (" + ecma_number(right) + ")", 7);
      else left = make(Type::number, arithmetic_operand(left, 7) + " * " + arithmetic_operand(right, 8), 7);
      left.fails = fails;
    }
    return left;
  }
  EcmaValue unary() {
    if (++depth_ > deepest_brackets * 4) unsupported("operators nested too deep");
    EcmaValue out;
    if (accept("!")) {
      const EcmaValue value = unary();
      out = negation(value);
      out.fails = value.fails;
    } else if (accept("-")) {
      const EcmaValue value = unary();
      if (is_text(value)) unsupported("arithmetic on texts");
      out = is_never(value) ? not_a_number() : make(Type::number, "-" + arithmetic_operand(value, 9), 8);
      out.fails = value.fails;
    } else if (accept("+")) {
      const EcmaValue value = unary();
      if (is_text(value)) unsupported("a text turned into a number");
      out = is_never(value) ? not_a_number()
                            : make(Type::number, ecma_number(value), value.type == Type::boolean ? 1 : value.strength);
      out.fails = value.fails;
    } else if (token().kind == EcmaToken::Kind::word && token().text == "typeof") {
      ++at_;
      // The one operator that may meet a name that was never declared.
      out = unary();
      if (out.undeclared) out = make(Type::undefined, "0", 9);
      out.type_of = true;
    } else {
      out = primary();
    }
    --depth_;
    return out;
  }
  EcmaValue text_value(const std::string& value) {
    EcmaValue out = make(Type::text, value.empty() ? "0" : scope_.text_number(value), 9);
    out.literal = value;
    return out;
  }

  EcmaValue primary() {
    const EcmaToken first = token();
    if (first.kind == EcmaToken::Kind::number) return ++at_, make(Type::number, first.text, 9);
    if (first.kind == EcmaToken::Kind::text) {
      ++at_;
      if (symbol(".") || symbol("[")) unsupported("a method of a text");
      return text_value(first.text);
    }
    if (auto value = carried_or_undefined()) return *value;
    if (accept("(")) {
      EcmaValue inner = expression();
      expect(")");
      return inner;
    }
    if (accept("[")) return array();
    if (symbol("{")) unsupported("an object");
    if (symbol("/")) unsupported("a regular expression");
    if (first.kind == EcmaToken::Kind::end) broken("an end where a value is wanted");
    if (first.kind != EcmaToken::Kind::word) broken("`" + first.text + "` where a value is wanted");
    ++at_;
    if (first.text == "true" || first.text == "false") return truth(first.text == "true");
    if (first.text == "null" || first.text == "undefined") {
      EcmaValue out = make(Type::undefined, "0", 9);
      out.null = first.text == "null";
      return out;
    }
    static constexpr std::string_view no_values[] = {"return", "var",   "if",       "else",
                                                     "for",    "while", "continue", "break"};
    if (std::find(std::begin(no_values), std::end(no_values), first.text) != std::end(no_values))
      broken("`" + first.text + "` where a value is wanted");
    if (first.text == "function" || first.text == "new") unsupported("`" + first.text + "`");
    if (first.text == "In" && symbol("(")) return in_state();
    if (first.text == "Math" && symbol(".")) return mathematics();
    return name(first.text);
  }

  // `(_event.data || {}).x`, `(typeof _event !== 'undefined' && _event.data || {}).x`: how our exports ask for what an
  // event may not carry. It never is an error.
  std::optional<EcmaValue> carried_or_undefined() {
    std::size_t ahead = 0;
    const auto follow = [&](std::initializer_list<std::string_view> words) {
      for (std::size_t i = 0; i < words.size(); ++i)
        if (token(ahead + i).text != words.begin()[i]) return false;
      ahead += words.size();
      return true;
    };
    if (!follow({"("})) return std::nullopt;
    const bool asked = follow({"typeof", "_event", "!==", "undefined", "&&"});
    if (!follow({"_event"})) return std::nullopt;
    std::vector<std::string> path = {"_event"};
    if (follow({".", "data"})) path.emplace_back("data");
    if (!follow({"||", "{", "}", ")", "."}) || token(ahead).kind != EcmaToken::Kind::word) return std::nullopt;
    path.push_back(token(ahead).text);
    auto value = scope_.name(path);
    const auto event = scope_.name({"_event"});
    if (!value || !event) return std::nullopt;
    value->fails = asked || event->bound.empty() ? "" : unless(event->bound);
    at_ += ahead + 1;
    if (symbol(".") || symbol("[") || symbol("(")) unsupported("a look into what an event may not carry");
    return value;
  }

  EcmaValue array() {
    EcmaValue out = make(Type::array, "", 9);
    while (!symbol("]")) {
      const EcmaValue element = expression();
      const auto number = parse_number(element.text);
      if (element.type != Type::number || !number) unsupported("an array of something else than numbers");
      out.elements.push_back(*number);
      if (!accept(",") && !symbol("]")) broken("an array that does not end");
    }
    expect("]");
    if (symbol(".") || symbol("[")) unsupported("a method of an array");
    return out;
  }

  EcmaValue in_state() {
    expect("(");
    if (token().kind != EcmaToken::Kind::text) unsupported("In() of something else than a text");
    const std::string id = token().text;
    ++at_;
    expect(")");
    const auto condition = scope_.in_state(id);
    return condition ? make(Type::boolean, *condition, 9) : truth(false);
  }

  EcmaValue mathematics() {
    ++at_;
    const std::string function = token().text;
    ++at_;
    if (!symbol("(")) {
      if (function == "PI") return make(Type::number, "3.141592653589793", 9);
      if (function == "E") return make(Type::number, "2.718281828459045", 9);
      unsupported("Math." + function);
    }
    static constexpr std::string_view known[] = {"pow", "abs", "min",  "max", "floor", "ceil", "round",
                                                 "exp", "log", "sqrt", "sin", "cos",   "tan"};
    if (std::find(std::begin(known), std::end(known), function) == std::end(known)) unsupported("Math." + function);
    expect("(");
    std::string arguments, fails;
    while (!symbol(")")) {
      const EcmaValue argument = expression();
      fails = either(fails, argument.fails);
      if (is_text(argument)) unsupported("arithmetic on texts");
      refuse_nan(argument);
      arguments += (arguments.empty() ? "" : ", ") + ecma_number(argument);
      if (!accept(",") && !symbol(")")) broken("arguments that do not end");
    }
    expect(")");
    EcmaValue out = make(Type::number, function + "(" + arguments + ")", 9);
    out.fails = fails;
    return out;
  }

  EcmaValue name(const std::string& head) {
    std::vector<std::string> path = {head};
    while (symbol(".") || symbol("[")) {
      if (accept(".")) {
        if (token().kind != EcmaToken::Kind::word) broken("a dot without a name");
        path.push_back(token().text);
        ++at_;
      } else {
        ++at_;
        if (token().kind != EcmaToken::Kind::text) unsupported("an index");
        path.push_back(token().text);
        ++at_;
        expect("]");
      }
    }
    if (symbol("(")) unsupported("a call of " + path.back() + "()");
    if (symbol("++") || symbol("--") || symbol("=")) unsupported("an assignment inside an expression");
    auto value = scope_.name(path);
    if (value) {
      if (std::find(ruled_out_.begin(), ruled_out_.end(), value->fails) != ruled_out_.end()) value->fails.clear();
      if (!value->bound.empty()) value->ruled_out_if_true = {unless(value->bound)};
      return *value;
    }
    EcmaValue none = make(Type::number, "0", 9);
    none.fails = "true", none.undeclared = path.size() == 1;
    return none;
  }

  std::vector<EcmaToken> tokens_;
  EcmaScope& scope_;
  std::vector<std::string> ruled_out_;  // errors that cannot be where we are
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

EcmaResult translate_ecma(std::string_view text, EcmaScope& scope) {
  try {
    return Parser(ecma_tokens(text), scope).whole();
  } catch (const EcmaFailure& failure) {
    return failure.error;
  }
}

bool is_ecma_location(std::string_view name) {
  static constexpr std::string_view words[] = {
      "_event",  "_ioprocessors", "_name",    "_sessionid", "_x",       "break", "case",   "catch", "class",
      "const",   "continue",      "debugger", "default",    "delete",   "do",    "else",   "enum",  "export",
      "extends", "false",         "finally",  "for",        "function", "if",    "import", "in",    "instanceof",
      "let",     "new",           "null",     "return",     "static",   "super", "switch", "this",  "throw",
      "true",    "try",           "typeof",   "var",        "void",     "while", "with",   "yield"};
  return is_identifier(std::string(name)) && std::find(std::begin(words), std::end(words), name) == std::end(words);
}

std::string either(const std::string& a, const std::string& b) {
  if (a.empty() || b == "true") return b;
  if (b.empty() || a == "true" || a == b) return a;
  return "(" + a + ") or (" + b + ")";
}

std::string and_then(const std::string& a, const std::string& b) {
  if (b.empty() || a == "false") return {};
  if (b == "true" || a == b) return a;
  return a == "true" ? b : "(" + a + ") and (" + b + ")";
}

std::string unless(const std::string& bound) { return "not (" + bound + ")"; }

std::string ecma_condition(const EcmaValue& value) {
  switch (value.type) {
    case Type::boolean:
      return value.text;
    case Type::undefined:
      return "false";
    case Type::array:
      return "true";
    case Type::object:
      return value.bound.empty() ? "true" : value.bound;
    case Type::number:
    case Type::text:
      break;
  }
  if (value.literal) return value.literal->empty() ? "false" : "true";
  if (const auto number = parse_number(value.text)) return *number != 0.0 ? "true" : "false";
  const std::string number = "abs(" + value.text + ") > 0";
  return value.object.empty() ? number
                              : number + " or " + value.object;  // not `!= 0`: what has no value is NaN, and false
}

std::string ecma_number(const EcmaValue& value) {
  if (value.type != Type::boolean) return value.text;
  if (value.text == "true") return "1";
  if (value.text == "false") return "0";
  return value.operand(2) + " ? 1 : 0";
}

}  // namespace ergode
