#include "app/gui/desk/run_records.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <algorithm>

#include "app/session/keep.h"
#include "app/session/run_name.h"
#include "app/session/store_path.h"
#include "core/results/result_store.h"

namespace ergode {
namespace {

int homes_made = 0;

ListedRun row_of(const RunRecord& record) {
  return {.id = QString::fromStdString(record.run_id),
          .started = QString::fromStdString(record.started_utc),
          .solver = QString::fromStdString(record.solver),
          .name = QString::fromStdString(run_name(record.scenario, record.overrides)),
          .status = record.interrupted ? QStringLiteral("interrupted") : QString::fromLatin1(to_text(record.status)),
          .seed = record.seed,
          .replications = record.replications,
          .elapsed_s = record.elapsed_s,
          .interrupted = record.interrupted,
          .resumable = record.resumable,
          .altered = record.altered,
          .semantic_hash = record.semantic_hash,
          .results = {}};
}

/// Changes with every write: of the database, and of what it has not taken into its file yet.
QString state_of(const std::string& store) {
  QString out;
  for (const char* part : {"", "-wal"}) {
    const QFileInfo file(QString::fromStdString(store) + QLatin1String(part));
    if (file.exists()) out += QStringLiteral("%1 %2 ").arg(file.size()).arg(file.lastModified().toMSecsSinceEpoch());
  }
  return out;
}

QString text_of(const Diagnostic& why) { return QString::fromStdString(why.code + ": " + why.message); }

}  // namespace

RunRecords::RunRecords(Workspace& workspace, const QString& state_dir, QObject* parent)
    : QObject(parent), workspace_(workspace), folder_(QDir(state_dir).filePath(QStringLiteral("unsaved"))) {
  settle_in();
  connect(&workspace_, &Workspace::replaced, this, [this] {
    leave();
    rows_.clear();
    settle_in();
    reload();
  });
  connect(&workspace_, &Workspace::saved, this, &RunRecords::move_along);
}

RunRecords::~RunRecords() {
  blockSignals(true);  // Who listens may be half gone.
  leave();
}

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
  Q_EMIT moved(*home_);
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
    }
    const RunHome before = *home_;
    home_->store = there;
    home_->unsaved = false;
    Q_EMIT moved(*home_);
    if (before.unsaved) remove_store(before.store);
  }
  reload();
}

void RunRecords::prepare_home() {
  home_->used = true;
  if (home_->unsaved) QDir().mkpath(folder_);
}

void RunRecords::reload() {
  read_rows();
  Q_EMIT changed();
}

void RunRecords::look_again() {
  if (state_of(home_->store) == seen_) return;
  const auto listed = [this] {
    QStringList out;
    for (const ListedRun& row : rows_)
      out << row.id + row.status + (row.altered ? QLatin1String("*") : QLatin1String());
    return out;
  };
  const QStringList before = listed();
  read_rows();
  if (listed() != before) Q_EMIT changed();
}

void RunRecords::read_rows() {
  seen_ = state_of(home_->store);
  std::vector<ListedRun> before;
  before.swap(rows_);
  for (const ListedRun& row : before)
    if (!row.written) rows_.push_back(row);
  auto store = ResultStore::open(home_->store, ResultStore::Access::existing);
  auto* opened = std::get_if<ResultStore>(&store);
  if (opened == nullptr) return;
  auto listed = opened->list();
  const auto* records = std::get_if<std::vector<RunRecord>>(&listed);
  if (records == nullptr) return;
  for (const RunRecord& record : *records) {
    rows_.push_back(row_of(record));
    ListedRun& row = rows_.back();
    // What a journal has of a run grows; a record never changes.
    if (row.interrupted) continue;
    const auto known = std::find_if(before.begin(), before.end(),
                                    [&](const ListedRun& b) { return b.id == row.id && !b.interrupted; });
    if (known != before.end()) row.results = known->results;
  }
}

QString RunRecords::add(const RunHome& home, const std::shared_ptr<const ResultSet>& results) {
  if (home.gone) return {};
  if (home.unsaved) QDir().mkpath(folder_);
  const Kept kept_runs = keep_runs(home.store, {results});
  QStringList said;
  for (const Diagnostic& d : kept_runs.diagnostics)
    said << text_of(d) + (d.hint.empty() ? QString() : QLatin1Char(' ') + QString::fromStdString(d.hint));
  const QString problem = said.join(QLatin1Char(' '));
  if (&home != home_.get()) return problem;
  read_rows();
  const Provenance& made = results->provenance;
  const QString id = QString::fromStdString(made.run_id);
  const auto kept = std::find_if(rows_.begin(), rows_.end(), [&](const ListedRun& row) { return row.id == id; });
  if (problem.isEmpty() && kept != rows_.end()) {
    kept->results = results;
  } else {
    rows_.insert(rows_.begin(), ListedRun{.id = id,
                                          .started = QString::fromStdString(made.made.started_utc),
                                          .solver = QString::fromStdString(made.solver),
                                          .name = QString::fromStdString(run_name(made.scenario, made.overrides)),
                                          .status = QString::fromLatin1(to_text(results->status)),
                                          .seed = made.seed,
                                          .replications = results->replications,
                                          .elapsed_s = made.made.elapsed_s,
                                          .written = false,
                                          .semantic_hash = made.semantic_hash,
                                          .results = results});
  }
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
