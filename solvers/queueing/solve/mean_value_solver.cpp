#include "solvers/queueing/solve/mean_value_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/study/exact_answers.h"
#include "solvers/model/analysis_model.h"
#include "solvers/model/provenance.h"
#include "solvers/queueing/exact/mean_value_analysis.h"
#include "solvers/queueing/running/queueing_part.h"
#include "solvers/queueing/solve/product_form.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;

/// The networks of a model that holds nothing else; null, with reasons, where it does.
const NetworkModel* networks_of(const AnalysisModel& model, Diagnostics& reasons) {
  const NetworkModel* found = nullptr;
  for (const auto& part : model.others) {
    const auto* queues = dynamic_cast<const QueueingPart*>(part.get());
    if (queues != nullptr) found = &queues->model;
    else
      for (const LoweredPart::Thing& thing : part->things())
        reasons.push_back({.code = "SOL001",
                           .element = thing.element,
                           .message = "There is " + thing.name + "; mva answers queueing networks only."});
  }
  if (found == nullptr) reasons.push_back({.code = "SOL001", .message = "The model has no queueing network."});
  if (!model.charts.instances.empty())
    reasons.push_back({.code = "SOL001",
                       .element = model.charts.charts[model.charts.instances[0].chart].chart.element,
                       .message = "The model has charts that run; mva answers queueing networks only."});
  return found;
}

/// Means of one drawn network, asked for by slot and by stream.
class Means {
 public:
  Means(const NetworkModel& model, const ProductForm& form, NetworkResult result)
      : model_(model), form_(form), result_(std::move(result)) {}

  static constexpr double none = std::numeric_limits<double>::quiet_NaN();
  /// Of those who wait: so few that only rounding is left of them. Infinite, as nothing else here is.
  static constexpr double lost_digits = std::numeric_limits<double>::infinity();

  /// What a slot averages to, NaN where that is not known.
  double of_slot(std::uint32_t slot) const {
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      const NetworkModel::Node& node = model_.nodes[n];
      if (node.kind != Kind::station && node.kind != Kind::delay) continue;
      const double number = sum(result_.number, n), busy = sum(result_.utilisation, n) * servers(n);
      if (slot == node.number) return number;
      if (node.kind != Kind::station) continue;
      if (slot == node.busy) return busy;
      if (slot == node.waiting) return waiting(n, -1);
      if (slot == node.lost) return 0.0;
    }
    return none;
  }
  /// @param of_class  -1: all
  double of_stream(std::uint32_t stream, std::int32_t of_class) const {
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      const NetworkModel::Node& node = model_.nodes[n];
      const bool serves = node.kind == Kind::station || node.kind == Kind::delay;
      if (serves && stream == node.response) return response(n, of_class);
      if (node.kind == Kind::station && stream == node.wait) {
        return waiting(n, of_class) / rate(n, of_class);
      }
      if (model_.nodes[n].kind == Kind::sink && stream == model_.nodes[n].response) return passage(n, of_class);
    }
    return none;
  }
  double rate_of_stream(std::uint32_t stream, std::int32_t of_class) const {
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      const NetworkModel::Node& node = model_.nodes[n];
      if (node.kind == Kind::sink && stream == node.response) return arrivals(n, of_class);
      const bool serves = node.kind == Kind::station || node.kind == Kind::delay;
      if (serves && (stream == node.response || (node.kind == Kind::station && stream == node.wait)))
        return rate(n, of_class);
    }
    return none;
  }
  /// Of one station, by number, and class.
  const NetworkResult& result() const { return result_; }

 private:
  double servers(std::size_t n) const {
    return model_.nodes[n].kind == Kind::station ? model_.nodes[n].servers.value() : 1.0;
  }
  template <class Of>
  double over_classes(std::size_t n, std::int32_t of_class, const Of& of) const {
    const std::uint32_t k = form_.station[n];
    double out = 0.0;
    for (std::size_t c = 0; k != NetworkModel::none && c < model_.classes.size(); ++c)
      if (of_class < 0 || c == static_cast<std::size_t>(of_class)) out += of(form_.network.at(k, c));
    return out;
  }
  double sum(const std::vector<double>& values, std::size_t n) const {
    return over_classes(n, -1, [&](std::size_t at) { return values[at]; });
  }
  double rate(std::size_t n, std::int32_t of_class) const {
    return over_classes(n, of_class, [&](std::size_t at) { return result_.throughput[at]; });
  }
  double response(std::size_t n, std::int32_t of_class) const {  // Little's law
    return over_classes(n, of_class, [&](std::size_t at) { return result_.number[at]; }) / rate(n, of_class);
  }
  double arrivals(std::size_t n, std::int32_t of_class) const {
    double out = 0.0;
    for (std::size_t c = 0; c < model_.classes.size(); ++c)
      if (of_class < 0 || c == static_cast<std::size_t>(of_class)) out += form_.arrivals[c][n];
    return out;
  }
  /// From source to sink; known where customers of these classes have no other way out of their network.
  double passage(std::size_t sink, std::int32_t of_class) const {
    double number = 0.0;
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      const auto one = static_cast<std::int32_t>(c);
      if ((of_class >= 0 && of_class != one) || arrivals(sink, one) == 0.0) continue;
      const std::vector<std::uint8_t> own = joined_with(sink, c);
      for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
        if (own[n] == 0) continue;
        if (n != sink && model_.nodes[n].kind == Kind::sink && arrivals(n, one) > 0.0) return none;
        number += over_classes(n, one, [&](std::size_t at) { return result_.number[at]; });
      }
    }
    return number / arrivals(sink, of_class);
  }
  /// Nodes that customers of a class come to, and that flows join with this one, in whatever direction.
  std::vector<std::uint8_t> joined_with(std::size_t node, std::size_t of_class) const {
    const std::vector<double>& come = form_.arrivals[of_class];
    std::vector<std::vector<std::uint32_t>> beside(model_.nodes.size());
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const NetworkModel::Node& from = model_.nodes[n];
      const bool begins = from.kind == Kind::source && from.emits == of_class;
      if ((come[n] == 0.0 && !begins) || of_class >= from.ways.size()) continue;
      for (const std::uint32_t target : from.ways[of_class].target)
        beside[n].push_back(target), beside[target].push_back(n);
    }
    std::vector<std::uint8_t> out(model_.nodes.size(), 0);
    std::vector<std::uint32_t> reached = {static_cast<std::uint32_t>(node)};
    for (out[node] = 1; !reached.empty();) {
      const std::uint32_t at = reached.back();
      reached.pop_back();
      for (const std::uint32_t next : beside[at])
        if (out[next] == 0) out[next] = 1, reached.push_back(next);
    }
    return out;
  }
  /// Servers that are shared are waited for by nobody.
  double waiting(std::size_t n, std::int32_t of_class) const {
    if (model_.nodes[n].discipline == NetworkModel::Discipline::ps) return 0.0;
    return over_classes(n, of_class, [&](std::size_t at) {
      if (!std::isnan(result_.waiting[at])) return result_.waiting[at];
      // A difference says something where it is not all rounding.
      constexpr double digits = 1e-13, wanted = 1e-9;
      const double number = result_.number[at], busy = result_.throughput[at] * form_.network.service_s[at];
      return number - busy > (number + busy) * (digits / wanted) ? number - busy : lost_digits;
    });
  }

  const NetworkModel& model_;
  const ProductForm& form_;
  NetworkResult result_;
};

