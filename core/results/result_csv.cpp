#include "core/results/result_csv.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/base/special_values.h"
#include "core/base/text.h"
#include "core/results/answer.h"
#include "core/results/occurrence.h"
#include "core/results/result_json.h"
#include "core/results/value_text.h"

namespace ergode {
namespace {

/// What a column means; written into the file of metadata.
struct Column {
  std::string name;
  std::string meaning;
};
using Columns = std::vector<Column>;

/// The shares of the split stand before `not_available`.
const Columns plain_measure_columns = {
    {"id", "name of the measure"},
    {"label", "what it is"},
    {"kind", "how it is defined"},
    {"unit", "unit of estimate, lower, upper, standard_error and the shares of the split; empty: dimensionless"},
    {"estimate", "point estimate; empty: not available"},
    {"lower", "lower end of the confidence interval"},
    {"upper", "upper end of the confidence interval"},
    {"confidence", "level of the interval"},
    {"replications", "samples behind the estimate; what they are stands under samples"},
    {"solver", "what computed it"},
    {"method", "how the interval was made"},
    {"standard_error", "standard error of the estimate"},
    {"not_available", "why there is no estimate"},
    {"exact_value", "what an exact solver asked beside the run answers, in the same unit; empty: none has an answer"},
    {"exact_solver", "that solver"},
    {"exact_inside_interval", "yes or no: whether it lies in [lower, upper]; empty: there is nothing to compare"},
    {"samples", "what the samples are: replications, batches of one long run, cycles of what begins anew"},
    {"note", "what the estimate is a mean of, where that is no matter of course"}};

const Columns series_columns = {{"measure", "name of the measure"},
                                {"kind", "curve over time, convergence over replications, or distribution"},
                                {"solver", "what computed it"},
                                {"x", "abscissa"},
                                {"x_unit", "unit of x"},
                                {"y", "ordinate"},
                                {"y_unit", "unit of y, lower and upper; empty: dimensionless"},
                                {"lower", "lower end of the pointwise confidence interval"},
                                {"upper", "upper end of the pointwise confidence interval"}};

const Columns distribution_columns = {
    {"measure", "name of the measure"},
    {"solver", "what computed it"},
    {"quantity", "quantile, or variance, of the distribution of what was observed"},
    {"level", "of a quantile: the share of observations, or of the time, that is at most the value"},
    {"value", "of the quantity"},
    {"lower", "lower end of its confidence interval; empty: nothing bounds it"},
    {"upper", "upper end of its confidence interval; empty: nothing bounds it"},
    {"unit", "unit of value, lower and upper; empty: dimensionless"}};

Columns measure_columns(const Split& split) {
  Columns out = plain_measure_columns;
  for (const Split::Part& part : split.parts)
    out.insert(out.end() - 6,
               {split.by + "_" + part.name, "share of the estimate, by " + split.by + ": " + part.label});
  return out;
}

std::string header(const Columns& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return csv_row(names);
}

std::string cell(double x) { return std::isfinite(x) ? number_text(x) : std::string(); }
std::string at(const std::vector<double>& list, std::size_t i) { return i < list.size() ? cell(list[i]) : ""; }

std::string row(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& text : cells) out += text + ",";
  out.back() = '\n';
  return out;
}

std::optional<Diagnostic> write_with_metadata(const std::string& path, const std::string& text,
                                              const ResultSet& results, const Columns& columns) {
  Value meta;
  meta["file"] = std::filesystem::path(path).filename().string();
  meta["columns"] = Value::object();
  for (const Column& column : columns) meta["columns"][column.name] = column.meaning;
  meta["run"] = run_to_json(results);
  if (auto problem = write_file_atomically(path, text)) return problem;
  return write_file_atomically(path + ".meta.json", meta.dump(2, Value::BadText::replace) + "\n");
}

std::string share(const std::map<std::string, double>& shares, const std::string& part) {
  const auto found = shares.find(part);
  return found != shares.end() ? cell(found->second) : std::string();
}

std::string beside(const std::string& path, const std::string& what) {
  std::filesystem::path out(path);
  return out.replace_filename(out.stem().string() + "." + what + out.extension().string()).string();
}

/// One of the files of a run.
struct File {
  std::string path;
  Columns columns;
  std::function<std::string()> text;
};

bool has_distribution(const MeasureResult& m) { return !m.quantiles.empty() || std::isfinite(m.variance); }

std::vector<File> files_of(const ResultSet& results, const std::string& path) {
  std::vector<File> out;
  out.push_back({path, measure_columns(results.split), [&results] { return measures_csv(results); }});
  if (std::any_of(results.measures.begin(), results.measures.end(), has_distribution))
    out.push_back(
        {beside(path, "distributions"), distribution_columns, [&results] { return distributions_csv(results); }});
  if (!results.series.empty())
    out.push_back({beside(path, "series"), series_columns, [&results] { return series_csv(results); }});
  for (const ResultTable& table : results.tables) {
    Columns columns;
    for (const ResultTable::Column& column : table.columns) columns.push_back({column_text(column), table.title});
    out.push_back({beside(path, table.name), std::move(columns), [&table] { return table_csv(table); }});
  }
  return out;
}

}  // namespace

