#include "solvers/markov/uniformisation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/text.h"
#include "solvers/markov/poisson_weights.h"

namespace ergode {
namespace {

constexpr double unit_roundoff = std::numeric_limits<double>::epsilon() / 2;
constexpr std::size_t rows_at_once = 256;
constexpr std::uint64_t forget_every = 1024;  // steps

/// What each step of the uniformised chain leaves: one number a step, constant after the last.
class StepValues {
 public:
  void add(double value) {
    before_.push_back(before_.empty() ? 0.0 : before_.back() + values_.back());
    values_.push_back(value);
  }
  double at(std::uint64_t step) const { return values_[std::min<std::uint64_t>(step, steps() - 1) - first_]; }
  std::uint64_t steps() const { return first_ + values_.size(); }
  /// Sum over the steps before `step`.
  double before(std::uint64_t step) const {
    if (step < steps()) return before_[step - first_];
    return before_.back() + values_.back() * static_cast<double>(step - (steps() - 1));
  }
  /// Nobody asks for steps before this one any more. The last one stays.
  void forget(std::uint64_t step) {
    const std::uint64_t gone = std::min<std::uint64_t>(std::max(step, first_), steps() - 1) - first_;
    if (2 * gone < values_.size()) return;  // so that each number is moved once at most
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(gone));
    before_.erase(before_.begin(), before_.begin() + static_cast<std::ptrdiff_t>(gone));
    first_ += gone;
  }

