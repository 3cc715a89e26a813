// Networks of a hundred to ten thousand stations beside the same of ten, a hundred customers to each station: what an
// event costs, and what comes before the first one. Ratios of one would mean that nothing grows with the size.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "core/format/model_file.h"
#include "solvers/model/analysis_model.h"
#include "solvers/simulation/long_run/long_run_recorder.h"
#include "solvers/simulation/model_history.h"
#include "tests/benchmark/benchmark.h"
#include "tests/benchmark/large_networks_by_hand.h"

namespace ergode::bench {
namespace {

constexpr std::size_t smallest = 10, customers_each = 100;

enum class Way { closed, open, closed_anywhere, open_anywhere };

bool is_closed(Way way) { return way == Way::closed || way == Way::closed_anywhere; }

/// The text of a model.
///
/// Closed: customers begin in a delay, which spreads them, and go from station to station for ever, to any of four that
/// lie anywhere. Open: each station has a source and a delay behind it, in which 98 customers are at a time; half of
/// those who leave it go on to one of three other stations. These are the same steps away along one circle from each,
/// or anywhere: drawn for each. Services take 1 s in the mean, open and anywhere 0.1 s, for to some there come many
/// more.
class LargeNetwork {
 public:
  LargeNetwork(Way way, std::size_t stations)
      : anywhere_(way == Way::closed_anywhere || way == Way::open_anywhere), order_(stations) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::shuffle(order_.begin(), order_.end(), std::mt19937(1));  // neighbours in the circle are none in memory
    for (std::size_t i = 0; i < stations; ++i)
      desks_.push_back(node("station", "desk" + std::to_string(i),
                            way == Way::open_anywhere ? R"~("service": "exponential(mean = 0.1 s)")~"
                                                      : R"~("service": "exponential(mean = 1 s)")~"));
    if (is_closed(way)) closed();
    else open();
  }
  std::string text() const {
    return R"({"format": "ergode-model", "schema": 1,
 "model": {"id": "0000000000000001", "name": "large network", "horizon": "1000 s", "time_unit": "s"},
 "diagrams": [{"id": "0000000000000010", "name": "Net", "notation": "queueing", "nodes": [
)" + nodes_ +
           "], \"edges\": [\n" + edges_ + R"(]}],
 "measures": [{"id": "0000000000000002", "name": "number", "type": "time_average", "curve": "0", "expression": "desk0.number"},
 {"id": "0000000000000003", "name": "response", "type": "observed_mean", "unit": "s", "of": "desk0.response_time"}]})";
  }

 private:
  void closed() {
    const std::string begin = node("delay", "begin", R"~("time": "exponential(mean = 1 s)")~");
    node("job_class", "job",
         R"("reference": "begin", "population": ")" + std::to_string(customers_each * desks_.size()) + '"');
    for (const std::string& desk : desks_) flow(begin, desk);
    flow(desks_.front(), begin);  // a closed class must come back to where it begins
    for (const std::size_t step : std::initializer_list<std::size_t>{1, 2, 3, 5}) to_neighbours(desks_, step, "");
  }
  void open() {
    const std::string out = node("sink", "out", "");
    std::vector<std::string> delays;
    for (std::size_t i = 0; i < desks_.size(); ++i) {
      const std::string in = node("source", "in" + std::to_string(i), R"("rate": "0.35 /s")");
      delays.push_back(node("delay", "trip" + std::to_string(i), R"~("time": "exponential(mean = 140 s)")~"));
      flow(in, desks_[i]), flow(desks_[i], delays[i]);
      flow(delays[i], out, R"(, "probability": "0.5")");
    }
    for (const std::size_t step : std::initializer_list<std::size_t>{1, 2, 3}) to_neighbours(delays, step, "");
  }
  void to_neighbours(const std::vector<std::string>& from, std::size_t step, const std::string& more) {
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const std::size_t steps = anywhere_ ? random_() : step;
      flow(from[order_[k]], desks_[order_[(k + steps) % order_.size()]], more);
    }
  }
  std::string id() {
    char text[20];
    std::snprintf(text, sizeof text, "%016x", ++last_);
    return text;
  }
  std::string node(const std::string& kind, const std::string& name, const std::string& more) {
    const std::string made = id();
    nodes_ += (nodes_.empty() ? "" : ",\n") + (R"({"id": ")" + made) + R"(", "kind": ")" + kind + R"(", "name": ")" +
              name + '"' + (more.empty() ? "" : ", " + more) + "}";
    return made;
  }
  void flow(const std::string& from, const std::string& to, const std::string& more = "") {
    edges_ += (edges_.empty() ? "" : ",\n") + (R"({"id": ")" + id()) + R"(", "kind": "flow", "source": ")" + from +
              R"(", "target": ")" + to + '"' + more + "}";
  }

