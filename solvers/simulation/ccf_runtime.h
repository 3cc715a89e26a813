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

/// The groups of one replication: shock clocks beside the charts' event list, and joint demands. Streams are named by
/// the group's element and by what they drive, so that a changed delay law leaves the shock epochs as they were.
class CcfRuntime : public DemandSource {
 public:
  CcfRuntime(const AnalysisModel& model, const CcfProgram& program, std::uint64_t seed);
  void start(std::uint64_t replication);
  /// Next shock [s]; infinity when there is none.
  double next_time() const { return next_; }
  /// The shock at next_time(): sets the clocks of the members it reaches.
  void strike(ChartReplication& charts);
  /// Null: by the groups' own law.
  void set_mark_source(MarkSource* source) { marks_ = source; }
  Cause demand(std::uint32_t instance, std::uint32_t cause, double now_s) override;
  std::uint64_t shocks() const { return shocks_; }

  /// Kinds of shocks that strike, each with an exponential clock: rate [1/s] and next time [s].
  std::size_t shock_clocks() const { return shocks_of_.size(); }
  double shock_rate(std::size_t clock) const {
    return program_.groups[shocks_of_[clock].group].process.front().rate(shocks_of_[clock].source);
  }
  double shock_time(std::size_t clock) const { return shocks_of_[clock].time; }
  void redraw_shock(std::size_t clock, double time_s) {
    shocks_of_[clock].time = time_s;
    find_next();
  }
  /// The clock of the shock at next_time().
  std::size_t next_shock() const { return next_index_; }

  /// Whether a shock of this clock would find somebody now: a member that is exposed and waits for the cause.
  bool finds_anybody(std::size_t clock, const ChartReplication& charts) const;
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

  /// The complete moving state, for methods that go on from it several times.
  struct Saved;
  void save(Saved& into) const;
  /// @param path  further draws are those of this number, as start() would make them.
  void restore(const Saved& from, std::uint64_t path);

 private:
  enum Stream { struck = CcfProcess::source_count, delays, demands, stream_count };
  struct Shock {
    double time;
    std::uint32_t group;
    CcfProcess::Source source;
  };
  struct JointDemand {
    double time = -1.0;
    std::vector<Cause> outcome;
  };
  RandomStream& stream(std::size_t group, std::size_t which) { return streams_[group * stream_count + which]; }
  void find_next();

  const AnalysisModel& model_;
  const CcfProgram& program_;
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
  std::size_t next_index_ = 0;
  double next_ = 0.0;
  std::uint64_t shocks_ = 0;
  MarkSource* marks_ = nullptr;
};

struct CcfRuntime::Saved {
  std::vector<Shock> shocks_of;
  std::vector<JointDemand> joint;
  std::size_t next_index = 0;
  double next = 0.0;
  std::uint64_t shocks = 0;
};

}  // namespace ergode
