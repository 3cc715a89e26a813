// Models of JMT with a defect: refused with where it stands, what is seen and what is wanted; never read as something
// else.
#include <QtTest>
#include <random>

#include "core/des/lowering.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"
#include "tests/solvers/queueing/jmt_model.h"

// Words of these models, and not those of other files that are compiled with this one.
namespace ergode::test::jmt {
namespace {

/// The text with one place of it changed; fails where there is no such place.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::runtime_error("no " + from + " in " + text);
  return text.replace(at, from.size(), to);
}
void refused(const std::string& text, const std::string& wanted) {
  const ReadOutcome read = import_network(text, "model");
  QVERIFY2(!read.document && said(read).find(wanted) != std::string::npos,
           ("wanted: " + wanted + "\nseen: " + said(read)).c_str());
}
void imported(const std::string& text) {
  const ReadOutcome read = import_network(text, "model");
  QVERIFY2(read.document.has_value(), said(read).c_str());
}

const std::string slow = law(exponential_rate("0.3")), quick = law(exponential_rate("1"));

/// Two classes, a station with a region, one way.
Model two_classes() {
  Model m{{slow, slow}, "", "", ""};
  m.line(m.queue("5"), m.server(quick, "", "Server", "2"));
  m.more =
      "<blockingRegion name='R'><regionNode nodeName='S'/><globalConstraint maxJobs='9'/>"
      "<classConstraint jobClass='A' maxJobsPerClass='3'/><classWeight jobClass='A' weight='1'/>"
      "<dropRules jobClass='A' dropThisClass='true'/></blockingRegion>";
  return m;
}

std::string entry(const std::string& to, const std::string& p) {
  return sub("EmpiricalEntry", "jmt.engine.random.EmpiricalEntry",
             value("stationName", to) + sub("probability", "java.lang.Double", "<value>" + p + "</value>"));
}
/// From R by probabilities to S and T.
std::string by_chance(const std::string& to_s, const std::string& to_t) {
  Model m{{slow}, "", "", ""};
  m.add("R", m.queue() + section("ServiceTunnel") +
                 m.router("EmpiricalStrategy", sub("EmpiricalEntryArray", "jmt.engine.random.EmpiricalEntry",
                                                   entry("S", to_s) + entry("T", to_t))));
  m.connect("In", "R");
  for (const char* one : {"S", "T"}) {
    m.add(one, m.queue() + m.server(quick) + m.router());
    m.connect("R", one), m.connect(one, "Out");
  }
  return m.text();
}
/// A and B come to a switch that makes B of A with this probability, and go by chance to S (0.25) and T (0.75) then.
std::string switching(const std::string& becomes_b, const std::string& stays_a) {
  Model m{{slow, slow}, "", "", ""};
  const auto row = [&](const std::string& a, const std::string& b) {
    const auto cell = [](const std::string& p) { return sub("cell", "java.lang.Float", "<value>" + p + "</value>"); };
    return sub("row", "java.lang.Float", of("A", cell(a)) + of("B", cell(b)));
  };
  m.add("C", m.queue() +
                 section("ClassSwitch", parameter("matrix", "java.lang.Object",
                                                  of("A", row(stays_a, becomes_b)) + of("B", row("0", "1")))) +
                 m.router("EmpiricalStrategy", sub("EmpiricalEntryArray", "jmt.engine.random.EmpiricalEntry",
                                                   entry("S", "0.25") + entry("T", "0.75"))));
  m.connect("In", "C");
  for (const char* one : {"S", "T"}) {
    m.add(one, m.queue() + m.server(quick) + m.router());
    m.connect("C", one), m.connect(one, "Out");
  }
  return m.text();
}
/// A fork that sends parts to S: none or so many of them.
std::string forking(const std::string& way, const std::string& one, const std::string& three) {
  Model m{{slow}, "", "", ""};
  const auto many = [](const char* parts, const std::string& p) {
    return sub(
        "EmpiricalEntry", "jmt.engine.random.EmpiricalEntry",
        sub("numbers", "java.lang.String", "<value>" + std::string(parts) + "</value>") + value("probability", p));
  };
  const std::string path = sub("OutPathEntry", "OutPath",
                               sub("outUnitProbability", "jmt.engine.random.EmpiricalEntry",
                                   value("stationName", "S") + value("probability", way)) +
                                   sub("JobsPerLinkDis", "x", many("1", one) + many("3", three)));
  m.add("F", m.queue() + section("ServiceTunnel") +
                 section("Fork", number("jobsPerLink", "1") + number("block", "-1") +
                                     parameter("isSimplifiedFork", "java.lang.Boolean", "<value>false</value>") +
                                     parameter("ForkStrategy", strategies + "ForkStrategy",
                                               of("A", sub("Branch Probabilities",
                                                           strategies + "ForkStrategies.ProbabilitiesFork",
                                                           sub("EmpiricalEntryArray", "x", path))))));
  m.add("S", m.queue() + m.server(quick) + m.router());
  m.connect("In", "F"), m.connect("F", "S"), m.connect("S", "Out");
  return m.text();
}

std::string analytic(const std::string& of_class, const std::string& servers, const std::string& time,
                     const std::string& visits) {
  return "<model><parameters><classes>" + of_class + "</classes><stations><listation name='S'" + servers +
         "><servicetimes><servicetime customerclass='A'>" + time +
         "</servicetime></servicetimes><visits><visit customerclass='A'>" + visits +
         "</visit></visits></listation></stations></parameters></model>";
}

/// As many stations and classes of an analytic model.
std::string large(std::size_t stations, std::size_t classes) {
  std::string text = "<model><parameters><classes>", each;
  for (std::size_t c = 0; c < classes; ++c) {
    const std::string name = "C" + std::to_string(c);
    text += "<closedclass name='" + name + "' population='1'/>";
    each += "<servicetime customerclass='" + name + "'>1</servicetime>";
  }
  text += "</classes><stations>";
  for (std::size_t s = 0; s < stations; ++s)
    text += "<listation name='S" + std::to_string(s) + "' servers='1'><servicetimes>" + each +
            "</servicetimes></listation>";
  return text + "</stations></parameters></model>";
}

}  // namespace

