#pragma once
#include "solvers/queueing/exact/queueing_network.h"

namespace ergode {

/// Steady-state means of a single station. What a formula does not say stays 0.
struct StationMeans {
  double utilisation = 0;       ///< Share of the servers' time; with infinitely many servers their mean number busy.
  double response_s = 0;        ///< Waiting and service, of those who are let in [s].
  double waiting_s = 0;         ///< Before service [s].
  double number = 0;            ///< Present, waiting and in service.
  double waiting_number = 0;    ///< Of these, waiting.
  double throughput = 0;        ///< Served [1/s].
  double empty = 0;             ///< Probability that nobody is there.
  double wait_probability = 0;  ///< That one who arrives and is let in has to wait.
  double loss_probability = 0;  ///< That one who arrives is turned away, or gives up.
};

}  // namespace ergode
