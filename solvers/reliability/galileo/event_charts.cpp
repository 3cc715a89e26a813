#include "solvers/reliability/galileo/event_charts.h"

#include "core/base/text.h"

namespace ergode {
namespace {

using Kind = FailureLaw::Kind;

constexpr double row = 90;  // y of the first states
constexpr const char* failure = "failure";

/// Draws the charts of one behaviour. Where constraints forbid a failure an exponential clock waits, at rate zero;
/// another runs on, and when it goes off meanwhile it is spent: the failure has become impossible.
class EventChart {
 public:
  EventChart(ChartDrawing& chart, const EventBehaviour& b)
      : chart_(chart), b_(b), guard_(b.allowed == "true" ? "" : b.allowed) {}

  void draw() {
    if (b_.law == Kind::constant) return constant();
    if (b_.law == Kind::erlang) b_.stands_by ? waiting_phases() : phases();
    else if (b_.stands_by) waiting();
    else plain();
  }

 private:
  /// The transition that the law alone leads over.
  void fails(ElementId from, ElementId failed) {
    if (b_.law == Kind::weibull)
      chart_.transition(from, failed, "after(weibull(scale = scale, shape = shape))", guard_, failure);
    else if (b_.law == Kind::lognormal)
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
    const ElementId up = chart_.state("Operational", {110, row, 170, 70});
    const ElementId failed = chart_.state("Failed", {620, row, 150, 70});
    chart_.initial(up, {60, row + 35});
    fails(up, failed);
    forced(up, failed);
  }

  void waiting() {
    const ElementId up = chart_.state("Operational", {110, 40, 470, 190});
    const ElementId standby = chart_.state("Standby", {170, row + 20, 130, 70}, up);
    const ElementId active = chart_.state("Active", {420, row + 20, 130, 70}, up);
    const ElementId failed = chart_.state("Failed", {900, row + 20, 150, 70});
    chart_.initial(up, {60, row + 55});
    chart_.initial(standby, {140, row + 55}, up);
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
    const ElementId failed = chart_.state("Failed", {width() + 400, row, 150, 70});
    chart_.initial(up, {60, row + 35});
    phase_chain(up, failed, "lambda", 170, row + 5);
    forced(up, failed);
  }

  // How far it has worn and whether it is active are two things: two regions.
  void waiting_phases() {
    const ElementId up = chart_.state("Operational", {110, 20, width() + 100, 270});
    const ElementId use = chart_.region("Use", {120, 50, width() + 80, 110}, up);
    const ElementId wear = chart_.region("Wear", {120, 170, width() + 80, 110}, up);
    const ElementId failed = chart_.state("Failed", {width() + 500, row + 30, 150, 70});
    chart_.initial(up, {60, row + 60});
    const ElementId standby = chart_.state("Standby", {190, 80, 110, 60}, use);
    const ElementId active = chart_.state("Active", {360, 80, 110, 60}, use);
    chart_.initial(standby, {160, 110}, use);
    chart_.transition(standby, active, "when(" + b_.activation + ")");
    phase_chain(wear, failed, "if(in(Active), lambda, dormancy * lambda)", 190, 200);
    forced(up, failed);
  }

  void constant() {
    const ElementId up = chart_.state("Operational", {260, row, 170, 70});
    const ElementId failed = chart_.state("Failed", {720, row, 150, 70});
    const ElementId demand = chart_.choice({140, row + 35});
    chart_.initial(demand, {60, row + 35});
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
    case Kind::exponential:
      return "ExponentialEvent";
    case Kind::erlang:
      return "ErlangEvent_" + std::to_string(b.phases);
    case Kind::weibull:
      return "WeibullEvent";
    case Kind::lognormal:
      return "LognormalEvent";
    case Kind::constant:
      return "ConstantEvent";
  }
  return {};
}

void draw_event(Document& document, const NamedElements& ids, const std::string& name, const std::string& description,
                const EventBehaviour& b) {
  ChartDrawing chart(document, ids, name, description);
  switch (b.law) {
    case Kind::weibull:
      chart.parameter("scale", "time", "h"), chart.parameter("shape", "real", "");
      break;
    case Kind::lognormal:
      chart.parameter("mu", "real", ""), chart.parameter("sigma", "real", "");
      break;
    case Kind::constant:
      chart.parameter("probability", "real", "");
      break;
    default:
      chart.parameter("lambda", "real", "/h");
      if (b.stands_by && (!b.cold || b.law == Kind::erlang)) chart.parameter("dormancy", "real", "");
  }
  EventChart(chart, b).draw();
}

std::string event_arguments(const FailureLaw& law, const EventBehaviour& b, const TreeValue& dormancy) {
  switch (law.kind) {
    case Kind::weibull:
      return "scale = " + quantity(law.first, "h") + ", shape = " + quantity(law.second, "");
    case Kind::lognormal:
      return "mu = " + quantity(law.first, "") + ", sigma = " + quantity(law.second, "");
    case Kind::constant:
      return "probability = " + quantity(law.first, "");
    default:
      break;
  }
  std::string out = "lambda = " + quantity(law.first, "/h");
  if (b.stands_by && (!b.cold || law.kind == Kind::erlang)) out += ", dormancy = " + quantity(dormancy, "");
  return out;
}

}  // namespace ergode
