#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "solvers/simulation/ccf_runtime.h"
#include "solvers/simulation/rare/path_visits.h"
#include "solvers/simulation/rare/path_weight.h"
#include "statecharts/execute/chart_replication.h"

namespace ergode {

/// Makes rare outcomes of chances likelier, and weighs that: branches of a choice, joint demands on a common-cause
/// group, and how many members a shock strikes.
///
/// A branch is rare when it has the role failure or a probability below one in ten; a chance is biased when its rare
/// outcomes together are less likely than that. A path's law then takes a rare outcome with its probability
/// BiasedLaw::chances: half by equal shares, so that none stays unseen, and half in proportion.
///
/// Joint demands are decided member by member as they are asked for: of the independent events of the group those that
/// concern the member and nobody asked before at this moment. Events that nobody asks about are never drawn and leave
/// no weight.
///
/// All decisions of a path come from one stream, so that the first of a step can be repeated and the others drawn anew
/// (resume()).
class BiasedChances : public ChanceSource, public DemandSource, public MarkSource {
 public:
  /// @param visits  is told of every branch.
  BiasedChances(const AnalysisModel& model, CcfRuntime& groups, PathVisits& visits, std::uint64_t seed,
                const char* purpose);

  /// A path begins: its law is `law` of the weight's, its decisions those of this number.
  /// @param weight  outlives the path.
  void start(std::uint64_t path, PathWeight& weight, std::size_t law);
  /// From now on nothing is biased any more: everything was seen.
  void stop() { biased_ = false; }

  std::size_t choose(std::uint32_t instance, std::span<const std::uint32_t> branches,
                     std::span<const double> probabilities) override;
  SplitPart demand(std::uint32_t instance, std::uint32_t cause, double now_s) override;
  bool spread() override;
  void drawn(double ratio) override;

  /// @name For splitting
  /// @{
  /// Asked before every decision, while the model is in the middle of a step.
  void set_watcher(std::function<void()> watcher) { watcher_ = std::move(watcher); }
  /// So many decisions from one stream.
  struct Decisions {
    RandomStream stream;
    std::uint32_t count = 0;
  };
  /// A step begins.
  void begin_step() { made_.clear(), fresh_ = false; }
  /// Those made since then.
  const std::vector<Decisions>& made() const { return made_; }
  /// What joint demands of the present moment have decided.
  struct Joint {
    double time = -1.0;
    std::vector<std::uint8_t> asked;
    std::vector<SplitPart> outcome;
  };
  const std::vector<Joint>& joint() const { return joint_; }
  /// After start(), to go on from the middle of a moment.
  void set_joint(const std::vector<Joint>& joint) { joint_ = joint; }
  /// After start(): first these decisions are made again, later ones are those of the path.
  void repeat(const std::vector<Decisions>& decisions) { again_ = decisions; }
  /// @}

 private:
  /// The stream of the decision that begins now.
  RandomStream& decide();
  /// Draws whether the path's law takes a rare outcome.
  bool takes_rare(RandomStream& stream) { return law_->chances > 0.0 && stream.uniform() < law_->chances; }
  void demand_of(const CcfGroup& group, std::size_t member, Joint& joint, RandomStream& stream);

  const AnalysisModel& model_;
  const CcfRuntime& groups_;
  PathVisits& visits_;
  std::uint64_t key_;
  RandomStream stream_;
  std::vector<Decisions> again_, made_;
  std::size_t again_at_ = 0;      ///< place in again_, of which
  std::uint32_t again_made_ = 0;  ///< so many are made
  bool fresh_ = false;            ///< made_ ends with decisions of stream_
  PathWeight* weight_ = nullptr;
  const BiasedLaw* law_ = nullptr;
  bool biased_ = true;
  std::vector<Joint> joint_;
  std::function<void()> watcher_;
  // Scratch.
  std::vector<std::uint8_t> rare_;
  std::vector<std::uint32_t> others_;
  std::vector<double> sets_, probability_, expected_, shares_;
  std::vector<std::vector<double>> ranks_;
};

}  // namespace ergode
