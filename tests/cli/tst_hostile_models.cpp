#include <QtTest>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace {

struct Outcome {
  int code = -1;
  QByteArray out, err;
};

Outcome ergode(const QStringList& arguments, const char* program = "ergode") {
  QProcess process;
  process.start(QString(ERGODE_BIN_DIR) + "/" + program, arguments);
  if (!process.waitForFinished(120000)) {
    process.kill(), process.waitForFinished();
    throw std::runtime_error("no end after two minutes: " + arguments.join(' ').toStdString());
  }
  Outcome out{process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
  if (process.exitStatus() == QProcess::CrashExit) throw std::runtime_error("it crashed: " + out.err.toStdString());
  return out;
}

QByteArray shown(const Outcome& o) {
  return "exit " + QByteArray::number(o.code) + "\n" + o.out.left(2000) + "\n" + o.err.left(2000);
}

std::string id(std::uint64_t number) {
  return QString("%1").arg(0x1000000000000000ULL + number, 16, 16, QChar('0')).toStdString();
}

}  // namespace

/// Models made to hang, or to exhaust the stack of, whoever reads them. The limits are wall clock and generous: each
/// took minutes or for ever once.
class TestHostileModels : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  Json plain_;

  QString file(const QString& name, const QByteArray& text) const {
    const QString path = folder_.filePath(name);
    QFile f(path);
    if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size()) throw std::runtime_error("cannot write");
    return path;
  }
  QString file(const QString& name, const Json& model) const {
    return file(name, QByteArray::fromStdString(model.dump()));
  }
  /// A chart whose states lie in each other, and a component of it.
  Json nested(int levels) const {
    Json model = plain_;
    Json& chart = model["diagrams"][1];
    std::string around;
    for (int i = 0; i < levels; ++i) {
      const std::string state = id(static_cast<std::uint64_t>(2 * i)),
                        first = id(static_cast<std::uint64_t>(2 * i + 1));
      Json node = {{"id", state}, {"kind", "state"}, {"name", "N" + std::to_string(i)}};
      if (!around.empty()) node["parent"] = around;
      chart["nodes"].push_back(node);
      if (i + 1 < levels) chart["nodes"].push_back({{"id", first}, {"kind", "initial"}, {"parent", state}});
      if (i > 0)
        chart["edges"].push_back({{"id", id(static_cast<std::uint64_t>(100000 + i))},
                                  {"kind", "transition"},
                                  {"source", id(static_cast<std::uint64_t>(2 * i - 1))},
                                  {"target", state}});
      around = state;
    }
    chart["edges"].push_back({{"id", id(999999)},
                              {"kind", "transition"},
                              {"source", chart["nodes"][1]["id"]},
                              {"target", around},
                              {"trigger", "rate(lambda)"}});
    return model;
  }
 private Q_SLOTS:
  void initTestCase() {
    const QString path = folder_.filePath("plain.ergode");
    QCOMPARE(ergode({"new", path}).code, 0);
    QFile f(path);
    QVERIFY(f.open(QIODevice::ReadOnly));
    plain_ = Json::parse(f.readAll().toStdString());
  }

  void a_circle_of_parameters_is_named_in_short() {
    constexpr int size = 200000;
    Json model = plain_;
    for (int i = 0; i < size; ++i)
      model["parameters"].push_back({{"id", id(static_cast<std::uint64_t>(i))},
                                     {"name", "p" + std::to_string(i)},
                                     {"value", "p" + std::to_string((i + 1) % size)}});
    const Outcome out = ergode({"validate", file("circle.ergode", model)});
    QVERIFY2(out.code != 0, shown(out));
    QVERIFY2(out.out.count("PAR004") == 1 && out.out.contains("p0 → p1 → p2") && out.out.size() < 1000, shown(out));
  }

  void a_list_of_a_million_numbers_is_refused_quickly() {
    Json model = plain_;
    Json list = Json::array();
    for (int i = 0; i < 1000000; ++i) list.push_back(i + 0.5);
    model["parameters"][0]["value"] = std::move(list);
    const Outcome out = ergode({"validate", file("list.ergode", model)});
    QVERIFY2(out.code != 0 && out.out.contains("DOC002"), shown(out));
    QVERIFY2(out.out.size() < 1000, shown(out));
  }

  void as_many_levels_as_may_be_pass_everywhere_and_one_more_nowhere() {
    const QString deep = file("deep.ergode", nested(256)), deeper = file("deeper.ergode", nested(257));
    const QString svg = folder_.filePath("deep.svg"), html = folder_.filePath("deep.html");
    for (const QStringList& command :
         {QStringList{"validate", deep}, QStringList{"run", deep, "--replications", "1000"},
          QStringList{"export", deep, "--diagram", "Unit", "--out", svg}, QStringList{"report", deep, "-o", html}}) {
      const Outcome out = ergode(command);
      QVERIFY2(out.code == 0, shown(out));
    }
    const Outcome refused = ergode({"validate", deeper});
    QVERIFY2(refused.code != 0 && refused.out.contains("FMT016") && refused.out.contains("256 levels"), shown(refused));
  }

  void a_chain_of_gates_costs_in_proportion_to_its_length() {
    constexpr int gates = 60000;
    QByteArray text = "toplevel G0;\n";
    for (int i = 0; i < gates; ++i) {
      const QByteArray n = QByteArray::number(i);
      text += "G" + n + " or E" + n + " " + (i + 1 < gates ? "G" + QByteArray::number(i + 1) : QByteArray("L")) +
              "; E" + n + " lambda=1e-6;\n";
    }
    const QString tree = file("chain.dft", text + "L lambda=1e-6;\n"), model = folder_.filePath("chain.ergode");
    const Outcome read = ergode({"import", tree, "-o", model});
    QVERIFY2(read.code == 0, shown(read));
    const Outcome checked = ergode({"validate", model});
    QVERIFY2(checked.code == 0, shown(checked));
    const Outcome important = ergode({"importance", tree, "--time", "1", "--json"});
    QVERIFY2(important.code == 0, shown(important));
    const double top = Json::parse(important.out.toStdString())["top"].get<double>();
    QVERIFY(std::fabs(top + std::expm1(-1e-6 * (gates + 1))) < 1e-12);
  }

  void a_shorter_chain_is_run_drawn_and_reported() {
    QByteArray text = "toplevel G0;\n";
    for (int i = 0; i < 10000; ++i) {
      const QByteArray n = QByteArray::number(i);
      text += "G" + n + " or E" + n + " " + (i + 1 < 10000 ? "G" + QByteArray::number(i + 1) : QByteArray("L")) +
              "; E" + n + " lambda=1e-5;\n";
    }
    const QString model = folder_.filePath("shorter.ergode");
    QCOMPARE(ergode({"import", file("shorter.dft", text + "L lambda=1e-5;\n"), "-o", model}).code, 0);
    const Outcome ran = ergode({"run", model, "--replications", "100"});
    QVERIFY2(ran.code == 0 && ran.out.contains("100 replications"), shown(ran));
    const Outcome drawn = ergode({"export", model, "--diagram", "Tree", "--out", folder_.filePath("tree.svg")});
    QVERIFY2(drawn.code == 0, shown(drawn));
    const Outcome report = ergode({"report", model, "-o", folder_.filePath("tree.html")});
    QVERIFY2(report.code == 0, shown(report));
    QFile page(folder_.filePath("tree.html"));
    QVERIFY(page.open(QIODevice::ReadOnly) && page.readAll().contains("the first 500 are drawn here"));
  }

  void inputs_that_are_alike_are_found_in_proportion() {
    QByteArray text = "toplevel T; T or", events;
    for (int i = 0; i < 5000; ++i) {
      text += " E" + QByteArray::number(i);
      events += "E" + QByteArray::number(i) + " lambda=1e-6;\n";
    }
    const QString model = folder_.filePath("wide.ergode");
    QCOMPARE(ergode({"import", file("wide.dft", text + ";\n" + events), "-o", model}).code, 0);
    const Outcome ran = ergode({"run", model, "--solver", "ctmc-transient", "--wall-time", "60 s"});
    QVERIFY2(ran.code == 0 && ran.out.contains("0.00498752"), shown(ran));
  }
};

QTEST_MAIN(TestHostileModels)
#include "tst_hostile_models.moc"
