#include "solvers/markov/state_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/text.h"
#include "solvers/markov/local_states.h"
#include "solvers/markov/outcomes.h"
#include "solvers/markov/qualify.h"
#include "solvers/markov/relevance.h"
#include "solvers/markov/state_costs.h"
#include "solvers/reliability/cause.h"

namespace ergode {
namespace {

/// Members of one symmetric array in different states could have reacted at the same moment: their order matters.
struct OrderMatters {
  std::uint32_t first;  ///< of the array
};

struct Stopped {};

constexpr double operations_per_look = 0.25;  // by who reads whom: of an entry

class Generation : private EventListener, private OrderWatcher {
 public:
  Generation(const AnalysisModel& model, const StateSpaceOptions& options, std::vector<SymmetricArray> arrays)
      : model_(model),
        charts_model_(model.charts),
        options_(options),
        arrays_(std::move(arrays)),
        history_(model.charts, 1),
        charts_(history_.charts()),
        local_(model.charts, arrays_),
        demands_(model, outcomes_),
        states_(model.charts.instances.size()),
        array_of_(model.charts.instances.size(), -1),
        phases_(model.charts.timers.size()),
        base_phases_(phases_.size()) {
    charts_.set_chance_source(&outcomes_);
    charts_.set_demand_source(&demands_);
    for (std::size_t a = 0; a < arrays_.size(); ++a)
      for (std::uint32_t i = 0; i < arrays_[a].count; ++i) array_of_[arrays_[a].first + i] = static_cast<int>(a);
    if (!arrays_.empty()) charts_.set_order_watcher(this);
    // Delays of other laws are those of components that do not matter: they stand still.
    const Phases any{.initial = {1.0}, .rate = {1.0}, .jumps = {{}}};
    for (const TimerSpec& timer : charts_model_.timers)
      distributions_.push_back(phases_of(charts_model_, timer).value_or(any));
    counted_.resize(charts_model_.event_names.size());
    out_.values.resize(model.measures.size()), out_.event_rates.resize(model.measures.size());
    out_.initial_events.resize(model.measures.size());
    for (std::size_t m = 0; m < model.measures.size(); ++m)
      if (model.measures[m].counts_event) counted_[static_cast<std::size_t>(model.measures[m].event)].push_back(m);
    for (const auto& measures : counted_)
      if (!measures.empty()) charts_.set_event_listener(this);
    seen_events_.resize(model.measures.size());
    numbers_.resize(local_.instances()), current_.resize(local_.instances());
    out_.observed.resize(options.observed.size());
    if (options.pruning) relevance_.emplace(model, options.roots.empty() ? Relevance::roots_of(model) : options.roots);
    matters_.assign(local_.instances(), 1);
    // Each state is looked at too when it is left, but has several outcomes.
    outcome_operations_ = operations_per_outcome + operations_per_component * static_cast<double>(numbers_.size()) +
                          (relevance_ ? operations_per_look * relevance_->entries() : 0.0);
  }

  std::variant<StateSpace, Diagnostic> run() {
    start();
    // New states are appended while the loop runs: breadth first without a queue of its own.
    for (std::uint32_t s = 0; s < states_.size(); ++s) {
      if (states_.size() > options_.state_limit) return too_many();
      if (s % 64 == 0) allow_memory();
      poll();
      if (auto problem = expand(s)) return std::move(*problem);
    }
    out_.generator.shrink();
    out_.initial.resize(states_.size(), 0.0);
    for (const SymmetricArray& array : arrays_)
      for (const ComponentArray& drawn : charts_model_.arrays)
        if (drawn.first == array.first)
          out_.lumped.push_back(drawn.name + (drawn.count < array.count
                                                  ? " and " + std::to_string(array.count - drawn.count) + " like it"
                                                  : std::string()));
    return std::move(out_);
  }

 private:
  Diagnostic too_many() const {
    return {.code = "MKV010",
            .message = "The model has more than " + std::to_string(options_.state_limit) +
                       " states (state limit); wanted fewer, or a higher limit.",
            .hint = "Is a variable unbounded? Raise --state-limit, or simulate."};
  }

