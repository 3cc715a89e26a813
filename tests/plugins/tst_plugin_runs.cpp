// Simulators behind the plugin interface: their estimates, seeds, tables, limits. Oracles: theory of the single server,
// and for the token server a program written from the definition.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/results/result_json.h"
#include "tests/plugins/plugin_test.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

bool holds_value(const ResultSet& results, const char* id, double value) {
  const MeasureResult* const m = results.measure(id);
  if (m == nullptr) return false;
  if (m->lower <= value && value <= m->upper) return true;
  qWarning("%s is %.10g (%.10g ... %.10g); wanted %.10g", id, m->estimate, m->lower, m->upper, value);
  return false;
}

/// First and last token of each request, from arrivals and numbers of tokens: one iteration after the other.
std::vector<std::pair<double, double>> serve_in_iterations(const std::vector<std::pair<double, double>>& requests,
                                                           std::size_t most, double base_s, double each_s) {
  struct One {
    std::size_t number;
    double left;
  };
  std::vector<std::pair<double, double>> out(requests.size(), {-1.0, -1.0});
  std::vector<One> batch;
  std::size_t next = 0, done = 0;
  double now = 0.0;
  while (done < requests.size()) {
    // Who came before this boundary or at it, in order.
    while (next < requests.size() && batch.size() < most && requests[next].first <= now)
      batch.push_back({next, requests[next].second}), ++next;
    if (batch.empty()) {
      now = requests[next].first;
      continue;
    }
    now += base_s + static_cast<double>(batch.size()) * each_s;
    std::vector<One> stay;
    for (One one : batch) {
      if (out[one.number].first < 0.0) out[one.number].first = now;
      if (--one.left > 0.0) stay.push_back(one);
      else out[one.number].second = now, ++done;
    }
    batch = stay;
  }
  return out;
}

}  // namespace