 private:
  std::vector<double> values_, before_;  ///< from step first_ on
  std::uint64_t first_ = 0;
};

// In blocks, so that a million terms lose no more digits than a few thousand.
double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t first = 0; first < a.size(); first += rows_at_once) {
    double part = 0.0;
    const std::size_t end = std::min(a.size(), first + rows_at_once);
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
    plan(last);
    PoissonWindow window;
    if (question_.want_distribution && mean_ <= most_poisson_mean)
      window = poisson_window(mean_, 0.5 * question_.error);
    if (question_.want_distribution) out.distribution.assign(now_.size(), 0.0);
    next_.resize(now_.size());
    out.at.resize(rewards_.size()), out.integral.resize(rewards_.size());
    expect(0);
    double covered = 0.0, frozen = 0.0;
    for (std::uint64_t step = 0;; ++step) {
      note();
      while (step == due_) weigh_due(out, step);
      if (step % forget_every == 0) forget(step);
      if (step >= window.left && step - window.left < window.weights.size()) {
        const double weight = window.weights[step - window.left];
        covered += weight;
        for (std::size_t i = 0; i < now_.size(); ++i) out.distribution[i] += weight * now_[i];
        for (std::size_t i = 0; i < kept_.size(); ++i) out.distribution[kept_[i]] += weight * absorbed_[i];
      }
      const double left = products_ - static_cast<double>(step);
      if (left <= 0.0) break;
      if (static_cast<double>(step) >= probe_) refuse();
      if ((step & poll_mask_) == 0) {
        question_.budget.spend(per_product_ * static_cast<double>(poll_mask_ + 1));
        if (question_.budget.stop_requested()) {
          out.stopped = true;
          return out;
        }
      }
      advance();
      ++out.steps;
      if (step % 64 != 63 || left < 64.0) continue;
      const double change = distance(now_, next_) + moved_;
      const double ahead = change == 0.0 ? 0.0 : left * change;
      if (!(ahead <= 0.1 * (question_.early_end > 0.0 ? question_.early_end : question_.error))) continue;
      out.steady = true;
      frozen = ahead;
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
    const double length =
        static_cast<double>(now_.size()) / static_cast<double>(rows_at_once) + static_cast<double>(rows_at_once);
    out.rounding = (static_cast<double>(out.steps) * (widest + 4.0) + length + 64.0) * unit_roundoff;
    weigh_rest(out);
    return out;
  }

 private:
  // How many products there are, and how many may be made without knowing that all of them are needed.
  void plan(double last) {
    mean_ = rate_ * last;
    if (!std::isfinite(rate_)) refuse();
    products_ = mean_ <= most_poisson_mean ? static_cast<double>(poisson_window(mean_, 0.5 * question_.error).right())
                                           : poisson_end(mean_, 0.25 * question_.error);
    const double series = static_cast<double>(rewards_.size()) + 1.0;
    const double n = static_cast<double>(now_.size());
    per_product_ = static_cast<double>(in_.entries()) + n * (3.0 + static_cast<double>(rewards_.size())) + 8.0 * series;
    double width = 0.0;
    for (const double t : question_.times_s) width += 15.0 * std::sqrt(std::min(rate_ * t, most_poisson_mean));
    weighing_ = 3.0 * series * width;
    const double steps = static_cast<double>(question_.budget.bytes()) / bytes_per_step();
    const double deviations = std::max(1.0, (steps - steps_kept(0.0)) / (steps_kept(1.0) - steps_kept(0.0)));
    in_memory_ = deviations * deviations;
    in_time_ = (question_.budget.operations() - weighing_) / per_product_;
    const double affordable = std::min({most_poisson_mean, in_time_, in_memory_});
    probe_ = std::numeric_limits<double>::infinity();
    if (products_ > affordable) probe_ = std::max(64.0, std::min({affordable, 0.1 * in_time_, 2e9 / per_product_}));
    poll_mask_ = per_product_ > 1e4 ? 0 : 63;
  }

  [[noreturn]] void refuse() const {
    const auto refused = [&](std::string message) {
      return OverBudget{{.code = "MKV022", .message = std::move(message), .hint = question_.instead}};
    };
    if (!std::isfinite(rate_))
      throw refused("The rates out of one state add up to more than a number can be; wanted a finite sum.");
    const Budget& budget = question_.budget;
    // Only what is beyond its limit: whoever reads of others looks for the reason in the wrong place.
    std::string beyond;
    const auto more = [&](const std::string& wanted, const std::string& allowed) {
      beyond += (beyond.empty() ? " That would be " : ", and ") + wanted + "; allowed: " + allowed;
    };
    if (products_ > most_poisson_mean) more(products_text() + " products", number_text(most_poisson_mean, 3));
    if (products_ > in_time_)
      more(number_text(products_ * per_product_ + weighing_, 3) + " operations", budget.operations_text());
    if (products_ > in_memory_)
      more(memory_text(steps_kept(products_) * bytes_per_step()) + " of memory", budget.bytes_text());
    throw refused("Uniformisation takes " + products_text() + " products with the matrix (fastest rate " +
                  number_text(rate_, 3) + " /s times " + number_text(mean_ / rate_, 3) +
                  " s), and nothing came to rest in those that were tried." + beyond + ".");
  }

  std::string products_text() const { return number_text(products_, 3); }
  // Of a series the steps stay that the next time may ask for, two numbers each, and are copied while they grow.
  double bytes_per_step() const { return 64.0 * (static_cast<double>(rewards_.size()) + 1.0) + 16.0; }
  static double steps_kept(double products) { return 4096.0 + 20.0 * std::sqrt(products); }

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

  double mean_at(std::size_t time) const { return rate_ * question_.times_s[time]; }

  // The next time whose weights are wanted, and the step at which that has to be looked at.
  void expect(std::size_t time) {
    weighed_ = time, window_ = {};
    due_ = keep_ = std::numeric_limits<std::uint64_t>::max();
    if (time == question_.times_s.size() || !(mean_at(time) <= most_poisson_mean)) return;
    // So far below a window's left end that no later window begins before it, whatever its own cut.
    due_ = keep_ = static_cast<std::uint64_t>(poisson_begin(mean_at(time), 1e-20 * question_.error));
  }

  // As soon as the sweep has passed the window of a time, the numbers there are known; nothing later changes them.
  void weigh_due(TransientAnswer& out, std::uint64_t step) {
    if (window_.weights.empty()) {
      window_ = poisson_window(mean_at(weighed_), 0.5 * question_.error);
      due_ = std::max(step, window_.right());
      if (due_ > step) return;
    }
    weigh(out, question_.times_s[weighed_], window_);
    expect(weighed_ + 1);
    due_ = std::max(due_, step);
  }

  void forget(std::uint64_t step) {
    const std::uint64_t before = std::min(step, keep_);
    reached_.forget(before);
    for (StepValues& reward : rewards_) reward.forget(before);
  }

  void weigh(TransientAnswer& out, double t, const PoissonWindow& window) {
    // Of the terms P(N > k) each one below the cut loses the whole tail: together E[N; N > right].
    const double tail = window.outside * (static_cast<double>(window.right()) + 1.0) + window.overshoot;
    const double of_integral = 2.0 * window.outside + (rate_ * t > 0.0 ? tail / (rate_ * t) : 0.0);
    outside_ = std::max(outside_, window.outside);
    widest_ = std::max(widest_, window.weights.size());
    out.lost_at.push_back(2.0 * window.outside), out.lost_integral.push_back(of_integral);
    out.reached.push_back(expectation(reached_, window));
    out.reached_integral.push_back(integral(reached_, window, t));
    for (std::size_t r = 0; r < rewards_.size(); ++r) {
      out.at[r].push_back(expectation(rewards_[r], window));
      out.integral[r].push_back(integral(rewards_[r], window, t));
    }
  }

  // The times that the sweep did not pass, because it ended early.
  void weigh_rest(TransientAnswer& out) {
    for (std::size_t i = weighed_; i < question_.times_s.size(); ++i) {
      if (i % 16 == 0 && question_.budget.stop_requested()) {
        out.stopped = true;
        return;
      }
      const double t = question_.times_s[i];
      if (!all_frozen(rate_ * t, out.steps)) {
        weigh(out, t, poisson_window(rate_ * t, 0.5 * question_.error));
        continue;
      }
      out.reached.push_back(reached_.at(out.steps)), out.reached_integral.push_back(frozen_integral(reached_, t));
      for (std::size_t r = 0; r < rewards_.size(); ++r)
        out.at[r].push_back(rewards_[r].at(out.steps)), out.integral[r].push_back(frozen_integral(rewards_[r], t));
      out.lost_at.push_back(0.0), out.lost_integral.push_back(0.0);
    }
    for (double& lost : out.lost_at) lost += out.truncation;
    for (double& lost : out.lost_integral) lost += out.truncation;
    out.truncation_at = out.truncation + 2.0 * outside_;
    out.truncation = out.truncation_at;
    if (!out.lost_integral.empty()) out.truncation = std::max(out.truncation, out.lost_integral.back());
    out.rounding += 2.0 * static_cast<double>(widest_) * unit_roundoff;
  }

  // Fewer steps than the sweep made are as good as impossible, and from its end on nothing changes.
  static bool all_frozen(double mean, std::uint64_t steps) {
    return mean > 1e7 && poisson_begin(mean, 1e-300) > static_cast<double>(steps);
  }
  double frozen_integral(const StepValues& values, double t) const {
    const std::uint64_t end = values.steps() - 1;
    return values.before(end) / rate_ + values.at(end) * (t - static_cast<double>(end) / rate_);
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
  double rate_ = 0.0;                                                     ///< of the Poisson process
  double mean_ = 0.0, products_ = 0.0, probe_ = 0.0, per_product_ = 0.0;  ///< see plan()
  double in_time_ = 0.0, in_memory_ = 0.0;  ///< products for which there is enough of each
  double weighing_ = 0.0;                   ///< operations beside the products
  std::uint64_t poll_mask_ = 0;
  std::vector<double> now_, next_;
  std::vector<std::uint32_t> kept_;  ///< targets and forbidden states
  std::vector<double> absorbed_;     ///< what they hold
  double reached_now_ = 0.0, moved_ = 0.0;
  std::size_t weighed_ = 0;           ///< times that have their numbers
  PoissonWindow window_;              ///< of the next one, once the sweep is near it
  std::uint64_t due_ = 0, keep_ = 0;  ///< the step at which that is looked at; the first step it may ask for
  double outside_ = 0.0;              ///< most of a window's
  std::size_t widest_ = 0;
  StepValues reached_;
  std::vector<StepValues> rewards_;
};

}  // namespace

TransientAnswer solve_transient(const SparseGenerator& generator, const RateRows& incoming,
                                const TransientQuestion& question) {
  return Sweep(generator, incoming, question).run();
}

}  // namespace ergode
