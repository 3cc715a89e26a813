#include "core/expression/compile.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/failure.h"

namespace ergode {
namespace {

using Op = Program::Op;
using Base = ValueType::Base;

constexpr double largest_whole = 1e15;  // whole numbers above are not told apart by a double

// Type checking and code generation in one walk. Errors leave by exception inside this room only.
class Compiler {
 public:
  explicit Compiler(Scope& scope) : scope_(scope) {}

  Compiled compile(const Syntax& s) {
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

  Program as(const Syntax& s, ValueType wanted) {
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
      if (!whole) fail("EXP003", "Here is " + out.type.text() + "; wanted " + wanted.text() + ".", s.begin);
    }
    return std::move(out.program);
  }

  double constant(const Syntax& s, ValueType wanted) {
    const Program program = as(s, wanted);
    if (!program.is_constant())
      fail("EXP005", "The value changes during a run; wanted a constant made of parameters.", s.begin);
    return program.value();
  }

 private:
  static std::string unit_hint(const Dimension& d) {
    if (d == Dimension::of_time()) return "Write a unit of time: h, min, s, d, yr.";
    if (d == Dimension::per_time()) return "Write a rate: /h, /yr.";
    if (d.none()) return "Divide by a quantity of the same kind, or drop the unit.";
    return {};
  }

