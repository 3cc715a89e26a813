#pragma once
#include <signal.h>
#include <sys/resource.h>

#include <QtTest>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using Json = nlohmann::json;

/// What a command did.
struct Outcome {
  int code = -1;
  bool crashed = false;
  QByteArray out, err;
  Json json() const { return Json::parse(out.toStdString()); }
};

inline const QString program = QString(ERGODE_BIN_DIR) + "/ergode";

/// Without a screen, and with a state folder of the test's own.
inline QProcessEnvironment plain_environment() {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.remove("DISPLAY"), environment.remove("WAYLAND_DISPLAY");
  static const QTemporaryDir state;
  environment.insert("XDG_STATE_HOME", state.path());
  return environment;
}

struct Command {
  QStringList arguments;
  QByteArray input = {};
  std::map<QString, QString> environment = {};
  std::function<void()> in_child = {};
  QString output_file = {};
  QString folder = {};  ///< to be in; empty: the test's
};

inline Outcome ergode(const Command& command) {
  QProcess process;
  QProcessEnvironment environment = plain_environment();
  for (const auto& [name, value] : command.environment) environment.insert(name, value);
  process.setProcessEnvironment(environment);
  if (command.in_child) process.setChildProcessModifier(command.in_child);
  if (!command.output_file.isEmpty()) process.setStandardOutputFile(command.output_file);
  if (!command.folder.isEmpty()) process.setWorkingDirectory(command.folder);
  process.start(program, command.arguments);
  process.write(command.input);
  process.closeWriteChannel();
  if (!process.waitForFinished(60000)) process.kill(), process.waitForFinished();
  Outcome out{process.exitCode(), process.exitStatus() == QProcess::CrashExit, process.readAllStandardOutput(),
              process.readAllStandardError()};
  // Nobody reads colours in a log: no escape sequence in anything that is not a terminal.
  if (out.out.contains('\x1b') || out.err.contains('\x1b'))
    throw std::runtime_error("an escape sequence in the output");
  return out;
}

inline Outcome ergode(const QStringList& arguments) { return ergode(Command{.arguments = arguments}); }

inline QString shown(const Outcome& o) {
  return QString("exit %1%2\n%3\n%4").arg(o.code).arg(o.crashed ? " CRASHED" : "").arg(QString(o.out), QString(o.err));
}

#define COMPARE_CODE(outcome, wanted)                                             \
  do {                                                                            \
    const Outcome& seen_ = (outcome);                                             \
    QVERIFY2(!seen_.crashed && seen_.code == (wanted), qPrintable(shown(seen_))); \
  } while (false)

/// A folder with copies of three examples: a diesel generator set with a common cause, a station blackout, and pumps
/// that are repaired.
class CliTest : public QObject {
 public:
  CliTest() {
    const QString examples = QString(ERGODE_SOURCE_DIR) + "/examples/";
    const bool copied = QFile::exists(program) && QFile::copy(examples + "01_edg_common_cause/model.ergode", model_) &&
                        QFile::copy(examples + "02_station_blackout/model.ergode", other_) &&
                        QFile::copy(examples + "04_repairable_system/model.ergode", pumps_);
    if (!copied) throw std::runtime_error("no program or no examples");
  }

 protected:
  QTemporaryDir folder_;
  const QString model_ = folder_.filePath("edg.ergode"), other_ = folder_.filePath("sbo.ergode"),
                pumps_ = folder_.filePath("pumps.ergode");

  QString file(const QString& name, const QByteArray& text) const {
    const QString path = folder_.filePath(name);
    QFile f(path);
    if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size()) throw std::runtime_error("cannot write");
    return path;
  }
  QString fresh(const char* name) const {
    const QString path = folder_.filePath(name);
    QDir().mkpath(path);
    return path;
  }
  static QByteArray content(const QString& path) {
    QFile file(path);
    return file.open(QFile::ReadOnly) ? file.readAll() : QByteArray("missing");
  }
};
