#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/special_values.h"
#include "core/des/known_slots.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// A share that is a hair below one is one: queues would grow for longer than anybody simulates.
inline constexpr double rounding_of_loads = 1e-9;
inline bool too_much(double share) { return share >= 1.0 - rounding_of_loads; }

/// Stations to which surely more work comes than they can do, whatever else happens in the network: also where
/// customers are split and joined, choose their ways, or where rates, ways and numbers of servers change.
struct SureOverload {
  /// Nodes: one station, or all among which customers choose, who together get too much.
  std::vector<std::uint32_t> stations;
  std::uint32_t chosen_at = NetworkModel::none;  ///< where they choose; none: one station
  double share = 0.0;                            ///< of what the servers can do at most, >= 1 (but for rounding)
  bool exactly = false;                          ///< else others may come besides
  bool most = false;                             ///< servers or their speeds change: their greatest counts
  double servers = nan;                          ///< their number changes: so many in the mean count
  double speed = nan;                            ///< likewise
  double together = nan;                         ///< likewise, their number times their speed
  double up = 1.0;                               ///< share of the time for which servers that fail are there
  bool up_at_most = false;                       ///< `up` is a bound
  bool moves_on = false;                         ///< a server that polls: with the time that it moves on
  /// Not it alone: it is the most of what would come if all kept up, so that customers become ever more before it or on
  /// the way to it.
  bool on_the_way = false;
  bool over_mission = false;                ///< by rates that hang on the time, which count with their means over it
  bool begins_anew = false;                 ///< interrupted services begin anew, and take longer for it
  std::uint32_t last = NetworkModel::none;  ///< the end of a line of stations that holds it up
  std::uint32_t pool = NetworkModel::none;  ///< number among the pools, whose units are too few; no station then
  bool tries_again = false;  ///< those who find no room come again: they become ever more, not those inside
};

/// From below: how often customers come where at least, and what servers can do at most.
///
/// At least so many come per second: what sources send at least, of ways that choose or change nothing, of parts as
/// many as the fork sends, of a joined customer as many as were split, where nothing on the way of the parts holds,
/// loses or overloads; behind those who choose among stations what goes on from each of them, as far as it is known how
/// much each gets: where the stations are alike, or customers of one class go to the shortest queue or least work. What
/// passes a station is what comes, up to what it can serve; nothing where several classes overload it, or where
/// anything but its servers decides who goes on. The least solution of these inequalities from below (repeated from
/// nobody on), so that it is a bound whenever it is stopped. What servers can do is StationLimits::able(): what drawn
/// charts change counts with its mean in the long run, and so do rates of sources.
///
/// Services that begin anew when they are interrupted take as long as time_begun_again() says. Of lines of stations
/// that hold each other up no more go on than blocking_lines() let through.
///
/// Where that leaves a part of the network without a word, because units of pools, stations without room behind them,
/// or those who come again through what they overload decide how many go on: if all queues had a long run as many would
/// leave everywhere as come. Where these would be more than can be served, or need more units of a pool than there are,
/// some queue has none. Only the station or pool of which most is asked is told, as one before which or on the way to
/// which customers become ever more.
///
/// Not judged: stations that balk, whose customers give up, or that lose who finds no room (those settle); plugin
/// stations; what comes from transitions.
/// Cost: O(places x ways x rounds); rounds are some ten where flows do not turn back, at most 2,000, after which
/// nothing is judged (where customers never leave, or come back a hundred times).
std::vector<SureOverload> sure_overloads(const NetworkModel& model, const KnownSlots& known);

}  // namespace ergode
