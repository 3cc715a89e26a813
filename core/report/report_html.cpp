#include "core/report/report_html.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/catalogue/model_kinds.h"
#include "core/drawing/diagram_picture.h"
#include "core/expression/parameters.h"
#include "core/report/html_page.h"
#include "core/report/report_figures.h"
#include "core/results/answer.h"
#include "core/results/value_text.h"

namespace ergode {
namespace {

/// Samples behind an estimate; of weighted ones how many equal ones would be worth the same.
std::string samples_text(const MeasureResult& m) {
  const std::string all = count_text(m.replications);
  return m.effective_samples > 0.0
             ? all + " (" + count_text(static_cast<std::uint64_t>(m.effective_samples)) + " effective)"
             : all;
}

constexpr std::size_t figure_limit = 40;
constexpr std::size_t most_diagrams = 500;  // nobody leafs through more, and each costs time and room

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// A number that has no interval.
std::string plain_text(double value, int digits) { return value_texts(value, value, value, digits).value; }

std::string or_missing(const std::string& text, const char* missing = "not stated") {
  return text.empty() ? missing : text;
}

std::string interval_or_kind(const MeasureResult& m, bool long_run) {
  if (!m.not_available.empty()) return "";
  const Answer answer = answer_of(m, long_run);
  if (answer == Answer::bounds) return to_text(answer) + (" " + interval_text(m));
  return answer == Answer::estimate ? interval_text(m) : to_text(answer);
}

std::string estimate_text(const MeasureResult& m) {
  return m.not_available.empty() ? value_text(m) : "none: " + m.not_available;
}

/// "yes", "no", or why the question cannot be asked.
std::string inside_text(const MeasureResult& m, const MeasureResult* exact) {
  if (exact == nullptr) return "";
  if (m.exact) return "is exact";
  if (!m.not_available.empty()) return "no estimate";
  return exact->estimate >= m.lower && exact->estimate <= m.upper ? "yes" : "no";
}

/// Writes one report; its parts share the input and what is derived from it once.
class Report {
 public:
  explicit Report(const ReportInput& input) : input_(input), page_(title_of(input)) {
    if (!input.results.empty()) main_ = &input.results.front();
    Diagnostics ignored;
    if (input.document != nullptr) base_ = ParameterTable::resolve(*input.document, "", {}, ignored);
    choose_headline();
  }

