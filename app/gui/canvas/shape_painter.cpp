#include "app/gui/canvas/shape_painter.h"

#include <cmath>

#include "app/gui/look/look.h"

namespace ergode {
namespace {

QPen pen_of(const Primitive& shape, const Theme& theme, Detail detail) {
  if (shape.stroke == Role::none) return QPen(Qt::NoPen);
  QPen pen(to_colour(theme.color(shape.stroke)), shape.line_width);
  pen.setJoinStyle(Qt::RoundJoin);
  if (detail == Detail::outline) {
    pen.setWidthF(1);
    pen.setCosmetic(true);
    return pen;
  }
  const std::vector<double>& dashes = dash_pattern(shape.dash);
  if (!dashes.empty()) {
    QList<qreal> pattern;
    for (const double length : dashes) pattern.append(length / shape.line_width);
    pen.setDashPattern(pattern);
    pen.setCapStyle(Qt::FlatCap);
  }
  return pen;
}

QFont font_of(const Font& font) {
  QFont out(font.mono ? mono_family() : sans_family());
  out.setBold(font.bold);
  out.setHintingPreference(QFont::PreferNoHinting);
  // Pixel sizes are whole numbers in Qt; the painter is scaled for the rest.
  out.setPixelSize(std::max(1, static_cast<int>(std::lround(font.size))));
  return out;
}

void paint_words(QPainter& painter, const Primitive& shape, const Theme& theme) {
  if (shape.points.empty() || shape.text.empty()) return;
  const QFont font = font_of(shape.font);
  const QString text = QString::fromStdString(shape.text);
  const qreal stretch = shape.font.size / font.pixelSize();
  painter.save();
  painter.translate(to_qt(shape.points.front()));
  if (shape.upwards) painter.rotate(-90);
  painter.scale(stretch, stretch);
  painter.setFont(font);
  painter.setPen(to_colour(theme.color(shape.fill)));
  const qreal width = QFontMetricsF(font).horizontalAdvance(text);
  const qreal start = shape.anchor == Anchor::start ? 0 : shape.anchor == Anchor::middle ? -width / 2 : -width;
  painter.drawText(QPointF(start, 0), text);
  painter.restore();
}

}  // namespace

QColor to_colour(const Color& c) { return QColor(c.red, c.green, c.blue); }

Detail detail_at(qreal scale) { return scale < 0.2 ? Detail::outline : scale < 0.4 ? Detail::shapes : Detail::full; }

const Theme& drawing_theme() { return look().dark() ? Theme::dark() : Theme::light(); }

void paint_shape(QPainter& painter, const Primitive& shape, const Theme& theme, Detail detail) {
  if (shape.kind == Primitive::Kind::text) {
    if (detail == Detail::full) paint_words(painter, shape, theme);
    return;
  }
  painter.setPen(pen_of(shape, theme, detail));
  QColor fill = Qt::transparent;
  if (shape.fill != Role::none) {
    fill = to_colour(theme.color(shape.fill));
    fill.setAlphaF(static_cast<float>(shape.fill_opacity));
  }
  painter.setBrush(shape.fill == Role::none ? QBrush(Qt::NoBrush) : QBrush(fill));
  switch (shape.kind) {
    case Primitive::Kind::rectangle:
      if (shape.radius > 0 && detail != Detail::outline)
        painter.drawRoundedRect(to_qt(shape.box), shape.radius, shape.radius);
      else painter.drawRect(to_qt(shape.box));
      break;
    case Primitive::Kind::ellipse:
      painter.drawEllipse(to_qt(shape.box));
      break;
    case Primitive::Kind::polyline:
    case Primitive::Kind::polygon: {
      QPolygonF points;
      for (const Point& p : shape.points) points << to_qt(p);
      if (shape.kind == Primitive::Kind::polygon) painter.drawPolygon(points);
      else painter.drawPolyline(points);
      break;
    }
    case Primitive::Kind::text:
      break;
  }
}

}  // namespace ergode
