#include "app/gui/panels/group_preview.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "app/gui/edit/group_expansion.h"
#include "app/gui/look/look.h"
#include "app/gui/panels/tables.h"
#include "core/base/text.h"

namespace ergode {

GroupPreview::GroupPreview(Workspace& workspace, ElementId group, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      group_(group),
      summary_(new QLabel),
      orders_(plain_table("table.group.orders")),
      sets_(plain_table("table.group.sets")) {
  auto* heading = new QLabel(tr("EXPANSION"));
  heading->setProperty("role", "heading");
  summary_->setWordWrap(true);
  summary_->setProperty("role", "hint");
  summary_->setObjectName(QStringLiteral("label.group.summary"));
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 10, 0, 0);
  rows->setSpacing(4);
  rows->addWidget(heading);
  rows->addWidget(summary_);
  rows->addWidget(orders_);
  rows->addWidget(sets_);
  connect(&workspace_, &Workspace::changed, this, &GroupPreview::refresh);
  refresh();
}

void GroupPreview::refresh() {
  if (workspace_.find(group_) == nullptr) return;
  const GroupExpansion all = expand_group(workspace_.document(), group_);
  const bool there = all.not_available.empty();
  orders_->setVisible(there);
  sets_->setVisible(there);
  if (!there) return summary_->setText(QString::fromStdString(all.not_available));
  int combinations = 0;
  for (const ExpandedSet& set : all.expansion.sets) combinations += set.k >= 2;
  summary_->setText(
      tr("%1 members, %2 combinations of two or more. Base parameter values.").arg(all.members).arg(combinations));
  const QString unit = all.unit.empty() ? QString() : QStringLiteral(" [%1]").arg(QString::fromStdString(all.unit));
  const auto number = [&](double si) { return QString::fromStdString(number_text(si / all.unit_scale, 4)); };

  set_headings(orders_, {tr("k"), tr("Sets"), tr("Each%1").arg(unit), tr("Share")});
  orders_->setRowCount(static_cast<int>(all.expansion.orders.size()));
  for (int row = 0; row < orders_->rowCount(); ++row) {
    const ExpandedOrder& order = all.expansion.orders[static_cast<std::size_t>(row)];
    set_cells(orders_, row,
              {QString::number(order.k), QString::number(order.combinations), number(order.specific),
               QStringLiteral("%1 %").arg(order.share * 100, 0, 'f', 1)});
  }
  fit_height(orders_, 12);
  set_headings(sets_, {tr("Fail together"), all.demand ? tr("Probability") : tr("Rate%1").arg(unit)});
  sets_->setRowCount(0);
  for (const ExpandedSet& set : all.expansion.sets) {
    if (set.k < 2) continue;
    sets_->insertRow(sets_->rowCount());
    set_cells(sets_, sets_->rowCount() - 1, {QString::fromStdString(set.members), number(set.specific)});
  }
  sets_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  fit_height(sets_, 12);
}

}  // namespace ergode
