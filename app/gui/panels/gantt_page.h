#pragma once
#include <QScrollArea>

#include "core/drawing/picture.h"

namespace ergode {

/// A picture as wide as there is room, with the height that this gives it; what is below is scrolled to. Painted as
/// exports are, in the palette of the windows.
class PicturePage : public QScrollArea {
 public:
  explicit PicturePage(QWidget* parent = nullptr);
  void show_picture(Picture picture);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Sheet;
  void fit();

  Sheet* sheet_;
};

}  // namespace ergode
