#pragma once
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/queueing/exact/queueing_network.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// A drawn network as the algorithms for product forms take it.
struct ProductForm {
  QueueingNetwork network;             ///< classes as drawn; stations are those that anybody comes to
  std::vector<std::uint32_t> station;  ///< by node: number among the network's stations, or NetworkModel::none
  std::vector<std::uint32_t> node;     ///< by station
  /// By class, then node of the drawing: customers per second of open classes, visits per passage of closed ones.
  std::vector<std::vector<double>> arrivals;
};

/// Whether a drawn network has a product form (Baskett, Chandy, Muntz and Palacios, J. ACM 22, 1975), and which.
///
/// It has where all of this holds: sources are Poisson; ways, rates and servers do not change while the model runs; no
/// station turns anybody away; each station either shares its servers, or takes exponential times with one mean for all
/// classes that come to it, in an order that does not look at them.
/// @param reasons  gets a SOL001 for each thing that prevents it, at its element; the result then means nothing.
ProductForm product_form_of(const NetworkModel& model, Diagnostics& reasons);

}  // namespace ergode
