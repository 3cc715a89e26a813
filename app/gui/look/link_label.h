#pragma once
#include <QLabel>
#include <QMouseEvent>

namespace ergode {

/// A text with links below a field. Pressing it leaves the focus with the field, and goes no further: what lies behind
/// (the canvas) would take the press for its own and end the editing before the link is heard.
class LinkLabel : public QLabel {
 public:
  LinkLabel() {
    setTextFormat(Qt::RichText);
    setWordWrap(true);
  }
  void belong_to(QWidget* field) {
    setFocusPolicy(Qt::ClickFocus);
    setFocusProxy(field);
  }

 protected:
  void mousePressEvent(QMouseEvent* event) override {
    QLabel::mousePressEvent(event);
    event->accept();
  }
  void mouseReleaseEvent(QMouseEvent* event) override {
    QLabel::mouseReleaseEvent(event);
    event->accept();
  }
};

}  // namespace ergode
