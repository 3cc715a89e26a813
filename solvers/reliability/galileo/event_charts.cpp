#include "solvers/reliability/galileo/event_charts.h"

#include "core/base/text.h"

namespace ergode {
namespace {

using Law = FailureLaw::Kind;

constexpr double first_row = 90;  // y of the first states
constexpr const char* failure = "failure";

/// Draws the charts of one behaviour. Where constraints forbid a failure an exponential clock waits, at rate zero;
/// another runs on, and when it goes off meanwhile it is spent: the failure has become impossible.
class EventChart {
 public:
  EventChart(ChartDrawing& chart, const EventBehaviour& b)
      : chart_(chart), b_(b), guard_(b.allowed == "true" ? "" : b.allowed) {}

  void draw() {
    if (b_.law == Law::constant) return constant();
    if (b_.law == Law::erlang) b_.stands_by ? waiting_phases() : phases();
    else if (b_.stands_by) waiting();
    else plain();
  }

 private:
  /// The transition that the law alone leads over.
  void fails(ElementId from, ElementId failed) {
    if (b_.law == Law::weibull)
      chart_.transition(from, failed, "after(weibull(scale = scale, shape = shape))", guard_, failure);
    else if (b_.law == Law::lognormal)
      chart_.transition(from, failed, "after(lognormal(mu = mu, sigma = sigma, scale = 1 h))", guard_, failure);
    else fails(from, failed, "lambda");
  }
  void fails(ElementId from, ElementId failed, const std::string& rate) {
    chart_.transition(from, failed, "rate(" + (guard_.empty() ? rate : "if(" + guard_ + ", " + rate + ", 0 /h)") + ")",
                      "", failure);
  }
  std::string when(const std::string& condition) const {
    if (guard_.empty()) return "when(" + condition + ")";
    return "when((" + condition + ") and (" + guard_ + "))";
  }
  void forced(ElementId from, ElementId failed) {
    if (b_.forced != "false") chart_.transition(from, failed, when(b_.forced), "", failure);
  }

  void plain() {
    const ElementId up = chart_.state("Operational", {110, first_row, 170, 70});
    const ElementId failed = chart_.state("Failed", {620, first_row, 150, 70});
    chart_.initial(up, {60, first_row + 35});
    fails(up, failed);
    forced(up, failed);
  }

  void waiting() {
    const ElementId up = chart_.state("Operational", {110, 40, 470, 190});
    const ElementId standby = chart_.state("Standby", {170, first_row + 20, 130, 70}, up);
    const ElementId active = chart_.state("Active", {420, first_row + 20, 130, 70}, up);
    const ElementId failed = chart_.state("Failed", {900, first_row + 20, 150, 70});
    chart_.initial(up, {60, first_row + 55});
    chart_.initial(standby, {140, first_row + 55}, up);
    chart_.transition(standby, active, "when(" + b_.activation + ")");
    if (!b_.cold) fails(standby, failed, "dormancy * lambda");
    fails(active, failed);
    forced(up, failed);
  }

  void phase_chain(ElementId container, ElementId failed, const std::string& rate, double x, double y) {
    ElementId before;
    for (int i = 1; i <= b_.phases; ++i) {
      const ElementId phase = chart_.state("Phase_" + std::to_string(i), {x + 170.0 * (i - 1), y, 110, 60}, container);
      if (i == 1) chart_.initial(phase, {x - 30, y + 30}, container);
      else chart_.transition(before, phase, "rate(" + rate + ")");
      before = phase;
    }
    fails(before, failed, rate);
  }
  double width() const { return 170.0 * b_.phases; }

  void phases() {
    const ElementId up = chart_.state("Operational", {110, 50, width() + 60, 140});
    const ElementId failed = chart_.state("Failed", {width() + 400, first_row, 150, 70});
    chart_.initial(up, {60, first_row + 35});
    phase_chain(up, failed, "lambda", 170, first_row + 5);
    forced(up, failed);
  }

