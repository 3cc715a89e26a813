#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ergode {

/// One of the words that a property may be; both stand in the table of the property, and nowhere else.
struct Choice {
  std::string name;   ///< In the file and on the command line: "alpha_staggered".
  std::string label;  ///< For people: "Alpha factors, staggered".
};

/// What people read for a word; the word itself when it is none of these (the name of a choice parameter). O(choices).
std::string choice_label(const std::vector<Choice>& choices, std::string_view name);
/// The word for what people read; the text itself when it is none of these.
std::string choice_name(const std::vector<Choice>& choices, std::string_view text);

}  // namespace ergode
