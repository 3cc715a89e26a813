#include "app/gui/program/workbench.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QScreen>
#include <QSettings>
#include <QThread>
#include <clocale>
#include <cstdio>

#include "app/gui/canvas/canvas_accessibility.h"
#include "app/gui/canvas/canvas_view.h"
#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/gui/main_window.h"
#include "app/gui/plots/live_plot.h"
#include "app/gui/run_bar.h"
#include "app/gui/script/canvas_measure.h"
#include "app/gui/script/script_player.h"
#include "app/session/keep.h"

static void load_resources() {
  Q_INIT_RESOURCE(workbench);
}  // A static library's resources are not found by themselves.

namespace ergode {
namespace {

WorkbenchOptions read_options(const QStringList& arguments, QString& wrong) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Draw stochastic models and run them."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addOptions(
      {{"screenshot", "Render the window into FILE and leave.", "FILE"},
       {"size", "Size of the window for a screenshot.", "WxH", "1600x1000"},
       {"theme", "light or dark.", "NAME"},
       {"select", "Select an element by id or name.", "ELEMENT"},
       {"dock", "Bring a panel to the front: problems, plot, results, log, inspector, history.", "NAME"},
       {"diagram", "Show a diagram by name.", "NAME"},
       {"start-page", "Show the start page."},
       {"run-for", "Run this long before the screenshot.", "SECONDS"},
       {"run", "Run this many replications before the screenshot.", "N"},
       {"ui-script", "Play a file of user events and expectations, and leave.", "FILE"},
       {"measure-canvas", "Time the canvas with a generated diagram of N states, print JSON and leave.", "N"},
       {"dump-actions", "Print all actions as JSON and leave."},
       {"config-dir", "Folder of settings.", "DIR"},
       {"state-dir", "Folder of recent files, layout and logs.", "DIR"}});
  parser.addPositionalArgument(QStringLiteral("MODEL"), QStringLiteral("Model to open (*.ergode)."),
                               QStringLiteral("[MODEL]"));
  if (!parser.parse(arguments)) wrong = parser.errorText();
  if (parser.isSet(QStringLiteral("help"))) {
    // There is no application yet that would know its name.
    std::fputs(
        qPrintable(parser.helpText().replace(QStringLiteral("<executable_name>"), QStringLiteral("ergode-workbench"))),
        stdout);
    std::exit(0);
  }
  if (parser.isSet(QStringLiteral("version"))) {
    std::puts("ergode-workbench " ERGODE_VERSION);
    std::exit(0);
  }
  WorkbenchOptions out;
  out.screenshot = parser.value(QStringLiteral("screenshot"));
  out.script = parser.value(QStringLiteral("ui-script"));
  out.theme = parser.value(QStringLiteral("theme"));
  out.select = parser.value(QStringLiteral("select"));
  out.dock = parser.value(QStringLiteral("dock"));
  out.diagram = parser.value(QStringLiteral("diagram"));
  out.size_text = parser.value(QStringLiteral("size"));
  out.run_for_s = parser.value(QStringLiteral("run-for")).toDouble();
  out.run_replications = parser.value(QStringLiteral("run")).toULongLong();
  out.start_page = parser.isSet(QStringLiteral("start-page"));
  out.measure_nodes = parser.value(QStringLiteral("measure-canvas")).toInt();
  if (parser.isSet(QStringLiteral("measure-canvas")) && out.measure_nodes < 10)
    wrong = QStringLiteral("A canvas is measured with 10 states or more");
  out.dump_actions = parser.isSet(QStringLiteral("dump-actions"));
  out.config_dir = parser.value(QStringLiteral("config-dir"));
  out.state_dir = parser.value(QStringLiteral("state-dir"));
  const QStringList models = parser.positionalArguments();
  if (models.size() > 1) wrong = QStringLiteral("One model at a time: %1").arg(models.join(QLatin1Char(' ')));
  if (!models.isEmpty()) out.model = models.front();
  if (!out.theme.isEmpty() && out.theme != QLatin1String("light") && out.theme != QLatin1String("dark"))
    wrong = QStringLiteral("The theme is light or dark, not %1").arg(out.theme);
  return out;
}

const Element* find_element(const Document& document, const QString& wanted) {
  const std::string text = wanted.toStdString();
  const Element* named = nullptr;
  for (const Element& element : document.elements()) {
    if (element.id.text() == text) return &element;
    if (named == nullptr && element.name() == text && element.section != Section::diagram) named = &element;
  }
  return named;
}

void wait_until(const std::function<bool()>& done, int limit_ms) {
  QElapsedTimer clock;
  clock.start();
  while (!done() && clock.elapsed() < limit_ms) {
    QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    QThread::msleep(5);
  }
}

QtMessageHandler earlier_handler = nullptr;

void pass_on(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (text == QLatin1String("This plugin does not support propagateSizeHints()")) return;
  if (text.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR not set"))) return;
  if (earlier_handler != nullptr) return earlier_handler(type, context, text);
  std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, text)));
}

}  // namespace

void hush_offscreen_platform() { earlier_handler = qInstallMessageHandler(pass_on); }

