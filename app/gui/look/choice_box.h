#pragma once
#include <QAbstractItemView>
#include <QComboBox>
#include <QHelpEvent>
#include <QLineEdit>
#include <QScreen>
#include <QScrollBar>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>

namespace ergode {

/// A list of which the chosen entry ends in "…" where there is no room for all of it, its whole being the tip. The list
/// that opens is as wide as its longest entry. An entry that has a colour (Qt::ForegroundRole) or a font (Qt::FontRole)
/// of its own has it when it is chosen too.
class ChoiceBox : public QComboBox {
  Q_OBJECT
 public:
  explicit ChoiceBox(QWidget* parent = nullptr) : QComboBox(parent) {
    // A text that was chosen and not typed shows how it begins, not how it ends.
    connect(this, &QComboBox::editTextChanged, this, [this] {
      if (isEditable() && !lineEdit()->isModified()) lineEdit()->home(false);
    });
  }
  /// The chosen entry as it is painted.
  QString shown_text() const { return fontMetrics().elidedText(currentText(), Qt::ElideRight, text_place().width()); }
  void showPopup() override {
    Q_EMIT opening();
    QAbstractItemView* list = view();
    const int bar = list->verticalScrollBar()->sizeHint().width();
    const int wide = list->sizeHintForColumn(0) + bar + 2 * list->frameWidth() + 8;
    const int room = screen() != nullptr ? screen()->availableGeometry().width() - 40 : wide;
    list->setMinimumWidth(std::min(std::max(wide, width()), room));
    QComboBox::showPopup();
  }

 protected:
  /// The wheel scrolls what is around it, or nothing: a choice under the pointer does not change by it.
  void wheelEvent(QWheelEvent* event) override { event->ignore(); }

 Q_SIGNALS:
  /// The list is about to be shown: time to bring its entries up to date.
  void opening();

 protected:
  void paintEvent(QPaintEvent* event) override {
    if (isEditable()) return QComboBox::paintEvent(event);  // its field scrolls
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = shown_text();
    if (const QVariant ink = currentData(Qt::ForegroundRole); ink.isValid())
      option.palette.setBrush(QPalette::Text, ink.value<QBrush>()),
          option.palette.setBrush(QPalette::ButtonText, ink.value<QBrush>());
    if (const QVariant font = currentData(Qt::FontRole); font.isValid()) painter.setFont(font.value<QFont>());
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
  }
  bool event(QEvent* event) override {
    if (event->type() == QEvent::ToolTip) {
      const bool cut = isEditable() ? fontMetrics().horizontalAdvance(currentText()) > text_place().width()
                                    : shown_text() != currentText();
      if (cut) {
        const QString more = toolTip().isEmpty() ? QString() : QLatin1Char('\n') + toolTip();
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), currentText() + more, this);
        return true;
      }
    }
    return QComboBox::event(event);
  }

 private:
  QRect text_place() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    return style()
        ->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this)
        .adjusted(1, 0, -2, 0);
  }
};

}  // namespace ergode
