#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/des/known_slots.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// How often closed customers come where, or only whether they do, which costs much less in large networks.
enum class ClosedVisits { counted, found };

/// How often customers come where. Classes that become others on their ways form chains.
struct Traffic {
  /// By class, then node: of open classes customers per second, of closed ones visits per passage of their chain, which
  /// ends at the reference of any of its classes (of those that are found only, 1); 0 where there is no answer.
  std::vector<std::vector<double>> arrivals;
  std::vector<std::string> why_not;  ///< by class; half a sentence, of all classes of a chain the same; empty: answered
  std::vector<std::size_t> chain;    ///< by class, numbered in the order of their first classes
  std::size_t chains = 0;
  std::vector<std::uint8_t> closed;  ///< by class: of its chain
};

/// The traffic equations a = e + a P of all classes, solved as they stand (Jackson, Networks of waiting lines,
/// Operations Research 5, 1957), by open_visits() and closed_visits(). No answer where ways or rates change while the
/// model runs, customers never leave or never come back, or nodes are more than stations, delays, routers and loggers.
/// A closed chain may lose customers for good to some of its places: what counts is where they are in the end.
Traffic traffic(const NetworkModel& model, ClosedVisits closed = ClosedVisits::counted);

/// Customers per second that a source sends in the long run, 0 where gaps have no finite mean; nothing where that
/// changes while the model runs, or is not known (bursts, lists of times that end).
std::optional<double> rate_of(const NetworkModel::Node& source);

struct OfferedLoads {
  /// By node: the share of its servers' time that open classes ask of a station, above 1 where it cannot keep up. 0 of
  /// all other nodes, and where anything that decides changes while the model runs or customers turn round or give up;
  /// servers whose number changes count with StationLimits::able().
  std::vector<double> share;
  /// By node: 1 of a station to which open customers alone come, where `share` is what they ask of it, 0 included. 0
  /// where they ask for more: also those come who gave up or were turned away elsewhere, or services begin again.
  std::vector<std::uint8_t> known;
  /// By node: 1 where the share may be less, because customers who would come here may be lost, give up or be held up
  /// before.
  std::vector<std::uint8_t> at_most;
  /// By node: 1 of a station that is known, loses nobody, can keep up and whose servers are busy for as long as the
  /// services of those who come take, so that `share` is their utilisation; nobody comes or is served by a law without
  /// a finite variance.
  std::vector<std::uint8_t> utilised;
  /// By region: customers who would be in it if each stayed for his services only, over what it has room for.
  std::vector<double> region;
  bool region_at_most = false;  ///< likewise
  /// By node, where customers of one closed chain are all that there are: what a passage asks of each server of a
  /// station, over the most that it asks of any. In this proportion stations are busy, and the greatest, 1, is the
  /// bottleneck. Empty where anything but the services themselves decides how long servers are busy.
  std::vector<double> asked;
};
/// Behind a station that cannot keep up no more come than it can serve.
/// @param known   of slots; by default only stations whose number of servers is fixed are answered
/// @param closed  where they are found only, `asked` is empty
OfferedLoads offered_loads(const NetworkModel& model, const KnownSlots& known = {},
                           ClosedVisits closed = ClosedVisits::counted);
struct ToldOverloads {
  Diagnostics sure, unsure;  ///< what is too much, and what may be
};
/// QN010 (warning): stations to which more work comes than they can do, or may come, and regions before which customers
/// wait who have no room for all who come.
/// @param loads  by offered_loads() of this model and what is known
ToldOverloads overloads(const NetworkModel& model, const KnownSlots& known, const OfferedLoads& loads);

}  // namespace ergode
