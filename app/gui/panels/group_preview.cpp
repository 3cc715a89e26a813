#include "app/gui/panels/group_preview.h"

#include <QHeaderView>
#include <QVBoxLayout>

#include "app/gui/look/look.h"
#include "app/gui/panels/tables.h"
#include "core/base/text.h"
#include "solvers/reliability/ccf_report.h"

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
  connect(&workspace_, &Workspace::scenario_chosen, this, &GroupPreview::refresh);
  refresh();
}

void GroupPreview::refresh() {
  const Element* element = workspace_.find(group_);
  if (element == nullptr) return;
  Diagnostics problems;
  const auto shown = ccf_group_facts(workspace_.document(), group_, workspace_.run_context(), problems, 64);
  if (!shown) return;
  const CcfGroupFacts& facts = *shown;
  const bool there = !facts.members.empty() && !has_errors(problems);
  orders_->setVisible(there);
  sets_->setVisible(there);
  if (facts.members.empty()) return summary_->setText(tr("Join the group to its members to see what it expands into."));
  if (!there) return summary_->setText(QString::fromStdString(problems.front().message));
  const std::vector<CcfCase>& cases = facts.cases;
  const auto text = [](const std::string& s) { return QString::fromStdString(s); };
  const auto number = [&](double si) { return text(number_text(si * facts.scale(), 4)); };
  const QString unit = *facts.unit() == 0 ? QString() : QStringLiteral(" [%1]").arg(QLatin1String(facts.unit()));

  int combinations = 0;
  for (const ExpandedSet& set : cases.front().expansion.sets) combinations += set.k >= 2;
  QStringList lines = {tr("%1 members, %2 combinations of two or more. %3.")
                           .arg(facts.members.size())
                           .arg(combinations)
                           .arg(workspace_.scenario().isEmpty()
                                    ? tr("Base parameter values")
                                    : tr("Values of scenario %1").arg(workspace_.scenario()))};
  for (const CcfCase& one : cases) {
    const QString total = number(total_component_rate(one.rates)) + (facts.on_demand ? QString() : tr(" /h"));
    QString line = one.states.empty() ? tr("No state is drawn in which the group can strike a member.")
                                      : tr("In %1: total of one member %2").arg(text(one.states), total);
    if (!one.independent) line += tr(", by the group alone (own failures are no constant rate)");
    else if (*one.independent > 0.0)
      line += (facts.drives_single ? tr(", besides %1 of its own") : tr(", %1 of it drawn in the chart"))
                  .arg(number(*one.independent));
    lines << line;
  }
  if (!facts.on_demand) lines << tr("Delay: %1").arg(text(delay_text(facts)));
  summary_->setText(lines.join(QLatin1Char('\n')));

  QStringList order_headings = {tr("k"), tr("Sets")}, set_headings_ = {tr("Fail together")};
  for (const CcfCase& one : cases) {
    const QString in = cases.size() > 1 ? tr(" in %1").arg(text(one.states)) : QString();
    order_headings << tr("Each%1%2").arg(unit, in) << tr("Share%1").arg(in);
    set_headings_ << (facts.on_demand ? tr("Probability%1").arg(in) : tr("Rate%1%2").arg(unit, in));
  }
  set_headings(orders_, order_headings);
  orders_->setRowCount(static_cast<int>(cases.front().expansion.orders.size()));
  for (int row = 0; row < orders_->rowCount(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    const ExpandedOrder& first = cases.front().expansion.orders[at];
    QStringList cells = {QString::number(first.k), QString::number(first.combinations)};
    for (const CcfCase& one : cases)
      cells << number(one.expansion.orders[at].specific)
            << QStringLiteral("%1 %").arg(one.expansion.orders[at].share * 100, 0, 'f', 1);
    set_cells(orders_, row, cells);
  }
  fit_height(orders_, 12);
  set_headings(sets_, set_headings_);
  sets_->setRowCount(0);
  for (std::size_t i = 0; i < cases.front().expansion.sets.size(); ++i) {
    const ExpandedSet& set = cases.front().expansion.sets[i];
    if (set.k < 2) continue;
    QStringList cells = {text(set.members)};
    for (const CcfCase& one : cases) cells << number(one.expansion.sets[i].specific);
    sets_->insertRow(sets_->rowCount());
    set_cells(sets_, sets_->rowCount() - 1, cells);
  }
  sets_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  fit_height(sets_, 12);
}

}  // namespace ergode
