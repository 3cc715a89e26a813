#include "app/gui/panels/tables.h"

#include <QHeaderView>
#include <QRegularExpression>

namespace ergode {
namespace {

/// A number alone or with its unit; not a name that begins with one, nor a date: "7.2 s", "1.2e-05 /yr", "12 %".
bool looks_like_a_number(const QString& text) {
  static const QRegularExpression number(
      QStringLiteral("^[-+]?[0-9][0-9.,]*([eE][-+]?[0-9]+)?(×10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?( [^\\s0-9]\\S*)?$"));
  return number.match(text).hasMatch();
}

}  // namespace

QTableWidget* plain_table(const char* name) {
  auto* table = new QTableWidget;
  table->setObjectName(QLatin1String(name));
  table->setShowGrid(false);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setWordWrap(false);
  table->setFrameShape(QFrame::NoFrame);
  table->verticalHeader()->hide();
  table->verticalHeader()->setDefaultSectionSize(24);
  table->horizontalHeader()->setFixedHeight(26);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  return table;
}

void set_headings(QTableWidget* table, const QStringList& headings) {
  table->setColumnCount(static_cast<int>(headings.size()));
  table->setHorizontalHeaderLabels(headings);
}

void set_cells(QTableWidget* table, int row, const QStringList& texts) {
  for (int column = 0; column < texts.size(); ++column) {
    QTableWidgetItem* cell = table->item(row, column);
    if (cell == nullptr) table->setItem(row, column, cell = new QTableWidgetItem);
    if (cell->text() == texts[column]) continue;
    cell->setText(texts[column]);
    cell->setToolTip(texts[column]);
    const bool number = looks_like_a_number(texts[column]);
    cell->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (number) table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  }
}

void fit_height(QTableWidget* table, int most) {
  const int rows = std::min(table->rowCount(), most);
  table->setFixedHeight(28 + rows * table->verticalHeader()->defaultSectionSize());
}

void fill_table(QTableWidget& into, const ResultTable& table) {
  QStringList heads;
  for (const ResultTable::Column& column : table.columns) heads << QString::fromStdString(column_text(column));
  set_headings(&into, heads);
  into.setRowCount(static_cast<int>(table.rows.size()));
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    QStringList cells;
    for (const ResultTable::Cell& cell : table.rows[row]) cells << QString::fromStdString(cell_text(cell));
    set_cells(&into, static_cast<int>(row), cells);
  }
}

}  // namespace ergode
