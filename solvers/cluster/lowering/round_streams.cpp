// Streams of jobs that come to round schedulers: laws, models that are trained, traces.
#include <algorithm>
#include <cmath>

#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/expression/compile.h"
#include "solvers/cluster/lowering/drawn_arrivals.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/drawn_speedup.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/lowering/missing_throughputs.h"
#include "solvers/cluster/lowering/round_lowering_steps.h"
#include "solvers/cluster/lowering/round_words.h"

namespace ergode {

void RoundLowering::lower_stream(Lowering& model, Scope& scope, Stream& stream) {
  const Element& element = *model.document.find(stream.element);
  const Scheduler& at = net().schedulers[stream.scheduler];
  PropertyReader read(scope, model.problems);
  stream.handed_on = handed_on(model, element, words_of_sharing_jobs(), words_of_rejected_jobs("gpus"));
  stream.most_jobs = drawn_most_jobs(model, scope, element, "RND002");
  const std::string name = drawn_file(model, read, element, "trace", "RND016", "jobs are drawn");
  if (name.empty()) return lower_drawn(model, scope, element, stream);
  const auto trace = model.text_of(element, "RND003", "trace", name);
  if (trace) stream.trace = read_trace(model, read, element, *trace, table_name_[at.element], at, stream.most_jobs);
}

void RoundLowering::lower_drawn(Lowering& model, Scope& scope, const Element& element, Stream& stream) {
  PropertyReader read(scope, model.problems);
  lower_arrivals(model, scope, element, "RND002", stream);
  stream.gpus = drawn_positive_law(model, scope, element, "RND002", "gpus", default_gang_gpus, Dimension());
  warn_of_part(model, element, "gpus", stream.gpus);
  lower_training(model, scope, read, element, stream);
  if (!stream.epochs) stream.size = drawn_times(model, scope, element, "RND002", "size", default_job_size);
  if (stream.training.empty()) stream.speedup = drawn_speedup(model, scope, element, "RND005");
  else check_training(model, element, stream);
}

void RoundLowering::lower_training(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                   Stream& stream) {
  stream.training = trim(element.text("training"));
  const TrainingModel& known = training_model(stream.training);
  stream.mode = meaning_of(read, element, "mode", batch_mode_words);
  stream.batch_size = static_cast<int>(
      number(model, read, element, "batch_size", "", known.known() ? known.least_batch : 1, 1.0, 1e9, true));
  constexpr std::size_t word_of_epochs = 2;
  const bool brought = stream.handed.place[word_of_epochs] >= 0;
  if (!is_said(element, "epochs") && !brought) return;
  if (!known.known())
    return model.refuse(element, "RND008", brought ? "taken" : "epochs",
                        stream.training.empty()
                            ? "Jobs have epochs, and train no model; wanted the name of one."
                            : "Nobody knows how many samples an epoch of \"" + quotable(stream.training) +
                                  "\" has; wanted the size of a job, or one of LM, ResNet-18, ResNet-50, "
                                  "Transformer and Recommendation.");
  stream.epochs = is_said(element, "epochs")
                      ? drawn_positive_law(model, scope, element, "RND002", "epochs", "", Dimension())
                      : Distribution::deterministic(1.0);
}

void RoundLowering::check_training(Lowering& model, const Element& element, const Stream& stream) {
  const Scheduler& at = net().schedulers[stream.scheduler];
  if (at.speeds == nullptr || refused(model, element)) return;
  const std::string& table = table_name_[at.element];
  const auto lacks = [&](int gpus, const char* property) {
    const RoundJob job{.model = stream.training, .batch_size = stream.batch_size, .gpus = gpus};
    model.refuse(element, "RND007", property,
                 "Table " + table + " has no throughput for " + work_of(job) + "; wanted a row for it.");
  };
  const auto knows = [&](int gpus) { return at.speeds->of(stream.training, stream.batch_size, gpus).has_value(); };
  constexpr std::size_t word_of_gpus = 1;
  if (!stream.epochs && !knows(1)) return lacks(1, "size");
  if (stream.handed.place[word_of_gpus] >= 0) return;
  // Whatever number of GPUs may be drawn that the cluster has.
  constexpr int most_looked_at = 4096;
  constexpr double never_drawn = 1e-12;
  for (int gpus = 1; gpus <= std::min(at.options.gpus, most_looked_at); ++gpus) {
    const double below = gpus == 1 ? 0.0 : stream.gpus.cdf(gpus - 1.0);
    if (!(stream.gpus.cdf(gpus) - below > never_drawn)) continue;
    if (!knows(gpus)) return lacks(gpus, "gpus");
    const RoundJob job{.model = stream.training, .batch_size = stream.batch_size, .gpus = gpus, .mode = stream.mode};
    for (const std::string& problem : problems_of(job, "A job of \"" + stream.name + "\"", *at.speeds, at.options))
      return model.refuse(element, "RND012", "training", problem);
  }
}

// Steps of drawn jobs that train no model are microseconds of work on one GPU.
void RoundLowering::check_steps(Lowering& model, const Scheduler& one) {
  if (one.options.policy != RoundPolicy::max_sum) return;
  const Stream *plain = nullptr, *training = nullptr;
  for (const std::uint32_t s : one.streams) {
    const Stream& stream = net().streams[s];
    (stream.trace || !stream.training.empty() ? training : plain) = &stream;
  }
  if (plain == nullptr || (training == nullptr && !one.workload)) return;
  model.warn(*model.document.find(one.element), "RND018", "policy",
             "Under mst whose steps are faster comes first, and a step of \"" + plain->name +
                 "\" is a microsecond of its work on one GPU, but one of " +
                 (training != nullptr ? "\"" + training->name + "\"" : std::string("the trace")) +
                 " is one of training; wanted jobs of one sort.",
             "Say what all of them train, or choose another scheduler.");
}

}  // namespace ergode
