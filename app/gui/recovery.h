#pragma once
#include <QElapsedTimer>
#include <QJsonObject>
#include <QObject>
#include <QStringList>
#include <QTimer>
#include <functional>

#include "app/gui/desk/run_records.h"
#include "app/gui/desk/workspace.h"

namespace ergode {

/// A model that a program which is no longer running left unsaved.
struct LostModel {
  QString file;      ///< The copy.
  QString title;     ///< Name of the model.
  QString original;  ///< Where it had been opened from or saved to; empty: nowhere yet.
  QDateTime written;
};

/// Keeps a copy of a modified model, or of one whose runs are in no file's store yet, in `<state
/// folder>/recovery/<process>-<number>.json`, so that a crash loses at most `latest_ms` of work and no run; takes it
/// away when the model is saved, replaced or the program ends in order.
class RecoveryJournal : public QObject {
  Q_OBJECT
 public:
  static constexpr int settled_ms = 2000;  ///< Written this long after the last edit,
  static constexpr int latest_ms = 5000;   ///< and this long after the first one that is not in the copy.

  RecoveryJournal(Workspace& workspace, RunRecords& records, const QString& state_dir, QObject* parent = nullptr);
  ~RecoveryJournal() override;

  /// The copies of programs that ended without taking them away, latest first. Those of running programs are theirs.
  std::vector<LostModel> lost() const;
  /// Shows a lost model as one that is not saved, under its original file name, with the runs it had. @returns why not,
  /// or nothing. The copy stays until the model is safe again.
  QString restore(const LostModel& lost);
  static void discard(const LostModel& lost);

  /// What belongs to the unsaved work and is no part of the model: taken with each copy, given back with a restoring.
  void keep_also(std::function<QJsonObject()> take, std::function<void(const QJsonObject&)> give) {
    take_ = std::move(take), give_ = std::move(give);
  }
  /// What is kept besides the model has changed: a copy is due, if there is one at all.
  void changed_also() { on_change(); }
  /// Writes now, if there is something that is not safe.
  /// Waits for the disk.
  void write_now();
  /// Takes the copy of this process away, where there is one.
  void remove_own();
  const QString& folder() const { return folder_; }
  const QString& own_file() const { return own_file_; }

 private:
  void on_change();
  bool needed() const { return workspace_.modified() || records_.unsaved_runs(); }
  Workspace& workspace_;
  RunRecords& records_;
  QString folder_, own_file_;
  QStringList restored_from_;
  std::function<QJsonObject()> take_;
  std::function<void(const QJsonObject&)> give_;
  QTimer timer_;
  QElapsedTimer since_unsafe_;  ///< Since the first edit that is not in the copy; not valid: there is none.
};

}  // namespace ergode
