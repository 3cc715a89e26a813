#include "solvers/cluster/traces/throughput_table.h"

#include <algorithm>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "solvers/cluster/traces/text_lines.h"
#include "solvers/cluster/traces/training_rows.h"

namespace ergode {
namespace {

constexpr std::string_view speed_prefix = "steps_per_s";

}  // namespace

std::vector<std::string> columns_of_throughputs(std::string_view text) {
  std::vector<std::string> out;
  const auto read = parse_csv(text.substr(0, text.find('\n')));
  if (read.index() != 0 || std::get<0>(read).empty()) return out;
  for (const std::string& name : std::get<0>(read)[0])
    if (trim(name).starts_with(speed_prefix)) out.emplace_back(trim(name));
  return out;
}

std::variant<Throughputs, Diagnostics> read_throughputs(std::string_view text, const std::string& file,
                                                        std::string_view column) {
  RowProblems problems(file);
  if (const auto fault = nul_fault(text)) {
    problems.add(0, *fault + ".");
    return problems.take();
  }
  auto read = parse_csv(text);
  if (const auto* why = std::get_if<std::string>(&read)) {
    problems.add(0, *why + ".");
    return problems.take();
  }
  const auto& rows = std::get<0>(read);
  if (rows.size() < 2) {
    problems.add(0, "there are " + std::to_string(rows.size()) + " rows; wanted a head and at least one more.");
    return problems.take();
  }
  const auto place = [&](std::string_view name) {
    for (std::size_t i = 0; i < rows[0].size(); ++i)
      if (trim(rows[0][i]) == name || (name == speed_prefix && trim(rows[0][i]).starts_with(name))) {
        if (const HeaderColumn found = header_column(rows[0], {trim(rows[0][i])}); !found.twice.empty())
          problems.add(1, found.twice + ".");
        return i;
      }
    problems.add(1, "there is no column " + std::string(name) + "; wanted model, batch_size, num_gpus and " +
                        std::string(column.empty() ? speed_prefix : column) + ".");
    return rows[0].size();
  };
  const std::size_t model = place("model"), batch = place("batch_size"), gpus = place("num_gpus"),
                    speed = place(column.empty() ? speed_prefix : column);
  if (problems.any()) return problems.take();
  Throughputs out;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto& cells = rows[r];
    if (cells.size() != rows[0].size()) {
      problems.add(r + 1, std::to_string(cells.size()) + " cells; wanted " + std::to_string(rows[0].size()) + ".");
      continue;
    }
    const std::string name(trim(cells[model]));
    if (name.empty()) problems.add(r + 1, "model is ''; wanted a name.");
    const auto b = problems.whole(r + 1, "batch_size", cells[batch], 1, 1'000'000'000);
    const auto w = problems.whole(r + 1, "num_gpus", cells[gpus], 1, 1'000'000);
    const auto s = problems.number(r + 1, rows[0][speed].c_str(), cells[speed], 0.0);
    if (name.empty() || !b || !w || !s || *s == 0.0) continue;
    if (out.of(name, static_cast<int>(*b), static_cast<int>(*w)))
      problems.add(r + 1, name + " with batch size " + std::to_string(*b) + " on " + std::to_string(*w) +
                              " GPUs is there twice; wanted once.");
    out.set(name, static_cast<int>(*b), static_cast<int>(*w), *s);
  }
  if (problems.any()) return problems.take();
  return out;
}

}  // namespace ergode