  // How far it has worn and whether it is active are two things: two regions.
  void waiting_phases() {
    const ElementId up = chart_.state("Operational", {110, 20, width() + 100, 270});
    const ElementId use = chart_.region("Use", {120, 50, width() + 80, 110}, up);
    const ElementId wear = chart_.region("Wear", {120, 170, width() + 80, 110}, up);
    const ElementId failed = chart_.state("Failed", {width() + 500, first_row + 30, 150, 70});
    chart_.initial(up, {60, first_row + 60});
    const ElementId standby = chart_.state("Standby", {190, 80, 110, 60}, use);
    const ElementId active = chart_.state("Active", {360, 80, 110, 60}, use);
    chart_.initial(standby, {160, 110}, use);
    chart_.transition(standby, active, "when(" + b_.activation + ")");
    phase_chain(wear, failed, "if(in(Active), lambda, dormancy * lambda)", 190, 200);
    forced(up, failed);
  }

  void constant() {
    const ElementId up = chart_.state("Operational", {260, first_row, 170, 70});
    const ElementId failed = chart_.state("Failed", {720, first_row, 150, 70});
    const ElementId demand = chart_.choice({140, first_row + 35});
    chart_.initial(demand, {60, first_row + 35});
    if (guard_.empty()) {
      chart_.transition(demand, failed, "p(probability)", "", failure);
    } else {
      const ElementId pending = chart_.state("Pending", {260, 200, 170, 70});
      chart_.transition(demand, pending, "p(probability)");
      chart_.transition(pending, failed, "when(" + guard_ + ")", "", failure);
      forced(pending, failed);
    }
    chart_.transition(demand, up, "", "else");
    forced(up, failed);
  }

  ChartDrawing& chart_;
  const EventBehaviour& b_;
  std::string guard_;
};

std::string quantity(const TreeValue& value, const char* unit) {
  const std::string text = value.number ? number_text(*value.number) : "(" + value.text + ")";
  if (*unit == '\0') return text;
  return value.number ? text + " " + unit : text + " * 1 " + unit;
}

}  // namespace

std::string shared_chart_name(const EventBehaviour& b) {
  switch (b.law) {
    case Law::exponential:
      return "ExponentialEvent";
    case Law::erlang:
      return "ErlangEvent_" + std::to_string(b.phases);
    case Law::weibull:
      return "WeibullEvent";
    case Law::lognormal:
      return "LognormalEvent";
    case Law::constant:
      return "ConstantEvent";
  }
  return {};
}

void draw_event(Document& document, const NamedElements& ids, const std::string& name, const std::string& description,
                const EventBehaviour& b) {
  ChartDrawing chart(document, ids, name, description);
  switch (b.law) {
    case Law::weibull:
      chart.parameter("scale", "time", "h"), chart.parameter("shape", "real", "");
      break;
    case Law::lognormal:
      chart.parameter("mu", "real", ""), chart.parameter("sigma", "real", "");
      break;
    case Law::constant:
      chart.parameter("probability", "real", "");
      break;
    default:
      chart.parameter("lambda", "real", "/h");
      if (b.stands_by && (!b.cold || b.law == Law::erlang)) chart.parameter("dormancy", "real", "");
  }
  EventChart(chart, b).draw();
}

std::string event_arguments(const FailureLaw& law, const EventBehaviour& b, const TreeValue& dormancy) {
  switch (law.kind) {
    case Law::weibull:
      return "scale = " + quantity(law.first, "h") + ", shape = " + quantity(law.second, "");
    case Law::lognormal:
      return "mu = " + quantity(law.first, "") + ", sigma = " + quantity(law.second, "");
    case Law::constant:
      return "probability = " + quantity(law.first, "");
    default:
      break;
  }
  std::string out = "lambda = " + quantity(law.first, "/h");
  if (b.stands_by && (!b.cold || law.kind == Law::erlang)) out += ", dormancy = " + quantity(dormancy, "");
  return out;
}

}  // namespace ergode
