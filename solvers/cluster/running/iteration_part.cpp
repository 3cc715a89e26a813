#include "solvers/cluster/running/iteration_part.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "solvers/cluster/running/job_state.h"
#include "solvers/cluster/running/running_iterations.h"

namespace ergode {
namespace {

using IterationScheduled = IterationModel::Scheduler;

const char* iteration_policy_name(IterationPolicy policy) {
  switch (policy) {
    case IterationPolicy::jigsaw:
      return "jigsaw";
    case IterationPolicy::time_slicing:
      return "time_slicing";
    case IterationPolicy::fifo_gang:
      return "fifo_gang";
    case IterationPolicy::srtf_gang:
      return "srtf_gang";
  }
  return "";
}

ResultTable table_of_iteration_schedule(const IterationScheduled& one, const ScheduledIterations& made,
                                        const std::string& name) {
  ResultTable out{.name = name, .title = "The schedule of " + one.name + " and its baseline", .exact = true};
  for (const char* column : {"policy", "backpropagation", "makespan_s", "mean_jct_s", "gpu_busy", "network_bytes",
                             "peak_memory_bytes", "iterations"})
    out.columns.push_back({column});
  for (const auto& [options, run] : {std::pair(&one.options, &made.run), std::pair(&one.baseline, &made.baseline)}) {
    const bool partial = options->partial && options->policy == IterationPolicy::jigsaw;
    out.rows.push_back({iteration_policy_name(options->policy), partial ? "partial" : "full", run->makespan_s,
                        run->mean_jct_s, run->busy, run->bytes, run->peak_memory_bytes,
                        static_cast<double>(run->iterations)});
  }
  out.note = "After the abstract of arXiv 2111.10672: shares, packing and costs of the network are assumptions.";
  return out;
}

ResultTable table_of_iteration_jobs(const IterationScheduled& one, const ScheduledIterations& made, double end_s,
                                    const std::string& name) {
  ResultTable out{.name = name, .title = "Training jobs of " + one.name, .exact = true};
  for (const char* column :
       {"job", "arrival_s", "iterations", "workers", "forward_s", "backward_s", "work_saved", "start_s", "completion_s",
        "jct_s", "baseline_jct_s", "gpu_s", "network_bytes", "cost_usd", "state"})
    out.columns.push_back({column});
  const bool partial = one.options.partial && one.options.policy == IterationPolicy::jigsaw;
  const bool cut = std::any_of(made.run.jobs.begin(), made.run.jobs.end(),
                               [&](const IterationOutcome& job) { return !(job.end_s <= end_s); });
  IterationRun until;  // what those had who were not done
  if (cut) {
    IterationOptions options = one.options;
    options.until_s = end_s, options.most_spans = 0;
    until = run_iterations(one.trace->jobs, options);
  }
  const std::vector<IterationOutcome>& outcomes = cut ? until.jobs : made.run.jobs;
  std::size_t later = 0;
  for (std::size_t j = 0; j < one.trace->jobs.size(); ++j) {
    const IterationJob& job = one.trace->jobs[j];
    if (job.arrival_s > end_s) {
      ++later;
      continue;
    }
    const IterationOutcome& end = outcomes[j];
    const JobState state = end.end_s <= end_s ? JobState::completed : end.runs ? JobState::running : JobState::waiting;
    const double baseline_s = made.baseline.jobs[j].end_s;
    const double saved = partial ? work_saved(job.costs, job.phi.empty() ? linear_shares(job.workers) : job.phi) : 0.0;
    out.rows.push_back({one.trace->names[j], job.arrival_s, static_cast<double>(job.iterations),
                        static_cast<double>(job.workers), job.costs.forward_s, job.costs.backward_s, saved,
                        known_by(end_s, end.start_s, end.start_s), known_by(end_s, end.end_s, end.end_s),
                        known_by(end_s, end.end_s, end.end_s - job.arrival_s),
                        known_by(end_s, baseline_s, baseline_s - job.arrival_s), end.gpu_s, end.bytes,
                        end.gpu_s * one.price_per_s, state_word(state)});
  }
  out.note =
      "Times in s. work_saved: compute time of an iteration against full backpropagation; cost_usd: of gpu_s, the "
      "time that GPUs computed for the job until the run ended.";
  if (later > 0) out.note += " " + std::to_string(later) + " jobs of the trace come after that.";
  return out;
}

ResultTable table_of_layers(const IterationScheduled& one, const std::string& name) {
  ResultTable out{.name = name, .title = "Layers that gradients of " + one.name + " are averaged over", .exact = true};
  for (const char* column : {"workers", "phi", "group", "from_output", "to", "averaged_over", "effective_batch"})
    out.columns.push_back({column});
  const bool partial = one.options.partial && one.options.policy == IterationPolicy::jigsaw;
  std::set<std::vector<double>> told;
  for (const IterationJob& job : one.trace->jobs) {
    const std::vector<double> phi = !partial          ? std::vector<double>(job.workers, 1.0)
                                    : job.phi.empty() ? linear_shares(job.workers)
                                                      : job.phi;
    if (told.size() >= 50 || !told.insert(phi).second) continue;
    std::string shares;
    for (const double one_share : phi) shares += (shares.empty() ? "" : " ") + cell_text(one_share);
    double group = 0.0;
    for (const LayerGroup& layers : layer_groups(phi))
      out.rows.push_back({static_cast<double>(phi.size()), shares, ++group, layers.from, layers.to,
                          static_cast<double>(layers.workers), layers.effective_batch});
  }
  out.note = "Group 1 is next to the output. effective_batch: share of the global batch that trains the group.";
  return out;
}

ResultTable table_of_pieces(const IterationScheduled& one, const ScheduledIterations& made, const std::string& name) {
  ResultTable out{.name = name, .title = "What the GPUs of " + one.name + " did, first pieces", .exact = true};
  for (const char* column : {"gpu", "what", "job", "worker", "iteration", "phi", "start_s", "end_s"})
    out.columns.push_back({column});
  std::vector<IterationSpan> spans = made.run.spans;
  std::sort(spans.begin(), spans.end(), [](const IterationSpan& a, const IterationSpan& b) {
    return std::tie(a.gpu, a.start_s, a.job) < std::tie(b.gpu, b.start_s, b.job);
  });
  const auto add = [&](const IterationSpan& span, const char* what, double from, double to) {
    const bool idle = what[0] == 'i';
    out.rows.push_back({static_cast<double>(span.gpu), what, idle ? std::string() : one.trace->names[span.job],
                        static_cast<double>(span.worker + 1), static_cast<double>(span.iteration + 1), span.phi, from,
                        to});
    if (idle)
      for (std::size_t c = 3; c < 6; ++c) out.rows.back()[c] = std::string();
  };
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const IterationSpan& span = spans[i];
    if (i > 0 && spans[i - 1].gpu == span.gpu && spans[i - 1].end_s < span.start_s)
      add(span, "idle", spans[i - 1].end_s, span.start_s);
    add(span, "forward", span.start_s, span.forward_end_s);
    if (span.end_s > span.forward_end_s) add(span, "backward", span.forward_end_s, span.end_s);
  }
  if (made.run.spans.size() >= one.options.most_spans)
    out.note = "The first " + std::to_string(one.options.most_spans) + " pieces; more by shown_pieces.";
  return out;
}

/// The same pieces as stretches, idle time left out: a Gantt chart.
ResultTable table_of_iteration_stretches(const IterationScheduled& one, const ResultTable& pieces,
                                         const std::string& name) {
  ResultTable out{.name = name, .title = "Who computed when on " + one.name, .exact = true, .note = pieces.note};
  for (const char* column : {"gpu", "job", "from_s", "to_s", "what", "worker", "iteration"})
    out.columns.push_back({column});
  for (const auto& row : pieces.rows)
    if (std::get<std::string>(row[1]) != "idle")
      out.rows.push_back({row[0], row[2], row[6], row[7], row[1], row[3], row[4]});
  return out;
}

}  // namespace

