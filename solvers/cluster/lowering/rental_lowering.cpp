// From drawn rentals to one RentalModel: names and slots, laws and numbers, and the widths that the budget buys.
#include "solvers/cluster/lowering/rental_lowering.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/expression/compile.h"
#include "core/expression/parameters.h"
#include "core/expression/written_unit.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/drawn_law.h"
#include "solvers/cluster/lowering/drawn_speedup.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/lowering/rental_words.h"
#include "solvers/cluster/model/job_loads.h"
#include "solvers/cluster/running/rental_part.h"

namespace ergode {
namespace {

constexpr std::string_view cluster_notation_name = "cluster";
constexpr double seconds_of_hour = 3600.0;

using JobStream = RentalModel::Stream;
using Rental = RentalModel::Rental;

Dimension money_per_time() {
  Dimension out = Dimension::per_time();
  out.exponent[Dimension::money] = 1;
  return out;
}

bool is_given(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

class RentalLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  RentalModel& net() { return out_->model; }
  void declare_name(Lowering& model, const Element& element, const char* what);
  std::uint32_t slot(Lowering& model, const Element& element, const char* word, ValueType type, double scale = 1.0,
                     const char* unit = "");
  void declare_stream(Lowering& model, const Element& element);
  void declare_rental(Lowering& model, const Element& element);
  void join(Lowering& model, const Element& flow);
  void declare_observations(Lowering& model);

  void lower_stream(Lowering& model, Scope& scope, JobStream& stream);
  void lower_arrivals(Lowering& model, Scope& scope, const Element& element, JobStream& stream);
  Distribution law(Lowering& model, Scope& scope, const Element& at, const char* property, const char* otherwise);
  void lower_rental(Lowering& model, Scope& scope, Rental& rental);
  void lower_failures(Lowering& model, PropertyReader& read, const Element& element, Rental& rental);
  void lower_exponent(Lowering& model, PropertyReader& read, const Element& element, Rental& rental);
  void plan(Lowering& model, const Element& element, Rental& rental);
  void compare_load(Lowering& model, const Element& element, const Rental& rental);
  /// RNT002. Nothing where its text is refused already: what stands for its value is nobody's then.
  static void refuse_value(Lowering& model, const Element& at, const std::string& property, std::string message);
  /// The unit in which a property is written, for what is said of its value.
  static Unit unit_of(const Lowering& model, const Element& at, const char* property, const char* usual);
  static void warn(Lowering& model, const Element& at, const char* code, const char* property, std::string message,
                   std::string hint);

  std::shared_ptr<RentalPart> out_ = std::make_shared<RentalPart>();
  std::map<ElementId, std::uint32_t> stream_number_, rental_number_;
  std::set<ElementId> misled_;  ///< streams with a flow that was refused
};

void RentalLowering::declare(Lowering& model) {
  std::set<ElementId> of_pools = pool_streams(model.document);
  of_pools.merge(gang_streams(model.document));
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != cluster_notation_name) continue;
    for (const Element* node : model.document.nodes(diagram->id)) {
      if (node->kind == "job_stream" && !of_pools.contains(node->id)) declare_stream(model, *node);
      if (node->kind == "rental") declare_rental(model, *node);
    }
    for (const Element* edge : model.document.edges(diagram->id))
      if (edge->kind == "job_flow") join(model, *edge);
  }
  declare_observations(model);
}

void RentalLowering::declare_name(Lowering& model, const Element& element, const char* what) {
  const std::string name = element.name();
  if (!is_identifier(name))
    model.refuse(element, "RNT001", "name", "The name is \"" + name + "\"; wanted letters, digits and _.");
  else if (const auto* other = model.slots.declare(name, {element.id, what}))
    model.refuse(element, "RNT001", "name", "\"" + name + "\" is also the name of a " + other->what + ".");
}

std::uint32_t RentalLowering::slot(Lowering& model, const Element& element, const char* word, ValueType type,
                                   double scale, const char* unit) {
  return model.slots.add({.name = element.name() + "." + word,
                          .unit = unit,
                          .scale = scale,
                          .type = type,
                          .element = element.id,
                          .writer = std::string(cluster_notation_name),
                          .range = {0.0, NamedSlot::everything.upper},
                          .by_set = true},
                         0.0);
}

