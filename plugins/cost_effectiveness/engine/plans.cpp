#include "plugins/cost_effectiveness/engine/plans.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "plugins/cost_effectiveness/engine/pareto.h"

namespace cost_effectiveness {
namespace {

constexpr double seconds_per_h = 3600.0, queries = 1000.0, million = 1e6;

std::string short_number(double x) {
  std::ostringstream out;
  out.precision(4);
  out << x;
  return out.str();
}

/// To 40 bits: 3.2 s on one instance and 1.6 s on one of half the speed are equal, whatever the last digits say.
double as_compared(double x) {
  int exponent = 0;
  if (!std::isfinite(x)) return x;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, 40)), exponent - 40);
}

/// As something of which less is better.
double as_loss(double x, bool more) { return more ? -as_compared(x) : as_compared(x); }

bool keeps(const PlanQuestion& q, const Plan& plan, Objective limited) {
  const auto within = [](double x, double most) { return as_compared(x) <= as_compared(most); };
  if (limited == Objective::time) return within(plan.time_s, q.most_time_s);
  if (limited == Objective::cost) return within(plan.cost, q.most_cost);
  const double score = q.experiments[plan.experiment].score;
  return !q.worst_score || as_loss(score, q.more_score) <= as_loss(*q.worst_score, q.more_score);
}
bool keeps(const PlanQuestion& q, const Plan& plan, std::size_t further) {
  const FurtherObjective& one = q.further[further];
  return !one.limit ||
         as_loss(q.experiments[plan.experiment].further[further], one.more) <= as_loss(*one.limit, one.more);
}

double speed(const CloudInstance& one, Scaling scaling) {
  if (scaling == Scaling::compute) return one.tflops;
  if (!(one.bandwidth > 0.0)) throw std::invalid_argument("the memory bandwidth of \"" + one.name + "\" is not known");
  return one.bandwidth;
}

class Planner {
 public:
  explicit Planner(const PlanQuestion& question) : q_(question) {}

  PlanAnswer look() {
    const auto reference = std::find_if(q_.instances.begin(), q_.instances.end(),
                                        [this](const CloudInstance& one) { return one.name == q_.reference; });
    const bool rents = std::any_of(q_.experiments.begin(), q_.experiments.end(),
                                   [](const Experiment& one) { return one.service.empty(); });
    if (rents && reference == q_.instances.end())
      throw std::invalid_argument("there is no instance \"" + q_.reference + "\", on which experiments ran");
    for (const Experiment& one : q_.experiments)
      if (one.further.size() != q_.further.size())
        throw std::invalid_argument("\"" + one.name + "\" has " + std::to_string(one.further.size()) +
                                    " further objectives; wanted " + std::to_string(q_.further.size()));
    for (std::size_t e = 0; e < q_.experiments.size(); ++e)
      for (std::size_t j = 0; q_.experiments[e].service.empty() && j < q_.instances.size(); ++j)
        out_.plans.push_back(rented(e, j, speed(*reference, q_.scaling)));
    for (std::size_t e = 0; e < q_.experiments.size(); ++e)
      if (!q_.experiments[e].service.empty()) out_.plans.push_back(served(e));
    mark_front();
    recommend();
    return std::move(out_);
  }

 private:
  Plan rented(std::size_t e, std::size_t j, double reference_speed) const {
    const Experiment& experiment = q_.experiments[e];
    const CloudInstance& instance = q_.instances[j];
    Plan plan{.experiment = e, .place = j};
    plan.service_s = plan.time_s = experiment.time_s * reference_speed / speed(instance, q_.scaling);
    plan.cost = plan.service_s * instance.price_per_h * queries / seconds_per_h;
    if (!(experiment.memory_gib < instance.memory_gb)) {
      plan.why_not =
          "needs " + short_number(experiment.memory_gib) + " GiB, has " + short_number(instance.memory_gb) + " GB";
      return plan;
    }
    if (!(q_.rate_per_s > 0.0)) return plan;
    plan.servers = q_.servers > 0 ? q_.servers : fewest_servers(q_.rate_per_s, plan.service_s, q_.most_time_s);
    if (plan.servers == 0) {
      plan.why_not = "no number of instances answers within " + short_number(q_.most_time_s) + " s";
      plan.servers = 1;
      return plan;
    }
    plan.waiting = waiting(q_.rate_per_s, plan.service_s, plan.servers);
    plan.time_s = plan.waiting.response_s;
    plan.cost = queries * plan.servers * instance.price_per_h / (seconds_per_h * q_.rate_per_s);
    if (std::isinf(plan.waiting.response_s))
      plan.why_not =
          short_number(plan.waiting.utilisation) + " times the work that " + std::to_string(plan.servers) + " can do";
    return plan;
  }

