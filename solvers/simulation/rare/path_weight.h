#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace ergode {

/// One of the laws that paths are drawn from.
struct BiasedLaw {
  double share = 1.0;    ///< of the paths
  double clocks = 0.0;   ///< probability of a failure before the next repair; 0: clocks keep the model's law
  double chances = 0.0;  ///< probability that a rare outcome of a chance is taken; 0: chances keep the model's law
  double window = 1.0;   ///< the first failure is to come within this part of the mission
};

/// The weight of a path that was drawn from a mixture of laws: its likelihood under the model over that under the
/// mixture. Whichever law the path was drawn from, the likelihood ratio to every law is followed, so that a path that
/// another law would have made as well is not taken for a rare find. With the model's own law in the mixture at a share
/// of a the weight never exceeds 1/a: the variance is then at most 1/a times that of plain simulation.
///
/// Hesterberg, Weighted average importance sampling and defensive mixture distributions, Technometrics 37(2), 1995;
/// Owen and Zhou, Safe and effective importance sampling, JASA 95, 2000.
class PathWeight {
 public:
  explicit PathWeight(std::vector<BiasedLaw> laws)
      : laws_(std::move(laws)), ratios_(laws_.size()), growth_(laws_.size()) {
    start();
  }

  /// @param factor  multiplies the weight: a share of paths that stand for more.
  void start(double factor = 1.0) {
    std::fill(ratios_.begin(), ratios_.end(), 1.0);
    factor_ = factor;
    settle();
  }
  double factor() const { return factor_; }
  void set_factor(double factor) { factor_ = factor; }
  std::span<const BiasedLaw> laws() const { return laws_; }

  /// What was drawn is so many times likelier under law `law` than under the model's.
  void drawn(std::size_t law, double times) { ratios_[law] = std::min(ratios_[law] * times, most); }
  /// What was drawn is a mixture in each law: with the law's probability of chances a rare outcome, under which it is
  /// `ratio` times likelier, else the model's own.
  void chance(double ratio) {
    for (std::size_t m = 0; m < laws_.size(); ++m)
      if (laws_[m].chances > 0.0) drawn(m, 1.0 - laws_[m].chances + laws_[m].chances * ratio);
  }
  /// While nothing happens the likelihood under law `law` falls by this rate [1/s] faster than under the model's.
  void grow(std::size_t law, double rate) { growth_[law] = rate, grows_ = grows_ || rate != 0.0; }
  /// So much time has passed [s]; afterwards nothing grows.
  void pass(double time_s) {
    if (!grows_) return;
    for (std::size_t m = 0; m < laws_.size(); ++m) ratios_[m] *= std::exp(-growth_[m] * time_s);
    settle();
  }

  double now() const {
    double sum = 0.0;
    for (std::size_t m = 0; m < laws_.size(); ++m) sum += laws_[m].share * ratios_[m];
    return factor_ / sum;
  }
  /// In `time_s` [s] from now, when nothing happens until then.
  double after(double time_s) const {
    if (!grows_) return now();
    double sum = 0.0;
    for (std::size_t m = 0; m < laws_.size(); ++m) sum += laws_[m].share * ratios_[m] * std::exp(-growth_[m] * time_s);
    return factor_ / sum;
  }

 private:
  static constexpr double most = 1e200;  // beyond, a product with zero would be no number
  void settle() {
    std::fill(growth_.begin(), growth_.end(), 0.0);
    grows_ = false;
  }

  std::vector<BiasedLaw> laws_;
  std::vector<double> ratios_;  ///< likelihood under each law over that under the model's
  std::vector<double> growth_;
  double factor_ = 1.0;
  bool grows_ = false;
};

}  // namespace ergode