  // `1/d` is once a day and one divided by d: where d names something, neither is guessed. A word directly behind a
  // number can only be a unit.
  void check_unit_words(const Syntax& s) {
    const auto letter = [&](std::size_t at) {
      const char c = s.unit[at];
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
             (static_cast<unsigned char>(c) & 0x80U) != 0;
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

  Compiled bare(const Syntax& s) {
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

  Compiled from(const Symbol& symbol) {
    if (symbol.choice) return {symbol.type, Program(), *symbol.choice};
    return {symbol.type, symbol.constant ? Program(*symbol.constant) : Program::load(symbol.slot), {}};
  }

  Compiled path(const Syntax& s) {
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

  [[noreturn]] void unknown(const Syntax& s, const std::string& why) {
    const std::string& word = s.segments.front().word;
    const std::string near = nearest_word(word, scope_.names());
    fail("EXP002", why, s.begin, near.empty() || near == word ? std::string() : "Did you mean " + near + "?");
  }

  std::variant<Symbol, StateSet, std::string> resolve(const Syntax& s) {
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

  long index(const Syntax& s) {
    const double value = constant(s, ValueType::integer());
    if (!(std::abs(value) < largest_whole))
      fail("EXP005", "The index is " + number_text(value) + "; wanted a small whole number.", s.begin);
    return static_cast<long>(value);
  }

  Compiled states(const Syntax& s, const std::string& function) {
    if (s.children.size() != 1 || s.children.front().kind != Syntax::Kind::path)
      fail("EXP005", function + " takes one state or set of states, as in " + function + "(EDG[*].Failed).", s.begin);
    const Syntax& what = s.children.front();
    const auto found = resolve(what);
    if (const auto* why = std::get_if<std::string>(&found)) unknown(what, *why);
    if (std::holds_alternative<Symbol>(found)) fail("EXP003", "A variable stands here; wanted a state.", what.begin);
    const StateSet set = std::get<StateSet>(found);
    const Program count = Program::load(set.slot);
    const Program size(static_cast<double>(set.size));
    if (function == "count") return {ValueType::integer(), count, {}};
    if (function == "any") return {ValueType::boolean(), Program::apply(Op::greater, {count, Program(0.0)}), {}};
    if (function == "all") return {ValueType::boolean(), Program::apply(Op::equal, {count, size}), {}};
    if (set.size != 1)
      fail("EXP003", "in() takes one state, here are " + std::to_string(set.size) + ".", what.begin,
           "Use count, any or all.");
    return {ValueType::boolean(), count, {}};
  }

  Compiled unary(const Syntax& s) {
    if (s.word == "not")
      return {ValueType::boolean(), Program::apply(Op::negation, {as(s.children[0], ValueType::boolean())}), {}};
    Compiled out = compile(s.children[0]);
    if (!out.type.number()) fail("EXP003", "Here is " + out.type.text() + "; wanted a number.", s.children[0].begin);
    if (s.word == "-") out.program = Program::apply(Op::negate, {std::move(out.program)});
    return out;
  }

  Compiled binary(const Syntax& s) {
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
  void unit_slip(const Syntax& s) {
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
  std::optional<Compiled> choices(const Syntax& s) {
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
  std::string choice_word(const Syntax& side, const Symbol& choice, const Syntax& beside) {
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

  Dimension dimension_of(const Syntax& s, const ValueType& left, const ValueType& right, int times) {
    const auto out = product(left.dimension, right.dimension, times);
    if (!out)
      fail("EXP004", "Here a unit gets a power beyond " + std::to_string(greatest_exponent) + "; no quantity has it.",
           s.begin);
    return *out;
  }

  ValueType power_type(const Syntax& s, const Compiled& base, const Compiled& exponent) {
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

  Compiled conditional(const Syntax& s, std::size_t first) {
    const Program condition = as(s.children[first], ValueType::boolean());
    const Compiled then = compile(s.children[first + 1]), otherwise = compile(s.children[first + 2]);
    const bool numbers =
        then.type.number() && otherwise.type.number() && then.type.dimension == otherwise.type.dimension;
    if (!numbers && then.type.base != otherwise.type.base)
      fail("EXP003",
           "One branch is " + then.type.text() + ", the other " + otherwise.type.text() + "; wanted the same.",
           s.children[first + 2].begin);
    if (then.type.base == Base::choice) {
      if (!condition.is_constant()) fail("EXP005", "A choice cannot change during a run.", s.begin);
      return condition.value() != 0.0 ? then : otherwise;
    }
    const ValueType type = then.type.base == otherwise.type.base ? then.type : ValueType::real(then.type.dimension);
    // A constant condition drops the other branch, so that a model can switch a part off by a parameter.
    if (condition.is_constant()) return {type, condition.value() != 0.0 ? then.program : otherwise.program, {}};
    return {type, Program::apply(Op::select, {condition, then.program, otherwise.program}), {}};
  }

  void arity(const Syntax& s, std::size_t count) {
    if (s.children.size() != count)
      fail("EXP005",
           s.word + " has " + std::to_string(s.children.size()) + " arguments; wanted " + std::to_string(count) + ".",
           s.begin);
    for (const std::string& name : s.names)
      if (!name.empty()) fail("EXP005", s.word + " takes no named arguments, here is \"" + name + "\".", s.begin);
  }

  // The arguments from `first` on: numbers of one dimension.
  std::vector<Compiled> alike(const Syntax& s, std::size_t first, std::size_t stride = 1) {
    std::vector<Compiled> out;
    for (std::size_t i = first; i < s.children.size(); i += stride) {
      out.push_back(compile(s.children[i]));
      const ValueType &type = out.back().type, &wanted = out.front().type;
      if (!type.number()) fail("EXP003", "Here is " + type.text() + "; wanted a number.", s.children[i].begin);
      if (!(type.dimension == wanted.dimension))
        fail("EXP004", s.word + " joins " + wanted.text() + " and " + type.text() + "; wanted the same dimension.",
             s.children[i].begin, unit_hint(wanted.dimension), wanted.dimension);
    }
    return out;
  }
  static ValueType joint_type(const std::vector<Compiled>& of) {
    for (const Compiled& one : of)
      if (one.type.base != of.front().type.base) return ValueType::real(of.front().type.dimension);
    return of.front().type;
  }

  // By comparisons rather than min and max: whoever integrates follows comparisons.
  Compiled clamp(const Syntax& s) {
    arity(s, 3);
    const std::vector<Compiled> of = alike(s, 0);
    const Program &x = of[0].program, &low = of[1].program, &high = of[2].program;
    if (low.is_constant() && high.is_constant() && low.value() > high.value())
      fail("EXP005", "The lower end of clamp is above the upper one.", s.children[1].begin);
    const Program above = Program::apply(Op::select, {Program::apply(Op::greater, {x, high}), high, x});
    const Program value = Program::apply(Op::select, {Program::apply(Op::less, {x, low}), low, above});
    // Changes no value, but bounds on it are then as narrow as they can be.
    const Program bounded = Program::apply(Op::maximum, {Program::apply(Op::minimum, {value, high}), low});
    return {joint_type(of), bounded, {}};
  }

  static constexpr std::size_t most_points = 500;
  Compiled table(const Syntax& s) {
    for (const std::string& name : s.names)
      if (!name.empty()) fail("EXP005", "table takes no named arguments, here is \"" + name + "\".", s.begin);
    if (s.children.size() < 5 || s.children.size() % 2 == 0)
      fail("EXP005", "table wants a value and two or more points, as in table(now, 0 h: 1, 8 h: 2.5).", s.begin);
    if (s.children.size() / 2 > most_points)
      fail("EXP006", "The table has more than " + std::to_string(most_points) + " points.", s.begin);
    const Compiled at = compile(s.children[0]);
    if (!at.type.number()) fail("EXP003", "Here is " + at.type.text() + "; wanted a number.", s.children[0].begin);
    std::vector<double> x;
    for (std::size_t i = 1; i < s.children.size(); i += 2) {
      x.push_back(constant(s.children[i], ValueType::real(at.type.dimension)));
      if (x.size() > 1 && !(x.back() > x[x.size() - 2]))
        fail("EXP005", "The points of a table ascend; this one does not.", s.children[i].begin);
    }
    const std::vector<Compiled> y = alike(s, 2, 2);
    return {ValueType::real(y.front().type.dimension), piece(at.program, x, y, 0, x.size()), {}};
  }
  // Between points first and last - 1, found by halving; beyond both ends the value at the end.
  static Program piece(const Program& at, const std::vector<double>& x, const std::vector<Compiled>& y,
                       std::size_t first, std::size_t last) {
    // Pieces are 0: below the first point, i: from point i - 1 to i, n: beyond the last.
    // A tree of comparisons: a few places on the stack for each halving, where a chain would need some for each point.
    const auto choose = [&](auto&& self, std::size_t from, std::size_t to) -> Program {
      if (from == to) return line(at, x, y, from);
      const std::size_t middle = from + (to - from) / 2;
      return Program::apply(Op::select, {Program::apply(Op::less, {at, Program(x[middle])}), self(self, from, middle),
                                         self(self, middle + 1, to)});
    };
    return choose(choose, first, last);
  }
  static Program line(const Program& at, const std::vector<double>& x, const std::vector<Compiled>& y, std::size_t i) {
    if (i == 0) return y.front().program;
    const auto apply = [](Op op, const Program& a, const Program& b) { return Program::apply(op, {a, b}); };
    // What is no number is below no point and ends here: the last value whatever the place, but none without a place.
    if (i == x.size()) return apply(Op::maximum, apply(Op::minimum, at, y.back().program), y.back().program);
    const Program &below = y[i - 1].program, &above = y[i].program;
    const Program share = apply(Op::divide, apply(Op::subtract, at, Program(x[i - 1])), Program(x[i] - x[i - 1]));
    const Program value = apply(Op::add, below, apply(Op::multiply, share, apply(Op::subtract, above, below)));
    // Never beyond its ends, by rounding or where bounds on the value are asked for.
    return apply(Op::maximum, apply(Op::minimum, value, apply(Op::maximum, below, above)),
                 apply(Op::minimum, below, above));
  }

  Compiled call(const Syntax& s) {
    const std::string& f = s.word;
    if (f == "in" || f == "count" || f == "any" || f == "all") return states(s, f);
    if (f == "if") {
      arity(s, 3);
      return conditional(s, 0);
    }
    // Any number of arguments, pair by pair from the left: the stack does not grow with them.
    if (f == "min" || f == "max") {
      if (s.children.size() < 2) fail("EXP005", f + " wants two or more arguments.", s.begin);
      Compiled out = compile(s.children[0]);
      if (!out.type.number()) fail("EXP003", "Here is " + out.type.text() + "; wanted a number.", s.children[0].begin);
      for (std::size_t i = 1; i < s.children.size(); ++i) {
        const Compiled next = compile(s.children[i]);
        if (!next.type.number())
          fail("EXP003", "Here is " + next.type.text() + "; wanted a number.", s.children[i].begin);
        if (!(next.type.dimension == out.type.dimension))
          fail("EXP004", f + " joins " + out.type.text() + " and " + next.type.text() + "; wanted the same dimension.",
               s.children[i].begin, unit_hint(out.type.dimension), out.type.dimension);
        if (next.type.base != out.type.base) out.type = ValueType::real(out.type.dimension);
        out.program = Program::apply(f == "min" ? Op::minimum : Op::maximum, {std::move(out.program), next.program});
      }
      return out;
    }
    if (f == "abs") {
      arity(s, 1);
      Compiled out = compile(s.children[0]);
      if (!out.type.number()) fail("EXP003", "Here is " + out.type.text() + "; wanted a number.", s.children[0].begin);
      out.program = Program::apply(Op::absolute, {std::move(out.program)});
      return out;
    }
    if (f == "mod") {
      arity(s, 2);
      const std::vector<Compiled> of = alike(s, 0);
      return {joint_type(of), Program::apply(Op::remainder, {of[0].program, of[1].program}), {}};
    }
    if (f == "pow") {
      arity(s, 2);
      const Program a = as(s.children[0], ValueType::real()), b = as(s.children[1], ValueType::real());
      return {ValueType::real(), Program::apply(Op::power, {a, b}), {}};
    }
    if (f == "clamp") return clamp(s);
    if (f == "table") return table(s);
    static const std::pair<const char*, Op> plain[] = {
        {"sin", Op::sine},        {"cos", Op::cosine},    {"tan", Op::tangent},
        {"exp", Op::exponential}, {"log", Op::logarithm}, {"sqrt", Op::root},
        {"floor", Op::floor},     {"ceil", Op::ceiling},  {"round", Op::round}};
    for (const auto& [name, op] : plain) {
      if (f != name) continue;
      arity(s, 1);
      const bool whole = op == Op::floor || op == Op::ceiling || op == Op::round;
      return {whole ? ValueType::integer() : ValueType::real(),
              Program::apply(op, {as(s.children[0], ValueType::real())}),
              {}};
    }
    if (is_distribution(f))
      fail("EXP003", f + "(...) is a distribution; it stands in after(...), here a value is wanted.", s.begin);
    static const std::vector<std::string> known = {"in",   "count", "any", "all", "if",  "min",   "max",
                                                   "abs",  "mod",   "pow", "exp", "log", "sqrt",  "floor",
                                                   "ceil", "round", "sin", "cos", "tan", "clamp", "table"};
    const std::string near = nearest_word(f, known);
    fail("EXP002", "There is no function \"" + f + "\".", s.begin,
         near.empty() ? std::string() : "Did you mean " + near + "?");
  }

  Scope& scope_;
};

Checked<Syntax> parsed(std::string_view text) {
  auto out = parse_expression(text);
  if (const auto* error = std::get_if<SyntaxError>(&out))
    return ExpressionError{error->code, error->message, error->column, {}};
  return std::get<Syntax>(std::move(out));
}

std::vector<double> list_of(const Syntax& s, Dimension dimension, Scope& scope) {
  Compiler compiler(scope);
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
  return guarded<Compiled>([&] { return Compiler(scope).compile(syntax); });
}

Checked<Compiled> compile(std::string_view text, Scope& scope) {
  auto syntax = parsed(text);
  if (auto* error = std::get_if<ExpressionError>(&syntax)) return *error;
  return compile(std::get<Syntax>(syntax), scope);
}

Checked<Program> compile_as(const Syntax& syntax, ValueType wanted, Scope& scope) {
  return guarded<Program>([&] { return Compiler(scope).as(syntax, wanted); });
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
