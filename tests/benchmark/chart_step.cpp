#include "tests/benchmark/chart_step.h"

#include <algorithm>
#include <random>
#include <stdexcept>

#include "solvers/model/analysis_model.h"
#include "statecharts/exchange/scxml_reader.h"
#include "statecharts/execute/chart_history.h"
#include "tests/benchmark/benchmark.h"

namespace ergode::bench {
namespace {

class OurEngine : public StepEngine {
 public:
  explicit OurEngine(StepChart chart) : import_(read_scxml(file_of(chart))) {
    Diagnostics problems;
    if (import_.document) model_ = build_model(*import_.document, {}, "", problems);
    if (model_ == nullptr) throw std::runtime_error("the benchmark's chart is broken");
    for (const std::string& event : step_events)
      numbers_.push_back(static_cast<std::uint32_t>(model_->charts.event(event)));
    history_ = std::make_unique<ChartHistory>(model_->charts, 1);
    history_->start(0);
  }
  void give(const std::vector<std::uint8_t>& events) override {
    for (const std::uint8_t event : events) history_->charts().give(0, numbers_[event]);
  }
  std::string configuration() override {
    std::vector<std::string> names;
    const ChartTables& tables = model_->charts.charts.front();
    for (std::size_t s = 1; s < tables.chart.states.size(); ++s)
      if ((tables.atomic[0] >> s & 1U) != 0 && history_->charts().active(0, static_cast<int>(s)))
        names.push_back(tables.chart.states[s].name);
    std::sort(names.begin(), names.end());
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : "|") + name;
    return out;
  }

 private:
  ScxmlImport import_;
  std::shared_ptr<const AnalysisModel> model_;
  std::vector<std::uint32_t> numbers_;
  std::unique_ptr<ChartHistory> history_;
};

// A walk on which every event takes a transition, chosen evenly among those that do, and which ends where it began.
std::vector<std::uint8_t> random_walk(StepChart chart, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  OurEngine engine(chart);
  const std::string start = engine.configuration();
  std::string now = start;
  std::vector<std::uint8_t> out;
  while (out.size() < count || now != start) {
    const auto event = static_cast<std::uint8_t>(random() % step_events.size());
    engine.give({event});
    std::string next = engine.configuration();
    if (next == now) continue;
    out.push_back(event);
    now = std::move(next);
  }
  return out;
}

Row step(const char* name, StepChart chart, const char* reference_is, StepEngine& reference, std::size_t their_events,
         double seconds) {
  OurEngine ours(chart);
  // Both must do the same work: one event at a time over a stream of their own.
  OurEngine fresh(chart);
  for (const std::uint8_t event : random_walk(chart, 2000, 7)) {
    fresh.give({event}), reference.give({event});
    if (fresh.configuration() != reference.configuration())
      throw std::runtime_error(std::string(name) + ": the engines differ: " + fresh.configuration() + " and " +
                               reference.configuration());
  }
  const std::vector<std::uint8_t> many = random_walk(chart, 400000, 1), few = random_walk(chart, their_events, 1);
  return compare(
      name, "events/s", reference_is, seconds,
      [&] {
        ours.give(many);
        return static_cast<double>(many.size());
      },
      [&] {
        reference.give(few);
        return static_cast<double>(few.size());
      });
}

// A counter between two states: every event asks a guard on an integer and changes it.
constexpr const char* counter_chart = R"(<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="Counter"
    datamodel="ecmascript" initial="Filling">
  <datamodel><data id="n" expr="0"/></datamodel>
  <state id="Filling">
    <transition event="put" cond="n &lt; 9"><assign location="n" expr="n + 1"/></transition>
    <transition event="put" cond="n == 9" target="Full"><assign location="n" expr="n + 1"/></transition>
    <transition event="take" cond="n &gt; 0"><assign location="n" expr="n - 1"/></transition>
  </state>
  <state id="Full">
    <transition event="take" target="Filling"><assign location="n" expr="n - 1"/></transition>
  </state>
</scxml>)";

struct Counter {
  int n = 0;
  bool full = false;
};
void count_by_hand(Counter& counter, std::uint8_t event) {
  if (counter.full) {
    if (event == 1) counter.full = false, --counter.n;
  } else if (event == 0) {
    counter.full = counter.n == 9;
    ++counter.n;
  } else if (counter.n > 0) {
    --counter.n;
  }
}
void (*volatile by_hand)(Counter&, std::uint8_t) = count_by_hand;

Row integer_guard_and_action(double seconds) {
  const ScxmlImport import = parse_scxml(counter_chart, "counter");
  Diagnostics problems;
  const auto model = import.document ? build_model(*import.document, {}, "", problems) : nullptr;
  if (model == nullptr) throw std::runtime_error("the benchmark's chart is broken");
  const std::uint32_t numbers[] = {static_cast<std::uint32_t>(model->charts.event("put")),
                                   static_cast<std::uint32_t>(model->charts.event("take"))};
  ChartHistory history(model->charts, 1);
  history.start(0);
  std::mt19937 random(3);
  std::vector<std::uint8_t> events(100000);
  for (std::uint8_t& event : events) event = static_cast<std::uint8_t>(random() % 2);
  Counter counter;
  const std::vector<NamedSlot>& named = model->charts.table->named();
  const auto slot = std::find_if(named.begin(), named.end(), [](const NamedSlot& v) { return v.name.ends_with(".n"); });
  if (slot == named.end()) throw std::runtime_error("the benchmark's chart has no n");
  for (const std::uint8_t event : events) {
    history.charts().give(0, numbers[event]), count_by_hand(counter, event);
    if (history.charts().slots()[slot->slot] != counter.n) throw std::runtime_error("the counters differ");
  }
  return compare(
      "integer_guard_and_action", "events/s", "the same counter as a C++ function behind a pointer", seconds,
      [&] {
        for (const std::uint8_t event : events) history.charts().give(0, numbers[event]);
        return static_cast<double>(events.size());
      },
      [&] {
        for (const std::uint8_t event : events) by_hand(counter, event);
        return static_cast<double>(events.size());
      });
}

}  // namespace

const char* file_of(StepChart chart) {
  return chart == StepChart::structure ? ERGODE_STEP_CHARTS "/chart_step.scxml"
                                       : ERGODE_STEP_CHARTS "/chart_variables.scxml";
}

std::vector<Named> chart_step_benchmarks() {
  std::vector<Named> out;
  const auto over_boost = [&](const char* name, StepChart chart) {
    out.push_back({name, [name, chart](double seconds) {
                     return step(name, chart, "the same chart exported to Boost.Statechart",
                                 boost_statechart_engine(chart), 100000, seconds);
                   }});
  };
  over_boost("chart_step_over_boost_statechart", StepChart::structure);
  over_boost("chart_variables_over_boost_statechart", StepChart::variables);
  out.push_back({"integer_guard_and_action", integer_guard_and_action});
  if (qt_scxml_engine() != nullptr)
    out.push_back({"chart_step_over_qt_scxml", [](double seconds) {
                     return step("chart_step_over_qt_scxml", StepChart::structure,
                                 "the same document in QScxmlStateMachine", *qt_scxml_engine(), 2000, seconds);
                   }});
  return out;
}

}  // namespace ergode::bench
