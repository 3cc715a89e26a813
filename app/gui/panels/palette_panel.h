#pragma once
#include <QListWidget>

#include "app/gui/canvas/canvas_view.h"

namespace ergode {

/// Kinds of the shown notation, edges first: drag one to the canvas, or click it and then the canvas; a double click
/// keeps it. Rows stand closer where they do not all fit; using a tool never scrolls them.
class PalettePanel : public QListWidget {
  Q_OBJECT
 public:
  PalettePanel(Workspace& workspace, CanvasView& canvas, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;  ///< So wide that no name is cut.

 protected:
  void resizeEvent(QResizeEvent* event) override;
  QMimeData* mimeData(const QList<QListWidgetItem*>& rows) const override;

 private:
  void rebuild();
  void mark_tool();
  void use(const QListWidgetItem* row, bool sticky);
  Workspace& workspace_;
  CanvasView& canvas_;
};

}  // namespace ergode
