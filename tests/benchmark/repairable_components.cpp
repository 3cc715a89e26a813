#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "core/expression/compile.h"
#include "core/expression/machine_code.h"
#include "core/expression/parameters.h"
#include "core/format/model_file.h"
#include "core/study/runner.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/simulation.h"
#include "tests/benchmark/benchmark.h"
#include "tests/benchmark/xoshiro.h"

namespace ergode::bench {
namespace {

constexpr double horizon_h = 10000.0, lambda_h = 0.01, mu_h = 0.1;

// Four components as a user draws them; two measures as a user asks them.
constexpr const char* drawn = R"json({"format": "ergode-model", "schema": 1,
 "model": {"id": "0000000000000001", "name": "four repairable components", "horizon": "10000 h", "time_unit": "h"},
 "parameters": [
  {"id": "0000000000000002", "name": "lambda", "value": "0.01 /h", "unit": "/h"},
  {"id": "0000000000000003", "name": "mu", "value": "0.1 /h", "unit": "/h"}],
 "diagrams": [
  {"id": "0000000000000010", "name": "Unit", "notation": "statechart",
   "nodes": [{"id": "0000000000000011", "kind": "initial"}, {"id": "0000000000000012", "kind": "state", "name": "Up"},
             {"id": "0000000000000013", "kind": "state", "name": "Down"}],
   "edges": [
    {"id": "0000000000000014", "kind": "transition", "source": "0000000000000011", "target": "0000000000000012"},
    {"id": "0000000000000015", "kind": "transition", "source": "0000000000000012", "target": "0000000000000013", "trigger": "rate(lambda)", "role": "failure"},
    {"id": "0000000000000016", "kind": "transition", "source": "0000000000000013", "target": "0000000000000012", "trigger": "rate(mu)", "role": "repair"}]},
  {"id": "0000000000000020", "name": "Plant", "notation": "system",
   "nodes": [{"id": "0000000000000021", "kind": "component", "name": "unit", "chart": "Unit", "count": "4"}], "edges": []}],
 "measures": [
  {"id": "0000000000000030", "name": "mean_down", "type": "time_average", "expression": "count(unit[*].Down)", "curve": "0"},
  {"id": "0000000000000031", "name": "all_down", "type": "probability_by", "expression": "all(unit[*].Down)", "curve": "0"}]})json";

std::shared_ptr<const AnalysisModel> model() {
  static const auto made = [] {
    ReadOutcome read = parse_model(drawn);
    Diagnostics problems = read.diagnostics;
    auto out = read.document ? build_model(*read.document, {}, {}, problems) : nullptr;
    if (out == nullptr) throw std::runtime_error("the benchmark's model is broken: " + problems.front().message);
    return out;
  }();
  return made;
}

struct ByHand {
  double mean_down = 0.0;
  bool all_down = false;
  std::uint64_t events = 0;
};

ByHand by_hand(Xoshiro& random) {
  ByHand out;
  std::array<double, 4> next{};
  std::array<bool, 4> down{};
  int count = 0;
  for (double& t : next) t = random.exponential() / lambda_h;
  double now = 0.0, area = 0.0;
  for (;;) {
    int i = 0;
    for (int k = 1; k < 4; ++k)
      if (next[static_cast<std::size_t>(k)] < next[static_cast<std::size_t>(i)]) i = k;
    const auto who = static_cast<std::size_t>(i);
    const double t = next[who];
    if (t > horizon_h) break;
    area += count * (t - now);
    now = t;
    down[who] = !down[who];
    count += down[who] ? 1 : -1;
    out.all_down = out.all_down || count == 4;
    next[who] = now + random.exponential() / (down[who] ? mu_h : lambda_h);
    ++out.events;
  }
  out.mean_down = (area + count * (horizon_h - now)) / horizon_h;
  return out;
}

std::shared_ptr<const AnalysisModel> made_of(const std::string& text) {
  ReadOutcome read = parse_model(text);
  Diagnostics problems = read.diagnostics;
  auto out = read.document ? build_model(*read.document, {}, {}, problems) : nullptr;
  if (out == nullptr) throw std::runtime_error("the benchmark's model is broken: " + problems.front().message);
  return out;
}

// So many of them over a tenth of the time.
constexpr double short_horizon_h = 1000.0;
std::shared_ptr<const AnalysisModel> many(std::uint32_t count) {
  std::string text = drawn;
  text.replace(text.find("\"count\": \"4\""), 12, "\"count\": \"" + std::to_string(count) + "\"");
  text.replace(text.find("10000 h"), 7, "1000 h");
  return made_of(text);
}

// What somebody writes by hand for many components: a winner tree over their next times, a leaf for each.
class ManyByHand {
 public:
  explicit ManyByHand(std::uint32_t count)
      : count_(count), leaves_(std::bit_ceil(count)), node_(2 * std::size_t{leaves_}), down_(count) {}

