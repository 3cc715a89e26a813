#include "solvers/queueing/solve/asked_means.h"

#include <cmath>

namespace ergode {

using Kind = NetworkModel::Kind;

bool holds_customers(const NetworkModel::Node& node) {
  return node.kind == Kind::station || node.kind == Kind::delay || node.kind == Kind::place;
}

double AskedMeans::of_slot(std::uint32_t slot) const {
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    const NetworkModel::Node& node = model_.nodes[n];
    if (!holds_customers(node)) continue;
    if (slot == node.number) return sum(n, -1, &PlaceMeans::number);
    if (const auto c = class_of(slot, node.of_class)) return means_.at(n, *c).number;
    if (node.kind != Kind::station) continue;
    if (slot == node.busy) return sum(n, -1, &PlaceMeans::busy);
    if (const auto c = class_of(slot, node.busy_of_class)) return means_.at(n, *c).busy;
    if (slot == node.waiting) return sum(n, -1, &PlaceMeans::waiting);
    if (const auto c = class_of(slot, node.waiting_of_class)) return means_.at(n, *c).waiting;
    // Counts that grow have no mean.
    if (const auto c = class_of(slot, node.lost_of_class); c && means_.at(n, *c).lost == 0.0) return 0.0;
    if (const auto c = class_of(slot, node.gave_up_of_class); c && means_.at(n, *c).gave_up == 0.0) return 0.0;
    if (slot == node.lost && sum(n, -1, &PlaceMeans::lost) == 0.0) return 0.0;
    if (slot == node.gave_up && sum(n, -1, &PlaceMeans::gave_up) == 0.0) return 0.0;
  }
  return NetworkMeans::none;
}

double AskedMeans::growth_of_slot(std::uint32_t slot) const {
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    const NetworkModel::Node& node = model_.nodes[n];
    if (node.kind == Kind::source && slot == node.number) return rate_of(node).value_or(NetworkMeans::none);
    if (node.kind == Kind::sink && slot == node.number) return sum(n, -1, &PlaceMeans::served);
    if (node.kind == Kind::sink)
      if (const auto c = class_of(slot, node.of_class)) return means_.at(n, *c).served;
    if (node.kind != Kind::station) continue;
    if (slot == node.lost) return sum(n, -1, &PlaceMeans::lost);
    if (slot == node.gave_up) return sum(n, -1, &PlaceMeans::gave_up);
    if (const auto c = class_of(slot, node.lost_of_class)) return means_.at(n, *c).lost;
    if (const auto c = class_of(slot, node.gave_up_of_class)) return means_.at(n, *c).gave_up;
  }
  // What settles does not grow.
  return std::isfinite(of_slot(slot)) ? 0.0 : NetworkMeans::none;
}

double AskedMeans::of_stream(std::uint32_t stream, std::int32_t of_class) const {
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    const NetworkModel::Node& node = model_.nodes[n];
    if (holds_customers(node) && stream == node.response) return over_served(n, of_class, &PlaceMeans::response_s);
    if (node.kind == Kind::station && stream == node.wait) return over_served(n, of_class, &PlaceMeans::waiting_s);
    if (node.kind == Kind::sink && stream == node.response) return passage(n, of_class);
    if (node.residence != NetworkModel::none && stream == node.residence) return residence(n, of_class);
  }
  if (stream == model_.system_response) return of_passages(of_class, &Passage::response_s);
  if (stream == model_.system_wait) return of_passages(of_class, &Passage::waiting_s);
  return NetworkMeans::none;
}

double AskedMeans::rate_of_stream(std::uint32_t stream, std::int32_t of_class) const {
  for (std::size_t n = 0; n < model_.nodes.size(); ++n) {
    const NetworkModel::Node& node = model_.nodes[n];
    if ((holds_customers(node) || node.kind == Kind::sink) && stream == node.response)
      return sum(n, of_class, &PlaceMeans::served);
    if (node.kind == Kind::logger && (stream == node.response || stream == node.wait)) return past(n, of_class);
    // A service begins for each that ends.
    if (node.kind == Kind::station && stream == node.wait) return sum(n, of_class, &PlaceMeans::served);
  }
  if (stream == model_.system_response || stream == model_.system_wait) return rate_of_passages(of_class);
  return NetworkMeans::none;
}

