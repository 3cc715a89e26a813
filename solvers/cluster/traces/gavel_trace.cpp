#include "solvers/cluster/traces/gavel_trace.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/shockwave_trace.h"
#include "solvers/cluster/traces/text_lines.h"
#include "solvers/cluster/traces/training_rows.h"

namespace ergode {

std::variant<std::vector<RoundJob>, Diagnostics> read_gavel_trace(std::string_view text, const std::string& file) {
  RowProblems problems(file);
  if (const auto fault = nul_fault(text)) {
    problems.add(0, *fault + ".");
    return problems.take();
  }
  std::vector<RoundJob> out;
  double before = 0.0;
  for (const TabbedRow& row : tabbed_rows(text)) {
    const auto& cells = row.cells;
    if (cells.size() != 7) {
      problems.add(row.row, std::to_string(cells.size()) + " cells between tabs; wanted 7.");
      continue;
    }
    const auto type = parse_job_type(cells[0]);
    if (!type) problems.add(row.row, "the job is '" + quotable(cells[0]) + "'; wanted 'Model (batch size b)'.");
    const auto steps = problems.whole(row.row, "total_steps", cells[4], 1, 1'000'000'000'000'000);
    const auto arrival = problems.number(row.row, "arrival_s", cells[5], 0.0);
    const auto gpus = problems.whole(row.row, "num_gpus", cells[6], 1, 1'000'000);
    if (arrival && *arrival < before)
      problems.add(row.row, "arrival_s is " + number_text(*arrival) +
                                ", before that of the row above; wanted at least " + number_text(before) + ".");
    if (arrival) before = *arrival;
    if (!type || !steps || !gpus || !arrival) continue;
    out.push_back({.model = type->model,
                   .batch_size = type->batch_size,
                   .gpus = static_cast<int>(*gpus),
                   .total_steps = *steps,
                   .arrival_s = *arrival});
  }
  if (!problems.any() && out.empty()) problems.add(0, "there are no rows; wanted at least one job.");
  if (problems.any()) return problems.take();
  return out;
}

bool is_gavel_trace(std::string_view text) {
  text = without_mark(text);
  std::string_view line;
  while (!text.empty() && trim(line).empty()) line = next_line(text);
  return std::count(line.begin(), line.end(), '\t') == 6;
}

std::variant<std::vector<RoundJob>, Diagnostics> read_training_trace(std::string_view text, const std::string& file) {
  return is_gavel_trace(text) ? read_gavel_trace(text, file) : read_shockwave_trace(text, file);
}

}  // namespace ergode
