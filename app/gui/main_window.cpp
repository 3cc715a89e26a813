#include "app/gui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QTabBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/desk/step_desk.h"
#include "app/gui/desk/typed_values.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/gui/panels/inspector_panel.h"
#include "app/gui/panels/outline_panel.h"
#include "app/gui/panels/palette_panel.h"
#include "app/gui/panels/problems_panel.h"
#include "app/gui/panels/results_panel.h"
#include "app/gui/panels/small_panels.h"
#include "app/gui/panels/step_panel.h"
#include "app/gui/plots/live_plot.h"
#include "app/gui/run_bar.h"
#include "app/gui/status_line.h"
#include "app/gui/tools/tool_box.h"
#include "app/session/catalogue.h"

namespace ergode {

MainWindow::MainWindow(const QString& state_dir, QWidget* parent)
    : QMainWindow(parent),
      desk_(new RunDesk(workspace_, state_dir, this)),
      step_desk_(new StepDesk(workspace_, this)),
      actions_(new Actions(this, catalogue())),
      settings_(QDir(state_dir).filePath(QStringLiteral("workbench.ini")), QSettings::IniFormat),
      canvas_(new CanvasView(workspace_, drawing_tools())),
      recovery_(new RecoveryJournal(workspace_, desk_->records(), state_dir, this)) {
  setObjectName(QStringLiteral("window.main"));
  setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setDocumentMode(true);
  make_centre();
  make_docks();
  make_tool_bar();
  make_menus();
  status_ = new StatusLine(workspace_, *desk_, *canvas_);
  setStatusBar(status_);
  connect(status_->problems(), &QToolButton::clicked, this, [this] { show_dock(QStringLiteral("problems")); });
  join_edit_actions();
  join_view_actions();
  join_element_menus();
  join_run_actions();
  join_step_actions();
  join_number_actions();
  join_help_actions();
  connect(&workspace_, &Workspace::history_changed, this, &MainWindow::refresh_title);
  connect(&workspace_, &Workspace::replaced, this, &MainWindow::refresh_title);
  connect(&workspace_, &Workspace::history_changed, this, &MainWindow::refresh_actions);
  connect(&workspace_, &Workspace::selection_changed, this, &MainWindow::refresh_actions);
  connect(&workspace_, &Workspace::changed, this, &MainWindow::refresh_tabs);
  connect(&workspace_, &Workspace::diagram_shown, this, &MainWindow::refresh_tabs);
  connect(&workspace_, &Workspace::look_changed, this, [this] {
    actions_->restyle();
    filling_tabs_ = true;
    while (diagrams_->count() > 0) diagrams_->removeTab(0);
    refresh_tabs();
  });
  connect(&workspace_, &Workspace::message, log_, &LogPanel::add);
  connect(&workspace_, &Workspace::problems_changed, this, &MainWindow::ask_for_access);
  connect(&workspace_, &Workspace::problems_changed, this, [this] {
    const auto count = workspace_.problems().size();
    docks_[QStringLiteral("problems")]->setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
  });
  recovery_->keep_also([this] { return run_bar_->typed(); },
                       [this](const QJsonObject& typed) { run_bar_->set_typed(typed); });
  connect(run_bar_, &RunBar::edited, recovery_, &RecoveryJournal::changed_also);
  // How a model was run last is how it is run when it is opened again.
  connect(desk_, &RunDesk::starting, this, &MainWindow::remember_typed);
  connect(&workspace_, &Workspace::saved, this, &MainWindow::remember_typed);
  connect(&workspace_, &Workspace::replaced, this, [this] { run_bar_->set_typed(typed_before(workspace_.path())); });
  // A run may take the machine with it.
  connect(desk_, &RunDesk::starting, recovery_, &RecoveryJournal::write_now);
  connect(inspector_, &InspectorPanel::left, this, [this] { canvas_->setFocus(Qt::OtherFocusReason); });
  connect(problems_, &ProblemsPanel::mended, this, [this] { canvas_->setFocus(Qt::OtherFocusReason); });
  connect(&workspace_, &Workspace::value_wanted, this, [this] {
    show_dock(QStringLiteral("inspector"));
    if (PropertyField* value = inspector_->field(QStringLiteral("value")))
      value->editor()->setFocus(Qt::OtherFocusReason);
  });
  refresh_recent();
  workspace_.start_new();
  default_layout();
  canvas_->setFocus(Qt::OtherFocusReason);  // Keys draw from the first moment on.
}

MainWindow::~MainWindow() {
  hide();  // Whoever has the focus applies what is typed while there is a model to apply it to.
}

void MainWindow::make_centre() {
  auto* centre = new QWidget;
  centre->setObjectName(QStringLiteral("view.centre"));
  diagrams_ = new QTabBar;
  diagrams_->setObjectName(QStringLiteral("tabs.diagrams"));
  diagrams_->setAccessibleName(tr("Diagrams"));
  diagrams_->setExpanding(false);
  diagrams_->setUsesScrollButtons(true);
  diagrams_->setElideMode(Qt::ElideNone);
  diagrams_->setIconSize(QSize(16, 16));
  connect(diagrams_, &QTabBar::currentChanged, this, [this](int tab) {
    if (!filling_tabs_ && tab >= 0) workspace_.show_diagram(ElementId(diagrams_->tabData(tab).toULongLong()));
  });
  connect(diagrams_, &QTabBar::tabBarDoubleClicked, this, [this](int tab) {
    if (tab >= 0) name_diagram(ElementId(diagrams_->tabData(tab).toULongLong()));
  });
  auto* add = new QToolButton;
  add->setObjectName(QStringLiteral("action.diagram.add"));
  add->setIcon(icon(QStringLiteral("add")));
  connect(&workspace_, &Workspace::look_changed, add, [add] { add->setIcon(icon(QStringLiteral("add"))); });
  add->setIconSize(QSize(12, 12));
  add->setToolTip(tr("Add a diagram"));
  add->setAccessibleName(tr("Add a diagram"));
  add->setPopupMode(QToolButton::InstantPopup);
  add->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  for (const QString& name : diagram_actions(catalogue())) add->addAction(actions_->find(name));
  auto* zoom = new QToolButton;
  zoom->setObjectName(QStringLiteral("view.zoom"));
  zoom->setAccessibleName(tr("Zoom"));
  zoom->setPopupMode(QToolButton::InstantPopup);
  zoom->setText(QStringLiteral("100 %"));
  zoom->setStyleSheet(QStringLiteral("QToolButton::menu-indicator { image: none; }"));
  for (const char* name : {"view.zoom_fit", "view.zoom_100", "view.zoom_selection", "view.zoom_in", "view.zoom_out"})
    zoom->addAction((*actions_)[name]);
  connect(canvas_, &CanvasView::zoom_changed, zoom,
          [this, zoom] { zoom->setText(QStringLiteral("%1 %").arg(qRound(canvas_->zoom() * 100))); });
  head_ = new QWidget;
  auto* top = new QHBoxLayout(head_);
  top->setContentsMargins(4, 0, 6, 0);
  top->setSpacing(2);
  top->addWidget(diagrams_);
  top->addWidget(add);
  top->addStretch(1);
  top->addWidget(zoom);

  banner_ = new QFrame;
  banner_->setObjectName(QStringLiteral("view.banner"));
  banner_->setProperty("role", "banner");
  banner_text_ = new QLabel;
  banner_text_->setObjectName(QStringLiteral("label.banner"));
  banner_text_->setWordWrap(true);
  auto* show = new QPushButton(tr("Show problem"));
  show->setObjectName(QStringLiteral("action.banner.show"));
  connect(show, &QPushButton::clicked, this, [this] {
    show_dock(QStringLiteral("problems"));
    if (banner_element_) workspace_.reveal(banner_element_);
    else problems_->step(1);
  });
  run_anyway_ = new QPushButton(tr("Run anyway"));
  run_anyway_->setObjectName(QStringLiteral("action.banner.run"));
  run_anyway_->setToolTip(tr("Run it as it is; Run > Overloaded model says whether you are asked again"));
  connect(run_anyway_, &QPushButton::clicked, this, [this] { start_run(); });
  auto* close = new QPushButton(tr("Dismiss"));
  close->setObjectName(QStringLiteral("action.banner.close"));
  connect(close, &QPushButton::clicked, this, [this] {
    banner_->hide();
    status_->forget_failure();
  });
  auto* row = new QHBoxLayout(banner_);
  row->setContentsMargins(12, 6, 8, 6);
  row->addWidget(banner_text_, 1);
  row->addWidget(run_anyway_);
  row->addWidget(show);
  row->addWidget(close);
  banner_->hide();

  make_recovery_bar();
  make_access_bar();
  make_interrupted_bar();
  make_numbers_bar();
  auto* line = new QFrame;
  line->setProperty("role", "rule");
  auto* rows = new QVBoxLayout(centre);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(head_);
  rows->addWidget(line);
  rows->addWidget(recovery_bar_);
  rows->addWidget(interrupted_bar_);
  rows->addWidget(access_bar_);
  rows->addWidget(numbers_bar_);
  rows->addWidget(banner_);
  make_start_page();
  rows->addWidget(centre_, 1);
  setCentralWidget(centre);
}

QDockWidget* MainWindow::add_dock(const QString& name, const QString& title, QWidget* content, Qt::DockWidgetArea area,
                                  bool titled) {
  auto* dock = new QDockWidget(title);
  dock->setObjectName(QStringLiteral("dock.") + name);
  dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable);
  dock->setWidget(content);
  // Tabbed docks have their name on the tab already; a title bar would say it twice.
  QWidget* bar = new QWidget;
  if (titled) {
    auto* label = new QLabel(title.toUpper());
    label->setProperty("role", "dock");
    bar = label;
  }
  dock->setTitleBarWidget(bar);
  addDockWidget(area, dock);
  docks_.insert(name, dock);
  return dock;
}

