#include "solvers/simulation/simulation.h"

#include "core/random/random_stream.h"
#include "solvers/simulation/measure_recorder.h"
#include "solvers/simulation/model_history.h"

namespace ergode {
namespace {

class SimulationWorker : public ReplicationWorker {
 public:
  SimulationWorker(const SimulationSource& source, const AnalysisModel& model, const CcfProgram& groups,
                   std::uint64_t seed)
      : source_(source),
        model_(model),
        history_(model, groups, seed),
        recorder_(model),
        poll_period_(events_between_polls(model.charts)) {
    if (recorder_.wants_events()) history_.charts().set_event_listener(&recorder_);
  }

  ReplicationEnd run(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) override {
    history_.others().heed([&give_up] { return give_up.load(std::memory_order_relaxed); });
    return source_.failure().noting(replication, [&] {
      try {
        return replicate(replication, into, give_up);
      } catch (const GivenUp&) {
        return ReplicationEnd::given_up;
      }
    });
  }

 private:
  ReplicationEnd replicate(std::uint64_t replication, Tallies& into, const std::atomic<bool>& give_up) {
    recorder_.begin(history_.charts(), into);
    history_.start(replication);
    recorder_.start();
    const World& world = history_.world();
    std::uint32_t left = poll_period_;
    while (history_.step(model_.horizon_s, recorder_)) {
      if (--left != 0) continue;
      left = poll_period_;
      if (give_up.load(std::memory_order_relaxed)) return ReplicationEnd::given_up;
      source_.pulse().tell(world.events, world.now() / model_.horizon_s);
    }
    history_.others().end(model_.horizon_s);
    recorder_.finish();
    source_.unfinished().count(world.slots(), into.sums);
    into.events += world.events;
    into.add_fingerprint(replication, world.fingerprint);
    return ReplicationEnd::whole;
  }

  const SimulationSource& source_;
  const AnalysisModel& model_;
  ModelHistory history_;
  MeasureRecorder recorder_;
  std::uint32_t poll_period_;
};

}  // namespace

SimulationSource::SimulationSource(std::shared_ptr<const AnalysisModel> model, std::uint64_t seed)
    : model_(std::move(model)), groups_(*model_), unfinished_(*model_), seed_(seed) {
  for (const Measure& measure : model_->measures) specs_.push_back(measure.spec);
}

std::unique_ptr<ReplicationWorker> SimulationSource::make_worker() const {
  return std::make_unique<SimulationWorker>(*this, *model_, groups_, seed_);
}

}  // namespace ergode
