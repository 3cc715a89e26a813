#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// All names of a model, as its parameters and the notations of its diagrams declare them: what a word in an expression
/// means. Made for one state of a document, O(elements), and of no use for the next one; keeps no pointer into it.
/// Const for any thread. Questions cost O(length of the path squared) and hash look-ups.
class Names {
 public:
  /// @param document   read here and not kept
  /// @param catalogue  whose notations declare; read here and not kept
  Names(const Document& document, const Catalogue& catalogue);

  /// The elements that the words of a path mean, each with the index of the word that names it. A word may mean a
  /// parameter in one place of an expression and a state in another: then both are there.
  /// @param scope    the diagram in whose texts the path stands; null: none.
  /// @param indexed  an index follows the first word: EDG[2].Failed.
  /// @param words    of a path: at least one.
  /// @returns nothing where no word means an element: a function, a fixed word, a name that is not there.
  std::vector<std::pair<std::size_t, ElementId>> meaning(const std::vector<std::string>& words, bool indexed,
                                                         ElementId scope) const;
  /// What may follow this element's name after a dot; null: nothing.
  ElementId members_of(ElementId element) const;
  /// The value that a single word means in this scope alone, or null: names further out are not asked.
  ElementId value_in(ElementId scope, std::string_view word) const;
  /// Whether something with this name is known everywhere and no parameter: a component.
  bool global(ElementId element) const;

 private:
  using Found = std::vector<const DeclaredName*>;
  const Found& ending_in(ElementId scope, std::string_view word) const;
  /// The one name that the words from `first` to `last` (exclusive) mean in a scope, or null.
  const DeclaredName* find(ElementId scope, const std::vector<std::string>& words, std::size_t first,
                           std::size_t last) const;

  std::deque<DeclaredName> all_;
  std::unordered_map<ElementId, std::unordered_map<std::string, Found>> by_word_;  ///< scope -> last word of the path
  std::unordered_map<ElementId, const DeclaredName*> global_;                      ///< known everywhere: by element
};

/// Whether a name of this scope hides the word from the texts of the diagram: a variable, or a parameter of a chart.
bool hides(const std::vector<DeclaredName>& names, ElementId scope, std::string_view word);

}  // namespace ergode
