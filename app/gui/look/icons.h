#pragma once
#include <QIcon>
#include <QString>

namespace ergode {

/// One of the bundled line icons (app/gui/icons/NAME.svg) in the colours of the present theme, with a disabled variant.
/// Sharp at any scale. An unknown name gives a null icon.
QIcon icon(const QString& name);
/// The same in a given colour.
QPixmap icon_pixmap(const QString& name, const QColor& colour, int size, qreal scale = 1.0);
/// Drops the cache; after a change of theme the owners ask again.
void forget_icons();

}  // namespace ergode
