#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/random/distribution.h"
#include "core/study/budget.h"
#include "core/study/run_request.h"
#include "solvers/hybrid/ode_integrator.h"
#include "solvers/queueing/model/network_model.h"
#include "solvers/queueing/solve/network_means.h"

namespace ergode {

/// The fluid limit of a drawn network: customers are amounts that flow. What it comes to where populations, servers and
/// rates grow alike; its relative error falls like one over their number, away from where a station is just busy like
/// one over the root of it (Kurtz, Solutions of ordinary differential equations as limits of pure jump Markov
/// processes, J. Appl. Prob. 7, 1970; Bobbio, Gribaudo and Telek, Analysis of large scale interacting systems by mean
/// field method, QEST 2008; Ruuskanen, Berner, Arzen and Cervin, Improving the mean-field fluid model of processor
/// sharing queueing networks for dynamic performance models in cloud computing, Perf. Eval. 151, 2021).
///
/// A value of y is the amount of one class at one node in one phase of its service. Where n are at a station of c
/// servers each is served at the rate min(n, c) / n of a server: with shared servers, and in whatever order where all
/// classes ask for the same; weights divide the servers otherwise (dps). Sources send at their mean rate.
class FluidEquations : public OdeSystem {
 public:
  /// @param reasons  gets a SOL001 for what it does not take, at its element; the equations then mean nothing
  FluidEquations(const NetworkModel& model, Diagnostics& reasons);

  std::size_t size() const { return first_.back(); }
  std::vector<double> initial() const;
  /// Another beginning that may come to rest elsewhere than at `rest`: all customers of a closed chain at the station
  /// of those that are busy all along at which fewest rest. Empty where fewer than two are: then there is one rest.
  std::vector<double> other_start(const double* rest) const;
  /// The node at which two states differ most, by more than a hundredth of all there is; empty `other`: the first.
  std::optional<std::uint32_t> differs(const double* rest, const std::vector<double>& other) const;
  /// What is where, and what flows, at one state.
  NetworkMeans means(const double* y) const;
  /// Slots of numbers, waiting and busy, by what is where: for expressions over them.
  void slots(const double* y, std::vector<double>& into) const;
  /// Whether an expression reads such slots only.
  bool knows(const Program& program) const;
  /// 1 over the slowest rate of a phase [s].
  double slowest_s() const { return slowest_s_; }

  bool derivatives(double time_s, const double* y, double* out) override;
  void conditions(double, const double*, double*) override {}
  double condition(std::size_t, double, const double*) override { return 0.0; }

 private:
  struct Flow {
    std::uint32_t place;  ///< number among places
    double share;
  };
  /// One class at one node.
  struct Place {
    std::uint32_t node, of_class;
    Phases phases;
    std::vector<Flow> to;
  };
  void flows_from(std::uint32_t node, std::uint32_t of_class, double rate, std::vector<double>& onto,
                  Diagnostics& reasons);
  double amount(const double* y, std::size_t place) const;
  /// By place: which part of a server somebody there has.
  void shares(const double* y, std::vector<double>& out) const;

  const NetworkModel& model_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> place_of_;              ///< [node * classes + class]
  std::vector<std::size_t> first_;                   ///< by place: where its phases begin in y; then their number
  std::vector<double> outside_;                      ///< by place: from sources [1/s]
  std::vector<std::vector<std::uint32_t>> at_node_;  ///< places
  std::vector<std::vector<double>> sinks_;           ///< by place: share that goes to [node * classes + class] of sinks
  std::vector<double> straight_;                     ///< from sources to sinks [node * classes + class] [1/s]
  std::vector<double> share_;                        ///< scratch
  std::vector<std::uint8_t> known_;
  double slowest_s_ = 0.0;
};

}  // namespace ergode
