// Rows V1 to V8 of the specification of cost and effectiveness (CEBench, arXiv 2407.12797): every printed digit; queues
// to 1e-5. Fronts against the definition.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "plugins/cost_effectiveness/engine/pareto.h"
#include "plugins/cost_effectiveness/engine/plans.h"
#include "plugins/cost_effectiveness/engine/scores.h"

using namespace cost_effectiveness;

namespace {

/// To half of the last digit that is printed.
void as_printed(double seen, double wanted, int digits, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= 0.5 * std::pow(10.0, -digits) * (1.0 + 1e-9),
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 12).arg(wanted, 0, 'g', 12)));
}
const std::vector<CloudInstance>& instances() {
  static const std::vector<CloudInstance> all = {{"P2", 8.22, 12, 1.326},
                                                 {"P3", 32.71, 16, 3.823},
                                                 {"G5", 31.52, 24, 1.515},
                                                 {"G6", 30.29, 16, 1.172},
                                                 {"A100", 77.97, 80, 4.777}};
  return all;
}
const CloudInstance& instance(const std::string& name) {
  for (const CloudInstance& one : instances())
    if (one.name == name) return one;
  throw std::runtime_error(name);
}
const TokenService haiku{"Haiku", .25, 1.25}, sonnet{"Sonnet", 3, 15};

std::vector<std::string> front(const PlanQuestion& question) {
  std::vector<std::string> out;
  for (const Plan& one : plans(question).plans)
    if (one.on_front)
      out.push_back(question.experiments[one.experiment].name + " on " + question.instances[one.place].name);
  std::sort(out.begin(), out.end());
  return out;
}
PlanQuestion planner() {
  PlanQuestion out;
  out.experiments = {{"e1", 1.9, 4.6, 5.5}, {"e2", 2.1, 4.1, 6.1}, {"e3", 3.2, 4.4, 9.0}, {"e4", 11.5, 3.6, 41.8}};
  out.instances = instances();
  return out;
}

/// Whole numbers at random.
struct SmallNumbers {
  std::uint64_t state = 1;
  std::size_t operator()(std::uint64_t n) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>((state >> 33U) % n);
  }
  double one_of(const std::vector<double>& values) { return values[(*this)(values.size())]; }
};

}  // namespace

