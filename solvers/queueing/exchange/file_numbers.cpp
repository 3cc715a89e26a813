#include "solvers/queueing/exchange/file_numbers.h"

#include <cmath>

#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {

std::string NumberRange::wanted() const {
  constexpr double largest = std::numeric_limits<double>::max();
  if (!whole && least == -largest && most == largest) return "a finite number";
  std::string out = whole ? "a whole number" : "a number";
  out += most == largest ? " of at least " + number_text(least)
                         : " from " + number_text(least, 10) + " to " + number_text(most, 10);
  return none ? out + ", or " + number_text(*none) + " for none" : out;
}

std::optional<double> FileNumbers::number(const std::string& text, const std::string& at, const std::string& what,
                                          const NumberRange& range) {
  const std::optional<double> value = parse_number(text);
  if (value && std::isfinite(*value)) {
    if (range.none && *value == *range.none) return value;
    if (*value >= range.least && *value <= range.most && (!range.whole || std::floor(*value) == *value)) return value;
  }
  refuse(text, at, what, range.wanted());
  return std::nullopt;
}

std::optional<bool> FileNumbers::truth(const std::string& text, const std::string& at, const std::string& what) {
  std::string word(trim(text));
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (word == "true") return true;
  if (word == "false") return false;
  refuse(text, at, what, "true or false");
  return std::nullopt;
}

void FileNumbers::refuse(const std::string& text, const std::string& at, const std::string& what,
                         const std::string& wanted) {
  problems_.push_back(
      {.code = code_,
       .message = "\"" + quotable(at) + "\": " + what + " is \"" + quotable(text) + "\"; wanted " + wanted + "."});
}

}  // namespace ergode
