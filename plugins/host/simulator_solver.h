#pragma once
#include "core/study/solver.h"
#include "plugins/host/discovery.h"

namespace ergode {

/// The options of every simulator of a plugin: `time-limit` [s] of one replication.
std::vector<RunOption> simulator_run_options();

/// A plugin's simulator as a solver: replications with their seeds, stopping rules, intervals and provenance are those
/// of every run (core/study/runner.h); what a replication is, the plugin knows. The question's model is
/// parameters_document().
///
/// One process of the plugin per thread. The same bits at any number of threads, as far as the plugin keeps its promise
/// that a run depends on input and seed alone; `ergode plugins check` tries that. A run whose plugin fails
/// (PluginFailure) ends as failed, with the replications before it, and names the first of them.
class SimulatorSolver : public Solver {
 public:
  /// @param plugin  ready, with a simulator; outlives the solver
  explicit SimulatorSolver(const FoundPlugin& plugin);
  const SolverSpec& spec() const override { return spec_; }
  /// simulator_run_options()
  std::vector<RunOption> options() const override;
  /// PLG011 where the model is not the plugin's: it has one of its own. Errors of parameters.
  Diagnostics fits(const Question& question) const override;
  ResultSet solve(const Question& question, RunControl& control) const override;
  using Solver::fits;
  using Solver::solve;

 private:
  const FoundPlugin& plugin_;
  SolverSpec spec_;
};

/// The seed of a replication: below 2^53, so that every language reads it from JSON.
std::uint64_t plugin_seed(std::uint64_t seed, std::string_view what, std::uint64_t replication);

/// How many replications are made when nobody says, unless the plugin draws nothing: one then.
inline constexpr std::uint64_t plugin_replications = 100;

}  // namespace ergode
