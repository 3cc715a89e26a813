// The station of the library that is built, called through the interface, against the engine that is asked at every
// step.
#include <QtTest>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>

#include "plugins/llm_serving/engine/service.h"
#include "plugins/native/load_library.h"
#include "tests/plugins/plugin_test.h"

using namespace ergode;

namespace {

/// What the host of one station is told.
struct ServingHost {
  std::vector<std::uint64_t> left;
  std::map<std::uint32_t, std::vector<double>> observed;
  std::map<std::uint32_t, std::vector<std::vector<double>>> rows;
  ergode_host host{};
  ServingHost() {
    host.size = sizeof host, host.context = this;
    host.cancelled = [](void*) { return 0; };
    host.progress = [](void*, double) {};
    host.row = [](void* me, std::uint32_t table, const ergode_cell* cells, std::size_t count) {
      auto& row = static_cast<ServingHost*>(me)->rows[table].emplace_back();
      for (std::size_t i = 0; i < count; ++i) row.push_back(cells[i].number);
    };
    host.tell = [](void*, std::int32_t, const char*, const char* text) { QFAIL(text); };
    host.observe = [](void* me, std::uint32_t output, const double* values, std::size_t count) {
      auto& to = static_cast<ServingHost*>(me)->observed[output];
      to.insert(to.end(), values, values + count);
    };
    host.depart = [](void* me, std::uint64_t job, const double*) {
      static_cast<ServingHost*>(me)->left.push_back(job);
    };
  }
};

}  // namespace

