// The jobs of a drawn stream by its trace.
#include <algorithm>
#include <limits>
#include <map>

#include "core/base/text.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/gang_lowering_steps.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/lowering/missing_throughputs.h"
#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/throughput_table.h"

namespace ergode {

// Gavel's traces say how many steps a job takes, so that its time depends on what a step takes.
std::optional<GangTrace> GangLowering::gavel_jobs(Lowering& model, PropertyReader& read, const Element& element,
                                                  const DataFiles::Text& trace) {
  const std::string table = read.file(element, "throughputs");
  if (table.empty()) {
    model.refuse(element, "GNG004", "throughputs",
                 trace.name + " says in steps how long its jobs run; wanted a table of throughputs.",
                 "A CSV file: model, batch_size, num_gpus, steps_per_s.");
    return std::nullopt;
  }
  const auto text = model.text_of(element, "GNG004", "throughputs", table);
  if (!text) return std::nullopt;
  const auto jobs = read_gavel_trace(*trace.text, trace.name);
  const auto speeds = read_throughputs(*text->text, text->name, "");
  for (const auto* found : {std::get_if<Diagnostics>(&jobs), std::get_if<Diagnostics>(&speeds)})
    if (found != nullptr)
      for (const Diagnostic& one : *found) model.refuse(element, "GNG004", "trace", one.message, one.hint);
  if (jobs.index() != 0 || speeds.index() != 0) return std::nullopt;
  GangTrace out{.users = {""}};
  const bool leave_out = meaning_of(read, element, "missing_throughputs", missing_throughput_words);
  std::map<std::string, std::vector<std::size_t>> missing;
  const double zero_s = std::get<0>(jobs).front().arrival_s;
  for (std::size_t place = 0; place < std::get<0>(jobs).size(); ++place) {
    const RoundJob& job = std::get<0>(jobs)[place];
    const auto speed = std::get<0>(speeds).of(job.model, job.batch_size, job.gpus);
    if (!speed) {
      missing[work_of(job)].push_back(place);
      continue;
    }
    out.names.push_back(std::to_string(place)), out.kinds.push_back(job.model);
    out.rows.push_back(static_cast<std::uint32_t>(place + 1));
    out.jobs.push_back({.arrival_s = job.arrival_s - zero_s,
                        .work_s = static_cast<double>(job.total_steps) / *speed,
                        .gpus = static_cast<std::uint32_t>(job.gpus)});
  }
  if (leave_out && !missing.empty() && !out.jobs.empty()) {
    for (const auto& [what, places] : missing) out.without_speed += places.size();
    model.warn(element, "GNG016", "throughputs", left_out_text(trace.name, text->name, missing));
    return out;
  }
  std::size_t told = 0;
  for (const auto& [what, places] : missing) {
    constexpr std::size_t most = 10;
    if (++told > most) break;
    model.refuse(element, "GNG004", "throughputs",
                 text->name + " has no row for " + what + ", which " + std::to_string(places.size()) + " jobs of " +
                     trace.name + " want; wanted one.",
                 told == most && missing.size() > most ? std::to_string(missing.size() - most) + " more are not shown."
                 : leave_out                           ? "No job of the trace is left."
                             : "Or leave jobs out that have no throughput: missing_throughputs.");
  }
  return missing.empty() ? std::optional(std::move(out)) : std::nullopt;
}

void GangLowering::take_hosts(Lowering& model, PropertyReader& read, const GangModel::Cluster& cluster) {
  for (const std::uint32_t s : cluster.streams) {
    GangModel::Stream& stream = net().streams[s];
    const Element& element = *model.document.find(stream.element);
    const bool said = is_said(element, "trace_gpus");
    if (!stream.trace || (stream.trace->unit == GangTrace::Unit::gpus && !said)) continue;
    if (stream.trace->unit == GangTrace::Unit::gpus) {
      if (!stream.trace->jobs.empty())
        model.refuse(
            element, "GNG017", "trace_gpus",
            "Jobs of \"" + stream.name +
                "\" come by a trace that counts GPUs; wanted GPUs of a host for one of hosts alone (Slurm, the "
                "standard workload format, Batsim).",
            "Leave it empty.");
      continue;
    }
    const std::uint64_t of_host = stream.trace->unit == GangTrace::Unit::hosts ? cluster.options.gpus_per_host : 1;
    const std::uint64_t each =
        said ? static_cast<std::uint64_t>(number(model, read, element, "trace_gpus", Dimension(), 1.0, 1.0, 1e6, true))
             : of_host;
    if (each == 1) continue;
    auto here = std::make_shared<GangTrace>(*stream.trace);
    // Nobody has so many: who wants more than there is is rejected.
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
    for (GangJob& job : here->jobs) job.gpus = static_cast<std::uint32_t>(std::min(most, each * job.gpus));
    stream.trace = std::move(here);
  }
}

void GangLowering::read_trace(Lowering& model, Scope& scope, const Element& element, const std::string& file,
                              GangModel::Stream& stream) {
  stream.trace = std::make_shared<const GangTrace>();
  const auto text = model.text_of(element, "GNG004", "trace", file);
  if (!text) return;
  PropertyReader reader(scope, model.problems);
  constexpr std::size_t most_told = 10;
  const std::string_view bytes = *text->text;
  const std::string& name = text->name;
  if (is_gavel_trace(bytes)) {
    auto jobs = gavel_jobs(model, reader, element, *text);
    if (!jobs) return;
    keep_first(jobs->jobs, stream.most_jobs);
    stream.trace = std::make_shared<const GangTrace>(std::move(*jobs));
    return;
  }
  auto read = is_job_trace(bytes, name) ? gang_trace_of(read_job_trace(bytes, name, most_told), unit_of_job_trace(name))
                                        : read_gang_trace(bytes, name, most_told);
  if (const auto* why = std::get_if<std::string>(&read)) return model.refuse(element, "GNG004", "trace", *why + ".");
  auto made = std::make_shared<GangTrace>(std::get<GangTrace>(std::move(read)));
  for (std::size_t i = 0; i < made->problems.size(); ++i) {
    const bool last = i + 1 == made->problems.size() && made->untold > 0;
    model.refuse(element, "GNG004", "trace", made->problems[i] + ".",
                 last ? std::to_string(made->untold) + " more are not shown." : "");
  }
  if (!made->problems.empty()) return;
  if (made->jobs.empty())
    return model.refuse(element, "GNG004", "trace",
                        name + " holds no jobs that need GPUs; wanted one or more, each a row behind the header.");
  if (std::string left = left_out_text(name, made->not_run, made->steps, made->without_gpus); !left.empty())
    model.warn(element, "GNG008", "trace", std::move(left));
  if (made->over_limit > 0)
    model.problems.push_back({.severity = Severity::info,
                              .code = "GNG015",
                              .element = element.id,
                              .pointer = "trace",
                              .message = name + ": " + std::to_string(made->over_limit) +
                                         " jobs ran beyond their time limit; here they end at it and count as done.",
                              .hint = "A pool of hosts kills them, and schedules by limits."});
  if (!made->lengths) {
    if (!is_said(element, "size"))
      return model.refuse(element, "GNG004", "trace",
                          name + " does not say how long its jobs run; wanted a column duration, or a size.",
                          "Give the stream a size: each of its jobs then has that work.");
    const auto size = drawn_law(model, scope, element, "size", default_job_size, Dimension::of_time());
    if (!size) return;
    if (size->family() != Distribution::Family::deterministic)
      return model.refuse(element, "GNG004", "size",
                          name + " does not say how long its jobs run, and the size is drawn; wanted a time.");
    for (GangJob& job : made->jobs) job.work_s = size->mean() / stream.speedup.speed(job.gpus);
  }
  keep_first(made->jobs, stream.most_jobs);
  stream.trace = std::move(made);
}

}  // namespace ergode
