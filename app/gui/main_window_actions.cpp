#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QStatusBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/desk/exports.h"
#include "app/gui/edit/clipboard.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/look.h"
#include "app/gui/main_window.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/panels/problems_panel.h"
#include "app/gui/panels/results_panel.h"
#include "app/gui/panels/tables.h"
#include "app/gui/run_bar.h"
#include "app/session/catalogue.h"
#include "app/session/import.h"
#include "core/drawing/diagram_picture.h"
#include "core/drawing/svg.h"

namespace ergode {

void MainWindow::join_edit_actions() {
  Actions& a = *actions_;
  const auto on = [this, &a](const char* name, auto what) { connect(a[name], &QAction::triggered, this, what); };
  on("file.new", [this] {
    if (may_leave()) workspace_.start_new();
  });
  on("file.open", [this] {
    if (!may_leave()) return;
    const QString path = QFileDialog::getOpenFileName(this, tr("Open model"), QFileInfo(workspace_.path()).path(),
                                                      tr("Ergode models (*.ergode);;All files (*)"));
    if (!path.isEmpty()) open(path);
  });
  on("file.import", [this] {
    if (!may_leave()) return;
    QStringList patterns;
    for (const std::string& extension : imported_extensions())
      patterns << QStringLiteral("*") + QString::fromStdString(extension);
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Import"), QFileInfo(workspace_.path()).path(),
        tr("Statecharts, fault trees, PRISM programs, JMT networks and Petri nets (%1)").arg(patterns.join(' ')));
    if (!path.isEmpty()) import(path);
  });
  on("file.save", [this] { save(); });
  on("file.save_as", [this] { save_as(); });
  on("file.export_diagram", [this] {
    const QString path = ask_where_to_write(this, tr("Export diagram"), QStringLiteral("diagram.svg"),
                                            tr("SVG (*.svg);;PDF (*.pdf);;PNG (*.png)"));
    if (path.isEmpty()) return;
    const QString why = export_diagram(path);
    if (!why.isEmpty()) show_banner(why, {});
  });
  on("file.export_report", [this] {
    const QString path =
        ask_where_to_write(this, tr("Export report"), QStringLiteral("report.html"), tr("HTML (*.html)"));
    if (path.isEmpty()) return;
    const QString why = export_report(path);
    if (!why.isEmpty()) show_banner(why, {});
  });
  on("file.export_run", [this] {
    const QString path =
        ask_where_to_write(this, tr("Export run"), QStringLiteral("run.csv"), tr("CSV (*.csv);;JSON (*.json)"));
    if (path.isEmpty()) return;
    const QString why = export_run(path);
    if (!why.isEmpty()) show_banner(why, {});
  });
  on("file.quit", [this] { close(); });
  on("edit.undo", [this] { workspace_.undo(); });
  on("edit.redo", [this] { workspace_.redo(); });
  const auto copy = [this] {
    const std::string text = copy_elements(workspace_.document(), workspace_.selection());
    if (text.empty()) return;
    auto* mime = new QMimeData;
    mime->setData(QLatin1String(elements_mime), QByteArray::fromStdString(text));
    mime->setText(QString::fromStdString(text));
    mime->setData(QStringLiteral("image/svg+xml"),
                  QByteArray::fromStdString(
                      to_svg(draw_diagram(workspace_.document(), workspace_.diagram(), catalogue()), Theme::print())));
    mime->setData(QStringLiteral("image/png"), png_of_diagram(2.0));
    QApplication::clipboard()->setMimeData(mime);
    paste_count_ = 0;
  };
  on("edit.copy", copy);
  on("edit.cut", [this, copy] {
    copy();
    workspace_.push(remove_elements(workspace_.document(), workspace_.selection(), "Cut"));
  });
  on("edit.paste", [this] { paste(false); });
  on("edit.duplicate", [this] { paste(true); });
  on("edit.delete", [this] { workspace_.push(remove_elements(workspace_.document(), workspace_.selection())); });
  on("edit.select_all", [this] {
    std::vector<ElementId> all;
    for (const Element* node : workspace_.document().nodes(workspace_.diagram())) all.push_back(node->id);
    for (const Element* edge : workspace_.document().edges(workspace_.diagram())) all.push_back(edge->id);
    workspace_.select(all);
  });
  on("edit.rename", [this] {
    if (workspace_.selection().size() == 1) canvas_->edit_label(workspace_.selection().front());
  });
  on("edit.find", [this] { find_element(); });
  on("edit.properties", [this] {
    show_dock(QStringLiteral("inspector"));
    inspector_->focus_first();
  });
  // These keys mean something else while a table or field has the focus.
  for (const char* name : {"edit.cut", "edit.copy", "edit.paste", "edit.duplicate", "edit.delete", "edit.select_all"}) {
    a[name]->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    canvas_->addAction(a[name]);
  }
  const std::pair<const char*, Alignment> alignments[] = {
      {"arrange.left", Alignment::left}, {"arrange.centre", Alignment::centre}, {"arrange.right", Alignment::right},
      {"arrange.top", Alignment::top},   {"arrange.middle", Alignment::middle}, {"arrange.bottom", Alignment::bottom}};
  for (const auto& [name, how] : alignments)
    on(name, [this, how = how] { workspace_.push(align(workspace_.document(), workspace_.selection(), how)); });
  on("arrange.distribute_h",
     [this] { workspace_.push(distribute(workspace_.document(), workspace_.selection(), true)); });
  on("arrange.distribute_v",
     [this] { workspace_.push(distribute(workspace_.document(), workspace_.selection(), false)); });
  on("arrange.reset_route", [this] {
    Edit edit(workspace_.document(), "Reset route");
    for (const ElementId id : workspace_.selection())
      if (const Element* edge = workspace_.find(id); edge != nullptr && edge->is_edge()) edit.set_layout(id, {});
    workspace_.push(edit.finish());
  });
  for (const QString& name : diagram_actions(catalogue()))
    connect(a.find(name), &QAction::triggered, this, [this, name] {
      ElementId made;
      const auto [notation, kind] = catalogue().diagram_kind(name.mid(diagram_action_prefix.size()).toStdString());
      workspace_.push(add_diagram(workspace_.document(), *notation, *kind, made));
      workspace_.show_diagram(made);
      name_diagram(made, true);
    });
  connect(canvas_, &CanvasView::menu_wanted, this, [this](const QPoint& at) {
    QMenu menu;
    for (const char* name : {"edit.rename", "edit.properties", "", "edit.cut", "edit.copy", "edit.paste",
                             "edit.duplicate", "edit.delete", "", "arrange.reset_route", "view.zoom_fit"}) {
      if (*name == '\0') menu.addSeparator();
      else menu.addAction((*actions_)[name]);
    }
    menu.exec(at);
  });
}

