#include "statecharts/exchange/ecma_expression.h"

#include <algorithm>

#include "statecharts/exchange/ecma_parser.h"

namespace ergode {
namespace {

using Type = EcmaValue::Type;

}  // namespace

EcmaValue EcmaParser::whole() {
  EcmaValue out = expression();
  if (token().kind != EcmaToken::Kind::end) {
    if (token().kind == EcmaToken::Kind::symbol && token().text != "," && token().text != "&" && token().text != "|")
      unsupported("`" + token().text + "`");
    broken("`" + token().text + "` where the expression should end");
  }
  refuse_nan(out);
  return out;
}

EcmaValue EcmaParser::expression() {
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

std::vector<std::string> EcmaParser::together(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string EcmaParser::wrapped(const std::string& text) {
  return text.find('?') == std::string::npos ? text : "(" + text + ")";
}

std::string EcmaParser::condition_operand(const std::string& text) { return wrapped(text); }

std::string EcmaParser::logic_operand(const EcmaValue& value, int least) {
  const std::string text = ecma_condition(value);
  if (value.type == Type::boolean) return value.operand(least);
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

EcmaValue EcmaParser::disjunction() {
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

EcmaValue EcmaParser::conjunction() {
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

EcmaValue EcmaParser::equality() {
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

EcmaValue EcmaParser::negation(const EcmaValue& value) {
  const std::string condition = ecma_condition(value);
  if (condition == "true" || condition == "false") return truth(condition == "false");
  EcmaValue out =
      make(Type::boolean, "not " + (condition.find(' ') == std::string::npos ? condition : "(" + condition + ")"), 4);
  out.ruled_out_if_true = value.ruled_out_if_false, out.ruled_out_if_false = value.ruled_out_if_true;
  return out;
}

// That it is undefined.
EcmaValue EcmaParser::bound_test(const EcmaValue& value) {
  if (value.type == Type::undefined) return truth(!value.nan);
  if (value.bound.empty()) return truth(false);
  EcmaValue bound = make(Type::boolean, value.bound, 2);
  bound.ruled_out_if_true = {unless(value.bound)};
  return negation(bound);
}

EcmaValue EcmaParser::equal(const EcmaValue& a, const EcmaValue& b, bool strict) {
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

EcmaValue EcmaParser::not_a_number() {
  EcmaValue out = make(Type::undefined, "0", 9);
  out.nan = true;
  return out;
}

void EcmaParser::refuse_nan(const EcmaValue& value) {
  // What cannot be evaluated anyway has no value to write.
  if (value.nan && value.fails != "true") unsupported("a value that never is a number");
}

EcmaValue EcmaParser::name_test(const std::string& name) {
  return make(Type::boolean, "event.name == \"" + scope_.event_name(name) + "\"", 5);
}

EcmaValue EcmaParser::type_test(const EcmaValue& tested, const EcmaValue& word) {
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

EcmaValue EcmaParser::relation() {
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
    left = never ? truth(false)
                 : make(Type::boolean, arithmetic_operand(left, 6) + " " + op + " " + arithmetic_operand(right, 6), 5);
    left.fails = fails;
  }
}

EcmaValue EcmaParser::field_test(const EcmaValue& field) {
  if (!field.literal || token().kind != EcmaToken::Kind::word || token().text != "_event" || token(1).text == "." ||
      token(1).text == "[")
    unsupported("`in`");
  ++at_;
  static constexpr std::string_view fields[] = {"name", "type", "sendid", "origin", "origintype", "invokeid", "data"};
  return truth(std::find(std::begin(fields), std::end(fields), *field.literal) != std::end(fields));
}

std::string EcmaParser::arithmetic_operand(const EcmaValue& value, int least) {
  if (value.type == Type::boolean) return "(" + ecma_number(value) + ")";
  if (value.type == Type::array || value.type == Type::object) unsupported("arithmetic on an array or object");
  if (value.event_name) unsupported("_event.name in arithmetic");
  return value.operand(least);
}

EcmaValue EcmaParser::sum() {
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

EcmaValue EcmaParser::term() {
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

EcmaValue EcmaParser::unary() {
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

EcmaResult translate_ecma(std::string_view text, EcmaScope& scope) {
  try {
    return EcmaParser(ecma_tokens(text), scope).whole();
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
