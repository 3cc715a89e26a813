#include "solvers/cluster/running/iteration_tables.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "solvers/cluster/running/job_state.h"

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

ResultTable table_of_iteration_schedule(const IterationsTold& told, const std::string& name) {
  const IterationScheduled& one = *told.scheduler;
  ResultTable out{.name = name, .title = "The schedule of " + one.name + " and its baseline", .exact = told.exact};
  for (const char* column : {"policy", "backpropagation", "makespan_s", "mean_jct_s", "gpu_busy", "network_bytes",
                             "peak_memory_bytes", "iterations"})
    out.columns.push_back({column});
  for (const auto& [options, run] : {std::pair(&one.options, told.run), std::pair(&one.baseline, told.baseline)}) {
    const bool partial = options->partial && options->policy == IterationPolicy::jigsaw;
    out.rows.push_back({iteration_policy_name(options->policy), partial ? "partial" : "full", run->makespan_s,
                        run->mean_jct_s, run->busy, run->bytes, run->peak_memory_bytes,
                        static_cast<double>(run->iterations)});
  }
  out.note = "After the abstract of arXiv 2111.10672: shares, packing and costs of the network are assumptions.";
  if (!told.exact) out.note += " Of the first history: makespan_s from the first arrival to the last end so far.";
  return out;
}

ResultTable table_of_iteration_jobs(const IterationsTold& told, const std::string& name) {
  const IterationScheduled& one = *told.scheduler;
  const double end_s = told.end_s;
  ResultTable out{.name = name, .title = "Training jobs of " + one.name, .exact = told.exact};
  if (!told.exact) out.title = "Training jobs of the first history at " + one.name;
  for (const char* column :
       {"job", "arrival_s", "iterations", "workers", "forward_s", "backward_s", "work_saved", "start_s", "completion_s",
        "jct_s", "baseline_jct_s", "gpu_s", "network_bytes", "cost_usd"})
    out.columns.push_back({column});
  const bool fails = one.failures.any();
  if (fails) out.columns.push_back({"lost_work_s"}), out.columns.push_back({"restarts"});
  out.columns.push_back({"state"});
  const bool partial = one.options.partial && one.options.policy == IterationPolicy::jigsaw;
  std::size_t later = 0;
  for (std::size_t j = 0; j < told.jobs.size(); ++j) {
    const IterationJob& job = told.jobs[j];
    if (job.arrival_s > end_s) {
      ++later;
      continue;
    }
    const IterationOutcome& end = told.until[j];
    const JobState state = !told.from.empty() && told.from[j].rejected ? JobState::rejected
                           : end.end_s <= end_s                        ? JobState::completed
                           : end.runs                                  ? JobState::running
                                                                       : JobState::waiting;
    const double baseline_s = told.baseline->jobs[j].end_s;
    const double saved = partial ? work_saved(job.costs, job.phi.empty() ? linear_shares(job.workers) : job.phi) : 0.0;
    out.rows.push_back(
        {told.names[j], job.arrival_s, static_cast<double>(job.iterations), static_cast<double>(job.workers),
         job.costs.forward_s, job.costs.backward_s, saved, known_by(end_s, end.start_s, end.start_s),
         known_by(end_s, end.end_s, end.end_s), known_by(end_s, end.end_s, end.end_s - job.arrival_s),
         known_by(end_s, baseline_s, baseline_s - job.arrival_s), end.gpu_s, end.bytes, end.gpu_s * one.price_per_s});
    if (fails)
      out.rows.back().emplace_back(told.from[j].lost_s),
          out.rows.back().emplace_back(static_cast<double>(told.from[j].restarts));
    out.rows.back().emplace_back(state_word(state));
  }
  out.note =
      "Times in s. work_saved: compute time of an iteration against full backpropagation; cost_usd: of gpu_s, the "
      "time that GPUs computed for the job until the run ended.";
  if (fails)
    out.note += " lost_work_s: computed and lost, as time of an iteration; restarts: after a host of its failed.";
  if (told.untold > 0) out.note += " " + std::to_string(told.untold) + " further jobs are left out.";
  if (later > 0) out.note += " " + std::to_string(later) + " jobs of the trace come after that.";
  return out;
}

