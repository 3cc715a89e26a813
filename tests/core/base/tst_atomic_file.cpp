#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <fstream>
#include <iterator>

#include "core/base/atomic_file.h"
#include "core/base/sha256.h"

using namespace ergode;

namespace {
std::string read(const QString& path) {
  std::ifstream in(path.toStdString(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
}  // namespace

class TestAtomicFile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_file_is_made_and_replaced();
  void a_full_disk_leaves_the_earlier_file();
  void refusals_name_the_path_and_the_reason();
  void links_are_followed_and_permissions_kept();
  void sha256_matches_the_published_vectors();
};

void TestAtomicFile::a_file_is_made_and_replaced() {
  QTemporaryDir folder;
  const QString path = folder.filePath("a.txt");
  const std::string big(300000, 'x');
  QVERIFY(!write_file_atomically(path.toStdString(), "one\n"));
  QCOMPARE(read(path), std::string("one\n"));
  QVERIFY(!write_file_atomically(path.toStdString(), big));
  QCOMPARE(read(path), big);
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"a.txt"});
}

// The kernel refuses to let a file of the child grow past 4 KiB, as it refuses on a full disk.
void TestAtomicFile::a_full_disk_leaves_the_earlier_file() {
  QTemporaryDir folder;
  const QString path = folder.filePath("a.txt");
  QVERIFY(!write_file_atomically(path.toStdString(), "earlier"));
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto problem = write_file_atomically(path.toStdString(), std::string(100000, 'x'));
    ::_exit(problem && problem->code == "RES001" && problem->message.find("too large") != std::string::npos ? 7 : 1);
  }
  int status = 0;
  QCOMPARE(::waitpid(child, &status, 0), child);
  QVERIFY(WIFEXITED(status));
  QCOMPARE(WEXITSTATUS(status), 7);
  QCOMPARE(read(path), std::string("earlier"));
  QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList{"a.txt"});
}

void TestAtomicFile::refusals_name_the_path_and_the_reason() {
  const auto full = write_file_atomically("/dev/full", "x");
  QVERIFY(full);
  QCOMPARE(full->message, std::string("Cannot write /dev/full: No space left on device."));
  QVERIFY(!full->hint.empty());
  QTemporaryDir folder;
  const auto missing = write_file_atomically(folder.filePath("none/a.txt").toStdString(), "x");
  QVERIFY(missing && missing->message.ends_with("none/a.txt: No such file or directory."));
  const auto directory = write_file_atomically(folder.path().toStdString(), "x");
  QVERIFY(directory && directory->message.ends_with("Is a directory."));
  QVERIFY(!write_file_atomically("/dev/null", "x"));
}

void TestAtomicFile::links_are_followed_and_permissions_kept() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("a.txt").toStdString(), link = folder.filePath("link").toStdString();
  QVERIFY(!write_file_atomically(path, "one"));
  QCOMPARE(::chmod(path.c_str(), 0640), 0);
  QCOMPARE(::symlink(path.c_str(), link.c_str()), 0);
  QVERIFY(!write_file_atomically(link, "two"));
  QCOMPARE(read(folder.filePath("a.txt")), std::string("two"));
  struct stat now {};
  QCOMPARE(::lstat(link.c_str(), &now), 0);
  QVERIFY(S_ISLNK(now.st_mode));
  QCOMPARE(::stat(path.c_str(), &now), 0);
  QCOMPARE(now.st_mode & 0777U, 0640U);
}

// FIPS 180-4 examples and the million letters a of FIPS 180-2.
void TestAtomicFile::sha256_matches_the_published_vectors() {
  QCOMPARE(sha256_hex(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
  QCOMPARE(sha256_hex("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  QCOMPARE(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
           std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
  QCOMPARE(sha256_hex(std::string(1000000, 'a')),
           std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

QTEST_APPLESS_MAIN(TestAtomicFile)
#include "tst_atomic_file.moc"
