#pragma once
#include <string>
#include <vector>

#include "core/catalogue/catalogue.h"

namespace ergode {

/// What may be written in a property: names that an expression there may use ("mu", "desk.number", "machine[*].Up"),
/// with families of distributions and functions as they are begun ("exponential("), sorted; of a measure the streams
/// there are, of a ratio the measures above. Empty: nothing can be said. O(elements).
std::vector<std::string> name_offers(const Document& document, const Element& element, const PropertySpec& property);

/// The word that is being written at a place of a text, with its beginning: letters, digits, _ and dots, with the
/// index of an array in them. Empty in the unit of a number ("48 h").
struct WordAt {
  std::size_t begin = 0;
  std::string word;
};
WordAt word_at(const std::string& text, std::size_t place);

}  // namespace ergode
