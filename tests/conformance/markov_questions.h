#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <regex>
#include <sstream>

#include "solvers/markov/long_run.h"
#include "solvers/markov/state_space.h"
#include "solvers/markov/uniformisation.h"
#include "tests/conformance/markov_drawings.h"

namespace ergode::test {

/// Chains larger than this, and sweeps longer, are left out: nobody waits for a test.
inline constexpr std::uint64_t most_states = 600000;
inline constexpr double most_multiplications = 5e10;

/// Why a row is not asked.
struct NotAsked : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A drawn chain and the vectors that questions are made of.
class Chain {
 public:
  explicit Chain(Drawing& drawing) : drawing_(drawing) {
    int number = 0;
    for (const auto& [published, drawn] : drawing.conditions) {
      drawing.m.measure("c" + std::to_string(number), "final_value", drawn);
      measures_["condition " + published] = number++;
    }
    for (const auto& [name, reward] : drawing.rewards) {
      if (!reward.rate.empty()) {
        drawing.m.measure("c" + std::to_string(number), "final_value", reward.rate);
        measures_["rate " + name] = number++;
      }
      for (const auto& [event, factor] : reward.events) {
        drawing.m.measure("c" + std::to_string(number), "count", "", {{"event", event}});
        measures_["event " + name + " " + event] = number++;
      }
    }
    Diagnostics problems;
    const auto model = build_model(drawing.m.document(), {}, "", problems);
    if (model == nullptr) throw std::runtime_error(listed(problems));
    auto made = generate_states(*model, {.state_limit = most_states, .lumping = false});
    if (auto* problem = std::get_if<Diagnostic>(&made)) {
      if (problem->code == "MKV010") throw NotAsked("more than " + std::to_string(most_states) + " states");
      throw std::runtime_error(problem->message);
    }
    space_ = std::get<StateSpace>(std::move(made));
    incoming_ = space_.generator.incoming();
  }

  const StateSpace& space() const { return space_; }
  std::vector<std::uint8_t> holds(std::string condition) const {
    std::vector<std::uint8_t> out(space_.generator.size(), 1);
    if (condition == "true") return out;
    const auto at = measures_.find("condition " + condition);
    if (at == measures_.end()) throw NotAsked("the condition " + condition + " is not drawn");
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = values(at->second)[s] != 0.0 ? 1 : 0;
    return out;
  }
  /// Reward per second, events included; and the rewards of states alone.
  std::vector<double> reward(const std::string& name, bool events = true) const {
    const auto known = drawing_.rewards.find(name);
    if (known == drawing_.rewards.end()) throw NotAsked("the reward " + name + " is not drawn");
    std::vector<double> out(space_.generator.size(), 0.0);
    if (!known->second.rate.empty()) out = values(measures_.at("rate " + name));
    for (const auto& [event, factor] : known->second.events)
      for (std::size_t s = 0; events && s < out.size(); ++s)
        out[s] += factor * space_.event_rates[static_cast<std::size_t>(measures_.at("event " + name + " " + event))][s];
    return out;
  }

  TransientAnswer transient(const std::vector<double>& initial, double time, const std::vector<double>& reward,
                            const std::vector<StateRole>& roles = {}) const {
    if (space_.generator.fastest() * time * static_cast<double>(space_.generator.transitions()) > most_multiplications)
      throw NotAsked("too long for a test");
    TransientQuestion q;
    q.initial = initial, q.roles = roles, q.want_distribution = true, q.error = 1e-14;
    const std::vector<double> times = {time};
    q.times_s = times;
    if (!reward.empty()) q.rewards = {reward};
    return solve_transient(space_.generator, incoming_, q);
  }
  Absorption absorption(const std::vector<double>& initial, const std::vector<StateRole>& roles) const {
    auto out = solve_absorption(space_.generator, initial, roles);
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<Absorption>(std::move(out));
  }
  LongRun long_run(const std::vector<double>& initial) const {
    auto out = solve_long_run(space_.generator, initial);
    if (auto* why = std::get_if<std::string>(&out)) throw std::runtime_error(*why);
    return std::get<LongRun>(std::move(out));
  }

 private:
  const std::vector<double>& values(int measure) const { return space_.values[static_cast<std::size_t>(measure)]; }
  Drawing& drawing_;
  std::map<std::string, int> measures_;
  StateSpace space_;
  RateRows incoming_;
};

inline double dot(const std::vector<double>& p, const std::vector<double>& r) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] != 0.0 ? p[i] * r[i] : 0.0;
  return sum;
}
inline std::vector<double> as_reward(const std::vector<std::uint8_t>& holds) { return {holds.begin(), holds.end()}; }

