#pragma once
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "core/base/diagnostic.h"

namespace ergode {

/// How a station serves those present.
enum class StationKind {
  queue,           ///< `servers` equal servers, one queue.
  delay,           ///< Infinitely many servers: nobody waits.
  load_dependent,  ///< One server whose speed depends on how many are present: `rate_multipliers`.
};

/// A station of a queueing network.
struct NetworkStation {
  std::string name;  ///< For messages; may be empty, then its number stands there.
  StationKind kind = StationKind::queue;
  int servers = 1;  ///< At least 1; read for queues only.
  /// Speed with 1, 2, ... customers present, relative to the service time; the last one holds for all more. Each is
  /// finite and above 0, not empty; read for load-dependent stations only. {1, 2, .., c} is a queue with c servers.
  std::vector<double> rate_multipliers{};
};

/// A class of customers, open or closed.
struct NetworkClass {
  std::string name;           ///< For messages; may be empty.
  bool open = false;          ///< Come from outside and leave, or always the same customers.
  double arrival_rate = 0.0;  ///< Of open classes [1/s]; finite, >= 0.
  int population = 0;         ///< Of closed classes; >= 0.
  double think_s = 0.0;  ///< Mean delay outside the stations, once per visit of the system [s]; closed; finite, >= 0.
};

/// A queueing network with a product form (Baskett, Chandy, Muntz and Palacios, "Open, closed, and mixed networks of
/// queues with different classes of customers", J. ACM 22, 1975).
///
/// Exact where each station is one of: first come first served with exponential service of one mean for all classes;
/// processor sharing or preemptive last come first served, any service times; a delay. Whether that holds is the
/// caller's to decide: the algorithms see means only.
///
///     QueueingNetwork{.stations = {{.name = "cpu"}, {.name = "disk"}},
///                     .classes = {{.population = 20, .think_s = 5}},
///                     .service_s = {0.02, 0.03}, .visits = {5, 4}}
struct QueueingNetwork {
  std::vector<NetworkStation> stations;
  std::vector<NetworkClass> classes;
  std::vector<double> service_s;  ///< Mean service time of a visit [s]; [station * classes + class]; finite, >= 0.
  std::vector<double> visits;     ///< Mean visits per passage through the system; the same shape; finite, >= 0.

  std::size_t at(std::size_t station, std::size_t job_class) const { return station * classes.size() + job_class; }
  /// Service time that one passage asks of a station [s].
  double demand_s(std::size_t station, std::size_t job_class) const {
    return service_s[at(station, job_class)] * visits[at(station, job_class)];
  }
  /// Open load of a station: its arrival rates times its service times. In units of servers.
  double open_load(std::size_t station) const;
};

/// Steady-state means. Per station and class: [station * classes + class].
struct NetworkResult {
  /// Queues: share of the servers' time; delays: mean number in service; load-dependent stations: probability of being
  /// busy, shared among classes in proportion to the work that they bring.
  std::vector<double> utilisation;
  std::vector<double> response_s;  ///< Of one visit, waiting and service [s]; 0 where a class never comes.
  std::vector<double> number;      ///< In the station, waiting and in service.
  /// Of these, waiting: sums of positive terms, never a difference. NaN where only a difference would give it; empty
  /// from algorithms that do not look for it.
  std::vector<double> waiting = {};
  std::vector<double> throughput;  ///< Visits completed [1/s].

  std::vector<double> class_response_s;  ///< Of one passage through all stations, without thinking [s].
  std::vector<double> class_throughput;  ///< Passages completed [1/s].
};

/// An answer, or why there is none. Codes, all errors:
///   QUE101  shape: a table that does not fit the numbers of stations and classes, or no station
///   QUE102  a value out of its range or not finite
///   QUE103  an open load that its station cannot carry; the message names station and load
///   QUE104  too many states; the message has their number
///   QUE105  something that this algorithm does not cover
///   QUE106  an iteration that does not settle
template <class Result>
using Solved = std::variant<Result, Diagnostic>;

/// The error `code` with a message.
Diagnostic queueing_error(std::string code, std::string message, std::string hint = {});

/// "cpu", or "station 2" (counted from 1) where it has no name.
std::string station_label(const QueueingNetwork& network, std::size_t station);

/// Speed with `present` >= 1 customers relative to one server; delays: `present`.
double rate_multiplier(const NetworkStation& station, int present);

/// Whether nobody ever waits at a station: a delay, or as many servers as there are customers who may come. The
/// station then is a delay.
bool nobody_waits(const QueueingNetwork& network, std::size_t station);

/// Checks shapes, ranges and the stability of all stations under the open classes. Empty when all is well, else the
/// first complaint. O(stations * classes).
Diagnostics check_network(const QueueingNetwork& network);

/// Fills throughputs, utilisations and class sums of a result whose `class_throughput`, `number` are known, by Little's
/// law; a closed class without customers and an open one that never comes have zeros. O(stations * classes).
/// `busy` gives for load-dependent stations the probability of being busy; may be empty where there are none.
NetworkResult complete_result(const QueueingNetwork& network, std::vector<double> class_throughput,
                              std::vector<double> number, const std::vector<double>& busy = {});

}  // namespace ergode
