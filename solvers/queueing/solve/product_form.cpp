#include "solvers/queueing/solve/product_form.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/text.h"
#include "solvers/queueing/model/known_elements.h"
#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/solve/load_dependence.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;

class Recogniser {
 public:
  Recogniser(const NetworkModel& model, Diagnostics& reasons) : model_(model), reasons_(reasons) {}

  ProductForm look() {
    classes();
    stations();
    return std::move(out_);
  }

 private:
  void refuse(ElementId element, std::string why) { ergode::refuse(reasons_, element, std::move(why)); }

  void classes() {
    Traffic found = traffic(model_);
    std::vector<double> rates(found.chains, 0.0);
    for (const NetworkModel::Node& node : model_.nodes) {
      if (node.kind != Kind::source) continue;
      rates[found.chain[node.emits]] += rate_of(node).value_or(0.0);
      if (!node.has_rate && node.process == NetworkModel::none && node.time[0].drawn &&
          node.time[0].law.family() != Distribution::Family::exponential)
        refuse(node.element,
               "Customers of \"" + node.name + "\" do not come at random: the time between two is not exponential.");
    }
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
      const NetworkModel::JobClass& one = model_.classes[c];
      const std::size_t chain = found.chain[c];
      if (!found.why_not[c].empty()) {
        const std::string of = one.name.empty() ? "" : " of class \"" + one.name + "\"";
        refuse(one.element,
               "How often customers" + of + " come to each station is not fixed: " + found.why_not[c] + ".");
        ways_known_ = false;
      }
      out_.network.classes.push_back({.name = one.name,
                                      .open = found.closed[c] == 0,
                                      .arrival_rate = found.closed[c] == 0 ? rates[chain] : 0.0,
                                      .population = static_cast<int>(one.population)});
    }
    out_.arrivals = std::move(found.arrivals);
    out_.chains.chain = std::move(found.chain), out_.chains.chains = found.chains;
  }

  void stations() {
    out_.station.assign(model_.nodes.size(), NetworkModel::none);
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const NetworkModel::Node& node = model_.nodes[n];
      if (node.kind != Kind::station && node.kind != Kind::delay) continue;
      // Where ways are not known each station counts: all reasons are wanted at once.
      if (ways_known_ && std::none_of(out_.arrivals.begin(), out_.arrivals.end(),
                                      [&](const auto& of_class) { return of_class[n] > 0.0; }))
        continue;
      station(n, node);
    }
    if (ways_known_) starving();
    // Where ways are not known, neither is who comes.
    if (!out_.network.stations.empty() || !ways_known_) return;
    const bool any = std::any_of(model_.nodes.begin(), model_.nodes.end(), [](const NetworkModel::Node& node) {
      return node.kind == Kind::station || node.kind == Kind::delay;
    });
    refuse({}, any ? "Nobody ever comes to a station." : "There is no station: customers only pass.");
  }

  /// The last one first: who stands lowest is served when all above him are elsewhere at one time. Customers who come
  /// back at once never are.
  void starving() {
    for (const std::uint32_t n : out_.node) {
      const NetworkModel::Node& node = model_.nodes[n];
      if (node.kind != Kind::station || !node.servers.is_constant()) continue;
      if (node.discipline != Discipline::lcfs && node.discipline != Discipline::lcfs_pr) continue;
      std::vector<double> bound(out_.chains.chains, 0.0);
      std::vector<std::uint8_t> elsewhere(out_.chains.chains, 0);
      for (std::size_t c = 0; c < model_.classes.size(); ++c) {
        const std::size_t chain = out_.chains.chain[c];
        if (out_.network.classes[c].open) elsewhere[chain] = 1;
        bound[chain] += out_.network.classes[c].population;
        for (const std::uint32_t m : out_.node)
          if (m != n && out_.arrivals[c][m] > 0.0 && model_.nodes[m].time[c].mean_s > 0.0) elsewhere[chain] = 1;
      }
      double always = 0.0;
      for (std::size_t chain = 0; chain < bound.size(); ++chain) {
        bool here = false;
        for (std::size_t c = 0; c < model_.classes.size(); ++c)
          here = here || (out_.chains.chain[c] == chain && out_.arrivals[c][n] > 0.0);
        if (here && elsewhere[chain] == 0) always += bound[chain];
      }
      // He who leaves lets one in before he is back; who is interrupted by him at once is not served for that.
      const double servers = node.servers.value();
      const double apart = servers + (node.discipline == Discipline::lcfs_pr && servers == 1.0 ? 0.0 : 1.0);
      if (always >= apart && most_at(n) > apart)
        refuse(node.element, "At \"" + node.name + "\" the last one goes first, and " + number_text(always) +
                                 " customers come back at once: others wait for ever, so there is no mean of times.");
    }
  }
  /// Customers that can ever be at a node.
  std::uint32_t most_at(std::uint32_t n) const {
    std::vector<std::uint8_t> comes(out_.chains.chains, 0);
    for (std::size_t c = 0; c < model_.classes.size(); ++c)
      if (out_.arrivals[c][n] > 0.0) comes[out_.chains.chain[c]] = 1;
    double most = 0.0;
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      if (comes[out_.chains.chain[c]] == 0) continue;
      if (out_.network.classes[c].open) return NetworkModel::unlimited;
      most += out_.network.classes[c].population;
    }
    return static_cast<std::uint32_t>(std::min(most, 4e9));
  }
  /// @returns what times are divided by where the speed is constant
  double speed(std::uint32_t n, const NetworkModel::Node& node, NetworkStation& made) {
    if (!node.has(NetworkModel::varies_speed) || !node.servers.is_constant()) return 1.0;
    const NetworkModel::Rules& rules = model_.rules[node.rules];
    if (rules.speed.is_constant()) return rules.speed.value();
    auto found = speeds_by_number(node, rules, most_at(n));
    if (auto* why = std::get_if<std::string>(&found)) return refuse(node.element, std::move(*why)), 1.0;
    made.kind = StationKind::load_dependent;
    made.rate_multipliers = std::get<std::vector<double>>(std::move(found));
    return 1.0;
  }

  void station(std::uint32_t n, const NetworkModel::Node& node) {
    NetworkStation made{.name = node.name};
    if (node.kind == Kind::delay) {
      made.kind = StationKind::delay;
    } else if (!node.servers.is_constant()) {
      refuse(node.element, "The servers of \"" + node.name + "\" change while the model runs.");
    } else {
      made.servers = static_cast<int>(node.servers.value());
    }
    using Interruption = NetworkModel::Interruption;
    if (node.discipline == Discipline::lcfs_pr &&
        (node.interruption == Interruption::repeat || node.interruption == Interruption::resample))
      refuse(node.element, "Services at \"" + node.name + "\" begin again after an interruption.");
    const double speed_here = speed(n, node, made);
    const bool shares = node.kind == Kind::delay || node.discipline == Discipline::ps ||
                        (node.discipline == Discipline::lcfs_pr && made.servers == 1);
    double mean = -1.0;
    for (std::size_t c = 0; c < model_.classes.size(); ++c) {
      const NetworkModel::Duration& time = node.time[c];
      const double visits = out_.arrivals[c][n];
      const NetworkClass& job_class = out_.network.classes[c];
      const bool comes = visits > 0.0 || (!ways_known_ && node.ways[c].target.size() > 0);
      if (comes && !time.drawn) refuse(node.element, "Times at \"" + node.name + "\" change while the model runs.");
      const double service = time.drawn ? time.mean_s : 0.0;
      out_.network.service_s.push_back(service / speed_here);
      // A passage through an open network begins at a source, one through a closed one at its reference station.
      out_.network.visits.push_back(!job_class.open                ? visits
                                    : job_class.arrival_rate > 0.0 ? visits / job_class.arrival_rate
                                                                   : 0.0);
      out_.chains.visits.push_back(out_.network.visits.back());
      if (comes && time.mean_s == std::numeric_limits<double>::infinity())
        refuse(node.element, "Times at \"" + node.name + "\" have no finite mean.");
      if (!comes || shares || !time.drawn) continue;
      if (time.law.family() != Distribution::Family::exponential)
        refuse(node.element, "Service times at \"" + node.name +
                                 "\" are not exponential; without sharing of the servers they would have to be.");
      if (mean >= 0.0 && service != mean)
        refuse(node.element, "Service times at \"" + node.name +
                                 "\" differ between classes; without sharing of the servers they may not.");
      mean = service;
    }
    out_.station[n] = static_cast<std::uint32_t>(out_.node.size());
    out_.node.push_back(n);
    out_.network.stations.push_back(std::move(made));
  }

  const NetworkModel& model_;
  Diagnostics& reasons_;
  ProductForm out_;
  bool ways_known_ = true;
};

}  // namespace

ProductForm product_form_of(const NetworkModel& model, Diagnostics& reasons) {
  return Recogniser(model, reasons).look();
}

}  // namespace ergode
