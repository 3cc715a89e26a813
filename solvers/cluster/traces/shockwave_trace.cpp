#include "solvers/cluster/traces/shockwave_trace.h"

#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "solvers/cluster/traces/text_lines.h"
#include "solvers/cluster/traces/training_rows.h"

namespace ergode {
namespace {

constexpr std::size_t shockwave_cells = 12;
constexpr std::int64_t most_steps = 1'000'000'000'000'000;

std::optional<BatchMode> batch_mode(std::string_view text) {
  if (text == "static") return BatchMode::fixed;
  if (text == "accordion") return BatchMode::accordion;
  if (text == "gns") return BatchMode::gns;
  return std::nullopt;
}

}  // namespace

std::variant<std::vector<RoundJob>, Diagnostics> read_shockwave_trace(std::string_view text, const std::string& file) {
  RowProblems problems(file);
  if (const auto fault = nul_fault(text)) {
    problems.add(0, *fault + ".");
    return problems.take();
  }
  std::vector<RoundJob> out;
  double before = 0.0;
  for (const TabbedRow& row : tabbed_rows(text)) {
    const auto& cells = row.cells;
    if (cells.size() != shockwave_cells) {
      problems.add(row.row, std::to_string(cells.size()) + " cells between tabs; wanted 12.");
      continue;
    }
    const auto type = parse_job_type(cells[0]);
    if (!type) problems.add(row.row, "the job is '" + quotable(cells[0]) + "'; wanted 'Model (batch size b)'.");
    const auto steps = problems.whole(row.row, "total_steps", cells[5], 1, most_steps);
    const auto gpus = problems.whole(row.row, "num_gpus", cells[6], 1, 1'000'000);
    const auto mode = batch_mode(cells[7]);
    if (!mode) problems.add(row.row, "mode is '" + quotable(cells[7]) + "'; wanted static, accordion or gns.");
    const auto duration = problems.number(row.row, "duration_s", cells[10], 0.0);
    const auto arrival = problems.number(row.row, "arrival_s", cells[11], 0.0);
    if (duration && *duration == 0.0)
      problems.add(row.row, "duration_s is '" + quotable(cells[10]) + "'; wanted more than 0.");
    if (arrival && *arrival < before)
      problems.add(row.row, "arrival_s is " + number_text(*arrival) +
                                ", before that of the row above; wanted at least " + number_text(before) + ".");
    if (arrival) before = *arrival;
    if (!type || !steps || !gpus || !mode || !duration || !arrival) continue;
    out.push_back({.model = type->model,
                   .batch_size = type->batch_size,
                   .gpus = static_cast<int>(*gpus),
                   .mode = *mode,
                   .total_steps = *steps,
                   .arrival_s = *arrival,
                   .listed_duration_s = *duration});
  }
  if (!problems.any() && out.empty()) problems.add(0, "there are no rows; wanted at least one job.");
  if (problems.any()) return problems.take();
  return out;
}

std::string write_shockwave_trace(const std::vector<RoundJob>& jobs) {
  std::string out;
  for (const RoundJob& job : jobs) {
    const char* mode = job.mode == BatchMode::fixed ? "static" : job.mode == BatchMode::gns ? "gns" : "accordion";
    out += job.model + " (batch size " + std::to_string(job.batch_size) + ")\t-\t-\t-\t0\t" +
           std::to_string(job.total_steps) + "\t" + std::to_string(job.gpus) + "\t" + mode + "\t1\t-1\t" +
           number_text(job.listed_duration_s) + "\t" + number_text(job.arrival_s) + "\n";
  }
  return out;
}

}  // namespace ergode
