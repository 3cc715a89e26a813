#include <algorithm>
#include <limits>
#include <memory>

#include "core/base/text.h"
#include "core/results/occurrence.h"
#include "core/results/result_json.h"

// The reader of what result_json.cpp writes.
namespace ergode {
namespace {

/// Walks a document and reports each value of a wrong type with its place.
class ResultReader {
 public:
  explicit ResultReader(Diagnostics& problems) : problems_(problems) {}

  void report(const std::string& pointer, const std::string& message) {
    Diagnostic d;
    d.code = "RES002";
    d.pointer = pointer;
    d.message = message;
    problems_.push_back(std::move(d));
  }
  bool wrong(const std::string& pointer, const Value& seen, const char* wanted) {
    std::string text = seen.dump(-1, Value::BadText::replace);
    if (text.size() > 40) text = text.substr(0, 37) + "...";
    report(pointer, (pointer.empty() ? "The document" : pointer) + " is " + text + ", wanted " + wanted + ".");
    return false;
  }
  /// The member `key` when it is there; missing members keep the caller's default.
  const Value* member(const Value& object, const char* key) const {
    const auto found = object.find(key);
    return found != object.end() ? &*found : nullptr;
  }
  void read(const Value& object, const std::string& at, const char* key, std::string& out) {
    if (const Value* v = member(object, key)) {
      if (v->is_string()) out = v->get<std::string>();
      else wrong(at + "/" + key, *v, "a text");
    }
  }
  void read(const Value& object, const std::string& at, const char* key, bool& out) {
    if (const Value* v = member(object, key)) {
      if (v->is_boolean()) out = v->get<bool>();
      else wrong(at + "/" + key, *v, "true or false");
    }
  }
  void read(const Value& object, const std::string& at, const char* key, double& out) {
    if (const Value* v = member(object, key)) value(*v, at + "/" + key, out);
  }
  void read(const Value& object, const std::string& at, const char* key, std::uint64_t& out) {
    if (const Value* v = member(object, key)) {
      const bool natural = v->is_number_unsigned() || (v->is_number_integer() && v->get<std::int64_t>() >= 0);
      if (natural) out = v->get<std::uint64_t>();
      else wrong(at + "/" + key, *v, "a whole number >= 0");
    }
  }
  void read(const Value& object, const std::string& at, const char* key, ElementId& out) {
    std::string text;
    read(object, at, key, text);
    if (text.empty()) return;
    if (const auto id = ElementId::parse(text)) out = *id;
    else wrong(at + "/" + key, text, "16 hexadecimal digits");
  }
  void read(const Value& object, const std::string& at, const char* key, std::vector<double>& out) {
    each(object, at, key, [&](const Value& v, const std::string& place) { value(v, place, out.emplace_back()); });
  }
  void read(const Value& object, const std::string& at, const char* key, std::map<std::string, std::string>& out) {
    const Value* map = member(object, key);
    if (map == nullptr) return;
    if (!map->is_object()) return void(wrong(at + "/" + key, *map, "an object"));
    for (const auto& [name, text] : map->items()) {
      if (text.is_string()) out[name] = text.get<std::string>();
      else wrong(at + "/" + key + "/" + name, text, "a text");
    }
  }
  void value(const Value& v, const std::string& place, double& out) {
    if (v.is_number()) out = v.get<double>();
    else if (v.is_null()) out = std::numeric_limits<double>::quiet_NaN();
    else wrong(place, v, "a number or null");
  }
  template <class Visit>
  void each(const Value& object, const std::string& at, const char* key, Visit visit) {
    const Value* list = member(object, key);
    if (list == nullptr) return;
    const std::string place = at + "/" + key;
    if (!list->is_array()) return void(wrong(place, *list, "a list"));
    for (std::size_t i = 0; i < list->size(); ++i) visit((*list)[i], place + "/" + std::to_string(i));
  }
  template <class Enum, std::size_t n>
  void read_name(const Value& object, const std::string& at, const char* key, const Enum (&values)[n], Enum& out) {
    std::string text;
    read(object, at, key, text);
    if (text.empty()) return;
    std::string wanted;
    for (const Enum v : values) {
      if (text == to_text(v)) return void(out = v);
      wanted += (wanted.empty() ? "" : ", ") + std::string(to_text(v));
    }
    wrong(at + "/" + key, text, ("one of " + wanted).c_str());
  }

