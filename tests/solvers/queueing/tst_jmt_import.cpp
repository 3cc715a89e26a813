// Simulation models of JMT: what the notation has is mapped, what it has not is told by element, nothing is lost.
#include <QtTest>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/jmt_model.h"

// Words of these models, and not those of other files that are compiled with this one.
namespace ergode::test::jmt {
namespace {

const Element& named(const Document& document, const std::string& name) {
  for (const Element* one : document.of(Section::node))
    if (one->name() == name) return *one;
  throw std::runtime_error("no node " + name);
}

/// Mean number where n customers make births and deaths at these rates, by their definition.
double mean_number(double (*birth)(int), double (*death)(int)) {
  double weight = 1, all = 1, sum = 0;
  for (int n = 1; n < 2000; ++n) {
    weight *= birth(n - 1) / death(n);
    all += weight, sum += n * weight;
  }
  return sum / all;
}

}  // namespace

class TestJmtImport : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // Each class has a router of its own where it is sent in turn; none hides another.
  void routers_by_class_stand_apart() {
    Model m{{law(constant("10")), law(constant("20")), law(constant("30"))}, "", "", ""};
    m.add("S", m.queue() + m.server(law(constant("1"))) + m.router("RoundRobinStrategy"));
    for (const char* one : {"T1", "T2"}) {
      m.add(one, m.queue() + m.server(law(constant("1"))) + m.router());
      m.connect("S", one), m.connect(one, "Out");
    }
    m.connect("In", "S");
    const Document document = drawn(m);
    std::vector<Rect> boxes;
    for (const Element* one : document.of(Section::node))
      if (one->kind == "router") boxes.push_back(one->layout.bounds.value());
    QCOMPARE(boxes.size(), std::size_t{3});
    for (std::size_t i = 1; i < boxes.size(); ++i) QVERIFY(boxes[i].y > boxes[i - 1].bottom());
  }

  // Join and fork in one node. One comes each 10 s and is split to two stations; the two are put together, and two go
  // on to C: 0.2 of them a second. Were it only a fork, each of the two would become two.
  void a_join_that_is_a_fork_is_a_scaler() {
    Model m{{law(constant("10"))}, "", "", ""};
    const std::string fork =
        section("Fork", number("jobsPerLink", "1") + number("block", "-1") +
                            parameter("isSimplifiedFork", "java.lang.Boolean", "<value>true</value>"));
    const std::string join = section(
        "Join", parameter("JoinStrategy", strategies + "JoinStrategy",
                          m.each(sub("join", strategies + "JoinStrategies.NormalJoin", value("numRequired", "-1")))));
    const std::string twice = section("Fork", number("jobsPerLink", "2") + number("block", "-1"));
    m.add("F", m.queue() + section("ServiceTunnel") + fork);
    m.add("A1", m.queue() + m.server(law(constant("1"))) + m.router());
    m.add("A2", m.queue() + m.server(law(constant("3"))) + m.router());
    m.add("J", join + section("ServiceTunnel") + twice);
    m.add("C", m.queue() + m.server(law(constant("1"))) + m.router());
    for (const char* one : {"A1", "A2"}) m.connect("F", one), m.connect(one, "J");
    m.connect("In", "F"), m.connect("J", "C"), m.connect("C", "Out");
    const Document document = drawn(m);
    QCOMPARE(named(document, "J").kind, std::string("scaler"));
    const ResultSet r = solved(document, {.seed = 1, .confidence = 0.999});
    near(r, "throughput/C/A", 0.2, 1e-3);
    near(r, "utilisation/A2/A", 0.3, 1e-3);
  }

  // Each class has a process of its own, also where the numbers are the same.
  void services_with_memory_are_read() {
    const std::string mmpp =
        "<subParameter classPath='jmt.engine.random.MMPP2Distr' name='x'/>"
        "<subParameter classPath='jmt.engine.random.MMPP2Par' name='distrPar'>" +
        value("lambda0", "4") + value("lambda1", "1") + value("sigma0", "0.5") + value("sigma1", "0.25") +
        "</subParameter>";
    Model m{{law(exponential_rate("0.3")), law(exponential_rate("0.3"))}, "", "", ""};
    m.add("Q", m.queue() + m.server(law(mmpp)) + m.router());
    m.connect("In", "Q"), m.connect("Q", "Out");
    const Document document = drawn(m);
    const std::string text = "mmpp(rates = [4 /s, 1 /s], switching = [0.5 /s, 0.25 /s])";
    QCOMPARE(named(document, "Q").text("service"), text);
    QCOMPARE(named(document, "Q").text("service_of"), "B = " + text);
    near(solved(document, {.seed = 1, .confidence = 0.999}), "utilisation/Q/A", 0.15, 2e-2);
  }

