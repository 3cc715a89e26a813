#include "solvers/cluster/budget/width_plan.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "core/base/text.h"

namespace ergode {
namespace {

constexpr double rounding = 1e-12;
constexpr int most_bisections = 200;

/// Least x in [least, greatest] at which a rising function is not negative, to the last digit.
double rising_root(double least, double greatest, const std::function<bool(double)>& reached) {
  for (int i = 0; i < most_bisections; ++i) {
    const double middle = least + (greatest - least) / 2;
    if (middle <= least || middle >= greatest) break;
    (reached(middle) ? greatest : least) = middle;
  }
  return greatest;
}

/// The widths that one type may have, cheapest first by what another GPU is worth.
class WidthLadder {
 public:
  WidthLadder(const JobType& type, bool whole) : type_(type), whole_(whole), stepped_(whole || is_table()) {
    if (is_table()) find_corners();
    else if (whole_ && type.speedup.most() != Speedup::unlimited) most_ = std::floor(type.speedup.most());
    else most_ = type.speedup.most();
  }

  bool stepped() const { return stepped_; }
  double most() const { return most_; }

  /// The width that is best where a GPU costs `nu` jobs.
  double best(double nu) const {
    if (!corners_.empty()) return best_corner(nu);
    const double k = smooth(nu);
    if (!whole_) return k;
    const double below = std::floor(k), above = std::min(std::ceil(k), most_);
    return objective(above, nu) < objective(below, nu) ? above : below;
  }
  /// The next greater one; nothing: there is none. Only where stepped.
  std::optional<double> next(double gpus) const {
    if (corners_.empty()) return gpus + 1.0 <= most_ ? std::optional(gpus + 1.0) : std::nullopt;
    const auto after = std::upper_bound(corners_.begin(), corners_.end(), gpus);
    return after != corners_.end() ? std::optional(*after) : std::nullopt;
  }
  /// Jobs less per GPU more, from one width to a greater one.
  double worth(double gpus, double more) const {
    const double cost = type_.cost(more) - type_.cost(gpus), gain = type_.jobs(gpus) - type_.jobs(more);
    return cost > 0.0 ? gain / cost : Speedup::unlimited;
  }

 private:
  bool is_table() const { return type_.speedup.family() == Speedup::Family::table; }
  double objective(double gpus, double nu) const { return type_.jobs(gpus) + nu * type_.cost(gpus); }

  // Start-up bends costs, so the hull is of what is paid here, not of the table alone.
  void find_corners() {
    std::vector<double> kept;
    for (const SpeedupPoint& p : type_.speedup.corners()) {
      if (whole_ && p.gpus != std::floor(p.gpus)) continue;
      while (kept.size() >= 2 && worth(kept[kept.size() - 2], kept.back()) <= worth(kept.back(), p.gpus))
        kept.pop_back();
      kept.push_back(p.gpus);
    }
    corners_ = std::move(kept);
    most_ = corners_.back();
  }
  double best_corner(double nu) const {
    // From corner to corner another GPU is worth less.
    std::size_t reached = 0, beyond = corners_.size();
    while (beyond - reached > 1) {
      const std::size_t middle = reached + (beyond - reached) / 2;
      (worth(corners_[middle - 1], corners_[middle]) >= nu ? reached : beyond) = middle;
    }
    return corners_[reached];
  }

  /// Root of the derivative of objective(), in real numbers of GPUs.
  double smooth(double nu) const {
    const Speedup& s = type_.speedup;
    const double a = s.parameter();
    if (most_ == 1.0) return 1.0;
    if (type_.start_up == 0.0 && s.family() == Speedup::Family::amdahl)
      return std::clamp(std::sqrt(a / ((1.0 - a) * nu)), 1.0, most_);
    if (type_.start_up == 0.0 && s.family() == Speedup::Family::power)
      return std::clamp(a / ((1.0 - a) * nu), 1.0, most_);
    const double start = type_.start_up / type_.mean_size;
    const auto enough = [&](double log_gpus) {
      const double k = std::exp(log_gpus), speed = s.speed(k), slope = s.slope(k);
      return nu * (speed - k * slope) - slope + nu * start * speed * speed >= 0.0;
    };
    constexpr double greatest = 690.0;  // exp() of it is finite
    const double limit = std::min(std::log(most_), greatest);
    return std::clamp(std::exp(rising_root(0.0, limit, enough)), 1.0, most_);
  }

