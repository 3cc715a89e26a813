#include "tests/cli/cli_test.h"

/// `ergode sweep`: closed forms of M/M/1 (number rho / (1 - rho), response 1 / (mu - lambda)) as oracle; rows of points
/// that fail beside those that do not.
class TestCliSweep : public CliTest {
  Q_OBJECT
 public:
  TestCliSweep() {
    if (!QFile::copy(QString(ERGODE_SOURCE_DIR) + "/examples/10_mm1_queue/model.ergode", queue_))
      throw std::runtime_error("no example");
  }

 private:
  const QString queue_ = folder_.filePath("queue.ergode");
  Outcome sweep(QStringList arguments) const {
    return ergode(QStringList{"sweep", queue_, "--no-store"} + std::move(arguments));
  }

 private Q_SLOTS:
  void an_exact_curve_is_the_closed_form() {
    const Outcome o = sweep({"--vary", "lambda=0.1 /s:0.9 /s:9", "--solver", "mva", "--json"});
    COMPARE_CODE(o, 0);
    const Json json = o.json();
    QCOMPARE(json["vary"][0]["unit"].get<std::string>(), std::string("/s"));
    QCOMPARE(json["points"].size(), std::size_t{9});
    for (std::size_t i = 0; i < 9; ++i) {
      const Json& point = json["points"][i];
      const double lambda = 0.1 * static_cast<double>(i + 1);
      QVERIFY(std::fabs(point["values"]["lambda"].get<double>() - lambda) < 1e-12);
      QVERIFY(point["problem"].is_null());
      const double number = point["measures"]["queue_length"]["estimate"], exact = lambda / (1.0 - lambda);
      QVERIFY2(std::fabs(number - exact) < 1e-9 * exact, qPrintable(QString::number(number)));
      const double response = point["measures"]["response_time"]["estimate"];
      QVERIFY(std::fabs(response - 1.0 / (1.0 - lambda)) < 1e-9 * response);
    }
  }

  void how_far_it_is_is_told_when_asked() {
    const QStringList asked = {"--vary", "lambda=0.5:0.6:2", "--replications", "2", "--progress"};
    const Outcome bar = sweep(asked + QStringList{"bar"});
    COMPARE_CODE(bar, 0);
    QVERIFY2(bar.err.contains("2/2 points"), qPrintable(shown(bar)));
    const Outcome none = sweep(asked + QStringList{"none"});
    QVERIFY2(!none.err.contains("points"), qPrintable(shown(none)));
    QCOMPARE(bar.out, none.out);
    const Outcome pairs = sweep(asked + QStringList{"bar", "--compare", "--pairs", "3"});
    QVERIFY2(pairs.err.contains("3/3 runs of each value"), qPrintable(shown(pairs)));
  }

  void a_simulated_point_is_the_run_of_that_value() {
    // Common random numbers: each point is what `ergode run --set` prints with the same seed.
    const Outcome o = sweep({"--vary", "lambda=0.5:0.6:2", "--replications", "2", "--seed", "5", "--json"});
    COMPARE_CODE(o, 0);
    const Outcome run = ergode(
        {"run", queue_, "--no-store", "--set", "lambda = 0.6 /s", "--replications", "2", "--seed", "5", "--json"});
    COMPARE_CODE(run, 0);
    const Json point = o.json()["points"][1]["measures"]["queue_length"];
    const Json measures = run.json()["measures"];
    const auto m =
        std::find_if(measures.begin(), measures.end(), [](const Json& j) { return j["id"] == "queue_length"; });
    QVERIFY(m != measures.end());
    QCOMPARE(point["estimate"].get<double>(), (*m)["estimate"].get<double>());
    QCOMPARE(point["lower"].get<double>(), (*m)["lower"].get<double>());
    // The exact value stands beside it.
    QVERIFY(std::fabs(point["exact"].get<double>() - 1.5) < 1e-9);
  }

