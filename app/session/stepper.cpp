#include "app/session/stepper.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/base/text.h"
#include "solvers/simulation/model_history.h"

namespace ergode {
namespace {

std::string hex(std::uint64_t bits) { return ElementId(bits).text(); }

}  // namespace

struct Stepper::Parts : TransitionListener, Witness {
  struct Input {
    std::string event;  ///< empty: a step
    std::optional<std::uint32_t> component;
  };

  std::shared_ptr<const AnalysisModel> model;
  std::uint64_t seed_value = 0, replication = 0;
  CcfProgram groups;
  ModelHistory history;
  std::vector<Input> inputs;
  std::vector<Happened> trace;
  std::set<ElementId> breakpoints;
  Diagnostics failure;
  bool ended = false, hit = false;

  Parts(std::shared_ptr<const AnalysisModel> m, std::uint64_t seed, std::uint64_t number)
      : model(std::move(m)), seed_value(seed), replication(number), groups(*model), history(*model, groups, seed) {
    history.charts().set_transition_listener(this);
    history.world().witness = this;
  }

  const CompiledModel& charts() const { return model->charts; }
  ChartReplication& run() { return history.charts(); }
  const ChartReplication& run() const { return history.charts(); }

  void taken(std::size_t row, double now_s) override {
    const auto owner = std::upper_bound(charts().instances.begin(), charts().instances.end(), row,
                                        [](std::size_t r, const Instance& i) { return r < i.transition_base; }) -
                       1;
    const StateChart& chart = charts().charts[owner->chart].chart;
    const Transition& t = chart.transitions[row - owner->transition_base];
    std::string text = name_of(chart, t.source) + " -> ";
    if (t.targets.empty()) text += name_of(chart, t.source);
    for (std::size_t i = 0; i < t.targets.size(); ++i) text += (i == 0 ? "" : ", ") + name_of(chart, t.targets[i]);
    if (!t.trigger.text.empty()) text += "  " + t.trigger.text;
    happened({now_s, charts().name(static_cast<std::uint32_t>(owner - charts().instances.begin())), t.element,
              std::move(text)});
  }
  void happened(Happened what) override {
    hit = hit || breakpoints.contains(what.element);
    trace.push_back(std::move(what));
  }

  static std::string name_of(const StateChart& chart, int state) {
    const State& s = chart.states[static_cast<std::size_t>(state)];
    return !s.name.empty()                 ? s.name
           : s.kind == State::Kind::choice ? "choice"
           : s.kind == State::Kind::final  ? "end"
                                           : "?";
  }

  // Whatever throws inside the model ends the history with its own words.
  template <class Do>
  Stop guarded(Do what) {
    // A state counts when it is entered, not while it is active: hence what was active before.
    const std::set<ElementId> before = breakpoints.empty() ? std::set<ElementId>() : active({});
    hit = false;
    try {
      what();
    } catch (const ModelFailure& problem) {
      failure = {problem.diagnostic};
      ended = true;
      return Stop::failure;
    }
    if (ended) return Stop::end;
    for (const ElementId id : breakpoints.empty() ? std::set<ElementId>() : active({}))
      hit = hit || (breakpoints.contains(id) && !before.contains(id));
    return hit ? Stop::breakpoint : Stop::step;
  }

  Stop apply(const Input& input) {
    return guarded([&] {
      const std::size_t taken_before = trace.size();
      if (!input.event.empty()) return offer(input);
      NobodyWatches nobody;
      while (trace.size() == taken_before)
        if (!history.step(model->horizon_s, nobody)) {
          ended = true;
          return;
        }
    });
  }

  void offer(const Input& input) {
    const int event = charts().event_for(input.event);
    if (event < 0) return;
    for (std::uint32_t i = 0; i < charts().instances.size(); ++i)
      if (!input.component || *input.component == i) run().send(i, static_cast<std::uint32_t>(event));
    history.settle();
  }

  void from_the_beginning() {
    trace.clear(), failure.clear();
    ended = false;
    guarded([&] { history.start(replication); });
  }

  void make_again() {
    from_the_beginning();
    // What is made again has stopped at its breakpoints once.
    const std::set<ElementId> kept = std::exchange(breakpoints, {});
    for (const Input& input : inputs) apply(input);
    breakpoints = kept;
  }

