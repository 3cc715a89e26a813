// Markov chains that another package published, drawn by this test as charts and answered by the solvers of charts.
#include <QtTest>
#include <cmath>
#include <functional>

#include "core/base/text.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/octave_cases.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A square matrix of theirs, column by column.
struct Square {
  std::size_t size = 0;
  Numbers data;
  double at(std::size_t row, std::size_t column) const { return data[column * size + row]; }
};
Square generator(const OctaveCase& c) { return {c.dimensions.at("Q")[0], c["Q"]}; }
/// The chain of the same steps at exponential times of mean 1 s: as many steps are as many seconds on average.
Square generator_of_steps(const OctaveCase& c) {
  Square out{c.dimensions.at("P")[0], c["P"]};
  for (std::size_t i = 0; i < out.size; ++i) out.data[i * out.size + i] -= 1.0;
  return out;
}

std::string state(std::size_t i) { return "S" + std::to_string(i); }

/// A chart with a state for each row, that begins in one of them; measures are those of `ask`.
template <class Ask>
ResultSet chain_answers(const Square& q, std::size_t first, const std::string& horizon, const char* solver,
                        const Ask& ask) {
  ModelBuilder m(horizon);
  m.header("time_unit", "s");
  ChartBuilder c(m, "Chain");
  std::vector<ElementId> states;
  for (std::size_t i = 0; i < q.size; ++i) states.push_back(c.state(state(i)));
  c.initial(states[first]);
  for (std::size_t i = 0; i < q.size; ++i)
    for (std::size_t j = 0; j < q.size; ++j)
      if (i != j && q.at(i, j) != 0.0) c.transition(states[i], states[j], "rate(" + number_text(q.at(i, j)) + " /s)");
  m.component("chain", "Chain");
  for (std::size_t i = 0; i < q.size; ++i) ask(m, "s" + std::to_string(i), "in(chain." + state(i) + ")");
  return solved(m.document(), {.solver = solver});
}
Numbers of_states(const ResultSet& r, std::size_t size) {
  Numbers out;
  for (std::size_t i = 0; i < size; ++i) out.push_back(estimate(r, "s" + std::to_string(i)));
  return out;
}

Numbers in_the_long_run(const Square& q, std::size_t first) {
  return of_states(chain_answers(q, first, "1 s", "ctmc-steady-state",
                                 [](ModelBuilder& m, const std::string& name, const std::string& in) {
                                   m.measure(name, "steady_state_mean", in);
                                 }),
                   q.size);
}
Numbers at_time(const Square& q, double time_s) {
  return of_states(chain_answers(q, 0, number_text(time_s) + " s", "ctmc-transient",
                                 [](ModelBuilder& m, const std::string& name, const std::string& in) {
                                   m.measure(name, "probability_at", in);
                                 }),
                   q.size);
}
/// Seconds in each state until then.
Numbers time_spent(const Square& q, double time_s) {
  Numbers out = of_states(chain_answers(q, 0, number_text(time_s) + " s", "ctmc-transient",
                                        [](ModelBuilder& m, const std::string& name, const std::string& in) {
                                          m.measure(name, "time_average", in, {{"curve", "0"}});
                                        }),
                          q.size);
  for (double& share : out) share *= time_s;
  return out;
}
/// Seconds until each state is entered, from one of them.
Numbers time_to_each(const Square& q, std::size_t first) {
  return of_states(chain_answers(q, first, "1 s", "ctmc-steady-state",
                                 [](ModelBuilder& m, const std::string& name, const std::string& in) {
                                   m.measure(name, "time_to", in);
                                 }),
                   q.size);
}

/// What is left of lists by state when those nobody leaves count for nothing.
Numbers of_transient_states(const Square& q, Numbers values) {
  for (std::size_t i = 0; i < q.size; ++i)
    if (q.at(i, i) == 0.0) values[i] = 0.0;
  return values;
}
double sum(const Numbers& values) {
  double out = 0.0;
  for (const double one : values) out += one;
  return out;
}

