#include <algorithm>
#include <cmath>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/expression/failure.h"

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
  // empirical("file.csv", column = "hours", unit = "h")
  std::string path, column = "1", unit_text;
  for (std::size_t i = 0; i < call.children.size(); ++i) {
    const Syntax& argument = call.children[i];
    const std::string& name = call.names[i];
    const bool word = argument.kind == Syntax::Kind::text;
    if (name.empty() && word) path = argument.word;
    else if (name == "column" && word) column = argument.word;
    else if (name == "column" && argument.kind == Syntax::Kind::number) {
      // A number counts columns; anything else would be cut to one that nobody named.
      constexpr double most_columns = 1e6;
      if (!(argument.number >= 1.0 && argument.number <= most_columns) ||
          argument.number != std::floor(argument.number))
        fail("EXP005",
             "The column is " + number_text(argument.number) +
                 "; wanted a whole number from 1, or the name of one in quotes.",
             argument.begin);
      column = std::to_string(static_cast<int>(argument.number));
    } else if (name == "unit" && word) unit_text = argument.word;
    else fail("EXP005", "empirical takes a file name in quotes, column and unit.", argument.begin);
  }
  const auto unit = parse_unit(unit_text);
  if (!unit) fail("UNI001", "\"" + unit_text + "\" is no unit.", call.begin);
  if (!(unit->dimension == dimension))
    fail("EXP004", "The column is in \"" + unit_text + "\"; wanted " + ValueType::real(dimension).text() + ".",
         call.begin, "Name the column's unit: unit = \"h\".");
  const auto file = files.text(path);
  if (const auto* refusal = std::get_if<FileRefusal>(&file))
    fail("EXP008", refusal->why, call.begin,
         refusal->folder.empty() ? "" : "Put it there, or allow its folder: --allow-folder " + refusal->folder);
  if (const auto* problem = std::get_if<Diagnostic>(&file)) fail("EXP005", problem->message, call.begin);
  const auto& [name_of_file, text] = std::get<DataFiles::Text>(file);
  auto read = csv_column(*text, name_of_file, column);
  if (const auto* why = std::get_if<std::string>(&read)) fail("EXP005", *why, call.begin);
  std::vector<double> out = std::get<std::vector<double>>(std::move(read));
  for (double& value : out) {
    value = unit->to_si(value);
    if (!std::isfinite(value))
      fail("EXP005", "A value of the column is infinite in SI units; wanted finite ones.", call.begin);
  }
  return out;
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
        if (s.names[i].empty())
          fail("EXP005", s.word + " wants named arguments, as in exponential(mean = 8 h).", s.children[i].begin);
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
