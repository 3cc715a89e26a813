// Adapters that are loaded when they are asked for. Oracles: times of a few requests by hand; the chance that the least
// recently used of independent requests is still there (King, Analysis of demand paging algorithms, IFIP 1971); the law
// of Zipf. Random services: tst_serving_engine, against a plain program.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "plugins/llm_serving/engine/adapters.h"
#include "plugins/llm_serving/engine/service.h"
#include "plugins/llm_serving/engine/workload.h"

using namespace llm_serving;

namespace {

/// Every pass takes 10 ms, whatever it computes.
ServiceOptions ten_ms(AdapterOptions adapters) {
  ServiceOptions out;
  out.replica.time.target.base = 10.0;
  out.prefill_time = out.replica.time;
  out.replica.adapters = std::move(adapters);
  return out;
}
Request one_of(std::uint64_t id, double at_s, std::uint32_t output, std::uint32_t adapter) {
  Request out{.id = id, .arrival_s = at_s};
  out.prompt = 8, out.output = output, out.adapter = adapter;
  return out;
}
/// By number.
std::vector<Served> play(Service& service, const std::vector<Request>& requests) {
  std::vector<Served> out;
  for (const Request& one : requests) {
    service.advance(std::nextafter(one.arrival_s, -1e300), out);
    service.arrive(one.arrival_s, one);
  }
  service.advance(1e9, out);
  std::sort(out.begin(), out.end(), [](const Served& a, const Served& b) { return a.id < b.id; });
  return out;
}
std::vector<Served> play(const ServiceOptions& options, const std::vector<Request>& requests) {
  Service service(options, 1);
  return play(service, requests);
}
void is_at(double seen_s, double wanted_s) {
  QVERIFY2(std::fabs(seen_s - wanted_s) < 1e-9, qPrintable(QString("%1, wanted %2").arg(seen_s).arg(wanted_s)));
}

/// Share of independent requests that find theirs in two places of the least recently used.
double king_of_two(const std::vector<double>& p) {
  double out = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < p.size(); ++j) out += i == j ? p[i] * p[i] : p[i] * p[j] * p[i] / (1.0 - p[j]);
  return out;
}

}  // namespace