std::optional<std::size_t> AskedMeans::class_of(std::uint32_t slot, std::uint32_t first) const {
  if (first == NetworkModel::none || slot < first || slot >= first + means_.classes) return std::nullopt;
  return slot - first;
}

double AskedMeans::residence(std::size_t n, std::int32_t of_class) const {
  return over_passages(of_class, [&](std::size_t chain) {
    double number = 0.0;
    for (std::size_t c = 0; c < means_.classes; ++c)
      if (traffic_->chain[c] == chain) number += means_.at(n, c).number;
    return number;
  });
}

double AskedMeans::of_passages(std::int32_t of_class, double Passage::*time) const {
  return over_passages(of_class,
                       [&](std::size_t chain) { return passages_[chain].*time * passages_[chain].throughput; });
}

template <class Rate>
double AskedMeans::over_passages(std::int32_t of_class, const Rate& rate) const {
  if (!passages_known(model_)) return NetworkMeans::none;
  if (!traffic_) traffic_ = traffic(model_), passages_ = passages_of(model_, means_, *traffic_);
  double all = 0.0, throughput = 0.0;
  for (std::size_t chain = 0; chain < passages_.size(); ++chain) {
    const bool asked = of_class < 0 || traffic_->chain[static_cast<std::size_t>(of_class)] == chain;
    if (!asked || !(passages_[chain].throughput > 0.0)) continue;
    if (!passages_[chain].complete) return NetworkMeans::none;
    throughput += passages_[chain].throughput;
    for (std::size_t c = 0; c < means_.classes; ++c)
      if (traffic_->chain[c] == chain && of_class >= 0 && c != static_cast<std::size_t>(of_class) && ends(c))
        return NetworkMeans::none;
    all += rate(chain);
  }
  return all / throughput;
}

double AskedMeans::rate_of_passages(std::int32_t of_class) const {
  double out = 0.0;
  for (std::size_t n = 0; n < model_.nodes.size(); ++n)
    out += over_classes(n, of_class, [&](const PlaceMeans& here, std::size_t c) {
      return model_.nodes[n].kind == Kind::sink || model_.classes[c].reference == n ? here.served : 0.0;
    });
  return out;
}

bool AskedMeans::ends(std::size_t c) const {
  if (const std::uint32_t n = model_.classes[c].reference; n != NetworkModel::none && means_.at(n, c).served > 0.0)
    return true;
  for (std::size_t n = 0; n < model_.nodes.size(); ++n)
    if (model_.nodes[n].kind == Kind::sink && means_.at(n, c).served > 0.0) return true;
  return false;
}

double AskedMeans::past(std::size_t logger, std::int32_t of_class) const {
  if (!model_.transitions.empty()) return NetworkMeans::none;
  std::vector<double> onto(means_.places.size(), 0.0), all(means_.places.size(), 0.0);
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    const NetworkModel::Node& node = model_.nodes[n];
    if (!node.refused.empty() || !node.reneged.empty() || node.batched) return NetworkMeans::none;
    for (std::uint32_t c = 0; c < means_.classes; ++c) {
      double rate = holds_customers(node) ? means_.at(n, c).served : 0.0;
      if (node.kind == Kind::source && node.emits == c) rate = rate_of(node).value_or(NetworkMeans::none);
      if (rate != 0.0 && spread(model_, n, c, rate, onto, &all) != NetworkModel::none) return NetworkMeans::none;
    }
  }
  double out = 0.0;
  for (std::size_t c = 0; c < means_.classes; ++c)
    if (of_class < 0 || c == static_cast<std::size_t>(of_class)) out += all[logger * means_.classes + c];
  return out;
}

