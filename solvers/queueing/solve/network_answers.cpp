#include "solvers/queueing/solve/network_answers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "core/expression/linear_form.h"
#include "solvers/queueing/model/bottlenecks.h"
#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/running/queueing_part.h"
#include "solvers/queueing/solve/asked_means.h"
#include "solvers/queueing/solve/passages.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;

constexpr const char* too_few =
    "so few wait there that their number, a difference of two others, would be rounding alone";

/// "desk.lost": what an expression calls a slot.
std::string name_of(const SlotTable& table, std::uint32_t slot) {
  for (const NamedSlot& one : table.named())
    if (one.slot == slot) return "\"" + one.name + "\"";
  return "something that it reads";
}

/// How fast an expression grows, or why that is not known: a constant in it does not.
std::variant<LinearMean, std::string> growth(const Measure& measure, const AskedMeans& means, const SlotTable& table) {
  const auto form = linear_form(measure.program);
  if (!form) return "how fast it grows is known of sums of counts alone";
  LinearMean out{0.0, 0.0};
  for (const auto& [slot, factor] : form->of) {
    const double rate = means.growth_of_slot(slot);
    if (std::isnan(rate)) return "how fast " + name_of(table, slot) + " grows is not known";
    out.value += factor * rate, out.magnitude += std::fabs(factor * rate);
  }
  return out;
}

/// A measure's answer [SI], or why there is none, half a sentence.
std::variant<LinearMean, std::string> answer(const Measure& measure, const AskedMeans& means, const SlotTable& table) {
  using Meaning = MeasureKind::Meaning;
  const Meaning asked = measure.spec.kind->meaning;
  if (measure.stream >= 0) {
    double value = NetworkMeans::none;
    const auto stream = static_cast<std::uint32_t>(measure.stream);
    if (asked == Meaning::long_run || asked == Meaning::regenerative || asked == Meaning::observed_mean)
      value = means.of_stream(stream, measure.of_class);
    else if (asked == Meaning::observed_rate) value = means.rate_of_stream(stream, measure.of_class);
    else return "it asks for more than the mean of what is observed";
    if (std::isinf(value)) return too_few;
    if (std::isnan(value))
      return asked == Meaning::observed_rate ? "the rate of what is observed there is not known"
                                             : "the mean of what is observed there is not known";
    return LinearMean{value, std::fabs(value)};
  }
  if (asked == Meaning::observed_rate) return growth(measure, means, table);
  if (asked != Meaning::long_run && asked != Meaning::regenerative && asked != Meaning::average)
    return "it is no average of the long run";
  return linear_mean(measure.program, [&](std::uint32_t slot) -> std::variant<double, std::string> {
    const double value = means.of_slot(slot);
    if (std::isinf(value)) return too_few;
    if (std::isnan(value)) return "the mean of " + name_of(table, slot) + " is not known";
    return value;
  });
}

/// How far rounding alone may move means, relative to them: a queue is as long as 1 over what is left of its server's
/// time, and that difference loses digits where the load is near 1. 0: none to speak of.
double rounding_near_saturation(const NetworkModel& model) {
  constexpr double of_load = 16.0 * std::numeric_limits<double>::epsilon(), negligible = 1e-9;
  const OfferedLoads loads = offered_loads(model);
  double greatest = 0.0;
  for (std::size_t n = 0; n < loads.share.size(); ++n)
    if (loads.known[n] != 0 && loads.share[n] < 1.0 && model.nodes[n].capacity == NetworkModel::unlimited)
      greatest = std::max(greatest, loads.share[n]);
  const double out = of_load * static_cast<double>(model.nodes.size()) / (1.0 - greatest);
  return out > negligible ? out : 0.0;
}
// Beyond that an upper end would be no bound.
constexpr double too_much_rounding = 0.5;

/// Every station and class: a row of the table, and measures with names of their own; then passages from end to end.
class Report {
 public:
  Report(const NetworkModel& model, const NetworkMeans& means, const AnswerMarks& style, ExactAnswers& answers,
         ResultSet& out, double rounding)
      : model_(model),
        rounding_(rounding),
        means_(means),
        style_(style),
        answers_(answers),
        out_(out),
        traffic_(traffic(model)),
        passages_(passages_of(model, means, traffic_)) {}

