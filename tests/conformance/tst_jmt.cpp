// Models of the Java Modelling Tools with the results that are stored with them: imported, run, and compared.
#include <QtTest>
#include <algorithm>
#include <cctype>
#include <map>
#include <pugixml.hpp>

#include "core/base/csv.h"
#include "core/base/read_file.h"
#include "core/des/lowering.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/conformance/cases.h"
#include "tests/solvers/solver_check.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct JmtRow {
  std::string file, quantity, tolerance;
  double value = 0;
};

std::vector<JmtRow> rows_of(const std::string& set) {
  std::vector<JmtRow> out;
  const auto text = read_text(case_folder("jmt") + "/expected.csv");
  const auto table = parse_csv(std::get<std::string>(text));
  for (const std::vector<std::string>& cells : std::get<std::vector<std::vector<std::string>>>(table))
    // What the later engine says of its fastest service is not what the stored results say; see below.
    if (cells.size() >= 6 && cells[0].rfind(set, 0) == 0 && cells[4] != "info" &&
        cells[5].find("run again") == std::string::npos)
      out.push_back({cells[1], cells[2], cells[4], std::strtod(cells[3].c_str(), nullptr)});
  return out;
}

std::string name_of(const std::string& title) {
  std::string out;
  for (const char c : title) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return out;
}

/// Ids under which a quantity may stand: "CPU 1_Class1_Throughput [class Class1]", "Server0_Utilization".
std::vector<std::string> ids_of(std::string quantity) {
  static const std::map<std::string, std::string> kinds = {
      {"Number of Customers", "queue_length"}, {"Response Time", "response_time"},
      {"Utilization", "utilisation"},          {"Throughput", "throughput"},
      {"Firing Throughput", "throughput"},     {"Drop Rate", "drop_rate"}};
  std::string of_class;
  if (const std::size_t at = quantity.find(" [class "); at != std::string::npos) {
    of_class = quantity.substr(at + 8, quantity.size() - at - 9);
    quantity.erase(at);
  }
  const std::size_t last = quantity.rfind('_');
  if (last == std::string::npos) return {};
  const auto kind = kinds.find(quantity.substr(last + 1));
  if (kind == kinds.end()) return {};
  std::string station = quantity.substr(0, last);
  std::vector<std::string> out;
  const std::string both = "/" + name_of(station);
  if (!of_class.empty() && station.size() > of_class.size()) station.erase(station.size() - of_class.size() - 1);
  out.push_back(kind->second + "/" + name_of(station) + "/" + name_of(of_class));
  out.push_back(kind->second + both);
  for (const char* only : {"Class1", "Class0"}) out.push_back(kind->second + both + "/" + only);
  out.push_back(kind->second + "/" + name_of(station));
  return out;
}

std::optional<Document> imported(const std::string& file, std::string& why) {
  const auto text = read_text(case_folder("jmt") + "/" + file);
  if (std::holds_alternative<Diagnostic>(text)) throw std::runtime_error("cannot read " + file);
  ReadOutcome read = import_network(std::get<std::string>(text), "model");
  why = listed(read.diagnostics);
  return std::move(read.document);
}

}  // namespace

