// From drawn clusters of GPUs and their streams of jobs to one GangModel.
#include "solvers/cluster/lowering/gang_lowering.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/gang/gang_scheduler.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/drawn_speedup.h"
#include "solvers/cluster/lowering/gang_words.h"
#include "solvers/cluster/lowering/rental_lowering.h"
#include "solvers/cluster/running/gang_part.h"
#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/throughput_table.h"

namespace ergode {
namespace {

using GangStream = GangModel::Stream;
using GangCluster = GangModel::Cluster;

Dimension watts() {
  Dimension out;
  out.exponent[Dimension::mass] = 1, out.exponent[Dimension::length] = 2, out.exponent[Dimension::time] = -3;
  return out;
}
Dimension price_of_time() {
  Dimension out = Dimension::per_time();
  out.exponent[Dimension::money] = 1;
  return out;
}

bool is_said(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

class GangLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  GangModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  void declare_cluster(Lowering& model, const Element& element);
  void declare_stream(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model);
  void lower_stream(Lowering& model, Scope& scope, GangStream& stream);
  void lower_drawn(Lowering& model, Scope& scope, const Element& element, GangStream& stream);
  void read_trace(Lowering& model, Scope& scope, const Element& element, const std::string& file, GangStream& stream);
  std::optional<GangTrace> gavel_jobs(Lowering& model, PropertyReader& read, const Element& element,
                                      const DataFiles::Text& trace);
  /// The text of a file; GNG004 and nothing.
  static std::optional<DataFiles::Text> file_of(Lowering& model, const Element& element, const char* property,
                                                const std::string& file);
  void lower_cluster(Lowering& model, Scope& scope, GangCluster& cluster);
  void lower_policy(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, GangOptions& options);
  void check_jobs(Lowering& model, const Element& element, const GangCluster& cluster);
  Distribution law(Lowering& model, Scope& scope, const Element& at, const char* property, const char* otherwise,
                   Dimension dimension);
  /// A number in a range; GNG002 otherwise, and the least.
  static double number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                       Dimension dimension, double otherwise, double least, double most, bool whole = false);
  static std::vector<double> list(Lowering& model, Scope& scope, const Element& element, const char* property,
                                  const char* otherwise, bool rise);
  static void warn(Lowering& model, const Element& at, const char* code, const char* property, std::string message,
                   std::string hint = {});

  std::shared_ptr<GangPart> out_ = std::make_shared<GangPart>();
  std::map<ElementId, std::uint32_t> stream_number_, cluster_number_;
};

void GangLowering::warn(Lowering& model, const Element& at, const char* code, const char* property, std::string message,
                        std::string hint) {
  model.problems.push_back({.severity = Severity::warning,
                            .code = code,
                            .element = at.id,
                            .pointer = property,
                            .message = std::move(message),
                            .hint = std::move(hint)});
}

void GangLowering::declare(Lowering& model) {
  const std::set<ElementId> own = gang_streams(model.document);
  for (const Element* node : model.nodes("cluster", "job_stream"))
    if (own.contains(node->id)) declare_stream(model, *node);
  for (const Element* node : model.nodes("cluster", "gpu_cluster")) declare_cluster(model, *node);
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "job_flow") join(model, *edge);
  }
  declare_observations(model);
}

void GangLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "GNG001", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "GNG001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
}

std::uint32_t slot_of_gang(Lowering& model, const Element& element, const char* word, ValueType type,
                           const char* unit = "") {
  return model.slots.add({.name = element.name() + "." + word,
                          .unit = unit,
                          .type = type,
                          .element = element.id,
                          .writer = "gpu_cluster",
                          .range = {0.0, NamedSlot::everything.upper},
                          .by_set = true},
                         0.0);
}

void GangLowering::declare_stream(Lowering& model, const Element& element) {
  declare_name(model, element, "job stream");
  GangStream stream{.element = element.id, .name = element.name()};
  stream.submitted = slot_of_gang(model, element, "submitted", ValueType::integer());
  stream.jobs = slot_of_gang(model, element, "jobs", ValueType::integer());
  stream.gpus_now = slot_of_gang(model, element, "gpus", ValueType::real());
  const TakenWord taken[] = {
      {"size", Dimension::of_time()}, {"gpus", Dimension()}, {"cpus", Dimension()}, {"memory", Dimension()}};
  stream.handed = declare_handed_jobs(model, element, taken, "GNG010");
  stream_number_[element.id] = static_cast<std::uint32_t>(net().streams.size());
  net().streams.push_back(std::move(stream));
}