void prepare_application(QApplication& application, const QString& theme_name) {
  // The constructor sets the user's locale; with a decimal comma strtod("0.5") would then read 0.
  std::setlocale(LC_NUMERIC, "C");
  load_resources();
  application.setApplicationName(QStringLiteral("ergode-workbench"));
  application.setApplicationVersion(QStringLiteral(ERGODE_VERSION));
  application.setDesktopFileName(QStringLiteral("org.ergode.Workbench"));
  install_canvas_accessibility();
  prepare_look(application);
  use_theme(application, theme_name);
  application.setWindowIcon(QIcon(QStringLiteral(":/icons/app.svg")));
}

int take_screenshot(MainWindow& window, const WorkbenchOptions& options) {
  const QStringList sides = options.size_text.split(QLatin1Char('x'));
  const QSize size = sides.size() == 2 ? QSize(sides[0].toInt(), sides[1].toInt()) : QSize();
  if (size.width() < 200 || size.height() < 150) {
    std::fprintf(stderr, "The size is WIDTHxHEIGHT of at least 200x150, not %s\n", qPrintable(options.size_text));
    return 2;
  }
  window.settle(size);
  Workspace& workspace = window.workspace();
  wait_until([&] { return workspace.checked(); }, 20000);
  if (options.run_for_s > 0 || options.run_replications > 0) {
    if (options.run_replications > 0) window.run_bar().set_replications(options.run_replications);
    window.start_run();
    QElapsedTimer clock;
    clock.start();
    wait_until(
        [&] {
          return options.run_for_s > 0 && static_cast<double>(clock.elapsed()) > options.run_for_s * 1000
                     ? true
                     : !window.desk().run().active();
        },
        600000);
    window.desk().poll();
    window.plot().refresh();
  }
  if (!options.diagram.isEmpty()) {
    const Element* diagram = workspace.document().named(Section::diagram, options.diagram.toStdString());
    if (diagram == nullptr) {
      std::fprintf(stderr, "There is no diagram named %s\n", qPrintable(options.diagram));
      return 2;
    }
    workspace.show_diagram(diagram->id);
  }
  if (!options.select.isEmpty()) {
    const Element* element = find_element(workspace.document(), options.select);
    if (element == nullptr) {
      std::fprintf(stderr, "There is no element with the id or name %s\n", qPrintable(options.select));
      return 2;
    }
    workspace.reveal(element->id);
  }
  if (options.start_page) window.show_start_page();
  if (!options.dock.isEmpty() && !window.show_dock(options.dock)) {
    std::fprintf(stderr, "There is no panel named %s\n", qPrintable(options.dock));
    return 2;
  }
  for (int i = 0; i < 3; ++i) QCoreApplication::processEvents(QEventLoop::AllEvents, 50);
  window.plot().plot().replot();
  window.canvas().fit();
  QCoreApplication::processEvents();
  return window.grab().save(options.screenshot) ? 0 : 1;
}

int run_workbench(int argc, char** argv) {
  QStringList arguments;
  for (int i = 0; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  QString wrong;
  const WorkbenchOptions options = read_options(arguments, wrong);
  if (!wrong.isEmpty()) {
    std::fprintf(stderr, "%s\nTry ergode-workbench --help\n", qPrintable(wrong));
    return 2;
  }
  if (options.offscreen()) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    hush_offscreen_platform();
  }
  QApplication application(argc, argv);
  const QString state_dir = options.state_dir.isEmpty()
                                ? (options.offscreen() ? QDir::tempPath() + QStringLiteral("/ergode-offscreen")
                                                       : QString::fromStdString(state_folder()))
                                : options.state_dir;
  QDir().mkpath(state_dir);
  QString theme_name = options.theme;
  if (theme_name.isEmpty() && !options.offscreen())
    theme_name = QSettings(QDir(state_dir).filePath(QStringLiteral("workbench.ini")), QSettings::IniFormat)
                     .value(QStringLiteral("look/theme"))
                     .toString();
  if (theme_name.isEmpty() && !options.offscreen())
    theme_name = application.palette().color(QPalette::Window).lightness() < 128 ? QStringLiteral("dark")
                                                                                 : QStringLiteral("light");
  prepare_application(application, theme_name);
  MainWindow window(state_dir);
  if (options.dump_actions) {
    std::puts(QJsonDocument(window.actions_table().dump()).toJson(QJsonDocument::Indented).constData());
    return 0;
  }
  // Room for the title bar and the desktop's own panels on small screens.
  const QSize screen = window.screen()->availableGeometry().size();
  window.resize(QSize(1600, 1000).boundedTo(QSize(screen.width() - 20, screen.height() - 60)));
  const bool opened = options.model.isEmpty() || window.open(options.model);
  if (!opened && options.offscreen()) {
    std::fprintf(stderr, "%s could not be opened\n", qPrintable(options.model));
    return 3;
  }
  if (!options.screenshot.isEmpty()) return take_screenshot(window, options);
  if (!options.script.isEmpty()) return play_script_file(window, options.script);
  if (options.measure_nodes > 0) {
    window.settle(QSize(1600, 1000));
    std::puts(QJsonDocument(measure_canvas(window, options.measure_nodes)).toJson(QJsonDocument::Compact).constData());
    return 0;
  }
  window.show();
  if (options.model.isEmpty()) window.show_start_page();
  window.offer_lost_models();
  return application.exec();
}

}  // namespace ergode
