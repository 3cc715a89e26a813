// From drawn fleets of GPUs and the streams of jobs that flow to them to one FleetModel.
#include "solvers/cluster/lowering/fleet_lowering.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/base/text_place.h"
#include "core/base/unit.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"
#include "solvers/cluster/devices/device_character.h"
#include "solvers/cluster/lowering/drawn_arrivals.h"
#include "solvers/cluster/lowering/drawn_count.h"
#include "solvers/cluster/lowering/drawn_file.h"
#include "solvers/cluster/lowering/drawn_handover.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/fleet_words.h"
#include "solvers/cluster/lowering/host_failures.h"
#include "solvers/cluster/lowering/stream_flows.h"
#include "solvers/cluster/running/fleet_part.h"

namespace ergode {
namespace {

using FleetStream = FleetModel::Stream;
using Fleet = FleetModel::Fleet;

bool fleet_property_written(const Element& element, const char* property) {
  return !trim(element.text(property)).empty();
}

Dimension dimension_of(const char* unit) { return parse_unit(unit)->dimension; }

/// A class of the measured clusters, by the profile's name; alike where there is none.
SlownessProfile class_profile(const char* name) {
  if (const DeviceProfile* known = find_device_profile(name)) return known->profile();
  return {{0.0, 1.0}, {1.0, 1.0}};
}

class FleetLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  FleetModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  std::uint32_t slot(Lowering& model, const Element& element, const char* word, ValueType type = ValueType::integer(),
                     const char* unit = "", double scale = 1.0);
  void declare_stream(Lowering& model, const Element& element);
  void declare_fleet(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model);

  void lower_stream(Lowering& model, Scope& scope, FleetStream& stream);
  void read_trace(Lowering& model, const Element& element, const std::string& file, FleetStream& stream);
  void lower_fleet(Lowering& model, Scope& scope, Fleet& fleet);
  void lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Fleet& fleet);
  void lower_variation(Lowering& model, PropertyReader& read, const Element& element, Fleet& fleet);
  std::optional<ByClass<SlownessProfile>> measured_profiles(Lowering& model, PropertyReader& read,
                                                            const Element& element, FleetVariation& variation);
  static void add_measured_heat(const DeviceCharacter& known, FleetVariation& variation);
  void check_jobs(Lowering& model, Scope& scope, const Element& element, const Fleet& fleet);
  /// DEV012 where it is out of its range, and `otherwise`.
  double number(Lowering& model, PropertyReader& read, const Element& element, const char* property, const char* unit,
                double otherwise, double least, double most, bool whole = false);
  static void refuse_value(Lowering& model, const Element& at, const std::string& property, std::string message);

  std::shared_ptr<FleetPart> out_ = std::make_shared<FleetPart>();
  std::map<ElementId, std::uint32_t> stream_number_, fleet_number_;
};

void FleetLowering::declare(Lowering& model) {
  net().tables = table_names(model.document);
  const std::set<ElementId> own = fleet_streams(model.document);
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != "cluster") continue;
    for (const Element* node : model.document.nodes(diagram->id)) {
      if (node->kind == "job_stream" && own.contains(node->id)) declare_stream(model, *node);
      if (node->kind == "gpu_fleet") declare_fleet(model, *node);
    }
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "job_flow") join(model, *edge);
  }
  declare_observations(model);
}

void FleetLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "DEV011", "name", "The name is \"" + quotable(name) + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "DEV011", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
}

std::uint32_t FleetLowering::slot(Lowering& model, const Element& element, const char* word, ValueType type,
                                  const char* unit, double scale) {
  return model.slots.add({.name = element.name() + "." + word,
                          .unit = unit,
                          .scale = scale,
                          .type = type,
                          .element = element.id,
                          .writer = "gpu_fleet",
                          .range = {0.0, NamedSlot::everything.upper},
                          .by_set = true},
                         0.0);
}

void FleetLowering::declare_stream(Lowering& model, const Element& element) {
  declare_name(model, element, "job stream");
  FleetStream stream{.element = element.id, .name = element.name()};
  stream.submitted = slot(model, element, "submitted");
  stream.jobs = slot(model, element, "jobs"), stream.gpus_now = slot(model, element, "gpus");
  const TakenWord taken[] = {{"size", Dimension::of_time()}, {"gpus", Dimension()}};
  stream.handed = declare_handed_jobs(model, element, taken, "DEV020");
  stream_number_[element.id] = static_cast<std::uint32_t>(net().streams.size());
  net().streams.push_back(std::move(stream));
}

