#include "app/session/stepper.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <unordered_map>
#include <utility>

#include "core/base/text.h"
#include "core/format/hash.h"
#include "solvers/simulation/model_history.h"

namespace ergode {
namespace {

/// Lines of a trace that are kept at least, and moves that somebody may still want to see.
constexpr std::size_t kept_lines = 100'000, kept_moves = 2'000;

std::string hex(std::uint64_t bits) { return ElementId(bits).text(); }

Diagnostics wrong(std::string message) { return {{.code = "STP001", .message = std::move(message)}}; }
Diagnostics unreadable(const Value::Exception& problem) {
  return wrong(std::string("The trace cannot be read: ") + problem.what() + ".");
}

}  // namespace

struct Stepper::Parts : TransitionListener, Witness {
  struct Input {
    std::string event;  ///< empty: steps
    std::optional<std::uint32_t> component;
    std::uint64_t times = 1;  ///< of steps, one after the other
  };

  std::shared_ptr<const AnalysisModel> model;
  std::uint64_t seed_value = 0, replication = 0;
  Value made_of;  ///< what a trace says of the model
  CcfProgram groups;
  ModelHistory history;
  std::vector<Input> inputs;
  std::uint64_t steps = 0;  ///< of the inputs together
  std::vector<Happened> trace;
  std::vector<Moved> moves;
  std::unordered_map<ElementId, std::string> names;
  std::uint64_t told = 0, lines = 0;  ///< all that was said; of it, what is or was in the trace
  bool silent = false;                ///< nobody will read what happens now
  std::set<ElementId> breakpoints;
  Diagnostics failure;
  bool ended = false, hit = false;

  Parts(std::shared_ptr<const AnalysisModel> m, const Document& document, const RunRequest& request,
        std::uint64_t number)
      : model(std::move(m)),
        seed_value(request.seed.value_or(model->seed)),
        replication(number),
        groups(*model),
        history(*model, groups, seed_value) {
    made_of = {{"hash", semantic_hash(document)}, {"scenario", request.scenario}};
    made_of["set"] = made_of["files"] = Value::object();
    for (const auto& [name, text] : request.overrides) made_of["set"][name] = text;
    for (const FileRead& file : model->files) made_of["files"][file.name] = file.sha256;
    history.charts().set_transition_listener(this);
    history.world().witness = this;
    for (const Element& element : document.elements())
      if (element.is_node()) names.emplace(element.id, element.name());
  }

  const CompiledModel& charts() const { return model->charts; }
  ChartReplication& run() { return history.charts(); }
  const ChartReplication& run() const { return history.charts(); }