  void the_shortest_of_k_looks_at_k() {
    for (const char* memory : {"false", "true"}) {
      Model m{{law(exponential_rate("1"))}, "", "", ""};
      m.add("R", m.queue() + section("ServiceTunnel") +
                     m.router("PowerOfKRoutingStrategy", value("k", "3") + value("withMemory", memory)));
      m.connect("In", "R");
      for (const char* one : {"S1", "S2", "S3", "S4"}) {
        m.add(one, m.queue() + m.server(law(exponential_rate("1"))) + m.router());
        m.connect("R", one), m.connect(one, "Out");
      }
      const ReadOutcome read = import_network(m.text(), "model");
      const bool refused = memory == std::string("true");
      QCOMPARE(read.document.has_value(), !refused);
      if (refused)
        QVERIFY2(said(read).find("JMT002 \"R\": the shortest of several queues with memory") == 0, said(read).c_str());
      else QCOMPARE(named(*read.document, "R").text("choices"), std::string("3"));
    }
  }

  void what_is_not_read_is_told_data() {
    QTest::addColumn<QString>("in_queue");
    QTest::addColumn<QString>("in_server");
    QTest::addColumn<QString>("wanted");  // empty: nothing is lost
    const Model m{{law(exponential_rate("0.3")), law(exponential_rate("0.3"))}, "", "", ""};
    const auto row = [](const char* name, const std::string& queue, const std::string& server, const char* wanted) {
      QTest::newRow(name) << QString::fromStdString(queue) << QString::fromStdString(server) << QString(wanted);
    };
    const auto types = [&](const std::vector<std::string>& compatible) {
      std::string all;
      for (const std::string& one : compatible)
        all += sub("type", "java.lang.Boolean", value("compatibilities", "true") + value("compatibilities", one));
      return parameter("serverCompatibilities", "java.lang.Object", all);
    };
    const auto nested = [&](const char* name, const std::string& one) {
      return parameter(name, "java.lang.Object", m.each(sub(name, strategies + "ServiceStrategy", m.each(one))));
    };
    const std::string second = law(exponential_rate("1"));
    const auto tokens = [](const char* name) {
      return parameter(name, "x", sub("m", "x", sub("v", "x", value("stationName", "P"))));
    };
    row("nothing", "", "", "");
    row("what nobody knows", "", number("frobs", "1"), "the parameter \"frobs\" of its Server");
    row("of a queue", number("frobs", "1"), "", "the parameter \"frobs\" of its Queue");
    row("parallel servers", "",
        parameter("classParallelism", "java.lang.Integer", of("A", value("p", "1")) + of("B", value("p", "2"))),
        "the parameter \"classParallelism\" of its Server (2 of B; mapped is 1)");
    row("most running", "", number("maxRunning", "3"), "the parameter \"maxRunning\" of its Server (3; mapped is -1)");
    row("none running at most", "", number("maxRunning", "-1"), "");
    row("changes of class", "", nested("SwitchoverStrategy", second), "times to change from a class to another");
    row("changes without time", "", nested("SwitchoverStrategy", no_time), "");
    row("off some time later", "", nested("delayOffTime", second) + nested("setUpTime", second),
        "a server that is switched off some time");
    row("no set-up", "", nested("delayOffTime", no_time) + nested("setUpTime", no_time), "");
    row("one type", "", types({"true"}), "");
    row("a type for one class", "", types({"false"}), "a server type that does not serve every class");
    row("two types", "", types({"true", "true"}), "servers of 2 types");
    row("tokens wanted", tokens("enablingConditions"), "", "the parameter \"enablingConditions\" of its Queue");
    row("tokens kept", tokens("resourceConditions"), "", "the parameter \"resourceConditions\" of its Queue");
  }
  void what_is_not_read_is_told() {
    QFETCH(QString, in_queue);
    QFETCH(QString, in_server);
    QFETCH(QString, wanted);
    Model m{{law(exponential_rate("0.3")), law(exponential_rate("0.3"))}, "", "", ""};
    m.line(m.queue("-1", "drop", in_queue.toStdString()),
           m.server(law(exponential_rate("1")), in_server.toStdString()));
    const ReadOutcome read = import_network(m.text(), "model");
    QCOMPARE(read.document.has_value(), wanted.isEmpty());
    if (wanted.isEmpty()) QCOMPARE(said(read), std::string());
    else QVERIFY2(QString::fromStdString(said(read)).contains("JMT002 \"S\": " + wanted), said(read).c_str());
  }