void FleetLowering::declare_fleet(Lowering& model, const Element& element) {
  declare_name(model, element, "fleet of GPUs");
  Fleet fleet{.element = element.id, .name = element.name()};
  const auto time = ValueType::real(Dimension::of_time());
  fleet.submitted = slot(model, element, "submitted"), fleet.rejected = slot(model, element, "rejected");
  fleet.jobs = slot(model, element, "jobs"), fleet.waiting = slot(model, element, "waiting");
  fleet.busy = slot(model, element, "busy"), fleet.done = slot(model, element, "done");
  fleet.spend = slot(model, element, "spend", ValueType::real(dimension_of("USD/h")), "USD/h", 1.0 / 3600.0);
  fleet.power = slot(model, element, "power", ValueType::real(dimension_of("W")), "W");
  fleet.makespan = slot(model, element, "makespan", time, "s");
  fleet.mean_response_time = slot(model, element, "mean_response_time", time, "s");
  fleet.mean_slowdown = slot(model, element, "mean_slowdown", ValueType::real());
  fleet.utilisation = slot(model, element, "utilisation", ValueType::real());
  fleet.baseline_response_time = slot(model, element, "baseline_response_time", time, "s");
  fleet.baseline_slowdown = slot(model, element, "baseline_slowdown", ValueType::real());
  fleet.baseline_makespan = slot(model, element, "baseline_makespan", time, "s");
  fleet.baseline_utilisation = slot(model, element, "baseline_utilisation", ValueType::real());
  fleet.up = slot(model, element, "up"), fleet.host_failures = slot(model, element, "host_failures");
  fleet.restarts = slot(model, element, "restarts"), fleet.lost_work = slot(model, element, "lost_work", time, "s");
  fleet_number_[element.id] = static_cast<std::uint32_t>(net().fleets.size());
  net().fleets.push_back(std::move(fleet));
}

void FleetLowering::join(Lowering& model, const Element& flow) {
  const Element *from = model.document.find(flow.source), *to = model.document.find(flow.target);
  if (from == nullptr || to == nullptr) return;
  const auto stream = stream_number_.find(flow.source), fleet = fleet_number_.find(flow.target);
  if (stream == stream_number_.end()) {
    // Who flows to a pool as well is told there.
    if (fleet != fleet_number_.end() && from->kind != "job_stream")
      model.refuse(flow, "DEV013", "",
                   "Jobs flow from \"" + from->name() + "\" to \"" + to->name() + "\". Jobs come from a job stream.",
                   "Take it away.");
    return;
  }
  std::uint32_t& at = net().streams[stream->second].fleet;
  if (fleet == fleet_number_.end() || at != FleetModel::none) {
    model.refuse(flow, "DEV013", "",
                 "\"" + from->name() + "\" flows to \"" + to->name() + "\" beside a fleet; wanted one fleet of GPUs.",
                 "Take it away, or draw a stream for each.");
    return;
  }
  at = fleet->second;
}

void FleetLowering::declare_observations(Lowering& model) {
  for (std::uint32_t s = 0; s < net().streams.size(); ++s) {
    FleetStream& one = net().streams[s];
    if (one.fleet == FleetModel::none) continue;
    std::vector<std::uint32_t>& all = net().fleets[one.fleet].streams;
    one.place = static_cast<std::uint32_t>(all.size());
    all.push_back(s);
  }
  for (Fleet& fleet : net().fleets) {
    std::vector<std::string> classes;
    for (const std::uint32_t s : fleet.streams) classes.push_back(net().streams[s].name);
    const auto add = [&](const char* word, const char* unit, double least) {
      return model.slots.add(
          StreamSpec{fleet.name + "." + word, unit, fleet.element, classes, {least, NamedSlot::everything.upper}});
    };
    fleet.wait = add("wait", "s", 0.0), fleet.response_time = add("response_time", "s", 0.0);
    fleet.slowdown = add("slowdown", "", 0.0);
    fleet.job_lost_work = add("job_lost_work", "s", 0.0), fleet.job_restarts = add("job_restarts", "", 0.0);
  }
}

std::shared_ptr<LoweredPart> FleetLowering::lower(Lowering& model, Scope& scope) {
  if (net().fleets.empty()) return nullptr;
  for (FleetStream& stream : net().streams) lower_stream(model, scope, stream);
  for (Fleet& fleet : net().fleets) lower_fleet(model, scope, fleet);
  return out_;
}

