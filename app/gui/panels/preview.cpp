#include "app/gui/panels/preview.h"

#include <QHeaderView>

#include "app/gui/panels/tables.h"
#include "core/report/report_section.h"
#include "core/study/run_request.h"

namespace ergode {
namespace {

constexpr int most_rows = 12;

QStringList texts(const std::vector<std::string>& all) {
  QStringList out;
  for (const std::string& one : all) out << QString::fromStdString(one);
  return out;
}

}  // namespace

Preview::Preview(Workspace& workspace, ElementId element, QWidget* parent)
    : QWidget(parent),
      workspace_(workspace),
      element_(element),
      heading_(new QLabel),
      sentences_(new QLabel),
      rows_(new QVBoxLayout(this)) {
  heading_->setProperty("role", "heading");
  sentences_->setWordWrap(true);
  sentences_->setProperty("role", "hint");
  sentences_->setObjectName(QStringLiteral("label.preview"));
  rows_->setContentsMargins(0, 10, 0, 0);
  rows_->setSpacing(4);
  rows_->addWidget(heading_);
  rows_->addWidget(sentences_);
  connect(&workspace_, &Workspace::changed, this, &Preview::refresh);
  connect(&workspace_, &Workspace::scenario_chosen, this, &Preview::refresh);
  refresh();
}

void Preview::refresh() {
  const Element* element = workspace_.find(element_);
  const KindSpec* kind = element != nullptr ? workspace_.kind_of(*element) : nullptr;
  if (kind == nullptr || !kind->preview) return;
  const ReportSection shown = kind->preview(workspace_.document(), element_, workspace_.run_context());
  heading_->setText(QString::fromStdString(shown.heading).toUpper());
  sentences_->setText(texts(shown.paragraphs).join(QLatin1Char('\n')));
  while (tables_.size() < shown.tables.size()) {
    tables_.push_back(plain_table(qPrintable(QStringLiteral("table.preview.%1").arg(tables_.size()))));
    rows_->addWidget(tables_.back());
  }
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    QTableWidget* table = tables_[i];
    table->setVisible(i < shown.tables.size());
    if (i >= shown.tables.size()) continue;
    const ReportTable& content = shown.tables[i];
    set_headings(table, texts(content.columns));
    table->setRowCount(static_cast<int>(content.rows.size()));
    bool words = false;
    for (int row = 0; row < table->rowCount(); ++row) {
      const QStringList cells = texts(content.rows[static_cast<std::size_t>(row)]);
      set_cells(table, row, cells);
      bool number = false;
      if (!cells.isEmpty()) cells.front().toDouble(&number);
      words = words || !number;
    }
    // Words need the room that numbers leave.
    if (words) table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    fit_height(table, most_rows);
  }
}

}  // namespace ergode
