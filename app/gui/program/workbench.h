#pragma once
#include <QSize>
#include <QString>

class QApplication;

namespace ergode {

class MainWindow;

/// What the command line of the desktop program asks.
struct WorkbenchOptions {
  QString model, screenshot, script, theme, select, dock, diagram, config_dir, state_dir, size_text;
  double run_for_s = 0;          ///< > 0: run this long before the screenshot
  quint64 run_replications = 0;  ///< > 0: run this many replications to the end before the screenshot
  int measure_nodes = 0;         ///< > 0: time the canvas with so many nodes
  bool dump_actions = false, start_page = false;
  bool offscreen() const { return !screenshot.isEmpty() || !script.isEmpty() || dump_actions || measure_nodes > 0; }
};

/// Embedded fonts, style, locale of numbers. Once, right after QApplication; tests call it too.
void prepare_application(QApplication& application, const QString& theme);

/// Drops two lines that Qt writes for every window of a program without a screen, and nothing else.
void hush_offscreen_platform();

/// Renders the window as asked into a PNG. @returns the exit code.
int take_screenshot(MainWindow& window, const WorkbenchOptions& options);

/// The whole program. Exit codes: 0 ok, 1 failed (script expectation, screenshot), 2 wrong use, 3 the model cannot be
/// opened.
int run_workbench(int argc, char** argv);

}  // namespace ergode
