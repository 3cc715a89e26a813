#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "solvers/reliability/galileo/fault_tree.h"

namespace ergode {

/// One word of a Galileo statement; `key = value` is one word, whatever the spaces.
struct GalileoWord {
  std::string text;                       ///< without quotes; of `key=value` the key
  std::string value;                      ///< of `key=value`
  bool quoted = false, assigned = false;  ///< a name in quotes; `key=value`
  TextPlace place, value_place;           ///< value_place where assigned
};
using GalileoStatement = std::vector<GalileoWord>;

/// Splits a text into its statements, which end with `;`. Comments (`//` to the end of the line, `/* */`) and empty
/// statements are left out. Reports GAL001 for quotes, comments and a last statement that do not end, and goes on;
/// quotes end with their line. Words are not judged. O(length).
std::vector<GalileoStatement> galileo_statements(std::string_view text, Diagnostics& problems);

/// The tree that statements describe; the rest of parse_galileo(). Also for what was made of another format: places of
/// words are then those of that format.
FaultTree tree_of_statements(const std::vector<GalileoStatement>& statements, Diagnostics& problems);

}  // namespace ergode
