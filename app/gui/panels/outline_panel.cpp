#include "app/gui/panels/outline_panel.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <set>

#include "app/gui/look/icons.h"
#include "app/gui/look/look.h"
#include "app/session/catalogue.h"
#include "app/session/label.h"

namespace ergode {
namespace {

QString row_text(const Document& document, const Element& element) {
  const QString label = QString::fromStdString(editable_label(document, element)).simplified();
  if (!element.is_edge()) return label.isEmpty() ? QString::fromStdString(element.kind) : label;
  const Element* source = document.find(element.source);
  const Element* target = document.find(element.target);
  const auto name = [](const Element* end) {
    if (end == nullptr) return QStringLiteral("?");
    return QString::fromStdString(end->name().empty() ? end->kind : end->name());
  };
  const QString ends = QStringLiteral("%1 → %2").arg(name(source), name(target));
  return label.isEmpty() ? ends : ends + QStringLiteral("   ") + label;
}

}  // namespace

OutlinePanel::OutlinePanel(Workspace& workspace, QWidget* parent) : QTreeWidget(parent), workspace_(workspace) {
  setObjectName(QStringLiteral("panel.outline"));
  setAccessibleName(tr("Outline"));
  setHeaderHidden(true);
  setFrameShape(QFrame::NoFrame);
  setIndentation(14);
  setIconSize(QSize(16, 16));
  setUniformRowHeights(true);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setTextElideMode(Qt::ElideRight);
  connect(&workspace_, &Workspace::replaced, this, &OutlinePanel::rebuild_soon);
  connect(&workspace_, &Workspace::changed, this, &OutlinePanel::rebuild_soon);
  connect(&workspace_, &Workspace::diagram_shown, this, &OutlinePanel::rebuild_soon);
  connect(&workspace_, &Workspace::look_changed, this, &OutlinePanel::rebuild_soon);
  connect(&workspace_, &Workspace::selection_changed, this, &OutlinePanel::follow_selection);
  connect(&workspace_, &Workspace::problems_changed, this, &OutlinePanel::mark_problems);
  connect(this, &QTreeWidget::currentItemChanged, this, [this](QTreeWidgetItem* row) {
    if (row == nullptr || following_) return;
    const ElementId id(row->data(0, Qt::UserRole).toULongLong());
    if (!id) return;
    // Revealing rebuilds this tree; the signal has to be over first.
    QMetaObject::invokeMethod(
        this, [this, id] { workspace_.reveal(id); }, Qt::QueuedConnection);
  });
  const auto remember = [this](const QTreeWidgetItem* row, bool open) {
    if (!rebuilding_) opened_[key_of(*row)] = open;
  };
  connect(this, &QTreeWidget::itemExpanded, this, [remember](QTreeWidgetItem* row) { remember(row, true); });
  connect(this, &QTreeWidget::itemCollapsed, this, [remember](QTreeWidgetItem* row) { remember(row, false); });
  connect(&workspace_, &Workspace::replaced, this, [this] { opened_.clear(); });
  rebuild();
}

void OutlinePanel::contextMenuEvent(QContextMenuEvent* event) {
  // The menu key asks for that of the current row, wherever the pointer is.
  const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
  const QTreeWidgetItem* row = by_key ? currentItem() : itemAt(event->pos());
  if (row == nullptr) return;
  const ElementId id(row->data(0, Qt::UserRole).toULongLong());
  const QPoint at = by_key ? viewport()->mapToGlobal(visualItemRect(row).center()) : event->globalPos();
  if (id) Q_EMIT menu_wanted(id, at);
}

void OutlinePanel::keyPressEvent(QKeyEvent* event) {
  const QTreeWidgetItem* row = currentItem();
  const ElementId id(row != nullptr ? row->data(0, Qt::UserRole).toULongLong() : 0);
  if (id && event->key() == Qt::Key_Delete) Q_EMIT delete_wanted(id);
  else if (id && event->key() == Qt::Key_F2) Q_EMIT rename_wanted(id);
  else QTreeWidget::keyPressEvent(event);
}

/// The element's id, or the title of a section.
QString OutlinePanel::key_of(const QTreeWidgetItem& row) {
  const QVariant id = row.data(0, Qt::UserRole);
  return id.isValid() ? id.toString() : row.text(0);
}

void OutlinePanel::open(QTreeWidgetItem* row, bool usually) { row->setExpanded(opened_.value(key_of(*row), usually)); }

QTreeWidgetItem* OutlinePanel::add(QTreeWidgetItem* parent, const Element& element) {
  auto* row = parent != nullptr ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(this);
  row->setText(0, row_text(workspace_.document(), element));
  row->setToolTip(0, row->text(0));
  row->setData(0, Qt::UserRole, QVariant::fromValue<qulonglong>(element.id.bits()));
  const KindSpec* kind = workspace_.kind_of(element);
  if (kind != nullptr) {
    const NotationSpec* notation =
        element.section == Section::diagram ? catalogue().notation(element.text("notation")) : nullptr;
    const bool own = notation != nullptr && !notation->diagrams.empty();
    row->setIcon(0, icon(QString::fromStdString(own ? notation->diagrams.front().icon : kind->icon)));
  }
  rows_[element.id] = row;
  return row;
}

void OutlinePanel::add_children(QTreeWidgetItem* row, ElementId diagram, ElementId parent) {
  for (const Element* child : workspace_.document().children(diagram, parent)) {
    QTreeWidgetItem* own = add(row, *child);
    add_children(own, diagram, child->id);
    open(own, true);
  }
}

void OutlinePanel::rebuild_soon() {
  if (pending_) return;
  pending_ = true;
  QMetaObject::invokeMethod(this, &OutlinePanel::rebuild, Qt::QueuedConnection);
}

void OutlinePanel::rebuild() {
  pending_ = false;
  following_ = rebuilding_ = true;
  const int scrolled = verticalScrollBar()->value();
  clear();
  rows_.clear();
  const Document& document = workspace_.document();
  for (const Element* diagram : document.of(Section::diagram)) {
    QTreeWidgetItem* row = add(nullptr, *diagram);
    QFont font = row->font(0);
    font.setBold(diagram->id == workspace_.diagram());
    row->setFont(0, font);
    add_children(row, diagram->id, {});
    for (const Element* edge : document.edges(diagram->id)) add(row, *edge);
    open(row, diagram->id == workspace_.diagram());
  }
  for (const auto& [section, title] :
       {std::pair{Section::parameter, tr("Parameters")}, std::pair{Section::measure, tr("Measures")},
        std::pair{Section::scenario, tr("Scenarios")}}) {
    const auto elements = document.of(section);
    if (elements.empty()) continue;
    auto* row = new QTreeWidgetItem(this);
    row->setText(0, title);
    row->setForeground(0, look().muted);
    for (const Element* element : elements) add(row, *element);
    open(row, false);
  }
  verticalScrollBar()->setValue(scrolled);
  following_ = rebuilding_ = false;
  mark_problems();
  mark_active();
  follow_selection();
}

void OutlinePanel::show_active(const std::set<ElementId>& active) {
  if (active == active_) return;
  active_ = active;
  if (!pending_) mark_active();
}

void OutlinePanel::mark_active() {
  const QString sign = QStringLiteral("  ● ") + tr("active");
  for (const auto& [id, row] : rows_) {
    const bool on = active_.contains(id);
    QString text = row->text(0);
    if (on == text.endsWith(sign)) continue;
    if (on) text += sign;
    else text.chop(sign.size());
    row->setText(0, text);
    QFont font = row->font(0);
    font.setBold(on);
    row->setFont(0, font);
  }
}

void OutlinePanel::mark_problems() {
  if (pending_) return;
  for (const auto& [id, row] : rows_) {
    const Diagnostic* problem = workspace_.worst_problem(id);
    QColor colour = look().text;
    if (problem != nullptr && problem->severity == Severity::error) colour = look().error;
    if (problem != nullptr && problem->severity == Severity::warning) colour = look().warning;
    row->setForeground(0, colour);
    if (problem != nullptr)
      row->setToolTip(0, row->text(0) + QLatin1Char('\n') + QString::fromStdString(problem->message));
  }
}

void OutlinePanel::follow_selection() {
  if (pending_) return;
  following_ = true;
  const auto found = workspace_.selection().size() == 1 ? rows_.find(workspace_.selection().front()) : rows_.end();
  if (found != rows_.end()) {
    setCurrentItem(found->second);
    scrollToItem(found->second);
  } else {
    setCurrentItem(nullptr);
  }
  following_ = false;
}

}  // namespace ergode
