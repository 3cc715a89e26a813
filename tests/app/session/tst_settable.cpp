#include "app/session/settable.h"

#include <QtTest>
#include <cmath>
#include <tuple>

#include "app/session/argument_texts.h"
#include "app/session/check.h"
#include "app/session/sweep.h"
#include "core/base/text.h"
#include "core/document/property_path.h"
#include "solvers/model/analysis_model.h"
#include "solvers/registry.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A station with numbers of its own and two others, in three diagrams.
struct Desks {
  ModelBuilder m{"1000 s"};
  ElementId desk, other;
  /// @param name_of_third  the name of the last station; as the second's nothing runs, but names can be asked for
  explicit Desks(const std::string& name_of_third = "third") {
    m.header("time_unit", "s");
    m.parameter("lambda", "0.5 /s");
    m.parameter("clerks", "2", {{"type", "integer"}});
    const ElementId net = m.diagram("Net", "queueing"), second = m.diagram("Second", "queueing");
    desk = row(net, "desk", {{"servers", "clerks"}, {"service", "1.5 s"}, {"capacity", "10"}});
    row(second, "twin", {});
    const ElementId third = m.diagram("Third", "queueing");
    other = row(third, name_of_third, {{"servers", "3"}});
    m.measure("use", "time_average", "desk.busy", {{"scale", "0.5"}});
  }
  ElementId row(ElementId net, const std::string& name, Value more) {
    const ElementId in =
        m.node(net, {}, "source", {{"name", "in_" + name + std::to_string(rows_)}, {"rate", "lambda"}});
    more["name"] = name;
    const ElementId station = m.node(net, {}, "station", std::move(more));
    m.edge(net, "flow", in, station);
    m.edge(net, "flow", station, m.node(net, {}, "sink", {{"name", "out_" + name + std::to_string(++rows_)}}));
    return station;
  }

 private:
  int rows_ = 0;
};

const SettableNumber* of(const std::vector<SettableNumber>& all, const std::string& name) {
  for (const SettableNumber& one : all)
    if (one.name == name) return &one;
  return nullptr;
}
Diagnostic refused(const Document& d, const std::string& name) {
  const auto found = settable_number(d, {}, name);
  return std::holds_alternative<Diagnostic>(found) ? std::get<Diagnostic>(found) : Diagnostic{};
}
std::string axis_problem(const Document& d, const std::string& text) {
  const auto axis = parse_sweep_axis(text, d, {});
  return std::holds_alternative<Diagnostic>(axis) ? std::get<Diagnostic>(axis).message : std::string();
}

}  // namespace

