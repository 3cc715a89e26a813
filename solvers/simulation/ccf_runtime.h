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

/// What the common-cause groups of a model need while running; const, shared by all threads. Refers to
/// AnalysisModel::groups, which must outlive it and stay where they are.
struct CcfProgram {
  struct Group {
    const CcfGroup* group = nullptr;
    std::vector<CcfProcess> process;  ///< one for rates, none for demands
    std::vector<CcfDemand> demand;    ///< one for demands, none for rates
  };
  explicit CcfProgram(const AnalysisModel& model);
  /// In the order of AnalysisModel::groups: the number of a group is its place in both.
  std::vector<Group> groups;
};

/// Draws whom a shock strikes by another law; implemented by methods for rare events. For each shock whose numbers of
/// struck members are rare in part (CcfProcess::mixed()) first spread() is called, then drawn(), each once; of other
/// shocks nothing is told.
class MarkSource {
 public:
  virtual ~MarkSource() = default;
  /// A shock that may strike few or many, some of them rarely. @returns whether every number is to be equally likely.
  virtual bool spread() = 0;
  /// @param ratio  probability of what was drawn under the law with equal numbers over the one under its own, whichever
  ///               of the two it came from; 0 where equal numbers could not have made it (nobody was struck).
  virtual void drawn(double ratio) = 0;
};

/// The groups of one history, a part of Advance: a timer for each kind of shock that strikes, and joint demands.
/// Streams are named by the group's element and by what they drive, so that a changed delay law leaves the shock epochs
/// as they were. One per history and thread; nothing is allocated between start() and the end of a replication.
class CcfRuntime : public DemandSource {
 public:
  /// Asks the world of `charts` for its timers, one per shock clock: after the charts did, and before the first
  /// history. Everything passed is referred to and must outlive it.
  /// @param program  made of this model
  /// @param charts   whose clocks the shocks set; of the same world.
  /// @param seed     with the name of a stream its key; start() says the replication.
  CcfRuntime(const AnalysisModel& model, const CcfProgram& program, ChartReplication& charts, std::uint64_t seed);
  /// Id in the world of its first timer. Timers of equal time go off in the order of ids, so shocks come after all
  /// clocks of the charts that go off at the same moment.
  std::uint32_t first_timer() const { return first_timer_; }
  /// Time zero of a replication, after World::start(): draws when the first shock of each clock comes.
  void start(std::uint64_t replication);
  /// A shock comes now: sets the clocks of the members it reaches, each to now plus its delay, and draws when the next
  /// shock of this kind comes. A member that is not exposed at this moment is passed over, though its delay was drawn.
  /// Counts as an event and goes into the fingerprint, whomever it strikes. O(members of the group).
  /// @param clock  below shock_clocks(); the charts must come to rest afterwards (Advance does it).
  void fire(std::uint32_t clock);
  /// From the next shock on; null: by the groups' own law. The source must outlive its use.
  void set_mark_source(MarkSource* source) { marks_ = source; }
  /// The outcome of the joint demand of the group at this moment; it is drawn for all members when the first of them
  /// asks and kept for questions with the same `now_s` [s]. Cause::none where no demand group has this instance and
  /// cause.
  SplitPart demand(std::uint32_t instance, std::uint32_t cause, double now_s) override;

  /// Kinds of shocks that strike (of each group those of independent, non-lethal, lethal with a rate above zero), each
  /// with an exponential clock of this rate [1/s]; its timer in the world is first_timer() + clock. Ordered by group,
  /// then in the order of CcfProcess::Source.
  std::size_t shock_clocks() const { return shocks_of_.size(); }
  double shock_rate(std::size_t clock) const {
    return program_.groups[shocks_of_[clock].group].process.front().rate(shocks_of_[clock].source);
  }
  /// Whether a shock of this clock would find somebody now: a member that is exposed and waits for the cause. Whether
  /// the shock would strike just that member is left open. O(states of all members that wait for some group).
  bool finds_anybody(std::size_t clock) const;
  /// The group of a demand of this cause on an instance, and its place among the members; null: none. O(1).
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
  /// Of the program, on demand and in operation: numbers that asked() gives are below this.
  std::size_t group_count() const { return program_.groups.size(); }

  /// Appends the next shock of each group, of whatever kind, for people; nothing for groups on demand.
  void waiting(std::vector<Waiting>& out) const;
  /// What moves besides the world: joint demands of the present moment. Shock times are timers and saved with the
  /// world; streams are not saved.
  struct Saved;
  void save(Saved& into) const;
  /// After World::restore(). @param from  of the same model. @param path  further draws are those of this number, as
  /// start() would make them.
  void restore(const Saved& from, std::uint64_t path);

 private:
  enum Stream { struck = CcfProcess::source_count, delays, demands, stream_count };
  struct Shock {
    std::uint32_t group;
    CcfProcess::Source source;
  };
  struct JointDemand {
    double time = -1.0;              ///< of the moment that `outcome` belongs to [s]; -1: none yet
    std::vector<SplitPart> outcome;  ///< by member
  };
  RandomStream& stream(std::size_t group, std::size_t which) { return streams_[group * stream_count + which]; }
  void await_next(std::size_t clock, double now_s);

  const AnalysisModel& model_;
  const CcfProgram& program_;
  ChartReplication& charts_;
  EventQueue& timers_;  ///< of the world
  std::uint32_t first_timer_ = 0;
  std::vector<std::uint64_t> keys_;       ///< by group and Stream
  std::vector<RandomStream> streams_;     ///< likewise
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
  std::vector<ShockEffect> effects_;  ///< scratch: room for the largest group
  MarkSource* marks_ = nullptr;
};

struct CcfRuntime::Saved {
  std::vector<JointDemand> joint;
};

}  // namespace ergode
