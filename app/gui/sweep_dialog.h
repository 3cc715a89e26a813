#pragma once
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTimer>
#include <atomic>
#include <mutex>
#include <thread>

#include "app/gui/desk/run_desk.h"
#include "app/gui/panels/gantt_page.h"
#include "app/gui/plots/plot_view.h"
#include "app/session/paired_comparison.h"
#include "app/session/sweep.h"

namespace ergode {

/// "Vary a parameter": asks for a parameter and its values, runs the model at each as the tool bar says, and draws a
/// measure over them with its interval, the points as they come. The runs are kept with those of the model; a figure
/// and a table of the points can be exported.
/// With "Compare in pairs" each value is run several times, all of them with the same seeds, as `ergode sweep
/// --compare` does; the table tells differences to the first value, and the comparison is kept with the first run.
/// What the check of the model and the runs of points warn of stands in a list below the table, each warning once, with
/// the values at which it was said.
///
/// The points are solved on a thread of its own, on a copy of the model as it was when the dialog was opened; closing
/// the dialog stops them.
class SweepDialog : public QDialog {
  Q_OBJECT
 public:
  /// @param request  as the tool bar has it
  SweepDialog(RunDesk& desk, RunRequest request, QWidget* parent = nullptr);
  ~SweepDialog() override;
  /// Starts, if what the fields say is an axis; else says why not below them.
  void start();
  void stop();
  bool active() const { return running_; }
  /// The points so far.
  const Sweep& sweep() const { return sweep_; }
  PlotView& plot() { return *plot_; }
  /// What "Compare in pairs" came to; without rows before it has ended.
  const PairedComparison& comparison() const { return compared_; }
  /// By its extension: svg, pdf, png of the plot; csv of the table. @returns why it was not written; empty: it was.
  QString export_to(const QString& path);

 private:
  void list_parameters();
  void choose_parameter();
  void collect();
  void show_points();
  void say_progress();
  void show_warnings();
  void show_comparison();
  void begin();
  void export_as();
  std::vector<std::string> measures() const;

  RunDesk& desk_;
  SweepOrder order_;
  std::shared_ptr<RunHome> home_;
  QComboBox *parameter_, *measure_;
  QLineEdit *from_, *to_, *count_;
  QCheckBox *log_, *paired_;
  QSpinBox* pairs_;
  QLabel *problem_, *progress_;
  QPushButton *run_, *export_;
  PlotView* plot_;
  PicturePage* differences_;  ///< in place of the plot, of a comparison
  QTableWidget* table_;
  QListWidget* warnings_list_;  ///< hidden while there is none
  QTimer timer_;
  Sweep sweep_;                                           ///< of the main thread
  SweepWarnings warnings_;                                ///< of its points; a comparison has its own
  std::mutex mutex_;                                      ///< guards what follows
  std::vector<std::pair<std::size_t, SweepPoint>> done_;  ///< not taken over yet
  bool over_ = false;
  std::size_t pairs_done_ = 0;
  std::optional<FirstReplication> first_;  ///< of the point that is solved, while none of its replications has ended
  QString told_;                           ///< by the run of that point
  PairedComparison fresh_comparison_;      ///< taken over when it is over
  std::atomic<bool> stop_{false};
  bool running_ = false, comparing_ = false;
  PairedComparison compared_;  ///< of the main thread
  std::jthread worker_;        ///< last: it is joined before what it uses goes
};

}  // namespace ergode
