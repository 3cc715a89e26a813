#pragma once
#include <QLabel>
#include <QTableWidget>
#include <QWidget>

#include "app/gui/workspace.h"

namespace ergode {

/// What the selected common-cause group expands into: by number of members that fail together, and by combination.
class GroupPreview : public QWidget {
  Q_OBJECT
 public:
  GroupPreview(Workspace& workspace, ElementId group, QWidget* parent = nullptr);

 private:
  void refresh();
  Workspace& workspace_;
  ElementId group_;
  QLabel* summary_;
  QTableWidget* orders_;
  QTableWidget* sets_;
};

}  // namespace ergode
