// Models of the Java Modelling Tools with the results that are stored with them: imported, run, and compared.
#include <QtTest>
#include <algorithm>
#include <map>
#include <pugixml.hpp>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/conformance/jmt_cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// What they call a measure, and we.
const std::map<std::string, std::string>& kinds() {
  static const std::map<std::string, std::string> all = {
      {"Number of Customers", "queue_length"}, {"Response Time", "response_time"},
      {"Utilization", "utilisation"},          {"Throughput", "throughput"},
      {"Firing Throughput", "throughput"},     {"Drop Rate", "drop_rate"},
      {"Queue Time", "waiting_time"},          {"Residence Time", "residence_time"}};
  return all;
}

/// "CPU 1_Class1_Throughput [class Class1]", "Server0_Utilization", "Throughput Queue 1".
struct Quantity {
  std::string kind;     ///< ours; empty: none that we have
  std::string station;  ///< and class, or mode, where there is one: "CPU 1_Class1"
  std::string of_class;

  explicit Quantity(std::string text) {
    if (const std::size_t at = text.find(" [class "); at != std::string::npos) {
      of_class = text.substr(at + 8, text.size() - at - 9);
      text.erase(at);
    }
    if (const std::size_t last = text.rfind('_'); last != std::string::npos) {
      if (const auto found = kinds().find(text.substr(last + 1)); found != kinds().end())
        kind = found->second, station = text.substr(0, last);
      return;
    }
    for (const auto& [theirs, ours] : kinds())
      if (text.rfind(theirs + " ", 0) == 0) kind = ours, station = text.substr(theirs.size() + 1);
  }
  /// Under which it may stand.
  std::vector<std::string> ids() const {
    if (kind.empty()) return {};
    std::vector<std::string> out;
    const std::string both = "/" + jmt_name(station);
    std::string alone = station;
    if (!of_class.empty() && alone.size() > of_class.size()) alone.erase(alone.size() - of_class.size() - 1);
    out.push_back(kind + "/" + jmt_name(alone) + "/" + jmt_name(of_class));
    out.push_back(kind + both);
    for (const char* only : {"Class1", "Class0"}) out.push_back(kind + both + "/" + only);
    out.push_back(kind + "/" + jmt_name(alone));
    return out;
  }
};

struct Ends {
  double lower = 0, upper = 0;
};
std::optional<Ends> ends(const MeasureResult* m) {
  if (m == nullptr) return std::nullopt;
  return Ends{m->lower, m->upper};
}

/// Of all classes together, or of one.
std::optional<Ends> of_system(const Document& document, const ResultSet& all, const std::string& quantity) {
  const std::size_t at = quantity.find(" [class ");
  const std::string of = at == std::string::npos ? "" : quantity.substr(at + 8, quantity.size() - at - 9);
  const std::string end = of.empty() ? "" : "/" + of;
  const auto has = [&](const char* what) { return quantity.find(what) != std::string::npos; };
  if (has("System Drop Rate")) return ends(all.measure("system_drop_rate"));
  if (has("System Number of Customers")) return ends(all.measure("system_number" + end));
  const char* const ours = has("System Response Time") ? "system_response_time/" : "system_throughput/";
  for (const Element* node : document.of(Section::node))
    if (node->kind == "sink")
      if (const MeasureResult* one = all.measure(ours + node->name() + end); one != nullptr) return ends(one);
  // Nobody leaves: a passage ends where their class has its reference.
  return ends(all.measure((has("System Response Time") ? "system_response_time" : "system_throughput") + end));
}

/// Why a stored result is not compared; empty: it is.
std::string left_out(const JmtRow& row) {
  // What the later engine says of its fastest service is not what the stored results say; see below.
  if (row.source.find("run again") != std::string::npos) return "the later engine chooses otherwise";
  return "";
}

}  // namespace

