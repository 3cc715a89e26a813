#pragma once
#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFile>

/// Which processes a test has started, itself or through others, whoever their parents are by now. They are told from
/// those of other tests, which run the same programs at the same time, by a mark in their environment.
class TestProcesses {
 public:
  /// Marks whatever is started from now on. Before threads are.
  TestProcesses() { qputenv(name, value_); }

  /// How many there are whose command line has `word`.
  int running(const QByteArray& word) const {
    int out = 0;
    for (const QString& entry : QDir("/proc").entryList(QDir::Dirs)) {
      const auto holds = [&entry](const char* file_name, const QByteArray& what) {
        QFile file(QString("/proc/%1/%2").arg(entry, file_name));
        return file.open(QIODevice::ReadOnly) && file.readAll().contains(what);
      };
      if (holds("cmdline", word) && holds("environ", QByteArray(name) + "=" + value_ + '\0')) ++out;
    }
    return out;
  }

 private:
  static constexpr const char* name = "ERGODE_TEST_MARK";
  // Numbers of processes come again, and what an earlier test left may still be there.
  const QByteArray value_ = QByteArray::number(QCoreApplication::applicationPid()) + '.' +
                            QByteArray::number(QDateTime::currentMSecsSinceEpoch());
};