void MainWindow::make_docks() {
  inspector_ = new InspectorPanel(workspace_);
  problems_ = new ProblemsPanel(workspace_);
  plot_ = new LivePlot(*desk_);
  results_ = new ResultsPanel(*desk_, *(*actions_)["run.resume"]);
  log_ = new LogPanel;
  outline_ = new OutlinePanel(workspace_);
  add_dock(QStringLiteral("palette"), tr("Palette"), new PalettePanel(workspace_, *canvas_), Qt::LeftDockWidgetArea,
           true);
  add_dock(QStringLiteral("outline"), tr("Outline"), outline_, Qt::LeftDockWidgetArea, true);
  add_dock(QStringLiteral("inspector"), tr("Inspector"), inspector_, Qt::RightDockWidgetArea, false);
  add_dock(QStringLiteral("history"), tr("History"), new HistoryPanel(workspace_), Qt::RightDockWidgetArea, false);
  add_dock(QStringLiteral("problems"), tr("Problems"), problems_, Qt::BottomDockWidgetArea, false);
  add_dock(QStringLiteral("plot"), tr("Live plot"), plot_, Qt::BottomDockWidgetArea, false);
  add_dock(QStringLiteral("results"), tr("Results"), results_, Qt::BottomDockWidgetArea, false);
  add_dock(QStringLiteral("step"), tr("Step"), new StepPanel(*step_desk_, workspace_, *actions_),
           Qt::BottomDockWidgetArea, false);
  add_dock(QStringLiteral("log"), tr("Log"), log_, Qt::BottomDockWidgetArea, false);
  setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
}

