#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace ergode {

/// One of the laws that paths are drawn from. Shares are > 0 and sum to one over the laws of a mixture; probabilities
/// lie in [0, 1).
struct BiasedLaw {
  double share = 1.0;    ///< of the paths
  double clocks = 0.0;   ///< probability of a failure before the next repair; 0: clocks keep the model's law
  double chances = 0.0;  ///< probability that a rare outcome of a chance is taken; 0: chances keep the model's law
  double window = 1.0;   ///< the first failure is to come within this part of the mission, in (0, 1]
  /// Exponent of failures near moments that are known in advance: towards one that lies d ahead, or after one that lies
  /// d behind, their hazards rise together by focus/d, so every decade of d is met equally often; 0: not at all.
  double focus = 0.0;
};

/// The weight of a path that was drawn from a mixture of laws: its likelihood under the model over that under the
/// mixture. Whichever law the path was drawn from, the likelihood ratio to every law is followed, so that a path that
/// another law would have made as well is not taken for a rare find. With the model's own law in the mixture at a share
/// of a the weight never exceeds 1/a: the variance is then at most 1/a times that of plain simulation.
///
/// With l_m the likelihood ratio of the path under law m over that under the model, 1 for the model's own, the weight
/// is factor / sum over m of share_m l_m. Ratios are kept up as things are drawn, in the order in which they happen;
/// each one is capped at 1e200, where the path's weight is as good as zero. Every call costs O(laws) at most.
///
/// While time passes without an event, likelihoods change by themselves: what each law does until the next event is
/// said first (grow(), force(), hurry(), focus()), then after() tells the weight at any time of the silence, and pass()
/// or settle() ends it. pass() takes along what the silence tells; settle() drops it, because drawn() then tells the
/// likelihood of the whole moment.
///
/// Hesterberg, Weighted average importance sampling and defensive mixture distributions, Technometrics 37(2), 1995;
/// Owen and Zhou, Safe and effective importance sampling, JASA 95, 2000.
class PathWeight {
 public:
  /// @param laws  at least one; at most one with a focus counts, the last
  explicit PathWeight(std::vector<BiasedLaw> laws)
      : laws_(std::move(laws)), ratios_(laws_.size()), silence_(laws_.size()) {
    for (std::size_t m = 0; m < laws_.size(); ++m)
      if (laws_[m].focus > 0.0) focused_ = m;
    start();
  }

  /// A path begins, with likelihoods of one.
  /// @param factor  multiplies the weight: a share of paths that stand for more.
  void start(double factor = 1.0) {
    std::fill(ratios_.begin(), ratios_.end(), 1.0);
    factor_ = factor;
    focus_ = {};
    settle();
  }
  double factor() const { return factor_; }
  void set_factor(double factor) { factor_ = factor; }
  std::span<const BiasedLaw> laws() const { return laws_; }
  /// The law with a focus, the last such; without one the number of laws.
  std::size_t focused_law() const { return focused_ ? *focused_ : laws_.size(); }

  /// What was drawn is so many times likelier under law `law` than under the model's; `times` >= 0.
  void drawn(std::size_t law, double times) { ratios_[law] = std::min(ratios_[law] * times, most); }
  /// What was drawn is a mixture in each law: with the law's probability of chances a rare outcome, under which it is
  /// `ratio` times likelier, else the model's own.
  void chance(double ratio) {
    for (std::size_t m = 0; m < laws_.size(); ++m)
      if (laws_[m].chances > 0.0) drawn(m, 1.0 - laws_[m].chances + laws_[m].chances * ratio);
  }

