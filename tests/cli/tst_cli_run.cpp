#include <QRegularExpression>

#include "tests/cli/cli_test.h"

/// What runs answer, of models in every format.
class TestCliRun : public CliTest {
  Q_OBJECT
 private Q_SLOTS:
  void run_prints_one_json_document_with_the_documented_keys();
  void the_closed_form_answers_a_printed_row();
  void tables_of_a_solver_are_printed();
  void cells_that_begin_as_formulas_do_are_guarded_and_told();
  void a_long_table_says_how_to_have_it_whole();
  void columns_are_called_as_in_published_tables();
  void a_plan_of_rounds_is_stopped_at_once();
  void common_cause_parameters_are_converted_and_fitted();
  void common_cause_parameters_that_cannot_be_are_refused();
  void a_model_is_read_from_standard_input();
  void threads_change_no_bit();
  void rare_events_are_answered_with_their_effective_samples();
  void a_model_that_asks_nothing_runs_too();
  void solvers_say_why_they_cannot();
  void why_nothing_was_run_is_json_too();
  void a_solver_that_does_not_fit_exits_1();
  void a_chain_with_too_many_states_says_how_far_it_came();
  void options_of_one_go_to_it_among_all();
  void all_solvers_stand_side_by_side();
  void an_overloaded_model_is_warned_of_or_refused();
  void a_precision_not_reached_exits_4();
  void all_measures_may_be_waited_for();
  void precisions_of_measures_are_said_by_name();
  void fault_trees_run_and_are_imported();
  void programs_in_the_prism_language_run_and_are_imported();
  void an_scxml_document_is_run_imported_and_exported();
  void scxml_that_cannot_be_run_is_refused_with_its_place();
};

void TestCliRun::run_prints_one_json_document_with_the_documented_keys() {
  const Outcome run =
      ergode({"run", model_, "--json", "--no-store", "--replications", "1e4", "--seed", "9", "--scenario", "stress"});
  COMPARE_CODE(run, 0);
  const Json json = run.json();
  for (const char* key : {"run_id", "version", "solver", "seed", "scenario", "status", "replications", "parameters",
                          "options", "command"})
    QVERIFY2(json["run"].contains(key), key);
  QCOMPARE(json["run"]["seed"].get<int>(), 9);
  QCOMPARE(json["run"]["status"].get<std::string>(), std::string("complete"));
  QVERIFY(json["measures"].size() >= 8 && json["series"].size() >= 8);
  for (const Json& m : json["measures"]) {
    for (const char* key :
         {"id", "label", "unit", "estimate", "lower", "upper", "confidence", "replications", "solver"})
      QVERIFY2(m.contains(key), key);
    QVERIFY(m["lower"].get<double>() <= m["estimate"].get<double>() &&
            m["estimate"].get<double>() <= m["upper"].get<double>());
    QVERIFY(m.contains("exact_value"));  // the closed form fits this model
  }
  for (const Json& s : json["series"])
    QVERIFY(s.contains("measure") && s["x"].size() == s["y"].size() && !s["x"].empty());
}

void TestCliRun::the_closed_form_answers_a_printed_row() {
  const Outcome run = ergode({"run", model_, "--set", "lambda_ind=1.1e-3 /h", "--set", "delay_law=exponential", "--set",
                              "delay_mean=2 h", "--solver", "ccf-closed-form", "--json", "--no-store"});
  COMPARE_CODE(run, 0);
  const double printed[] = {8.97799275e-1, 9.68567027e-2, 4.64665962e-3, 4.38201380e-4, 2.59161521e-4};
  for (const Json& m : run.json()["measures"]) {
    const std::string id = m["id"];
    if (id.rfind("failed_", 0) != 0) continue;
    const double wanted = printed[id.back() - '0'];
    QVERIFY(std::abs(m["estimate"].get<double>() - wanted) < 6e-10 * std::max(1.0, wanted));
  }
}

// A trace is written by others: a spreadsheet that opens the table must not run what is in it.
void TestCliRun::cells_that_begin_as_formulas_do_are_guarded_and_told() {
  QTemporaryDir folder;
  const QString from = ERGODE_SOURCE_DIR "/examples/30_cluster_policies/";
  QVERIFY(QFile::copy(from + "model.ergode", folder.filePath("model.ergode")));
  QFile trace(folder.filePath("trace.csv"));
  QVERIFY(trace.open(QIODevice::WriteOnly));
  trace.write(
      "job_id,user,submit_time,num_gpu,cpu_num,memory_gib,duration\n=1+1,a,0,1,4,16,600\n@sum,b,10,2,8,32,60\n"
      "c,a,20,1,4,16,60\n");
  trace.close();
  const QStringList asked = {"run", folder.filePath("model.ergode"), "--no-store", "--no-cross-check", "--replications",
                             "1"};
  const Outcome table = ergode(asked + QStringList{"--table", "jobs"});
  COMPARE_CODE(table, 0);
  QVERIFY2(table.out.contains("'=1+1,") && table.out.contains("'@sum,"), qPrintable(shown(table)));
  QVERIFY2(table.err.contains("2 cells begin as formulas do"), qPrintable(shown(table)));
  // As they are where nobody runs them, and no word where there is nothing to tell.
  const Outcome json = ergode(asked + QStringList{"--json"});
  QVERIFY(json.out.contains("\"=1+1\"") && !json.out.contains("'=1+1"));
  const Outcome other = ergode(asked + QStringList{"--table", "schedule"});
  COMPARE_CODE(other, 0);
  QVERIFY2(!other.err.contains("apostrophe"), qPrintable(shown(other)));
}