  // Some write the times of shared servers under another name, and a queue's patience where nobody is served.
  void times_under_another_name_are_read() {
    Model m{{law(exponential_rate("0.3"))}, "", "", ""};
    std::string serving = m.server(law(exponential_rate("0.5")), "", "PSServer");
    const std::string from = "name='ServiceStrategy'";
    const std::size_t at = serving.find(from);
    QVERIFY2(at != std::string::npos, serving.c_str());
    serving.replace(at, from.size(), "name='ServerStrategy'");
    const std::string none = strategies + "ImpatienceStrategies.Impatience";
    const auto impatience = [&](const std::string& inside) {
      return parameter("Impatience", none, of("A", sub("Impatience", none, inside)));
    };
    m.add("R", m.queue("-1", "drop", impatience("<value>null</value>")) + section("ServiceTunnel") + m.router());
    m.add("S", m.queue() + serving + m.router());
    m.connect("In", "R"), m.connect("R", "S"), m.connect("S", "Out");
    QCOMPARE(named(drawn(m), "S").text("service"), std::string("exponential(rate = 0.5 /s)"));
    Model gives_up = m;
    gives_up.nodes.clear();
    gives_up.add("R", m.queue("-1", "drop", impatience("<value>5</value>")) + section("ServiceTunnel") + m.router());
    gives_up.add("S", m.queue() + serving + m.router());
    const ReadOutcome read = import_network(gives_up.text(), "model");
    QVERIFY2(said(read).find("the parameter \"Impatience\" of its Queue (5 of A; mapped is null)") != std::string::npos,
             said(read).c_str());
  }

  void servers_shared_by_priority_are_refused() {
    for (const bool priority : {false, true}) {
      Model m{{law(exponential_rate("0.3")), law(exponential_rate("0.3"))}, "", "", ""};
      const std::string one = sub("ps", strategies + "PSStrategies.EPSStrategy" + (priority ? "Priority" : ""), "");
      m.line(m.queue(), m.server(law(exponential_rate("1")),
                                 parameter("PSPriorityUsed", "java.lang.Boolean",
                                           priority ? "<value>true</value>" : "<value>false</value>") +
                                     parameter("PSStrategy", strategies + "PSStrategy", m.each(one)),
                                 "PSServer"));
      const ReadOutcome read = import_network(m.text(), "model");
      QCOMPARE(read.document.has_value(), !priority);
      if (priority)
        QVERIFY2(said(read).find("servers that are shared by priority") != std::string::npos, said(read).c_str());
    }
  }

  // M/M/1 whose server is set up for 2 s after each idle time: T = 1 / (mu - lambda) + 2 s, exponential set-ups (Welch,
  // 1964).
  void set_up_times_are_kept() {
    Model m{{law(exponential_rate("0.5"))}, "", "", ""};
    const auto nested = [&](const char* name, const std::string& one) {
      return parameter(name, "java.lang.Object", m.each(sub(name, strategies + "ServiceStrategy", m.each(one))));
    };
    m.line(m.queue(), m.server(law(exponential_rate("1")),
                               nested("delayOffTime", no_time) + nested("setUpTime", law(exponential_rate("0.5")))));
    compare_inside(solved(drawn(m), {.seed = 1, .confidence = 0.999}), "response_time/S/A", 2.0 + 2.0);
  }

