#pragma once
#include <cstdint>
#include <map>

#include "core/base/special_values.h"
#include "core/des/known_slots.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// What stations can do at most, what customers ask of them at least, and which let all go on who come. All O(what the
/// station has).
class StationLimits {
 public:
  using Node = NetworkModel::Node;
  /// @param model, known  must outlive this
  StationLimits(const NetworkModel& model, const KnownSlots& known) : model_(model), known_(known) {}

  /// Of a value >= 0; infinity and 0 where nothing is known.
  double upper(const Program& program) const;
  double lower(const Program& program) const;
  /// Over time in the long run; nothing where it is not known.
  /// @param memoryless  only where whoever comes at moments of his own, of whatever law, sees that
  std::optional<double> mean(const Program& program, bool memoryless = false) const;
  /// Over the mission, of a value >= 0 that hangs on the time alone; nothing of all others. To three digits at least
  /// where it jumps, by the values in the middle of 4,096 parts.
  std::optional<double> mean_over_mission(const Program& program) const;
  /// Whether customers beyond what its servers can do become ever more: nobody is lost, gives up or turns round.
  bool judged(const Node& node) const;
  /// Whether all who come go on, as long as its servers can do the work, and their services are all that decides.
  bool passes(const Node& node) const;
  /// Whether all who come go on sooner or later where its queue has a long run: nobody is lost, gives up or turns
  /// round.
  bool keeps_all(const Node& node) const;
  /// Whether services that are interrupted begin anew.
  static bool begins_anew(const Node& node);
  /// Whether such services may take less in all than one in one go does, or nobody knows.
  bool may_take_less(const Node& node) const;
  /// What servers can do.
  struct Capacity {
    double work = 0.0;      ///< seconds of service per second, at most
    double servers = nan;   ///< there are so many in the mean, where that changes and is known
    double speed = nan;     ///< likewise
    double together = nan;  ///< the number times the speed, where both change and that is known
    bool greatest = false;  ///< servers or their speed change, and the greatest counts
    bool at_most = false;   ///< servers that are taken away finish what they began, for so long at most
  };
  /// The number of servers times their speed, or the sum of their own speeds, for the share up() of the time, by as
  /// many customers at once as a batch has. What changes counts with its mean over time in the long run; where that is
  /// not known, or of the speed where both change, with the most there can be. Servers that are taken away and finish
  /// what they began work besides: exactly where services are exponential (working_in_the_mean()); else for as long as
  /// left_over_s() at most, for each that is taken away. Worked out once for each station.
  const Capacity& able(const Node& node) const;
  double capacity(const Node& node) const { return able(node).work; }
  /// For so much of the time servers that fail are there. Those who finish what they began work for what is left of
  /// their services besides; where nothing is known of that it is 1.
  double up(const Node& node) const;
  /// Whether up() is a bound.
  bool up_at_most(const Node& node) const;
  /// Servers or their speed change.
  bool changes(const Node& node) const;
  /// Of a server that polls and takes so many of a class at most on each visit: seconds of moving on for each customer
  /// of a class that always has some waiting, a round over the most of a visit. Else 0. So a class is served for ever
  /// less than it asks when all work and its moves are more than all of the time (Kuehn, Multiqueue systems with
  /// nonexhaustive cyclic service, Bell System Technical Journal 58(3), 1979).
  double moving_on_s(const Node& node) const;
  /// Seconds of service that a customer of a class asks for in the mean, at least.
  double work(const Node& node, std::uint32_t of_class) const;

 private:
  const NetworkModel::Rules* rules(const Node& node) const {
    return node.rules == NetworkModel::none ? nullptr : &model_.rules[node.rules];
  }
  /// Of one whose servers fail: both times are laws of finite means.
  bool up_known(const Node& node) const;
  /// What is left in the mean of a service under way, at a moment that does not depend on it; at most. Infinity: it is
  /// not known.
  struct LeftOver {
    double mean_s = infinity;
    bool exactly = false;
  };
  /// Of customers served one after the other, whose times are alike and independent: of exponential ones their mean; of
  /// others that are no longer for having lasted (to_draw_again_never_helps()) that at most, of hyperexponential ones
  /// the mean of the longest branch; of one class E[S^2] / E[S] at most (Lorden, On excess over the boundary, Annals of
  /// Mathematical Statistics 41(2), 1970) where a server goes on from service to service, four times the greatest of
  /// that of several servers and classes, and at moments without memory E[S] / (1 - E e^(-r S)) - 1 / r, by Wald's
  /// equation.
  /// @param renews  each server does, from when it is there until it is taken away
  /// @param rate_s  of the moments, where they come without memory; 0: they do not
  LeftOver left_over(const Node& node, bool renews, double rate_s) const;
  double finishing(const Node& node, const LongRunValue& servers, bool& at_most) const;
  /// Who loses his server stops at once, so that as many work as there are.
  static bool at_once(const Node& node);
  LeftOver left_at_failure(const Node& node) const;
  const NetworkModel& model_;
  const KnownSlots& known_;
  mutable std::map<const Node*, Capacity> able_;
};

}  // namespace ergode
