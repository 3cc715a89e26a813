#include "solvers/reliability/double_counting.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/text.h"
#include "core/document/command.h"
#include "statecharts/compile/compiler.h"

namespace ergode {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(std::abs(a), std::abs(b)); }

/// "a" stays, "a + b" gets brackets.
std::string factor_text(std::string_view text) {
  text = trim(text);
  const bool plain = is_identifier(std::string(text)) || parse_number(text).has_value();
  return plain ? std::string(text) : "(" + std::string(text) + ")";
}

/// The entries of "[a, b, c]".
std::vector<std::string> list_entries(std::string_view text) {
  text = trim(text);
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') text = text.substr(1, text.size() - 2);
  std::vector<std::string> out;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c != ',' || depth != 0) continue;
    if (const auto entry = trim(text.substr(begin, i - begin)); !entry.empty()) out.emplace_back(entry);
    begin = i + 1;
  }
  return out;
}

class DoubleCounting {
 public:
  DoubleCounting(const Document& document, const CcfGroup& group, ModelCompiler& compiler, Diagnostics& problems)
      : document_(document),
        group_(group),
        element_(*document.find(group.element)),
        compiler_(compiler),
        problems_(problems) {}

  void look() {
    if (group_.model == "bfr") return;
    for (const CcfExposure& exposure : group_.exposures) {
      const double own = exposure.independent.value_or(0.0);
      if (group_.independent_in_chart) {
        if (exposure.independent && !near(own, group_.independent_part)) return wrong_part(exposure);
      } else if (own > 0.0) {
        return twice(exposure);
      }
    }
  }

 private:
  std::string amount(double si) const {
    return group_.demand ? number_text(si, 6) : number_text(si * 3600.0, 6) + " /h";
  }
  std::string who(const CcfExposure& exposure) const {
    return "members of \"" + group_.name + "\" fail in " + states_text(exposure) + " by " +
           amount(*exposure.independent) + " of their own";
  }

  void twice(const CcfExposure& exposure) {
    const double own = *exposure.independent;
    const bool total = near(own, group_.total), part = near(own, group_.independent_part);
    Diagnostic d{.severity = total || part ? Severity::warning : Severity::info,
                 .code = "CCF026",
                 .element = group_.element,
                 .pointer = "total"};
    d.message = "The " + who(exposure) + ", beside the group's total of " + amount(group_.total) +
                ", which covers independent failures too: together " + amount(own + group_.total) + ".";
    if (total || part) {
      d.hint = "The same failures are counted twice.";
      let_group_carry(exposure, d.fixes);
      take_part(exposure, total && !part, d.fixes);
    } else {
      d.hint = "Right when these are failures of another kind.";
    }
    problems_.push_back(std::move(d));
  }

  void wrong_part(const CcfExposure& exposure) {
    Diagnostic d{.severity = Severity::warning, .code = "CCF027", .element = group_.element, .pointer = "independent"};
    d.message = "The " + who(exposure) + "; its parameters imply " + amount(group_.independent_part) +
                " of independent failures.";
    d.hint = "Draw the independent part of the total in the chart, or let the group cause these failures too.";
    if (near(*exposure.independent, group_.total)) take_part(exposure, true, d.fixes);
    problems_.push_back(std::move(d));
  }

  void let_group_carry(const CcfExposure& exposure, std::vector<QuickFix>& fixes) const {
    // A chart may serve components that no group fails, and an edge states where it is not counted twice.
    std::set<std::uint32_t> charts;
    for (const std::uint32_t member : group_.members) charts.insert(compiler_.model().instances[member].chart);
    for (std::uint32_t i = 0; i < compiler_.model().instances.size(); ++i)
      if (charts.contains(compiler_.model().instances[i].chart) &&
          std::find(group_.members.begin(), group_.members.end(), i) == group_.members.end())
        return;
    for (const CcfExposure& other : group_.exposures)
      if (&other != &exposure)
        for (const ElementId edge : other.edges)
          if (std::find(exposure.edges.begin(), exposure.edges.end(), edge) != exposure.edges.end()) return;
    Edit edit(document_, "Let \"" + group_.name + "\" carry the failures");
    for (const ElementId edge : exposure.edges) edit.remove(edge);
    fixes.push_back(
        {"Let the group carry them: remove the chart's own failure", std::make_shared<const Command>(edit.finish())});
  }

  void take_part(const CcfExposure& exposure, bool scale, std::vector<QuickFix>& fixes) const {
    Edit edit(document_, "Take the independent part of \"" + group_.name + "\"");
    edit.set(group_.element, "independent", "chart");
    std::string label = "Take the independent part: the chart keeps it, the group causes shared failures only";
    if (scale) {
      if (exposure.edges.size() != 1) return;
      const Element& edge = *document_.find(exposure.edges.front());
      const std::string trigger(trim(edge.text("trigger")));
      const std::string word = group_.demand ? "p(" : "rate(";
      if (trigger.rfind(word, 0) != 0 || trigger.back() != ')') return;
      const auto factor = part_text();
      if (!factor || !means_part(*factor)) return;
      const std::string argument = trigger.substr(word.size(), trigger.size() - word.size() - 1);
      const std::string changed = word + *factor + "*" + factor_text(argument) + ")";
      edit.set(edge.id, "trigger", changed);
      label = "Take the independent part: " + changed + " in the chart, the group causes shared failures only";
    }
    fixes.push_back({label, std::make_shared<const Command>(edit.finish())});
  }

  /// What of the total is independent, in the words of the group's parameters.
  std::optional<std::string> part_text() const {
    if (group_.model == "beta") return "(1 - " + factor_text(element_.text("beta")) + ")";
    const char* property = group_.model == "mgl" ? "mgl" : "alphas";
    const std::vector<std::string> values = list_entries(element_.text(property));
    if (values.empty()) return std::nullopt;
    if (group_.model == "mgl") return "(1 - " + factor_text(values.front()) + ")";
    if (group_.model == "alpha_staggered") return factor_text(values.front());
    std::string sum;
    for (std::size_t k = 0; k < values.size(); ++k)
      sum += (k == 0 ? "" : " + " + std::to_string(k + 1) + "*") + factor_text(values[k]);
    return factor_text(values.front()) + "/(" + sum + ")";
  }

  /// Inside the chart a name of the group's parameters may mean something else.
  bool means_part(const std::string& factor) const {
    for (const std::uint32_t member : group_.members) {
      const auto value = compile_as(factor, ValueType::real(), compiler_.scope(member));
      const auto* program = std::get_if<Program>(&value);
      if (program == nullptr || !program->is_constant() ||
          !near(program->value() * group_.total, group_.independent_part))
        return false;
    }
    return true;
  }

  const Document& document_;
  const CcfGroup& group_;
  const Element& element_;
  ModelCompiler& compiler_;
  Diagnostics& problems_;
};

}  // namespace

void find_double_counting(const Document& document, const CcfGroup& group, ModelCompiler& compiler,
                          Diagnostics& problems) {
  DoubleCounting(document, group, compiler, problems).look();
}

}  // namespace ergode
