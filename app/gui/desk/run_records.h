#pragma once
#include <QObject>
#include <QString>
#include <memory>
#include <vector>

#include "app/gui/desk/workspace.h"
#include "core/results/result_set.h"

namespace ergode {

/// One line of the results list, with its results once they were asked for.
struct ListedRun {
  QString id, started, solver, name, status;  ///< name: of its scenario, with what was set (run_name())
  quint64 seed = 0, replications = 0;
  double elapsed_s = 0;
  bool interrupted = false;  ///< It ended with the program; there is a journal of it alone.
  bool resumable = false;    ///< It was interrupted or stopped, and a journal says where it can go on.
  bool altered = false;      ///< What is listed is not what was written with it (RunRecord::altered).
  bool written = true;       ///< The store has it; false: it could not be written, and is here alone.
  std::string semantic_hash;
  std::shared_ptr<const ResultSet> results;
};

/// Where the runs of one open document are kept. A run holds the home of the document it was started from and lands
/// there, whatever is open when it ends; a save may move the home meanwhile.
struct RunHome {
  std::string store;     ///< File of the result store; made with the first run.
  bool unsaved = false;  ///< The document has no file yet: the store lies in the state folder and goes with it.
  bool gone = false;     ///< The document was given up unsaved; what still arrives is not kept.
  bool used = false;     ///< A run was started: its journal is in the store, if nothing else is.
};

/// The runs of the open model, newest first: those kept in the store beside its file (the command line's rule), or, as
/// long as it has no file, in a store in the state folder, from where they move along with the first save. *Save as*
/// copies them to the new file's store. Records are never changed or overwritten.
///
/// Main thread. Reading and writing wait for the disk, and up to 10 s for another program that writes the same store.
/// Rows are numbered from 0 and change with changed().
class RunRecords : public QObject {
  Q_OBJECT
 public:
  RunRecords(Workspace& workspace, const QString& state_dir, QObject* parent = nullptr);
  ~RunRecords() override;  ///< Takes the store of an unsaved model away: whoever ends in order was asked.

  const std::vector<ListedRun>& rows() const { return rows_; }
  /// Reads the results of a row from the store when they are not there yet; null when that fails.
  std::shared_ptr<const ResultSet> results(std::size_t row);
  /// Where runs that start now will be kept.
  std::shared_ptr<RunHome> home() const { return home_; }
  /// Makes the place where the journal of a run is kept that is about to start.
  void prepare_home();
  /// Keeps a finished run at its home, or where keep_runs() finds a place. @returns why it could not be written at
  /// home, and where it is now, if anywhere; empty: it was.
  QString add(const RunHome& home, const std::shared_ptr<const ResultSet>& results);
  /// Whether there are runs that would be lost with the open model, because it has no file.
  bool unsaved_runs() const { return home_->unsaved && (home_->used || !rows_.empty()); }
  /// Takes over the store of an unsaved model that a crash left behind; the open document is that model.
  void adopt(const std::string& store);
  /// Lists what the store holds where another program has written into it since it was read; costs a look at the file.
  void look_again();
  /// Lists what the store holds.
  void reload();

 Q_SIGNALS:
  void changed();
  /// The home has another store now, or is gone; a run that goes on has to know before the old store is taken away.
  void moved(const ergode::RunHome& home);
  void problem(const QString& text);  ///< runs could not move along with a save; they stay where they were

 private:
  void settle_in();
  void leave();
  void move_along();
  /// The rows are those of the store, and before them the ones that could not be written there.
  void read_rows();

  Workspace& workspace_;
  QString folder_;
  std::shared_ptr<RunHome> home_;
  std::vector<ListedRun> rows_;
  QString seen_;  ///< State of the file when it was read.
};

}  // namespace ergode
