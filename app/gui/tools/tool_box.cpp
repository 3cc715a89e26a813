#include "app/gui/tools/tool_box.h"

#include "app/gui/tools/place_tool.h"
#include "app/gui/tools/select_tool.h"

namespace ergode {

ToolBox drawing_tools() {
  return {.select = [](CanvasView& canvas) { return std::make_unique<SelectTool>(canvas); },
          .place = [](CanvasView& canvas, const std::string& kind,
                      bool sticky) { return std::make_unique<PlaceTool>(canvas, kind, sticky); },
          .connect = [](CanvasView& canvas, bool sticky) { return std::make_unique<ConnectTool>(canvas, sticky); }};
}

}  // namespace ergode
