#include "solvers/markov/modular_run.h"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/base/text.h"
#include "solvers/markov/uniformisation.h"

namespace ergode {
namespace {

using GaussKronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
using Gauss = boost::math::quadrature::gauss<double, 7>;
constexpr std::size_t panels = 48;
constexpr double operations_before_states = 3000.0;  // before the first state of a module is there
constexpr const char* method = "uniformisation of modules";

struct Cancelled {};
/// Members of a crowd do not begin in one state.
struct NotAlike {};

/// What a module does: the sets of outcomes that can hold together, and how probable each is.
struct ModuleAnswer {
  std::uint32_t first = 0, end = 0;                 ///< its variables
  std::vector<std::vector<std::uint8_t>> profiles;  ///< [profile][outcome]
  std::vector<std::vector<double>> at;              ///< [profile][time]
};

class ModularRun {
 public:
  ModularRun(ChainRun& run, const Modules& modules) : run_(run), model_(run.model()), modules_(modules) {}

  std::string solve() {
    allow_operations();
    choose_times();
    for (const Module& module : modules_.modules)
      if (std::string why = solve(module); !why.empty()) return why;
    for (std::size_t m = 0; m < modules_.crowds.size(); ++m)
      if (std::string why = solve(m); !why.empty()) return why;
    try {
      for (std::size_t m = 0; m < model_.measures.size(); ++m)
        if (const std::string why = run_.why_not(m); why.empty()) answer(m);
        else run_.not_answered(m, why);
    } catch (const Cancelled&) {
      return "cancelled";
    }
    run_.option("method", method);
    std::size_t modules = modules_.modules.size();
    std::map<std::uint32_t, std::uint32_t> members;  // by their first: they are modules once
    for (const Crowd& crowd : modules_.crowds) {
      members[crowd.first] = crowd.count;
      for (const Crowd& other : crowd.others) members[other.first] = other.count;
    }
    for (const auto& [first, count] : members) modules += count;
    run_.option("modules", std::to_string(modules));
    run_.option("states", std::to_string(states_));
    run_.option("largest_module_states", std::to_string(largest_));
    if (modules_.crowds.empty()) run_.option("diagram_nodes", std::to_string(modules_.diagram.size()));
    run_.option("matrix_products", std::to_string(steps_));
    run_.option("truncation_error", number_text(truncation_, 3));
    run_.option("error_bound", number_text(run_.error_bound()));
    return {};
  }

 private:
  using Meaning = MeasureKind::Meaning;
  static bool integrates(const MeasureSpec& spec) {
    return spec.kind->meaning == Meaning::first_time || spec.kind->meaning == Meaning::average;
  }

  /// Each module is a chain of the whole model, in which the rest stands still.
  void allow_operations() const {
    const double modules = static_cast<double>(modules_.modules.size() + modules_.crowds.size());
    const double components = static_cast<double>(model_.charts.instances.size());
    const double operations = modules * components * operations_before_states;
    const Budget& budget = run_.budget();
    if (operations <= budget.operations()) return;
    throw OverBudget{{.code = "MKV022",
                      .message = number_text(modules) + " modules of a model of " + number_text(components) +
                                 " components would take about " + number_text(operations, 2) +
                                 " operations; allowed: " + budget.operations_text() + ".",
                      .hint = "Ask for this solver alone, allow more with --wall-time, or simulate."}};
  }

  void choose_times() {
    const double end = model_.horizon_s;
    times_ = {end};
    bool integral = false;
    for (const Measure& measure : model_.measures) {
      times_.push_back(measure.at_s);
      times_.insert(times_.end(), measure.spec.grid_s.begin(), measure.spec.grid_s.end());
      integral = integral || integrates(measure.spec);
      if (measure.spec.kind->meaning == Meaning::first_time) append_distribution_times(end, times_);
    }
    if (integral) quadrature(end);
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  }

