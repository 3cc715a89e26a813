// Drawn simulators: checks, what expressions of other notations see of them and when, results, failures, threads;
// beside a plain program and theory.
#include <algorithm>
#include <cmath>
#include <random>
#include <thread>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/rename.h"
#include "core/format/model_file.h"
#include "core/plugin/plugin_registry.h"
#include "core/report/difference_figure.h"
#include "core/report/report_html.h"
#include "core/results/result_json.h"
#include "plugins/host/check_plugin.h"
#include "plugins/host/simulator_host.h"
#include "tests/plugins/plugin_test.h"
#include "tests/plugins/written_simulators.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct DrawnSimulators : DrawnNetwork {
  ElementId simulators;
  explicit DrawnSimulators(const std::string& horizon = "100 s")
      : DrawnNetwork(horizon), simulators(m.diagram("Sims", "simulators")) {}
  ElementId box(const std::string& name, const std::string& plugin, Value more = Value::object()) {
    more["name"] = name, more["plugin"] = plugin;
    return m.node(simulators, {}, "simulator", std::move(more));
  }
  ResultSet run(RunRequest request) const {
    RunControl control;
    return find_solver("simulation")->solve(m.document(), std::move(request), control);
  }
};

std::string bits_of(const ResultSet& r) {
  Value json = to_json(r);
  json.erase("run");
  return json.dump() + r.fingerprint;
}

void good(const ResultSet& r) {
  if (r.status != RunStatus::complete) throw std::runtime_error(r.stop_reason + "\n" + listed(r.diagnostics));
}

}  // namespace

