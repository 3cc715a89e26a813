#include <sys/stat.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>

#include "core/base/atomic_file.h"
#include "core/base/read_file.h"
#include "core/base/text_place.h"

using namespace ergode;

class TestReadFile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void only_regular_files_are_read();
  void the_size_is_known_before_anything_is_read();
  void a_text_is_utf8_or_says_where_it_is_not_data();
  void a_text_is_utf8_or_says_where_it_is_not();
  void places_count_characters_and_every_kind_of_line();
  void what_is_quoted_can_be_shown();

 private:
  std::string file(const char* name) const { return folder_.filePath(name).toStdString(); }
  QTemporaryDir folder_;
};

void TestReadFile::only_regular_files_are_read() {
  const auto code = [](const std::string& path) {
    const auto read = read_text(path);
    const auto* problem = std::get_if<Diagnostic>(&read);
    return problem == nullptr ? std::string() : problem->code;
  };
  QVERIFY(!write_file_atomically(file("text"),
                                 "\xef\xbb\xbf"
                                 "hello\n"));
  QCOMPARE(std::get<std::string>(read_text(file("text"))), std::string("hello\n"));
  QCOMPARE(std::get<std::string>(read_bytes(file("text"))).size(), std::size_t{9});
  QCOMPARE(code(file("none")), std::string("FMT000"));
  QCOMPARE(code(folder_.path().toStdString()), std::string("FMT014"));
  QCOMPARE(code("/dev/zero"), std::string("FMT014"));
  QCOMPARE(mkfifo(file("pipe").c_str(), 0600), 0);
  QCOMPARE(code(file("pipe")), std::string("FMT014"));
  std::filesystem::create_symlink("/dev/zero", file("link"));
  QCOMPARE(code(file("link")), std::string("FMT014"));
  // A name that is no text can still be shown.
  const auto read = read_text(file("none\xff"));
  QVERIFY(!invalid_utf8(std::get<Diagnostic>(read).message) && !invalid_utf8(std::get<Diagnostic>(read).pointer));
}

void TestReadFile::the_size_is_known_before_anything_is_read() {
  QVERIFY(!write_file_atomically(file("large"), "x"));
  std::filesystem::resize_file(file("large"), std::uintmax_t{100} << 30U);  // takes no room on the disk
  const auto read = read_bytes(file("large"));
  QCOMPARE(std::get<Diagnostic>(read).code, std::string("FMT003"));
  std::filesystem::remove(file("large"));
}

void TestReadFile::a_text_is_utf8_or_says_where_it_is_not_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("place");
  QTest::newRow("letters") << QByteArray("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") << "";
  QTest::newRow("empty") << QByteArray() << "";
  QTest::newRow("latin") << QByteArray("ab\nc\xe9 d") << "2:2";
  QTest::newRow("overlong") << QByteArray("\xc3\xa9\xc0\x80") << "1:2";
  QTest::newRow("surrogate") << QByteArray("\r\n\r\xed\xa0\x80") << "3:1";
  QTest::newRow("too high") << QByteArray("\xf4\x90\x80\x80") << "1:1";
  QTest::newRow("cut off") << QByteArray("x\xe2\x82") << "1:2";
}

void TestReadFile::a_text_is_utf8_or_says_where_it_is_not() {
  QFETCH(QByteArray, text);
  QFETCH(QString, place);
  const auto defect = encoding_defect(text.toStdString(), "It");
  QCOMPARE(defect ? QString::fromStdString(defect->pointer) : QString(), place);
  if (defect) QVERIFY(!invalid_utf8(defect->message));
}

void TestReadFile::places_count_characters_and_every_kind_of_line() {
  std::string text;
  for (int i = 0; i < 2000; ++i) text += i % 3 == 0 ? "\xc3\xa9x\r\n" : i % 3 == 1 ? "ab\r" : "\xe2\x82\xac\n";
  const TextPlaces places(text);
  for (std::size_t at = 0; at <= text.size(); at += 7) {
    const TextPlace a = places.at(at), b = place_of(text, at);
    QVERIFY(a.line == b.line && a.column == b.column);
  }
  QCOMPARE(places.at(text.size()).line, 2001);
  QCOMPARE(TextPlaces("").at(5).line, 1);
}

void TestReadFile::what_is_quoted_can_be_shown() {
  QCOMPARE(quotable("plain \xc3\xa9"), std::string("plain \xc3\xa9"));
  QCOMPARE(quotable(std::string(1000, 'x')), std::string(40, 'x') + "...");
  QCOMPARE(quotable("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", 2), std::string("\xe2\x82\xac\xe2\x82\xac..."));
  QCOMPARE(quotable("a\x1b[31m\n\t\xff\xc2\x9b"), std::string("a\\x1B[31m\\n\\t\\xFF\\x9B"));
}

QTEST_APPLESS_MAIN(TestReadFile)
#include "tst_read_file.moc"
