#include "solvers/markov/uniformisation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/markov/poisson_weights.h"

namespace ergode {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
constexpr std::size_t block = 256;

/// What each step of the uniformised chain leaves: one number a step, constant after the last.
class StepValues {
 public:
  void add(double value) {
    before_.push_back(before_.empty() ? 0.0 : before_.back() + values_.back());
    values_.push_back(value);
  }
  double at(std::uint64_t step) const { return values_[std::min<std::uint64_t>(step, values_.size() - 1)]; }
  /// Sum over the steps before `step`.
  double before(std::uint64_t step) const {
    if (step < values_.size()) return before_[step];
    return before_.back() + values_.back() * static_cast<double>(step - (values_.size() - 1));
  }

 private:
  std::vector<double> values_, before_;
};

// In blocks, so that a million terms lose no more digits than a few thousand.
double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t first = 0; first < a.size(); first += block) {
    double part = 0.0;
    const std::size_t end = std::min(a.size(), first + block);
    for (std::size_t i = first; i < end; ++i) part += a[i] * b[i];
    sum += part;
  }
  return sum;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::fabs(a[i] - b[i]);
  return sum;
}

class Sweep {
 public:
  Sweep(const SparseGenerator& generator, const RateRows& incoming, const TransientQuestion& question)
      : generator_(generator),
        in_(incoming),
        question_(question),
        now_(question.initial.begin(), question.initial.end()) {
    rewards_.resize(question.rewards.size());
    double fastest = 0.0;
    for (std::size_t i = 0; i < generator.size(); ++i) {
      const bool moves = question.roles.empty() || question.roles[i] == StateRole::ordinary;
      if (moves) fastest = std::max(fastest, generator.exit()[i]);
      else kept_.push_back(static_cast<std::uint32_t>(i));
    }
    rate_ = fastest;
    absorbed_.resize(kept_.size());
    absorb();
  }

  TransientAnswer run() {
    TransientAnswer out;
    const double last = question_.times_s.empty() ? 0.0 : question_.times_s.back();
    const PoissonWindow window = poisson_window(rate_ * last, 0.5 * question_.error);
    const std::uint64_t most = window.right();
    if (question_.want_distribution) out.distribution.assign(now_.size(), 0.0);
    next_.resize(now_.size());
    double covered = 0.0, frozen = 0.0;
    for (std::uint64_t step = 0;; ++step) {
      note();
      if (question_.want_distribution && step >= window.left) {
        const double weight = window.weights[step - window.left];
        covered += weight;
        for (std::size_t i = 0; i < now_.size(); ++i) out.distribution[i] += weight * now_[i];
        for (std::size_t i = 0; i < kept_.size(); ++i) out.distribution[kept_[i]] += weight * absorbed_[i];
      }
      if (step == most) break;
      if (question_.stop.stop_requested()) {
        out.stopped = true;
        return out;
      }
      advance();
      ++out.steps;
      if (step % 64 != 63 || most - step < 64) continue;
      const double left = static_cast<double>(most - step) * (distance(now_, next_) + moved_);
      if (left > 0.1 * question_.error) continue;
      out.steady = true;
      frozen = left;
      note();
      if (question_.want_distribution) {
        for (std::size_t i = 0; i < now_.size(); ++i) out.distribution[i] += (1.0 - covered) * now_[i];
        for (std::size_t i = 0; i < kept_.size(); ++i) out.distribution[kept_[i]] += (1.0 - covered) * absorbed_[i];
      }
      break;
    }
    out.truncation = frozen;
    std::uint32_t widest = 0;
    for (std::size_t j = 0; j < now_.size(); ++j) widest = std::max(widest, in_.start[j + 1] - in_.start[j]);
    const double length = static_cast<double>(now_.size()) / static_cast<double>(block) + static_cast<double>(block);
    out.rounding = (static_cast<double>(out.steps) * (widest + 4.0) + length + 64.0) * unit_roundoff;
    weigh(out);
    return out;
  }

