#pragma once
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>
#include <QWidget>
#include <optional>

#include "app/gui/desk/workspace.h"

namespace ergode {

/// The parameters, measures, scenarios or diagrams of the model: one row each, names and values edited in place; a
/// row's other properties open in the inspector by a double click on its first column or the pencil.
class ElementTable : public QWidget {
  Q_OBJECT
 public:
  ElementTable(Workspace& workspace, Section section, QWidget* parent = nullptr);

 private:
  void refresh();
  void add();
  void remove();
  void open_row(int row);
  void take_edit(int row, int column);
  ElementId id_of(int row) const;
  bool typing() const;  ///< A cell is being edited.

  Workspace& workspace_;
  Section section_;
  std::string kind_, second_;  ///< Property shown in the last column.
  int value_column_;           ///< The last; of measures their type stands before it, to be read only.
  QTableWidget* table_;
  QToolButton* remove_;
  std::optional<std::size_t> made_at_;  ///< Depth of the history at which the newest row was made.
  bool filling_ = false, late_ = false;
};

}  // namespace ergode
