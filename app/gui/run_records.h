#pragma once
#include <QObject>
#include <QString>
#include <memory>
#include <vector>

#include "app/gui/workspace.h"
#include "app/session/company.h"

namespace ergode {

/// One line of the results list, with its results once they were asked for.
struct ListedRun {
  QString id, started, solver, scenario, status;
  quint64 seed = 0, replications = 0;
  double elapsed_s = 0;
  std::shared_ptr<const ResultSet> results;
  CompanyResults exact;            ///< Answers of exact solvers, for runs made in this session;
  std::vector<Declined> declined;  ///< those that gave none.
};

/// The runs of the open model, newest first: those kept in the store beside its file (the command line's rule), and
/// those of this session when the model has no file yet. Records are never changed or overwritten.
class RunRecords : public QObject {
  Q_OBJECT
 public:
  explicit RunRecords(Workspace& workspace, QObject* parent = nullptr);
  const std::vector<ListedRun>& rows() const { return rows_; }
  /// Reads the results of a row from the store when they are not there yet; null when that fails.
  std::shared_ptr<const ResultSet> results(std::size_t row);
  /// Keeps a finished run. @returns why it could not be written to disk; empty: it was, or the model has no file yet.
  QString add(const std::shared_ptr<const ResultSet>& results, const CompanyResults& exact,
              const std::vector<Declined>& declined = {});
  /// Lists what the store beside the model holds.
  void reload();

 Q_SIGNALS:
  void changed();

 private:
  std::string store_path() const;
  Workspace& workspace_;
  std::vector<ListedRun> rows_;
};

}  // namespace ergode