void TestCliRun::a_long_table_says_how_to_have_it_whole() {
  const QStringList asked = {"run",
                             ERGODE_SOURCE_DIR "/examples/24_a100_month/model.ergode",
                             "--no-store",
                             "--no-cross-check",
                             "--set",
                             "mission_time=10 h",
                             "--replications",
                             "1"};
  const Outcome cut = ergode(asked);
  COMPARE_CODE(cut, 0);
  QVERIFY2(cut.out.contains("and 7333 rows more: --table jobs prints all, --json has them"), qPrintable(shown(cut)));
  const Outcome whole = ergode(asked + QStringList{"--table", "jobs"});
  COMPARE_CODE(whole, 0);
  QCOMPARE(whole.out.count('\n'), 7354);
}

// So that a table lies beside a published one without a word being changed: Mirage's starts, Shockwave's jobs.
void TestCliRun::columns_are_called_as_in_published_tables() {
  const auto head = [](const QString& example, const QString& table, const QStringList& set) {
    const Outcome out = ergode(QStringList{"run", ERGODE_SOURCE_DIR "/examples/" + example + "/model.ergode",
                                           "--no-store", "--no-cross-check", "--replications", "1", "--table", table} +
                               set);
    return out.code == 0 ? out.out.left(out.out.indexOf('\n')) : out.err;
  };
  const QByteArray starts =
      "sample,start,pair_nodes,cluster_nodes,pred_wait_h,avg_wait_min_last100,queue_len_at_pred_start,"
      "reactive_interruption_s,avg_policy_signed_s,";
  const QByteArray decisions = head("24_a100_month", "decisions", {"--set", "mission_time=10 h"});
  QVERIFY2(decisions.startsWith(starts), decisions.constData());
  const QByteArray jobs =
      "job,arrival_s,model,batch_size,num_gpus,mode,total_steps,epochs,listed_duration_s,exclusive_runtime_s,"
      "bs_schedule(bs x epochs),jct_s_";
  for (const auto& [policy, name] : {std::pair("shockwave", "shockwave"),
                                     {"ossp", "min_total_duration"},
                                     {"themis", "finish_time_fairness"},
                                     {"max_min", "max_min_fairness"},
                                     {"mst", "max_sum_throughput_perf"}}) {
    const QByteArray seen =
        head("25_fair_rounds", "jobs", {"--set", QString("policy=") + policy, "--set", "planning=heuristic"});
    QVERIFY2(seen.startsWith(jobs + name + ","), seen.constData());
    QCOMPARE(seen.endsWith(",jct_s_maxmin_evenfill"), QByteArray(policy) == "max_min");
  }
}

// Shockwave's plans take seconds before the first history begins.
void TestCliRun::a_plan_of_rounds_is_stopped_at_once() {
  const QStringList asked = {"run",        ERGODE_SOURCE_DIR "/examples/25_fair_rounds/model.ergode",
                             "--no-store", "--no-cross-check",
                             "--set",      "policy=shockwave"};
  QElapsedTimer clock;
  clock.start();
  const Outcome limited = ergode(asked + QStringList{"--wall-time", "0.2", "--json"});
  const qint64 stopped_ms = clock.elapsed();
  QCOMPARE(limited.json()["run"]["replications"].get<int>(), 0);
  QVERIFY2(!limited.json().contains("tables") || limited.json()["tables"].empty(), "a schedule that nobody has made");
  clock.restart();
  COMPARE_CODE(ergode(asked + QStringList{"--replications", "1"}), 0);
  const qint64 whole_ms = clock.elapsed();
  QVERIFY2(2 * stopped_ms < whole_ms, qPrintable(QString("%1 of %2 ms").arg(stopped_ms).arg(whole_ms)));
}

void TestCliRun::tables_of_a_solver_are_printed() {
  // What approximates says so, and has no interval.
  const QString closed = QString(ERGODE_SOURCE_DIR) + "/examples/10_mm1_queue/model.ergode";
  const Outcome near = ergode({"run", closed, "--no-store", "--solver", "mva", "--mva-method", "schweitzer"});
  COMPARE_CODE(near, 0);
  QVERIFY2(near.out.contains("long run, approximately") && !near.out.contains("% interval"), near.out.constData());
  const QStringList run = {
      "run",   model_,           "--set",     "lambda_ind=1.1e-3 /h", "--set", "delay_law=exponential",
      "--set", "delay_mean=2 h", "--no-store"};
  const Outcome alone = ergode(run + QStringList{"--solver", "ccf-closed-form"});
  COMPARE_CODE(alone, 0);
  QVERIFY2(alone.out.contains("failed at the end of the mission (exact, ccf-closed-form)"), alone.out.constData());
  QVERIFY2(alone.out.contains("Probability of at least so many") && alone.out.contains("0.000259162"),
           alone.out.constData());
  const Outcome table = ergode(run + QStringList{"--solver", "ccf-closed-form", "--table", "failed_member"});
  COMPARE_CODE(table, 2);
  QVERIFY2(table.err.contains("wanted one of: failed_members.") && table.err.contains("Did you mean failed_members?"),
           qPrintable(shown(table)));
  // Beside a simulation the values stand in columns; the tables of others are printed when all were asked for.
  const QStringList few = {"--replications", "100"};
  QVERIFY(!ergode(run + few).out.contains("at the end of the mission (exact"));
  QVERIFY(ergode(run + few + QStringList{"--solver", "all"}).out.contains("at the end of the mission (exact"));
}