  void values_are_compared_on_the_same_random_numbers() {
    // M/M/1: 0.6 / 0.4 - 0.5 / 0.5 = 0.5 customers more. What is drawn is the same, so the interval of the difference
    // is narrower than that of either mean.
    const Outcome o = sweep({"--vary", "lambda=0.5,0.6", "--compare", "--pairs", "8", "--replications", "4",
                             "--measure", "queue_length", "--json"});
    COMPARE_CODE(o, 0);
    const Json json = o.json();
    QCOMPARE(json["pairs"].get<int>(), 8);
    QCOMPARE(json["deterministic"].get<bool>(), false);
    const Json base = json["rows"][0], other = json["rows"][1];
    QCOMPARE(base["difference"].get<double>(), 0.0);
    const double difference = other["difference"], lower = other["lower"], upper = other["upper"];
    QVERIFY(std::fabs(difference - (other["mean"].get<double>() - base["mean"].get<double>())) < 1e-12);
    QVERIFY(lower < difference && difference < upper && upper - lower < 0.05);
    QVERIFY(std::fabs(difference - 0.5) < 0.03);
  }

  // The comparison is kept with its first run: report and workbench show it.
  void a_comparison_is_kept_and_reported() {
    QTemporaryDir folder;
    const Outcome o = ergode({"sweep", queue_, "--vary", "lambda=0.5,0.6", "--compare", "--pairs", "3",
                              "--replications", "2", "--seed", "5", "--out", folder.path(), "--json"});
    COMPARE_CODE(o, 0);
    const Outcome kept = ergode({"results", queue_, "latest", "--store", folder.path(), "--json"});
    COMPARE_CODE(kept, 0);
    const Json table = kept.json()["tables"][0];
    QCOMPARE(table["name"].get<std::string>(), std::string("comparison"));
    QCOMPARE(table["rows"].size(), o.json()["rows"].size());
    for (std::size_t i = 0; i < table["rows"].size(); i += 2) {
      const Json told = o.json()["rows"][i + 1], row = table["rows"][i + 1];
      QCOMPARE(row[4], told["difference"]);
      QCOMPARE(row[5], told["lower"]);
      QCOMPARE(row[6], told["upper"]);
    }
    QVERIFY(ergode({"results", queue_, "--store", folder.path()}).out.contains("compared: lambda = 0.5"));
    const QString page = folder.filePath("a.html");
    COMPARE_CODE(ergode({"report", queue_, "--store", folder.path(), "--out", page}), 0);
    QFile file(page);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray html = file.readAll();
    QVERIFY(html.contains("<h3>Comparison</h3>") && html.contains("Compared with lambda = 0.5"));
    QVERIFY(!html.contains("ommon-cause"));  // a queue has none
  }

  // As `ergode run` says it of each value alone, and JSON which points say it.
  void a_warning_of_several_points_is_said_once() {
    QFile file(queue_);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray text = file.readAll();
    text.replace(R"json("interarrival":"exponential(rate = lambda)")json",
                 R"json("interarrival":"exponential(rate = lambda)","rate":"lambda")json");
    const QString both = folder_.filePath("both.ergode");
    QFile written(both);
    QVERIFY(written.open(QIODevice::WriteOnly) && written.write(text) == text.size());
    written.close();
    const QStringList few = {"--no-store", "--no-cross-check", "--replications", "2", "--set", "mission_time=100 s"};
    const auto said = [](const QString& err) { return err.count("warning QN004"); };
    const Outcome alone = ergode(QStringList{"run", both} + few);
    COMPARE_CODE(alone, 0);
    QCOMPARE(said(alone.err), qsizetype{1});
    const Outcome o = ergode(QStringList{"sweep", both, "--vary", "lambda=0.1,0.2,0.3", "--json"} + few);
    COMPARE_CODE(o, 0);
    QCOMPARE(said(o.err), qsizetype{1});
    QVERIFY2(o.err.contains("(first at point 1 of 3)"), qPrintable(o.err));
    const auto told = [](const Json& warnings) {
      return std::find_if(warnings.begin(), warnings.end(), [](const Json& one) { return one["code"] == "QN004"; });
    };
    const Json warnings = o.json()["warnings"];
    QVERIFY(told(warnings) != warnings.end());
    QCOMPARE((*told(warnings))["points"], (Json{0, 1, 2}));
    const Outcome compared =
        ergode(QStringList{"sweep", both, "--vary", "lambda=0.1,0.2", "--compare", "--pairs", "2", "--json"} + few);
    COMPARE_CODE(compared, 0);
    QCOMPARE(said(compared.err), qsizetype{1});
    const Json of_choices = compared.json()["warnings"];
    QVERIFY(told(of_choices) != of_choices.end());
    QCOMPARE((*told(of_choices))["points"], (Json{0, 1}));
    QVERIFY(sweep({"--vary", "lambda=0.1,0.2", "--solver", "mva", "--json"}).json()["warnings"].empty());
  }

