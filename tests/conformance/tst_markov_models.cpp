#include <QtTest>
#include <fstream>
#include <iterator>
#include <regex>

#include "core/base/csv.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/markov_questions.h"

using namespace ergode;
using namespace ergode::test;

/// Published chains read from programs in the PRISM language, driven by the rows of the sets alone; each row that is
/// not asked is listed with its reason.
class TestMarkovModels : public QObject {
  Q_OBJECT

  struct Case {
    std::unique_ptr<Chain> chain;
    std::string refused;
  };
  static std::string text_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw NotAsked("the file " + path + " cannot be read");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  /// Constants on the command lines that come with a program: `-const N=2,K=3`, without ranges.
  static std::map<std::string, std::string> given_beside(const std::string& path) {
    std::map<std::string, std::string> out;
    for (const std::string& name : {path + ".args", path + ".props.args"}) {
      std::ifstream file(name);
      const std::string text(std::istreambuf_iterator<char>(file), {});
      const std::regex setting("-const\\s+(\\w+)=([0-9.]+)(?=\\s|$)");
      for (std::sregex_iterator i(text.begin(), text.end(), setting), end; i != end; ++i)
        out.try_emplace((*i)[1], (*i)[2]);
    }
    return out;
  }
  static double size_or_answer(Chain& chain, const Row& row) {
    const StateSpace& space = chain.space();
    if (row.question == "states") return static_cast<double>(space.generator.size());
    // Published numbers count those from a state to itself.
    if (row.question == "transitions") return static_cast<double>(space.generator.transitions() + space.looping_states);
    return Questions(chain).answer(row.question);
  }

 private Q_SLOTS:
  void published_values_are_met_data() {
    // Rows that were met once stay met: one more left out is an error too.
    QTest::addColumn<QString>("set");
    QTest::addColumn<int>("at_least");
    QTest::newRow("prism_ctmc_tests") << "prism_ctmc_tests" << 84;
    QTest::newRow("storm_ctmc_prism") << "storm_ctmc_prism" << 30;
    QTest::newRow("qcomp_ctmc_ma") << "qcomp_ctmc_ma" << 61;
  }
  void published_values_are_met() {
    QFETCH(QString, set);
    QFETCH(int, at_least);
    const std::string folder = case_folder(set.toStdString());
    std::ifstream file(folder + "/expected.csv");
    if (folder.empty() || !file) QSKIP("no cases folder");
    const auto parsed = parse_csv(std::string(std::istreambuf_iterator<char>(file), {}));
    QVERIFY(std::holds_alternative<std::vector<std::vector<std::string>>>(parsed));
    const auto& rows = std::get<0>(parsed);
    int met = 0, left_out = 0, wrong = 0;
    std::map<std::string, Case> cases;
    const auto case_of = [&](const Row& row) -> Case& {
      std::map<std::string, std::string> constants;
      for (const auto& [name, value] : row.constants) constants[name] = number_text(value);
      for (const auto& [name, value] : given_beside(folder + "/" + row.file)) constants.try_emplace(name, value);
      std::string key = row.file;
      for (const auto& [name, value] : constants) key += " " + name + "=" + value;
      const auto [found, fresh] = cases.try_emplace(key);
      if (!fresh) return found->second;
      try {
        if (std::filesystem::path(row.file).extension() == ".jani" ||
            std::filesystem::path(row.file).extension() == ".dft")
          throw NotAsked("no program in the PRISM language");
        found->second.chain = std::make_unique<Chain>(text_of(folder + "/" + row.file), constants);
      } catch (const NotAsked& why) {
        found->second.refused = why.what();
      }
      return found->second;
    };
    std::map<std::size_t, std::string> not_asked;
    // First everything that is asked of a chain, then the chain.
    for (const bool explored : {false, true}) {
      if (explored)
        for (auto& [key, one] : cases) {
          try {
            if (one.chain != nullptr) one.chain->explore();
          } catch (const NotAsked& why) {
            one.refused = why.what(), one.chain.reset();
          }
        }
      for (std::size_t r = 1; r < rows.size(); ++r) {
        if (not_asked.count(r) > 0) continue;
        const Row row = row_of(rows[r]);
        try {
          Case& one = case_of(row);
          if (one.chain == nullptr) throw NotAsked(one.refused);
          const double seen = size_or_answer(*one.chain, row);
          if (!explored) continue;
          const std::size_t states = one.chain->space().generator.size();
          const bool size = row.states.empty() || row.states == std::to_string(states);
          if (agrees(seen, row.value, row.tolerance) && size) {
            ++met;
          } else {
            ++wrong;
            qWarning("%s: %s is %.16g (%zu states), wanted %s %s", row.file.c_str(), row.quantity.c_str(), seen, states,
                     row.value.c_str(), row.tolerance.c_str());
          }
        } catch (const NotAsked& why) {
          not_asked[r] = why.what();
          ++left_out;
          qInfo("left out: %s: %s: %s", row.file.c_str(), row.quantity.c_str(), why.what());
        }
      }
    }
    qInfo("%s: %d rows met, %d left out, %d wrong", set.toUtf8().constData(), met, left_out, wrong);
    QCOMPARE(wrong, 0);
    QVERIFY2(met >= at_least, "rows that were met are left out");
    QCOMPARE(static_cast<std::size_t>(met + left_out), rows.size() - 1);
  }
};

QTEST_APPLESS_MAIN(TestMarkovModels)
#include "tst_markov_models.moc"
