#include "tests/benchmark/markov_chains.h"

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/format/model_file.h"
#include "solvers/markov/state_space.h"
#include "solvers/markov/uniformisation.h"

namespace ergode::bench {
namespace {

// --- transient solution: five queues of fifteen places, 16^5 = 1,048,576 states, up to ten transitions each ---

constexpr std::uint32_t places = 16, queues = 5;
constexpr double horizon = 5.0;  // about 60 events of the uniformised chain

struct Chain {
  SparseGenerator generator;
  RateRows incoming;
  std::vector<double> initial, full, length;
};

const Chain& chain() {
  static const Chain made = [] {
    Chain out;
    std::vector<RateEntry> row;
    std::uint32_t states = 1;
    for (std::uint32_t q = 0; q < queues; ++q) states *= places;
    for (std::uint32_t s = 0; s < states; ++s) {
      row.clear();
      double sum = 0.0, full = 1.0;
      for (std::uint32_t q = 0, step = 1; q < queues; ++q, step *= places) {
        const std::uint32_t n = s / step % places;
        if (n + 1 < places) row.push_back({s + step, 0.9 + 0.1 * q});
        if (n > 0) row.push_back({s - step, 1.5});
        sum += n;
        if (n + 1 != places) full = 0.0;
      }
      out.generator.push_row(row);
      out.full.push_back(full), out.length.push_back(sum);
    }
    out.generator.shrink();
    out.incoming = out.generator.incoming();
    out.initial.assign(states, 0.0);
    out.initial[0] = 1.0;
    return out;
  }();
  return made;
}

double transient_of_ours() {
  const Chain& c = chain();
  TransientQuestion question;
  const std::vector<double> times = {horizon};
  question.initial = c.initial, question.times_s = times, question.error = 1e-10;
  question.rewards = {c.full, c.length};
  const TransientAnswer answer = solve_transient(c.generator, c.incoming, question);
  if (!(answer.at[1][0] > 0.0)) throw std::runtime_error("the transient solution is wrong");
  return static_cast<double>(answer.steps) * static_cast<double>(c.generator.transitions());
}

// What one writes in an afternoon: plain weights, one time, the distribution added up, rewards at the end.
double transient_by_hand() {
  const Chain& c = chain();
  const std::size_t n = c.initial.size();
  double q = 0.0;
  for (const double x : c.generator.exit()) q = x > q ? x : q;
  std::vector<double> p = c.initial, next(n), sum(n, 0.0);
  double weight = std::exp(-q * horizon), covered = 0.0, products = 0.0;
  for (int k = 0;; ++k) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += weight * p[i];
    covered += weight;
    if (1.0 - covered < 1e-10) break;
    for (std::size_t j = 0; j < n; ++j) {
      double x = p[j] * (1.0 - c.generator.exit()[j] / q);
      for (std::uint32_t e = c.incoming.start[j]; e < c.incoming.start[j + 1]; ++e)
        x += p[c.incoming.other[e]] * c.incoming.rate[e] / q;
      next[j] = x;
    }
    p.swap(next);
    weight *= q * horizon / (k + 1);
    products += 1.0;
  }
  double mean = 0.0;
  for (std::size_t i = 0; i < n; ++i) mean += sum[i] * c.length[i];
  if (!(mean > 0.0)) throw std::runtime_error("the transient solution by hand is wrong");
  return products * static_cast<double>(c.generator.transitions());
}

// --- state generation: sixteen machines told apart, 65,536 states, sixteen transitions each ---

constexpr int machines = 16;

std::shared_ptr<const AnalysisModel> drawn() {
  static const auto made = [] {
    const std::string text = R"json({"format": "ergode-model", "schema": 1,
 "model": {"id": "0000000000000001", "name": "machines", "horizon": "10 h", "time_unit": "h"}, "parameters": [],
 "diagrams": [
  {"id": "0000000000000010", "name": "Unit", "notation": "statechart",
   "nodes": [{"id": "0000000000000011", "kind": "initial"}, {"id": "0000000000000012", "kind": "state", "name": "Up"},
             {"id": "0000000000000013", "kind": "state", "name": "Down"}],
   "edges": [
    {"id": "0000000000000014", "kind": "transition", "source": "0000000000000011", "target": "0000000000000012"},
    {"id": "0000000000000015", "kind": "transition", "source": "0000000000000012", "target": "0000000000000013", "trigger": "rate(0.01 /h)"},
    {"id": "0000000000000016", "kind": "transition", "source": "0000000000000013", "target": "0000000000000012", "trigger": "rate(0.1 /h)"}]},
  {"id": "0000000000000020", "name": "Plant", "notation": "system",
   "nodes": [{"id": "0000000000000021", "kind": "component", "name": "unit", "chart": "Unit", "count": "16"}], "edges": []}],
 "measures": [
  {"id": "0000000000000031", "name": "all_down", "type": "probability_at", "expression": "all(unit[*].Down)", "curve": "0"}]})json";
    ReadOutcome read = parse_model(text);
    Diagnostics problems = read.diagnostics;
    auto out = read.document ? build_model(*read.document, {}, {}, problems) : nullptr;
    if (out == nullptr) throw std::runtime_error("the benchmark's model is broken: " + problems.front().message);
    return out;
  }();
  return made;
}

double generated_by_us() {
  auto made = generate_states(*drawn(), {.lumping = false});
  return static_cast<double>(std::get<StateSpace>(made).generator.size());
}

// The same chain by a breadth-first search over strings of letters in a hash map, as a first program would do it.
double generated_by_hand() {
  std::unordered_map<std::string, std::uint32_t> numbers = {{std::string(machines, 'u'), 0}};
  std::vector<std::string> states = {std::string(machines, 'u')};
  SparseGenerator generator;
  std::vector<RateEntry> row;
  for (std::size_t s = 0; s < states.size(); ++s) {
    row.clear();
    for (std::size_t i = 0; i < machines; ++i) {
      std::string to = states[s];
      const bool up = to[i] == 'u';
      to[i] = up ? 'd' : 'u';
      const auto [at, fresh] = numbers.emplace(to, static_cast<std::uint32_t>(states.size()));
      if (fresh) states.push_back(to);
      row.push_back({at->second, up ? 0.01 / 3600 : 0.1 / 3600});
    }
    generator.push_row(row);
  }
  return static_cast<double>(generator.size());
}

}  // namespace

std::vector<Named> markov_benchmarks() {
  return {{"markov_transient_million_states",
           [](double seconds) {
             return compare("markov_transient_million_states", "transitions/s",
                            "a hand-written uniformisation loop on the same matrix", seconds, transient_of_ours,
                            transient_by_hand);
           }},
          {"markov_state_generation", [](double seconds) {
             return compare("markov_state_generation", "states/s",
                            "a breadth-first search over strings in std::unordered_map, rules written in C++", seconds,
                            generated_by_us, generated_by_hand);
           }}};
}

}  // namespace ergode::bench