class TestServingStation : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void customers_leave_when_the_engine_has_done_them() {
    const FoundPlugin& found = test::plugin_named("llm_serving");
    const PluginManifest& manifest = *found.manifest;
    const ergode_plugin* library = nullptr;
    const std::string why = load_plugin_library((found.folder + "/" + manifest.library).c_str(), library);
    QVERIFY2(why.empty(), why.c_str());
    std::size_t calls = 0, steps = 0;
    double all_loads = 0.0, all_within = 0.0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      llm_serving::Random random(seed, 3);
      const auto below = [&random](std::uint64_t n) { return static_cast<std::uint32_t>(random.bits() % n); };
      std::vector<double> numbers;
      std::vector<std::string> words;
      llm_serving::ServiceOptions o;
      o.replicas = 1 + below(3), o.replica.time = *llm_serving::find_step_time("h100_llama8b");
      o.prefill_time = o.replica.time, o.prefill_replicas = below(2), o.transfer_ms = 2.0,
      o.transfer_ms_per_token = 0.01;
      o.replica.blocks = 80 + below(80), o.replica.max_running = 1 + below(40), o.replica.max_batched_tokens = 8192;
      o.together = below(3) == 0;
      const std::uint32_t adapters = below(2) * (1 + below(5));
      o.replica.adapters = {std::vector<double>(adapters, 1.5 + 16.0 * (1e3 * 52e6 / 25e9)), 1 + below(3), 0.02};
      o.replica.control.policy = llm_serving::Policy::fixed, o.replica.control.fixed = static_cast<int>(below(5));
      for (const PluginParameter& p : manifest.parameters) {
        double number = parse_number(p.default_text.substr(0, p.default_text.find(' '))).value_or(0.0);
        std::string word = p.default_text;
        if (p.name == "replicas") number = o.replicas;
        if (p.name == "prefill_replicas") number = o.prefill_replicas;
        if (p.name == "cache_blocks") number = static_cast<double>(o.replica.blocks);
        if (p.name == "max_running") number = o.replica.max_running;
        if (p.name == "policy") word = "fixed";
        if (p.name == "together") word = o.together ? "together" : "apart";
        if (p.name == "gpu_price") number = 3.0;
        if (p.name == "adapters") number = adapters;
        if (p.name == "adapter_slots") number = o.replica.adapters.slots;
        if (p.name == "adapter_size") number = 52.0;
        if (p.name == "adapter_overhead") number = 0.02;
        if (p.name == "length") number = o.replica.control.fixed;
        numbers.push_back(number), words.push_back(word);
      }
      const PluginInput asked = plugin_input(manifest, numbers, words);
      const std::string json = asked.json.dump();
      ergode_input input{};
      input.size = sizeof input, input.number_count = static_cast<std::uint32_t>(asked.numbers.size());
      input.numbers = asked.numbers.data(), input.json = json.c_str(), input.json_size = json.size(), input.seed = seed;
      ServingHost host;
      void* station = nullptr;
      QCOMPARE(library->station->create(&input, &host.host, &station), ERGODE_OK);
      llm_serving::Service engine(o, seed);
      std::vector<llm_serving::Served> done;
      std::vector<std::pair<double, std::uint64_t>> seen;
      std::vector<std::uint64_t> refused;
      double next = std::numeric_limits<double>::infinity();
      const auto go = [&](double before) {
        while (next < before) {
          const double now = next;
          QCOMPARE(library->station->advance(station, now, &next), ERGODE_OK);
          QVERIFY(next >= now);
          for (const std::uint64_t job : host.left) seen.emplace_back(now, job);
          host.left.clear(), ++calls;
        }
      };
      double t = 0.0;
      for (std::uint64_t job = 0; job < 120; ++job) {
        if (below(4) != 0) t += 0.2 * random.uniform();
        llm_serving::Request one{.id = job, .arrival_s = t};
        one.prompt = 1 + below(400), one.output = 1 + below(120);
        if (below(30) == 0) one.output = 4000;  // more than any cache holds
        go(t);
        const std::uint32_t adapter = below(adapters + 2);
        if (adapter < adapters) one.adapter = adapter;
        const double attributes[5] = {static_cast<double>(one.prompt), static_cast<double>(one.output), -1.0, 0.0,
                                      static_cast<double>(adapter)};
        QCOMPARE(library->station->arrive(station, t, job, attributes, &next), ERGODE_OK);
        QVERIFY(next >= t);
        while (engine.next_event_s() < t) engine.advance(engine.next_event_s(), done);
        if (!engine.arrive(t, one)) refused.push_back(job), done.push_back({.id = job, .finish_s = t});
      }
      go(std::numeric_limits<double>::infinity());
      while (std::isfinite(engine.next_event_s())) engine.advance(engine.next_event_s(), done);
      QCOMPARE(library->station->finish(station, t + 1000.0), ERGODE_OK);
      library->station->destroy(station);
      std::vector<std::pair<double, std::uint64_t>> wanted;
      for (const llm_serving::Served& one : done) wanted.emplace_back(one.finish_s, one.id);
      std::sort(wanted.begin(), wanted.end()), std::sort(seen.begin(), seen.end());
      QVERIFY2(seen == wanted, qPrintable(QString("seed %1").arg(seed)));
      const std::vector<double>& ttft = host.observed[0];
      QVERIFY(std::all_of(ttft.begin(), ttft.end(), [](double x) { return x > 0.0; }));
      QCOMPARE(host.observed[9].front(), static_cast<double>(refused.size()));
      double generated = 0.0;
      for (const llm_serving::Replica& one : engine.replicas())
        steps += one.totals().steps, generated += one.totals().generated;
      const double hours = (t + 1000.0) / 3600.0;
      double loads = 0.0;
      for (const llm_serving::Replica& one : engine.replicas()) loads += static_cast<double>(one.adapters().loads());
      QCOMPARE(host.observed[15].front(), loads);
      all_loads += loads;
      // How often which length was chosen, and the first replica over time.
      std::map<double, double> chosen, told;
      for (const llm_serving::Replica& one : engine.replicas())
        for (std::size_t k = 0; k < one.totals().steps_by_length.size(); ++k)
          if (one.totals().steps_by_length[k] > 0.0) chosen[static_cast<double>(k)] += one.totals().steps_by_length[k];
      for (const std::vector<double>& row : host.rows[0]) told[row[0]] = row[1];
      QVERIFY(told == chosen);
      const auto& curve = host.rows[1];
      QVERIFY(!curve.empty() && curve.size() <= 2000 && curve.size() <= engine.replicas()[0].totals().steps);
      for (std::size_t i = 0; i < curve.size(); ++i) {
        QVERIFY(i == 0 || curve[i][0] > curve[i - 1][0]);
        QVERIFY(std::isnan(curve[i][3]) || chosen.contains(curve[i][3]));
      }
      const std::vector<double>& attained = host.observed[3];
      const double within = std::accumulate(attained.begin(), attained.end(), 0.0);
      QCOMPARE(host.observed[16].front(), within / (t + 1000.0));
      all_within += within;
      QCOMPARE(host.observed[12].front(),
               1e6 * 3.0 * static_cast<double>(engine.replicas().size()) * hours / generated);
    }
    QVERIFY(all_loads > 500.0 && all_within > 1000.0);
    QVERIFY2(calls < steps, qPrintable(QString("%1 calls, %2 steps").arg(calls).arg(steps)));
  }
};

QTEST_APPLESS_MAIN(TestServingStation)
#include "tst_serving_station.moc"
