// What is done to an element from where it is listed: the tab of a diagram, a row of the outline.
#include <QMenu>
#include <QTabBar>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/edit/gestures.h"
#include "app/gui/look/icons.h"
#include "app/gui/main_window.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/panels/outline_panel.h"
#include "app/session/catalogue.h"

namespace ergode {

void MainWindow::join_element_menus() {
  diagrams_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(diagrams_, &QTabBar::customContextMenuRequested, this, [this](const QPoint& at) {
    const int tab = diagrams_->tabAt(at);
    if (tab >= 0) show_menu_of(ElementId(diagrams_->tabData(tab).toULongLong()), diagrams_->mapToGlobal(at));
  });
  connect(outline_, &OutlinePanel::menu_wanted, this, &MainWindow::show_menu_of);
  connect(outline_, &OutlinePanel::rename_wanted, this, &MainWindow::rename_element);
  connect(outline_, &OutlinePanel::delete_wanted, this, &MainWindow::delete_element);
}

void MainWindow::rename_element(ElementId id) {
  const Element* element = workspace_.find(id);
  if (element == nullptr) return;
  if (!element->is_node() && !element->is_edge()) return name_diagram(id);  // a name in the inspector, whatever has it
  workspace_.reveal(id);
  canvas_->edit_label(id);
}

void MainWindow::delete_element(ElementId id) {
  if (workspace_.find(id) == nullptr) return;
  const QString what = QString::fromStdString(count_text(workspace_.document(), {id}));
  workspace_.push(remove_elements(workspace_.document(), {id}));
  workspace_.say(tr("Deleted %1; Undo (Ctrl+Z) brings it back").arg(what));
}

void MainWindow::show_menu_of(ElementId id, const QPoint& at) {
  const Element* element = workspace_.find(id);
  if (element == nullptr) return;
  auto* menu = new QMenu(this);
  menu->setObjectName(QStringLiteral("menu.element"));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const auto add = [&](const char* name, const char* icon_name, const QString& text, auto what) {
    QAction* action = menu->addAction(icon(QLatin1String(icon_name)), text, this, what);
    action->setObjectName(QStringLiteral("action.element.") + QLatin1String(name));
  };
  add("rename", "label", tr("Rename"), [this, id] { rename_element(id); });
  add("properties", "parameter", tr("Properties"), [this, id] {
    workspace_.select({id});
    show_dock(QStringLiteral("inspector"));
    inspector_->focus_first();
  });
  add("delete", "delete", tr("Delete"), [this, id] { delete_element(id); });
  if (element->section == Section::diagram) {
    menu->addSeparator();
    for (const QString& name : diagram_actions(catalogue())) menu->addAction(actions_->find(name));
  }
  menu->popup(at);
}

}  // namespace ergode
