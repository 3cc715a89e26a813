#pragma once
#include <functional>
#include <limits>
#include <vector>

#include "solvers/queueing/exact/station_means.h"

namespace ergode {

/// Poisson arrivals with a service time of any distribution.
struct GeneralService {
  double arrival_rate = 0;      ///< [1/s]; finite, >= 0
  double mean_s = 0;            ///< [s]; finite, > 0
  double second_moment_s2 = 0;  ///< [s^2]; finite, >= mean^2
};

/// One server, first come first served, by the formula of Pollaczek and Khinchine. QUE102, QUE103.
/// Kleinrock, "Queueing systems", volume 1, 1975.
Solved<StationMeans> mg1(const GeneralService& service);

/// One server, processor sharing: means depend on the mean service time alone. The response time of a job that needs x
/// is x / (1 - utilisation). Kleinrock, "Queueing systems", volume 2, 1976.
Solved<StationMeans> mg1_processor_sharing(const GeneralService& service);

/// One server, classes in order of priority, the most urgent first; first come first served within a class. Per class;
/// utilisation is the class's own share. A service is never broken off, or goes on later where it was left.
/// Cobham, "Priority assignment in waiting line problems", 1954; White and Christie, "Queuing with preemptive
/// priorities or with breakdown", 1958; Takagi, "Queueing analysis", volume 1, 1991.
Solved<std::vector<StationMeans>> mg1_priorities(const std::vector<GeneralService>& classes);
Solved<std::vector<StationMeans>> mg1_preemptive_resume(const std::vector<GeneralService>& classes);

/// Density of a service time: smooth inside its support, which may begin and end with a jump or a pole.
struct ServiceDensity {
  std::function<double(double)> density;  ///< [1/s] at a time [s]
  double mean_s = 0;                      ///< [s]; finite, > 0; sets the scale and is checked.
  double lower_s = 0;
  double upper_s = std::numeric_limits<double>::infinity();
};

/// One server that always works on the job that has least left. The second moment must be finite. QUE102 also where the
/// density does not integrate to 1 and the mean, each within 1e-6. Digits: nine or more for the usual families.
/// Schrage and Miller, "The queue M/G/1 with the shortest remaining processing time discipline", Oper. Res. 14, 1966.
/// Time: 4e4 values of the density.
Solved<StationMeans> mg1_srpt(double arrival_rate, const ServiceDensity& service);

/// Any arrivals and services, by means and squared coefficients of variation; `servers` equal servers.
struct GeneralArrivals {
  double arrival_rate = 0;         ///< [1/s]; finite, >= 0
  double arrival_variability = 1;  ///< Variance over squared mean of times between arrivals; finite, >= 0
  double service_rate = 0;         ///< Of one server [1/s]; finite, > 0
  double service_variability = 1;  ///< Of service times; finite, >= 0
  int servers = 1;                 ///< >= 1
};

/// Waiting as in M/M/c, times the mean of the two variabilities. Exact for M/G/1 and M/M/c.
/// Allen, "Probability, statistics and queueing theory with computer science applications", 1978 (Allen and Cunneen).
Solved<StationMeans> allen_cunneen(const GeneralArrivals& station);

/// The same with a correction for arrivals that are more or less regular than Poisson's.
/// Kraemer and Langenbach-Belz, "Approximate formulae for the delay in the queueing system GI/G/1", 1976.
Solved<StationMeans> kraemer_langenbach_belz(const GeneralArrivals& station);

}  // namespace ergode
