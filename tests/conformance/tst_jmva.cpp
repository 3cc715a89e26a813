// Analytic models of the Java Modelling Tools: every stored answer, of exact and of approximate algorithms.
#include <QtTest>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <sstream>

#include "core/des/lowering.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/conformance/jmt_cases.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// What they call an algorithm, and the option here; null: one that there is not.
const char* method_of(const std::string& algorithm) {
  static const std::map<std::string, const char*> known = {{"", "exact"},
                                                           {"MVA", "exact"},
                                                           {"RECAL", "exact"},
                                                           {"MoM", "exact"},
                                                           {"CoMoM", "exact"},
                                                           {"Bard-Schweitzer", "schweitzer"},
                                                           {"Linearizer", "linearizer"},
                                                           // The same with fewer steps.
                                                           {"Optimised Linearizer", "linearizer"},
                                                           {"De Souza-Muntz Linearizer", "linearizer"}};
  const auto found = known.find(algorithm);
  return found == known.end() ? nullptr : found->second;
}

const char* kind_of(const std::string& measure) {
  static const std::map<std::string, const char*> known = {{"Number of Customers", "queue_length"},
                                                           {"Queue Length", "queue_length"},
                                                           {"Throughput", "throughput"},
                                                           {"Utilization", "utilisation"},
                                                           {"Residence time", "residence_time"},
                                                           {"Residence Time", "residence_time"}};
  const auto found = known.find(measure);
  return found == known.end() ? nullptr : found->second;
}

/// The model of a file, or why there is none.
std::optional<Document> document_of(const std::string& xml, std::string& why) {
  ReadOutcome read = import_network(xml, "model");
  why = listed(read.diagnostics);
  return std::move(read.document);
}

/// JmvaAnswers of one model by the algorithms that have been asked.
class JmvaAnswers {
 public:
  explicit JmvaAnswers(Document document) : document_(std::move(document)) {}
  const ResultSet& by(const std::string& method) {
    const auto found = by_.find(method);
    if (found != by_.end()) return found->second;
    return by_.emplace(method, solved(document_, {.solver = "mva", .options = {{"mva-method", method}}})).first->second;
  }
  /// Empty: it does; else why it does not.
  std::string why_not(const std::string& method) const {
    const RunRequest request{.solver = "mva", .options = {{"mva-method", method}}};
    const Diagnostics found = find_solver("mva")->fits(document_, request);
    return has_errors(found) ? listed(found) : "";
  }
  bool is_delay(const std::string& station) const {
    for (const Element* node : document_.of(Section::node))
      if (node->name() == station) return node->kind == "delay";
    return false;
  }
  /// Of a delay their utilisation is the mean number there; where nobody of a class ever comes nothing is measured.
  std::optional<double> value(const std::string& method, const std::string& kind, const std::string& station,
                              const std::string& of, double wanted) {
    const std::string asked = kind == "utilisation" && is_delay(station) ? "queue_length" : kind;
    const MeasureResult* m = by(method).measure(asked + "/" + station + "/" + of);
    if (m != nullptr) return m->estimate;
    if (wanted == 0.0 && by(method).measure("response_time/" + station + "/" + of) == nullptr) return 0.0;
    return std::nullopt;
  }

 private:
  Document document_;
  std::map<std::string, ResultSet> by_;
};

/// "rel:1e-9", "abs:1e-6".
bool close(double seen, double wanted, const std::string& tolerance) {
  const double digits = std::strtod(tolerance.c_str() + 4, nullptr);
  const double scale = tolerance.rfind("rel", 0) == 0 ? std::fabs(wanted) : 1.0;
  return std::fabs(seen - wanted) <= digits * scale + 1e-300;
}
QString differs(const std::string& what, double seen, double wanted) {
  return QString("%1: %2, theirs %3").arg(what.c_str()).arg(seen, 0, 'g', 17).arg(wanted, 0, 'g', 17);
}
void say_left_out(const std::string& what, const std::string& why) {
  qInfo("left out: %s: %s", what.c_str(), why.c_str());
}

/// "a,b;c,d": rows of stations, columns of classes.
std::vector<std::vector<double>> matrix(const std::string& text) {
  std::vector<std::vector<double>> out;
  std::stringstream rows(text);
  for (std::string row; std::getline(rows, row, ';');) {
    out.emplace_back();
    std::stringstream cells(row);
    for (std::string cell; std::getline(cells, cell, ',');) out.back().push_back(std::strtod(cell.c_str(), nullptr));
  }
  return out;
}