  std::set<ElementId> active(std::optional<std::uint32_t> component) const {
    std::set<ElementId> out;
    for (std::uint32_t i = 0; i < charts().instances.size(); ++i) {
      if (component && *component != i) continue;
      const StateChart& chart = charts().charts[charts().instances[i].chart].chart;
      for (int s = 1; s < static_cast<int>(chart.states.size()); ++s)
        if (run().active(i, s)) out.insert(chart.states[static_cast<std::size_t>(s)].element);
    }
    if (!component) history.others().active(out);
    return out;
  }
};

Stepper::Stepper(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Stepper::~Stepper() = default;

std::unique_ptr<Stepper> Stepper::begin(const Document& document, const RunRequest& request, Diagnostics& problems,
                                        std::uint64_t replication) {
  const auto model = build_model(document, request, request.folder, problems);
  if (model == nullptr) return nullptr;
  auto out = std::unique_ptr<Stepper>(
      new Stepper(std::make_unique<Parts>(model, request.seed.value_or(model->seed), replication)));
  out->parts_->from_the_beginning();
  return out;
}

Stepper::Stop Stepper::step() {
  if (parts_->ended) return parts_->failure.empty() ? Stop::end : Stop::failure;
  parts_->inputs.push_back({});
  return parts_->apply(parts_->inputs.back());
}

bool Stepper::step_back() {
  if (parts_->inputs.empty()) return false;
  parts_->inputs.pop_back();
  parts_->make_again();
  return true;
}

Stepper::Stop Stepper::give(const std::string& event, std::optional<std::uint32_t> component) {
  if (parts_->ended) return parts_->failure.empty() ? Stop::end : Stop::failure;
  parts_->inputs.push_back({event, component});
  return parts_->apply(parts_->inputs.back());
}

void Stepper::restart() {
  parts_->inputs.clear();
  parts_->from_the_beginning();
}

double Stepper::now_s() const {
  return parts_->ended && parts_->failure.empty() ? parts_->model->horizon_s : parts_->run().now();
}
bool Stepper::ended() const { return parts_->ended; }
std::uint64_t Stepper::seed() const { return parts_->seed_value; }
std::size_t Stepper::steps() const { return parts_->inputs.size(); }
std::uint64_t Stepper::fingerprint() const { return parts_->history.world().fingerprint; }
const std::vector<Happened>& Stepper::trace() const { return parts_->trace; }
const Diagnostics& Stepper::failure() const { return parts_->failure; }
void Stepper::set_breakpoints(std::set<ElementId> elements) { parts_->breakpoints = std::move(elements); }

std::vector<std::string> Stepper::components() const {
  std::vector<std::string> out;
  for (std::uint32_t i = 0; i < parts_->charts().instances.size(); ++i) out.push_back(parts_->charts().name(i));
  return out;
}

std::set<ElementId> Stepper::active(std::optional<std::uint32_t> component) const { return parts_->active(component); }

std::vector<Waiting> Stepper::scheduled() const { return parts_->history.waiting(); }

std::vector<Stepper::Watched> Stepper::variables() const {
  std::vector<Watched> out;
  for (const NamedSlot& v : parts_->charts().table->named()) {
    const double value = parts_->run().slots()[v.slot];
    out.push_back(
        {v.name,
         v.type.base == ValueType::Base::boolean ? (value != 0.0 ? "true" : "false") : number_text(value / v.scale, 8),
         v.unit});
  }
  return out;
}

std::vector<std::string> Stepper::events() const {
  std::vector<std::string> out;
  for (const std::string& name : parts_->charts().event_names)
    if (name != "*" && name.rfind("done.state.", 0) != 0) out.push_back(name);
  return out;
}

Value Stepper::trace_json() const {
  Value out = {{"format", "ergode-trace"}, {"seed", parts_->seed_value}, {"replication", parts_->replication}};
  out["inputs"] = Value::array();
  for (const Parts::Input& input : parts_->inputs) {
    Value one = Value::object();
    if (!input.event.empty()) one["event"] = input.event;
    if (input.component) one["component"] = parts_->charts().name(*input.component);
    out["inputs"].push_back(std::move(one));
  }
  out["taken"] = Value::array();
  for (const Happened& taken : parts_->trace)
    out["taken"].push_back({{"time_s", taken.time_s},
                            {"time_bits", hex(std::bit_cast<std::uint64_t>(taken.time_s))},
                            {"component", taken.who},
                            {"transition", taken.element.text()},
                            {"text", taken.text}});
  out["fingerprint"] = hex(fingerprint());
  return out;
}

Diagnostics Stepper::replay(const Value& saved) {
  const auto wrong = [](std::string message) { return Diagnostics{{.code = "STP001", .message = std::move(message)}}; };
  try {
    if (saved.value("format", "") != "ergode-trace") return wrong("The file is no trace of a history.");
    if (saved.at("seed").get<std::uint64_t>() != parts_->seed_value ||
        saved.at("replication").get<std::uint64_t>() != parts_->replication)
      return wrong("The trace has seed " + saved.at("seed").dump() + " and replication " +
                   saved.at("replication").dump() + "; this history has seed " + std::to_string(parts_->seed_value) +
                   " and replication " + std::to_string(parts_->replication) + ".");
    std::vector<Parts::Input> inputs;
    const std::vector<std::string> known = components();
    for (const auto& one : saved.at("inputs")) {
      Parts::Input input{one.value("event", ""), {}};
      if (const std::string component = one.value("component", ""); !component.empty()) {
        const auto found = std::find(known.begin(), known.end(), component);
        if (found == known.end()) return wrong("The model has no component \"" + component + "\".");
        input.component = static_cast<std::uint32_t>(found - known.begin());
      }
      inputs.push_back(std::move(input));
    }
    parts_->inputs = std::move(inputs);
    parts_->make_again();
    const Value again = trace_json();
    for (std::size_t i = 0; i < std::max(saved.at("taken").size(), again.at("taken").size()); ++i) {
      const bool both = i < saved.at("taken").size() && i < again.at("taken").size();
      if (!both || saved.at("taken")[i] != again.at("taken")[i])
        return wrong("The history differs from the trace at transition " + std::to_string(i + 1) +
                     ": the model or the program is another.");
    }
    if (saved.at("fingerprint") != again.at("fingerprint")) return wrong("The fingerprints differ.");
  } catch (const Value::Exception& problem) {
    return wrong(std::string("The trace cannot be read: ") + problem.what() + ".");
  }
  return {};
}

}  // namespace ergode
