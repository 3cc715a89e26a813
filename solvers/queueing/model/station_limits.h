#pragma once
#include <cstdint>
#include <span>

#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// What stations can do at most, what customers ask of them at least, and which let all go on who come. All O(what the
/// station has).
class StationLimits {
 public:
  using Node = NetworkModel::Node;
  /// @param model   must outlive this
  /// @param ranges  by slot: what it can hold; none: only what does not change is known. Must outlive this.
  StationLimits(const NetworkModel& model, std::span<const Range> ranges) : model_(model), ranges_(ranges) {}

  /// Of a value >= 0; infinity and 0 where nothing is known.
  double upper(const Program& program) const;
  double lower(const Program& program) const;
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
  /// Seconds of service per second, at most: the greatest number of servers times their greatest speed, or the sum of
  /// their own speeds, for the share up() of the time, by as many customers at once as a batch has.
  double capacity(const Node& node) const;
  /// For so much of the time servers that fail are there. Of those who finish what they began it is a bound: what is
  /// left of a service at a moment that does not depend on it is E[S^2] / E[S] at most in the mean, whenever that is
  /// (Lorden, On excess over the boundary, Annals of Mathematical Statistics 41(2), 1970). Where that is not known of
  /// their services it is 1.
  double up(const Node& node) const;
  /// Whether up() is such a bound, and less than 1.
  bool up_at_most(const Node& node) const;
  /// Servers or their speed change: capacity() is their greatest.
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
  /// E[S^2] / E[S] of one class, served one after the other, whose times are alike and independent; infinity: it is
  /// not so.
  double left_over_s(const Node& node) const;
  const NetworkModel& model_;
  std::span<const Range> ranges_;
};

}  // namespace ergode
