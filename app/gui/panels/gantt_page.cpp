#include "app/gui/panels/gantt_page.h"

#include <QPainter>
#include <QResizeEvent>
#include <algorithm>

#include "app/gui/canvas/shape_painter.h"

namespace ergode {

class PicturePage::Sheet : public QWidget {
 public:
  Picture picture;

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), to_colour(drawing_theme().color(Role::canvas)));
    if (!(picture.view.width > 0.0)) return;
    const double scale = width() / picture.view.width;
    painter.scale(scale, scale);
    painter.translate(-picture.view.x, -picture.view.y);
    for (const Primitive& shape : picture.primitives) paint_shape(painter, shape, drawing_theme(), Detail::full);
  }
};

PicturePage::PicturePage(QWidget* parent) : QScrollArea(parent), sheet_(new Sheet) {
  setWidget(sheet_);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void PicturePage::show_picture(Picture picture) {
  sheet_->picture = std::move(picture);
  fit();
  sheet_->update();
}

void PicturePage::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  fit();
}

void PicturePage::fit() {
  const Rect& view = sheet_->picture.view;
  const int wide = std::max(200, viewport()->width());
  const double scale = view.width > 0.0 ? wide / view.width : 1.0;
  sheet_->resize(wide, static_cast<int>(view.height * scale) + 1);
}

}  // namespace ergode