  void taken(std::size_t row, double now_s) override {
    if (silent) return note();
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
    note();
    if (silent) return;
    hit = hit || breakpoints.contains(what.element);
    if (trace.size() == 2 * kept_lines) trace.erase(trace.begin(), trace.begin() + kept_lines);
    trace.push_back(std::move(what));
  }
  void moved(const Moved& what) override {
    if (silent) return what.edge ? note() : static_cast<void>(++told);
    hit = hit || breakpoints.contains(what.to);
    if (moves.size() == 2 * kept_moves) moves.erase(moves.begin(), moves.begin() + kept_moves);
    moves.push_back(what);
    // Who came into being or was gone without a way says so himself, where it is worth a line.
    if (!what.edge) return static_cast<void>(++told);
    std::string text = name(what.sort);
    text += (text.empty() ? "to " : " to ") + name(what.to);
    if (what.becomes != what.sort) text += " as " + name(what.becomes);
    happened({what.time_s, name(what.from), what.edge, std::move(text)});
  }
  void note() { ++told, ++lines; }
  std::string name(ElementId id) const {
    const auto found = names.find(id);
    return found != names.end() ? found->second : std::string();
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

  /// When something may happen next [s].
  double due_s() const { return model->charts.hybrid ? run().now() : std::min(history.next_time(), model->horizon_s); }
  /// One step, where it is due by then and before the wall clock says so. @returns nothing: it was not.
  std::optional<Stop> step(double until_s, std::chrono::steady_clock::time_point deadline) {
    bool due = true;
    const Stop out = guarded([&] {
      constexpr unsigned often = 63;
      NobodyWatches nobody;
      unsigned count = 0;
      for (const std::uint64_t before = told; told == before;) {
        due = due_s() <= until_s && ((++count & often) != 0 || std::chrono::steady_clock::now() < deadline);
        if (!due) return;
        if (!history.step(model->horizon_s, nobody)) {
          ended = true;
          return;
        }
      }
    });
    if (!due) return std::nullopt;
    return out;
  }
  Stop step() { return *step(std::numeric_limits<double>::infinity(), std::chrono::steady_clock::time_point::max()); }

  void count_step() {
    if (inputs.empty() || !inputs.back().event.empty()) inputs.push_back({});
    else ++inputs.back().times;
    ++steps;
  }

  void offer(const Input& input) {
    const int event = charts().event_for(input.event);
    if (event < 0) return;
    history.world().steps_at_moment = 0;
    for (std::uint32_t i = 0; i < charts().instances.size(); ++i)
      if (!input.component || *input.component == i) run().send(i, static_cast<std::uint32_t>(event));
    // As what a part raises: charts first, which react when all have been told. None of the others is a component.
    if (!input.component) history.others().heard(static_cast<std::uint32_t>(event));
    history.settle();
  }

  void from_the_beginning() {
    trace.clear(), moves.clear(), failure.clear();
    told = lines = 0;
    ended = false;
    guarded([&] { history.start(replication); });
  }

  void make_again() {
    // What is made again has stopped at its breakpoints once.
    const std::set<ElementId> kept = std::exchange(breakpoints, {});
    silent = steps > kept_lines;
    from_the_beginning();
    std::uint64_t left = steps;
    for (const Input& input : inputs)
      for (std::uint64_t i = 0; i < input.times && !ended; ++i, --left) {
        silent = left > kept_lines;
        if (input.event.empty()) step();
        else guarded([&] { offer(input); });
      }
    silent = false;
    moves.clear();
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
  auto out = std::unique_ptr<Stepper>(new Stepper(std::make_unique<Parts>(model, document, request, replication)));
  out->parts_->from_the_beginning();
  return out;
}

Stepper::Stop Stepper::step() {
  if (parts_->ended) return parts_->failure.empty() ? Stop::end : Stop::failure;
  parts_->count_step();
  return parts_->step();
}

Stepper::Reached Stepper::go_to(double until_s, double budget_s) {
  using Clock = std::chrono::steady_clock;
  const auto begun = Clock::now();
  const auto deadline = begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget_s));
  for (;;) {
    if (parts_->ended) return {parts_->failure.empty() ? Stop::end : Stop::failure};
    const auto stop = parts_->step(until_s, deadline);
    if (stop) parts_->count_step();
    const bool due = parts_->due_s() <= until_s;
    if (stop.value_or(Stop::step) != Stop::step) return {*stop};
    if (!due || Clock::now() >= deadline) return {Stop::step, due};
  }
}

bool Stepper::step_back() {
  if (parts_->inputs.empty()) return false;
  if (--parts_->inputs.back().times == 0) parts_->inputs.pop_back();
  --parts_->steps;
  parts_->make_again();
  return true;
}

Stepper::Stop Stepper::give(const std::string& event, std::optional<std::uint32_t> component) {
  if (parts_->ended) return parts_->failure.empty() ? Stop::end : Stop::failure;
  if (event.empty()) return step();
  parts_->inputs.push_back({event, component});
  ++parts_->steps;
  return parts_->guarded([&] { parts_->offer(parts_->inputs.back()); });
}

void Stepper::restart() {
  parts_->inputs.clear();
  parts_->steps = 0;
  parts_->from_the_beginning();
}

double Stepper::now_s() const {
  return parts_->ended && parts_->failure.empty() ? parts_->model->horizon_s : parts_->run().now();
}
bool Stepper::ended() const { return parts_->ended; }
std::uint64_t Stepper::seed() const { return parts_->seed_value; }
std::size_t Stepper::steps() const { return parts_->steps; }
std::uint64_t Stepper::fingerprint() const { return parts_->history.world().fingerprint; }
const std::vector<Happened>& Stepper::trace() const { return parts_->trace; }
std::vector<Moved> Stepper::take_moves() { return std::exchange(parts_->moves, {}); }
std::vector<Present> Stepper::present() const {
  std::vector<Present> out;
  parts_->history.others().present(out);
  return out;
}
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
  out["model"] = parts_->made_of;
  out["inputs"] = Value::array();
  for (const Parts::Input& input : parts_->inputs) {
    Value one = Value::object();
    if (!input.event.empty()) one["event"] = input.event;
    if (input.component) one["component"] = parts_->charts().name(*input.component);
    if (input.times != 1) one["times"] = input.times;
    out["inputs"].push_back(std::move(one));
  }
  out["taken"] = Value::array();
  const std::size_t kept = std::min(parts_->trace.size(), kept_lines);
  if (parts_->lines > kept) out["taken_before"] = parts_->lines - kept;
  for (auto taken = parts_->trace.end() - static_cast<std::ptrdiff_t>(kept); taken != parts_->trace.end(); ++taken)
    out["taken"].push_back({{"time_s", taken->time_s},
                            {"time_bits", hex(std::bit_cast<std::uint64_t>(taken->time_s))},
                            {"component", taken->who},
                            {"transition", taken->element.text()},
                            {"text", taken->text}});
  // Guards and rates may read what no transition shows.
  out["values"] = Value::object();
  for (const NamedSlot& v : parts_->charts().table->named())
    out["values"][v.name] = hex(std::bit_cast<std::uint64_t>(parts_->run().slots()[v.slot]));
  out["fingerprint"] = hex(fingerprint());
  return out;
}

