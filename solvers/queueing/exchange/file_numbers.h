#pragma once
#include <limits>
#include <optional>
#include <string>

#include "core/base/diagnostic.h"

namespace ergode {

/// What a number of a file may be: from `least` to `most`, whole or not; or `none`, where nothing is limited by it.
struct NumberRange {
  double least, most;
  bool whole = false;
  std::optional<double> none = std::nullopt;
  /// "a whole number from 1 to 2147483647, or -1 for none".
  std::string wanted() const;
};
inline constexpr double largest_integer = 2147483647.0;  ///< of the Java programs whose files are read
inline constexpr NumberRange any_probability{0.0, 1.0};
inline constexpr NumberRange any_amount{0.0, std::numeric_limits<double>::max()};
inline constexpr NumberRange any_count{0.0, largest_integer, true};
inline constexpr NumberRange any_positive_count{1.0, largest_integer, true};
inline constexpr NumberRange any_limit{1.0, largest_integer, true, -1.0};

/// The one reader of numbers of other programs' files: the whole text is a number of the range, or it is refused with
/// where it stands, what is seen and what is wanted: `"Queue 1": The number of its servers is "1e30"; wanted a whole
/// number from 1 to 2147483647.`
class FileNumbers {
 public:
  /// @param code  of what is refused; the list must outlive this
  FileNumbers(Diagnostics& problems, const char* code) : problems_(problems), code_(code) {}
  /// @param at    title of the element
  /// @param what  the number, as a sentence begins with it
  /// @returns nothing where it was refused
  std::optional<double> number(const std::string& text, const std::string& at, const std::string& what,
                               const NumberRange& range);
  /// "true" or "false", in whatever letters.
  std::optional<bool> truth(const std::string& text, const std::string& at, const std::string& what);
  void refuse(const std::string& text, const std::string& at, const std::string& what, const std::string& wanted);

 private:
  Diagnostics& problems_;
  const char* code_;
};

}  // namespace ergode
