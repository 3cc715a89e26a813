#include "solvers/queueing/solve/closed_form_solver.h"

#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/solve/network_answers.h"
#include "solvers/queueing/solve/single_stations.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;

std::string of_class(const NetworkModel::JobClass& one) {
  return one.name.empty() ? std::string() : " of class \"" + one.name + "\"";
}

/// Takes a drawing apart into stations that stand for themselves, and solves each.
class ClosedFormStations {
 public:
  ClosedFormStations(const NetworkModel& model, Diagnostics& reasons)
      : model_(model), reasons_(reasons), means_(model) {}

  NetworkMeans solve() {
    const std::size_t classes = model_.classes.size();
    for (const NetworkModel::JobClass& one : model_.classes)
      if (one.population > 0)
        refuse(reasons_, one.element,
               "Customers" + of_class(one) + " stay in the network: no station stands for itself.");
    std::vector<double> arrivals(means_.places.size(), 0.0);
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (model_.nodes[n].kind == Kind::source) source(n, arrivals);
    bool any = false;
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
      const NetworkModel::Node& node = model_.nodes[n];
      if (node.kind == Kind::sink)
        for (std::size_t c = 0; c < classes; ++c) means_.at(n, c).served += arrivals[n * classes + c];
      if (node.kind != Kind::station && node.kind != Kind::delay) continue;
      std::vector<StationTraffic> traffic;
      for (std::uint32_t c = 0; c < classes; ++c)
        if (arrivals[n * classes + c] > 0.0) traffic.push_back({c, arrivals[n * classes + c]});
      if (traffic.empty()) continue;
      any = true;
      station(n, traffic);
    }
    if (!any && reasons_.empty()) refuse(reasons_, {}, "Nobody ever comes to a station.");
    return std::move(means_);
  }

 private:
  void source(std::uint32_t n, std::vector<double>& arrivals) {
    const NetworkModel::Node& node = model_.nodes[n];
    const std::string name = "\"" + node.name + "\"";
    if (node.process != NetworkModel::none) return;  // known_elements has said why not
    const auto rate = rate_of(node);
    if (!rate) return refuse(reasons_, node.element, "The rate of " + name + " changes while the model runs.");
    if (!node.has_rate && node.time[0].law.family() != Distribution::Family::exponential)
      return refuse(reasons_, node.element,
                    "Customers of " + name + " do not come at random: the time between two is not exponential.");
    lead(n, node.emits, *rate, arrivals);
  }
  void lead(std::uint32_t from, std::uint32_t c, double rate, std::vector<double>& onto) {
    const std::uint32_t unknown = spread(model_, from, c, rate, onto);
    if (unknown != NetworkModel::none)
      refuse(reasons_, model_.nodes[unknown].element,
             "Where customers go from \"" + model_.nodes[unknown].name + "\" is no matter of fixed probabilities.");
  }
  void station(std::uint32_t n, const std::vector<StationTraffic>& traffic) {
    const NetworkModel::Node& node = model_.nodes[n];
    if (refused(reasons_, node.element)) return;
    auto found = closed_form_of(model_, n, traffic);
    if (auto* why = std::get_if<std::string>(&found)) return refuse(reasons_, node.element, std::move(*why));
    std::vector<double> onto(means_.places.size(), 0.0);
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      means_.at(n, traffic[i].of_class) = std::get<std::vector<PlaceMeans>>(found)[i];
      lead(n, traffic[i].of_class, means_.at(n, traffic[i].of_class).served, onto);
    }
    for (std::size_t place = 0; place < onto.size(); ++place) {
      if (onto[place] == 0.0) continue;
      const NetworkModel::Node& next = model_.nodes[place / model_.classes.size()];
      if (next.kind == Kind::sink) means_.places[place].served += onto[place];
      else
        refuse(reasons_, node.element,
               "Customers go on from \"" + node.name + "\" to \"" + next.name + "\": no station stands for itself.");
    }
  }

  const NetworkModel& model_;
  Diagnostics& reasons_;
  NetworkMeans means_;
};

}  // namespace

const SolverSpec& ClosedFormSolver::spec() const {
  static const SolverSpec spec{
      .name = "queueing-closed-form",
      .label = "The closed form of stations",
      .description =
          "Exact means of stations that stand for themselves: M/M/c/K, losses, customers who give up, M/G/1 "
          "by order of arrival, priority or size, and shared.",
      .reference =
          "Kleinrock, Queueing systems, 1975 and 1976; Palm, Research on telephone traffic, 1957; Schrage and "
          "Miller, The queue M/G/1 with the shortest remaining processing time discipline, 1966",
      .exact = true,
      .long_run = true,
      .takes_long = false};
  return spec;
}

const KnownElements& ClosedFormSolver::known() const {
  using D = NetworkModel::Discipline;
  static const KnownElements all{.disciplines = blind_disciplines | bit_of(D::ps) | bit_of(D::lcfs_pr) |
                                                bit_of(D::sjf) | bit_of(D::ljf) | bit_of(D::srpt) | bit_of(D::sept) |
                                                bit_of(D::lept) | bit_of(D::las),
                                 .features = NetworkModel::patient | NetworkModel::prioritises,
                                 .capacities = true,
                                 .class_changes = true};
  return all;
}

void ClosedFormSolver::reasons(const NetworkModel& networks, const RunRequest&, Diagnostics& out) const {
  ClosedFormStations(networks, out).solve();
}

std::optional<Diagnostic> ClosedFormSolver::answer(const Task& task) const {
  Diagnostics none;
  const NetworkMeans means = ClosedFormStations(task.networks, none).solve();
  answer_networks(task.model, task.networks, means, {.method = "closed form"}, task.answers, task.out);
  return {};
}

}  // namespace ergode