void RentalLowering::declare_stream(Lowering& model, const Element& element) {
  declare_name(model, element, "job stream");
  JobStream stream{.element = element.id, .name = element.name()};
  stream.submitted = slot(model, element, "submitted", ValueType::integer());
  stream.jobs = slot(model, element, "jobs", ValueType::integer());
  stream.gpus = slot(model, element, "gpus", ValueType::real());
  stream_number_[element.id] = static_cast<std::uint32_t>(net().streams.size());
  net().streams.push_back(std::move(stream));
}

void RentalLowering::declare_rental(Lowering& model, const Element& element) {
  declare_name(model, element, "rental");
  Rental rental{.element = element.id, .name = element.name()};
  rental.jobs = slot(model, element, "jobs", ValueType::integer());
  rental.gpus = slot(model, element, "gpus", ValueType::real());
  rental.spend = slot(model, element, "spend", ValueType::real(money_per_time()), 1.0 / seconds_of_hour, "USD/h");
  rental.failures = slot(model, element, "failures", ValueType::integer());
  rental_number_[element.id] = static_cast<std::uint32_t>(net().rentals.size());
  net().rentals.push_back(std::move(rental));
}

// What may not be drawn is in files all the same.
void RentalLowering::join(Lowering& model, const Element& flow) {
  const Element *from = model.document.find(flow.source), *to = model.document.find(flow.target);
  if (from == nullptr || to == nullptr) return;
  const bool of_a_pool = to->kind == "host_pool" || to->kind == "gpu_cluster" || from->kind == "provisioner";
  if (of_a_pool || (from->kind == "job_stream" && !stream_number_.contains(from->id))) return;  // batch_lowering.h
  if (const std::string why = why_no_job_flow(from->kind, to->kind); !why.empty()) {
    model.refuse(flow, "RNT006", "", "Jobs flow from \"" + from->name() + "\" to \"" + to->name() + "\". " + why,
                 "Take it away.");
    misled_.insert(flow.source);
    return;
  }
  const auto stream = stream_number_.find(flow.source), rental = rental_number_.find(flow.target);
  if (stream == stream_number_.end() || rental == rental_number_.end()) return;
  JobStream& jobs = net().streams[stream->second];
  if (jobs.rental != RentalModel::none) {
    model.refuse(flow, "RNT003", "",
                 "Jobs of \"" + jobs.name + "\" go to \"" + net().rentals[jobs.rental].name + "\" and to \"" +
                     to->name() + "\"; wanted one rental.",
                 "Draw a stream for each.");
    return;
  }
  jobs.rental = rental->second;
}

void RentalLowering::declare_observations(Lowering& model) {
  // In the order in which they are drawn, whatever the order of the flows.
  for (std::uint32_t s = 0; s < net().streams.size(); ++s) {
    JobStream& one = net().streams[s];
    if (one.rental == RentalModel::none) continue;
    Rental& rental = net().rentals[one.rental];
    one.of_class = static_cast<std::uint32_t>(rental.streams.size());
    rental.streams.push_back(s);
  }
  for (Rental& rental : net().rentals) {
    std::vector<std::string> types;
    for (const std::uint32_t s : rental.streams) types.push_back(net().streams[s].name);
    const auto add = [&](const char* word, const char* unit) {
      return model.slots.add(
          StreamSpec{rental.name + "." + word, unit, rental.element, types, {0.0, NamedSlot::everything.upper}});
    };
    rental.response_time = add("response_time", "s");
    rental.gpu_time = add("gpu_time", "s");
    rental.cost = add("cost", "USD");
  }
}

void RentalLowering::refuse_value(Lowering& model, const Element& at, const std::string& property,
                                  std::string message) {
  for (const Diagnostic& known : model.problems)
    if (known.severity == Severity::error && known.element == at.id && known.pointer == property) return;
  model.refuse(at, "RNT002", property, std::move(message));
}

Unit RentalLowering::unit_of(const Lowering& model, const Element& at, const char* property, const char* usual) {
  return written_unit(at.text(property), model.parameters, usual);
}

void RentalLowering::warn(Lowering& model, const Element& at, const char* code, const char* property,
                          std::string message, std::string hint) {
  model.problems.push_back({.severity = Severity::warning,
                            .code = code,
                            .element = at.id,
                            .pointer = property,
                            .message = std::move(message),
                            .hint = std::move(hint)});
}

