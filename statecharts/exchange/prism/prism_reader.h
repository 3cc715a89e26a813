#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/base/diagnostic.h"
#include "core/document/document.h"
#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {

/// A program of the PRISM language as a model, and what its questions are in our language.
class PrismImport {
 public:
  /// @param unit  of time, which PRISM leaves open.
  PrismImport(std::string_view text, const std::string& name, const std::string& unit = "h");

  std::optional<Document> document;  ///< Absent when the program is refused.
  Diagnostics diagnostics;           ///< PRI codes, with line and column

  /// A condition over variables and labels, as measures read it.
  std::variant<std::string, Diagnostic> condition(std::string_view text) const;
  /// A reward structure as gain per unit of time; nothing when there is none of that name. What transitions give is
  /// their rate times the reward, which has the same expectation over any time.
  /// @param transitions  with what transitions give.
  std::optional<std::string> reward(const std::string& name, bool transitions = true) const;

 private:
  PrismProgram program_;
};

}  // namespace ergode