class TestJmt : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(network_lowering);
    if (case_folder("jmt").empty()) QSKIP("no cases folder");
  }

  // 82 values: those in closed form lie in 99.9 % intervals, and intervals of 99 % meet theirs of 99.9 %; a fresh seed
  // fails about once in 12.
  void simulations_agree_with_stored_results() {
    std::map<std::string, ResultSet> results;
    std::map<std::string, std::string> left_out;
    std::map<std::string, int> rows;
    int compared = 0;
    for (const JmtRow& row : rows_of("jsim")) {
      if (left_out.count(row.file) != 0) continue;
      if (results.count(row.file) == 0) {
        std::string why;
        const auto document = imported(row.file, why);
        if (!document) {
          left_out[row.file] = why;
          continue;
        }
        results.emplace(row.file, solved(*document, {.seed = 1, .confidence = 0.999}));
      }
      const ResultSet& all = results.at(row.file);
      const MeasureResult* m = nullptr;
      if (row.quantity.find("System Response Time") != std::string::npos) {
        const std::size_t at = row.quantity.find(" [class ");
        const bool by_class = at != std::string::npos;
        const std::string end = by_class ? "/" + row.quantity.substr(at + 8, row.quantity.size() - at - 9) : "";
        for (const MeasureResult& one : all.measures)
          if (one.id.rfind("system_response_time/", 0) == 0 && one.id.ends_with(end) &&
              std::count(one.id.begin(), one.id.end(), '/') == (by_class ? 2 : 1))
            m = &one;
      } else if (row.quantity == "System Drop Rate") {
        m = all.measure("system_drop_rate");
      } else {
        for (const std::string& id : ids_of(row.quantity))
          if (m == nullptr) m = all.measure(id);
      }
      if (m == nullptr) continue;
      double low = row.value, high = row.value;
      if (const std::size_t dots = row.tolerance.find(".."); dots != std::string::npos) {
        low = std::strtod(row.tolerance.c_str() + std::string("interval:").size(), nullptr);
        high = std::strtod(row.tolerance.c_str() + dots + 2, nullptr);
      }
      ++compared, ++rows[row.quantity];
      QVERIFY2(m->lower <= high && m->upper >= low, qPrintable(QString("%1, %2: [%3, %4], theirs %5 to %6")
                                                                   .arg(row.file.c_str(), row.quantity.c_str())
                                                                   .arg(m->lower)
                                                                   .arg(m->upper)
                                                                   .arg(low)
                                                                   .arg(high)));
    }
    // What does not map is said, and nothing else is left out.
    std::string files;
    for (const auto& [file, why] : left_out) {
      files += file + " ";
      QVERIFY2(why.find("JMT002") != std::string::npos, why.c_str());
    }
    qInfo("%d values compared; not mapped: %s", compared, files.c_str());
    QVERIFY(compared >= 55);
    QVERIFY(rows["System Drop Rate"] == 1);  // of those whom a region turns away
    for (const char* of : {"pareto", "burst"}) QVERIFY2(files.find(of) == std::string::npos, files.c_str());
  }

  // Their fastest service, beside ways by probabilities and to the shortest queue: all twelve results that are stored
  // in the model with an interval of 99 %; ours are of 99.9 %. Stored are 7 and 1 customers of a million at the slower
  // two servers: that engine looks at the mean of all services there. Ours looks at the last one, as later versions say
  // they do, and sends 2 of 1000 there, which changes no result by as much as its interval. (The later engine, run
  // again, sends a good part of them there.)
  void the_fastest_service_is_as_stored() {
    const std::string file = "jsim_examples/open_3class_3stat_loadbal.jsimg";
    std::string why;
    const auto document = imported(file, why);
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
      for (const std::string& id : ids_of(of.empty() ? name : name + " [class " + of + "]"))
        if (m == nullptr) m = all.measure(id);
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
    const auto document = imported("jsim_tests/burst-map-01-input.xml", why);
    QVERIFY2(document, why.c_str());
    for (const JmtRow& row : rows_of("jsim_tests/burst-map"))
      if (row.tolerance == "rel:1e-9") {
        const double found = estimate(solved(*document, {.solver = "qbd"}), "response_time/Queue_1/Class1");
        QVERIFY2(std::fabs(found / row.value - 1) < 1e-9, qPrintable(QString::number(found, 'g', 17)));
        return;
      }
    QFAIL("there is no exact value");
  }

  void analytic_models_have_their_answers() {
    std::map<std::string, ResultSet> results;
    int compared = 0;
    for (const JmtRow& row : rows_of("jmva_tests")) {
      const std::size_t colon = row.quantity.find(": ");
      // Utilisations of these three add up to more than one.
      const bool wrong = row.file.find("closed_comom") != std::string::npos ||
                         row.file.find("closed_mom") != std::string::npos ||
                         row.file.find("closed_recal") != std::string::npos;
      if (colon == std::string::npos || wrong) continue;
      std::vector<std::string> parts(1);
      for (const char c : row.quantity.substr(colon + 2)) {
        if (c == ',') parts.emplace_back();
        else if (c != ' ' || !parts.back().empty()) parts.back() += c;
      }
      static const std::map<std::string, std::string> kinds = {{"Number of Customers", "queue_length"},
                                                               {"Throughput", "throughput"},
                                                               {"Utilization", "utilisation"},
                                                               {"Residence time", "residence_time"}};
      const auto kind = kinds.find(parts[0]);
      if (kind == kinds.end() || parts.size() < 3) continue;
      if (results.count(row.file) == 0) {
        std::string why;
        const auto document = imported(row.file, why);
        QVERIFY2(document, why.c_str());
        RunRequest request;
        request.solver = "mva";
        RunControl control;
        results.emplace(row.file, find_solver("mva")->solve(*document, request, control));
      }
      const MeasureResult* m =
          results.at(row.file).measure(kind->second + "/" + name_of(parts[1]) + "/" + name_of(parts[2]));
      if (m == nullptr) continue;
      ++compared;
      QVERIFY2(std::fabs(m->estimate - row.value) <= 1e-9 * std::fabs(row.value) + 1e-300,
               qPrintable(QString("%1, %2: %3, theirs %4")
                              .arg(row.file.c_str(), row.quantity.c_str())
                              .arg(m->estimate, 0, 'g', 17)
                              .arg(row.value, 0, 'g', 17)));
    }
    qInfo("%d values compared", compared);
    QVERIFY(compared >= 200);
    // Stations whose speed depends on the load are among them.
    QVERIFY(results.at("jmva_tests/loaddepInputData.xml").measure("residence_time/Server_LD/Class1") != nullptr);
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
