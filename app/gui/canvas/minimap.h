#pragma once
#include <QWidget>

namespace ergode {

class CanvasView;

/// The whole diagram in a corner of the canvas, with what is visible; a press or drag goes there. Hidden while the
/// diagram fits the window; takes the first corner that leaves the selection free.
class Minimap : public QWidget {
 public:
  explicit Minimap(CanvasView& canvas);
  void place();

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  QTransform to_map() const;
  void go(const QPoint& at);
  CanvasView& canvas_;
};

}  // namespace ergode