  // Panels grow from the beginning, where a stiff model does everything.
  void quadrature(double end) {
    std::vector<double> borders = {0.0};
    for (std::size_t p = 0; p < panels; ++p)
      borders.push_back(end * std::pow(2.0, -0.5 * static_cast<double>(panels - 1 - p)));
    const auto &nodes = GaussKronrod::abscissa(), &weights = GaussKronrod::weights();
    const auto& coarse = Gauss::weights();
    for (std::size_t p = 0; p < panels; ++p) {
      const double half = (borders[p + 1] - borders[p]) / 2, middle = (borders[p + 1] + borders[p]) / 2;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const double side : {-1.0, 1.0}) {
          if (i == 0 && side > 0) continue;  // the middle once
          // Every other node is one of the coarser rule.
          points_.push_back(
              {middle + side * half * nodes[i], half * weights[i], i % 2 == 0 ? half * coarse[i / 2] : 0.0, p});
          times_.push_back(points_.back().time);
        }
    }
  }

  /// A chain of its own, counted among those of this run. @throws OverBudget  when it has too many states.
  StateSpace generated(const StateSpaceOptions& options) {
    auto made = generate_states(model_, options);
    if (auto* const problem = std::get_if<Diagnostic>(&made)) throw OverBudget{std::move(*problem)};
    StateSpace& space = std::get<StateSpace>(made);
    states_ += space.generator.size();
    largest_ = std::max(largest_, space.generator.size());
    return std::move(space);
  }

  std::string solve(const Module& module) {
    StateSpaceOptions options{.state_limit = run_.options().state_limit,
                              .lumping = run_.options().lumping,
                              .pruning = true,
                              .roots = module.roots,
                              .budget = run_.budget()};
    for (const Module::Outcome& outcome : module.outcomes) options.observed.push_back(&outcome.condition);
    const StateSpace space = generated(options);
    if (space.stopped) return "cancelled";

    ModuleAnswer found{.first = module.outcomes.front().variable, .end = module.outcomes.back().variable + 1};
    std::map<std::vector<std::uint8_t>, std::size_t> number;
    std::vector<std::vector<double>> rewards;
    for (std::size_t s = 0; s < space.generator.size(); ++s) {
      std::vector<std::uint8_t> profile;
      for (const std::vector<double>& values : space.observed) profile.push_back(values[s] != 0.0 ? 1 : 0);
      if (s % 256 == 0 && run_.budget().stop_requested()) return "cancelled";
      const auto [known, fresh] = number.emplace(profile, rewards.size());
      if (fresh) {
        run_.budget().allow_bytes(
            16.0 * static_cast<double>((rewards.size() + 1) * (space.generator.size() + times_.size())), "MKV022",
            "A module of " + std::to_string(space.generator.size()) + " states and more than " +
                std::to_string(rewards.size()) + " joint outcomes");
        rewards.emplace_back(space.generator.size(), 0.0), found.profiles.push_back(profile);
      }
      rewards[known->second][s] = 1.0;
    }
    TransientAnswer answer;
    if (std::string why = ask(space, rewards, answer); !why.empty()) return why;
    truncation_ += answer.truncation_at, rounding_ += answer.rounding;
    found.at = std::move(answer.at);
    answers_.push_back(std::move(found));
    return {};
  }