  void poll() const {
    if (options_.budget.stop_requested()) throw Stopped();
  }
  void poll_outcomes() {
    options_.budget.spend(outcome_operations_);
    if (++outcomes_seen_ % 64 != 0) return;
    poll();
    if (outcomes_seen_ % 4096 == 0) allow_memory();
  }

  // Vectors that grow hold half of what they take. Solving takes the transitions once more, three vectors, and what
  // each measure is in each state.
  void allow_memory() const {
    const double states = static_cast<double>(states_.size()), width = static_cast<double>(numbers_.size());
    const double columns = static_cast<double>(model_.measures.size() + options_.observed.size());
    const double transitions = static_cast<double>(out_.generator.transitions() + row_.size());
    options_.budget.allow_bytes(
        states * (bytes_per_component_state * width + 24.0 * columns + 64.0) + 36.0 * transitions, "MKV010",
        "A Markov chain of more than " + std::to_string(states_.size()) + " states of " +
            std::to_string(numbers_.size()) + " components and " + number_text(transitions, 9) + " transitions");
    options_.budget.allow_bytes(transitions < 4e9 ? 0.0 : 1e300, "MKV010", "More than 4,000 million transitions");
  }

  void start() {
    outcomes_.first();
    do {
      poll_outcomes();
      begin_moment();
      history_.start(0);
      const std::uint32_t state = pack(true);
      if (out_.initial.size() <= state) out_.initial.resize(state + 1, 0.0);
      out_.initial[state] += outcomes_.probability();
      for (std::size_t m = 0; m < seen_events_.size(); ++m)
        out_.initial_events[m] += outcomes_.probability() * seen_events_[m];
    } while (outcomes_.next());
    // Only for its shape: unpack() writes every value of a state into it.
    history_.save(base_);
  }

  void begin_moment() {
    demands_.forget();
    std::fill(seen_events_.begin(), seen_events_.end(), 0.0);
  }

  // The state the replication has come to rest in. Phases of delays that were armed since are drawn.
  std::uint32_t pack(bool all_fresh) {
    for (std::uint32_t i = 0; i < numbers_.size(); ++i) {
      for (const std::uint32_t d : local_.delays(i)) {
        phases_[d] = 0;
        if (!charts_.waiting(d)) continue;
        if (!all_fresh && charts_.time_of(d) == LocalStates::parked) phases_[d] = base_phases_[d];
        else phases_[d] = first_phase(d);
      }
      numbers_[i] = local_.pack(i, charts_, phases_);
    }
    return pruned();
  }

  // What no longer matters is taken to be as it was at the beginning.
  std::uint32_t pruned() {
    if (!relevance_) return canonical();
    if (idle_.empty()) idle_ = first_of_array(numbers_);
    relevance_->look(charts_.configuration().data(), matters_);
    for (std::uint32_t i = 0; i < numbers_.size(); ++i)
      if (matters_[i] == 0) numbers_[i] = idle_[i];
    return canonical();
  }

  /// Members of an array that may be exchanged share one number.
  std::vector<std::uint32_t> first_of_array(std::vector<std::uint32_t> numbers) const {
    for (const SymmetricArray& array : arrays_)
      std::fill_n(numbers.begin() + array.first, array.count, numbers[array.first]);
    return numbers;
  }

  std::uint16_t first_phase(std::uint32_t delay) {
    const std::vector<double>& initial = distributions_[delay].initial;
    if (initial.size() == 1 || initial[0] == 1.0) return 1;
    return static_cast<std::uint16_t>(1 + outcomes_.choose(initial));
  }

  // Members that may be exchanged are sorted by state.
  std::uint32_t canonical() {
    for (const SymmetricArray& array : arrays_)
      std::sort(numbers_.begin() + array.first, numbers_.begin() + array.first + array.count);
    return states_.add(numbers_.data());
  }

