#pragma once
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/document/document.h"
#include "core/expression/parameters.h"
#include "core/report/html_page.h"
#include "core/report/report_html.h"
#include "core/results/result_set.h"

// Inside of core/report.
namespace ergode {

/// The text, or that there is none.
std::string or_missing(const std::string& text, const char* missing = "not stated");
/// The estimate with the digits that its interval leaves it, or why there is none.
std::string estimate_text(const MeasureResult& m);
/// "yes", "no", or why the question cannot be asked.
std::string inside_text(const MeasureResult& m, const MeasureResult* exact);
/// How far an estimate is from the exact value, over that: "-0.12 %"; empty: there is none, or it is 0.
std::string difference_percent(const MeasureResult& m, const MeasureResult* exact);
/// One value in all replications, by what it is: there is nothing to estimate, hence neither interval nor error.
inline bool without_chance(const MeasureResult& m) { return m.method == "fixed"; }
/// The same in every replication, be it by what it is or as it came: an interval without width says nothing.
inline bool without_spread(const MeasureResult& m) {
  return without_chance(m) || (m.lower == m.upper && m.standard_error == 0.0);
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
  std::string text();

 private:
  static std::string title_of(const ReportInput& input) {
    if (input.document != nullptr && !input.document->model().name().empty()) return input.document->model().name();
    if (!input.results.empty() && !input.results.front().provenance.model_name.empty())
      return input.results.front().provenance.model_name;
    return "Model without a name";
  }
  void choose_headline();
  /// The estimate of the run that is reported, with the histories that it leaves out.
  std::string estimate_of(const MeasureResult& m) const;
  void summary();
  void split();
  void scope();

  /// The parameter's value in this run; empty: no run, or not known to it.
  std::string resolved(const std::string& name) const;

  /// The value that the results rest on, with the model's own where scenario or user set another.
  std::string value_in_run(const Element& parameter) const;

  /// One assumption a line, unless the author made paragraphs or a list of his own.
  void assumptions(const std::string& text);
  void model();

  /// A table for each caption under which the notation wants elements of its diagrams listed.
  void elements(const Element& diagram);
  void elements(const Element& diagram, const std::vector<const KindSpec*>& kinds);
  /// Of kinds that have no table of their own, what is set.
  void other_elements(const Element& diagram, const NotationSpec& notation);
  /// What a property of an element is, as a cell of such a table: choices by their labels, also where a parameter names
  /// one, as in "policy: fixed widths"; empty where another property keeps it from being read.
  std::string cell(const KindSpec& kind, const Element& element, const std::string& column) const;
  /// What else the element sets of its behaviour, as "Arrival rate = 36 /h; Customers = 50".
  std::string settings(const KindSpec& kind, const Element& element) const;
  /// The word that a choice is in this run, be it named by a parameter.
  std::string chosen(const PropertySpec& property, const std::string& text) const;
  /// The name with those of what it stands in, "Working.Healthy"; of what has no name its kind.
  std::string path_of(ElementId element) const;

  const Catalogue& catalogue() const {
    static const Catalogue none;
    return input_.catalogue != nullptr ? *input_.catalogue : none;
  }
  void data();

  /// What the run says of nodes of a kind, in the order of the input.
  std::vector<const ReportSection*> told_of(const KindSpec& kind) const;
  /// Whether the model has nodes of a kind; whether it has diagrams in which some are expected.
  bool has(const KindSpec& kind) const;
  bool expects(const KindSpec& kind) const;
  void section(const ReportSection& section);
  /// The properties of all nodes of a kind as they are given.
  void given(const KindSpec& kind);
  void parameters();
  void quantification();
  std::size_t figures(const char* kind, const std::vector<const MeasureResult*>& measures, const std::string& caption);
  void results();
  void quantiles();
  /// What each measure is of (expression, stream, class, scale), and what was left out as its warm-up.
  void asked();

  /// A table with its figure, if it is drawn as one. Of a long one its first 200 rows, and where all are to be had.
  void table(const ResultTable& table, const std::vector<std::string>& solvers);
  /// Choices compared in pairs, of whose runs this is the first.
  void comparisons();
  /// What the solvers of this run and of those beside it know besides the measures.
  void tables();
  void verification();

  /// Solvers that were asked beside the run in vain, with their reasons.
  void unanswered();
  void diagnostics();
  void provenance();
  std::string foot() const;

  const ReportInput& input_;
  HtmlPage page_;
  const ResultSet* main_ = nullptr;
  ParameterTable base_;  ///< the model's own values
  std::vector<const MeasureResult*> headline_;
  bool named_headline_ = false;
  std::size_t figures_ = 0;
};

}  // namespace ergode