 private:
  // What stands in targets and forbidden states leaves the vector that moves.
  void absorb() {
    moved_ = 0.0;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      double& p = now_[kept_[i]];
      if (p == 0.0) continue;
      absorbed_[i] += p;
      moved_ += p;
      if (question_.roles[kept_[i]] == StateRole::target) reached_now_ += p;
      p = 0.0;
    }
  }

  void note() {
    reached_.add(reached_now_);
    for (std::size_t r = 0; r < rewards_.size(); ++r) rewards_[r].add(dot(now_, question_.rewards[r]));
  }

  // The hot loop: one product with the transition matrix of the uniformised chain, by target.
  void advance() {
    const double scale = 1.0 / rate_;
    const double* const p = now_.data();
    const double* const rate = in_.rate.data();
    const std::uint32_t* const other = in_.other.data();
    const double* const exit = generator_.exit().data();
    const std::size_t n = now_.size();
    for (std::size_t j = 0; j < n; ++j) {
      double flow = 0.0;
      for (std::uint32_t e = in_.start[j], end = in_.start[j + 1]; e != end; ++e) flow += p[other[e]] * rate[e];
      // Only states that are kept may leave faster than `rate_`, and they hold nothing.
      next_[j] = (flow + p[j] * (rate_ - exit[j])) * scale;
    }
    now_.swap(next_);
    absorb();
  }

  void weigh(TransientAnswer& out) const {
    out.at.resize(rewards_.size()), out.integral.resize(rewards_.size());
    double worst = 0.0, outside = 0.0;
    std::size_t widest = 0;
    for (const double t : question_.times_s) {
      const PoissonWindow window = poisson_window(rate_ * t, 0.5 * question_.error);
      worst = std::max(worst, window.outside);
      outside = std::max(outside, window.outside);
      widest = std::max(widest, window.weights.size());
      if (rate_ * t > 0.0) worst = std::max(worst, window.overshoot / (rate_ * t));
      out.reached.push_back(expectation(reached_, window));
      out.reached_integral.push_back(integral(reached_, window, t));
      for (std::size_t r = 0; r < rewards_.size(); ++r) {
        out.at[r].push_back(expectation(rewards_[r], window));
        out.integral[r].push_back(integral(rewards_[r], window, t));
      }
    }
    out.truncation_at = out.truncation + 2.0 * outside;
    out.truncation += 2.0 * worst;
    out.rounding += 2.0 * static_cast<double>(widest) * unit_roundoff;
  }

  static double expectation(const StepValues& values, const PoissonWindow& window) {
    double sum = 0.0;
    for (std::size_t i = 0; i < window.weights.size(); ++i) sum += window.weights[i] * values.at(window.left + i);
    return sum;
  }

  // Integral of sum over k of P(N(s) = k) v(k) from 0 to t: sum of P(N(t) > k) v(k) over the rate.
  double integral(const StepValues& values, const PoissonWindow& window, double t) const {
    if (rate_ == 0.0) return t * values.at(0);
    double more = 0.0, sum = 0.0;
    for (std::size_t i = window.weights.size(); i-- > 0;) {
      sum += more * values.at(window.left + i);
      more += window.weights[i];
    }
    return (sum + values.before(window.left)) / rate_;
  }

  const SparseGenerator& generator_;
  const RateRows& in_;
  const TransientQuestion& question_;
  double rate_ = 0.0;  ///< of the Poisson process
  std::vector<double> now_, next_;
  std::vector<std::uint32_t> kept_;  ///< targets and forbidden states
  std::vector<double> absorbed_;     ///< what they hold
  double reached_now_ = 0.0, moved_ = 0.0;
  StepValues reached_;
  std::vector<StepValues> rewards_;
};

}  // namespace

TransientAnswer solve_transient(const SparseGenerator& generator, const RateRows& incoming,
                                const TransientQuestion& question) {
  return Sweep(generator, incoming, question).run();
}

}  // namespace ergode
