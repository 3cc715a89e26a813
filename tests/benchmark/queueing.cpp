// Drawn queueing networks beside the programs that a good hand would write for them: a binary heap of events, lines of
// customers, xoshiro256++ and std::log, and the same statistics.
#include <atomic>
#include <cmath>
#include <deque>
#include <queue>
#include <stdexcept>

#include "core/format/model_file.h"
#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"
#include "solvers/queueing/exact/mean_value_analysis.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/simulation/simulation.h"
#include "tests/benchmark/benchmark.h"
#include "tests/benchmark/xoshiro.h"

namespace ergode::bench {
namespace {

constexpr double horizon_s = 1e5, service_s = 1.0, load = 0.9;

// Sources and stations of a chain; number and response time of each are measured.
std::string drawn(int servers) {
  std::string text = R"json({"format": "ergode-model", "schema": 1,
 "model": {"id": "0000000000000001", "name": "queue", "horizon": "100000 s", "time_unit": "s"}, "parameters": [],
 "diagrams": [{"id": "0000000000000010", "name": "Net", "notation": "queueing",
   "nodes": [{"id": "0000000000000011", "kind": "source", "name": "in", "interarrival": "exponential(mean = GAP s)"},
             {"id": "0000000000000012", "kind": "station", "name": "desk", "servers": "SERVERS", "service": "exponential(mean = 1 s)"},
             {"id": "0000000000000013", "kind": "sink", "name": "out"}],
   "edges": [{"id": "0000000000000014", "kind": "flow", "source": "0000000000000011", "target": "0000000000000012"},
             {"id": "0000000000000015", "kind": "flow", "source": "0000000000000012", "target": "0000000000000013"}]}],
 "measures": [
  {"id": "0000000000000030", "name": "number", "type": "time_average", "expression": "desk.number", "curve": "0"},
  {"id": "0000000000000031", "name": "busy", "type": "time_average", "expression": "desk.busy", "curve": "0"},
  {"id": "0000000000000032", "name": "response", "type": "steady_state_mean", "of": "desk.response_time", "unit": "s"},
  {"id": "0000000000000033", "name": "waiting", "type": "steady_state_mean", "of": "desk.waiting_time", "unit": "s"},
  {"id": "0000000000000034", "name": "rate", "type": "observed_rate", "of": "out.time_in_system", "unit": "/s"}]})json";
  const auto put = [&](const std::string& word, const std::string& value) {
    text.replace(text.find(word), word.size(), value);
  };
  put("GAP", std::to_string(service_s / load / servers)), put("SERVERS", std::to_string(servers));
  return text;
}

class Drawn {
 public:
  explicit Drawn(const std::string& text) : source_(made_of(text), 1), worker_(source_.make_worker()) {}
  double customers() {
    const std::atomic<bool> go_on{false};
    Tallies tallies(source_.measures());
    worker_->run(first_++, tallies, go_on);
    return static_cast<double>(tallies.events) / 2;  // one comes, one goes
  }

 private:
  static std::shared_ptr<const AnalysisModel> made_of(const std::string& text) {
    static const bool known = (register_lowering(network_lowering), true);
    ReadOutcome read = parse_model(text);
    Diagnostics problems = read.diagnostics;
    auto out = known && read.document ? build_model(*read.document, {}, {}, problems) : nullptr;
    if (out == nullptr) throw std::runtime_error("the benchmark's model is broken: " + problems.front().message);
    return out;
  }
  SimulationSource source_;
  std::unique_ptr<ReplicationWorker> worker_;
  std::uint64_t first_ = 0;
};

volatile double sink = 0.0;

double by_hand(Xoshiro& random, int servers) {
  struct Event {
    double time;
    std::uint32_t customer;
    bool operator>(const Event& other) const { return time > other.time; }
  };
  constexpr std::uint32_t arrival = ~0U;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::deque<std::uint32_t> line;
  std::vector<double> came;
  std::vector<std::uint32_t> free;
  double now = 0, area = 0, busy_area = 0, responses = 0, waits = 0;
  int number = 0, busy = 0;
  std::uint64_t done = 0;
  const double gap = service_s / load / servers;
  const auto begin = [&](std::uint32_t customer) {
    ++busy, waits += now - came[customer];
    events.push({now + random.exponential() * service_s, customer});
  };
  events.push({random.exponential() * gap, arrival});
  while (events.top().time <= horizon_s) {
    const Event event = events.top();
    events.pop();
    area += number * (event.time - now), busy_area += busy * (event.time - now);
    now = event.time;
    if (event.customer == arrival) {
      events.push({now + random.exponential() * gap, arrival});
      std::uint32_t customer = 0;
      if (free.empty()) customer = static_cast<std::uint32_t>(came.size()), came.push_back(now);
      else customer = free.back(), free.pop_back(), came[customer] = now;
      ++number;
      if (busy < servers) begin(customer);
      else line.push_back(customer);
    } else {
      --number, --busy, ++done;
      responses += now - came[event.customer];
      free.push_back(event.customer);
      if (!line.empty()) {
        const std::uint32_t next = line.front();
        line.pop_front();
        begin(next);
      }
    }
  }
  sink = sink + area + busy_area + responses + waits;
  return static_cast<double>(done);
}

Named row(const char* name, int servers) {
  return {name, [name, servers](double seconds) {
            Drawn ours(drawn(servers));
            Xoshiro random(1);
            return compare(
                name, "customers/s", "a hand-written loop over a binary heap, xoshiro256++, one core", seconds,
                [&] { return ours.customers(); }, [&] { return by_hand(random, servers); });
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

}  // namespace

std::vector<Named> queueing_benchmarks() {
  return {row("queue_of_one_server", 1), row("queue_of_eight_servers", 8), mva_row()};
}

}  // namespace ergode::bench
