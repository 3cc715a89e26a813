#pragma once
#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/desk/run_desk.h"

namespace ergode {

/// State of the run, selection, pointer, problems, progress with half-width and time left, seed used.
class StatusLine : public QStatusBar {
  Q_OBJECT
 public:
  StatusLine(Workspace& workspace, RunDesk& desk, CanvasView& canvas, QWidget* parent = nullptr);
  QToolButton* problems() const { return problems_; }
  /// The user has taken note of a failed run: until the next one, the state is that of before it.
  void forget_failure();

 private:
  void refresh_run();
  void clear_state();
  void refresh_selection();
  void refresh_problems();
  Workspace& workspace_;
  RunDesk& desk_;
  CanvasView& canvas_;
  QLabel *state_, *selection_, *pointer_, *hint_, *progress_text_, *seed_;
  QToolButton* problems_;
  QProgressBar* progress_;
  QTimer hint_timer_;
  bool failure_seen_ = false;
};

/// "610k", "1.2M".
QString short_count(quint64 count);

}  // namespace ergode
