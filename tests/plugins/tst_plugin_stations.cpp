// Plugin stations in drawn networks: beside theory, beside stations and delays that are drawn, and beside a station
// written here from the definition; what plugins do wrong there; models whose plugin is missing.
#include <cmath>
#include <random>
#include <thread>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/stepper.h"
#include "core/report/report_html.h"
#include "core/results/result_json.h"
#include "plugins/host/station_host.h"
#include "tests/plugins/plugin_test.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// What plugins/token_server does, once more from its README: all in the process, one iteration after the other.
class IterationStation : public PluginStation {
 public:
  explicit IterationStation(const PluginValues& values)
      : most_(static_cast<std::size_t>(values.numbers[3])),
        base_s_(values.numbers[4] / 1000.0),
        each_s_(values.numbers[5] / 1000.0) {}
  void begin(std::uint64_t, std::uint64_t, StationNews&) override {
    all_.clear(), batch_ = 0, ends_ = never, iterations_ = served_ = 0.0;
  }
  double arrive(double now, std::uint64_t job, std::span<const double> attributes, StationNews&) override {
    all_.push_back({job, now, std::max(1.0, std::ceil(attributes[0])), false});
    if (ends_ == never) boundary(now);
    return ends_;
  }
  double advance(double now, StationNews& news) override {
    ++iterations_, served_ += static_cast<double>(batch_);
    std::vector<One> stay;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      One one = all_[i];
      if (i < batch_) {
        if (!std::exchange(one.begun, true)) news.observations.push_back({0, now - one.came});
        if (--one.left <= 0.0) {
          news.departures.push_back({one.job, false});
          continue;
        }
      }
      stay.push_back(one);
    }
    all_ = stay;
    boundary(now);
    return ends_;
  }
  void finish(double, StationNews& news) override {
    news.observations.push_back({1, iterations_ > 0.0 ? served_ / iterations_ : 0.0});
  }

 private:
  struct One {
    std::uint64_t job;
    double came, left;
    bool begun;
  };
  void boundary(double now) {
    batch_ = std::min(most_, all_.size());  // who is in it stays in front of those who wait
    ends_ = batch_ > 0 ? now + base_s_ + static_cast<double>(batch_) * each_s_ : never;
  }
  std::size_t most_;
  double base_s_, each_s_;
  std::vector<One> all_;
  std::size_t batch_ = 0;
  double ends_ = never, iterations_ = 0.0, served_ = 0.0;
};

/// Gives back twice the work that it was given, at once.
class DoublingStation : public PluginStation {
 public:
  void begin(std::uint64_t, std::uint64_t, StationNews&) override {}
  double arrive(double, std::uint64_t job, std::span<const double> attributes, StationNews& news) override {
    news.departures.push_back({job, true});
    news.attributes.push_back(2.0 * attributes[0]);
    return never;
  }
  double advance(double, StationNews&) override { return never; }
  void finish(double, StationNews& news) override { news.observations.push_back({0, 0.0}); }
};

StationPlugin written_here(const std::string& name, const std::string& like,
                           std::function<std::unique_ptr<PluginStation>(const PluginValues&)> make) {
  StationPlugin out{.manifest = *plugin_named(like).manifest};
  out.manifest.name = name;
  out.make = [make](PluginValues values, std::uint64_t, const std::string&, std::function<bool()>) {
    return make(values);
  };
  return out;
}

struct PluginNetwork : DrawnNetwork {
  using DrawnNetwork::DrawnNetwork;
  ElementId source_of(const std::string& rate, const std::string& attributes = "") {
    Value more = {{"interarrival", "exponential(rate = " + rate + ")"}};
    if (!attributes.empty()) more["attributes"] = attributes;
    return node("source", "in", std::move(more));
  }
  void measured(const std::string& name, const std::string& stream) {
    m.measure(name, "observed_mean", "", {{"of", stream}});
  }
  /// Source, plugin station "desk", sink.
  ElementId served_by(const std::string& plugin, const std::string& rate, const std::string& attributes = "",
                      Value more = Value::object()) {
    const ElementId in = source_of(rate, attributes);
    more["plugin"] = plugin;
    const ElementId desk = node("plugin_station", "desk", std::move(more)), out = node("sink", "out");
    flow(in, desk), flow(desk, out);
    m.measure("number", "time_average", "desk.number");
    measured("response", "desk.response_time");
    return desk;
  }
  ResultSet run(RunRequest request) const {
    RunControl control;
    return find_solver("simulation")->solve(m.document(), std::move(request), control);
  }
};

