#include "solvers/cluster/lowering/drawn_law.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/des/known_at_start.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"
#include "core/expression/varying_law.h"

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

std::optional<JobLaw> drawn_job_law(Lowering& model, Scope& scope, const Element& at, const char* property,
                                    const char* otherwise, Dimension dimension) {
  const auto parsed = parse_expression(at.text(property));
  const auto* syntax = std::get_if<Syntax>(&parsed);
  if (syntax == nullptr || !reads_known_at_start(model.slots, *syntax)) {
    auto law = drawn_law(model, scope, at, property, otherwise, dimension);
    return law ? std::optional<JobLaw>(std::move(*law)) : std::nullopt;
  }
  JobLaw::Found found{.value = Program(), .element = at.id, .property = property};
  std::vector<std::uint32_t> slots;
  const auto take = [&](auto made) {
    if (const auto* error = std::get_if<ExpressionError>(&made)) {
      model.problems.push_back(to_diagnostic(*error, at.id, property));
      return false;
    }
    auto& value = std::get<0>(made);
    const auto read = value.slots();
    slots.assign(read.begin(), read.end());
    found.value = std::move(value);
    return true;
  };
  const bool law = syntax->kind == Syntax::Kind::call && is_distribution(syntax->word) && syntax->unit.empty();
  if (!(law ? take(compile_varying(*syntax, dimension, scope))
            : take(compile_as(*syntax, ValueType::real(dimension), scope))))
    return std::nullopt;
  if (all_known_at_start(model.slots, slots)) return JobLaw(std::move(found));
  model.refuse(at, "EXP005", property,
               "It changes while the model runs; wanted what is known when a replication begins: parameters, and what "
               "simulators found.");
  return std::nullopt;
}

void warn_of_part(Lowering& model, const Element& at, const char* property, const Distribution& law) {
  if (law.family() != Distribution::Family::deterministic) return;
  const double number = law.mean(), taken = std::max(1.0, std::ceil(number));
  if (number == taken || !(number > 0.0)) return;
  model.problems.push_back({.severity = Severity::warning,
                            .code = "RNT024",
                            .element = at.id,
                            .pointer = property,
                            .message = "Each job wants " + number_text(number, 9) + " " + property + " and takes " +
                                       number_text(taken) + "; wanted a whole number.",
                            .hint = "Parts are rounded up, those that are drawn too."});
}

double least_of(const Distribution& law) {
  return law.family() == Distribution::Family::deterministic ? law.mean() : law.quantile(0.0);
}

}  // namespace ergode
