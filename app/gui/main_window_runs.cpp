// Runs: their actions, what is said of their ends, and those that were interrupted.
#include <QActionGroup>
#include <QDateTime>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QStatusBar>
#include <utility>

#include "app/gui/main_window.h"
#include "app/gui/panels/results_panel.h"
#include "app/gui/plots/live_plot.h"
#include "app/gui/run_bar.h"
#include "app/gui/run_options_dialog.h"
#include "app/gui/sweep_dialog.h"
#include "core/base/plural.h"
#include "core/format/hash.h"

namespace ergode {
namespace {

constexpr const char* said_key = "runs/dismissed";  // interrupted runs that nobody wants to hear of again
constexpr int said_limit = 50;
constexpr const char* overload_key = "runs/overloaded";

}  // namespace

void MainWindow::join_run_actions() {
  Actions& a = *actions_;
  connect(a["run.start"], &QAction::triggered, this, [this] {
    start_run(overload_policy(settings_.value(QLatin1String(overload_key)).toString().toStdString()));
  });
  connect(a["run.pause"], &QAction::triggered, this, [this] { desk_->pause_or_resume(); });
  connect(a["run.stop"], &QAction::triggered, this, [this] { desk_->stop(); });
  connect(a["run.resume"], &QAction::triggered, this, [this] {
    if (const auto row = desk_->shown_record()) resume_run(*row);
  });
  a["run.resume"]->setIconText(tr("Resume"));
  connect(a["run.new_seed"], &QAction::triggered, this, [this] { run_bar_->new_seed(); });
  connect(a["run.options"], &QAction::triggered, this, [this] {
    RunOptionsDialog dialog(run_bar_->options(), this);
    if (dialog.exec() == QDialog::Accepted) run_bar_->set_options(dialog.options());
  });
  connect(a["run.sweep"], &QAction::triggered, this, [this] {
    auto* dialog = new SweepDialog(*desk_, run_bar_->request(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->show();
  });
  connect(desk_, &RunDesk::state_changed, this, &MainWindow::refresh_run_actions);
  connect(desk_, &RunDesk::shown_changed, this, &MainWindow::refresh_run_actions);
  connect(desk_, &RunDesk::stale_changed, this, &MainWindow::refresh_run_actions);
  connect(desk_, &RunDesk::starting, interrupted_bar_, &QFrame::hide);
  connect(&desk_->records(), &RunRecords::changed, this, &MainWindow::say_interrupted);
  connect(desk_, &RunDesk::refused, this, [this](const QString& reason, ElementId element) {
    show_banner(tr("%1 was not run. %2").arg(workspace_.file_title(), reason), element);
    banner_of_refusal_ = true;
    workspace_.say(tr("Run refused: %1").arg(reason));
  });
  connect(desk_, &RunDesk::doubted, this, [this](const QString& reason, ElementId element) {
    show_banner(tr("%1 was not run yet. %2").arg(workspace_.file_title(), reason), element);
    banner_of_refusal_ = true;
    run_anyway_->show();
    workspace_.say(tr("Run asked for: %1").arg(reason));
  });
  connect(desk_, &RunDesk::told, this, [this](const Diagnostic& what) {
    const QString text = QString::fromStdString(what.message + (what.hint.empty() ? "" : " " + what.hint));
    show_banner(tr("The run of %1: %2").arg(desk_->model_title(), text), what.element);
    banner_of_wait_ = what.code == "RUN031";
    workspace_.say(QString::fromStdString(what.code + ": " + what.message));
  });
  connect(desk_, &RunDesk::progressed, this, [this] {
    const auto snapshot = desk_->snapshot();
    if (banner_of_wait_ && snapshot && snapshot->done > 0) banner_->hide();
  });
  connect(desk_, &RunDesk::ended, this,
          [this](const std::shared_ptr<const ResultSet>& results, const QString& problem) {
            refresh_run_actions();
            report_end_of_run(results.get(), problem);
            // Values without a curve, as of a closed form, stand in the table alone.
            plot_->refresh();
            if (results != nullptr && plot_->plot().graphCount() == 0) show_dock(QStringLiteral("results"));
            if (std::exchange(quit_after_run_, false)) close();
          });
  connect(&desk_->records(), &RunRecords::problem, this, [this](const QString& why) {
    show_banner(tr("%1 is saved, but its runs could not move along; save again. %2").arg(workspace_.file_title(), why),
                {});
  });
  // What was wrong has been mended, or undone: the refusal is history.
  const auto settle_refusal = [this] {
    const Diagnostics& problems = workspace_.problems();
    if (banner_of_refusal_ && !has_errors(problems) && overloads_among(problems).empty() && !desk_->run().active())
      banner_->hide();
  };
  connect(&workspace_, &Workspace::problems_changed, this, settle_refusal);
  connect(&workspace_, &Workspace::replaced, banner_, &QFrame::hide);
  connect(desk_, &RunDesk::ended, this, settle_refusal);
  connect(actions_, &Actions::reason_gone, this, [this](const QString& why_not) {
    if (statusBar()->currentMessage() == why_not) statusBar()->clearMessage();
  });
  refresh_run_actions();
}

void MainWindow::report_end_of_run(const ResultSet* results, const QString& problem) {
  const QString whose = tr("The run of %1").arg(desk_->model_title());
  if (results == nullptr) {
    show_banner(tr("%1 failed. %2").arg(whose, problem), {});
    return workspace_.say(tr("%1 failed: %2").arg(whose, problem));
  }
  if (!problem.isEmpty())
    show_banner(tr("%1 is done, but its record could not be written where it belongs. %2").arg(whose, problem), {});
  // What the check found stands among the problems; this is known only now.
  QStringList warnings;
  for (const Diagnostic& d : results->diagnostics)
    if (d.severity == Severity::warning && d.code.starts_with("RUN"))
      warnings << QString::fromStdString(d.code + ": " + d.message + (d.hint.empty() ? "" : " " + d.hint));
  for (const QString& warning : warnings) workspace_.say(warning);
  if (problem.isEmpty() && !warnings.isEmpty())
    show_banner(warnings.size() == 1 ? tr("%1 ended. %2").arg(whose, warnings.front())
                                     : tr("%1 ended with %2 warnings, all of them in the log. %3")
                                           .arg(whose)
                                           .arg(warnings.size())
                                           .arg(warnings.front()),
                {});
  workspace_.say(tr("%1 ended: %2, seed %3 (%4)")
                     .arg(whose)
                     .arg(QString::fromStdString(counted(results->replications, "replication")))
                     .arg(results->provenance.seed)
                     .arg(stopped_by(results->stop_reason)));
}

void MainWindow::start_run() { start_run(OverloadPolicy::run); }

void MainWindow::make_overload_menu(QMenu& run) {
  QMenu* menu = run.addMenu(tr("Overloa&ded model"));
  menu->setObjectName(QStringLiteral("menu.overload"));
  menu->setToolTipsVisible(true);
  const std::string now = settings_.value(QLatin1String(overload_key)).toString().toStdString();
  auto* group = new QActionGroup(this);
  for (const OverloadPolicy policy : {OverloadPolicy::ask, OverloadPolicy::run, OverloadPolicy::refuse}) {
    const QString word = QString::fromLatin1(to_text(policy));
    QAction* one = actions_->find(QStringLiteral("run.overload_") + word);
    one->setCheckable(true);
    group->addAction(one);
    one->setChecked(policy == overload_policy(now));
    menu->addAction(one);
    connect(one, &QAction::triggered, this, [this, word] { settings_.setValue(QLatin1String(overload_key), word); });
  }
}

void MainWindow::start_run(OverloadPolicy overload) {
  banner_->hide();
  if (!desk_->start(run_bar_->request(), overload)) return;
  workspace_.say(tr("Run started, seed %1").arg(desk_->seed_used()));
  show_dock(QStringLiteral("plot"));
}

void MainWindow::resume_run(std::size_t record) {
  banner_->hide();
  if (!desk_->resume(record)) return;
  workspace_.say(tr("Run resumed, seed %1").arg(desk_->seed_used()));
  show_dock(QStringLiteral("plot"));
}

void MainWindow::make_interrupted_bar() {
  interrupted_bar_ = new QFrame;
  interrupted_bar_->setObjectName(QStringLiteral("view.interrupted"));
  interrupted_bar_->setProperty("role", "banner");
  interrupted_text_ = new QLabel;
  interrupted_text_->setObjectName(QStringLiteral("label.interrupted"));
  interrupted_text_->setWordWrap(true);
  auto* resume = new QPushButton(tr("Resume"));
  resume->setObjectName(QStringLiteral("action.interrupted.resume"));
  resume->setToolTip((*actions_)["run.resume"]->property("tip").toString());
  connect(resume, &QPushButton::clicked, this, [this] {
    interrupted_bar_->hide();
    const auto& rows = desk_->records().rows();
    for (std::size_t row = 0; row < rows.size(); ++row)
      if (rows[row].id == interrupted_run_) return resume_run(row);
  });
  auto* close = new QPushButton(tr("Dismiss"));
  close->setObjectName(QStringLiteral("action.interrupted.close"));
  close->setToolTip(tr("The run stays in the list of results and can be resumed there"));
  connect(close, &QPushButton::clicked, this, [this] {
    interrupted_bar_->hide();
    QStringList said = settings_.value(QLatin1String(said_key)).toStringList();
    said.prepend(interrupted_run_);
    while (said.size() > said_limit) said.removeLast();
    settings_.setValue(QLatin1String(said_key), said);
  });
  auto* row = new QHBoxLayout(interrupted_bar_);
  row->setContentsMargins(12, 6, 8, 6);
  row->addWidget(interrupted_text_, 1);
  row->addWidget(resume);
  row->addWidget(close);
  interrupted_bar_->hide();
}

void MainWindow::say_interrupted() {
  interrupted_bar_->hide();
  if (desk_->run().active()) return;
  const QStringList said = settings_.value(QLatin1String(said_key)).toStringList();
  const std::string model = semantic_hash(workspace_.document());
  for (const ListedRun& run : desk_->records().rows()) {
    // One of a model that has changed since cannot go on; the list shows it.
    if (!run.interrupted || run.semantic_hash != model || said.contains(run.id)) continue;
    interrupted_run_ = run.id;
    const QDateTime started = QDateTime::fromString(run.started, Qt::ISODate).toLocalTime();
    interrupted_text_->setText(tr("A run of %1 was interrupted: started %2, %3 replications are kept.")
                                   .arg(workspace_.file_title(), QLocale().toString(started, QLocale::ShortFormat))
                                   .arg(run.replications));
    return interrupted_bar_->show();
  }
}

void MainWindow::refresh_run_actions() {
  const Run& run = desk_->run();
  Actions& a = *actions_;
  a.enable("run.start", QString::fromStdString(run.why_not(RunVerb::start)));
  a.enable("run.stop", QString::fromStdString(run.why_not(RunVerb::stop)));
  const bool paused = run.state() == RunState::paused;
  a.enable("run.pause", QString::fromStdString(run.why_not(paused ? RunVerb::resume : RunVerb::pause)));
  a.enable("run.resume", desk_->why_not_resume());
  a["run.pause"]->setText(paused ? tr("&Resume") : tr("&Pause"));
}

}  // namespace ergode
