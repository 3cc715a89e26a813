#pragma once
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "solvers/queueing/exact/routing.h"
#include "solvers/queueing/model/network_model.h"

namespace ergode {

/// A drawn network as the algorithms for product forms take it.
struct ProductForm {
  QueueingNetwork network;             ///< classes as drawn; stations are those that anybody comes to
  ChainVisits chains;                  ///< classes that become others are one, for the algorithms
  std::vector<std::uint32_t> station;  ///< by node: number among the network's stations, or NetworkModel::none
  std::vector<std::uint32_t> node;     ///< by station
  /// By class, then node of the drawing: customers per second of open classes, visits per passage of closed ones.
  std::vector<std::vector<double>> arrivals;

  bool classes_change() const { return chains.chains < network.classes.size(); }
  /// What the algorithms take: one class per chain. As it is where no class changes.
  QueueingNetwork merged() const { return classes_change() ? merge_chains(network, chains) : network; }
  /// Means by class from those by chain.
  NetworkResult split(NetworkResult result) const {
    return classes_change() ? split_chains(network, chains, result) : std::move(result);
  }
};

/// Whether a drawn network has a product form (Baskett, Chandy, Muntz and Palacios, J. ACM 22, 1975), and which.
///
/// It has where all of this holds: sources are Poisson; ways, rates and servers do not change while the model runs; no
/// station turns anybody away; each station either shares its servers, or takes exponential times with one mean for all
/// classes that come to it, in an order that does not look at them. Its speed may depend on the number of customers
/// there. Classes may become others.
/// @param reasons  gets a SOL001 for each thing that prevents it, at its element; the result then means nothing.
ProductForm product_form_of(const NetworkModel& model, Diagnostics& reasons);

}  // namespace ergode
