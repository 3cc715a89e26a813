#pragma once
#include <QComboBox>
#include <QLabel>
#include <QTableWidget>
#include <QTimer>
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
  /// At once, or while it plays four times a second: nobody reads faster.
  void refresh_soon();
  void refresh_caption();
  void fill_choices();
  void fill_speeds();
  void take_rate(const QString& text);

  StepDesk& desk_;
  Workspace& workspace_;
  QLabel *caption_, *per_second_;
  QComboBox *component_, *event_, *clock_, *speed_, *rate_;
  QTableWidget *waiting_, *taken_, *variables_;
  std::vector<ElementId> waiting_elements_, taken_elements_;
  QTimer soon_;
  std::string rates_of_;  ///< unit for which the list of rates was made
  bool filling_ = false;
};

}  // namespace ergode
