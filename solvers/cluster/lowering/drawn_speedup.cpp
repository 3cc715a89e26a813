#include "solvers/cluster/lowering/drawn_speedup.h"

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/budget/speedup_fit.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/rental_words.h"

namespace ergode {
namespace {

std::variant<std::vector<SpeedupPoint>, std::string> measured_speeds(Lowering& model, const std::string& file) {
  const auto text = model.files.text(file);
  if (const auto* refusal = std::get_if<FileRefusal>(&text)) return refusal->why;
  if (const auto* problem = std::get_if<Diagnostic>(&text)) return problem->message;
  const auto& [name, bytes] = std::get<DataFiles::Text>(text);
  return read_speeds(*bytes, name);
}

std::variant<Speedup, std::string> fitted(Lowering& model, const Element& element, Speedup::Family family, double most,
                                          std::vector<SpeedupPoint> points) {
  if (family == Speedup::Family::table) return Speedup::of_table(std::move(points), most);
  const SpeedupFit fit = fit_speedup(family, points);
  model.problems.push_back({.severity = Severity::info,
                            .code = "RNT020",
                            .element = element.id,
                            .pointer = "measurements",
                            .message = "Fitted to " + std::to_string(points.size()) + " speeds: parameter " +
                                       number_text(fit.parameter, 6) + ", off by " + number_text(fit.rms, 3) +
                                       " in the root mean square and " + number_text(fit.worst, 3) + " at most."});
  return Speedup::of(family, fit.parameter, most);
}

}  // namespace

Speedup drawn_speedup(Lowering& model, Scope& scope, const Element& element, const char* code) {
  PropertyReader read(scope, model.problems);
  const Speedup::Family family = meaning_of(read, element, "speedup", speedup_words);
  const double most = read.quantity(element, "most_gpus", Dimension(), Speedup::unlimited);
  const auto take = [&](std::variant<Speedup, std::string> made, const char* property) {
    if (auto* out = std::get_if<Speedup>(&made)) return std::move(*out);
    model.refuse(element, code, most >= 1.0 ? property : "most_gpus", std::get<std::string>(made));
    return Speedup();
  };
  if (const std::string file =
          drawn_file(model, read, element, "measurements", "RNT021", "the speedup is as it is written");
      !file.empty()) {
    auto points = measured_speeds(model, file);
    if (const auto* why = std::get_if<std::string>(&points)) return take(*why, "measurements");
    return take(fitted(model, element, family, most, std::get<0>(std::move(points))), "measurements");
  }
  if (family != Speedup::Family::table) {
    const auto [property, otherwise] = family == Speedup::Family::amdahl ? std::pair("parallel", default_parallel_part)
                                       : family == Speedup::Family::power
                                           ? std::pair("exponent", default_speedup_exponent)
                                           : std::pair("coefficient", default_speedup_coefficient);
    return take(Speedup::of(family, read.quantity(element, property, Dimension(), *parse_number(otherwise)), most),
                property);
  }
  const std::string written = element.text("table");
  auto list = compile_list(trim(written).empty() ? std::string(default_speedup_table) : written, Dimension(), scope);
  if (const auto* error = std::get_if<ExpressionError>(&list)) {
    model.problems.push_back(to_diagnostic(*error, element.id, "table"));
    return {};
  }
  const auto& numbers = std::get<std::vector<double>>(list);
  if (numbers.size() % 2 != 0)
    return take(
        "There are " + std::to_string(numbers.size()) + " numbers; wanted pairs of GPUs and speed: [[1, 1], [2, 1.8]].",
        "table");
  std::vector<SpeedupPoint> points;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) points.push_back({numbers[i], numbers[i + 1]});
  return take(Speedup::of_table(std::move(points), most), "table");
}

}  // namespace ergode
