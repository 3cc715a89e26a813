#pragma once
#include <QObject>
#include <QString>
#include <memory>
#include <vector>

#include "app/gui/workspace.h"
#include "core/results/result_set.h"

namespace ergode {

/// One line of the results list.
struct RunRecord {
  QString id, started, solver, scenario, status;
  quint64 seed = 0, replications = 0;
  double elapsed_s = 0;
  std::shared_ptr<const ResultSet> results;  ///< null until it is asked for
};

/// The runs of the open model: those kept beside its file, newest first, and those of this session when the model has no
/// file yet. Records are never changed or overwritten.
class RunRecords : public QObject {
  Q_OBJECT
 public:
  explicit RunRecords(Workspace& workspace, QObject* parent = nullptr);
  const std::vector<RunRecord>& rows() const { return rows_; }
  std::shared_ptr<const ResultSet> results(std::size_t row);
  /// Keeps a finished run. @returns why it could not be written to disk; empty: it was, or the model has no file yet.
  QString add(const ResultSet& results);
  void reload();

 Q_SIGNALS:
  void changed();

 private:
  Workspace& workspace_;
  std::vector<RunRecord> rows_;
};

/// The simulation's results with the answers of exact solvers appended: one record holds both, told apart by `solver`.
ResultSet with_company(ResultSet results, const std::vector<std::shared_ptr<const ResultSet>>& company);

}  // namespace ergode
