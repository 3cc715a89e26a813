#include "app/gui/status_line.h"

#include <algorithm>
#include <cmath>

#include "app/gui/edit/gestures.h"
#include "app/gui/look/elided_label.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"

namespace ergode {
namespace {

QLabel* part(const char* name, const QString& accessible) {
  auto* label = new QLabel;
  label->setObjectName(QLatin1String(name));
  label->setAccessibleName(accessible);
  return label;
}

QString clock(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(std::min(seconds, 1e15)));
  return QStringLiteral("%1:%2").arg(whole / 60, 2, 10, QLatin1Char('0')).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

}  // namespace

QString short_count(quint64 count) {
  if (count < 10000) return QString::number(count);
  if (count < 1000000) return QStringLiteral("%1k").arg(count / 1000);
  const QString millions = QString::number(static_cast<double>(count) / 1e6, 'f', count % 1000000 == 0 ? 0 : 2);
  return millions + QLatin1Char('M');
}

StatusLine::StatusLine(Workspace& workspace, RunDesk& desk, CanvasView& canvas, QWidget* parent)
    : QStatusBar(parent),
      workspace_(workspace),
      desk_(desk),
      canvas_(canvas),
      state_(part("status.state", tr("State of the run"))),
      selection_(part("status.selection", tr("Selection"))),
      pointer_(part("status.pointer", tr("Pointer"))),
      hint_(new ElidedLabel),
      progress_text_(part("status.progress", tr("Progress"))),
      seed_(part("status.seed", tr("Seed used"))),
      problems_(new QToolButton),
      progress_(new QProgressBar) {
  setObjectName(QStringLiteral("status"));
  setSizeGripEnabled(false);
  problems_->setObjectName(QStringLiteral("status.problems"));
  problems_->setAccessibleName(tr("Problems"));
  problems_->setToolTip(tr("Show the problems"));
  problems_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  progress_->setObjectName(QStringLiteral("status.progress.bar"));
  progress_->setAccessibleName(tr("Progress of the run"));
  progress_->setTextVisible(false);
  progress_->setFixedWidth(120);
  progress_->setRange(0, 1000);
  progress_->hide();
  hint_->setObjectName(QStringLiteral("status.hint"));
  hint_->setAccessibleName(tr("Message"));
  hint_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  seed_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  addWidget(state_);
  addWidget(problems_);
  addWidget(selection_);
  addWidget(hint_, 1);
  addPermanentWidget(progress_);
  addPermanentWidget(progress_text_);
  addPermanentWidget(seed_);
  addPermanentWidget(pointer_);
  hint_timer_.setSingleShot(true);
  hint_timer_.setInterval(8000);
  connect(&hint_timer_, &QTimer::timeout, hint_, &QLabel::clear);
  connect(&workspace_, &Workspace::message, this, [this](const QString& text) {
    hint_->setText(text);
    hint_->setToolTip(text);
    hint_timer_.start();
  });
  connect(&workspace_, &Workspace::look_changed, this, &StatusLine::refresh_run);
  connect(&workspace_, &Workspace::look_changed, this, &StatusLine::refresh_problems);
  connect(&workspace_, &Workspace::selection_changed, this, &StatusLine::refresh_selection);
  connect(&workspace_, &Workspace::changed, this, &StatusLine::refresh_selection);
  connect(&workspace_, &Workspace::problems_changed, this, &StatusLine::refresh_problems);
  connect(&desk_, &RunDesk::state_changed, this, &StatusLine::refresh_run);
  connect(&desk_, &RunDesk::progressed, this, &StatusLine::refresh_run);
  connect(&desk_, &RunDesk::ended, this, &StatusLine::refresh_run);
  connect(&workspace_, &Workspace::replaced, this, &StatusLine::refresh_run);
  connect(&canvas_, &CanvasView::pointed, this,
          [this](QPointF at) { pointer_->setText(tr("x %1  y %2").arg(qRound(at.x())).arg(qRound(at.y()))); });
  refresh_run();
  refresh_selection();
  refresh_problems();
}

void StatusLine::refresh_selection() {
  const auto& ids = workspace_.selection();
  selection_->setText(ids.empty() ? tr("Nothing selected")
                                  : QString::fromStdString(count_text(workspace_.document(), ids)));
}

void StatusLine::refresh_problems() {
  int errors = 0, warnings = 0;
  for (const Diagnostic& problem : workspace_.problems()) {
    errors += problem.severity == Severity::error;
    warnings += problem.severity == Severity::warning;
  }
  const char* name = errors > 0 ? "error" : warnings > 0 ? "warning" : "ok";
  const QColor colour = errors > 0             ? look().error
                        : warnings > 0         ? look().warning
                        : workspace_.checked() ? look().active_border
                                               : look().muted;
  problems_->setIcon(QIcon(icon_pixmap(QLatin1String(name), colour, 16, 2)));
  QStringList words;
  if (errors > 0) words << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
  if (warnings > 0) words << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
  // What has changed since they were found may have made others.
  const QString none = workspace_.checked() ? tr("No problems") : tr("Checking ...");
  problems_->setText(words.isEmpty() ? none : words.join(QStringLiteral(", ")));
}

void StatusLine::forget_failure() {
  failure_seen_ = true;
  refresh_run();
}

void StatusLine::clear_state() {
  state_->setText(QString::fromLatin1(to_text(RunState::idle)));
  state_->setStyleSheet(QStringLiteral("color: %1; font-weight: bold").arg(look().muted.name()));
  progress_->hide();
  progress_text_->clear();
}

void StatusLine::refresh_run() {
  if (desk_.run().active()) failure_seen_ = false;
  const bool active = desk_.run().active();
  const bool foreign = desk_.foreign();
  const bool forgotten = failure_seen_ && desk_.state() == RunState::failed;
  if (forgotten) return clear_state();
  state_->setText(foreign && active ? tr("%1: %2").arg(desk_.model_title(), desk_.state_text()) : desk_.state_text());
  const QColor colour = desk_.state() == RunState::failed ? look().error
                        : desk_.run().active()            ? look().active_border
                                                          : look().muted;
  state_->setStyleSheet(QStringLiteral("color: %1; font-weight: bold").arg(colour.name()));
  const auto snapshot = desk_.snapshot();
  const auto first = active ? desk_.first() : std::nullopt;
  progress_->setVisible(active);
  // A run that ended with another model says nothing about this one.
  const bool nothing = desk_.state() == RunState::idle || (foreign && !active);
  if (nothing) seed_->clear();
  else seed_->setText(tr("seed %1").arg(desk_.seed_used()));
  if (first) {
    progress_->setRange(0, 1000);
    progress_->setValue(qRound(first->share * 1000));
    progress_text_->setText(
        tr("first replication at %1 %  ETA %2").arg(static_cast<int>(first->share * 100)).arg(clock(first->left_s)));
    return;
  }
  if (!snapshot || nothing) {
    progress_text_->clear();
    progress_->setRange(0, active ? 0 : 1000);
    return;
  }
  const double share =
      snapshot->target > 0 ? static_cast<double>(snapshot->done) / static_cast<double>(snapshot->target) : 0;
  progress_->setRange(0, snapshot->target > 0 ? 1000 : 0);
  progress_->setValue(qRound(share * 1000));
  QString text = snapshot->target > 0 ? tr("%1 %  %2 / %3")
                                            .arg(static_cast<int>(share * 100))
                                            .arg(short_count(snapshot->done), short_count(snapshot->target))
                 : snapshot->done > 0 ? short_count(snapshot->done)
                                      : QString();
  if (std::isfinite(snapshot->worst_relative_half_width) && snapshot->worst_relative_half_width > 0) {
    const double percent = snapshot->worst_relative_half_width * 100;
    text += tr("  ±%1 %").arg(percent, 0, 'f', percent >= 10 ? 0 : 2);
  }
  if (active && share > 0 && snapshot->elapsed_s > 0)
    text += tr("  ETA %1").arg(clock(snapshot->elapsed_s * (1 - share) / share));
  progress_text_->setText(text);
}

}  // namespace ergode