  void exact_values_are_compared_without_an_interval() {
    const Outcome o =
        sweep({"--vary", "lambda=0.5 /s,0.8 /s", "--compare", "--solver", "mva", "--measure", "queue_length", "--csv"});
    COMPARE_CODE(o, 0);
    QVERIFY(o.out.contains("measure,unit,lambda,mean,difference,lower,upper,pairs"));
    QVERIFY(o.out.contains(",0.8 /s,4,3,3,3,2") || o.out.contains(",0.8 /s,4.0"));
  }

  // Jobs cost the same under either policy, but are summed as they end.
  void rounding_is_no_difference() {
    const Outcome o = ergode({"sweep", QString(ERGODE_SOURCE_DIR) + "/examples/30_cluster_policies/model.ergode",
                              "--no-store", "--vary", "policy=fifo,backfill,sjf", "--compare", "--measure", "mean_cost",
                              "--measure", "mean_queueing", "--json"});
    COMPARE_CODE(o, 0);
    const Json json = o.json();
    QVERIFY(json["pairs"].is_number_integer() && json["rows"][1]["pairs"].is_number_integer());
    QCOMPARE(json["rows"].size(), std::size_t{6});
    for (const Json& row : json["rows"]) {
      const bool cost = row["measure"] == "mean_cost", first = row["choice"] == "fifo";
      for (const char* what : {"difference", "lower", "upper"})
        QVERIFY2((row[what].get<double>() == 0.0) == (cost || first), row.dump().c_str());
    }
  }

  void lists_of_values_are_refused_where_they_are_wrong() {
    const auto refused = [&](QStringList arguments, const char* what) {
      const Outcome o = sweep(std::move(arguments));
      QVERIFY2(o.code == 2, qPrintable(o.err));
      QVERIFY2(o.err.contains(what), qPrintable(o.err));
    };
    refused({"--vary", "lambda=1,,2"}, "value 2 is empty");
    refused({"--vary", "lambda=1,1"}, "is there twice");
    refused({"--vary", "lamda=1,2"}, "there is no such parameter");
    refused({"--vary", "lambda=0.5:0.6:2", "--vary", "mu=1,2", "--compare"},
            "wanted one --vary with two values or more");
    refused({"--vary", "lambda=0.5,0.6", "--compare", "--pairs", "1"}, "wanted 2 to 10000");
    refused({"--vary", "lambda=0.5:0.6:2", "--pairs", "3"}, "--pairs is for --compare");
  }