using Answers = std::map<std::string, Numbers>;  ///< by their variables; "" what they assert of an expression
using ChainWay = std::function<Answers(const OctaveCase&)>;

/// First passages, row by column; from a state to itself nothing (NaN): theirs are returns.
Numbers passages(const Square& q) {
  Numbers out(q.size * q.size, std::nan(""));
  for (std::size_t i = 0; i < q.size; ++i) {
    const Numbers from = time_to_each(q, i);
    for (std::size_t j = 0; j < q.size; ++j)
      if (i != j) out[j * q.size + i] = from[j];
  }
  return out;
}

std::map<std::string, ChainWay> chain_ways() {
  std::map<std::string, ChainWay> out;
  const ChainWay limit = [](const OctaveCase& c) {
    const Numbers q = in_the_long_run(generator(c), 0);
    return Answers{{"q", q}};
  };
  out["ctmc_00"] = out["ctmc_03"] = limit;
  // The first state is never left: the chain is that of the other two.
  out["ctmc_02"] = [](const OctaveCase& c) { return Answers{{"q", in_the_long_run(generator(c), 1)}}; };
  out["ctmc_06"] = [](const OctaveCase& c) {
    return Answers{{"qlim", in_the_long_run(generator(c), 0)}, {"q", at_time(generator(c), 100)}};
  };
  out["ctmcbd_00"] = [](const OctaveCase& c) { return Answers{{"", in_the_long_run(generator(c), 0)}}; };
  out["ctmcexps_01"] = [](const OctaveCase& c) {
    const Square q = generator(c);
    const std::size_t times = c["t"].size();
    Numbers all(times * q.size, 0.0);
    for (std::size_t t = 0; t < times; ++t) {
      if (c["t"][t] == 0.0) continue;
      const Numbers spent = time_spent(q, c["t"][t]);
      for (std::size_t i = 0; i < q.size; ++i) all[i * times + t] = spent[i];
    }
    return Answers{{"L2", all}};
  };
  out["ctmcfpt_00"] = [](const OctaveCase& c) { return Answers{{"M", passages(generator(c))}}; };
  out["ctmcmtta_03"] = [](const OctaveCase& c) { return Answers{{"", {time_to_each(generator(c), 3)[3]}}}; };
  // Until they are absorbed, after 1020 s on average: then nothing is added.
  out["ctmctaexps_00"] = [](const OctaveCase& c) {
    Numbers spent = of_transient_states(generator(c), time_spent(generator(c), 1e5));
    const double all = sum(spent);
    for (double& one : spent) one /= all;
    return Answers{{"M", spent}, {"", {sum(spent)}}};
  };
  const ChainWay steps_limit = [](const OctaveCase& c) {
    return Answers{{"p", in_the_long_run(generator_of_steps(c), 0)}};
  };
  for (const char* name : {"dtmc_00", "dtmc_01", "dtmc_04", "dtmc_05"}) out[name] = steps_limit;
  out["dtmc_03"] = [](const OctaveCase& c) {
    return Answers{{"plim", in_the_long_run(generator_of_steps(c), 0)}, {"p", at_time(generator_of_steps(c), 100)}};
  };
  for (const char* name : {"dtmcfpt_03", "dtmcfpt_05"})
    out[name] = [](const OctaveCase& c) { return Answers{{"M", passages(generator_of_steps(c))}}; };
  out["dtmcexps_00"] = [](const OctaveCase& c) {
    const Square q = generator_of_steps(c);
    return Answers{{"L", of_transient_states(q, time_spent(q, 200))}, {"t", {time_to_each(q, 0)[4]}}};
  };
  out["dtmctaexps_00"] = [](const OctaveCase& c) {
    const Square q = generator_of_steps(c);
    Numbers spent = of_transient_states(q, time_spent(q, 200));
    const double all = sum(spent);
    for (double& one : spent) one /= all;
    return Answers{{"L", spent}};
  };
  out["dtmcmtta_04"] = [](const OctaveCase& c) {
    const Square q = generator_of_steps(c);
    Numbers all;
    for (std::size_t i = 0; i < q.size; ++i) all.push_back(time_to_each(q, i)[4]);
    return Answers{{"t", all}};
  };
  return out;
}

