#pragma once
#include <QStringList>
#include <QTableWidget>

#include "core/results/result_table.h"

namespace ergode {

/// A quiet read-only table: no grid, whole rows, headings on the left.
QTableWidget* plain_table(const char* name);
void set_headings(QTableWidget* table, const QStringList& headings);
/// Texts of a row; numbers are set to the right. The full text is the tooltip.
void set_cells(QTableWidget* table, int row, const QStringList& texts);
/// As high as its rows, but at most `most` of them.
void fit_height(QTableWidget* table, int most);
/// Headings and rows of a solver's table, in place of what was there.
void fill_table(QTableWidget& into, const ResultTable& table);

}  // namespace ergode