void MainWindow::default_layout() {
  for (QDockWidget* dock : docks_) {
    dock->setFloating(false);
    dock->show();
  }
  const auto dock = [this](const char* name) { return docks_[QLatin1String(name)]; };
  addDockWidget(Qt::LeftDockWidgetArea, dock("palette"));
  splitDockWidget(dock("palette"), dock("outline"), Qt::Vertical);
  addDockWidget(Qt::RightDockWidgetArea, dock("inspector"));
  tabifyDockWidget(dock("inspector"), dock("history"));
  addDockWidget(Qt::BottomDockWidgetArea, dock("problems"));
  for (const char* name : {"plot", "results", "step", "log"}) tabifyDockWidget(dock("problems"), dock(name));
  dock("inspector")->raise();
  dock("problems")->raise();
  const bool small = height() < 850;
  resizeDocks({dock("palette"), dock("inspector")}, {small ? 180 : 210, small ? 300 : 360}, Qt::Horizontal);
  resizeDocks({dock("palette"), dock("outline")}, {small ? 275 : 330, small ? 350 : 420}, Qt::Vertical);
  resizeDocks({dock("problems")}, {small ? 215 : 300}, Qt::Vertical);
}

void MainWindow::settle(const QSize& size) {
  fixed_layout_ = true;
  resize(size);
  show();
  default_layout();
  QApplication::processEvents();
  default_layout();
  QApplication::processEvents();
  // The bottom panels stand side by side until they are tabbed, for which the window may have grown.
  if (this->size() != size) {
    resize(size);
    const int inspector = size.height() < 850 ? 300 : 360;
    resizeDocks({docks_[QStringLiteral("inspector")]}, {inspector}, Qt::Horizontal);
    QApplication::processEvents();
  }
  canvas_->fit();
}

