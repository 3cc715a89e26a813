#pragma once
#include <QStringList>
#include <QTableWidget>

namespace ergode {

/// A quiet read-only table: no grid, whole rows, headings on the left.
QTableWidget* plain_table(const char* name);
void set_headings(QTableWidget* table, const QStringList& headings);
/// Texts of a row; numbers are set to the right. The full text is the tooltip.
void set_cells(QTableWidget* table, int row, const QStringList& texts);
/// As high as its rows, but at most `most` of them.
void fit_height(QTableWidget* table, int most);

}  // namespace ergode