  std::string text() {
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

 private:
  static std::string title_of(const ReportInput& input) {
    if (input.document != nullptr && !input.document->model().name().empty()) return input.document->model().name();
    if (!input.results.empty() && !input.results.front().provenance.model_name.empty())
      return input.results.front().provenance.model_name;
    return "Model without a name";
  }

  void choose_headline() {
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

  void summary() {
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
      page_.warning("Partial results. The run stopped before its end (" +
                    or_missing(main_->stop_reason, "no reason was recorded") + ") after " +
                    count_text(main_->replications) + " replications; the intervals hold for these.");
    if (headline_.empty()) {
      page_.missing("The run has no measures.");
      return;
    }
    if (!named_headline_) page_.paragraph("No measure is marked as headline; the first ones are shown.");
    ReportTable t;
    t.caption = "Headline measures";
    t.columns = {"Measure", "Unit", "Estimate", "Interval", "Confidence", "Exact value", "Exact inside interval"};
    const bool limits = std::any_of(headline_.begin(), headline_.end(), [&](const MeasureResult* m) {
      return long_run_counterpart(input_.results, m->id) != nullptr;
    });
    if (limits) t.columns.push_back("In the long run");
    for (const MeasureResult* m : headline_) {
      const MeasureResult* exact = exact_counterpart(input_.results, m->id);
      t.rows.push_back({m->label.empty() ? m->id : m->label, m->unit, estimate_text(*m),
                        interval_or_kind(*m, main_->long_run),
                        m->exact ? "" : number_text(100 * m->confidence, 4) + " %",
                        exact != nullptr ? value_text(*exact) : "", inside_text(*m, exact)});
      if (!limits) continue;
      const MeasureResult* limit = long_run_counterpart(input_.results, m->id);
      t.rows.back().push_back(
          limit == nullptr ? "" : value_text(*limit) + (limit->unit == m->unit ? "" : " " + limit->unit));
    }
    t.note = "A dash means that there is no such value: no closed form answers the measure, or it is exact itself.";
    page_.table(t);
    split();
  }

  void split() {
    const Split& split = main_->split;
    std::vector<SplitPart> parts = split.shown();
    if (!split.empty()) parts.push_back(0);
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

  void scope() {
    page_.section("Scope and assumptions");
    if (input_.document == nullptr) {
      page_.missing("The model is not available, so its scope and assumptions cannot be listed.");
      return;
    }
    const Element& header = input_.document->model();
    if (header.has("description")) page_.notes(header.text("description"));
    else page_.missing("The model has no notes on its scope.");
    page_.heading("Assumptions");
    if (header.has("assumptions")) assumptions(header.text("assumptions"));
    else page_.missing("No assumptions are recorded in the model.");
    std::vector<std::string> from_parameters;
    for (const Element* p : input_.document->of(Section::parameter)) {
      std::string source = p->text("source");
      std::transform(source.begin(), source.end(), source.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
      if (source.find("assum") != std::string::npos)
        from_parameters.push_back(p->name() + " = " + value_in_run(*p) + ": " + p->text("source"));
    }
    if (!from_parameters.empty()) {
      page_.paragraph("Parameters whose source is an assumption:");
      page_.list(from_parameters);
    }
    page_.heading("Exclusions");
    ReportTable t;
    t.caption = "Findings that the analyst has excluded, with the reason";
    t.columns = {"Finding", "Element", "Reason"};
    for (const Element* e : input_.document->of(Section::exclusion))
      t.rows.push_back({e->text("code"), e->text("element"), or_missing(e->text("comment"))});
    if (t.rows.empty()) page_.paragraph("None: no finding is excluded.");
    else page_.table(t);
    page_.paragraph(
        "Not part of this report: importance measures, and the uncertainty of the parameters themselves. The intervals "
        "below are statistical: they say how far sampling may be off for the parameter values given.");
  }

  /// The parameter's value in this run; empty: no run, or not known to it.
  std::string resolved(const std::string& name) const {
    if (main_ == nullptr) return "";
    const auto found = main_->provenance.parameters.find(name);
    return found == main_->provenance.parameters.end() ? "" : found->second;
  }

  /// The value that the results rest on, with the model's own where scenario or user set another.
  std::string value_in_run(const Element& parameter) const {
    const std::string drawn = parameter.text("value"), run = resolved(parameter.name());
    if (run.empty()) return drawn;
    const Parameter* base = base_.find(parameter.name());
    const bool changed = base != nullptr && base->value_text() != run;
    return changed ? run + " in this run (" + drawn + " in the model)" : run;
  }

  /// One assumption a line, unless the author made paragraphs or a list of his own.
  void assumptions(const std::string& text) {
    if (text.find("\n\n") != std::string::npos || text.find("\n- ") != std::string::npos ||
        text.find('\n') == std::string::npos)
      return page_.notes(text);
    std::vector<std::string> lines;
    for (const std::string& line : ergode::split(text, '\n'))
      if (!trim(line).empty()) lines.emplace_back(trim(line));
    page_.list(lines);
  }

  void model() {
    page_.section("Model");
    if (input_.document == nullptr) {
      page_.missing("The model is not available; its diagrams cannot be drawn.");
      return;
    }
    const auto diagrams = input_.document->of(Section::diagram);
    if (diagrams.empty()) page_.missing("The model has no diagrams.");
    if (diagrams.size() > most_diagrams)
      page_.missing("The model has " + std::to_string(diagrams.size()) + " diagrams; the first " +
                    std::to_string(most_diagrams) + " are drawn here.");
    for (std::size_t i = 0; i < std::min(diagrams.size(), most_diagrams); ++i) {
      const Element* d = diagrams[i];
      page_.heading(or_missing(d->name(), "Diagram without a name"));
      if (d->has("description")) page_.notes(d->text("description"));
      const Picture picture = draw_diagram(*input_.document, d->id, catalogue());
      if (picture.primitives.empty()) page_.missing("The diagram is empty.");
      else
        page_.figure(picture, "Diagram " + or_missing(d->name(), "without a name") + " (" +
                                  or_missing(d->text("notation"), "notation not stated") + ")");
      edges(*d);
    }
  }

  /// A table for each kind of edge that its notation wants listed.
  void edges(const Element& diagram) {
    const NotationSpec* notation = catalogue().notation(diagram.text("notation"));
    if (notation == nullptr) return;
    for (const KindSpec& kind : notation->kinds)
      if (!kind.report_columns.empty()) edges(diagram, kind);
  }

  void edges(const Element& diagram, const KindSpec& kind) {
    ReportTable t;
    t.caption = kind.report_caption;
    if (const std::size_t name = t.caption.find('*'); name != std::string::npos)
      t.caption.replace(name, 1, or_missing(diagram.name(), "the diagram"));
    t.columns = {"From", "To"};
    for (const std::string& column : kind.report_columns) {
      const PropertySpec* property = kind.property(column);
      t.columns.push_back(property != nullptr ? property->label : column);
    }
    const auto end_name = [&](ElementId id) {
      const Element* e = input_.document->find(id);
      if (e == nullptr) return std::string("missing");
      return e->name().empty() ? "(" + e->kind + ")" : e->name();
    };
    for (const Element* e : input_.document->edges(diagram.id)) {
      if (e->kind != kind.kind) continue;
      t.rows.push_back({end_name(e->source), end_name(e->target)});
      for (const std::string& column : kind.report_columns) t.rows.back().push_back(e->text(column));
    }
    if (!t.rows.empty()) page_.table(t);
  }

  const Catalogue& catalogue() const {
    static const Catalogue none;
    return input_.catalogue != nullptr ? *input_.catalogue : none;
  }

  void data() {
    page_.section("Data and common-cause parameters");
    parameters();
    page_.heading("Common-cause groups");
    if (!input_.ccf_groups.empty()) {
      for (const ReportSection& group : input_.ccf_groups) {
        page_.heading(group.heading);
        for (const std::string& text : group.paragraphs) page_.paragraph(text);
        for (const ReportTable& table : group.tables) page_.table(table);
      }
      return;
    }
    ReportTable t;
    t.caption = "Common-cause groups as given";
    t.columns = {"Group", "Property", "Value"};
    if (input_.document != nullptr)
      for (const Element* e : input_.document->of(Section::node))
        if (e->kind == "ccf_group")
          for (const auto& [key, value] : e->properties.items())
            if (key != "name") t.rows.push_back({e->name(), key, e->text(key)});
    if (t.rows.empty()) page_.missing("The model has no common-cause groups.");
    else {
      page_.table(t);
      page_.missing("The expansion of the groups into their events is not available for this run.");
    }
  }

  void parameters() {
    ReportTable t;
    t.caption = "Parameters";
    t.columns = {"Name", "Meaning", "Value in the model", "Value in this run", "Unit", "Source"};
    std::set<std::string> listed;
    if (input_.document != nullptr)
      for (const Element* p : input_.document->of(Section::parameter)) {
        listed.insert(p->name());
        t.rows.push_back({p->name(), p->text("description"), p->text("value"), resolved(p->name()), p->text("unit"),
                          or_missing(p->text("source"))});
      }
    if (main_ != nullptr)
      for (const auto& [name, value] : main_->provenance.parameters)
        if (!listed.contains(name)) t.rows.push_back({name, "", "", value, "", "not available"});
    if (t.rows.empty()) page_.missing("The model has no parameters.");
    else page_.table(t);
    if (main_ == nullptr || main_->provenance.overrides.empty()) return;
    ReportTable o;
    o.caption = "Values set for this run by its user";
    o.columns = {"Parameter", "Given as"};
    for (const auto& [name, value] : main_->provenance.overrides) o.rows.push_back({name, value});
    page_.table(o);
  }

  void quantification() {
    page_.section("Quantification");
    if (main_ == nullptr) {
      page_.missing("No run, hence no method to describe.");
      return;
    }
    const Provenance& p = main_->provenance;
    ReportTable t;
    t.caption = "How the numbers were made";
    t.columns = {"Aspect", "Value"};
    t.rows = {{"Solver", p.solver},
              {"Replications", main_->replications > 0 ? count_text(main_->replications) : "none (no sampling)"},
              {"Chart events executed", main_->events > 0 ? count_text(main_->events) : "none"},
              {"Stopped by", or_missing(main_->stop_reason)},
              {"Status", to_text(main_->status)},
              {"Seed", std::to_string(p.seed)},
              {"Random numbers", or_missing(p.generator)},
              {"Naming of streams", or_missing(p.stream_rule)},
              {"Fingerprint", or_missing(main_->fingerprint)}};
    std::set<std::string> methods;
    for (const MeasureResult& m : main_->measures)
      if (!m.method.empty()) methods.insert(m.method);
    std::string joined;
    for (const std::string& m : methods) joined += (joined.empty() ? "" : ", ") + m;
    t.rows.push_back({"Intervals by", or_missing(joined)});
    page_.table(t);
    page_.heading("Convergence");
    if (figures("convergence", headline_, "Convergence of ") == 0)
      page_.missing("No convergence curves: the solver does not sample, or the run kept none.");
  }

  std::size_t figures(const char* kind, const std::vector<const MeasureResult*>& measures, const std::string& caption) {
    std::size_t drawn = 0;
    for (const MeasureResult* m : measures) {
      const auto picture = series_figure(input_.results, m->id, kind);
      if (!picture) continue;
      if (figures_ >= figure_limit) {
        page_.missing("Further curves are in the result file; a report shows at most " + std::to_string(figure_limit) +
                      ".");
        break;
      }
      ++figures_;
      ++drawn;
      page_.figure(*picture, caption + (m->label.empty() ? m->id : m->label));
    }
    return drawn;
  }

  void results() {
    page_.section("Results");
    if (main_ == nullptr) {
      page_.missing("No results.");
      return;
    }
    std::vector<const MeasureResult*> all;
    for (const MeasureResult& m : main_->measures) all.push_back(&m);
    page_.heading("Over the mission");
    if (figures("curve", all, "Over time: ") == 0) page_.missing("No measure has a curve over time.");
    page_.heading("Distributions of times and values");
    if (figures("distribution", all, "Distribution: ") == 0) page_.missing("No measure has a distribution.");
    quantiles();
    tables();
    page_.heading("All measures");
    ReportTable t;
    t.caption = "All measures of the run";
    t.columns = {"Name", "Measure", "Kind", "Unit", "Estimate", "Lower", "Upper", "Standard error", "Samples"};
    for (const MeasureResult& m : main_->measures) {
      const bool sampled = !m.exact && m.not_available.empty();
      const ValueTexts texts = value_texts(m.estimate, m.lower, m.upper);
      t.rows.push_back({m.id, m.label, choice_label(measure_types(), m.kind), m.unit, estimate_text(m),
                        sampled ? texts.lower : "", sampled ? texts.upper : "",
                        sampled ? plain_text(m.standard_error, 2) : "", m.exact ? "" : samples_text(m)});
    }
    page_.table(t);
  }

  void quantiles() {
    ReportTable t;
    t.caption = "Quantiles";
    t.columns = {"Measure", "Unit", "Probability", "Value", "Lower", "Upper"};
    for (const MeasureResult& m : main_->measures)
      for (const auto& [probability, value] : m.quantiles) {
        const auto found = m.quantile_intervals.find(probability);
        if (found == m.quantile_intervals.end())
          t.note =
              "Quantiles without ends are of the observations of all replications together. Those of one replication "
              "depend on each other, so these have no interval; a measure of the type quantile of observations has "
              "one.";
        const Interval ends = found != m.quantile_intervals.end() ? found->second : Interval{NAN, NAN};
        const ValueTexts texts = value_texts(value, ends.lower, ends.upper);
        t.rows.push_back({m.label.empty() ? m.id : m.label, m.unit, number_text(probability, 4), texts.value,
                          std::isnan(ends.lower) ? "" : texts.lower, std::isnan(ends.upper) ? "" : texts.upper});
      }
    if (!t.rows.empty()) page_.table(t);
  }

  /// What the solvers of this run and of those beside it know besides the measures.
  void tables() {
    bool first = true;
    for (const ResultSet& r : input_.results)
      for (const ResultTable& table : r.tables) {
        if (first) page_.heading("Further results");
        first = false;
        ReportTable t;
        t.caption = table.title + " (" + (table.exact ? "exact, " : "") + table.solver + ")";
        for (const ResultTable::Column& column : table.columns) t.columns.push_back(column_text(column));
        for (const std::vector<ResultTable::Cell>& row : table.rows) {
          std::vector<std::string>& cells = t.rows.emplace_back();
          for (const ResultTable::Cell& cell : row) cells.push_back(cell_text(cell));
        }
        t.note = table.note;
        page_.table(t);
      }
  }

  void verification() {
    page_.section("Verification: estimates beside exact values");
    ReportTable t;
    t.caption = "Every measure that has an exact value";
    t.columns = {"Measure",    "Unit",         "Estimate",        "Exact",
                 "Difference", "Difference %", "Standard errors", "Exact inside interval"};
    int inside = 0, asked = 0;
    if (main_ != nullptr)
      for (const MeasureResult& m : main_->measures) {
        const MeasureResult* exact = exact_counterpart(input_.results, m.id);
        if (exact == nullptr || m.exact || !m.not_available.empty()) continue;
        const double difference = m.estimate - exact->estimate;
        ++asked;
        inside += inside_text(m, exact) == "yes";
        t.rows.push_back({m.id, m.unit, value_text(m), value_text(*exact, 9), plain_text(difference, 3),
                          exact->estimate != 0 ? plain_text(100 * difference / exact->estimate, 3) + " %" : "",
                          m.standard_error > 0 ? plain_text(difference / m.standard_error, 3) : "",
                          inside_text(m, exact)});
      }
    if (asked == 0) {
      page_.missing("No estimate of this run has an exact value to be compared with.");
      return;
    }
    const double confidence = headline_.empty() ? 0.95 : headline_.front()->confidence;
    page_.paragraph(std::to_string(inside) + " of " + std::to_string(asked) +
                    " exact values lie inside the interval of their estimate; at " + number_text(100 * confidence, 4) +
                    " % confidence " + number_text(asked * confidence, 3) + " are expected on average.");
    page_.table(t);
  }

  void diagnostics() {
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
    if (t.rows.empty())
      page_.paragraph("None: the model was checked without findings, and solving it gave no warnings.");
    else page_.table(t);
  }

  void provenance() {
    page_.appendix("Provenance");
    if (input_.results.empty()) {
      page_.missing("No run, hence no provenance.");
      return;
    }
    page_.paragraph("The command that makes the run again:");
    if (main_->provenance.command.empty()) page_.missing("No command was recorded.");
    else page_.code(main_->provenance.command);
    for (const ResultSet& r : input_.results) {
      const Provenance& p = r.provenance;
      ReportTable t;
      t.caption =
          "Run " + or_missing(p.run_id, "without an id") + " (" + or_missing(p.solver, "solver not stated") + ")";
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
      page_.table(t);
    }
  }

  std::string foot() const {
    if (main_ == nullptr) return "Made by Ergode from a model without a run.";
    const Provenance& p = main_->provenance;
    return "Made by Ergode " + or_missing(p.version, "(version not recorded)") + " from run " +
           or_missing(p.run_id, "without an id") + ", seed " + std::to_string(p.seed) + ", model " +
           or_missing(p.semantic_hash, "hash not recorded") + (p.command.empty() ? "" : ". Again by: " + p.command);
  }

  const ReportInput& input_;
  HtmlPage page_;
  const ResultSet* main_ = nullptr;
  ParameterTable base_;  ///< the model's own values
  std::vector<const MeasureResult*> headline_;
  bool named_headline_ = false;
  std::size_t figures_ = 0;
};

}  // namespace

std::string report_html(const ReportInput& input) { return Report(input).text(); }

}  // namespace ergode