std::unique_ptr<RunningPart> IterationPart::run(World& world, std::uint64_t) const {
  return std::make_unique<RunningIterations>(*this, world, end_);
}

std::vector<LoweredPart::Thing> IterationPart::things() const {
  std::vector<Thing> out;
  for (const IterationScheduled& one : model.schedulers)
    out.push_back({one.element, "the scheduler of iterations \"" + one.name + "\""});
  return out;
}

const std::vector<ScheduledIterations>& IterationPart::schedules() const {
  std::call_once(worked_out_, [this] {
    for (const IterationScheduled& one : model.schedulers)
      schedules_.push_back(
          {run_iterations(one.trace->jobs, one.options), run_iterations(one.trace->jobs, one.baseline)});
  });
  return schedules_;
}

std::vector<ResultTable> IterationPart::tables(std::span<const MeanOverTime>, const std::string& solver) const {
  std::vector<ResultTable> out;
  const auto& made = schedules();
  for (std::size_t i = 0; i < made.size(); ++i) {
    const IterationScheduled& one = model.schedulers[i];
    const std::string suffix = made.size() > 1 ? "_" + one.name : "";
    out.push_back(table_of_iteration_schedule(one, made[i], "schedule" + suffix));
    out.push_back(table_of_iteration_jobs(one, made[i], end_.at_s(), "jobs" + suffix));
    out.push_back(table_of_layers(one, "layers" + suffix));
    ResultTable pieces = table_of_pieces(one, made[i], "iterations" + suffix);
    out.push_back(table_of_iteration_stretches(one, pieces, "gantt" + suffix));
    out.push_back(std::move(pieces));
  }
  for (ResultTable& table : out) table.solver = solver;
  return out;
}

}  // namespace ergode