void FleetLowering::refuse_value(Lowering& model, const Element& at, const std::string& property, std::string message) {
  model.refuse_once(at, "DEV012", property, std::move(message));
}

double FleetLowering::number(Lowering& model, PropertyReader& read, const Element& element, const char* property,
                             const char* unit, double otherwise, double least, double most, bool whole) {
  const Unit in = parse_unit(unit).value_or(Unit{});
  const double value = read.quantity(element, property, *unit == '\0' ? Dimension() : in.dimension, otherwise);
  if (value >= least && value <= most && (!whole || value == std::floor(value))) return value;
  const double scale = *unit == '\0' ? 1.0 : in.scale;
  const std::string behind = *unit == '\0' ? "" : " " + std::string(unit);
  refuse_value(model, element, property,
               "The value is " + number_text(value / scale, 9) + behind + "; wanted a " + (whole ? "whole " : "") +
                   "number from " + number_text(least / scale, 6) + behind + " to " + number_text(most / scale, 6) +
                   behind + ".");
  return otherwise;
}

void FleetLowering::lower_stream(Lowering& model, Scope& scope, FleetStream& stream) {
  const Element& element = *model.document.find(stream.element);
  PropertyReader read(scope, model.problems);
  stream.handed_on = handed_on(model, element, words_of_jobs("gpus"), words_of_rejected_jobs("gpus"));
  stream.of_class = meaning_of(read, element, "application", application_words);
  if (fleet_property_written(element, "locality_penalty"))
    stream.penalty = number(model, read, element, "locality_penalty", "", 1.0, 1.0, 1000.0);
  stream.most_jobs = drawn_most_jobs(model, scope, element, "DEV012");
  if (const std::string file = drawn_file(model, read, element, "trace", "DEV021", "jobs are drawn"); !file.empty())
    return read_trace(model, element, file, stream);
  lower_arrivals(model, scope, element, "DEV012", stream);
  stream.size = drawn_times(model, scope, element, "DEV012", "size", default_job_size);
  stream.gpus = drawn_positive_law(model, scope, element, "DEV012", "gpus", default_job_gpus, Dimension());
  warn_of_part(model, element, "gpus", stream.gpus);
}

void FleetLowering::read_trace(Lowering& model, const Element& element, const std::string& file, FleetStream& stream) {
  stream.trace = std::make_shared<const FleetTrace>();
  const auto text = model.text_of(element, "DEV014", "trace", file);
  if (!text) return;
  auto read = read_fleet_trace(*text->text, text->name);
  if (const auto* problems = std::get_if<Diagnostics>(&read)) {
    for (const Diagnostic& one : *problems) model.refuse(element, one.code, "trace", one.message, one.hint);
    return;
  }
  auto trace = std::make_shared<FleetTrace>(std::get<FleetTrace>(std::move(read)));
  keep_first(trace->jobs, stream.most_jobs);
  stream.trace = std::move(trace);
}

void FleetLowering::lower_fleet(Lowering& model, Scope& scope, Fleet& fleet) {
  const Element& element = *model.document.find(fleet.element);
  PropertyReader read(scope, model.problems);
  fleet.gpus_per_node =
      static_cast<std::uint32_t>(number(model, read, element, "gpus_per_node", "", 4.0, 1.0, 1024.0, true));
  fleet.nodes = static_cast<std::uint32_t>(
      number(model, read, element, "nodes", "", 16.0, 1.0,
             std::floor(static_cast<double>(GpuPlacer::most_gpus) / fleet.gpus_per_node), true));
  fleet.type = element.text("type");
  fleet.memory_bytes = number(model, read, element, "memory", "GiB", 0.0, 0.0, 1e18);
  fleet.speed = number(model, read, element, "speed", "", 1.0, 1e-6, 1e6);
  fleet.price_per_s = number(model, read, element, "price", "USD/h", 0.0, 0.0, 1e6);
  fleet.power_w = number(model, read, element, "power", "W", 0.0, 0.0, 1e9);
  fleet.power_said = fleet_property_written(element, "power");
  fleet.placement = meaning_of(read, element, "placement", placement_words);
  fleet.baseline = meaning_of(read, element, "baseline", baseline_words);
  fleet.order = meaning_of(read, element, "queue", fleet_order_words);
  lower_variation(model, read, element, fleet);
  lower_failures(model, scope, read, element, fleet);
  if (fleet.streams.empty())
    return model.warn(element, "DEV017", "", "No jobs come to \"" + fleet.name + "\".",
                      "Draw a flow from a job stream.");
  check_jobs(model, scope, element, fleet);
}