  const JobType& type_;
  bool whole_, stepped_;
  double most_ = 1.0;
  std::vector<double> corners_;  ///< GPUs of the hull of (cost, time); empty: any number, or any whole one
};

/// One solution of the problem: widths by type, and what is left of the budget.
class WidthSearch {
 public:
  WidthSearch(std::span<const JobType> types, double budget, bool whole) : types_(types), budget_(budget) {
    for (const JobType& type : types) ladders_.emplace_back(type, whole);
  }

  std::variant<WidthPlan, std::string> solve() {
    const double least = cost_of([](const WidthLadder&) { return 1.0; });
    if (budget_ < least * (1.0 - rounding))
      return "The budget is " + number_text(budget_, 6) + " GPUs, and one GPU for each job takes " +
             number_text(least, 6) + " on average; wanted at least as many.";
    budget_ = std::max(budget_, least);
    const bool all = cost_of([](const WidthLadder& one) { return one.most(); }) <= budget_;
    WidthPlan out;
    out.multiplier = all ? 0.0 : multiplier();
    for (const WidthLadder& one : ladders_) {
      const double k = all ? one.most() : one.best(out.multiplier);
      out.widths.push_back({k, k, 0.0});
    }
    if (!all) spend_rest(out);
    return out;
  }

 private:
  double cost_of(const std::function<double(const WidthLadder&)>& width) const {
    double out = 0.0;
    for (std::size_t i = 0; i < types_.size(); ++i) out += types_[i].cost(width(ladders_[i]));
    return out;
  }
  /// What is no number is more than any budget.
  bool affordable(double nu) const {
    return cost_of([nu](const WidthLadder& one) { return one.best(nu); }) <= budget_;
  }
  /// The least one whose widths can be paid.
  double multiplier() const {
    double high = 1.0;
    while (!affordable(high) && high < 1e300) high *= 2.0;
    double low = high / 2.0;
    while (affordable(low) && low > 1e-300) high = low, low /= 2.0;
    for (int i = 0; i < most_bisections; ++i) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      if (!(middle > low && middle < high)) break;
      (affordable(middle) ? high : low) = middle;
    }
    return high;
  }
  // All that is bought here is worth the same but for rounding: what one multiplier does not tell apart.
  void spend_rest(WidthPlan& plan) const {
    double rest = budget_ - cost_of_plan(plan);
    while (rest > rounding * budget_) {
      std::size_t best = types_.size();
      double worth = 0.0;
      for (std::size_t i = 0; i < types_.size(); ++i) {
        if (!ladders_[i].stepped()) continue;
        const auto next = ladders_[i].next(plan.widths[i].gpus);
        if (!next) continue;
        const double here = ladders_[i].worth(plan.widths[i].gpus, *next);
        if (here > worth) worth = here, best = i;
      }
      if (best == types_.size()) return;
      Width& width = plan.widths[best];
      const double next = *ladders_[best].next(width.gpus);
      const double price = types_[best].cost(next) - types_[best].cost(width.gpus);
      if (price > rest) {
        width.other = next, width.share = rest / price;
        return;
      }
      width = {next, next, 0.0};
      rest -= price;
    }
  }
  double cost_of_plan(const WidthPlan& plan) const {
    double out = 0.0;
    for (std::size_t i = 0; i < types_.size(); ++i) out += types_[i].cost(plan.widths[i].gpus);
    return out;
  }

  std::span<const JobType> types_;
  double budget_;
  std::vector<WidthLadder> ladders_;
};

}  // namespace

std::variant<WidthPlan, std::string> optimal_widths(std::span<const JobType> types, double budget, bool whole) {
  return WidthSearch(types, budget, whole).solve();
}

