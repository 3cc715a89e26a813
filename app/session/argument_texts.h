#pragma once
#include <optional>
#include <string>
#include <vector>

namespace ergode {

/// Of a list of arguments as somebody writes it, "gold = exponential(mean = 2 s), bulk = 5 s": what is on the left.
/// Nothing of a text that is no such list. All O(text).
std::vector<std::string> names_in(const std::string& arguments);
/// What stands on the right of a name; nothing: it is not there, or the text is no such list.
std::optional<std::string> argument_text(const std::string& arguments, const std::string& name);
/// The list with another text on the right of a name, or one more; the others as they are written. Of a text that is no
/// such list it is the new one alone.
std::string with_argument(const std::string& arguments, const std::string& name, const std::string& text);

}  // namespace ergode
