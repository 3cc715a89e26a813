#include "app/gui/run_records.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include "app/session/store_path.h"
#include "core/results/result_store.h"

namespace ergode {
namespace {

int homes_made = 0;

QString text_of(const Diagnostic& why) { return QString::fromStdString(why.code + ": " + why.message); }

}  // namespace

RunRecords::RunRecords(Workspace& workspace, const QString& state_dir, QObject* parent)
    : QObject(parent), workspace_(workspace), folder_(QDir(state_dir).filePath(QStringLiteral("unsaved"))) {
  settle_in();
  connect(&workspace_, &Workspace::replaced, this, [this] {
    leave();
    settle_in();
    reload();
  });
  connect(&workspace_, &Workspace::saved, this, &RunRecords::move_along);
}

RunRecords::~RunRecords() { leave(); }

void RunRecords::settle_in() {
  home_ = std::make_shared<RunHome>();
  home_->unsaved = workspace_.path().isEmpty();
  if (!home_->unsaved) {
    home_->store = default_store_path(workspace_.path().toStdString());
    return;
  }
  QString free;
  do {  // A crashed program of the same process number may have left its own.
    free = QDir(folder_).filePath(
        QStringLiteral("%1-%2.results.sqlite").arg(QCoreApplication::applicationPid()).arg(++homes_made));
  } while (QFileInfo::exists(free));
  home_->store = free.toStdString();
}

void RunRecords::leave() {
  if (!home_->unsaved) return;
  home_->gone = true;
  remove_store(home_->store);
}

void RunRecords::adopt(const std::string& store) {
  home_->store = store;
  home_->unsaved = true;
  reload();
}

void RunRecords::move_along() {
  const std::string there = default_store_path(workspace_.path().toStdString());
  if (there != home_->store) {
    if (QFileInfo::exists(QString::fromStdString(home_->store))) {
      auto store = ResultStore::open(there);
      const auto* refused = std::get_if<Diagnostic>(&store);
      const auto failed =
          refused != nullptr ? std::optional(*refused) : std::get<ResultStore>(store).add_all_of(home_->store);
      if (failed) return Q_EMIT problem(text_of(*failed));
      if (home_->unsaved) remove_store(home_->store);
    }
    home_->store = there;
    home_->unsaved = false;
  }
  reload();
}

void RunRecords::reload() {
  rows_.clear();
  auto store = ResultStore::open(home_->store, ResultStore::Access::existing);
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
                         .results = {}});
      }
    }
  }
  Q_EMIT changed();
}

QString RunRecords::add(const RunHome& home, const std::shared_ptr<const ResultSet>& results) {
  if (home.gone) return {};
  if (home.unsaved) QDir().mkpath(folder_);
  QString problem;
  auto store = ResultStore::open(home.store);
  if (auto* opened = std::get_if<ResultStore>(&store)) {
    if (const auto failed = opened->add(*results)) problem = text_of(*failed);
  } else {
    problem = text_of(std::get<Diagnostic>(store));
  }
  if (&home != home_.get()) return problem;
  const Provenance& made = results->provenance;
  rows_.insert(rows_.begin(), ListedRun{.id = QString::fromStdString(made.run_id),
                                        .started = QString::fromStdString(made.made.started_utc),
                                        .solver = QString::fromStdString(made.solver),
                                        .scenario = QString::fromStdString(made.scenario),
                                        .status = QString::fromLatin1(to_text(results->status)),
                                        .seed = made.seed,
                                        .replications = results->replications,
                                        .elapsed_s = made.made.elapsed_s,
                                        .results = results});
  Q_EMIT changed();
  return problem;
}

std::shared_ptr<const ResultSet> RunRecords::results(std::size_t row) {
  if (row >= rows_.size()) return nullptr;
  ListedRun& listed = rows_[row];
  if (listed.results) return listed.results;
  auto store = ResultStore::open(home_->store, ResultStore::Access::existing);
  auto* opened = std::get_if<ResultStore>(&store);
  if (opened == nullptr) return nullptr;
  auto loaded = opened->load(listed.id.toStdString());
  if (auto* results = std::get_if<ResultSet>(&loaded))
    listed.results = std::make_shared<const ResultSet>(std::move(*results));
  return listed.results;
}

}  // namespace ergode
