#include "solvers/cluster/budget/speedup.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace ergode {
namespace {

const char* parameter_name(Speedup::Family family) {
  switch (family) {
    case Speedup::Family::amdahl:
      return "The part that runs side by side";
    case Speedup::Family::power:
      return "The exponent";
    default:
      return "The coefficient";
  }
}

std::string why_no_table(std::span<const SpeedupPoint> points) {
  const auto pair = [](const SpeedupPoint& p) { return "[" + number_text(p.gpus) + ", " + number_text(p.speed) + "]"; };
  if (points.empty()) return "The table is empty; wanted pairs of GPUs and speed, beginning with [1, 1].";
  if (points[0].gpus != 1.0 || points[0].speed != 1.0)
    return "The table begins with " + pair(points[0]) + "; wanted [1, 1], because speed is told in that of one GPU.";
  for (std::size_t i = 1; i < points.size(); ++i) {
    const SpeedupPoint &before = points[i - 1], &here = points[i];
    if (!std::isfinite(here.gpus) || !std::isfinite(here.speed)) return pair(here) + " is not finite.";
    if (!(here.gpus > before.gpus))
      return pair(here) + " comes after " + pair(before) + "; wanted numbers of GPUs that rise.";
    if (here.speed < before.speed)
      return pair(here) + " is slower than " + pair(before) + "; wanted speeds that do not fall with more GPUs.";
    if (here.speed > here.gpus)
      return pair(here) + " is faster than as many single GPUs; wanted at most the number of GPUs.";
  }
  return "";
}

}  // namespace

std::vector<SpeedupPoint> upper_hull(std::span<const SpeedupPoint> points) {
  std::vector<SpeedupPoint> out;
  for (const SpeedupPoint& p : points) {
    const auto above = [&] {
      const SpeedupPoint &a = out[out.size() - 2], &b = out.back();
      return (b.speed - a.speed) * (p.gpus - a.gpus) <= (p.speed - a.speed) * (b.gpus - a.gpus);
    };
    while (out.size() >= 2 && above()) out.pop_back();
    out.push_back(p);
  }
  return out;
}

std::variant<Speedup, std::string> Speedup::of(Family family, double parameter, double most) {
  const bool log = family == Family::logarithmic;
  if (!(parameter >= 0.0 && parameter <= 1.0))
    return parameter_name(family) + (" is " + number_text(parameter)) + "; wanted 0 to 1.";
  if (!(most >= 1.0)) return "The most GPUs are " + number_text(most) + "; wanted at least 1.";
  if (parameter == 1.0 && !log && most == unlimited)
    return std::string(parameter_name(family)) +
           " is 1, so that more GPUs never cost more; wanted below 1, or a limit to the GPUs of a job.";
  Speedup out;
  out.family_ = family, out.parameter_ = parameter;
  out.most_ = parameter == 0.0 ? 1.0 : most;
  return out;
}

std::variant<Speedup, std::string> Speedup::of_table(std::vector<SpeedupPoint> points, double most) {
  if (!(most >= 1.0)) return "The most GPUs are " + number_text(most) + "; wanted at least 1.";
  if (std::string why = why_no_table(points); !why.empty()) return why;
  std::erase_if(points, [&](const SpeedupPoint& p) { return p.gpus > most; });
  // Further points that gain nothing are no corners that anybody would pay for.
  while (points.size() > 1 && points.back().speed == points[points.size() - 2].speed) points.pop_back();
  Speedup out;
  out.family_ = Family::table;
  out.corners_ = upper_hull(points);
  out.points_ = std::move(points);
  out.most_ = out.corners_.back().gpus;
  return out;
}

Speedup Speedup::whole() const {
  Speedup out = *this;
  if (family_ != Family::table) return out;
  std::erase_if(out.points_, [](const SpeedupPoint& p) { return p.gpus != std::floor(p.gpus); });
  out.corners_ = upper_hull(out.points_);
  out.most_ = out.corners_.back().gpus;
  return out;
}

double Speedup::speed(double gpus) const {
  if (gpus <= 1.0) return gpus;
  const double k = std::min(gpus, most_);
  switch (family_) {
    case Family::amdahl:
      return 1.0 / ((1.0 - parameter_) + parameter_ / k);
    case Family::power:
      return std::pow(k, parameter_);
    case Family::logarithmic:
      return 1.0 + parameter_ * std::log(k);
    case Family::table:
      break;
  }
  const auto next = std::lower_bound(corners_.begin(), corners_.end(), k,
                                     [](const SpeedupPoint& p, double at) { return p.gpus < at; });
  if (next == corners_.begin() || next->gpus == k) return next->speed;
  const SpeedupPoint &a = *(next - 1), &b = *next;
  return a.speed + (b.speed - a.speed) * ((k - a.gpus) / (b.gpus - a.gpus));
}

double Speedup::slope(double gpus) const {
  if (gpus < 1.0) return 1.0;
  if (gpus >= most_) return 0.0;
  switch (family_) {
    case Family::amdahl: {
      const double below = (1.0 - parameter_) * gpus + parameter_;
      return parameter_ / (below * below);
    }
    case Family::power:
      return parameter_ * std::pow(gpus, parameter_ - 1.0);
    case Family::logarithmic:
      return parameter_ / gpus;
    case Family::table:
      break;
  }
  const auto next = std::upper_bound(corners_.begin(), corners_.end(), gpus,
                                     [](double at, const SpeedupPoint& p) { return at < p.gpus; });
  const SpeedupPoint &a = *(next - 1), &b = *next;
  return (b.speed - a.speed) / (b.gpus - a.gpus);
}

double Speedup::gpus_of_slope(double slope) const {
  double out = 1.0;
  switch (family_) {
    case Family::amdahl:
      if (parameter_ == 1.0) out = slope <= 1.0 ? most_ : 1.0;
      else out = (std::sqrt(parameter_ / slope) - parameter_) / (1.0 - parameter_);
      break;
    case Family::power:
      if (parameter_ == 1.0) out = slope <= 1.0 ? most_ : 1.0;
      else out = std::pow(parameter_ / slope, 1.0 / (1.0 - parameter_));
      break;
    case Family::logarithmic:
      out = parameter_ / slope;
      break;
    case Family::table: {
      // From corner to corner slopes fall.
      std::size_t reached = 0, beyond = corners_.size();
      while (beyond - reached > 1) {
        const std::size_t middle = reached + (beyond - reached) / 2;
        const SpeedupPoint &a = corners_[middle - 1], &b = corners_[middle];
        ((b.speed - a.speed) / (b.gpus - a.gpus) >= slope ? reached : beyond) = middle;
      }
      out = corners_[reached].gpus;
      break;
    }
  }
  return std::clamp(out, 1.0, most_);
}

}  // namespace ergode
