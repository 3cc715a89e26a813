#include <QtTest>
#include <fstream>

#include "core/base/csv.h"
#include "core/base/file_access.h"

using namespace ergode;
namespace fs = std::filesystem;

/// Oracle: a tree of folders and links on disk, and which file each name leads to by the rules of POSIX path
/// resolution.
class TestFileAccess : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() {
    root_ = std::make_unique<QTemporaryDir>();
    const fs::path top = root_->path().toStdString();
    for (const char* folder : {"model/data/deep", "elsewhere/below", "modelled"}) fs::create_directories(top / folder);
    for (const char* file :
         {"model/a.csv", "model/data/b.csv", "elsewhere/secret.csv", "elsewhere/below/c.csv", "modelled/d.csv"})
      std::ofstream(top / file) << "h\n1\n";
    fs::create_symlink(top / "elsewhere", top / "model/link");
    fs::create_symlink(top / "elsewhere/secret.csv", top / "model/innocent.csv");
    fs::create_symlink("a.csv", top / "model/inner.csv");
    fs::create_symlink("round", top / "model/round");
    fs::create_symlink(top / "elsewhere/later.csv", top / "model/dangling");
  }

  void names_lead_below_the_folder_or_nowhere_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("allowed");
    const auto row = [](const char* name, bool allowed) { QTest::newRow(name) << QString(name) << allowed; };
    row("a.csv", true), row("data/b.csv", true), row("./data/../a.csv", true), row("inner.csv", true);
    row("not/there.csv", true);  // whether it exists is another question
    row("../model/a.csv", true);
    row("../elsewhere/secret.csv", false), row("data/../../elsewhere/secret.csv", false);
    row("link/secret.csv", false), row("innocent.csv", false), row("link/../elsewhere/secret.csv", false);
    row("../modelled/d.csv", false), row("/etc/passwd", false), row("/proc/self/environ", false), row("", false);
    row(".", false), row("..", false), row("round", false), row("dangling", false);
  }
  void names_lead_below_the_folder_or_nowhere() {
    QFETCH(QString, name);
    QFETCH(bool, allowed);
    const auto file = permitted_file({folder()}, name.toStdString());
    QCOMPARE(std::holds_alternative<fs::path>(file), allowed);
    // Said otherwise, it is the same file.
    const auto absolute = permitted_file({folder() + "/"}, folder() + "/" + name.toStdString());
    if (!name.startsWith('/') && !name.isEmpty()) QCOMPARE(std::holds_alternative<fs::path>(absolute), allowed);
  }

  void a_folder_is_allowed_with_all_below_it_and_nothing_else() {
    const std::string other = (root_->path() + "/elsewhere").toStdString();
    for (const char* name : {"../elsewhere/secret.csv", "link/below/c.csv", "innocent.csv"})
      QVERIFY2(std::holds_alternative<fs::path>(permitted_file({folder(), {other}}, name)), name);
    QVERIFY(std::holds_alternative<FileRefusal>(permitted_file({folder(), {other + "/below"}}, "innocent.csv")));
    QVERIFY(std::holds_alternative<FileRefusal>(permitted_file({folder(), {other}}, "../modelled/d.csv")));
  }

  void the_refusal_names_the_folder_that_would_have_to_be_allowed() {
    const auto refused = std::get<FileRefusal>(permitted_file({folder()}, "innocent.csv"));
    QCOMPARE(QString::fromStdString(refused.folder), QFileInfo(root_->path() + "/elsewhere").canonicalFilePath());
    QVERIFY(std::holds_alternative<fs::path>(permitted_file({folder(), {refused.folder}}, "innocent.csv")));
  }

  void a_document_in_no_file_has_no_folder() {
    QVERIFY(std::holds_alternative<FileRefusal>(permitted_file({}, "a.csv")));
    QVERIFY(std::holds_alternative<FileRefusal>(permitted_file({}, "/etc/passwd")));
    QCOMPARE(folder_of("plant.ergode"), std::string("."));
    QCOMPARE(folder_of("/a/b/plant.ergode"), std::string("/a/b"));
  }

  void messages_quote_twelve_letters_of_foreign_content_at_most() {
    const std::string path = folder() + "/a.csv", secret = "root:x:0:0:root:/root:/bin/bash";
    const auto cell = std::get<std::string>(csv_column("h\n" + secret + "\n", path, "h"));
    QVERIFY2(cell.find("root:x:0:0:r...") != std::string::npos, cell.c_str());
    QVERIFY2(cell.find(secret.substr(0, 14)) == std::string::npos, cell.c_str());
    const auto head = std::get<std::string>(csv_column(secret + "," + secret + "\n1,2\n", path, "h"));
    QVERIFY2(head.find(secret.substr(0, 14)) == std::string::npos, head.c_str());
    QCOMPARE(excerpt("short"), std::string("short"));
    QCOMPARE(excerpt("ääääääääää"), std::string("ääääää..."));
  }

 private:
  std::string folder() const { return (root_->path() + "/model").toStdString(); }
  std::unique_ptr<QTemporaryDir> root_;
};

QTEST_GUILESS_MAIN(TestFileAccess)
#include "tst_file_access.moc"
