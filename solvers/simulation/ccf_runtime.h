#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "core/random/random_stream.h"
#include "solvers/model/analysis_model.h"
#include "solvers/reliability/ccf_demand.h"
#include "solvers/reliability/ccf_process.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// What the common-cause groups of a model need while running; const, shared by all threads.
struct CcfProgram {
  struct Group {
    const CcfGroup* group = nullptr;
    std::vector<CcfProcess> process;  ///< one for rates, none for demands
    std::vector<CcfDemand> demand;    ///< one for demands, none for rates
  };
  explicit CcfProgram(const AnalysisModel& model);
  std::vector<Group> groups;
};

/// Draws whom a shock strikes by another law; implemented by methods for rare events.
class MarkSource {
 public:
  virtual ~MarkSource() = default;
  /// A shock that may strike few or many, some of them rarely. @returns whether every number is to be equally likely.
  virtual bool spread() = 0;
  /// @param ratio  probability of what was drawn under that law over the one under its own.
  virtual void drawn(double ratio) = 0;
};

/// The groups of one history, a part of Advance: a timer for each kind of shock that strikes, and joint demands.
/// Streams are named by the group's element and by what they drive, so that a changed delay law leaves the shock epochs
/// as they were.
class CcfRuntime : public DemandSource {
 public:
  /// @param charts  whose clocks the shocks set; of the same world.
  CcfRuntime(const AnalysisModel& model, const CcfProgram& program, ChartReplication& charts, std::uint64_t seed);
  std::uint32_t first_timer() const { return first_timer_; }
  void start(std::uint64_t replication);
  /// A shock comes now: sets the clocks of the members it reaches.
  void fire(std::uint32_t clock);
  /// Null: by the groups' own law.
  void set_mark_source(MarkSource* source) { marks_ = source; }
  SplitPart demand(std::uint32_t instance, std::uint32_t cause, double now_s) override;

  /// Kinds of shocks that strike, each with an exponential clock of this rate [1/s]; its timer in the world is
  /// first_timer() + clock.
  std::size_t shock_clocks() const { return shocks_of_.size(); }
  double shock_rate(std::size_t clock) const {
    return program_.groups[shocks_of_[clock].group].process.front().rate(shocks_of_[clock].source);
  }
  /// Whether a shock of this clock would find somebody now: a member that is exposed and waits for the cause.
  bool finds_anybody(std::size_t clock) const;
  /// The group of a demand of this cause on an instance, and its place among the members; null: none.
  struct Asked {
    std::size_t group = 0, member = 0;
    const CcfGroup* of = nullptr;
  };
  Asked asked(std::uint32_t instance, std::uint32_t cause) const {
    const std::size_t place = instance * model_.charts.cause_names.size() + cause;
    if (group_of_[place] < 0) return {};
    const auto group = static_cast<std::size_t>(group_of_[place]);
    return {group, member_of_[place], program_.groups[group].group};
  }
  std::size_t group_count() const { return program_.groups.size(); }

  /// The next shock of each group, for people.
  void waiting(std::vector<Waiting>& out) const;
  /// What moves besides the world.
  struct Saved;
  void save(Saved& into) const;
  /// @param path  further draws are those of this number, as start() would make them.
  void restore(const Saved& from, std::uint64_t path);

 private:
  enum Stream { struck = CcfProcess::source_count, delays, demands, stream_count };
  struct Shock {
    std::uint32_t group;
    CcfProcess::Source source;
  };
  struct JointDemand {
    double time = -1.0;
    std::vector<SplitPart> outcome;
  };
  RandomStream& stream(std::size_t group, std::size_t which) { return streams_[group * stream_count + which]; }
  void await_next(std::size_t clock, double now_s);

  const AnalysisModel& model_;
  const CcfProgram& program_;
  ChartReplication& charts_;
  EventQueue& timers_;  ///< of the world
  std::uint32_t first_timer_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<RandomStream> streams_;
  std::vector<Shock> shocks_of_;          ///< sources that strike
  std::vector<JointDemand> joint_;        ///< by group
  std::vector<std::int32_t> group_of_;    ///< instance * causes + cause -> demand group, or -1
  std::vector<std::uint32_t> member_of_;  ///< the same -> place in the group
  /// Who can hear a group's shocks: states that wait for its cause, with the member they belong to.
  struct Listener {
    std::uint32_t group, member, instance;
    int state;
  };
  std::vector<Listener> listeners_;
  std::vector<ShockEffect> effects_;
  MarkSource* marks_ = nullptr;
};

struct CcfRuntime::Saved {
  std::vector<JointDemand> joint;
};

}  // namespace ergode
