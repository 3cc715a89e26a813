#pragma once
#include <QTreeWidget>

#include "app/gui/desk/workspace.h"

namespace ergode {

/// Everything that is wrong, worst first: severity, stable code, sentence, place. Enter or a double click goes there; a
/// button (or Ctrl+. on the row) offers the steps that mend it.
class ProblemsPanel : public QTreeWidget {
  Q_OBJECT
 public:
  explicit ProblemsPanel(Workspace& workspace, QWidget* parent = nullptr);
  /// Goes to the next (or previous) problem and round.
  void step(int by);
  /// Shows what mends the current problem as a menu; nothing when there is no such step.
  void offer_fixes();
  int errors() const { return errors_; }
  int warnings() const { return warnings_; }

 Q_SIGNALS:
  void mended();  ///< A step was applied that asks for nothing more: the keys are the canvas' again.

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void rebuild();
  void fit_columns();
  void fit_rows();
  void go(const QTreeWidgetItem* row);
  void add_fixes(QTreeWidgetItem* row, const Diagnostic& problem);
  void mend(const QuickFix& fix);
  Workspace& workspace_;
  int errors_ = 0, warnings_ = 0;
};

}  // namespace ergode
