#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/expression/syntax.h"

namespace ergode {

/// What is declared with a type: `size: real MB = 3 MB, urgent: boolean = size < 1 MB, n = 3`.
struct DeclarationSyntax {
  ArgumentSyntax value;
  std::string type;    ///< as written between `:` and `=`; empty: none is
  int type_begin = 0;  ///< byte offset of the type
};

/// Reads `name: type = expression, name = expression`, where the type may be left out; all else as parse_arguments().
/// What a type is, is not checked. O(text).
std::variant<std::vector<DeclarationSyntax>, SyntaxError> parse_declarations(std::string_view text);

}  // namespace ergode
