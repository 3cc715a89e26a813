#include "core/expression/data_column.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/unit.h"
#include "core/expression/failure.h"

namespace ergode {

Checked<DataColumn> read_column(const Syntax& call, Dimension dimension, const DataFiles& files,
                                const std::vector<std::string_view>& others, std::size_t most) {
  return guarded<DataColumn>([&]() -> DataColumn {
    std::string path, column = "1", unit_text;
    for (std::size_t i = 0; i < call.children.size(); ++i) {
      const Syntax& argument = call.children[i];
      const std::string& name = call.names[i];
      const bool word = argument.kind == Syntax::Kind::text;
      if ((name.empty() || name == "file") && word) path = argument.word;
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
      else if (std::find(others.begin(), others.end(), name) == others.end())
        fail("EXP005", call.word + " takes a file name in quotes, column and unit.", argument.begin);
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
    auto read = csv_numbers(*text, name_of_file, column, most);
    if (const auto* why = std::get_if<std::string>(&read)) fail("EXP005", *why, call.begin);
    DataColumn out{name_of_file, std::get<CsvNumbers>(std::move(read))};
    for (double& value : out.numbers.values) {
      value = unit->to_si(value);
      if (!std::isfinite(value))
        fail("EXP005", "A value of the column is infinite in SI units; wanted finite ones.", call.begin);
    }
    return out;
  });
}

}  // namespace ergode