class TestPluginRuns : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void template_has_the_closed_form_of_two_customers() {
    // The second of two waits with probability lambda / (lambda + mu), and then for a whole service by lack of memory.
    const ResultSet r =
        run_plugin("single_server", {.sets = {{"customers", "2"}, {"arrival_rate", "30 /h"}, {"service_rate", "60 /h"}},
                                     .replications = 20000,
                                     .confidence = 0.9999});
    QCOMPARE(r.status, RunStatus::complete);
    QVERIFY(holds_value(r, "last_waited", 1.0 / 3.0));
    QVERIFY(holds_value(r, "waited", 1.0 / 3.0));
    QVERIFY(holds_value(r, "last_response", 1.0 / 3.0 + 1.0));
    QVERIFY(holds_value(r, "wait", 1.0 / 6.0));
    QVERIFY(!r.measure("wait")->quantiles.empty());
    QVERIFY(r.measure("last_waited")->upper - r.measure("last_waited")->lower < 0.04);
  }

  void parameters_come_in_any_unit() {
    const ResultSet hours = run_plugin("single_server", {.sets = {{"service_rate", "45 /h"}}});
    const ResultSet minutes = run_plugin("single_server", {.sets = {{"service_rate", "0.75 /min"}}});
    QCOMPARE(minutes.measure("wait")->estimate, hours.measure("wait")->estimate);
    QCOMPARE(hours.provenance.parameters.at("service_rate"), std::string("45 /h"));
  }

  void same_bits_at_any_number_of_threads_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("library") << "single_server";
    QTest::newRow("program") << "token_server";
  }
  void same_bits_at_any_number_of_threads() {
    QFETCH(QString, name);
    const auto run = [&](unsigned threads, std::uint64_t seed) {
      ResultSet r = run_plugin(name.toStdString(), {.replications = 60, .seed = seed, .threads = threads});
      if (r.status != RunStatus::complete) throw std::runtime_error(codes_of(r.diagnostics));
      Value json = to_json(r);
      json.erase("run");
      return std::pair(json.dump(), r.fingerprint);
    };
    const auto one = run(1, 7);
    for (const unsigned threads : {2U, 5U}) QCOMPARE(run(threads, 7), one);
    QVERIFY(run(2, 8).second != one.second);
  }

  void token_server_makes_tokens_as_defined() {
    // Rates, batches and times in combination: 40 cases, every request.
    for (int c = 0; c < 40; ++c) {
      const double base_ms = 5.0 + c % 7, each_ms = 0.25 * (c % 5);
      const int most = 1 + c % 6;
      const ResultSet r =
          run_plugin("token_server", {.sets = {{"requests", "30"},
                                               {"request_rate", std::to_string(1 + c) + " /s"},
                                               {"mean_tokens", std::to_string(1 + 3 * (c % 9)) + " token"},
                                               {"max_batch", std::to_string(most)},
                                               {"base_time", std::to_string(base_ms) + " ms"},
                                               {"time_per_request", std::to_string(each_ms) + " ms"}},
                                      .replications = 1,
                                      .seed = static_cast<std::uint64_t>(c)});
      QVERIFY2(r.status == RunStatus::complete && r.tables.size() == 1, codes_of(r.diagnostics).c_str());
      auto rows = r.tables.front().rows;
      QCOMPARE(rows.size(), std::size_t{30});
      const auto cell = [](const std::vector<ResultTable::Cell>& row, std::size_t i) {
        return std::get<double>(row[i]);
      };
      std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return cell(a, 0) < cell(b, 0); });
      std::vector<std::pair<double, double>> requests;
      for (const auto& row : rows) requests.emplace_back(cell(row, 0), cell(row, 1));
      const auto wanted =
          serve_in_iterations(requests, static_cast<std::size_t>(most), base_ms / 1000.0, each_ms / 1000.0);
      double sum = 0.0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        QVERIFY(std::fabs(cell(rows[i], 2) - wanted[i].first) < 1e-9);
        QVERIFY(std::fabs(cell(rows[i], 3) - wanted[i].second) < 1e-9);
        sum += wanted[i].second - requests[i].first;
      }
      QVERIFY(std::fabs(r.measure("latency")->estimate - sum / 30.0) < 1e-9);
    }
  }

  void tables_are_of_the_first_replication() {
    const ResultSet many = run_plugin("single_server", {.replications = 50, .threads = 2});
    const ResultSet one = run_plugin("single_server", {.replications = 1});
    QCOMPARE(many.tables.size(), std::size_t{1});
    QCOMPARE(many.tables.front().rows.size(), std::size_t{100});
    QVERIFY(many.tables.front().rows == one.tables.front().rows);
    QVERIFY(std::holds_alternative<std::string>(many.tables.front().rows.front()[3]));
  }

  void provenance_names_the_plugins_files() {
    const ResultSet r = run_plugin("token_server", {.sets = {{"requests", "3"}}, .replications = 2, .seed = 5});
    QVERIFY(r.provenance.data_files.contains("plugin.json") && r.provenance.data_files.contains("token_server.py"));
    QCOMPARE(r.provenance.solver, std::string("token_server 1.0.0"));
    QCOMPARE(r.provenance.command,
             std::string("ergode plugins run token_server --set requests=3 --seed 5 --replications 2"));
  }

  void a_run_ends_by_its_precision() {
    const SimulatorSolver solver(plugin_named("single_server"));
    RunRequest request;
    request.precision_of["last_response"] = 0.05;
    request.overrides["customers"] = "20";
    RunControl control;
    const ResultSet r = solver.solve(parameters_document(*plugin_named("single_server").manifest), request, control);
    QCOMPARE(r.stop_reason, std::string("precision"));
    const MeasureResult* const m = r.measure("last_response");
    QVERIFY((m->upper - m->lower) / 2 <= 0.05 * m->estimate);
  }

  void parameters_are_checked_before_anything_runs() {
    const auto code = [](const char* name, const char* value) {
      const ResultSet r = run_plugin("single_server", {.sets = {{name, value}}});
      return r.status == RunStatus::failed && !r.diagnostics.empty() ? r.diagnostics.front().code : std::string("none");
    };
    QCOMPARE(code("service_rate", "0 /h"), std::string("PAR005"));
    QCOMPARE(code("customers", "1.5"), std::string("EXP003"));
    QCOMPARE(code("service", "1 /h"), std::string("PAR006"));
    QCOMPARE(code("service_rate", "1 kg"), std::string("EXP004"));
    // Finite in seconds, and none in the plugin's milliseconds.
    const ResultSet beyond = run_plugin("llm_serving", {.sets = {{"ttft_limit", "1e306 s"}}});
    QCOMPARE(beyond.diagnostics.size(), std::size_t{1});
    QCOMPARE(beyond.diagnostics.front().code, std::string("PAR005"));
    QVERIFY2(beyond.diagnostics.front().message.starts_with("ttft_limit is 1e+306") &&
                 beyond.diagnostics.front().message.ends_with("wanted one below 1.8e308 ms."),
             beyond.diagnostics.front().message.c_str());
  }

  void shares_of_nothing_are_none() {
    const auto accepted = [](std::map<std::string, std::string> sets) {
      sets["requests"] = "20";
      return *run_plugin("llm_serving", {.sets = std::move(sets), .replications = 3}).measure("accepted_share");
    };
    QVERIFY(!accepted({{"policy", "none"}}).not_available.empty());
    const MeasureResult some = accepted({{"policy", "fixed"}, {"drafter", "model"}});
    QVERIFY(some.not_available.empty() && some.estimate > 0.0 && some.estimate < 1.0);
  }

  // Of one replication what two runs of the same requests say; at most the tokens of a step.
  void a_speedup_is_of_the_same_requests() {
    for (const char* rate : {"1 /s", "60 /s"}) {
      std::map<std::string, std::string> sets{{"requests", "200"}, {"arrival_rate", rate}, {"drafter", "eagle"},
                                              {"policy", "fixed"}, {"length", "3"},        {"acceptance", "0.7"}};
      const auto run = [&] { return run_plugin("llm_serving", {.sets = sets, .replications = 1}); };
      const ResultSet with = run();
      QVERIFY(!with.measure("speedup")->not_available.empty());
      sets["against_none"] = "true";
      const ResultSet compared = run();
      QCOMPARE(compared.measure("latency")->estimate, with.measure("latency")->estimate);
      sets["policy"] = "none";
      const ResultSet without = run();
      const double speedup = compared.measure("speedup")->estimate;
      near(speedup, without.measure("latency")->estimate / with.measure("latency")->estimate, rate, 1e-12);
      QVERIFY(speedup > 0.3 && speedup < 1.0 + 0.7 + 0.7 * 0.7 + 0.7 * 0.7 * 0.7);
      QCOMPARE(without.measure("speedup")->estimate, 1.0);
    }
  }

  void steps_that_take_no_time_are_told() {
    const auto warned = [](const ResultSet& r) {
      return std::find_if(r.diagnostics.begin(), r.diagnostics.end(), [](const Diagnostic& d) {
        return d.severity == Severity::warning && d.pointer == "/parameters/step_time";
      });
    };
    const ResultSet none = run_plugin("llm_serving", {.sets = {{"step_time", "linear"},
                                                               {"base", "0 ms"},
                                                               {"per_token", "0 ms"},
                                                               {"per_context_token", "0 ms"},
                                                               {"requests", "30"}},
                                                      .replications = 1});
    QVERIFY2(warned(none) != none.diagnostics.end(), codes_of(none.diagnostics).c_str());
    // One prompt and 255 steps of a token for each request, who is alone.
    QVERIFY2(warned(none)->message.find("7680 of 7680 steps get no time") != std::string::npos,
             warned(none)->message.c_str());
    const ResultSet some = run_plugin("llm_serving", {.sets = {{"requests", "30"}}, .replications = 1});
    QVERIFY(warned(some) == some.diagnostics.end());
  }

  // Against the definition, from the times of all requests.
  void a_99th_percentile_is_a_measure() {
    const std::map<std::string, std::string> sets{{"requests", "250"}, {"arrival_rate", "30 /s"}};
    const ResultSet one = run_plugin("llm_serving", {.sets = sets, .replications = 1});
    const auto table =
        std::find_if(one.tables.begin(), one.tables.end(), [](const auto& t) { return t.name == "requests"; });
    QVERIFY(table != one.tables.end());
    const ResultSet several = run_plugin("llm_serving", {.sets = sets, .replications = 5});
    for (const auto& [measure, label] :
         {std::pair{"latency_p99", "Latency"}, {"ttft_p99", "TTFT"}, {"tpot_p99", "TPOT"}}) {
      const auto column = std::find_if(table->columns.begin(), table->columns.end(),
                                       [text = std::string(label)](const auto& c) { return c.label == text; });
      QVERIFY(column != table->columns.end());
      std::vector<double> times;
      for (const auto& row : table->rows)
        times.push_back(std::get<double>(row[static_cast<std::size_t>(column - table->columns.begin())]));
      QCOMPARE(times.size(), std::size_t{250});
      std::sort(times.begin(), times.end());
      const double wanted = times[247];  // the 248th of 250: no more than 1 % are above it
      const double told = one.measure(measure)->estimate;
      QVERIFY2(std::fabs(told - wanted) <= 1e-9 * wanted, measure);
      const MeasureResult& its = *several.measure(measure);
      QVERIFY2(its.lower < its.estimate && its.estimate < its.upper, measure);
    }
  }

  // From the times of all requests, as they are defined: limits, rates and rents.
  void what_a_service_came_to_follows_from_its_requests() {
    for (const char* routing : {"round_robin", "least_loaded", "shortest_queue", "prefix_aware"}) {
      const ResultSet r = run_plugin("llm_serving", {.sets = {{"requests", "400"},
                                                              {"arrival_rate", "40 /s"},
                                                              {"replicas", "2"},
                                                              {"routing", routing},
                                                              {"tensor_parallel", "2"},
                                                              {"ttft_limit", "10 ms"},
                                                              {"tpot_limit", "5.7 ms"},
                                                              {"gpu_price", "3 USD/h"}},
                                                     .replications = 1});
      const auto table =
          std::find_if(r.tables.begin(), r.tables.end(), [](const auto& t) { return t.name == "requests"; });
      QVERIFY2(table != r.tables.end() && table->rows.size() == 400, codes_of(r.diagnostics).c_str());
      enum Column : std::uint8_t { number, arrival, prompt, output, admitted, first, finish, ttft, tpot };
      double begin_s = 1e9, end_s = 0.0, tokens = 0.0, attained = 0.0;
      for (const auto& row : table->rows) {
        const auto at = [&row](Column c) { return std::get<double>(row[c]); };
        begin_s = std::min(begin_s, at(arrival)), end_s = std::max(end_s, at(finish)), tokens += at(output);
        QVERIFY(std::fabs(at(ttft) - 1000.0 * (at(first) - at(arrival))) < 1e-6);
        attained += at(ttft) <= 10.0 && !(at(tpot) > 5.7) ? 1.0 : 0.0;
      }
      const double span_s = end_s - begin_s;
      QVERIFY(attained > 20.0 && attained < 380.0);
      const auto near = [&r](const char* measure, double wanted) {
        const double seen = r.measure(measure)->estimate;
        if (std::fabs(seen - wanted) <= 1e-9 * wanted) return true;
        qWarning("%s: %.12g, wanted %.12g", measure, seen, wanted);
        return false;
      };
      QVERIFY(near("throughput", tokens / span_s) && near("request_rate", 400.0 / span_s));
      QVERIFY(near("attainment", attained / 400.0) && near("goodput", attained / span_s));
      QVERIFY(near("cost", 1e6 * 4.0 * 3.0 * span_s / 3600.0 / tokens));
    }
  }

  // Of 32 bytes and 8 each request and its answer are; what is not warned of takes its time.
  void an_accelerators_network_and_what_it_leaves_out() {
    const ResultSet r = run_plugin("npu", {.sets = {{"hardware", "m8_ddr4"}, {"rows", "64"}}, .replications = 1});
    QVERIFY2(r.status == RunStatus::complete, codes_of(r.diagnostics).c_str());
    const double memory = r.measure("bandwidth")->estimate;
    QVERIFY(memory > 0.0 && std::fabs(r.measure("network")->estimate / memory - 40.0 / 32.0) < 1e-9);
    QVERIFY(codes_of(r.diagnostics).find("take no time") == std::string::npos);
    const std::string resnet = ERGODE_SOURCE_DIR "/examples/37_two_tenants/resnet50.onnx";
    const std::string told =
        codes_of(run_plugin("npu", {.sets = {{"workload", "onnx"}, {"model", resnet}}, .replications = 1}).diagnostics);
    QVERIFY2(told.find("take no time here: Add (16), Relu (49)") != std::string::npos, told.c_str());
  }

  // Accuracy is better where it is more; energy and recall stand in columns of their own.
  void objectives_of_ones_own_decide_the_front() {
    QTemporaryDir folder;
    const auto file = [&folder](const char* name, const QByteArray& text) {
      QFile out(folder.filePath(name));
      if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size()) throw std::runtime_error("no file");
      return folder.filePath(name).toStdString();
    };
    const std::string experiments = file("e.csv",
                                         "experiment,time_s,score,memory_gib,energy,recall\n"
                                         "a,1,0.9,5,7,0.8\nb,1,0.8,5,6,0.7\nc,1,0.7,5,8,0.9\nd,1,0.7,5,8,0.6\n"),
                      instances = file("i.csv", "instance,tflops,memory_gb,price_per_h\nA100,77,80,4\n"),
                      further = file("o.csv", "objective,sense,limit\nenergy,less,7.5\nrecall,more,none\n");
    const auto run = [&](const std::string& objectives) {
      return run_plugin("cost_effectiveness", {.sets = {{"experiments", experiments},
                                                        {"instances", instances},
                                                        {"further", objectives},
                                                        {"score_sense", "more"}},
                                               .replications = 1});
    };
    const ResultSet r = run(further);
    QVERIFY2(r.status == RunStatus::complete, codes_of(r.diagnostics).c_str());
    std::string front, best;
    for (const auto& table : r.tables) {
      if (table.name == "front")
        for (const auto& row : table.rows)
          front += std::get<std::string>(row[0]) + ": " + std::get<std::string>(row.back()) + "; ";
      if (table.name == "recommended") best = std::get<std::string>(table.rows.at(0)[0]);
    }
    QCOMPARE(front, std::string("a: energy 7, recall 0.8; b: energy 6, recall 0.7; c: energy 8, recall 0.9; "));
    QCOMPARE(best, std::string("a"));
    const std::string senses = codes_of(run(file("s.csv", "objective,sense\nenergy,up\n")).diagnostics);
    QVERIFY2(senses.find("line 2: sense is \"up\"; wanted less or more") != std::string::npos, senses.c_str());
    const std::string missing = codes_of(run(file("m.csv", "objective,sense\nwater,less\n")).diagnostics);
    QVERIFY2(missing.find("there is no column water") != std::string::npos, missing.c_str());
  }

  void prices_beyond_all_bounds_are_refused() {
    QTemporaryDir folder;
    const std::string path = folder.filePath("instances.csv").toStdString();
    for (const char* row : {"A,1e308,80,4", "A,77,80,1e308", "A,1e-300,80,4"}) {
      QFile file(QString::fromStdString(path));
      QVERIFY(file.open(QIODevice::WriteOnly));
      file.write("instance,tflops,memory_gb,price_per_h\n"), file.write(row), file.write("\n");
      file.close();
      const ResultSet r =
          run_plugin("cost_effectiveness", {.sets = {{"instances", path}, {"reference", "1"}}, .replications = 1});
      QVERIFY(r.status == RunStatus::failed);
      const std::string all = codes_of(r.diagnostics);
      QVERIFY2(all.find("line 2: ") != std::string::npos && all.find("1e9.") != std::string::npos, all.c_str());
    }
  }

  void a_table_that_is_cut_says_so() {
    const auto rows = [](const char* requests) {
      return run_plugin(
          "llm_serving",
          {.sets = {{"requests", requests}, {"arrival_rate", "1000 /s"}, {"output_mean", "1"}}, .replications = 1});
    };
    const auto table = [](const ResultSet& r) {
      return std::find_if(r.tables.begin(), r.tables.end(), [](const auto& one) { return one.name == "requests"; });
    };
    const auto cut = [](const Diagnostic& d) { return d.code == "PLG028"; };
    const ResultSet whole = rows("100000"), more = rows("100007");
    QCOMPARE(table(whole)->rows.size(), std::size_t{100000});
    QVERIFY(table(whole)->note.empty());
    QCOMPARE(std::count_if(whole.diagnostics.begin(), whole.diagnostics.end(), cut), 0);
    QCOMPARE(table(more)->rows.size(), std::size_t{100000});
    QCOMPARE(table(more)->note, std::string("The first 100000 of 100007 rows."));
    const auto found = std::find_if(more.diagnostics.begin(), more.diagnostics.end(), cut);
    QVERIFY2(found != more.diagnostics.end(), codes_of(more.diagnostics).c_str());
    QCOMPARE(found->message, std::string("The table requests of the plugin llm_serving has 100007 rows, of which the "
                                         "first 100000 are kept."));
    QVERIFY(found->severity == Severity::warning);
  }

  void cancelling_ends_both_kinds_within_a_second_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("set");
    QTest::addColumn<QString>("value");
    QTest::newRow("library") << "single_server"
                             << "customers"
                             << "10000000";
    QTest::newRow("library that waits") << "misbehaving"
                                        << "how"
                                        << "wait";
    QTest::newRow("library that hangs") << "misbehaving"
                                        << "how"
                                        << "hang";
    QTest::newRow("program") << "token_server"
                             << "requests"
                             << "1000000";
  }
  void cancelling_ends_both_kinds_within_a_second() {
    QFETCH(QString, name);
    QFETCH(QString, set);
    QFETCH(QString, value);
    RunControl control;
    std::jthread stopper([&control] {
      std::this_thread::sleep_for(std::chrono::milliseconds(600));
      control.stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    const ResultSet r =
        run_plugin(plugin_named(name.toStdString()), {.sets = {{set.toStdString(), value.toStdString()}}}, control);
    const double took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    QCOMPARE(r.status, RunStatus::partial);
    QVERIFY2(took_s < 5.0, std::to_string(took_s).c_str());
  }
};

QTEST_APPLESS_MAIN(TestPluginRuns)
#include "tst_plugin_runs.moc"
