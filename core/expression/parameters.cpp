#include "core/expression/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/document/property_path.h"

namespace ergode {
namespace {

std::string shown(const Parameter& p, double si) {
  std::string out = number_text(p.unit.from_si(si), 12);
  return p.unit.symbol.empty() ? out : out + " " + p.unit.symbol;
}

std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) out += (i == 0 ? "" : ", ") + quotable(names[i]);
  return names.size() > most ? out + ", ..." : out;
}

}  // namespace

std::string Parameter::value_text() const {
  if (type.base == ValueType::Base::choice) return choice;
  if (type.base == ValueType::Base::boolean) return value != 0.0 ? "true" : "false";
  return shown(*this, value);
}

// Works values out depth first, with a stack of its own: chains of parameters may be as long as the file. What a value
// reads is worked out before it, so the scope only looks up.
class ParameterResolver : public Scope {
 public:
  ParameterResolver(const Document& document, ParameterTable& table, Diagnostics& problems)
      : document_(document), table_(table), problems_(problems) {}

  void declare();
  void override_value(const std::string& name, const std::string& text, const std::string& where, ElementId place);
  void work_out();

  std::optional<Symbol> name(std::string_view word) override;
  std::variant<Symbol, StateSet, std::string> path(const ResolvedPath& path) override {
    return "\"" + path.words.front() + "\" is no parameter.";
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> out;
    // Where everything is wrong, nobody reads a hundredth hint.
    if (problems_.size() > 100) return out;
    for (const Parameter& p : table_.parameters_) out.push_back(p.name);
    return out;
  }
  bool declares(std::string_view word) const override { return table_.find(word) != nullptr; }

 private:
  struct Source {
    const Element* element;
    std::string text;
    bool overridden = false;
    bool brings_unit = false;  ///< No unit is given: the value as typed in the model brings it.
    enum class Mark { untouched, open, done } mark = Mark::untouched;
    bool circular = false;  ///< was reported
  };

  void report(const char* code, ElementId id, const char* property, std::string message, std::string hint = {}) {
    problems_.push_back(
        {.code = code, .element = id, .pointer = property, .message = std::move(message), .hint = std::move(hint)});
  }
  /// A parameter that is being worked out, and what it waits for.
  struct Open {
    std::size_t index;
    std::vector<std::size_t> reads;
    std::size_t next = 0;
  };
  std::vector<std::string> choices_of(const Element& element);
  std::vector<std::size_t> reads_of(std::size_t index) const;
  void enter(std::size_t index);
  void circle(std::size_t index);
  void settle(std::size_t index);
  void evaluate(std::size_t index);
  void check_bounds(Parameter& p, const Element& element);
  void take_unit(Parameter& p, const std::string& text);

  const Document& document_;
  ParameterTable& table_;
  Diagnostics& problems_;
  std::vector<Source> sources_;
  std::vector<Open> open_;
};

void ParameterResolver::declare() {
  for (const Element* element : document_.of(Section::parameter)) {
    Parameter p;
    p.name = element->name();
    p.element = element->id;
    if (!is_identifier(p.name))
      report("PAR001", element->id, "name", "The name is \"" + quotable(p.name) + "\"; wanted letters, digits and _.");
    // The first keeps the name, so that the rest of the model is checked against something.
    if (!table_.index_.emplace(p.name, table_.parameters_.size()).second)
      report("PAR001", element->id, "name", "The name \"" + quotable(p.name) + "\" is used twice.",
             "Rename one of them.");
    const std::string type = element->text("type", "real");
    const auto unit = parse_unit(element->text("unit"));
    if (!unit) report("UNI001", element->id, "unit", "\"" + quotable(element->text("unit")) + "\" is no unit.");
    p.unit = unit.value_or(Unit{});
    if (type == "integer") p.type = ValueType::integer();
    else if (type == "boolean") p.type = ValueType::boolean();
    else if (type == "choice") p.type = ValueType::choice(), p.choices = choices_of(*element);
    else if (type == "file") p.type = ValueType::choice(), p.file = true;
    else if (type == "time") {
      if (!unit || unit->dimension.none()) p.unit = *parse_unit("h");
      p.type = ValueType::real(Dimension::of_time());
      if (!(p.unit.dimension == Dimension::of_time()))
        report("PAR003", element->id, "unit",
               "The unit of a time is \"" + p.unit.symbol + "\"; wanted h, min, s, d or yr.");
    } else if (type == "real") p.type = ValueType::real(p.unit.dimension);
    else
      report("PAR003", element->id, "type",
             "The type is \"" + quotable(type) + "\"; wanted real, integer, boolean, time, choice or file.");
    table_.parameters_.push_back(std::move(p));
    const bool empty = trim(element->text("value")).empty();
    sources_.push_back({.element = element,
                        .text = empty ? "0" : element->text("value"),
                        .brings_unit = type == "real" && trim(element->text("unit")).empty()});
  }
}