  void regions_tell_what_they_limit_by_data() {
    QTest::addColumn<QString>("inside");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("plain") << "<classWeight jobClass='A' weight='1'/><classSize jobClass='A' size='1'/>"
                           << ""
                           << "";
    QTest::newRow("weight") << "<classWeight jobClass='B' weight='2'/>"
                            << "JMT002"
                            << "the weight 2 of the class \"B\"";
    QTest::newRow("size") << "<classSize jobClass='B' size='3'/>"
                          << "JMT003"
                          << "the size 3 of the class \"B\" is left out";
    QTest::newRow("group") << "<groupConstraint jobGroup='G' maxJobsPerGroup='4'/>"
                           << "JMT002"
                           << "a limit for the group of classes \"G\"";
    QTest::newRow("memory") << "<classMemoryConstraint jobClass='A' maxMemoryPerClass='4'/>"
                            << "JMT002"
                            << "a limit of memory";
    QTest::newRow("what is no station") << "<regionNode nodeName='J'/>"
                                        << "JMT002"
                                        << "\"J\" in a region";
  }
  void regions_tell_what_they_limit_by() {
    QFETCH(QString, inside);
    QFETCH(QString, code);
    QFETCH(QString, wanted);
    Model m{{law(exponential_rate("0.3")), law(exponential_rate("0.3"))}, "", "", ""};
    m.line(m.queue(), m.server(law(exponential_rate("1"))));
    m.more = "<blockingRegion name='FCR'><regionNode nodeName='S'/><globalConstraint maxJobs='5'/>" +
             inside.toStdString() + "</blockingRegion>";
    const ReadOutcome read = import_network(m.text(), "model");
    QCOMPARE(read.document.has_value(), code != "JMT002");
    QCOMPARE(said(read).empty(), wanted.isEmpty());
    QVERIFY2(QString::fromStdString(said(read)).contains(code + (wanted.isEmpty() ? "" : " \"FCR\": ") + wanted),
             said(read).c_str());
  }

  // In the order of classes A, B: what each strategy asks for, and what the join then says.
  void a_join_waits_for_whom_the_strategies_say_data() {
    QTest::addColumn<QString>("of_a");
    QTest::addColumn<QString>("of_b");
    QTest::addColumn<QString>("count");
    QTest::addColumn<QString>("by_class");
    const auto partial = [](const char* n) {
      return QString::fromStdString(sub("Quorum", strategies + "JoinStrategies.PartialJoin", value("numRequired", n)));
    };
    const auto guard = [](const char* a, const char* b) {
      return QString::fromStdString(
          sub("Guard", strategies + "JoinStrategies.GuardJoin",
              sub("Classes", "java.lang.String", value("class", "A") + value("class", "B")) +
                  sub("Numbers", "java.lang.String", value("required", a) + value("required", b))));
    };
    const QString all = QString::fromStdString(
        sub("Standard Join", strategies + "JoinStrategies.NormalJoin", value("numRequired", "-1")));
    QTest::newRow("all") << all << all << ""
                         << "";
    QTest::newRow("so many") << partial("2") << partial("2") << "2"
                             << "";
    QTest::newRow("other numbers") << partial("2") << partial("3") << ""
                                   << "A = 2, B = 3";
    QTest::newRow("all or some") << partial("2") << all << ""
                                 << "A = 2, B = all";
    QTest::newRow("guard") << guard("2", "1") << all << ""
                           << "A = parts(A = 2, B = 1), B = all";
    QTest::newRow("guards") << guard("0", "1") << guard("0", "1") << ""
                            << "A = parts(B = 1), B = parts(B = 1)";
    QTest::newRow("guard of nobody") << guard("0", "0") << all << ""
                                     << "JMT002 \"J\": a guard that asks for nobody";
  }
  void a_join_waits_for_whom_the_strategies_say() {
    QFETCH(QString, of_a);
    QFETCH(QString, of_b);
    QFETCH(QString, count);
    QFETCH(QString, by_class);
    Model m{{law(exponential_rate("0.1")), law(exponential_rate("0.1"))}, "", "", ""};
    m.add("F", m.queue() + section("ServiceTunnel") + section("Fork", number("jobsPerLink", "3")));
    m.add("S", m.queue() + m.server(law(exponential_rate("1"))) + m.router());
    m.add("J", section("Join", parameter("JoinStrategy", strategies + "JoinStrategy",
                                         of("A", of_a.toStdString()) + of("B", of_b.toStdString()))) +
                   section("ServiceTunnel") + m.router());
    m.connect("In", "F"), m.connect("F", "S"), m.connect("S", "J"), m.connect("J", "Out");
    const ReadOutcome read = import_network(m.text(), "model");
    if (by_class.startsWith("JMT002")) {
      QVERIFY2(said(read).find(by_class.toStdString()) == 0, said(read).c_str());
      return;
    }
    QVERIFY2(read.document, said(read).c_str());
    QCOMPARE(named(*read.document, "J").text("wait_for"), count.toStdString());
    QCOMPARE(named(*read.document, "J").text("wait_for_of"), by_class.toStdString());
  }
  void a_semaphore_opens_at_its_threshold() {
    Model m{{law(exponential_rate("0.1"))}, "", "", ""};
    const std::string one = sub("Normal", strategies + "SemaphoreStrategies.NormalSemaphore", value("SemThres", "3"));
    m.add("F", m.queue() + section("ServiceTunnel") + section("Fork", number("jobsPerLink", "3")));
    m.add("P", section("Semaphore", parameter("SemaphoreStrategy", strategies + "SemaphoreStrategy", m.each(one))) +
                   section("ServiceTunnel") + m.router());
    m.add("J", section("Join", "") + section("ServiceTunnel") + m.router());
    m.connect("In", "F"), m.connect("F", "P"), m.connect("P", "J"), m.connect("J", "Out");
    const ReadOutcome read = import_network(m.text(), "model");
    QVERIFY2(read.document, said(read).c_str());
    QCOMPARE(named(*read.document, "P").text("threshold"), std::string("3"));
  }
  void a_semaphore_opens_by_class() {
    Model m{{law(exponential_rate("0.1")), law(exponential_rate("0.2"))}, "", "", ""};
    const auto of = [](const char* name, const char* number) {
      return "<refClass>" + std::string(name) + "</refClass>" +
             sub("Normal", strategies + "SemaphoreStrategies.NormalSemaphore", value("SemThres", number));
    };
    m.add("F", m.queue() + section("ServiceTunnel") + section("Fork", number("jobsPerLink", "3")));
    m.add("P", section("Semaphore",
                       parameter("SemaphoreStrategy", strategies + "SemaphoreStrategy", of("A", "2") + of("B", "3"))) +
                   section("ServiceTunnel") + m.router());
    m.add("J", section("Join", "") + section("ServiceTunnel") + m.router());
    m.connect("In", "F"), m.connect("F", "P"), m.connect("P", "J"), m.connect("J", "Out");
    const ReadOutcome read = import_network(m.text(), "model");
    QVERIFY2(read.document, said(read).c_str());
    QCOMPARE(named(*read.document, "P").text("threshold"), std::string());
    QCOMPARE(named(*read.document, "P").text("threshold_of"), std::string("A = 2, B = 3"));
  }

