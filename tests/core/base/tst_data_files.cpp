#include <QtTest>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "core/base/data_files.h"

using namespace ergode;
namespace fs = std::filesystem;

class TestDataFiles : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  void each_file_is_read_once_and_named_as_the_model_names_it() {
    write("a.csv", "abc");
    const DataFiles files({folder()});
    QCOMPARE(*std::get<DataFiles::Text>(files.text("a.csv")).text, std::string("abc"));
    write("a.csv", "other");
    const DataFiles copy = files;
    QCOMPARE(*std::get<DataFiles::Text>(copy.text("./a.csv")).text, std::string("abc"));
    QCOMPARE(files.read().size(), std::size_t{1});
    QCOMPARE(files.read()[0].name, std::string("a.csv"));
    // FIPS 180-4, appendix B.1.
    QCOMPARE(files.read()[0].sha256, std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  }

  void the_hash_is_of_the_bytes_with_their_byte_order_mark() {
    write("a.csv",
          "\xef\xbb\xbf"
          "abc");
    const DataFiles files({folder()});
    QVERIFY(std::holds_alternative<DataFiles::Text>(files.text("a.csv")));
    QVERIFY(files.read()[0].sha256 != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  }

  void a_change_that_leaves_no_trace_in_size_and_time_is_seen() {
    write("a.csv", "1\n2\n");
    const auto written = fs::last_write_time(path("a.csv"));
    const FileRead was = read("a.csv");
    QVERIFY(unchanged(was));
    write("a.csv", "1\n3\n");
    fs::last_write_time(path("a.csv"), written);
    QVERIFY(!unchanged(was));
    write("a.csv", "1\n2\n");
    QVERIFY(unchanged(was));  // the same bytes are the same file
  }

  void an_old_file_is_not_read_again() {
    write("a.csv", "1\n2\n");
    fs::last_write_time(path("a.csv"), fs::last_write_time(path("a.csv")) - std::chrono::hours(1));
    FileRead was = read("a.csv");
    QVERIFY(was.settled);
    was.sha256 = "never asked for";
    QVERIFY(unchanged(was));
    write("a.csv", "1\n2\n3\n");
    QVERIFY(!unchanged(was));
  }

  void what_was_missing_is_noted_and_its_coming_is_a_change() {
    const DataFiles files({folder()});
    QCOMPARE(std::get<Diagnostic>(files.text("late.csv")).code, std::string("FMT000"));
    const FileRead was = files.read().at(0);
    QVERIFY(was.sha256.empty() && unchanged(was));
    write("late.csv", "1\n");
    QVERIFY(!unchanged(was));
  }

  void what_may_not_be_named_is_refused_and_not_noted() {
    const DataFiles files({folder()});
    QVERIFY(std::holds_alternative<FileRefusal>(files.text("/etc/hostname")));
    QVERIFY(std::holds_alternative<FileRefusal>(DataFiles().text("a.csv")));
    QVERIFY(files.read().empty());
    write("latin.csv", "gr\xfc\xdf");
    QCOMPARE(std::get<Diagnostic>(files.text("latin.csv")).code, std::string("FMT015"));
  }

 private:
  std::string folder() const { return folder_->path().toStdString(); }
  std::string path(const std::string& name) const { return folder() + "/" + name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  FileRead read(const std::string& name) const {
    const DataFiles files({folder()});
    (void)files.text(name);
    return files.read().at(0);
  }
  std::unique_ptr<QTemporaryDir> folder_;
};

QTEST_GUILESS_MAIN(TestDataFiles)
#include "tst_data_files.moc"
