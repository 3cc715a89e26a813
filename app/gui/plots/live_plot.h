#pragma once
#include <QComboBox>
#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/gui/desk/run_desk.h"
#include "app/gui/plots/plot_view.h"

namespace ergode {

/// The plot of the run on show, going on or kept: a measure's convergence over replications or its curve over the
/// mission, with its band, and the exact value dashed. Refreshed by its own timer, only while it is visible.
class LivePlot : public QWidget {
  Q_OBJECT
 public:
  explicit LivePlot(RunDesk& desk, QWidget* parent = nullptr);
  PlotView& plot() { return *plot_; }
  void refresh();

 private:
  void list_measures(const ResultSet& results);
  void offer_views(const ResultSet& results, const std::string& measure);
  RunDesk& desk_;
  PlotView* plot_;
  QComboBox* measure_;
  QComboBox* view_;
  QToolButton* follow_;
  QLabel* caption_;
  int wanted_view_ = 0;     ///< as the user chose; another one is shown where a run has none of it
  QString wanted_measure_;  ///< that the user chose last: shown again when a run has it
  QTimer timer_;
  bool stale_ = true;
  qint64 last_cost_ms_ = 0;
};

}  // namespace ergode