  ByHand run(Xoshiro& random) {
    ByHand out;
    std::fill(down_.begin(), down_.end(), std::uint8_t{0});
    for (std::uint32_t i = 0; i < leaves_; ++i)
      node_[leaves_ + i] = {i < count_ ? random.exponential() / lambda_h : std::numeric_limits<double>::infinity(), i};
    for (std::uint32_t at = leaves_ - 1; at > 0; --at) node_[at] = winner(at);
    std::uint32_t down = 0;
    double now = 0.0, area = 0.0;
    while (node_[1].time <= short_horizon_h) {
      const std::uint32_t who = node_[1].who;
      area += down * (node_[1].time - now);
      now = node_[1].time;
      down_[who] ^= 1U;
      down += down_[who] != 0 ? 1U : ~0U;
      out.all_down = out.all_down || down == count_;
      play(now + random.exponential() / (down_[who] != 0 ? mu_h : lambda_h), who);
      ++out.events;
    }
    out.mean_down = (area + down * (short_horizon_h - now)) / short_horizon_h;
    return out;
  }

 private:
  struct Node {
    double time = std::numeric_limits<double>::infinity();
    std::uint32_t who = 0;
  };
  Node winner(std::uint32_t at) const {
    const Node* const pair = &node_[2 * std::size_t{at}];
    return pair[pair[1].time < pair[0].time ? 1 : 0];
  }
  // The winner so far stays in registers. Times are compared as integers, without a branch, which would be mispredicted
  // every other time.
  void play(double time, std::uint32_t who) {
    std::uint64_t best = std::bit_cast<std::uint64_t>(time);
    std::uint32_t at = leaves_ + who;
    node_[at] = {time, who};
    while (at > 1) {
      const auto rival = std::bit_cast<std::uint64_t>(node_[at ^ 1U].time);
      const std::uint32_t other = node_[at ^ 1U].who;
      const bool lost = rival < best;
      best = lost ? rival : best;
      who = lost ? other : who;
      at /= 2;
      node_[at] = {std::bit_cast<double>(best), who};
    }
  }
  std::uint32_t count_, leaves_;
  std::vector<Node> node_;
  std::vector<std::uint8_t> down_;
};

// A thousand of them, and watchers that wait until so and so many are down; most never come to it.
std::shared_ptr<const AnalysisModel> watched(int watchers) {
  std::string text = drawn;
  const auto put = [&](std::string_view before, const std::string& more) { text.insert(text.find(before), more); };
  text.replace(text.find("\"count\": \"4\""), 12, "\"count\": \"1000\"");
  put(R"json(  {"id": "0000000000000020")json",
      R"json(  {"id": "0000000000000050", "name": "Watch", "notation": "statechart",
   "nodes": [{"id": "0000000000000051", "kind": "initial"}, {"id": "0000000000000052", "kind": "state", "name": "Waits"},
             {"id": "0000000000000053", "kind": "state", "name": "Seen"},
             {"id": "0000000000000056", "kind": "variable", "name": "k", "type": "integer", "role": "parameter", "initial": "1"}],
   "edges": [
    {"id": "0000000000000054", "kind": "transition", "source": "0000000000000051", "target": "0000000000000052"},
    {"id": "0000000000000055", "kind": "transition", "source": "0000000000000052", "target": "0000000000000053", "trigger": "when(count(unit[*].Down) >= k)"}]},
)json");
  put("}], \"edges\": []}],",
      "}, {\"id\": \"0000000000000057\", \"kind\": \"component\", \"name\": \"watch\", \"chart\": \"Watch\", "
      "\"count\": \"" +
          std::to_string(watchers) + "\", \"arguments\": \"k = index\"");
  return made_of(text);
}

volatile double sink = 0.0;

/// Replications of one model on one thread, whose events are counted.
class OneThread {
 public:
  explicit OneThread(std::shared_ptr<const AnalysisModel> model)
      : source_(std::move(model), 1), worker_(source_.make_worker()) {}
  double events(std::uint64_t replications) {
    const std::atomic<bool> go_on{false};
    Tallies tallies(source_.measures());
    for (std::uint64_t r = 0; r < replications; ++r) worker_->run(first_++, tallies, go_on);
    sink = sink + tallies.measures[0].values().mean();
    return static_cast<double>(tallies.events);
  }

 private:
  SimulationSource source_;
  std::unique_ptr<ReplicationWorker> worker_;
  std::uint64_t first_ = 0;
};

double ours_one_thread(std::uint64_t replications) {
  static OneThread four(model());
  return four.events(replications);
}

double hand_written(std::uint64_t replications) {
  static Xoshiro random(1);
  double events = 0.0, mean = 0.0;
  for (std::uint64_t r = 0; r < replications; ++r) {
    const ByHand one = by_hand(random);
    events += static_cast<double>(one.events);
    mean += one.mean_down + (one.all_down ? 1.0 : 0.0);
  }
  sink = sink + mean;
  return events;
}

