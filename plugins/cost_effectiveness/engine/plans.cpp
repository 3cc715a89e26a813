#include "plugins/cost_effectiveness/engine/plans.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

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
    if (plan.waiting.utilisation >= 1.0)
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
    return objective == Objective::score  ? q_.experiments[plan.experiment].score
           : objective == Objective::time ? plan.time_s
                                          : plan.cost;
  }
  void mark_front() {
    std::vector<std::size_t> which;
    std::vector<std::vector<double>> points;
    for (std::size_t i = 0; i < out_.plans.size(); ++i) {
      Plan& plan = out_.plans[i];
      if (!plan.why_not.empty()) continue;
      plan.allowed = plan.time_s <= q_.most_time_s && plan.cost <= q_.most_cost &&
                     q_.experiments[plan.experiment].score <= q_.worst_score;
      which.push_back(i), points.emplace_back();
      for (const Objective one : q_.objectives) points.back().push_back(value(plan, one));
    }
    for (const std::size_t i : pareto_front(points)) out_.plans[which[i]].on_front = true;
  }
  // Of the front: another that is allowed is no better in any objective than one of it.
  void recommend() {
    for (std::size_t i = 0; i < out_.plans.size(); ++i) {
      const Plan& plan = out_.plans[i];
      if (!plan.allowed || !plan.on_front) continue;
      const auto key = [this](const Plan& p) { return std::pair(p.cost, q_.experiments[p.experiment].score); };
      if (!out_.recommended || key(plan) < key(out_.plans[*out_.recommended])) out_.recommended = i;
    }
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
