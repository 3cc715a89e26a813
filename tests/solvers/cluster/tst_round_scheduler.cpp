// Drawn round schedulers: what a history plays and what its tables hold is what the simulator of rounds says.
#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "core/base/read_file.h"
#include "core/base/text.h"
#include "core/des/lowering.h"
#include "solvers/cluster/lowering/round_lowering.h"
#include "solvers/cluster/rounds/fairness.h"
#include "solvers/cluster/traces/gavel_trace.h"
#include "solvers/cluster/traces/throughput_table.h"
#include "solvers/model/analysis_model.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

const std::string rounds_folder = std::string(ERGODE_SOURCE_DIR) + "/examples/25_fair_rounds";

ResultSet run_example(Overrides overrides, const std::string& folder = rounds_folder) {
  RunRequest request;
  request.folder = folder, request.overrides = std::move(overrides), request.replications = 1;
  return solved(example("25_fair_rounds"), request);
}

double number(const ResultTable& table, std::size_t row, std::size_t column) {
  return std::get<double>(table.rows.at(row).at(column));
}

struct ExampleRun {
  std::vector<RoundJob> jobs;
  RoundRun run;
  Fairness fairness;
  ExampleRun(RoundPolicy policy, int gpus) {
    const auto text = [](const char* name) { return std::get<std::string>(read_text(rounds_folder + "/" + name)); };
    jobs = std::get<0>(read_training_trace(text("trace.tsv"), "trace.tsv"));
    const auto speeds = std::get<0>(read_throughputs(text("throughputs.csv"), "throughputs.csv"));
    RoundOptions options;
    options.policy = policy, options.gpus = gpus;
    run = run_rounds(jobs, speeds, options);
    std::vector<double> exclusive_s;
    for (const RoundJob& job : jobs) exclusive_s.push_back(profile_of(job, speeds).exclusive_s);
    fairness = fairness_of(jobs, run, exclusive_s, gpus);
  }
};

void compare_equal(double seen, double wanted, const char* what) {
  QVERIFY2(std::fabs(seen - wanted) <= 1e-9 * std::fabs(wanted),
           qPrintable(QString("%1: %2, wanted %3").arg(what).arg(seen, 0, 'g', 14).arg(wanted, 0, 'g', 14)));
}

}  // namespace

