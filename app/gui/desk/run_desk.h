#pragma once
#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>
#include <vector>

#include "app/gui/desk/run_records.h"
#include "app/gui/desk/workspace.h"
#include "app/session/overload.h"
#include "app/session/run.h"

namespace ergode {

/// The desktop's end of a run: refuses to start a broken model, polls the run on its own timer, keeps the record with
/// the document it was started from, and says which run is on show: the one going on, or a kept one.
///
/// Main thread; polls every 80 ms while a run goes on and never waits for it but in stop_and_keep(). A run goes on when
/// another model is opened.
class RunDesk : public QObject {
  Q_OBJECT
 public:
  using Solvers = std::vector<const Solver*>;

  RunDesk(Workspace& workspace, const QString& state_dir, QObject* parent = nullptr);

  /// All solvers the user may choose from; tests give their own.
  const Solvers& solvers() const { return solvers_; }

  /// Starts unless the model has errors or a run is active; then says why through refused(). Where more work comes to a
  /// place than can be done there it asks through doubted(), or refuses, as `overload` says.
  bool start(RunRequest request, OverloadPolicy overload = OverloadPolicy::run);
  /// Goes on with a kept run that was interrupted or stopped (a row of the records), as it was asked for then. It ends
  /// with the results of a run that was not interrupted. Refusals as for start(), and what find_resumable() says.
  bool resume(std::size_t record);
  /// Why the shown run cannot be resumed, as a sentence; empty when it can.
  QString why_not_resume() const;
  /// Does what Run::enabled() allows in the present state, else nothing.
  void pause_or_resume();
  void stop();
  /// Stops a run that is going on and waits, at most about a second, until its record is kept.
  void stop_and_keep();

  const Run& run() const { return run_; }
  Workspace& workspace() { return workspace_; }
  RunRecords& records() { return records_; }
  RunState state() const { return run_.state(); }
  /// What the status bar shows: "Stopping" while a stop is being obeyed, else the state's word.
  QString state_text() const;
  /// Newest estimates of the present or last run: the final ones when there are, else the latest snapshot's; null
  /// before the first.
  std::shared_ptr<const ResultSet> results() const;
  std::shared_ptr<const Snapshot> snapshot() const { return run_.latest(); }
  /// How far the first replication of the present run is, while none has ended.
  std::optional<FirstReplication> first() const { return run_.first(); }
  /// Seed of the present or last run, as resolved.
  quint64 seed_used() const;
  /// The open document as it is now, with the folders it may read, and what is asked of it.
  Question question_of(RunRequest request) const;
  /// Whether the present or last run was started from a document that is not open any more.
  bool foreign() const { return home_ != records_.home(); }
  /// File (or name) of the model that the present or last run was started from.
  const QString& model_title() const { return model_title_; }

  /// Whether a run of the open document is going on.
  bool live() const { return running_ && !foreign(); }
  /// Whether the run that is going on is on show, and not a kept one.
  bool shows_live() const { return shows_live_ && live(); }
  /// What panels and reports show: the run going on, with its company so far, or a kept run; null: nothing yet. Reads a
  /// kept run from the store the first time.
  std::shared_ptr<const ResultSet> shown() const;
  /// The same for a file: of a run going on it is said that it is partial, and why.
  std::shared_ptr<const ResultSet> shown_for_good() const;
  /// Chooses a kept run (a row of the records) or, without one, the run going on.
  void show(std::optional<std::size_t> record);
  /// Row of the kept run on show; nothing while the one going on is.
  std::optional<std::size_t> shown_record() const;
  /// Whether the shown run is about another model than the open one as it is now, layout and notes apart.
  bool stale() const { return stale_; }
  /// Makes the timer's work at once; for scripts and tests.
  void poll();

 Q_SIGNALS:
  void state_changed();
  void told(const ergode::Diagnostic& what);  ///< by the run that is going on, before it has a result
  void progressed();                          ///< new snapshot, a first replication that goes on, or final results
  void shown_changed();                       ///< another run is on show
  void stale_changed();  ///< the open model has become another than the one that was run, or that one again
  void starting();       ///< a run is about to start
  void ended(std::shared_ptr<const ergode::ResultSet> results, const QString& stored_problem);
  void refused(const QString& reason, ergode::ElementId element);
  /// Nothing was started yet: whether it is to be, for all that, is for the user to say.
  void doubted(const QString& reason, ergode::ElementId element);

 private:
  /// Starts with what stands beside it; `resumed`: going on where that ends.
  bool launch(RunRequest request, Beside beside, std::optional<RunJournal> resumed, OverloadPolicy overload);
  void refuse_while_active();
  void finish();
  void refresh_stale();

  Workspace& workspace_;
  mutable RunRecords records_;  ///< Loads what is asked for.
  Run run_;
  Solvers solvers_;
  QTimer timer_, stale_timer_, store_timer_;
  RunState seen_ = RunState::idle;
  std::shared_ptr<const Snapshot> last_;
  std::optional<FirstReplication> first_;
  std::size_t told_ = 0;               ///< so many of what the present run said were passed on
  std::shared_ptr<RunHome> home_;      ///< Of the present or last run.
  std::optional<RunJournal> resumed_;  ///< What the present run goes on with.
  QString model_title_;
  QString shown_id_;                      ///< Of the kept run on show.
  std::string live_model_, shown_model_;  ///< Semantic hashes of what was run; empty: not known.
  bool stop_asked_ = false, stale_ = false, running_ = false, shows_live_ = false;
};

}  // namespace ergode