  // M/M/c: Erlang's formula for the number waiting.
  void properties_of_elements_are_varied_and_a_point_is_run_again() {
    const Outcome o =
        sweep({"--vary", "desk.servers=1:4:4", "--set", "lambda=0.9 /s", "--solver", "queueing-closed-form", "--json"});
    COMPARE_CODE(o, 0);
    for (int c = 1; c <= 4; ++c) {
      const Json point = o.json()["points"][static_cast<std::size_t>(c - 1)];
      QCOMPARE(point["values"]["desk.servers"].get<double>(), static_cast<double>(c));
      double sum = 0.0, term = 1.0;  // a^n / n!
      for (int n = 0; n < c; ++n) sum += term, term *= 0.9 / (n + 1);
      const double rho = 0.9 / c, last = term / (1.0 - rho), exact = 0.9 + last / (sum + last) * rho / (1.0 - rho);
      const double number = point["measures"]["queue_length"]["estimate"];
      QVERIFY2(std::fabs(number - exact) < 1e-9 * exact, qPrintable(QString::number(number)));
    }
    const Outcome two =
        sweep({"--vary", "desk.servers=1:2:2", "--vary", "desk.capacity=3:4:2", "--replications", "2", "--json"});
    COMPARE_CODE(two, 0);
    QCOMPARE(two.json()["points"].size(), std::size_t{4});
    const Outcome run = ergode({"run", queue_, "--no-store", "--no-cross-check", "--set", "desk.servers=2", "--set",
                                "desk.capacity=4", "--replications", "2", "--json"});
    COMPARE_CODE(run, 0);
    QCOMPARE(two.json()["points"][3]["measures"]["queue_length"]["estimate"].get<double>(),
             run.json()["measures"][0]["estimate"].get<double>());
    QCOMPARE(run.json()["run"]["overrides"]["desk.servers"].get<std::string>(), std::string("2"));
    const std::string again = run.json()["run"]["command"].get<std::string>();
    QVERIFY2(again.find("--set desk.servers=2 ") != std::string::npos, again.c_str());
  }

  void a_bad_point_does_not_lose_the_others() {
    // At lambda = 1.5 the queue is overloaded: mva has no answer.
    const Outcome o = sweep({"--vary", "lambda=0.5:1.5:3", "--solver", "mva", "--csv", "--measure", "queue_length"});
    COMPARE_CODE(o, 4);
    const QStringList lines = QString(o.out).split("\r\n", Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 4);
    QCOMPARE(
        lines[0],
        QString("lambda [/s],queue_length,queue_length.lower,queue_length.upper,queue_length.exact,queue_length.note,"
                "run,warnings,problem"));
    QVERIFY(lines[1].startsWith("0.5,1,") || lines[1].startsWith("0.5,0.99999999"));
    QVERIFY2(lines[3].startsWith("1.5,,,,,,") && lines[3].size() > 20, qPrintable(lines[3]));
    QVERIFY(o.err.contains("RUN041"));
  }

  // A number of what grows without end looks like any other: its row says what was said of it.
  void rows_name_what_was_warned_of() {
    const QStringList asked{"--vary", "lambda=0.5,1.2", "--replications", "2", "--measure", "queue_length"};
    const Outcome o = sweep(asked);
    COMPARE_CODE(o, 0);
    const QStringList lines = QString(o.out).split('\n', Qt::SkipEmptyParts);
    QVERIFY2(lines[0].contains("warnings") && !lines[1].contains("QN010") && lines[2].contains("QN010"), o.out);
    const QStringList csv = QString(sweep(asked + QStringList{"--csv"}).out).split("\r\n", Qt::SkipEmptyParts);
    QVERIFY2(csv[1].endsWith(",,") && csv[2].contains("QN010"), qPrintable(csv[2]));
  }

  void axes_multiply_and_may_be_logarithmic() {
    const Outcome o =
        sweep({"--vary", "lambda=0.01:0.1:3:log", "--vary", "mu=1 /s:2 /s:2", "--solver", "mva", "--json"});
    COMPARE_CODE(o, 0);
    const Json points = o.json()["points"];
    QCOMPARE(points.size(), std::size_t{6});
    const double lambda = std::sqrt(0.01 * 0.1);
    QVERIFY(std::fabs(points[2]["values"]["lambda"].get<double>() - lambda) < 1e-10);
    QCOMPARE(points[3]["values"]["mu"].get<double>(), 2.0);
    const double number = points[3]["measures"]["queue_length"]["estimate"];
    QVERIFY(std::fabs(number - lambda / (2.0 - lambda)) < 1e-9);
  }

