#pragma once
#include "app/gui/canvas/tool.h"

namespace ergode {

/// Selects, moves, resizes, connects from border handles, bends and reconnects edges.
class SelectTool : public Tool {
 public:
  using Tool::Tool;
  QString name() const override { return QStringLiteral("select"); }
  void press(const CanvasEvent& event) override;
  void double_press(const CanvasEvent& event) override;
  void move(const CanvasEvent& event) override;
  void release(const CanvasEvent& event) override;
  void leave() override;
  void paint(QPainter& painter) const override;

 private:
  bool grab_handle(const CanvasEvent& event);
  /// What the pointer is over, as long as it is drawn: another diagram may be on show by now.
  ElementId hovered() const;
  ElementId hovered_;
  ElementId toggle_off_;  ///< Taken out of the selection when the press turns out to be a click.
};

}  // namespace ergode
