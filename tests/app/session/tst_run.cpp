#include <QtTest>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "app/session/check.h"
#include "app/session/journal.h"
#include "app/session/publish.h"
#include "app/session/run.h"
#include "app/session/stamp.h"
#include "app/session/store_path.h"
#include "core/format/model_file.h"
#include "core/results/result_json.h"
#include "solvers/model/analysis_model.h"
#include "solvers/registry.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;
using namespace std::chrono_literals;

namespace {

/// Merges one replication a millisecond, as a solver does: obeys pause and stop, publishes snapshots.
class SlowSolver : public Solver {
 public:
  explicit SlowSolver(std::string name = "slow", bool exact = false) {
    spec_.name = std::move(name);
    spec_.exact = exact;
  }
  const SolverSpec& spec() const override { return spec_; }
  Diagnostics fits(const Question&) const override {
    if (refuse) return {{.code = "SOL001", .message = "The model has no chart."}};
    return {};
  }
  ResultSet solve(const Question& question, RunControl& control) const override {
    if (throws) throw std::runtime_error("matrix is singular");
    ResultSet out;
    const std::uint64_t target = question.request().replications.value_or(10);
    while (out.replications < target) {
      if (control.stop.stop_requested()) {
        out.status = RunStatus::partial;
        out.stop_reason = "cancelled";
        return out;
      }
      std::this_thread::sleep_for(1ms);
      if (control.pause) continue;
      ++out.replications;
      auto snapshot = std::make_shared<Snapshot>();
      snapshot->done = out.replications;
      snapshot->target = target;
      control.publish(snapshot);
    }
    out.provenance.solver = spec_.name;
    out.stop_reason = "replications";
    return out;
  }
  SolverSpec spec_;
  bool refuse = false, throws = false;
};

Run::Order order(const Solver& solver, std::uint64_t replications) {
  Run::Order out;
  out.solver = &solver;
  out.question = Question(Document(), {.replications = replications});
  return out;
}

}  // namespace