class TestSettable : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void numbers_of_elements_are_listed_with_their_values() {
    const Desks d("twin");
    const auto all = settable_numbers(d.m.document(), {});
    // What is written in the drawing, what is as usual there, and what is no drawing.
    for (const auto& [name, drawn, written] : {std::tuple{"desk.capacity", true, true},
                                               {"desk.batch", true, false},
                                               {"use.scale", false, true},
                                               {"lambda", false, false}}) {
      QVERIFY2(of(all, name) != nullptr, name);
      QVERIFY2(of(all, name)->drawn == drawn && of(all, name)->written == written, name);
    }
    QCOMPARE(of(all, "lambda")->value, std::string("0.5 /s"));
    const SettableNumber* servers = of(all, "desk.servers");
    QVERIFY(servers != nullptr && servers->whole && servers->value == "2");
    QVERIFY(of(all, "desk.service") != nullptr && of(all, "desk.service")->value == "1.5 s");
    QVERIFY(of(all, "desk.capacity")->whole);
    QVERIFY(of(all, "model.horizon")->value == "1000 s");
    QVERIFY(of(all, "use.scale") != nullptr);
    // A law is no number; of two elements of one name the diagram tells which.
    QVERIFY(of(all, "Second.twin.service") == nullptr && of(all, "twin.servers") == nullptr);
    QCOMPARE(of(all, "Third.twin.servers")->value, std::string("3"));
    QCOMPARE(of(all, "Second.twin.servers")->value, std::string("1"));  // the default
    // The request's values are what is listed.
    RunRequest request;
    request.overrides = {{"clerks", "7"}, {"desk.capacity", "20"}};
    const auto set = settable_numbers(d.m.document(), request);
    QCOMPARE(of(set, "desk.servers")->value, std::string("7"));
    QCOMPARE(of(set, "desk.capacity")->value, std::string("20"));
  }

  void what_is_no_number_of_the_model_is_refused_with_what_there_is() {
    const Desks d("twin");
    const auto says = [&](const std::string& name, const char* code, const char* word) {
      const Diagnostic found = refused(d.m.document(), name);
      QCOMPARE(found.code, std::string(code));
      QVERIFY2((found.message + found.hint).find(word) != std::string::npos, (found.message + found.hint).c_str());
    };
    says("lambd", "PAR006", "lambda");
    says("desc.servers", "PAR009", "desk");
    says("twin.servers", "PAR009", "Second.twin.servers");
    says("desk.serverz", "PAR010", "servers, service, capacity");
    says("desk.discipline", "PAR010", "wanted a number");
    says("Second.twin.service", "PAR010", "put a parameter into it");
    says("desk.name", "PAR010", "wanted a number");
  }

  // Oracle: the model in which somebody has written the value.
  void a_run_has_the_values_that_are_set() {
    const Desks d;
    Desks written;
    written.m.set(written.desk, "servers", "5");
    written.m.set(written.other, "capacity", "4");
    RunRequest request{.replications = 20};
    request.overrides = {{"desk.servers", "5"}, {"Third.third.capacity", "2 * 2"}};
    const Solver& simulation = *find_solver("simulation");
    RunControl one, two;
    const ResultSet set = simulation.solve(d.m.document(), request, one);
    const ResultSet wanted = simulation.solve(written.m.document(), {.replications = 20}, two);
    const ResultSet plain = simulation.solve(d.m.document(), {.replications = 20}, two);
    QCOMPARE(set.status, RunStatus::complete);
    QCOMPARE(set.fingerprint, wanted.fingerprint);
    QVERIFY(set.fingerprint != plain.fingerprint);
    QCOMPARE(set.measure("use")->estimate, wanted.measure("use")->estimate);
    QCOMPARE(set.provenance.overrides, request.overrides);
    QVERIFY(set.provenance.command.find("--set desk.servers=5") != std::string::npos ||
            set.provenance.command.find("--set 'desk.servers=5'") != std::string::npos);
    QCOMPARE(set.provenance.semantic_hash, plain.provenance.semantic_hash);  // of the model as it is drawn
  }

  void bad_values_and_names_are_found_by_the_check() {
    const Desks d;
    const auto found = [&](std::map<std::string, std::string> values) {
      RunRequest request;
      request.overrides = std::move(values);
      Diagnostics errors;
      for (Diagnostic& problem : check_model(d.m.document(), request))
        if (problem.severity == Severity::error) errors.push_back(std::move(problem));
      return codes(errors);
    };
    QCOMPARE(found({}), std::string());
    QCOMPARE(found({{"desk.servers", "3"}}), std::string());
    QCOMPARE(found({{"desk.discipline", "ps"}}), std::string());
    QCOMPARE(found({{"desc.servers", "3"}}), std::string("PAR009"));
    QCOMPARE(found({{"desk.serverz", "3"}}), std::string("PAR010"));
    QCOMPARE(found({{"desk.name", "other"}}), std::string("PAR010"));
    QCOMPARE(found({{"desk.servers", "3"}, {"Net.desk.servers", "4"}}), std::string("PAR009"));
    // Nothing would be the default, and a value lost on the way to here another model.
    QCOMPARE(found({{"desk.servers", ""}}), std::string("PAR012"));
    QCOMPARE(found({{"desk.discipline", " "}}), std::string("PAR012"));
    QCOMPARE(found({{"desk.service", ""}}), std::string("PAR012"));
    QCOMPARE(found({{"desk.capacity", ""}}), std::string("PAR012"));
    QCOMPARE(found({{"desk.patience", ""}}), std::string());  // nothing is there either
    QVERIFY(!found({{"desk.servers", "-1"}}).empty());
    QVERIFY(!found({{"desk.servers", "2.5"}}).empty());
    QVERIFY(!found({{"desk.service", "3 m"}}).empty());
    QVERIFY(!found({{"desk.discipline", "fairly"}}).empty());
  }

  // Oracle: with such a value the same history runs; without the warning another.
  void values_that_nothing_reads_are_told_and_change_nothing() {
    Desks d;
    d.m.parameter("spare", "1", {}), d.m.parameter("rule", "fcfs", {{"type", "choice"}, {"choices", "fcfs, polling"}});
    d.m.scenario("other", "spare = 2");
    const auto told = [&](std::map<std::string, std::string> values, std::optional<std::uint64_t> seed = {}) {
      RunRequest request{.seed = seed};
      request.replications = 20;
      request.overrides = std::move(values);
      std::string out;
      for (const Diagnostic& problem : check_model(d.m.document(), request))
        if (problem.code == "PAR011") out += problem.message;
      RunControl control, plain_control;
      const ResultSet set = find_solver("simulation")->solve(d.m.document(), request, control);
      request.overrides.clear();
      const ResultSet plain = find_solver("simulation")->solve(d.m.document(), request, plain_control);
      if (set.status == RunStatus::failed) throw std::runtime_error(set.stop_reason);
      if ((set.fingerprint == plain.fingerprint) != !out.empty()) out += " NOT TRUE";
      return out;
    };
    const auto says = [](const std::string& text, const char* words) {
      QVERIFY2(text.find(words) != std::string::npos && text.find("NOT TRUE") == std::string::npos, text.c_str());
    };
    QCOMPARE(told({{"desk.servers", "1"}}), std::string());
    QCOMPARE(told({{"lambda", "0.25 /s"}}), std::string());
    QCOMPARE(told({{"in_desk0.rate", "0.1 /s"}}), std::string());
    says(told({{"spare", "5"}}), "--set spare changes nothing: nothing in the model reads this parameter.");
    says(told({{"in_desk0.interarrival", "3 s"}}), "it is not read where rate is given");
    says(told({{"desk.limit", "2"}}), "it is read only where discipline is polling, and that is fcfs");
    says(told({{"desk.retry_after", "2 s"}}), "only where when_full is retry");
    QCOMPARE(told({{"model.seed", "5"}}), std::string());
    says(told({{"model.seed", "5"}}, 7), "the run has its own, by --seed");
    // What decides may be set too, or be a parameter.
    QCOMPARE(told({{"desk.discipline", "rule"}, {"rule", "polling"}, {"desk.limit", "2"}, {"desk.servers", "1"}}),
             std::string());
    says(told({{"desk.discipline", "rule"}, {"desk.limit", "2"}, {"desk.servers", "2"}}), "and that is fcfs");
    says(told({{"desk.servers", "2"}, {"clerks", "1"}}), "--set clerks changes nothing");
  }

  void a_file_is_read_through_the_parameter_that_names_it() {
    ModelBuilder m("1 h");
    m.parameter("log", "jobs.tsv", {{"type", "file"}}), m.parameter("other", "jobs.csv", {{"type", "file"}});
    const ElementId diagram = m.diagram("Cluster", "cluster");
    m.node(diagram, {}, "round_scheduler", {{"name", "rounds"}, {"trace", "log"}});
    m.node(diagram, {}, "job_stream", {{"name", "users"}, {"trace", "other"}});
    m.parameter("spare", "jobs.csv", {{"type", "file"}});
    const auto told = [&](const char* name, const char* value) {
      RunRequest request;
      request.overrides = {{name, value}};
      std::string out;
      for (const Diagnostic& one : check_model(m.document(), request))
        if (one.code == "PAR010" || one.code == "PAR011") out += one.code;
      return out;
    };
    QCOMPARE(told("log", "else.tsv"), std::string());
    QCOMPARE(told("other", "else.csv"), std::string());
    QCOMPARE(told("users.trace", "else.csv"), std::string());
    QCOMPARE(told("rounds.throughputs", "else.csv"), std::string());
    QCOMPARE(told("spare", "else.csv"), std::string("PAR011"));
  }

  void proposed_values_are_ones_that_may_be() {
    const auto range = [](SettableNumber number) {
      const auto found = usual_range(number);
      return found ? std::vector<double>{found->from, found->to, static_cast<double>(found->values)}
                   : std::vector<double>();
    };
    using Range = std::vector<double>;
    const Unit per_second = *parse_unit("/s");
    QCOMPARE(range({"lambda", "0.9 /s", per_second}), (Range{0.45, 1.35, 11}));
    QCOMPARE(range({.name = "nothing", .value = "", .unit = {}}), Range());
    // Shares stay below one.
    QCOMPARE(range({.name = "rho", .value = "0.7", .unit = {}}), (Range{0.35, 0.85, 11}));
    QCOMPARE(range({.name = "rho", .value = "0.2", .unit = {}}), (Range{0.1, 0.3, 11}));
    // Nor beyond what the parameter may be.
    QCOMPARE(range({"lambda", "0.9 /s", per_second, false, 0.6, 1.0}), (Range{0.6, 1.0, 11}));
    QCOMPARE(range({"lambda", "-3 /s", per_second, false, {}, -2.0}), (Range{-4.5, -2.0, 11}));
    // Whole numbers: each where they are few, else some that are whole and differ.
    QCOMPARE(range({.name = "servers", .value = "4", .unit = {}, .whole = true}), (Range{1, 8, 8}));
    QCOMPARE(range({.name = "servers", .value = "4", .unit = {}, .whole = true, .minimum = 2.0, .maximum = 5.0}),
             (Range{2, 5, 4}));
    QCOMPARE(range({.name = "servers", .value = "32", .unit = {}, .whole = true}), (Range{17, 47, 11}));
    QCOMPARE(range({.name = "servers", .value = "32", .unit = {}, .whole = true, .minimum = {}, .maximum = 36.0}),
             (Range{17, 35, 7}));
    ModelBuilder m("1000 s");
    m.parameter("load", "0.7", {{"minimum", "0"}, {"maximum", "0.8"}});
    m.parameter("gpus", "32", {{"type", "integer"}, {"minimum", "load * 40"}});
    const auto all = settable_numbers(m.document(), {});
    QCOMPARE(range(*of(all, "load")), (Range{0.35, 0.8, 11}));
    QCOMPARE(range(*of(all, "gpus")), (Range{29, 47, 7}));
    for (const SettableNumber& one : all)
      if (const auto proposed = usual_range(one)) {
        const std::string axis = one.name + "=" + number_text(proposed->from) + ":" + number_text(proposed->to) + ":" +
                                 std::to_string(proposed->values);
        QVERIFY2(axis_problem(m.document(), axis).empty(), axis.c_str());
      }
  }

  // 0.9 of 1 customers that a server can serve, 1.8 of 2: up to 0.99 and down to 1, and nothing where it is too much
  // now.
  void proposed_values_stay_where_the_work_can_be_done() {
    const auto range = [](const char* rate, const char* service, const char* what) {
      ModelBuilder m("1000 s");
      m.header("time_unit", "s");
      m.parameter("lambda", rate), m.parameter("time", service), m.parameter("clerks", "2", {{"type", "integer"}});
      m.parameter("nothing", "3");
      const ElementId net = m.diagram("Net", "queueing"),
                      in = m.node(net, {}, "source", {{"name", "in"}, {"rate", "lambda"}}),
                      desk = m.node(net, {}, "station", {{"name", "desk"}, {"servers", "clerks"}, {"service", "time"}});
      m.edge(net, "flow", in, desk), m.edge(net, "flow", desk, m.node(net, {}, "sink", {{"name", "out"}}));
      m.measure("use", "time_average", "desk.busy");
      const auto found = settable_number(m.document(), {}, what);
      const auto proposed = usual_range(m.document(), {}, std::get<SettableNumber>(found));
      return proposed ? std::vector<double>{proposed->from, proposed->to, static_cast<double>(proposed->values)}
                      : std::vector<double>();
    };
    using Range = std::vector<double>;
    QCOMPARE(range("1.8 /s", "1 s", "lambda"), (Range{0.9, 1.98, 11}));
    QCOMPARE(range("1.8 /s", "1 s", "time"), (Range{0.5, 1.1, 11}));
    QCOMPARE(range("1 /s", "1 s", "lambda"), (Range{0.5, 1.5, 11}));
    QCOMPARE(range("1.8 /s", "1 s", "clerks"), (Range{2, 4, 3}));
    QCOMPARE(range("1.8 /s", "1 s", "nothing"), (Range{1.5, 4.5, 11}));
    QCOMPARE(range("2.4 /s", "1 s", "lambda"), (Range{1.2, 3.6, 11}));
  }

  void arguments_are_exchanged_one_by_one() {
    const std::string text = "gold = exponential(mean = 2 s) , bulk=if(a > 1, 5 s, 6 s)";
    QCOMPARE(names_in(text), (std::vector<std::string>{"gold", "bulk"}));
    QCOMPARE(*argument_text(text, "gold"), std::string("exponential(mean = 2 s)"));
    QCOMPARE(*argument_text(text, "bulk"), std::string("if(a > 1, 5 s, 6 s)"));
    QVERIFY(!argument_text(text, "iron") && !argument_text("gold = (", "gold") && names_in("").empty());
    QCOMPARE(with_argument(text, "gold", "1 s"), std::string("gold = 1 s , bulk=if(a > 1, 5 s, 6 s)"));
    QCOMPARE(with_argument(text, "bulk", "1 s"), std::string("gold = exponential(mean = 2 s) , bulk=1 s"));
    QCOMPARE(with_argument(text, "iron", "1 s"), text + ", iron = 1 s");
    QCOMPARE(with_argument("", "iron", "1 s"), std::string("iron = 1 s"));
  }

  void axes_are_of_properties_too() {
    const Desks d("twin");
    const auto axis = parse_sweep_axis("desk.servers=1:8:8", d.m.document(), {});
    QVERIFY(std::holds_alternative<SweepAxis>(axis));
    QCOMPARE(std::get<SweepAxis>(axis).values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
    QCOMPARE(std::get<SweepAxis>(axis).text(3), std::string("3"));
    // Each of few whole numbers, tenths of others, where nobody says how many.
    const auto each = parse_sweep_axis("desk.servers=6:3", d.m.document(), {});
    QCOMPARE(std::get<SweepAxis>(each).values, (std::vector<double>{6, 5, 4, 3}));
    QVERIFY(axis_problem(d.m.document(), "desk.servers=1:100").find("wanted whole numbers") != std::string::npos);
    const auto usual = parse_sweep_axis("lambda=0.5 /s:1.5 /s", d.m.document(), {});
    QVERIFY(std::holds_alternative<SweepAxis>(usual));
    QCOMPARE(std::get<SweepAxis>(usual).values.size(), std::size_t{11});
    QVERIFY(std::fabs(std::get<SweepAxis>(usual).values[1] - 0.6) < 1e-12);
    const auto time = parse_sweep_axis("desk.service=1:2:3", d.m.document(), {});
    QCOMPARE(std::get<SweepAxis>(time).text(1.5), std::string("1.5 s"));
    QVERIFY(axis_problem(d.m.document(), "desk.servers=1:8:4").find("wanted whole numbers") != std::string::npos);
    QVERIFY(axis_problem(d.m.document(), "desk.serverz=1:8:8").find("no property \"serverz\"") != std::string::npos);
    QVERIFY(axis_problem(d.m.document(), "Second.twin.service=1:2").find("wanted a number") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestSettable)
#include "tst_settable.moc"