  std::optional<Diagnostic> expand(std::uint32_t state) {
    // A copy, because records move while states are added.
    std::copy_n(states_[state], current_.size(), current_.begin());
    local_.unpack(current_.data(), base_, base_phases_);
    for (std::size_t m = 0; m < model_.measures.size(); ++m) {
      const Measure& measure = model_.measures[m];
      if (measure.counts_event) out_.event_rates[m].push_back(0.0);
      else out_.values[m].push_back(measure.program.evaluate(base_.world.slots.data()));
    }
    for (std::size_t p = 0; p < options_.observed.size(); ++p)
      out_.observed[p].push_back(options_.observed[p]->evaluate(base_.world.slots.data()));
    if (relevance_) relevance_->look(base_.charts.configuration.data(), base_matters_);
    row_.clear();
    double stands_for = 1.0;
    // Of members in one state one is moved, at the rate of all.
    for (std::uint32_t i = 0; i < current_.size();) {
      const std::uint32_t alike = run_length(i);
      if (!relevance_ || base_matters_[i] != 0)
        for (const std::uint32_t t : local_.timers(i)) clock(t, alike);
      i += alike;
    }
    for (const SymmetricArray& array : arrays_) {
      double left = array.count;
      for (std::uint32_t i = array.first; i < array.first + array.count;) {
        const std::uint32_t alike = run_length(i);
        stands_for *= binomial(static_cast<int>(left), static_cast<int>(alike));
        left -= alike;
        i += alike;
      }
    }
    out_.unlumped_states += stands_for;
    for (const CcfGroup& group : model_.groups)
      if (!group.demand && group.cause >= 0)
        if (auto problem = shocks(group)) return problem;
    out_.looping_states += std::any_of(row_.begin(), row_.end(), [&](const RateEntry& e) { return e.state == state; });
    out_.generator.push_row(row_);
    return std::nullopt;
  }

  // How many members from this one on may be exchanged and are in the same state.
  std::uint32_t run_length(std::uint32_t i) const {
    if (array_of_[i] < 0) return 1;
    const SymmetricArray& array = arrays_[static_cast<std::size_t>(array_of_[i])];
    std::uint32_t end = i + 1;
    while (end < array.first + array.count && current_[end] == current_[i]) ++end;
    return end - i;
  }

  bool active(std::uint32_t instance, int state) const {
    const auto s = static_cast<std::uint32_t>(state);
    return (base_.charts.configuration[charts_model_.instances[instance].configuration + s / 64] >> (s % 64) & 1U) != 0;
  }

  void clock(std::uint32_t t, std::uint32_t alike) {
    const TimerSpec& timer = charts_model_.timers[t];
    if (timer.kind == Trigger::Kind::rate) {
      if (!active(timer.instance,
                  charts_model_.charts[charts_model_.instances[timer.instance].chart].ways[timer.transition].source))
        return;
      const double rate =
          timer.constant
              ? 1.0 / timer.value
              : charts_model_.programs[static_cast<std::size_t>(timer.program)].evaluate(base_.world.slots.data());
      if (rate > 0.0) fire(t, rate * alike);
    } else if (timer.kind == Trigger::Kind::after && base_phases_[t] != 0) {
      const Phases& phases = distributions_[t];
      const std::size_t phase = base_phases_[t] - 1U;
      const double rate = phases.rate[phase] * alike;
      double ends = 1.0;
      for (const Phases::Jump& jump : phases.jumps[phase]) {
        ends -= jump.probability;
        next_phase(t, jump.phase, rate * jump.probability);
      }
      if (ends > 1e-12) fire(t, rate * ends);
    }
  }

  // The delay goes on to another phase: nothing else changes.
  void next_phase(std::uint32_t t, std::uint32_t phase, double rate) {
    const std::uint32_t instance = charts_model_.timers[t].instance;
    history_.restore(base_);
    std::copy(current_.begin(), current_.end(), numbers_.begin());
    phases_ = base_phases_;
    phases_[t] = static_cast<std::uint16_t>(phase + 1);
    numbers_[instance] = local_.pack(instance, charts_, phases_);
    row_.push_back({canonical(), rate});
  }

  void fire(std::uint32_t t, double rate) {
    outcomes_.first();
    do {
      poll_outcomes();
      begin_moment();
      history_.restore(base_);
      charts_.fire_now(t);
      arrive(rate);
    } while (outcomes_.next());
  }

  void arrive(double rate) {
    const std::uint32_t to = pack(false);
    const double share = rate * outcomes_.probability();
    row_.push_back({to, share});
    for (std::size_t m = 0; m < seen_events_.size(); ++m)
      if (seen_events_[m] != 0.0) out_.event_rates[m].back() += share * seen_events_[m];
  }

  /// Exposed members in the same state.
  struct Exposed {
    std::uint32_t first, count;  ///< instances first ... first + count - 1
    std::uint32_t struck = 0;
  };