std::variant<WidthPlan, std::string> equal_widths(std::span<const JobType> types, double budget, bool whole) {
  const auto width = [whole](const JobType& type, double gpus) {
    return std::min(gpus, whole ? std::floor(type.speedup.most()) : type.speedup.most());
  };
  const auto cost = [&](double gpus) {
    double out = 0.0;
    for (const JobType& type : types) out += type.cost(width(type, gpus));
    return out;
  };
  const double least = cost(1.0);
  if (budget < least * (1.0 - rounding))
    return "The budget is " + number_text(budget, 6) + " GPUs, and one GPU for each job takes " +
           number_text(least, 6) + " on average; wanted at least as many.";
  double most = 1.0;
  for (const JobType& type : types) most = std::max(most, type.speedup.most());
  double high = 2.0;
  while (high < most && cost(high) < budget && high < 1e300) high *= 2.0;
  high = std::min(high, most);
  const double gpus =
      cost(high) <= budget ? high : rising_root(1.0, high, [&](double k) { return cost(k) > budget * (1.0 + 1e-15); });
  WidthPlan out;
  double below = std::floor(gpus);
  const double above = below + 1.0;
  double share = 0.0;
  if (whole && cost(above) > cost(below)) share = std::max(0.0, (budget - cost(below)) / (cost(above) - cost(below)));
  // A whole number that bisection has missed by a last digit.
  if (share > 1.0 - rounding) below = above, share = 0.0;
  for (const JobType& type : types)
    out.widths.push_back(whole ? Width{width(type, below), width(type, above), share}
                               : Width{width(type, gpus), width(type, gpus), 0.0});
  return out;
}

WidthPlan single_gpus(std::span<const JobType> types) { return {std::vector<Width>(types.size()), 0.0}; }

WidthMeans means_of(const JobType& type, const Width& width) {
  WidthMeans out;
  const auto add = [&](double gpus, double share) {
    if (share == 0.0) return;
    const double jobs = share * type.jobs(gpus);
    out.jobs += jobs, out.gpus += gpus * jobs, out.variance += gpus * gpus * jobs;
  };
  add(width.gpus, 1.0 - width.share), add(width.other, width.share);
  out.time = out.jobs / type.rate;
  return out;
}

PlanMeans means_of(std::span<const JobType> types, const WidthPlan& plan) {
  PlanMeans out;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const WidthMeans& one = out.types.emplace_back(means_of(types[i], plan.widths[i]));
    out.rate += types[i].rate, out.jobs += one.jobs, out.gpus += one.gpus, out.variance += one.variance;
  }
  out.time = out.jobs / out.rate;
  out.idle = std::exp(-out.jobs);
  return out;
}

std::vector<double> rented_distribution(std::span<const JobType> types, const WidthPlan& plan, std::size_t most) {
  std::map<std::size_t, double> jobs;  // present on average, by their width
  const auto add = [&](const JobType& type, double gpus, double share) {
    if (share > 0.0 && gpus <= static_cast<double>(most))
      jobs[static_cast<std::size_t>(std::ceil(gpus))] += share * type.jobs(gpus);
  };
  double all = 0.0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Width& width = plan.widths[i];
    add(types[i], width.gpus, 1.0 - width.share), add(types[i], width.other, width.share);
    all += means_of(types[i], width).jobs;
  }
  std::vector<double> out(most + 1, 0.0);
  out[0] = std::exp(-all);
  for (std::size_t n = 1; n <= most; ++n) {
    for (const auto& [width, mean] : jobs)
      if (width <= n) out[n] += static_cast<double>(width) * mean * out[n - width];
    out[n] /= static_cast<double>(n);
  }
  return out;
}

std::vector<double> poisson_distribution(double mean, std::size_t most) {
  std::vector<double> out(most + 1);
  for (std::size_t n = 0; n <= most; ++n) {
    const double x = static_cast<double>(n);
    out[n] = mean == 0.0 ? (n == 0 ? 1.0 : 0.0) : std::exp(x * std::log(mean) - mean - std::lgamma(x + 1.0));
  }
  return out;
}

}  // namespace ergode