ResultTable table_of_layers(const IterationsTold& told, const std::string& name) {
  const IterationScheduled& one = *told.scheduler;
  ResultTable out{
      .name = name, .title = "Layers that gradients of " + one.name + " are averaged over", .exact = told.exact};
  for (const char* column : {"workers", "phi", "group", "from_output", "to", "averaged_over", "effective_batch"})
    out.columns.push_back({column});
  const bool partial = one.options.partial && one.options.policy == IterationPolicy::jigsaw;
  std::set<std::vector<double>> seen;
  for (const IterationJob& job : told.jobs) {
    const std::vector<double> phi = !partial          ? std::vector<double>(job.workers, 1.0)
                                    : job.phi.empty() ? linear_shares(job.workers)
                                                      : job.phi;
    if (seen.size() >= 50 || !seen.insert(phi).second) continue;
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

ResultTable table_of_pieces(const IterationsTold& told, const std::string& name) {
  const IterationScheduled& one = *told.scheduler;
  ResultTable out{.name = name, .title = "What the GPUs of " + one.name + " did, first pieces", .exact = told.exact};
  for (const char* column : {"gpu", "what", "job", "worker", "iteration", "phi", "start_s", "end_s"})
    out.columns.push_back({column});
  std::vector<IterationSpan> spans = told.run->spans;
  // Of jobs that have no row nobody knows the name.
  std::erase_if(spans, [&](const IterationSpan& span) { return span.job >= told.names.size(); });
  // What goes on when the run ends goes on beyond it, and what was packed behind begins there.
  if (!told.exact) {
    std::erase_if(spans, [&](const IterationSpan& span) { return span.start_s >= told.end_s; });
    for (IterationSpan& span : spans)
      span.end_s = std::min(span.end_s, told.end_s), span.forward_end_s = std::min(span.forward_end_s, told.end_s);
  }
  std::sort(spans.begin(), spans.end(), [](const IterationSpan& a, const IterationSpan& b) {
    return std::tie(a.gpu, a.start_s, a.job) < std::tie(b.gpu, b.start_s, b.job);
  });
  const auto add = [&](const IterationSpan& span, const char* what, double from, double to) {
    const bool idle = what[0] == 'i';
    out.rows.push_back({static_cast<double>(span.gpu), what, idle ? std::string() : told.names[span.job],
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
  if (told.run->spans.size() >= one.options.most_spans)
    out.note = "The first " + std::to_string(one.options.most_spans) + " pieces; more by shown_pieces.";
  return out;
}

/// The same pieces as stretches, idle time left out: a Gantt chart.
ResultTable table_of_iteration_stretches(const IterationsTold& told, const ResultTable& pieces,
                                         const std::string& name) {
  ResultTable out{
      .name = name, .title = "Who computed when on " + told.scheduler->name, .exact = told.exact, .note = pieces.note};
  for (const char* column : {"gpu", "job", "from_s", "to_s", "what", "worker", "iteration"})
    out.columns.push_back({column});
  for (const auto& row : pieces.rows)
    if (std::get<std::string>(row[1]) != "idle")
      out.rows.push_back({row[0], row[2], row[6], row[7], row[1], row[3], row[4]});
  return out;
}

}  // namespace

std::vector<ResultTable> iteration_tables(const IterationsTold& told, const std::string& suffix) {
  std::vector<ResultTable> out;
  out.push_back(table_of_iteration_schedule(told, "schedule" + suffix));
  out.push_back(table_of_iteration_jobs(told, "jobs" + suffix));
  out.push_back(table_of_layers(told, "layers" + suffix));
  ResultTable pieces = table_of_pieces(told, "iterations" + suffix);
  out.push_back(table_of_iteration_stretches(told, pieces, "gantt" + suffix));
  out.push_back(std::move(pieces));
  return out;
}

}  // namespace ergode
