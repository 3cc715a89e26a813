#pragma once
#include <QFrame>
#include <QLineEdit>
#include <QListWidget>

namespace ergode {

class CanvasView;

/// Opens at the pointer: type two letters, Enter inserts the kind there. Escape or a click elsewhere closes it.
class QuickAdd : public QFrame {
 public:
  QuickAdd(CanvasView& canvas, QPointF at);
  void show_at(const QPoint& place);

 protected:
  /// Nothing done here is meant for the canvas below.
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& text);
  /// Adds what is chosen, and closes; with nothing to choose it says so.
  void insert();
  void leave();  ///< Closes without adding anything.
  CanvasView& canvas_;
  QPointF at_;
  QLineEdit* field_;
  QListWidget* list_;
};

}  // namespace ergode
