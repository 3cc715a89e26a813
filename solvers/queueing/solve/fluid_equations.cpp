#include "solvers/queueing/solve/fluid_equations.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/queueing/model/known_elements.h"
#include "solvers/queueing/model/traffic.h"

namespace ergode {

using Discipline = NetworkModel::Discipline;
using Kind = NetworkModel::Kind;
using M = NetworkModel;

namespace {

constexpr std::size_t most_fluid_phases = 200, most_values = 1000;

bool has_servers(const M::Node& node) { return node.kind == Kind::station || node.kind == Kind::delay; }

}  // namespace

FluidEquations::FluidEquations(const NetworkModel& model, Diagnostics& reasons) : model_(model) {
  const std::size_t classes = model.classes.size();
  place_of_.assign(model.nodes.size() * classes, M::none), at_node_.resize(model.nodes.size());
  std::uint32_t last = 0;
  for (const M::Node& node : model.nodes)
    if (has_servers(node))
      last = std::max(
          {last, node.number, node.waiting, node.busy,
           node.of_class == M::none ? 0 : node.of_class + static_cast<std::uint32_t>(classes),
           node.waiting_of_class == M::none ? 0 : node.waiting_of_class + static_cast<std::uint32_t>(classes)});
  known_.assign(last + 1, 0);
  first_ = {0};
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n) {
    const M::Node& node = model.nodes[n];
    if (!has_servers(node)) continue;
    const std::string name = "\"" + node.name + "\"";
    known_[node.number] = 1;
    if (node.kind == Kind::station) known_[node.waiting] = known_[node.busy] = 1;
    for (std::size_t c = 0; node.of_class != M::none && c < classes; ++c) known_[node.of_class + c] = 1;
    for (std::size_t c = 0; node.waiting_of_class != M::none && c < classes; ++c) known_[node.waiting_of_class + c] = 1;
    if (!node.servers.is_constant())
      refuse(reasons, node.element, "The servers of " + name + " change while the model runs.");
    double mean_s = -1.0;
    for (std::uint32_t c = 0; c < classes; ++c) {
      if (node.ways[c].target.empty()) continue;
      const M::Duration& time = node.time[c];
      if (!time.drawn) {
        refuse(reasons, node.element, "Times at " + name + " change while the model runs.");
        continue;
      }
      const auto phases = time.law.phases(most_fluid_phases);
      if (!phases || std::accumulate(phases->initial.begin(), phases->initial.end(), 0.0) < 1 - 1e-9) {
        refuse(reasons, node.element, "Times at " + name + " have no phases that are exponential (at most 200).");
        continue;
      }
      const bool shared = node.kind == Kind::delay || node.has(M::shares);
      if (!shared && mean_s >= 0.0 && time.mean_s != mean_s)
        refuse(reasons, node.element,
               "Service times at " + name + " differ between classes; without sharing of the servers they may not.");
      mean_s = time.mean_s;
      place_of_[n * classes + c] = static_cast<std::uint32_t>(places_.size());
      at_node_[n].push_back(static_cast<std::uint32_t>(places_.size()));
      for (const double rate : phases->rate) slowest_s_ = std::max(slowest_s_, 1 / rate);
      first_.push_back(first_.back() + phases->rate.size());
      places_.push_back({n, c, *phases, {}});
    }
  }
  if (places_.empty() && reasons.empty()) refuse(reasons, {}, "Nobody ever comes to a station.");
  if (size() > most_values)
    refuse(reasons, {},
           "There are " + std::to_string(size()) + " amounts by class and phase; at most 1000 are followed.");
  if (has_errors(reasons)) return;
  outside_.assign(places_.size(), 0.0), straight_.assign(place_of_.size(), 0.0), share_.resize(places_.size());
  for (std::uint32_t n = 0; n < model.nodes.size(); ++n) {
    const M::Node& node = model.nodes[n];
    if (node.kind != Kind::source) continue;
    std::vector<double> onto(place_of_.size(), 0.0);
    flows_from(n, node.emits, rate_of(node).value_or(0.0), onto, reasons);
    for (std::size_t at = 0; at < onto.size(); ++at)
      (place_of_[at] == M::none ? straight_[at] : outside_[place_of_[at]]) += onto[at];
  }
  for (Place& place : places_) {
    std::vector<double> onto(place_of_.size(), 0.0);
    flows_from(place.node, place.of_class, 1.0, onto, reasons);
    for (std::size_t at = 0; at < onto.size(); ++at)
      if (onto[at] > 0.0 && place_of_[at] != M::none) place.to.push_back({place_of_[at], onto[at]}), onto[at] = 0.0;
    sinks_.push_back(std::move(onto));
  }
}