std::string numbers_of(const ResultSet& r) {
  Value json = to_json(r);
  json.erase("run");
  return json.dump() + r.fingerprint;
}

}  // namespace

class TestPluginStations : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    for (const char* name : {"single_server", "token_server", "misbehaving", "bad_messages"})
      register_station_plugin(station_plugin(plugin_named(name)));
    static const FoundPlugin inside = [] {
      FoundPlugin out = plugin_named("misbehaving");
      out.name = out.manifest->name = "inside", out.manifest->reentrant = true;
      return out;
    }();
    static const FoundPlugin impatient = [] {
      FoundPlugin out = plugin_named("bad_messages");
      out.name = out.manifest->name = "impatient", out.manifest->time_limit_s = 1.0;
      return out;
    }();
    register_station_plugin(station_plugin(inside)), register_station_plugin(station_plugin(impatient));
    register_station_plugin(written_here("iterations", "token_server",
                                         [](const PluginValues& v) { return std::make_unique<IterationStation>(v); }));
    register_station_plugin(written_here("doubling", "misbehaving",
                                         [](const PluginValues&) { return std::make_unique<DoublingStation>(); }));
    catalogue();
  }

  void single_server_is_an_m_m_1_queue() {
    PluginNetwork net("20000 s");
    net.served_by("single_server", "0.5 /s", "", {{"single_server_service_rate", "1 /s"}});
    net.mean("queue", "desk.number"), net.mean_of("time", "desk.response_time");
    net.measured("busy", "desk.busy_share"), net.measured("service", "desk.service_time");
    const ResultSet r = net.run({.replications = 20, .confidence = 0.9999});
    QVERIFY2(r.status == RunStatus::complete, listed(r.diagnostics).c_str());
    compare_inside(r, "queue", 1.0);
    compare_inside(r, "time", 2.0);
    compare_inside(r, "busy", 0.5);
    compare_inside(r, "service", 1.0);
    QVERIFY(r.measure("queue")->upper - r.measure("queue")->lower < 0.2);
  }

  void reports_list_what_is_set_of_a_station() {
    PluginNetwork net;
    net.served_by("single_server", "0.5 /s", "", {{"single_server_service_rate", "90 /h"}, {"up", "time > 2 s"}});
    const std::string page = report_html({.document = &net.m.document(), .catalogue = &catalogue()});
    const std::size_t table = page.find("Plugin stations of ");
    QVERIFY(table != std::string::npos && page.find(" = 90 /h", table) != std::string::npos);
    QVERIFY(page.find("Up = time &gt; 2 s; ", table) != std::string::npos);
  }

  void same_bits_at_any_number_of_threads() {
    PluginNetwork net("200 s");
    net.served_by("single_server", "0.5 /s");
    net.measured("busy", "desk.busy_share");
    const std::string one = numbers_of(net.run({.replications = 30, .threads = 1}));
    for (const unsigned threads : {2U, 4U})
      QCOMPARE(numbers_of(net.run({.replications = 30, .threads = threads})), one);
    QVERIFY(numbers_of(net.run({.seed = 2, .replications = 30, .threads = 2})) != one);
  }

  void in_this_process_or_in_another_it_is_the_same_station() {
    PluginNetwork net("2000 s");
    net.served_by("single_server", "0.5 /s", "", {{"single_server_service_rate", "1 /s"}});
    net.measured("busy", "desk.busy_share"), net.measured("service", "desk.service_time");
    const RunRequest request = {.replications = 20, .threads = 2};
    const auto timed = [&](std::string& numbers) {
      const auto begin = std::chrono::steady_clock::now();
      const ResultSet r = net.run(request);
      if (r.status != RunStatus::complete) throw std::runtime_error(listed(r.diagnostics));
      numbers = numbers_of(r);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    std::string apart, inside;
    const double apart_s = timed(apart);
    qputenv("ERGODE_PLUGINS_IN_PROCESS", "misbehaving,single_server");
    const double inside_s = timed(inside);
    // A library that does not say that it is reentrant keeps its process: this crash is not ours.
    PluginNetwork crash("30 s");
    crash.served_by("misbehaving", "1 /s", "", {{"misbehaving_how", "crash"}});
    const ResultSet r = crash.run({.replications = 2});
    qunsetenv("ERGODE_PLUGINS_IN_PROCESS");
    QCOMPARE(inside, apart);
    QCOMPARE(r.diagnostics.back().code, std::string("PLG020"));
    qInfo("40,000 calls take %.3f s in processes of their own, %.3f s in this one", apart_s, inside_s);
  }

  // Of the first replication, whoever runs it and wherever; in each life that ends, a row.
  void a_station_tells_tables() {
    qputenv("ERGODE_PLUGINS_IN_PROCESS", "inside");
    for (const std::string plugin : {"misbehaving", "inside"})
      for (const unsigned threads : {1U, 3U}) {
        PluginNetwork net("30 s");
        net.served_by(plugin, "1 /s", "", {{plugin + "_how", "rows"}});
        net.m.measure("served", "observed_mean", "", {{"of", "desk.served"}});
        const ResultSet one = net.run({.replications = 1}), r = net.run({.replications = 5, .threads = threads});
        const auto table =
            std::find_if(r.tables.begin(), r.tables.end(), [](const ResultTable& t) { return t.name == "desk_ends"; });
        QVERIFY2(table != r.tables.end(), listed(r.diagnostics).c_str());
        QCOMPARE(table->title, std::string("Ends: desk, in the first replication"));
        QCOMPARE(table->rows.size(), std::size_t{1});
        QCOMPARE(std::get<double>(table->rows[0][0]), estimate(one, "served"));
        QCOMPARE(std::get<std::string>(table->rows[0][1]), std::string("in all"));
      }
    for (const std::string plugin : {"misbehaving", "inside"})
      for (const char* how : {"short_row", "strange_row", "word_for_number", "number_for_word"}) {
        PluginNetwork net("30 s");
        net.served_by(plugin, "1 /s", "", {{plugin + "_how", how}});
        const ResultSet r = net.run({.replications = 1});
        QVERIFY2(r.status == RunStatus::failed && r.diagnostics.back().code == "PLG022", listed(r.diagnostics).c_str());
      }
    PluginNetwork net("30 s");
    net.served_by("inside", "1 /s", "", {{"inside_how", "word_for_number"}});
    QCOMPARE(net.run({.replications = 1})
                     .diagnostics.back()
                     .message.find("with the text 'two' in column Served, which "
                                   "holds numbers.") != std::string::npos,
             true);
    qunsetenv("ERGODE_PLUGINS_IN_PROCESS");
  }

  // Of the first replication, in order, at the station, and at the property that a sentence is about.
  void a_station_says_sentences() {
    qputenv("ERGODE_PLUGINS_IN_PROCESS", "inside");
    for (const std::string plugin : {"misbehaving", "inside"})
      for (const unsigned threads : {1U, 3U}) {
        PluginNetwork net("30 s");
        const ElementId desk = net.served_by(plugin, "1 /s", "", {{plugin + "_how", "talks"}, {plugin + "_at", "2"}});
        const ResultSet r = net.run({.replications = 5, .threads = threads});
        std::vector<Diagnostic> said;
        for (const Diagnostic& d : r.diagnostics)
          if (d.code == "PLG026") said.push_back(d);
        QVERIFY2(r.status == RunStatus::complete && said.size() == 6, listed(r.diagnostics).c_str());
        for (std::size_t i = 0; i < 6; ++i) {
          const char* const when[] = {"begins", "somebody comes", "ends"};
          QCOMPARE(said[i].message, plugin + ": " + when[i / 2]);
          QCOMPARE(said[i].element, desk);
          QCOMPARE(said[i].severity, i % 2 == 0 ? Severity::info : Severity::warning);
          QCOMPARE(said[i].pointer, i % 2 == 0 ? plugin + "_how" : std::string());
        }
      }
    qunsetenv("ERGODE_PLUGINS_IN_PROCESS");
  }

  void provenance_names_the_plugin() {
    PluginNetwork net("10 s");
    net.served_by("token_server", "1 /s");
    const ResultSet r = net.run({.replications = 1});
    QVERIFY(r.provenance.options.contains("plugin token_server"));
    const std::string text = r.provenance.options.at("plugin token_server");
    QVERIFY2(text.starts_with("1.0.0, sha256 ") && text.size() == 14 + 64, text.c_str());
  }

  void a_plugin_that_delays_is_a_delay() {
    // Random networks of routers, stations and, once as a delay and once as the plugin, a node where each stays as long
    // as his work: classes, ways back, batches in combination. Nothing that is drawn differs, so no number does.
    for (unsigned seed = 1; seed <= 60; ++seed) {
      const auto drawn = [&](bool plugin) {
        std::mt19937 any(seed);
        const auto one_of = [&](std::initializer_list<const char*> words) {
          return std::string(*(words.begin() + any() % words.size()));
        };
        PluginNetwork net("60 s");
        const bool classes = any() % 2 == 0;
        if (classes) net.node("job_class", "gold"), net.node("job_class", "bulk", {{"priority", "1"}});
        Value source = {
            {"interarrival", "exponential(rate = " + one_of({"0.5 /s", "1 /s", "3 /s"}) + ")"},
            {"attributes", "work: real s = " + one_of({"exponential(mean = 2 s)", "uniform(low = 1 s, high = 3 s)",
                                                       "erlang(k = 2, mean = 1 s)"})},
            {"batch", one_of({"1", "3", "uniform(low = 1, high = 4)"})}};
        if (classes) source["class"] = "gold";
        const ElementId in = net.node("source", "in", std::move(source));
        const ElementId before = net.node(
            "station", "before",
            {{"service", "exponential(mean = " + one_of({"0.1 s", "0.5 s"}) + ")"}, {"servers", one_of({"1", "2"})}});
        const ElementId stay = plugin ? net.node("plugin_station", "stay", {{"plugin", "misbehaving"}})
                                      : net.node("delay", "stay", {{"time", "work"}});
        const ElementId fork = net.node("router", "choose"), out = net.node("sink", "out");
        net.flow(in, before), net.flow(before, stay), net.flow(stay, fork);
        const std::string back = one_of({"0.1", "0.4"});
        Value again = {{"probability", back}};
        if (classes) again["becomes"] = "bulk", again["class"] = "gold";
        net.flow(fork, any() % 2 == 0 ? before : stay, again);
        net.flow(fork, out, classes ? Value{{"class", "gold"}} : Value::object());
        if (classes) net.flow(fork, out, {{"class", "bulk"}});
        net.m.measure("number", "time_average", "stay.number"), net.measured("response", "stay.response_time");
        net.measured("system", "out.time_in_system"), net.m.measure("ahead", "time_average", "before.number");
        if (classes) net.m.measure("gold", "time_average", "stay.number.gold");
        const ResultSet r = net.run({.replications = 5});
        if (r.status != RunStatus::complete) throw std::runtime_error(listed(r.diagnostics));
        std::vector<double> numbers;
        for (const MeasureResult& one : r.measures) numbers.push_back(one.estimate);
        return numbers;
      };
      const auto as_delay = drawn(false), as_plugin = drawn(true);
      QCOMPARE(as_plugin.size(), as_delay.size());
      for (std::size_t i = 0; i < as_delay.size(); ++i)
        QVERIFY2(std::fabs(as_plugin[i] - as_delay[i]) <= 1e-9 * std::max(1.0, std::fabs(as_delay[i])),
                 qPrintable(QString("seed %1, measure %2: %3 as a plugin, %4 as a delay")
                                .arg(seed)
                                .arg(i)
                                .arg(as_plugin[i])
                                .arg(as_delay[i])));
    }
  }

  void token_server_serves_as_defined() {
    for (const char* tokens :
         {"tokens: integer = geometric(mean = 20)", "tokens: real token = uniform(low = 1 token, high = 30 token)", ""})
      for (const char* batch : {"1", "4", "20"}) {
        const auto answer = [&](const std::string& plugin) {
          PluginNetwork net("20 s");
          net.served_by(plugin, "3 /s", tokens, {{plugin + "_max_batch", batch}, {plugin + "_base_time", "0.01 s"}});
          net.measured("first", "desk.first_token"), net.measured("batch", "desk.mean_batch");
          const ResultSet r = net.run({.replications = 4});
          if (r.status != RunStatus::complete) throw std::runtime_error(listed(r.diagnostics));
          return r;
        };
        const ResultSet python = answer("token_server"), here = answer("iterations");
        for (const char* id : {"number", "response", "first", "batch"}) near(python, id, estimate(here, id), 1e-9);
        QCOMPARE(python.events, here.events);
      }
  }

  void attributes_go_in_and_come_out_in_their_units() {
    PluginNetwork net("100 s");
    const ElementId in = net.source_of("1 /s", "work: real min = 2 min"),
                    desk = net.node("plugin_station", "desk", {{"plugin", "doubling"}});
    const ElementId after = net.node("delay", "after", {{"time", "work / 100"}}), out = net.node("sink", "out");
    net.flow(in, desk), net.flow(desk, after), net.flow(after, out);
    net.measured("after", "after.response_time"), net.measured("desk", "desk.response_time");
    const ResultSet r = net.run({.replications = 3});
    near(r, "after", 2.4);
    near(r, "desk", 0.0);
  }

  void attributes_of_another_dimension_are_refused() {
    PluginNetwork net;
    net.served_by("misbehaving", "1 /s", "work: real MB = 3 MB");
    QCOMPARE(net.problems(), std::string("PLG030"));
  }

  void parameters_are_read_as_those_of_stations() {
    const auto problems = [](const char* key, const char* value) {
      PluginNetwork net;
      net.m.parameter("rate", "2 /s", {{"unit", "/s"}});
      net.served_by("single_server", "1 /s", "", {{key, value}});
      return net.problems();
    };
    QCOMPARE(problems("single_server_service_rate", "2 * rate"), std::string());
    QCOMPARE(problems("single_server_service_rate", "3 kg"), std::string("EXP004"));
    QCOMPARE(problems("single_server_service_rate", "0 /h"), std::string("QN004"));
    PluginNetwork batch;
    batch.served_by("token_server", "1 /s", "", {{"token_server_max_batch", "0"}});
    QCOMPARE(batch.problems(), std::string("QN004"));
  }

  void files_are_those_that_the_model_may_name() {
    QTemporaryDir folder;
    const auto write = [&](const QString& name, const char* text) {
      QFile file(folder.filePath(name));
      if (!file.open(QIODevice::WriteOnly)) throw std::runtime_error("cannot write");
      file.write(text);
    };
    QDir(folder.path()).mkdir("model");
    write("model/seven.txt", "1234567"), write("secret.txt", "12");
    const auto run = [&](const char* file) {
      PluginNetwork net("1000 s");
      net.served_by("misbehaving", "0.1 /s", "", {{"misbehaving_notes", file}});
      RunRequest request;
      request.folder = folder.filePath("model").toStdString(), request.replications = 2;
      return net.run(request);
    };
    const ResultSet good = run("seven.txt");
    QVERIFY2(good.status == RunStatus::complete, listed(good.diagnostics).c_str());
    near(good, "response", 7.0);
    QVERIFY(good.provenance.data_files.contains("seven.txt"));
    for (const char* bad : {"../secret.txt", "/etc/hostname", "none.txt"})
      QCOMPARE(codes(run(bad).diagnostics), std::string("PLG031"));
  }

  void stations_draw_apart_from_each_other() {
    // Another plugin station beside it changes nothing at the first.
    const auto first = [](bool more) {
      PluginNetwork net("100 s");
      net.served_by("single_server", "0.5 /s", "", {{"single_server_service_rate", "1 /s"}});
      if (more) {
        const ElementId in = net.node("source", "in2", {{"interarrival", "1 s"}}),
                        desk = net.node("plugin_station", "desk2",
                                        {{"plugin", "single_server"}, {"single_server_service_rate", "2 /s"}});
        net.flow(in, desk), net.flow(desk, net.node("sink", "out2"));
        net.measured("second", "desk2.service_time");
      }
      net.measured("service", "desk.service_time");
      return net.run({.replications = 5});
    };
    const ResultSet alone = first(false), beside = first(true);
    QCOMPARE(estimate(beside, "service"), estimate(alone, "service"));
    QVERIFY(std::fabs(estimate(beside, "second") - estimate(beside, "service") / 2.0) > 1e-6);
  }

  void each_misdeed_of_a_station_is_told_at_its_place_data() {
    QTest::addColumn<QString>("code");
    for (const char* how : {"crash", "abort", "exit"}) QTest::newRow(how) << "PLG020";
    for (const char* how : {"throw_text", "throw_number"}) QTest::newRow(how) << "PLG023";
    QTest::newRow("endless") << "PLG02";  // by bytes or by time, whichever comes first
    for (const char* how : {"past", "nan_time", "negative", "minus_infinity", "stranger", "again", "busy"})
      QTest::newRow(how) << "PLG025";
  }
  void each_misdeed_of_a_station_is_told_at_its_place() {
    QFETCH(QString, code);
    PluginNetwork net("30 s");
    const ElementId desk = net.served_by("misbehaving", "1 /s", "",
                                         {{"misbehaving_how", QTest::currentDataTag()}, {"misbehaving_at", "4"}});
    const ResultSet r = net.run({.replications = 10, .threads = 2});
    QCOMPARE(r.status, RunStatus::failed);
    const Diagnostic& d = r.diagnostics.back();
    QVERIFY2(d.code.starts_with(code.toStdString()) && d.element == desk &&
                 d.message.find("misbehaving") != std::string::npos,
             listed(r.diagnostics).c_str());
  }

  // The same of a program, and of a library in this process, where a crash would be ours and all else is not: the
  // replications before it are kept.
  void misdeeds_elsewhere_lose_no_results_data() {
    QTest::addColumn<QString>("plugin");
    QTest::addColumn<QString>("how");
    QTest::addColumn<QString>("code");
    const auto add = [](const char* plugin, const char* how, const char* code) {
      QTest::newRow(qPrintable(QString("%1, %2").arg(plugin, how))) << plugin << how << code;
    };
    for (const char* how : {"throw_text", "throw_number"}) add("inside", how, "PLG023");
    for (const char* how : {"past", "nan_time", "negative", "minus_infinity", "stranger", "again", "busy"})
      add("inside", how, "PLG025");
    for (const char* how : {"no_json", "half_json", "a_list", "a_number", "unknown", "deep", "bytes", "values", "words",
                            "stranger", "negative", "no_time"})
      add("impatient", how, "PLG022");
    for (const char* how : {"nan", "infinite"}) add("impatient", how, "PLG022");  // JSON has neither
    add("impatient", "past", "PLG025");
    for (const char* how : {"leaves", "closes", "half_and_leaves", "half_and_closes", "forks"})
      add("impatient", how, "PLG020");
    add("bad_messages", "long_line", "PLG024");  // 40 MiB in a second are much for a busy machine
    for (const char* how : {"progress", "departs"}) add("impatient", how, "PLG02");
  }
  void misdeeds_elsewhere_lose_no_results() {
    QFETCH(QString, plugin);
    QFETCH(QString, how);
    QFETCH(QString, code);
    qputenv("ERGODE_PLUGINS_IN_PROCESS", "inside");
    ElementId desk;
    const auto run = [&](const QString& does, std::uint64_t replications) {
      PluginNetwork net("30 s");
      desk = net.served_by(plugin.toStdString(), "1 /s", "",
                           {{plugin.toStdString() + "_how", does.toStdString()}, {plugin.toStdString() + "_at", "33"}});
      return net.run({.replications = replications, .threads = 1});
    };
    const ResultSet failed = run(how, 100), good = run("well", std::max<std::uint64_t>(failed.replications, 1));
    qunsetenv("ERGODE_PLUGINS_IN_PROCESS");
    QCOMPARE(failed.status, RunStatus::failed);
    const Diagnostic& d = failed.diagnostics.back();
    QVERIFY2(d.code.starts_with(code.toStdString()) && d.element == desk &&
                 d.message.find(plugin.toStdString()) != std::string::npos,
             listed(failed.diagnostics).c_str());
    const bool from_the_first = plugin == "inside" && (how == "stranger" || how == "again");
    QVERIFY2((failed.replications == 0) == from_the_first && failed.replications < 100,
             std::to_string(failed.replications).c_str());
    if (from_the_first) return;
    for (const char* measure : {"number", "response"}) QCOMPARE(estimate(failed, measure), estimate(good, measure));
  }

  void a_hanging_station_is_stopped_with_the_run() {
    PluginNetwork net("30 s");
    net.served_by("misbehaving", "1 /s", "", {{"misbehaving_how", "hang"}, {"misbehaving_at", "4"}});
    RunControl control;
    std::jthread stopper([&control] {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      control.stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    RunRequest request;
    request.replications = 10;
    const ResultSet r = find_solver("simulation")->solve(net.m.document(), request, control);
    QCOMPARE(r.status, RunStatus::partial);
    QVERIFY(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < 5.0);
  }

  void who_is_kept_for_ever_is_there_at_the_end() {
    PluginNetwork net("50 s");
    net.served_by("misbehaving", "1 /s", "", {{"misbehaving_how", "keeps"}, {"misbehaving_at", "4"}});
    net.m.measure("left", "final_value", "desk.number");
    const ResultSet r = net.run({.replications = 3});
    QCOMPARE(r.status, RunStatus::complete);
    QVERIFY(estimate(r, "left") > 0.0);
  }

  void one_history_is_stepped_forwards_and_back() {
    PluginNetwork net("1000 s");
    net.served_by("single_server", "0.5 /s", "", {{"single_server_service_rate", "1 /s"}});
    Diagnostics problems;
    const auto run = Stepper::begin(net.m.document(), {.seed = 3}, problems);
    QVERIFY2(run != nullptr, listed(problems).c_str());
    const auto number = [&run] {
      for (const Stepper::Watched& one : run->variables())
        if (one.name == "desk.number") return one.value;
      return std::string();
    };
    std::vector<std::pair<double, std::string>> seen;
    for (int i = 0; i < 40; ++i) run->step(), seen.emplace_back(run->now_s(), number());
    std::uint64_t served = 0;
    for (const Present& one : run->present()) served += one.standing == Standing::served ? one.count : 0;
    QCOMPARE(std::to_string(served), number());
    for (int i = 0; i < 15; ++i) QVERIFY(run->step_back());
    QCOMPARE(std::pair(run->now_s(), number()), seen[24]);
    for (std::size_t i = 25; i < 40; ++i) {
      run->step();
      QCOMPARE(std::pair(run->now_s(), number()), seen[i]);
    }
  }

  void methods_that_split_histories_say_that_plugins_cannot() {
    PluginNetwork net("50 s");
    net.served_by("single_server", "0.5 /s", "", {{"single_server_service_rate", "1 /s"}});
    net.m.measure("many", "probability_by", "desk.number >= 20");
    RunRequest request;
    request.replications = 50;
    request.options["variance-reduction"] = "splitting", request.options["importance"] = "desk.number";
    const ResultSet r = net.run(request);
    QCOMPARE(r.status, RunStatus::failed);
    QVERIFY2(r.diagnostics.back().message.find("cannot be kept") != std::string::npos, listed(r.diagnostics).c_str());
  }

  void exact_solvers_say_that_they_do_not_know_it() {
    PluginNetwork net;
    net.served_by("single_server", "0.5 /s");
    for (const char* name : {"mva", "queueing-closed-form", "qbd", "ctmc-network", "gg-approximation", "fluid"}) {
      const Diagnostics reasons = find_solver(name)->fits(net.m.document(), {});
      QVERIFY2(has_errors(reasons) && listed(reasons).find("A plugin serves customers") != std::string::npos,
               listed(reasons).c_str());
    }
  }

  void a_model_whose_plugin_is_missing_opens_says_so_and_is_saved_unchanged() {
    PluginNetwork net;
    net.served_by("of_somebody_else", "1 /s", "",
                  {{"of_somebody_else_speed", "3 furlong"}, {"of_somebody_else_mode", "turbo"}});
    net.measured("own", "desk.wonder");
    const std::string text = write_model(net.m.document());
    const ReadOutcome read = parse_model(text);
    QVERIFY(read.document && !has_errors(read.diagnostics));
    QCOMPARE(write_model(*read.document), text);
    const Diagnostics problems = check_model(Question(*read.document, {}));
    QCOMPARE(codes(problems), std::string("PLG010"));
    QVERIFY(problems.front().message.find("of_somebody_else") != std::string::npos);
    // Near enough to one that is here to be meant.
    PluginNetwork typed;
    typed.served_by("single_servr", "1 /s");
    Diagnostics found;
    build_model(typed.m.document(), {}, "", found);
    QCOMPARE(found.front().hint, std::string("Did you mean single_server?"));
  }

  void forms_and_help_are_made_of_the_manifest() {
    const KindSpec* const kind = catalogue().notation("queueing")->kind("plugin_station");
    QVERIFY(kind != nullptr);
    const PropertySpec* const rate = kind->property("single_server_service_rate");
    QVERIFY(rate != nullptr && rate->type == PropertyType::quantity && rate->dimension == "/h" &&
            rate->default_text == "60 /h");
    QCOMPARE(rate->when_property, std::string("plugin"));
    QCOMPARE(rate->when_values, std::vector<std::string>{"single_server"});
    QVERIFY(kind->property("single_server_arrival_rate") == nullptr);  // of the simulator
    QCOMPARE(kind->property("misbehaving_how")->type, PropertyType::choice);
  }
};

QTEST_APPLESS_MAIN(TestPluginStations)
#include "tst_plugin_stations.moc"
