#pragma once
#include <QComboBox>
#include <QLineEdit>
#include <QToolBar>

#include "app/gui/actions.h"
#include "app/gui/run_desk.h"

namespace ergode {

/// The part of the tool bar that says what the next run is: scenario, solver, replications, seed. Empty fields mean
/// what the model says.
class RunBar : public QObject {
  Q_OBJECT
 public:
  RunBar(QToolBar& bar, Actions& actions, Workspace& workspace, RunDesk& desk);
  RunRequest request() const;
  void new_seed();
  void set_replications(quint64 replications) { replications_->setText(QString::number(replications)); }

 private:
  void refresh();
  Workspace& workspace_;
  RunDesk& desk_;
  QComboBox *scenario_, *solver_;
  QLineEdit *replications_, *seed_;
};

}  // namespace ergode
