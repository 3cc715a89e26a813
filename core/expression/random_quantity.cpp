#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/expression/data_column.h"
#include "core/expression/failure.h"
#include "core/expression/unnamed_argument.h"

// Quantities with spread: distributions with named arguments, and values out of a column of a file.
namespace ergode {
namespace {

Dimension scaled(Dimension dimension, ArgumentDimension how) {
  switch (how) {
    case ArgumentDimension::same:
      return dimension;
    case ArgumentDimension::inverse:
      return product({}, dimension, -1).value_or(dimension);  // exponents have the same bound either way
    case ArgumentDimension::none:
      return {};
  }
  return {};
}

std::vector<double> empirical_values(const Syntax& call, Dimension dimension, const DataFiles& files) {
  auto read = read_column(call, dimension, files, {}, 1);
  if (auto* error = std::get_if<ExpressionError>(&read)) throw Failure{std::move(*error)};
  auto& column = std::get<DataColumn>(read);
  if (!column.numbers.problems.empty()) fail("EXP005", column.numbers.problems.front(), call.begin);
  if (column.numbers.values.empty())
    fail("EXP005", column.file + " has a header only, wanted at least one number", call.begin);
  return std::move(column.numbers.values);
}

}  // namespace

bool is_distribution(std::string_view word) {
  const auto forms = distribution_forms();
  return std::any_of(forms.begin(), forms.end(), [&](const DistributionForm& form) { return form.family == word; });
}

Checked<RandomQuantity> compile_random(const Syntax& s, Dimension dimension, Scope& scope, const DataFiles& files) {
  if (s.kind != Syntax::Kind::call || !is_distribution(s.word)) {
    auto program = compile_as(s, ValueType::real(dimension), scope);
    if (auto* error = std::get_if<ExpressionError>(&program)) return *error;
    return RandomQuantity(std::get<Program>(std::move(program)));
  }
  return guarded<RandomQuantity>([&]() -> RandomQuantity {
    std::vector<NamedArgument> arguments;
    if (s.word == "empirical" && !s.children.empty() && s.children.front().kind == Syntax::Kind::text) {
      arguments.push_back({"values", empirical_values(s, dimension, files)});
    } else {
      std::vector<std::string_view> names;
      for (std::size_t i = 0; i < s.children.size(); ++i) {
        if (s.names[i].empty()) fail_unnamed(s, s.children[i], dimension);
        names.push_back(s.names[i]);
      }
      const DistributionForm* form = find_distribution_form(s.word, names);
      for (std::size_t i = 0; i < s.children.size(); ++i) {
        // Without a matching form the values are checked as numbers only; make_distribution then names what is wrong.
        const DistributionArgument* spec = nullptr;
        if (form != nullptr)
          for (const DistributionArgument& argument : form->arguments)
            if (argument.name == s.names[i]) spec = &argument;
        if (spec == nullptr) {
          arguments.push_back({s.names[i], {}});
          continue;
        }
        auto values = compile_list(s.children[i], scaled(dimension, spec->dimension), scope);
        if (auto* error = std::get_if<ExpressionError>(&values)) throw Failure{std::move(*error)};
        arguments.push_back({s.names[i], std::get<std::vector<double>>(std::move(values))});
      }
    }
    auto made = make_distribution(s.word, arguments);
    if (const auto* why = std::get_if<std::string>(&made)) fail("EXP005", *why, s.begin);
    return std::get<Distribution>(std::move(made));
  });
}

}  // namespace ergode
