#pragma once
#include <QComboBox>
#include <QLabel>
#include <QTableWidget>
#include <QWidget>

#include "app/gui/desk/actions.h"
#include "app/gui/desk/step_desk.h"

namespace ergode {

/// One history under the eyes: its controls, what waits, what happened, the variables, and events to give.
class StepPanel : public QWidget {
  Q_OBJECT
 public:
  StepPanel(StepDesk& desk, Workspace& workspace, Actions& actions, QWidget* parent = nullptr);

 private:
  void refresh();
  void fill_choices();

  StepDesk& desk_;
  Workspace& workspace_;
  QLabel* caption_;
  QComboBox *component_, *event_, *speed_;
  QTableWidget *waiting_, *taken_, *variables_;
  std::vector<ElementId> waiting_elements_, taken_elements_;
  bool filling_ = false;
};

}  // namespace ergode
