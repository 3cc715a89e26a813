#include <boost/math/quadrature/gauss_kronrod.hpp>

#include "network_check.h"
#include "solvers/queueing/exact/birth_death_stations.h"
#include "solvers/queueing/exact/general_service_stations.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Means of a birth-death chain by long doubles and logarithms; `birth(n)`, `death(n)` with n present, n up to `top`.
template <class Birth, class Death>
std::vector<long double> chain(int top, const Birth& birth, const Death& death) {
  std::vector<long double> log{0.0L};
  long double largest = 0, sum = 0;
  for (int n = 1; n <= top; ++n) {
    log.push_back(log.back() + std::log(static_cast<long double>(birth(n - 1)) / static_cast<long double>(death(n))));
    largest = std::max(largest, log.back());
  }
  for (long double& each : log) each = std::exp(each - largest), sum += each;
  for (long double& each : log) each /= sum;
  return log;
}

template <class Value>
double mean(const std::vector<long double>& p, const Value& value) {
  long double sum = 0;
  for (std::size_t n = 0; n < p.size(); ++n) sum += p[n] * static_cast<long double>(value(static_cast<int>(n)));
  return static_cast<double>(sum);
}

/// Mean response time under shortest remaining time first, job by job.
template <class Draw>
double simulated_srpt(double arrival_rate, int jobs, const Draw& draw) {
  std::mt19937_64 random(7);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  struct Job {
    double left, since;
  };
  std::vector<Job> present;
  const auto later = [](const Job& a, const Job& b) { return a.left > b.left; };
  double now = 0, next = 0, total = 0;
  int come = 0, gone = 0;
  while (gone < jobs) {
    if (!present.empty() && (come == jobs || now + present.front().left <= next)) {
      std::pop_heap(present.begin(), present.end(), later);
      now += present.back().left, total += now - present.back().since, ++gone;
      present.pop_back();
      continue;
    }
    if (!present.empty()) present.front().left -= next - now;
    now = next, next -= std::log(uniform()) / arrival_rate, ++come;
    present.push_back({draw(uniform()), now});
    std::push_heap(present.begin(), present.end(), later);
  }
  return total / jobs;
}

}  // namespace