  void stations() {
    ResultTable table;
    table.name = "stations";
    table.title = style_.approximate ? "What every station settles at, approximately" : "What every station settles at";
    table.columns = {{"Station"},
                     {"Class"},
                     {"Customers"},
                     {"Response time", "s"},
                     {"Utilisation"},
                     {"Throughput", "/s"},
                     {"Residence time", "s"}};
    const bool turned_away = any(&PlaceMeans::lost), give_up = any(&PlaceMeans::gave_up);
    if (turned_away) table.columns.push_back({"Turned away"});
    if (give_up) table.columns.push_back({"Gave up"});
    for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
      const NetworkModel::Node& node = model_.nodes[n];
      if (node.kind == Kind::transition && means_.at(n, 0).served > 0.0) {
        place_ = {node.element, node.name, ""};
        tell("throughput", "Throughput", "/s", means_.at(n, 0).served);
      }
      if (!holds_customers(node)) continue;
      for (std::size_t c = 0; c < means_.classes; ++c) {
        const PlaceMeans& here = means_.at(n, c);
        const double came = here.served + here.lost + here.gave_up;
        if (came == 0.0) continue;
        const bool has_servers = node.kind == Kind::station;
        const double utilisation =
            has_servers && node.servers.is_constant() ? here.busy / node.servers.value() : NetworkMeans::none;
        const double lost = here.lost / came, gave_up = here.gave_up / came;
        auto& row = table.rows.emplace_back();
        row.reserve(table.columns.size());
        row.emplace_back(node.name), row.emplace_back(model_.classes[c].name);
        const std::size_t chain = traffic_.chain[c];
        const double residence_s = several_classes(chain) ? NetworkMeans::none : residence(n, chain);
        for (const double value : {here.number, here.response_s, utilisation, here.served, residence_s})
          row.emplace_back(value);
        if (turned_away) row.emplace_back(lost);
        if (give_up) row.emplace_back(gave_up);
        place_ = {node.element, node.name, model_.classes[c].name};
        tell("queue_length", "Customers", "", here.number);
        tell("response_time", "Response time", "s", here.response_s);
        if (has_servers) tell("waiting", "Customers who wait", "", here.waiting);
        if (has_servers) tell("waiting_time", "Waiting time", "s", here.waiting_s);
        tell("utilisation", "Utilisation", "", utilisation);
        tell("throughput", "Throughput", "/s", here.served);
        tell("residence_time", "Residence time", "s", residence_s);
        if (lost > 0.0) tell("loss_probability", "Share turned away", "", lost);
        if (gave_up > 0.0) tell("abandonment_probability", "Share who give up", "", gave_up);
      }
    }
    answers_.table(std::move(table));
    if (style_.approximate) out_.tables.back().exact = false;
  }
  /// Where classes become others their passages are neither of the one nor of the other: they stand under all of the
  /// names, as in passages().
  void residences() {
    ResultTable table;
    table.name = "residences";
    table.title =
        style_.approximate ? "Where passages take their time, approximately" : "Where passages take their time";
    table.columns = {{"Station"}, {"Class"}, {"Residence time", "s"}};
    for (std::size_t n = 0; n < model_.nodes.size(); ++n)
      for (std::size_t chain = 0; chain < passages_.size(); ++chain) {
        if (!holds_customers(model_.nodes[n]) || !several_classes(chain)) continue;
        const double residence_s = residence(n, chain);
        if (!(residence_s > 0.0)) continue;
        auto& row = table.rows.emplace_back();
        row.emplace_back(model_.nodes[n].name), row.emplace_back(passages_[chain].name), row.emplace_back(residence_s);
        place_ = {model_.nodes[n].element, model_.nodes[n].name, passages_[chain].name};
        tell("residence_time", "Residence time", "s", residence_s);
      }
    if (table.rows.empty()) return;
    answers_.table(std::move(table));
    if (style_.approximate) out_.tables.back().exact = false;
  }
  void passages() {
    if (!passages_known(model_)) return;
    ResultTable table;
    table.name = "passages";
    table.title = style_.approximate ? "From end to end, approximately" : "From end to end";
    table.columns = {{"Class"}, {"Customers"}, {"Throughput", "/s"}, {"Response time", "s"}, {"Waiting time", "s"}};
    for (const Passage& one : passages_) {
      if (!(one.number > 0.0) && !(one.throughput > 0.0)) continue;
      auto& row = table.rows.emplace_back();
      row.reserve(table.columns.size());
      row.emplace_back(one.name);
      for (const double value : {one.number, one.throughput, one.response_s, one.waiting_s}) row.emplace_back(value);
      place_ = {one.element, "", one.name};
      tell("system_number", "Customers", "", one.number);
      tell("system_throughput", "Throughput", "/s", one.throughput);
      tell("system_response_time", "Response time", "s", one.response_s);
      tell("system_waiting_time", "Waiting time", "s", one.waiting_s);
    }
    if (table.rows.empty()) return;
    answers_.table(std::move(table));
    if (style_.approximate) out_.tables.back().exact = false;
  }
  /// @param magnitude  of what the value is a sum of: errors are relative to it
  void measure(const MeasureSpec& spec, double value, double magnitude) {
    const double error = style_.approximate ? NetworkMeans::none
                         : style_.error     ? style_.error(magnitude)
                                            : rounding_ / (1.0 - rounding_) * std::fabs(magnitude);
    MeasureResult& result = answers_.answer(spec, value, error, style_.method);
    if (style_.approximate) result.exact = false;
  }

 private:
  struct Place {
    ElementId element;
    std::string station, of_class;
  };
  bool several_classes(std::size_t chain) const {
    return std::count(traffic_.chain.begin(), traffic_.chain.end(), chain) > 1;
  }
  /// All visits of one passage together, by Little's law.
  double residence(std::size_t n, std::size_t chain) const {
    const Passage& whole = passages_[chain];
    if (!whole.complete || !(whole.throughput > 0.0) || !passages_known(model_)) return NetworkMeans::none;
    double number = 0.0;
    for (std::size_t c = 0; c < means_.classes; ++c)
      if (traffic_.chain[c] == chain) number += means_.at(n, c).number;
    return number / whole.throughput;
  }
  bool any(double PlaceMeans::*field) const {
    return std::any_of(means_.places.begin(), means_.places.end(), [&](const PlaceMeans& p) { return p.*field > 0.0; });
  }
  void tell(const char* name, const char* label, const char* unit, double value) {
    if (!std::isfinite(value)) return;
    static const MeasureKind* const average = [] {
      const auto& kinds = measure_kinds();
      return &*std::find_if(kinds.begin(), kinds.end(),
                            [](const MeasureKind& kind) { return kind.meaning == MeasureKind::Meaning::long_run; });
    }();
    const std::string& of_class = place_.of_class;
    const std::string id =
        name + (place_.station.empty() ? "" : "/" + place_.station) + (of_class.empty() ? "" : "/" + of_class);
    if (out_.measure(id) != nullptr) return;  // the model asks for it
    measure({.id = id,
             .label = label + (place_.station.empty() ? "" : " at " + place_.station) +
                      (of_class.empty() ? "" : ", " + of_class),
             .kind = average,
             .element = place_.element,
             .unit = unit},
            value, value);
  }

  const NetworkModel& model_;
  double rounding_;  ///< relative
  const NetworkMeans& means_;
  const AnswerMarks& style_;
  ExactAnswers& answers_;
  ResultSet& out_;
  const Traffic traffic_;
  const std::vector<Passage> passages_;
  Place place_;
};

}  // namespace

