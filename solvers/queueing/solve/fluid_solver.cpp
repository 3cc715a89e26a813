#include "solvers/queueing/solve/fluid_solver.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "solvers/hybrid/bdf.h"
#include "solvers/queueing/solve/fluid_equations.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {
namespace {

using Discipline = NetworkModel::Discipline;
using Meaning = MeasureKind::Meaning;

bool of_the_mission(const Measure& measure) {
  const Meaning asked = measure.spec.kind->meaning;
  return measure.stream < 0 && !measure.counts_event &&
         (asked == Meaning::average || asked == Meaning::at_end || asked == Meaning::at_time);
}

/// One measure of the mission, followed while it is integrated.
struct Followed {
  const Measure* measure;
  double integral = 0.0, value = 0.0;
  std::vector<double> curve = {};
};

/// Amounts over the mission: values at moments by interpolation, integrals by Simpson's rule within each step.
class Mission {
 public:
  Mission(FluidEquations& equations, const OdeOptions& options, const Budget& budget)
      : equations_(equations), budget_(budget), integrator_(make_bdf(equations, equations.size(), 0, options)) {}

  /// @returns false: it was stopped.
  bool follow(std::vector<Followed>& all, double horizon_s) {
    std::vector<double> y = equations_.initial(), middle(y.size()), end(y.size());
    for (Followed& one : all) {
      const MeasureSpec& spec = one.measure->spec;
      while (one.curve.size() < spec.grid_s.size() && spec.grid_s[one.curve.size()] <= 0.0)
        one.curve.push_back(value(*one.measure, y.data()));
      if (moment(*one.measure, horizon_s) <= 0.0) one.value = value(*one.measure, y.data());
    }
    integrator_->restart(0.0, y.data());
    for (double now = 0.0; now < horizon_s;) {
      if (budget_.stop_requested()) return false;
      const double next = integrator_->step(horizon_s);
      integrator_->look(0.5 * (now + next), middle.data());
      std::copy_n(integrator_->values(), end.size(), end.begin());
      for (Followed& one : all) {
        const Measure& measure = *one.measure;
        one.integral += (next - now) / 6 *
                        (value(measure, y.data()) + 4 * value(measure, middle.data()) + value(measure, end.data()));
        const auto at = [&](double time) {
          std::vector<double> there(y.size());
          if (!integrator_->look(time, there.data())) there = end;
          return value(measure, there.data());
        };
        const std::vector<double>& grid = measure.spec.grid_s;
        while (one.curve.size() < grid.size() && grid[one.curve.size()] <= next)
          one.curve.push_back(at(grid[one.curve.size()]));
        const double asked = moment(measure, horizon_s);
        if (asked > now && asked <= next) one.value = at(asked);
      }
      y.swap(end), now = next;
    }
    return true;
  }
  /// Goes on until nothing changes any more. @returns the amounts; empty: they go on changing; nothing: stopped.
  std::optional<std::vector<double>> settle(std::vector<double> y) {
    std::vector<double> slopes(y.size());
    integrator_->restart(0.0, y.data());
    constexpr double settled = 1e-9, longest = 1e9;
    const double pace_s = equations_.slowest_s();
    double now = 0.0;
    for (double until = 100 * pace_s; until <= longest * pace_s; until *= 2) {
      while (now < until) {
        if (budget_.stop_requested()) return {};
        now = integrator_->step(until);
      }
      std::copy_n(integrator_->values(), y.size(), y.begin());
      equations_.derivatives(now, y.data(), slopes.data());
      double change = 0.0, all = 1e-3;
      for (std::size_t i = 0; i < y.size(); ++i)
        change = std::max(change, std::fabs(slopes[i])), all += std::fabs(y[i]);
      // In the time passed so far no amount would move by more than that.
      if (change * now <= settled * 100 * all) return y;
    }
    return std::vector<double>();
  }

 private:
  static double moment(const Measure& measure, double horizon_s) {
    return measure.spec.kind->meaning == Meaning::at_time ? measure.at_s : horizon_s;
  }
  double value(const Measure& measure, const double* y) {
    if (measure.program.is_constant()) return measure.program.value();
    equations_.slots(y, slots_);
    return measure.program.evaluate(slots_.data());
  }

