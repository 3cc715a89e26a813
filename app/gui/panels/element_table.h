#pragma once
#include <QLabel>
#include <QTableWidget>
#include <QToolButton>
#include <QWidget>
#include <optional>
#include <vector>

#include "app/gui/desk/workspace.h"

namespace ergode {

/// The parameters, measures, scenarios or diagrams of the model: one row each, names and values edited in place; a
/// row's other properties open in the inspector by the pencil, or the row's menu.
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
  int value_column_;           ///< The last; of measures their type stands before it, with a list.
  QTableWidget* table_;
  QToolButton *open_, *remove_;         ///< both for the row that is selected
  std::vector<Choice> types_;           ///< of measures
  std::optional<std::size_t> made_at_;  ///< Depth of the history at which the newest row was made.
  bool filling_ = false, late_ = false;
};

}  // namespace ergode