  // M/M/1 with exponential patience: from n customers one goes at rate 1 + (n - 1) / 2.
  void who_gives_up_keeps_his_patience() {
    Model m{{law(exponential_rate("0.8"))}, "", "", ""};
    const std::string patience = sub("Reneging", strategies + "ImpatienceStrategies.Reneging", exponential_rate("0.5"));
    m.line(m.queue("-1", "drop",
                   parameter("Impatience", strategies + "ImpatienceStrategies.Impatience", m.each(patience))),
           m.server(law(exponential_rate("1"))));
    const double wanted = mean_number([](int) { return 0.8; }, [](int n) { return 1 + 0.5 * (n - 1); });
    const Document document = drawn(m);
    near(solved(document, {.solver = "ctmc-network"}), "queue_length/S/A", wanted, 1e-6);
    // Who comes is served, 1.6 - L of them a second, or gives up.
    compare_inside(solved(document, {.seed = 1, .confidence = 0.999}), "reneging_rate/S/A", wanted - 0.8);
    // Of a shorter mission too.
    const ResultSet shorter =
        solved(document, {.overrides = {{"run_length", "2000 s"}}, .seed = 1, .replications = 40, .confidence = 0.999});
    compare_inside(shorter, "reneging_rate/S/A", wanted - 0.8);
    QCOMPARE(shorter.measure("reneging_rate/S/A")->unit, std::string("/s"));
  }