void TestCliRun::common_cause_parameters_are_converted_and_fitted() {
  const Outcome text = ergode({"ccf", "convert", "--from", "mgl", "--to", "alpha", "--size", "4", "--values",
                               "0.05, 0.4, 0.3", "--total", "1e-3"});
  COMPARE_CODE(text, 0);
  QVERIFY2(text.out.contains("0.00095") && text.out.contains("alpha_2 = 0.0154453407"), text.out.constData());
  // The printed rows of the binomial model: Q_k, alpha factors, mean time until all have failed.
  const Json json =
      ergode({"ccf", "convert", "--from", "bfr", "--size", "4", "--values", "1.1e-3, 1e-4, 0.4, 1e-5", "--json"})
          .json();
  const double each[] = {1.10864e-3, 5.76e-6, 3.84e-6, 1.256e-5};
  for (std::size_t k = 0; k < 4; ++k)
    QVERIFY(std::abs(json["orders"][k]["each"].get<double>() - each[k]) < 1e-12 * each[0]);
  QVERIFY(std::abs(json["mean_time_to_all_failed"].get<double>() - 1797.8681) < 1e-4);
  QCOMPARE(json["sets"].size(), std::size_t{5});
  const Json& plain = json["sets"][4];
  QCOMPARE(plain["model"].get<std::string>(), std::string("alpha_nonstaggered"));
  QVERIFY(std::abs(plain["parameters"]["alpha_4"].get<double>() - 0.002793) < 5e-7);
  // 12 failures in 6 shocks: a mean of 2.
  const Json shocks = ergode({"ccf", "fit", "--model", "bfr", "--size", "4", "--time", "2 yr", "--independent", "40",
                              "--shocks", "6", "--failures", "12", "--lethal", "1", "--json"})
                          .json();
  const Json& rates = shocks["fitted"]["parameters"];
  QVERIFY(std::abs(rates["rho"].get<double>() - 0.456310988) < 1e-9);
  QVERIFY(std::abs(rates["lambda"].get<double>() - 5.0) < 1e-12 &&
          std::abs(rates["omega"].get<double>() - 0.5) < 1e-12);
  QVERIFY(std::abs(rates["mu"].get<double>() * (1 - std::pow(1 - 0.456310988, 4)) - 3.0) < 1e-7);
  QCOMPARE(shocks["unit"].get<std::string>(), std::string("/yr"));
  // A blank before the unit is usual, but nothing else can be meant without.
  QCOMPARE(ergode({"ccf", "fit", "--model", "bfr", "--size", "4", "--time", "2yr", "--independent", "40", "--shocks",
                   "6", "--failures", "12", "--lethal", "1", "--json"})
               .json(),
           shocks);
  const Json factors =
      ergode({"ccf", "fit", "--model", "alpha", "--counts", "0, 0", "--prior", "132.5, 1.848", "--json"}).json();
  QVERIFY(std::abs(factors["factors"][1]["lower"].get<double>() - 2.23e-3) < 5e-6);
  QVERIFY(factors["factors"][1]["likely"].is_null());
}

void TestCliRun::common_cause_parameters_that_cannot_be_are_refused() {
  const QStringList convert = {"ccf", "convert", "--size", "4", "--values"};
  const auto refused = [](const QStringList& command, int wanted, const char* said) {
    const Outcome out = ergode(command);
    QVERIFY2(out.code == wanted && out.out.isEmpty() && out.err.contains(said), qPrintable(shown(out)));
  };
  refused(convert + QStringList{"0.05, 1.4, 0.3", "--from", "mgl"}, 3, "CCF003");
  refused(convert + QStringList{"0.05", "--from", "mgl"}, 3, "CCF004");
  refused(convert + QStringList{"0.9, 0.2, 0, 0", "--from", "alpha_staggered"}, 3, "CCF005");
  refused(convert + QStringList{"0.1", "--from", "beta", "--total", "-1"}, 3, "CCF030");
  refused(convert + QStringList{"0.1, 0.9, 0.01", "--from", "mgl", "--to", "bfr"}, 3, "CCF031");
  refused(convert + QStringList{"0,05", "--from", "gamma"}, 2, "--from is \"gamma\"");
  refused(convert + QStringList{"0.1; 0.2", "--from", "beta"}, 2, "--values is");
  refused({"ccf", "convert", "--size", "1e99", "--values", "0.1", "--from", "beta"}, 2, "--size");
  refused({"ccf", "convert", "--size", "4", "--from", "beta"}, 2, "--values is missing");
  refused(convert + QStringList{"0.1", "--from", "beta", "--shocks", "3"}, 2, "--shocks means nothing");
  const QStringList fit = {"ccf", "fit", "--model", "bfr", "--size", "4", "--shocks", "6"};
  refused(fit + QStringList{"--time", "2 yr", "--failures", "25"}, 3, "CCF020");
  refused(fit + QStringList{"--time", "2", "--failures", "12"}, 2, "--time");
  refused(fit + QStringList{"--time", "2kg", "--failures", "12"}, 2, "a number and a unit of time");
  refused(fit + QStringList{"--time", "1e-300 s", "--failures", "12"}, 3, "CCF020");
  refused(convert + QStringList{"0.05, 0.4, 0.3", "--from", "mgl", "--total", "1e308"}, 3, "1e+308; wanted");
  refused({"ccf", "fit", "--model", "alpha", "--counts", "3, -1"}, 3, "CCF020");
  refused({"ccf", "fit", "--counts", "3, 1"}, 2, "--model is missing");
  refused({"ccf", "mend"}, 2, "mend");
}

void TestCliRun::a_model_is_read_from_standard_input() {
  QFile source(model_);
  QVERIFY(source.open(QIODevice::ReadOnly));
  const QByteArray text = source.readAll();
  const Outcome run = ergode(Command{.arguments = {"run", "-", "--json", "--replications", "100"}, .input = text});
  COMPARE_CODE(run, 0);
  QCOMPARE(run.json()["run"]["replications"].get<int>(), 100);
  COMPARE_CODE(ergode(Command{.arguments = {"validate", "-"}, .input = "nonsense"}), 3);
}

