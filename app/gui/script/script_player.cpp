#include "app/gui/script/script_player.h"

#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QThread>
#include <QtTest/QTest>
#include <cstdio>
#include <optional>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/main_window.h"
#include "core/base/read_file.h"
#include "core/format/hash.h"

namespace ergode {
namespace {

const Element* element_named(const MainWindow&, const Document& document, ElementId diagram, const QString& name) {
  const std::string text = name.toStdString();
  const Element* elsewhere = nullptr;
  for (const Element& element : document.elements()) {
    if (element.id.text() == text) return &element;
    if (element.name() != text) continue;
    if (element.diagram == diagram || element.section == Section::parameter) return &element;
    if (elsewhere == nullptr) elsewhere = &element;
  }
  return elsewhere;
}

std::optional<QPointF> scene_point(const QString& text) {
  const QStringList parts = text.split(QLatin1Char(','));
  bool x_ok = false, y_ok = false;
  if (parts.size() != 2) return std::nullopt;
  const QPointF point(parts[0].toDouble(&x_ok), parts[1].toDouble(&y_ok));
  if (!x_ok || !y_ok) return std::nullopt;
  return point;
}

Qt::KeyboardModifiers modifiers_of(const QJsonObject& step) {
  Qt::KeyboardModifiers out;
  for (const QJsonValue& value : step["modifiers"].toArray()) {
    if (value == "ctrl") out |= Qt::ControlModifier;
    if (value == "shift") out |= Qt::ShiftModifier;
    if (value == "alt") out |= Qt::AltModifier;
  }
  return out;
}

QString differs(const QString& what, const QString& seen, const QString& wanted) {
  return seen == wanted ? QString() : QStringLiteral("%1 is \"%2\", wanted \"%3\"").arg(what, seen, wanted);
}

}  // namespace

QString ScriptPlayer::play(const QJsonArray& steps) {
  int number = 0;
  for (const QJsonValue& step : steps) {
    ++number;
    const QString wrong = play_step(step.toObject());
    if (!wrong.isEmpty())
      return QStringLiteral("Step %1 %2: %3")
          .arg(number)
          .arg(QString::fromUtf8(QJsonDocument(step.toObject()).toJson(QJsonDocument::Compact)), wrong);
    QCoreApplication::processEvents();
  }
  return {};
}

QString ScriptPlayer::play_step(const QJsonObject& step) {
  if (step.contains("click") || step.contains("double_click") || step.contains("drag")) return mouse(step);
  if (step.contains("key")) {
    const QKeySequence keys(step["key"].toString());
    QWidget* focus = QApplication::focusWidget();
    // Offscreen windows may be inactive; keys then go to the canvas, where they would go for a user.
    if (focus == nullptr) focus = &window_.canvas();
    for (int i = 0; i < keys.count(); ++i)
      QTest::keyClick(focus, keys[static_cast<uint>(i)].key(), keys[static_cast<uint>(i)].keyboardModifiers());
    return keys.isEmpty() ? QStringLiteral("there is no such key") : QString();
  }
  if (step.contains("type")) {
    QWidget* focus = QApplication::focusWidget();
    if (focus == nullptr) return QStringLiteral("nothing has the focus");
    QTest::keyClicks(focus, step["type"].toString());
    return {};
  }
  if (step.contains("set")) {
    auto* field = window_.findChild<QWidget*>(step["set"].toString());
    if (field == nullptr) return QStringLiteral("there is no such field");
    const QString text = step["text"].toString();
    field->setFocus(Qt::OtherFocusReason);
    if (auto* line = qobject_cast<QLineEdit*>(field)) {
      line->selectAll();
      QTest::keyClicks(line, text);
      if (text.isEmpty()) line->clear();
    } else if (auto* notes = qobject_cast<QPlainTextEdit*>(field)) {
      notes->setPlainText(text);
      QTest::keyClick(notes, Qt::Key_Return, Qt::ControlModifier);
      return {};
    } else if (auto* box = qobject_cast<QComboBox*>(field)) {
      if (box->isEditable()) box->setEditText(text);
      else box->setCurrentText(text);
    } else {
      return QStringLiteral("texts cannot be set there");
    }
    if (!step["leave"].toBool()) QTest::keyClick(field, Qt::Key_Return);
    return {};
  }
  if (step.contains("trigger")) {
    QAction* action = window_.actions_table().find(step["trigger"].toString());
    if (action == nullptr) return QStringLiteral("there is no such action");
    if (!action->isEnabled()) return QStringLiteral("it is disabled: %1").arg(action->toolTip());
    action->trigger();
    return {};
  }
  Workspace& workspace = window_.workspace();
  if (step.contains("select")) {
    std::vector<ElementId> ids;
    for (const QJsonValue& name : step["select"].toArray()) {
      const Element* element = element_named(window_, workspace.document(), workspace.diagram(), name.toString());
      if (element == nullptr) return QStringLiteral("there is no element %1").arg(name.toString());
      ids.push_back(element->id);
    }
    workspace.select(ids);
    return {};
  }
  if (step.contains("diagram")) {
    const Element* diagram = workspace.document().named(Section::diagram, step["diagram"].toString().toStdString());
    if (diagram == nullptr) return QStringLiteral("there is no such diagram");
    workspace.show_diagram(diagram->id);
    return {};
  }
  if (step.contains("wait_idle")) return wait(false, step["wait_idle"].toInt(5000));
  if (step.contains("wait_run")) return wait(true, step["wait_run"].toInt(20000));
  if (step.contains("wait_ms")) {
    QTest::qWait(step["wait_ms"].toInt());
    return {};
  }
  if (step.contains("screenshot"))
    return window_.grab().save(step["screenshot"].toString()) ? QString() : QStringLiteral("not written");
  if (step.contains("save")) {
    const auto failed = workspace.save(step["save"].toString());
    return failed ? QString::fromStdString(failed->message) : QString();
  }
  if (step.contains("export")) return window_.export_diagram(step["export"].toString());
  if (step.contains("expect")) return expect(step["expect"].toObject());
  return QStringLiteral("this step is not known");
}

QString ScriptPlayer::mouse(const QJsonObject& step) {
  CanvasView& canvas = window_.canvas();
  Workspace& workspace = window_.workspace();
  const auto place = [&](const QString& text) -> std::optional<QPoint> {
    if (const auto point = scene_point(text)) return canvas.mapFromScene(*point);
    const Element* element = element_named(window_, workspace.document(), workspace.diagram(), text);
    if (element == nullptr || element->diagram != workspace.diagram()) return std::nullopt;
    const QRectF box = canvas.scene_items().bounds(element->id);
    const KindSpec* kind = workspace.kind_of(*element);
    // A composite is gripped by its title: its middle may be another element.
    const bool title = kind != nullptr && kind->container && box.height() > 80;
    return canvas.mapFromScene(title ? QPointF(box.center().x(), box.top() + 14) : box.center());
  };
  const QString verb = step.contains("click")  ? QStringLiteral("click")
                       : step.contains("drag") ? QStringLiteral("drag")
                                               : QStringLiteral("double_click");
  const QString target = step[verb].toString();
  if (auto* widget = window_.findChild<QWidget*>(target); widget != nullptr && verb != QLatin1String("drag")) {
    if (verb == QLatin1String("click")) QTest::mouseClick(widget, Qt::LeftButton);
    else QTest::mouseDClick(widget, Qt::LeftButton);
    return {};
  }
  const auto from = place(target);
  if (!from) return QStringLiteral("%1 is not on the canvas").arg(target);
  const Qt::KeyboardModifiers keys = modifiers_of(step);
  QWidget* port = canvas.viewport();
  if (verb == QLatin1String("click")) {
    QTest::mouseMove(port, *from);
    QTest::mouseClick(port, Qt::LeftButton, keys, *from);
    return {};
  }
  if (verb == QLatin1String("double_click")) {
    QTest::mouseDClick(port, Qt::LeftButton, keys, *from);
    return {};
  }
  const auto to = place(step["to"].toString());
  if (!to) return QStringLiteral("%1 is not on the canvas").arg(step["to"].toString());
  QTest::mousePress(port, Qt::LeftButton, keys, *from);
  // QTest::mouseMove has no modifiers; the events are sent as a window would.
  for (const QPoint& at : {*from + (*to - *from) / 2, *to}) {
    QMouseEvent move(QEvent::MouseMove, at, port->mapToGlobal(at), Qt::NoButton, Qt::LeftButton, keys);
    QCoreApplication::sendEvent(port, &move);
  }
  QTest::mouseRelease(port, Qt::LeftButton, keys, *to);
  return {};
}

QString ScriptPlayer::wait(bool for_run, int limit_ms) {
  QElapsedTimer clock;
  clock.start();
  const auto done = [&] { return window_.workspace().checked() && (!for_run || !window_.desk().run().active()); };
  while (!done()) {
    if (clock.elapsed() > limit_ms) return QStringLiteral("still busy after %1 ms").arg(limit_ms);
    QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    QThread::msleep(2);
  }
  window_.desk().poll();
  return {};
}

QString ScriptPlayer::expect(const QJsonObject& wanted) {
  for (const QString& key : wanted.keys()) {
    const QString wrong = expect_model(key, wanted[key]);
    if (!wrong.isEmpty()) return wrong;
  }
  return {};
}

QString ScriptPlayer::expect_model(const QString& key, const QJsonValue& value) {
  Workspace& workspace = window_.workspace();
  const Document& document = workspace.document();
  const auto named = [&](const QString& name) { return element_named(window_, document, workspace.diagram(), name); };
  if (key == "depth") return differs(key, QString::number(workspace.history().depth()), QString::number(value.toInt()));
  if (key == "undo_text")
    return differs(key, QString::fromStdString(workspace.history().undo_text()), value.toString());
  if (key == "modified")
    return differs(key, workspace.modified() ? "true" : "false", value.toBool() ? "true" : "false");
  if (key == "semantic") return differs(key, QString::fromStdString(semantic_hash(document)), value.toString());
  if (key == "file") return differs(key, QString::fromStdString(file_hash(document)), value.toString());
  if (key == "exists")
    return named(value.toString()) != nullptr ? QString() : QStringLiteral("there is no %1").arg(value.toString());
  if (key == "absent")
    return named(value.toString()) == nullptr ? QString() : QStringLiteral("%1 is there").arg(value.toString());
  if (key == "tool") return differs(key, window_.canvas().tool().name(), value.toString());
  if (key == "state") return differs(key, window_.desk().state_text(), value.toString());
  if (key == "nodes")
    return differs(key, QString::number(document.nodes(workspace.diagram()).size()), QString::number(value.toInt()));
  if (key == "edges")
    return differs(key, QString::number(document.edges(workspace.diagram()).size()), QString::number(value.toInt()));
  if (key == "problems")
    return differs(key, QString::number(workspace.problems().size()), QString::number(value.toInt()));
  if (key == "problem") {
    QStringList codes;
    for (const Diagnostic& problem : workspace.problems()) codes << QString::fromStdString(problem.code);
    return codes.contains(value.toString())
               ? QString()
               : QStringLiteral("problems are [%1], wanted %2").arg(codes.join(", "), value.toString());
  }
  if (key == "selected") {
    QStringList seen, asked;
    for (const ElementId id : workspace.selection()) seen << QString::fromStdString(workspace.find(id)->name());
    for (const QJsonValue& name : value.toArray()) asked << name.toString();
    return differs(key, seen.join(", "), asked.join(", "));
  }
  const QJsonObject detail = value.toObject();
  const Element* element = named(detail["element"].toString());
  if (element == nullptr) return QStringLiteral("there is no element for %1").arg(key);
  if (key == "property")
    return differs(detail["name"].toString(),
                   QString::fromStdString(element->text(detail["name"].toString().toStdString())),
                   detail["is"].toString());
  if (key == "parent") {
    const Element* parent = document.find(element->parent);
    return differs(key, parent != nullptr ? QString::fromStdString(parent->name()) : QString(),
                   detail["is"].toString());
  }
  if (key == "bounds") {
    const Rect box = element->layout.bounds.value_or(Rect{});
    const QJsonArray seen{box.x, box.y, box.width, box.height};
    if (seen == detail["is"].toArray()) return {};
    return differs(key, QString::fromUtf8(QJsonDocument(seen).toJson(QJsonDocument::Compact)),
                   QString::fromUtf8(QJsonDocument(detail["is"].toArray()).toJson(QJsonDocument::Compact)));
  }
  return QStringLiteral("\"%1\" cannot be expected").arg(key);
}

int play_script_file(MainWindow& window, const QString& path) {
  const auto text = read_text(path.toStdString());
  if (const auto* why = std::get_if<Diagnostic>(&text)) {
    std::fprintf(stderr, "%s: %s\n", why->code.c_str(), why->message.c_str());
    return 1;
  }
  QJsonParseError error;
  const QJsonDocument read = QJsonDocument::fromJson(QByteArray::fromStdString(std::get<std::string>(text)), &error);
  if (error.error != QJsonParseError::NoError) {
    std::fprintf(stderr, "%s: %s at byte %d\n", qPrintable(path), qPrintable(error.errorString()), error.offset);
    return 1;
  }
  const QStringList sides = read.object()["size"].toString(QStringLiteral("1600x1000")).split(QLatin1Char('x'));
  window.settle(sides.size() == 2 ? QSize(sides[0].toInt(), sides[1].toInt()) : QSize(1600, 1000));
  const QString wrong = ScriptPlayer(window).play(read.isArray() ? read.array() : read.object()["steps"].toArray());
  if (wrong.isEmpty()) return 0;
  std::fprintf(stderr, "%s\n", qPrintable(wrong));
  return 1;
}

}  // namespace ergode
