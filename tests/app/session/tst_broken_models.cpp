#include "app/session/check.h"
#include "core/format/model_file.h"
#include "core/random/random_stream.h"
#include "solvers/registry.h"

#include <QtTest>

using namespace ergode;

namespace {

Document example(const std::string& name) {
  std::string path = ERGODE_SOURCE_DIR "/examples/";
  path += name;
  path += "/model.ergode";
  ReadOutcome read = read_model(path);
  if (!read.document) qFatal("the example does not open");
  return *read.document;
}

/// Draws what somebody in a hurry, or a broken program, might leave behind.
class Breaker {
 public:
  explicit Breaker(std::uint64_t seed) : draw_(stream_key(seed, "mutations"), 0) {}

  Document broken(Document document) {
    const int changes = 1 + below(3);
    for (int i = 0; i < changes; ++i) one(document);
    return document;
  }

 private:
  int below(int n) { return static_cast<int>(draw_.uniform() * n); }
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(draw_.uniform() * static_cast<double>(n)); }

  void one(Document& document) {
    const std::size_t index = 1 + pick(document.elements().size() - 1);
    Element element = document.elements()[index];
    switch (below(6)) {
      case 0:
        document.remove(index);
        return;
      case 1:
        element.properties[property(element)] = junk();
        break;
      case 2:
        element.properties.erase(property(element));
        break;
      case 3: {
        std::string text = element.text(property(element));
        if (!text.empty()) text[pick(text.size())] = "()[]{}.,;:=<>+-*/^ \"'x9%&!"[pick(25)];
        element.properties[property(element)] = text;
        break;
      }
      case 4: {
        const Element& other = document.elements()[pick(document.elements().size())];
        if (element.is_edge()) (below(2) != 0 ? element.source : element.target) = other.id;
        else if (element.is_node() && other.is_node() && other.diagram == element.diagram &&
                 !contains(document, element.id, other.id))
          element.parent = other.id;
        break;
      }
      default:
        element.kind =
            std::array<const char*, 6>{"state", "region", "choice", "final", "unheard_of", "transition"}[pick(6)];
    }
    document.replace(index, std::move(element));
  }
  static bool contains(const Document& document, ElementId outer, ElementId inner) {
    for (const Element* at = document.find(inner); at != nullptr; at = document.find(at->parent))
      if (at->id == outer) return true;
    return false;
  }
  std::string property(const Element& element) {
    static const std::array<const char*, 12> known = {"name",  "value", "trigger", "guard", "action",    "expression",
                                                      "count", "chart", "type",    "unit",  "arguments", "alphas"};
    if (element.properties.empty() || below(4) == 0) return known[pick(known.size())];
    auto at = element.properties.begin();
    std::advance(at, pick(element.properties.size()));
    return at.key();
  }
  Value junk() {
    static const std::array<const char*, 24> texts = {"",
                                                      "-1",
                                                      "1e999",
                                                      "0",
                                                      "1e-3 /h",
                                                      "true",
                                                      "count(EDG[*].Failed)",
                                                      "EDG",
                                                      "in(x)",
                                                      "((((",
                                                      "after(",
                                                      "rate(-1 /h)",
                                                      "rate(0/0)",
                                                      "p(2)",
                                                      "[1,2",
                                                      "n",
                                                      "EDG[99].Failed",
                                                      "8 parsecs",
                                                      "λ",
                                                      "x := 1",
                                                      "send(e, EDG[*], -1 h)",
                                                      "when(now > 3 h)",
                                                      "every(0 h)",
                                                      "after(exponential(mean = 0 h))"};
    switch (below(8)) {
      case 0:
        return Value::array({1, 2});
      case 1:
        return nullptr;
      case 2:
        return 1e300;
      default:
        return texts[pick(texts.size())];
    }
  }
  RandomStream draw_;
};

}  // namespace

class TestBrokenModels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Oracle: whatever the checks pass must also run or be refused with a reason; nothing crashes, hangs or throws.
  void a_broken_model_gets_diagnostics_or_runs() {
    int valid = 0, refused = 0;
    for (const char* name :
         {"01_edg_common_cause", "02_station_blackout", "03_repairable_component", "04_repairable_system"}) {
      const Document sound = example(name);
      for (std::uint64_t seed = 0; seed < 400; ++seed) {
        const Document broken = Breaker(seed).broken(sound);
        const Diagnostics problems = check_model(broken);
        for (const Diagnostic& d : problems) {
          QVERIFY2(!d.code.empty() && !d.message.empty(), "a diagnostic has a code and a message");
        }
        if (has_errors(problems)) {
          ++refused;
          continue;
        }
        ++valid;
        RunRequest request;
        request.replications = 20;
        request.threads = 1;
        for (const auto& solver : solvers()) {
          if (has_errors(solver->fits(broken, request))) continue;
          RunControl control;
          const ResultSet results = solver->solve(broken, request, control);
          QVERIFY(results.status != RunStatus::failed || !results.stop_reason.empty());
        }
        // The file of a broken model is still a file.
        QVERIFY(parse_model(write_model(broken)).document.has_value() ||
                broken.elements().size() != sound.elements().size() || !problems.empty());
      }
    }
    QVERIFY2(valid > 100 && refused > 300, qPrintable(QString("valid %1, refused %2").arg(valid).arg(refused)));
  }
};

QTEST_GUILESS_MAIN(TestBrokenModels)
#include "tst_broken_models.moc"
