#pragma once
#include <QTreeWidget>
#include <unordered_map>

#include "app/gui/workspace.h"

namespace ergode {

/// The model as a tree: diagrams with their elements, parameters, measures, scenarios. The second way to everything on
/// the canvas, for the keyboard and for assistive tools.
class OutlinePanel : public QTreeWidget {
  Q_OBJECT
 public:
  explicit OutlinePanel(Workspace& workspace, QWidget* parent = nullptr);

 private:
  void rebuild_soon();  ///< Many changes in a row rebuild the tree once.
  void rebuild();
  void follow_selection();
  void mark_problems();
  QTreeWidgetItem* add(QTreeWidgetItem* parent, const Element& element);
  void add_children(QTreeWidgetItem* row, ElementId diagram, ElementId parent);

  Workspace& workspace_;
  std::unordered_map<ElementId, QTreeWidgetItem*> rows_;
  bool following_ = false, pending_ = false;
};

}  // namespace ergode
