#include "solvers/queueing/solve/qbd_solver.h"

#include <map>
#include <numeric>

#include "solvers/queueing/exact/matrix_analytic.h"
#include "solvers/queueing/model/traffic.h"
#include "solvers/queueing/solve/network_answers.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;
using Discipline = NetworkModel::Discipline;
using M = NetworkModel;

constexpr std::size_t most_service_phases = 100;

/// A law as initial probabilities and generator.
PhaseService matrix_of(const Phases& phases) {
  const std::size_t n = phases.rate.size();
  PhaseService out{phases.initial, std::vector<double>(n * n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    out.generator[i * n + i] -= phases.rate[i];
    for (const Phases::Jump& jump : phases.jumps[i])
      out.generator[i * n + jump.phase] += phases.rate[i] * jump.probability;
  }
  return out;
}

MarkovianArrivals stream_of(const MarkovianArrivalProcess& map) { return {map.phases(), map.without(), map.with()}; }

/// A stream of which a part goes elsewhere.
MarkovianArrivals thinned(MarkovianArrivals one, double part) {
  for (std::size_t i = 0; i < one.with.size(); ++i) {
    one.without[i] += (1 - part) * one.with[i];
    one.with[i] *= part;
  }
  return one;
}

/// Two streams together: each in its own phase.
MarkovianArrivals together(const MarkovianArrivals& a, const MarkovianArrivals& b) {
  const std::size_t n = a.phases * b.phases;
  MarkovianArrivals out{n, std::vector<double>(n * n, 0.0), std::vector<double>(n * n, 0.0)};
  const auto add = [&](std::vector<double>& into, const std::vector<double>& of_a, const std::vector<double>& of_b) {
    for (std::size_t i = 0; i < a.phases; ++i)
      for (std::size_t j = 0; j < b.phases; ++j) {
        for (std::size_t k = 0; k < a.phases; ++k)
          into[(i * b.phases + j) * n + k * b.phases + j] += of_a[i * a.phases + k];
        for (std::size_t k = 0; k < b.phases; ++k)
          into[(i * b.phases + j) * n + i * b.phases + k] += of_b[j * b.phases + k];
      }
  };
  add(out.without, a.without, b.without), add(out.with, a.with, b.with);
  return out;
}

class QbdStations {
 public:
  struct Solved {
    std::uint32_t node;
    MapPhMeans means;
  };
  QbdStations(const NetworkModel& model, Diagnostics& reasons) : model_(model), reasons_(reasons), means_(model) {}

  NetworkMeans solve() {
    for (const M::JobClass& one : model_.classes)
      if (one.population > 0)
        refuse(reasons_, one.element, "Customers stay in the network: no station stands for itself.");
    for (std::uint32_t n = 0; n < model_.nodes.size(); ++n)
      if (model_.nodes[n].kind == Kind::source) source(n);
    for (const auto& [place, stream] : streams_) station(place);
    if (streams_.empty() && reasons_.empty()) refuse(reasons_, {}, "Nobody ever comes to a station.");
    return std::move(means_);
  }
  std::vector<Solved> solved;

 private:
  void lead(std::uint32_t from, std::uint32_t c, double rate, std::vector<double>& onto) {
    const std::uint32_t unknown = spread(model_, from, c, rate, onto);
    if (unknown != M::none)
      refuse(reasons_, model_.nodes[unknown].element,
             "Where customers go from \"" + model_.nodes[unknown].name + "\" is no matter of fixed probabilities.");
  }
  void source(std::uint32_t n) {
    const M::Node& node = model_.nodes[n];
    const std::string name = "\"" + node.name + "\"";
    const auto rate = rate_of(node);
    const bool process = node.process != M::none;
    if (process && !model_.processes[node.process].markovian)
      return refuse(reasons_, node.element, "When customers of " + name + " come is no matter of phases.");
    if (!rate) return refuse(reasons_, node.element, "The rate of " + name + " changes while the model runs.");
    if (*rate == 0.0) return;
    MarkovianArrivals stream{1, {-*rate}, {*rate}};
    if (process) {
      stream = stream_of(*model_.processes[node.process].markovian);
    } else if (!node.has_rate) {
      const auto phases = node.time[0].law.phases(most_service_phases);
      if (!phases || std::accumulate(phases->initial.begin(), phases->initial.end(), 0.0) < 1 - 1e-9)
        return refuse(reasons_, node.element,
                      "Times between customers of " + name + " have no phases that are exponential (at most 100).");
      stream = renewal_arrivals(matrix_of(*phases));
    }
    std::vector<double> onto(means_.places.size(), 0.0);
    lead(n, node.emits, 1.0, onto);
    for (std::size_t place = 0; place < onto.size(); ++place) {
      if (onto[place] == 0.0) continue;
      if (model_.nodes[place / model_.classes.size()].kind == Kind::sink) {
        means_.places[place].served += *rate * onto[place];
        continue;
      }
      MarkovianArrivals part = thinned(stream, std::min(1.0, onto[place]));
      const auto there = streams_.find(place);
      if (there == streams_.end()) streams_.emplace(place, std::move(part));
      else if (there->second.phases * part.phases > 400)
        refuse(reasons_, node.element, "The streams that come together have more than 400 phases.");
      else there->second = together(there->second, part);
    }
  }

  void station(std::size_t place) {
    const auto n = static_cast<std::uint32_t>(place / model_.classes.size());
    const std::size_t c = place % model_.classes.size();
    const M::Node& node = model_.nodes[n];
    const std::string name = "\"" + node.name + "\"";
    if (node.kind != Kind::station) return refuse(reasons_, node.element, name + " is no station with a server.");
    for (const auto& [other, stream] : streams_)
      if (other != place && other / model_.classes.size() == n)
        return refuse(reasons_, node.element, "Several classes come to " + name + ".");
    if (!node.servers.is_constant() || node.servers.value() != 1.0)
      return refuse(reasons_, node.element, name + " has not one server.");
    if (refused(reasons_, node.element)) return;
    const M::Duration& time = node.time[c];
    const bool process = time.process != M::none;
    const auto phases = time.drawn && !process ? time.law.phases(most_service_phases) : std::nullopt;
    if (!process && (!phases || std::accumulate(phases->initial.begin(), phases->initial.end(), 0.0) < 1 - 1e-9))
      return refuse(reasons_, node.element,
                    "Service times at " + name + " have no phases that are exponential (at most 100).");
    auto found = process ? map_map_1(streams_.at(place), stream_of(*model_.processes[time.process].markovian))
                         : map_ph_1(streams_.at(place), matrix_of(*phases));
    if (const auto* problem = std::get_if<Diagnostic>(&found))
      return refuse(reasons_, node.element, "At " + name + ": " + problem->message);
    MapPhMeans& m = std::get<MapPhMeans>(found);
    means_.places[place] = {.number = m.number,
                            .waiting = m.waiting_number,
                            .busy = m.utilisation,
                            .served = m.throughput,
                            .response_s = m.response_s,
                            .waiting_s = m.waiting_s};
    std::vector<double> onto(means_.places.size(), 0.0);
    lead(n, static_cast<std::uint32_t>(c), m.throughput, onto);
    for (std::size_t to = 0; to < onto.size(); ++to) {
      if (onto[to] == 0.0) continue;
      const M::Node& next = model_.nodes[to / model_.classes.size()];
      if (next.kind == Kind::sink) means_.places[to].served += onto[to];
      else
        refuse(reasons_, node.element,
               "Customers go on from " + name + " to \"" + next.name + "\": no station stands for itself.");
    }
    solved.push_back({n, std::move(m)});
  }

  const NetworkModel& model_;
  Diagnostics& reasons_;
  NetworkMeans means_;
  std::map<std::size_t, MarkovianArrivals> streams_;  ///< by node * classes + class
};

}  // namespace

