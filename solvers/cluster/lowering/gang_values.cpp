// From drawn clusters of GPUs and their streams to one GangModel: laws, numbers, and what they come to together.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/expression/compile.h"
#include "solvers/cluster/gang/gang_scheduler.h"
#include "solvers/cluster/lowering/drawn_arrivals.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/drawn_speedup.h"
#include "solvers/cluster/lowering/gang_lowering_steps.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/lowering/host_failures.h"

namespace ergode {
namespace {

using GangStream = GangModel::Stream;
using GangCluster = GangModel::Cluster;

}  // namespace

double GangLowering::number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                            Dimension dimension, double otherwise, double least, double most, bool whole) {
  const double value = read.quantity(element, property, dimension, otherwise);
  if (value >= least && value <= most && (!whole || value == std::floor(value))) return value;
  const bool money = dimension.exponent[Dimension::money] != 0;
  const char* unit = dimension.none() ? "" : dimension.exponent[Dimension::mass] != 0 ? " W" : money ? " USD/h" : " s";
  const double scale = money ? 3600.0 : 1.0;
  model.refuse_once(element, "GNG002", property,
                    "The value is " + number_text(value * scale, 9) + unit + "; wanted a " + (whole ? "whole " : "") +
                        "number from " + number_text(least * scale, 9) + unit + " to " + number_text(most * scale, 9) +
                        unit + ".");
  return least;
}

std::vector<double> GangLowering::list(Lowering& model, Scope& scope, const Element& element, const char* property,
                                       const char* otherwise, bool rise) {
  const std::string text = is_said(element, property) ? element.text(property) : std::string(otherwise);
  if (text.empty()) return {};
  auto made = compile_list(text, Dimension(), scope);
  if (const auto* error = std::get_if<ExpressionError>(&made)) {
    model.problems.push_back(to_diagnostic(*error, element.id, property));
    return {};
  }
  auto& out = std::get<std::vector<double>>(made);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool fine = out[i] > 0.0 && std::isfinite(out[i]) && (!rise || i == 0 || out[i] > out[i - 1]);
    if (fine) continue;
    model.refuse(element, "GNG002", property,
                 "Number " + std::to_string(i + 1) + " is " + number_text(out[i], 9) + "; wanted numbers above 0" +
                     (rise ? " that rise." : "."));
    return {};
  }
  return std::move(out);
}

void GangLowering::lower_stream(Lowering& model, Scope& scope, GangStream& stream) {
  const Element& element = *model.document.find(stream.element);
  PropertyReader read(scope, model.problems);
  stream.speedup = drawn_speedup(model, scope, element, "GNG005");
  if (stream.cluster == GangModel::none) stream.handed_on = handed_on(model, element, words_of_jobs("gpus"));
  else stream.handed_on = handed_on(model, element, words_of_jobs("gpus"), words_of_rejected_jobs("gpus"));
  stream.most_jobs = drawn_most_jobs(model, scope, element, "GNG002");
  if (const std::string file = drawn_file(model, read, element, "trace", "GNG011", "jobs are drawn"); !file.empty())
    return read_trace(model, scope, element, file, stream);
  lower_drawn(model, scope, element, stream);
}

void GangLowering::lower_drawn(Lowering& model, Scope& scope, const Element& element, GangStream& stream) {
  PropertyReader read(scope, model.problems);
  lower_arrivals(model, scope, element, "GNG002", stream);
  stream.size = drawn_times(model, scope, element, "GNG002", "size", default_job_size);
  stream.gpus = drawn_positive_law(model, scope, element, "GNG002", "gpus", default_gang_gpus, Dimension());
  warn_of_part(model, element, "gpus", stream.gpus);
  stream.cpus = number(model, read, element, "cpus", Dimension(), 0.0, 0.0, 1e9);
  stream.memory = number(model, read, element, "memory", Dimension(), 0.0, 0.0, 1e12);
}

void GangLowering::lower_policy(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                GangOptions& options) {
  options.policy = meaning_of(read, element, "policy", gang_policy_words);
  options.thresholds = list(model, scope, element, "thresholds", default_thresholds, true);
  options.weights = list(model, scope, element, "weights", "", false);
  if (is_said(element, "promote_after"))
    options.promote_after = number(model, read, element, "promote_after", Dimension(), 1.0, 1e-6, 1e9);
  if (is_said(element, "cpus")) options.cpus = number(model, read, element, "cpus", Dimension(), 1.0, 1e-6, 1e9);
  if (is_said(element, "memory")) options.memory = number(model, read, element, "memory", Dimension(), 1.0, 1e-6, 1e12);
}