 private:
  Diagnostics& problems_;
};

void read_run(ResultReader& reader, const Value& run, const std::string& at, ResultSet& out) {
  Provenance& p = out.provenance;
  reader.read(run, at, "run_id", p.run_id);
  if (p.run_id.empty()) reader.report(at + "/run_id", at + "/run_id is missing, wanted 16 hexadecimal digits.");
  constexpr RunStatus statuses[] = {RunStatus::complete, RunStatus::partial, RunStatus::failed};
  reader.read_name(run, at, "status", statuses, out.status);
  reader.read(run, at, "stop_reason", out.stop_reason);
  reader.read(run, at, "replications", out.replications);
  reader.read(run, at, "events", out.events);
  reader.read(run, at, "fingerprint", out.fingerprint);
  reader.read(run, at, "version", p.version);
  reader.read(run, at, "model_name", p.model_name);
  reader.read(run, at, "model_path", p.model_path);
  reader.read(run, at, "semantic_hash", p.semantic_hash);
  reader.read(run, at, "file_hash", p.file_hash);
  reader.read(run, at, "data_files", p.data_files);
  reader.read(run, at, "solver", p.solver);
  reader.read(run, at, "seed", p.seed);
  reader.read(run, at, "generator", p.generator);
  reader.read(run, at, "stream_rule", p.stream_rule);
  reader.read(run, at, "scenario", p.scenario);
  reader.read(run, at, "overrides", p.overrides);
  reader.read(run, at, "parameters", p.parameters);
  reader.read(run, at, "options", p.options);
  reader.read(run, at, "command", p.command);
  const Value* made = reader.member(run, "made");
  if (made == nullptr) return;
  const std::string made_at = at + "/made";
  if (!made->is_object()) return void(reader.wrong(made_at, *made, "an object"));
  reader.read(*made, made_at, "started_utc", p.made.started_utc);
  reader.read(*made, made_at, "finished_utc", p.made.finished_utc);
  reader.read(*made, made_at, "host", p.made.host);
  reader.read(*made, made_at, "compiler", p.made.compiler);
  reader.read(*made, made_at, "elapsed_s", p.made.elapsed_s);
  reader.read(*made, made_at, "resumed", p.made.resumed);
  std::uint64_t threads = p.made.threads;
  reader.read(*made, made_at, "threads", threads);
  p.made.threads = static_cast<unsigned>(threads);
}

MeasureResult read_measure(ResultReader& reader, const Value& m, const std::string& at) {
  MeasureResult out;
  reader.read(m, at, "id", out.id);
  if (out.id.empty()) reader.report(at + "/id", at + "/id is missing, wanted the name of the measure.");
  reader.read(m, at, "label", out.label);
  reader.read(m, at, "kind", out.kind);
  reader.read(m, at, "unit", out.unit);
  reader.read(m, at, "element", out.element);
  reader.read(m, at, "estimate", out.estimate);
  reader.read(m, at, "lower", out.lower);
  reader.read(m, at, "upper", out.upper);
  reader.read(m, at, "confidence", out.confidence);
  for (const char* of : sample_words) reader.read(m, at, of, out.replications);
  reader.read(m, at, "solver", out.solver);
  // Once the program printed a list of exact values under this name, beside estimates.
  if (const Value* exact = reader.member(m, "exact"); exact == nullptr || !exact->is_array())
    reader.read(m, at, "exact", out.exact);
  reader.read(m, at, "method", out.method);
  reader.read(m, at, "standard_error", out.standard_error);
  reader.read(m, at, "effective_samples", out.effective_samples);
  reader.read(m, at, "warm_up", out.warm_up);
  reader.read(m, at, "not_available", out.not_available);
  if (const Value* shares = reader.member(m, "causes")) {
    out.shares.emplace();
    if (!shares->is_object()) reader.wrong(at + "/causes", *shares, "an object");
    else
      for (const auto& [part, share] : shares->items())
        reader.value(share, at + "/causes/" + part, (*out.shares)[part]);
  }
  reader.each(m, at, "quantiles", [&](const Value& q, const std::string& place) {
    if (!q.is_object()) return void(reader.wrong(place, q, "an object with p and value"));
    double p = std::numeric_limits<double>::quiet_NaN(), value = p;
    reader.read(q, place, "p", p);
    reader.read(q, place, "value", value);
    if (p >= 0.0 && p <= 1.0) {
      out.quantiles[p] = value;
      if (reader.member(q, "lower") != nullptr) {
        Interval& ends = out.quantile_intervals[p];
        reader.read(q, place, "lower", ends.lower);
        reader.read(q, place, "upper", ends.upper);
      }
    } else reader.report(place + "/p", place + "/p is " + number_text(p) + ", wanted a probability.");
  });
  if (const Value* variance = reader.member(m, "variance")) {
    const std::string place = at + "/variance";
    if (!variance->is_object()) reader.wrong(place, *variance, "an object with value, lower and upper");
    else {
      reader.read(*variance, place, "value", out.variance);
      reader.read(*variance, place, "lower", out.variance_interval.lower);
      reader.read(*variance, place, "upper", out.variance_interval.upper);
    }
  }
  return out;
}

Series read_series(ResultReader& reader, const Value& s, const std::string& at) {
  Series out;
  reader.read(s, at, "measure", out.measure);
  reader.read(s, at, "kind", out.kind);
  reader.read(s, at, "label", out.label);
  reader.read(s, at, "x_label", out.x_label);
  reader.read(s, at, "x_unit", out.x_unit);
  reader.read(s, at, "y_label", out.y_label);
  reader.read(s, at, "y_unit", out.y_unit);
  reader.read(s, at, "exact", out.exact);
  reader.read(s, at, "solver", out.solver);
  reader.read(s, at, "x", out.x);
  reader.read(s, at, "y", out.y);
  reader.read(s, at, "lower", out.lower);
  reader.read(s, at, "upper", out.upper);
  const auto fits = [&](const std::vector<double>& list) { return list.empty() || list.size() == out.x.size(); };
  if (out.y.size() != out.x.size() || !fits(out.lower) || !fits(out.upper))
    reader.report(at, at + " has " + std::to_string(out.x.size()) + " x, " + std::to_string(out.y.size()) + " y, " +
                          std::to_string(out.lower.size()) + " lower and " + std::to_string(out.upper.size()) +
                          " upper, wanted as many of each.");
  return out;
}

ResultTable read_table(ResultReader& reader, const Value& t, const std::string& at) {
  ResultTable out;
  reader.read(t, at, "name", out.name);
  // It names files.
  if (!is_identifier(out.name)) reader.wrong(at + "/name", out.name, "letters, digits and _");
  reader.read(t, at, "title", out.title);
  reader.read(t, at, "solver", out.solver);
  reader.read(t, at, "exact", out.exact);
  reader.read(t, at, "note", out.note);
  if (const auto drawn = t.find("scatter"); drawn != t.end()) {
    const std::string place = at + "/scatter";
    if (!drawn->is_object()) {
      reader.wrong(place, *drawn, "an object with x and y");
    } else {
      TableScatter& scatter = out.scatter.emplace();
      reader.read(*drawn, place, "x", scatter.x), reader.read(*drawn, place, "y", scatter.y);
      reader.read(*drawn, place, "front", scatter.front), reader.read(*drawn, place, "label", scatter.label);
    }
  }
  reader.each(t, at, "columns", [&](const Value& c, const std::string& place) {
    ResultTable::Column& column = out.columns.emplace_back();
    if (!c.is_object()) return void(reader.wrong(place, c, "an object with label and unit"));
    reader.read(c, place, "label", column.label);
    reader.read(c, place, "unit", column.unit);
  });
  reader.each(t, at, "rows", [&](const Value& cells, const std::string& place) {
    std::vector<ResultTable::Cell>& row = out.rows.emplace_back();
    if (!cells.is_array() || cells.size() != out.columns.size())
      return void(reader.wrong(place, cells, ("a list of " + std::to_string(out.columns.size()) + " cells").c_str()));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].is_string()) {
        row.emplace_back(cells[i].get<std::string>());
        continue;
      }
      double x = std::numeric_limits<double>::quiet_NaN();
      reader.value(cells[i], place + "/" + std::to_string(i), x);
      row.emplace_back(x);
    }
  });
  return out;
}