  // The average over 5 s of an M/M/1 that begins empty is far below the 9 that it tends to.
  void a_limit_is_no_exact_value_of_a_mission() {
    QByteArray text = content(queue_);
    QVERIFY(text.contains("\"measures\": ["));
    text.replace("\"measures\": [",
                 "\"measures\": [{\"id\": \"5d00000000000001\", \"name\": \"mission_mean\", \"type\": "
                 "\"time_average\", \"expression\": \"desk.number\"},");
    const QString model = file("mission.ergode", text);
    const QStringList asked = {"sweep",       model, "--no-store", "--vary",       "lambda=0.5 /s:0.9 /s:2",
                               "--solver",    "mva", "--measure",  "mission_mean", "--measure",
                               "queue_length"};
    const Outcome json = ergode(asked + QStringList{"--json"});
    COMPARE_CODE(json, 0);
    const Json point = json.json()["points"][1]["measures"];
    QVERIFY(point["mission_mean"]["exact"].is_null() && point["mission_mean"]["long_run"] == true);
    QVERIFY(std::fabs(point["mission_mean"]["estimate"].get<double>() - 9.0) < 1e-6);
    QVERIFY(std::fabs(point["queue_length"]["exact"].get<double>() - 9.0) < 1e-6);
    QVERIFY(point["queue_length"]["long_run"] == false);
    const QStringList csv = QString(ergode(asked + QStringList{"--csv"}).out).split("\r\n", Qt::SkipEmptyParts);
    QVERIFY2(csv[0].startsWith("lambda [/s],mission_mean.long_run,mission_mean.long_run.lower,"
                               "mission_mean.long_run.upper,mission_mean.exact,mission_mean.note,queue_length,"),
             qPrintable(csv[0]));
    QVERIFY2(csv[1].section(',', 4, 4).isEmpty() && !csv[1].section(',', 9, 9).isEmpty(), qPrintable(csv[1]));
    QVERIFY(QString(ergode(asked).out).section('\n', 0, 0).contains("mission_mean in the long run"));
    const QString figure = folder_.filePath("limit.svg");
    COMPARE_CODE(ergode(asked + QStringList{"--plot", figure}), 0);
    QVERIFY(content(figure).contains(">long run<") && !content(figure).contains(">exact<"));
  }

  void what_a_value_is_a_mean_of_is_said() {
    QByteArray text = content(queue_);
    text.replace("\"measures\": [",
                 "\"measures\": [{\"id\": \"5d00000000000001\", \"name\": \"slow\", \"type\": "
                 "\"observed_quantile\", \"of\": \"desk.response_time\", \"level\": \"0.9\"},");
    const QStringList asked = {"sweep",
                               file("quantile.ergode", text),
                               "--no-store",
                               "--vary",
                               "lambda=0.2:0.4:2",
                               "--replications",
                               "5",
                               "--measure",
                               "slow"};
    const QString words = "the mean of each mission's own quantile";
    QVERIFY(QString(ergode(asked).out).contains(words));
    const QStringList csv = QString(ergode(asked + QStringList{"--csv"}).out).split("\r\n", Qt::SkipEmptyParts);
    QVERIFY2(csv[0].contains(",slow.note,") && csv[1].contains(words), qPrintable(csv[1]));
    const Json json = ergode(asked + QStringList{"--json"}).json();
    QCOMPARE(QString::fromStdString(json["points"][0]["measures"]["slow"]["note"].get<std::string>()), words);
  }

