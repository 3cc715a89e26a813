#pragma once
#include <QScrollArea>
#include <QVBoxLayout>
#include <optional>
#include <vector>

#include "app/gui/desk/workspace.h"
#include "app/gui/panels/property_field.h"

namespace ergode {

/// Properties of the selection, made from the option tables. Nothing selected: the model itself with its tables.
/// Several selected: the properties they share.
class InspectorPanel : public QScrollArea {
  Q_OBJECT
 public:
  explicit InspectorPanel(Workspace& workspace, QWidget* parent = nullptr);
  /// Field of a property of what is shown, or null.
  PropertyField* field(const QString& property) const;
  void focus_first();
  /// The same for what was made just now: the first name it gets here belongs to its making.
  void name_new();

 Q_SIGNALS:
  void left();  ///< No field has the focus any more: the canvas has the next word.

 private:
  void rebuild();
  void refresh();
  void add_title(const QString& title, const QString& kind, const QString& icon_name, bool with_back);
  void add_fields(const std::vector<ElementId>& ids);
  void add_tables();
  /// Opens the dialog of laws; what is chosen there is applied to the field.
  void choose_law(PropertyField* field);
  /// Of which of those that the field may name a law is to be chosen: the only one, or what is picked from a menu.
  /// @param written  that stand there already
  /// @returns empty: none
  std::string choose_one(PropertyField* field, const std::vector<std::string>& written);
  bool visible_now(const PropertySpec& spec) const;
  QStringList texts_of(const PropertySpec& spec) const;
  void commit(const QString& property, const QString& text);
  void try_text(PropertyField* field, const QString& text);

  Workspace& workspace_;
  QWidget* page_ = nullptr;
  QVBoxLayout* rows_ = nullptr;
  std::vector<ElementId> shown_;
  std::optional<std::size_t> made_at_;  ///< Depth of the history at which the shown element was made.
  std::vector<PropertyField*> fields_;
  QLabel* title_ = nullptr;
  class LinkLabel* other_problems_ = nullptr;  ///< Those of no field.
  std::vector<QuickFix> other_fixes_;
  std::vector<std::pair<QLabel*, std::vector<PropertyField*>>> groups_;
};

}  // namespace ergode
