#include "core/report/report_html.h"

#include <cmath>
#include <filesystem>

#include "core/base/text.h"
#include "core/report/report_figures.h"
#include "core/report/report_parts.h"
#include "core/results/answer.h"
#include "core/results/occurrence.h"
#include "core/results/value_text.h"

namespace ergode {
namespace {

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string interval_or_kind(const MeasureResult& m, bool long_run) {
  if (!m.not_available.empty()) return "";
  const Answer answer = answer_of(m, long_run);
  if (answer == Answer::bounds) return to_text(answer) + (" " + interval_text(m));
  return answer == Answer::estimate ? interval_text(m) : to_text(answer);
}

}  // namespace

std::string or_missing(const std::string& text, const char* missing) { return text.empty() ? missing : text; }

std::string estimate_text(const MeasureResult& m) {
  return m.not_available.empty() ? value_text(m) : "none: " + m.not_available;
}

std::string inside_text(const MeasureResult& m, const MeasureResult* exact) {
  if (exact == nullptr) return "";
  if (m.exact) return "is exact";
  if (!m.not_available.empty()) return "no estimate";
  if (!has_interval(m)) return "no interval";
  return exact->estimate >= m.lower && exact->estimate <= m.upper ? "yes" : "no";
}

std::string Report::text() {
  summary();
  scope();
  model();
  data();
  quantification();
  results();
  verification();
  diagnostics();
  provenance();
  std::vector<std::string> head;
  if (main_ != nullptr) {
    const Provenance& p = main_->provenance;
    head.push_back("Solver " + p.solver + (p.scenario.empty() ? ", base values" : ", scenario " + p.scenario) +
                   ", seed " + std::to_string(p.seed) + ", Ergode " + or_missing(p.version, "of unknown version"));
    head.push_back("Model " + or_missing(p.model_path, "without a file") + ", semantic hash " +
                   or_missing(p.semantic_hash));
    if (!p.made.finished_utc.empty()) head.push_back("Finished " + p.made.finished_utc);
  }
  return page_.text(head, foot());
}

void Report::choose_headline() {
  if (main_ == nullptr) return;
  for (const MeasureResult& m : main_->measures) {
    const Element* e = input_.document != nullptr ? input_.document->find(m.element) : nullptr;
    if (e != nullptr && e->text("headline") == "true") headline_.push_back(&m);
  }
  named_headline_ = !headline_.empty();
  if (!named_headline_)
    for (const MeasureResult& m : main_->measures)
      if (headline_.size() < 8) headline_.push_back(&m);
}

void Report::summary() {
  page_.section("Summary");
  if (input_.document != nullptr && input_.document->model().has("question"))
    page_.notes(input_.document->model().text("question"));
  if (main_ == nullptr) {
    page_.missing("No results: the model has not been run.");
    return;
  }
  if (main_->status == RunStatus::failed)
    page_.warning("The run failed: " + or_missing(main_->stop_reason, "no reason was recorded") + ".");
  if (main_->status == RunStatus::partial)
    page_.warning("Partial results, of a run that had not come to its end (" +
                  or_missing(main_->stop_reason, "no reason was recorded") + "): " + count_text(main_->replications) +
                  " replications; the intervals hold for these.");
  if (headline_.empty()) {
    page_.missing("The run has no measures.");
    return;
  }
  if (!named_headline_ && headline_.size() < main_->measures.size())
    page_.paragraph("No measure is marked as headline; the first " + std::to_string(headline_.size()) + " of " +
                    std::to_string(main_->measures.size()) + " are shown. All stand under Results.");
  ReportTable t;
  t.caption = "Headline measures";
  t.columns = {"Measure",    "Unit",        "Estimate",     "Interval",
               "Confidence", "Exact value", "Difference %", "Exact inside interval"};
  // What is the exact value of a measure of the long run is not told again as what it tends to.
  const auto limit_of = [&](const MeasureResult* m) -> const MeasureResult* {
    const MeasureResult* limit = long_run_counterpart(input_.results, m->id);
    return limit != exact_counterpart(input_.results, m->id) ? limit : nullptr;
  };
  const bool limits =
      std::any_of(headline_.begin(), headline_.end(), [&](const MeasureResult* m) { return limit_of(m) != nullptr; });
  if (limits) t.columns.push_back("In the long run");
  for (const MeasureResult* m : headline_) {
    const MeasureResult* exact = exact_counterpart(input_.results, m->id);
    t.rows.push_back(
        {m->label.empty() ? m->id : m->label, m->unit, estimate_of(*m), interval_or_kind(*m, main_->long_run),
         m->exact || without_spread(*m) ? "" : number_text(100 * m->confidence, 12) + " %",
         exact != nullptr ? value_text(*exact) : "", difference_percent(*m, exact), inside_text(*m, exact)});
    if (!limits) continue;
    const MeasureResult* limit = limit_of(m);
    t.rows.back().push_back(limit == nullptr ? ""
                                             : value_text(*limit) + (limit->unit == m->unit ? "" : " " + limit->unit));
  }
  t.note =
      "A dash means that there is no such value: no exact solver that was asked answers the measure (see "
      "Verification), or it is exact itself, or one value in all replications.";
  page_.table(t);
  split();
}

std::string Report::estimate_of(const MeasureResult& m) const {
  const std::string among = occurrence_note(m, main_->replications);
  return estimate_text(m) + (among.empty() ? "" : " (" + among + ")");
}

void Report::split() {
  const Split& split = main_->split;
  const std::vector<SplitPart> parts = main_->split_parts();
  std::vector<SplitBar> bars;
  ReportTable t;
  t.caption = "Headline measures by " + split.by + ": " + split.meaning;
  t.columns = {"Measure"};
  for (const SplitPart part : parts) t.columns.push_back(capitalised(split.parts[part].label));
  for (const MeasureResult* m : headline_) {
    if (!m->shares || split.empty()) continue;
    SplitBar bar{m->label.empty() ? m->id : m->label, std::vector<double>(split.parts.size())};
    for (SplitPart part = 0; part < split.parts.size(); ++part) {
      const auto found = m->shares->find(split.parts[part].name);
      if (found != m->shares->end() && std::isfinite(found->second)) bar.shares[part] = std::max(0.0, found->second);
    }
    // Of what no part has a share in there is nothing to split.
    if (std::none_of(bar.shares.begin() + 1, bar.shares.end(), [](double share) { return share > 0.0; })) continue;
    t.rows.push_back({bar.label});
    for (const SplitPart part : parts) t.rows.back().push_back(part_text(*m, bar.shares[part]));
    bars.push_back(std::move(bar));
  }
  if (bars.empty()) {
    // A model that divides nothing needs no word of it.
    if (!split.empty())
      page_.missing("No split by " + split.by + ": the measures have none, or none of the parts was seen.");
    return;
  }
  page_.figure(split_figure(split, bars), "Shares of the headline measures by " + split.by);
  t.note = "In the unit of the measure; the parts add up to its estimate.";
  page_.table(t);
}

void Report::diagnostics() {
  page_.section("Diagnostics");
  ReportTable t;
  t.caption = "What checking and solving the model found";
  t.columns = {"Severity", "Code", "Element", "Message", "Hint"};
  const auto take = [&](const Diagnostics& list) {
    for (const Diagnostic& d : list) {
      std::string place = input_.document != nullptr && d.element ? input_.document->path(d.element) : "";
      if (place.empty()) place = d.pointer;
      t.rows.push_back({to_text(d.severity), d.code, place, d.message, d.hint});
    }
  };
  take(input_.diagnostics);
  for (const ResultSet& r : input_.results) take(r.diagnostics);
  if (t.rows.empty()) page_.paragraph("None: the model was checked without findings, and solving it gave no warnings.");
  else page_.table(t);
}

void Report::provenance() {
  page_.appendix("Provenance");
  if (input_.results.empty()) {
    page_.missing("No run, hence no provenance.");
    return;
  }
  page_.paragraph("The command that makes the run again:");
  if (main_->provenance.command.empty()) page_.missing("No command was recorded.");
  else page_.code(main_->provenance.command);
  std::vector<std::vector<std::string>> of_the_run;
  const auto contains = [](const auto& rows, const auto& row) {
    return std::find(rows.begin(), rows.end(), row) != rows.end();
  };
  for (const ResultSet& r : input_.results) {
    const Provenance& p = r.provenance;
    ReportTable t;
    t.caption = "Run " + or_missing(p.run_id, "without an id") + " (" + or_missing(p.solver, "solver not stated") + ")";
    t.columns = {"Item", "Value"};
    t.rows = {{"Ergode", or_missing(p.version)},
              {"Model", or_missing(p.model_name)},
              {"File", or_missing(p.model_path)},
              {"Semantic hash", or_missing(p.semantic_hash)},
              {"File hash", or_missing(p.file_hash)},
              {"Scenario", or_missing(p.scenario, "base values")},
              {"Seed used", std::to_string(p.seed)},
              {"Random numbers", or_missing(p.generator)},
              {"Naming of streams", or_missing(p.stream_rule)}};
    for (const auto& [name, hash] : p.data_files) t.rows.push_back({"Hash of data file " + name, hash});
    for (const auto& [key, value] : p.options) {
      const bool fewer = key == "replications" && r.replications > 0 && value != std::to_string(r.replications);
      t.rows.push_back({"Option " + key, fewer ? std::to_string(r.replications) + " made; asked: " + value : value});
    }
    t.rows.push_back({"Started (UTC)", or_missing(p.made.started_utc)});
    t.rows.push_back({"Finished (UTC)", or_missing(p.made.finished_utc)});
    t.rows.push_back({"Elapsed", number_text(p.made.elapsed_s, 4) + " s"});
    t.rows.push_back({"Threads", std::to_string(p.made.threads)});
    t.rows.push_back({"Host", or_missing(p.made.host)});
    t.rows.push_back({"Compiler", or_missing(p.made.compiler)});
    t.note =
        "Started, finished, elapsed, threads and host may differ between two runs with equal results; nothing else "
        "may.";
    if (&r == main_) {
      of_the_run = t.rows;
    } else if (std::erase_if(t.rows, [&](const auto& row) { return contains(of_the_run, row); }) > 0) {
      t.note = "Everything else is as of the run above.";
    }
    page_.table(t);
  }
}

std::string Report::foot() const {
  if (main_ == nullptr) return "Made by Ergode from a model without a run.";
  const Provenance& p = main_->provenance;
  return "Made by Ergode " + or_missing(p.version, "(version not recorded)") + " from run " +
         or_missing(p.run_id, "without an id") + ", seed " + std::to_string(p.seed) + ", model " +
         or_missing(p.semantic_hash, "hash not recorded") + (p.command.empty() ? "" : ". Again by: " + p.command);
}

std::string report_html(const ReportInput& input) { return Report(input).text(); }

std::optional<Diagnostic> refuse_report_name(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (extension.empty() || extension == ".html" || extension == ".htm") return std::nullopt;
  return Diagnostic{.code = "RES011",
                    .message = "A report is written as HTML; \"" + extension + "\" is another format; wanted .html.",
                    .hint = "A browser prints it as PDF."};
}

}  // namespace ergode