  void the_table_has_a_row_for_each_point() {
    const Outcome o = sweep({"--vary", "lambda=0.2:0.8:4", "--solver", "mva", "--measure", "queue_length"});
    COMPARE_CODE(o, 0);
    const QStringList lines = QString(o.out).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 5);
    QVERIFY(lines[0].contains("lambda [/s]") && lines[0].contains("queue_length exact"));
    // No point has a problem: a column for it would be empty.
    QVERIFY2(!lines[0].contains("problem"), qPrintable(lines[0]));
    const Outcome wrong = sweep({"--vary", "lambda=-1:0.5:2", "--solver", "mva", "--measure", "queue_length"});
    QVERIFY2(QString(wrong.out).section('\n', 0, 0).contains("problem"), wrong.out);
    const Outcome csv = sweep({"--vary", "lambda=0.2:0.8:4", "--solver", "mva", "--measure", "queue_length", "--csv"});
    QVERIFY2(csv.out.contains("queue_length.lower") && csv.out.contains(",run,warnings,problem"), csv.out);
  }

  void runs_are_kept_as_of_run() {
    const QString to = fresh("kept");
    const Outcome o = ergode({"sweep", queue_, "--vary", "lambda=0.2:0.4:3", "--solver", "mva", "--out", to});
    COMPARE_CODE(o, 0);
    const Outcome list = ergode({"results", queue_, "--store", to, "--json"});
    COMPARE_CODE(list, 0);
    QCOMPARE(list.json().size(), std::size_t{3});
  }

  // A choice over its words, all of them where none is named; each point is the run of that word.
  void choices_are_varied_over_their_words() {
    const QString rent = folder_.filePath("rent.ergode");
    QVERIFY(QFile::copy(QString(ERGODE_SOURCE_DIR) + "/examples/23_rent_gpus/model.ergode", rent));
    const auto asked = [&](const QStringList& vary) {
      return ergode(
          QStringList{"sweep", rent, "--no-store", "--solver", "rental-budget", "--measure", "mean_response_time"} +
          vary);
    };
    const Outcome o = asked({"--vary", "policy=one_gpu,optimal", "--vary", "whole", "--json"});
    COMPARE_CODE(o, 0);
    const Json json = o.json();
    QCOMPARE(json["vary"][0]["values"].dump(), std::string(R"(["one_gpu","optimal"])"));
    QCOMPARE(json["points"].size(), std::size_t{4});
    const auto value = [&](std::size_t i) {
      return json["points"][i]["measures"]["mean_response_time"]["estimate"].get<double>();
    };
    QVERIFY(std::fabs(value(0) - 3.142857) < 1e-5 && std::fabs(value(2) - 1.374608) < 1e-5 && value(3) > value(2));
    const Outcome all = asked({"--vary", "policy", "--csv"});
    QVERIFY2(all.out.contains("\nequal_width,1.53") && all.out.contains("\nhesrpt,,"), qPrintable(shown(all)));
    const Outcome wrong = asked({"--vary", "policy=one_gpu,lottery"});
    COMPARE_CODE(wrong, 2);
    QVERIFY(wrong.err.contains("\"lottery\" is not what it may be; wanted words of: optimal, "));
    COMPARE_CODE(asked({"--vary", "policy=equi,equi"}), 2);
    COMPARE_CODE(asked({"--vary", "cloud.whole_gpus=true,false", "--json"}), 0);
  }

  void a_figure_is_drawn() {
    const QString path = folder_.filePath("curve.svg");
    COMPARE_CODE(
        sweep({"--vary", "lambda=0.2:0.8:4", "--replications", "2", "--measure", "queue_length", "--plot", path}), 0);
    const QByteArray svg = content(path);
    QVERIFY(svg.contains("lambda") && svg.contains("95 % interval") && svg.contains("exact"));
  }

  // Over what is listed there is nothing between two values.
  void words_are_drawn_as_points() {
    const QString path = folder_.filePath("words.svg");
    COMPARE_CODE(sweep({"--vary", "lambda=0.2,0.8", "--vary", "mu=1:2:2", "--replications", "2", "--measure",
                        "queue_length", "--plot", path}),
                 0);
    const QByteArray svg = content(path);
    QVERIFY(svg.contains(">0.2 /s<") && svg.contains(">0.8 /s<") && svg.contains("mu = 2"));
    QVERIFY(svg.count("<ellipse") >= 8);  // four estimates, four exact values
  }

  // Wider tables than lines fold: headlines first, then what the model asks, then what solvers tell unasked.
  void a_table_is_no_wider_than_the_terminal() {
    const QStringList asked = {"sweep", queue_, "--no-store", "--vary", "lambda=0.2:0.8:4", "--solver", "mva"};
    const auto widest = [](const Outcome& o) {
      qsizetype out = 0;
      for (const QString& line : QString::fromUtf8(o.out).section("and ", 0, 0).split('\n'))
        out = std::max(out, line.size());
      return out;
    };
    const Outcome whole = ergode(asked);
    COMPARE_CODE(whole, 0);
    QVERIFY(widest(whole) > 200 && !whole.out.contains("measures more"));
    const Outcome folded = ergode(Command{.arguments = asked, .environment = {{"COLUMNS", "80"}}});
    COMPARE_CODE(folded, 0);
    QVERIFY2(widest(folded) <= 80 && folded.out.contains("measures more: --measure NAME prints one, --csv and"),
             folded.out);
    QVERIFY2(folded.out.startsWith("lambda [/s]") && folded.out.contains("response_time"), folded.out);
    QCOMPARE(QString(folded.out).count('\n'), 6);
    // What was named is printed.
    const Outcome named = ergode(
        Command{.arguments = asked + QStringList{"--measure", "queue_length"}, .environment = {{"COLUMNS", "20"}}});
    QVERIFY2(named.out.contains("queue_length exact") && !named.out.contains("more:"), named.out);
  }

  void mistakes_are_named_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("no such parameter") << QStringList{"--vary", "lambd=1:2"} << "Did you mean lambda?";
    QTest::newRow("no such element") << QStringList{"--vary", "desc.servers=1:2:2"} << "Did you mean desk?";
    QTest::newRow("no such property") << QStringList{"--vary", "desk.server=1:2:2"} << "Its numbers are: servers";
    QTest::newRow("a law") << QStringList{"--vary", "desk.service=1:2:2"} << "wanted a number";
    QTest::newRow("parts of a server") << QStringList{"--vary", "desk.servers=1:2:3"} << "wanted whole numbers";
    QTest::newRow("no end") << QStringList{"--vary", "lambda=1"} << "wanted NAME=FROM:TO";
    QTest::newRow("two units") << QStringList{"--vary", "lambda=1 /s:2 /h"} << "wanted one unit";
    QTest::newRow("too many") << QStringList{"--vary", "lambda=1:2:1000000"} << "wanted 1 to 10000";
    QTest::newRow("through zero") << QStringList{"--vary", "lambda=0:2:3:log"} << "one side of zero";
    QTest::newRow("twice") << QStringList{"--vary", "mu=1:2:2", "--vary", "mu=1:2:2"} << "twice";
    QTest::newRow("set and varied") << QStringList{"--vary", "mu=1:2:2", "--set", "mu = 1 /s"} << "both set and varied";
    QTest::newRow("product") << QStringList{"--vary", "mu=1:2:200", "--vary", "lambda=0.1:0.2:200"} << "10000";
    QTest::newRow("no such measure") << QStringList{"--vary", "mu=1:2:2", "--measure", "queue_lenght"}
                                     << "Did you mean queue_length?";
    // A run at so many replications would take for ever: it is not begun.
    QTest::newRow("nothing near") << QStringList{"--vary", "mu=1:2:2",       "--measure",
                                                 "zz",     "--replications", "1000000000"}
                                  << "no measure \"zz\".";
    QTest::newRow("two forms") << QStringList{"--vary", "mu=1:2:2", "--json", "--csv"} << "wanted one of them";
  }
  void mistakes_are_named() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    const Outcome o = sweep(arguments);
    COMPARE_CODE(o, 2);
    QVERIFY2(QString(o.err).contains(said), qPrintable(shown(o)));
    QVERIFY2(!QString(o.err).contains("Did you mean ?"), qPrintable(shown(o)));
  }
};

QTEST_GUILESS_MAIN(TestCliSweep)
#include "tst_cli_sweep.moc"