using Json = nlohmann::json;

/// An input of the text cases as a file of theirs.
std::string analytic_file(const Json& in) {
  const auto number = [](const Json& value) { return number_text(value.get<double>(), 17); };
  const auto of = [](const Json& values, std::size_t c) { return values.is_array() ? values[c] : values; };
  std::string classes, stations;
  std::vector<std::string> kinds;
  std::vector<Json> sizes;
  for (const char* key : {"population", "population_or_rate", "arrival_rates"}) {
    if (!in.contains(key)) continue;
    // One class solved for 1, 2, .. customers: the last answer is stored.
    const bool steps = in.contains("note");
    const std::size_t count = in[key].is_array() && !steps ? in[key].size() : 1;
    for (std::size_t c = 0; c < count; ++c) {
      kinds.push_back(in.contains("class_types")            ? in["class_types"][c].get<std::string>()
                      : std::string(key) == "arrival_rates" ? "open"
                                                            : "closed");
      sizes.push_back(steps ? in[key].back() : of(in[key], c));
    }
  }
  for (std::size_t c = 0; c < kinds.size(); ++c)
    classes += "<" + kinds[c] + "class name='C" + std::to_string(c) + "' " +
               (kinds[c] == "open" ? "rate" : "population") + "='" + number(sizes[c]) + "'/>";
  for (std::size_t s = 0; s < in["stations"].size(); ++s) {
    const std::string kind = in["station_type"][s];
    const std::string tag = kind == "delay" ? "delaystation" : kind == "load dependent" ? "ldstation" : "listation";
    std::string times, visits;
    for (std::size_t c = 0; c < kinds.size(); ++c) {
      const std::string attribute = " customerclass='C" + std::to_string(c) + "'>";
      const Json& row = in["service_times"][s];
      std::string time;
      if (tag != "ldstation") time = number(row[c]);
      else if (row[0].is_string()) time = number_text(std::strtod(row[0].get<std::string>().c_str(), nullptr));
      else  // the first is with nobody
        for (std::size_t n = 1; n < row.size(); ++n) time += (n > 1 ? ";" : "") + number(row[n]);
      times += "<servicetime" + attribute + time + "</servicetime>";
      visits += "<visit" + attribute + number(of(in["visits"][s], c)) + "</visit>";
    }
    stations += "<" + tag + " name='" + in["stations"][s].get<std::string>() + "' servers='1'><servicetimes>" + times +
                "</servicetimes><visits>" + visits + "</visits></" + tag + ">";
  }
  return "<model><parameters><classes>" + classes + "</classes><stations>" + stations +
         "</stations></parameters></model>";
}

}  // namespace

