#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "solvers/cluster/budget/speedup.h"

namespace ergode {

/// A job that needs all its GPUs at once (a gang). Times in s on one clock.
struct GangJob {
  double arrival_s = 0.0;           ///< finite
  double work_s = 0.0;              ///< how long it takes on its GPUs when nobody interrupts it, >= 0
  std::uint32_t gpus = 1;           ///< >= 1
  double cpus = 0.0, memory = 0.0;  ///< of the whole job, >= 0; in the units of the cluster's
  std::uint32_t user = 0;           ///< of drf
  std::uint32_t speedup = 0;        ///< of equi: place in GangOptions::speedups
  template <typename Archive>
  void archive(Archive& a) {
    a(arrival_s, work_s, gpus, cpus, memory, user, speedup);
  }
};

/// Who gets GPUs when some are free.
///
///     fifo      in the order of arrival; nobody passes one who does not fit
///     backfill  as fifo, but who does not delay the first in line passes him. Lifka, The ANL/IBM SP scheduling system,
///               1995; work times are known
///     sjf       the shortest first, of equal ones who came first; nobody passes one who does not fit
///     srtf      who is done soonest, with the restart that he needs; who runs gives way to those
///     las       least attained service in queues: the less GPU time a job had, the higher its queue; in a queue who
///               started first, then who came first; who runs gives way to higher queues. Gu et al., Tiresias: A GPU
///               cluster manager for distributed deep learning, NSDI 2019
///     equi      all at once, each with an equal part of the GPUs, at the speed of its speedup; gangs do not matter.
///               Edmonds, Scheduling in the dark, 1999
///     drf       the first job of the user whose dominant share is least for his weight, of equal ones of who was
///               there first; who does not fit is passed over for the moment. Ghodsi et al., Dominant resource
///               fairness, NSDI 2011
enum class GangPolicy : std::uint8_t { fifo, backfill, sjf, srtf, las, equi, drf };

/// As models and tables write it.
constexpr const char* name_of(GangPolicy policy) {
  constexpr const char* names[] = {"fifo", "backfill", "sjf", "srtf", "las", "equi", "drf"};
  return names[static_cast<std::size_t>(policy)];
}

struct GangOptions {
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  GangPolicy policy = GangPolicy::fifo;
  std::uint32_t gpus = 8;           ///< >= 1
  std::uint32_t gpus_per_host = 8;  ///< >= 1; the last host has what is left
  /// A job up to the GPUs of a host is on one host; a wider one has whole hosts and one for what is left over.
  bool consolidated = false;
  double cpus = unlimited, memory = unlimited;  ///< of the cluster
  /// For which a job that was stopped, or has lost a host, holds its GPUs before it goes on working, >= 0.
  double restart_s = 0.0;
  /// Of work between two checkpoints, > 0, and what one takes, >= 0. Not of equi.
  double checkpoint_period_s = unlimited, checkpoint_cost_s = 0.0;
  bool hosts_fail = false;  ///< host_fails() may be called; not of equi
  /// A job that has lost a host waits before all others, else behind them, where their order decides.
  bool before_all = true;
  /// Of las, ascending, > 0 [GPU s]: a job whose attained service has reached i of them is in queue i, from 0.
  std::vector<double> thresholds = {3250.0};
  /// Of las: who has waited for so many times the time that he has worked begins again in queue 0; > 0.
  double promote_after = unlimited;
  std::vector<double> weights = {};    ///< of drf, by user, > 0; of users beyond it 1
  std::vector<Speedup> speedups = {};  ///< of equi

  bool preempts() const { return policy == GangPolicy::srtf || policy == GangPolicy::las; }
};

}  // namespace ergode