/// Answers the published questions: time-bounded and unbounded until, next, long run, and rewards.
class Questions {
 public:
  explicit Questions(const Chain& chain) : chain_(chain) {}

  double answer(const std::string& text) const {
    std::smatch part;
    if (std::regex_match(text, part, std::regex("filter\\(state, (.*), ([^,]*)\\)")))
      return from(part[1], starts_where(part[2]));
    // P=? [ ... {condition}{max} ]
    if (std::regex_match(text, part, std::regex("(.*\\[.*?)\\s*\\{([^}]*)\\}\\s*(?:\\{(min|max)\\})?\\s*\\]"))) {
      const std::string question = part[1].str() + " ]";
      const std::vector<std::uint8_t> where = chain_.holds(part[2]);
      const bool greatest = part[3] == "max";
      std::optional<double> best;
      for (std::size_t s = 0; s < where.size(); ++s) {
        if (where[s] == 0) continue;
        std::vector<double> start(where.size(), 0.0);
        start[s] = 1.0;
        const double value = from(question, start);
        best = !best ? value : greatest ? std::max(*best, value) : std::min(*best, value);
      }
      if (!best) throw NotAsked("no state is meant");
      return *best;
    }
    return from(text, chain_.space().initial);
  }

 private:
  using Start = std::vector<double>;
  static std::string trimmed(const std::string& text) { return std::string(trim(text)); }

  Start starts_where(const std::string& condition) const {
    Start out = as_reward(chain_.holds(trimmed(condition)));
    if (dot(out, Start(out.size(), 1.0)) != 1.0) throw NotAsked(condition + " is not one state");
    return out;
  }

  double from(const std::string& text, const Start& start) const {
    std::smatch part;
    if (std::regex_match(text, part, std::regex("S=\\? \\[ (.*) \\]")))
      return dot(chain_.long_run(start).distribution, as_reward(chain_.holds(trimmed(part[1]))));
    if (std::regex_match(text, part, std::regex("R(?:\\{\"([^\"]*)\"\\})?=\\?\\s*\\[ (.*) \\]")))
      return reward(part[1], trimmed(part[2]), start);
    if (std::regex_match(text, part, std::regex("P=\\? \\[ (.*) \\]"))) return path(trimmed(part[1]), start);
    throw NotAsked("no question of this form");
  }

  static std::vector<StateRole> roles(const std::vector<std::uint8_t>& stays, const std::vector<std::uint8_t>& goal) {
    std::vector<StateRole> out(goal.size(), StateRole::ordinary);
    for (std::size_t s = 0; s < out.size(); ++s)
      out[s] = goal[s] != 0 ? StateRole::target : stays[s] == 0 ? StateRole::forbidden : StateRole::ordinary;
    return out;
  }

  double path(const std::string& text, const Start& start) const {
    std::smatch part;
    const std::string number = "([0-9.eE+-]+)";
    if (std::regex_match(text, part, std::regex("X (.*)"))) return next(chain_.holds(trimmed(part[1])), start);
    if (std::regex_match(text, part, std::regex("F\\[" + number + "," + number + "\\] (.*)"))) {
      const double a = std::stod(part[1]), b = std::stod(part[2]);
      const std::vector<std::uint8_t> goal = chain_.holds(trimmed(part[3]));
      const auto then = chain_.transient(start, a, as_reward(goal));
      if (a == b) return then.at[0][0];
      return chain_.transient(then.distribution, b - a, {}, roles(chain_.holds("true"), goal)).reached[0];
    }
    if (std::regex_match(text, part, std::regex("F=" + number + " (.*)")))
      return chain_.transient(start, std::stod(part[1]), as_reward(chain_.holds(trimmed(part[2])))).at[0][0];
    std::string stay = "true", goal, bound, time;
    if (std::regex_match(text, part, std::regex("F(?:(<=|>=)" + number + ")? (.*)")))
      bound = part[1], time = part[2], goal = part[3];
    else if (std::regex_match(text, part, std::regex("(.*) U(?:(<=|>=)" + number + ")? (.*)")))
      stay = trimmed(part[1]), bound = part[2], time = part[3], goal = part[4];
    else throw NotAsked("no path formula of this form");
    const std::vector<std::uint8_t> stays = chain_.holds(stay), goals = chain_.holds(trimmed(goal));
    if (bound == "<=") return chain_.transient(start, std::stod(time), {}, roles(stays, goals)).reached[0];
    Start later = start;
    if (bound == ">=" && std::stod(time) > 0.0) {
      // Until then only states that may be stayed in count; what was caught elsewhere is out.
      const std::vector<std::uint8_t> none(goals.size(), 0);
      later = chain_.transient(start, std::stod(time), {}, roles(stays, none)).distribution;
      for (std::size_t s = 0; s < later.size(); ++s)
        if (stays[s] == 0) later[s] = 0.0;
    }
    return chain_.absorption(later, roles(stays, goals)).probability *
           (chain_.absorption(later, roles(stays, goals)).certain ? dot(later, Start(later.size(), 1.0)) : 1.0);
  }

