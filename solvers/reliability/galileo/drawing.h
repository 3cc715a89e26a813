#pragma once
#include <string>

#include "core/document/document.h"

namespace ergode {

/// Makes elements whose ids follow from what they are called, so that the same text always makes the same model and the
/// same random streams. An id is the first 64 bits of SHA-256 over origin and path.
class NamedElements {
 public:
  /// @param origin  what sets this model apart: two models with one origin share ids
  explicit NamedElements(std::string origin) : origin_(std::move(origin)) {}
  /// Never null.
  ElementId id(const std::string& path) const;

 private:
  std::string origin_;
};

/// Draws one statechart into a document. Transitions come in the order in which they are tried. Ids follow from the
/// name of the chart and the order of the calls. Places in drawing units, y downwards; nothing is checked.
class ChartDrawing {
 public:
  /// Appends the diagram. @param document, ids  must outlive it. @param name  of no other chart in the document
  ChartDrawing(Document& document, const NamedElements& ids, const std::string& name, const std::string& description);

  /// @param parent  the state or region around it; null: the chart
  ElementId state(const std::string& name, Rect place, ElementId parent = {});
  ElementId region(const std::string& name, Rect place, ElementId parent);
  ElementId choice(Point centre);
  /// An initial vertex to the left of `target`, and its transition.
  void initial(ElementId target, Point centre, ElementId parent = {});
  /// Texts as the notation writes them: "rate(lambda)"; role "failure" or empty.
  void transition(ElementId source, ElementId target, const std::string& trigger, const std::string& guard = {},
                  const std::string& role = {});
  /// A parameter that each component sets. @param type  "real", "time", ... @param unit  may be empty
  void parameter(const std::string& name, const std::string& type, const std::string& unit);

 private:
  ElementId node(const std::string& kind, Value properties, Rect place, ElementId parent);
  Document& document_;
  const NamedElements& ids_;
  std::string name_;
  ElementId chart_;
  int count_ = 0, parameters_ = 0;
};

}  // namespace ergode