void GangLowering::declare_cluster(Lowering& model, const Element& element) {
  declare_name(model, element, "GPU cluster");
  GangCluster one{.element = element.id, .name = element.name()};
  for (auto [word, slot] : {std::pair("submitted", &one.submitted),
                            {"jobs", &one.jobs},
                            {"waiting", &one.waiting},
                            {"gpus", &one.gpus},
                            {"free", &one.free},
                            {"stranded", &one.stranded},
                            {"preemptions", &one.preemptions},
                            {"done", &one.done},
                            {"rejected", &one.rejected}})
    *slot = slot_of_gang(model, element, word, ValueType::integer());
  one.power = slot_of_gang(model, element, "power", ValueType::real(watts()), "W");
  one.makespan = slot_of_gang(model, element, "makespan", ValueType::real(Dimension::of_time()), "s");
  cluster_number_[element.id] = static_cast<std::uint32_t>(net().clusters.size());
  net().clusters.push_back(std::move(one));
}

void GangLowering::join(Lowering& model, const Element& flow) {
  const auto stream = stream_number_.find(flow.source), cluster = cluster_number_.find(flow.target);
  const Element *from = model.document.find(flow.source), *to = model.document.find(flow.target);
  if (from == nullptr || to == nullptr) return;
  if (cluster == cluster_number_.end()) {
    if (stream != stream_number_.end())
      model.refuse(flow, "GNG003", "",
                   "\"" + from->name() + "\" flows to \"" + to->name() + "\" too; wanted one GPU cluster.",
                   "Take it away, or draw a stream for each.");
    return;
  }
  if (from->kind == "job_stream" && stream == stream_number_.end()) return;  // a pool's, which says so
  if (stream == stream_number_.end()) {
    model.refuse(flow, "GNG006", "",
                 "Jobs flow from \"" + from->name() + "\" to \"" + to->name() + "\". Jobs come from a job stream.",
                 "Take it away.");
    return;
  }
  std::uint32_t& at = net().streams[stream->second].cluster;
  if (at != GangModel::none) {
    model.refuse(flow, "GNG003", "",
                 "Jobs of \"" + from->name() + "\" go to \"" + net().clusters[at].name + "\" and to \"" + to->name() +
                     "\"; wanted one GPU cluster.",
                 "Draw a stream for each.");
    return;
  }
  at = cluster->second;
}

void GangLowering::declare_observations(Lowering& model) {
  for (std::uint32_t s = 0; s < net().streams.size(); ++s) {
    GangStream& one = net().streams[s];
    if (one.cluster == GangModel::none) continue;
    std::vector<std::uint32_t>& all = net().clusters[one.cluster].streams;
    one.of_class = static_cast<std::uint32_t>(all.size());
    all.push_back(s);
  }
  for (GangCluster& cluster : net().clusters) {
    std::vector<std::string> classes;
    for (const std::uint32_t s : cluster.streams) classes.push_back(net().streams[s].name);
    const auto add = [&](const char* word, const char* unit) {
      return model.slots.add(
          StreamSpec{cluster.name + "." + word, unit, cluster.element, classes, {0.0, NamedSlot::everything.upper}});
    };
    cluster.response_time = add("response_time", "s"), cluster.wait = add("wait", "s");
    cluster.slowdown = add("slowdown", ""), cluster.cost = add("cost", "USD");
  }
}

std::shared_ptr<LoweredPart> GangLowering::lower(Lowering& model, Scope& scope) {
  if (net().clusters.empty() && net().streams.empty()) return nullptr;
  for (GangStream& stream : net().streams) lower_stream(model, scope, stream);
  for (GangCluster& cluster : net().clusters) lower_cluster(model, scope, cluster);
  return out_;
}

