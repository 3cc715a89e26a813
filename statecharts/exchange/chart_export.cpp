#include "statecharts/exchange/chart_export.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/unit.h"
#include "core/expression/compile.h"
#include "statecharts/lower/lower.h"

namespace ergode {
namespace {

// Why an expression cannot be written; caught by ChartExport::write.
struct NoSpelling {
  std::string what;
};

// x in `event.x == event.x`; empty: it is something else.
std::string compared_with_itself(const Syntax& left, const Syntax& right) {
  const auto field = [](const Syntax& side) {
    const bool carried =
        side.kind == Syntax::Kind::path && side.segments.size() == 2 && side.segments[0].word == "event";
    return carried ? side.segments[1].word : std::string();
  };
  return field(left) == field(right) ? field(left) : std::string();
}

}  // namespace

std::string plain_number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(static_cast<long long>(value));
  return number_text(value);
}

ChartExport::ChartExport(const Document& document, const Element& diagram) {
  chart_ = lower_chart(document, diagram, diagnostics_);
  parameters_ = ParameterTable::resolve(document, "", {}, diagnostics_);
  std::set<std::string> taken;
  ids_.resize(chart_.states.size());
  for (std::size_t s = 1; s < chart_.states.size(); ++s) {
    const State& drawn = chart_.states[s];
    const Element* element = document.find(drawn.element);
    std::string id = element == nullptr ? std::string() : element->text("scxml_id");
    if (id.empty()) id = drawn.name;
    const auto alike = std::count_if(chart_.states.begin(), chart_.states.end(),
                                     [&](const State& other) { return !id.empty() && other.name == id; });
    if (alike > 1) id = state_path(chart_, static_cast<int>(s));
    static const std::map<State::Kind, const char*> kinds = {{State::Kind::final, "final"},
                                                             {State::Kind::choice, "choice"},
                                                             {State::Kind::history_deep, "history"},
                                                             {State::Kind::history_shallow, "history"}};
    if (id.empty()) id = kinds.count(drawn.kind) > 0 ? kinds.at(drawn.kind) : "state";
    const std::string stem = id;
    for (int n = 2; !taken.insert(id).second; ++n) id = stem + "_" + std::to_string(n);
    ids_[s] = id;
  }
}

void ChartExport::refuse(const char* code, ElementId element, const char* property, std::string message) {
  diagnostics_.push_back({.code = code, .element = element, .pointer = property, .message = std::move(message)});
}

void ChartExport::note(const char* code, ElementId element, const char* property, std::string message) {
  diagnostics_.push_back({.severity = Severity::info,
                          .code = code,
                          .element = element,
                          .pointer = property,
                          .message = std::move(message)});
}

double ChartExport::initial(const ChartVariable& variable) {
  ParameterScope scope(parameters_);
  const std::string text = variable.initial.empty() ? "0" : variable.initial;
  const auto value = compile(text, scope);
  const auto* compiled = std::get_if<Compiled>(&value);
  if (compiled != nullptr && compiled->program.is_constant()) return compiled->program.value();
  refuse("SCX102", variable.element, "initial", "\"" + text + "\" is not known before the run; wanted a constant.");
  return 0.0;
}

std::optional<double> ChartExport::constant_time(const Syntax& syntax) {
  ParameterScope scope(parameters_);
  const auto made = compile_random(syntax, Dimension::of_time(), scope, {});
  const auto* quantity = std::get_if<RandomQuantity>(&made);
  const auto* program = quantity == nullptr ? nullptr : std::get_if<Program>(quantity);
  if (program == nullptr || !program->is_constant()) return std::nullopt;
  return program->value();
}

const ChartVariable* ChartExport::variable(const std::string& name) const {
  for (const ChartVariable& v : chart_.variables)
    if (v.name == name) return &v;
  return nullptr;
}

int ChartExport::state_of(const Syntax& path) const {
  if (path.kind != Syntax::Kind::path || path.index != Syntax::Index::none) return -1;
  std::vector<std::string> words;
  for (const Syntax::Segment& segment : path.segments) words.push_back(segment.word);
  // Several states of that name (-2) are as good as none.
  return std::max(-1, chart_.find(words, 0));
}

std::optional<std::string> ChartExport::write(const Syntax& syntax, const Spelling& spelling, const char* code,
                                              ElementId element, const char* property) {
  try {
    return written(syntax, spelling);
  } catch (const NoSpelling& none) {
    refuse(code, element, property, none.what + " has no counterpart there.");
    return std::nullopt;
  }
}

std::string ChartExport::path(const Syntax& s, const Spelling& spelling) {
  std::string text;
  for (const Syntax::Segment& segment : s.segments) text += (text.empty() ? "" : ".") + segment.word;
  if (s.index != Syntax::Index::none) throw NoSpelling{"\"" + text + "\", which looks at other components,"};
  if (s.segments.size() == 2 && s.segments.front().word == "event" && s.segments.back().word != "name")
    return spelling.carried(s.segments.back().word);
  if (s.segments.size() == 1 && variable(text) != nullptr) return spelling.variable(text);
  if (const Parameter* parameter = parameters_.find(text)) return plain_number(parameter->value);
  if (const int state = state_of(s); state > 0) return spelling.active(state);
  throw NoSpelling{"\"" + text + "\""};
}

