#include "core/results/result_csv.h"

#include <cmath>
#include <filesystem>

#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/results/result_json.h"

namespace ergode {
namespace {

/// What a column means; written into the file of metadata.
struct Column {
  const char* name;
  const char* meaning;
};

constexpr Column measure_columns[] = {
    {"id", "name of the measure"},
    {"label", "what it is"},
    {"kind", "how it is defined"},
    {"unit", "unit of estimate, lower, upper, standard_error and the shares by cause; empty: dimensionless"},
    {"estimate", "point estimate; empty: not available"},
    {"lower", "lower end of the confidence interval"},
    {"upper", "upper end of the confidence interval"},
    {"confidence", "level of the interval"},
    {"replications", "samples behind the estimate"},
    {"solver", "what computed it"},
    {"method", "how the interval was made"},
    {"standard_error", "standard error of the estimate"},
    {"cause_none", "share of the estimate without a failure cause"},
    {"cause_independent", "share by independent failures"},
    {"cause_non_lethal", "share by non-lethal shocks"},
    {"cause_lethal", "share by lethal shocks"},
    {"not_available", "why there is no estimate"}};

constexpr Column series_columns[] = {{"measure", "name of the measure"},
                                     {"kind", "curve over time, convergence over replications, or distribution"},
                                     {"solver", "what computed it"},
                                     {"x", "abscissa"},
                                     {"x_unit", "unit of x"},
                                     {"y", "ordinate"},
                                     {"y_unit", "unit of y, lower and upper; empty: dimensionless"},
                                     {"lower", "lower end of the pointwise confidence interval"},
                                     {"upper", "upper end of the pointwise confidence interval"}};

template <std::size_t n>
std::string header(const Column (&columns)[n]) {
  std::string out;
  for (const Column& column : columns) out += (out.empty() ? "" : ",") + std::string(column.name);
  return out + "\n";
}

std::string cell(double x) { return std::isfinite(x) ? number_text(x) : std::string(); }
std::string at(const std::vector<double>& list, std::size_t i) { return i < list.size() ? cell(list[i]) : ""; }

std::string row(std::initializer_list<std::string> cells) {
  std::string out;
  for (const std::string& text : cells) out += text + ",";
  out.back() = '\n';
  return out;
}

template <std::size_t n>
std::optional<Diagnostic> write_with_metadata(const std::string& path, const std::string& text,
                                              const ResultSet& results, const Column (&columns)[n]) {
  nlohmann::ordered_json meta;
  meta["file"] = std::filesystem::path(path).filename().string();
  meta["columns"] = nlohmann::ordered_json::object();
  for (const Column& column : columns) meta["columns"][column.name] = column.meaning;
  meta["run"] = run_to_json(results);
  using Handler = nlohmann::ordered_json::error_handler_t;
  if (auto problem = write_file_atomically(path, text)) return problem;
  return write_file_atomically(path + ".meta.json", meta.dump(2, ' ', false, Handler::replace) + "\n");
}

}  // namespace

std::string measures_csv(const ResultSet& results) {
  std::string out = header(measure_columns);
  for (const MeasureResult& m : results.measures) {
    const auto share = [&](Cause cause) {
      if (!m.causes) return std::string();
      const auto found = m.causes->find(to_text(cause));
      return found != m.causes->end() ? cell(found->second) : std::string();
    };
    out += row({csv_cell(m.id), csv_cell(m.label), csv_cell(m.kind), csv_cell(m.unit), cell(m.estimate), cell(m.lower),
                cell(m.upper), cell(m.confidence), std::to_string(m.replications), csv_cell(m.solver),
                csv_cell(m.method), cell(m.standard_error), share(Cause::none), share(Cause::independent),
                share(Cause::non_lethal), share(Cause::lethal), csv_cell(m.not_available)});
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

std::string series_csv(const Series& s) {
  const auto with_unit = [](const std::string& label, const std::string& unit) {
    return csv_cell(label + " [" + (unit.empty() ? "1" : unit) + "]");
  };
  std::string out = row({with_unit(s.x_label, s.x_unit), with_unit(s.y_label, s.y_unit), with_unit("lower", s.y_unit),
                         with_unit("upper", s.y_unit)});
  for (std::size_t i = 0; i < s.x.size(); ++i) out += row({at(s.x, i), at(s.y, i), at(s.lower, i), at(s.upper, i)});
  return out;
}

std::vector<std::string> csv_files(const ResultSet& results, const std::string& path) {
  std::vector<std::string> out = {path, path + ".meta.json"};
  if (results.series.empty()) return out;
  std::filesystem::path beside(path);
  beside.replace_filename(beside.stem().string() + ".series" + beside.extension().string());
  out.push_back(beside.string()), out.push_back(beside.string() + ".meta.json");
  return out;
}

std::optional<Diagnostic> export_csv(const ResultSet& results, const std::string& path) {
  const std::vector<std::string> files = csv_files(results, path);
  if (auto problem = write_with_metadata(files[0], measures_csv(results), results, measure_columns)) return problem;
  if (files.size() == 2) return std::nullopt;
  return write_with_metadata(files[2], series_csv(results), results, series_columns);
}

}  // namespace ergode
