#include "solvers/queueing/solve/product_form.h"

#include <algorithm>
#include <limits>
#include <string>

#include "solvers/queueing/model/traffic.h"

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
  void refuse(ElementId element, std::string why) {
    for (const Diagnostic& known : reasons_)
      if (known.element == element && known.message == why) return;
    reasons_.push_back({.code = "SOL001", .element = element, .message = std::move(why)});
  }

  void classes() {
    for (std::uint32_t c = 0; c < model_.classes.size(); ++c) {
      const NetworkModel::JobClass& one = model_.classes[c];
      NetworkClass made{.name = one.name, .open = one.population == 0, .population = static_cast<int>(one.population)};
      for (const NetworkModel::Node& node : model_.nodes) {
        if (node.kind != Kind::source || node.emits != c) continue;
        made.arrival_rate += rate_of(node).value_or(0.0);
        if (node.process != NetworkModel::none)
          refuse(node.element, "Customers of \"" + node.name + "\" do not come at random: gaps have memory.");
        else if (!node.has_rate && node.time[0].drawn && node.time[0].law.family() != Distribution::Family::exponential)
          refuse(node.element,
                 "Customers of \"" + node.name + "\" do not come at random: the time between two is not exponential.");
      }
      auto found = traffic(model_, c);
      if (auto* visits = std::get_if<std::vector<double>>(&found)) {
        out_.arrivals.push_back(std::move(*visits));
      } else {
        const std::string of = one.name.empty() ? "" : " of class \"" + one.name + "\"";
        refuse(one.element, "How often customers" + of +
                                " come to each station is not fixed: " + std::get<std::string>(found) + ".");
        ways_known_ = false;
        out_.arrivals.emplace_back(model_.nodes.size(), 0.0);
      }
      out_.network.classes.push_back(std::move(made));
    }
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
    // Where ways are not known, neither is who comes.
    if (!out_.network.stations.empty() || !ways_known_) return;
    const bool any = std::any_of(model_.nodes.begin(), model_.nodes.end(), [](const NetworkModel::Node& node) {
      return node.kind == Kind::station || node.kind == Kind::delay;
    });
    refuse({}, any ? "Nobody ever comes to a station." : "There is no station: customers only pass.");
  }

  // What stations do that no product form knows of.
  void rules(const NetworkModel::Node& node) {
    using M = NetworkModel;
    constexpr std::pair<std::uint32_t, const char*> words[] = {{M::patient, "Customers give up"},
                                                               {M::balks, "Customers may turn round"},
                                                               {M::sets_up, "Servers are set up"},
                                                               {M::vacates, "Servers take vacations"},
                                                               {M::breaks_down, "Servers fail"},
                                                               {M::own_servers, "Servers differ"},
                                                               {M::varies_speed, "The speed of the servers is given"},
                                                               {M::batches, "Customers are served in batches"},
                                                               {M::polls, "The server goes round the classes"},
                                                               {M::by_attained, "Those who have got least go first"},
                                                               {M::keyed, "Who is next depends on who waits"},
                                                               {M::prioritises, "Classes have priorities"}};
    for (const auto& [feature, what] : words)
      if (node.has(feature)) refuse(node.element, std::string(what) + " at \"" + node.name + "\".");
    if (node.discipline == Discipline::dps || node.discipline == Discipline::gps)
      refuse(node.element, "Shares at \"" + node.name + "\" are not even.");
    const bool repeats = node.interruption == M::Interruption::repeat || node.interruption == M::Interruption::resample;
    if (node.discipline == Discipline::lcfs_pr && repeats)
      refuse(node.element, "Services at \"" + node.name + "\" begin again after an interruption.");
  }

  void station(std::uint32_t n, const NetworkModel::Node& node) {
    NetworkStation made{.name = node.name};
    if (node.kind == Kind::delay) {
      made.kind = StationKind::delay;
    } else if (!node.servers.is_constant()) {
      refuse(node.element, "The servers of \"" + node.name + "\" change while the model runs.");
    } else {
      made.servers = static_cast<int>(std::min(node.servers.value(), 1e9));
    }
    if (node.capacity != NetworkModel::unlimited)
      refuse(node.element, node.when_full == NetworkModel::WhenFull::lose
                               ? "\"" + node.name + "\" turns customers away when it is full."
                               : "Customers wait for room before \"" + node.name + "\" when it is full.");
    rules(node);
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
      out_.network.service_s.push_back(service);
      // A passage through an open network begins at a source, one through a closed one at its reference station.
      out_.network.visits.push_back(!job_class.open                ? visits
                                    : job_class.arrival_rate > 0.0 ? visits / job_class.arrival_rate
                                                                   : 0.0);
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