void MainWindow::paste(bool beside) {
  const NotationSpec* notation = workspace_.notation();
  if (notation == nullptr) return;
  std::string text;
  ElementId parent;
  if (beside) {
    text = copy_elements(workspace_.document(), workspace_.selection());
    if (!workspace_.selection().empty()) parent = workspace_.find(workspace_.selection().front())->parent;
  } else {
    const QMimeData* mime = QApplication::clipboard()->mimeData();
    const bool own = mime != nullptr && mime->hasFormat(QLatin1String(elements_mime));
    text =
        own ? mime->data(QLatin1String(elements_mime)).toStdString() : QApplication::clipboard()->text().toStdString();
    if (workspace_.selection().size() == 1) {
      const Element* only = workspace_.find(workspace_.selection().front());
      const KindSpec* kind = workspace_.kind_of(*only);
      if (kind != nullptr && kind->container && paste_count_ == 0) parent = only->id;
      else if (only->is_node()) parent = only->parent;
    }
  }
  const double shift = beside ? 30 : 30 * ++paste_count_;
  std::vector<ElementId> made;
  auto command = paste_elements(workspace_.document(), *notation, workspace_.diagram(), parent, text, {shift, shift},
                                beside ? "Duplicate" : "Paste", made);
  if (!command) return workspace_.say(tr("There is nothing to paste that fits this diagram"));
  workspace_.push(std::move(*command));
  workspace_.select(made);
}

void MainWindow::find_element() {
  bool ok = false;
  const QString wanted =
      QInputDialog::getText(this, tr("Find"), tr("Name, expression or id:"), QLineEdit::Normal, {}, &ok);
  if (!ok || wanted.isEmpty()) return;
  const auto& elements = workspace_.document().elements();
  std::size_t start = 0;
  if (!workspace_.selection().empty()) start = workspace_.document().index_of(workspace_.selection().front()) + 1;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Element& element = elements[(start + i) % elements.size()];
    const QString text = QString::fromStdString(element.properties.dump() + element.id.text());
    if (element.section == Section::diagram || !text.contains(wanted, Qt::CaseInsensitive)) continue;
    return workspace_.reveal(element.id);
  }
  workspace_.say(tr("Nothing contains \"%1\"").arg(wanted));
}

