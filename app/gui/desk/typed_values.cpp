#include "app/gui/desk/typed_values.h"

#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QTextEdit>

namespace ergode {

void confirm_typed() {
  const QPointer<QWidget> focus = QApplication::focusWidget();
  if (focus == nullptr || QApplication::activeModalWidget() != nullptr) return;
  const auto* box = qobject_cast<QComboBox*>(focus);  // has the focus of the line in it
  const bool line = box != nullptr ? box->isEditable() : qobject_cast<QLineEdit*>(focus) != nullptr;
  if (!line && qobject_cast<QPlainTextEdit*>(focus) == nullptr && qobject_cast<QTextEdit*>(focus) == nullptr) return;
  // As long as names are offered below a field it hears of no leaving.
  if (QWidget* list = QApplication::activePopupWidget(); list != nullptr && list->focusProxy() == focus) list->hide();
  focus->clearFocus();
  // The editor of a table's cell is gone by now, or about to be.
  if (focus != nullptr && focus->isVisible()) focus->setFocus(Qt::OtherFocusReason);
}

}  // namespace ergode
