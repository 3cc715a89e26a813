#include "app/gui/panels/problems_panel.h"

#include <QHeaderView>
#include <QMenu>
#include <QShortcut>
#include <QToolButton>
#include <algorithm>

#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"

namespace ergode {
namespace {

/// Of the width: a fix that is longer is read in its tip.
constexpr double share_of_fix = 0.28, share_of_place = 0.2;
constexpr int narrowest_fix = 120;
constexpr const char* whole_text = "whole_text";  ///< property of a button that may be cut
constexpr int row_height = 26, room_beside_text = 12, most_lines_of_problem = 3;

QString word(Severity severity) {
  if (severity == Severity::error) return QObject::tr("Error");
  return severity == Severity::warning ? QObject::tr("Warning") : QObject::tr("Info");
}

}  // namespace

ProblemsPanel::ProblemsPanel(Workspace& workspace, QWidget* parent) : QTreeWidget(parent), workspace_(workspace) {
  setObjectName(QStringLiteral("panel.problems"));
  setAccessibleName(tr("Problems"));
  setFrameShape(QFrame::NoFrame);
  setRootIsDecorated(false);
  setWordWrap(true);
  setColumnCount(5);
  setHeaderLabels({tr("Severity"), tr("Code"), tr("Problem"), tr("Place"), tr("Fix")});
  header()->setStretchLastSection(false);
  header()->setSectionResizeMode(2, QHeaderView::Stretch);
  header()->resizeSection(0, 96);
  header()->resizeSection(1, 76);
  header()->setMinimumSectionSize(40);
  auto* shortcut = new QShortcut(QKeySequence(Qt::CTRL | Qt::Key_Period), this, this, &ProblemsPanel::offer_fixes);
  shortcut->setContext(Qt::WidgetShortcut);
  connect(this, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* row) { go(row); });
  connect(this, &QTreeWidget::currentItemChanged, this, &ProblemsPanel::fit_rows);
  connect(&workspace_, &Workspace::look_changed, this, &ProblemsPanel::rebuild);
  connect(&workspace_, &Workspace::problems_changed, this, &ProblemsPanel::rebuild);
}

void ProblemsPanel::rebuild() {
  clear();
  errors_ = warnings_ = 0;
  for (const Diagnostic& problem : workspace_.problems()) {
    errors_ += problem.severity == Severity::error;
    warnings_ += problem.severity == Severity::warning;
    const QColor colour = problem.severity == Severity::error     ? look().error
                          : problem.severity == Severity::warning ? look().warning
                                                                  : look().info;
    auto* row = new QTreeWidgetItem(this);
    row->setText(0, word(problem.severity));
    row->setIcon(0, QIcon(icon_pixmap(QString::fromLatin1(to_text(problem.severity)), colour, 16, 2)));
    row->setForeground(0, colour);
    row->setText(1, QString::fromStdString(problem.code));
    row->setForeground(1, look().muted);
    QString sentence = QString::fromStdString(problem.message);
    if (!problem.hint.empty()) sentence += QStringLiteral("  ") + QString::fromStdString(problem.hint);
    row->setText(2, sentence);
    QString place = QString::fromStdString(workspace_.document().path(problem.element));
    if (!problem.pointer.empty()) place += QStringLiteral(" · ") + QString::fromStdString(problem.pointer);
    if (problem.column > 0) place += tr(", column %1").arg(problem.column);
    row->setText(3, place);
    row->setForeground(3, look().muted);
    for (int column = 0; column < 4; ++column) row->setToolTip(column, sentence);
    if (!problem.fixes.empty()) add_fixes(row, problem);
    row->setData(0, Qt::UserRole, QVariant::fromValue<qulonglong>(problem.element.bits()));
  }
  fit_columns();
  if (workspace_.problems().empty()) {
    auto* row = new QTreeWidgetItem(this);
    row->setText(2, workspace_.checked() ? tr("No problems") : tr("Checking ..."));
    row->setForeground(2, look().muted);
    row->setFlags(Qt::ItemIsEnabled);
  }
}