// Piece by piece, from the left.
std::string ChartExport::table(const Syntax& s, const Spelling& spelling) {
  const auto part = [&](std::size_t i) { return "(" + written(s.children[i], spelling) + ")"; };
  const std::string at = part(0);
  std::string out = at + " < " + part(1) + " ? " + part(2);
  for (std::size_t i = 3; i < s.children.size(); i += 2)
    out += " : " + at + " < " + part(i) + " ? " + part(i - 1) + " + (" + at + " - " + part(i - 2) + ") / (" + part(i) +
           " - " + part(i - 2) + ") * (" + part(i + 1) + " - " + part(i - 1) + ")";
  return "(" + out + " : " + part(s.children.size() - 1) + ")";
}

std::string ChartExport::written(const Syntax& s, const Spelling& spelling) {
  const auto operand = [&](const Syntax& child) {
    const std::string text = written(child, spelling);
    const bool plain = child.kind != Syntax::Kind::binary && child.kind != Syntax::Kind::conditional &&
                       child.kind != Syntax::Kind::unary;
    return plain ? text : "(" + text + ")";
  };
  if (!s.unit.empty()) {
    const auto unit = parse_unit(s.unit);
    if (!unit || s.kind != Syntax::Kind::number) throw NoSpelling{"the unit \"" + s.unit + "\""};
    return plain_number(unit->to_si(s.number));
  }
  switch (s.kind) {
    case Syntax::Kind::number:
      return plain_number(s.number);
    case Syntax::Kind::boolean:
      return s.number != 0.0 ? "true" : "false";
    case Syntax::Kind::path:
      return path(s, spelling);
    case Syntax::Kind::unary:
      return s.word == "+" ? operand(s.children[0]) : (s.word == "not" ? "!" : "-") + operand(s.children[0]);
    case Syntax::Kind::conditional:
      return operand(s.children[0]) + " ? " + operand(s.children[1]) + " : " + operand(s.children[2]);
    case Syntax::Kind::binary: {
      const Syntax& left = s.children[0];
      const Syntax& right = s.children[1];
      if (right.kind == Syntax::Kind::text && left.kind == Syntax::Kind::path && left.segments.front().word == "event")
        return (s.word == "!=" ? "!(" : "(") + spelling.event_is(right.word) + ")";
      // What is not there is NaN and does not equal itself: a value not carried, the name before the first event.
      if (const std::string field = compared_with_itself(left, right); !field.empty()) {
        const bool name = field == "name";
        if (name || spelling.carries)
          return (s.word == "!=" ? "!(" : "(") + (name ? spelling.event_seen : spelling.carries(field)) + ")";
      }
      const auto call = spelling.functions.find(s.word);
      if (call != spelling.functions.end())
        return call->second + "(" + written(left, spelling) + ", " + written(right, spelling) + ")";
      const std::string op = s.word == "and" ? "&&" : s.word == "or" ? "||" : s.word == "==" ? spelling.equal : s.word;
      return operand(left) + " " + op + " " + operand(right);
    }
    case Syntax::Kind::call: {
      if ((s.word == "in" || s.word == "any" || s.word == "all") && s.children.size() == 1) {
        if (const int state = state_of(s.children[0]); state > 0) return spelling.active(state);
        throw NoSpelling{"a state of another component"};
      }
      if (s.word == "if" && s.children.size() == 3)
        return operand(s.children[0]) + " ? " + operand(s.children[1]) + " : " + operand(s.children[2]);
      if (s.word == "mod" && s.children.size() == 2 && spelling.functions.count("mod") == 0)
        return operand(s.children[0]) + " % " + operand(s.children[1]);
      if (s.word == "clamp" && s.children.size() == 3) {
        const std::string x = operand(s.children[0]), low = operand(s.children[1]), high = operand(s.children[2]);
        return "(" + x + " < " + low + " ? " + low + " : " + x + " > " + high + " ? " + high + " : " + x + ")";
      }
      if (s.word == "table" && s.children.size() > 4 && s.children.size() % 2 == 1) return table(s, spelling);
      const auto function = spelling.functions.find(s.word);
      if (function == spelling.functions.end()) throw NoSpelling{"\"" + s.word + "(...)\""};
      std::string arguments;
      for (const Syntax& child : s.children) arguments += (arguments.empty() ? "" : ", ") + written(child, spelling);
      return function->second + "(" + arguments + ")";
    }
    case Syntax::Kind::text:
    case Syntax::Kind::list:
      break;
  }
  throw NoSpelling{"a text or list"};
}

}  // namespace ergode