void FleetLowering::lower_failures(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                                   Fleet& fleet) {
  HostFailures& out = fleet.failures;
  out = drawn_host_failures(
      model, scope, read,
      {.element = &element, .name = fleet.name, .hosts = fleet.nodes, .value = "DEV012", .never_changes = "DEV023"});
  if (!fleet.baseline || !(out.any() || out.checkpoints())) return;
  model.refuse(element, "DEV022", "baseline",
               "\"" + fleet.name +
                   "\" is compared with another placement, beside which nodes do not fail and jobs write no "
                   "checkpoints; wanted none of these, or no comparison.",
               "Compare two runs: ergode sweep MODEL --vary placement=pal,packed --compare.");
}

void FleetLowering::lower_variation(Lowering& model, PropertyReader& read, const Element& element, Fleet& fleet) {
  const VariationSource source = meaning_of(read, element, "variation", variation_words);
  if (source == VariationSource::none) return;
  if (source == VariationSource::power_cap) {
    fleet.variation.power_cap.emplace();
    double& tail = fleet.variation.power_cap->tail_probability;
    tail = number(model, read, element, "tail_probability", "", tail, 0.0, 1.0);
    return;
  }
  const char *a = "resnet50_longhorn", *b = "bert_longhorn", *d = "pagerank_longhorn";
  if (source == VariationSource::sgemm_longhorn) a = "sgemm_longhorn";
  if (source == VariationSource::frontera) a = "resnet50_frontera", b = "bert_frontera", d = "pagerank_frontera";
  if (source == VariationSource::lonestar6) a = "resnet50_lonestar6", b = "", d = "";
  ByClass<SlownessProfile> profiles{class_profile(a), class_profile(b), class_profile(b), class_profile(d)};
  if (source == VariationSource::frontera_32)
    for (std::size_t c = 0; c < application_classes; ++c) profiles[c] = profile_of_32_frontera(c);
  if (source == VariationSource::sgemm_longhorn) add_sgemm_longhorn_heat(fleet.variation);
  if (source == VariationSource::measured) {
    auto own = measured_profiles(model, read, element, fleet.variation);
    if (!own) return;
    profiles = std::move(*own);
  }
  if (fleet_property_written(element, "scale_to")) {
    const double wanted = number(model, read, element, "scale_to", "", 0.08, 1e-6, 1.0),
                 known = profiles[0].variation();
    if (!(known > 0.0))
      return refuse_value(model, element, "scale_to", "GPUs of class A are all alike here; wanted some that differ.");
    // All classes by the same factor.
    for (SlownessProfile& one : profiles)
      if (one.variation() > 0.0) one = one.scaled_to(one.variation() * wanted / known);
  }
  fleet.variation.law.emplace(std::move(profiles));
}

std::optional<ByClass<SlownessProfile>> FleetLowering::measured_profiles(Lowering& model, PropertyReader& read,
                                                                         const Element& element,
                                                                         FleetVariation& variation) {
  const std::string name = read.file(element, "measurements");
  if (name.empty()) {
    model.refuse(element, "DEV014", "measurements", "No file is named; wanted one of measured GPUs.");
    return std::nullopt;
  }
  const auto text = model.text_of(element, "DEV014", "measurements", name);
  if (!text) return std::nullopt;
  const auto found = read_device_measurements(*text->text, text->name);
  if (const auto* problems = std::get_if<Diagnostics>(&found)) {
    for (const Diagnostic& one : *problems) model.refuse(element, one.code, "measurements", one.message, one.hint);
    return std::nullopt;
  }
  const SlownessProfile alike = class_profile("");
  ByClass<SlownessProfile> out{alike, alike, alike, alike};
  const auto& sets = std::get<0>(found);
  for (const DeviceMeasurements& one : sets) {
    // One application alone is class A, whatever its name.
    const auto of_class =
        sets.size() == 1 && !application_class(one.app) ? std::optional<std::uint32_t>(0) : application_class(one.app);
    if (!of_class) {
      model.refuse(element, "DEV014", "measurements",
                   text->name + ": the application is '" + quotable(one.app) + "'; wanted A, B, C or D.");
      return std::nullopt;
    }
    const DeviceCharacter known = characterise(one);
    out[*of_class] = known.profile;
    if (*of_class == 0) add_measured_heat(known, variation);
  }
  return out;
}