  // Members without a clock for this cause are not concerned, so sets that differ in them alone are one.
  std::optional<Diagnostic> shocks(const CcfGroup& group) {
    std::vector<Exposed> exposed;
    std::uint32_t concerned = 0;
    std::vector<std::pair<std::uint32_t, std::size_t>> members;
    for (std::size_t m = 0; m < group.members.size(); ++m) members.emplace_back(group.members[m], m);
    std::sort(members.begin(), members.end());
    for (const auto& [i, m] : members) {
      if (!group.exposed[m].holds(base_.world.slots.data()) || !waits_for(i, static_cast<std::uint32_t>(group.cause)))
        continue;
      ++concerned;
      Exposed* last = exposed.empty() ? nullptr : &exposed.back();
      if (last != nullptr && array_of_[i] >= 0 && array_of_[i] == array_of_[last->first] &&
          current_[i] == current_[last->first])
        ++last->count;
      else exposed.push_back({i, 1});
    }
    if (exposed.size() > most_struck)
      return Diagnostic{.code = "MKV011",
                        .element = group.element,
                        .message = "A shock on \"" + group.name + "\" can strike " + std::to_string(exposed.size()) +
                                   " members in different states; wanted at most " + std::to_string(most_struck) + "."};
    const int untouched = static_cast<int>(group.members.size() - concerned);
    std::vector<double> rate(concerned + 1, 0.0);  // by size: of striking exactly this set of concerned members
    for (std::size_t k = 1; k <= concerned; ++k)
      for (int more = 0; more <= untouched; ++more)
        rate[k] += binomial(untouched, more) * group.orders.specific[k + static_cast<std::size_t>(more) - 1];
    choose_struck(group, exposed, 0, 0, 1.0, rate);
    return std::nullopt;
  }

  void choose_struck(const CcfGroup& group, std::vector<Exposed>& exposed, std::size_t at, std::uint32_t struck,
                     double ways, const std::vector<double>& rate) {
    if (at == exposed.size()) {
      if (struck > 0 && rate[struck] > 0.0) strike(group, exposed, rate[struck] * ways);
      return;
    }
    for (exposed[at].struck = 0; exposed[at].struck <= exposed[at].count; ++exposed[at].struck)
      choose_struck(group, exposed, at + 1, struck + exposed[at].struck,
                    ways * binomial(static_cast<int>(exposed[at].count), static_cast<int>(exposed[at].struck)), rate);
  }

  void strike(const CcfGroup& group, const std::vector<Exposed>& exposed, double rate) {
    std::set<int> arrays;
    for (const Exposed& part : exposed)
      if (part.struck > 0 && array_of_[part.first] >= 0 && !arrays.insert(array_of_[part.first]).second)
        throw OrderMatters{arrays_[static_cast<std::size_t>(array_of_[part.first])].first};
    outcomes_.first();
    do {
      poll_outcomes();
      begin_moment();
      history_.restore(base_);
      for (const Exposed& part : exposed)
        for (std::uint32_t i = part.first; i < part.first + part.struck; ++i)
          charts_.set_common_cause_clock(i, static_cast<std::uint32_t>(group.cause), 0.0, Cause::non_lethal);
      // The order of the clocks is that of a simulation, where all of a shock go off at one moment.
      for (std::uint32_t t = 0; t < charts_model_.timers.size(); ++t)
        if (charts_model_.timers[t].kind == Trigger::Kind::common_cause && charts_.waiting(t)) charts_.fire_now(t);
      arrive(rate);
    } while (outcomes_.next());
  }

  bool waits_for(std::uint32_t instance, std::uint32_t cause) const {
    const StateChart& chart = charts_model_.charts[charts_model_.instances[instance].chart].chart;
    for (const std::uint32_t t : local_.timers(instance)) {
      const TimerSpec& timer = charts_model_.timers[t];
      if (timer.kind != Trigger::Kind::common_cause) continue;
      const Transition& transition = chart.transitions[timer.transition];
      if (transition.trigger.cause == charts_model_.cause_names[cause] && active(instance, transition.source))
        return true;
    }
    return false;
  }

  void event(std::uint32_t event, double) override {
    for (const std::size_t m : counted_[event]) seen_events_[m] += 1.0;
  }

