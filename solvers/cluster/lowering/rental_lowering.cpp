// From drawn rentals to one RentalModel: names and slots, flows, what is observed.
#include "core/base/text.h"
#include "core/base/unit.h"
#include "solvers/cluster/lowering/batch_lowering.h"
#include "solvers/cluster/lowering/fleet_lowering.h"
#include "solvers/cluster/lowering/gang_lowering.h"
#include "solvers/cluster/lowering/iteration_lowering.h"
#include "solvers/cluster/lowering/rental_lowering_steps.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "solvers/cluster/lowering/stream_flows.h"

namespace ergode {
namespace {

constexpr std::string_view cluster_notation_name = "cluster";
constexpr double seconds_of_hour = 3600.0;

using JobStream = RentalModel::Stream;
using Rental = RentalModel::Rental;

}  // namespace

Dimension money_per_time() {
  Dimension out = Dimension::per_time();
  out.exponent[Dimension::money] = 1;
  return out;
}

bool is_given(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

void RentalLowering::declare(Lowering& model) {
  net().tables = table_names(model.document);
  std::set<ElementId> elsewhere = pool_streams(model.document);
  elsewhere.merge(fleet_streams(model.document));
  elsewhere.merge(gang_streams(model.document));
  elsewhere.merge(iteration_streams(model.document));
  elsewhere.merge(round_streams(model.document));
  for (const Element* diagram : model.document.of(Section::diagram)) {
    if (diagram->text("notation") != cluster_notation_name) continue;
    for (const Element* node : model.document.nodes(diagram->id)) {
      if (node->kind == "job_stream" && !elsewhere.contains(node->id)) declare_stream(model, *node);
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
  for (const auto& [tariff, word] : {std::pair(RentalModel::Tariff::on_demand, "on_demand"),
                                     {RentalModel::Tariff::spot, "spot"},
                                     {RentalModel::Tariff::reserved, "reserved"}})
    rental.by_tariff[static_cast<std::size_t>(tariff)] = slot(model, element, word, ValueType::real());
  rental.power = slot(model, element, "power", ValueType::real(parse_unit("W")->dimension), 1.0, "W");
  rental.waiting = slot(model, element, "waiting", ValueType::integer());
  rental.interrupted_jobs = slot(model, element, "interruptions", ValueType::integer());
  rental.lost = slot(model, element, "lost_work", ValueType::real(Dimension::of_time()), seconds_of_hour, "h");
  rental_number_[element.id] = static_cast<std::uint32_t>(net().rentals.size());
  net().rentals.push_back(std::move(rental));
}

// What may not be drawn is in files all the same.
void RentalLowering::join(Lowering& model, const Element& flow) {
  const Element *from = model.document.find(flow.source), *to = model.document.find(flow.target);
  if (from == nullptr || to == nullptr) return;
  const bool of_others = to->kind == "host_pool" || to->kind == "gpu_fleet" || to->kind == "gpu_cluster" ||
                         to->kind == "iteration_scheduler" || to->kind == "round_scheduler" ||
                         from->kind == "provisioner";
  if (of_others || (from->kind == "job_stream" && !stream_number_.contains(from->id)))
    return;  // batch_lowering.h, fleet_lowering.h, gang_lowering.h, iteration_lowering.h,
             // round_lowering.h
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
    rental.lost_work = add("job_lost_work", "s");
    rental.job_interruptions = add("job_interruptions", ""), rental.slowdown = add("slowdown", "");
  }
}

void RentalLowering::refuse_value(Lowering& model, const Element& at, const std::string& property,
                                  std::string message) {
  model.refuse_once(at, "RNT002", property, std::move(message));
}

Unit RentalLowering::unit_of(const Lowering& model, const Element& at, const char* property, const char* usual) {
  return written_unit(at.text(property), model.parameters, usual);
}

std::shared_ptr<LoweredPart> RentalLowering::lower(Lowering& model, Scope& scope) {
  if (net().streams.empty() && net().rentals.empty()) return nullptr;
  for (JobStream& stream : net().streams) lower_stream(model, scope, stream);
  for (Rental& rental : net().rentals) lower_rental(model, scope, rental);
  return out_;
}

std::unique_ptr<NotationLowering> rental_lowering() { return std::make_unique<RentalLowering>(); }

}  // namespace ergode