void FluidEquations::flows_from(std::uint32_t node, std::uint32_t of_class, double rate, std::vector<double>& onto,
                                Diagnostics& reasons) {
  const std::uint32_t unknown = spread(model_, node, of_class, rate, onto);
  if (unknown != M::none)
    refuse(reasons, model_.nodes[unknown].element,
           "Where customers go from \"" + model_.nodes[unknown].name + "\" is no matter of fixed probabilities.");
}

std::vector<double> FluidEquations::initial() const {
  std::vector<double> out(size(), 0.0);
  for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
    if (model_.classes[c].population == 0) continue;
    const std::size_t place = place_of_[model_.classes[c].reference * model_.classes.size() + c];
    const Phases& phases = places_[place].phases;
    for (std::size_t p = 0; p < phases.rate.size(); ++p)
      out[first_[place] + p] += model_.classes[c].population * phases.initial[p];
  }
  return out;
}

std::vector<double> FluidEquations::other_start(const double* rest) const {
  constexpr double busy_all_along = 1 - 1e-6;
  std::vector<double> at_node(model_.nodes.size(), 0.0);
  std::vector<std::uint8_t> busy(model_.nodes.size(), 0);
  std::size_t how_many = 0;
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    for (const std::uint32_t place : at_node_[n]) at_node[n] += amount(rest, place);
    if (model_.nodes[n].kind != Kind::station || at_node_[n].empty()) continue;
    busy[n] = at_node[n] >= busy_all_along * model_.nodes[n].servers.value() ? 1 : 0;
    how_many += busy[n];
  }
  if (how_many < 2) return {};
  const auto reached_from = [&](std::uint32_t start) {
    std::vector<std::uint8_t> seen(places_.size(), 0);
    std::vector<std::uint32_t> todo = {start};
    for (seen[start] = 1; !todo.empty();) {
      const std::uint32_t place = todo.back();
      todo.pop_back();
      for (const Flow& flow : places_[place].to)
        if (seen[flow.place] == 0) seen[flow.place] = 1, todo.push_back(flow.place);
    }
    return seen;
  };
  std::vector<double> out(size(), 0.0);
  bool moved = false;
  for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
    if (model_.classes[c].population == 0) continue;
    std::uint32_t to = place_of_[model_.classes[c].reference * model_.classes.size() + c];
    const std::uint32_t home = to;
    const std::vector<std::uint8_t> reached = reached_from(home);
    // Where they may come back to from wherever they are: the others are left for good.
    std::vector<std::uint8_t> core = reached;
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      if (reached[place] == 0) continue;
      const std::vector<std::uint8_t> from_there = reached_from(place);
      for (std::size_t i = 0; i < core.size(); ++i) core[i] &= from_there[i];
    }
    double fewest = -1.0;
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      const std::uint32_t n = places_[place].node;
      if (core[place] == 0 || busy[n] == 0 || (fewest >= 0.0 && at_node[n] >= fewest)) continue;
      fewest = at_node[n], to = place;
    }
    moved = moved || fewest >= 0.0;
    const Phases& phases = places_[to].phases;
    for (std::size_t p = 0; p < phases.rate.size(); ++p)
      out[first_[to] + p] += model_.classes[c].population * phases.initial[p];
  }
  return moved ? out : std::vector<double>();
}

std::optional<std::uint32_t> FluidEquations::differs(const double* rest, const std::vector<double>& other) const {
  constexpr double seen = 0.01;
  double all = 0.0, most = 0.0;
  std::uint32_t where = 0;
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    double here = 0.0, there = 0.0;
    for (const std::uint32_t place : at_node_[n])
      here += amount(rest, place), there += other.empty() ? 0.0 : amount(other.data(), place);
    all += here;
    if (std::fabs(here - there) > most) most = std::fabs(here - there), where = n;
  }
  return most > seen * all ? std::optional(where) : std::nullopt;
}

double FluidEquations::amount(const double* y, std::size_t place) const {
  double sum = 0.0;
  for (std::size_t i = first_[place]; i < first_[place + 1]; ++i) sum += y[i];
  return std::max(sum, 0.0);
}

