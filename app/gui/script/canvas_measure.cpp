#include "app/gui/script/canvas_measure.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/main_window.h"
#include "app/session/catalogue.h"

namespace ergode {
namespace {

/// Nodes in rows, joined, of the first kinds of the first notation.
Document grid_chart(int nodes) {
  const NotationSpec& notation = catalogue().notations().front();
  const KindSpec& node_kind = notation.kinds.front();
  Document document;
  Edit edit(document, "Grid");
  Element diagram;
  diagram.section = Section::diagram;
  diagram.kind = "diagram";
  diagram.properties["name"] = "Grid";
  diagram.properties["notation"] = notation.name;
  const ElementId chart = edit.insert(diagram);
  const int columns = std::max(1, static_cast<int>(std::lround(std::sqrt(nodes))));
  std::vector<ElementId> ids;
  for (int i = 0; i < nodes; ++i) {
    Element state;
    state.section = Section::node;
    state.kind = node_kind.kind;
    state.diagram = chart;
    state.properties["name"] = "S" + std::to_string(i);
    state.layout.bounds = Rect{40.0 + 240 * (i % columns), 40.0 + 140 * (i / columns), 140, 60};
    ids.push_back(edit.insert(state));
  }
  const auto join = [&](int from, int to) {
    Element edge;
    edge.section = Section::edge;
    std::string why;
    edge.kind = notation.edge_kind(edit.document(), *edit.document().find(ids[0]), *edit.document().find(ids[1]), why);
    edge.diagram = chart;
    edge.source = ids[static_cast<std::size_t>(from)];
    edge.target = ids[static_cast<std::size_t>(to)];
    const KindSpec* kind = notation.kind(edge.kind);
    if (const PropertySpec* trigger = kind != nullptr ? kind->first(PropertyType::trigger) : nullptr)
      edge.properties[trigger->name] = "rate(1e-3 /h)";
    edit.insert(edge);
  };
  // One to the next of the row each, and every fifth one down.
  for (int i = 0; i < nodes; ++i) join(i, (i + 1) % nodes);
  for (int i = 0; i < nodes; i += 5) join(i, std::min(i + columns, nodes - 1));
  return edit.document();
}

QJsonObject summary(std::vector<double> ticks) {
  std::sort(ticks.begin(), ticks.end());
  const auto at = [&](double share) {
    return std::round(ticks[static_cast<std::size_t>(share * static_cast<double>(ticks.size() - 1))] * 100) / 100;
  };
  return {{"median_ms", at(0.5)}, {"p95_ms", at(0.95)}, {"most_ms", at(1)}};
}

double timed(const std::function<void()>& what) {
  QElapsedTimer clock;
  clock.start();
  what();
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

}  // namespace

QJsonObject measure_canvas(MainWindow& window, int nodes) {
  CanvasView& canvas = window.canvas();
  Workspace& workspace = window.workspace();
  QWidget* port = canvas.viewport();
  // Checks in the background would share the processor with what is measured.
  workspace.set_check([](const Document&) { return Diagnostics{}; });
  Document document = grid_chart(nodes);
  QJsonObject out{{"nodes", nodes}};
  out["open_ms"] = timed([&] { workspace.adopt(std::move(document)); });
  out["edges"] = static_cast<int>(workspace.document().edges(workspace.diagram()).size());
  out["fit_ms"] = timed([&] {
    canvas.fit();
    port->repaint();
  });
  constexpr int count = 40;
  std::vector<double> ticks;
  for (int i = 0; i < count; ++i)
    ticks.push_back(timed([&] {
      canvas.set_zoom(i < count / 2 ? canvas.zoom() * 1.1 : canvas.zoom() / 1.1);
      port->repaint();
    }));
  out["zoom"] = summary(std::move(ticks));
  const auto all = workspace.document().nodes(workspace.diagram());
  const ElementId middle = all[all.size() / 2]->id;
  canvas.set_zoom(1);
  canvas.centerOn(canvas.scene_items().bounds(middle).center());
  ticks.clear();
  for (int i = 0; i < count; ++i)
    ticks.push_back(timed([&] {
      canvas.horizontalScrollBar()->setValue(canvas.horizontalScrollBar()->value() + (i < count / 2 ? 13 : -13));
      port->repaint();
    }));
  out["pan"] = summary(std::move(ticks));
  const QPoint start = canvas.mapFromScene(canvas.scene_items().bounds(middle).center());
  const auto send = [&](QEvent::Type type, QPoint at, Qt::MouseButton button, Qt::MouseButtons buttons) {
    QMouseEvent event(type, at, port->mapToGlobal(at), button, buttons, Qt::NoModifier);
    QCoreApplication::sendEvent(port, &event);
  };
  out["select_ms"] = timed([&] {
    send(QEvent::MouseButtonPress, start, Qt::LeftButton, Qt::LeftButton);
    port->repaint();
  });
  ticks.clear();
  for (int i = 1; i <= count; ++i)
    ticks.push_back(timed([&] {
      send(QEvent::MouseMove, start + QPoint(3 * i, 2 * i), Qt::NoButton, Qt::LeftButton);
      port->repaint();
    }));
  out["drag"] = summary(std::move(ticks));
  out["drop_ms"] = timed([&] {
    send(QEvent::MouseButtonRelease, start + QPoint(3 * count, 2 * count), Qt::LeftButton, Qt::NoButton);
    port->repaint();
  });
  out["undo_ms"] = timed([&] {
    workspace.undo();
    port->repaint();
  });
  out["select_all_ms"] = timed([&] {
    window.actions_table()["edit.select_all"]->trigger();
    port->repaint();
  });
  return out;
}

}  // namespace ergode