bool MainWindow::show_dock(const QString& name) {
  QDockWidget* dock = docks_.value(name);
  if (dock == nullptr) return false;
  dock->show();
  dock->raise();
  return true;
}

void MainWindow::make_tool_bar() {
  auto* bar = addToolBar(tr("Main"));
  bar->setObjectName(QStringLiteral("bar.main"));
  bar->setMovable(false);
  bar->setFloatable(false);
  bar->setIconSize(QSize(18, 18));
  bar->setContextMenuPolicy(Qt::PreventContextMenu);
  const auto add = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) bar->addAction((*actions_)[name]);
    bar->addSeparator();
  };
  add({"file.new", "file.open", "file.save"});
  add({"edit.undo", "edit.redo"});
  add({"run.start", "run.pause", "run.stop", "step.forward"});
  auto* run = qobject_cast<QToolButton*>(bar->widgetForAction((*actions_)["run.start"]));
  run->setObjectName(QStringLiteral("tool.run"));
  run->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  run_bar_ = new RunBar(*bar, *actions_, workspace_, *desk_);
}

void MainWindow::make_menus() {
  const auto fill = [this](QMenu* menu, std::initializer_list<const char*> names) {
    menu->setToolTipsVisible(true);
    for (const char* name : names) {
      if (*name == '\0') menu->addSeparator();
      else menu->addAction((*actions_)[name]);
    }
    return menu;
  };
  QMenu* file = fill(menuBar()->addMenu(tr("&File")), {"file.new", "help.start", "file.open"});
  recent_menu_ = file->addMenu(tr("Open &recent"));
  fill(file, {"file.import", "", "file.save", "file.save_as", "", "file.export_diagram", "file.export_report",
              "file.export_run", "", "file.quit"});
  fill(menuBar()->addMenu(tr("&Edit")),
       {"edit.undo", "edit.redo", "", "edit.cut", "edit.copy", "edit.paste", "edit.duplicate", "edit.delete", "",
        "edit.select_all", "edit.rename", "edit.find", "edit.properties"});
  QMenu* view = fill(menuBar()->addMenu(tr("&View")), {"view.zoom_in", "view.zoom_out", "view.zoom_100",
                                                       "view.zoom_fit", "view.zoom_selection", "", "view.numbers", ""});
  QMenu* themes = view->addMenu(icon(QStringLiteral("theme")), tr("&Theme"));
  themes->setObjectName(QStringLiteral("menu.theme"));
  fill(themes, {"view.theme_light", "view.theme_dark"});
  const auto mark_theme = [this] {
    (*actions_)["view.theme_light"]->setChecked(!look().dark());
    (*actions_)["view.theme_dark"]->setChecked(look().dark());
  };
  for (QAction* one : themes->actions()) {
    one->setCheckable(true);
    // Choosing the present one again would take its mark away.
    connect(one, &QAction::triggered, this, mark_theme, Qt::QueuedConnection);
  }
  connect(&workspace_, &Workspace::look_changed, this, mark_theme);
  connect(themes, &QMenu::aboutToShow, this, mark_theme);
  mark_theme();
  panels_menu_ = view->addMenu(tr("&Panels"));
  int number = 1;
  for (const char* name : {"palette", "outline", "inspector", "problems", "plot", "results", "log", "history"}) {
    QAction* toggle = docks_[QLatin1String(name)]->toggleViewAction();
    toggle->setObjectName(QStringLiteral("action.panel.") + QLatin1String(name));
    if (number <= 8) toggle->setShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(number++)));
    panels_menu_->addAction(toggle);
  }
  fill(view, {"view.hide_panels", "view.reset_layout", "", "diagram.next", "diagram.previous", "", "view.full_screen"});
  QMenu* insert = fill(menuBar()->addMenu(tr("&Insert")), {"tool.select", "tool.connect", ""});
  for (const QString& name : diagram_actions(catalogue())) insert->addAction(actions_->find(name));
  fill(menuBar()->addMenu(tr("&Arrange")),
       {"arrange.left", "arrange.centre", "arrange.right", "arrange.top", "arrange.middle", "arrange.bottom", "",
        "arrange.distribute_h", "arrange.distribute_v", "", "arrange.reset_route"});
  fill(menuBar()->addMenu(tr("&Model")), {"model.settings", "", "model.add_parameter", "model.add_measure",
                                          "model.measure_everything", "", "problem.next", "problem.previous"});
  QMenu* run = fill(menuBar()->addMenu(tr("&Run")),
                    {"run.start", "run.pause", "run.stop", "run.resume", "", "run.new_seed", "run.options"});
  make_overload_menu(*run);
  fill(run,
       {"run.sweep", "", "step.forward", "step.back", "step.play", "step.model_time", "step.faster", "step.slower",
        "step.motion", "step.restart", "step.end", "", "step.breakpoint", "", "step.save_trace", "step.replay_trace"});
  fill(menuBar()->addMenu(tr("&Help")),
       {"help.topic", "help.contents", "help.start", "", "help.shortcuts", "help.about"});
}

