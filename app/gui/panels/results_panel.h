#pragma once
#include <QTableWidget>
#include <QWidget>

#include "app/gui/desk/run_desk.h"

class QAction;
class QSplitter;
class QToolButton;

namespace ergode {

class ResultPages;
class RunCaption;

/// Why a run ended, for people: "stopped by replications".
QString stopped_by(const std::string& reason);

/// The run going on and the kept ones, and the measures of the one on show: estimate with its interval (and in which
/// histories it was observed, where not in all), what exact solvers say beside it, whether that lies inside, its limit
/// in the long run where that is another number, and the shares of the split, which add up. Columns without an entry
/// are not shown; the level of the intervals stands in their heading. Beside the
/// measures a page with the quantiles of what they observed, and one for each table of the results; below, which
/// solvers gave no answer.
class ResultsPanel : public QWidget {
  Q_OBJECT
 public:
  /// @param resume  goes on with the run on show; offered where that can be resumed
  ResultsPanel(RunDesk& desk, QAction& resume, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refresh();
  /// Names and bars of the measures get what the numbers leave, but enough to be told apart.
  void fit_measures();
  /// The list of runs gets what the measures leave, but never less than what tells runs apart, until the user moves the
  /// divider.
  void share_width();
  void list_runs();
  void list_others();
  void compare_with(const QString& id);
  void show_results(const ResultSet& results);
  void show_tables(const ResultSet& results);
  /// Of the run on show with the other one that is selected; without columns: there is none.
  ResultTable comparison(const ResultSet& shown);

  RunDesk& desk_;
  QSplitter* split_ = nullptr;
  bool choosing_ = false;  ///< the list shows another run because its user went there
  bool divider_moved_ = false;
  QTableWidget* runs_;
  QTableWidget* measures_;
  ResultPages* pages_;
  QStringList pair_;  ///< The two runs that are selected; else empty.
  RunCaption* caption_;
  QToolButton* resume_;
  QToolButton* compare_;  ///< its menu: the other runs
};

}  // namespace ergode
