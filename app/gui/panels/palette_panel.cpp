#include "app/gui/panels/palette_panel.h"

#include <QMimeData>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <algorithm>
#include <vector>

#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/session/catalogue.h"

namespace ergode {
namespace {

constexpr int beside_name = 62;                      ///< icon, key and room around the name
constexpr int widest_hint = 205;                     ///< Longer names are cut: the drawing needs the room more.
constexpr int roomy_height = 26, close_height = 22;  ///< of a row: where all have room, and where not

/// Icon and name on the left, the key on the right.
class KindDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    // The name ends before the key.
    option->text = option->fontMetrics.elidedText(option->text, Qt::ElideRight, option->rect.width() - beside_name);
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const auto* list = qobject_cast<const QAbstractItemView*>(option.widget);
    const int rows = index.model()->rowCount();
    const bool all = list == nullptr || list->viewport()->height() >= rows * roomy_height;
    return {140, all ? roomy_height : close_height};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QString key = index.data(Qt::UserRole + 1).toString();
    QStyledItemDelegate::paint(painter, option, index);
    if (key.isEmpty()) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF box(option.rect.right() - 26, option.rect.center().y() - 8, 18, 17);
    painter->setPen(look().line);
    painter->setBrush(look().field);
    painter->drawRoundedRect(box, 3, 3);
    QFont font = option.font;
    font.setPixelSize(10);
    painter->setFont(font);
    painter->setPen(look().muted);
    painter->drawText(box, Qt::AlignCenter, key);
    painter->restore();
  }
};

}  // namespace

PalettePanel::PalettePanel(Workspace& workspace, CanvasView& canvas, QWidget* parent)
    : QListWidget(parent), workspace_(workspace), canvas_(canvas) {
  setObjectName(QStringLiteral("panel.palette"));
  setAccessibleName(tr("Palette"));
  setFrameShape(QFrame::NoFrame);
  setItemDelegate(new KindDelegate(this));
  setIconSize(QSize(16, 16));
  setDragEnabled(true);
  setDragDropMode(QAbstractItemView::DragOnly);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(this, &QListWidget::itemClicked, this, [this](QListWidgetItem* row) { use(row, false); });
  connect(this, &QListWidget::itemDoubleClicked, this, [this](QListWidgetItem* row) { use(row, true); });
  connect(this, &QListWidget::itemActivated, this, [this](QListWidgetItem* row) {
    if (!row->data(Qt::UserRole).toString().isEmpty()) canvas_.setFocus(Qt::OtherFocusReason);
  });
  connect(&workspace_, &Workspace::diagram_shown, this, &PalettePanel::rebuild);
  connect(&workspace_, &Workspace::look_changed, this, &PalettePanel::rebuild);
  connect(&workspace_, &Workspace::replaced, this, &PalettePanel::rebuild);
  connect(&canvas_, &CanvasView::tool_changed, this, &PalettePanel::mark_tool);
  rebuild();
}

// As wide for one notation as for another: the drawing must not move when a diagram of another is shown.
QSize PalettePanel::minimumSizeHint() const {
  int widest = 0;
  for (const NotationSpec& notation : catalogue().notations())
    for (const KindSpec& kind : notation.kinds)
      widest = std::max(widest, fontMetrics().horizontalAdvance(QString::fromStdString(kind.label)));
  const int wide = std::min(widest + beside_name + verticalScrollBar()->sizeHint().width(), widest_hint);
  return {wide, QListWidget::minimumSizeHint().height()};
}

QSize PalettePanel::sizeHint() const { return {190, roomy_height * std::max(count(), 4) + 8}; }

void PalettePanel::resizeEvent(QResizeEvent* event) {
  QListWidget::resizeEvent(event);
  scheduleDelayedItemsLayout();  // The height of a row depends on the room.
}

void PalettePanel::rebuild() {
  const int scrolled = verticalScrollBar()->value();
  clear();
  auto* select = new QListWidgetItem(icon(QStringLiteral("select")), tr("Select"), this);
  select->setData(Qt::UserRole + 1, QStringLiteral("V"));
  select->setData(Qt::UserRole + 2, QStringLiteral("select"));
  select->setToolTip(tr("Select and move (V, Esc)"));
  select->setFlags(select->flags() & ~Qt::ItemIsDragEnabled);
  const NotationSpec* notation = workspace_.notation();
  if (notation == nullptr) return;
  // Edges first: they are drawn more often than anything, and the end of the list may be out of sight.
  std::vector<const KindSpec*> kinds;
  for (const KindSpec& kind : notation->kinds) kinds.push_back(&kind);
  std::stable_partition(kinds.begin(), kinds.end(), [](const KindSpec* k) { return k->section == Section::edge; });
  for (const KindSpec* listed : kinds) {
    const KindSpec& kind = *listed;
    auto* row = new QListWidgetItem(icon(QString::fromStdString(kind.icon)), QString::fromStdString(kind.label), this);
    const bool edge = kind.section == Section::edge;
    row->setData(Qt::UserRole, QString::fromStdString(kind.kind));
    row->setData(Qt::UserRole + 1, QString::fromStdString(kind.shortcut));
    row->setData(Qt::UserRole + 2,
                 edge ? QStringLiteral("connect") : QStringLiteral("place.") + QString::fromStdString(kind.kind));
    // The name may be cut in the list.
    row->setToolTip(
        QString::fromStdString(kind.label + "\n" + kind.help) +
        (edge ? tr("\nDrag from one element to another; double-click keeps the tool.")
              : tr("\nDrag to the canvas, or click and then click the canvas; double-click keeps the tool.")));
    if (edge) row->setFlags(row->flags() & ~Qt::ItemIsDragEnabled);
  }
  mark_tool();
  updateGeometry();
  verticalScrollBar()->setValue(scrolled);
}

void PalettePanel::mark_tool() {
  // The list stays where the user has scrolled it: the tool that he goes on with is there.
  const int scrolled = verticalScrollBar()->value();
  for (int row = 0; row < count(); ++row)
    if (item(row)->data(Qt::UserRole + 2).toString() == canvas_.tool().name()) {
      setCurrentRow(row);
      break;
    }
  verticalScrollBar()->setValue(scrolled);
}

void PalettePanel::use(const QListWidgetItem* row, bool sticky) {
  const QString tool = row->data(Qt::UserRole + 2).toString();
  if (tool == QLatin1String("select")) canvas_.use_select_tool();
  else if (tool == QLatin1String("connect")) canvas_.use_connect_tool(sticky);
  else canvas_.use_place_tool(row->data(Qt::UserRole).toString(), sticky);
}

QMimeData* PalettePanel::mimeData(const QList<QListWidgetItem*>& rows) const {
  auto* mime = new QMimeData;
  if (!rows.isEmpty()) mime->setData(QLatin1String(kind_mime), rows.front()->data(Qt::UserRole).toString().toUtf8());
  return mime;
}

}  // namespace ergode
