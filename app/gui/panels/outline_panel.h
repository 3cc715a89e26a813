#pragma once
#include <QHash>
#include <QTreeWidget>
#include <set>
#include <unordered_map>

#include "app/gui/desk/workspace.h"

namespace ergode {

/// The model as a tree: diagrams with their elements, parameters, measures, scenarios. The second way to everything on
/// the canvas, for the keyboard and for assistive tools.
class OutlinePanel : public QTreeWidget {
  Q_OBJECT
 public:
  explicit OutlinePanel(Workspace& workspace, QWidget* parent = nullptr);

  /// States that a stepped history is in are set in bold and say "active".
  void show_active(const std::set<ElementId>& active);

 Q_SIGNALS:
  void menu_wanted(ergode::ElementId id, const QPoint& at);  ///< on the screen
  void rename_wanted(ergode::ElementId id);
  void delete_wanted(ergode::ElementId id);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void rebuild_soon();  ///< Many changes in a row rebuild the tree once.
  void rebuild();
  void follow_selection();
  void mark_problems();
  void mark_active();
  std::set<ElementId> active_;
  QTreeWidgetItem* add(QTreeWidgetItem* parent, const Element& element);
  void add_children(QTreeWidgetItem* row, ElementId diagram, ElementId parent);
  static QString key_of(const QTreeWidgetItem& row);
  /// Expands the row, or not, as the user left it.
  void open(QTreeWidgetItem* row, bool usually);

  Workspace& workspace_;
  std::unordered_map<ElementId, QTreeWidgetItem*> rows_;
  QHash<QString, bool> opened_;  ///< What was expanded or collapsed since the model was opened.
  bool following_ = false, pending_ = false, rebuilding_ = false;
};

}  // namespace ergode
