#include "solvers/reliability/ccf_group.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/document/command.h"
#include "solvers/reliability/double_counting.h"
#include "solvers/reliability/notation.h"
#include "solvers/reliability/repair_roles.h"
#include "statecharts/compile/compiler.h"

namespace ergode {
namespace {

class GroupLowering {
 public:
  GroupLowering(const Document& document, const Element& element, const ParameterTable& parameters,
                ParameterScope& constants, ModelCompiler& compiler, Diagnostics& problems)
      : as_drawn_(std::none_of(parameters.all().begin(), parameters.all().end(),
                               [](const Parameter& p) { return p.overridden; })),
        document_(document),
        element_(element),
        compiler_(compiler),
        problems_(problems),
        constants_(constants),
        read_(constants, problems) {}

  CcfGroup lower(const std::vector<const Element*>& components) {
    group_.element = element_.id;
    group_.name = element_.name();
    if (trim(group_.name).empty()) report("CCF020", "name", "The group has no name.");
    if (!is_identifier(element_.text("cause")))
      report(
          "CCF021", "cause",
          "The cause is \"" + element_.text("cause") + "\"; wanted the word that the members' chart uses in ccf(...).");
    members(components);
    group_.demand = choice("applies_to") == "demand";
    group_.model = choice("model");
    add(validate_group_size(static_cast<int>(group_.members.size())), "");
    if (!has_errors(problems_)) numbers();
    if (!group_.demand) delay();
    exposure();
    if (has_errors(problems_)) return std::move(group_);
    group_.exposures = ccf_exposures(group_, element_.text("cause"), compiler_);
    find_double_counting(document_, group_, compiler_, problems_);
    roles();
    does_nothing();
    return std::move(group_);
  }

 private:
  /// A word as the table of the notation has it, or its default.
  std::string choice(const char* property) {
    const PropertySpec& spec = ccf_property(property);
    return read_.choice(element_, property, spec.default_text, spec.choices);
  }

  void report(const char* code, const char* property, std::string message, std::string hint = {}) {
    problems_.push_back({.code = code,
                         .element = element_.id,
                         .pointer = property,
                         .message = std::move(message),
                         .hint = std::move(hint)});
  }
  void add(Diagnostics found, const char* property) {
    for (Diagnostic& d : found) {
      d.element = element_.id;
      if (*property != 0) d.pointer = property;
      problems_.push_back(std::move(d));
    }
  }
  double number(const char* property) {
    return read_.quantity(element_, property, group_.demand ? Dimension{} : Dimension::per_time(), 0.0);
  }
  std::vector<double> list(const char* property) {
    auto values = compile_list(element_.text(property, "[]"), Dimension{}, constants_);
    if (const auto* error = std::get_if<ExpressionError>(&values)) {
      problems_.push_back(to_diagnostic(*error, element_.id, property));
      return {};
    }
    return std::get<std::vector<double>>(std::move(values));
  }

  void members(const std::vector<const Element*>& components) {
    if (components.empty()) report("CCF022", "", "The group has no members.", "Join it to a component.");
    std::set<std::uint32_t> seen;
    for (const Element* component : components) {
      const ComponentArray* array = compiler_.array(component->id);
      if (array == nullptr) continue;
      for (std::uint32_t i = array->first; i < array->first + array->count; ++i) {
        if (!seen.insert(i).second) continue;
        group_.members.push_back(i);
        group_.member_names.push_back(compiler_.model().name(i));
      }
    }
    // Whoever is in the group must have something drawn that the group can drive.
    for (const std::uint32_t i : group_.members) {
      const StateChart& chart = compiler_.chart_of(i);
      const std::string cause = element_.text("cause");
      const bool used = std::any_of(chart.transitions.begin(), chart.transitions.end(), [&](const Transition& t) {
        return (t.trigger.kind == Trigger::Kind::common_cause && t.trigger.cause == cause) || t.demand_cause == cause;
      });
      if (used) continue;
      report("CCF023", "cause",
             "The chart \"" + chart.name + "\" of member " + compiler_.model().name(i) +
                 " has no transition driven by ccf(" + cause + ").",
             "Draw its failure with that trigger, or correct the cause's name.");
      break;
    }
  }

