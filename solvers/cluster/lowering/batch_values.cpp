// From drawn pools, streams and provisioners to one BatchModel: laws, traces, numbers, and what they come to together.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/expression/compile.h"
#include "solvers/cluster/lowering/batch_lowering_steps.h"
#include "solvers/cluster/lowering/batch_words.h"
#include "solvers/cluster/lowering/drawn_arrivals.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/host_failures.h"

namespace ergode {
namespace {

constexpr double most_pool_hosts = 1e6;

using BatchStream = BatchModel::Stream;
using BatchPool = BatchModel::Pool;
using BatchService = BatchModel::Service;

bool is_written(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

}  // namespace

void BatchLowering::refuse_value(Lowering& model, const Element& at, const std::string& property, std::string message) {
  model.refuse_once(at, "BAT002", property, std::move(message));
}

void BatchLowering::lower_stream(Lowering& model, Scope& scope, BatchStream& stream) {
  const Element& element = *model.document.find(stream.element);
  stream.handed_on = handed_on(model, element, words_of_jobs("hosts"), words_of_rejected_jobs("hosts"));
  PropertyReader read(scope, model.problems);
  stream.most_jobs = drawn_most_jobs(model, scope, element, "BAT002");
  if (const std::string file = drawn_file(model, read, element, "trace", "BAT016", "jobs are drawn"); !file.empty())
    return read_trace(model, element, file, stream);
  lower_drawn(model, scope, element, stream);
}

void BatchLowering::read_trace(Lowering& model, const Element& element, const std::string& file, BatchStream& stream) {
  stream.trace = std::make_shared<const JobTrace>();
  const auto text = model.text_of(element, "BAT004", "trace", file);
  if (!text) return;
  constexpr std::size_t most_told = 10;
  const auto& [name, bytes] = *text;
  auto made = read_job_trace(*bytes, name, most_told);
  if (const auto* why = std::get_if<std::string>(&made)) {
    model.refuse(element, "BAT004", "trace", *why + ".");
    return;
  }
  auto trace = std::make_shared<JobTrace>(std::get<JobTrace>(std::move(made)));
  for (const std::string& what : trace->problems) model.refuse(element, "BAT004", "trace", what + ".");
  if (trace->untold > 0)
    model.refuse(element, "BAT004", "trace", name + ": " + std::to_string(trace->untold) + " rows more are wrong.");
  if (std::string left = left_out_text(name, trace->not_run, trace->steps); !left.empty())
    model.warn(element, "BAT018", "trace", std::move(left));
  if (trace->jobs.empty() && trace->problems.empty())
    model.warn(element, "BAT009", "trace",
               name + " holds no jobs; wanted a row for each, behind the header where its format has one.", "");
  keep_first(trace->jobs, stream.most_jobs);
  stream.trace = std::move(trace);
}

void BatchLowering::lower_drawn(Lowering& model, Scope& scope, const Element& element, BatchStream& stream) {
  lower_arrivals(model, scope, element, "BAT002", stream);
  stream.size = drawn_times(model, scope, element, "BAT002", "size", default_job_size);
  stream.hosts = drawn_positive_law(model, scope, element, "BAT002", "hosts", default_job_hosts, Dimension());
  warn_of_part(model, element, "hosts", stream.hosts);
  if (is_written(element, "limit")) stream.limit = drawn_times(model, scope, element, "BAT002", "limit", "");
}

std::uint32_t BatchLowering::count(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                                   double otherwise, double least, double most) {
  const double value = read.quantity(element, property, Dimension(), otherwise);
  if (value >= least && value <= most && value == std::floor(value)) return static_cast<std::uint32_t>(value);
  refuse_value(model, element, property,
               "The value is " + number_text(value, 9) + "; wanted a whole number from " + number_text(least) + " to " +
                   number_text(most) + ".");
  return static_cast<std::uint32_t>(otherwise);
}

double BatchLowering::time(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                           double otherwise_s, bool zero, bool minutes) {
  constexpr double most_s = 1e10;  // three hundred years: minutes are counted in whole numbers
  const double value = read.quantity(element, property, Dimension::of_time(), otherwise_s);
  const bool whole = !minutes || std::fabs(value - 60.0 * std::round(value / 60.0)) < 1e-6;
  if ((zero ? value >= 0.0 : value > 0.0) && value <= most_s && whole)
    return minutes ? 60.0 * std::round(value / 60.0) : value;
  refuse_value(model, element, property,
               "The time is " + number_text(value, 9) + " s; wanted " + (minutes ? "whole minutes " : "a time ") +
                   (zero ? "from 0 s" : "above 0 s") + " to " + number_text(most_s) + " s.");
  return otherwise_s;
}

double BatchLowering::memory(Lowering& model, PropertyReader& read, const Element& element, const char* property) {
  const Unit gib = *parse_unit("GiB");
  const double bytes = read.quantity(element, property, gib.dimension, 0.0);
  if (bytes >= 0.0 && bytes <= 1e18) return bytes;
  refuse_value(model, element, property,
               "The memory is " + number_text(bytes / gib.scale, 6) + " GiB; wanted 0 GiB or more, at most 1e9 GiB.");
  return 0.0;
}

void BatchLowering::lower_pool(Lowering& model, Scope& scope, BatchPool& pool) {
  const Element& element = *model.document.find(pool.element);
  PropertyReader read(scope, model.problems);
  pool.hosts = count(model, read, element, "hosts", *parse_number(default_hosts), 1, most_pool_hosts);
  pool.accelerators = count(model, read, element, "accelerators", *parse_number(default_accelerators), 0, 1000);
  pool.type = element.text("type");
  pool.memory_bytes = memory(model, read, element, "memory");
  pool.speed = read.quantity(element, "speed", Dimension(), 1.0);
  if (!(pool.speed >= 1e-6 && pool.speed <= 1e6)) {
    refuse_value(model, element, "speed",
                 "The speed is " + number_text(pool.speed, 9) + "; wanted a number from 1e-6 to 1e6.");
    pool.speed = 1.0;
  }
  pool.policy = meaning_of(read, element, "policy", scheduling_words);
  for (const auto& [property, unit, at] : {std::tuple("price", "USD/h", &pool.price_per_s),
                                           {"busy_power", "W", &pool.busy_w},
                                           {"idle_power", "W", &pool.idle_w}}) {
    *at = read.quantity(element, property, parse_unit(unit)->dimension, 0.0);
    if (*at >= 0.0 && *at <= 1e9) continue;
    const double scale = at == &pool.price_per_s ? 3600.0 : 1.0;
    refuse_value(model, element, property,
                 "The value is " + number_text(*at * scale, 9) + " " + unit + "; wanted 0 " + unit + " or more.");
  }
  lower_minutes(model, read, element, pool);
  lower_variation(model, read, element, pool);
  lower_failures(model, scope, read, element, pool);
  if (pool.by_minutes() && net().traced(pool) == nullptr && pool.provisioner != BatchModel::none)
    return model.refuse(
        element, "BAT007", "policy",
        "Each start of a provisioner on \"" + pool.name + "\" is a moment of a trace; wanted one stream, with a trace.",
        "Give the stream a trace, or take the provisioner away.");
  if (pool.streams.empty())
    return model.warn(element, "BAT009", "", "No jobs come to \"" + pool.name + "\".",
                      "Draw a flow from a job stream.");
  check_jobs(model, scope, element, pool);
  if (has_errors(model.problems)) return;
  for (const std::uint32_t s : pool.streams)
    if (const BatchStream& one = net().streams[s]; !one.trace && !one.handed.brings(0))
      warn_of_restarts(model, element, "BAT014", pool.failures, one.name, std::max(1.0, std::ceil(one.hosts.mean())),
                       one.size, pool.speed);
}

void BatchLowering::lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                   BatchPool& pool) {
  pool.failures = drawn_host_failures(
      model, scope, read,
      {.element = &element, .name = pool.name, .hosts = pool.hosts, .value = "BAT002", .never_changes = "BAT013"});
  if (pool.provisioner == BatchModel::none || !pool.drawn()) return;
  model.refuse(element, "BAT012",
               pool.failures.by_laws         ? "failure"
               : pool.failures.any()         ? "up_while"
               : pool.failures.checkpoints() ? "checkpoint_period"
                                             : "variation",
               "A provisioner keeps a service alive on \"" + pool.name +
                   "\", whose hosts then do not fail or differ and whose jobs write no checkpoints; wanted none of "
                   "these.",
               "Take the provisioner away.");
}

void BatchLowering::lower_minutes(Lowering& model, PropertyReader& read, const Element& element, BatchPool& pool) {
  if (!pool.by_minutes()) return;
  MinuteRules& rules = pool.minute;
  rules.hosts = pool.hosts;
  for (auto [property, weight] : {std::pair("size_weight", &rules.size_weight), {"age_weight", &rules.age_weight}}) {
    *weight = read.quantity(element, property, Dimension(), *weight);
    if (!(*weight >= 0.0 && *weight <= 1e9))
      refuse_value(model, element, property, "The weight is " + number_text(*weight, 6) + "; wanted 0 to 1e9.");
  }
  rules.max_age_s = time(model, read, element, "max_age", rules.max_age_s, false, false);
  rules.interval_min =
      static_cast<std::uint32_t>(time(model, read, element, "plan_interval", 600.0, false, true) / 60.0);
  rules.slot_s = time(model, read, element, "plan_slot", rules.slot_s, false, false);
  constexpr double most_slots = 100'000;
  const double window_s = time(model, read, element, "plan_window", 172800.0, false, false);
  const double slots = std::ceil(window_s / rules.slot_s);
  if (slots > most_slots)
    refuse_value(model, element, "plan_window",
                 "The window has " + number_text(slots, 6) + " slots; wanted at most 1e5.");
  else rules.slots = static_cast<std::uint32_t>(slots);
  rules.tested = count(model, read, element, "plan_jobs", rules.tested, 1, 1e9);
}

void BatchLowering::check_jobs(Lowering& model, Scope& scope, const Element& element, BatchPool& pool) {
  // Of a policy that nobody knows it is not known whether it plans; that it is none is said already.
  const bool unknown = std::any_of(model.problems.begin(), model.problems.end(), [&](const Diagnostic& d) {
    return d.code == "DOC002" && d.element == pool.element && d.pointer == "policy";
  });
  const bool plans = !unknown && pool.policy != BatchModel::Policy::fifo;
  for (const std::uint32_t s : pool.streams) {
    const BatchStream& one = net().streams[s];
    const Element& at = *model.document.find(one.element);
    PropertyReader read(scope, model.problems);
    const double gib = parse_unit("GiB")->scale, wanted = memory(model, read, at, "gpu_memory");
    if (pool.memory_bytes > 0.0 && wanted > pool.memory_bytes)
      model.refuse(at, "BAT017", "gpu_memory",
                   "Jobs of \"" + one.name + "\" need " + number_text(wanted / gib, 6) +
                       " GiB of each accelerator, and those of \"" + pool.name + "\" have " +
                       number_text(pool.memory_bytes / gib, 6) + " GiB; wanted at most that.",
                   "Let them flow to a pool that has more.");
    const std::string without =
        " no limit, and \"" + pool.name + "\" plans with it; wanted a limit for each, or first come first served.";
    if (!one.trace) {
      if (plans && !one.limit && one.handed.place[1] < 0)
        model.refuse(at, "BAT005", "limit", "Jobs of \"" + one.name + "\" have" + without);
      continue;
    }
    std::size_t wide = 0;
    for (std::size_t i = 0; i < one.trace->jobs.size(); ++i) {
      const BatchJob& job = one.trace->jobs[i];
      if (job.hosts > pool.hosts) ++wide;
      if (!plans || std::isfinite(job.limit_s)) continue;
      return model.refuse(
          at, "BAT005", "trace",
          "Row " + std::to_string(one.trace->rows[i]) + ", job '" + quotable(one.trace->names[i]) + "', has" + without);
    }
    if (wide > 0)
      model.warn(element, "BAT008", "hosts",
                 std::to_string(wide) + " jobs of \"" + one.name + "\" want more than the " +
                     std::to_string(pool.hosts) + " hosts of \"" + pool.name + "\" and are rejected.",
                 "");
    if (pool.speed != 1.0) {
      auto here = std::make_shared<JobTrace>(*one.trace);
      for (BatchJob& job : here->jobs) job.run_s /= pool.speed;
      net().streams[s].trace = std::move(here);
    }
    if (net().on_its_trace(pool)) pool.background = Background::of(one.trace->jobs, one.trace->names);
  }
}

void BatchLowering::lower_service(Lowering& model, Scope& scope, BatchService& service) {
  const Element& element = *model.document.find(service.element);
  PropertyReader read(scope, model.problems);
  service.decider = meaning_of(read, element, "policy", provisioner_words);
  service.level = read.quantity(element, "level", Dimension(), service.level);
  if (!(service.level >= 0.0 && service.level <= 1.0))
    refuse_value(model, element, "level", "The level is " + number_text(service.level, 6) + "; wanted 0 to 1.");
  ChainRules& rules = service.rules;
  rules.hosts = count(model, read, element, "hosts", 1, 1, most_pool_hosts);
  rules.jobs = count(model, read, element, "chain_jobs", 2, 2, 10'000);
  rules.limit_s = time(model, read, element, "limit", rules.limit_s, false, true);
  rules.warm_up_s = time(model, read, element, "warm_up", rules.warm_up_s, true, true);
  rules.window_s = time(model, read, element, "window", rules.window_s, true, false);
  rules.decision_s = time(model, read, element, "decide_every", rules.decision_s, false, true);
  service.first_start_s = time(model, read, element, "first_start", 0.0, true, true);
  service.start_period_s = time(model, read, element, "start_period", service.start_period_s, false, true);
  service.starts = count(model, read, element, "starts", 1, 1, 100'000);
  if (service.decider == BatchModel::Decider::quantile) service.provisioner = Provisioner::quantile(service.level);
  if (service.decider == BatchModel::Decider::average) service.provisioner.kind = Provisioner::Kind::average;
  for (auto [property, weight] : {std::pair("interruption_weight", &service.weights.per_interruption),
                                  {"overlap_weight", &service.weights.per_overlap}}) {
    *weight = read.quantity(element, property, Dimension(), *weight);
    if (!(*weight >= 0.0 && *weight <= 1e6))
      refuse_value(model, element, property, "The weight is " + number_text(*weight, 6) + "; wanted 0 to 1e6.");
  }
  lower_lessons(model, read, element, service);
  if (service.pool == BatchModel::none)
    return model.refuse(element, "BAT003", "",
                        "\"" + service.name + "\" flows nowhere; wanted a flow to a pool of hosts.");
  const BatchPool& pool = net().pools[service.pool];
  rules.cluster = pool.minute;
  if (!pool.by_minutes())
    return model.refuse(*model.document.find(pool.element), "BAT007", "policy",
                        "\"" + service.name + "\" provisions on \"" + pool.name +
                            "\", whose scheduler is not that of minutes; wanted slurm.");
  if (rules.hosts > pool.hosts)
    refuse_value(model, element, "hosts",
                 "Each job wants " + std::to_string(rules.hosts) + " hosts, and \"" + pool.name + "\" has " +
                     std::to_string(pool.hosts) + ".");
}

void BatchLowering::lower_lessons(Lowering& model, PropertyReader& read, const Element& element,
                                  BatchService& service) {
  if (!service.learns()) return;
  ChainLessons& lessons = service.lessons;
  lessons.first_s = static_cast<std::int64_t>(time(model, read, element, "train_first", 0.0, true, true));
  lessons.weights = service.weights;
  lessons.period_s = static_cast<std::int64_t>(service.start_period_s);
  lessons.starts = count(model, read, element, "train_starts", lessons.starts, 1, 100'000);
  const double learned_s = static_cast<double>(lessons.first_s) +
                           (lessons.starts - 1.0) * static_cast<double>(lessons.period_s) + service.rules.window_s;
  const double tried_s =
      service.first_start_s + (service.starts - 1.0) * service.start_period_s + service.rules.window_s;
  if (service.first_start_s < learned_s && tried_s > static_cast<double>(lessons.first_s))
    model.warn(element, "BAT011", "train_starts",
               "\"" + service.name + "\" learns from the trace up to " + number_text(learned_s / 86400.0, 4) +
                   " d and is tried from " + number_text(service.first_start_s / 86400.0, 4) +
                   " d on: it has seen what it is tried on.",
               "Begin with a later first start.");
  if (service.pool == BatchModel::none) return;
  const auto learner =
      static_cast<Learner>(static_cast<int>(service.decider) - static_cast<int>(BatchModel::Decider::random_forest));
  service.provisioner = learned_provisioner(learner, net().pools[service.pool].background, service.rules, lessons);
}

}  // namespace ergode
