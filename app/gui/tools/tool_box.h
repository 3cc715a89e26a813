#pragma once
#include "app/gui/canvas/tool.h"

namespace ergode {

/// The tools of this folder, for a canvas.
ToolBox drawing_tools();

}  // namespace ergode
