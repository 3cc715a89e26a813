#pragma once
#include <QComboBox>
#include <QJsonObject>
#include <QLineEdit>
#include <QToolBar>
#include <map>
#include <string>

#include "app/gui/desk/actions.h"
#include "app/gui/desk/run_desk.h"

namespace ergode {

class ChoiceBox;

/// The part of the tool bar that says what the next run is: scenario, solver, replications, seed. Empty fields mean
/// what the model says.
class RunBar : public QObject {
  Q_OBJECT
 public:
  RunBar(QToolBar& bar, Actions& actions, Workspace& workspace, RunDesk& desk);
  /// What a run asked for now would be: fields that are empty are left to the model; texts that are no such value are
  /// left out.
  RunRequest request() const;
  void new_seed();
  /// Options of the next run beside the fields of the bar: name -> text as on the command line.
  void set_options(std::map<std::string, std::string> options);
  const std::map<std::string, std::string>& options() const { return options_; }
  /// What is typed and chosen for the next run, for the recovery; and back.
  QJsonObject typed() const;
  void set_typed(const QJsonObject& typed);
  void set_replications(quint64 replications) { replications_->setText(QString::number(replications)); }

 Q_SIGNALS:
  void edited();  ///< Something was typed or chosen for the next run.

 private:
  void refresh();
  /// Says in the list which solvers answer the model as it is, and why others do not.
  void mark_solvers();
  /// The chosen one alone, once the model has been checked.
  void mark_chosen_solver();
  void mark_solver(int row, const Question& question);
  Workspace& workspace_;
  RunDesk& desk_;
  QComboBox* scenario_;
  ChoiceBox* solver_;
  QLineEdit *replications_, *seed_;
  QAction* options_action_;
  std::map<std::string, std::string> options_;
};

}  // namespace ergode