/// Why a case has no way here; empty: none is known.
std::string why_no_way(const std::string& name) {
  static const std::map<std::string, const char*> families = {
      {"ctmcchkQ", "whether a matrix is a generator: charts have no matrices that could be none"},
      {"dtmcchkP", "whether a matrix is one of probabilities: charts have none that could be none"},
      {"ctmcisir", "whether a chain is irreducible is no measure"},
      {"dtmcisir", "whether a chain is irreducible is no measure"}};
  const auto found = families.find(name.substr(0, name.find('_')));
  if (found != families.end()) return found->second;
  return name == "dtmcexps_01" ? "what is visited in 0 steps: a mission has a length" : "";
}

}  // namespace

/// Oracle: the published tests of another package; what was asserted within the tolerance stated there, and all that
/// was observed within 1e-9. Chains in steps are drawn as chains in time whose steps come at exponential times of mean
/// 1 s: their limits, and what a mean number of steps is, are the same.
class TestOctaveChains : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void published_chains() {
    const std::string folder = case_folder("octave_queueing");
    if (folder.empty()) QSKIP("no cases folder: ERGODE_CASES names none with octave_queueing");
    const std::map<std::string, ChainWay> known = chain_ways();
    int cases = 0, numbers_compared = 0, asserted = 0, not_compared = 0;
    for (const auto& [name, wanted] : octave_cases(folder + "/cases.json")) {
      if (name.rfind("ctmc", 0) != 0 && name.rfind("dtmc", 0) != 0) continue;
      ++cases;
      const auto way = known.find(name);
      if (way == known.end()) {
        QVERIFY2(!why_no_way(name).empty(), ("neither compared nor left out: " + name).c_str());
        qInfo("left out: %s: %s", name.c_str(), why_no_way(name).c_str());
        ++not_compared;
        continue;
      }
      const Answers ours = way->second(wanted);
      // Two integrations of theirs, which differ by 1e-6 and are asserted to be within 1e-5.
      const double digits = name == "ctmcexps_01" ? 1e-5 : 1e-9;
      int here = 0;
      for (const auto& [variable, values] : ours) {
        if (!wanted.has(variable)) continue;
        const std::string bad = first_difference(values, wanted[variable], digits, digits);
        QVERIFY2(bad.empty(), (name + ", " + variable + ", " + bad).c_str());
        numbers_compared += static_cast<int>(values.size()), ++here;
      }
      for (const OctaveCase::Assert& each : wanted.asserts) {
        // Of an expression: what is like ours in size is meant, other sizes are sums of rows and the like.
        for (const auto& [variable, values] : ours) {
          const bool same = !each.of.empty() ? each.of == variable : variable.empty();
          if (!same || values.size() != each.expected.size()) continue;
          const double absolute = each.tolerance >= 0 ? std::max(each.tolerance, 1e-12) : 1e-12;
          const std::string bad =
              first_difference(values, each.expected, absolute, each.tolerance < 0 ? -each.tolerance : 0);
          QVERIFY2(bad.empty(), (name + ", " + variable + " asserted, " + bad).c_str());
          ++asserted, ++here;
        }
      }
      QVERIFY2(here > 0, name.c_str());
    }
    qInfo("%d cases, %d left out, %d numbers, %d assertions", cases, not_compared, numbers_compared, asserted);
    QCOMPARE(cases, 33);
    QCOMPARE(not_compared, 14);
    QCOMPARE(numbers_compared, 307);
    QCOMPARE(asserted, 17);
  }
};

QTEST_APPLESS_MAIN(TestOctaveChains)
#include "tst_octave_chains.moc"