void MainWindow::join_view_actions() {
  Actions& a = *actions_;
  const auto on = [this, &a](const char* name, auto what) { connect(a[name], &QAction::triggered, this, what); };
  on("view.zoom_in", [this] { canvas_->set_zoom(canvas_->zoom() * 1.25); });
  on("view.zoom_out", [this] { canvas_->set_zoom(canvas_->zoom() / 1.25); });
  on("view.zoom_100", [this] { canvas_->set_zoom(1); });
  on("view.zoom_fit", [this] { canvas_->fit(); });
  on("view.zoom_selection", [this] { canvas_->fit_selection(); });
  on("view.theme_light", [this] { set_theme(QStringLiteral("light")); });
  on("view.theme_dark", [this] { set_theme(QStringLiteral("dark")); });
  on("view.reset_layout", [this] { default_layout(); });
  on("view.full_screen", [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
  on("view.hide_panels", [this] {
    bool any = false;
    for (QDockWidget* dock : docks_) any = any || dock->isVisible();
    for (QDockWidget* dock : docks_) dock->setVisible(!any);
    if (!any) default_layout();
  });
  for (const int step : {1, -1})
    on(step > 0 ? "diagram.next" : "diagram.previous", [this, step] {
      const int tabs = diagrams_->count();
      if (tabs > 1) diagrams_->setCurrentIndex((diagrams_->currentIndex() + step + tabs) % tabs);
      canvas_->setFocus(Qt::OtherFocusReason);
    });
  on("tool.select", [this] { canvas_->use_select_tool(); });
  on("tool.connect", [this] {
    canvas_->connect_with_keys();
    canvas_->setFocus(Qt::OtherFocusReason);
  });
  on("model.settings", [this] {
    workspace_.select({});
    show_dock(QStringLiteral("inspector"));
  });
  const auto add = [this](const char* button) {
    (*actions_)["model.settings"]->trigger();
    if (auto* found = findChild<QToolButton*>(QLatin1String(button))) found->click();
  };
  on("model.add_parameter", [add] { add("action.parameter.add"); });
  on("model.add_measure", [add] { add("action.measure.add"); });
  on("problem.next", [this] {
    show_dock(QStringLiteral("problems"));
    problems_->step(1);
  });
  on("problem.previous", [this] {
    show_dock(QStringLiteral("problems"));
    problems_->step(-1);
  });
}

void MainWindow::set_theme(const QString& name) {
  use_theme(*qApp, name);
  Q_EMIT workspace_.look_changed();
  settings_.setValue(QStringLiteral("look/theme"), name);
}

void MainWindow::refresh_actions() {
  Actions& a = *actions_;
  const CommandStack& history = workspace_.history();
  a.enable("edit.undo", history.can_undo() ? QString() : tr("There is nothing to undo."));
  a.enable("edit.redo", history.can_redo() ? QString() : tr("There is nothing to redo."));
  a["edit.undo"]->setText(history.can_undo() ? tr("&Undo %1").arg(QString::fromStdString(history.undo_text()))
                                             : tr("&Undo"));
  a["edit.redo"]->setText(history.can_redo() ? tr("&Redo %1").arg(QString::fromStdString(history.redo_text()))
                                             : tr("&Redo"));
  std::size_t nodes = 0, edges = 0;
  for (const ElementId id : workspace_.selection()) {
    const Element* element = workspace_.find(id);
    nodes += element != nullptr && element->is_node();
    edges += element != nullptr && element->is_edge();
  }
  const QString none = tr("Nothing is selected.");
  const bool any = !workspace_.selection().empty();
  a.enable("edit.delete", any ? QString() : none);
  a.enable("edit.properties", any ? QString() : none);
  for (const char* name : {"edit.cut", "edit.copy", "edit.duplicate"})
    a.enable(name, nodes > 0 ? QString() : tr("No element is selected."));
  a.enable("edit.rename", workspace_.selection().size() == 1 ? QString() : tr("Select one element."));
  a.enable("arrange.reset_route", edges > 0 ? QString() : tr("No edge is selected."));
  for (const char* name :
       {"arrange.left", "arrange.centre", "arrange.right", "arrange.top", "arrange.middle", "arrange.bottom"})
    a.enable(name, nodes > 1 ? QString() : tr("Select two or more elements."));
  for (const char* name : {"arrange.distribute_h", "arrange.distribute_v"})
    a.enable(name, nodes > 2 ? QString() : tr("Select three or more elements."));
}

}  // namespace ergode