  /// One member, while all others stand as they began. What is counted is then its own state, and a number that stays.
  std::string solve(std::size_t m) {
    const Crowd& crowd = modules_.crowds[m];
    const auto same = std::find_if(modules_.crowds.begin(), modules_.crowds.end(), [&](const Crowd& other) {
      const auto place = static_cast<std::size_t>(&other - modules_.crowds.data());
      return place == m || (other.slot == crowd.slot && !model_.measures[place].counts_event);
    });
    const bool counts = model_.measures[m].counts_event;
    const auto place = counts ? m : static_cast<std::size_t>(same - modules_.crowds.begin());
    member_of_.push_back(place);
    members_.emplace_back();
    if (place != m || crowd.count == 0) return {};
    if (counts) return solve_count(m, crowd);
    const Program counted = Program::load(crowd.slot);
    StateSpaceOptions options{.state_limit = run_.options().state_limit,
                              .lumping = false,  // which one it is must stay known
                              .pruning = true,
                              .roots = {crowd.first},
                              .observed = {&counted},
                              .budget = run_.budget()};
    const StateSpace space = generated(options);
    if (space.stopped) return "cancelled";
    const auto start = std::find(space.initial.begin(), space.initial.end(), 1.0);
    if (start == space.initial.end()) throw NotAlike();
    const double at_start = space.observed[0][static_cast<std::size_t>(start - space.initial.begin())];
    // The others stand as they began: all in the state or none, or the members are not alike.
    if (at_start != 0.0 && at_start != crowd.count) throw NotAlike();
    const double others = at_start == 0.0 ? 0.0 : at_start - 1.0;
    std::vector<std::vector<double>> rewards(2);
    for (const double value : space.observed[0])
      for (const int in : {0, 1}) rewards[static_cast<std::size_t>(in)].push_back(value - others == in ? 1.0 : 0.0);
    TransientAnswer answer;
    if (std::string why = ask(space, rewards, answer); !why.empty()) return why;
    const double n = crowd.count;
    truncation_ += n * answer.truncation_at, rounding_ += n * answer.rounding;
    members_.back() = std::move(answer.at);
    return {};
  }

  /// Whoever else is in the model stands still, so the events are those of one member; at the start they are of all.
  std::string solve_count(std::size_t m, const Crowd& crowd) {
    std::vector<Crowd> raisers = {crowd};
    raisers.insert(raisers.end(), crowd.others.begin(), crowd.others.end());
    double value = 0.0, error = 0.0, at_start = 0.0;
    for (const Crowd& one : raisers) {
      const StateSpace space = generated({.state_limit = run_.options().state_limit,
                                          .lumping = false,
                                          .pruning = true,
                                          .roots = {one.first},
                                          .budget = run_.budget()});
      if (space.stopped) return "cancelled";
      if (std::find(space.initial.begin(), space.initial.end(), 1.0) == space.initial.end()) throw NotAlike();
      const std::vector<double>& rates = space.event_rates[m];
      TransientAnswer answer;
      if (std::string why = ask(space, {rates}, answer); !why.empty()) return why;
      const std::size_t last = place(model_.horizon_s);
      const double n = one.count, counted = n * answer.integral[0][last];
      const double lost = answer.lost_integral[last] * *std::max_element(rates.begin(), rates.end());
      value += counted, error += n * lost * model_.horizon_s + answer.rounding * counted;
      at_start = space.initial_events[m];
    }
    counts_[m] = {at_start + value, error};
    return {};
  }

  std::string ask(const StateSpace& space, const std::vector<std::vector<double>>& rewards, TransientAnswer& answer) {
    TransientQuestion question;
    question.initial = space.initial;
    for (const std::vector<double>& reward : rewards) question.rewards.emplace_back(reward);
    question.times_s = times_;
    // Products of many modules' answers may be small beyond any bound; a module is too small for its sweep to matter.
    double modules = static_cast<double>(modules_.modules.size());
    for (const Crowd& crowd : modules_.crowds) modules += crowd.count;
    question.early_end = run_.error_bound() / modules;
    question.error = 1e-40 * question.early_end;
    question.budget = run_.budget();
    question.instead = instead_of_uniformisation;
    answer = solve_transient(space.generator, space.generator.incoming(), question);
    if (answer.stopped) return "cancelled";
    steps_ += answer.steps;
    return {};
  }

