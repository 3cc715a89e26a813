// Widths of jobs on a rental budget: the validation rows of the specification, and random instances against searches
// that know nothing of multipliers or hulls.
#include <QtTest>
#include <cmath>
#include <functional>
#include <random>

#include "solvers/cluster/budget/width_plan.h"
#include "tests/solvers/cluster/printed_value.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using Family = Speedup::Family;
using Types = std::vector<JobType>;

Speedup family(Family f, double parameter, double most = Speedup::unlimited) {
  return std::get<Speedup>(Speedup::of(f, parameter, most));
}
Speedup table(std::vector<SpeedupPoint> points) { return std::get<Speedup>(Speedup::of_table(std::move(points))); }

WidthPlan plan_of(std::variant<WidthPlan, std::string> from) {
  if (auto* why = std::get_if<std::string>(&from)) throw std::runtime_error(*why);
  return std::get<WidthPlan>(std::move(from));
}

const Types figure_1 = {{0.4, 1, family(Family::amdahl, 0.8)}, {0.4, 1, family(Family::power, 0.5)}};
const Types three_types = {
    {2, 1, family(Family::amdahl, 0.9)}, {1, 4, family(Family::power, 0.8)}, {0.5, 10, family(Family::power, 0.5)}};
const Types two_tables = {{1, 1, table({{1, 1}, {2, 1.8}, {3, 2.2}, {4, 3.1}, {8, 4.6}})},
                          {1, 1, table({{1, 1}, {2, 1.9}, {4, 3.4}, {8, 5.6}, {16, 8.0}})}};
const Types log_demo = {{1, 2, family(Family::logarithmic, 0.5)}, {1, 2, family(Family::power, 0.8)}};

double mean_time(const Types& types, const WidthPlan& plan) { return means_of(types, plan).time; }

/// Least argument in [low, high] of a function with one minimum, by thirds.
double least_by_thirds(double low, double high, const std::function<double(double)>& f) {
  for (int i = 0; i < 90; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (f(a) < f(b) ? high : low) = f(a) < f(b) ? b : a;
  }
  return f((low + high) / 2);
}

/// Jobs present on average of a smooth type that spends `cost` GPUs: its width by halving.
double jobs_for(const JobType& type, double cost) {
  double low = 1, high = 2;
  const auto spent = [&](double k) {
    return k * (type.rate * type.mean_size / type.speedup.speed(k) + type.rate * type.start_up);
  };
  while (high < 1e12 && spent(high) < cost) high *= 2;
  for (int i = 0; i < 80; ++i) (spent((low + high) / 2) < cost ? low : high) = (low + high) / 2;
  return type.rate * type.mean_size / type.speedup.speed(low) + type.rate * type.start_up;
}

struct Choice2 {
  double cost, jobs;
};
/// All that pure widths cost and bring.
std::vector<Choice2> choices(const JobType& type, const std::vector<double>& widths) {
  std::vector<Choice2> out;
  for (const double k : widths) {
    const double jobs = type.rate * (type.mean_size / type.speedup.speed(k) + type.start_up);
    out.push_back({k * jobs, jobs});
  }
  return out;
}

/// The linear program over mixes, by enumeration: every type pure but one that mixes two, whichever (a program with one
/// constraint besides those of shares has such a solution).
double least_by_enumeration(const std::vector<std::vector<Choice2>>& all, double budget) {
  double best = INFINITY;
  std::vector<std::size_t> at(all.size(), 0);
  const std::function<void(std::size_t, std::size_t, double, double)> go = [&](std::size_t i, std::size_t mixes,
                                                                               double cost, double jobs) {
    if (i == all.size()) {
      for (const Choice2& a : all[mixes])
        for (const Choice2& b : all[mixes]) {
          if (cost + a.cost > budget * (1 + 1e-12)) continue;
          const double share = b.cost > a.cost ? std::min(1.0, (budget - cost - a.cost) / (b.cost - a.cost)) : 0.0;
          best = std::min(best, jobs + a.jobs + std::max(0.0, share) * (b.jobs - a.jobs));
        }
      return;
    }
    if (i == mixes) return go(i + 1, mixes, cost, jobs);
    for (const Choice2& one : all[i]) go(i + 1, mixes, cost + one.cost, jobs + one.jobs);
  };
  for (std::size_t mixes = 0; mixes < all.size(); ++mixes) go(0, mixes, 0, 0);
  return best;
}

