// Drawn queueing networks beside the programs that a good hand would write for them: a binary heap of events, lines of
// customers, xoshiro256++ and std::log, and the same statistics.
#include <atomic>
#include <deque>
#include <queue>
#include <stdexcept>

#include "core/format/model_file.h"
#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/simulation/long_run/one_long_run.h"
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

std::shared_ptr<const AnalysisModel> made_of(const std::string& text) {
  static const bool known = (register_lowering(network_lowering), true);
  ReadOutcome read = parse_model(text);
  Diagnostics problems = read.diagnostics;
  auto out = known && read.document ? build_model(*read.document, {}, {}, problems) : nullptr;
  if (out == nullptr) throw std::runtime_error("the benchmark's model is broken: " + problems.front().message);
  return out;
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
  SimulationSource source_;
  std::unique_ptr<ReplicationWorker> worker_;
  std::uint64_t first_ = 0;
};

/// One long run after the other, each until all five measures are known to 3 % at 99 %.
class UntilPrecise {
 public:
  explicit UntilPrecise(std::shared_ptr<const AnalysisModel> model) : model_(std::move(model)) {}
  double customers() {
    RunRequest request;
    request.seed = ++seed_, request.precision = 0.03, request.confidence = 0.99;
    request.options["output-analysis"] = "batch-means";
    RunControl control;
    return static_cast<double>(solve_one_long_run(*model_, request, control, {}).events) / 2;
  }

 private:
  std::shared_ptr<const AnalysisModel> model_;
  std::uint64_t seed_ = 0;
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

Named until_precise(const char* name) {
  return {name, [name](double seconds) {
            UntilPrecise ours(made_of(drawn(1)));
            Xoshiro random(1);
            return compare(
                name, "customers/s", "a hand-written loop over a binary heap, xoshiro256++, one core", seconds,
                [&] { return ours.customers(); }, [&] { return by_hand(random, 1); });
          }};
}

}  // namespace

std::vector<Named> queueing_benchmarks() {
  return {row("queue_of_one_server", 1), row("queue_of_eight_servers", 8), until_precise("queue_until_precise")};
}

}  // namespace ergode::bench