void TestCliRun::threads_change_no_bit() {
  const auto measures = [this](const char* threads) {
    const Outcome run =
        ergode({"run", other_, "--json", "--no-store", "--replications", "20000", "--seed", "4", "--threads", threads});
    if (run.code != 0) throw std::runtime_error(shown(run).toStdString());
    return run.json();
  };
  const Json one = measures("1"), two = measures("2");
  QVERIFY(one["measures"] == two["measures"]);
  QVERIFY(one["series"] == two["series"]);
  QCOMPARE(one["run"]["fingerprint"].dump(), two["run"]["fingerprint"].dump());
}

void TestCliRun::rare_events_are_answered_with_their_effective_samples() {
  const QString model = QString(ERGODE_SOURCE_DIR) + "/examples/06_rare_event/model.ergode";
  const Outcome biased = ergode({"run", model, "--no-store", "--json", "--variance-reduction", "failure-biasing",
                                 "--bias-probability", "0.4", "--replications", "20000"});
  COMPARE_CODE(biased, 0);
  const Json m = biased.json()["measures"][0];
  QVERIFY(m["effective_samples"].get<double>() > 500 && m["estimate"].get<double>() < 2e-8);
  QCOMPARE(biased.json()["run"]["options"]["bias_probability"].get<std::string>(), std::string("0.4"));
  const Outcome split = ergode({"run", model, "--no-store", "--json", "--variance-reduction", "splitting",
                                "--importance", "count(pump[*].Down)", "--levels", "1, 2, 3", "--effort", "500"});
  COMPARE_CODE(split, 0);
  QCOMPARE(split.json()["run"]["options"]["levels"].get<std::string>(), std::string("1, 2, 3"));
  // Two paths reach nothing: there is no estimate, so no interval that an exact value could be inside of.
  const Json nothing = ergode({"run", model, "--no-store", "--json", "--variance-reduction", "failure-biasing",
                               "--replications", "2", "--seed", "2"})
                           .json()["measures"][1];
  QVERIFY(nothing.contains("not_available") && nothing.contains("exact_value"));
  QVERIFY(!nothing.contains("exact_inside_interval"));
  COMPARE_CODE(ergode({"run", model, "--variance-reduction", "luck"}), 2);
  COMPARE_CODE(ergode({"run", model, "--levels", "2, 1"}), 2);
  const QString flowing = QString(ERGODE_SOURCE_DIR) + "/examples/07_heated_tank/model.ergode";
  COMPARE_CODE(ergode({"run", flowing, "--no-store", "--variance-reduction", "failure-biasing"}), 1);
}

void TestCliRun::a_model_that_asks_nothing_runs_too() {
  Outcome fresh = ergode({"new", "-"});
  COMPARE_CODE(fresh, 0);
  Json json = fresh.json();
  json["measures"] = Json::array();
  const QString path = file("nothing.ergode", QByteArray::fromStdString(json.dump()));
  const Outcome run = ergode({"run", path, "--replications", "100", "--no-store"});
  COMPARE_CODE(run, 0);
  QVERIFY(run.err.contains("MEA008"));
  QVERIFY2(run.out.startsWith("Nothing was asked: the model has no measures."), qPrintable(shown(run)));
  COMPARE_CODE(ergode({"run", path, "--replications", "100", "--no-store", "--json"}), 0);
}

void TestCliRun::solvers_say_why_they_cannot() {
  const Outcome all = ergode({"solvers"});
  COMPARE_CODE(all, 0);
  QVERIFY(all.out.contains("simulation") && all.out.contains("ccf-closed-form"));
  const Outcome of = ergode({"solvers", model_, "--set", "repair_crews=1"});
  COMPARE_CODE(of, 0);
  QVERIFY2(of.out.contains("repair"), of.out.constData());
  // A word that is neither a solver nor a file is a slip; what looks like a file is one that is not there.
  const Outcome slip = ergode({"solvers", "simulatoin"});
  COMPARE_CODE(slip, 2);
  QVERIFY2(slip.err.contains("RUN010") && slip.err.contains("Did you mean simulation?"), slip.err.constData());
  const Outcome strange = ergode({"solvers", "zzzzzzzz"});
  COMPARE_CODE(strange, 2);
  QVERIFY2(strange.err.contains("simulation") && strange.err.contains("ctmc-transient"), strange.err.constData());
  const Outcome missing = ergode({"solvers", "plant.ergode"});
  COMPARE_CODE(missing, 3);
  QVERIFY2(missing.err.contains("cannot be read"), missing.err.constData());
}

