#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/expression/parameters.h"
#include "statecharts/compile/compiler.h"
#include "statecharts/execute/chart_history.h"
#include "tests/support/model_builder.h"

namespace ergode::test {

/// The first chart drawn; throws where there is none.
inline const Element& chart_of(const Document& document) {
  for (const Element* diagram : document.of(Section::diagram))
    if (diagram->text("notation") == "statechart") return *diagram;
  throw std::logic_error("no chart");
}

/// A document compiled, with what was found on the way.
struct CompiledCheck {
  Diagnostics problems;
  std::shared_ptr<const CompiledModel> model;  ///< null when there are errors

  explicit CompiledCheck(const Document& document, const std::vector<std::string>& observed = {}) {
    const ParameterTable parameters = ParameterTable::resolve(document, "", {}, problems);
    ModelCompiler compiler(document, parameters, {}, problems);
    if (has_errors(problems)) return;
    for (const std::string& text : observed)
      compiler.observe(std::get<Program>(compile_as(text, ValueType::boolean(), compiler.scope())));
    model = std::make_shared<const CompiledModel>(compiler.finish());
    if (has_errors(problems)) model.reset();
  }
};

/// Runs a model and writes down every event that is recorded, raised or sent: `record(x)` in an action is how the tests
/// see the order of things.
class TraceRun : private EventListener {
 public:
  explicit TraceRun(const Document& document, std::uint64_t seed = 1, const std::vector<std::string>& observed = {})
      : check_(document, observed) {
    if (!check_.model) throw std::runtime_error(listed(check_.problems));
    history_ = std::make_unique<ChartHistory>(*check_.model, seed);
    charts().set_event_listener(this);
  }
  const CompiledModel& model() const { return *check_.model; }
  ChartHistory& history() { return *history_; }
  World& world() { return history_->world(); }
  ChartReplication& charts() { return history_->charts(); }
  const ChartReplication& charts() const { return history_->charts(); }

  TraceRun& start(std::uint64_t replication = 0) {
    clear();
    history_->start(replication);
    return *this;
  }
  /// Everything that happens up to and at this time [h].
  TraceRun& until(double hours) {
    while (history_->next_time() <= hours * 3600.0) history_->step();
    world().move(hours * 3600.0);
    return *this;
  }
  TraceRun& send(const std::string& event, std::uint32_t instance = 0) {
    const int number = model().event(event);
    if (number < 0) throw std::runtime_error("nobody knows " + event);
    charts().send(instance, static_cast<std::uint32_t>(number));
    charts().settle();
    return *this;
  }
  void clear() { names_.clear(), times_.clear(); }

  /// What was noted since the start or clear(), in order: "a b c".
  std::string trace() const {
    std::string out;
    for (const std::string& name : names_) out += (out.empty() ? "" : " ") + name;
    return out;
  }
  const std::vector<double>& times_h() const { return times_; }
  /// Active states without the chart itself, in document order: "A A.X B".
  std::string active(std::uint32_t instance = 0) const {
    const StateChart& chart = model().charts[model().instances[instance].chart].chart;
    std::string out;
    for (int s = 1; s < static_cast<int>(chart.states.size()); ++s)
      if (charts().active(instance, s))
        out += (out.empty() ? "" : " ") + (chart.states[static_cast<std::size_t>(s)].name.empty()
                                               ? "?"
                                               : chart.states[static_cast<std::size_t>(s)].name);
    return out;
  }

 private:
  void event(std::uint32_t event, double now_s) override {
    names_.push_back(model().event_names[event]);
    times_.push_back(now_s / 3600.0);
  }
  CompiledCheck check_;
  std::unique_ptr<ChartHistory> history_;
  std::vector<std::string> names_;
  std::vector<double> times_;
};

/// A state that records in_NAME and out_NAME.
inline ElementId traced(ChartBuilder& chart, const std::string& name, ElementId parent = {}) {
  return chart.state(name, parent, "record(in_" + name + ")", "record(out_" + name + ")");
}

}  // namespace ergode::test