void FluidEquations::shares(const double* y, std::vector<double>& out) const {
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    const M::Node& node = model_.nodes[n];
    double total = 0.0;
    for (const std::uint32_t place : at_node_[n]) total += amount(y, place), out[place] = 1.0;
    if (node.kind != Kind::station || total <= node.servers.value()) continue;
    const double servers = node.servers.value();
    if (node.discipline != Discipline::dps) {
      for (const std::uint32_t place : at_node_[n]) out[place] = servers / total;
      continue;
    }
    // Nobody has more than a server; what is over goes to others.
    const std::vector<double>& weight = model_.rules[node.rules].weight;
    std::vector<std::uint8_t> full(places_.size(), 0);
    for (bool again = true; again;) {
      double sum = 0.0, left = servers;
      again = false;
      for (const std::uint32_t place : at_node_[n]) {
        if (full[place] != 0) left -= amount(y, place);
        else sum += weight[places_[place].of_class] * amount(y, place);
      }
      for (const std::uint32_t place : at_node_[n]) {
        if (full[place] != 0) continue;
        out[place] = sum > 0.0 ? left * weight[places_[place].of_class] / sum : 1.0;
        if (out[place] > 1.0) out[place] = 1.0, full[place] = 1, again = true;
      }
    }
  }
}

bool FluidEquations::derivatives(double, const double* y, double* out) {
  std::fill(out, out + size(), 0.0);
  shares(y, share_);
  const auto come = [&](std::uint32_t place, double rate) {
    const Phases& phases = places_[place].phases;
    for (std::size_t p = 0; p < phases.rate.size(); ++p) out[first_[place] + p] += rate * phases.initial[p];
  };
  for (std::uint32_t place = 0; place < places_.size(); ++place) {
    if (outside_[place] > 0.0) come(place, outside_[place]);
    const Phases& phases = places_[place].phases;
    double done = 0.0;
    for (std::size_t p = 0; p < phases.rate.size(); ++p) {
      const double rate = phases.rate[p] * y[first_[place] + p] * share_[place];
      out[first_[place] + p] -= rate;
      double ends = 1.0;
      for (const Phases::Jump& jump : phases.jumps[p])
        out[first_[place] + jump.phase] += rate * jump.probability, ends -= jump.probability;
      done += rate * ends;
    }
    for (const Flow& flow : places_[place].to) come(flow.place, done * flow.share);
  }
  return true;
}

NetworkMeans FluidEquations::means(const double* y) const {
  NetworkMeans out(model_);
  std::vector<double> share(places_.size());
  shares(y, share);
  for (std::size_t at = 0; at < straight_.size(); ++at) out.places[at].served += straight_[at];
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const Place& one = places_[place];
    const M::Node& node = model_.nodes[one.node];
    PlaceMeans& here = out.at(one.node, one.of_class);
    here.number = amount(y, place);
    for (std::size_t p = 0; p < one.phases.rate.size(); ++p) {
      double ends = 1.0;
      for (const Phases::Jump& jump : one.phases.jumps[p]) ends -= jump.probability;
      here.served += one.phases.rate[p] * y[first_[place] + p] * share[place] * ends;
    }
    here.response_s = here.served > 0.0 ? here.number / here.served : NetworkMeans::none;
    for (std::size_t at = 0; at < sinks_[place].size(); ++at) out.places[at].served += here.served * sinks_[place][at];
    if (node.kind != Kind::station) continue;
    here.busy = here.number * share[place];
    here.waiting = node.has(M::shares) ? 0.0 : here.number - here.busy;
    here.waiting_s = here.served > 0.0 ? here.waiting / here.served : NetworkMeans::none;
  }
  return out;
}

void FluidEquations::slots(const double* y, std::vector<double>& into) const {
  into.assign(known_.size(), 0.0);
  const NetworkMeans now = means(y);
  for (const Place& one : places_) {
    const M::Node& node = model_.nodes[one.node];
    const PlaceMeans& here = now.at(one.node, one.of_class);
    into[node.number] += here.number;
    if (node.of_class != M::none) into[node.of_class + one.of_class] = here.number;
    if (node.kind == Kind::station) into[node.waiting] += here.waiting, into[node.busy] += here.busy;
    if (node.waiting_of_class != M::none) into[node.waiting_of_class + one.of_class] = here.waiting;
  }
}

bool FluidEquations::knows(const Program& program) const {
  for (const std::uint32_t slot : program.slots())
    if (slot >= known_.size() || known_[slot] == 0) return false;
  return true;
}

}  // namespace ergode