// Whoever reads JSON reads it of a model that is not run too; the codes are those of the words.
void TestCliRun::why_nothing_was_run_is_json_too() {
  const QString broken = file("broken.ergode", R"({"format": "ergode-model", "schema": 1,
    "model": {"id": "0000000000000001", "name": "Broken", "horizon": "mission"}, "diagrams": [], "parameters": [],
    "measures": [], "scenarios": [], "studies": [], "exclusions": [], "layout": {}})");
  const Outcome run = ergode({"run", broken, "--json"}), checked = ergode({"validate", broken, "--json"});
  COMPARE_CODE(run, 3);
  QCOMPARE(run.json().dump(), checked.json().dump());
  QVERIFY(run.json()["valid"] == false && run.json()["errors"].get<int>() > 0);
  QVERIFY(run.err.contains("Nothing was run"));
  const Outcome unreadable = ergode({"run", file("half.ergode", "{"), "--json"});
  COMPARE_CODE(unreadable, 3);
  QVERIFY(unreadable.json()["problems"].size() > 0);
  const Outcome misfit = ergode({"run", model_, "--no-store", "--solver", "mva", "--json"});
  COMPARE_CODE(misfit, 1);
  // One fact is one reason, whatever else there is.
  QCOMPARE(misfit.json()["problems"].size(), std::size_t{1});
  QCOMPARE(misfit.json()["problems"][0]["message"].get<std::string>(),
           std::string("The model has no queueing network."));
  QVERIFY(ergode({"run", broken}).out.isEmpty());
  // A run that fails: a customer goes round without time, and no replication ends.
  const QString round = file("round.ergode", R"~({"format": "ergode-model", "schema": 1,
    "model": {"id": "0000000000000001", "name": "Round", "horizon": "10 s", "time_unit": "s"},
    "diagrams": [{"id": "0000000000000002", "name": "Net", "notation": "queueing", "nodes": [
      {"id": "0000000000000003", "kind": "source", "name": "in", "interarrival": "exponential(mean = 1 s)"
},
      {"id": "0000000000000004", "kind": "delay", "name": "a", "time": "0 s"},
      {"id": "0000000000000005", "kind": "delay", "name": "b", "time": "0 s"}], "edges": [
      {"id": "0000000000000006", "kind": "flow", "source": "0000000000000003", "target": "0000000000000004"},
      {"id": "0000000000000007", "kind": "flow", "source": "0000000000000004", "target": "0000000000000005"},
      {"id": "0000000000000008", "kind": "flow", "source": "0000000000000005", "target": "0000000000000004"}]
}],
    "measures": [{"id": "0000000000000009", "name": "n", "type": "time_average", "expression": "a.number"}]
})~");
  const Outcome failed = ergode({"run", round, "--no-store", "--json"});
  COMPARE_CODE(failed, 1);
  const Json told = failed.json();
  QVERIFY(told["valid"] == false && told["problems"].size() == 1);
  QCOMPARE(told["problems"][0]["code"].get<std::string>(), std::string("RUN002"));
  QVERIFY(told["problems"][0]["message"].get<std::string>().find("without time passing") != std::string::npos);
  QVERIFY(failed.err.contains("RUN001"));
}

void TestCliRun::a_solver_that_does_not_fit_exits_1() {
  const Outcome run = ergode({"run", model_, "--solver", "ccf-closed-form", "--scenario", "repair", "--no-store"});
  COMPARE_CODE(run, 1);
  QVERIFY2(run.out.isEmpty() && run.err.contains("SOL001") && run.err.contains("Waiting"), qPrintable(shown(run)));
}

// M/M/1 cut at 16, 24, 36 ... customers: of one cut nothing is known of what is left out, of two how much they differ.
void TestCliRun::a_chain_with_too_many_states_says_how_far_it_came() {
  const QString queue = QString(ERGODE_SOURCE_DIR) + "/examples/10_mm1_queue/model.ergode";
  const auto said = [&](const char* states) {
    const Outcome o = ergode({"run", queue, "--no-store", "--solver", "ctmc-network", "--state-limit", states});
    return o.code == 1 ? o.err : QString("exit code %1").arg(o.code);
  };
  QVERIFY2(said("10").contains("more than 10 states already with 16 customers."), qPrintable(said("10")));
  QVERIFY2(said("20").contains("more than 20 states with 24 customers, and with fewer there is one answer only"),
           qPrintable(said("20")));
  QVERIFY2(said("30").contains(QRegularExpression("and with fewer means still change by 0\\.[0-9]+ of their value")),
           qPrintable(said("30")));
}

// What is for one of all solvers is given to it; the others go on as they are. What is for none of them is refused.
void TestCliRun::options_of_one_go_to_it_among_all() {
  const QString queue = QString(ERGODE_SOURCE_DIR) + "/examples/10_mm1_queue/model.ergode";
  const QStringList asked = {"run", queue, "--no-store", "--solver", "all", "--replications", "20", "--json"};
  const auto answers = [&](const QStringList& more) {
    const Outcome o = ergode(asked + more);
    std::map<std::string, Json> out;
    if (o.code != 0) return QTest::qFail(o.err.constData(), __FILE__, __LINE__), out;
    const Json json = o.json();
    for (const Json& m : json["measures"])
      if (m["id"].get<std::string>() == "queue_length")
        for (const Json& one : m["exact_values"]) out[one["solver"].get<std::string>()] = one;
    return out;
  };
  auto plain = answers({}), near = answers({"--mva-method", "schweitzer"});
  QVERIFY(plain.count("mva") == 1 && plain.count("queueing-closed-form") == 1);
  QCOMPARE(near["queueing-closed-form"].dump(), plain["queueing-closed-form"].dump());
  QCOMPARE(near.count("mva"), std::size_t{0});  // what approximates is no exact value beside
  const Outcome all = ergode(asked.mid(0, asked.size() - 1) + QStringList{"--mva-method", "schweitzer"});
  QVERIFY2(all.out.contains("settles at, approximately (mva)"), all.out.constData());
  // Every exact solver has its column, and none is empty: one measure is of the mission.
  const Outcome table = ergode(asked.mid(0, asked.size() - 1));
  const QString head = QString(table.out).section('\n', 0, 0), row = QString(table.out).section('\n', 1, 1);
  for (const char* solver :
       {"exact (mva)", "exact (queueing-closed-form)", "exact (ctmc-network)", "exact (ctmc-network-transient)"})
    QVERIFY2(head.contains(solver), qPrintable(head));
  QVERIFY2(row.count(QRegularExpression(" 9(\\.0*)?(?= )")) >= 3, qPrintable(row));
  const Outcome other = ergode(asked + QStringList{"--gg-formula", "brownian"});
  COMPARE_CODE(other, 2);
  QVERIFY2(other.err.contains("--solver gg-approximation"), other.err.constData());
}