const NetworkModel* networks_of(const AnalysisModel& model, const std::string& solver, Diagnostics& reasons) {
  const NetworkModel* found = nullptr;
  for (const auto& part : model.others)
    if (const auto* queues = dynamic_cast<const QueueingPart*>(part.get())) found = &queues->model;
  // What there is instead would be the same reason again.
  if (found == nullptr)
    return reasons.push_back({.code = "SOL001", .message = "The model has no queueing network."}), nullptr;
  const std::string only = "; " + solver + " answers queueing networks only.";
  for (const auto& part : model.others) {
    if (dynamic_cast<const QueueingPart*>(part.get()) != nullptr) continue;
    for (const LoweredPart::Thing& thing : part->things())
      reasons.push_back({.code = "SOL001", .element = thing.element, .message = "There is " + thing.name + only});
  }
  if (!model.charts.instances.empty())
    reasons.push_back({.code = "SOL001",
                       .element = model.charts.charts[model.charts.instances[0].chart].chart.element,
                       .message = "The model has charts that run" + only});
  return found;
}

void answer_networks(const AnalysisModel& model, const NetworkModel& networks, const NetworkMeans& means,
                     const AnswerMarks& style, ExactAnswers& answers, ResultSet& out,
                     const std::function<bool(const Measure&)>& known) {
  const double rounding = style.approximate || style.error ? 0.0 : rounding_near_saturation(networks);
  if (rounding >= too_much_rounding) {
    for (const Measure& measure : model.measures)
      answers.not_answered(measure.spec,
                           "a station gets so nearly as much work as it can do that rounding decides how long its "
                           "queue is");
    return;
  }
  Report report(networks, means, style, answers, out, rounding);
  const AskedMeans asked(networks, means);
  for (const Measure& measure : model.measures) {
    if (known && known(measure)) continue;
    const auto found = answer(measure, asked, *model.charts.table);
    if (const auto* mean = std::get_if<LinearMean>(&found)) report.measure(measure.spec, mean->value, mean->magnitude);
    else answers.not_answered(measure.spec, std::get<std::string>(found));
  }
  report.stations();
  report.residences();
  report.passages();
  std::vector<StationUse> uses(networks.nodes.size());
  for (std::size_t n = 0; n < networks.nodes.size(); ++n) {
    const NetworkModel::Node& node = networks.nodes[n];
    if (node.kind != Kind::station || !node.servers.is_constant() || !(node.servers.value() > 0.0)) continue;
    double busy = 0.0;
    for (std::size_t c = 0; c < means.classes; ++c) busy += means.at(n, c).busy;
    uses[n].share = uses[n].lower = uses[n].upper = busy / node.servers.value();
  }
  if (ResultTable table = utilisation_table(networks, uses, ""); !table.rows.empty()) {
    answers.table(std::move(table));
    if (style.approximate) out.tables.back().exact = false;
  }
}

}  // namespace ergode
