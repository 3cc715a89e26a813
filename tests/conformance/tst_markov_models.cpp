#include <QtTest>
#include <fstream>

#include "core/base/csv.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/markov_questions.h"

using namespace ergode;
using namespace ergode::test;

/// Published chains redrawn as charts, driven by the rows of three sets of cases; each row that is not asked is listed
/// with its reason.
class TestMarkovModels : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void published_values_are_met_data() {
    QTest::addColumn<QString>("set");
    for (const char* set : {"prism_ctmc_tests", "storm_ctmc_prism", "qcomp_ctmc_ma"}) QTest::newRow(set) << set;
  }
  void published_values_are_met() {
    QFETCH(QString, set);
    std::ifstream file(case_folder(set.toStdString()) + "/expected.csv");
    if (!file) QSKIP("no cases folder");
    const auto parsed = parse_csv(std::string(std::istreambuf_iterator<char>(file), {}));
    QVERIFY(std::holds_alternative<std::vector<std::vector<std::string>>>(parsed));
    const auto& rows = std::get<0>(parsed);
    int met = 0, left_out = 0, wrong = 0;
    std::map<std::string, std::pair<std::unique_ptr<Drawing>, std::unique_ptr<Chain>>> chains;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      const Row row = row_of(rows[r]);
      try {
        std::string key = row.file;
        for (const auto& [name, value] : row.constants)
          if (name == "N" || name == "MAX_COUNT") key += " " + name + number_text(value);
        auto& [drawing, chain] = chains[key];
        if (drawing == nullptr) {
          auto fresh = std::make_unique<Drawing>();
          if (const std::string why = draw(row.file, row.constants, *fresh); !why.empty()) throw NotAsked(why);
          drawing = std::move(fresh);
        }
        if (chain == nullptr) {
          chain = std::make_unique<Chain>(*drawing);
        }
        const StateSpace& space = chain->space();
        double seen = 0.0;
        if (row.question == "states") seen = static_cast<double>(space.generator.size());
        else if (row.question == "transitions")
          seen =
              static_cast<double>(space.generator.transitions() + (drawing->counts_loops ? space.looping_states : 0));
        else seen = Questions(*chain).answer(row.question);
        const bool size = row.states.empty() || row.states == std::to_string(space.generator.size());
        if (agrees(seen, row.value, row.tolerance) && size) {
          ++met;
        } else {
          ++wrong;
          qWarning("%s: %s is %.16g (%zu states), wanted %s %s", row.file.c_str(), row.quantity.c_str(), seen,
                   space.generator.size(), row.value.c_str(), row.tolerance.c_str());
        }
      } catch (const NotAsked& why) {
        ++left_out;
        qInfo("left out: %s: %s: %s", row.file.c_str(), row.quantity.c_str(), why.what());
      }
    }
    qInfo("%s: %d rows met, %d left out, %d wrong", set.toUtf8().constData(), met, left_out, wrong);
    QCOMPARE(wrong, 0);
    QVERIFY(met > 0);
  }
};

QTEST_APPLESS_MAIN(TestMarkovModels)
#include "tst_markov_models.moc"