const SolverSpec& QbdSolver::spec() const {
  static const SolverSpec spec{
      .name = "qbd",
      .label = "The matrix-analytic solution",
      .description =
          "Exact means of single servers with gaps and services in phases, which may depend on those before: "
          "MAP/PH/1, MAP/MAP/1.",
      .reference =
          "Latouche and Ramaswami, A logarithmic reduction algorithm for quasi-birth-death processes, 1993; "
          "Neuts, Matrix-geometric solutions in stochastic models, 1981",
      .exact = true,
      .long_run = true,
      .takes_long = false};
  return spec;
}

const KnownElements& QbdSolver::known() const {
  // One class comes to a station, so priorities make no difference.
  static const KnownElements all{.disciplines = blind_disciplines,
                                 .features = M::prioritises,
                                 .memory = true,
                                 .times_with_memory = true,
                                 .class_changes = true};
  return all;
}

void QbdSolver::reasons(const NetworkModel& networks, const RunRequest&, Diagnostics& out) const {
  QbdStations(networks, out).solve();
}

std::optional<Diagnostic> QbdSolver::answer(const Task& task) const {
  Diagnostics none;
  QbdStations stations(task.networks, none);
  const NetworkMeans means = stations.solve();
  answer_networks(task.model, task.networks, means, {.method = "logarithmic reduction"}, task.answers, task.out);
  ResultTable table;
  table.name = "levels";
  table.title = "How fast great numbers of customers become unlikely";
  table.columns = {{"Station"}, {"Nobody there"}, {"Who comes waits"}, {"Each more customer"}};
  for (const auto& one : stations.solved) {
    auto& row = table.rows.emplace_back();
    row.reserve(table.columns.size());
    row.emplace_back(task.networks.nodes[one.node].name);
    for (const double value : {one.means.empty, one.means.wait_probability, one.means.decay}) row.emplace_back(value);
  }
  task.answers.table(std::move(table));
  return {};
}

}  // namespace ergode
