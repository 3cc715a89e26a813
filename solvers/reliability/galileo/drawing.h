#pragma once
#include <string>

#include "core/document/document.h"

namespace ergode {

/// Makes elements whose ids follow from what they are called, so that the same text always makes the same model and
/// the same random streams.
class NamedElements {
 public:
  explicit NamedElements(std::string origin) : origin_(std::move(origin)) {}
  ElementId id(const std::string& path) const;

 private:
  std::string origin_;
};

/// Draws one statechart into a document. Transitions come in the order in which they are tried.
class ChartDrawing {
 public:
  ChartDrawing(Document& document, const NamedElements& ids, const std::string& name, const std::string& description);

  ElementId state(const std::string& name, Rect place, ElementId parent = {});
  ElementId region(const std::string& name, Rect place, ElementId parent);
  ElementId choice(Point centre);
  /// An initial vertex to the left of `target`, and its transition.
  void initial(ElementId target, Point centre, ElementId parent = {});
  void transition(ElementId source, ElementId target, const std::string& trigger, const std::string& guard = {},
                  const std::string& role = {});
  /// A parameter that each component sets.
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