  /// Expectation of a function of how many members are in the state, a binomial number, at every time.
  std::vector<double> expected(std::size_t m) {
    const Measure& measure = model_.measures[m];
    const Crowd& crowd = modules_.crowds[m];
    const std::vector<std::vector<double>>& member = members_[member_of_[m]];
    const double n = crowd.count, all = std::lgamma(n + 1.0);
    std::vector<double> value, ways, slots = model_.charts.table->initial();  // the last: logarithms
    greatest_ = 0.0;
    for (std::uint32_t k = 0; k <= crowd.count; ++k) {
      slots[crowd.slot] = k;
      const double x = measure.program.evaluate(slots.data());
      value.push_back(measure.spec.proportion || measure.spec.kind->first_passage() ? (x != 0.0 ? 1.0 : 0.0) : x);
      greatest_ = std::max(greatest_, value.back());
      ways.push_back(all - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0));
    }
    std::vector<double> out;
    double largest_exponent = all;
    constexpr double operations_per_term = 20.0;  // an exponential
    for (std::size_t t = 0; t < times_.size(); ++t) {
      run_.budget().spend(operations_per_term * n);
      if (t % 16 == 0 && run_.budget().stop_requested()) throw Cancelled();
      const double in = member[1][t], not_in = member[0][t];
      if (!(in > 0.0) || !(not_in > 0.0)) {
        out.push_back(in > 0.0 ? value.back() : value.front());
        continue;
      }
      // By logarithms: the binomial coefficients of thousands of members overflow.
      const double log_in = std::log(in), log_not = std::log(not_in);
      double sum = 0.0;
      for (std::uint32_t k = 0; k <= crowd.count; ++k)
        if (value[k] != 0.0) sum += value[k] * std::exp(ways[k] + k * log_in + (n - k) * log_not);
      out.push_back(sum);
      largest_exponent = std::max(largest_exponent, -n * std::min(log_in, log_not));
    }
    // Of the exponents; all terms are positive.
    exponents_ = 8.0 * std::numeric_limits<double>::epsilon() * largest_exponent;
    return out;
  }

  /// What is left to ask for each joint outcome of the module that the function asks first.
  std::vector<DecisionDiagram::Function> rests(DecisionDiagram::Function f, const ModuleAnswer& module) const {
    std::vector<DecisionDiagram::Function> out;
    for (const auto& profile : module.profiles) {
      out.push_back(f);
      while (modules_.diagram.first_variable(out.back()) < module.end)
        out.back() =
            modules_.diagram.with(out.back(), profile[modules_.diagram.first_variable(out.back()) - module.first] != 0);
    }
    return out;
  }

  /// Probability that the function is true, at every time. The diagram is as deep as there are modules: the stack is
  /// our own.
  const std::vector<double>& probability(DecisionDiagram::Function wanted) {
    std::vector<DecisionDiagram::Function> open = {wanted};
    while (!open.empty()) {
      const DecisionDiagram::Function f = open.back();
      if (known_.contains(f)) {
        open.pop_back();
        continue;
      }
      std::vector<double> sum(times_.size(), f == DecisionDiagram::yes ? 1.0 : 0.0);
      if (!modules_.diagram.constant(f)) {
        const std::uint32_t variable = modules_.diagram.first_variable(f);
        const ModuleAnswer& module = *std::partition_point(answers_.begin(), answers_.end(),
                                                           [&](const ModuleAnswer& a) { return a.end <= variable; });
        const std::vector<DecisionDiagram::Function> then = rests(f, module);
        const std::size_t before = open.size();
        for (const DecisionDiagram::Function rest : then)
          if (!known_.contains(rest)) open.push_back(rest);
        if (open.size() > before) continue;
        for (std::size_t p = 0; p < then.size(); ++p) {
          const std::vector<double>& rest = known_.at(then[p]);
          for (std::size_t t = 0; t < sum.size(); ++t) sum[t] += module.at[p][t] * rest[t];
        }
      }
      allow_more();
      known_.emplace(f, std::move(sum));
      open.pop_back();
    }
    return known_.at(wanted);
  }