double GangLowering::number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                            Dimension dimension, double otherwise, double least, double most, bool whole) {
  const double value = read.quantity(element, property, dimension, otherwise);
  if (value >= least && value <= most && (!whole || value == std::floor(value))) return value;
  for (const Diagnostic& known : model.problems)
    if (known.severity == Severity::error && known.element == element.id && known.pointer == property) return least;
  const bool money = dimension.exponent[Dimension::money] != 0;
  const char* unit = dimension.none() ? "" : dimension.exponent[Dimension::mass] != 0 ? " W" : money ? " USD/h" : " s";
  const double scale = money ? 3600.0 : 1.0;
  model.refuse(element, "GNG002", property,
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

Distribution GangLowering::law(Lowering& model, Scope& scope, const Element& at, const char* property,
                               const char* otherwise, Dimension dimension) {
  const Distribution none = Distribution::deterministic(1.0);
  const auto drawn = drawn_law(model, scope, at, property, otherwise, dimension);
  if (!drawn) return none;
  const double least = least_of(*drawn);
  if (least >= 0.0 && drawn->mean() > 0.0 && std::isfinite(drawn->mean())) return *drawn;
  model.refuse(at, "GNG002", property,
               "Its mean is " + number_text(drawn->mean(), 6) + " and its least value " + number_text(least, 6) +
                   " in SI units; wanted a finite mean above 0 and nothing below.");
  return none;
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
  stream.has_rate = is_said(element, "rate");
  if (stream.has_rate) {
    stream.rate = model.program(element, "rate", ValueType::real(Dimension::per_time()), scope);
    stream.reader = model.slots.wake(stream.rate);
    if (stream.rate.is_constant() && !(stream.rate.value() > 0.0 && std::isfinite(stream.rate.value())))
      model.refuse(
          element, "GNG002", "rate",
          "The rate is " + number_text(stream.rate.value() * 3600.0, 6) + " /h; wanted a finite rate above 0 /h.");
  } else if (!stream.handed.any()) {
    stream.gap = law(model, scope, element, "interarrival", default_job_gap, Dimension::of_time());
  }
  stream.size = law(model, scope, element, "size", default_job_size, Dimension::of_time());
  stream.gpus = law(model, scope, element, "gpus", default_gang_gpus, Dimension());
  warn_of_part(model, element, "gpus", stream.gpus);
  stream.cpus = number(model, read, element, "cpus", Dimension(), 0.0, 0.0, 1e9);
  stream.memory = number(model, read, element, "memory", Dimension(), 0.0, 0.0, 1e12);
}

std::optional<DataFiles::Text> GangLowering::file_of(Lowering& model, const Element& element, const char* property,
                                                     const std::string& file) {
  auto text = model.files.text(file);
  if (const auto* refusal = std::get_if<FileRefusal>(&text)) {
    model.refuse(element, "GNG004", property, refusal->why,
                 refusal->folder.empty() ? "" : "Put it there, or allow its folder: --allow-folder " + refusal->folder);
    return std::nullopt;
  }
  if (const auto* problem = std::get_if<Diagnostic>(&text)) {
    model.refuse(element, "GNG004", property, problem->message);
    return std::nullopt;
  }
  return std::get<DataFiles::Text>(std::move(text));
}

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
  const auto text = file_of(model, element, "throughputs", table);
  if (!text) return std::nullopt;
  const auto jobs = read_gavel_trace(*trace.text, trace.name);
  const auto speeds = read_throughputs(*text->text, text->name, "");
  for (const auto* found : {std::get_if<Diagnostics>(&jobs), std::get_if<Diagnostics>(&speeds)})
    if (found != nullptr)
      for (const Diagnostic& one : *found) model.refuse(element, "GNG004", "trace", one.message, one.hint);
  if (jobs.index() != 0 || speeds.index() != 0) return std::nullopt;
  GangTrace out{.users = {""}};
  std::map<std::string, std::size_t> missing;
  const double zero_s = std::get<0>(jobs).front().arrival_s;
  for (const RoundJob& job : std::get<0>(jobs)) {
    const auto speed = std::get<0>(speeds).of(job.model, job.batch_size, job.gpus);
    if (!speed) {
      ++missing[job.model + " with batch size " + std::to_string(job.batch_size) + " on " + std::to_string(job.gpus) +
                " GPUs"];
      continue;
    }
    out.names.push_back(std::to_string(out.jobs.size())), out.kinds.push_back(job.model);
    out.rows.push_back(static_cast<std::uint32_t>(out.rows.size() + 1));
    out.jobs.push_back({.arrival_s = job.arrival_s - zero_s,
                        .work_s = static_cast<double>(job.total_steps) / *speed,
                        .gpus = static_cast<std::uint32_t>(job.gpus)});
  }
  std::size_t told = 0;
  for (const auto& [what, count] : missing) {
    constexpr std::size_t most = 10;
    if (++told > most) break;
    model.refuse(
        element, "GNG004", "throughputs",
        text->name + " has no row for " + what + ", which " + std::to_string(count) + " jobs of " + trace.name +
            " want; wanted one.",
        told == most && missing.size() > most ? std::to_string(missing.size() - most) + " more are not shown." : "");
  }
  return missing.empty() ? std::optional(std::move(out)) : std::nullopt;
}

void GangLowering::read_trace(Lowering& model, Scope& scope, const Element& element, const std::string& file,
                              GangStream& stream) {
  stream.trace = std::make_shared<const GangTrace>();
  const auto text = file_of(model, element, "trace", file);
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
  auto read = stream.passes() && is_job_trace(bytes, name) ? gang_trace_of(read_job_trace(bytes, name, most_told))
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
  if (made->without_gpus + made->not_run > 0)
    warn(model, element, "GNG008", "trace",
         name + ": " + std::to_string(made->without_gpus) + " jobs want no GPUs and " + std::to_string(made->not_run) +
             " never ran; they are left out.");
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
  cluster.type = element.text("type");
  cluster.price_per_s = number(model, read, element, "price", price_of_time(), 0.0, 0.0, 1e9);
  cluster.budget_per_s = number(model, read, element, "budget", price_of_time(), 0.0, 0.0, 1e9);
  cluster.busy_w = number(model, read, element, "busy_power", watts(), 0.0, 0.0, 1e9);
  cluster.idle_w = number(model, read, element, "idle_power", watts(), 0.0, 0.0, 1e9);
  options.speedups.clear();
  for (const std::uint32_t s : cluster.streams) options.speedups.push_back(net().streams[s].speedup);
  if (cluster.streams.empty())
    return warn(model, element, "GNG008", "", "No jobs come to \"" + cluster.name + "\".",
                "Draw a flow from a job stream.");
  check_jobs(model, element, cluster);
}

void GangLowering::check_jobs(Lowering& model, const Element& element, const GangCluster& cluster) {
  const GangScheduler scheduler(cluster.options);
  for (const std::uint32_t s : cluster.streams) {
    const GangStream& one = net().streams[s];
    if (!one.trace) continue;
    const auto wide = std::count_if(one.trace->jobs.begin(), one.trace->jobs.end(),
                                    [&](const GangJob& job) { return !scheduler.can_ever_fit(job); });
    if (wide > 0)
      warn(model, element, "GNG007", "gpus",
           std::to_string(wide) + " jobs of \"" + one.name + "\" do not fit on \"" + cluster.name + "\" with its " +
               std::to_string(cluster.options.gpus) + " GPUs and are rejected.");
  }
}

}  // namespace

