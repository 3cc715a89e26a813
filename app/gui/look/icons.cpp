#include "app/gui/look/icons.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QSvgRenderer>

#include "app/gui/look/look.h"

namespace ergode {
namespace {

QHash<QString, QIcon>& cache() {
  static QHash<QString, QIcon> icons;
  return icons;
}

}  // namespace

QPixmap icon_pixmap(const QString& name, const QColor& colour, int size, qreal scale) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  QSvgRenderer renderer(file.readAll().replace("currentColor", colour.name().toLatin1()));
  QPixmap pixmap(QSize(size, size) * scale);
  pixmap.setDevicePixelRatio(scale);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  renderer.render(&painter, QRectF(0, 0, size, size));
  return pixmap;
}

QIcon icon(const QString& name) {
  const auto found = cache().constFind(name);
  if (found != cache().constEnd()) return *found;
  QIcon made;
  for (const qreal scale : {1.0, 2.0}) {
    for (const int size : {16, 24}) {
      const QPixmap normal = icon_pixmap(name, look().text, size, scale);
      if (normal.isNull()) return {};
      made.addPixmap(normal, QIcon::Normal);
      made.addPixmap(icon_pixmap(name, look().disabled, size, scale), QIcon::Disabled);
    }
  }
  cache().insert(name, made);
  return made;
}

void forget_icons() { cache().clear(); }

}  // namespace ergode
