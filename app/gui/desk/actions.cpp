#include "app/gui/desk/actions.h"

#include <QJsonObject>

#include "app/gui/desk/typed_values.h"
#include "app/gui/look/icons.h"
#include "core/catalogue/catalogue.h"

namespace ergode {
namespace {

struct ActionSpec {
  const char *name, *text, *keys, *icon, *tip;
};

// Keys are separated by spaces; the first is shown.
constexpr ActionSpec table[] = {
    {"file.new", "&New", "Ctrl+N", "new", "A new model"},
    {"file.open", "&Open ...", "Ctrl+O", "open", "Open a model"},
    {"file.import", "&Import ...", "", "",
     "Make a model of a file of another program: statecharts, fault trees, Markov chains, queueing networks, Petri "
     "nets"},
    {"file.save", "&Save", "Ctrl+S", "save", "Save the model"},
    {"file.save_as", "Save &as ...", "Ctrl+Shift+S", "", "Save the model under another name"},
    {"file.export_diagram", "&Export diagram ...", "Ctrl+E", "export",
     "Write the shown diagram as SVG, PDF or PNG, in the print colours"},
    {"file.export_report", "Export &report ...", "Ctrl+Shift+E", "report",
     "Write an HTML report of the model and the chosen run"},
    {"file.export_run", "Export r&un ...", "", "", "Write the chosen run as CSV or JSON"},
    {"file.quit", "&Quit", "Ctrl+Q", "quit", "Leave the workbench"},
    {"edit.undo", "&Undo", "Ctrl+Z", "undo", "Take back the last step"},
    {"edit.redo", "&Redo", "Ctrl+Shift+Z Ctrl+Y", "redo", "Do the step again"},
    {"edit.cut", "Cu&t", "Ctrl+X", "cut", "Cut the selected elements"},
    {"edit.copy", "&Copy", "Ctrl+C", "copy", "Copy the selected elements"},
    {"edit.paste", "&Paste", "Ctrl+V", "paste", "Paste elements into the shown diagram"},
    {"edit.duplicate", "&Duplicate", "Ctrl+D", "duplicate", "Copy the selection beside itself"},
    {"edit.delete", "De&lete", "Del", "delete", "Delete the selected elements and what hangs on them"},
    {"edit.select_all", "Select &all", "Ctrl+A", "", "Select everything in the diagram"},
    {"edit.rename", "Rena&me", "F2", "", "Edit the name or label in place"},
    {"edit.find", "&Find ...", "Ctrl+F", "search", "Find an element by name or expression"},
    {"edit.properties", "P&roperties", "Alt+Return", "", "Go to the inspector"},
    {"view.zoom_in", "Zoom &in", "Ctrl++ Ctrl+=", "zoom_in", "Closer"},
    {"view.zoom_out", "Zoom &out", "Ctrl+-", "zoom_out", "Farther"},
    {"view.zoom_100", "&100 %", "Shift+0 Ctrl+0", "zoom_100", "Natural size"},
    {"view.zoom_fit", "&Fit", "Shift+1 Ctrl+1", "zoom_fit", "Show the whole diagram"},
    {"view.zoom_selection", "Fit &selection", "Shift+2 Ctrl+2", "", "Show the selection as large as fits"},
    {"view.numbers", "&Numbers of the run", "F4", "measure",
     "Write the numbers of the run on show at the elements: utilisation, mean number, throughput"},
    {"view.theme_light", "&Light", "", "", "Light colours"},
    {"view.theme_dark", "&Dark", "", "", "Dark colours"},
    {"view.reset_layout", "&Reset layout", "", "layout", "Put all panels back where they were at first"},
    {"view.full_screen", "F&ull screen", "F11", "", "Use the whole screen"},
    {"view.hide_panels", "&Hide panels", "Ctrl+.", "", "Hide or show all panels"},
    {"tool.select", "&Select", "", "select", "Select and move (V)"},
    {"tool.connect", "&Connect", "", "transition", ""},
    {"diagram.next", "Ne&xt diagram", "Ctrl+PgDown", "", "Show the next diagram"},
    {"diagram.previous", "Pre&vious diagram", "Ctrl+PgUp", "", "Show the diagram before"},
    {"arrange.left", "Align &left", "Ctrl+Alt+Left", "align_left", "Align left edges"},
    {"arrange.centre", "Align &centres", "", "align_center", "Align centres on a vertical line"},
    {"arrange.right", "Align &right", "Ctrl+Alt+Right", "align_right", "Align right edges"},
    {"arrange.top", "Align &top", "Ctrl+Alt+Up", "align_top", "Align top edges"},
    {"arrange.middle", "Align &middles", "", "align_middle", "Align centres on a horizontal line"},
    {"arrange.bottom", "Align &bottom", "Ctrl+Alt+Down", "align_bottom", "Align bottom edges"},
    {"arrange.distribute_h", "Distribute &horizontally", "Ctrl+Alt+H", "distribute", "Equal gaps from left to right"},
    {"arrange.distribute_v", "Distribute &vertically", "Ctrl+Alt+V", "", "Equal gaps from top to bottom"},
    {"arrange.reset_route", "Reset &route", "", "reset", "Route the selected edges automatically again"},
    {"model.settings", "&Model and parameters", "Ctrl+M", "model",
     "Show the model's properties, parameters, measures and scenarios"},
    {"model.add_parameter", "Add pa&rameter", "", "add", "A new row among the parameters"},
    {"model.add_measure", "&Add measure", "", "add", "A new row among the measures, which say what a run answers"},
    {"model.measure_everything", "Measure every &element", "", "measure",
     "Add the usual measures of every element that nothing asks for yet: mean number, utilisation, response time, "
     "throughput of stations"},
    {"problem.next", "&Next problem", "F8", "", "Go to the next problem"},
    {"problem.previous", "&Previous problem", "Shift+F8", "", "Go to the previous problem"},
    {"run.start", "&Run", "F5", "run", "Run the model"},
    {"run.pause", "&Pause", "F6", "pause", "Pause or resume the run"},
    {"run.stop", "&Stop", "Shift+F5", "stop", "Stop the run and keep what it has"},
    {"run.resume", "Res&ume selected run", "", "play",
     "Go on with the selected run where it was interrupted or stopped; it ends with the results of one that was not"},
    {"run.new_seed", "New s&eed", "", "seed", "Another seed for the next run"},
    {"run.options", "Run &options ...", "", "parameter", "Tolerances, rare events, Markov solvers, threads, stopping"},
    {"run.overload_ask", "&Ask first", "", "",
     "Where a station gets more work than it can do, ask before the model is run"},
    {"run.overload_run", "&Run", "", "", "Run a model too in which a station gets more work than it can do"},
    {"run.overload_refuse", "&Do not run", "", "",
     "Do not run a model in which a station gets more work than it can do"},
    {"run.sweep", "&Vary a parameter ...", "", "",
     "Run the model for each of several values and draw a measure over them"},
    {"step.forward", "S&tep", "F7", "step", "Go to the next transition of one history"},
    {"step.back", "Step &back", "Shift+F7", "step_back", "Undo the last step"},
    {"step.play", "P&lay", "Ctrl+F7", "play", "Step on by itself until a breakpoint or the end"},
    {"step.model_time", "By model &time", "Alt+Home", "follow",
     "Play so much model time in a second, instead of so many events"},
    {"step.faster", "Pla&y faster", "Alt+PgUp", "up", "The next greater speed of playing"},
    {"step.slower", "Play &slower", "Alt+PgDown", "down", "The next smaller speed of playing"},
    {"step.motion", "Show &movement", "", "flow", "Dots go along the flows that customers and tokens take"},
    {"step.restart", "Back to the be&ginning", "Ctrl+Shift+F7", "reset", "Begin the history again"},
    {"step.end", "&End stepping", "", "stop", "Leave the history; nothing is active any more"},
    {"step.breakpoint", "Toggle break&point", "F9", "breakpoint",
     "Stop stepping at the selected states or transitions"},
    {"step.save_trace", "Save t&race ...", "", "export", "Write what happened, with seed and exact times"},
    {"step.replay_trace", "Repla&y trace ...", "", "open", "Make a saved history again and compare it"},
    {"help.start", "&Start page", "", "", "Templates, examples and recent files"},
    {"help.topic", "&Help", "F1", "help", "Explain what is selected"},
    {"help.contents", "&Contents", "", "", "All pages of the help"},
    {"help.shortcuts", "&Keys", "", "", "All keys"},
    {"help.about", "&About", "", "info", "Version and environment"},
};

}  // namespace

namespace {

/// "Draw transitions and memberships (T, M)": the edges that the notations have.
QString connect_tip(const Catalogue& catalogue) {
  QStringList edges, keys;
  for (const NotationSpec& notation : catalogue.notations())
    for (const KindSpec& kind : notation.kinds) {
      if (kind.section != Section::edge) continue;
      edges << QString::fromStdString(kind.label).toLower() + QLatin1Char('s');
      if (!kind.shortcut.empty()) keys << QString::fromStdString(kind.shortcut);
    }
  const QString last = edges.isEmpty() ? QString() : edges.takeLast();
  return QObject::tr("Draw %1 (%2)")
      .arg(edges.isEmpty() ? last : edges.join(QStringLiteral(", ")) + QObject::tr(" and ") + last,
           keys.join(QStringLiteral(", ")));
}

}  // namespace

QStringList diagram_actions(const Catalogue& catalogue) {
  QStringList out;
  for (const NotationSpec& notation : catalogue.notations())
    for (const DiagramKind& kind : notation.diagrams) out << diagram_action_prefix + QString::fromStdString(kind.name);
  return out;
}

Actions::Actions(QObject* parent, const Catalogue& catalogue) : QObject(parent) {
  for (const ActionSpec& spec : table) {
    add(QLatin1String(spec.name), tr(spec.text), QLatin1String(spec.keys), QLatin1String(spec.icon), tr(spec.tip));
    if (QLatin1String(spec.name) != QLatin1String("tool.connect")) continue;
    ordered_.back()->setProperty("tip", connect_tip(catalogue));
    enable(QLatin1String(spec.name), {});
    for (const QString& name : diagram_actions(catalogue)) {
      const DiagramKind& kind = *catalogue.diagram_kind(name.mid(diagram_action_prefix.size()).toStdString()).second;
      add(name, QString::fromStdString(kind.menu), {}, QString::fromStdString(kind.icon),
          tr("Add a %1 to the model").arg(QString::fromStdString(kind.label).toLower()));
    }
  }
  restyle();
}

void Actions::add(const QString& name, const QString& text, const QString& keys, const QString& icon,
                  const QString& tip) {
  auto* action = new QAction(text, parent());
  action->setObjectName(QStringLiteral("action.") + name);
  QList<QKeySequence> shortcuts;
  for (const QString& key : keys.split(QLatin1Char(' '), Qt::SkipEmptyParts)) shortcuts << QKeySequence(key);
  action->setShortcuts(shortcuts);
  action->setProperty("icon_name", icon);
  action->setProperty("tip", tip);
  action->setIconText(QString(text).remove(QLatin1Char('&')).remove(QStringLiteral(" ...")));
  // Buttons and keys leave the focus where it is. Connected before anybody else is, so that others find the value.
  for (const char* heeds : {"file.", "run.", "step.", "model."})
    if (name.startsWith(QLatin1String(heeds))) connect(action, &QAction::triggered, this, &confirm_typed);
  actions_.insert(name, action);
  ordered_ << action;
  enable(name, {});
}

QAction* Actions::operator[](const char* name) const {
  QAction* found = actions_.value(QLatin1String(name));
  Q_ASSERT_X(found != nullptr, "Actions", name);
  return found;
}

void Actions::enable(const QString& name, const QString& why_not) {
  QAction* action = actions_.value(name);
  Q_ASSERT_X(action != nullptr, "Actions", qPrintable(name));
  action->setEnabled(why_not.isEmpty());
  QString tip = action->property("tip").toString();
  if (!action->shortcut().isEmpty())
    tip += QStringLiteral("  (%1)").arg(action->shortcut().toString(QKeySequence::NativeText));
  if (!why_not.isEmpty()) tip += QLatin1Char('\n') + why_not;
  action->setToolTip(tip);
  const QString before = action->statusTip();
  action->setStatusTip(why_not);
  // Qt takes a tip away when the pointer leaves a widget that has one, which this one then has not any more.
  if (!before.isEmpty() && before != why_not) Q_EMIT reason_gone(before);
}

void Actions::restyle() {
  for (QAction* action : ordered_) {
    const QString name = action->property("icon_name").toString();
    if (!name.isEmpty()) action->setIcon(icon(name));
  }
}

QJsonArray Actions::dump() const {
  QJsonArray out;
  for (const QAction* action : ordered_) {
    out.append(QJsonObject{{"id", action->objectName()},
                           {"text", action->text().remove(QLatin1Char('&'))},
                           {"shortcut", action->shortcut().toString(QKeySequence::PortableText)},
                           {"enabled", action->isEnabled()},
                           {"tip", action->toolTip()}});
  }
  return out;
}

}  // namespace ergode
