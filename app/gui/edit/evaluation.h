#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "app/session/law_preview.h"
#include "core/base/unit.h"
#include "core/catalogue/catalogue.h"

namespace ergode {

class ParameterTable;  // Its header has a variable named `slots`, which is a word of Qt.

/// What the expressions of a document are worth with the base values of its parameters (no scenario). Made once for a
/// state of the document, which outlives it: O(parameters).
///
/// One thread; remembers what it looked up.
class Evaluation {
 public:
  explicit Evaluation(const Document& document);
  ~Evaluation();

  /// "= 16 h" for the quantity `2*T_repair`; times and rates in the model's time unit. Empty for a plain number, for
  /// what changes during a run or differs between components (variables and parameters of the chart), and for mistakes.
  std::string value(const Element& element, const PropertySpec& spec) const;
  /// "mean 33330 h, rate 3e-05 /h" for rate(...), "mean 8 h" for after(...). Empty as above.
  std::string delay(const Element& element, const PropertySpec& trigger) const;

  /// What a text means as a time of an element; or why it is none: see session/law_preview.h.
  std::variant<LawPreview, std::string> preview(const Element& element, const std::string& property,
                                                const std::string& text, const DataFiles& files) const;

 private:
  const std::vector<DeclaredName>& inner_names(ElementId diagram) const;
  const Document& document_;
  std::unique_ptr<ParameterTable> table_;
  std::string time_unit_;
  bool sound_ = true;  ///< A mistake in one parameter may make any other a number without meaning.
  mutable std::unordered_map<ElementId, std::vector<DeclaredName>> inner_names_;  ///< by diagram, once asked for
  std::string in_unit(double si, const Dimension& dimension, const std::string& preferred) const;
};

}  // namespace ergode
