#pragma once
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include "core/document/document.h"

namespace ergode {

/// A model with one queueing diagram, made from a file of another program. Ids follow from the order in which things
/// are made, so that the same file always makes the same model. Times are in seconds.
class NetworkDrawing {
 public:
  explicit NetworkDrawing(const std::string& name);
  /// @param title  as the other program has it: made a name (letters, digits and _) that nobody has yet; known by it.
  ElementId node(const char* kind, const std::string& title, Value properties, Point centre);
  ElementId flow(ElementId from, ElementId to, Value properties = Value::object());
  /// Why no flow leads from one to the other; empty: one may.
  std::string why_not(ElementId from, ElementId to) const;
  void measure(const std::string& id, const std::string& type, Value properties);
  /// Null: there is none of this title.
  ElementId find(const std::string& title) const;
  /// What its title has become.
  std::string name_of(const std::string& title) const;
  std::string name_of(ElementId id) const { return document_.find(id)->name(); }
  void set(ElementId id, const std::string& property, Value value);
  /// Customers of this class only come to a node: nobody is asked for the others there.
  void only(ElementId id, const std::string& class_name) { only_[id] = class_name; }
  /// Empty: any may come.
  std::string only_class(ElementId id) const;
  /// Of the mission [s], of which three digits are kept, and how often it is simulated. The mission time is a parameter
  /// of this name, so that rates of what is counted follow when it is changed. Once, after the nodes.
  static constexpr const char* run_length = "run_length";
  void run_for(double horizon_s, int replications);
  Document& document() { return document_; }

 private:
  ElementId add(Element element);
  Document document_;
  ElementId diagram_;
  std::uint64_t count_ = 0;
  std::set<std::string> names_;
  std::map<std::string, int> alike_;  ///< how many of a name have been tried besides the first
  std::map<std::string, ElementId> by_title_;
  std::unordered_map<ElementId, std::string> only_;
};

}  // namespace ergode