constexpr const char* too_few =
    "so few wait there that their number, a difference of two others, would be rounding alone";

/// A measure's answer [SI], or why there is none, half a sentence.
std::variant<double, std::string> answer(const Measure& measure, const Means& means) {
  using Meaning = MeasureKind::Meaning;
  const Meaning asked = measure.spec.kind->meaning;
  double value = Means::none;
  if (measure.stream >= 0) {
    const auto stream = static_cast<std::uint32_t>(measure.stream);
    if (asked == Meaning::long_run || asked == Meaning::regenerative || asked == Meaning::observed_mean)
      value = means.of_stream(stream, measure.of_class);
    else if (asked == Meaning::observed_rate) value = means.rate_of_stream(stream, measure.of_class);
    else return "it asks for more than the mean of what is observed";
    if (std::isinf(value)) return too_few;
    if (std::isnan(value)) return "customers may leave by other ways too";
    return value;
  }
  if (asked != Meaning::long_run && asked != Meaning::regenerative && asked != Meaning::average)
    return "it is no average of the long run";
  if (measure.program.is_constant()) return measure.program.value();
  const auto code = measure.program.code();
  if (code.size() == 1) value = means.of_slot((*code.begin()).slot);
  if (std::isinf(value)) return too_few;
  if (std::isnan(value)) return "it is more than one number of a station; the mean of such an expression is not known";
  return value;
}