  // Who finds one or two waiting turns round with probability 0.25, three or more with 0.75.
  void who_turns_round_does_so_by_the_line() {
    Model m{{law(exponential_rate("0.9"))}, "", "", ""};
    const auto range = [](const char* from, const char* p) {
      return sub("LDParameter", strategies + "ServiceStrategies.LDParameter",
                 value("from", from) + exponential_rate("1") + value("function", p));
    };
    const std::string steps =
        sub("LDParameter", strategies + "ServiceStrategies.LDParameter", range("1", "0.25") + range("3", "0.75"));
    const std::string balking =
        sub("Balking", strategies + "ImpatienceStrategies.Balking",
            sub("LoadDependentStrategy", strategies + "ServiceStrategies.LoadDependentStrategy", steps) +
                value("priorityActivated", "false"));
    m.line(
        m.queue("-1", "drop", parameter("Impatience", strategies + "ImpatienceStrategies.Impatience", m.each(balking))),
        m.server(law(exponential_rate("1"))));
    const double wanted =
        mean_number([](int n) { return 0.9 * (n <= 1   ? 1
                                              : n <= 3 ? 0.75
                                                       : 0.25); }, [](int) { return 1.0; });
    near(solved(drawn(m), {.solver = "ctmc-network"}), "queue_length/S/A", wanted, 1e-6);
  }

  // M/M/1 with room for the one who is served; others come again after a mean of 1 s. In the orbit are rho^2 / (1 -
  // rho)
  // + rho lambda / (1 - rho) / theta in the mean (Falin and Templeton, Retrial queues, 1997), so one stays
  // (1 + 0.5) / 0.5 s in the whole.
  void who_finds_no_room_comes_again() {
    Model m{{law(exponential_rate("0.5"))}, "", "", ""};
    m.line(m.queue("1", "retrial", laws("retrialDistributions", m.each(law(exponential_rate("1"))))),
           m.server(law(exponential_rate("1"))));
    compare_inside(solved(drawn(m), {.seed = 1, .confidence = 0.999}), "system_response_time/Out", 3.0);
  }

  void servers_go_round_the_classes_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<double>("waiting_s");
    // Two alike: load 0.6 in the whole, exponential services of 1 s, 0.1 s from class to class (Takagi, Analysis of
    // polling systems, 1986): [N lambda b2 + r (N -+ rho)] / 2 (1 - rho); limited to one, less room by N lambda r.
    QTest::newRow("exhaustive") << "Exhaustive" << (0.6 * 2 + 0.1 * (2 - 0.6)) / (2 * 0.4);
    QTest::newRow("gated") << "Gated" << (0.6 * 2 + 0.1 * (2 + 0.6)) / (2 * 0.4);
    QTest::newRow("limited") << "Limited" << (0.6 * 2 + 0.1 * (2 + 0.6)) / (2 * (0.4 - 0.6 * 0.1));
  }
  void servers_go_round_the_classes() {
    QFETCH(QString, kind);
    QFETCH(double, waiting_s);
    Model m{{law(exponential_rate("0.3")), law(exponential_rate("0.3"))}, "", "", ""};
    const std::string k = kind.toStdString();
    m.line(m.queue("-1", "drop", "", k + "PollingGetStrategy", "TailStrategy",
                   k == "Limited" ? value("pollingKValue", "1") : ""),
           m.server(law(exponential_rate("1")), laws("SwitchoverStrategy", m.each(law(constant("0.1")))),
                    k + "PollingServer"));
    const ReadOutcome read = import_network(m.text(), "model");
    QVERIFY2(read.document, said(read).c_str());
    QVERIFY2(said(read).find("JMT003 \"S\": its server goes round the classes while nobody is there") == 0,
             said(read).c_str());
    const ResultSet r = solved(*read.document, {.seed = 1, .confidence = 0.999});
    for (const char* id : {"waiting_time/S/A", "waiting_time/S/B"}) compare_inside(r, id, waiting_s);
  }

  // Every measure of a station has its class, of which there may be one only.
  void measures_have_station_and_class() {
    for (const std::size_t classes : {std::size_t{1}, std::size_t{2}}) {
      Model m{std::vector<std::string>(classes, law(exponential_rate("0.2"))), "", "", ""};
      m.line(m.queue("5"), m.server(law(exponential_rate("1"))));
      const ResultSet r = solved(drawn(m), {.seed = 1});
      for (const char* measure : {"queue_length", "response_time", "waiting_time", "utilisation", "throughput"})
        for (std::size_t c = 0; c < classes; ++c)
          QVERIFY2(r.measure(std::string(measure) + "/S/" + m.name(c)) != nullptr, measure);
      QVERIFY(r.measure(classes == 1 ? "drop_rate/S/A" : "drop_rate/S") != nullptr);
    }
  }
};

QTEST_GUILESS_MAIN(TestJmtImport)

}  // namespace ergode::test::jmt

#include "tst_jmt_import.moc"
