#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/catalogue/choice.h"
#include "core/document/document.h"
#include "core/expression/compile.h"
#include "core/expression/scope.h"

namespace ergode {

/// One parameter with its value worked out.
struct Parameter {
  std::string name;
  ElementId element;
  ValueType type;
  Unit unit;           ///< for display
  double value = 0.0;  ///< SI; booleans 0 or 1
  std::string choice;  ///< for choices
  std::vector<std::string> choices;
  bool overridden = false;         ///< by a scenario or by the user
  std::string value_text() const;  ///< "0.0011 /h", "exponential", "true"
};

/// All parameters of a model, after the scenario and the user's overrides. Values may be expressions of other
/// parameters, in any order and in chains of any length; circles are found and named. O(text * log parameters).
class ParameterTable {
 public:
  /// @param scenario   name of a scenario of the model, or empty.
  /// @param overrides  name -> text, applied after the scenario.
  /// Problems are appended to `problems` (PAR codes and those of expressions).
  static ParameterTable resolve(const Document& document, const std::string& scenario,
                                const std::map<std::string, std::string>& overrides, Diagnostics& problems);

  const Parameter* find(std::string_view name) const;
  const std::vector<Parameter>& all() const { return parameters_; }

 private:
  friend class ParameterResolver;
  std::vector<Parameter> parameters_;
  std::map<std::string, std::size_t, std::less<>> index_;  ///< by name; of several the first
};

/// A scope of parameters and running indices only: what is constant during a run.
class ParameterScope : public Scope {
 public:
  explicit ParameterScope(const ParameterTable& table) : table_(&table) {}
  /// A running index (`m` of a family of measures, `index` of an array); hides a parameter of the same name.
  void set_index(const std::string& name, long value) { indices_[name] = value; }

  std::optional<Symbol> name(std::string_view word) override;
  std::variant<Symbol, StateSet, std::string> path(const ResolvedPath& path) override;
  std::vector<std::string> names() const override;
  bool declares(std::string_view word) const override {
    return indices_.contains(word) || table_->find(word) != nullptr;
  }

 private:
  const ParameterTable* table_;
  std::map<std::string, long, std::less<>> indices_;
};

/// Reads a property as a value; absent or empty: `otherwise`. Errors are appended and `otherwise` is returned.
class PropertyReader {
 public:
  PropertyReader(Scope& scope, Diagnostics& problems) : scope_(scope), problems_(problems) {}
  double quantity(const Element& element, const char* property, Dimension dimension, double otherwise);
  long integer(const Element& element, const char* property, long otherwise);
  bool boolean(const Element& element, const char* property, bool otherwise);
  /// A word, or the value of a choice parameter of that name.
  std::string choice(const Element& element, const char* property, const std::string& otherwise,
                     const std::vector<Choice>& allowed);

 private:
  Scope& scope_;
  Diagnostics& problems_;
};

}  // namespace ergode
