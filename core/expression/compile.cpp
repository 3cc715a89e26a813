#include "core/expression/compile.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/expression_compiler.h"
#include "core/expression/failure.h"

namespace ergode {
namespace {

using Op = Program::Op;
using Base = ValueType::Base;

}  // namespace

Compiled ExpressionCompiler::compile(const Syntax& s) {
  Compiled out = bare(s);
  if (!s.unit.empty()) {
    const auto unit = parse_unit(s.unit);
    if (!unit) fail("UNI001", "\"" + quotable(s.unit) + "\" is no unit.", s.begin);
    check_unit_words(s);
    if (!out.type.number() || !out.type.dimension.none())
      fail("EXP004", "A unit follows " + out.type.text() + "; wanted a plain number before \"" + s.unit + "\".",
           s.begin);
    out.program = Program::apply(Op::multiply, {std::move(out.program), Program(unit->scale)});
    // Degree Celsius: a place on a scale, no difference.
    if (unit->offset != 0.0) out.program = Program::apply(Op::add, {std::move(out.program), Program(unit->offset)});
    out.type = ValueType::real(unit->dimension);
    if (out.program.is_constant() && !std::isfinite(out.program.value()))
      fail("EXP006", "The quantity in \"" + s.unit + "\" is infinite in SI units; wanted a finite one.", s.begin);
  }
  if (out.program.depth() > Program::deepest_stack)
    fail("EXP006", "The expression is too large; split it into parameters.", s.begin);
  if (out.program.is_constant() && out.type.number() && std::isnan(out.program.value()))
    fail("EXP005", "The value is not a number (0/0, or the root of a negative number).", s.begin);
  return out;
}

Program ExpressionCompiler::as(const Syntax& s, ValueType wanted) {
  Compiled out = compile(s);
  if (wanted.base == Base::real) {
    if (!out.type.number()) fail("EXP003", "Here is " + out.type.text() + "; wanted " + wanted.text() + ".", s.begin);
    if (!(out.type.dimension == wanted.dimension))
      fail("EXP004", "Here is " + out.type.text() + "; wanted " + wanted.text() + ".", s.begin,
           unit_hint(wanted.dimension), wanted.dimension);
  } else if (out.type.base != wanted.base) {
    // 2^3 and 6 / 2 are reals by their type, but whole by their value: such a constant will do.
    const bool whole = wanted.base == Base::integer && out.type.number() && out.type.dimension.none() &&
                       out.program.is_constant() && out.program.value() == std::floor(out.program.value()) &&
                       std::abs(out.program.value()) < largest_whole;
    if (whole) return std::move(out.program);
    std::string here = out.type.text(), limit;
    if (wanted.base == Base::integer && out.type.number() && out.type.dimension.none() && out.program.is_constant()) {
      here += ", " + number_text(out.program.value());
      if (std::abs(out.program.value()) >= largest_whole) limit = " below " + number_text(largest_whole);
    }
    fail("EXP003", "Here is " + here + "; wanted " + wanted.text() + limit + ".", s.begin);
  }
  return std::move(out.program);
}

double ExpressionCompiler::constant(const Syntax& s, ValueType wanted) {
  const Program program = as(s, wanted);
  if (!program.is_constant())
    fail("EXP005", "The value changes during a run; wanted a constant made of parameters.", s.begin);
  return program.value();
}

std::string ExpressionCompiler::unit_hint(const Dimension& d) {
  if (d == Dimension::of_time()) return "Write a unit of time: h, min, s, d, yr.";
  if (d == Dimension::per_time()) return "Write a rate: /h, /yr.";
  if (d.none()) return "Divide by a quantity of the same kind, or drop the unit.";
  return {};
}

// `1/d` is once a day and one divided by d: where d names something, neither is guessed. A word directly behind a
// number can only be a unit.
void ExpressionCompiler::check_unit_words(const Syntax& s) {
  const auto letter = [&](std::size_t at) {
    const char c = s.unit[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  for (std::size_t at = 0; at < s.unit.size();) {
    if (!letter(at)) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    // With its digits: `1/d1` is one divided by what is called d1, or d^-1.
    while (at < s.unit.size() && (letter(at) || (s.unit[at] >= '0' && s.unit[at] <= '9'))) ++at;
    const std::string word = s.unit.substr(begin, at - begin);
    if ((begin == 0 && s.kind == Syntax::Kind::number) || !scope_.declares(word)) continue;
    fail("EXP007", "\"" + word + "\" is a unit and a name in this model; which of them is meant cannot be told.",
         s.unit_begin + static_cast<int>(begin),
         "Write 1 /(" + word + ") for the name and 1 " + word + "^-1 for the unit, or rename what is called " + word +
             ".");
  }
}

Compiled ExpressionCompiler::bare(const Syntax& s) {
  switch (s.kind) {
    case Syntax::Kind::number:
      if (s.number == std::floor(s.number) && std::abs(s.number) < largest_whole)
        return {ValueType::integer(), Program(s.number), {}};
      return {ValueType::real(), Program(s.number), {}};
    case Syntax::Kind::boolean:
      return {ValueType::boolean(), Program(s.number), {}};
    case Syntax::Kind::text:
      return {ValueType::choice(), Program(), s.word};
    case Syntax::Kind::path:
      return path(s);
    case Syntax::Kind::call:
      return call(s);
    case Syntax::Kind::list:
      fail("EXP003", "A list stands here; wanted one value.", s.begin);
    case Syntax::Kind::unary:
      return unary(s);
    case Syntax::Kind::binary:
      return binary(s);
    case Syntax::Kind::conditional:
      return conditional(s, 0);
  }
  fail("EXP001", "Not understood.", s.begin);
}

Compiled ExpressionCompiler::from(const Symbol& symbol) {
  if (symbol.choice) return {symbol.type, Program(), *symbol.choice};
  return {symbol.type, symbol.constant ? Program(*symbol.constant) : Program::load(symbol.slot), {}};
}

Compiled ExpressionCompiler::path(const Syntax& s) {
  if (s.segments.size() == 1 && s.index == Syntax::Index::none) {
    const std::string& word = s.segments.front().word;
    if (const auto symbol = scope_.name(word)) return from(*symbol);
  }
  const auto found = resolve(s);
  if (const auto* symbol = std::get_if<Symbol>(&found)) return from(*symbol);
  if (const auto* states = std::get_if<StateSet>(&found)) {
    // A single state reads as "is it active", so `EDG[2].Failed and grid.Lost` says what it looks like.
    if (states->size == 1) return {ValueType::boolean(), Program::load(states->slot), {}};
    fail("EXP003", "Several states stand here; wanted one value.", s.begin, "Use count(...), any(...) or all(...).");
  }
  unknown(s, std::get<std::string>(found));
}

void ExpressionCompiler::unknown(const Syntax& s, const std::string& why) {
  const std::string& word = s.segments.front().word;
  std::vector<std::string> names = scope_.names();
  std::string near = nearest_word(word, names);
  // Not "did you mean that station" where a number is wanted: that would be the next error. Asked of all only then.
  const auto fits = [&](const std::string& name) { return (s.segments.size() == 1) == is_value(name); };
  if (s.index == Syntax::Index::none && !near.empty() && near != word && !fits(near)) {
    std::erase_if(names, [&](const std::string& name) { return !fits(name); });
    near = nearest_word(word, names);
  }
  fail("EXP002", why, s.begin, near.empty() || near == word ? std::string() : "Did you mean " + near + "?");
}

bool ExpressionCompiler::is_value(const std::string& name) {
  return scope_.name(name) || !std::holds_alternative<std::string>(scope_.path({.words = {name}}));
}

std::variant<Symbol, StateSet, std::string> ExpressionCompiler::resolve(const Syntax& s) {
  ResolvedPath out;
  for (const Syntax::Segment& segment : s.segments) out.words.push_back(segment.word);
  out.indexed = s.index != Syntax::Index::none;
  out.all = s.index == Syntax::Index::all;
  if (!s.children.empty()) {
    out.first = index(s.children.front());
    out.last = index(s.children.back());
  }
  return scope_.path(out);
}

long ExpressionCompiler::index(const Syntax& s) {
  const double value = constant(s, ValueType::integer());
  if (!(std::abs(value) < largest_whole))
    fail("EXP005", "The index is " + number_text(value) + "; wanted a small whole number.", s.begin);
  return static_cast<long>(value);
}

Compiled ExpressionCompiler::unary(const Syntax& s) {
  if (s.word == "not")
    return {ValueType::boolean(), Program::apply(Op::negation, {as(s.children[0], ValueType::boolean())}), {}};
  Compiled out = compile(s.children[0]);
  if (!out.type.number()) fail("EXP003", "Here is " + out.type.text() + "; wanted a number.", s.children[0].begin);
  if (s.word == "-") out.program = Program::apply(Op::negate, {std::move(out.program)});
  return out;
}

Compiled ExpressionCompiler::binary(const Syntax& s) {
  const std::string& op = s.word;
  if (op == "and" || op == "or") {
    const Program left = as(s.children[0], ValueType::boolean()), right = as(s.children[1], ValueType::boolean());
    return {ValueType::boolean(), Program::apply(op == "and" ? Op::conjunction : Op::disjunction, {left, right}), {}};
  }
  if (op == "==" || op == "!=")
    if (auto choice = choices(s)) return *choice;
  if (op == "/") unit_slip(s);
  const Compiled left = compile(s.children[0]), right = compile(s.children[1]);
  const bool equality = op == "==" || op == "!=";
  if (equality && left.type.base == Base::boolean && right.type.base == Base::boolean)
    return {ValueType::boolean(),
            Program::apply(op == "==" ? Op::equal : Op::not_equal, {left.program, right.program}),
            {}};
  for (int i = 0; i < 2; ++i) {
    const ValueType& type = i == 0 ? left.type : right.type;
    if (!type.number())
      fail("EXP003", "Here is " + type.text() + "; `" + op + "` wants numbers.",
           s.children[static_cast<std::size_t>(i)].begin);
  }
  const bool integers = left.type.base == Base::integer && right.type.base == Base::integer;
  const auto apply = [&](Op code) { return Program::apply(code, {left.program, right.program}); };
  if (op == "*")
    return {integers ? ValueType::integer() : ValueType::real(dimension_of(s, left.type, right.type, 1)),
            apply(Op::multiply),
            {}};
  if (op == "/") return {ValueType::real(dimension_of(s, left.type, right.type, -1)), apply(Op::divide), {}};
  if (op == "^") return {power_type(s, left, right), apply(Op::power), {}};
  if (!(left.type.dimension == right.type.dimension))
    fail("EXP004",
         "`" + op + "` joins " + left.type.text() + " and " + right.type.text() + "; wanted the same dimension.",
         s.children[1].begin, unit_hint(left.type.dimension), left.type.dimension);
  if (op == "+") return {integers ? left.type : ValueType::real(left.type.dimension), apply(Op::add), {}};
  if (op == "-") return {integers ? left.type : ValueType::real(left.type.dimension), apply(Op::subtract), {}};
  static const std::pair<const char*, Op> comparisons[] = {{"<", Op::less},    {"<=", Op::less_equal},
                                                           {">", Op::greater}, {">=", Op::greater_equal},
                                                           {"==", Op::equal},  {"!=", Op::not_equal}};
  for (const auto& [text, code] : comparisons)
    if (op == text) return {ValueType::boolean(), apply(code), {}};
  fail("EXP001", "Not understood.", s.begin);
}

// `3 /fortnite`, `1/tau`: what stands after a number and a slash, and resembles no name, was meant as a unit or as a
// name that is not there; nobody but the author knows which.
void ExpressionCompiler::unit_slip(const Syntax& s) {
  const Syntax& right = s.children[1];
  if (s.children[0].kind != Syntax::Kind::number || !s.children[0].unit.empty() || !right.is_word()) return;
  const std::string& word = right.segments.front().word;
  if (scope_.name(word) || !nearest_word(word, scope_.names()).empty()) return;
  if (const auto found = resolve(right); !std::holds_alternative<std::string>(found)) return;
  static const std::vector<std::string> usual = {"second", "minute", "hour",      "day", "week",  "month",
                                                 "year",   "yr",     "fortnight", "min", "demand"};
  const std::string near = nearest_word(word, usual);
  fail("EXP002", "\"" + word + "\" is neither a name nor a unit.", right.begin,
       near.empty() ? "Define it, or write a unit as in /h, /d or /yr." : "Did you mean the unit " + near + "?");
}

// `delay_law == exponential`: a word beside a choice is one of its values, not a name.
std::optional<Compiled> ExpressionCompiler::choices(const Syntax& s) {
  std::optional<Symbol> choice[2];
  for (const std::size_t i : {0U, 1U}) {
    const Syntax& side = s.children[i];
    if (const auto symbol = side.is_word() ? scope_.name(side.segments.front().word) : std::nullopt;
        symbol && symbol->choice)
      choice[i] = symbol;
  }
  const auto text = [&](std::size_t i) { return s.children[i].kind == Syntax::Kind::text; };
  if (!choice[0] && !choice[1] && !(text(0) && text(1))) return std::nullopt;
  std::string words[2];
  for (const std::size_t i : {0U, 1U})
    words[i] = choice[i]       ? *choice[i]->choice
               : choice[1 - i] ? choice_word(s.children[i], *choice[1 - i], s.children[1 - i])
                               : s.children[i].word;
  return Compiled{ValueType::boolean(), Program((words[0] == words[1]) == (s.word == "==") ? 1.0 : 0.0), {}};
}

// What stands beside a choice must be one of its words.
std::string ExpressionCompiler::choice_word(const Syntax& side, const Symbol& choice, const Syntax& beside) {
  const bool literal = side.kind == Syntax::Kind::text || side.is_word();
  const std::string word = side.is_word() ? side.segments.front().word : side.word;
  const std::span<const std::string> known = choice.choices;
  if (literal && (known.empty() || std::find(known.begin(), known.end(), word) != known.end())) return word;
  std::string wanted;
  for (const std::string& one : known) wanted += (wanted.empty() ? "" : ", ") + one;
  const std::string near = literal ? nearest_word(word, {known.begin(), known.end()}) : std::string();
  fail("EXP003",
       (literal ? "\"" + quotable(word) + "\" stands" : std::string("A value stands")) + " beside the choice " +
           beside.segments.front().word + "; wanted " +
           (wanted.empty() ? std::string("a word.") : "one of: " + wanted + "."),
       side.begin, near.empty() ? std::string() : "Did you mean " + near + "?");
}

Dimension ExpressionCompiler::dimension_of(const Syntax& s, const ValueType& left, const ValueType& right, int times) {
  const auto out = product(left.dimension, right.dimension, times);
  if (!out)
    fail("EXP004", "Here a unit gets a power beyond " + std::to_string(greatest_exponent) + "; no quantity has it.",
         s.begin);
  return *out;
}

ValueType ExpressionCompiler::power_type(const Syntax& s, const Compiled& base, const Compiled& exponent) {
  if (!exponent.type.dimension.none())
    fail("EXP004", "The exponent has a unit; wanted a plain number.", s.children[1].begin);
  if (base.type.dimension.none()) return ValueType::real();
  const bool whole = exponent.program.is_constant() &&
                     exponent.program.value() == std::floor(exponent.program.value()) &&
                     std::abs(exponent.program.value()) <= 9;
  if (!whole)
    fail("EXP004", "A quantity with a unit is raised to a power that is no small whole number.", s.children[1].begin);
  ValueType out = ValueType::real();
  for (int i = 0; i < static_cast<int>(std::abs(exponent.program.value())); ++i)
    out.dimension = dimension_of(s, out, base.type, exponent.program.value() > 0 ? 1 : -1);
  return out;
}

namespace {

Checked<Syntax> parsed(std::string_view text) {
  auto out = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&out))
    return ExpressionError{error->code, error->message, error->column, {}};
  return std::get<Syntax>(std::move(out));
}

std::vector<double> list_of(const Syntax& s, Dimension dimension, Scope& scope) {
  ExpressionCompiler compiler(scope);
  const ValueType wanted = ValueType::real(dimension);
  if (s.kind != Syntax::Kind::list) return {compiler.constant(s, wanted)};
  std::vector<double> out;
  for (const Syntax& child : s.children) {
    // A nested list is read row by row: a generator matrix.
    for (const double value : list_of(child, dimension, scope)) out.push_back(value);
  }
  return out;
}

}  // namespace

std::string ValueType::text() const {
  switch (base) {
    case Base::boolean:
      return "a condition (true or false)";
    case Base::integer:
      return "a whole number";
    case Base::choice:
      return "a choice";
    case Base::real:
      break;
  }
  if (dimension.none()) return "a number without unit";
  if (dimension == Dimension::of_time()) return "a time";
  if (dimension == Dimension::per_time()) return "a rate (per time)";
  return "a quantity in " + dimension.text();
}

Checked<Compiled> compile(const Syntax& syntax, Scope& scope) {
  return guarded<Compiled>([&] { return ExpressionCompiler(scope).compile(syntax); });
}

Checked<Compiled> compile(std::string_view text, Scope& scope) {
  auto syntax = parsed(text);
  if (auto* error = std::get_if<ExpressionError>(&syntax)) return *error;
  return compile(std::get<Syntax>(syntax), scope);
}

Checked<Program> compile_as(const Syntax& syntax, ValueType wanted, Scope& scope) {
  return guarded<Program>([&] { return ExpressionCompiler(scope).as(syntax, wanted); });
}

Checked<Program> compile_as(std::string_view text, ValueType wanted, Scope& scope) {
  auto syntax = parsed(text);
  if (auto* error = std::get_if<ExpressionError>(&syntax)) return *error;
  return compile_as(std::get<Syntax>(syntax), wanted, scope);
}

Checked<std::vector<double>> compile_list(const Syntax& syntax, Dimension dimension, Scope& scope) {
  return guarded<std::vector<double>>([&] { return list_of(syntax, dimension, scope); });
}

Checked<std::vector<double>> compile_list(std::string_view text, Dimension dimension, Scope& scope) {
  auto syntax = parsed(text);
  if (auto* error = std::get_if<ExpressionError>(&syntax)) return *error;
  return compile_list(std::get<Syntax>(syntax), dimension, scope);
}

Diagnostic to_diagnostic(const ExpressionError& error, ElementId element, std::string property) {
  return {.severity = Severity::error,
          .code = error.code,
          .element = element,
          .pointer = std::move(property),
          .message = error.message,
          .hint = error.hint,
          .column = error.column,
          .wanted = error.wanted};
}

}  // namespace ergode
