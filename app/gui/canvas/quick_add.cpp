#include "app/gui/canvas/quick_add.h"

#include <QKeyEvent>
#include <QVBoxLayout>

#include "app/gui/canvas/canvas_view.h"
#include "app/gui/look/icons.h"

namespace ergode {

QuickAdd::QuickAdd(CanvasView& canvas, QPointF at)
    : QFrame(canvas.viewport()), canvas_(canvas), at_(at), field_(new QLineEdit), list_(new QListWidget) {
  setObjectName(QStringLiteral("view.quick_add"));
  setAttribute(Qt::WA_DeleteOnClose);
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  field_->setObjectName(QStringLiteral("field.quick_add"));
  field_->setAccessibleName(QObject::tr("Add an element"));
  field_->setPlaceholderText(QObject::tr("Add: type a name"));
  list_->setObjectName(QStringLiteral("list.quick_add"));
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(6, 6, 6, 6);
  rows->setSpacing(4);
  rows->addWidget(field_);
  rows->addWidget(list_);
  field_->installEventFilter(this);
  connect(field_, &QLineEdit::textChanged, this, &QuickAdd::filter);
  connect(list_, &QListWidget::itemClicked, this, [this] { insert(); });
  filter({});
  // Its list is of the diagram that was on show.
  connect(&canvas.workspace(), &Workspace::diagram_shown, this, &QuickAdd::leave);
  connect(&canvas.workspace(), &Workspace::replaced, this, &QuickAdd::leave);
}

void QuickAdd::filter(const QString& text) {
  list_->clear();
  const NotationSpec* notation = canvas_.workspace().notation();
  if (notation == nullptr) return;
  for (const KindSpec& kind : notation->kinds) {
    const QString label = QString::fromStdString(kind.label);
    if (kind.section != Section::node || !label.contains(text, Qt::CaseInsensitive)) continue;
    auto* row = new QListWidgetItem(icon(QString::fromStdString(kind.icon)), label, list_);
    row->setData(Qt::UserRole, QString::fromStdString(kind.kind));
    row->setToolTip(QString::fromStdString(kind.help));
  }
  if (list_->count() > 0) return list_->setCurrentRow(0);
  auto* nothing = new QListWidgetItem(QObject::tr("No element is called so"), list_);
  nothing->setFlags(Qt::NoItemFlags);
}

void QuickAdd::leave() {
  field_->removeEventFilter(this);
  const bool focused = field_->hasFocus() || list_->hasFocus();
  close();
  if (focused) canvas_.setFocus(Qt::OtherFocusReason);
}

void QuickAdd::show_at(const QPoint& place) {
  resize(200, 190);
  move(std::min(place.x(), canvas_.viewport()->width() - width() - 4),
       std::min(place.y(), canvas_.viewport()->height() - height() - 4));
  show();
  raise();
  field_->setFocus(Qt::PopupFocusReason);
}

void QuickAdd::insert() {
  const QListWidgetItem* row = list_->currentItem();
  const std::string kind = row != nullptr ? row->data(Qt::UserRole).toString().toStdString() : std::string();
  CanvasView& canvas = canvas_;
  const QPointF at = at_;
  const QString typed = field_->text();
  leave();
  canvas.setFocus(Qt::OtherFocusReason);
  if (!kind.empty()) canvas.place(kind, at, true);
  else canvas.workspace().say(QObject::tr("There is no element \"%1\" in this diagram; nothing was added").arg(typed));
}

void QuickAdd::keyPressEvent(QKeyEvent* event) { event->accept(); }
void QuickAdd::mousePressEvent(QMouseEvent* event) { event->accept(); }

bool QuickAdd::eventFilter(QObject* watched, QEvent* event) {
  if (watched == field_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Escape) return leave(), true;
    if (key == Qt::Key_Return || key == Qt::Key_Enter) return insert(), true;
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
      const int step = key == Qt::Key_Down ? 1 : -1;
      list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, list_->count() - 1));
      return true;
    }
  }
  if (watched == field_ && event->type() == QEvent::FocusOut && !list_->hasFocus()) {
    QMetaObject::invokeMethod(
        this,
        [this] {
          if (!field_->hasFocus() && !list_->hasFocus()) close();
        },
        Qt::QueuedConnection);
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace ergode