  void numbers() {
    const int n = static_cast<int>(group_.members.size());
    if (group_.model == "bfr") {
      group_.bfr = {.lambda_ind = 0.0,
                    .mu = number("mu"),
                    .rho = read_.quantity(element_, "rho", Dimension{}, 0.0),
                    .omega = number("omega")};
      if (has_errors(problems_)) return;
      add(validate(group_.bfr, n), "");
      if (group_.demand) add(validate_total_probability(group_.bfr.mu + group_.bfr.omega), "mu");
      if (!has_errors(problems_)) group_.orders = order_rates(group_.bfr, n);
      group_.independent_in_chart = true;
      return;
    }
    const double total = number("total");
    group_.total = total;
    if (has_errors(problems_)) return;
    add(group_.demand ? validate_total_probability(total) : validate_total_rate(total), "total");
    if (group_.model == "beta") {
      const double beta = read_.quantity(element_, "beta", Dimension{}, 0.0);
      add(validate_beta(beta), "beta");
      if (!has_errors(problems_)) group_.orders = from_beta(beta, total, n);
    } else if (group_.model == "mgl") {
      const std::vector<double> letters = list("mgl");
      if (has_errors(problems_)) return;
      add(validate_mgl(letters, n), "mgl");
      if (!has_errors(problems_)) group_.orders = from_mgl(letters, total);
    } else {
      const std::vector<double> alphas = list("alphas");
      if (has_errors(problems_)) return;
      add(validate_alpha(alphas, n), "alphas");
      if (!has_errors(problems_))
        group_.orders =
            from_alpha(alphas, total, group_.model == "alpha_staggered" ? Testing::staggered : Testing::non_staggered);
    }
    if (has_errors(problems_)) return;
    group_.independent_part = group_.orders.specific.front();
    group_.independent_in_chart = choice("independent") == "chart";
    if (group_.independent_in_chart) group_.orders.specific.front() = 0.0;
  }

  void delay() {
    group_.delay.kind = *parse_delay_kind(choice("delay_law"));
    group_.delay.mean_s = read_.quantity(element_, "delay_mean", Dimension::of_time(), 0.0);
    group_.delay.window_s = read_.quantity(element_, "delay_window", Dimension::of_time(), 0.0);
    group_.delay.delays_single = group_.model != "bfr" && choice("delay_acts_on") == "all";
    add(group_.delay.validate(), "");
  }

  void exposure() {
    const std::string text = element_.text("exposed", "true");
    for (const std::uint32_t i : group_.members) {
      auto program = compile_as(trim(text).empty() ? "true" : text, ValueType::boolean(), compiler_.scope(i));
      if (const auto* error = std::get_if<ExpressionError>(&program)) {
        problems_.push_back(to_diagnostic(*error, element_.id, "exposed"));
        return;
      }
      group_.exposed.push_back(std::get<Program>(std::move(program)));
    }
  }

  /// A cause split and the group's report know failures by their role alone.
  void roles() {
    for (const ElementId edge : failures_without_role(group_, element_.text("cause"), compiler_))
      wants_role(edge, "failure", "enters a state that the group \"" + group_.name + "\" strikes into");
    std::set<std::string> charts;
    for (const std::uint32_t member : group_.members)
      if (const StateChart& chart = compiler_.chart_of(member); charts.insert(chart.name).second)
        for (const ElementId edge : repairs_without_role(chart))
          wants_role(edge, "repair", "leads back to where failures begin, and causes stand until a repair");
  }
  /// @param role  that the transition should have
  void wants_role(ElementId edge, const std::string& role, const std::string& does) {
    const Element* drawn = document_.find(edge);
    if (drawn == nullptr) return;
    Edit edit(document_, "Mark a " + role);
    edit.set(edge, "role", role);
    const std::string trigger(trim(drawn->text("trigger")));
    problems_.push_back({.severity = Severity::warning,
                         .code = "CCF028",
                         .element = edge,
                         .pointer = "role",
                         .message = "The transition" + (trigger.empty() ? "" : " " + trigger) + " " + does +
                                    "; it has no role, wanted " + role + ", for values split by cause.",
                         .hint = "Give it the role " + role + ".",
                         .fixes = {{"This is a " + role, std::make_shared<const Command>(edit.finish())}}});
  }
  /// Of the model as it is drawn: a scenario may switch a group off.
  void does_nothing() {
    if (!as_drawn_) return;
    const auto& events = group_.orders.specific;
    const bool nothing = std::all_of(events.begin(), events.end(), [](double x) { return x == 0.0; });
    if (!nothing || (group_.model != "bfr" && group_.total > 0.0)) return;
    const bool bfr = group_.model == "bfr";
    const auto label = [](const char* property) { return "\"" + ccf_property(property).label + "\""; };
    problems_.push_back(
        {.severity = Severity::warning,
         .code = "CCF029",
         .element = element_.id,
         .pointer = bfr ? "mu" : "total",
         .message = "The group \"" + group_.name + "\" never fails anybody: " +
                    (bfr ? label("mu") + " or " + label("rho") + " is zero, and so is " + label("omega") + "."
                         : label("total") + " is zero."),
         .hint = "Give its parameters, or remove it."});
  }