class TestRun : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_new_run_can_only_be_started() {
    Run run;
    QCOMPARE(run.state(), RunState::idle);
    QVERIFY(run.enabled(RunVerb::start));
    QVERIFY(!run.enabled(RunVerb::pause) && !run.enabled(RunVerb::resume) && !run.enabled(RunVerb::stop));
    QVERIFY(!run.pause() && !run.resume() && !run.stop());
    QVERIFY(!run.why_not(RunVerb::stop).empty());
  }

  void a_run_goes_from_idle_to_done_and_keeps_the_solvers_results() {
    SlowSolver solver;
    Run run;
    QVERIFY(run.start(order(solver, 5)));
    QVERIFY(!run.start(order(solver, 5)));
    run.wait();
    QCOMPARE(run.state(), RunState::done);
    QCOMPARE(run.result()->replications, 5u);
    QCOMPARE(run.latest()->done, 5u);
    QVERIFY(run.enabled(RunVerb::start));
  }

  void pausing_holds_the_replications_and_resuming_lets_them_go_on() {
    SlowSolver solver;
    Run run;
    run.start(order(solver, 100000));
    QTRY_COMPARE(run.state(), RunState::advancing);
    QVERIFY(run.pause());
    QCOMPARE(run.state(), RunState::paused);
    QVERIFY(run.enabled(RunVerb::resume) && run.enabled(RunVerb::stop) && !run.enabled(RunVerb::pause));
    std::this_thread::sleep_for(30ms);
    const std::uint64_t held = run.latest() ? run.latest()->done : 0;
    std::this_thread::sleep_for(60ms);
    QVERIFY((run.latest() ? run.latest()->done : 0) <= held + 1);
    QVERIFY(run.resume());
    QTRY_VERIFY(run.latest() && run.latest()->done > held + 1);
    run.stop();
  }

  void stopping_keeps_a_partial_result_within_one_second() {
    SlowSolver solver;
    Run run;
    run.start(order(solver, 1000000));
    QTRY_VERIFY(run.latest() != nullptr);
    const auto asked = std::chrono::steady_clock::now();
    QVERIFY(run.stop());
    run.wait();
    QVERIFY(std::chrono::steady_clock::now() - asked < 1s);
    QCOMPARE(run.state(), RunState::cancelled);
    QCOMPARE(run.result()->status, RunStatus::partial);
    QVERIFY(run.result()->replications > 0);
  }

  void stopping_a_paused_run_ends_it() {
    SlowSolver solver;
    Run run;
    run.start(order(solver, 1000000));
    QTRY_COMPARE(run.state(), RunState::advancing);
    QVERIFY(run.pause());
    QVERIFY(run.stop());
    run.wait();
    QCOMPARE(run.state(), RunState::cancelled);
  }

  void a_failing_solver_leaves_its_text_and_allows_a_new_start() {
    SlowSolver solver;
    solver.throws = true;
    Run run;
    run.start(order(solver, 5));
    run.wait();
    QCOMPARE(run.state(), RunState::failed);
    QCOMPARE(run.failure(), std::string("matrix is singular"));
    QVERIFY(run.result() == nullptr);
    solver.throws = false;
    QVERIFY(run.start(order(solver, 5)));
    run.wait();
    QCOMPARE(run.state(), RunState::done);
    QVERIFY(run.failure().empty());
  }

  void a_solver_that_does_not_fit_fails_with_its_reason() {
    SlowSolver solver;
    solver.refuse = true;
    Run run;
    run.start(order(solver, 5));
    run.wait();
    QCOMPARE(run.state(), RunState::failed);
    QCOMPARE(run.failure(), std::string("SOL001: The model has no chart."));
  }

  void every_end_allows_a_restart() {
    SlowSolver solver;
    Run run;
    for (int i = 0; i < 3; ++i) {
      QVERIFY(run.start(order(solver, i == 1 ? 1000000 : 3)));
      if (i == 1) run.stop();
      run.wait();
      QCOMPARE(run.state(), i == 1 ? RunState::cancelled : RunState::done);
    }
  }

  void exact_solvers_in_company_answer_before_the_simulation_ends() {
    SlowSolver simulation, exact("closed-form", true), misfit("misfit", true);
    misfit.refuse = true;
    Run run;
    Run::Order asked = order(simulation, 3);
    asked.company = {&exact, &misfit};
    run.start(asked);
    run.wait();
    QCOMPARE(run.company().size(), 1u);
    QCOMPARE(run.company().front()->provenance.solver, std::string("closed-form"));
  }

  void checks_every_solver_and_the_report_share_one_model() {
    const std::string folder = std::string(ERGODE_SOURCE_DIR "/examples/04_repairable_system");
    ReadOutcome read = read_model(folder + "/model.ergode");
    QVERIFY(read.document);
    const Question question(*read.document, {.folder = folder, .replications = 100});
    const std::size_t scenarios = read.document->of(Section::scenario).size();  // the check builds each once
    const std::uint64_t before = models_built();
    QVERIFY(!has_errors(check_model(question)));
    for (const auto& solver : solvers()) solver->fits(question);
    Run run;
    Run::Order asked;
    asked.solver = find_solver("simulation");
    asked.question = question;
    std::vector<const Solver*> known;
    for (const auto& solver : solvers()) known.push_back(solver.get());
    asked.ask_beside(Beside::all, known);
    run.start(std::move(asked));
    run.wait();
    QCOMPARE(run.state(), RunState::done);
    QVERIFY(!make_report(question, *run.result()).empty());
    QCOMPARE(models_built() - before, 1 + scenarios);
    solvers().front()->fits(question.with({.overrides = {{"lambda", "1e-3 /h"}}, .folder = folder}));
    QCOMPARE(models_built() - before, 2 + scenarios);  // other values, another model
  }

  void a_data_file_belongs_to_what_a_run_was_made_of() {
    const QTemporaryDir place;
    const std::string folder = place.path().toStdString();
    const auto write = [&](const char* text) { std::ofstream(folder + "/delays.csv") << text; };
    ModelBuilder m;
    ChartBuilder chart(m, "Unit");
    const ElementId up = chart.state("Up"), down = chart.state("Down");
    chart.initial(up);
    chart.transition(up, down, "after(empirical(\"delays.csv\", column = \"hours\", unit = \"h\"))");
    m.component("unit", "Unit");
    m.measure("down", "probability_at", "in(unit.Down)");
    write("hours\n1\n2\n");
    const RunRequest request{.folder = folder, .replications = 200};
    const Question question(m.document(), request);
    const auto answer = [&](const Question& asked) {
      RunControl control;
      return find_solver("simulation")->solve(asked, control);
    };
    const std::uint64_t before = models_built();
    const ResultSet first = answer(question);
    QCOMPARE(first.provenance.data_files.size(), std::size_t{1});
    // sha256sum of the file.
    QCOMPARE(first.provenance.data_files.at("delays.csv"),
             std::string("79a62fce3c7ea93ae5bb3779e758535162bfa7ffc4a4c9fcda57031de9a4eb52"));
    QCOMPARE(answer(question).fingerprint, first.fingerprint);
    QCOMPARE(models_built() - before, std::uint64_t{1});
    // The same size, within the same second.
    write("hours\n1\n3\n");
    ResultSet second = answer(question);
    second.provenance.run_id = "00000000000000ab";
    QCOMPARE(models_built() - before, std::uint64_t{2});
    QVERIFY(second.provenance.data_files != first.provenance.data_files);
    QCOMPARE(second.provenance.semantic_hash, first.provenance.semantic_hash);
    Diagnostics problems;
    const auto read = from_json(to_json(second), problems);
    QVERIFY(read && read->provenance.data_files == second.provenance.data_files);
    QVERIFY(make_report(question, second).find(second.provenance.data_files.at("delays.csv")) != std::string::npos);
    // What was interrupted goes on with the very same data only.
    auto store = std::get<ResultStore>(ResultStore::open(folder + "/runs.sqlite"));
    RunJournal journal{.run_id = "00000000000000aa",
                       .owner = "",
                       .asked = asked_text(request, Beside::none),
                       .checkpoint = "x",
                       .so_far = first};
    journal.so_far.provenance.run_id = journal.run_id;
    QVERIFY(!store.write_journal(journal));
    const auto refused = find_resumable(store, "latest", m.document(), {folder});
    QVERIFY(std::holds_alternative<Diagnostic>(refused));
    QCOMPARE(std::get<Diagnostic>(refused).code, std::string("RES014"));
    QVERIFY(std::get<Diagnostic>(refused).message.find("delays.csv") != std::string::npos);
    write("hours\n1\n2\n");
    QVERIFY(std::holds_alternative<Resumable>(find_resumable(store, "latest", m.document(), {folder})));
    // Of two that take it up one does; it is free again when that one gives it back.
    RunJournal first_of_two = std::get<RunJournal>(store.journal(journal.run_id)), second_of_two = first_of_two;
    QVERIFY(!take_up(store.path(), first_of_two));
    const auto sooner = take_up(store.path(), second_of_two);
    QVERIFY(sooner && sooner->code == "RES014");
    QVERIFY2(sooner->message.find("taken up just now by process ") != std::string::npos, sooner->message.c_str());
    const auto goes_on = find_resumable(store, "latest", m.document(), {folder});
    QVERIFY(std::holds_alternative<Diagnostic>(goes_on));
    QVERIFY(std::get<Diagnostic>(goes_on).message.find("still goes on in process ") != std::string::npos);
    give_back(store.path(), journal.run_id);
    QVERIFY(std::holds_alternative<Resumable>(find_resumable(store, "latest", m.document(), {folder})));
    QVERIFY(QFile::remove(place.filePath("delays.csv")));
    QVERIFY(std::holds_alternative<Diagnostic>(find_resumable(store, "latest", m.document(), {folder})));
  }

  void whoever_gives_no_answer_is_listed_with_the_reason() {
    SlowSolver simulation, slow("slow", true), misfit("misfit", true);
    misfit.refuse = true;
    Run run;
    Run::Order asked = order(simulation, 1000000);
    asked.company = {&slow, &misfit};
    asked.company_limits.time_s = 0.2;
    run.start(asked);
    QTRY_COMPARE(run.declined().size(), 2u);
    run.stop();
    run.wait();
    QVERIFY(run.company().empty());
    QCOMPARE(run.declined()[0].solver, std::string("slow"));
    QCOMPARE(run.declined()[0].reasons.front().code, std::string("RUN003"));
    QCOMPARE(why(run.declined()[1]), std::string("SOL001: The model has no chart."));
    QVERIFY(of_another_kind(run.declined()[1]));
  }

  // Oracle: two states, b/(a + b) in the long run; a mission of 2 h has not forgotten its start.
  void a_mean_in_the_long_run_has_its_exact_value() {
    ModelBuilder m("2 h");
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "rate(0.1 /h)"), c.transition(down, up, "rate(0.3 /h)");
    m.component("unit", "Unit");
    m.measure("at", "probability_at", "in(unit.Down)");
    std::vector<const Solver*> known;
    for (const auto& solver : solvers()) known.push_back(solver.get());
    ResultSet answer;
    const auto company = [&](const RunRequest& request) {
      Run run;
      Run::Order asked;
      asked.question = Question(m.document(), request);
      asked.solver = find_solver("simulation");
      asked.ask_beside(Beside::quick, known);
      run.start(std::move(asked));
      run.wait();
      answer = *run.result();
      return run.company();
    };
    QVERIFY(long_run_answer(company({.replications = 20}), "at") == nullptr);  // Nobody asks for it.
    // Of the mission it is a tenth; one long run estimates 0.25, and that alone stands beside it.
    m.measure("average", "time_average", "in(unit.Down)");
    RunRequest one_long_run;
    one_long_run.options["output-analysis"] = "batch-means";
    const CompanyResults limits = company(one_long_run);
    const auto average = exact_answers(answer, limits, "average");
    QCOMPARE(average.size(), std::size_t{1});
    QVERIFY(std::fabs(average.front()->estimate - 0.25) < 1e-12);
    QVERIFY(is_limit(*answer.measure("average"), answer));
    m.measure("limit", "steady_state_mean", "in(unit.Down)");
    const CompanyResults answered = company({.replications = 20});
    QVERIFY(std::fabs(exact_answers(answer, answered, "average").front()->estimate - 0.25) > 0.1);
    const auto limit = exact_answers(answer, answered, "limit");
    QCOMPARE(limit.size(), std::size_t{1});
    QVERIFY(std::fabs(limit.front()->estimate - 0.25) < 1e-12);
    const auto at = exact_answers(answer, answered, "at");
    QCOMPARE(at.size(), std::size_t{1});
    QVERIFY(std::fabs(at.front()->estimate + 0.25 * std::expm1(-0.8)) < 1e-10);
  }

  void an_exact_solver_says_where_it_answers_the_mean_alone() {
    ModelBuilder m("2 h");
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "rate(0.1 /h)"), c.transition(down, up, "rate(0.3 /h)");
    m.component("unit", "Unit");
    m.measure("how_long", "time_distribution", "count(unit.Down)"), m.measure("share", "time_average", "in(unit.Down)");
    m.measure("spread", "time_average", "count(unit.Down)", {{"distribution", "true"}});
    for (const char* solver : {"ctmc-transient", "simulation"}) {
      RunControl control;
      ResultSet r = solve_stamped(*find_solver(solver), Question(m.document(), {.replications = 20}), control);
      tell_of_means_alone(*find_solver(solver), m.document(), r);
      const auto said = std::find_if(r.diagnostics.begin(), r.diagnostics.end(),
                                     [](const Diagnostic& d) { return d.code == "SOL007"; });
      QCOMPARE(said != r.diagnostics.end(), std::string_view(solver) == "ctmc-transient");
      if (said == r.diagnostics.end()) continue;
      QCOMPARE(said->message, std::string("ctmc-transient answers the mean alone of: how_long, spread."));
      QVERIFY(r.measure("how_long")->quantiles.empty());
    }
  }

  // Too large for the work of a companion: refused by what is counted, in any time.
  void a_companion_is_refused_by_its_work_whatever_the_time() {
    ModelBuilder m("1000 h");
    ChartBuilder c(m, "Unit");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "rate(0.1 /h)"), c.transition(down, up, "rate(count(unit[*].Down) * 1 /h)");
    m.component("unit", "Unit", "500");
    m.measure("down", "time_average", "count(unit[*].Down)");
    Run run;
    Run::Order asked;
    asked.question = Question(m.document(), {.replications = 2});
    asked.solver = find_solver("simulation");
    asked.company = {find_solver("ctmc-transient")};
    asked.company_limits.time_s.reset();
    asked.company_limits.operations = 1e6;
    run.start(std::move(asked));
    run.wait();
    QCOMPARE(run.declined().size(), std::size_t{1});
    QVERIFY(run.declined()[0].fits && !of_another_kind(run.declined()[0]));
    QVERIFY2(why(run.declined()[0]).find("1e+06 operations") != std::string::npos, why(run.declined()[0]).c_str());
    const std::string report = make_report(Question(m.document(), {}), *run.result());
    QVERIFY(report.find("Exact solvers that gave no answer") != std::string::npos);
    QVERIFY(report.find("1e+06 operations") != std::string::npos);
  }

  // 100,000 customers at 1000 servers: more than a companion may take, and known before it begins.
  void a_large_queueing_network_is_declined_and_its_simulation_stays() {
    ModelBuilder m("1 s");
    const ElementId net = m.diagram("Net", "queueing");
    m.node(net, {}, "job_class", {{"name", "jobs"}, {"population", "100000"}});
    const ElementId think = m.node(net, {}, "delay", {{"name", "think"}, {"time", "exponential(mean = 1000 s)"}}),
                    desk = m.node(net, {}, "station",
                                  {{"name", "desk"}, {"servers", "1000"}, {"service", "exponential(mean = 1 s)"}});
    m.edge(net, "flow", think, desk), m.edge(net, "flow", desk, think);
    m.measure("busy", "steady_state_mean", "desk.busy");
    Run run;
    Run::Order asked;
    asked.question = Question(m.document(), {.replications = 2});
    asked.solver = find_solver("simulation");
    asked.ask_beside(Beside::quick, {find_solver("mva")});
    run.start(std::move(asked));
    run.wait();
    QVERIFY(run.state() == RunState::done && run.result()->replications == 2);
    QCOMPARE(run.declined().size(), std::size_t{1});
    QVERIFY2(why(run.declined()[0]).find("100001 populations") != std::string::npos, why(run.declined()[0]).c_str());
  }

  void pauses_do_not_count_as_elapsed() {
    SlowSolver solver;
    Run run;
    const auto begun = std::chrono::steady_clock::now();
    run.start(order(solver, 1000000));
    QTRY_COMPARE(run.state(), RunState::advancing);
    QVERIFY(run.pause());
    std::this_thread::sleep_for(300ms);
    QVERIFY(run.resume());
    run.stop();
    run.wait();
    const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begun;
    QVERIFY(run.result()->provenance.made.elapsed_s <= all.count() - 0.3);
  }

  void destroying_an_active_run_stops_it() {
    SlowSolver solver;
    const auto begun = std::chrono::steady_clock::now();
    {
      Run run;
      run.start(order(solver, 1000000));
    }
    QVERIFY(std::chrono::steady_clock::now() - begun < 1s);
  }

  void records_stand_beside_the_model() {
    QCOMPARE(default_store_path("plant/model.ergode"), std::string("plant/model.results.sqlite"));
    QCOMPARE(default_store_path("blackout.ergode"), std::string("blackout.results.sqlite"));
  }
};

QTEST_GUILESS_MAIN(TestRun)
#include "tst_run.moc"
