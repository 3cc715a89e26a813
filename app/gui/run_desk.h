#pragma once
#include <QObject>
#include <QTimer>
#include <memory>
#include <vector>

#include "app/gui/run_records.h"
#include "app/gui/workspace.h"
#include "app/session/run.h"

namespace ergode {

/// The desktop's end of a run: refuses to start a broken model, polls the run on its own timer, keeps the record.
class RunDesk : public QObject {
  Q_OBJECT
 public:
  using Solvers = std::vector<const Solver*>;

  explicit RunDesk(Workspace& workspace, QObject* parent = nullptr);

  /// All solvers the user may choose from; tests give their own.
  const Solvers& solvers() const { return solvers_; }
  void set_solvers(Solvers solvers) { solvers_ = std::move(solvers); }

  /// Starts unless the model has errors or a run is active; then says why through refused().
  bool start(RunRequest request);
  void pause_or_resume();
  void stop();

  const Run& run() const { return run_; }
  Workspace& workspace() { return workspace_; }
  RunRecords& records() { return records_; }
  RunState state() const { return run_.state(); }
  /// What the status bar shows: "Stopping" while a stop is being obeyed, else the state's word.
  QString state_text() const;
  /// Newest estimates: the final ones when there are, else the latest snapshot's; null before the first. Without
  /// exact().
  std::shared_ptr<const ResultSet> results() const;
  std::shared_ptr<const Snapshot> snapshot() const { return run_.latest(); }
  /// Seed of the present or last run, as resolved.
  quint64 seed_used() const;
  CompanyResults exact() const { return run_.company(); }
  /// Whether the model was edited since the run was started.
  bool stale() const { return stale_; }
  /// Makes the timer's work at once; for scripts and tests.
  void poll();

 Q_SIGNALS:
  void state_changed();
  void progressed();  ///< new snapshot or final results
  void ended(std::shared_ptr<const ergode::ResultSet> results, const QString& stored_problem);
  void refused(const QString& reason, ergode::ElementId element);

 private:
  void finish();

  Workspace& workspace_;
  RunRecords records_;
  Run run_;
  Solvers solvers_;
  QTimer timer_;
  RunState seen_ = RunState::idle;
  std::shared_ptr<const Snapshot> last_;
  bool stop_asked_ = false, stale_ = false, running_ = false;
};

}  // namespace ergode