class TestJmt : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(network_lowering);
    if (case_folder("jmt").empty()) QSKIP("no cases folder: ERGODE_CASES names none with jmt");
  }

  // 103 values: those in closed form lie in 99.9 % intervals, and intervals of 99 % meet theirs of 99.9 %; a fresh seed
  // fails about once in 10.
  void simulations_agree_with_stored_results() {
    struct Run {
      Document document;
      ResultSet results;
    };
    std::map<std::string, Run> runs;
    int compared = 0, not_compared = 0;
    for (const JmtRow& row : jmt_rows("jsim")) {
      const std::string name = row.file + ", " + row.quantity;
      if (const std::string why = left_out(row); !why.empty()) {
        qInfo("left out: %s: %s", name.c_str(), why.c_str());
        ++not_compared;
        continue;
      }
      if (runs.count(row.file) == 0) {
        std::string why;
        auto document = jmt_document(row.file, why);
        QVERIFY2(document, (row.file + "\n" + why).c_str());
        ResultSet results = solved(*document, {.seed = 1, .confidence = 0.999});
        runs.emplace(row.file, Run{std::move(*document), std::move(results)});
      }
      const Run& run = runs.at(row.file);
      std::optional<Ends> ours;
      if (row.quantity.find("System ") != std::string::npos) ours = of_system(run.document, run.results, row.quantity);
      else
        for (const std::string& id : Quantity(row.quantity).ids())
          if (!ours) ours = ends(run.results.measure(id));
      QVERIFY2(ours, ("no measure for " + name).c_str());
      double low = row.value, high = row.value;
      if (const std::size_t dots = row.tolerance.find(".."); dots != std::string::npos) {
        low = std::strtod(row.tolerance.c_str() + std::string("interval:").size(), nullptr);
        high = std::strtod(row.tolerance.c_str() + dots + 2, nullptr);
      }
      ++compared;
      QVERIFY2(ours->lower <= high && ours->upper >= low, qPrintable(QString("%1: [%2, %3], theirs %4 to %5")
                                                                         .arg(name.c_str())
                                                                         .arg(ours->lower)
                                                                         .arg(ours->upper)
                                                                         .arg(low)
                                                                         .arg(high)));
    }
    QCOMPARE(compared, 103);
    QCOMPARE(not_compared, 2);
    // Those without an interval, of runs that ended before their precision, or that their engine does not find again.
    const std::vector<JmtRow> information = jmt_rows("jsim", true);
    for (const JmtRow& row : information)
      qInfo("left out: %s, %s: %s", row.file.c_str(), row.quantity.c_str(), row.source.c_str());
    QCOMPARE(information.size(), std::size_t{29});
  }

  // Their fastest service, beside ways by probabilities and to the shortest queue: all twelve results that are stored
  // in the model with an interval of 99 %; ours are of 99.9 %. Stored are 7 and 1 customers of a million at the slower
  // two servers: that engine looks at the mean of all services there. Ours looks at the last one, as later versions say
  // they do, and sends 2 of 1000 there, which changes no result by as much as its interval. (The later engine, run
  // again, sends a good part of them there.)
  void the_fastest_service_is_as_stored() {
    const std::string file = "jsim_examples/open_3class_3stat_loadbal.jsimg";
    std::string why;
    const auto document = jmt_document(file, why);
    QVERIFY2(document, why.c_str());
    const ResultSet all = solved(*document, {.seed = 1, .confidence = 0.999});
    pugi::xml_document theirs;
    QVERIFY(theirs.load_file((case_folder("jmt") + "/" + file).c_str()));
    int compared = 0;
    for (const pugi::xml_node& stored : theirs.child("archive").child("results").children("measure")) {
      const pugi::xml_node last = stored.last_child();
      const std::string of = stored.attribute("referenceClass").value();
      if (!last.attribute("lowerBound") || stored.attribute("state").as_int() != 1) continue;
      const std::string name = stored.attribute("name").value();
      const MeasureResult* m = nullptr;
      for (const std::string& id : Quantity(of.empty() ? name : name + " [class " + of + "]").ids())
        if (m == nullptr) m = all.measure(id);
      // Of the whole there is no station to name: it is compared above.
      if (m == nullptr) qInfo("left out: %s", name.c_str());
      if (m == nullptr) continue;
      ++compared;
      const double low = last.attribute("lowerBound").as_double(), high = last.attribute("upperBound").as_double();
      QVERIFY2(m->lower <= high && m->upper >= low, qPrintable(QString("%1: [%2, %3], theirs %4 to %5")
                                                                   .arg(name.c_str())
                                                                   .arg(m->lower)
                                                                   .arg(m->upper)
                                                                   .arg(low)
                                                                   .arg(high)));
    }
    qInfo("%d values compared", compared);
    QCOMPARE(compared, 10);
  }

  // The one arrival process of theirs whose answer is known: MAP/M/1, to 12 digits.
  void arrivals_with_memory_have_their_exact_answer() {
    std::string why;
    const auto document = jmt_document("jsim_tests/burst-map-01-input.xml", why);
    QVERIFY2(document, why.c_str());
    for (const JmtRow& row : jmt_rows("jsim_tests/burst-map"))
      if (row.tolerance == "rel:1e-9") {
        const double found = estimate(solved(*document, {.solver = "qbd"}), "response_time/Queue_1/Class1");
        QVERIFY2(std::fabs(found / row.value - 1) < 1e-9, qPrintable(QString::number(found, 'g', 17)));
        return;
      }
    QFAIL("there is no exact value");
  }

  void what_is_no_such_file_is_refused() {
    for (const char* text : {"", "no xml", "<archive/>", "<model/>", "<pnml/>", "<sim><node name=a/></sim>"}) {
      const ReadOutcome read = import_network(text, "model");
      QVERIFY2(!read.document && has_errors(read.diagnostics), text);
    }
  }

  // A producer and a consumer with room for two between them: M/M/1/3 in disguise, seen from the tokens.
  void petri_nets_of_the_markup_language_run() {
    const char* text =
        "<pnml><net id='n' type='ptnet'><page id='p'>"
        "<place id='free'><initialMarking><text>3</text></initialMarking></place>"
        "<place id='full'><name><text>full slots</text></name></place>"
        "<transition id='put'/><transition id='take'/>"
        "<arc id='1' source='free' target='put'/><arc id='2' source='put' target='full'/>"
        "<arc id='3' source='full' target='take'/><arc id='4' source='take' target='free'/></page></net></pnml>";
    const ReadOutcome read = import_network(text, "model");
    QVERIFY2(read.document, listed(read.diagnostics).c_str());
    const ResultSet r = solved(*read.document, {.confidence = 0.999});
    compare_inside(r, "queue_length/full_slots/all", 1.5);  // rates are equal: all of 0 to 3 alike
  }
};

QTEST_APPLESS_MAIN(TestJmt)
#include "tst_jmt.moc"
