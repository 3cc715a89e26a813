#include "app/gui/run_record.h"

#include <QDateTime>

namespace ergode {
namespace {

RunRecord row_of(std::shared_ptr<const ResultSet> results) {
  const Provenance& made = results->provenance;
  RunRecord row;
  row.id = QString::fromStdString(made.run_id);
  row.started = QString::fromStdString(made.made.started_utc);
  row.solver = QString::fromStdString(made.solver);
  row.scenario = QString::fromStdString(made.scenario);
  row.status = QString::fromLatin1(to_text(results->status));
  row.seed = made.seed;
  row.replications = results->replications;
  row.elapsed_s = made.made.elapsed_s;
  row.results = std::move(results);
  return row;
}

}  // namespace

RunRecords::RunRecords(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&workspace_, &Workspace::replaced, this, &RunRecords::reload);
}

void RunRecords::reload() {
  rows_.clear();
  Q_EMIT changed();
}

QString RunRecords::add(const ResultSet& results) {
  rows_.insert(rows_.begin(), row_of(std::make_shared<const ResultSet>(results)));
  Q_EMIT changed();
  return {};
}

std::shared_ptr<const ResultSet> RunRecords::results(std::size_t row) { return row < rows_.size() ? rows_[row].results : nullptr; }

ResultSet with_company(ResultSet results, const std::vector<std::shared_ptr<const ResultSet>>& company) {
  for (const auto& exact : company) {
    results.measures.insert(results.measures.end(), exact->measures.begin(), exact->measures.end());
    results.series.insert(results.series.end(), exact->series.begin(), exact->series.end());
  }
  return results;
}

}  // namespace ergode