JobType smooth_type(std::mt19937& random, double most = Speedup::unlimited) {
  std::uniform_real_distribution<double> part(0.05, 0.9), log(-1.5, 1.5);
  const auto f = static_cast<Family>(random() % 3);
  return {std::exp(log(random)), std::exp(log(random)), family(f, part(random), most),
          random() % 2 == 0 ? 0.0 : 0.3 * part(random)};
}
/// With points that its hull hides, but for start-up: the search below would count these, plans do not.
JobType table_type(std::mt19937& random) {
  std::uniform_real_distribution<double> part(0.02, 1), log(-1.5, 1.5);
  std::vector<SpeedupPoint> points = {{1, 1}};
  while (points.size() < 6) {
    const double k = points.back().gpus + 1 + static_cast<double>(random() % 3);
    points.push_back({k, std::min(k, points.back().speed + 1.5 * part(random))});
  }
  return {std::exp(log(random)), std::exp(log(random)), table(points)};
}
std::vector<double> widths_of(const JobType& type) {
  std::vector<double> out;
  for (const SpeedupPoint& p : type.speedup.corners()) out.push_back(p.gpus);
  for (double k = 1; out.empty() || (type.speedup.corners().empty() && k <= type.speedup.most()); ++k) out.push_back(k);
  return out;
}

double least_cost(const Types& types) {
  double out = 0;
  for (const JobType& one : types) out += one.rate * (one.mean_size + one.start_up);
  return out;
}

void compare_least(const Types& types, double budget, const WidthPlan& plan, double jobs, double tolerance) {
  const PlanMeans means = means_of(types, plan);
  QVERIFY2(means.gpus <= budget * (1 + 1e-9), qPrintable(QString("costs %1 of %2").arg(means.gpus).arg(budget)));
  QVERIFY2(std::fabs(means.jobs - jobs) <= tolerance * jobs,
           qPrintable(QString("%1, by search %2").arg(means.jobs, 0, 'g', 14).arg(jobs, 0, 'g', 14)));
}

}  // namespace