  FluidEquations& equations_;
  const Budget& budget_;
  std::unique_ptr<OdeIntegrator> integrator_;
  std::vector<double> slots_;
};

Diagnostic depends_on_the_start(const NetworkModel::Node& node) {
  return {.severity = Severity::warning,
          .code = "SOL006",
          .element = node.element,
          .message = "Where customers settle depends on where they begin: as amounts they may rest at \"" + node.name +
                     "\" or elsewhere, because several stations have just as much to do. Times there and numbers are "
                     "those of this beginning, not of the network.",
          .hint = "mva and ctmc-network take account of chance, which decides here."};
}

}  // namespace

const SolverSpec& FluidSolver::spec() const {
  static const SolverSpec spec{
      .name = "fluid",
      .label = "The fluid limit",
      .description =
          "Approximate means of networks with many customers, over the mission and where they settle, by differential "
          "equations: times of phases, servers shared or of one mean time, delays.",
      .reference =
          "Kurtz, Solutions of ordinary differential equations as limits of pure jump Markov processes, 1970; Bobbio, "
          "Gribaudo and Telek, Analysis of large scale interacting systems by mean field method, 2008",
      .exact = false,
      .long_run = true};
  return spec;
}

const KnownElements& FluidSolver::known() const {
  static const KnownElements all{.disciplines = blind_disciplines | bit_of(Discipline::ps) | bit_of(Discipline::dps),
                                 .memory = true,
                                 .class_changes = true};
  return all;
}

void FluidSolver::reasons(const NetworkModel& networks, const RunRequest&, Diagnostics& found) const {
  const FluidEquations equations(networks, found);
}

std::optional<Diagnostic> FluidSolver::answer(const Task& task) const {
  Diagnostics none;
  FluidEquations equations(task.networks, none);
  task.out.stop_reason = "approximation";
  std::map<const Measure*, Followed> followed;
  std::vector<Followed> all;
  for (const Measure& measure : task.model.measures)
    if (of_the_mission(measure) && !measure.spec.proportion && equations.knows(measure.program))
      all.push_back({&measure});
  std::optional<std::vector<double>> rest;
  try {
    Mission mission(equations, task.request.ode, task.budget);
    if (!all.empty() && !mission.follow(all, task.model.horizon_s))
      return Diagnostic{.code = "MKV020", .message = "cancelled"};
    rest = mission.settle(equations.initial());
    if (rest && !rest->empty())
      if (const std::vector<double> other = equations.other_start(rest->data()); !other.empty()) {
        const auto there = mission.settle(other);
        if (!there) return Diagnostic{.code = "MKV020", .message = "cancelled"};
        if (const auto node = equations.differs(rest->data(), *there))
          task.out.diagnostics.push_back(depends_on_the_start(task.networks.nodes[*node]));
      }
  } catch (const OdeFailure& failure) {
    return Diagnostic{.code = "MKV020",
                      .message = "The equations cannot be followed: " + std::string(failure.what()) + "."};
  }
  if (!rest) return Diagnostic{.code = "MKV020", .message = "cancelled"};
  for (Followed& one : all) followed.emplace(one.measure, std::move(one));
  const auto known = [&](const Measure& measure) {
    if (of_the_mission(measure) && measure.spec.proportion)
      return task.answers.not_answered(measure.spec, "amounts have no probabilities"), true;
    const auto at = followed.find(&measure);
    if (at != followed.end()) {
      const Followed& one = at->second;
      const bool mean = measure.spec.kind->meaning == Meaning::average;
      task.answers
          .answer(measure.spec, mean ? one.integral / task.model.horizon_s : one.value, NetworkMeans::none,
                  "fluid limit")
          .exact = false;
      if (!measure.spec.grid_s.empty()) {
        task.answers.curve(measure.spec, "curve", measure.spec.grid_s, one.curve);
        task.out.series.back().exact = false;
      }
      return true;
    }
    if (!rest->empty()) return false;
    return task.answers.not_answered(measure.spec, "the network settles at nothing"), true;
  };
  if (rest->empty()) {
    for (const Measure& measure : task.model.measures) known(measure);
    return {};
  }
  answer_networks(task.model, task.networks, equations.means(rest->data()),
                  {.method = "fluid limit", .approximate = true}, task.answers, task.out, known);
  return {};
}

}  // namespace ergode
