#include "app/gui/desk/run_desk.h"

#include <QElapsedTimer>
#include <algorithm>
#include <limits>

#include "app/session/check.h"
#include "core/base/text.h"
#include "core/format/hash.h"
#include "core/results/result_store.h"
#include "solvers/registry.h"

namespace ergode {

RunDesk::RunDesk(Workspace& workspace, const QString& state_dir, QObject* parent)
    : QObject(parent), workspace_(workspace), records_(workspace, state_dir) {
  for (const auto& solver : ergode::solvers()) solvers_.push_back(solver.get());
  timer_.setInterval(80);
  connect(&timer_, &QTimer::timeout, this, &RunDesk::poll);
  stale_timer_.setSingleShot(true);
  connect(&stale_timer_, &QTimer::timeout, this, &RunDesk::refresh_stale);
  for (const auto edited : {&Workspace::replaced, &Workspace::history_changed})
    connect(&workspace_, edited, this, [this] {
      if (!stale_timer_.isActive()) stale_timer_.start();
    });
  // Runs of the command line on this model are shown as soon as they are kept.
  store_timer_.setInterval(2000);
  connect(&store_timer_, &QTimer::timeout, this, [this] {
    if (!run_.active()) records_.look_again();
  });
  store_timer_.start();
  connect(&records_, &RunRecords::changed, this, [this] {
    if (!shows_live()) show(shown_record().value_or(0));
  });
  connect(&workspace_, &Workspace::saved, this, [this] {
    if (!foreign()) model_title_ = workspace_.file_title();
  });
  connect(&records_, &RunRecords::moved, this, [this](const RunHome& home) {
    if (running_ && &home == home_.get()) run_.move_journal(home.gone ? std::string() : home.store);
  });
}

void RunDesk::refuse_while_active() {
  const QString why = QString::fromStdString(run_.why_not(RunVerb::start));
  Q_EMIT refused(foreign() ? tr("%1 (It is one of \"%2\".)").arg(why, model_title_) : why, {});
}

bool RunDesk::start(RunRequest request, OverloadPolicy overload) {
  return launch(std::move(request), Beside::quick_and_long_run, std::nullopt, overload);
}

bool RunDesk::resume(std::size_t record) {
  if (record >= records_.rows().size()) return false;
  if (!run_.enabled(RunVerb::start)) return refuse_while_active(), false;
  const auto refuse = [this](const Diagnostic& why) {
    records_.reload();  // What is listed may have been another program's work to change.
    Q_EMIT refused(QString::fromStdString(why.code + ": " + why.message + (why.hint.empty() ? "" : " " + why.hint)),
                   {});
    return false;
  };
  const auto store = ResultStore::open(records_.home()->store, ResultStore::Access::existing);
  if (const auto* problem = std::get_if<Diagnostic>(&store)) return refuse(*problem);
  auto found = find_resumable(std::get<ResultStore>(store), records_.rows()[record].id.toStdString(),
                              workspace_.document(), workspace_.files());
  if (const auto* problem = std::get_if<Diagnostic>(&found)) return refuse(*problem);
  auto& resumable = std::get<Resumable>(found);
  // It was begun once.
  return launch(std::move(resumable.request), resumable.beside, std::move(resumable.journal), OverloadPolicy::run);
}

QString RunDesk::why_not_resume() const {
  if (!run_.enabled(RunVerb::start)) return QString::fromStdString(run_.why_not(RunVerb::start));
  const auto row = shown_record();
  if (!row) return tr("Select a run that was interrupted or stopped.");
  if (!records_.rows()[*row].resumable) return tr("Only a run that was interrupted or stopped can go on.");
  if (stale_) return tr("The model has changed since this run: undo the changes, or start a new run.");
  return {};
}

Question RunDesk::question_of(RunRequest request) const {
  const RunRequest context = workspace_.run_context();
  request.folder = context.folder, request.allowed_folders = context.allowed_folders;
  request.model_path = context.model_path;
  return {workspace_.document(), std::move(request)};
}

bool RunDesk::launch(RunRequest request, Beside beside, std::optional<RunJournal> resumed, OverloadPolicy overload) {
  if (!run_.enabled(RunVerb::start)) return refuse_while_active(), false;
  const Question question = question_of(std::move(request));
  const Diagnostics problems = check_model(question);
  for (const Diagnostic& problem : problems) {
    if (problem.severity != Severity::error) continue;
    Q_EMIT refused(tr("%1: %2").arg(QString::fromStdString(problem.code), QString::fromStdString(problem.message)),
                   problem.element);
    return false;
  }
  if (overload != OverloadPolicy::run)
    if (const Diagnostics overloads = overloads_among(problems); !overloads.empty()) {
      const QString text = QString::fromStdString(overload_text(overloads));
      const ElementId first = overloads.front().element;
      if (overload == OverloadPolicy::ask) Q_EMIT doubted(text, first);
      else Q_EMIT refused(tr("%1 (Run > Overloaded model says so.)").arg(text), first);
      return false;
    }
  Run::Order order;
  for (const Solver* solver : solvers_)
    if (solver->spec().name == question.request().solver) order.solver = solver;
  if (order.solver == nullptr) {
    Q_EMIT refused(tr("There is no solver named %1.").arg(QString::fromStdString(question.request().solver)), {});
    return false;
  }
  if (resumed)
    if (const auto sooner = take_up(records_.home()->store, *resumed))
      return Q_EMIT refused(QString::fromStdString(sooner->code + ": " + sooner->message + " " + sooner->hint), {}),
             false;
  home_ = records_.home();
  records_.prepare_home();
  order.question = question;
  order.ask_beside(beside, solvers_);
  order.journal_store = home_->store, order.resumed = resumed;
  resumed_ = std::move(resumed);
  stop_asked_ = false;
  last_.reset(), first_.reset();
  told_ = 0;
  live_model_ = semantic_hash(question.document());
  Q_EMIT starting();
  if (!run_.start(std::move(order))) return false;
  model_title_ = workspace_.file_title();
  running_ = shows_live_ = true;
  shown_model_ = live_model_;
  refresh_stale();
  seen_ = run_.state();
  timer_.start();
  Q_EMIT state_changed();
  Q_EMIT shown_changed();
  return true;
}

void RunDesk::pause_or_resume() {
  if (!run_.pause()) run_.resume();
  poll();
}

void RunDesk::stop() {
  stop_asked_ = run_.stop() || stop_asked_;
  poll();
}

void RunDesk::stop_and_keep() {
  stop();
  run_.wait();
  poll();
}

QString RunDesk::state_text() const {
  const RunState now = foreign() && !run_.active() ? RunState::idle : run_.state();
  if (now == RunState::finishing && stop_asked_) return tr("Stopping");
  if (now == RunState::cancelled) return tr("Stopped – partial");
  return QString::fromLatin1(to_text(now));
}

std::shared_ptr<const ResultSet> RunDesk::results() const {
  if (auto final_results = run_.result()) return final_results;
  const auto latest = run_.latest();
  return latest ? std::shared_ptr<const ResultSet>(latest, &latest->results) : nullptr;
}

std::optional<std::size_t> RunDesk::shown_record() const {
  const auto& rows = records_.rows();
  for (std::size_t row = 0; row < rows.size(); ++row)
    if (rows[row].id == shown_id_) return row;
  return std::nullopt;
}

void RunDesk::show(std::optional<std::size_t> record) {
  const auto& rows = records_.rows();
  shows_live_ = !record && live();
  shown_model_ = live_model_;
  if (!shows_live_) {
    const std::size_t row = record.value_or(0);
    shown_id_ = row < rows.size() ? rows[row].id : QString();
    const auto kept = records_.results(row);
    shown_model_ = kept ? kept->provenance.semantic_hash : std::string();
  }
  refresh_stale();
  Q_EMIT shown_changed();
}

void RunDesk::refresh_stale() {
  stale_timer_.stop();
  QElapsedTimer cost;
  cost.start();
  const bool now = !shown_model_.empty() && shown_model_ != semantic_hash(workspace_.document());
  // At once, but for models so large that it would be felt with every key.
  stale_timer_.setInterval(static_cast<int>(std::min<qint64>(1000, 10 * (cost.elapsed() / 10))));
  if (now == stale_) return;
  stale_ = now;
  Q_EMIT stale_changed();
}

std::shared_ptr<const ResultSet> RunDesk::shown() const {
  if (!shows_live()) {
    const auto row = shown_record();
    return row ? records_.results(*row) : nullptr;
  }
  const auto latest = results();
  if (!latest) return nullptr;
  auto with_company = std::make_shared<ResultSet>(*latest);
  with_company->company = run_.company(), with_company->declined = run_.declined();
  return with_company;
}

std::shared_ptr<const ResultSet> RunDesk::shown_for_good() const {
  auto now = shown();
  if (!now || !shows_live() || run_.result()) return now;
  auto so_far = std::make_shared<ResultSet>(*now);
  so_far->status = RunStatus::partial, so_far->stop_reason = "still running when this was written";
  return so_far;
}

quint64 RunDesk::seed_used() const {
  if (const auto done = run_.result()) return done->provenance.seed;
  const auto asked = run_.request().seed;
  if (asked) return *asked;
  const std::string own = workspace_.document().model().text("seed", "1");
  bool digits = false;
  const quint64 seed = QString::fromStdString(own).trimmed().toULongLong(&digits);
  return digits ? seed : static_cast<quint64>(parse_number(own).value_or(1));
}

void RunDesk::poll() {
  const RunState now = run_.state();
  const auto latest = run_.latest();
  const auto first = run_.first();
  const bool fresh =
      latest != last_ || first.has_value() != first_.has_value() || (first && first_ && first->share != first_->share);
  last_ = latest, first_ = first;
  if (fresh) Q_EMIT progressed();
  for (const Diagnostics said = run_.told(); told_ < said.size(); ++told_) Q_EMIT told(said[told_]);
  if (now != seen_) {
    seen_ = now;
    Q_EMIT state_changed();
  }
  if (running_ && !run_.active()) finish();
}

void RunDesk::finish() {
  running_ = false;
  timer_.stop();
  QString problem;
  const auto results = run_.result();
  if (results) {
    // The newest record is the run that was on show, if it was.
    if (shows_live_ && !foreign()) shown_id_ = QString::fromStdString(results->provenance.run_id);
    shows_live_ = false;
    problem = records_.add(*home_, results);
    if (resumed_ && problem.isEmpty() && !home_->gone) {
      settle_resumed(home_->store, *resumed_, *results);
      if (!foreign() && resumed_->run_id != results->provenance.run_id) records_.reload();
    }
    Q_EMIT progressed();
  } else {
    shows_live_ = false;
    problem = QString::fromStdString(run_.failure());
    show(shown_record());
  }
  Q_EMIT ended(results, problem);
}

}  // namespace ergode