class TestServingAdapters : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void loads_follow_each_other_and_others_pass() {
    // At 0: the base model, adapters 0 (5 ms) and 1 (20 ms), and 0 once more, which is on its way by then.
    Service service(ten_ms({{5.0, 20.0}, 2, 0.0}), 1);
    const std::vector<Served> seen = play(service, {one_of(0, 0.0, 1, Request::none), one_of(1, 0.0, 2, 0),
                                                    one_of(2, 0.0, 1, 1), one_of(3, 0.0, 1, 0), one_of(4, 1.0, 1, 1)});
    const double first[] = {0.010, 0.020, 0.040, 0.020, 1.010}, wait[] = {0.0, 0.005, 0.025, 0.005, 0.0};
    for (std::size_t i = 0; i < 5; ++i) is_at(seen[i].first_token_s, first[i]), is_at(seen[i].adapter_wait_s, wait[i]);
    is_at(seen[1].finish_s, 0.030);
    const AdapterSlots& adapters = service.replicas()[0].adapters();
    QVERIFY(adapters.loads() == 2 && adapters.asked() == 4 && adapters.hits() == 1);
  }

  void who_needs_one_keeps_it() {
    // One place: the second waits until the first has all his tokens, then 20 ms; a third who wants what is there
    // passes.
    const std::vector<Served> seen =
        play(ten_ms({{5.0, 20.0}, 1, 0.0}), {one_of(0, 0.0, 5, 0), one_of(1, 0.001, 1, 1), one_of(2, 0.020, 2, 0)});
    is_at(seen[0].finish_s, 0.065), is_at(seen[2].finish_s, 0.045);
    is_at(seen[1].adapter_wait_s, 0.084), is_at(seen[1].finish_s, 0.095);
  }

  void in_order_the_first_holds_up_those_behind() {
    // 1 is first at 0.005, gets the place when 0 leaves at 0.055 and is served from 0.075 on; 2, whose adapter was
    // there, comes to ask then, and 1 still needs the place for 10 ms.
    const std::vector<Served> seen = play(ten_ms({{5.0, 20.0}, 1, 0.0, true}),
                                          {one_of(0, 0.0, 5, 0), one_of(1, 0.001, 1, 1), one_of(2, 0.020, 2, 0)});
    is_at(seen[0].finish_s, 0.055), is_at(seen[1].finish_s, 0.085), is_at(seen[2].finish_s, 0.110);
    is_at(seen[0].adapter_wait_s, 0.005), is_at(seen[1].adapter_wait_s, 0.070), is_at(seen[2].adapter_wait_s, 0.015);
  }

  void in_order_it_is_asked_for_while_nobody_can_be_admitted() {
    // 0 has the only turn from 0.1 to 0.15; 1 is first at 0.1, and his adapter is there at 0.2.
    ServiceOptions options = ten_ms({{100.0, 100.0}, 2, 0.0, true});
    options.replica.max_running = 1;
    const std::vector<Served> seen = play(options, {one_of(0, 0.0, 5, 0), one_of(1, 0.001, 1, 1)});
    is_at(seen[0].finish_s, 0.150), is_at(seen[1].finish_s, 0.210), is_at(seen[1].adapter_wait_s, 0.1);
  }

  void who_waits_for_one_holds_up_no_step_of_all_together() {
    for (const double load_ms : {2.0, 1000.0})
      for (const bool in_order : {false, true}) {
        ServiceOptions options = ten_ms({{load_ms}, 1, 0.0, in_order});
        options.replicas = 2, options.together = true, options.routing = ReplicaRouting::round_robin;
        const std::vector<Served> seen = play(options, {one_of(0, 0.0, 5, Request::none), one_of(1, 0.0, 1, 0)});
        is_at(seen[0].first_token_s, 0.010), is_at(seen[0].finish_s, 0.050);
        is_at(seen[1].first_token_s, load_ms == 2.0 ? 0.020 : 1.010);
      }
  }

  void each_that_a_pass_uses_makes_it_longer() {
    Service service(ten_ms({{0.0, 0.0, 0.0}, 3, 0.25}), 1);
    // All are there from the second on. Prompts of three adapters, the base beside: 17.5 ms; then 17.5, 15, 12.5
    // and 10.
    const std::vector<Served> seen = play(
        service, {one_of(0, 0.0, 1, 0), one_of(1, 0.0, 1, 1), one_of(2, 0.0, 1, 2), one_of(3, 1.0, 2, 0),
                  one_of(4, 1.0, 2, 0), one_of(5, 1.0, 3, 1), one_of(6, 1.0, 4, 2), one_of(7, 1.0, 5, Request::none)});
    is_at(seen[3].first_token_s, 1.0175), is_at(seen[3].finish_s, 1.035), is_at(seen[5].finish_s, 1.05);
    is_at(seen[6].finish_s, 1.0625), is_at(seen[7].finish_s, 1.0725);
    const ReplicaTotals& totals = service.replicas()[0].totals();
    const double after = 3.0 * 0.035 + 2.0 * 0.015 + 1.0 * 0.0125;
    is_at(totals.adapters_s - after, 3.0 * 0.0175);
  }

  void both_who_computes_the_prompt_and_who_decodes_need_it() {
    ServiceOptions options = ten_ms({{5.0}, 1, 0.0});
    options.prefill_replicas = 1, options.transfer_ms = 2.0;
    const std::vector<Served> seen = play(options, {one_of(0, 0.0, 2, 0), one_of(1, 1.0, 2, 0)});
    is_at(seen[0].first_token_s, 0.015), is_at(seen[0].finish_s, 0.032), is_at(seen[0].adapter_wait_s, 0.010);
    is_at(seen[1].finish_s, 1.022), is_at(seen[1].adapter_wait_s, 0.0);
  }

  void the_least_recently_used_goes() {
    Workload workload;
    workload.requests = 200000, workload.burstiness = std::numeric_limits<double>::infinity();
    workload.prompt.mean = workload.output.mean = 1.0;
    workload.adapters = zipf_weights(5, 1.5);
    // So far apart that each has gone when the next comes.
    std::vector<double> p = workload.adapters;
    const double sum = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& x : p) x /= sum;
    Service service(ten_ms({{1.0, 1.0, 1.0, 1.0, 1.0}, 2, 0.0}), 1);
    play(service, draw_requests(workload, 7));
    const AdapterSlots& adapters = service.replicas()[0].adapters();
    const double hits = static_cast<double>(adapters.hits()) / static_cast<double>(adapters.asked());
    const double wanted = king_of_two(p);
    const double deviation = std::sqrt(wanted * (1.0 - wanted) / 200000.0);
    QVERIFY2(std::fabs(hits - wanted) < 5.0 * deviation, qPrintable(QString("%1, wanted %2").arg(hits).arg(wanted)));
    QCOMPARE(adapters.loads(), adapters.asked() - adapters.hits());
  }

  void popularity_is_of_zipf() {
    Workload workload;
    workload.requests = 100000, workload.adapters = zipf_weights(4, 1.0), workload.adapter_share = 0.8;
    std::vector<double> count(5, 0.0);
    const std::vector<Request> drawn = draw_requests(workload, 3);
    for (const Request& one : drawn) count[one.adapter == Request::none ? 4 : one.adapter] += 1.0;
    const double harmonic = 25.0 / 12.0;
    for (std::size_t i = 0; i < 5; ++i) {
      const double p = i == 4 ? 0.2 : 0.8 / static_cast<double>(i + 1) / harmonic;
      QVERIFY(std::fabs(count[i] / 1e5 - p) < 5.0 * std::sqrt(p * (1.0 - p) / 1e5));
    }
    // A stream of its own: what else is drawn stays.
    workload.adapters.clear();
    const std::vector<Request> plain = draw_requests(workload, 3);
    for (std::size_t i = 0; i < plain.size(); ++i)
      QVERIFY(plain[i].arrival_s == drawn[i].arrival_s && plain[i].adapter == Request::none);
  }

  void tables_of_requests_name_them() {
    const std::vector<Request> seen =
        read_requests("arrived_at,num_prefill_tokens,num_decode_tokens,adapter\n0,1,1,3\n1,1,1,-1\n2,1,1,0\n");
    QVERIFY(seen[0].adapter == 3 && seen[1].adapter == Request::none && seen[2].adapter == 0);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, read_requests("arrived_at,num_prefill_tokens,num_decode_tokens,"
                                                                  "adapter\n0,1,1,0.5\n"));
  }
};

QTEST_APPLESS_MAIN(TestServingAdapters)
#include "tst_serving_adapters.moc"
