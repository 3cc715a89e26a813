// Which replica a request goes to. Everybody comes at one moment, so that nothing is served between.
#include <QtTest>
#include <cmath>

#include "plugins/llm_serving/engine/service.h"

using namespace llm_serving;

namespace {

/// Requests on each of three replicas after these prompts have come, each with one token to generate.
std::vector<std::size_t> requests_by_replica(ReplicaRouting routing, const std::vector<std::uint32_t>& prompts,
                                             std::uint32_t prefill_replicas = 0) {
  ServiceOptions o{.replicas = 3, .routing = routing, .prefill_replicas = prefill_replicas};
  o.replica.time = *find_step_time("h100_llama8b"), o.prefill_time = o.replica.time;
  Service service(o, 1);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    Request one{.id = i};
    one.prompt = prompts[i], one.output = 1;
    service.arrive(0.0, one);
  }
  std::vector<std::size_t> out;
  for (const Replica& one : service.replicas()) out.push_back(one.waiting() + one.running());
  return out;
}

}  // namespace

class TestServingRouting : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void in_turn() {
    QCOMPARE(requests_by_replica(ReplicaRouting::round_robin, {900, 1, 1, 1, 1, 1, 1}),
             (std::vector<std::size_t>{3, 2, 2}));
  }

  // Tokens that are still to be done: 1000, 300, 100; then 50 and 50 more to the third, which has 203, and 120: 324.
  // Two short ones go to the second.
  void to_who_has_the_least_to_do() {
    QCOMPARE(requests_by_replica(ReplicaRouting::least_loaded, {1000, 300, 100, 50, 50, 120, 5, 5}),
             (std::vector<std::size_t>{1, 3, 4}));
  }

  void to_the_shortest_queue() {
    QCOMPARE(requests_by_replica(ReplicaRouting::shortest_queue, {900, 1, 1, 1, 1, 1, 1}),
             (std::vector<std::size_t>{3, 2, 2}));
  }

  // Prompts that wait and one for each request: 901, 2, 2; then to the second and the third, until these have more.
  void to_the_fewest_pending() {
    QCOMPARE(requests_by_replica(ReplicaRouting::least_pending, {900, 1, 1, 500, 500, 300, 5}),
             (std::vector<std::size_t>{1, 3, 3}));
  }

  // What requests will hold is known when they come: 100 and 1000 tokens are more than 200 and 340 twice, whatever is
  // done of them by then.
  void to_who_will_hold_the_least() {
    for (const std::uint32_t apart : {0U, 1U}) {
      ServiceOptions o{.replicas = 2, .routing = ReplicaRouting::least_reserved, .prefill_replicas = apart};
      o.replica.time = *find_step_time("h100_llama8b"), o.prefill_time = o.replica.time;
      Service service(o, 1);
      std::vector<Served> out;
      std::uint64_t id = 0;
      const auto arrive = [&](double at_s, std::uint32_t prompt, std::uint32_t output) {
        service.advance(at_s, out);
        Request one{.id = id++, .arrival_s = at_s};
        one.prompt = prompt, one.output = output;
        service.arrive(at_s, one);
      };
      const auto decode = [&](std::size_t r) {
        return service.replicas()[r].waiting() + service.replicas()[r].running();
      };
      arrive(0.0, 100, 1000), arrive(0.0, 200, 340), arrive(0.0, 200, 340);
      service.advance(0.3, out);
      QVERIFY(out.empty());
      QCOMPARE(decode(0), std::size_t{1});
      QCOMPARE(decode(1), std::size_t{2});
      arrive(0.3, 30, 40);  // 1100 against 1080
      service.advance(0.4, out);
      QCOMPARE(decode(1), std::size_t{3});
      arrive(0.4, 30, 40), service.advance(0.5, out);
      QCOMPARE(decode(0), std::size_t{2});
      while (std::isfinite(service.next_event_s())) service.advance(service.next_event_s(), out);
      QCOMPARE(out.size(), std::size_t{5});
      // All is given back: the first of two that hold nothing.
      arrive(100.0, 10, 5), service.advance(100.02, out);
      QVERIFY(apart == 1 || decode(0) == 1);
    }
  }

  // Prompts that are computed apart go in turn to those that compute them, which stand behind those that decode.
  void prompts_apart() {
    QCOMPARE(requests_by_replica(ReplicaRouting::round_robin, {10, 10, 10, 10, 10}, 2),
             (std::vector<std::size_t>{0, 0, 0, 3, 2}));
  }

  // Two replicas have the beginning of a group in their caches, once each has served one: the third is passed over
  // while they have little to do, and not when they have much.
  void to_who_has_its_beginning() {
    ServiceOptions o{.replicas = 3, .routing = ReplicaRouting::prefix_aware, .prefix_patience = 8.0};
    o.replica.time = *find_step_time("h100_llama8b"), o.replica.shares_prefixes = true, o.replica.blocks = 10000;
    Service service(o, 1);
    const auto arrive = [&service](double at_s, std::uint32_t prompt, std::uint32_t group) {
      Request one{.arrival_s = at_s};
      one.prompt = prompt, one.output = 1, one.prefix_group = group, one.prefix = group == Request::none ? 0 : 160;
      service.arrive(at_s, one);
    };
    std::vector<Served> done;
    arrive(0.0, 200, 7);  // to the first of three that are idle
    service.advance(10.0, done);
    QCOMPARE(done.size(), std::size_t{1});
    for (int i = 0; i < 3; ++i) arrive(10.0, 200, 7);
    QCOMPARE(service.replicas()[0].waiting(), std::size_t{3});
    // 8 tokens of patience for each of 160 in the cache: 1280 more than the least loaded may have.
    arrive(10.0, 700, 7);
    QCOMPARE(service.replicas()[0].waiting(), std::size_t{4});
    arrive(10.0, 200, 7);
    QCOMPARE(service.replicas()[0].waiting(), std::size_t{4});
  }
};

QTEST_APPLESS_MAIN(TestServingRouting)
#include "tst_serving_routing.moc"