class TestSimulators : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_written_simulator("constant", true), register_written_simulator("drawn", false);
    register_written_simulator("slow", false, 10'000), register_written_simulator("slow_constant", true, 10'000);
    for (const char* name : {"single_server", "misbehaving"})
      register_simulator_plugin(simulator_plugin(plugin_named(name)));
    catalogue();
  }

  void they_are_listed_by_what_people_read() {
    const NotationSpec* notation = catalogue().notation("simulators");
    std::vector<std::string> labels;
    for (const Choice& one : notation->kind("simulator")->property("plugin")->choices) labels.push_back(one.label);
    QVERIFY(labels.size() >= 6);
    QVERIFY(std::is_sorted(labels.begin(), labels.end(), before_for_people));
  }

  void alone_it_runs_and_is_measured() {
    DrawnSimulators net;
    net.box("sim", "drawn");
    const ResultSet r = net.run({.replications = 20000, .confidence = 0.9999});
    good(r);
    QVERIFY2(codes(r.diagnostics) == "PLG026", listed(r.diagnostics).c_str());
    QCOMPARE(r.measures.size(), std::size_t{4});  // `length` is no headline
    compare_inside(r, "sim.seconds", 2000.0);     // [ms]
    compare_inside(r, "sim.pieces", 1.0 / (std::exp(0.5) - 1.0));
    compare_inside(r, "sim.large", std::exp(-1.0));
    compare_inside(r, "sim.waits", 2000.0);
    QVERIFY(r.measure("sim.seconds")->unit == "ms" && r.measure("sim.waits")->unit == "ms");
    QCOMPARE(r.diagnostics.front().pointer, std::string("drawn_size"));
    QCOMPARE(r.tables.size(), std::size_t{1});
    QCOMPARE(r.tables[0].name, std::string("sim_points"));
    QVERIFY(r.tables[0].rows.size() == 3 && r.tables[0].scatter && r.tables[0].scatter->front == "Front");
    QVERIFY(r.provenance.options.at("plugin drawn") == "1.0.0, written");
  }

  void who_measures_what() {
    const auto measured = [](const char* word, bool own) {
      DrawnSimulators net;
      net.box("sim", "constant", {{"measured", word}});
      if (own) net.m.measure("mine", "final_value", "sim.seconds", {{"unit", "s"}, {"headline", true}});
      const ResultSet r = net.run({.replications = 2});
      good(r);
      std::string out;
      for (const MeasureResult& one : r.measures) out += (out.empty() ? "" : " ") + one.id;
      return out;
    };
    QCOMPARE(measured("headline", false), std::string("sim.seconds sim.pieces sim.large sim.waits"));
    QCOMPARE(measured("all", false), std::string("sim.seconds sim.pieces sim.large sim.waits sim.length"));
    QCOMPARE(measured("headline", true), std::string("mine sim.pieces sim.large sim.waits"));
    QCOMPARE(measured("none", true), std::string("mine"));
  }

  void what_has_no_chance_is_played_once_and_has_no_interval() {
    DrawnSimulators net;
    net.box("sim", "constant", {{"constant_size", "1.25 s"}});
    const int before = written_simulators().constant_runs;
    for (const std::uint64_t seed : {1U, 2U}) {
      const ResultSet r = net.run({.seed = seed, .replications = 3000, .threads = 4});
      good(r);
      for (const char* id : {"sim.seconds", "sim.pieces", "sim.large"}) {
        const MeasureResult& one = *r.measure(id);
        QVERIFY(one.lower == one.estimate && one.upper == one.estimate);
      }
      near(r, "sim.seconds", 1250.0), near(r, "sim.pieces", 1.0), near(r, "sim.waits", 1250.0);
      QCOMPARE(estimate(r, "sim.large"), 0.0);
      QCOMPARE(r.tables.front().rows.size(), std::size_t{3});
      QVERIFY2(codes(r.diagnostics) == "PLG026", listed(r.diagnostics).c_str());
    }
    QCOMPARE(written_simulators().constant_runs - before, 1);
    // A study over something else plays it no more, one over its own parameter once for each value.
    DrawnSimulators other("50 s");
    other.m.parameter("size", "1.25 s", {{"unit", "s"}, {"type", "time"}});
    other.m.parameter("else", "1");
    other.box("sim", "constant", {{"constant_size", "size"}});
    for (const char* value : {"1", "2", "3"}) good(other.run({.overrides = {{"else", value}}, .replications = 2}));
    QCOMPARE(written_simulators().constant_runs - before, 1);
    for (const char* value : {"3 s", "4 s", "3 s"}) {
      const ResultSet r = other.run({.overrides = {{"size", value}}, .replications = 2});
      near(r, "sim.seconds", value[0] == '3' ? 3000.0 : 4000.0);
    }
    QCOMPARE(written_simulators().constant_runs - before, 3);
    // It waits for nothing.
    const ResultSet precise = net.run({.precision = 0.01});
    good(precise);
    QVERIFY(precise.replications <= 3000);
  }

  void same_bits_at_any_number_of_threads() {
    DrawnSimulators net("30 s");
    net.box("sim", "drawn"), net.box("fixed", "constant");
    net.queue("exponential(mean = 2 s)", "exponential(mean = sim.seconds / 2)");
    const std::string one = bits_of(net.run({.replications = 200, .threads = 1}));
    for (const unsigned threads : {2U, 4U}) QCOMPARE(bits_of(net.run({.replications = 200, .threads = threads})), one);
    QVERIFY(bits_of(net.run({.seed = 9, .replications = 200, .threads = 2})) != one);
  }

  void everything_sees_it_from_the_first_moment_on() {
    // A chart's first choice and its initial values, a service that begins at time zero, a group's rates.
    DrawnSimulators net("10 s");
    net.box("sim", "constant", {{"constant_size", "3 s"}});
    net.node("job_class", "crowd", {{"population", "1"}, {"reference", "desk"}});
    const ElementId desk = net.node("station", "desk", {{"service", "deterministic(value = sim.seconds)"}});
    net.flow(desk, desk);
    ChartBuilder chart(net.m, "Chart");
    chart.variable("x", "time", "0 s");
    const ElementId choice = chart.choice(), big = chart.state("Big"), small = chart.state("Small");
    chart.initial(choice);
    chart.transition(choice, big, "", "sim.large and sim.pieces == 3", "x := sim.seconds");
    chart.transition(choice, small, "", "else");
    net.m.component("c", "Chart");
    net.m.measure("big", "probability_at", "in(c.Big)", {{"at", "0 s"}});
    net.m.measure("x", "final_value", "c.x", {{"unit", "s"}});
    net.m.measure("left", "observed_count", "", {{"of", "desk.response_time"}});
    net.m.measure("each", "observed_mean", "", {{"of", "desk.response_time"}, {"unit", "s"}});
    net.m.measure("average", "time_average", "sim.seconds", {{"unit", "s"}});
    const ResultSet r = net.run({.replications = 3});
    good(r);
    near(r, "big", 1.0), near(r, "x", 3.0), near(r, "average", 3.0);
    near(r, "left", 3.0), near(r, "each", 3.0);
  }

  void a_queue_that_a_simulator_drives_is_as_a_plain_program_has_it() {
    // M/M/1 for 20 s whose mean service is drawn for each replication; and a chart that closes the door while it is
    // down, whose repair takes as long as the simulator says.
    DrawnSimulators net("20 s");
    net.box("sim", "drawn", {{"drawn_size", "0.8 s"}});
    net.queue("exponential(mean = 1 s)", "exponential(mean = sim.seconds)", {{"servers", "in(door.Open) ? 1 : 0"}});
    ChartBuilder chart(net.m, "Door");
    const ElementId open = chart.state("Open"), shut = chart.state("Shut");
    chart.initial(open);
    chart.transition(open, shut, "rate(0.2 /s)"), chart.transition(shut, open, "after(sim.seconds)");
    net.m.component("door", "Door");
    net.m.measure("at_end", "final_value", "desk.number");
    net.m.measure("open", "time_average", "in(door.Open)");
    const ResultSet r = net.run({.replications = 40000, .confidence = 0.9999});
    good(r);
    std::mt19937_64 random(20260722);
    const auto wait = [&](double mean) { return std::exponential_distribution<double>(1.0 / mean)(random); };
    const int n = 400000;
    double sum_number = 0, sum_open = 0, square_number = 0, square_open = 0;
    for (int i = 0; i < n; ++i) {
      const double seconds = 0.8 * wait(1.0), end = 20.0;
      double now = 0, came = wait(1.0), served = 1e9, door = wait(5.0), area = 0;
      bool is_open = true, at_work = false;
      int number = 0;
      for (;;) {
        const double next = std::min({came, at_work ? served : 1e9, door, end});
        if (is_open) area += next - now;
        now = next;
        if (now >= end) break;
        if (now == door) {
          is_open = !is_open;
          door = now + (is_open ? wait(5.0) : seconds);
        } else if (now == came) {
          ++number, came = now + wait(1.0);
        } else {
          --number, at_work = false;
        }
        // Exponential services: whoever stops and begins again has no memory, so who is at work when the door shuts
        // may go on as well as begin anew. What a station does is: he goes on.
        if (!at_work && number > 0 && is_open) at_work = true, served = now + wait(seconds);
      }
      sum_number += number, sum_open += area / end;
      square_number += static_cast<double>(number) * number, square_open += area / end * area / end;
    }
    const auto agree = [&](const char* id, double sum, double square) {
      const MeasureResult& one = *r.measure(id);
      const double mean = sum / n, error = std::sqrt((square / n - mean * mean) / n + std::pow(one.standard_error, 2));
      QVERIFY2(std::fabs(one.estimate - mean) < 4.0 * error,
               qPrintable(QString("%1: %2, wanted %3").arg(id).arg(one.estimate).arg(mean)));
    };
    agree("open", sum_open, square_open);
    agree("at_end", sum_number, square_number);
  }

  // Jobs whose times are laws of what a simulator found are those of the same laws with the numbers written.
  void jobs_have_laws_of_what_was_found_data() {
    QTest::addColumn<QString>("properties");
    QTest::newRow("host_pool") << R"j({"hosts": "3", "policy": "easy"})j";
    QTest::newRow("gpu_cluster") << R"j({"gpus": "3", "policy": "srtf"})j";
    QTest::newRow("gpu_fleet") << R"j({"nodes": "1", "gpus_per_node": "3", "variation": "none"})j";
    QTest::newRow("round_scheduler") << R"j({"gpus": "3", "round": "1 s", "restore": "0 s", "reset_interval": "0 s"})j";
    QTest::newRow("iteration_scheduler") << R"j({"gpus": "3", "policy": "fifo_gang"})j";
  }
  void jobs_have_laws_of_what_was_found() {
    QFETCH(QString, properties);
    const std::string kind = QTest::currentDataTag();
    const auto made = [&](const char* gap, const char* size, const char* limit) {
      DrawnSimulators drawn("300 s");
      drawn.box("sim", "constant");  // 2 s
      const ElementId diagram = drawn.m.diagram("Cluster", "cluster");
      Value at = Value::parse(properties.toStdString());
      at["name"] = "place";
      const ElementId place = drawn.m.node(diagram, {}, kind, std::move(at)),
                      jobs = drawn.m.node(
                          diagram, {}, "job_stream",
                          {{"name", "jobs"}, {"interarrival", gap}, {"size", size}, {"limit", limit}, {"gpus", "1"}});
      drawn.m.edge(diagram, "job_flow", jobs, place);
      drawn.m.measure("response", "observed_mean", "", {{"of", "place.response_time"}, {"unit", "s"}});
      return drawn;
    };
    const auto run = [&](const DrawnSimulators& drawn) {
      const ResultSet out = drawn.run({.replications = 5});
      good(out);
      return out;
    };
    const auto compare = [&](const ResultSet& seen, const ResultSet& wanted) {
      near(seen, "response", wanted.measure("response")->estimate);
      const ResultTable &a = table_named(seen, "jobs"), &b = table_named(wanted, "jobs");
      QVERIFY(a.rows.size() == b.rows.size() && a.rows.size() > 30);
      for (std::size_t r = 0; r < a.rows.size(); ++r)
        for (std::size_t c = 0; c < a.columns.size(); ++c) {
          const auto *x = std::get_if<double>(&a.rows[r][c]), *y = std::get_if<double>(&b.rows[r][c]);
          if (x == nullptr || y == nullptr) QVERIFY(a.rows[r][c] == b.rows[r][c]);
          else QVERIFY((std::isnan(*x) && std::isnan(*y)) || std::fabs(*x - *y) <= 1e-9 * std::fabs(*y));
        }
    };
    compare(run(made("exponential(mean = sim.seconds)", "exponential(mean = 2 * sim.seconds)",
                     "lognormal(mean = 5 * sim.seconds, sd = sim.seconds)")),
            run(made("exponential(mean = 2 s)", "exponential(mean = 4 s)", "lognormal(mean = 10 s, sd = 2 s)")));
    compare(run(made("2 * sim.seconds", "sim.seconds", "sim.seconds + 1 h")), run(made("4 s", "2 s", "3602 s")));
    const ResultSet bad = made("4 s", "sim.seconds - 3 s", "1 h").run({.replications = 1});
    QVERIFY(bad.status != RunStatus::complete);
    const auto told = std::find_if(bad.diagnostics.begin(), bad.diagnostics.end(),
                                   [](const Diagnostic& one) { return one.code == "RUN002"; });
    QVERIFY2(told != bad.diagnostics.end() && told->pointer == "size", listed(bad.diagnostics).c_str());
    for (const char* size : {"exponential(mean = sim.seconds * place.jobs)", "now + sim.seconds"}) {
      Diagnostics found;
      build_model(made("4 s", size, "1 h").m.document(), {}, "", found);
      QVERIFY2(found.size() == 1 && found[0].code == "EXP005" && found[0].pointer == "size", listed(found).c_str());
    }
  }

  // Each replication has a number of its own, and with it its jobs.
  void jobs_take_what_their_replication_found() {
    DrawnSimulators drawn("1000 s");
    drawn.box("sim", "drawn", {{"drawn_size", "2 s"}});
    const ElementId diagram = drawn.m.diagram("Cluster", "cluster");
    const ElementId place = drawn.m.node(diagram, {}, "gpu_cluster", {{"name", "grid"}, {"gpus", "1000"}}),
                    jobs = drawn.m.node(
                        diagram, {}, "job_stream",
                        {{"name", "jobs"}, {"interarrival", "10 s"}, {"size", "3 * sim.seconds"}, {"most_jobs", "4"}});
    drawn.m.edge(diagram, "job_flow", jobs, place);
    // The last of four comes at 40 s.
    drawn.m.measure("off", "final_value", "abs(grid.makespan - 30 s - 3 * sim.seconds) > 1e-6 s ? 1 : 0");
    drawn.m.measure("seconds", "final_value", "sim.seconds", {{"unit", "s"}});
    const ResultSet r = drawn.run({.replications = 200});
    good(r);
    near(r, "off", 0.0);
    QVERIFY(r.measure("seconds")->upper > r.measure("seconds")->lower);
  }

  void a_plugin_in_its_own_process_is_the_same_here() {
    DrawnSimulators net;
    net.box("q", "single_server", {{"single_server_arrival_rate", "30 /h"}, {"single_server_customers", "200"}});
    const ResultSet drawn = net.run({.replications = 200, .threads = 2, .confidence = 0.9999});
    good(drawn);
    const ResultSet run = run_plugin(
        "single_server",
        {.sets = {{"customers", "200"}}, .replications = 200, .seed = 7, .threads = 2, .confidence = 0.9999});
    for (const char* id : {"wait", "last_response", "last_waited"}) {
      const MeasureResult &a = *drawn.measure("q." + std::string(id)), &b = *run.measure(id);
      QVERIFY2(a.lower < b.upper && b.lower < a.upper && a.unit == b.unit, id);
    }
    QCOMPARE(drawn.tables.size(), run.tables.size());
    QCOMPARE(drawn.tables[0].columns.size(), run.tables[0].columns.size());
    QCOMPARE(drawn.tables[0].rows.size(), run.tables[0].rows.size());
  }

  // Whoever reads a report can draw the model again.
  void reports_list_what_is_set() {
    DrawnSimulators net;
    net.box("q", "single_server",
            {{"single_server_arrival_rate", "36 /h"}, {"single_server_customers", "50"}, {"measured", "all"}});
    net.box("fixed", "constant", {{"constant_size", "3 s"}, {"drawn_fail_from", "7"}});
    net.box("bare", "constant");
    const auto page_of = [&net](ResultSet run) {
      return report_html({.document = &net.m.document(), .results = {std::move(run)}, .catalogue = &catalogue()});
    };
    const std::string page = page_of(net.run({.replications = 3}));
    const auto holds = [&page](const std::string& text) { return page.find(text) != std::string::npos; };
    const SimulatorPlugin& server = *find_simulator_plugin("single_server");
    const auto label = [&server](const char* name) {
      for (const PluginParameter& p : server.manifest.parameters)
        if (p.name == name) return p.label;
      return std::string("missing");
    };
    QVERIFY(holds(">Parameters</th>"));
    QVERIFY(holds("Measured = all of them; "));
    QVERIFY(holds(label("arrival_rate") + " = 36 /h") && holds(label("customers") + " = 50"));
    QVERIFY(!holds("= 7"));  // of another plugin
    // What is one value has neither interval nor error nor samples.
    const std::string constant = page.substr(page.find("All measures of the run"));
    const std::size_t row = constant.find("<td>fixed.seconds</td>");
    QVERIFY(row != std::string::npos);
    const std::string cells = constant.substr(row, constant.find("</tr>", row) - row);
    QCOMPARE(QString::fromStdString(cells).count(QStringLiteral("\u2013")), 4);
  }

  void what_is_wrong_is_told() {
    const auto problems = [](const char* name, const char* plugin, Value more, const char* expression) {
      DrawnSimulators net;
      net.box(name, plugin, std::move(more));
      if (*expression != 0) net.m.measure("m", "final_value", expression);
      Diagnostics found;
      build_model(net.m.document(), {}, "", found);
      return codes(found);
    };
    QCOMPARE(problems("sim", "constant", {}, ""), std::string());
    QCOMPARE(problems("9x", "constant", {}, ""), std::string("SIM001"));
    QCOMPARE(problems("sim", "constant", {{"constant_size", "-1 s"}}, ""), std::string("SIM002"));
    QCOMPARE(problems("sim", "constant", {{"constant_size", "3 kg"}}, ""), std::string("EXP004"));
    QCOMPARE(problems("sim", "constant", {{"constant_delay", "1e306 s"}}, ""), std::string("SIM002"));
    QCOMPARE(problems("sim", "constant", {{"constant_size", "sim.seconds"}}, ""), std::string("EXP002"));
    QCOMPARE(problems("sim", "constant", {{"constant_table", "/etc/hostname"}}, ""), std::string("PLG031"));
    QCOMPARE(problems("sim", "constant", {{"measured", "some"}}, ""), std::string("DOC002"));
    QCOMPARE(problems("sim", "constant", {}, "sim.nothing"), std::string("EXP002"));
    QCOMPARE(problems("sim", "constant", {}, "sim.waits"), std::string("EXP002"));
    QCOMPARE(problems("sim", "", {}, ""), std::string("PLG010"));
    DrawnSimulators twice;
    twice.box("desk", "constant"), twice.queue("exponential(mean = 1 s)", "exponential(mean = 1 s)");
    QVERIFY(twice.problems().find("SIM001") != std::string::npos ||
            twice.problems().find("QN001") != std::string::npos);
  }

  void a_model_whose_plugin_is_missing_opens_and_is_saved_unchanged() {
    DrawnSimulators net;
    net.box("sim", "constent", {{"constent_size", "3 s"}, {"constent_other", "word"}});
    net.m.measure("mean", "observed_mean", "", {{"of", "sim.waits"}});
    net.m.measure("value", "final_value", "2 * sim.seconds", {{"unit", "s"}});
    net.queue("exponential(mean = 1 s)", "exponential(mean = sim.seconds / 4)", {{"servers", "sim.large ? 1 : 2"}});
    const Diagnostics found = check_model(net.m.document());
    const Diagnostic* const missing = find_code(found, "PLG010");
    QVERIFY2(missing != nullptr && codes(found) == "PLG010", listed(found).c_str());
    QCOMPARE(missing->hint, std::string("Did you mean constant?"));
    QVERIFY(net.run({.replications = 1}).status == RunStatus::failed);
    const std::string text = write_model(net.m.document());
    const ReadOutcome read = parse_model(text);
    QVERIFY(read.document && write_model(*read.document) == text);
    QVERIFY(text.find("constent_other") != std::string::npos);
  }

  void it_is_renamed_with_everything_that_reads_it() {
    DrawnSimulators net;
    const ElementId box = net.box("sim", "constant");
    net.queue("exponential(mean = 1 s)", "exponential(mean = sim.seconds / 4)");
    net.m.measure("waits", "observed_mean", "", {{"of", "sim.waits"}});
    net.m.measure("twice", "final_value", "2 * sim.seconds", {{"unit", "s"}});
    const ResultSet before = net.run({.replications = 5});
    good(before);
    CommandStack stack(net.m.document());
    stack.push(rename_element(stack.document(), box, "unit"));
    const Document& document = stack.document();
    const std::string text = write_model(document);
    QVERIFY(text.find("sim.") == std::string::npos && text.find("unit.seconds / 4") != std::string::npos);
    RunControl control;
    const ResultSet after = find_solver("simulation")->solve(document, {.replications = 5}, control);
    QCOMPARE(estimate(after, "twice"), estimate(before, "twice"));
    QCOMPARE(estimate(after, "response"), estimate(before, "response"));
  }

  void a_failure_ends_the_run_with_what_was_before() {
    DrawnSimulators net;
    const ElementId box = net.box("sim", "drawn", {{"drawn_fail_from", "7"}});
    for (const unsigned threads : {1U, 3U}) {
      const ResultSet r = net.run({.replications = 20, .threads = threads});
      QVERIFY(r.status == RunStatus::failed);
      const Diagnostic* const why = find_code(r.diagnostics, "PLG023");
      QVERIFY2(why != nullptr && why->element == box, listed(r.diagnostics).c_str());
      QVERIFY2(why->message.find("Simulator sim") == 0 && why->message.find("in 7") != std::string::npos,
               why->message.c_str());
    }
    DrawnSimulators crash;
    crash.box("sim", "misbehaving", {{"misbehaving_how", "crash"}});
    const ResultSet r = crash.run({.replications = 3});
    QVERIFY(r.status == RunStatus::failed);
    QVERIFY2(find_code(r.diagnostics, "PLG020") != nullptr, listed(r.diagnostics).c_str());
  }

  void a_stop_is_heeded_while_it_plays() {
    for (const char* plugin : {"slow", "slow_constant"}) {
      DrawnSimulators net;
      net.box("sim", plugin);
      RunControl control;
      ResultSet r;
      const auto begin = std::chrono::steady_clock::now();
      std::thread runs(
          [&] { r = find_solver("simulation")->solve(net.m.document(), {.replications = 8, .threads = 3}, control); });
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      control.stop.request_stop();
      runs.join();
      const double took_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      QVERIFY2(took_s < 3.0, qPrintable(QString("%1: %2 s").arg(plugin).arg(took_s)));
      QVERIFY(r.status != RunStatus::complete && r.replications == 0);
    }
  }

  void exact_solvers_say_why_not() {
    DrawnSimulators net;
    net.box("sim", "constant");
    net.queue("exponential(mean = 3 s)", "exponential(mean = sim.seconds)");
    for (const char* solver : {"mva", "queueing-closed-form", "ctmc-steady-state"}) {
      const Diagnostics why = find_solver(solver)->fits(net.m.document(), {});
      QVERIFY2(has_errors(why), solver);
      QVERIFY2(
          std::any_of(why.begin(), why.end(),
                      [](const Diagnostic& d) { return d.message.find("the simulator \"sim\"") != std::string::npos; }),
          listed(why).c_str());
    }
  }

  void one_long_run_leaves_its_outputs_out() {
    DrawnSimulators net("20000 s");
    net.box("sim", "constant");
    net.queue("exponential(mean = 4 s)", "exponential(mean = sim.seconds)");
    RunRequest request;
    request.options["output-analysis"] = "batch-means";
    RunControl control;
    const ResultSet r = find_solver("simulation")->solve(net.m.document(), request, control);
    QVERIFY2(r.status != RunStatus::failed, listed(r.diagnostics).c_str());
    QVERIFY(find_code(r.diagnostics, "RUN038") == nullptr);
    compare_inside(r, "busy", 0.5);
  }

  void a_trial_finds_who_draws_and_says_that_it_does_not() {
    FoundPlugin lies = plugin_named("single_server");
    QVERIFY(!has_errors(try_plugin(lies, 10.0).problems));
    lies.manifest->simulator->deterministic = true;
    const PluginTrial trial = try_plugin(lies, 10.0);
    const Diagnostic* const why = find_code(trial.problems, "PLG027");
    QVERIFY2(why != nullptr && why->severity == Severity::error, listed(trial.problems).c_str());
    QVERIFY(why->message.find("deterministic") != std::string::npos);
  }

  void methods_for_rare_events_play_it_too() {
    DrawnSimulators net("1 s");
    net.box("sim", "constant");
    ChartBuilder chart(net.m, "Pump");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up);
    chart.transition(up, down, "rate(0.02 / sim.seconds)", "", "", {{"role", "failure"}});
    net.m.component("a", "Pump"), net.m.component("b", "Pump");
    net.m.measure("both", "probability_by", "in(a.Down) and in(b.Down)", {{"curve", 0}});
    const double exact = std::pow(1.0 - std::exp(-0.01), 2);
    for (const char* method : {"failure-biasing", "splitting"}) {
      RunRequest request = {.seed = 3, .replications = 20000, .confidence = 0.999};
      request.options = {{"variance-reduction", method}};
      if (std::string(method) == "splitting") {
        request.options["importance"] = "(in(a.Down) ? 1 : 0) + (in(b.Down) ? 1 : 0)";
        request.options["levels"] = "1, 2", request.replications = 40;
      }
      const ResultSet r = net.run(request);
      QVERIFY2(r.status == RunStatus::complete, listed(r.diagnostics).c_str());
      compare_inside(r, "both", exact);
      QVERIFY2(find_code(r.diagnostics, "RUN022") == nullptr, listed(r.diagnostics).c_str());
    }
  }

  void results_are_kept_with_their_figures() {
    DrawnSimulators net;
    net.box("sim", "constant");
    ResultSet r = net.run({.replications = 2});
    r.provenance.run_id = "0123456789abcdef";
    Diagnostics problems;
    const auto read = from_json(to_json(r), problems);
    QVERIFY2(problems.empty(), listed(problems).c_str());
    QVERIFY(read && read->tables.front().scatter && read->tables.front().scatter->label == "Name");
    QVERIFY(table_figure(read->tables.front()).has_value());
  }
};

QTEST_GUILESS_MAIN(TestSimulators)
#include "tst_simulators.moc"
