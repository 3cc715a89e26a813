#pragma once
#include <QJsonObject>
#include <QMainWindow>
#include <QSettings>

#include "app/gui/desk/actions.h"
#include "app/gui/desk/run_desk.h"
#include "app/gui/desk/workspace.h"
#include "app/gui/recovery.h"

class QDockWidget;
class QTabBar;
class QLabel;
class QFrame;
class QPushButton;
class QStackedWidget;

namespace ergode {

class CanvasView;
class InspectorPanel;
class LivePlot;
class LogPanel;
class ProblemsPanel;
class ResultsPanel;
class RunBar;
class OutlinePanel;
class HelpWindow;
class StartPage;
class StatusLine;
class StepDesk;
struct GalleryModel;

/// Menus, tool bar, docks and the canvas, joined to one workspace and one run desk. Everything has a stable object
/// name.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// `state_dir`: where recent files, layout and theme are kept.
  explicit MainWindow(const QString& state_dir, QWidget* parent = nullptr);
  ~MainWindow() override;

  Workspace& workspace() { return workspace_; }
  RunDesk& desk() { return *desk_; }
  StepDesk& step_desk() { return *step_desk_; }
  CanvasView& canvas() { return *canvas_; }
  Actions& actions_table() { return *actions_; }
  InspectorPanel& inspector() { return *inspector_; }
  LivePlot& plot() { return *plot_; }
  ProblemsPanel& problems() { return *problems_; }
  RunBar& run_bar() { return *run_bar_; }
  RecoveryJournal& recovery() { return *recovery_; }

  /// Whether it was read, or imported where its name says so; a banner says why not. Unsaved work is not asked for
  /// here.
  bool open(const QString& path);
  /// Makes a model of a file of another program; it is not saved yet. What was left out is named in the log.
  bool import(const QString& path);
  /// Whether it was saved; asks for a name when there is none.
  bool save();
  bool save_as();
  /// Writes the shown diagram in the print theme; the suffix (svg, pdf, png) decides the format. @returns why not, or
  /// nothing.
  QString export_diagram(const QString& path);
  QString export_report(const QString& path);
  /// The run on show; the suffix (csv, json) decides the format.
  QString export_run(const QString& path);
  void set_theme(const QString& name);
  /// Brings a dock ("problems", "plot", "results") to the front. @returns whether there is one of this name.
  bool show_dock(const QString& name);
  /// Without a question, whatever comes to the stations.
  void start_run();
  /// Shows a bar with what a crashed program left, if it left anything; blocks nothing.
  void offer_lost_models();
  /// Shows templates, examples and recent files instead of the canvas, until a model is chosen or drawn on.
  void show_start_page();
  /// Opens the offline help at what has the focus or is selected.
  void show_help();
  /// For screenshots and tests: sizes the window, lays out and forgets stored geometry.
  void settle(const QSize& size);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void make_menus();
  void make_tool_bar();
  void make_docks();
  void make_centre();
  void make_recovery_bar();
  void make_access_bar();
  /// Asks, without blocking anything, whether a folder may be read that the model names files in.
  void ask_for_access();
  void make_interrupted_bar();
  /// Says once of a run of the open model that it was interrupted, and offers to go on with it.
  void say_interrupted();
  void resume_run(std::size_t record);
  void make_start_page();
  void leave_start_page();
  void open_copy(const GalleryModel& model);
  HelpWindow& help();
  void join_help_actions();
  void join_edit_actions();
  void join_view_actions();
  void join_run_actions();
  void make_overload_menu(QMenu& run);
  /// Runs, or asks or refuses as the menu says where a station gets more work than it can do.
  void start_run(OverloadPolicy overload);
  void join_step_actions();
  void join_speed_actions();
  void refresh_step_actions();
  QDockWidget* add_dock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area,
                        bool titled);
  void default_layout();
  void refresh_title();
  void refresh_actions();
  void refresh_run_actions();
  void join_number_actions();
  void make_numbers_bar();
  /// Writes the numbers of the run on show at the elements of the shown diagram, where they are wanted.
  void refresh_numbers();
  void measure_everything();
  void refresh_tabs();
  void name_diagram(ElementId id, bool fresh = false);  ///< Asks for its name, in the inspector.
  void join_element_menus();
  void show_menu_of(ElementId id, const QPoint& at);  ///< Rename, Properties, Delete
  void rename_element(ElementId id);
  void delete_element(ElementId id);
  void refresh_recent();
  void remember_recent(const QString& path);
  /// What was typed and chosen for a run of a file when it was run or saved last; of another file nothing.
  QJsonObject typed_before(const QString& path) const;
  void remember_typed();
  /// Asks what is to become of unsaved changes and of a run that is going on. @returns whether the open model may go.
  bool may_leave(bool quit = false);
  bool may_leave_run(bool quit);
  bool may_leave_sweeps();
  void report_end_of_run(const ResultSet* results, const QString& problem);
  void show_banner(const QString& text, ElementId element);
  void find_element();
  void paste(bool beside);
  QByteArray png_of_diagram(double scale);

  Workspace workspace_;
  RunDesk* desk_;
  StepDesk* step_desk_;
  Actions* actions_;
  QSettings settings_;
  CanvasView* canvas_;
  InspectorPanel* inspector_ = nullptr;
  LivePlot* plot_ = nullptr;
  LogPanel* log_ = nullptr;
  OutlinePanel* outline_ = nullptr;
  ProblemsPanel* problems_ = nullptr;
  ResultsPanel* results_ = nullptr;
  RunBar* run_bar_ = nullptr;
  StatusLine* status_ = nullptr;
  QTabBar* diagrams_ = nullptr;
  QWidget* head_ = nullptr;  ///< tabs of the diagrams, and zoom
  QStackedWidget* centre_ = nullptr;
  QByteArray docks_before_;  ///< Layout that the start page has put away; empty: it is not shown.
  StartPage* start_page_ = nullptr;
  HelpWindow* help_ = nullptr;
  RecoveryJournal* recovery_;
  QFrame* recovery_bar_ = nullptr;
  QLabel* recovery_text_ = nullptr;
  QFrame* access_bar_ = nullptr;
  QLabel* access_text_ = nullptr;
  QString access_folder_;        ///< that is asked for
  QStringList refused_folders_;  ///< not to be asked for again
  QFrame* interrupted_bar_ = nullptr;
  QLabel* interrupted_text_ = nullptr;
  QString interrupted_run_;        ///< that the bar is about
  QFrame* numbers_bar_ = nullptr;  ///< There is a run, and it says nothing of the elements.
  QFrame* banner_ = nullptr;
  QLabel* banner_text_ = nullptr;
  ElementId banner_element_;
  QPushButton* run_anyway_ = nullptr;  ///< in the banner, where it asks
  bool banner_of_refusal_ = false;     ///< It says why nothing was run; not for longer than that is so.
  bool banner_of_wait_ = false;        ///< It says that no replication has ended.
  QMenu* recent_menu_ = nullptr;
  QMenu* panels_menu_ = nullptr;
  QHash<QString, QDockWidget*> docks_;
  int paste_count_ = 0;
  bool layout_restored_ = false, filling_tabs_ = false, fixed_layout_ = false, quit_after_run_ = false;
};

}  // namespace ergode