  bool as_drawn_;
  const Document& document_;
  const Element& element_;
  ModelCompiler& compiler_;
  Diagnostics& problems_;
  ParameterScope& constants_;
  PropertyReader read_;
  CcfGroup group_;
};

std::vector<const Element*> member_components(const Document& document, ElementId group) {
  std::vector<const Element*> out;
  for (const Element* edge : document.incident(group)) {
    const Element* other = document.find(edge->source == group ? edge->target : edge->source);
    if (edge->kind == "membership" && other != nullptr && other->kind == "component") out.push_back(other);
  }
  return out;
}

}  // namespace

std::optional<CcfGroup> lower_group(const Document& document, ElementId group, const RunRequest& request,
                                    Diagnostics& problems) {
  const Element* element = document.find(group);
  if (element == nullptr || element->kind != "ccf_group") return std::nullopt;
  Diagnostics elsewhere;
  const ParameterTable parameters = ParameterTable::resolve(document, request.scenario, request.overrides, elsewhere);
  ModelCompiler compiler(document, parameters, DataFiles({request.folder, request.allowed_folders}), elsewhere);
  ParameterScope constants(parameters);
  return GroupLowering(document, *element, parameters, constants, compiler, problems)
      .lower(member_components(document, group));
}

std::vector<CcfGroup> lower_groups(const Document& document, const ParameterTable& parameters, ModelCompiler& compiler,
                                   Diagnostics& problems) {
  std::vector<CcfGroup> out;
  ParameterScope constants(parameters);
  std::set<std::pair<std::string, std::uint32_t>> driven;
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != "system") continue;
    for (const Element* node : document.nodes(diagram->id)) {
      if (node->kind != "ccf_group") continue;
      Diagnostics own;
      out.push_back(GroupLowering(document, *node, parameters, constants, compiler, own)
                        .lower(member_components(document, node->id)));
      for (Diagnostic& d : own) {
        // Members of several groups: an edge is complained of once.
        const auto same = [&](const Diagnostic& known) { return known.code == d.code && known.element == d.element; };
        if (d.code == "CCF028" && std::any_of(problems.begin(), problems.end(), same)) continue;
        problems.push_back(std::move(d));
      }
      if (!out.back().demand) continue;
      for (const std::uint32_t member : out.back().members)
        if (!driven.emplace(node->text("cause"), member).second) {
          problems.push_back({.code = "CCF024",
                              .element = node->id,
                              .pointer = "cause",
                              .message = "Two groups decide the same demand ccf(" + node->text("cause") + ") of " +
                                         compiler.model().name(member) + "; wanted one."});
          break;
        }
    }
  }
  // A failure that waits for a group nobody drew would silently never happen.
  for (std::size_t c = 0; c < compiler.model().cause_names.size(); ++c) {
    const std::string& name = compiler.model().cause_names[c];
    const bool drawn = std::any_of(out.begin(), out.end(),
                                   [&](const CcfGroup& g) { return document.find(g.element)->text("cause") == name; });
    if (drawn) continue;
    for (const StateChart& chart : compiler.lowered())
      for (const Transition& t : chart.transitions)
        if ((t.trigger.kind == Trigger::Kind::common_cause && t.trigger.cause == name) || t.demand_cause == name)
          problems.push_back({.severity = Severity::warning,
                              .code = "CCF025",
                              .element = t.element,
                              .pointer = "trigger",
                              .message = "No common-cause group drives ccf(" + name + "); this failure never happens.",
                              .hint = "Draw a group with this cause."});
  }
  return out;
}

}  // namespace ergode