class TestRoundScheduler : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(round_lowering); }

  void a_history_plays_the_schedule_data() {
    QTest::addColumn<QString>("word");
    QTest::addColumn<int>("policy");
    QTest::addColumn<int>("gpus");
    const char* words[] = {"max_min", "mst", "gandiva_fair", "allox", "ossp", "themis"};
    for (int i = 0; i < 6; ++i) QTest::newRow(words[i]) << words[i] << i << (i % 2 == 0 ? 32 : 16);
  }
  void a_history_plays_the_schedule() {
    QFETCH(QString, word);
    QFETCH(int, policy);
    QFETCH(int, gpus);
    const ExampleRun wanted(static_cast<RoundPolicy>(policy), gpus);
    const ResultSet results = run_example({{"policy", word.toStdString()}, {"gpus", std::to_string(gpus)}});
    compare_equal(estimate(results, "mean_response_time"), wanted.fairness.mean_jct_s, "mean JCT");
    compare_equal(estimate(results, "makespan"), wanted.fairness.makespan_s, "makespan");
    compare_equal(estimate(results, "worst_finish_time_fairness"), wanted.fairness.worst_rho, "worst rho");
    compare_equal(estimate(results, "unfair_fraction"), wanted.fairness.unfair_fraction, "unfair");
    compare_equal(estimate(results, "utilisation"), wanted.fairness.utilisation, "utilisation");
    QCOMPARE(estimate(results, "jobs_done"), 120.0);
    const ResultTable& jobs = table_named(results, "jobs");
    QCOMPARE(jobs.rows.size(), wanted.jobs.size());
    for (std::size_t i = 0; i < jobs.rows.size(); ++i) {
      QCOMPARE(std::get<double>(jobs.rows[i][11]), wanted.fairness.jct_s[i]);
      QCOMPARE(std::get<double>(jobs.rows[i][14]), wanted.fairness.rho[i]);
    }
    QCOMPARE(table_named(results, "rounds").rows.size(), wanted.run.rounds.size());
  }

  /// Columns that published tables have are called as there.
  void columns_are_those_of_the_published_table() {
    const ResultSet results = run_example({{"policy", "themis"}});
    const ResultTable& jobs = table_named(results, "jobs");
    const char* names[] = {"job",
                           "arrival_s",
                           "model",
                           "batch_size",
                           "num_gpus",
                           "mode",
                           "total_steps",
                           "epochs",
                           "listed_duration_s",
                           "exclusive_runtime_s",
                           "bs_schedule(bs x epochs)",
                           "jct_s_finish_time_fairness"};
    for (std::size_t i = 0; i < std::size(names); ++i) QCOMPARE(jobs.columns[i].label, std::string(names[i]));
  }

  // What a job pays is for the GPUs of the rounds that list it; together that is what the cluster spends over time.
  void rounds_cost_what_their_gpus_do() {
    Document document = example("25_fair_rounds");
    const Element* scheduler = nullptr;
    for (const Element& element : document.elements())
      if (element.kind == "round_scheduler") scheduler = &element;
    Element priced = *scheduler;
    for (const auto& [property, value] :
         {std::pair("price", "7.2 USD/h"), {"budget", "100 USD/h"}, {"busy_power", "300 W"}, {"idle_power", "50 W"}})
      priced.properties[property] = value;
    document.replace(document.index_of(priced.id), priced);
    RunRequest request;
    request.folder = rounds_folder, request.overrides = {{"policy", "themis"}}, request.replications = 2;
    const ResultSet results = solved(document, request);
    const ResultTable &jobs = table_named(results, "jobs"), &rounds = table_named(results, "rounds"),
                      &spend = table_named(results, "spend");
    std::vector<double> held_s(jobs.rows.size());
    double busy_gpu_s = 0.0, end_s = 0.0;
    for (std::size_t r = 0; r < rounds.rows.size(); ++r) {
      const double time_s = number(rounds, r, 2) - number(rounds, r, 1);
      std::istringstream who(std::get<std::string>(rounds.rows[r][6]));
      for (std::size_t job = 0; who >> job;) held_s[job] += time_s * number(jobs, job, 4);
      busy_gpu_s += time_s * number(rounds, r, 5), end_s = number(rounds, r, 2);
    }
    const std::size_t cost = jobs.columns.size() - 2;
    QCOMPARE(jobs.columns[cost + 1].label, std::string("state"));
    QCOMPARE(jobs.columns[cost].label, std::string("cost_usd"));
    QCOMPARE(jobs.columns[cost - 2].label, std::string("jct_s"));
    double all = 0.0;
    for (std::size_t i = 0; i < held_s.size(); ++i) {
      compare_equal(number(jobs, i, cost), held_s[i] * 0.002, "cost of a job");
      QCOMPARE(number(jobs, i, cost - 2), number(jobs, i, 11));
      all += number(jobs, i, cost);
    }
    QVERIFY(all > 100.0);
    compare_equal(all, busy_gpu_s * 0.002, "cost of all jobs");
    const auto last = [&](const char* label) {
      for (std::size_t c = 0; c < spend.columns.size(); ++c)
        if (spend.columns[c].label == label) return number(spend, spend.rows.size() - 1, c);
      return -1.0;
    };
    constexpr double mission_s = 1000.0 * 86400.0;  // GPUs stand idle when all is done, until then
    QVERIFY(end_s < mission_s);
    compare_equal(last("time") * 3600.0, mission_s, "end of the run");
    compare_equal(last("cost_so_far"), all, "cost so far");
    compare_equal(last("energy_so_far") * 3.6e6, busy_gpu_s * 250.0 + 32.0 * 50.0 * mission_s, "energy");
    compare_equal(last("budget_so_far"), 100.0 / 3600.0 * mission_s, "budget");
    QCOMPARE(last("spend"), 0.0);
    QCOMPARE(last("power"), 1600.0);
  }

  void plans_say_when_they_are_heuristic() {
    const ResultSet results = run_example({{"policy", "shockwave"}, {"planning", "heuristic"}});
    const ResultTable& schedule = table_named(results, "schedule");
    QVERIFY(schedule.note.find("plans are heuristic: made by marginal gains, as asked.") != std::string::npos);
    QCOMPARE(std::get<double>(schedule.rows[0][8]), std::get<double>(schedule.rows[0][10]));
    QCOMPARE(estimate(results, "jobs_done"), 120.0);
  }

  // Oracles: time in rounds after a plan, from the table of rounds; before anything has run, a job that never changes
  // its batch size needs about its exclusive runtime.
  void predictions_stand_beside_what_came() {
    const ResultSet results = run_example({{"policy", "shockwave"}, {"gpus", "64"}});
    const ResultTable &predictions = table_named(results, "predictions"), &rounds = table_named(results, "rounds"),
                      &jobs = table_named(results, "jobs");
    QVERIFY(predictions.rows.size() > jobs.rows.size());
    std::vector<std::vector<double>> ran_s(jobs.rows.size(), std::vector<double>(rounds.rows.size() + 1));
    for (std::size_t r = rounds.rows.size(); r-- > 0;) {
      for (auto& of_job : ran_s) of_job[r] = of_job[r + 1];
      for (const QString& job : QString::fromStdString(std::get<std::string>(rounds.rows[r][6])).split(' '))
        if (!job.isEmpty()) ran_s[job.toUInt()][r] += number(rounds, r, 2) - number(rounds, r, 1);
    }
    std::vector<bool> met(jobs.rows.size());
    std::size_t fixed = 0;
    for (std::size_t i = 0; i < predictions.rows.size(); ++i) {
      const auto round = static_cast<std::size_t>(number(predictions, i, 0)),
                 job = static_cast<std::size_t>(number(predictions, i, 2));
      QCOMPARE(number(predictions, i, 1), number(rounds, round, 1));
      QVERIFY(std::fabs(number(predictions, i, 4) - ran_s[job][round]) < 1e-6);
      QVERIFY(number(predictions, i, 3) >= 0.0);
      const bool first = !met[job];
      met[job] = true;
      if (!first || std::get<std::string>(jobs.rows[job][5]) != "static") continue;
      ++fixed;
      const double whole_s = number(jobs, job, 9), predicted_s = number(predictions, i, 3);
      QVERIFY2(predicted_s > 0.8 * whole_s && predicted_s < 1.05 * whole_s, qPrintable(QString::number(job)));
    }
    QVERIFY(fixed > 10);
    const ResultSet other = run_example({{"policy", "max_min"}});
    for (const ResultTable& one : other.tables) QVERIFY(one.name != "predictions" && !one.name.starts_with("market"));
    markets_stand_beside_plans(results, rounds);
  }

  // Oracles: nobody buys less than an equal part of all rounds; money is spent, and no more than on all GPUs; who runs
  // in the round of a plan was given something.
  void markets_stand_beside_plans(const ResultSet& results, const ResultTable& rounds) {
    const ResultTable &market = table_named(results, "market"), &prices = table_named(results, "market_prices");
    std::map<double, double> money, asked;
    std::map<std::pair<std::size_t, std::size_t>, double> planned;
    for (std::size_t i = 0; i < market.rows.size(); ++i) {
      QVERIFY(number(market, i, 5) >= number(market, i, 7) * (1.0 - 1e-6) && number(market, i, 7) > 0.0);
      money[number(market, i, 0)] += number(market, i, 3);
      planned[{static_cast<std::size_t>(number(market, i, 0)), static_cast<std::size_t>(number(market, i, 2))}] =
          number(market, i, 6);
    }
    for (std::size_t i = 0; i < prices.rows.size(); ++i) asked[number(prices, i, 0)] += 64.0 * number(prices, i, 3);
    QVERIFY(money.size() > 50 && prices.rows.size() == 20 * money.size());
    for (const auto& [round, all] : money) QVERIFY(asked[round] >= all * (1.0 - 1e-6));
    std::size_t seen = 0;
    for (std::size_t r = 0; r < rounds.rows.size(); ++r) {
      if (!money.contains(static_cast<double>(r))) continue;
      for (const QString& job : QString::fromStdString(std::get<std::string>(rounds.rows[r][6])).split(' '))
        if (const auto found = planned.find({r, job.toUInt()}); found != planned.end())
          QVERIFY(++seen > 0 && found->second > 0.0);
    }
    QVERIFY(seen > 500);
  }

  // The schedule of the jobs that are left is that of a trace which has them alone; they keep their numbers.
  void jobs_without_a_throughput_may_be_left_out() {
    const auto line = [](const char* batch, const char* steps, const char* arrival) {
      return std::string("LM (batch size ") + batch + ")\t-\t-\t1\t" + steps + "\t" + arrival + "\t1\n";
    };
    const std::string kept[] = {line("5", "4000", "0"), line("5", "9000", "7")};
    const auto run = [](const std::string& trace, const char* missing, Diagnostics& found) {
      const QTemporaryDir folder;
      std::ofstream(folder.path().toStdString() + "/g.trace") << trace;
      std::ofstream(folder.path().toStdString() + "/t.csv") << "model,batch_size,num_gpus,steps_per_s\nLM,5,1,2\n";
      ModelBuilder m("1e6 s");
      Value v = {{"name", "grid"}, {"trace", "g.trace"}, {"throughputs", "t.csv"}, {"gpus", "1"}};
      if (*missing != '\0') v["missing_throughputs"] = missing;
      m.node(m.diagram("Cluster", "cluster"), {}, "round_scheduler", v);
      m.measure("done", "final_value", "grid.done");
      RunRequest request;
      request.folder = folder.path().toStdString(), request.replications = 1;
      const bool fine = build_model(m.document(), request, request.folder, found) != nullptr;
      return fine ? solved(m.document(), request) : ResultSet();
    };
    Diagnostics found, none, refused, nobody;
    const ResultSet r = run(kept[0] + line("10", "50", "3") + kept[1], "leave_out", found),
                    alone = run(kept[0] + kept[1], "", none);
    QCOMPARE(codes(found), std::string("RND015"));
    QVERIFY2(found[0].message.starts_with("1 job of ") &&
                 found[0].message.ends_with("no throughput for LM with batch size 10 on 1 GPUs: job 1."),
             found[0].message.c_str());
    const ResultTable &jobs = table_named(r, "jobs"), &wanted = table_named(alone, "jobs");
    QCOMPARE(jobs.rows.size(), std::size_t{2});
    QCOMPARE(number(jobs, 0, 0), 0.0);
    QCOMPARE(number(jobs, 1, 0), 2.0);
    for (std::size_t row = 0; row < 2; ++row)
      for (const std::size_t column : {std::size_t{1}, std::size_t{11}, std::size_t{13}, std::size_t{14}})
        QCOMPARE(number(jobs, row, column), number(wanted, row, column));
    QCOMPARE(table_named(r, "left_out").rows.size(), std::size_t{1});
    QCOMPARE(number(table_named(r, "left_out"), 0, 0), 1.0);
    QCOMPARE(estimate(r, "done"), 2.0);
    run(kept[0] + line("10", "50", "3"), "", refused), run(line("10", "50", "3"), "leave_out", nobody);
    QCOMPARE(codes(refused), std::string("RND012"));
    QCOMPARE(codes(nobody), std::string("RND012"));
  }

  void what_is_wrong_is_told_data() {
    QTest::addColumn<QString>("parameter");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* parameter, const char* value, const char* code,
                        const char* words) { QTest::newRow(name) << parameter << value << code << words; };
    row("no file", "trace", "none.tsv", "RND003", "none.tsv");
    row("rows", "trace", "bad.tsv", "RND011", "bad.tsv, row 1: 2 cells between tabs; wanted 12.");
    row("table", "throughputs", "bad.csv", "RND011", "bad.csv, row 2: steps_per_s is '-1'");
    row("wide", "gpus", "4", "RND012", "needs 8 GPUs; wanted at most the 4 that there are.");
    row("short rounds", "round_length", "20 s", "RND002",
        "The time to restore is 20 s, and a round is 20 s; wanted less than a round.");
    row("shorter rounds", "round_length", "1e9 s", "RND002",
        "The value is 1e+09 s; wanted a number from 1 s to 1e+06 s.");
    row("too many GPUs", "gpus", "1e7", "RND002", "The value is 10000000; wanted a whole number from 1 to 1e+06.");
  }
  void what_is_wrong_is_told() {
    QFETCH(QString, parameter);
    QFETCH(QString, value);
    QFETCH(QString, code);
    QFETCH(QString, words);
    const QTemporaryDir folder;
    const std::string at = folder.path().toStdString() + "/";
    for (const char* name : {"trace.tsv", "throughputs.csv"})
      std::ofstream(at + name) << std::get<std::string>(read_text(rounds_folder + "/" + name));
    std::ofstream(at + "bad.tsv") << "LM\t5\n";
    std::ofstream(at + "bad.csv") << "model,batch_size,num_gpus,steps_per_s\nLM,5,1,-1\n";
    Diagnostics found;
    RunRequest request;
    request.overrides = {{parameter.toStdString(), value.toStdString()}};
    const auto model = build_model(example("25_fair_rounds"), request, folder.path().toStdString(), found);
    QVERIFY(model == nullptr);
    bool told = false;
    for (const Diagnostic& one : found)
      told = told || (one.code == code.toStdString() && one.message.find(words.toStdString()) != std::string::npos);
    QVERIFY2(told, listed(found).c_str());
    // Nothing is told that only follows from it.
    const auto other = [&](const Diagnostic& one) { return one.code != code.toStdString(); };
    QVERIFY2(std::none_of(found.begin(), found.end(), other), listed(found).c_str());
    if (code == "RND002") QCOMPARE(found.size(), std::size_t{1});
  }

  // Time in which jobs ran, without restores, of all until then: along the way as at the end.
  void utilisation_means_the_same_along_the_way() {
    const ExampleRun wanted(RoundPolicy::themis, 32);
    double busy_gpu_s = 0.0;
    for (const Round& one : wanted.run.rounds) busy_gpu_s += one.busy_gpu_s;
    compare_equal(busy_gpu_s, wanted.run.busy_gpu_s, "GPU time");
    const std::size_t half = wanted.run.rounds.size() / 2;
    busy_gpu_s = 0.0;
    for (std::size_t r = 0; r <= half; ++r) busy_gpu_s += wanted.run.rounds[r].busy_gpu_s;
    const double until_s = wanted.run.rounds[half].end_s;
    QVERIFY(wanted.run.rounds[half + 1].end_s > until_s + 1.0);
    const ResultSet results =
        run_example({{"policy", "themis"}, {"mission_time", number_text(until_s + 0.5, 12) + " s"}});
    compare_equal(estimate(results, "utilisation"), busy_gpu_s / (32.0 * (until_s - wanted.run.begin_s)),
                  "utilisation");
  }

  // A trace with steps of one table and a run with another: jobs take other times than it lists.
  void throughputs_are_those_that_the_trace_was_made_with() {
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.path().toStdString() + "/" + name; };
    std::ofstream(path("trace.tsv")) << std::get<std::string>(read_text(rounds_folder + "/trace.tsv"));
    // Half as fast in the first of its columns, as it was in the second.
    std::istringstream in(std::get<std::string>(read_text(rounds_folder + "/throughputs.csv")));
    std::ofstream table(path("throughputs.csv"));
    table << "model,batch_size,num_gpus,steps_per_s_slow,steps_per_s_own\n";
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      const std::size_t last = line.rfind(',');
      table << line.substr(0, last + 1) << number_text(0.5 * std::stod(line.substr(last + 1)), 12) << line.substr(last)
            << "\n";
    }
    table.close();
    const auto told = [&](const char* column) {
      Document document = example("25_fair_rounds");
      for (const Element& element : document.elements())
        if (element.kind == "round_scheduler") {
          Element one = element;
          one.properties["throughput_column"] = column;
          document.replace(document.index_of(one.id), one);
          break;
        }
      Diagnostics found, out;
      if (build_model(document, {}, folder.path().toStdString(), found) == nullptr)
        throw std::runtime_error(listed(found));
      for (const Diagnostic& one : found)
        if (one.code == "RND014") out.push_back(one);
      return out;
    };
    const Diagnostics warned = told("");
    QCOMPARE(warned.size(), std::size_t{1});
    QCOMPARE(warned[0].severity, Severity::warning);
    QVERIFY(warned[0].message.starts_with("With these throughputs a job of the trace takes 2 times the duration"));
    QCOMPARE(warned[0].hint, std::string("Its column steps_per_s_own fits: name it in throughput_column."));
    QVERIFY(told("steps_per_s_own").empty());
  }

  // Rows have no names: one that stands there twice may be two jobs, and is told.
  void a_row_that_stands_there_twice_is_told() {
    const QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.path().toStdString() + "/" + name; };
    std::ofstream(path("throughputs.csv")) << std::get<std::string>(read_text(rounds_folder + "/throughputs.csv"));
    for (const bool twice : {false, true}) {
      std::istringstream in(std::get<std::string>(read_text(rounds_folder + "/trace.tsv")));
      std::ofstream out(path("trace.tsv"));
      int row = 0;
      for (std::string line; std::getline(in, line);) {
        out << line << "\n";
        if (++row == 4 && twice) out << line << "\n";
      }
      out.close();
      Diagnostics found;
      QVERIFY2(build_model(example("25_fair_rounds"), {}, folder.path().toStdString(), found) != nullptr,
               listed(found).c_str());
      const auto said = std::find_if(found.begin(), found.end(), [](const auto& d) { return d.code == "RND020"; });
      QCOMPARE(said != found.end(), twice);
      if (twice) QVERIFY2(said->message.starts_with("Jobs 4 and 5 of the trace"), said->message.c_str());
    }
  }

  // A trace from elsewhere with the table of the model says so; with a table of its own, or beside that of the model,
  // not.
  void a_trace_of_ones_own_wants_its_throughputs() {
    const QTemporaryDir model_folder, elsewhere;
    const auto place = [](const QTemporaryDir& at, const char* name) { return at.path().toStdString() + "/" + name; };
    for (const QTemporaryDir* at : {&model_folder, &elsewhere})
      for (const char* name : {"trace.tsv", "throughputs.csv"})
        std::ofstream(place(*at, name)) << std::get<std::string>(read_text(rounds_folder + "/" + name));
    std::filesystem::rename(place(elsewhere, "throughputs.csv"), place(elsewhere, "speeds.csv"));
    const auto told = [&](const Overrides& overrides) {
      Diagnostics found;
      RunRequest request;
      request.overrides = overrides;
      request.allowed_folders = {elsewhere.path().toStdString()};
      const auto model = build_model(example("25_fair_rounds"), request, model_folder.path().toStdString(), found);
      if (model == nullptr) throw std::runtime_error(listed(found));
      std::vector<Diagnostic> out;
      for (const Diagnostic& one : found)
        if (one.code == "RND013") out.push_back(one);
      return out;
    };
    const std::string trace = place(elsewhere, "trace.tsv"), table = place(elsewhere, "speeds.csv");
    const auto warned = told({{"trace", trace}});
    QCOMPARE(warned.size(), std::size_t{1});
    QCOMPARE(warned[0].severity, Severity::warning);
    QCOMPARE(warned[0].pointer, std::string("throughputs"));
    QVERIFY(warned[0].message.find(trace) != std::string::npos);
    QVERIFY(warned[0].message.find("throughputs.csv; wanted throughputs that belong to the trace") !=
            std::string::npos);
    QVERIFY(warned[0].hint.find("--set throughputs=FILE") != std::string::npos);
    QVERIFY(told({}).empty());
    QVERIFY(told({{"trace", trace}, {"throughputs", table}}).empty());
    QVERIFY(told({{"throughputs", table}}).empty());
    QVERIFY(told({{"trace", place(model_folder, "trace.tsv")}}).empty());
    // The only table beside it is taken, and told of; of two neither.
    std::filesystem::rename(table, place(elsewhere, "v100_throughputs.csv"));
    const auto taken = told({{"trace", trace}});
    QCOMPARE(taken.size(), std::size_t{1});
    QCOMPARE(taken[0].severity, Severity::info);
    QVERIFY(taken[0].message.find("v100_throughputs.csv, not of the model's own") != std::string::npos);
    std::filesystem::copy_file(place(elsewhere, "v100_throughputs.csv"), place(elsewhere, "a100_throughputs.csv"));
    const auto two = told({{"trace", trace}});
    QCOMPARE(two.size(), std::size_t{1});
    QCOMPARE(two[0].severity, Severity::warning);
    QVERIFY(two[0].message.find("there are 2 beside it") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestRoundScheduler)
#include "tst_round_scheduler.moc"
