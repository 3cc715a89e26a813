#include "app/gui/plots/csv_preview.h"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>

#include "app/gui/look/look.h"
#include "core/base/csv.h"
#include "core/base/plural.h"
#include "core/base/text.h"

namespace ergode {
namespace {

constexpr std::size_t preview_rows = 6, preview_columns = 50;

}  // namespace

CsvPreview::CsvPreview(Read read, QWidget* parent)
    : QWidget(parent), read_(std::move(read)), table_(new QTableWidget), told_(new QLabel) {
  table_->setObjectName(QStringLiteral("view.law.file"));
  table_->setAccessibleName(tr("First rows of the file"));
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setSelectionMode(QAbstractItemView::NoSelection);
  table_->verticalHeader()->hide();
  table_->setToolTip(tr("Click a column to take it"));
  told_->setObjectName(QStringLiteral("label.law.file"));
  told_->setProperty("role", "muted");
  told_->setWordWrap(true);
  auto* rows = new QVBoxLayout(this);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->addWidget(table_);
  rows->addWidget(told_);
  const auto choose = [this](int column) {
    if (column >= 0 && column < columns_.size()) Q_EMIT chosen(columns_[column]);
  };
  connect(table_->horizontalHeader(), &QHeaderView::sectionClicked, this, choose);
  connect(table_, &QTableWidget::cellClicked, this, [choose](int, int column) { choose(column); });
}

void CsvPreview::show_file(const QString& name, const QString& column) {
  if (name != file_) {
    file_ = name;
    table_->clear();
    table_->setRowCount(0), table_->setColumnCount(0);
    columns_.clear();
    told_->clear();
    if (!name.isEmpty()) {
      const auto text = read_(name);
      if (const auto* why = std::get_if<QString>(&text)) told_->setText(*why);
      else fill(std::get<std::string>(text));
    }
    table_->setVisible(!columns_.isEmpty());
  }
  mark(column);
}

void CsvPreview::fill(const std::string& text) {
  const auto parsed = parse_csv(text);
  if (const auto* why = std::get_if<std::string>(&parsed)) return told_->setText(QString::fromStdString(*why));
  const auto& rows = std::get<std::vector<std::vector<std::string>>>(parsed);
  if (rows.empty()) return told_->setText(tr("The file is empty."));
  const std::vector<std::string>& first = rows.front();
  const bool header =
      std::none_of(first.begin(), first.end(), [](const std::string& cell) { return parse_number(trim(cell)); });
  const std::size_t shown = std::min(first.size(), preview_columns);
  for (std::size_t c = 0; c < shown; ++c)
    columns_ << (header ? QString::fromStdString(std::string(trim(first[c]))) : QString::number(c + 1));
  const std::size_t begin = header ? 1 : 0, end = std::min(rows.size(), begin + preview_rows);
  table_->setColumnCount(static_cast<int>(shown));
  table_->setRowCount(static_cast<int>(end - begin));
  table_->setHorizontalHeaderLabels(columns_);
  for (std::size_t r = begin; r < end; ++r)
    for (std::size_t c = 0; c < std::min(rows[r].size(), shown); ++c) {
      auto* cell = new QTableWidgetItem(QString::fromStdString(rows[r][c]));
      if (parse_number(trim(rows[r][c]))) cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(static_cast<int>(r - begin), static_cast<int>(c), cell);
    }
  table_->resizeColumnsToContents();
  const int row = table_->rowCount() > 0 ? table_->rowHeight(0) : 0;
  table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + row * table_->rowCount() + 18);
  told_->setText(tr("%1 of %2 are shown; a click on a column takes it.")
                     .arg(end - begin)
                     .arg(QString::fromStdString(counted(rows.size() - begin, "row"))));
}

void CsvPreview::mark(const QString& column) {
  auto which = static_cast<int>(columns_.indexOf(column.trimmed()));
  bool number = false;
  const int place = column.trimmed().toInt(&number);
  if (which < 0 && number) which = place - 1;
  if (column.trimmed().isEmpty()) which = 0;
  const QColor marked = look().grid, plain = look().canvas;
  for (int r = 0; r < table_->rowCount(); ++r)
    for (int c = 0; c < table_->columnCount(); ++c)
      if (QTableWidgetItem* cell = table_->item(r, c)) {
        cell->setBackground(c == which ? marked : plain);
        QFont font = cell->font();
        font.setBold(c == which);
        cell->setFont(font);
      }
}

}  // namespace ergode
