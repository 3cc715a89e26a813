#pragma once
#include <string>
#include <utility>
#include <vector>

#include "solvers/reliability/galileo/spare_modules.h"

namespace ergode {

/// Conditions on the charts of a tree, in the expression language. A text "true" or "false" stands for itself and is
/// folded away. Parts are put in brackets where they have blanks; more than 64 in a row are bracketed in groups, so
/// that the syntax tree of the text stays flat. O(length of the result).
namespace condition {
/// Of no parts: "true". A part that stands there twice is written once; so in any().
std::string all(const std::vector<std::string>& parts);
/// Of no parts: "false".
std::string any(const std::vector<std::string>& parts);
std::string negation(const std::string& part);
/// `count(A.Failed) + count(B.Failed) >= needed`, for any conditions; what is always true counts towards `needed`.
/// "true" when none is needed, "false" when there are too few.
std::string at_least(int needed, const std::vector<std::string>& parts);
}  // namespace condition

/// Writes conditions on the states of a tree's components; `names` are those of the components, by element. Elements
/// are numbers of FaultTree::elements. One thread: allowed() keeps count of what it has written.
class TreeConditions {
 public:
  /// @param tree  sound; tree, modules and names must outlive it. O(elements + inputs).
  TreeConditions(const FaultTree& tree, const SpareModules& modules, const std::vector<std::string>& names);

  std::string failed(int element) const { return name(element) + ".Failed"; }
  /// Name of the state in which a spare gate uses an input.
  std::string uses_state(int input) const { return "Uses_" + name(input); }
  /// An input of a spare gate is used by another one; "false" when no other gate has it.
  std::string used_elsewhere(int gate, int input) const;
  /// The gate fails when these conditions say which of its inputs have failed; without its memory (pand, por, spare).
  std::string static_gate(const TreeElement& gate, const std::vector<std::string>& failed) const;

  /// When a standing-by element becomes active, written out; empty: active from the start.
  std::string activation(int element) const;
  /// When the module becomes active: an active spare gate uses its representative. "false" when none ever does.
  std::string module_activation(std::size_t module) const;
  /// The module needs a component of its own: more than one element waits for it.
  bool has_component(std::size_t module) const { return component_[module]; }
  std::string module_name(std::size_t module) const;
  /// The event waits for activation and this makes a difference to it.
  bool stands_by(int event) const;

  /// The constraints (sequence, mutex) let the basic event fail now: none of them would be broken by what its failure
  /// makes fail at once. "true" when no constraint concerns it; nothing when the condition would be too long: more than
  /// 20,000 characters gone through for it, 100 million in all, or gates more than 1,000 deep.
  std::optional<std::string> allowed(int event);

 private:
  const std::string& name(int element) const { return names_[static_cast<std::size_t>(element)]; }
  /// `element` has failed after `event` fails now.
  std::string after(int element, int event);
  std::string after_spare(const TreeElement& gate, int element, int event);
  void find_constraints();
  void in_sequence(int constraint, const std::vector<std::size_t>& places, int event, std::vector<std::string>& parts);
  void one_of_all(int constraint, const std::vector<std::size_t>& places, int event, std::vector<std::string>& parts);

  const FaultTree& tree_;
  const SpareModules& modules_;
  const std::vector<std::string>& names_;
  std::vector<bool> component_;              ///< by module
  std::vector<bool> affected_;               ///< by element: stands above the event that is asked about
  std::vector<std::vector<int>> spares_of_;  ///< by element: spare gates that have it as an input, ascending
  std::vector<std::vector<std::pair<int, std::size_t>>> constraints_on_;  ///< by element: constraint and which input
  std::vector<std::vector<int>> above_;  ///< by element: gates above it that a constraint hangs on
  std::vector<bool> constrained_;        ///< by element: a constraint hangs on it
  std::size_t written_ = 0;      ///< characters of the condition so far: shared inputs are written out again and again
  std::size_t all_written_ = 0;  ///< of all conditions so far
  int depth_ = 0;
};

}  // namespace ergode