class TestSingleStations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void several_servers_agree_with_the_birth_death_chain() {
    for (const auto& [servers_, load_] : {std::pair{1, 0.3}, {2, 0.9}, {40, 0.95}, {1000, 0.99}}) {
      const int servers = servers_;
      const double load = load_;
      const double rate = servers * load * 2;
      const auto p = chain(
          servers + 6000, [&](int) { return rate; }, [&](int n) { return 2.0 * std::min(n, servers); });
      const StationMeans m = solved(mmc(rate, 2, servers));
      QVERIFY(close(m.number, mean(p, [](int n) { return n; }), 1e-9));
      QVERIFY(close(m.wait_probability, mean(p, [&](int n) { return n >= servers; }), 1e-9));
      QVERIFY(close(m.waiting_number, mean(p, [&](int n) { return std::max(0, n - servers); }), 1e-9));
      QVERIFY(difference(m.empty, static_cast<double>(p[0])) < 1e-9 || p[0] < 1e-300L);
      QCOMPARE(solved(erlang_c(servers, servers * load)), m.wait_probability);
    }
  }
  void limited_room_agrees_with_the_birth_death_chain() {
    for (const auto& [servers_, room_, load_] :
         {std::tuple{1, 1, 0.5}, {1, 10, 1.0}, {3, 7, 1.3}, {20, 20, 0.7}, {500, 2500, 1.01}, {5, 9, 30.0}}) {
      const int servers = servers_;
      const int room = room_;
      const double load = load_;
      const double rate = servers * load * 0.5;
      const auto p = chain(
          room, [&](int) { return rate; }, [&](int n) { return 0.5 * std::min(n, servers); });
      const StationMeans m = solved(mmck(rate, 0.5, servers, room));
      QVERIFY(close(m.number, mean(p, [](int n) { return n; }), 1e-10));
      QVERIFY(close(m.loss_probability, static_cast<double>(p.back()), 1e-10));
      QVERIFY(close(m.throughput, rate * (1 - static_cast<double>(p.back())), 1e-10));
      QVERIFY(close(m.response_s * m.throughput, m.number, 1e-12));
      if (servers == room) QVERIFY(close(m.loss_probability, solved(erlang_b(servers, rate / 0.5)), 1e-12));
    }
  }
  void great_groups_neither_overflow_nor_lose_digits() {
    // B is an integral: 1/B = integral of a e^(-a t) (1 + t)^c, t from 0 to infinity (Fortet).
    boost::math::quadrature::gauss_kronrod<double, 61> rule;
    for (const auto& [servers_, offered_] : {std::pair{100, 90.0}, {10000, 9900.0}, {1000000, 1000000.0}}) {
      const int servers = servers_;
      const double offered = offered_;
      const double a = offered, c = servers;
      const double inverse = rule.integrate(
          [&](double u) { return std::exp(c * std::log1p(u / std::sqrt(a)) - std::sqrt(a) * u) * std::sqrt(a); }, 0.0,
          40.0, 15, 1e-12);
      QVERIFY(difference(solved(erlang_b(servers, offered)), 1 / inverse) < 1e-8);
    }
    const StationMeans idle = solved(mmc(5, 1, 2'000'000'000));  // as many as there are numbers, in no time
    QCOMPARE(idle.number, 5.0);
    QVERIFY(difference(idle.empty, std::exp(-5.0)) < 1e-14);
    QCOMPARE(solved(erlang_b(100000, 1.0)), 0.0);
    QCOMPARE(solved(erlang_b(10, 0.0)), 0.0);
  }
  void infinitely_many_servers_are_the_limit_of_many() {
    const StationMeans infinite = solved(mminf(3, 0.5)), many = solved(mmc(3, 0.5, 400));
    QVERIFY(close(infinite.number, many.number, 1e-12));
    QVERIFY(close(infinite.empty, many.empty, 1e-12));
    QCOMPARE(infinite.response_s, 2.0);
    QCOMPARE(solved(mmc_unequal(3, {0.5, 2, 1.1})).number, solved(mmc(3, 1.2, 3)).number);
  }
  void impatience_agrees_with_the_birth_death_chain() {
    for (const auto& [servers_, load_, patience_] :
         {std::tuple{1, 0.5, 1.0}, {10, 1.2, 0.1}, {200, 1.05, 5.0}, {4, 0.9, 0.01}}) {
      const int servers = servers_;
      const double load = load_;
      const double patience = patience_;
      const double rate = servers * load;
      const auto p = chain(
          servers + 5000, [&](int) { return rate; },
          [&](int n) { return std::min(n, servers) + patience * std::max(0, n - servers); });
      const StationMeans m = solved(erlang_a(rate, 1, servers, patience));
      const double queue = mean(p, [&](int n) { return std::max(0, n - servers); });
      QVERIFY(close(m.number, mean(p, [](int n) { return n; }), 1e-10));
      QVERIFY(close(m.waiting_number, queue, 1e-10));
      QVERIFY(close(m.loss_probability, patience * queue / rate, 1e-10));
      QVERIFY(close(m.throughput + rate * m.loss_probability, rate, 1e-12));
      QVERIFY(close(m.wait_probability, mean(p, [&](int n) { return n >= servers; }), 1e-10));
    }
    // As impatient as they are served: infinitely many servers, whoever they stand before.
    QVERIFY(close(solved(erlang_a(7, 1, 3, 1)).number, 7, 1e-12));
    QVERIFY(close(solved(erlang_a(2.5, 1, 3, 0)).number, solved(mmc(2.5, 1, 3)).number, 1e-15));
  }
  void finite_sources_agree_with_the_birth_death_chain() {
    for (const auto& [sources_, servers_, each_] : {std::tuple{6, 1, 0.1}, {24, 4, 0.1}, {300, 250, 3.0}}) {
      const int sources = sources_;
      const int servers = servers_;
      const double each = each_;
      // Of the others: what one sees who arrives.
      const auto p = chain(
          servers, [&](int n) { return (sources - 1 - n) * each; }, [](int n) { return 1.0 * n; });
      QVERIFY(close(solved(engset(sources, servers, each)), static_cast<double>(p.back()), 1e-11));
    }
    QCOMPARE(solved(engset(4, 4, 1.0)), 0.0);
  }
  void general_service_has_the_known_special_cases() {
    QVERIFY(close(solved(mg1({0.8, 1, 2})).number, 4, 1e-13));     // exponential
    QVERIFY(close(solved(mg1({0.8, 1, 1})).waiting_s, 2, 1e-13));  // constant: half of it
    QVERIFY(close(solved(mg1_processor_sharing({0.8, 1, 7})).number, 4, 1e-13));
    const StationMeans allen =
        solved(allen_cunneen({.arrival_rate = 0.8, .service_rate = 1, .service_variability = 3}));
    QVERIFY(close(allen.waiting_s, solved(mg1({0.8, 1, 4})).waiting_s, 1e-13));
    const StationMeans kraemer = solved(kraemer_langenbach_belz({.arrival_rate = 3, .service_rate = 1, .servers = 4}));
    QVERIFY(close(kraemer.number, solved(mmc(3, 1, 4)).number, 1e-13));
  }
  void corrected_waiting_is_near_exact_values_of_regular_arrivals() {
    // D/M/1: the root of x = exp(-(1 - x) / load) gives waiting x / (1 - x) service times.
    for (const double load : {0.3, 0.6, 0.9}) {
      double x = 0.5;
      for (int i = 0; i < 2000; ++i) x = std::exp(-(1 - x) / load);
      const StationMeans m =
          solved(kraemer_langenbach_belz({.arrival_rate = load, .arrival_variability = 0, .service_rate = 1}));
      QVERIFY(std::abs(m.waiting_s - x / (1 - x)) < 0.03 * m.response_s);
    }
  }
  void priorities_keep_the_work_and_agree_with_classes_by_hand() {
    const std::vector<GeneralService> classes{{0.2, 1, 2}, {0.1, 2, 5}, {0.05, 4, 40}};
    double load = 0, work = 0, residual = 0;
    const auto result = solved(mg1_priorities(classes));
    for (std::size_t i = 0; i < 3; ++i) {
      const double own = classes[i].arrival_rate * classes[i].mean_s;
      load += own, work += own * result[i].waiting_s;
      residual += classes[i].arrival_rate * classes[i].second_moment_s2 / 2;
    }
    QVERIFY(close(work, load * residual / (1 - load), 1e-12));  // Kleinrock's conservation law
    QVERIFY(close(result[0].waiting_s, residual / 0.8, 1e-12));
    const auto one = solved(mg1_priorities({{0.5, 1, 3}}));
    QVERIFY(close(one[0].response_s, solved(mg1({0.5, 1, 3})).response_s, 1e-13));
  }
  void who_preempts_sees_nobody_below_and_exponential_work_is_kept() {
    const std::vector<GeneralService> classes{{0.2, 1, 2}, {0.3, 1, 2}, {0.25, 1, 2}};
    const auto result = solved(mg1_preemptive_resume(classes));
    QVERIFY(close(result[0].response_s, 1 / 0.8, 1e-12));
    // Two classes together, and all three, are M/M/1 whatever the order among them.
    QVERIFY(close(result[0].number + result[1].number, 1, 1e-12));
    QVERIFY(close(result[0].number + result[1].number + result[2].number, 3, 1e-12));
  }
  void shortest_remaining_first_agrees_with_nested_quadrature() {
    // Exponential service of mean 1: load and moments below x in closed form.
    using boost::math::quadrature::gauss_kronrod;
    for (const double rate : {0.3, 0.5, 0.8, 0.95}) {
      const auto below = [](double x) { return 1 - (1 + x) * std::exp(-x); };
      const auto response = [&](double x) {
        const double moment = 2 - (x * x + 2 * x + 2) * std::exp(-x), left = 1 - rate * below(x);
        const double stay = gauss_kronrod<double, 31>::integrate([&](double t) { return 1 / (1 - rate * below(t)); },
                                                                 0.0, x, 10, 1e-11);
        return rate * (moment + x * x * std::exp(-x)) / (2 * left * left) + stay;
      };
      const double wanted = gauss_kronrod<double, 31>::integrate([&](double x) { return response(x) * std::exp(-x); },
                                                                 0.0, 60.0, 12, 1e-10);
      const StationMeans m = solved(mg1_srpt(rate, {.density = [](double t) { return std::exp(-t); }, .mean_s = 1}));
      QVERIFY2(difference(m.response_s, wanted) < 1e-8, std::to_string(m.response_s - wanted).c_str());
    }
  }
  void shortest_remaining_first_agrees_with_simulated_jobs() {
    // Standard error about 0.3 % at this load; 2 % is beyond six of them.
    const double simulated = simulated_srpt(0.7, 1'000'000, [](double u) { return 0.5 + u; });
    const StationMeans uniform =
        solved(mg1_srpt(0.7, {.density = [](double) { return 1.0; }, .mean_s = 1, .lower_s = 0.5, .upper_s = 1.5}));
    QVERIFY2(difference(uniform.response_s, simulated) < 0.02, std::to_string(simulated).c_str());
    // Pareto, tail exponent 3.5.
    const double least = 2.5 / 3.5;
    const double heavy = simulated_srpt(0.6, 1'000'000, [&](double u) { return least * std::pow(u, -1 / 3.5); });
    const StationMeans pareto =
        solved(mg1_srpt(0.6, {.density = [&](double t) { return 3.5 * std::pow(least, 3.5) * std::pow(t, -4.5); },
                              .mean_s = 1,
                              .lower_s = least}));
    QVERIFY2(difference(pareto.response_s, heavy) < 0.02, std::to_string(heavy).c_str());
  }
  void nearly_equal_jobs_are_served_as_they_come() {
    const StationMeans narrow = solved(
        mg1_srpt(0.8, {.density = [](double) { return 500.0; }, .mean_s = 1, .lower_s = 0.999, .upper_s = 1.001}));
    QVERIFY(difference(narrow.response_s, solved(mg1({0.8, 1, 1})).response_s) < 0.01);
  }
  void values_out_of_range_are_errors() {
    QCOMPARE(error_code(mm1(2, 1)), "QUE103");
    const auto full = mm1(1, 0.7);  // a load of 1.4285714285714286
    QCOMPARE(std::get<Diagnostic>(full).message, std::string("The station has the load 1.42857; wanted below 1."));
    QCOMPARE(error_code(mm1(-1, 1)), "QUE102");
    QCOMPARE(error_code(mmc(1, 0, 1)), "QUE102");
    QCOMPARE(error_code(mmc(1, 1, 0)), "QUE102");
    QCOMPARE(error_code(mmck(1, 1, 3, 2)), "QUE102");
    QCOMPARE(error_code(mmc_unequal(1, {1, -1})), "QUE102");
    QCOMPARE(error_code(mmc_unequal(1, {})), "QUE102");
    QCOMPARE(error_code(mmc_unequal(3, {1, 2})), "QUE103");
    QCOMPARE(error_code(erlang_c(2, 2.0)), "QUE103");
    QCOMPARE(error_code(erlang_a(1, 1, 1, -1)), "QUE102");
    QCOMPARE(error_code(mg1({0.5, 1, 0.5})), "QUE102");
    QCOMPARE(error_code(mg1({1.0, 1, 2})), "QUE103");
    QCOMPARE(error_code(mg1_priorities({{0.5, 1, 2}, {0.6, 1, 2}})), "QUE103");
    QCOMPARE(error_code(allen_cunneen({.arrival_rate = 0.5, .arrival_variability = -1, .service_rate = 1})), "QUE102");
    QCOMPARE(error_code(mg1_srpt(0.5, {.density = [](double t) { return 2 * std::exp(-t); }, .mean_s = 1})), "QUE102");
    const auto answer = mmc(5, 1, 4);
    QCOMPARE(std::get<Diagnostic>(answer).message, "The station has the load 5; wanted below 4.");
  }
};

QTEST_APPLESS_MAIN(TestSingleStations)
#include "tst_single_stations.moc"
