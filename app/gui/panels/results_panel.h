#pragma once
#include <QLabel>
#include <QTableWidget>
#include <QWidget>

#include "app/gui/run_desk.h"

namespace ergode {

/// The kept runs, and the measures of the chosen one: estimate with its interval, what exact solvers say beside it,
/// whether that lies inside, its limit in the long run, and the split by cause. Below, which solvers gave no answer.
class ResultsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ResultsPanel(RunDesk& desk, QWidget* parent = nullptr);
  /// The results on show, or null.
  std::shared_ptr<const ResultSet> shown() const { return shown_; }
  const CompanyResults& shown_exact() const { return shown_exact_; }

 private:
  void refresh();
  void show_run(int row);
  void show_results(const ResultSet& results, const CompanyResults& exact, const std::vector<Declined>& declined);

  RunDesk& desk_;
  QTableWidget* runs_;
  QTableWidget* measures_;
  QLabel* caption_;
  std::shared_ptr<const ResultSet> shown_;
  CompanyResults shown_exact_;
};

}  // namespace ergode