  bool anywhere_;
  std::mt19937 random_;
  std::vector<std::size_t> order_;
  std::vector<std::string> desks_;
  std::string nodes_, edges_;
  unsigned last_ = 0x100;
};

/// As `ergode validate` does it, from the text on. @throws std::runtime_error  where it finds anything
Document validated(const std::string& text) {
  ReadOutcome read = parse_model(text);
  Diagnostics problems = read.diagnostics;
  if (read.document)
    for (Diagnostic& d : check_model(*read.document, {})) problems.push_back(std::move(d));
  if (!problems.empty() || !read.document)
    throw std::runtime_error("the benchmark's model is broken: " + problems.front().message);
  return std::move(*read.document);
}

std::shared_ptr<const AnalysisModel> compiled(Way way, std::size_t stations) {
  Diagnostics problems;
  auto out = build_model(validated(LargeNetwork(way, stations).text()), {}, {}, problems);
  if (out == nullptr) throw std::runtime_error(problems.front().message);
  return out;
}

/// A history that goes on and on.
class Running {
 public:
  Running(Way way, std::size_t stations)
      : model_(compiled(way, stations)),
        groups_(*model_),
        history_(*model_, groups_, 1),
        recorder_(*model_, WarmUpRule::none, false),
        // So that each look takes some hundred thousand events.
        step_s_(2e5 / static_cast<double>(stations) / (way == Way::open ? 1.75 : 1.0)) {
    recorder_.begin(history_.world());
    history_.start(0);
    recorder_.start();
    // All have left the first delay; as many have come as there will be, but for two in a hundred.
    go_on(way == Way::closed ? 20.0 : 1200.0);
  }
  double events() {
    const std::uint64_t before = history_.world().events;
    go_on(step_s_);
    return static_cast<double>(history_.world().events - before);
  }

 private:
  void go_on(double s) {
    now_s_ += s;
    while (history_.step(now_s_, recorder_)) {
    }
    recorder_.until(now_s_);
  }
  std::shared_ptr<const AnalysisModel> model_;
  CcfProgram groups_;
  ModelHistory history_;
  LongRunRecorder recorder_;
  double step_s_, now_s_ = 0.0;
};

constexpr const char* reference = "the same network of ten stations, a hundred customers to each";

Named events_row(const char* name, Way way, std::size_t stations) {
  return {name, [=](double seconds) {
            Running ours(way, stations), small(way, smallest);
            return compare(
                name, "events/s", reference, seconds, [&] { return ours.events(); }, [&] { return small.events(); });
          }};
}

Named validate_row(const char* name, Way way, std::size_t stations) {
  return {name, [=](double seconds) {
            const std::string ours = LargeNetwork(way, stations).text(), small = LargeNetwork(way, smallest).text();
            const auto stations_of = [](const std::string& text, std::size_t count) {
              validated(text);
              return static_cast<double>(count);
            };
            return compare(
                name, "stations/s", reference, seconds, [&] { return stations_of(ours, stations); },
                [&] { return stations_of(small, smallest); });
          }};
}

Named start_row(const char* name, Way way, std::size_t stations) {
  return {name, [=](double seconds) {
            const auto ours = compiled(way, stations), small = compiled(way, smallest);
            const auto started = [](const AnalysisModel& model, std::size_t count) {
              const CcfProgram groups(model);
              ModelHistory history(model, groups, 1);
              history.start(0);
              return static_cast<double>(count * customers_each);
            };
            return compare(
                name, "customers/s", reference, seconds, [&] { return started(*ours, stations); },
                [&] { return started(*small, smallest); });
          }};
}

}  // namespace

std::vector<Named> large_network_benchmarks() {
  std::vector<Named> out = {events_row("closed_network_of_100_over_ten", Way::closed, 100),
                            events_row("closed_network_of_1000_over_ten", Way::closed, 1000),
                            events_row("closed_network_of_10000_over_ten", Way::closed, 10000),
                            events_row("open_network_of_100_over_ten", Way::open, 100),
                            events_row("open_network_of_1000_over_ten", Way::open, 1000),
                            events_row("open_network_of_10000_over_ten", Way::open, 10000),
                            validate_row("validate_closed_network_of_10000", Way::closed, 10000),
                            validate_row("validate_open_network_of_10000", Way::open, 10000),
                            validate_row("validate_closed_ways_anywhere_of_10000", Way::closed_anywhere, 10000),
                            validate_row("validate_open_ways_anywhere_of_10000", Way::open_anywhere, 10000),
                            start_row("start_closed_network_of_10000", Way::closed, 10000)};
  for (Named& one : large_networks_by_hand()) out.push_back(std::move(one));
  return out;
}

}  // namespace ergode::bench
