#pragma once
#include <QLineEdit>
#include <optional>

#include "core/base/element_id.h"

namespace ergode {

class CanvasView;

/// The field that opens on a label of the canvas. Enter applies, Escape restores, leaving it applies; a text that
/// cannot be a label stays in the field with the reason below it; what is wrong with the expressions is shown there
/// while they are typed, with a link that mends it where there is one.
class LabelEditor {
 public:
  explicit LabelEditor(CanvasView& canvas);
  ~LabelEditor();
  /// @param fresh  the element was made just now: its first label belongs to that step.
  void open(ElementId id, const QRect& place, bool centred, bool fresh);
  bool open() const;
  /// Without applying what was typed.
  void close_silently();

 private:
  bool apply();
  void check_draft(const std::string& text);
  CanvasView& canvas_;
  class Field;
  Field* field_;
  ElementId id_;
  std::optional<std::size_t> made_at_;  ///< Depth of the history at which a fresh element was made.
};

}  // namespace ergode
