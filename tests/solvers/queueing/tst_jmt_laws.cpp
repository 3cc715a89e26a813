// Laws and arrival processes of JMT in the expression language.
#include <QtTest>

#include "solvers/queueing/exchange/jmt_laws.h"

using namespace ergode;

namespace {

std::string number(const char* name, const char* value) {
  return std::string("<subParameter classPath='java.lang.Double' name='") + name + "'><value>" + value +
         "</value></subParameter>";
}
std::string law(const char* kind, const std::string& parameters, const std::string& inside = "") {
  return std::string("<subParameter classPath='jmt.engine.random.") + kind + "' name='x'>" + inside +
         "</subParameter><subParameter classPath='jmt.engine.random.Par' name='distrPar'>" + parameters +
         "</subParameter>";
}
std::string matrix(const char* name, const std::vector<std::vector<const char*>>& rows) {
  std::string out = std::string("<subParameter array='true' classPath='java.lang.Object' name='") + name + "'>";
  for (const auto& row : rows) {
    out += "<subParameter array='true' classPath='java.lang.Object' name='vector'>";
    for (const char* value : row) out += number("entry", value);
    out += "</subParameter>";
  }
  return out + "</subParameter>";
}
std::string part(const char* name, const std::string& inside) {
  return std::string("<subParameter classPath='jmt.engine.random.DistributionContainer' name='") + name + "'>" +
         inside + "</subParameter>";
}
JmtLaw read(const std::string& inside) {
  pugi::xml_document document;
  const std::string text = "<subParameter classPath='jmt.engine.NetStrategies.ServiceStrategies.ServiceTimeStrategy'>" +
                           inside + "</subParameter>";
  if (!document.load_string(text.c_str())) qFatal("no XML");
  return jmt_law(document.child("subParameter"));
}
void says(const JmtLaw& found, const char* text, double mean_s, JmtLaw::Memory memory) {
  QCOMPARE(found.text, std::string(text));
  QCOMPARE(found.why, std::string());
  QVERIFY2(std::fabs(found.mean_s - mean_s) < 1e-12, qPrintable(QString::number(found.mean_s, 'g', 17)));
  QCOMPARE(static_cast<int>(found.memory), static_cast<int>(memory));
}

}  // namespace

class TestJmtLaws : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void laws_of_one_time() {
    says(read(law("Pareto", number("alpha", "3.0") + number("k", "0.5"))), "pareto(shape = 3, scale = 0.5 s)", 0.75,
         JmtLaw::Memory::none);
    // No finite mean: none is claimed.
    says(read(law("Pareto", number("alpha", "1.0") + number("k", "0.5"))), "pareto(shape = 1, scale = 0.5 s)", 0.0,
         JmtLaw::Memory::none);
    says(read(law("PhaseTypeDistr", matrix("alpha", {{"0.25", "0.75"}}) + matrix("T", {{"-2", "2"}, {"0", "-4"}}))),
         "phase_type(initial = [0.25, 0.75], generator = [[-2 /s, 2 /s], [0 /s, -4 /s]])", 0.25 * 0.5 + 0.25,
         JmtLaw::Memory::none);
    says(read(law("CoxianDistr", number("lambda0", "2") + number("lambda1", "4") + number("phi0", "0.25"))),
         "coxian(rate = [2 /s, 4 /s], p = [0.75])", 0.5 + 0.75 / 4, JmtLaw::Memory::none);
  }

  void arrivals_with_memory() {
    // (sigma0 + sigma1) / (sigma0 lambda1 + sigma1 lambda0).
    says(read(law("MMPP2Distr", number("lambda0", "4") + number("lambda1", "1") + number("sigma0", "0.5") +
                                    number("sigma1", "0.25"))),
         "mmpp(rates = [4 /s, 1 /s], switching = [0.5 /s, 0.25 /s])", 0.75 / 1.5, JmtLaw::Memory::phases);
    says(read(law("MAPDistr", matrix("D0", {{"-3"}}) + matrix("D1", {{"3"}}))), "map(d0 = [[-3 /s]], d1 = [[3 /s]])",
         1.0 / 3, JmtLaw::Memory::phases);
    const auto exponential = [](const char* rate) { return law("Exponential", number("lambda", rate)); };
    const auto burst = [&](const char* alternates) {
      return read(law("Burst",
                      part("Value-Distribution_IntervalA", exponential("1")) +
                          part("Value-Distribution_IntervalB", exponential("2")),
                      number("Probability", "0.25") + part("Length-Distribution_IntervalA", exponential("3")) +
                          part("Length-Distribution_IntervalB", exponential("4")) +
                          "<subParameter classPath='java.lang.Boolean' name='Round-Robin'><value>" + alternates +
                          "</value></subParameter>"));
    };
    const std::string lists =
        "burst(gaps = [exponential(rate = 1 /s), exponential(rate = 2 /s)], lengths = [exponential(rate = 3 /s), "
        "exponential(rate = 4 /s)]";
    says(burst("true"), (lists + ")").c_str(), 0.0, JmtLaw::Memory::burst);
    says(burst("false"), (lists + ", probability = 0.25)").c_str(), 0.0, JmtLaw::Memory::burst);
    says(read(law("Replayer",
                  "<subParameter classPath='java.lang.String' name='fileName'><value>a.csv</value></subParameter>")),
         "trace(file = \"a.csv\", unit = \"s\", at_end = repeat)", 0.0, JmtLaw::Memory::list);
    QCOMPARE(read(law("StudentT", "")).why, std::string("distribution \"StudentT\""));
  }
};

QTEST_APPLESS_MAIN(TestJmtLaws)
#include "tst_jmt_laws.moc"