/// The sentence gets what place and fix leave, and these no more than they need, nor than their share.
void ProblemsPanel::fit_columns() {
  int fix = 40, place = 80;
  for (int i = 0; i < topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = topLevelItem(i);
    if (auto* button = qobject_cast<QToolButton*>(itemWidget(row, 4))) {
      button->ensurePolished();  // The style has its part in the size.
      const QString text = button->property(whole_text).toString();
      const int most = std::max(narrowest_fix, static_cast<int>(viewport()->width() * share_of_fix));
      const int around = button->sizeHint().width() - button->fontMetrics().horizontalAdvance(button->text());
      button->setText(button->fontMetrics().elidedText(text, Qt::ElideRight, most - around));
      fix = std::max(fix, button->sizeHint().width() + 8);
    }
    place = std::max(place, fontMetrics().horizontalAdvance(row->text(3)) + 16);
  }
  header()->resizeSection(4, fix);
  header()->resizeSection(3, std::min(place, std::max(80, static_cast<int>(viewport()->width() * share_of_place))));
  fit_rows();
}

/// A sentence that is longer than its column goes on below, since nobody finds what only a tip says: some lines of it,
/// so that other problems stay in sight, and all of the one that is chosen.
void ProblemsPanel::fit_rows() {
  const int around = row_height - fontMetrics().lineSpacing();
  const QRect column(0, 0, header()->sectionSize(2) - room_beside_text, QWIDGETSIZE_MAX);
  for (int i = 0; i < topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = topLevelItem(i);
    const int text = fontMetrics().boundingRect(column, Qt::TextWordWrap, row->text(2)).height();
    const int most = row == currentItem() ? text : most_lines_of_problem * fontMetrics().lineSpacing();
    row->setSizeHint(0, QSize(0, std::max(row_height, std::min(text, most) + around)));
  }
  // A tree moves rows whose heights have changed, but not the buttons in them.
  updateEditorGeometries();
}

void ProblemsPanel::resizeEvent(QResizeEvent* event) {
  QTreeWidget::resizeEvent(event);
  fit_columns();
}

void ProblemsPanel::add_fixes(QTreeWidgetItem* row, const Diagnostic& problem) {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("button.problem.fix"));
  button->setAutoRaise(true);
  // As high as the row, and an arrow only where there is something to choose.
  button->setStyleSheet(
      problem.fixes.size() == 1
          ? QStringLiteral("QToolButton { padding: 0 4px; } QToolButton::menu-indicator { image: none; }")
          : QStringLiteral("QToolButton { padding: 0 16px 0 4px; }"));
  button->setFocusPolicy(Qt::NoFocus);  // Ctrl+. does the same from the row
  const QString first = QString::fromStdString(problem.fixes.front().label);
  const QString text = problem.fixes.size() == 1 ? first : tr("%1 ways to mend it").arg(problem.fixes.size());
  button->setProperty(whole_text, text);
  button->setText(text);
  button->setAccessibleName(tr("Fix: %1").arg(text));
  auto* menu = new QMenu(button);
  for (const QuickFix& fix : problem.fixes)
    connect(menu->addAction(QString::fromStdString(fix.label)), &QAction::triggered, this, [this, fix] { mend(fix); });
  if (problem.fixes.size() == 1) {
    button->setToolTip(first);
    connect(button, &QToolButton::clicked, menu->actions().front(), &QAction::trigger);
  } else {
    button->setPopupMode(QToolButton::InstantPopup);
  }
  button->setMenu(menu);
  setItemWidget(row, 4, button);
}

void ProblemsPanel::mend(const QuickFix& fix) {
  // A step made for an older state would put back what was edited since.
  if (!workspace_.checked()) return workspace_.say(tr("The model has changed: it is being checked again."));
  const QuickFix kept = fix;  // the push rebuilds this panel, and with it whoever holds the fix
  if (!workspace_.mend(kept)) Q_EMIT mended();
}

void ProblemsPanel::offer_fixes() {
  auto* button = currentItem() == nullptr ? nullptr : qobject_cast<QToolButton*>(itemWidget(currentItem(), 4));
  if (button == nullptr) return workspace_.say(tr("There is no ready-made step that mends this problem."));
  button->menu()->popup(button->mapToGlobal(QPoint(0, button->height())));
}

void ProblemsPanel::go(const QTreeWidgetItem* row) {
  const ElementId id(row->data(0, Qt::UserRole).toULongLong());
  if (id) workspace_.reveal(id);
}

void ProblemsPanel::step(int by) {
  const int rows = topLevelItemCount();
  if (workspace_.problems().empty() || rows == 0) return;
  const int at = currentItem() != nullptr ? indexOfTopLevelItem(currentItem()) : (by > 0 ? -1 : rows);
  setCurrentItem(topLevelItem((at + by + rows) % rows));
  go(currentItem());
}

}  // namespace ergode
