#include "solvers/cluster/lowering/drawn_law.h"

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"

namespace ergode {

std::optional<Distribution> drawn_law(Lowering& model, Scope& scope, const Element& at, const char* property,
                                      const char* otherwise, Dimension dimension) {
  const bool written = !trim(at.text(property)).empty();
  const auto parsed = parse_expression(written ? at.text(property) : std::string(otherwise));
  if (const auto* error = std::get_if<SyntaxError>(&parsed)) {
    model.problems.push_back(
        to_diagnostic({.code = error->code, .message = error->message, .column = error->column}, at.id, property));
    return std::nullopt;
  }
  auto compiled = compile_random(std::get<Syntax>(parsed), dimension, scope, model.files);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) {
    model.problems.push_back(to_diagnostic(*error, at.id, property));
    return std::nullopt;
  }
  auto& quantity = std::get<RandomQuantity>(compiled);
  const auto* program = std::get_if<Program>(&quantity);
  if (program == nullptr) return std::get<Distribution>(std::move(quantity));
  if (program->is_constant()) return Distribution::deterministic(program->value());
  model.refuse(at, "EXP005", property,
               std::string("It changes while the model runs; wanted a distribution or a fixed ") +
                   (dimension.none() ? "value." : "time."));
  return std::nullopt;
}

double least_of(const Distribution& law) {
  return law.family() == Distribution::Family::deterministic ? law.mean() : law.quantile(0.0);
}

}  // namespace ergode