// Behind a pointer, as an interpreter's caller sees it: the compiler must not fold the loop around it.
double condition_in_cpp(const double* slots) {
  return slots[0] * slots[0] + 3 * slots[1] - 2 > 1 && slots[1] < 4 ? 1.0 : 0.0;
}
double (*volatile in_cpp)(const double*) = condition_in_cpp;

double run_threads(unsigned threads) {
  static const SimulationSource source(model(), 1);
  RunControl control;
  StoppingRule rule;
  rule.max_replications = 2000;
  const RunOutcome outcome = run_replications(source, rule, threads, control, {});
  return static_cast<double>(outcome.tallies.events);
}

Named large(const char* name, std::uint32_t count) {
  return {name, [name, count](double seconds) {
            OneThread ours(many(count));
            ManyByHand hand(count);
            Xoshiro random(1);
            return compare(
                name, "events/s", "hand-written loop over a winner tree, xoshiro256++", seconds,
                [&] { return ours.events(1); },
                [&] {
                  const ByHand one = hand.run(random);
                  sink = sink + one.mean_down + (one.all_down ? 1.0 : 0.0);
                  return static_cast<double>(one.events);
                });
          }};
}

// Hardly anything happens within a thousandth of an hour, so a replication is its start.
std::shared_ptr<const AnalysisModel> starting(bool clocks) {
  std::string text = drawn;
  text.replace(text.find("\"count\": \"4\""), 12, "\"count\": \"10000\"");
  text.replace(text.find("10000 h"), 7, "1e-6 h");
  if (!clocks)
    for (const char* trigger : {"rate(lambda)", "rate(mu)"})
      text.replace(text.find(trigger), std::strlen(trigger), "go");
  return made_of(text);
}
Named start_up(const char* name, bool clocks) {
  return {name, [name, clocks](double seconds) {
            OneThread ours(starting(clocks));
            Xoshiro random(1);
            std::vector<double> next(10000);
            return compare(
                name, "components/s", "10,000 first times drawn: xoshiro256++, std::log", seconds,
                [&] {
                  ours.events(10);
                  return 1e5;
                },
                [&] {
                  for (int again = 0; again < 10; ++again)
                    for (double& time : next) time = random.exponential() / lambda_h;
                  sink = sink + next[5000];
                  return 1e5;
                });
          }};
}

}  // namespace

std::vector<Named> benchmarks() {
  return {
      {"four_repairable_components",
       [](double seconds) {
         return compare(
             "four_repairable_components", "events/s", "hand-written loop, xoshiro256++, one core", seconds,
             [] { return ours_one_thread(20); }, [] { return hand_written(20); });
       }},
      {"thousand_watchers_over_one",
       [](double seconds) {
         OneThread thousand(watched(1000)), one(watched(1));
         return compare(
             "thousand_watchers_over_one", "events/s", "the same thousand components with one watcher", seconds,
             [&] { return thousand.events(1); }, [&] { return one.events(1); });
       }},
      large("ten_thousand_repairable_components", 10000),
      large("hundred_thousand_repairable_components", 100000),
      start_up("start_of_ten_thousand_clocks", true),
      start_up("start_of_ten_thousand_without_clocks", false),
      {"two_threads_over_one",
       [](double seconds) {
         return compare(
             "two_threads_over_one", "events/s", "the same run on one thread", seconds, [] { return run_threads(2); },
             [] { return run_threads(1); });
       }},
      {"expression_over_cpp",
       [](double seconds) {
         ReadOutcome read = parse_model(drawn);
         Diagnostics problems;
         const ParameterTable table = ParameterTable::resolve(*read.document, "", {}, problems);
         class Slots : public ParameterScope {
          public:
           using ParameterScope::ParameterScope;
           std::optional<Symbol> name(std::string_view word) override {
             if (word == "x" || word == "y") return Symbol{.type = ValueType::real(), .slot = word == "x" ? 0U : 1U};
             return ParameterScope::name(word);
           }
         } scope(table);
         auto program = std::get<Program>(compile_as("x*x + 3*y - 2 > 1 and y < 4", ValueType::boolean(), scope));
         Program* const made[] = {&program};
         make_machine_code(made);  // as for the programs of every model
         return compare(
             "expression_over_cpp", "evaluations/s", "the same condition as a C++ function behind a pointer", seconds,
             [&program] {
               double slots[2] = {0.0, 0.0}, sum = 0.0;
               for (int i = 0; i < 100000; ++i) slots[0] = i * 1e-5, slots[1] = sink, sum += program.evaluate(slots);
               sink = sum * 1e-30;
               return 1e5;
             },
             [] {
               double slots[2] = {0.0, 0.0}, sum = 0.0;
               for (int i = 0; i < 100000; ++i) slots[0] = i * 1e-5, slots[1] = sink, sum += in_cpp(slots);
               sink = sum * 1e-30;
               return 1e5;
             });
       }},
  };
}

}  // namespace ergode::bench
