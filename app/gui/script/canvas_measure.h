#pragma once
#include <QJsonObject>

namespace ergode {

class MainWindow;

/// Shows a generated statechart of `nodes` states and 1.2 times as many transitions, and times what a user does to it,
/// event and repaint together: {"nodes", "edges", "open_ms", "fit_ms", "pan", "zoom", "drag", "drop_ms", ...}, where
/// pan, zoom and drag hold {"median_ms", "p95_ms", "most_ms"} of their ticks.
QJsonObject measure_canvas(MainWindow& window, int nodes);

}  // namespace ergode