/// Every station and class: a row of the table, and measures with names of their own.
void report_stations(const NetworkModel& model, const ProductForm& form, const NetworkResult& result,
                     ExactAnswers& answers) {
  ResultTable table;
  table.name = "stations";
  table.title = "What every station settles at";
  table.columns = {{"Station"},     {"Class"},           {"Customers"}, {"Response time", "s"},
                   {"Utilisation"}, {"Throughput", "/s"}};
  for (std::size_t k = 0; k < form.node.size(); ++k)
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
      const std::size_t at = form.network.at(k, c);
      if (form.network.visits[at] == 0.0) continue;
      const NetworkModel::Node& node = model.nodes[form.node[k]];
      const std::string& of_class = model.classes[c].name;
      const bool has_servers = node.kind == Kind::station;
      table.rows.push_back({node.name, of_class, result.number[at], result.response_s[at],
                            has_servers ? result.utilisation[at] : Means::none, result.throughput[at]});
      const std::string place = "/" + node.name + (of_class.empty() ? "" : "/" + of_class);
      const std::string of = " at " + node.name + (of_class.empty() ? "" : ", " + of_class);
      static const MeasureKind* const average = [] {
        const auto& kinds = measure_kinds();
        return &*std::find_if(kinds.begin(), kinds.end(),
                              [](const MeasureKind& kind) { return kind.meaning == MeasureKind::Meaning::long_run; });
      }();
      const auto tell = [&](const char* name, const char* label, const char* unit, double value) {
        const MeasureSpec spec{
            .id = name + place, .label = label + of, .kind = average, .element = node.element, .unit = unit};
        answers.answer(spec, value, 0.0, "mean value analysis");
      };
      tell("queue_length", "Customers", "", result.number[at]);
      tell("response_time", "Response time", "s", result.response_s[at]);
      if (has_servers) tell("utilisation", "Utilisation", "", result.utilisation[at]);
      tell("throughput", "Throughput", "/s", result.throughput[at]);
    }
  answers.table(std::move(table));
}

}  // namespace

const SolverSpec& MeanValueSolver::spec() const {
  static const SolverSpec spec{
      .name = "mva",
      .label = "Mean value analysis",
      .description = "Exact means of queueing networks with a product form, open, closed or mixed, in the long run.",
      .reference =
          "Reiser and Lavenberg, Mean-value analysis of closed multichain queuing networks, 1980; Baskett, "
          "Chandy, Muntz and Palacios, Open, closed, and mixed networks of queues, 1975",
      .exact = true,
      .long_run = true};
  return spec;
}

Diagnostics MeanValueSolver::fits(const Question& question) const {
  Diagnostics problems;
  const auto model = model_of(question, problems);
  if (model == nullptr) return problems;
  Diagnostics reasons;
  const NetworkModel* networks = networks_of(*model, reasons);
  if (networks == nullptr) return reasons;
  const ProductForm form = product_form_of(*networks, reasons);
  if (!has_errors(reasons))
    for (Diagnostic& d : check_network(form.network)) reasons.push_back(std::move(d));
  return reasons;
}

ResultSet MeanValueSolver::solve(const Question& question, RunControl& control) const {
  ResultSet out;
  const auto model = model_of(question, out.diagnostics);
  out.provenance = provenance_of(question, model.get(), spec().name);
  out.stop_reason = "exact";
  const auto failed = [&out](std::string why) {
    out.status = RunStatus::failed;
    out.stop_reason = std::move(why);
    return out;
  };
  if (model == nullptr) return failed("The model has errors.");
  Diagnostics reasons;
  const NetworkModel* networks = networks_of(*model, reasons);
  ProductForm form;
  if (networks != nullptr && !has_errors(reasons)) form = product_form_of(*networks, reasons);
  if (has_errors(reasons)) {
    out.diagnostics.insert(out.diagnostics.end(), reasons.begin(), reasons.end());
    return failed("Mean value analysis does not fit the model: " + reasons.front().message);
  }
  Limits limits = control.limits;
  if (const auto wall_s = question.request().wall_time_s)
    limits.time_s = std::min(limits.time_s.value_or(*wall_s), *wall_s);
  const auto refused = [&](const Diagnostic& why) {
    out.diagnostics.push_back(why);
    return failed(why.message);
  };
  Solved<NetworkResult> solved = Diagnostic{};
  try {
    solved = mean_value_analysis(form.network, Budget(control.stop.get_token(), limits));
  } catch (const OverBudget& cost) {
    return control.stop.stop_requested() ? failed("cancelled") : refused(cost.diagnostic);
  }
  if (const auto* problem = std::get_if<Diagnostic>(&solved)) return refused(*problem);
  const Means means(*networks, form, std::move(std::get<NetworkResult>(solved)));
  ExactAnswers answers(out, spec().name, "Mean value analysis");
  for (const Measure& measure : model->measures) {
    const auto found = answer(measure, means);
    if (const auto* value = std::get_if<double>(&found))
      answers.answer(measure.spec, *value, 0.0, "mean value analysis");
    else answers.not_answered(measure.spec, std::get<std::string>(found));
  }
  report_stations(*networks, form, means.result(), answers);
  return out;
}

}  // namespace ergode