  /// @name While nothing happens
  /// @{
  /// The likelihood under law `law` falls by this rate [1/s] faster than under the model's.
  void grow(std::size_t law, double rate) { silence_[law] = {.rate = rate}, silent_ = silent_ || rate != 0.0; }
  /// With probability `insists` law `law` draws the next event, which comes at `total` [1/s], within `left` [s], given
  /// that it comes by then; else as the model does.
  void force(std::size_t law, double insists, double total, double left) {
    silence_[law] = {.insists = insists, .total = total, .left = left}, silent_ = true;
  }
  /// With probability `insists` law `law` draws the next event at a hazard greater by `rate` [1/s]; else as the model
  /// does.
  void hurry(std::size_t law, double insists, double rate) {
    silence_[law] = {.insists = insists, .rate = rate}, silent_ = true;
  }
  /// Failures are focused: on a moment `ahead` [s] from now, or one `behind` [s]; 0: not at present. Their added hazard
  /// is focus / (distance to the moment), so that silence of t weighs ((ahead - t) / ahead)^focus, and likewise behind.
  void focus(double ahead, double behind) {
    focus_.ahead = ahead, focus_.behind = behind;
    silent_ = silent_ || ahead > 0.0 || behind > 0.0;
  }
  /// @}
  /// From now on the focused law looks ahead or behind with these probabilities, or does not look, decided anew. What
  /// the former decision made likelier is settled as the mixture of the three. The two sum to at most one.
  void begin_focus(double ahead, double behind) {
    if (!focused_) return;
    drawn(*focused_, focus_.mixed(focus_.ratio_ahead, focus_.ratio_behind));
    focus_ = {.share_ahead = ahead, .share_behind = behind};
  }
  /// What was drawn is so many times likelier when looking ahead, or behind, than under the law without its focus.
  void focus_drawn(double ahead, double behind) {
    focus_.ratio_ahead = std::min(focus_.ratio_ahead * ahead, most);
    focus_.ratio_behind = std::min(focus_.ratio_behind * behind, most);
  }
  /// So much time has passed [s]; afterwards nothing grows.
  void pass(double time_s) {
    if (!silent_) return;
    for (std::size_t m = 0; m < laws_.size(); ++m) ratios_[m] *= silence_[m].after(time_s);
    if (focused_) {
      focus_.ratio_ahead *= focus_ahead(time_s);
      focus_.ratio_behind *= focus_behind(time_s);
    }
    settle();
  }
  /// The silence is over, and what was drawn tells its likelihood too.
  void settle() {
    std::fill(silence_.begin(), silence_.end(), Silence{});
    focus_.ahead = focus_.behind = 0.0;
    silent_ = false;
  }

  /// Of the path up to the present moment.
  double now() const { return after(0.0); }
  /// In `time_s` [s] from now, when nothing happens until then.
  double after(double time_s) const {
    double sum = 0.0;
    for (std::size_t m = 0; m < laws_.size(); ++m) {
      double ratio = ratios_[m];
      if (silent_ && time_s > 0.0) ratio *= silence_[m].after(time_s);
      if (focused_ == m)
        ratio *= focus_.mixed(focus_.ratio_ahead * focus_ahead(time_s), focus_.ratio_behind * focus_behind(time_s));
      sum += laws_[m].share * ratio;
    }
    return factor_ / sum;
  }

 private:
  static constexpr double most = 1e200;  // beyond, a product with zero would be no number

  struct Silence {
    double insists = 1.0, rate = 0.0, total = 0.0, left = 0.0;
    double after(double time_s) const {
      const double mine = total > 0.0 ? std::expm1(-total * std::max(0.0, left - time_s)) / std::expm1(-total * left)
                                      : std::exp(-rate * time_s);
      return insists == 1.0 ? mine : 1.0 - insists + insists * mine;
    }
  };
  struct Focus {
    double share_ahead = 0.0, share_behind = 0.0;
    double ratio_ahead = 1.0, ratio_behind = 1.0;
    double ahead = 0.0, behind = 0.0;
    double mixed(double of_ahead, double of_behind) const {
      return 1.0 - share_ahead - share_behind + share_ahead * of_ahead + share_behind * of_behind;
    }
  };
  double focus_ahead(double time_s) const {
    if (!(focus_.ahead > 0.0) || time_s == 0.0) return 1.0;
    return std::pow(std::max(0.0, focus_.ahead - time_s) / focus_.ahead, laws_[*focused_].focus);
  }
  double focus_behind(double time_s) const {
    if (!(focus_.behind > 0.0) || time_s == 0.0) return 1.0;
    return std::pow(focus_.behind / (focus_.behind + time_s), laws_[*focused_].focus);
  }

  std::vector<BiasedLaw> laws_;
  std::vector<double> ratios_;  ///< likelihood under each law, without its focus, over that under the model's
  std::vector<Silence> silence_;
  std::optional<std::size_t> focused_;
  Focus focus_;
  double factor_ = 1.0;
  bool silent_ = false;
};

}  // namespace ergode
