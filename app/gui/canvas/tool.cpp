#include "app/gui/canvas/tool.h"

#include "app/gui/canvas/canvas_view.h"

namespace ergode {

Drag::~Drag() { canvas_.end_preview(); }

void Tool::move(const CanvasEvent& event) {
  if (drag_) drag_->move(event);
}

void Tool::release(const CanvasEvent& event) {
  if (!drag_) return;
  const std::unique_ptr<Drag> finished = std::move(drag_);
  finished->drop(event);
}

bool Tool::cancel() {
  const bool was = dragging();
  drag_.reset();
  return was;
}

void Tool::paint(QPainter& painter) const {
  if (drag_) drag_->paint(painter);
}

}  // namespace ergode
