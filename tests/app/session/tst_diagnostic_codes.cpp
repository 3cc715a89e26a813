// Codes of diagnostics are listed where programmers and users look for them. Oracle: the sources themselves.
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>
#include <map>
#include <set>

#include "app/session/manual.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// The letters of every code that the sources write, each with a file that does.
std::map<std::string, std::string> letters_in_sources() {
  static const QRegularExpression code("\"([A-Z]{2,4})[0-9]{3}\"");
  std::map<std::string, std::string> out;
  for (const char* room : {"core", "statecharts", "solvers", "plugins", "app"}) {
    QDirIterator files(QString(ERGODE_SOURCE_DIR "/") + room, {"*.cpp", "*.h"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) throw std::runtime_error(file.fileName().toStdString());
      auto found = code.globalMatch(QString::fromUtf8(file.readAll()));
      while (found.hasNext()) out.try_emplace(found.next().captured(1).toStdString(), file.fileName().toStdString());
    }
  }
  return out;
}

std::set<std::string> capitals_of(const std::string& text) {
  static const QRegularExpression word("\\b[A-Z]{2,4}\\b");
  std::set<std::string> out;
  auto found = word.globalMatch(QString::fromStdString(text));
  while (found.hasNext()) out.insert(found.next().captured(0).toStdString());
  return out;
}

}  // namespace

class TestDiagnosticCodes : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_beginning_of_a_code_is_listed() {
    const auto letters = letters_in_sources();
    QVERIFY(letters.size() > 20 && letters.contains("QN") && letters.contains("RNT"));
    const std::string header = project_file("core/base/diagnostic.h");
    const auto begin = header.find("/// Codes:");
    const auto listed = capitals_of(header.substr(begin, header.find("///\n", begin) - begin));
    const auto explained = capitals_of(find_help("problems")->text);
    for (const auto& [word, file] : letters) {
      QVERIFY2(listed.contains(word), (word + " of " + file + " is not in core/base/diagnostic.h").c_str());
      QVERIFY2(explained.contains(word), (word + " of " + file + " is not in the help").c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestDiagnosticCodes)
#include "tst_diagnostic_codes.moc"