class TestWidthPlan : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v1_figure_1() {
    struct Row {
      double budget;
      const char *k1, *k2, *t1, *t2, *t, *equal_k, *equal_t;
    };
    for (const Row& row :
         {Row{0.88, "2", "1", "0.6", "1", "0.8", "1.2997", "0.846333"},
          Row{1.0, "2.428571", "1.474490", "0.529412", "0.823529", "0.676471", "1.7971", "0.695551"},
          Row{1.5, "4.214286", "4.440051", "0.389831", "0.474576", "0.432203", "4.3371", "0.432314"},
          Row{2.0, "6", "9", "0.333333", "0.333333", "0.333333", "7.3992", "0.337873"},
          Row{3.0, "9.571429", "22.903061", "0.283582", "0.208955", "0.246269", "14.4762", "0.259046"},
          Row{3.2, "10.285714", "26.448980", "0.277778", "0.194444", "0.236111", "16.0000", "0.250000"}}) {
      const WidthPlan plan = plan_of(optimal_widths(figure_1, row.budget));
      const PlanMeans means = means_of(figure_1, plan);
      compare_printed(plan.widths[0].gpus, row.k1, "k1"), compare_printed(plan.widths[1].gpus, row.k2, "k2");
      compare_printed(means.types[0].time, row.t1, "E[T1]"), compare_printed(means.types[1].time, row.t2, "E[T2]");
      compare_printed(means.time, row.t, "E[T]");
      QVERIFY(std::fabs(means.gpus - row.budget) < 1e-11 * row.budget);
      const WidthPlan equal = plan_of(equal_widths(figure_1, row.budget));
      QCOMPARE(equal.widths[0].gpus, equal.widths[1].gpus);
      compare_printed(equal.widths[0].gpus, row.equal_k, "equal k");
      compare_printed(mean_time(figure_1, equal), row.equal_t, "equal-width E[T]");
    }
    // The curves of both widths cross at 1.44; read off the figure: near 1.45.
    const WidthPlan alike = plan_of(optimal_widths(figure_1, 1.44));
    QVERIFY(std::fabs(alike.widths[0].gpus - 4) < 1e-9 && std::fabs(alike.widths[1].gpus - 4) < 1e-9);
    // The closed form on either side of its bend.
    for (double b = 0.8; b < 3.3; b += 0.0125) {
      const WidthPlan plan = plan_of(optimal_widths(figure_1, b));
      const double root = b <= 0.88 ? 1.0 : (b - 0.32) / 0.56, k1 = b <= 0.88 ? (b - 0.72) / 0.08 : 2 * root;
      QVERIFY(std::fabs(plan.widths[0].gpus - k1) < 1e-9 * k1);
      QVERIFY(std::fabs(plan.widths[1].gpus - root * root) < 1e-9 * root * root);
      if (b > 0.89) QVERIFY(std::fabs(plan.multiplier * root * root - 1) < 1e-9);
    }
  }

  void v2_whole_gpus() {
    const WidthPlan one = plan_of(optimal_widths(figure_1, 1.0, true));
    compare_printed(mean_time(figure_1, one), "0.69393398", "E[T] at 1");
    QCOMPARE(one.widths[0].gpus, 2.0);
    QVERIFY(!one.widths[0].mixed());
    QCOMPARE(one.widths[1].gpus, 1.0);
    QCOMPARE(one.widths[1].other, 2.0);
    compare_printed(100 * one.widths[1].share, "72.426", "share on 2");
    const WidthPlan two = plan_of(optimal_widths(figure_1, 2.0, true));
    QVERIFY(std::fabs(mean_time(figure_1, two) - 1.0 / 3) < 1e-12);
    const WidthPlan three = plan_of(optimal_widths(figure_1, 3.0, true));
    compare_printed(mean_time(figure_1, three), "0.24638679", "E[T] at 3");
    QCOMPARE(three.widths[0].gpus, 9.0);
    QCOMPARE(three.widths[0].other, 10.0);
    compare_printed(100 * three.widths[0].share, "52.084", "share on 10");
    QCOMPARE(three.widths[1].gpus, 23.0);
    QVERIFY(!three.widths[1].mixed());
    for (double b = 0.8; b < 4; b += 0.0371) {
      const WidthPlan whole = plan_of(optimal_widths(figure_1, b, true));
      QVERIFY(mean_time(figure_1, whole) >= mean_time(figure_1, plan_of(optimal_widths(figure_1, b))) - 1e-12);
      QVERIFY(std::fabs(means_of(figure_1, whole).gpus - b) < 1e-9);
    }
  }

  void v3_three_types() {
    struct Row {
      double budget;
      const char *k[3], *t, *nu;
    };
    for (const Row& row : {Row{12, {"2.2943", "2.3395", "1"}, "2.288902", "1.709800"},
                           Row{16, {"4.3320", "8.3405", "2.0851"}, "1.374608", "0.479587"},
                           Row{40, {"15.0714", "100.9547", "25.2387"}, "0.404116", "0.039622"}}) {
      const WidthPlan plan = plan_of(optimal_widths(three_types, row.budget));
      for (std::size_t i = 0; i < 3; ++i) compare_printed(plan.widths[i].gpus, row.k[i], "k");
      compare_printed(mean_time(three_types, plan), row.t, "E[T]");
      compare_printed(plan.multiplier, row.nu, "nu");
    }
    Types starting = three_types;
    starting[0].start_up = 0.05, starting[1].start_up = 0.1, starting[2].start_up = 0.2;
    const WidthPlan plan = plan_of(optimal_widths(starting, 16));
    const PlanMeans means = means_of(starting, plan);
    const char *const k[] = {"3.4457", "5.3538", "1.8760"}, *const t[] = {"0.411195", "1.145041", "7.500957"};
    for (std::size_t i = 0; i < 3; ++i) {
      compare_printed(plan.widths[i].gpus, k[i], "k with start-up");
      compare_printed(means.types[i].time, t[i], "E[T_i] with start-up");
    }
    compare_printed(means.time, "1.633688", "E[T] with start-up");
    compare_printed(plan.multiplier, "0.505353", "nu with start-up");
  }

  void v4_one_width_beats_two() {
    const Speedup root = family(Family::power, 0.5);
    const double t1 = 1 / root.speed(1), t2 = 3 / root.speed(9), cost = 1 * t1 + 9 * t2;
    QCOMPARE(t1, 1.0);
    QCOMPARE(t2, 1.0);
    QCOMPARE(cost, 10.0);
    const double k = (1 * t1 + 9 * t2) / (t1 + t2);
    QCOMPARE(k, 5.0);
    compare_printed(4 / root.speed(k), "1.788854", "total time");
    compare_printed(k * 4 / root.speed(k), "8.944272", "cost");
  }

  void v6_gpus_rented_are_compound_poisson() {
    for (const auto& [budget, variance, idle] :
         {std::tuple{1.5, "6.511716", "0.707680"}, std::tuple{2.0, "15.6", "0.765928"}}) {
      const PlanMeans means = means_of(figure_1, plan_of(optimal_widths(figure_1, budget)));
      compare_printed(means.variance, variance, "Var K"), compare_printed(means.idle, idle, "P(K = 0)");
      if (budget == 2.0) QVERIFY(std::fabs(means.variance - 15.6) < 1e-9);
    }
    // Whole widths: probabilities add up to 1, mean, variance and the first as said; and by plain convolution.
    const WidthPlan plan = plan_of(optimal_widths(figure_1, 3.0, true));
    const PlanMeans means = means_of(figure_1, plan);
    const auto p = rented_distribution(figure_1, plan, 600);
    double sum = 0, first = 0, second = 0;
    for (std::size_t n = 0; n < p.size(); ++n) {
      const double x = static_cast<double>(n);
      sum += p[n], first += x * p[n], second += x * x * p[n];
    }
    QVERIFY(std::fabs(sum - 1) < 1e-12 && std::fabs(first - means.gpus) < 1e-10);
    QVERIFY(std::fabs(second - first * first - means.variance) < 1e-8);
    QVERIFY(std::fabs(p[0] - means.idle) < 1e-14);
    std::vector<double> plain(601, 0.0);
    plain[0] = 1;
    for (const auto& [width, mean] :
         {std::pair{9U, (1 - plan.widths[0].share) * figure_1[0].jobs(9)},
          std::pair{10U, plan.widths[0].share * figure_1[0].jobs(10)}, std::pair{23U, figure_1[1].jobs(23)}}) {
      std::vector<double> next(601, 0.0);
      double jobs = std::exp(-mean);
      for (unsigned n = 0; n * width <= 600; jobs *= mean / ++n)
        for (unsigned i = 0; i + n * width <= 600; ++i) next[i + n * width] += jobs * plain[i];
      plain = next;
    }
    for (std::size_t n = 0; n < 100; ++n) QVERIFY(std::fabs(p[n] - plain[n]) < 1e-13);
    QVERIFY(std::fabs(poisson_distribution(2.5, 3)[3] - std::exp(-2.5) * 2.5 * 2.5 * 2.5 / 6) < 1e-15);
    QCOMPARE(poisson_distribution(0, 2)[0], 1.0);
  }

  void v7_tables_and_logarithms() {
    const WidthPlan three = plan_of(optimal_widths(two_tables, 3.0));
    compare_printed(mean_time(two_tables, three), "0.21763393", "E[T] at 3.0");
    QCOMPARE(three.widths[0].gpus, 4.0);
    QCOMPARE(three.widths[0].other, 8.0);
    compare_printed(100 * three.widths[0].share, "62.634", "share on 8");
    QCOMPARE(three.widths[1].gpus, 8.0);
    QVERIFY(!three.widths[1].mixed());
    const WidthPlan less = plan_of(optimal_widths(two_tables, 2.2));
    compare_printed(mean_time(two_tables, less), "0.50694444", "E[T] at 2.2");
    QCOMPARE(less.widths[0].gpus, 2.0);
    QVERIFY(!less.widths[0].mixed());
    QCOMPARE(less.widths[1].gpus, 2.0);
    QCOMPARE(less.widths[1].other, 4.0);
    compare_printed(100 * less.widths[1].share, "29.278", "share on 4");
    const WidthPlan logs = plan_of(optimal_widths(log_demo, 8));
    const PlanMeans means = means_of(log_demo, logs);
    compare_printed(logs.widths[0].gpus, "3.25553", "k1"), compare_printed(logs.widths[1].gpus, "28.3928", "k2");
    compare_printed(means.types[0].time, "1.257722", "E[T1]");
    compare_printed(means.types[1].time, "0.137551", "E[T2]");
    compare_printed(logs.multiplier, "0.140881", "nu");
  }

  void v9_limits() {
    for (const Types& types : {figure_1, three_types, two_tables, log_demo}) {
      const WidthPlan least = plan_of(optimal_widths(types, least_cost(types)));
      for (const Width& width : least.widths) QVERIFY(std::fabs(width.mean() - 1) < 1e-9);
      QVERIFY(std::holds_alternative<std::string>(optimal_widths(types, 0.99 * least_cost(types))));
      QVERIFY(std::holds_alternative<std::string>(equal_widths(types, 0.99 * least_cost(types))));
      const double rate = means_of(types, least).rate;
      for (const double factor : {1.2, 1.7, 2.6}) {
        const double b = factor * least_cost(types), h = 1e-5 * b;
        const WidthPlan plan = plan_of(optimal_widths(types, b));
        const double slope = (mean_time(types, plan_of(optimal_widths(types, b + h))) -
                              mean_time(types, plan_of(optimal_widths(types, b - h)))) /
                             (2 * h);
        if (plan.multiplier > 0) QVERIFY(std::fabs(slope / (-plan.multiplier / rate) - 1) < 1e-4);
      }
    }
    // Much money: Amdahl's serial part remains.
    const PlanMeans rich = means_of(figure_1, plan_of(optimal_widths(figure_1, 1e7)));
    QVERIFY(std::fabs(rich.types[0].time - 0.2) < 1e-5);
    // Tables have an end: what is over is left.
    const WidthPlan all = plan_of(optimal_widths(two_tables, 100));
    QCOMPARE(all.widths[0].gpus, 8.0);
    QCOMPARE(all.widths[1].gpus, 16.0);
    QCOMPARE(all.multiplier, 0.0);
  }

  // Budgets divided between two smooth types by thirds, widths by halving.
  void smooth_plans_are_least_by_search() {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> factor(1.02, 4);
    for (int i = 0; i < 1500; ++i) {
      const Types types = {smooth_type(random), smooth_type(random)};
      const double budget = factor(random) * least_cost(types);
      const double first = types[0].rate * (types[0].mean_size + types[0].start_up),
                   second = types[1].rate * (types[1].mean_size + types[1].start_up);
      const double jobs = least_by_thirds(first, budget - second, [&](double cost) {
        return jobs_for(types[0], cost) + jobs_for(types[1], budget - cost);
      });
      compare_least(types, budget, plan_of(optimal_widths(types, budget)), jobs, 1e-7);
    }
  }

  void plans_of_tables_and_whole_gpus_are_least_by_enumeration() {
    std::mt19937 random(12);
    std::uniform_real_distribution<double> factor(1.0, 4);
    for (int i = 0; i < 3000; ++i) {
      Types types;
      for (int t = 0; t < 2 + i % 2; ++t)
        types.push_back(random() % 2 == 0 ? table_type(random)
                                          : smooth_type(random, 1.0 + static_cast<double>(random() % 8)));
      for (JobType& one : types) one.start_up = random() % 2 == 0 ? 0.0 : 0.2;
      const double budget = factor(random) * least_cost(types);
      std::vector<std::vector<Choice2>> all;
      for (const JobType& one : types) all.push_back(choices(one, widths_of(one)));
      const WidthPlan plan = plan_of(optimal_widths(types, budget, true));
      compare_least(types, budget, plan, least_by_enumeration(all, budget), 1e-10);
      int mixed = 0;
      for (const Width& width : plan.widths) {
        mixed += width.mixed() ? 1 : 0;
        QCOMPARE(width.gpus, std::floor(width.gpus));
      }
      QVERIFY(mixed <= 1);
    }
  }

  void a_smooth_type_beside_a_table_is_least_by_search() {
    std::mt19937 random(13);
    std::uniform_real_distribution<double> factor(1.02, 3.5);
    for (int i = 0; i < 500; ++i) {
      const Types types = {smooth_type(random), table_type(random)};
      const double budget = factor(random) * least_cost(types);
      const auto of_table = choices(types[1], widths_of(types[1]));
      const double first = types[0].rate * (types[0].mean_size + types[0].start_up),
                   second = types[1].rate * types[1].mean_size;
      const double jobs = least_by_thirds(first, budget - second, [&](double cost) {
        return jobs_for(types[0], cost) + least_by_enumeration({of_table}, budget - cost);
      });
      compare_least(types, budget, plan_of(optimal_widths(types, budget)), jobs, 1e-7);
    }
  }

  void equal_widths_spend_the_budget() {
    std::mt19937 random(14);
    std::uniform_real_distribution<double> factor(1.0, 4);
    for (int i = 0; i < 1000; ++i) {
      const Types types = {smooth_type(random), table_type(random), smooth_type(random, 6)};
      const double budget = factor(random) * least_cost(types);
      const double most = means_of(types, WidthPlan{{{1e9, 1e9, 0}, {1e9, 1e9, 0}, {1e9, 1e9, 0}}}).gpus;
      for (const bool whole : {false, true}) {
        const WidthPlan plan = plan_of(equal_widths(types, budget, whole));
        const double gpus = means_of(types, plan).gpus;
        QVERIFY(gpus <= budget * (1 + 1e-9));
        if (budget < most && types[0].speedup.most() > 1e6) QVERIFY(gpus >= budget * (1 - 1e-9));
        QVERIFY(means_of(types, plan).jobs >=
                means_of(types, plan_of(optimal_widths(types, budget))).jobs * (1 - 1e-3));
        for (std::size_t t = 0; whole && t < 3; ++t) QCOMPARE(plan.widths[t].gpus, std::floor(plan.widths[t].gpus));
      }
    }
  }

  void what_gains_nothing_gets_one_gpu() {
    const Types types = {{1, 1, family(Family::amdahl, 0)}, {1, 1, family(Family::amdahl, 1, 4)}};
    const WidthPlan plan = plan_of(optimal_widths(types, 2));
    QCOMPARE(plan.widths[0].gpus, 1.0);
    QCOMPARE(plan.widths[1].gpus, 4.0);  // costs the same at any width up to its limit
    QVERIFY(std::fabs(means_of(types, plan).gpus - 2) < 1e-12);
    QCOMPARE(means_of(types, single_gpus(types)).time, 1.0);
  }
};

QTEST_GUILESS_MAIN(TestWidthPlan)
#include "tst_width_plan.moc"
