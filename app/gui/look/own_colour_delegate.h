#pragma once
#include <QApplication>
#include <QPainter>
#include <QStyledItemDelegate>

namespace ergode {

/// Entries that have a colour of their own (Qt::ForegroundRole) keep it under the pointer and when they are chosen,
/// where a style sheet would give them that of the selection.
class OwnColourDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QVariant ink = index.data(Qt::ForegroundRole);
    if (!ink.isValid()) return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QStyle* style = item.widget != nullptr ? item.widget->style() : QApplication::style();
    const QRect place = style->subElementRect(QStyle::SE_ItemViewItemText, &item, item.widget).adjusted(2, 0, -2, 0);
    const QString text = item.fontMetrics.elidedText(item.text, Qt::ElideRight, place.width());
    item.text.clear();
    style->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);
    painter->save();
    painter->setFont(item.font);
    painter->setPen(ink.value<QBrush>().color());
    painter->drawText(place, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text);
    painter->restore();
  }
};

}  // namespace ergode