Diagnostics Stepper::ask_as_saved(const Value& saved, RunRequest& request) {
  try {
    if (saved.value("format", "") != "ergode-trace") return wrong("The file is no trace of a history.");
    request.seed = saved.at("seed").get<std::uint64_t>();
    const Value none = Value::object(), model = saved.value("model", none), set = model.value("set", none);
    request.scenario = model.value("scenario", "");
    for (const auto& [name, text] : set.items()) request.overrides[name] = text.get<std::string>();
  } catch (const Value::Exception& problem) {
    return unreadable(problem);
  }
  return {};
}

Diagnostics Stepper::replay(const Value& saved) {
  try {
    RunRequest asked;
    if (Diagnostics problems = ask_as_saved(saved, asked); !problems.empty()) return problems;
    if (saved.at("seed").get<std::uint64_t>() != parts_->seed_value ||
        saved.at("replication").get<std::uint64_t>() != parts_->replication)
      return wrong("The trace has seed " + saved.at("seed").dump() + " and replication " +
                   saved.at("replication").dump() + "; this history has seed " + std::to_string(parts_->seed_value) +
                   " and replication " + std::to_string(parts_->replication) + ".");
    std::vector<Parts::Input> inputs;
    std::uint64_t steps = 0;
    const std::vector<std::string> known = components();
    for (const auto& one : saved.at("inputs")) {
      Parts::Input input{one.value("event", ""), {}, one.value("times", std::uint64_t{1})};
      constexpr std::uint64_t most_steps = 100'000'000;
      if (input.times == 0 || input.times > most_steps || (input.times > 1 && !input.event.empty()))
        return wrong("The trace has " + std::to_string(input.times) + " steps in one; wanted 1 to " +
                     std::to_string(most_steps) + ".");
      steps += input.times;
      if (const std::string component = one.value("component", ""); !component.empty()) {
        const auto found = std::find(known.begin(), known.end(), component);
        if (found == known.end()) return wrong("The model has no component \"" + component + "\".");
        input.component = static_cast<std::uint32_t>(found - known.begin());
      }
      inputs.push_back(std::move(input));
    }
    parts_->inputs = std::move(inputs), parts_->steps = steps;
    parts_->make_again();
    const Value again = trace_json();
    for (std::size_t i = 0; i < std::max(saved.at("taken").size(), again.at("taken").size()); ++i) {
      const bool both = i < saved.at("taken").size() && i < again.at("taken").size();
      if (!both || saved.at("taken")[i] != again.at("taken")[i])
        return wrong("The history differs from the trace at transition " + std::to_string(i + 1) +
                     ": the model or the program is another.");
    }
    if (saved.value("taken_before", std::uint64_t{0}) != again.value("taken_before", std::uint64_t{0}))
      return wrong("The history has more or fewer lines than the trace.");
    if (saved.at("fingerprint") != again.at("fingerprint")) return wrong("The fingerprints differ.");
    const Value none = Value::object(), before = saved.value("values", none);
    const Value& after = again.at("values");
    for (const auto& [name, bits] : after.items())
      if (before.value(name, bits) != bits)
        return wrong("The history takes the transitions of the trace, but \"" + name +
                     "\" ends with another value: the model or the program is another.");
    if (saved.value("model", none) != again.at("model"))
      return {{.severity = Severity::warning,
               .code = "STP002",
               .message = "The history takes the transitions of the trace, but the model is another one: it, values of "
                          "its parameters or files that it reads were changed since, or the trace does not say."}};
  } catch (const Value::Exception& problem) {
    return unreadable(problem);
  }
  return {};
}

}  // namespace ergode