  void allow_more() const {
    if (known_.size() % 64 != 0) return;
    if (run_.budget().stop_requested()) throw Cancelled();
    run_.budget().allow_bytes(8.0 * static_cast<double>((known_.size() + 64) * times_.size()), "MKV022",
                              "A decision diagram of more than " + std::to_string(known_.size()) + " nodes at " +
                                  std::to_string(times_.size()) + " times");
  }

  std::size_t place(double t) const {
    return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), t) - times_.begin());
  }

  /// Integral over the mission, and by how much two rules differ.
  std::pair<double, double> integral(const std::vector<double>& values) const {
    double fine = 0.0, apart = 0.0, difference = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Point& point = points_[i];
      const double value = values[place(point.time)];
      fine += point.weight * value;
      difference += (point.weight - point.coarse) * value;
      if (i + 1 == points_.size() || points_[i + 1].panel != point.panel)
        apart += std::fabs(difference), difference = 0.0;
    }
    return {fine, apart};
  }

  void answer(std::size_t m) {
    const Measure& measure = model_.measures[m];
    const MeasureSpec& spec = measure.spec;
    if (measure.counts_event) {
      run_.answer(m, counts_.at(m).first, counts_.at(m).second, method);
      return;
    }
    const std::vector<double> by = modules_.crowds.empty() ? probability(modules_.functions[m]) : expected(m);
    const double end = model_.horizon_s, at_end = by[place(end)];
    const auto bound = [&](double value) { return greatest_ * truncation_ + (rounding_ + exponents_) * value; };
    const auto picked = [&](const std::vector<double>& at) {
      std::vector<double> out;
      for (const double t : at) out.push_back(by[place(t)]);
      return out;
    };
    if (spec.kind->meaning == Meaning::average) {
      const auto [sum, apart] = integral(by);
      run_.answer(m, sum / end, bound(sum / end) + apart / end, method);
    } else if (spec.kind->meaning == Meaning::first_time) {
      if (!(at_end > 0.0)) {
        run_.no_answer(m, "the event cannot occur within the mission", method);
        return;
      }
      const auto [sum, apart] = integral(by);
      run_.answer(m, end - sum / at_end, (2.0 * end * bound(at_end) + apart) / at_end, method);
      std::vector<double> grid;
      append_distribution_times(end, grid);
      std::vector<double> share = picked(grid);
      for (double& p : share) p /= at_end;
      run_.curve(m, "distribution", grid, std::move(share));
      return;
    } else {
      const double value = by[place(measure.at_s)];
      run_.answer(m, value, bound(value), method);
    }
    if (!spec.grid_s.empty()) run_.curve(m, "curve", spec.grid_s, picked(spec.grid_s));
  }

  struct Point {
    double time, weight, coarse;
    std::size_t panel;
  };
  ChainRun& run_;
  const AnalysisModel& model_;
  const Modules& modules_;
  std::vector<double> times_;
  std::vector<Point> points_;
  std::vector<ModuleAnswer> answers_;  ///< in the order of their variables
  std::unordered_map<DecisionDiagram::Function, std::vector<double>> known_;
  std::size_t states_ = 0, largest_ = 0;
  std::uint64_t steps_ = 0;
  double truncation_ = 0.0, rounding_ = 0.0;
  std::vector<std::size_t> member_of_;                       ///< by measure: place in members_
  std::vector<std::vector<std::vector<double>>> members_;    ///< of crowds: [not in the state, in it][time]
  std::map<std::size_t, std::pair<double, double>> counts_;  ///< by measure that counts events: value, bound
  double greatest_ = 1.0, exponents_ = 0.0;                  ///< of the measure that is answered
};

}  // namespace

std::optional<std::string> solve_modules(ChainRun& run, const Modules& modules) {
  try {
    return ModularRun(run, modules).solve();
  } catch (const NotAlike&) {
    return std::nullopt;
  }
}

}  // namespace ergode