void TestCliRun::all_solvers_stand_side_by_side() {
  const QString store = fresh("all");
  // 99.99 %: of ten measures one is outside by bad luck in a thousand seeds; this seed is none of them.
  const QStringList asked = {"run", pumps_, "--solver", "all", "--replications", "4000", "--confidence", "0.9999"};
  const Outcome run = ergode(asked + QStringList{"--json", "--out", store});
  COMPARE_CODE(run, 0);
  const Json json = run.json();
  QCOMPARE(json["run"]["solver"].get<std::string>(), std::string("simulation"));
  for (const Json& m : json["measures"]) {
    QVERIFY(m["exact"].is_boolean() && !m["exact"].get<bool>());
    QCOMPARE(m["exact_values"].size(), std::size_t{1});
    QCOMPARE(m["exact_values"][0]["solver"].get<std::string>(), std::string("ctmc-transient"));
    QVERIFY2(m["exact_values"][0]["inside_interval"].get<bool>(), m["id"].get<std::string>().c_str());
    QVERIFY(m["exact_values"][0]["lower"].get<double>() < m["exact_values"][0]["upper"].get<double>());
    QVERIFY(m.contains("long_run"));
    if (m["id"] == "time_to_failure") QVERIFY(std::abs(m["long_run"]["value"].get<double>() - 2500.0) < 1e-6);
  }
  std::map<std::string, bool> answered;
  for (const Json& one : json["solvers"]) answered[one["name"]] = one["answered"];
  const std::map<std::string, bool> wanted = {
      {"simulation", true}, {"ccf-closed-form", false}, {"ctmc-transient", true}, {"ctmc-steady-state", true}};
  for (const auto& [name, yes] : wanted) QVERIFY2(answered.contains(name) && answered[name] == yes, name.c_str());
  // On a terminal nobody heads a column in which nothing stands, and each who knows the long run tells it.
  const Outcome terminal = ergode({"run", ERGODE_SOURCE_DIR "/examples/10_mm1_queue/model.ergode", "--solver", "all",
                                   "--no-store", "--replications", "3"});
  COMPARE_CODE(terminal, 0);
  const QStringList lines = QString::fromUtf8(terminal.out).split("\n\n").front().split('\n');
  QVERIFY2(lines.front().contains("(mva)") && lines.front().contains("(qbd)"), qPrintable(shown(terminal)));
  auto heads = QRegularExpression("\\S+( \\S+)*").globalMatch(lines.front());
  while (heads.hasNext()) {
    const auto head = heads.next();
    const bool any = std::any_of(lines.begin() + 1, lines.end(), [&](const QString& line) {
      return !line.mid(head.capturedStart(), head.capturedLength()).trimmed().isEmpty();
    });
    QVERIFY2(any, qPrintable(head.captured() + " heads nothing"));
  }
  // Each answer is a run of its own.
  const Outcome kept = ergode({"results", pumps_, "--store", store, "--json"});
  COMPARE_CODE(kept, 0);
  QCOMPARE(kept.json().size(), std::size_t{3});

  const Outcome table = ergode(asked + QStringList{"--no-store"});
  COMPARE_CODE(table, 0);
  for (const char* word : {"ctmc-transient", "inside", "ctmc-steady-state", "ccf-closed-form gave no answer", "SOL001"})
    QVERIFY2(table.out.contains(word), word);
  QVERIFY(!table.out.contains("  no  "));  // in the column "inside"
}

void TestCliRun::an_overloaded_model_is_warned_of_or_refused() {
  const QString queue = QStringLiteral(ERGODE_SOURCE_DIR "/examples/10_mm1_queue/model.ergode");
  const QStringList asked = {"run", queue,   "--no-store",       "--no-cross-check", "--replications",
                             "2",   "--set", "mission_time=10 s"};
  const QStringList heavy = asked + QStringList{"--set", "lambda=2 /s"};
  const Outcome warned = ergode(heavy);
  COMPARE_CODE(warned, 0);
  QVERIFY2(warned.err.contains("QN010"), warned.err);
  const Outcome refused = ergode(heavy + QStringList{"--refuse-overload"});
  COMPARE_CODE(refused, 3);
  QVERIFY2(refused.err.contains("RUN048") && refused.err.contains("gets 2 times the work that its servers can do"),
           refused.err);
  QVERIFY(refused.out.isEmpty());
  COMPARE_CODE(ergode(asked + QStringList{"--refuse-overload"}), 0);
  // In another scenario than the one that is run it refuses nothing, and is no word about points of a sweep.
  QTemporaryDir folder;
  const QString other = folder.filePath("model.ergode");
  QFile from(queue), to(other);
  QVERIFY(from.open(QIODevice::ReadOnly) && to.open(QIODevice::WriteOnly));
  to.write(from.readAll().replace("\"lambda = 0.5 /s\"", "\"lambda = 2 /s\""));
  to.close();
  QStringList beside = asked;
  beside[1] = other;
  beside << "--refuse-overload";
  COMPARE_CODE(ergode(beside), 0);
  COMPARE_CODE(ergode(beside + QStringList{"--scenario", "half_load"}), 3);
  const Outcome swept =
      ergode({"sweep", other, "--vary", "mission_time=10 s:20 s:2", "--replications", "2", "--no-store"});
  COMPARE_CODE(swept, 0);
  QVERIFY2(!swept.out.contains("QN010"), swept.out);
}

void TestCliRun::a_precision_not_reached_exits_4() {
  const Outcome few = ergode({"run", model_, "--scenario", "stress", "--precision", "0.001", "--replications", "3000",
                              "--json", "--no-store"});
  COMPARE_CODE(few, 4);
  QVERIFY(few.json()["measures"].size() >= 8 && few.err.contains("precision"));
  const Outcome enough = ergode({"run", model_, "--scenario", "stress", "--precision", "0.1", "--json", "--no-store"});
  COMPARE_CODE(enough, 0);
  QCOMPARE(enough.json()["run"]["stop_reason"].get<std::string>(), std::string("precision"));
}