void GangLowering::lower_cluster(Lowering& model, Scope& scope, GangCluster& cluster) {
  const Element& element = *model.document.find(cluster.element);
  PropertyReader read(scope, model.problems);
  GangOptions& options = cluster.options;
  constexpr double most = 1e6;
  const auto count = [&](const char* property, const char* otherwise) {
    return static_cast<std::uint32_t>(
        number(model, read, element, property, Dimension(), *parse_number(otherwise), 1.0, most, true));
  };
  options.gpus = count("gpus", default_cluster_gpus);
  options.gpus_per_host = count("gpus_per_host", default_gpus_per_host);
  options.consolidated = read.boolean(element, "consolidated", false);
  cluster.speed = number(model, read, element, "speed", Dimension(), 1.0, 1e-6, 1e6);
  options.restart_s = number(model, read, element, "restart", Dimension::of_time(), 0.0, 0.0, 1e9);
  lower_policy(model, scope, read, element, options);
  lower_failures(model, scope, read, element, cluster);
  cluster.type = element.text("type");
  cluster.price_per_s = number(model, read, element, "price", parse_unit("USD/h")->dimension, 0.0, 0.0, 1e9);
  cluster.budget_per_s = number(model, read, element, "budget", parse_unit("USD/h")->dimension, 0.0, 0.0, 1e9);
  cluster.busy_w = number(model, read, element, "busy_power", parse_unit("W")->dimension, 0.0, 0.0, 1e9);
  cluster.idle_w = number(model, read, element, "idle_power", parse_unit("W")->dimension, 0.0, 0.0, 1e9);
  options.speedups.clear();
  for (const std::uint32_t s : cluster.streams) options.speedups.push_back(net().streams[s].speedup);
  if (cluster.streams.empty())
    return model.warn(element, "GNG008", "", "No jobs come to \"" + cluster.name + "\".",
                      "Draw a flow from a job stream.");
  take_hosts(model, read, cluster);
  check_jobs(model, element, cluster);
}

// EQUI gives everybody a part of every host, so there is no host that one of them could lose.
void GangLowering::lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                  GangCluster& cluster) {
  HostFailures& out = cluster.failures;
  out = drawn_host_failures(model, scope, read,
                            {.element = &element,
                             .name = cluster.name,
                             .hosts = cluster.hosts(),
                             .value = "GNG002",
                             .never_changes = "GNG013"});
  GangOptions& options = cluster.options;
  options.hosts_fail = out.any(), options.before_all = out.before_all;
  options.checkpoint_period_s = out.checkpoint_period_s, options.checkpoint_cost_s = out.checkpoint_cost_s;
  if (options.policy != GangPolicy::equi || !(out.any() || out.checkpoints())) return;
  model.refuse(element, "GNG012",
               out.by_laws ? "failure"
               : out.any() ? "up_while"
                           : "checkpoint_period",
               "Under equi each job of \"" + cluster.name +
                   "\" has a part of every host, so hosts do not fail and jobs write no checkpoints; wanted another "
                   "scheduler, or none of these.",
               "Choose fifo, backfill, sjf, srtf, las or drf.");
}

void GangLowering::check_jobs(Lowering& model, const Element& element, const GangCluster& cluster) {
  const GangScheduler scheduler(cluster.options);
  for (const std::uint32_t s : cluster.streams) {
    const GangStream& one = net().streams[s];
    if (!one.trace && !one.handed.brings(0) && !has_errors(model.problems)) {
      const double gpus = std::max(1.0, std::ceil(one.gpus.mean()));
      warn_of_restarts(model, element, "GNG014", cluster.failures, one.name,
                       std::ceil(gpus / cluster.options.gpus_per_host), one.size,
                       one.speedup.speed(gpus) * cluster.speed);
    }
    if (!one.trace) continue;
    const auto wide = std::count_if(one.trace->jobs.begin(), one.trace->jobs.end(),
                                    [&](const GangJob& job) { return !scheduler.can_ever_fit(job); });
    if (wide > 0)
      model.warn(element, "GNG007", "gpus",
                 std::to_string(wide) + " jobs of \"" + one.name + "\" do not fit on \"" + cluster.name +
                     "\" with its " + std::to_string(cluster.options.gpus) + " GPUs and are rejected.");
  }
}

}  // namespace ergode