std::unique_ptr<NotationLowering> gang_lowering() { return std::make_unique<GangLowering>(); }

// A stream that flows nowhere, and whose jobs are customers of a queueing network, is one of jobs with GPUs, too.
std::set<ElementId> gang_streams(const Document& document) {
  std::set<ElementId> out, flowing;
  std::set<std::string> named;
  const std::set<ElementId> of_pools = pool_streams(document);
  for (const Element* diagram : document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* edge : document.edges(diagram->id)) {
      const Element *from = document.find(edge->source), *to = document.find(edge->target);
      if (edge->kind != "job_flow" || from == nullptr || to == nullptr || from->kind != "job_stream") continue;
      flowing.insert(from->id);
      if (to->kind == "gpu_cluster" && !of_pools.contains(from->id)) out.insert(from->id);
    }
  }
  for (const Element* node : document.of(Section::node))
    if (node->kind == "source" && is_said(*node, "jobs")) named.emplace(trim(node->text("jobs")));
  for (const Element* node : document.of(Section::node))
    if (node->kind == "job_stream" && named.contains(node->name()) && !flowing.contains(node->id)) out.insert(node->id);
  return out;
}

std::vector<std::string> gang_slots_of_kind(std::string_view kind) {
  if (kind == "gpu_cluster")
    return {"submitted",   "jobs", "waiting",  "gpus",  "free",    "stranded",
            "preemptions", "done", "rejected", "power", "makespan"};
  return {};
}

std::vector<std::string> gang_streams_of_kind(std::string_view kind) {
  if (kind == "gpu_cluster") return {"response_time", "wait", "slowdown", "cost"};
  return {};
}

}  // namespace ergode
