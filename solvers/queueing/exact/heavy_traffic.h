#pragma once
#include <vector>

#include "solvers/queueing/exact/decomposition.h"

namespace ergode {

/// Waiting in open networks near saturation, by reflected Brownian motion.
///
/// What comes to a station and what its servers do is a diffusion with the covariance of the network's flows (Reiman,
/// "Open queueing networks in heavy traffic", Math. Oper. Res. 9, 1984; Harrison and Nguyen, "The QNET method for
/// two-moment analysis of open queueing networks", Queueing Systems 6, 1990). Its margins are taken as exponential,
/// which they are where the product-form condition holds (Harrison and Williams, "Multidimensional reflected Brownian
/// motions having exponential stationary distributions", Ann. Prob. 15, 1987). Stations with less load than the one
/// looked at hold nothing back: flows pass them unchanged (Dai, Nguyen and Reiman, "Sequential bottleneck
/// decomposition", Oper. Res. 42, 1994); so do delays.
///
/// At a single station this is Kingman's limit, exact for M/G/1 ("The single server queue in heavy traffic", Proc.
/// Cambridge Phil. Soc. 57, 1961); with several servers the probability of waiting is that of Halfin and Whitt
/// ("Heavy-traffic limits for queues with many exponential servers", Oper. Res. 29, 1981), with the peakedness of what
/// arrives (Whitt, "A diffusion approximation for the G/GI/n/m queue", Oper. Res. 52, 2004, for exponential services).
/// Exact for Jackson's networks of single servers.
struct HeavyTraffic {
  std::vector<double> waiting_s;  ///< by station [s]; 0 at delays
  /// Of arrivals and services together, by station: 2 where both are Poisson.
  std::vector<double> variability;
  /// How far the covariance is from that of a product form: greatest difference, relative to the variances; 0:
  /// exponential margins are the diffusion's own.
  double product_form_gap = 0.0;
};

/// QUE102 for values out of range, QUE103 where a station cannot carry its load, QUE104 for more than 100 stations.
/// O(stations^4).
Solved<HeavyTraffic> heavy_traffic(const std::vector<OpenStation>& stations,
                                   const std::vector<OutsideArrivals>& outside, const std::vector<InsideFlow>& inside);

/// Probability of waiting with many servers whose spare capacity is `beta` times the root of their number.
double halfin_whitt(double beta);

}  // namespace ergode
