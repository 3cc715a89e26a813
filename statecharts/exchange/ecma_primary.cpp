// What operators of an ECMAScript expression stand between: literals, names, calls.
#include "statecharts/exchange/ecma_parser.h"

namespace ergode {

EcmaValue EcmaParser::text_value(const std::string& value) {
  EcmaValue out = make(Type::text, value.empty() ? "0" : scope_.text_number(value), 9);
  out.literal = value;
  return out;
}

EcmaValue EcmaParser::primary() {
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
  static constexpr std::string_view no_values[] = {"return", "var", "if", "else", "for", "while", "continue", "break"};
  if (std::find(std::begin(no_values), std::end(no_values), first.text) != std::end(no_values))
    broken("`" + first.text + "` where a value is wanted");
  if (first.text == "function" || first.text == "new") unsupported("`" + first.text + "`");
  if (first.text == "In" && symbol("(")) return in_state();
  if (first.text == "Math" && symbol(".")) return mathematics();
  return name(first.text);
}

// `(_event.data || {}).x`, `(typeof _event !== 'undefined' && _event.data || {}).x`: how our exports ask for what an
// event may not carry. It never is an error.
std::optional<EcmaValue> EcmaParser::carried_or_undefined() {
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

EcmaValue EcmaParser::array() {
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

EcmaValue EcmaParser::in_state() {
  expect("(");
  if (token().kind != EcmaToken::Kind::text) unsupported("In() of something else than a text");
  const std::string id = token().text;
  ++at_;
  expect(")");
  const auto condition = scope_.in_state(id);
  return condition ? make(Type::boolean, *condition, 9) : truth(false);
}

EcmaValue EcmaParser::mathematics() {
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

EcmaValue EcmaParser::name(const std::string& head) {
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

}  // namespace ergode