class TestJmva : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    register_lowering(network_lowering);
    if (case_folder("jmt").empty()) QSKIP("no cases folder: ERGODE_CASES names none with jmt");
  }

  // Times that are alike for any number are those of a plain station; classes may not differ in how they depend on it.
  void times_that_depend_on_the_load() {
    const auto model = [](const char* first, const char* second) {
      return std::string(
                 "<model><parameters><classes><closedclass name='A' population='2'/><closedclass name='B' "
                 "population='1'/></classes><stations><ldstation name='S'><servicetimes><servicetime "
                 "customerclass='A'>") +
             first + "</servicetime><servicetime customerclass='B'>" + second +
             "</servicetime></servicetimes><visits/></ldstation></stations></parameters></model>";
    };
    std::string why;
    QVERIFY2(document_of(model("2", "1"), why), why.c_str());
    QVERIFY2(document_of(model("2;1", "4;2"), why), why.c_str());
    for (const auto& [first, second] : {std::pair("2;2", "2;1"), std::pair("2;1", "2;2"), std::pair("2;1", "2;1.5")}) {
      QVERIFY(!document_of(model(first, second), why));
      QVERIFY2(why.find("differently by class") != std::string::npos, why.c_str());
    }
  }

  void models_have_their_answers() {
    std::map<std::string, JmvaAnswers> answers;
    int compared = 0, not_compared = 0;
    for (const JmtRow& row : jmt_rows("jmva_tests")) {
      const std::string name = row.file + ", " + row.quantity;
      const std::size_t colon = row.quantity.find(": ");
      std::string why;
      if (row.quantity == "what-if series") why = "compared step by step, below";
      for (const char* wrong : {"closed_comom", "closed_mom", "closed_recal"})
        if (row.file.find(wrong) != std::string::npos) why = "utilisations of this file add up to more than one";
      if (!why.empty()) {
        say_left_out(name, why);
        ++not_compared;
        continue;
      }
      QVERIFY2(colon != std::string::npos, name.c_str());
      std::vector<std::string> parts(1);  // measure, station, class
      for (const char c : row.quantity.substr(colon + 2)) {
        if (c == ',') parts.emplace_back();
        else if (c != ' ' || !parts.back().empty()) parts.back() += c;
      }
      const char *method = method_of(row.quantity.substr(0, colon)), *kind = kind_of(parts[0]);
      QVERIFY2(method != nullptr && kind != nullptr && parts.size() == 3, name.c_str());
      if (answers.count(row.file) == 0) {
        auto document = jmt_document(row.file, why);
        QVERIFY2(document, (row.file + "\n" + why).c_str());
        answers.emplace(row.file, JmvaAnswers(std::move(*document)));
      }
      const auto seen = answers.at(row.file).value(method, kind, jmt_name(parts[1]), jmt_name(parts[2]), row.value);
      QVERIFY2(seen, ("no measure for " + name).c_str());
      ++compared;
      QVERIFY2(close(*seen, row.value, row.tolerance), qPrintable(differs(name, *seen, row.value)));
    }
    QCOMPARE(compared, 252);
    QCOMPARE(not_compared, 24 + 3);
  }

  // Each step as a model of its own.
  void what_if_series_have_their_answers() {
    const std::string folder = case_folder("jmt") + "/jmva_tests/";
    int steps = 0, compared = 0;
    std::map<std::string, int> not_compared;
    for (const char* name : {"basic", "whatif_popmix", "whatif_servtime"}) {
      pugi::xml_document wanted;
      QVERIFY(wanted.load_file((folder + name + "ExpectedOutput.xml").c_str()));
      for (const pugi::xml_node& solution : wanted.child("model").children("solutions")) {
        ++steps;
        const double value = solution.attribute("iterationValue").as_double();
        pugi::xml_document given;
        QVERIFY(given.load_file((folder + name + "InputData.xml").c_str()));
        pugi::xml_node model = given.child("model"), series = model.child("whatIf"),
                       parameters = model.child("parameters");
        const std::string type = series.attribute("type").value(), of = series.attribute("className").value();
        double all = 0;
        for (const pugi::xml_node& one : parameters.child("classes").children())
          all += one.attribute("population").as_double();
        for (pugi::xml_node one : parameters.child("classes").children()) {
          const bool its = one.attribute("name").value() == of;
          double population = one.attribute("population").as_double();
          if (type == "Customer Numbers" && its) population = value;
          if (type == "Population Mix") population = std::round(all * (its ? value : 1 - value));
          one.attribute("population").set_value(number_text(population).c_str());
        }
        for (pugi::xml_node station : parameters.child("stations").children())
          if (type == "Service Demands" &&
              station.attribute("name").value() == std::string(series.attribute("stationName").value()))
            for (pugi::xml_node time : station.child("servicetimes").children())
              if (time.attribute("customerclass").value() == of) time.text().set(number_text(value, 17).c_str());
        model.remove_child("whatIf");
        std::stringstream text;
        given.save(text);
        std::string why;
        auto document = document_of(text.str(), why);
        QVERIFY2(document, why.c_str());
        QVERIFY2(why.empty(), why.c_str());
        JmvaAnswers answers(std::move(*document));
        for (const pugi::xml_node& algorithm : solution.children("algorithm")) {
          const char* const method = method_of(algorithm.attribute("name").value());
          for (const pugi::xml_node& station : algorithm.children("stationresults"))
            for (const pugi::xml_node& its : station.children("classresults"))
              for (const pugi::xml_node& measure : its.children("measure")) {
                if (method == nullptr) {
                  ++not_compared[algorithm.attribute("name").value()];
                  continue;
                }
                const std::string where = jmt_name(station.attribute("station").value()),
                                  who = jmt_name(its.attribute("customerclass").value()),
                                  kind = measure.attribute("measureType").value();
                const std::string what = std::string(name) + ", " + algorithm.attribute("name").value() + " at " +
                                         number_text(value) + ": " + kind + "/" + where + "/" + who;
                QVERIFY2(kind_of(kind) != nullptr, what.c_str());
                const double theirs = measure.attribute("meanValue").as_double();
                const auto seen = answers.value(method, kind_of(kind), where, who, theirs);
                QVERIFY2(seen, ("no measure for " + what).c_str());
                ++compared;
                QVERIFY2(close(*seen, theirs, "rel:1e-6"), qPrintable(differs(what, *seen, theirs)));
              }
        }
      }
    }
    for (const auto& [algorithm, values] : not_compared)
      say_left_out(std::to_string(values) + " values of " + algorithm, "an approximation that is not here");
    QCOMPARE(steps, 2 + 19 + 10);
    // Four measures: of one station and class by six algorithms of eight, of three stations and two classes by one.
    QCOMPARE(compared, 4 * (2 * 6 + 29 * 6));
    QCOMPARE(not_compared.size(), std::size_t{2});
  }

  // Inputs of their unit tests, which stand in Java, as files.
  void text_cases_have_their_answers() {
    std::ifstream file(case_folder("jmt") + "/jmva_tests/text_inputs.json");
    const Json inputs = Json::parse(file);
    std::map<std::string, JmvaAnswers> answers;
    const std::string another = "an approximation that is not here",
                      settled = "theirs changes the shares of those who leave once, ours until they settle";
    int rows = 0, values = 0;
    std::map<std::string, int> not_compared;
    for (const JmtRow& row : jmt_rows("jmva_text")) {
      const std::string name = row.name.substr(row.name.find('/') + 1), what = name + ", " + row.quantity;
      QVERIFY2(inputs.contains(name), what.c_str());
      const Json& in = inputs[name];
      const std::size_t colon = row.quantity.find(": ");
      const std::string algorithm = colon == std::string::npos ? "" : row.quantity.substr(0, colon);
      const std::string asked = row.quantity.substr(colon == std::string::npos ? 0 : colon + 2);
      const char *method = method_of(algorithm), *kind = kind_of(asked.substr(0, asked.find(" (")));
      QVERIFY2(kind != nullptr, what.c_str());
      const auto leave_out = [&](const std::string& why) {
        say_left_out(what, why);
        ++not_compared[why.substr(0, why.find('\n'))];
      };
      if (method == nullptr) {
        leave_out(another);
        continue;
      }
      // With one change of them a plain program comes to theirs (5.237622 of the first), settled to ours (5.230004).
      if (std::string(method) == "linearizer") {
        leave_out(settled);
        continue;
      }
      if (answers.count(name) == 0) {
        std::string why;
        auto document = document_of(analytic_file(in), why);
        QVERIFY2(document, (name + "\n" + why).c_str());
        answers.emplace(name, JmvaAnswers(std::move(*document)));
      }
      if (const std::string why = answers.at(name).why_not(method); !why.empty()) {
        leave_out(why);
        continue;
      }
      const bool dependent =
          std::find(in["station_type"].begin(), in["station_type"].end(), "load dependent") != in["station_type"].end();
      const auto wanted = matrix(row.text);
      QCOMPARE(wanted.size(), in["stations"].size());
      bool whole = true;
      for (std::size_t s = 0; s < wanted.size(); ++s)
        for (std::size_t c = 0; c < wanted[s].size(); ++c) {
          const std::string station = jmt_name(in["stations"][s]), of = "C" + std::to_string(c);
          // Beside stations whose speed depends on the load it is the probability that somebody is there.
          if (dependent && std::string(kind) == "utilisation" && in["station_type"][s] == "delay") {
            say_left_out(what + " of " + station, "it is the probability that somebody is there");
            whole = false;
            continue;
          }
          const auto seen = answers.at(name).value(method, kind, station, of, wanted[s][c]);
          QVERIFY2(seen, ("no measure for " + what + " of " + station).c_str());
          ++values;
          // Their iterations stop at relative changes of 1e-7, as in the series, of which the set has six digits.
          const bool iterated = std::string(method) == "schweitzer";
          QVERIFY2(close(*seen, wanted[s][c], row.tolerance) || (iterated && close(*seen, wanted[s][c], "rel:1e-6")),
                   qPrintable(differs(what + " of " + station + "/" + of, *seen, wanted[s][c])));
        }
      rows += whole ? 1 : 0;
      if (!whole) ++not_compared["one value of it"];
    }
    for (const auto& [why, count] : not_compared) qInfo("%d rows left out: %s", count, why.c_str());
    qInfo("%d rows, %d values compared", rows, values);
    QCOMPARE(rows, 72);
    QCOMPARE(values, 928);
    QCOMPARE(not_compared, (std::map<std::string, int>{{another, 32}, {settled, 32}, {"one value of it", 4}}));
  }
};

QTEST_APPLESS_MAIN(TestJmva)
#include "tst_jmva.moc"