  Plan served(std::size_t e) const {
    const Experiment& experiment = q_.experiments[e];
    const auto service = std::find_if(q_.services.begin(), q_.services.end(),
                                      [&](const TokenService& one) { return one.name == experiment.service; });
    if (service == q_.services.end())
      throw std::invalid_argument("there is no service \"" + experiment.service + "\", which \"" + experiment.name +
                                  "\" names");
    Plan plan{.experiment = e, .place = static_cast<std::size_t>(service - q_.services.begin()), .at_service = true};
    plan.service_s = plan.time_s = experiment.time_s;
    plan.cost = queries * service_cost(*service, experiment.tokens_in, experiment.tokens_out);
    return plan;
  }

  double value(const Plan& plan, Objective objective) const {
    if (objective == Objective::score) return as_loss(q_.experiments[plan.experiment].score, q_.more_score);
    return as_compared(objective == Objective::time ? plan.time_s : plan.cost);
  }
  /// Of some plans, those that no other of them dominates.
  std::vector<std::size_t> front_of(const std::vector<std::size_t>& some) const {
    std::vector<std::vector<double>> points;
    for (const std::size_t i : some) {
      points.emplace_back();
      for (const Objective one : q_.objectives) points.back().push_back(value(out_.plans[i], one));
      for (std::size_t f = 0; f < q_.further.size(); ++f)
        points.back().push_back(as_loss(q_.experiments[out_.plans[i].experiment].further[f], q_.further[f].more));
    }
    std::vector<std::size_t> out = pareto_front(points);
    for (std::size_t& i : out) i = some[i];
    return out;
  }
  void mark_front() {
    std::vector<std::size_t> feasible;
    for (std::size_t i = 0; i < out_.plans.size(); ++i) {
      Plan& plan = out_.plans[i];
      if (!plan.why_not.empty()) continue;
      plan.allowed =
          keeps(q_, plan, Objective::score) && keeps(q_, plan, Objective::time) && keeps(q_, plan, Objective::cost);
      for (std::size_t f = 0; f < q_.further.size(); ++f) plan.allowed = plan.allowed && keeps(q_, plan, f);
      feasible.push_back(i);
    }
    for (const std::size_t i : front_of(feasible)) out_.plans[i].on_front = true;
  }
  // A plan on the front that breaks a limit must hide none that keeps all: those allowed have a front of their own.
  void recommend() {
    std::vector<std::size_t> allowed;
    for (std::size_t i = 0; i < out_.plans.size(); ++i)
      if (out_.plans[i].allowed) allowed.push_back(i);
    const auto key = [this](std::size_t i) {
      const Plan& plan = out_.plans[i];
      return std::tuple(value(plan, Objective::cost), value(plan, Objective::score), value(plan, Objective::time));
    };
    for (const std::size_t i : front_of(allowed))
      if (!out_.recommended || key(i) < key(*out_.recommended)) out_.recommended = i;
    if (!out_.recommended) out_.why_none = why_none();
  }
  std::string why_none() const {
    const auto count = [this](const auto& is) {
      return std::to_string(std::count_if(out_.plans.begin(), out_.plans.end(), is));
    };
    const std::string feasible = count([](const Plan& one) { return one.why_not.empty(); });
    if (feasible == "0") {
      if (out_.plans.empty()) return "There is no plan: no experiment, or no instance to run it on.";
      const Plan& one = out_.plans.front();
      return "None of " + std::to_string(out_.plans.size()) + " plans can be done; the first, " +
             q_.experiments[one.experiment].name + " on " + q_.instances[one.place].name + ": " + one.why_not + ".";
    }
    std::string out;
    const auto limit = [&](auto objective, double bound, bool more, const std::string& what, const std::string& unit) {
      if (std::isinf(bound)) return;
      const std::string kept = count([&](const Plan& one) { return one.why_not.empty() && keeps(q_, one, objective); });
      out += (out.empty() ? "" : ", ") + what + " of at " + (more ? "least " : "most ") + short_number(bound) + unit +
             " by " + kept;
    };
    limit(Objective::time, q_.most_time_s, false, "a time", " s");
    limit(Objective::cost, q_.most_cost, false, "a cost", " USD");
    if (q_.worst_score) limit(Objective::score, *q_.worst_score, q_.more_score, "a score", "");
    for (std::size_t f = 0; f < q_.further.size(); ++f)
      if (q_.further[f].limit) limit(f, *q_.further[f].limit, q_.further[f].more, q_.further[f].name, "");
    return "None of the " + feasible + " plans that can be done keeps all limits: " + out + ".";
  }

  const PlanQuestion& q_;
  PlanAnswer out_;
};

}  // namespace

PlanAnswer plans(const PlanQuestion& question) { return Planner(question).look(); }

double service_cost(const TokenService& service, double tokens_in, double tokens_out) {
  return (tokens_in * service.price_in + tokens_out * service.price_out) / million;
}

double break_even_per_h(const CloudInstance& instance, double query_usd) {
  return query_usd > 0.0 ? instance.price_per_h / query_usd : std::numeric_limits<double>::infinity();
}

}  // namespace cost_effectiveness
