#pragma once
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/document/element.h"

namespace ergode {

class Command;

/// What is saved: a flat list of elements in document order (the order matters: transitions are tried in it, tables are
/// listed in it). Edited only by `Command`s; everything else reads. A copy is a value and shares nothing, so a check in
/// the background works on its own copy.
///
/// Pointers and spans that it gives are good until the next change. Reading is for any number of threads, changing for
/// one and no reader beside it. It stands in memory as it stands in the file: nothing here knows what kinds mean.
class Document {
 public:
  /// A new model: a header element and nothing else.
  Document();

  /// Null: no element has this id. O(1).
  const Element* find(ElementId id) const;
  /// The model's header: name, description, horizon, default solver.
  const Element& model() const;
  std::span<const Element> elements() const { return elements_; }  ///< in document order, the header first
  /// Index of an element in elements(), or size() when it is not there. O(1).
  std::size_t index_of(ElementId id) const;

  /// Those of a section, in document order. O(elements).
  std::vector<const Element*> of(Section section) const;
  /// Nodes of a diagram with this parent (null: directly in the diagram), in document order. These three cost
  /// O(elements of the diagram).
  std::vector<const Element*> children(ElementId diagram, ElementId parent) const;
  std::vector<const Element*> nodes(ElementId diagram) const;
  std::vector<const Element*> edges(ElementId diagram) const;
  /// Edges that start or end at a node, a loop once, in document order. O(elements).
  std::vector<const Element*> incident(ElementId node) const;
  /// First element of a section with this name, or null. O(elements): for many names make a table of your own.
  const Element* named(Section section, std::string_view name) const;
  /// "EDG / Running / FirstHour": for messages, diagram first; edges as "A → B", an element without name as its kind.
  /// Empty for an unknown id. The parents of an element must not form a circle, which readers of files see to.
  std::string path(ElementId id) const;

  /// Parts of the file that this version does not know, kept for saving: key -> value of the top level.
  const Value& unknown() const { return unknown_; }

  /// For readers of files and for commands only, which keep ids unique; nothing is checked. index <= size. O(elements
  /// behind it).
  void insert(std::size_t index, Element element);
  void append(Element element) { insert(elements_.size(), std::move(element)); }
  void replace(std::size_t index, Element element);
  void remove(std::size_t index);
  /// An object: keys of the file that nobody here knows, with their values.
  void set_unknown(Value unknown) { unknown_ = std::move(unknown); }

  /// Equal in elements, their order and layout, and unknown parts. O(size).
  friend bool operator==(const Document& a, const Document& b) {
    return a.elements_ == b.elements_ && a.unknown_ == b.unknown_;
  }

 private:
  void reindex(std::size_t from);
  void list(std::size_t index);
  void unlist(std::size_t index);
  template <typename Wanted>
  std::vector<const Element*> drawn(ElementId diagram, Wanted wanted) const;

  std::vector<Element> elements_;
  std::unordered_map<ElementId, std::size_t> index_;
  /// Indices of the nodes and edges of each diagram, ascending. Kept with every change, not made when asked for:
  /// several threads read one document.
  std::unordered_map<ElementId, std::vector<std::size_t>> drawn_;
  Value unknown_ = Value::object();
};

}  // namespace ergode