void MainWindow::refresh_title() {
  const QString file = workspace_.path().isEmpty() ? QString() : QDir::toNativeSeparators(workspace_.path());
  setWindowTitle(QStringLiteral("%1[*] – Ergode").arg(workspace_.file_title()));
  setWindowFilePath(file);
  setWindowModified(workspace_.modified());
}

void MainWindow::refresh_tabs() {
  filling_tabs_ = true;
  const auto all = workspace_.document().of(Section::diagram);
  bool same = diagrams_->count() == static_cast<int>(all.size());
  for (int tab = 0; same && tab < diagrams_->count(); ++tab)
    same = diagrams_->tabText(tab) == QString::fromStdString(all[static_cast<std::size_t>(tab)]->name());
  // A bar does not ask for more room when the text of a tab grows; a new tab does.
  while (!same && diagrams_->count() > 0) diagrams_->removeTab(diagrams_->count() - 1);
  for (int tab = 0; tab < static_cast<int>(all.size()); ++tab) {
    const Element& diagram = *all[static_cast<std::size_t>(tab)];
    const QString name = QString::fromStdString(diagram.name());
    if (tab >= diagrams_->count()) diagrams_->addTab(name);
    diagrams_->setTabData(tab, QVariant::fromValue<qulonglong>(diagram.id.bits()));
    const NotationSpec* notation = catalogue().notation(diagram.text("notation"));
    const bool kinds = notation != nullptr && !notation->diagrams.empty();
    diagrams_->setTabIcon(
        tab, icon(kinds ? QString::fromStdString(notation->diagrams.front().icon) : QStringLiteral("diagram")));
    diagrams_->setTabToolTip(tab, QString::fromStdString(diagram.text("description", diagram.text("notation"))));
    if (diagram.id == workspace_.diagram()) diagrams_->setCurrentIndex(tab);
  }
  filling_tabs_ = false;
}

void MainWindow::name_diagram(ElementId id, bool fresh) {
  workspace_.select({id});
  show_dock(QStringLiteral("inspector"));
  if (fresh) inspector_->name_new();
  else inspector_->focus_first();
}

void MainWindow::show_banner(const QString& text, ElementId element) {
  banner_element_ = element;
  banner_of_refusal_ = banner_of_wait_ = false;
  run_anyway_->hide();
  banner_text_->setText(text);
  banner_->show();
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (layout_restored_ || fixed_layout_) return;
  layout_restored_ = true;
  // Restored after the window is shown: earlier, dock sizes are lost with some window managers.
  restoreGeometry(settings_.value(QStringLiteral("window/geometry")).toByteArray());
  const QSize wanted = size();
  if (!restoreState(settings_.value(QStringLiteral("window/docks")).toByteArray(), 1)) default_layout();
  // The bottom panels stand side by side until they are tabbed, which widens the window; it must not leave the screen.
  QTimer::singleShot(0, this, [this, wanted] {
    if (isMaximized() || isFullScreen()) return;
    // Room for the title bar and the desktop's own panels.
    const QSize room = screen()->availableGeometry().size() - QSize(20, 60);
    const QSize fits = wanted.boundedTo(room);
    if (width() > fits.width() || height() > fits.height()) resize(fits);
    canvas_->fit();
  });
}

void MainWindow::closeEvent(QCloseEvent* event) {
  confirm_typed();
  if (!may_leave_sweeps() || !may_leave(true)) return event->ignore();
  if (!fixed_layout_) {
    settings_.setValue(QStringLiteral("window/geometry"), saveGeometry());
    settings_.setValue(QStringLiteral("window/docks"), docks_before_.isEmpty() ? saveState(1) : docks_before_);
  }
  recovery_->remove_own();
  event->accept();
}

}  // namespace ergode
