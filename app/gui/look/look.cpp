#include "app/gui/look/look.h"

#include <QApplication>
#include <QFontDatabase>
#include <QPalette>
#include <QScreen>
#include <QStyleFactory>
#include <QWidget>

#include "app/gui/look/icons.h"
#include "app/gui/look/style_sheet.h"

namespace ergode {
namespace {

const Look* current = nullptr;

QPalette palette_of(const Look& t) {
  QPalette p;
  const auto both = [&p](QPalette::ColorRole role, const QColor& colour) { p.setColor(role, colour); };
  both(QPalette::Window, t.panel);
  both(QPalette::WindowText, t.text);
  both(QPalette::Base, t.field);
  both(QPalette::AlternateBase, t.raised);
  both(QPalette::ToolTipBase, t.raised);
  both(QPalette::ToolTipText, t.text);
  both(QPalette::Text, t.text);
  both(QPalette::PlaceholderText, t.muted);
  both(QPalette::Button, t.panel);
  both(QPalette::ButtonText, t.text);
  both(QPalette::BrightText, t.error);
  both(QPalette::Link, t.selection);
  both(QPalette::Highlight, t.selection_fill);
  both(QPalette::HighlightedText, t.text);
  both(QPalette::Light, t.raised);
  both(QPalette::Midlight, t.raised);
  both(QPalette::Mid, t.line);
  both(QPalette::Dark, t.line);
  both(QPalette::Shadow, t.line);
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, t.disabled);
  return p;
}

}  // namespace

const Look& light_look() {
  static const Look t{.name = "light",
                      .canvas = "#FFFFFF",
                      .panel = "#F8F9FA",
                      .raised = "#EEF1F4",
                      .line = "#D5DBE1",
                      .field = "#FFFFFF",
                      .text = "#1F2933",
                      .muted = "#52606D",
                      .disabled = "#9AA5B1",
                      .node_border = "#334E68",
                      .node_fill = "#EEF4FB",
                      .transition = "#52606D",
                      .active_fill = "#CDE8DE",
                      .active_border = "#00664B",
                      .error = "#B3261E",
                      .warning = "#8A5A00",
                      .info = "#334E68",
                      .selection = "#1A73E8",
                      .selection_fill = "#D7E6FB",
                      .grid = "#DDE3E9",
                      .series = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#A05A2C"}};
  return t;
}

const Look& dark_look() {
  static const Look t{.name = "dark",
                      .canvas = "#1E2329",
                      .panel = "#262C34",
                      .raised = "#303843",
                      .line = "#3C4652",
                      .field = "#1E2329",
                      .text = "#E6EDF3",
                      .muted = "#A7B4C2",
                      .disabled = "#66727F",
                      .node_border = "#8FB3D9",
                      .node_fill = "#2B3440",
                      .transition = "#A7B4C2",
                      .active_fill = "#1F4A3D",
                      .active_border = "#4FD1A5",
                      .error = "#FF8A80",
                      .warning = "#FFB74D",
                      .info = "#8FB3D9",
                      .selection = "#6CB1FF",
                      .selection_fill = "#2C4668",
                      .grid = "#2F3740",
                      .series = {"#56B4E9", "#E69F00", "#2DBE91", "#CC79A7", "#F0E442", "#FFFFFF"}};
  return t;
}

const Look& look() { return current != nullptr ? *current : light_look(); }

QString sans_family() { return QStringLiteral("DejaVu Sans"); }
QString mono_family() { return QStringLiteral("DejaVu Sans Mono"); }

void prepare_look(QApplication& application) {
  for (const char* name : {"DejaVuSans", "DejaVuSans-Bold", "DejaVuSansMono", "DejaVuSansMono-Bold"})
    QFontDatabase::addApplicationFont(QStringLiteral(":/fonts/%1.ttf").arg(QLatin1String(name)));
  application.setStyle(QStyleFactory::create("Fusion"));
  QFont font(sans_family());
  font.setPixelSize(12);
  application.setFont(font);
}

void use_theme(QApplication& application, const QString& name) {
  current = name == "dark" ? &dark_look() : &light_look();
  forget_icons();
  application.setPalette(palette_of(*current));
  application.setStyleSheet(style_sheet(*current));
}

void resize_on_screen(QWidget& window, QSize size) {
  constexpr QSize frame(16, 48);  // of the usual window managers, which nobody knows before the window is there
  const QScreen* screen = window.parentWidget() != nullptr ? window.parentWidget()->screen() : window.screen();
  if (screen != nullptr) size = size.boundedTo(screen->availableSize() - frame);
  window.resize(size);
}

QColor Look::of(Role role) const {
  const Color colour = (dark() ? Theme::dark() : Theme::light()).color(role);
  return {colour.red, colour.green, colour.blue};
}

}  // namespace ergode
