// Steps of the integrator, and what happens within one that its ends do not show.

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/hybrid/continuous_flow.h"
#include "solvers/hybrid/dormand_prince.h"

namespace ergode {

double ContinuousFlow::step(double until_s) {
  const double from = time_;
  // What is shorter is as good as the peak itself, and makes no progress when it is made again.
  const double hair = 1e4 * std::numeric_limits<double>::epsilon() * std::abs(until_s);
  // Where the last event changed nothing here, the next one is unlikely to: then it does not cut the step short.
  double target = until_s, limit = undisturbed_ ? std::max(until_s, horizon_s_) : until_s;
  // What is a function of time alone was looked at beforehand.
  if (const auto next = std::upper_bound(peaks_.begin(), peaks_.end(), from + hair); next != peaks_.end())
    target = std::min(target, *next), limit = std::min(limit, *next);
  for (;;) {
    double reached = integrator_->step(target, limit);
    found_.assign(integrator_->found().begin(), integrator_->found().end());
    std::optional<double> hidden;
    const auto search = [&](std::uint32_t r) {
      const auto change = hidden_change(r, from, hidden ? *hidden : reached);
      if (!change) return;
      found_.assign(hazards_.size() + roots_.size(), 0);
      hidden = change;
      found_[hazards_.size() + r] = 1;
    };
    // A variable that rises or falls all the way passes a limit that stays once.
    const auto turns = [&](std::uint32_t value) { return integrator_->turns(value); };
    if ((bends_unevenly_ || std::any_of(bending_.begin(), bending_.end(), turns)) &&
        integrator_->look(0.5 * (from + reached), middle_.data()))
      for (const std::uint32_t r : active_bends_)
        if (may_come_back(roots_[r], from, reached, middle_.data())) search(r);
    for (const std::uint32_t r : active_turns_) search(r);
    if (hidden) reached = *hidden;
    bool over_peak = false;
    if (!found_.empty())
      for (const std::uint32_t r : active_ends_) over_peak = over_peak || found_[hazards_.size() + r] != 0;
    // A step that only knows of a peak from beyond it may have missed it.
    if (over_peak && reached - from > hair && integrator_->end() - reached > hair) {
      integrator_->restart(from, reached_.data());
      target = limit = reached;
      continue;
    }
    if (hidden && integrator_->look(reached, between_.data())) {
      reached_ = between_;
      // The integrator has gone on from here.
      fresh_ = true;
    } else {
      std::copy_n(integrator_->values(), reached_.size(), reached_.begin());
    }
    return reached;
  }
}

double ContinuousFlow::affine_value(const RootFunction& root, double time_s, const double* y) {
  if (!root.form.general())
    return root.form.sign *
           (y[root.form.value] - (root.limit >= 0 ? slots_[static_cast<std::size_t>(root.limit)] : root.form.limit));
  put(time_s, y);
  return root.difference.evaluate(slots_.data());
}

bool ContinuousFlow::may_come_back(const RootFunction& root, double from_s, double to_s, const double* middle) {
  const double low = affine_value(root, from_s, reached_.data()),
               high = affine_value(root, to_s, integrator_->values());
  const double between = affine_value(root, 0.5 * (from_s + to_s), middle);
  const double bow = std::abs(between - 0.5 * (low + high));
  const auto [least, most] = std::minmax({low, between, high});
  return low * high > 0.0 && least - bow <= 0.0 && most + bow >= 0.0;
}

std::optional<double> ContinuousFlow::hidden_change(std::uint32_t root, double from_s, double to_s) {
  const RootFunction& which = roots_[root];
  const double close = 100.0 * std::numeric_limits<double>::epsilon() * (std::abs(to_s) + (to_s - from_s));
  // What has just changed, or was found to change at the end, is no other change.
  const double begin = from_s + 10.0 * close, end = to_s - 20.0 * close;
  if (!(begin < end)) return std::nullopt;
  const auto values_at = [&](double time_s, std::vector<double>& out) {
    out.resize(reached_.size());
    return which.values.empty() || integrator_->look(time_s, out.data());
  };
  search_.value = [&](double time_s) {
    if (!values_at(time_s, between_)) return std::numeric_limits<double>::quiet_NaN();
    put(time_s, between_.data());
    return which.difference.evaluate(slots_.data());
  };
  for (const std::uint32_t slot : which.difference.slots()) ranges_[slot] = {slots_[slot], slots_[slot]};
  search_.bounds = [&](double low_s, double high_s) -> Range {
    ranges_[World::now_slot] = {low_s, high_s};
    auto& [low, middle, high] = ends_;
    if (!values_at(low_s, low) || !values_at(0.5 * (low_s + high_s), middle) || !values_at(high_s, high))
      return {1.0, 1.0};
    for (const std::uint32_t i : which.values) {
      // As far as it is from a straight line in the middle, a parabola goes beyond these three at most.
      const double bow = std::abs(middle[i] - 0.5 * (low[i] + high[i]));
      const auto [least, most] = std::minmax({low[i], middle[i], high[i]});
      ranges_[model_.continuous_slots[i]] = {least - bow, most + bow};
    }
    return which.difference.range(ranges_);
  };
  return search_.first(begin, end, close);
}

}  // namespace ergode
