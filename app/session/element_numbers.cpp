#include "app/session/element_numbers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "app/session/catalogue.h"
#include "app/session/run_name.h"
#include "core/base/text.h"
#include "core/catalogue/element_figure.h"
#include "core/catalogue/measure_kinds.h"
#include "core/document/command.h"

namespace ergode {
namespace {

using FigureAnswer = ElementFigure::Answer;
using Meaning = MeasureKind::Meaning;

std::string without_blanks(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

bool is_mean(Meaning m, bool of_stream) {
  if (m == Meaning::long_run || m == Meaning::regenerative) return true;
  return m == (of_stream ? Meaning::observed_mean : Meaning::average);
}

/// By what is asked for: the measures that ask for it.
class Asked {
 public:
  explicit Asked(const Document& document) {
    for (const Element* measure : document.of(Section::measure)) add(*measure);
  }
  /// Null: nobody asks.
  const std::vector<const Element*>* who(const FigureAnswer& answer) const {
    const auto found = measures_.find(key(answer));
    return found == measures_.end() ? nullptr : &found->second;
  }

 private:
  static std::string key(const FigureAnswer& a) {
    if (!a.stream.empty())
      return (a.rate ? "rate " : "mean ") + a.stream + " times " + without_blanks(a.scale) + " of " + a.of_class;
    return "value " + without_blanks(a.expression) + " times " + without_blanks(a.scale);
  }
  void add(const Element& measure) {
    const MeasureKind* kind = find_measure_kind(measure.text("type"));
    if (kind == nullptr || !measure.text("index").empty()) return;
    std::string scale = measure.text("scale");
    if (scale == "1") scale.clear();
    const std::string of = without_blanks(measure.text("of"));
    const bool of_stream = kind->takes_stream() && !of.empty();
    const bool rate = of_stream && kind->meaning == Meaning::observed_rate;
    if (!rate && !is_mean(kind->meaning, of_stream)) return;
    measures_[key({.expression = measure.text("expression"),
                   .stream = of_stream ? of : "",
                   .scale = scale,
                   .rate = rate,
                   .of_class = std::string(trim(measure.text("class")))})]
        .push_back(&measure);
  }

  std::unordered_map<std::string, std::vector<const Element*>> measures_;
};

struct Number {
  double value = 0;
  std::string unit;
};

/// One run, and which measures ask for what.
class Reader {
 public:
  Reader(const Asked& asked, const ResultSet& run) : asked_(asked) {
    for (const MeasureResult& result : run.measures) {
      if (!result.answered()) continue;
      by_id_.try_emplace(result.id, &result);
      if (result.element) by_element_.try_emplace(result.element, &result);
      // "utilisation/desk/gold" is a part of "utilisation/desk".
      const std::size_t first = result.id.find('/');
      if (first == std::string::npos) continue;
      const std::string whole = result.id.substr(0, result.id.find('/', first + 1));
      const auto [place, fresh] = sums_.try_emplace(whole, Number{0, result.unit});
      place->second.value += result.estimate;
    }
  }

  std::optional<Number> read(const ElementFigure& figure) const {
    for (const FigureAnswer& answer : figure.answers) {
      if (!answer.results.empty()) continue;
      const auto* measures = asked_.who(answer);
      if (measures == nullptr) continue;
      for (const Element* measure : *measures)
        if (const MeasureResult* found = of(*measure); found != nullptr)
          return Number{found->estimate * answer.factor, found->unit};
    }
    for (const FigureAnswer& answer : figure.answers)
      if (const auto found = sums_.find(answer.results); !answer.results.empty() && found != sums_.end())
        return Number{found->second.value * answer.factor, found->second.unit};
    return std::nullopt;
  }

 private:
  /// A run has the names that measures had when it was made, and a copy of a model the names alone.
  const MeasureResult* of(const Element& measure) const {
    if (const auto named = by_id_.find(measure.name()); named != by_id_.end()) return named->second;
    const auto same = by_element_.find(measure.id);
    return same == by_element_.end() ? nullptr : same->second;
  }

  const Asked& asked_;
  std::unordered_map<std::string, const MeasureResult*> by_id_;
  std::unordered_map<ElementId, const MeasureResult*> by_element_;
  std::unordered_map<std::string, Number> sums_;
};

std::vector<ElementFigure> figures_of(const Document& document, const Element& node) {
  const KindSpec* kind = node.is_node() ? catalogue().kind_of(document, node) : nullptr;
  return kind != nullptr && kind->figures ? kind->figures(document, node) : std::vector<ElementFigure>();
}

}  // namespace

DiagramNumbers diagram_numbers(const Document& document, ElementId diagram, const ResultSet* run, bool stale) {
  DiagramNumbers out;
  std::string coloured;
  const Asked asked(document);
  std::vector<Reader> runs;  // the run, then those beside it
  std::vector<std::string> solvers, used;
  const auto add = [&](const ResultSet& one) {
    runs.emplace_back(asked, one), solvers.push_back(one.provenance.solver);
  };
  if (run != nullptr) add(*run);
  if (run != nullptr)
    for (const auto& beside : run->company) add(*beside);
  for (const Element* node : document.nodes(diagram)) {
    const std::vector<ElementFigure> figures = figures_of(document, *node);
    out.any_kind = out.any_kind || !figures.empty();
    if (run == nullptr) continue;
    NodeNumbers numbers{.texts = {}, .share = std::numeric_limits<double>::quiet_NaN(), .stale = stale};
    std::size_t count = 0;
    for (const ElementFigure& figure : figures) {
      std::optional<Number> number;
      std::size_t from = 0;
      for (; from < runs.size() && !number; ++from) number = runs[from].read(figure);
      if (!number) continue;
      if (const std::string& solver = solvers[from - 1]; std::find(used.begin(), used.end(), solver) == used.end())
        used.push_back(solver);
      const std::string unit = number->unit.empty() || number->unit == "1" ? "" : " " + number->unit;
      const std::string text = figure.symbol + " " + number_text(number->value, 3) + unit;
      // Two beside each other: four would be wider than a station.
      if (count++ % 2 == 0) numbers.texts.push_back(text);
      else numbers.texts.back() += "   " + text;
      if (figure.share && std::isnan(numbers.share)) {
        numbers.share = std::clamp(number->value, 0.0, 1.0);
        coloured = figure.symbol + " " + figure.label;
      }
    }
    if (count > 0) out.of.emplace(node->id, std::move(numbers));
  }
  if (run != nullptr && !out.of.empty()) {
    const std::string made = run->provenance.made.started_utc.substr(0, 16);
    std::string makers;
    for (const std::string& solver : used) makers += solver.empty() ? "" : (makers.empty() ? "" : " and ") + solver;
    out.caption = (coloured.empty() ? "" : coloured + ". ") + "Run of " + (makers.empty() ? "" : makers + ", ") +
                  (run->provenance.scenario.empty() && run->provenance.overrides.empty()
                       ? ""
                       : run_name(run->provenance.scenario, run->provenance.overrides) + ", ") +
                  "seed " + std::to_string(run->provenance.seed) + (made.empty() ? "" : ", " + made);
  }
  return out;
}

std::optional<QuickFix> measure_everything(const Document& document) {
  std::set<std::string> taken;
  const Asked asked(document);
  for (const Element* measure : document.of(Section::measure)) taken.insert(measure->name());
  std::string what;
  bool shares = false;
  std::vector<Element> made;
  for (const Element* diagram : document.of(Section::diagram)) {
    for (const Element* node : document.nodes(diagram->id)) {
      for (const ElementFigure& figure : figures_of(document, *node)) {
        const bool known = std::any_of(figure.answers.begin(), figure.answers.end(), [&](const FigureAnswer& answer) {
          return answer.results.empty() && asked.who(answer) != nullptr;
        });
        if (known || figure.measure.empty()) continue;
        Element measure;
        measure.section = Section::measure, measure.kind = "measure";
        for (const auto& [property, text] : figure.measure) measure.properties[property] = text;
        std::string name = measure.name();
        for (int number = 2; taken.contains(name); ++number) name = measure.name() + "_" + std::to_string(number);
        taken.insert(name);
        measure.properties["name"] = name;
        made.push_back(std::move(measure));
        // Called after those whose share of time there is.
        if (what.empty() || (figure.share && !shares)) what = catalogue().kind_of(document, *node)->label;
        shares = shares || figure.share;
      }
    }
  }
  if (made.empty()) return std::nullopt;
  what.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(what.front())));
  const std::string label = "Measure every " + what;
  Edit edit(document, label);
  for (Element& measure : made) edit.insert(std::move(measure));
  return QuickFix{label, std::make_shared<const Command>(edit.finish())};
}

}  // namespace ergode