std::shared_ptr<LoweredPart> RentalLowering::lower(Lowering& model, Scope& scope) {
  if (net().streams.empty() && net().rentals.empty()) return nullptr;
  for (JobStream& stream : net().streams) lower_stream(model, scope, stream);
  for (Rental& rental : net().rentals) lower_rental(model, scope, rental);
  return out_;
}

Distribution RentalLowering::law(Lowering& model, Scope& scope, const Element& at, const char* property,
                                 const char* otherwise) {
  const Distribution none = Distribution::deterministic(seconds_of_hour);
  const auto drawn = drawn_law(model, scope, at, property, otherwise, Dimension::of_time());
  if (!drawn) return none;
  const Distribution& found = *drawn;
  const double least = least_of(found);
  const bool fits = least >= 0.0 && found.mean() > 0.0 && std::isfinite(found.mean());
  if (fits) return found;
  const Unit unit = unit_of(model, at, property, "h");
  refuse_value(model, at, property,
               "Its mean is " + in_unit(found.mean(), unit) + " and its least value " + in_unit(least, unit) +
                   "; wanted a finite mean above " + in_unit(0.0, unit) + " and nothing below.");
  return none;
}

void RentalLowering::lower_arrivals(Lowering& model, Scope& scope, const Element& element, JobStream& stream) {
  stream.has_rate = is_given(element, "rate");
  if (!stream.has_rate) {
    stream.gap = law(model, scope, element, "interarrival", default_job_gap);
    return;
  }
  stream.rate = model.program(element, "rate", ValueType::real(Dimension::per_time()), scope);
  stream.reader = model.slots.wake(stream.rate);
  if (!stream.rate.is_constant()) return;
  const double rate = stream.rate.value();
  const Unit unit = unit_of(model, element, "rate", "/h");
  if (!(rate > 0.0 && std::isfinite(rate)))
    refuse_value(model, element, "rate",
                 "The rate is " + in_unit(rate, unit) + "; wanted a finite rate above " + in_unit(0.0, unit) + ".");
}

void RentalLowering::lower_stream(Lowering& model, Scope& scope, JobStream& stream) {
  const Element& element = *model.document.find(stream.element);
  PropertyReader read(scope, model.problems);
  lower_arrivals(model, scope, element, stream);
  stream.size = law(model, scope, element, "size", default_job_size);
  stream.speedup = drawn_speedup(model, scope, element, "RNT004");
  stream.start_up_s = read.quantity(element, "start_up", Dimension::of_time(), 0.0);
  if (!(stream.start_up_s >= 0.0 && std::isfinite(stream.start_up_s))) {
    const Unit unit = unit_of(model, element, "start_up", "h");
    refuse_value(model, element, "start_up",
                 "The start-up time is " + in_unit(stream.start_up_s, unit) +
                     "; wanted a finite one >= " + in_unit(0.0, unit) + ".");
    stream.start_up_s = 0.0;
  }
  if (stream.rental == RentalModel::none && !misled_.contains(stream.element))
    model.refuse(
        element, "RNT003", "",
        "Jobs of \"" + stream.name + "\" go nowhere; wanted a flow to a rental, a pool of hosts or a GPU cluster.");
}

void RentalLowering::lower_rental(Lowering& model, Scope& scope, Rental& rental) {
  const Element& element = *model.document.find(rental.element);
  PropertyReader read(scope, model.problems);
  rental.policy = meaning_of(read, element, "policy", policy_words);
  rental.whole = read.boolean(element, "whole_gpus", false);
  rental.budget = read.quantity(element, "budget", Dimension(), *parse_number(default_budget));
  constexpr double most_gpus = 1e8;  // beyond it nobody rents, and counts of GPUs are no whole numbers any more
  const bool budgeted = rental.budget > 0.0 && rental.budget <= most_gpus;
  if (!budgeted)
    refuse_value(model, element, "budget",
                 "The budget is " + number_text(rental.budget, 6) + " GPUs; wanted a number above 0, at most 1e8.");
  rental.price_per_s = read.quantity(element, "price", money_per_time(), 0.0);
  const Unit price = unit_of(model, element, "price", "USD/h");
  if (!(rental.price_per_s >= 0.0 && std::isfinite(rental.price_per_s)))
    refuse_value(
        model, element, "price",
        "The price is " + in_unit(rental.price_per_s, price) + "; wanted a finite one >= " + in_unit(0.0, price) + ".");
  lower_failures(model, read, element, rental);
  if (rental.whole && !rental.shares())
    for (const std::uint32_t s : rental.streams) net().streams[s].speedup = net().streams[s].speedup.whole();
  lower_exponent(model, read, element, rental);
  if (rental.streams.empty())
    warn(model, element, "RNT009", "", "No jobs come to \"" + rental.name + "\".", "Draw a flow from a job stream.");
  if (has_errors(model.problems) || !budgeted) return;
  if (rental.shares()) compare_load(model, element, rental);
  else plan(model, element, rental);
}

