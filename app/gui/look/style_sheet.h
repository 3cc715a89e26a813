#pragma once
#include <QString>

#include "app/gui/look/look.h"

namespace ergode {

/// What the palette alone cannot say: flat docks, tabs, tables, fields with a focus ring of at least 3:1.
QString style_sheet(const Look& look);

}  // namespace ergode
