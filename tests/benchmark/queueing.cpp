// Drawn queueing networks beside the programs that a good hand would write for them: a binary heap of events, lines of
// customers, xoshiro256++ and std::log, and the same statistics.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <deque>
#include <queue>
#include <stdexcept>

#include "app/session/catalogue.h"
#include "core/format/model_file.h"
#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"
#include "solvers/queueing/exact/mean_value_analysis.h"
#include "solvers/simulation/long_run/one_long_run.h"
#include "solvers/simulation/simulation.h"
#include "tests/benchmark/benchmark.h"
#include "tests/benchmark/xoshiro.h"

namespace ergode::bench {
namespace {

constexpr double horizon_s = 1e5, service_s = 1.0, load = 0.9;

/// A network to be drawn and to be programmed: exponential times, one class; who leaves station i goes to j with
/// probability way[i][j], else out of the network.
struct Network {
  std::vector<double> arrival;           ///< by station [1/s]
  std::vector<std::vector<double>> way;  ///< [from][to]
  std::vector<int> servers;              ///< each of mean service_s
  int jobs = 0;                          ///< closed, all at station 0 at first
  bool forks = false;                    ///< one who arrives is split, one to each station, and joined behind them
};

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// As it is drawn, with the statistics that "Measure every station" asks for.
std::string drawn(const Network& net) {
  std::string nodes, edges, measures;
  int last = 0x100;
  const auto id = [&] {
    char text[20];
    std::snprintf(text, sizeof text, "%016x", ++last);
    return std::string(text);
  };
  const auto node = [&](const std::string& kind, const std::string& name, const std::string& more = "") {
    const std::string made = id();
    nodes += (nodes.empty() ? "" : ",\n") + ("{\"id\": " + quoted(made)) + ", \"kind\": " + quoted(kind) +
             ", \"name\": " + quoted(name) + more + "}";
    return made;
  };
  const auto flow = [&](const std::string& from, const std::string& to, const std::string& more = "") {
    edges += (edges.empty() ? "" : ",\n") + ("{\"id\": " + quoted(id())) +
             ", \"kind\": \"flow\", \"source\": " + quoted(from) + ", \"target\": " + quoted(to) + more + "}";
  };
  const auto measure = [&](const std::string& name, const std::string& rest) {
    measures += (measures.empty() ? "" : ",\n") + ("{\"id\": " + quoted(id())) + ", \"name\": " + quoted(name) + ", " +
                rest + "}";
  };
  std::vector<std::string> stations;
  for (std::size_t i = 0; i < net.servers.size(); ++i) {
    const std::string name = "desk" + std::to_string(i);
    stations.push_back(
        node("station", name,
             ", \"servers\": \"" + std::to_string(net.servers[i]) + "\", \"service\": \"exponential(mean = 1 s)\""));
    for (const char* word : {"number", "busy"})
      measure(name + "_" + word,
              "\"type\": \"time_average\", \"curve\": \"0\", \"expression\": " + quoted(name + "." + word));
    measure(name + "_response",
            "\"type\": \"observed_mean\", \"unit\": \"s\", \"of\": " + quoted(name + ".response_time"));
    measure(name + "_rate",
            "\"type\": \"observed_rate\", \"unit\": \"/s\", \"of\": " + quoted(name + ".response_time"));
  }
  const auto source = [&](const std::string& name, double rate) {
    return node("source", name, ", \"interarrival\": \"exponential(mean = " + std::to_string(1 / rate) + " s)\"");
  };
  if (net.forks) {
    const std::string fork = node("fork", "split"), join = node("join", "together"), out = node("sink", "out");
    flow(source("in", net.arrival[0]), fork), flow(join, out);
    for (const std::string& station : stations) flow(fork, station), flow(station, join);
    measure("whole", R"("type": "observed_mean", "unit": "s", "of": "out.time_in_system")");
  } else {
    const std::string out = net.jobs == 0 ? node("sink", "out") : "";
    if (net.jobs > 0)
      node("job_class", "job", ", \"population\": \"" + std::to_string(net.jobs) + "\", \"reference\": \"desk0\"");
    for (std::size_t i = 0; i < stations.size(); ++i) {
      if (net.arrival[i] > 0) flow(source("in" + std::to_string(i), net.arrival[i]), stations[i]);
      double stays = 0.0;
      for (std::size_t j = 0; j < stations.size(); ++j) {
        if (net.way[i][j] == 0.0) continue;
        flow(stations[i], stations[j], ", \"probability\": \"" + std::to_string(net.way[i][j]) + "\"");
        stays += net.way[i][j];
      }
      if (stays < 1.0 - 1e-9) flow(stations[i], out);
    }
  }
  return R"({"format": "ergode-model", "schema": 1,
 "model": {"id": "0000000000000001", "name": "network", "horizon": "100000 s", "time_unit": "s"}, "parameters": [],
 "diagrams": [{"id": "0000000000000010", "name": "Net", "notation": "queueing", "nodes": [)" +
         nodes + "], \"edges\": [" + edges + "]}], \"measures\": [" + measures + "]}";
}

std::shared_ptr<const AnalysisModel> made_of(const std::string& text) {
  catalogue();  // knows how networks are lowered
  ReadOutcome read = parse_model(text);
  Diagnostics problems = read.diagnostics;
  auto out = read.document ? build_model(*read.document, {}, {}, problems) : nullptr;
  if (out == nullptr) throw std::runtime_error("the benchmark's model is broken: " + problems.front().message);
  return out;
}

class Drawn {
 public:
  explicit Drawn(const std::string& text) : source_(made_of(text), 1), worker_(source_.make_worker()) {}
  /// Customers who come from outside, and services.
  double events() {
    const std::atomic<bool> go_on{false};
    Tallies tallies(source_.measures());
    worker_->run(first_++, tallies, go_on);
    return static_cast<double>(tallies.events);
  }

 private:
  SimulationSource source_;
  std::unique_ptr<ReplicationWorker> worker_;
  std::uint64_t first_ = 0;
};

/// One long run after the other, each until all five measures are known to 3 % at 99 %.
class UntilPrecise {
 public:
  explicit UntilPrecise(std::shared_ptr<const AnalysisModel> model) : model_(std::move(model)) {}
  double events() {
    RunRequest request;
    request.seed = ++seed_, request.precision = 0.03, request.confidence = 0.99;
    request.options["output-analysis"] = "batch-means";
    RunControl control;
    return static_cast<double>(solve_one_long_run(*model_, request, control, {}).events);
  }

 private:
  std::shared_ptr<const AnalysisModel> model_;
  std::uint64_t seed_ = 0;
};

volatile double sink = 0.0;

/// The same, programmed: a binary heap of services and arrivals, a line at each station, customers in one array.
double by_hand(Xoshiro& random, const Network& net) {
  constexpr std::uint32_t nobody = ~0U;
  struct Event {
    double time;
    std::uint32_t station, customer;  // nobody: one comes from outside
    bool operator>(const Event& other) const { return time > other.time; }
  };
  struct Station {
    std::deque<std::uint32_t> line;
    int number = 0, busy = 0, servers = 1;
    double since = 0, area = 0, busy_area = 0, responses = 0;
    std::uint64_t done = 0;
    std::vector<double> upto;
    void account(double now) { area += number * (now - since), busy_area += busy * (now - since), since = now; }
  };
  struct Customer {
    double came, born;
    std::uint32_t whole;
  };
  struct Whole {
    double born;
    std::size_t missing;
  };
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<Station> stations(net.servers.size());
  std::vector<Customer> customers;
  std::vector<Whole> wholes;
  std::vector<std::uint32_t> free, free_wholes;
  double now = 0, times = 0;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < stations.size(); ++i) {
    stations[i].servers = net.servers[i];
    double sum = 0;
    for (std::size_t j = 0; !net.forks && j < stations.size(); ++j) stations[i].upto.push_back(sum += net.way[i][j]);
  }
  const auto someone = [&](std::uint32_t whole) {
    std::uint32_t customer = 0;
    if (free.empty()) customer = static_cast<std::uint32_t>(customers.size()), customers.emplace_back();
    else customer = free.back(), free.pop_back();
    customers[customer] = {now, now, whole};
    return customer;
  };
  const auto enter = [&](std::uint32_t customer, std::size_t at) {
    Station& station = stations[at];
    customers[customer].came = now;
    station.account(now);
    ++station.number;
    if (station.busy == station.servers) return station.line.push_back(customer);
    ++station.busy;
    events.push({now + random.exponential() * service_s, static_cast<std::uint32_t>(at), customer});
  };
  for (std::size_t i = 0; i < stations.size(); ++i)
    if (net.arrival[i] > 0 && (i == 0 || !net.forks))
      events.push({random.exponential() / net.arrival[i], static_cast<std::uint32_t>(i), nobody});
  for (int job = 0; job < net.jobs; ++job) enter(someone(nobody), 0);
  while (events.top().time <= horizon_s) {
    const Event event = events.top();
    events.pop();
    now = event.time, ++count;
    if (event.customer == nobody) {
      events.push({now + random.exponential() / net.arrival[event.station], event.station, nobody});
      if (!net.forks) {
        enter(someone(nobody), event.station);
        continue;
      }
      std::uint32_t whole = 0;
      if (free_wholes.empty()) whole = static_cast<std::uint32_t>(wholes.size()), wholes.emplace_back();
      else whole = free_wholes.back(), free_wholes.pop_back();
      wholes[whole] = {now, stations.size()};
      for (std::size_t i = 0; i < stations.size(); ++i) enter(someone(whole), i);
      continue;
    }
    Station& station = stations[event.station];
    station.account(now);
    --station.number, ++station.done;
    station.responses += now - customers[event.customer].came;
    if (station.line.empty()) --station.busy;
    else {
      const std::uint32_t next = station.line.front();
      station.line.pop_front();
      events.push({now + random.exponential() * service_s, event.station, next});
    }
    if (net.forks) {
      const std::uint32_t whole = customers[event.customer].whole;
      free.push_back(event.customer);
      if (--wholes[whole].missing == 0) times += now - wholes[whole].born, free_wholes.push_back(whole);
      continue;
    }
    const double u = net.jobs > 0 ? 0.5 : station.upto.back() == 0.0 ? 1.0 : random.uniform();
    const auto to =
        static_cast<std::size_t>(std::upper_bound(station.upto.begin(), station.upto.end(), u) - station.upto.begin());
    if (to < stations.size()) enter(event.customer, to);
    else times += now - customers[event.customer].born, free.push_back(event.customer);
  }
  for (const Station& s : stations) sink = sink + s.area + s.busy_area + s.responses + static_cast<double>(s.done);
  sink = sink + times;
  return static_cast<double>(count);
}

Network queue(int servers) { return {.arrival = {load * servers / service_s}, .way = {{0.0}}, .servers = {servers}}; }

Network closed_tandem() {
  constexpr std::size_t n = 10;
  Network out{.arrival = std::vector<double>(n, 0.0),
              .way = std::vector<std::vector<double>>(n, std::vector<double>(n, 0.0)),
              .servers = std::vector<int>(n, 1),
              .jobs = 20};
  for (std::size_t i = 0; i < n; ++i) out.way[i][(i + 1) % n] = 1.0;
  return out;
}

Network jackson() {
  constexpr std::size_t n = 20;
  Network out{.arrival = std::vector<double>(n, load / 2),  // half of those who leave a station go on to another
              .way = std::vector<std::vector<double>>(n, std::vector<double>(n, 0.5 / n)),
              .servers = std::vector<int>(n, 1)};
  return out;
}

Network fork_join() {
  return {.arrival = std::vector<double>(8, 0.7), .way = {}, .servers = std::vector<int>(8, 1), .forks = true};
}

Named row(const char* name, Network (*made)()) {
  return {name, [name, made](double seconds) {
            const Network network = made();
            Drawn ours(drawn(network));
            Xoshiro random(1);
            return compare(
                name, "events/s", "a hand-written loop over a binary heap, xoshiro256++, one core", seconds,
                [&] { return ours.events(); }, [&] { return by_hand(random, network); });
          }};
}

// Three classes of 60 at ten single servers: 226,981 populations.
constexpr std::size_t classes = 3, stations = 10;
constexpr int population = 60;

QueueingNetwork closed_network() {
  QueueingNetwork out{std::vector<NetworkStation>(stations), {}, {}, {}};
  for (std::size_t c = 0; c < classes; ++c)
    out.classes.push_back({.population = population, .think_s = 1.0 + static_cast<double>(c)});
  for (std::size_t k = 0; k < stations; ++k)
    for (std::size_t c = 0; c < classes; ++c)
      out.service_s.push_back(0.01 * static_cast<double>(1 + (3 * k + 5 * c) % 7)), out.visits.push_back(1.0);
  return out;
}

/// The arrival theorem as textbooks have it: numbers at all stations with every population, one after the other.
/// @returns throughputs
std::vector<double> mva_by_hand(const QueueingNetwork& network, std::vector<double>& number) {
  constexpr std::size_t side = population + 1, strides[classes] = {side * side, side, 1};
  number.assign(side * side * side * stations, 0.0);
  std::vector<double> throughput(classes);
  double response[stations];
  for (std::size_t state = 1; state < side * side * side; ++state) {
    const std::size_t n[classes] = {state / (side * side), state / side % side, state % side};
    double* const here = number.data() + state * stations;
    for (std::size_t c = 0; c < classes; ++c) {
      if (n[c] == 0) continue;
      const double* const before = number.data() + (state - strides[c]) * stations;
      double all = network.classes[c].think_s;
      for (std::size_t k = 0; k < stations; ++k)
        all += response[k] = network.service_s[k * classes + c] * (1 + before[k]);
      throughput[c] = static_cast<double>(n[c]) / all;
      for (std::size_t k = 0; k < stations; ++k) here[k] += throughput[c] * response[k];
    }
  }
  return throughput;
}

Named mva_row() {
  return {"exact_mva", [](double seconds) {
            const QueueingNetwork network = closed_network();
            std::vector<double> number;
            const std::vector<double> wanted = mva_by_hand(network, number);
            const auto ours = std::get<NetworkResult>(mean_value_analysis(network));
            for (std::size_t c = 0; c < classes; ++c)
              if (!(std::fabs(ours.class_throughput[c] / wanted[c] - 1) < 1e-9))
                throw std::runtime_error("exact_mva: the two ways differ");
            constexpr double populations = 61.0 * 61.0 * 61.0;
            return compare(
                "exact_mva", "populations/s", "the arrival theorem written out: three loops over one array", seconds,
                [&] {
                  const auto r = std::get<NetworkResult>(mean_value_analysis(network));
                  sink = sink + r.class_throughput[0];
                  return populations;
                },
                [&] {
                  sink = sink + mva_by_hand(network, number)[0];
                  return populations;
                });
          }};
}

Named until_precise(const char* name) {
  return {name, [name](double seconds) {
            const Network network = queue(1);
            UntilPrecise ours(made_of(drawn(network)));
            Xoshiro random(1);
            return compare(
                name, "events/s", "a hand-written loop over a binary heap, xoshiro256++, one core", seconds,
                [&] { return ours.events(); }, [&] { return by_hand(random, network); });
          }};
}

}  // namespace

std::vector<Named> queueing_benchmarks() {
  return {row("queue_of_one_server", [] { return queue(1); }),
          row("queue_of_eight_servers", [] { return queue(8); }),
          row("closed_tandem_of_ten", closed_tandem),
          row("jackson_network_of_twenty", jackson),
          row("fork_and_join_of_eight", fork_join),
          mva_row(),
          until_precise("queue_until_precise")};
}

}  // namespace ergode::bench
