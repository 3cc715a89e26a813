// What each customer has by name: drawn when he is born or becomes another class, read by expressions that concern him.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using AttributeLaw = NetworkModel::AttributeLaw;

void RunningNetwork::prepare_attributes(std::uint64_t seed) {
  for (const AttributeLaw& law : model_.attribute_laws)
    attribute_keys_.push_back(
        stream_key(seed, law.element.text() + "." + law.property + "." + model_.attributes[law.attribute].name));
  attribute_streams_.resize(attribute_keys_.size());
  for (const VaryingLaw& law : model_.varying) drafts_.push_back(law.draft());
  width_ = static_cast<std::uint32_t>(model_.attributes.size());
  // Behind what he has by name, what is worked out of it: his priority, and units that he waits for.
  if (width_ != 0) rank_at_ = width_++, units_at_ = width_++;
  const std::vector<Handover>& all = world_.table().handovers;
  for (std::uint32_t h = 0; h < all.size(); ++h) {
    const auto sink = std::find_if(model_.nodes.begin(), model_.nodes.end(),
                                   [&](const Node& node) { return node.element == all[h].from; });
    if (sink == model_.nodes.end()) continue;
    HandedOver one{.sink = static_cast<std::uint32_t>(sink - model_.nodes.begin()), .handover = h, .columns = {}};
    for (const Handover::Wanted& wanted : all[h].wanted)
      for (std::uint32_t a = 0; a < model_.attributes.size(); ++a)
        if (model_.attributes[a].name == wanted.name) one.columns.push_back(a);
    handed_.push_back(std::move(one));
  }
}

void RunningNetwork::hand_over(std::uint32_t customer, const Node& sink) {
  const auto number = static_cast<std::uint32_t>(&sink - model_.nodes.data());
  for (const HandedOver& one : handed_) {
    if (one.sink != number) continue;
    handed_values_.clear();
    for (const std::uint32_t column : one.columns) handed_values_.push_back(attribute_of(customer, column));
    world_.hand_over(one.handover, customers_[customer].born_s, handed_values_.data());
  }
}

void RunningNetwork::regard(std::uint32_t customer) {
  if (width_ == 0) return;
  const double* from = attributes_.data() + std::size_t{customer} * width_;
  std::copy(from, from + model_.attributes.size(), world_.slots() + model_.attribute_slot);
}

double RunningNetwork::worked_out(const NetworkModel::Duration& time, RandomStream& stream, ElementId asks,
                                  const std::string& name) {
  if (time.drawn) return time.law.sample(stream);
  if (time.list != none) return next_of(time, asks, name);
  if (time.varying == none) return time.value.evaluate(world_.slots());
  std::string why_not;
  const double out = model_.varying[time.varying].sample(world_.slots(), stream, drafts_[time.varying], why_not);
  if (!why_not.empty())
    throw ModelFailure(
        {.code = "RUN002",
         .element = asks,
         .message = "\"" + name + "\" at time " + number_text(world_.now() / 3600.0) + " h: " + why_not + "."});
  return out;
}

void RunningNetwork::draw_attribute(std::uint32_t customer, std::uint32_t number) {
  const AttributeLaw& law = model_.attribute_laws[number];
  RandomStream& stream = attribute_streams_[number];
  const std::string& name = model_.attributes[law.attribute].name;
  double value = worked_out(law.value, stream, law.element, name);
  if (law.chance && !(value >= 0.0 && value <= 1.0))
    throw ModelFailure(
        {.code = "RUN002",
         .element = law.element,
         .message = "\"" + name + "\" is true with probability " + number_text(value) + "; wanted 0 to 1."});
  if (law.chance) value = stream.uniform() < value ? 1.0 : 0.0;
  if (law.whole != AttributeLaw::Whole::as_it_is)
    value = law.whole == AttributeLaw::Whole::up ? std::ceil(value) : std::round(value);
  if (!std::isfinite(value))
    throw ModelFailure({.code = "RUN002",
                        .element = law.element,
                        .message = "\"" + name + "\" is " + number_text(value) + "; wanted a finite value."});
  attribute_of(customer, law.attribute) = value;
  world_.slots()[model_.attribute_slot + law.attribute] = value;  // what comes next may read it
}

void RunningNetwork::give_attributes(std::uint32_t customer, std::uint32_t source, const double* job) {
  Customer& who = customers_[customer];
  attributes_.resize(customers_.size() * width_);
  if (job != nullptr)
    for (const std::uint32_t attribute : model_.nodes[source].taken) take_of_job(customer, attribute, *++job);
  regard(customer);
  for (const std::uint32_t law : source != none ? model_.nodes[source].born : model_.classes[who.of_class].born)
    draw_attribute(customer, law);
  who.due_s = due_of(who.of_class);
}

// As what is drawn: whole where it is counted.
void RunningNetwork::take_of_job(std::uint32_t customer, std::uint32_t attribute, double value) {
  if (model_.attributes[attribute].type.base == ValueType::Base::integer) value = std::round(value);
  attribute_of(customer, attribute) = value;
}

// Where he goes may depend on what he has.
void RunningNetwork::emit_with_attributes(std::uint32_t source, const double* job) {
  const std::uint32_t customer = born_at(model_.nodes[source].emits, source, job);
  const Way way = way_of(source, customers_[customer].of_class, customer);
  if (watched()) tell_born(customer, source), tell_way(customer, source, way);
  become(customer, way.becomes);
  arrive(customer, way.target);
}

void RunningNetwork::share_attributes(std::uint32_t whole, std::uint32_t part) {
  attributes_.resize(customers_.size() * width_);
  const auto at = attributes_.begin() + static_cast<std::ptrdiff_t>(std::size_t{whole} * width_);
  std::copy(at, at + width_, attributes_.begin() + static_cast<std::ptrdiff_t>(std::size_t{part} * width_));
}

// What customers of both classes have he keeps.
void RunningNetwork::gain_attributes(std::uint32_t customer, std::uint32_t becomes) {
  const std::uint32_t was = customers_[customer].of_class;
  if (was == becomes) return;
  const std::vector<std::uint8_t>& has = model_.classes[was].carries;
  regard(customer);
  for (const std::uint32_t law : model_.classes[becomes].born)
    if (has[model_.attribute_laws[law].attribute] == 0) draw_attribute(customer, law);
}

void RunningNetwork::set_attributes(std::uint32_t customer, const Node& node) {
  regard(customer);
  for (const std::uint32_t law : node.sets) draw_attribute(customer, law);
}

void RunningNetwork::find_rank(std::uint32_t customer) {
  if (!model_.ranked) return;
  const NetworkModel::JobClass& one = model_.classes[customers_[customer].of_class];
  double priority = static_cast<double>(one.priority);
  if (one.ranked) {
    regard(customer);
    priority = one.rank.evaluate(world_.slots());
    if (!std::isfinite(priority))
      throw ModelFailure({.code = "RUN002",
                          .element = one.element,
                          .message = "A priority is " + number_text(priority) + "; wanted a finite one."});
  }
  attribute_of(customer, rank_at_) = -priority;
}

std::uint32_t RunningNetwork::units_wanted(std::uint32_t customer, const Node& node) {
  if ((node.reads & NetworkModel::reads_in_units) == 0) return node.units;
  regard(customer);
  const double units = node.units_by.evaluate(world_.slots());
  constexpr double most = 1e9;
  if (!(units >= 1.0 && units <= most) || units != std::floor(units))
    fail(node, "He wants " + number_text(units) + " units; wanted a whole number of at least 1.");
  return static_cast<std::uint32_t>(units);
}

}  // namespace ergode
