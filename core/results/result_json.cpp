#include "core/results/result_json.h"

#include <cmath>
#include <iterator>
#include <ostream>
#include <sstream>
#include <utility>

#include "core/results/occurrence.h"

namespace ergode {
namespace {

Value number(double x) { return std::isfinite(x) ? Value(x) : Value(nullptr); }

Value numbers(const std::vector<double>& list) {
  Value::Array out;
  out.reserve(list.size());
  for (const double x : list) out.push_back(number(x));
  return out;
}

Value texts(const std::map<std::string, std::string>& map) {
  Value out = Value::object();
  for (const auto& [key, value] : map) out[key] = value;
  return out;
}

Value measure_to_json(const MeasureResult& m, const ResultSet& run) {
  Value out = {{"id", m.id}, {"label", m.label}, {"kind", m.kind}, {"unit", m.unit}};
  if (m.element) out["element"] = m.element.text();
  out["estimate"] = number(m.estimate);
  out["lower"] = number(m.lower);
  out["upper"] = number(m.upper);
  out["confidence"] = number(m.confidence);
  out[sample_word(m, run)] = m.replications;
  out["solver"] = m.solver;
  out["exact"] = m.exact;
  out["method"] = m.method;
  out["standard_error"] = number(m.standard_error);
  if (m.effective_samples > 0.0) out["effective_samples"] = number(m.effective_samples);
  if (m.warm_up > 0.0) out["warm_up"] = number(m.warm_up);
  if (!m.not_available.empty()) out["not_available"] = m.not_available;
  if (const std::string note = occurrence_note(m, run.replications); !note.empty()) out["note"] = note;
  if (m.shares) {
    // The key is as old as the format, in which causes were the only split.
    out["causes"] = Value::object();
    for (const auto& [part, share] : *m.shares) out["causes"][part] = number(share);
  }
  if (!m.quantiles.empty()) {
    out["quantiles"] = Value::array();
    for (const auto& [p, value] : m.quantiles) {
      Value q = {{"p", p}, {"value", number(value)}};
      if (const auto i = m.quantile_intervals.find(p); i != m.quantile_intervals.end())
        q["lower"] = number(i->second.lower), q["upper"] = number(i->second.upper);
      out["quantiles"].push_back(std::move(q));
    }
  }
  if (std::isfinite(m.variance))
    out["variance"] = {{"value", number(m.variance)},
                       {"lower", number(m.variance_interval.lower)},
                       {"upper", number(m.variance_interval.upper)}};
  return out;
}

Value series_to_json(const Series& s) {
  Value out = {{"measure", s.measure}, {"kind", s.kind},       {"label", s.label},   {"x_label", s.x_label},
               {"x_unit", s.x_unit},   {"y_label", s.y_label}, {"y_unit", s.y_unit}, {"exact", s.exact},
               {"solver", s.solver},   {"x", numbers(s.x)},    {"y", numbers(s.y)}};
  if (!s.lower.empty()) out["lower"] = numbers(s.lower);
  if (!s.upper.empty()) out["upper"] = numbers(s.upper);
  return out;
}

Value split_to_json(const Split& split) {
  Value::Array parts;
  for (const Split::Part& part : split.parts)
    parts.push_back({{"name", part.name}, {"label", part.label}, {"occurs", part.occurs}});
  return {{"by", split.by}, {"meaning", split.meaning}, {"parts", std::move(parts)}};
}

Value row_to_json(const std::vector<ResultTable::Cell>& row) {
  Value::Array out;
  out.reserve(row.size());
  for (const ResultTable::Cell& cell : row)
    out.push_back(std::holds_alternative<double>(cell) ? number(std::get<double>(cell))
                                                       : Value(std::get<std::string>(cell)));
  return out;
}

/// What becomes of the rows of tables, which may be millions.
enum class TableRows { all, none };

Value table_to_json(const ResultTable& t, TableRows wanted = TableRows::all) {
  Value::Array columns, rows;
  for (const ResultTable::Column& column : t.columns)
    columns.push_back({{"label", column.label}, {"unit", column.unit}});
  if (wanted == TableRows::all) {
    rows.reserve(t.rows.size());
    for (const std::vector<ResultTable::Cell>& row : t.rows) rows.push_back(row_to_json(row));
  }
  Value out = {{"name", t.name},
               {"title", t.title},
               {"solver", t.solver},
               {"exact", t.exact},
               {"columns", std::move(columns)},
               {"rows", std::move(rows)}};
  if (!t.note.empty()) out["note"] = t.note;
  if (t.scatter)
    out["scatter"] = {
        {"x", t.scatter->x}, {"y", t.scatter->y}, {"front", t.scatter->front}, {"label", t.scatter->label}};
  return out;
}

}  // namespace

Value to_json(const Diagnostic& d) {
  Value out = {{"severity", to_text(d.severity)}, {"code", d.code}};
  if (d.element) out["element"] = d.element.text();
  if (!d.pointer.empty()) out["pointer"] = d.pointer;
  out["message"] = d.message;
  if (!d.hint.empty()) out["hint"] = d.hint;
  if (d.column != 0) out["column"] = d.column;
  return out;
}

Value run_to_json(const ResultSet& r) {
  const Provenance& p = r.provenance;
  Value made = {
      {"started_utc", p.made.started_utc}, {"finished_utc", p.made.finished_utc},   {"host", p.made.host},
      {"compiler", p.made.compiler},       {"elapsed_s", number(p.made.elapsed_s)}, {"threads", p.made.threads}};
  if (!p.made.resumed.empty()) made["resumed"] = p.made.resumed;
  Value out = {{"run_id", p.run_id},           {"status", to_text(r.status)},
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

namespace {

Value set_to_json(const ResultSet& r, TableRows wanted) {
  Value out = {{"format", "ergode-results"}, {"schema", results_schema}, {"run", run_to_json(r)}};
  out["measures"] = Value::array();
  for (const MeasureResult& m : r.measures) out["measures"].push_back(measure_to_json(m, r));
  out["series"] = Value::array();
  for (const Series& s : r.series) out["series"].push_back(series_to_json(s));
  if (!r.tables.empty()) {
    Value::Array tables;
    for (const ResultTable& t : r.tables) tables.push_back(table_to_json(t, wanted));
    out["tables"] = std::move(tables);
  }
  if (!r.split.empty()) out["split"] = split_to_json(r.split);
  out["diagnostics"] = Value::array();
  for (const Diagnostic& d : r.diagnostics) out["diagnostics"].push_back(to_json(d));
  if (r.long_run) out["long_run"] = true;
  Value::Array company, declined;
  for (const auto& beside : r.company) company.push_back(set_to_json(*beside, wanted));
  if (!company.empty()) out["company"] = std::move(company);
  for (const Declined& one : r.declined) {
    Value::Array reasons;
    for (const Diagnostic& d : one.reasons) reasons.push_back(to_json(d));
    declined.push_back({{"solver", one.solver}, {"reasons", std::move(reasons)}});
    if (one.fits) declined.back()["fits"] = true;
  }
  if (!declined.empty()) out["declined"] = std::move(declined);
  return out;
}

/// Writes a document whose tables have no rows, and the rows where they belong.
struct ResultText {
  std::ostream& out;
  bool lines = false;  ///< every member and every row has a line of its own
  std::size_t depth = 0;

  void line() {
    if (lines) out << '\n' << std::string(2 * depth, ' ');
  }
  template <class List, class Append>
  void list(const List& entries, const Append& append) {
    const char* between = "";
    out << '[', ++depth;
    for (const auto& entry : entries) out << between, line(), append(entry), between = ",";
    --depth;
    if (!std::empty(entries)) line();
    out << ']';
  }
  void value(const Value& one) {
    if (!lines) {
      out << one.dump(-1, Value::BadText::replace);
      return;
    }
    // Texts have their line ends escaped: what is left are those of the layout.
    const std::string text = one.dump(2, Value::BadText::replace);
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
      out << std::string_view(text).substr(begin, end - begin), line();
    out << std::string_view(text).substr(begin);
  }
  /// @param other  writes a member by its key, unless it returns false
  template <class Other>
  void object(const Value& members, const Other& other) {
    const char* between = "";
    out << '{', ++depth;
    for (const auto& [key, member] : members.items()) {
      out << between, line();
      out << Value(key).dump(-1, Value::BadText::replace) << (lines ? ": " : ":"), between = ",";
      if (!other(key)) value(member);
    }
    --depth, line();
    out << '}';
  }
  void table(const ResultTable& t) {
    object(table_to_json(t, TableRows::none), [&](const std::string& key) {
      if (key != "rows") return false;
      list(t.rows, [&](const auto& row) { out << row_to_json(row).dump(-1, Value::BadText::replace); });
      return true;
    });
  }
  void set(const Value& document, const ResultSet& r) {
    object(document, [&](const std::string& key) {
      if (key == "tables") list(r.tables, [&](const ResultTable& t) { table(t); });
      else if (key == "company")
        list(r.company, [&](const auto& beside) { set(set_to_json(*beside, TableRows::none), *beside); });
      else return false;
      return true;
    });
  }
};

}  // namespace

Value to_json(const ResultSet& r) { return set_to_json(r, TableRows::all); }

Value to_json_without_rows(const ResultSet& r) { return set_to_json(r, TableRows::none); }

std::string results_text(const ResultSet& r) {
  std::ostringstream text;
  ResultText{.out = text}.set(to_json_without_rows(r), r);
  return std::move(text).str();
}

void write_lines(std::ostream& out, const Value& document, const ResultSet& r) {
  ResultText{.out = out, .lines = true}.set(document, r);
}

}  // namespace ergode
