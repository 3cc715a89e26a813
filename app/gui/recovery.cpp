#include "app/gui/recovery.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSaveFile>
#include <algorithm>

#ifdef Q_OS_UNIX
#include <cerrno>
#include <csignal>
#endif

#include "app/session/store_path.h"
#include "core/base/read_file.h"
#include "core/format/model_file.h"

namespace ergode {
namespace {

bool runs(qint64 process) {
#ifdef Q_OS_UNIX
  // Signal 0 asks only; EPERM means that there is one and it is somebody else's.
  return kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
#else
  return process == QCoreApplication::applicationPid();
#endif
}

/// What a copy says; empty when it cannot be read.
QJsonObject read_copy(const QString& path) {
  const auto text = read_text(path.toStdString());
  const auto* known = std::get_if<std::string>(&text);
  return known == nullptr ? QJsonObject() : QJsonDocument::fromJson(QByteArray::fromStdString(*known)).object();
}

int journals_made = 0;

}  // namespace

RecoveryJournal::RecoveryJournal(Workspace& workspace, RunRecords& records, const QString& state_dir, QObject* parent)
    : QObject(parent),
      workspace_(workspace),
      records_(records),
      folder_(QDir(state_dir).filePath(QStringLiteral("recovery"))) {
  own_file_ =
      QDir(folder_).filePath(QStringLiteral("%1-%2.json").arg(QCoreApplication::applicationPid()).arg(++journals_made));
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &RecoveryJournal::write_now);
  connect(&workspace_, &Workspace::history_changed, this, &RecoveryJournal::on_change);
  connect(&records_, &RunRecords::changed, this, [this] {
    // A run may have taken hours: its store must be found from this moment on.
    if (records_.unsaved_runs()) write_now();
    else on_change();
  });
}

RecoveryJournal::~RecoveryJournal() { remove_own(); }

void RecoveryJournal::on_change() {
  if (!needed()) return remove_own();
  if (!since_unsafe_.isValid()) since_unsafe_.start();
  timer_.start(static_cast<int>(std::clamp<qint64>(latest_ms - since_unsafe_.elapsed(), 0, settled_ms)));
}

void RecoveryJournal::write_now() {
  timer_.stop();
  since_unsafe_.invalidate();
  if (!needed()) return;
  if (!QDir().mkpath(folder_)) return workspace_.say(tr("No copy for recovery: %1 cannot be made").arg(folder_));
  const QJsonObject copy{{"title", workspace_.title()},
                         {"path", workspace_.path()},
                         {"runs", records_.unsaved_runs() ? QString::fromStdString(records_.home()->store) : QString()},
                         {"next_run", take_ ? take_() : QJsonObject()},
                         {"model", QString::fromStdString(write_model(workspace_.document()))}};
  QSaveFile file(own_file_);
  const QByteArray bytes = QJsonDocument(copy).toJson(QJsonDocument::Compact);
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
    workspace_.say(tr("No copy for recovery: %1").arg(file.errorString()));
}

void RecoveryJournal::remove_own() {
  timer_.stop();
  since_unsafe_.invalidate();
  QFile::remove(own_file_);
  for (const QString& file : restored_from_) QFile::remove(file);
  restored_from_.clear();
}

std::vector<LostModel> RecoveryJournal::lost() const {
  std::vector<LostModel> out;
  static const QRegularExpression name_rule(QStringLiteral("^(\\d+)-\\d+\\.json$"));
  for (const QFileInfo& info : QDir(folder_).entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Time)) {
    const auto name = name_rule.match(info.fileName());
    if (!name.hasMatch() || runs(name.captured(1).toLongLong()) || restored_from_.contains(info.filePath())) continue;
    const QJsonObject copy = read_copy(info.filePath());
    if (copy["model"].toString().isEmpty()) continue;
    out.push_back({info.filePath(), copy["title"].toString(), copy["path"].toString(), info.lastModified()});
  }
  return out;
}

QString RecoveryJournal::restore(const LostModel& lost) {
  const QJsonObject copy = read_copy(lost.file);
  if (copy.isEmpty()) return tr("The copy cannot be read.");
  ReadOutcome outcome = parse_model(copy["model"].toString().toStdString());
  if (!outcome.document)
    return outcome.diagnostics.empty() ? tr("The copy cannot be read.")
                                       : QString::fromStdString(outcome.diagnostics.front().message);
  workspace_.adopt_unsaved(std::move(*outcome.document), copy["path"].toString());
  if (const QString runs = copy["runs"].toString(); QFileInfo::exists(runs)) records_.adopt(runs.toStdString());
  if (give_) give_(copy["next_run"].toObject());
  // The copy may go only when this process holds one of its own.
  write_now();
  if (QFileInfo::exists(own_file_)) QFile::remove(lost.file);
  else restored_from_ << lost.file;
  return {};
}

void RecoveryJournal::discard(const LostModel& lost) {
  if (const QString runs = read_copy(lost.file)["runs"].toString(); !runs.isEmpty()) remove_store(runs.toStdString());
  QFile::remove(lost.file);
}

}  // namespace ergode
