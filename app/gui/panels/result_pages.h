#pragma once
#include <QTabWidget>
#include <QTableWidget>
#include <string>
#include <vector>

#include "core/results/result_set.h"

namespace ergode {

/// Pages of what a run's results hold: the measures, then a page for each table (of the run, and of the solvers beside
/// it), before them the quantiles of what the measures observed and the comparison with another run, behind them the
/// charts that tables are drawn as. A page that stays is filled again, not made again: live results come often.
class ResultPages : public QTabWidget {
  Q_OBJECT
 public:
  /// @param measures  the first page; becomes this widget's own
  explicit ResultPages(QTableWidget* measures);
  /// @param compared  without columns: there is none
  void show_results(const ResultSet& results, const ResultTable& compared);

 private:
  void show_charts(const std::vector<const ResultTable*>& all);
  std::vector<std::string> names_;  ///< of the tables on the pages
};

}  // namespace ergode
