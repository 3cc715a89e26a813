#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QFileInfo>
#include <QMessageBox>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>
#include <utility>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/help_window.h"
#include "app/gui/main_window.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/panels/problems_panel.h"
#include "app/gui/panels/tables.h"
#include "app/gui/start_page.h"
#include "app/session/gallery.h"
#include "app/session/manual.h"

namespace ergode {

void MainWindow::make_start_page() {
  start_page_ = new StartPage;
  centre_ = new QStackedWidget;
  centre_->setObjectName(QStringLiteral("view.stack"));
  centre_->addWidget(canvas_);
  centre_->addWidget(start_page_);
  connect(&workspace_, &Workspace::replaced, this, &MainWindow::leave_start_page);
  connect(&workspace_, &Workspace::changed, this, &MainWindow::leave_start_page);
  connect(&workspace_, &Workspace::diagram_shown, this, &MainWindow::leave_start_page);
  connect(canvas_, &CanvasView::tool_changed, this, &MainWindow::leave_start_page);
  connect(start_page_, &StartPage::model_wanted, this, &MainWindow::open_copy);
  connect(start_page_, &StartPage::empty_wanted, this, [this](const QString& diagram_kind) {
    if (may_leave()) workspace_.start_new(diagram_kind);
  });
  connect(start_page_, &StartPage::file_wanted, this, [this](const QString& path) {
    if (may_leave()) open(path);
  });
  connect(start_page_, &StartPage::open_wanted, this, [this] { (*actions_)["file.open"]->trigger(); });
  connect(start_page_, &StartPage::help_wanted, this, [this] { help().show_page(QStringLiteral("1_start")); });
}

void MainWindow::show_start_page() {
  if (!docks_before_.isEmpty()) return;
  // Panels about a model that nobody has chosen yet would only be in the way.
  docks_before_ = saveState(1);
  for (QDockWidget* dock : docks_) dock->hide();
  head_->hide();
  statusBar()->hide();
  centre_->setCurrentWidget(start_page_);
}

void MainWindow::leave_start_page() {
  if (docks_before_.isEmpty()) return;
  restoreState(std::exchange(docks_before_, {}), 1);
  head_->show();
  statusBar()->show();
  centre_->setCurrentWidget(canvas_);
  canvas_->setFocus(Qt::OtherFocusReason);
  canvas_->fit();
}

void MainWindow::open_copy(const GalleryModel& model) {
  if (!may_leave()) return;
  QString folder;
  if (!model.data.empty()) {
    folder = QFileInfo(settings_.fileName())
                 .absoluteDir()
                 .filePath(QStringLiteral("gallery/") + QString::fromStdString(model.name));
    QDir(folder).removeRecursively();  // that of another version
    if (const auto problem = write_gallery_data(model, folder.toStdString()))
      workspace_.say(QString::fromStdString(problem->message));
  }
  workspace_.adopt_copy(model.document, folder);
  workspace_.say(tr("A copy of %1; it is in no file yet").arg(QString::fromStdString(model.title)));
}

HelpWindow& MainWindow::help() {
  if (help_ == nullptr) help_ = new HelpWindow(this);
  return *help_;
}

void MainWindow::show_help() {
  if (centre_->currentWidget() == start_page_) return help().show_page(QStringLiteral("1_start"));
  const QWidget* focus = QApplication::focusWidget();
  const auto in = [focus](const QWidget* panel) {
    return focus != nullptr && panel != nullptr && (panel == focus || panel->isAncestorOf(focus));
  };
  if (in(problems_)) return help().show_page(QStringLiteral("problems"));
  for (const char* panel : {"dock.plot", "dock.results", "dock.step"})
    if (in(findChild<QWidget*>(QLatin1String(panel)))) return help().show_page(QStringLiteral("7_runs_and_results"));
  const Element* element = workspace_.selection().empty() ? nullptr : workspace_.find(workspace_.selection().front());
  QString word;
  if (in(inspector_))
    for (const QWidget* at = focus; at != nullptr && at != inspector_; at = at->parentWidget())
      if (const auto* field = qobject_cast<const PropertyField*>(at))
        word = QString::fromStdString(field->spec().label);
  if (element == nullptr && word.isEmpty()) {
    const NotationSpec* notation = workspace_.notation();
    std::string page = "2_drawing";
    if (notation != nullptr && !notation->kinds.empty()) page = help_of(notation, notation->kinds.front())->name;
    if (notation != nullptr && !notation->diagrams.empty() && !notation->diagrams.front().help_page.empty())
      page = notation->diagrams.front().help_page;
    return help().show_page(QString::fromStdString(page));
  }
  if (element == nullptr) element = &workspace_.document().model();
  help().show_page(QString::fromStdString(help_for(workspace_.document(), *element).name), word);
}

void MainWindow::join_help_actions() {
  Actions& a = *actions_;
  const auto on = [this, &a](const char* name, auto what) { connect(a[name], &QAction::triggered, this, what); };
  on("help.start", [this] { show_start_page(); });
  on("help.topic", [this] { show_help(); });
  on("help.contents", [this] { help().show_page(QStringLiteral("1_start")); });
  on("help.about", [this] {
    QMessageBox::about(this, tr("About Ergode"),
                       tr("<b>Ergode Workbench %1</b><br>Draw stochastic models and run them.<br><br>Qt %2 · "
                          "QCustomPlot · Boost.Statechart<br>"
                          "The desktop program is distributed under the GNU GPL, version 3; the libraries and the "
                          "command line under Apache 2.0.")
                           .arg(QStringLiteral(ERGODE_VERSION), QString::fromLatin1(qVersion())));
  });
  on("help.shortcuts", [this] {
    QDialog dialog(this);
    dialog.setObjectName(QStringLiteral("dialog.keys"));
    dialog.setWindowTitle(tr("Keys"));
    dialog.resize(460, 560);
    auto* table = plain_table("table.keys");
    set_headings(table, {tr("Keys"), tr("Action")});
    const auto add = [table](const QString& keys, const QString& text) {
      table->insertRow(table->rowCount());
      set_cells(table, table->rowCount() - 1, {keys, text});
    };
    if (const NotationSpec* notation = workspace_.notation())
      for (const KindSpec& kind : notation->kinds)
        if (!kind.shortcut.empty())
          add(QString::fromStdString(kind.shortcut), tr("Place: %1").arg(QString::fromStdString(kind.label)));
    for (const QAction* action : actions_->all())
      if (!action->shortcut().isEmpty()) add(action->shortcut().toString(QKeySequence::NativeText), action->iconText());
    auto* rows = new QVBoxLayout(&dialog);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addWidget(table);
    dialog.exec();
  });
}

}  // namespace ergode
