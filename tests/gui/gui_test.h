#pragma once
#include <QApplication>
#include <QTemporaryDir>
#include <QtTest>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/main_window.h"
#include "app/gui/program/workbench.h"
#include "tests/support/test_program.h"

namespace ergode {

/// A window of fixed size whose state goes to a folder of its own; opens a model when one is given.
struct GuiFixture {
  explicit GuiFixture(const QString& model = {}) : window(state.path()) {
    if (!model.isEmpty()) opened = window.open(model);
    window.settle(QSize(1400, 900));
  }
  Workspace& workspace() { return window.workspace(); }
  CanvasView& canvas() { return window.canvas(); }
  QTemporaryDir state;
  MainWindow window;
  bool opened = false;
};

/// @name Examples that many tests open
/// @{
inline constexpr const char* repairable = "03_repairable_component/model.ergode";
inline constexpr const char* blackout = "02_station_blackout/model.ergode";
inline constexpr const char* queue = "10_mm1_queue/model.ergode";
/// @}

inline QString example(const char* path) {
  return QStringLiteral(ERGODE_SOURCE_DIR "/examples/") + QLatin1String(path);
}

/// A copy of an example in a folder of its own, so that runs and saves leave the source tree alone.
inline QString example_copy(const char* path, const QTemporaryDir& folder) {
  const QString copy = folder.filePath(QStringLiteral("model.ergode"));
  QFile::copy(example(path), copy);
  QFile::setPermissions(copy, QFile::ReadOwner | QFile::WriteOwner);
  return copy;
}

/// The first statechart of the model becomes the shown diagram.
inline void show_chart(GuiFixture& gui) {
  for (const Element* diagram : gui.workspace().document().of(Section::diagram))
    if (diagram->text("notation") == "statechart") return gui.workspace().show_diagram(diagram->id);
}

}  // namespace ergode

namespace ergode_tests {

template <class Class>
int run_with_desktop(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  ergode::prepare_application(application, "light");
  return run_without_application<Class>(argc, argv);
}

}  // namespace ergode_tests

#define ERGODE_GUI_TEST(Class) \
  static const ergode_tests::TestFile file_of_##Class(__FILE__, ergode_tests::run_with_desktop<Class>);