  double next(const std::vector<std::uint8_t>& goal, const Start& start) const {
    const SparseGenerator& g = chain_.space().generator;
    double sum = 0.0;
    for (std::size_t s = 0; s < start.size(); ++s)
      for (std::uint32_t e = g.rows().start[s]; start[s] > 0.0 && e < g.rows().start[s + 1]; ++e)
        if (goal[g.rows().other[e]] != 0) sum += start[s] * g.rows().rate[e] / g.exit()[s];
    return sum;
  }

  double reward(const std::string& name, const std::string& text, const Start& start) const {
    const std::vector<double> gains = chain_.reward(name);
    std::smatch part;
    if (std::regex_match(text, part, std::regex("C<=(.*)")))
      return chain_.transient(start, std::stod(part[1]), gains).integral[0][0];
    if (std::regex_match(text, part, std::regex("I=(.*)")))
      return chain_.transient(start, std::stod(part[1]), chain_.reward(name, false)).at[0][0];
    if (text == "S") return dot(chain_.long_run(start).distribution, gains);
    if (text == "C") {
      if (dot(chain_.long_run(start).distribution, gains) > 0.0) return std::numeric_limits<double>::infinity();
      return dot(chain_.absorption(start, {}).time_s, gains);
    }
    if (std::regex_match(text, part, std::regex("F (.*)"))) {
      const std::vector<std::uint8_t> goal = chain_.holds(trimmed(part[1]));
      const Absorption end = chain_.absorption(start, roles(chain_.holds("true"), goal));
      return end.certain ? dot(end.time_s, gains) : std::numeric_limits<double>::infinity();
    }
    throw NotAsked("a co-safe formula: the workbench asks about states and events");
  }

  const Chain& chain_;
};

inline double number_of(const std::string& text) {
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  double sum = 0.0;
  std::istringstream terms(text);
  for (std::string term; std::getline(terms, term, '+');) {
    if (!term.empty() && term.find('/') != std::string::npos)
      sum += std::stod(term) / std::stod(term.substr(term.find('/') + 1));
    else sum += std::stod(term);
  }
  return sum;
}

inline bool agrees(double seen, const std::string& value, const std::string& tolerance) {
  std::smatch part;
  if (std::regex_match(tolerance, part, std::regex("interval:(.*)\\.\\.(.*)")))
    return seen >= std::stod(part[1]) && seen <= std::stod(part[2]);
  const bool sum = value.find_first_of("eE") == std::string::npos;
  const double wanted = sum ? number_of(value) : std::stod(value);
  if (std::isinf(wanted)) return seen == wanted;
  const std::string number = tolerance.substr(tolerance.find(':') + 1);
  if (tolerance == "exact") return seen == wanted;
  if (tolerance.rfind("rel:", 0) == 0) return std::fabs(seen - wanted) <= std::stod(number) * std::fabs(wanted);
  if (tolerance.rfind("abs:", 0) == 0) return std::fabs(seen - wanted) <= std::stod(number);
  if (tolerance.rfind("digits:", 0) == 0)
    return std::fabs(seen - wanted) <= 0.5 * std::pow(10.0, std::floor(std::log10(wanted)) + 1 - std::stod(number));
  throw NotAsked("the tolerance " + tolerance);
}

struct Row {
  std::string file, quantity, value, tolerance, question;
  std::map<std::string, double> constants;
  std::string states;
};

/// "name: P=? [ ... ] with N=2, T=2000 (276 states)" taken apart.
inline Row row_of(const std::vector<std::string>& cells) {
  Row out{cells[1], cells[2], cells[3], cells[4], cells[2], {}, ""};
  std::smatch part;
  if (std::regex_match(out.question, part, std::regex("(.*) with (.*?)(?: \\((\\d+) states\\))?"))) {
    const std::string given = part[2];
    out.states = part[3];
    out.question = part[1].str();
    const std::regex setting("(\\w+)=([0-9.]+)");
    for (std::sregex_iterator i(given.begin(), given.end(), setting), end; i != end; ++i)
      out.constants[(*i)[1]] = std::stod((*i)[2]);
  }
  if (std::smatch named; std::regex_match(out.question, named, std::regex("\\w+: (.*)"))) out.question = named[1].str();
  for (const auto& [name, value] : out.constants)
    out.question = std::regex_replace(out.question, std::regex("([=,\\[])" + name + "\\b"), "$01" + number_text(value));
  return out;
}

}  // namespace ergode::test
