#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <regex>
#include <sstream>

#include "core/base/text.h"
#include "tests/conformance/markov_chain.h"

namespace ergode::test {

inline double dot(const std::vector<double>& p, const std::vector<double>& r) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] != 0.0 ? p[i] * r[i] : 0.0;
  return sum;
}
inline std::vector<double> as_reward(const std::vector<std::uint8_t>& holds) { return {holds.begin(), holds.end()}; }

/// Answers the published questions: time-bounded and unbounded until, next, long run, and rewards.
class Questions {
 public:
  explicit Questions(Chain& chain) : chain_(chain) {}

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
    return from(text, chain_.initial());
  }

 private:
  using Start = std::vector<double>;
  static std::string trimmed(const std::string& text) { return std::string(trim(text)); }

  Start starts_where(const std::string& condition) const {
    Start out = as_reward(chain_.holds(trimmed(condition)));
    if (chain_.explored() && dot(out, Start(out.size(), 1.0)) != 1.0) throw NotAsked(condition + " is not one state");
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
    if (!chain_.explored()) return sum;
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

  Chain& chain_;
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