/// Of one history, until its headline measures are known or until all are: the table says which, and the rest is named.
void TestCliRun::all_measures_may_be_waited_for() {
  const QStringList run = {"run",
                           QString(ERGODE_SOURCE_DIR) + "/examples/16_fork_join/model.ergode",
                           "--precision",
                           "0.02",
                           "--json",
                           "--no-store",
                           "--no-cross-check"};
  const auto waited_for = [](const Outcome& o, std::string& note) {
    const Json json = o.json();
    std::set<std::string> names;
    for (const Json& table : json["tables"]) {
      if (table["name"] != "precision") continue;
      note = table["note"].get<std::string>();
      for (const Json& row : table["rows"]) {
        names.insert(row[0].get<std::string>());
        if (row[2] > row[1]) names.clear();  // not reached
      }
    }
    return names;
  };
  std::string note;
  const Outcome some = ergode(run);
  COMPARE_CODE(some, 0);
  const std::set<std::string> headline = waited_for(some, note);
  const Json json = some.json();
  std::set<std::string> every;
  for (const Json& measure : json["measures"]) every.insert(measure["id"].get<std::string>());
  QVERIFY(headline.size() == 1 && every.size() == 4);
  for (const std::string& one : every)
    if (headline.count(one) == 0) QVERIFY2(note.find(one) != std::string::npos, note.c_str());
  QVERIFY2(note.find("--precision-measures all") != std::string::npos, note.c_str());
  const Outcome all = ergode(run + QStringList{"--precision-measures", "all"});
  COMPARE_CODE(all, 0);
  QVERIFY(waited_for(all, note) == every);
  QVERIFY2(note.find("Not waited for") == std::string::npos, note.c_str());
  QCOMPARE(all.json()["run"]["stop_reason"].get<std::string>(), std::string("precision"));
  const Outcome none = ergode(run + QStringList{"--precision-measures", "some"});
  COMPARE_CODE(none, 2);
  QVERIFY2(none.err.contains("headline or all"), none.err.constData());
}

void TestCliRun::precisions_of_measures_are_said_by_name() {
  const QStringList run = {"run", model_, "--scenario", "stress", "--json", "--no-store", "--no-cross-check"};
  const Outcome one = ergode(run + QStringList{"--precision", "0.2"});
  COMPARE_CODE(one, 0);
  const std::string id = one.json()["measures"][0]["id"].get<std::string>();
  const Outcome two = ergode(run + QStringList{"--precision", "0.2", "--precision", (id + " = 5 %").c_str()});
  COMPARE_CODE(two, 0);
  QVERIFY(two.json()["run"]["replications"] > one.json()["run"]["replications"]);
  const std::string options = two.json()["run"]["options"]["precision"].get<std::string>();
  QCOMPARE(options, "0.2, " + id + "=0.05");
  QVERIFY(two.json()["run"]["command"].get<std::string>().find("--precision '0.2, " + id + "=0.05'") !=
          std::string::npos);
  bool there = false;
  const Json json = two.json();
  for (const Json& table : json["tables"]) {
    if (table["name"] != "precision") continue;
    for (const Json& row : table["rows"])
      if (row[0] == id) there = row[1] == 0.05 && row[2] <= 0.05 && row[3].get<std::string>().rfind("reached", 0) == 0;
    QVERIFY(table["note"].get<std::string>().find(id) != std::string::npos);
  }
  QVERIFY(there);
  const Outcome few = ergode(run + QStringList{"--precision", (id + "=0.001").c_str(), "--replications", "3000"});
  COMPARE_CODE(few, 4);
  QVERIFY2(few.err.contains(id.c_str()) && few.err.contains("wanted 0.1 %"), few.err.constData());
  const Outcome unknown = ergode(run + QStringList{"--precision", "nobody=0.1"});
  COMPARE_CODE(unknown, 3);
  QVERIFY(unknown.err.contains("RUN010") && unknown.err.contains(id.c_str()));
  COMPARE_CODE(ergode(run + QStringList{"--precision", "0.1", "--precision", "0.2"}), 2);
}

void TestCliRun::fault_trees_run_and_are_imported() {
  const QString tree = file("tree.dft", "toplevel T; T csp A B; A lambda=1; B lambda=1;");
  const QString model = folder_.filePath("tree.ergode");
  COMPARE_CODE(ergode({"import", tree, "-o", model}), 0);
  const QStringList options = {"--no-store", "--json", "--set", "mission_time = 2 h", "--replications", "5000"};
  const Outcome direct = ergode(QStringList{"run", tree} + options),
                imported = ergode(QStringList{"run", model} + options);
  COMPARE_CODE(direct, 0);
  COMPARE_CODE(imported, 0);
  const Json by_end = direct.json()["measures"][0];
  QCOMPARE(by_end["id"].get<std::string>(), std::string("failed_by_end"));
  QVERIFY(std::abs(by_end["exact_value"].get<double>() - (1 - 3 * std::exp(-2.0))) < 1e-10);  // Erlang
  QCOMPARE(by_end["estimate"].get<double>(), imported.json()["measures"][0]["estimate"].get<double>());
  const Outcome importance =
      ergode({"importance", file("or.dft", "toplevel T; T or A B; A prob=0.5; B prob=0.5;"), "--time", "1", "--json"});
  COMPARE_CODE(importance, 0);
  QCOMPARE(importance.json()["top"].get<double>(), 0.75);
  QCOMPARE(importance.json()["events"][0]["birnbaum"].get<double>(), 0.5);
  COMPARE_CODE(ergode({"importance", tree, "--time", "1"}), 3);
  COMPARE_CODE(ergode({"importance", tree, "--time", "soon"}), 2);
  const Outcome wrong = ergode({"run", file("wrong.dft", "toplevel T;\nT and A;")});
  COMPARE_CODE(wrong, 3);
  QVERIFY2(wrong.err.contains("GAL004") && wrong.err.contains("line 2, column 7"), wrong.err.constData());
}