/// Each word once.
std::vector<std::string> ParameterResolver::choices_of(const Element& element) {
  std::vector<std::string> out;
  for (std::string& word : split(element.text("choices"), ',')) {
    if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(std::move(word));
    else
      report("PAR003", element.id, "choices",
             "The choices of \"" + quotable(element.name()) + "\" name \"" + quotable(word) +
                 "\" twice; wanted each word once.",
             "Leave one of them out, or give it another word.");
  }
  return out;
}

void ParameterResolver::override_value(const std::string& name, const std::string& text, const std::string& where,
                                       ElementId place) {
  if (const auto found = table_.index_.find(name); found != table_.index_.end()) {
    sources_[found->second].text = text;
    sources_[found->second].overridden = table_.parameters_[found->second].overridden = true;
    return;
  }
  const std::string near = nearest_word(name, names());
  report("PAR006", place, "", where + " names \"" + quotable(name) + "\", which is no parameter of the model.",
         near.empty() ? std::string() : "Did you mean " + near + "?");
}

void ParameterResolver::work_out() {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const Parameter& p = table_.parameters_[i];
    if (!p.overridden && trim(sources_[i].element->text("value")).empty())
      report("PAR002", p.element, "value", "The parameter \"" + p.name + "\" has no value.");
    settle(i);
  }
}

std::optional<Symbol> ParameterResolver::name(std::string_view word) {
  const Parameter* p = table_.find(word);
  if (p == nullptr) return std::nullopt;
  Symbol out;
  out.type = p->type;
  out.element = p->element;
  out.constant = p->value;
  if (p->type.base == ValueType::Base::choice) out.choice = p->choice, out.choices = p->choices;
  return out;
}

/// The parameters that the value, the unit that it brings and its bounds read.
std::vector<std::size_t> ParameterResolver::reads_of(std::size_t index) const {
  std::vector<std::size_t> out;
  const Source& source = sources_[index];
  if (table_.parameters_[index].type.base == ValueType::Base::choice) return out;
  const auto look = [&](const std::string& text) {
    const auto parsed = parse_expression(text);
    const auto* syntax = std::get_if<Syntax>(&parsed);
    if (syntax == nullptr) return;
    walk(*syntax, [&](const Syntax& s) {
      if (s.kind != Syntax::Kind::path || s.segments.size() != 1) return;
      if (const auto found = table_.index_.find(s.segments.front().word); found != table_.index_.end())
        out.push_back(found->second);
    });
  };
  look(source.text);
  if (source.brings_unit && source.overridden) look(source.element->text("value"));
  for (const char* bound : {"minimum", "maximum"})
    if (source.element->has(bound)) look(source.element->text(bound));
  return out;
}

void ParameterResolver::enter(std::size_t index) {
  sources_[index].mark = Source::Mark::open;
  open_.push_back({index, reads_of(index)});
}

void ParameterResolver::circle(std::size_t index) {
  if (sources_[index].circular) return;
  sources_[index].circular = true;
  constexpr std::size_t most_names = 12;
  const Parameter& p = table_.parameters_[index];
  auto at = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.index == index; });
  std::string names;
  for (std::size_t n = 0; at != open_.end(); ++at, ++n) {
    if (n < most_names) names += quotable(table_.parameters_[at->index].name) + " → ";
    if (n == most_names) names += "... → ";
  }
  report("PAR004", p.element, "value", "The parameter is defined by itself: " + names + quotable(p.name) + ".",
         "Give one of them a value of its own.");
}

void ParameterResolver::settle(std::size_t index) {
  if (sources_[index].mark != Source::Mark::untouched) return;
  enter(index);
  while (!open_.empty()) {
    Open& top = open_.back();
    if (top.next == top.reads.size()) {
      evaluate(top.index);
      sources_[top.index].mark = Source::Mark::done;
      open_.pop_back();
      continue;
    }
    const std::size_t read = top.reads[top.next++];
    if (sources_[read].mark == Source::Mark::open) circle(read);
    else if (sources_[read].mark == Source::Mark::untouched) enter(read);
  }
}

