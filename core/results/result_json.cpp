#include "core/results/result_json.h"

#include <cmath>

namespace ergode {
namespace {

using Json = nlohmann::ordered_json;

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

Json numbers(const std::vector<double>& list) {
  // Filled before it becomes JSON: with JSON_DIAGNOSTICS each push_back on an ordered array visits all its elements.
  Json::array_t out;
  out.reserve(list.size());
  for (const double x : list) out.push_back(number(x));
  return out;
}

Json texts(const std::map<std::string, std::string>& map) {
  Json out = Json::object();
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

Json measure_to_json(const MeasureResult& m) {
  Json out = {{"id", m.id}, {"label", m.label}, {"kind", m.kind}, {"unit", m.unit}};
  if (m.element) out["element"] = m.element.text();
  out["estimate"] = number(m.estimate);
  out["lower"] = number(m.lower);
  out["upper"] = number(m.upper);
  out["confidence"] = number(m.confidence);
  out["replications"] = m.replications;
  out["solver"] = m.solver;
  out["exact"] = m.exact;
  out["method"] = m.method;
  out["standard_error"] = number(m.standard_error);
  if (m.effective_samples > 0.0) out["effective_samples"] = number(m.effective_samples);
  if (!m.not_available.empty()) out["not_available"] = m.not_available;
  if (m.shares) {
    // The key is as old as the format, in which causes were the only split.
    out["causes"] = Json::object();
    for (const auto& [part, share] : *m.shares) out["causes"][part] = number(share);
  }
  if (!m.quantiles.empty()) {
    out["quantiles"] = Json::array();
    for (const auto& [p, value] : m.quantiles) {
      Json q = {{"p", p}, {"value", number(value)}};
      if (const auto i = m.quantile_intervals.find(p); i != m.quantile_intervals.end())
        q["lower"] = number(i->second.lower), q["upper"] = number(i->second.upper);
      out["quantiles"].push_back(std::move(q));
    }
  }
  return out;
}

Json series_to_json(const Series& s) {
  Json out = {{"measure", s.measure}, {"kind", s.kind},       {"label", s.label},   {"x_label", s.x_label},
              {"x_unit", s.x_unit},   {"y_label", s.y_label}, {"y_unit", s.y_unit}, {"exact", s.exact},
              {"solver", s.solver},   {"x", numbers(s.x)},    {"y", numbers(s.y)}};
  if (!s.lower.empty()) out["lower"] = numbers(s.lower);
  if (!s.upper.empty()) out["upper"] = numbers(s.upper);
  return out;
}

Json split_to_json(const Split& split) {
  Json::array_t parts;
  for (const Split::Part& part : split.parts)
    parts.push_back({{"name", part.name}, {"label", part.label}, {"occurs", part.occurs}});
  return {{"by", split.by}, {"meaning", split.meaning}, {"parts", std::move(parts)}};
}

Json table_to_json(const ResultTable& t) {
  Json::array_t columns, rows;
  for (const ResultTable::Column& column : t.columns)
    columns.push_back({{"label", column.label}, {"unit", column.unit}});
  for (const std::vector<ResultTable::Cell>& row : t.rows) {
    Json::array_t cells;
    for (const ResultTable::Cell& cell : row)
      cells.push_back(std::holds_alternative<double>(cell) ? number(std::get<double>(cell))
                                                           : Json(std::get<std::string>(cell)));
    rows.push_back(std::move(cells));
  }
  Json out = {{"name", t.name},
              {"title", t.title},
              {"solver", t.solver},
              {"exact", t.exact},
              {"columns", std::move(columns)},
              {"rows", std::move(rows)}};
  if (!t.note.empty()) out["note"] = t.note;
  return out;
}

}  // namespace

Json to_json(const Diagnostic& d) {
  Json out = {{"severity", to_text(d.severity)}, {"code", d.code}};
  if (d.element) out["element"] = d.element.text();
  if (!d.pointer.empty()) out["pointer"] = d.pointer;
  out["message"] = d.message;
  if (!d.hint.empty()) out["hint"] = d.hint;
  if (d.column != 0) out["column"] = d.column;
  return out;
}

Json run_to_json(const ResultSet& r) {
  const Provenance& p = r.provenance;
  Json made = {
      {"started_utc", p.made.started_utc}, {"finished_utc", p.made.finished_utc},   {"host", p.made.host},
      {"compiler", p.made.compiler},       {"elapsed_s", number(p.made.elapsed_s)}, {"threads", p.made.threads}};
  if (!p.made.resumed.empty()) made["resumed"] = p.made.resumed;
  Json out = {{"run_id", p.run_id},           {"status", to_text(r.status)},
              {"stop_reason", r.stop_reason}, {"replications", r.replications},
              {"events", r.events},           {"fingerprint", r.fingerprint},
              {"version", p.version},         {"model_name", p.model_name},
              {"model_path", p.model_path},   {"semantic_hash", p.semantic_hash},
              {"file_hash", p.file_hash}};
  if (!p.data_files.empty()) out["data_files"] = texts(p.data_files);
  out.update({{"solver", p.solver},
              {"seed", p.seed},
              {"generator", p.generator},
              {"stream_rule", p.stream_rule},
              {"scenario", p.scenario},
              {"overrides", texts(p.overrides)},
              {"parameters", texts(p.parameters)},
              {"options", texts(p.options)},
              {"command", p.command},
              {"made", std::move(made)}});
  return out;
}

Json to_json(const ResultSet& r) {
  Json out = {{"format", "ergode-results"}, {"schema", results_schema}, {"run", run_to_json(r)}};
  out["measures"] = Json::array();
  for (const MeasureResult& m : r.measures) out["measures"].push_back(measure_to_json(m));
  out["series"] = Json::array();
  for (const Series& s : r.series) out["series"].push_back(series_to_json(s));
  if (!r.tables.empty()) {
    Json::array_t tables;
    for (const ResultTable& t : r.tables) tables.push_back(table_to_json(t));
    out["tables"] = std::move(tables);
  }
  if (!r.split.empty()) out["split"] = split_to_json(r.split);
  out["diagnostics"] = Json::array();
  for (const Diagnostic& d : r.diagnostics) out["diagnostics"].push_back(to_json(d));
  if (r.long_run) out["long_run"] = true;
  // Filled before they become JSON, as numbers() does.
  Json::array_t company, declined;
  for (const auto& beside : r.company) company.push_back(to_json(*beside));
  if (!company.empty()) out["company"] = std::move(company);
  for (const Declined& one : r.declined) {
    Json::array_t reasons;
    for (const Diagnostic& d : one.reasons) reasons.push_back(to_json(d));
    declined.push_back({{"solver", one.solver}, {"reasons", std::move(reasons)}});
  }
  if (!declined.empty()) out["declined"] = std::move(declined);
  return out;
}

}  // namespace ergode