void RentalLowering::lower_failures(Lowering& model, PropertyReader& read, const Element& element, Rental& rental) {
  const auto time = [&](const char* property, const char* what, double otherwise, bool zero) {
    const double out = read.quantity(element, property, Dimension::of_time(), otherwise);
    if (out > 0.0 || (zero && out == 0.0)) return out;
    const Unit unit = unit_of(model, element, property, "h");
    refuse_value(model, element, property,
                 std::string(what) + " is " + in_unit(out, unit) + "; wanted " + (zero ? ">= " : "above ") +
                     in_unit(0.0, unit) + ".");
    return otherwise;
  };
  rental.failure_rate = read.quantity(element, "failure_rate", Dimension::per_time(), 0.0);
  const Unit per_time = unit_of(model, element, "failure_rate", "/h");
  if (!(rental.failure_rate >= 0.0 && std::isfinite(rental.failure_rate)))
    refuse_value(model, element, "failure_rate",
                 "The failure rate is " + in_unit(rental.failure_rate, per_time) +
                     "; wanted a finite rate >= " + in_unit(0.0, per_time) + ".");
  rental.checkpoint_period_s = time("checkpoint_period", "The time between checkpoints", Speedup::unlimited, false);
  rental.checkpoint_cost_s = time("checkpoint_cost", "The time of a checkpoint", 0.0, true);
  rental.restart_s = time("restart", "The time to restart", 0.0, true);
  // Checkpoints that nobody reads and that take no time are none.
  if (rental.failure_rate == 0.0 && rental.checkpoint_cost_s == 0.0) rental.checkpoint_period_s = Speedup::unlimited;
  if (std::isinf(rental.checkpoint_period_s)) rental.checkpoint_cost_s = 0.0;
}

void RentalLowering::lower_exponent(Lowering& model, PropertyReader& read, const Element& element, Rental& rental) {
  if (rental.policy != RentalModel::Policy::hesrpt) return;
  if (is_given(element, "share_exponent")) {
    rental.share_exponent = read.quantity(element, "share_exponent", Dimension(), rental.share_exponent);
    if (!(rental.share_exponent >= 0.0 && rental.share_exponent < 1.0))
      refuse_value(model, element, "share_exponent",
                   "The exponent is " + number_text(rental.share_exponent, 6) + "; wanted 0 to below 1.");
    return;
  }
  rental.share_exponent = fitted_exponent(net(), rental).value_or(rental.share_exponent);
}

void RentalLowering::plan(Lowering& model, const Element& element, Rental& rental) {
  if (rental.streams.empty()) return;
  const std::vector<JobType> types = net().types_of(rental);
  if (rental.policy == RentalModel::Policy::one_gpu) {
    rental.plan = single_gpus(types);
    return compare_load(model, element, rental);
  }
  for (const std::uint32_t s : rental.streams)
    if (const JobStream& one = net().streams[s]; !one.mean_rate())
      return model.refuse(*model.document.find(one.element), "RNT008", "rate",
                          "The rate of \"" + one.name + "\" changes while the model runs, and \"" + rental.name +
                              "\" fixes widths by it; wanted a rate that is known before.",
                          "Take another policy, or a fixed rate.");
  auto found = rental.policy == RentalModel::Policy::optimal ? optimal_widths(types, rental.budget, rental.whole)
                                                             : equal_widths(types, rental.budget, rental.whole);
  if (const auto* why = std::get_if<std::string>(&found)) model.refuse(element, "RNT005", "budget", *why);
  else rental.plan = std::get<WidthPlan>(std::move(found));
}

void RentalLowering::compare_load(Lowering& model, const Element& element, const Rental& rental) {
  if (auto problem = overload(net(), rental)) {
    problem->element = element.id;
    model.problems.push_back(std::move(*problem));
  }
}

}  // namespace

std::unique_ptr<NotationLowering> rental_lowering() { return std::make_unique<RentalLowering>(); }

}  // namespace ergode
