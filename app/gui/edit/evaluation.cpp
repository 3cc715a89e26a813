#include "app/gui/edit/evaluation.h"

#include <cmath>

#include "app/session/catalogue.h"
#include "core/base/text.h"
#include "core/catalogue/names.h"
#include "core/expression/parameters.h"
#include "core/report/report_figures.h"

namespace ergode {
namespace {

/// The parameters of the model, without the names that mean something else inside a chart.
class OuterScope : public ParameterScope {
 public:
  OuterScope(const ParameterTable& table, const std::vector<DeclaredName>& inner, ElementId diagram)
      : ParameterScope(table), inner_(inner), diagram_(diagram) {}
  std::optional<Symbol> name(std::string_view word) override {
    if (hides(inner_, diagram_, word)) return std::nullopt;
    return ParameterScope::name(word);
  }

 private:
  const std::vector<DeclaredName>& inner_;
  ElementId diagram_;
};

}  // namespace

Evaluation::Evaluation(const Document& document)
    : document_(document), time_unit_(document.model().text("time_unit", "h")) {
  Diagnostics problems;
  table_ = std::make_unique<ParameterTable>(ParameterTable::resolve(document, "", {}, problems));
  sound_ = !has_errors(problems);
}

const std::vector<DeclaredName>& Evaluation::inner_names(ElementId diagram) const {
  const auto [place, fresh] = inner_names_.try_emplace(diagram);
  const NotationSpec* notation = catalogue().notation_of(document_, diagram);
  if (fresh && notation != nullptr && notation->names)
    place->second = notation->names(document_, *document_.find(diagram));
  return place->second;
}

Evaluation::~Evaluation() = default;

namespace {

/// Four digits; large numbers whole and parted, 72,000, as a person writes them.
std::string evaluated_text(double value) {
  constexpr double large = 1e4, too_large = 1e15;
  const double size = std::fabs(value);
  if (!(size >= large && size < too_large)) return number_text(value, 4);
  return (value < 0.0 ? "-" : "") + count_text(static_cast<std::uint64_t>(std::llround(size)));
}

}  // namespace

std::string Evaluation::in_unit(double si, const Dimension& dimension, const std::string& preferred) const {
  std::string symbol = preferred;
  if (dimension == Dimension::of_time()) symbol = time_unit_;
  if (dimension == Dimension::per_time()) symbol = "/" + time_unit_;
  if (dimension.none()) return evaluated_text(si);
  const auto unit = parse_unit(symbol);
  if (unit && unit->dimension == dimension) return evaluated_text(unit->from_si(si)) + " " + symbol;
  return evaluated_text(si) + " " + dimension.text();
}

std::string Evaluation::value(const Element& element, const PropertySpec& spec) const {
  if (!sound_ || (spec.type != PropertyType::quantity && spec.type != PropertyType::integer)) return {};
  const std::string text = element.text(spec.name);
  const auto parsed = parse_expression(text);
  const auto* syntax = std::get_if<Syntax>(&parsed);
  if (syntax == nullptr || syntax->kind == Syntax::Kind::number) return {};
  OuterScope scope(*table_, inner_names(element.diagram), element.diagram);
  const auto checked = compile(*syntax, scope);
  const auto* compiled = std::get_if<Compiled>(&checked);
  if (compiled == nullptr || !compiled->type.number() || !compiled->program.is_constant()) return {};
  if (!std::isfinite(compiled->program.value())) return {};
  return "= " + in_unit(compiled->program.value(), compiled->type.dimension, spec.dimension);
}

std::variant<LawPreview, std::string> Evaluation::preview(const Element& element, const std::string& property,
                                                          const std::string& text, const DataFiles& files) const {
  if (!sound_) return "A parameter of the model has a mistake.";
  OuterScope scope(*table_, inner_names(element.diagram), element.diagram);
  return law_preview(element, property, text, scope, files);
}

std::string Evaluation::delay(const Element& element, const PropertySpec& trigger) const {
  if (!sound_) return {};
  const auto parsed = parse_expression(element.text(trigger.name));
  const auto* call = std::get_if<Syntax>(&parsed);
  if (call == nullptr || call->kind != Syntax::Kind::call || call->children.size() != 1) return {};
  OuterScope scope(*table_, inner_names(element.diagram), element.diagram);
  if (call->word == "rate") {
    const auto checked = compile_as(call->children.front(), ValueType::real(Dimension::per_time()), scope);
    const auto* rate = std::get_if<Program>(&checked);
    if (rate == nullptr || !rate->is_constant() || !(rate->value() > 0) || !std::isfinite(rate->value())) return {};
    return "mean " + in_unit(1 / rate->value(), Dimension::of_time(), "") + ", rate " +
           in_unit(rate->value(), Dimension::per_time(), "");
  }
  if (call->word != "after") return {};
  const auto checked = compile_random(call->children.front(), Dimension::of_time(), scope, {});
  const auto* random = std::get_if<RandomQuantity>(&checked);
  if (random == nullptr) return {};
  double mean = NAN;
  if (const auto* law = std::get_if<Distribution>(random)) mean = law->mean();
  else if (const auto* fixed = std::get_if<Program>(random); fixed->is_constant()) mean = fixed->value();
  return std::isfinite(mean) ? "mean " + in_unit(mean, Dimension::of_time(), "") : std::string();
}

}  // namespace ergode