void ParameterResolver::evaluate(std::size_t index) {
  Parameter& p = table_.parameters_[index];
  const std::string& text = sources_[index].text;
  const char* const property = sources_[index].overridden ? "value (overridden)" : "value";
  if (p.type.base == ValueType::Base::choice) {
    // A choice is a word, not an expression: names of parameters mean nothing in it.
    p.choice = std::string(trim(text));
    if (p.choice.size() >= 2 && p.choice.front() == '"') p.choice = p.choice.substr(1, p.choice.size() - 2);
    if (!p.file && std::find(p.choices.begin(), p.choices.end(), p.choice) == p.choices.end()) {
      std::string wanted;
      for (const std::string& choice : p.choices) wanted += (wanted.empty() ? "" : ", ") + choice;
      const std::string near = nearest_word(p.choice, p.choices);
      report("PAR007", p.element, property,
             p.name + " is \"" + quotable(p.choice) + "\"; wanted one of: " + wanted + ".",
             near.empty() ? std::string() : "Did you mean " + near + "?");
    }
  } else {
    if (sources_[index].brings_unit) take_unit(p, sources_[index].element->text("value"));
    const auto compiled = compile_as(text, p.type, *this);
    if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
      Diagnostic d = to_diagnostic(*error, p.element, property);
      d.message = p.name + " = " + quotable(text) + ": " + d.message;
      problems_.push_back(std::move(d));
    } else {
      p.value = std::get<Program>(compiled).value();
      if (!std::isfinite(p.value))
        report("PAR003", p.element, property,
               p.name + " = " + quotable(text) + " is not finite; wanted a finite value.");
      check_bounds(p, *sources_[index].element);
    }
  }
}

/// `1e-3 /h` is shown per hour; an expression of a dimension that has a usual unit is shown in that one. What does not
/// compile is left to the caller, who reports it.
void ParameterResolver::take_unit(Parameter& p, const std::string& text) {
  const auto parsed = parse_expression(text);
  const auto* syntax = std::get_if<Syntax>(&parsed);
  if (syntax == nullptr) return;
  const auto checked = compile(*syntax, *this);
  const auto* compiled = std::get_if<Compiled>(&checked);
  if (compiled == nullptr || !compiled->type.number() || compiled->type.dimension.none()) return;
  p.type = ValueType::real(compiled->type.dimension);
  // The unit of "-3 /h" follows the number below the sign.
  const Syntax& number = syntax->kind == Syntax::Kind::unary ? syntax->children.front() : *syntax;
  const std::string time = document_.model().text("time_unit", "h");
  for (const std::string& symbol : {number.unit, time, "/" + time, p.type.dimension.text()}) {
    const auto unit = parse_unit(symbol);
    if (symbol.empty() || !unit || !(unit->dimension == p.type.dimension)) continue;
    p.unit = *unit;
    return;
  }
}

void ParameterResolver::check_bounds(Parameter& p, const Element& element) {
  for (const char* bound : {"minimum", "maximum"}) {
    if (trim(element.text(bound)).empty()) continue;
    const auto compiled = compile_as(element.text(bound), p.type, *this);
    if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
      problems_.push_back(to_diagnostic(*error, p.element, bound));
      continue;
    }
    const double limit = std::get<Program>(compiled).value();
    const bool low = bound[1] == 'i';
    if (low ? p.value < limit : p.value > limit)
      report("PAR005", p.element, "value",
             p.name + " is " + shown(p, p.value) + "; wanted at " + (low ? "least " : "most ") + shown(p, limit) + ".");
  }
}

ParameterTable ParameterTable::resolve(const Document& document, const std::string& scenario,
                                       const std::map<std::string, std::string>& overrides, Diagnostics& problems) {
  ParameterTable out;
  ParameterResolver resolver(document, out, problems);
  resolver.declare();
  if (!scenario.empty()) {
    const Element* found = document.named(Section::scenario, scenario);
    if (found == nullptr) {
      std::vector<std::string> known;
      for (const Element* e : document.of(Section::scenario)) known.push_back(e->name());
      const std::string near = nearest_word(scenario, known);
      problems.push_back({.code = "PAR008",
                          .message = "There is no scenario \"" + scenario + "\".",
                          .hint = !near.empty()   ? "Did you mean " + near + "?"
                                  : known.empty() ? std::string("The model has none.")
                                                  : "There are: " + some_of(known) + "."});
    } else {
      const std::string text = found->text("values");
      const auto values = parse_arguments(text);
      if (const auto* error = std::get_if<SyntaxError>(&values))
        problems.push_back({.code = error->code,
                            .element = found->id,
                            .pointer = "values",
                            .message = error->message,
                            .column = error->column});
      else
        for (const ArgumentSyntax& value : std::get<std::vector<ArgumentSyntax>>(values))
          resolver.override_value(value.name,
                                  text.substr(static_cast<std::size_t>(value.value.begin),
                                              static_cast<std::size_t>(value.value.end - value.value.begin)),
                                  "The scenario", found->id);
    }
  }
  for (const auto& [name, text] : overrides)
    if (!is_property_path(name)) resolver.override_value(name, text, "--set", {});
  resolver.work_out();
  return out;
}