void read_split(ResultReader& reader, const Value& s, const std::string& at, Split& out) {
  if (!s.is_object()) return void(reader.wrong(at, s, "an object with by and parts"));
  reader.read(s, at, "by", out.by);
  reader.read(s, at, "meaning", out.meaning);
  reader.each(s, at, "parts", [&](const Value& p, const std::string& place) {
    Split::Part& part = out.parts.emplace_back();
    if (!p.is_object()) return void(reader.wrong(place, p, "an object with name and label"));
    reader.read(p, place, "name", part.name);
    reader.read(p, place, "label", part.label);
    reader.read(p, place, "occurs", part.occurs);
  });
  if (out.parts.size() > most_split_parts)
    reader.report(at + "/parts", at + "/parts has " + std::to_string(out.parts.size()) + " entries, wanted at most " +
                                     std::to_string(most_split_parts) + ".");
}

/// The split of results that were kept before splits had labels of their own: by cause, always the same.
Split split_by_names(const std::vector<MeasureResult>& measures) {
  for (const MeasureResult& m : measures)
    if (m.shares)
      return {"cause",
              "the gravest common cause among the failures standing at that moment",
              {{"none", "none"}, {"independent", "independent"}, {"non_lethal", "non-lethal"}, {"lethal", "lethal"}}};
  return {};
}