void TestCliRun::programs_in_the_prism_language_run_and_are_imported() {
  const QString program_file = file("pair.prism",
                                    "ctmc const double a; module One x:[0..1]; [go] x=0 -> a:(x'=1); endmodule "
                                    "module Two y:[0..1]; [go] y=0 -> 3:(y'=1); endmodule label \"both\" = x=1 & y=1;");
  const QStringList options = {"--solver", "ctmc-transient", "--set", "a=2", "--set", "mission_time=0.5 h", "--json"};
  const QString model = folder_.filePath("pair.ergode");
  COMPARE_CODE(ergode({"import", program_file, "-o", model}), 0);
  for (const QString& path : {program_file, model}) {
    const Outcome run = ergode(QStringList{"run", path} + options);
    COMPARE_CODE(run, 0);
    const double seen = run.json()["measures"][0]["estimate"].get<double>();
    QVERIFY2(std::abs(seen - (1 - std::exp(-3.0))) < 1e-9, qPrintable(shown(run)));
  }
  const Outcome wrong =
      ergode({"validate", file("wrong.prism", "ctmc\nmodule M x:[0..1]; [] z=0 -> 1:true; endmodule")});
  COMPARE_CODE(wrong, 3);
  QVERIFY2((wrong.out + wrong.err).contains("line 2, column 23"), qPrintable(shown(wrong)));
  // A variable beyond its range is called that.
  const Outcome beyond = ergode({"run",
                                 file("beyond.prism",
                                      "ctmc\nmodule M x:[0..2]; [] x>=0 -> 99:(x'=x+1); endmodule\n"
                                      "label \"some\" = x>0;"),
                                 "--no-store", "--replications", "3"});
  QVERIFY2(beyond.code == 1 && beyond.err.contains("M: \"x >= 0 and x <= 2\" does not hold any more at time ") &&
               !beyond.err.contains("rate"),
           qPrintable(shown(beyond)));
}

void TestCliRun::an_scxml_document_is_run_imported_and_exported() {
  const QString chart =
      file("lamp.scxml", R"xml(<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" initial="off-1">
      <state id="off-1"><onexit><send event="timeout" delay="10ms"/></onexit><transition event="press" target="on"/></state>
      <state id="on"><transition event="timeout" target="dim"/></state>
      <state id="dim"><transition event="press" target="end"/></state><final id="end"/></scxml>)xml");
  const Outcome run = ergode({"run", chart, "--events", "press,press,press@+20ms", "--json"});
  COMPARE_CODE(run, 0);
  // By hand: the second press finds nobody, the third comes after the delay.
  QCOMPARE(run.json()["configurations"].dump(), std::string(R"([["off-1"],["on"],["on"],["end"]])"));
  QCOMPARE(run.json()["final"].get<std::string>(), std::string("end"));
  QCOMPARE(ergode({"run", chart, "--events", "press@2s"}).code, 0);
  // What every script says of any model: there is neither a store nor a bar here.
  COMPARE_CODE(ergode({"run", chart, "--events", "press@2s", "--progress", "none", "--no-store"}), 0);
  QCOMPARE(ergode({"run", chart, "--events", "press@soon"}).code, 2);
  QCOMPARE(ergode({"run", chart, "--horizon", "ten"}).code, 2);
  QCOMPARE(ergode({"run", chart, "--horizon", "1e308 yr"}).code, 2);
  QCOMPARE(ergode({"run", chart, "--events", "x@1e308yr"}).code, 2);
  QCOMPARE(ergode({"run", model_, "--events", "press"}).code, 2);

  const QString model = folder_.filePath("lamp.ergode"), again = folder_.filePath("again.scxml");
  COMPARE_CODE(ergode({"import", chart, "-o", model}), 0);
  COMPARE_CODE(ergode({"validate", model}), 0);
  COMPARE_CODE(ergode({"export", model, "--format", "scxml", "-o", again}), 0);
  const Outcome rerun = ergode({"run", again, "--events", "press,press,press@+20ms", "--json"});
  QCOMPARE(rerun.json()["configurations"], run.json()["configurations"]);
  const Outcome boost = ergode({"export", again, "--format", "boost-statechart"});
  COMPARE_CODE(boost, 3);  // it has a delay
  QVERIFY2(boost.err.contains("SCX201") && boost.err.contains("off_1"), boost.err.constData());
  QCOMPARE(ergode({"export", model_, "--format", "scxml", "--chart", "Generator"}).code, 3);
  QCOMPARE(ergode({"export", model_, "--format", "scxml", "--chart", "Generatr"}).code, 3);
}

void TestCliRun::scxml_that_cannot_be_run_is_refused_with_its_place() {
  const Outcome broken = ergode({"run", file("broken.scxml", "<scxml>\n <state id=a/></scxml>")});
  COMPARE_CODE(broken, 3);
  QVERIFY2(broken.err.contains("SCX001") && broken.err.contains("line 2, column 12"), broken.err.constData());
  const QString partial = file("partial.scxml",
                               "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" version=\"1.0\">\n"
                               "<state id=\"a\"><invoke/></state></scxml>");
  const Outcome refused = ergode({"run", partial});
  COMPARE_CODE(refused, 3);
  QVERIFY2(refused.err.contains("SCX005 2:16") && refused.err.contains("<invoke>"), refused.err.constData());
  // A check says beforehand what a run says.
  const Outcome checked = ergode({"validate", partial});
  COMPARE_CODE(checked, 3);
  QVERIFY2(checked.out.contains("SCX020") && refused.err.contains("SCX020"), checked.out.constData());
  COMPARE_CODE(ergode({"import", partial, "-o", folder_.filePath("partial.ergode")}), 0);
  QCOMPARE(ergode({"import", model_}).code, 2);
  QCOMPARE(ergode({"run", folder_.filePath("nowhere.scxml")}).code, 3);
}

QTEST_GUILESS_MAIN(TestCliRun)
#include "tst_cli_run.moc"