std::string measures_csv(const ResultSet& results) {
  std::string out = header(measure_columns(results.split));
  for (const MeasureResult& m : results.measures) {
    std::vector<std::string> cells = {csv_cell(m.id),     csv_cell(m.label),  csv_cell(m.kind),
                                      csv_cell(m.unit),   cell(m.estimate),   cell(m.lower),
                                      cell(m.upper),      cell(m.confidence), std::to_string(m.replications),
                                      csv_cell(m.solver), csv_cell(m.method), cell(m.standard_error)};
    for (const Split::Part& part : results.split.parts) cells.push_back(m.shares ? share(*m.shares, part.name) : "");
    cells.push_back(csv_cell(m.not_available));
    const MeasureResult* exact = m.exact ? nullptr : exact_beside(results, m.id);
    cells.push_back(exact != nullptr ? cell(exact->estimate) : "");
    cells.push_back(exact != nullptr ? csv_cell(exact->solver) : "");
    const bool compared = exact != nullptr && m.not_available.empty() && has_interval(m);
    cells.push_back(!compared ? "" : interval_holds(m, exact->estimate) ? "yes" : "no");
    cells.push_back(m.exact ? "" : sample_word(m, results));
    cells.push_back(csv_cell(occurrence_note(m, results.replications)));
    out += row(cells);
  }
  return out;
}

std::string series_csv(const ResultSet& results) {
  std::string out = header(series_columns);
  for (const Series& s : results.series)
    for (std::size_t i = 0; i < s.x.size(); ++i)
      out += row({csv_cell(s.measure), csv_cell(s.kind), csv_cell(s.solver), at(s.x, i), csv_cell(s.x_unit), at(s.y, i),
                  csv_cell(s.y_unit), at(s.lower, i), at(s.upper, i)});
  return out;
}

std::string distributions_csv(const ResultSet& results) {
  std::string out = header(distribution_columns);
  for (const MeasureResult& m : results.measures) {
    const auto line = [&](const char* quantity, const std::string& level, double value, Interval ends,
                          const std::string& unit) {
      out += row({csv_cell(m.id), csv_cell(m.solver), quantity, level, cell(value), cell(ends.lower), cell(ends.upper),
                  csv_cell(unit)});
    };
    for (const auto& [level, value] : m.quantiles) {
      const auto ends = m.quantile_intervals.find(level);
      line("quantile", cell(level), value, ends != m.quantile_intervals.end() ? ends->second : Interval{nan, nan},
           m.unit);
    }
    if (std::isfinite(m.variance)) line("variance", "", m.variance, m.variance_interval, squared_unit(m.unit));
  }
  return out;
}

std::string series_csv(const Series& s) {
  const auto with_unit = [](const std::string& label, const std::string& unit) {
    return csv_cell(label + " [" + (unit.empty() ? "1" : unit) + "]");
  };
  std::string out = row({with_unit(s.x_label, s.x_unit), with_unit(s.y_label, s.y_unit), with_unit("lower", s.y_unit),
                         with_unit("upper", s.y_unit)});
  for (std::size_t i = 0; i < s.x.size(); ++i) out += row({at(s.x, i), at(s.y, i), at(s.lower, i), at(s.upper, i)});
  return out;
}

std::string table_csv(const ResultTable& table) {
  std::vector<std::string> cells;
  for (const ResultTable::Column& column : table.columns) cells.push_back(csv_cell(column_text(column)));
  std::string out = cells.empty() ? std::string() : row(cells);
  for (const std::vector<ResultTable::Cell>& line : table.rows) {
    cells.clear();
    for (const ResultTable::Cell& one : line) {
      const auto* text = std::get_if<std::string>(&one);
      cells.push_back(text != nullptr ? csv_cell(*text) : cell(std::get<double>(one)));
    }
    if (!cells.empty()) out += row(cells);
  }
  return out;
}

std::size_t guarded_cells(const ResultTable& table) {
  std::size_t out = 0;
  for (const std::vector<ResultTable::Cell>& line : table.rows)
    for (const ResultTable::Cell& one : line)
      if (const auto* text = std::get_if<std::string>(&one); text != nullptr && is_guarded(*text)) ++out;
  return out;
}

std::vector<std::string> csv_files(const ResultSet& results, const std::string& path) {
  std::vector<std::string> out;
  for (const File& file : files_of(results, path)) out.insert(out.end(), {file.path, file.path + ".meta.json"});
  return out;
}

std::optional<Diagnostic> export_csv(const ResultSet& results, const std::string& path) {
  for (const File& file : files_of(results, path))
    if (auto problem = write_with_metadata(file.path, file.text(), results, file.columns)) return problem;
  return std::nullopt;
}

}  // namespace ergode
