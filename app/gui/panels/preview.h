#pragma once
#include <QLabel>
#include <QTableWidget>
#include <QVBoxLayout>
#include <QWidget>

#include "app/gui/desk/workspace.h"

namespace ergode {

/// What the selected element comes to, as its notation says (KindSpec::preview), with the values of the chosen
/// scenario: sentences ("label.preview"), then tables ("table.preview.0", ...).
class Preview : public QWidget {
  Q_OBJECT
 public:
  Preview(Workspace& workspace, ElementId element, QWidget* parent = nullptr);

 private:
  void refresh();
  Workspace& workspace_;
  ElementId element_;
  QLabel* heading_;
  QLabel* sentences_;
  QVBoxLayout* rows_;
  std::vector<QTableWidget*> tables_;
};

}  // namespace ergode