/// What a file says of GPUs at work for class A beside their time, of the medians of each.
void FleetLowering::add_measured_heat(const DeviceCharacter& known, FleetVariation& variation) {
  const auto of = [&](DeviceQuantity quantity) -> const std::vector<double>& {
    return known.medians[static_cast<std::size_t>(quantity)];
  };
  for (const auto& [quantity, into] : {std::pair(DeviceQuantity::temperature, &variation.temperature_c),
                                       {DeviceQuantity::frequency, &variation.frequency_mhz},
                                       {DeviceQuantity::power, &variation.power_w}}) {
    std::vector<double> values = of(quantity);
    if (values.empty()) continue;
    const double ranks = spearman_correlation(of(DeviceQuantity::time), values);
    std::sort(values.begin(), values.end());
    SlownessProfile quantiles;
    for (const double p : profile_probabilities())
      quantiles.p.push_back(p), quantiles.values.push_back(quantile_between(values, p));
    *into = DeviceQuantityLaw{std::move(quantiles), std::isnan(ranks) ? 0.0 : ranks};
  }
}

void FleetLowering::check_jobs(Lowering& model, Scope& scope, const Element& element, const Fleet& fleet) {
  PropertyReader read(scope, model.problems);
  for (const std::uint32_t s : fleet.streams) {
    const FleetStream& one = net().streams[s];
    const Element& at = *model.document.find(one.element);
    const double memory = number(model, read, at, "gpu_memory", "GiB", 0.0, 0.0, 1e18);
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    if (fleet.memory_bytes > 0.0 && memory > fleet.memory_bytes)
      model.refuse(at, "DEV015", "gpu_memory",
                   "Jobs of \"" + one.name + "\" need " + number_text(memory / gib, 6) +
                       " GiB of each GPU, and those of \"" + fleet.name + "\" have " +
                       number_text(fleet.memory_bytes / gib, 6) + " GiB.");
    if (fleet.baseline && !one.ends())
      model.refuse(element, "DEV019", "baseline",
                   "Jobs of \"" + one.name +
                       "\" go on without end or come at a rate, so they cannot be run beside; wanted "
                       "a trace, or a time between arrivals and a number of jobs.");
    if (!one.trace && !one.handed.brings(0) && !has_errors(model.problems)) {
      const double gpus = std::max(1.0, std::ceil(one.gpus.mean()));
      warn_of_restarts(model, element, "DEV024", fleet.failures, one.name, std::ceil(gpus / fleet.gpus_per_node),
                       one.size, fleet.speed);
    }
    std::size_t wide = 0;
    if (one.trace)
      for (const FleetJob& job : one.trace->jobs) wide += job.gpus > fleet.gpus() ? 1 : 0;
    else if (least_of(one.gpus) > fleet.gpus()) wide = 1;
    if (wide > 0)
      model.warn(element, "DEV016", "nodes",
                 (one.trace ? std::to_string(wide) : std::string("All")) + " jobs of \"" + one.name +
                     "\" want more than the " + std::to_string(fleet.gpus()) + " GPUs of \"" + fleet.name +
                     "\" and are rejected.",
                 "");
  }
}

}  // namespace

std::unique_ptr<NotationLowering> fleet_lowering() { return std::make_unique<FleetLowering>(); }

std::set<ElementId> fleet_streams(const Document& document) {
  std::set<ElementId> out = streams_that_flow_to(document, "gpu_fleet");
  for (const ElementId one : streams_that_flow_to(document, "host_pool")) out.erase(one);
  return out;
}

std::vector<std::string> fleet_slots_of_kind(std::string_view kind) {
  if (kind != "gpu_fleet") return {};
  std::vector<std::string> out = {"submitted", "rejected", "jobs", "waiting", "busy", "done", "spend", "power"};
  for (const char* word : {"makespan", "mean_response_time", "mean_slowdown", "utilisation"}) out.emplace_back(word);
  for (const char* word : {"response_time", "slowdown", "makespan", "utilisation"})
    out.push_back(std::string("baseline_") + word);
  for (const char* word : {"up", "host_failures", "restarts", "lost_work"}) out.emplace_back(word);
  return out;
}

std::vector<std::string> fleet_streams_of_kind(std::string_view kind) {
  if (kind != "gpu_fleet") return {};
  return {"wait", "response_time", "slowdown", "job_lost_work", "job_restarts"};
}

}  // namespace ergode
