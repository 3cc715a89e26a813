#include "app/gui/run_records.h"

#include "app/session/store_path.h"
#include "core/results/result_store.h"

namespace ergode {

RunRecords::RunRecords(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace) {
  connect(&workspace_, &Workspace::replaced, this, &RunRecords::reload);
}

std::string RunRecords::store_path() const {
  return workspace_.path().isEmpty() ? std::string() : default_store_path(workspace_.path().toStdString());
}

void RunRecords::reload() {
  rows_.clear();
  if (!store_path().empty()) {
    auto store = ResultStore::open(store_path(), ResultStore::Access::existing);
    if (auto* opened = std::get_if<ResultStore>(&store)) {
      auto listed = opened->list();
      if (auto* records = std::get_if<std::vector<RunRecord>>(&listed)) {
        for (const RunRecord& record : *records) {
          rows_.push_back({.id = QString::fromStdString(record.run_id),
                           .started = QString::fromStdString(record.started_utc),
                           .solver = QString::fromStdString(record.solver),
                           .scenario = QString::fromStdString(record.scenario),
                           .status = QString::fromLatin1(to_text(record.status)),
                           .seed = record.seed,
                           .replications = record.replications,
                           .elapsed_s = record.elapsed_s,
                           .results = {},
                           .exact = {},
                           .declined = {}});
        }
      }
    }
  }
  Q_EMIT changed();
}

QString RunRecords::add(const std::shared_ptr<const ResultSet>& results, const CompanyResults& exact,
                        const std::vector<Declined>& declined) {
  QString problem;
  if (!store_path().empty()) {
    auto store = ResultStore::open(store_path());
    if (auto* opened = std::get_if<ResultStore>(&store)) {
      if (const auto failed = opened->add(*results))
        problem = QString::fromStdString(failed->code + ": " + failed->message);
    } else {
      const Diagnostic& why = std::get<Diagnostic>(store);
      problem = QString::fromStdString(why.code + ": " + why.message);
    }
  }
  const Provenance& made = results->provenance;
  rows_.insert(rows_.begin(), ListedRun{.id = QString::fromStdString(made.run_id),
                                        .started = QString::fromStdString(made.made.started_utc),
                                        .solver = QString::fromStdString(made.solver),
                                        .scenario = QString::fromStdString(made.scenario),
                                        .status = QString::fromLatin1(to_text(results->status)),
                                        .seed = made.seed,
                                        .replications = results->replications,
                                        .elapsed_s = made.made.elapsed_s,
                                        .results = results,
                                        .exact = exact,
                                        .declined = declined});
  Q_EMIT changed();
  return problem;
}

std::shared_ptr<const ResultSet> RunRecords::results(std::size_t row) {
  if (row >= rows_.size()) return nullptr;
  ListedRun& listed = rows_[row];
  if (listed.results) return listed.results;
  auto store = ResultStore::open(store_path(), ResultStore::Access::existing);
  auto* opened = std::get_if<ResultStore>(&store);
  if (opened == nullptr) return nullptr;
  auto loaded = opened->load(listed.id.toStdString());
  if (auto* results = std::get_if<ResultSet>(&loaded))
    listed.results = std::make_shared<const ResultSet>(std::move(*results));
  return listed.results;
}

}  // namespace ergode