const Parameter* ParameterTable::find(std::string_view name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &parameters_[found->second];
}

std::optional<Symbol> ParameterScope::name(std::string_view word) {
  Symbol out;
  if (const auto index = indices_.find(word); index != indices_.end()) {
    out.type = ValueType::integer();
    out.constant = static_cast<double>(index->second);
    return out;
  }
  const Parameter* p = table_->find(word);
  if (p == nullptr) return std::nullopt;
  out.type = p->type;
  out.element = p->element;
  out.constant = p->value;
  if (p->type.base == ValueType::Base::choice) out.choice = p->choice, out.choices = p->choices;
  return out;
}

std::variant<Symbol, StateSet, std::string> ParameterScope::path(const ResolvedPath& path) {
  return "\"" + path.words.front() + "\" is no parameter.";
}

std::vector<std::string> ParameterScope::names() const {
  std::vector<std::string> out;
  for (const Parameter& p : table_->all()) out.push_back(p.name);
  for (const auto& [name, value] : indices_) out.push_back(name);
  return out;
}

std::optional<double> PropertyReader::constant(const Element& element, const char* property, ValueType wanted) {
  const std::string text = element.text(property);
  if (trim(text).empty()) return std::nullopt;
  const auto compiled = compile_as(text, wanted, scope_);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
    problems_.push_back(to_diagnostic(*error, element.id, property));
    return std::nullopt;
  }
  const Program& program = std::get<Program>(compiled);
  if (program.is_constant()) return program.value();
  complain(element, property, "The value changes during a run; wanted a constant made of parameters.");
  return std::nullopt;
}

void PropertyReader::complain(const Element& element, const char* property, std::string message) {
  problems_.push_back({.code = "EXP005", .element = element.id, .pointer = property, .message = std::move(message)});
}

double PropertyReader::quantity(const Element& element, const char* property, Dimension dimension, double otherwise) {
  return constant(element, property, ValueType::real(dimension)).value_or(otherwise);
}

long PropertyReader::integer(const Element& element, const char* property, long otherwise) {
  const auto value = constant(element, property, ValueType::integer());
  if (!value) return otherwise;
  if (std::abs(*value) < 1e15) return static_cast<long>(*value);
  complain(element, property, "The value is " + number_text(*value) + "; wanted a whole number below 1e15.");
  return otherwise;
}

std::uint64_t PropertyReader::natural(const Element& element, const char* property, std::uint64_t otherwise) {
  const std::string text = element.text(property);
  const std::string_view digits = trim(text);
  const auto refuse = [&](const std::string& seen) {
    complain(element, property,
             "The value is " + seen +
                 "; wanted a whole number from 0 to 18446744073709551615, written in digits from " + "1e15 on.");
    return otherwise;
  };
  // Read as they stand: an expression is worked out with doubles.
  if (!digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() ? value : refuse(quotable(digits));
  }
  const auto value = constant(element, property, ValueType::integer());
  if (!value) return otherwise;
  return *value >= 0.0 && *value < 1e15 ? static_cast<std::uint64_t>(*value) : refuse(number_text(*value));
}

std::string PropertyReader::file(const Element& element, const char* property) {
  std::string word(trim(element.text(property)));
  if (const auto symbol = scope_.name(word); symbol && symbol->choice) return *symbol->choice;
  if (word.size() >= 2 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
  return word;
}

bool PropertyReader::boolean(const Element& element, const char* property, bool otherwise) {
  return constant(element, property, ValueType::boolean()).value_or(otherwise ? 1.0 : 0.0) != 0.0;
}

std::string PropertyReader::choice(const Element& element, const char* property, const std::string& otherwise,
                                   const std::vector<Choice>& allowed) {
  std::string word(trim(element.text(property)));
  if (word.empty()) return otherwise;
  if (const auto symbol = scope_.name(word); symbol && symbol->choice) word = *symbol->choice;
  std::string wanted;
  for (const Choice& choice : allowed) {
    if (choice.name == word) return word;
    wanted += (wanted.empty() ? "" : ", ") + choice.name + " (" + choice.label + ")";
  }
  std::vector<std::string> words;
  for (const Choice& choice : allowed) words.push_back(choice.name);
  const std::string near = nearest_word(word, words);
  problems_.push_back(
      {.code = "DOC002",
       .element = element.id,
       .pointer = property,
       .message = "Here is \"" + quotable(word) + "\"; wanted one of: " + wanted + ", or a choice parameter.",
       .hint = near.empty() ? std::string() : "Did you mean " + near + "?"});
  return otherwise;
}

}  // namespace ergode