class TestCostEffectiveness : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v1_price_table() {
    PlanQuestion q;
    q.experiments = {{"one", 1.0, 1.0, 1.0}};
    q.instances = instances();
    struct Row {
      const char* name;
      double speed, equivalent, time, cost;
    };
    for (const Row& row : {Row{"P2", .10543, 12.5776, 9.4854, 3.49379}, Row{"G5", .40426, 3.7476, 2.4737, 1.04100},
                           Row{"A100", 1, 4.7770, 1, 1.32694}}) {
      const CloudInstance& here = instance(row.name);
      const double speed = here.tflops / instance("A100").tflops;
      as_printed(speed, row.speed, 5, "relative speed");
      as_printed(here.price_per_h / speed, row.equivalent, 4, "price of as much as an A100");
      const PlanAnswer answer = plans(q);
      for (const Plan& one : answer.plans)
        if (q.instances[one.place].name == row.name) {
          as_printed(one.time_s, row.time, 4, "time");
          as_printed(one.cost, row.cost, 5, "cost");
        }
    }
    q.experiments[0].memory_gib = 20.0;
    std::vector<std::string> can;
    const PlanAnswer answer = plans(q);
    for (const Plan& one : answer.plans)
      if (one.why_not.empty()) can.push_back(q.instances[one.place].name);
    QCOMPARE(can, (std::vector<std::string>{"G5", "A100"}));
    QCOMPARE(answer.plans[0].why_not, std::string("needs 20 GiB, has 12 GB"));
    QCOMPARE(q.instances[answer.plans[*answer.recommended].place].name, std::string("G5"));
  }

  void v2_services() {
    as_printed(service_cost(haiku, 1200, 4), .000305, 6, "Haiku");
    as_printed(service_cost(sonnet, 1200, 4), .00366, 5, "Sonnet");
    as_printed(break_even_per_h(instance("G5"), service_cost(haiku, 1200, 4)), 4967.21, 2, "G5 against Haiku");
    as_printed(break_even_per_h(instance("A100"), service_cost(sonnet, 1200, 4)), 1305.19, 2, "A100 against Sonnet");
    QVERIFY(std::isinf(break_even_per_h(instance("G5"), 0.0)));
  }

  void v3_constant_predictors_and_parsing() {
    const std::vector<int> histogram = {25, 17, 17, 15, 10, 10, 6, 15, 5, 10, 11, 7, 7,
                                        3,  2,  5,  5,  4,  4,  2, 4,  1, 1,  1,  0};
    double people = 0.0, sum = 0.0;
    for (std::size_t x = 0; x < histogram.size(); ++x)
      people += histogram[x], sum += static_cast<double>(x) * histogram[x];
    QCOMPARE(people, 187.0);
    const auto constant = [&](double guess) {
      double out = 0.0;
      for (std::size_t x = 0; x < histogram.size(); ++x)
        out += histogram[x] * std::fabs(static_cast<double>(x) - guess) / people;
      return out;
    };
    std::vector<int> truths;
    for (std::size_t x = 0; x < histogram.size(); ++x)
      truths.insert(truths.end(), static_cast<std::size_t>(histogram[x]), static_cast<int>(x));
    as_printed(mean_absolute_error(truths, std::vector<std::optional<int>>(truths.size(), 5)).mean, 4.85027, 5, "5");
    as_printed(mean_absolute_error(truths, std::vector<std::optional<int>>(truths.size(), 7)).mean, 4.92513, 5, "7");
    as_printed(constant(sum / people), 4.91212, 5, "mean");
    std::vector<std::optional<int>> answers;
    for (const char* text :
         {"Total score: 04", "Total score: 12", "Total score: 30", "Total score: 20", "score 07", "Total score: 09"})
      answers.push_back(total_score(text));
    const MeanError error = mean_absolute_error({3, 10, 0, 24, 7, 5}, answers);
    QCOMPARE(error.mean, 2.75);
    QCOMPARE(error.dropped, std::size_t{2});
    QCOMPARE(total_score("So: Total score: 7."), std::optional<int>(7));
    QCOMPARE(total_score("Total score: 123"), std::optional<int>(12));
    QCOMPARE(total_score("Total score: high, Total score: 3"), std::optional<int>(3));
  }

  void v4_contracts() {
    struct Row {
      Confusion counts;
      double accuracy, f1;
    };
    for (const Row& row : {Row{{155, 13, 0, 1, 31, 0}, .9300, .9342}, Row{{156, 12, 0, 1, 31, 0}, .9350, .9387},
                           Row{{158, 10, 0, 0, 32, 0}, .9500, .9526}, Row{{161, 7, 0, 3, 29, 0}, .9500, .9512},
                           Row{{147, 5, 16, 1, 30, 1}, .8850, .9248}, Row{{149, 10, 9, 5, 27, 0}, .8800, .9026},
                           Row{{154, 4, 0, 0, 42, 0}, .9800, .9803}, Row{{135, 23, 0, 0, 42, 0}, .8850, .8928},
                           Row{{154, 3, 1, 1, 41, 0}, .9750, .9776}, Row{{142, 16, 0, 0, 42, 0}, .9200, .9243},
                           Row{{145, 13, 0, 0, 42, 0}, .9350, .9380}}) {
      const Classified seen = classified(row.counts);
      as_printed(seen.accuracy, row.accuracy, 4, "accuracy");
      as_printed(seen.f1_weighted, row.f1, 4, "F1");
    }
    const Classified pooled = classified({161 + 154, 7 + 3, 0 + 1, 3 + 1, 29 + 41, 0});
    as_printed(pooled.accuracy, .9625, 4, "pooled accuracy");
    as_printed(pooled.f1_weighted, .9642, 4, "pooled F1");
    as_printed(pooled.f1_macro, .9429, 4, "pooled macro");
    QCOMPARE(entailment("Entailment, because"), std::optional<int>(0));
    QCOMPARE(entailment("CONTRADICTS"), std::optional<int>(1));
    QCOMPARE(entailment("It entails"), std::optional<int>());
  }

  void v5_front_of_four() {
    const std::vector<std::vector<double>> points = {
        {.025, .000305, .847}, {.020, .01212, 1.612}, {.065, .00366, 1.585}, {.115, .0183, 3.366}};
    QCOMPARE(pareto_front(points), (std::vector<std::size_t>{0, 1}));
  }

  void v6_planner() {
    PlanQuestion q = planner();
    const PlanAnswer answer = plans(q);
    QCOMPARE(std::count_if(answer.plans.begin(), answer.plans.end(), [](const Plan& p) { return p.why_not.empty(); }),
             16);
    QCOMPARE(front(q), (std::vector<std::string>{"e1 on G6", "e2 on G6", "e4 on A100"}));
    std::vector<double> costs;
    for (const Plan& one : answer.plans)
      if (one.on_front) costs.push_back(one.cost);
    as_printed(costs[0], 1.59223, 5, "e1 on G6");
    as_printed(costs[1], 1.75984, 5, "e2 on G6");
    as_printed(costs[2], 15.25986, 5, "e4 on A100");
    q.objectives = {Objective::score, Objective::time, Objective::cost};
    QCOMPARE(front(q), (std::vector<std::string>{"e1 on A100", "e1 on G5", "e1 on G6", "e2 on A100", "e2 on G5",
                                                 "e2 on G6", "e4 on A100"}));
    // Within limits the cheapest of the front.
    q.worst_score = 4.2;
    const PlanAnswer limited = plans(q);
    QCOMPARE(q.experiments[limited.plans[*limited.recommended].experiment].name, std::string("e2"));
    QCOMPARE(q.instances[limited.plans[*limited.recommended].place].name, std::string("G6"));
    q.most_time_s = 3.0;
    const PlanAnswer fast = plans(q);
    QCOMPARE(q.instances[fast.plans[*fast.recommended].place].name, std::string("A100"));
    q.most_cost = 0.1;
    QVERIFY(!plans(q).recommended.has_value());
  }

  void v7_queue() {
    PlanQuestion q;
    q.experiments = {{"e", 2.0, 1.0, 1.0}};
    q.instances = {{"G5", 31.52, 24, 1.515}, {"A100", 77.97, 80, 4.777}};
    q.rate_per_s = 0.3, q.servers = 2;
    const Plan plan = plans(q).plans[0];
    const auto near = [](double seen, double wanted) { QVERIFY(std::fabs(seen - wanted) <= 1e-5 * wanted); };
    const QueueWaiting w = waiting(0.3, 4.9476, 2);
    near(w.utilisation, .742140), near(w.chance, .632293), near(w.wait_s, 6.065956), near(w.response_s, 11.013556);
    near(plan.cost, 2.80556);
    QVERIFY(std::fabs(plan.service_s - 2.0 * 77.97 / 31.52) < 1e-12);
    near(plan.time_s, waiting(0.3, plan.service_s, 2).response_s);
    // M/M/1: 1 / (mu - lambda).
    near(waiting(0.5, 1.0, 1).response_s, 2.0);
    QVERIFY(std::isinf(waiting(2.0, 1.0, 2).response_s));
    QCOMPARE(fewest_servers(0.3, 4.9476, 12.0), 2U);
    QCOMPARE(fewest_servers(0.3, 4.9476, 6.0), 3U);
    QCOMPARE(fewest_servers(0.3, 4.9476, 4.9), 0U);
    // Six servers' work, also where it is worked out a hair below.
    const double three = 3.0 * 91.6 / 91.6;
    QVERIFY(three < 3.0);
    QCOMPARE(fewest_servers(2.0, three, std::numeric_limits<double>::infinity()), 7U);
    QVERIFY(std::isinf(waiting(2.0, three, 6).response_s));
    // Against Erlang's sum as it is written, far from overflow.
    for (std::uint32_t c = 1; c <= 20; ++c)
      for (const double load : {0.1, 0.5, 0.9}) {
        const double a = load * c;
        double sum = 0.0, term = 1.0;
        for (std::uint32_t n = 0; n < c; ++n) sum += term, term *= a / (n + 1.0);
        const double wanted = term / (1.0 - load) / (sum + term / (1.0 - load));
        QVERIFY(std::fabs(waiting(a, 1.0, c).chance - wanted) < 1e-12);
      }
    QVERIFY(std::isfinite(waiting(99999.0, 1.0, 100000).wait_s));
  }

  void v8_identities() {
    PlanQuestion q = planner();
    const PlanAnswer answer = plans(q);
    for (const Plan& one : answer.plans)
      QVERIFY(std::fabs(one.service_s * q.instances[one.place].tflops / (q.experiments[one.experiment].time_s * 77.97) -
                        1.0) < 1e-12);
    const std::vector<std::string> before = front(q);
    PlanQuestion dearer = q;
    for (CloudInstance& one : dearer.instances) one.price_per_h *= 3.0;
    const PlanAnswer dear = plans(dearer);
    for (std::size_t i = 0; i < dear.plans.size(); ++i)
      QVERIFY(std::fabs(dear.plans[i].cost / answer.plans[i].cost - 3.0) < 1e-12);
    QCOMPARE(front(dearer), before);
    q.instances.push_back({"worse", 30.0, 10, 9.0});
    QCOMPARE(front(q), before);
  }

  // By the definition, over random points with ties.
  void fronts_are_what_nobody_dominates() {
    SmallNumbers below;
    for (int round = 0; round < 3000; ++round) {
      const std::size_t dimensions = 1 + below(4), size = below(25);
      std::vector<std::vector<double>> points(size, std::vector<double>(dimensions));
      for (auto& point : points)
        for (double& x : point) x = static_cast<double>(below(6));
      std::vector<std::size_t> wanted;
      for (std::size_t i = 0; i < size; ++i) {
        bool stays = true;
        for (std::size_t j = 0; j < size; ++j) {
          bool no_worse = true;
          for (std::size_t k = 0; k < dimensions; ++k) no_worse = no_worse && points[j][k] <= points[i][k];
          if (no_worse && points[j] != points[i]) stays = false;
        }
        if (stays) wanted.push_back(i);
      }
      QCOMPARE(pareto_front(points), wanted);
    }
  }

  // A plan on the front that breaks a limit of what is no objective hides none that keeps it.
  void limits_leave_the_best_of_those_allowed() {
    PlanQuestion q;
    q.experiments = {{"fast", 1.0, 9.0, 5.0}, {"slow", 2.0, 3.0, 5.0}};
    q.instances = {{"A100", 100.0, 80, 4.0}};
    q.objectives = {Objective::time, Objective::cost};
    q.worst_score = 5.0;
    PlanAnswer answer = plans(q);
    QVERIFY(answer.plans[0].on_front && !answer.plans[0].allowed);
    QVERIFY(!answer.plans[1].on_front && answer.plans[1].allowed);
    QCOMPARE(answer.recommended, std::optional<std::size_t>(1));
    QCOMPARE(answer.why_none, std::string());
    q.experiments[1].time_s = 1.0;  // the same, as good in both
    answer = plans(q);
    QVERIFY(answer.plans[0].on_front && answer.plans[1].on_front);
    QCOMPARE(answer.recommended, std::optional<std::size_t>(1));
    q.worst_score = 2.5, q.most_cost = 1.0, q.most_time_s = 1.0;
    answer = plans(q);
    QVERIFY(!answer.recommended.has_value());
    QCOMPARE(answer.why_none,
             std::string("None of the 2 plans that can be done keeps all limits: a time of at most 1 s "
                         "by 2, a cost of at most 1 USD by 0, a score of at most 2.5 by 0."));
    q.instances[0].memory_gb = 4;
    QCOMPARE(plans(q).why_none,
             std::string("None of 2 plans can be done; the first, fast on A100: needs 5 GiB, has 4 GB."));
    q.experiments.clear();
    QCOMPARE(plans(q).why_none, std::string("There is no plan: no experiment, or no instance to run it on."));
  }

  void of_equal_plans_the_cheaper_is_taken() {
    PlanQuestion q;
    q.experiments = {{"x", 1.0, 3.0, 5.0}};
    q.instances = {{"A100", 100, 80, 4}, {"B", 100, 80, 2}};
    q.objectives = {Objective::score, Objective::time};
    const PlanAnswer answer = plans(q);
    QVERIFY(answer.plans[0].on_front && answer.plans[1].on_front);
    QCOMPARE(answer.recommended, std::optional<std::size_t>(1));
    // Equal but for rounding, and a limit met to the digit: 3.2 * 77.97 / 77.97 is above 3.2.
    q.experiments = {{"x", 3.2, 3.0, 5.0}, {"y", 1.6, 3.0, 5.0}};
    q.instances = {{"A100", 77.97, 80, 4}, {"half", 77.97 / 2.0, 80, 1}, {"third", 77.97 / 3.0, 80, 3.0}};
    q.most_time_s = 3.2;
    const PlanAnswer limited = plans(q);
    QVERIFY(limited.plans[0].allowed && limited.plans[4].allowed && !limited.plans[1].allowed);
  }

  // Any number of objectives of either sense: by the definition, and limits of each.
  void further_objectives_count_like_the_others() {
    SmallNumbers below;
    std::size_t with_more = 0;
    for (int round = 0; round < 500; ++round) {
      PlanQuestion q;
      q.instances = {{"A100", 100.0, 80, 3.6}};
      q.more_score = below(2) == 1;
      const std::size_t further = below(4);
      for (std::size_t f = 0; f < further; ++f) q.further.push_back({"f", below(2) == 1, {}});
      if (further > 0 && below(2) == 1) q.further[0].limit = 2.0;
      if (below(2) == 1) q.worst_score = 1.0;
      for (std::size_t e = 0, n = 1 + below(12); e < n; ++e) {
        q.experiments.push_back({"e", 1.0 + static_cast<double>(below(3)), static_cast<double>(below(4)), 5.0});
        for (std::size_t f = 0; f < further; ++f) q.experiments.back().further.push_back(static_cast<double>(below(4)));
      }
      // Score, cost (a multiple of the time) and the others, as losses.
      const auto losses = [&](const Experiment& e) {
        std::vector<double> out = {q.more_score ? -e.score : e.score, e.time_s};
        for (std::size_t f = 0; f < further; ++f) out.push_back(q.further[f].more ? -e.further[f] : e.further[f]);
        return out;
      };
      const PlanAnswer answer = plans(q);
      std::size_t front = 0;
      for (std::size_t i = 0; i < q.experiments.size(); ++i) {
        const std::vector<double> mine = losses(q.experiments[i]);
        bool stays = true;
        for (const Experiment& other : q.experiments) {
          const std::vector<double> theirs = losses(other);
          bool no_worse = true;
          for (std::size_t k = 0; k < mine.size(); ++k) no_worse = no_worse && theirs[k] <= mine[k];
          if (no_worse && theirs != mine) stays = false;
        }
        QCOMPARE(answer.plans[i].on_front, stays);
        front += stays ? 1 : 0;
        bool allowed = !q.worst_score || (q.more_score ? q.experiments[i].score >= 1.0 : q.experiments[i].score <= 1.0);
        if (further > 0 && q.further[0].limit) {
          const double x = q.experiments[i].further[0];
          allowed = allowed && (q.further[0].more ? x >= 2.0 : x <= 2.0);
        }
        QCOMPARE(answer.plans[i].allowed, allowed);
      }
      with_more += front > 3 ? 1 : 0;
    }
    QVERIFY(with_more > 50);
    PlanQuestion q;
    q.instances = {{"A100", 100.0, 80, 3.6}};
    q.experiments = {{"e", 1.0, 0.9, 5.0, 0.0, 0.0, "", {7.0}}};
    q.more_score = true, q.worst_score = 0.95, q.further = {{"energy", false, 8.0}};
    QCOMPARE(plans(q).why_none,
             std::string("None of the 1 plans that can be done keeps all limits: a score of at least "
                         "0.95 by 0, energy of at most 8 by 1."));
    q.experiments[0].further.clear();
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, plans(q));
  }

  // Front and recommendation by their definitions, over random tables in which most values are met more than once.
  void plans_against_a_plain_program() {
    struct Plain {
      double score, time, cost;
      bool allowed;
    };
    SmallNumbers below;
    const std::vector<std::vector<Objective>> choices = {{Objective::score, Objective::cost},
                                                         {Objective::score, Objective::time, Objective::cost},
                                                         {Objective::time, Objective::cost},
                                                         {Objective::score, Objective::time}};
    const auto less = [](double a, double b) { return a < b * (1.0 - 1e-9); };
    std::size_t shared = 0, behind = 0, none = 0;
    for (int round = 0; round < 4000; ++round) {
      PlanQuestion q;
      const std::size_t experiments = 1 + below(6), instances = 1 + below(5);
      for (std::size_t e = 0; e < experiments; ++e)
        q.experiments.push_back({"e", below.one_of({0.1, 0.3, 1, 2, 3}), below.one_of({2, 3, 4, 6}),
                                 below.one_of({5, 14, 30}), 1000, 10, below(6) == 0 ? "S" : ""});
      for (std::size_t j = 0; j < instances; ++j)
        q.instances.push_back({j == 0 ? "A100" : "i", below.one_of({10, 30, 50, 60, 100}),
                               j == 0 ? 80 : below.one_of({8, 16, 48}), below.one_of({0.5, 1, 1.5, 2, 3})});
      q.services = {{"S", below.one_of({0.1, 0.3}), 1.0}};
      q.objectives = choices[below(4)];
      if (below(3) == 0) q.rate_per_s = 0.2, q.servers = 1;
      if (below(2) == 0) q.most_time_s = below.one_of({1, 2, 3, 6});
      if (below(2) == 0) q.most_cost = below.one_of({0.25, 0.5, 1, 2.5});
      if (below(2) == 0) q.worst_score = below.one_of({2, 3, 4});
      const PlanAnswer answer = plans(q);

      std::vector<Plain> plain;
      std::vector<std::size_t> number;  // of the answer's plan
      std::size_t at = 0;
      const auto add = [&](const Experiment& e, double time, double cost, bool feasible) {
        const bool allowed = !less(q.most_time_s, time) && !less(q.most_cost, cost) &&
                             !(q.worst_score && less(*q.worst_score, e.score)) && feasible;
        if (feasible) plain.push_back({e.score, time, cost, allowed}), number.push_back(at);
        ++at;
      };
      for (const Experiment& e : q.experiments)
        for (std::size_t j = 0; e.service.empty() && j < instances; ++j) {
          const CloudInstance& i = q.instances[j];
          const double service = e.time_s * q.instances[0].tflops / i.tflops;
          const bool queue = q.rate_per_s > 0.0;
          const double load = queue ? 0.2 * service : 0.0;
          add(e, service / (1.0 - load), queue ? i.price_per_h / 0.72 : service * i.price_per_h / 3.6,
              e.memory_gib < i.memory_gb && less(load, 1.0));
        }
      for (const Experiment& e : q.experiments)
        if (!e.service.empty()) add(e, e.time_s, q.services[0].price_in + 0.01, true);
      QCOMPARE(answer.plans.size(), at);

      const auto dominated = [&](const Plain& one, bool by_allowed) {
        return std::any_of(plain.begin(), plain.end(), [&](const Plain& other) {
          bool good = !by_allowed || other.allowed, better = false;
          for (const Objective objective : q.objectives) {
            const auto of = [&](const Plain& p) {
              return objective == Objective::score ? p.score : objective == Objective::time ? p.time : p.cost;
            };
            good = good && !less(of(one), of(other)), better = better || less(of(other), of(one));
          }
          return good && better;
        });
      };
      const auto goes_before = [&](const Plain& a, const Plain& b) {
        if (less(a.cost, b.cost) || less(b.cost, a.cost)) return less(a.cost, b.cost);
        return a.score != b.score ? a.score < b.score : less(a.time, b.time);
      };
      std::optional<std::size_t> best;
      std::vector<bool> front(at), allowed(at);
      for (std::size_t i = 0; i < plain.size(); ++i) {
        front[number[i]] = !dominated(plain[i], false), allowed[number[i]] = plain[i].allowed;
        if (plain[i].allowed && !dominated(plain[i], true) && (!best || goes_before(plain[i], plain[*best]))) best = i;
      }
      for (std::size_t i = 0; i < at; ++i) {
        QCOMPARE(answer.plans[i].on_front, bool(front[i]));
        QCOMPARE(answer.plans[i].allowed, bool(allowed[i]));
      }
      QCOMPARE(answer.recommended.has_value(), best.has_value());
      if (best) QCOMPARE(*answer.recommended, number[*best]);
      QCOMPARE(answer.why_none.empty(), best.has_value());
      none += best ? 0 : 1, behind += best && !front[number[*best]] ? 1 : 0;
      shared += static_cast<std::size_t>(std::count(front.begin(), front.end(), true)) > 3 ? 1 : 0;
    }
    QVERIFY(none > 500 && behind > 50 && shared > 100);  // every case is met
  }

  void services_stand_beside_instances() {
    PlanQuestion q = planner();
    q.services = {haiku};
    q.experiments.push_back({"api", 0.9, 4.0, 0.0, 1200, 4, "Haiku"});
    const PlanAnswer answer = plans(q);
    const Plan& api = answer.plans.back();
    QVERIFY(api.at_service && api.on_front);
    as_printed(api.cost, 0.305, 6, "per thousand");
    q.experiments.back().service = "nobody";
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, plans(q));
    q = planner(), q.reference = "H100";
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, plans(q));
    q = planner(), q.scaling = Scaling::bandwidth;
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, plans(q));
    for (CloudInstance& one : q.instances) one.bandwidth = 1000.0;
    QVERIFY(std::fabs(plans(q).plans[0].time_s - 1.9) < 1e-12);
  }
};

QTEST_APPLESS_MAIN(TestCostEffectiveness)
#include "tst_cost_effectiveness.moc"
