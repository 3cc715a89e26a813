#pragma once
#include <QLabel>
#include <QTableWidget>
#include <QWidget>

#include "app/gui/workspace.h"

namespace ergode {

/// What the selected common-cause group expands into, with the values of the chosen scenario and from the function that
/// the report uses: by number of members that fail together, and by combination; where members in different states have
/// different rates, one column for each.
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
