#pragma once
#include <QColor>
#include <QSize>
#include <QString>
#include <vector>

#include "core/drawing/picture.h"

class QApplication;
class QWidget;

namespace ergode {

/// Colours of the windows by role; contrast of every text role on canvas and panel is at least 4.5:1.
struct Look {
  QString name;  ///< "light" or "dark"
  QColor canvas, panel, raised, line, field;
  QColor text, muted, disabled;
  QColor node_border, node_fill, transition;
  QColor active_fill, active_border;
  QColor error, warning, info;
  QColor selection, selection_fill, grid;
  std::vector<QColor> series;  ///< In order; each also has its own dash and marker.
  /// Colour of a role of the pictures: the same as in reports, for this theme.
  QColor of(Role role) const;
  bool dark() const { return name == "dark"; }
};

const Look& light_look();
const Look& dark_look();
/// The theme in use.
const Look& look();

/// Loads the embedded fonts and fixes style and base font. Once, right after QApplication.
void prepare_look(QApplication& application);
/// Switches palette, style sheet and icon colours, live. Widgets get QEvent::PaletteChange; no document is touched.
void use_theme(QApplication& application, const QString& name);

/// Gives a window that size, or less where its screen, but for a frame and a title, has less room: buttons at its foot
/// stay within reach. Before it is shown.
void resize_on_screen(QWidget& window, QSize size);

/// Families of the embedded fonts: for expressions, and for everything else.
QString mono_family();
QString sans_family();

}  // namespace ergode