  // --- order ---

  void reacting(std::span<const std::uint32_t> instances) override {
    first_of_.assign(arrays_.size(), nobody);
    for (const std::uint32_t i : instances) compare(i);
  }

  // Also those that ignore the event now: what others do first might change that.
  void receiving(std::span<const Offer> offers) override {
    first_of_.assign(arrays_.size(), nobody);
    for (const Offer& offer : offers)
      if (knows(charts_model_.instances[offer.instance].chart, offer.event)) compare(offer.instance);
  }

  bool knows(std::uint32_t chart, std::uint32_t event) const {
    const ChartTables& tables = charts_model_.charts[chart];
    if (event >= tables.events) return false;
    for (std::size_t s = 0; s < tables.chart.states.size(); ++s)
      if (!tables.candidates.empty(s * (tables.events + 1) + event)) return true;
    return false;
  }

  // All members of an array that come up must be in the local state of the first.
  void compare(std::uint32_t instance) {
    if (array_of_[instance] < 0) return;
    const auto array = static_cast<std::size_t>(array_of_[instance]);
    if (first_of_[array] == nobody) first_of_[array] = instance;
    else if (!local_.alike(first_of_[array], instance, charts_, base_phases_)) throw OrderMatters{arrays_[array].first};
  }

  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  const AnalysisModel& model_;
  const CompiledModel& charts_model_;
  const StateSpaceOptions& options_;
  std::vector<SymmetricArray> arrays_;
  ChartHistory history_;
  ChartReplication& charts_;
  ChartHistory::Saved base_;  ///< the state that is expanded
  LocalStates local_;
  Outcomes outcomes_;
  DemandOutcomes demands_;
  RecordSet<std::uint32_t> states_;
  std::vector<int> array_of_;  ///< by instance: place in arrays_, or -1
  LocalStates::PhaseVector phases_, base_phases_;
  std::vector<Phases> distributions_;              ///< by clock
  std::vector<std::vector<std::size_t>> counted_;  ///< by event: measures that count it
  std::vector<double> seen_events_;                ///< by measure, at this moment
  std::vector<std::uint32_t> numbers_, current_;   ///< by instance: local states
  std::vector<std::uint32_t> first_of_;  ///< by array: the first member that may react at this point of a moment
  std::vector<RateEntry> row_;
  std::optional<Relevance> relevance_;
  std::vector<std::uint32_t> idle_;  ///< by instance: local state of one that does not matter
  std::vector<std::uint8_t> matters_, base_matters_;
  std::uint64_t outcomes_seen_ = 0;
  double outcome_operations_ = 0.0;
  StateSpace out_;
};

/// By component: whether what is asked for can ever depend on it; empty: all of them.
std::vector<std::uint8_t> reached_from(const AnalysisModel& model, const StateSpaceOptions& options) {
  if (!options.pruning || options.roots.empty()) return {};
  std::vector<std::uint8_t> out(model.charts.instances.size(), 0);
  for (const std::uint32_t i : Relevance(model, {}).reach(options.roots)) out[i] = 1;
  return out;
}

}  // namespace

std::variant<StateSpace, Diagnostic> generate_states(const AnalysisModel& model, const StateSpaceOptions& options) {
  try {
    if (auto problem = surely_too_many(model, options)) return std::move(*problem);
  } catch (const OverBudget& cost) {
    return cost.diagnostic;
  }
  std::vector<SymmetricArray> arrays;
  bool begun = false;
  for (;;) {
    try {
      if (options.lumping && !begun)
        arrays = symmetric_arrays(model, options.observed, reached_from(model, options), options.budget);
      begun = true;
      return Generation(model, options, arrays).run();
    } catch (const OrderMatters& found) {
      std::erase_if(arrays, [&](const SymmetricArray& array) { return array.first == found.first; });
    } catch (const Stopped&) {
      StateSpace nothing;
      nothing.stopped = true;
      return nothing;
    } catch (const OverBudget& cost) {
      return cost.diagnostic;
    } catch (const ModelFailure& failure) {
      Diagnostic found = failure.diagnostic;
      if (found.hint.empty()) found.hint = "It was found in a state of the chain, whatever the time.";
      return found;
    }
  }
}

}  // namespace ergode
