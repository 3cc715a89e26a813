#pragma once
#include <QGraphicsScene>
#include <memory>
#include <unordered_map>

#include "app/gui/canvas/element_item.h"
#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "core/drawing/diagram_picture.h"

namespace ergode {

/// The shown diagram as graphics items, one for each element, in the order of the drawing.
/// Holds no document: what is shown is what it was last given.
class DiagramScene : public QGraphicsScene {
  Q_OBJECT
 public:
  explicit DiagramScene(QObject* parent = nullptr);

  /// Makes the items agree with a document (or with the preview of a gesture). Problems colour borders and add badges.
  void show(const Document& document, ElementId diagram, const Diagnostics& problems = {});
  /// Cheap preview of a drag: `moved` stand elsewhere in `document` than before, everything else is as it was shown.
  void show_moved(const Document& document, const std::vector<ElementId>& moved);
  /// Whether other elements are marked than these problems ask for.
  bool marks_differ(const Diagnostics& problems) const;
  /// Draws these elements as selected, and no others.
  void show_selection(const Document& document, const std::vector<ElementId>& ids);
  /// Draws these states as active and these elements with a breakpoint, and no others.
  void show_history(const Document& document, std::unordered_set<ElementId> active,
                    std::unordered_set<ElementId> breakpoints);
  /// Draws who is at which node at a moment of a history (`history`), or nobody.
  void show_present(const Document& document, bool history,
                    std::unordered_map<ElementId, std::vector<Present>> present);
  const std::unordered_map<ElementId, std::vector<Present>>& present() const { return options_.present; }
  /// The line that an edge of the shown diagram runs along, to its very end; null: it is no edge there.
  const std::vector<Point>* path_of(ElementId edge) const;
  /// The place of an element among those of the shown diagram that are told apart; -1: it is not.
  int series(ElementId element) const;
  /// Writes these numbers at nodes, and no others; the document and its diagram are those last shown.
  void show_numbers(const Document& document, std::unordered_map<ElementId, NodeNumbers> numbers,
                    const std::string& caption);
  const std::unordered_map<ElementId, NodeNumbers>& numbers() const { return options_.numbers; }
  /// What is drawn of a run, for an export.
  DrawOptions numbers_alone() const;
  /// Null for what is not drawn; good until the next show().
  const ElementItem* item(ElementId id) const;

  /// Innermost node at a point; null when there is none.
  ElementId node_at(QPointF point) const;
  /// Edge whose line or label is within `tolerance` of a point.
  ElementId edge_at(QPointF point, double tolerance) const;
  ElementId edge_label_at(QPointF point) const;
  /// Bounds of a node, or of the line of an edge.
  QRectF bounds(ElementId id) const;
  /// Nodes within a rectangle, and edges whose line lies within it.
  std::vector<ElementId> within(const QRectF& area) const;
  /// Around everything that is drawn.
  QRectF content() const;

 private:
  struct Entry {
    std::unique_ptr<ElementItem> item;
    bool node = false, decoration = false;
    QRectF bounds;
  };
  void redraw(const Document& document, const std::vector<ElementId>& stale);
  void show_entry(const Document& document, ElementId id, std::vector<Primitive> shapes);

  std::unordered_map<ElementId, Entry> entries_;
  std::unique_ptr<DiagramGeometry> geometry_;
  DrawOptions options_;
  std::vector<ElementId> order_;
};

}  // namespace ergode
