#include "app/gui/run_desk.h"

#include <QFileInfo>

#include "app/session/check.h"
#include "core/base/text.h"
#include "solvers/registry.h"

namespace ergode {

RunDesk::RunDesk(Workspace& workspace, QObject* parent) : QObject(parent), workspace_(workspace), records_(workspace) {
  for (const auto& solver : ergode::solvers()) solvers_.push_back(solver.get());
  timer_.setInterval(80);
  connect(&timer_, &QTimer::timeout, this, &RunDesk::poll);
  connect(&workspace_, &Workspace::changed, this, [this] { stale_ = true; });
  connect(&workspace_, &Workspace::replaced, this, [this] { stale_ = true; });
}

bool RunDesk::start(RunRequest request) {
  if (!run_.enabled(RunVerb::start)) {
    Q_EMIT refused(QString::fromStdString(run_.why_not(RunVerb::start)), {});
    return false;
  }
  for (const Diagnostic& problem : check_model(workspace_.document(), request)) {
    if (problem.severity != Severity::error) continue;
    Q_EMIT refused(tr("%1: %2").arg(QString::fromStdString(problem.code), QString::fromStdString(problem.message)),
                   problem.element);
    return false;
  }
  Run::Order order;
  for (const Solver* solver : solvers_) {
    if (solver->spec().name == request.solver) order.solver = solver;
    else if (solver->spec().exact) order.company.push_back(solver);
  }
  if (order.solver == nullptr) {
    Q_EMIT refused(tr("There is no solver named %1.").arg(QString::fromStdString(request.solver)), {});
    return false;
  }
  order.document = workspace_.document();
  const QFileInfo file(workspace_.path());
  request.model_path = workspace_.path().toStdString();
  request.folder = workspace_.path().isEmpty() ? std::string() : file.absolutePath().toStdString();
  order.request = std::move(request);
  stop_asked_ = stale_ = false;
  last_.reset();
  if (!run_.start(std::move(order))) return false;
  running_ = true;
  seen_ = run_.state();
  timer_.start();
  Q_EMIT state_changed();
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

QString RunDesk::state_text() const {
  const RunState now = run_.state();
  if (now == RunState::finishing && stop_asked_) return tr("Stopping");
  if (now == RunState::cancelled) return tr("Stopped – partial");
  return QString::fromLatin1(to_text(now));
}

std::shared_ptr<const ResultSet> RunDesk::results() const {
  if (auto final_results = run_.result()) return final_results;
  const auto latest = run_.latest();
  return latest ? std::shared_ptr<const ResultSet>(latest, &latest->results) : nullptr;
}

quint64 RunDesk::seed_used() const {
  if (const auto done = run_.result()) return done->provenance.seed;
  const auto asked = run_.request().seed;
  if (asked) return *asked;
  return static_cast<quint64>(parse_number(workspace_.document().model().text("seed", "1")).value_or(1));
}

void RunDesk::poll() {
  const RunState now = run_.state();
  const auto latest = run_.latest();
  const bool fresh = latest != last_;
  last_ = latest;
  if (fresh) Q_EMIT progressed();
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
    problem = records_.add(results, run_.company(), run_.declined());
    Q_EMIT progressed();
  } else {
    problem = QString::fromStdString(run_.failure());
  }
  Q_EMIT ended(results, problem);
}

}  // namespace ergode
