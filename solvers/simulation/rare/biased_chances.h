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
/// (repeat()). One per thread; no allocation per decision once its scratch has grown.
class BiasedChances : public ChanceSource, public DemandSource, public MarkSource {
 public:
  /// Everything passed is referred to and must outlive it. start() comes before any decision.
  /// @param groups   of the history whose chances these are: says which group a demand is of
  /// @param visits   is told of every branch: its probability times the weight as expected, the weight as taken
  /// @param purpose  names the stream of decisions, so that methods do not share draws
  BiasedChances(const AnalysisModel& model, CcfRuntime& groups, PathVisits& visits, std::uint64_t seed,
                const char* purpose);

  /// A path begins: its law is `law` of the weight's, its decisions those of this number. What was to be repeated, and
  /// joint demands, are forgotten.
  /// @param weight  outlives the path; every biased decision multiplies the likelihoods in it (PathWeight::chance()).
  /// @param law     below weight.laws().size()
  void start(std::uint64_t path, PathWeight& weight, std::size_t law);
  /// From now on, until start(), nothing is biased any more: everything was seen. Decisions go on, by the model's law.
  void stop() { biased_ = false; }

  /// @returns the place of the branch taken among `branches`. O(branches).
  std::size_t choose(std::uint32_t instance, std::span<const std::uint32_t> branches,
                     std::span<const double> probabilities) override;
  /// One decision for each member and moment: asked again at the same `now_s`, the answer is the same. Draws one number
  /// per order of sets that are still open, and one more per event that occurs.
  SplitPart demand(std::uint32_t instance, std::uint32_t cause, double now_s) override;
  bool spread() override;
  void drawn(double ratio) override;

  /// @name For splitting
  /// @{
  /// Called before every decision, while the model is in the middle of a step: slots may be what they are at no rest.
  void set_watcher(std::function<void()> watcher) { watcher_ = std::move(watcher); }
  /// So many decisions in a row from one stream, which stands where the first of them begins.
  struct Decisions {
    RandomStream stream;
    std::uint32_t count = 0;
  };
  /// A step begins: made() is empty then.
  void begin_step() { made_.clear(), fresh_ = false; }
  /// Those made since then, in order; valid until the next decision.
  const std::vector<Decisions>& made() const { return made_; }
  /// What joint demands of the present moment have decided.
  struct Joint {
    double time = -1.0;               ///< the moment [s]; -1: nobody has asked yet
    std::vector<std::uint8_t> asked;  ///< by member: 1 when decided
    std::vector<SplitPart> outcome;   ///< by member; events of others may have failed one that was not asked
  };
  const std::vector<Joint>& joint() const { return joint_; }
  /// By group of the model. After start(), to go on from the middle of a moment.
  void set_joint(const std::vector<Joint>& joint) { joint_ = joint; }
  /// After start(): first these decisions are made again, with their weights, later ones are those of the path.
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
  std::vector<std::uint32_t> others_;
  std::vector<double> sets_, expected_, shares_;
  std::vector<std::vector<double>> ranks_;  ///< by order: ranks of the sets whose event occurs
};

}  // namespace ergode