class TestJmtDefects : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  void whoever_is_named_is_declared() {
    const std::string text = two_classes().text();
    imported(text);
    const auto without = [&](const std::string& what) { return with(text, what, ""); };
    const std::string b = "<userClass name='B' type='open' priority='1' referenceSource='In'/>";
    refused(without(b),
            "JMT002 \"In\": The class of a parameter is \"B\", which the file does not declare; wanted a class "
            "(<userClass>).");
    refused(without("<userClass name='A' type='open' priority='0' referenceSource='In'/>"),
            "\"R\": The class of its <classConstraint> is \"A\", which the file does not declare");
    refused(with(text, "connection source='In'", "connection source='Inn'"),
            "JMT002 \"Inn → S\": The source of this connection is \"Inn\", which the file does not declare; wanted a "
            "node (<node>).");
    refused(with(text, "target='Out'", "target='Off'"), "\"S → Off\": The target of this connection is \"Off\"");
    refused(with(text, "referenceSource='In'", "referenceSource='Inn'"),
            "\"A\": The reference of this class is \"Inn\", which the file does not declare");
    refused(with(text, b, b + b), "\"B\": Two of <userClass> have this name");
    refused(with(text, "<node name='S'>", "<node name='In'>"), "\"In\": Two of <node> have this name");
    refused(with(text, "<refClass>B</refClass>", ""), "\"In\": The values of \"ServiceStrategy\" are not one for each");
    const std::string preload =
        "<preload><stationPopulations stationName='X'><classPopulation refClass='Z' "
        "population='1'/></stationPopulations></preload></sim>";
    refused(with(text, "</sim>", preload), "\"preload\": A station is \"X\"");
    refused(with(text, "</sim>", preload), "\"X\": The class of customers put there is \"Z\"");
    Model one{{slow}, "", "", ""};
    one.line(one.queue(), one.server(quick));
    refused(with(one.text(), "<refClass>A</refClass>", ""),
            "\"In\": a value of \"ServiceStrategy\" without a class before it does not map.");
  }

  void elements_in_elements_without_end_are_refused() {
    for (const char* root : {"sim", "archive", "model"}) {
      std::string text = "<" + std::string(root) + ">";
      for (int i = 0; i < 50'000; ++i) text += "<parameter>";
      refused(text, "JMT001 Not well-formed XML: nested deeper than 256 levels. (line 1, column ");
    }
    // As JMT writes its files; UTF-8 where nothing is declared.
    const std::string latin = with(with(two_classes().text(), "name='R'", "name='R\xE9gion'"), "<sim>",
                                   "<?xml version='1.0' encoding='ISO-8859-1'?><sim>");
    imported(latin);
    refused(with(latin, " encoding='ISO-8859-1'", ""), "\\xE9, which is no UTF-8. (line 1, column ");
    refused("<sim><node></sim>", "JMT001 Not well-formed XML: the end tag \"sim\" does not match \"node\".");
    refused("<!-- none --><other/>", "JMT001 There is no simulation model in the file, whose root is <other>");
  }

  void probabilities_are_probabilities() {
    imported(by_chance("0.25", "0.75")), imported(by_chance("0.333", "0.66")), imported(switching("0.5", "0.5"));
    imported(forking("1", "1", "0")), imported(forking("1", "0", "1.0"));
    for (const char* bad : {"-1", "-0.5", "1.5", "NaN", "1e30", "abc", ""}) {
      const std::string end = " is \"" + std::string(bad) + "\"; wanted a number from 0 to 1.";
      refused(by_chance("0.25", bad), "JMT002 \"R\": The probability of \"A\" to \"T\"" + end);
      refused(switching(bad, "1"), "JMT002 \"C\": The probability that \"A\" becomes \"B\"" + end);
      refused(forking(bad, "1", "0"), "JMT002 \"F\": The probability of its way to \"S\"" + end);
      refused(forking("1", "1", bad), "JMT002 \"F\": The probability of so many parts" + end);
    }
    refused(by_chance("0.2", "0.3"), "\"R\": The sum of the probabilities of \"A\" is \"0.5\"; wanted 1.");
    for (const char* p : {"0.5", "0"}) refused(forking("1", p, "0"), "\"F\": a fork whose numbers are drawn");
    // Whichever number is sure, in whatever order they stand.
    const ReadOutcome read = import_network(forking("1", "0", "1"), "model");
    std::size_t three = 0;
    for (const Element* flow : read.document->of(Section::edge)) three += flow->text("count") == "3" ? 1 : 0;
    QCOMPARE(three, std::size_t{1});
  }

  // 0.3 /s of A and of B come; half of A are B behind the switch; a quarter goes to S, the others to T.
  void ways_behind_a_switch_share_what_the_others_leave() {
    const ReadOutcome read = import_network(switching("0.5", "0.5"), "model");
    QVERIFY2(read.document.has_value(), said(read).c_str());
    const ResultSet r = solved(*read.document, {.solver = "mva"});
    for (const auto& [id, wanted] :
         {std::pair("throughput/S/A", 0.15 * 0.25), std::pair("throughput/S/B", 0.45 * 0.25),
          std::pair("throughput/T/A", 0.15 * 0.75), std::pair("throughput/T/B", 0.45 * 0.75)})
      QVERIFY2(std::fabs(estimate(r, id) - wanted) < 1e-9, id);
  }

  void numbers_are_what_they_say_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* from, const char* to, const char* wanted) {
      QTest::newRow(to) << QString(from) << QString(to) << QString(wanted);
    };
    const char* limit = "; wanted a whole number from 1 to 2147483647, or -1 for none.";
    for (const char* bad : {"-0.5", "0", "99999999999999999999", "1 2", "NaN", "abc", ""}) {
      const QString seen = QString(" is \"%1\"%2").arg(bad, limit);
      QTest::addRow("limit %s", bad) << "maxJobs='9'" << QString("maxJobs='%1'").arg(bad)
                                     << "\"R\": The limit of this region" + seen;
      QTest::addRow("limit of a class %s", bad) << "maxJobsPerClass='3'" << QString("maxJobsPerClass='%1'").arg(bad)
                                                << "\"R\": The limit of this region for \"A\"" + seen;
    }
    row("weight='1'", "weight='1 2'", "\"R\": Its weight is \"1 2\"; wanted a number of at least 0.");
    row("dropThisClass='true'", "dropThisClass='maybe'",
        "\"R\": Whether it loses a class is \"maybe\"; wanted true or false.");
    row("type='open'", "type='abc'", "\"A\": The type of this class is \"abc\"; wanted open or closed.");
    row("type='open'", "", "\"A\": The type of this class is \"\"; wanted open or closed.");
    for (const char* bad : {"1e30", "0.5", "abc", ""})
      QTest::addRow("priority %s", bad) << "priority='0'" << QString("priority='%1'").arg(bad)
                                        << QString(
                                               "\"A\": The priority of this class is \"%1\"; wanted a whole number "
                                               "from -2147483647 to 2147483647.")
                                               .arg(bad);
    row("type='open'", "type='closed' customers='1.5'",
        "\"A\": The number of its customers is \"1.5\"; wanted a whole number from 0 to 2147483647.");
    row("type='open'", "type='closed' customers=''", "\"A\": The number of its customers is \"\"");
    row("type='open'", "type='closed'", "\"A\": The number of its customers is \"\"");
    row("type='open'", "type='open' softDeadline='x'", "\"A\": The due date of this class is \"x\"");
    const auto of_parameter =
        [&](const char* name, const char* good, const char* bad, const char* wanted) {
          const QString text = "name='%1'><value>%2</value>";
          QTest::addRow("%s %s", name, bad)
              << text.arg(name, good) << text.arg(name, bad)
              << QString("\"S\": The number \"%1\" is \"%2\"; wanted a whole number from %3").arg(name, bad, wanted);
        };
    for (const char* bad : {"1e30", "0", "-1", "1.5", "", "two"}) of_parameter("maxJobs", "2", bad, "1 to 2147483647.");
    for (const char* bad : {"1e30", "-2", "1.5", "", "NaN"})
      of_parameter("size", "5", bad, "0 to 2147483647, or -1 for none.");
    row("<value>0.3</value>", "<value>fast</value>",
        "\"In\": distribution \"Exponential\" without a number \"lambda\" does not map.");
  }
  void numbers_are_what_they_say() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, wanted);
    refused(with(two_classes().text(), from.toStdString(), to.toStdString()), "JMT002 " + wanted.toStdString());
  }

  // Not "nan /s": laws whose numbers are none.
  void numbers_of_laws_are_numbers() {
    for (const char* bad : {"NaN", "nan", "Infinity", "-inf", "fast", ""}) {
      Model m{{slow}, "", "", ""};
      m.line(m.queue(), m.server(law(exponential_rate(bad))));
      refused(m.text(), "\"S\": distribution \"Exponential\" without a number \"lambda\" does not map.");
      Model gaps{{law(constant(bad))}, "", "", ""};
      gaps.line(gaps.queue(), gaps.server(quick));
      refused(gaps.text(), "\"In\": distribution \"DeterministicDistr\" without a number \"t\" does not map.");
      const auto row = [](const std::string& entry) {
        return sub("vector", "java.lang.Object", value("entry", entry));
      };
      Model map{{law(sub("MAP", "jmt.engine.random.MAPDistr", "") +
                     sub("distrPar", "jmt.engine.random.MAPPar",
                         sub("D0", "java.lang.Object", row("-1")) + sub("D1", "java.lang.Object", row(bad))))},
                "",
                "",
                ""};
      map.line(map.queue(), map.server(quick));
      refused(map.text(), "\"In\": distribution \"MAPDistr\" without a number \"D1\" does not map.");
    }
  }

  void analytic_models_have_numbers() {
    const std::string open = "<openclass name='A' rate='0.5'/>", one = " servers='1'";
    imported(analytic(open, one, "1", "1")), imported(analytic(open, "", "0", "0"));
    imported(analytic("<closedclass name='A' population='0'/>", one, "1", "1"));
    const std::string amount = "; wanted a number of at least 0.", count = "; wanted a whole number from ";
    for (const std::string bad : {"-1", "abc", "", "NaN", "Infinity"}) {
      const std::string seen = " is \"" + bad + "\"";
      refused(analytic("<openclass name='A' rate='" + bad + "'/>", one, "1", "1"), "\"A\": The rate" + seen + amount);
      refused(analytic(open, one, bad, "1"), "JMT002 \"S\": The service time of \"A\"" + seen + amount);
      refused(analytic(open, one, "1", bad), "JMT002 \"S\": The number of visits of \"A\"" + seen + amount);
    }
    for (const std::string bad : {"-1", "0.5", "abc", "", "1e30"}) {
      const std::string seen = " is \"" + bad + "\"" + count;
      refused(analytic("<closedclass name='A' population='" + bad + "'/>", one, "1", "1"),
              "JMT002 \"A\": The population" + seen + "0 to 2147483647.");
      refused(analytic(open, " servers='" + bad + "'", "1", "1"),
              "JMT002 \"S\": The number of servers" + seen + "1 to 2147483647.");
    }
    refused(with(analytic(open, one, "1", "1"), "customerclass='A'", "customerclass='B'"),
            "\"S\": The class in its servicetimes is \"B\", which the file does not declare");
    refused(with(analytic(open, one, "1", "1"), "</servicetime>", "</servicetime><servicetime customerclass='A'/>"),
            "\"S\": There are two servicetimes of \"A\"; wanted one.");
    refused(analytic(open + open, one, "1", "1"), "\"A\": Two classes have this name");
    refused(analytic("<oddclass name='A'/>", one, "1", "1"), "\"A\": A class <oddclass> does not map.");
    refused(with(analytic(open, one, "1", "1"), "<servicetime customerclass='A'>1</servicetime>", ""),
            "JMT002 \"S\": There are no servicetimes of \"A\"; wanted one.");
    refused(with(analytic(open + "<openclass name='B' rate='1'/>", one, "1", "1"), "<servicetime ",
                 "<servicetime customerclass='B'>1</servicetime><servicetime "),
            "JMT002 \"S\": There are no visits of \"B\"; wanted one.");
    refused(with(analytic(open, one, "1", "1"), "<stations>", "<stations number='2'>"),
            "JMT002 \"stations\": The number of them is \"2\"; wanted as many as there are: 1.");
    std::string dependent = analytic("<closedclass name='A' population='2'/>", one, "1;0.5", "1");
    dependent = with(with(dependent, "<listation", "<ldstation"), "</listation", "</ldstation");
    imported(dependent);
    refused(with(dependent, "1;0.5", "1;-1"), "\"S\": A service time is \"-1\"" + amount);
    refused(with(dependent, "1;0.5", "1;;2"), "\"S\": A service time is \"\"" + amount);
    refused(with(dependent, "1;0.5", "1;0"), "\"S\": A service time is \"0\"; wanted more than 0 where others are.");
  }

  // What is drawn and asked grows as stations times classes, and so what it costs.
  void many_classes_cost_as_much_as_is_drawn() {
    const auto elements = [](std::size_t classes) {
      const ReadOutcome read = import_network(large(3, classes), "model");
      return read.document ? static_cast<double>(read.document->elements().size()) : 0.0;
    };
    const double few = elements(100), twice = elements(200);
    QVERIFY2(few > 0 && twice < 2.05 * few, qPrintable(QString("%1 and %2").arg(few).arg(twice)));
    const ReadOutcome read = import_network(large(3, 2), "model");
    for (const char* id : {"queue_length/start_C0/C0", "queue_length/S0/C1"}) {
      const auto asked = read.document->of(Section::measure);
      QVERIFY(std::any_of(asked.begin(), asked.end(), [&](const Element* one) { return one->name() == id; }));
    }
    refused(large(501, 100),
            "JMT002 The model has 501 stations and 100 classes, each of which goes ways of its own; wanted at most "
            "50000 pairs of a station and a class.");
  }

  // Lines lost and numbers spoilt, one at a time: every mutant is imported or refused with a diagnostic.
  void mutants_are_imported_or_refused() {
    Model m = two_classes();
    m.add("R", m.queue() + section("ServiceTunnel") +
                   m.router("EmpiricalStrategy", sub("EmpiricalEntryArray", "jmt.engine.random.EmpiricalEntry",
                                                     entry("S", "0.25") + entry("Out", "0.75"))));
    m.connect("In", "R"), m.connect("R", "S"), m.connect("R", "Out");
    std::string text = m.text();
    for (std::size_t at = 0; (at = text.find("><", at)) != std::string::npos; at += 2) text.insert(at + 1, "\n");
    text += "\n";
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    imported(text);
    std::mt19937 random(7);
    const auto any = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    std::size_t refusals = 0, imports = 0;
    for (int mutant = 0; mutant < 600; ++mutant) {
      std::vector<std::string> all = lines;
      const bool loses = any(3) == 0;
      std::size_t which = any(all.size());
      while (!loses && all[which].find_first_of("0123456789") == std::string::npos) which = any(all.size());
      std::string& line = all[which];
      if (loses) {
        line.clear();
      } else {
        const std::size_t digit = line.find_first_of("0123456789");
        const std::size_t end = std::min(line.find_first_not_of("0123456789.", digit), line.size());
        static const char* const bad[] = {"-1", "1e30", "abc", "", "-0.5"};
        line.replace(digit, end - digit, bad[any(std::size(bad))]);
      }
      std::string changed;
      for (const std::string& one : all) changed += one + "\n";
      const ReadOutcome read = import_network(changed, "model");
      QVERIFY2(read.document.has_value() != has_errors(read.diagnostics), changed.c_str());
      ++(read.document ? imports : refusals);
    }
    QVERIFY2(refusals > 300 && imports > 10, qPrintable(QString("%1 and %2").arg(refusals).arg(imports)));
  }
};

QTEST_GUILESS_MAIN(TestJmtDefects)

}  // namespace ergode::test::jmt

#include "tst_jmt_defects.moc"