template <class Of>
double AskedMeans::over_classes(std::size_t n, std::int32_t of_class, const Of& of) const {
  double out = 0.0;
  for (std::size_t c = 0; c < means_.classes; ++c)
    if (of_class < 0 || c == static_cast<std::size_t>(of_class)) out += of(means_.at(n, c), c);
  return out;
}

double AskedMeans::sum(std::size_t n, std::int32_t of_class, double PlaceMeans::*field) const {
  return over_classes(n, of_class, [&](const PlaceMeans& p, std::size_t) { return p.*field; });
}

double AskedMeans::over_served(std::size_t n, std::int32_t of_class, double PlaceMeans::*field) const {
  const double times = over_classes(
      n, of_class, [&](const PlaceMeans& p, std::size_t) { return p.served > 0.0 ? p.served * p.*field : 0.0; });
  return times / sum(n, of_class, &PlaceMeans::served);
}

double AskedMeans::passage(std::size_t sink, std::int32_t of_class) const {
  if (!passages_known(model_)) return NetworkMeans::none;
  std::vector<std::uint8_t> own(means_.places.size(), 0);
  for (std::size_t c = 0; c < means_.classes; ++c)
    if ((of_class < 0 || c == static_cast<std::size_t>(of_class)) && means_.at(sink, c).served > 0.0)
      join(sink * means_.classes + c, own);
  double number = 0.0, lost = 0.0, gave_up = 0.0;
  std::size_t places = 0;
  for (std::size_t n = 0; n < model_.nodes.size(); ++n)
    for (std::size_t c = 0; c < means_.classes; ++c) {
      if (own[n * means_.classes + c] == 0) continue;
      const PlaceMeans& here = means_.at(n, c);
      if (model_.nodes[n].kind == Kind::sink) {
        const bool asked = n == sink && (of_class < 0 || c == static_cast<std::size_t>(of_class));
        if (!asked && here.served > 0.0) return NetworkMeans::none;
        continue;
      }
      number += here.number, lost += here.lost, gave_up += here.gave_up;
      if (here.number != 0.0) ++places;
    }
  if (!all_pass(gave_up, lost, places)) return NetworkMeans::none;
  return number / sum(sink, of_class, &PlaceMeans::served);
}

void AskedMeans::join(std::size_t place, std::vector<std::uint8_t>& own) const {
  if (beside_.empty()) find_neighbours();
  std::vector<std::size_t> reached = {place};
  for (own[place] = 1; !reached.empty();) {
    const std::size_t at = reached.back();
    reached.pop_back();
    for (const std::size_t next : beside_[at])
      if (own[next] == 0) own[next] = 1, reached.push_back(next);
  }
}

void AskedMeans::find_neighbours() const {
  beside_.resize(means_.places.size());
  std::vector<std::uint8_t> seen(means_.places.size(), 0);
  std::vector<std::size_t> reached;
  const auto come = [&](std::size_t at) {
    if (seen[at] == 0) seen[at] = 1, reached.push_back(at);
  };
  for (std::size_t n = 0; n < model_.nodes.size(); ++n)
    if (model_.nodes[n].kind == Kind::source) come(n * means_.classes + model_.nodes[n].emits);
  while (!reached.empty()) {
    const std::size_t at = reached.back();
    reached.pop_back();
    const NetworkModel::Node& node = model_.nodes[at / means_.classes];
    for (const auto* of_kind : {&node.ways, &node.refused, &node.reneged}) {
      if (of_kind->size() <= at % means_.classes) continue;
      const NetworkModel::Ways& ways = (*of_kind)[at % means_.classes];
      for (std::size_t w = 0; w < ways.target.size(); ++w) {
        if (!ways.upto.empty() && ways.upto[w] == (w == 0 ? 0.0 : ways.upto[w - 1])) continue;  // nobody goes it
        const std::size_t there = ways.target[w] * means_.classes + ways.becomes[w];
        beside_[at].push_back(there), beside_[there].push_back(at);
        come(there);
      }
    }
  }
}
}  // namespace ergode