Diagnostic read_diagnostic(ResultReader& reader, const Value& d, const std::string& at) {
  Diagnostic out;
  constexpr Severity severities[] = {Severity::info, Severity::warning, Severity::error};
  reader.read_name(d, at, "severity", severities, out.severity);
  reader.read(d, at, "code", out.code);
  reader.read(d, at, "element", out.element);
  reader.read(d, at, "pointer", out.pointer);
  reader.read(d, at, "message", out.message);
  reader.read(d, at, "hint", out.hint);
  std::uint64_t column = 0;
  reader.read(d, at, "column", column);
  out.column = static_cast<int>(std::min<std::uint64_t>(column, 1U << 30U));
  return out;
}

Declined read_declined(ResultReader& reader, const Value& d, const std::string& at) {
  Declined out;
  reader.read(d, at, "solver", out.solver);
  reader.read(d, at, "fits", out.fits);
  reader.each(d, at, "reasons", [&](const Value& v, const std::string& place) {
    if (v.is_object()) out.reasons.push_back(read_diagnostic(reader, v, place));
    else reader.wrong(place, v, "an object");
  });
  return out;
}

/// A result set at `at`; those beside it only where `with_company` allows it, so that nobody nests them without end.
ResultSet read_results(ResultReader& reader, const Value& document, const std::string& at, bool with_company) {
  ResultSet out;
  if (!document.is_object()) {
    reader.wrong(at, document, "an object");
    return out;
  }
  std::uint64_t schema = results_schema;
  reader.read(document, at, "schema", schema);
  if (schema > results_schema)
    reader.report(at + "/schema", at + "/schema is " + std::to_string(schema) + ", wanted at most " +
                                      std::to_string(results_schema) + ": these results come from a newer version.");
  const Value* run = reader.member(document, "run");
  if (run == nullptr || !run->is_object()) reader.report(at + "/run", at + "/run is missing, wanted an object.");
  else read_run(reader, *run, at + "/run", out);
  if (reader.member(document, "measures") == nullptr)
    reader.report(at + "/measures", at + "/measures is missing, wanted a list.");
  const auto objects = [&](const char* key, auto read, auto& list) {
    reader.each(document, at, key, [&](const Value& v, const std::string& place) {
      if (v.is_object()) list.push_back(read(reader, v, place));
      else reader.wrong(place, v, "an object");
    });
  };
  objects("measures", read_measure, out.measures);
  objects("series", read_series, out.series);
  objects("tables", read_table, out.tables);
  if (const Value* split = reader.member(document, "split")) read_split(reader, *split, at + "/split", out.split);
  else out.split = split_by_names(out.measures);
  objects("diagnostics", read_diagnostic, out.diagnostics);
  reader.read(document, at, "long_run", out.long_run);
  if (!with_company) return out;
  reader.each(document, at, "company", [&](const Value& v, const std::string& place) {
    out.company.push_back(std::make_shared<const ResultSet>(read_results(reader, v, place, false)));
  });
  objects("declined", read_declined, out.declined);
  return out;
}

}  // namespace

std::optional<ResultSet> from_json(const Value& document, Diagnostics& problems) {
  const std::size_t before = problems.size();
  ResultReader reader(problems);
  ResultSet out = read_results(reader, document, "", true);
  if (problems.size() != before) return std::nullopt;
  return out;
}

std::optional<ResultSet> parse_results(std::string_view text, Diagnostics& problems) {
  Value document;
  try {
    document = Value::parse(text);
  } catch (const Value::Exception& e) {
    ResultReader(problems).report("", std::string("The results are not JSON: ") + e.what());
    return std::nullopt;
  }
  return from_json(document, problems);
}

}  // namespace ergode
