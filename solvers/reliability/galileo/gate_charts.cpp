#include "solvers/reliability/galileo/gate_charts.h"

namespace ergode {
namespace {

using TreeKind = TreeElement::Kind;

constexpr double row = 90;
constexpr Point start = {60, row + 35};

std::string when(const std::string& condition) { return "when(" + condition + ")"; }

class GateChart {
 public:
  GateChart(const TreeDrawing& d, int element)
      : d_(d),
        element_(element),
        gate_(d.tree.at(element)),
        chart_(d.document, d.ids, d.names[static_cast<std::size_t>(element)], described()) {
    for (const TreeElement::Child& child : gate_.children) {
      inputs_.push_back(child.element);
      failed_.push_back(d.conditions.failed(child.element));
    }
  }

  void draw() {
    if (gate_.kind == TreeKind::spare) spare();
    else if (gate_.kind == TreeKind::por) por();
    else if (gate_.kind == TreeKind::pand) gate_.exclusive ? strict_order() : order();
    else plain();
  }

 private:
  std::string described() const {
    std::string kind;
    switch (gate_.kind) {
      case TreeKind::conjunction:
        kind = "AND";
        break;
      case TreeKind::disjunction:
        kind = "OR";
        break;
      case TreeKind::vote:
        kind = std::to_string(gate_.needed) + " of " + std::to_string(gate_.children.size());
        break;
      case TreeKind::pand:
        kind = gate_.exclusive ? "PAND, exclusive" : "PAND";
        break;
      case TreeKind::por:
        kind = gate_.exclusive ? "POR, exclusive" : "POR";
        break;
      default:
        kind = "SPARE";
    }
    std::string out = "Gate " + gate_.name + ": " + kind + " of";
    for (const TreeElement::Child& child : gate_.children) out += " " + child.name;
    return out + ".";
  }
  ElementId begin(const std::string& name) {
    const ElementId state = chart_.state(name, {110, row, 170, 70});
    chart_.initial(state, start);
    return state;
  }
  std::vector<std::string> rest(std::size_t from) const {
    return {failed_.begin() + static_cast<std::ptrdiff_t>(from), failed_.end()};
  }

  void plain() {
    const ElementId up = begin("Operational"), failed = chart_.state("Failed", {720, row, 150, 70});
    chart_.transition(up, failed, when(d_.conditions.static_gate(gate_, failed_)));
  }

  void por() {
    const ElementId up = begin("Operational"), failed = chart_.state("Failed", {720, row, 150, 70});
    const auto first = [&] { chart_.transition(up, failed, when(failed_.front())); };
    if (!gate_.exclusive) first();
    if (failed_.size() > 1) {
      const ElementId safe = chart_.state("Failsafe", {720, row + 110, 150, 70});
      chart_.transition(up, safe, when(condition::any(rest(1))));
    }
    if (gate_.exclusive) first();
  }

  // Out of order: some input has failed and the one before it has not.
  void order() {
    const ElementId up = begin("Operational"), failed = chart_.state("Failed", {720, row, 150, 70});
    chart_.transition(up, failed, when(condition::all(failed_)));
    if (failed_.size() < 2) return;
    const ElementId safe = chart_.state("Failsafe", {720, row + 110, 150, 70});
    std::vector<std::string> swapped;
    for (std::size_t i = 0; i + 1 < failed_.size(); ++i)
      swapped.push_back(condition::all({failed_[i + 1], condition::negation(failed_[i])}));
    chart_.transition(up, safe, when(condition::any(swapped)));
  }

  void strict_order() {
    const std::size_t n = failed_.size();
    const double step = 330;
    std::vector<ElementId> waits;
    for (std::size_t i = 0; i < n; ++i)
      waits.push_back(chart_.state("Waits_" + d_.names[static_cast<std::size_t>(inputs_[i])],
                                   {110 + step * static_cast<double>(i), row, 170, 70}));
    chart_.initial(waits.front(), start);
    const ElementId failed = chart_.state("Failed", {110 + step * static_cast<double>(n), row, 150, 70});
    ElementId safe;
    if (n > 1) safe = chart_.state("Failsafe", {110 + step, row + 160, 150, 70});
    for (std::size_t i = 0; i < n; ++i) {
      if (i + 1 < n) chart_.transition(waits[i], safe, when(condition::any(rest(i + 1))));
      chart_.transition(waits[i], i + 1 < n ? waits[i + 1] : failed, when(failed_[i]));
    }
  }

  // From the input in use to the next one that is left, else failed.
  void spare() {
    const std::size_t n = inputs_.size();
    const double step = 360;
    std::vector<ElementId> uses;
    for (std::size_t i = 0; i < n; ++i)
      uses.push_back(
          chart_.state(d_.conditions.uses_state(inputs_[i]), {110 + step * static_cast<double>(i), row, 170, 70}));
    chart_.initial(uses.front(), start);
    const ElementId failed = chart_.state("Failed", {110 + step * static_cast<double>(n), row, 150, 70});
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j)
        chart_.transition(
            uses[i], uses[j],
            when(condition::all({failed_[i], condition::negation(failed_[j]),
                                 condition::negation(d_.conditions.used_elsewhere(element_, inputs_[j]))})));
      chart_.transition(uses[i], failed, when(failed_[i]));
    }
  }

  const TreeDrawing& d_;
  int element_;
  const TreeElement& gate_;
  ChartDrawing chart_;
  std::vector<int> inputs_;
  std::vector<std::string> failed_;
};

}  // namespace

void draw_gate(const TreeDrawing& drawing, int element) { GateChart(drawing, element).draw(); }

void draw_dependency(const TreeDrawing& d, int element) {
  const TreeElement& e = d.tree.at(element);
  std::string what = "Dependency " + e.name + ": when " + e.children.front().name + " fails, so do";
  for (std::size_t i = 1; i < e.children.size(); ++i) what += " " + e.children[i].name;
  const bool certain = e.probability.is(1.0);
  ChartDrawing chart(d.document, d.ids, d.names[static_cast<std::size_t>(element)],
                     what + (certain ? "." : ", together, with a probability."));
  const ElementId waiting = chart.state("Waiting", {110, row, 150, 70});
  chart.initial(waiting, start);
  const std::string trigger = when(d.conditions.failed(e.children.front().element));
  const ElementId triggered = chart.state("Triggered", {760, row, 150, 70});
  if (certain) return chart.transition(waiting, triggered, trigger);
  chart.parameter("probability", "real", "");
  const ElementId choice = chart.choice({520, row + 35});
  const ElementId spared = chart.state("NotPropagated", {760, row + 110, 150, 70});
  chart.transition(waiting, choice, trigger);
  chart.transition(choice, triggered, "p(probability)");
  chart.transition(choice, spared, "", "else");
}

void draw_module(const TreeDrawing& d, std::size_t module) {
  const std::string& name = d.tree.at(d.modules.modules[module].representative).name;
  ChartDrawing chart(d.document, d.ids, d.conditions.module_name(module),
                     "What is joined to the spare " + name + " stands by until a spare gate uses it.");
  const ElementId standby = chart.state("Standby", {110, row, 150, 70});
  const ElementId active = chart.state("Active", {720, row, 150, 70});
  chart.initial(standby, start);
  chart.transition(standby, active, when(d.conditions.module_activation(module)));
}

}  // namespace ergode
