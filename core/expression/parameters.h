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

/// One parameter with its value worked out. After an error of its own it is there all the same, with value 0 or what
/// was found wrong: the diagnostics decide whether the table may be used.
struct Parameter {
  std::string name;
  ElementId element;                 ///< of the document that was resolved
  ValueType type;                    ///< of a real without unit: what its value brings with it
  Unit unit;                         ///< for display
  double value = 0.0;                ///< SI; booleans 0 or 1
  std::string choice;                ///< for choices and files: the word; value is then 0
  std::vector<std::string> choices;  ///< words allowed
  bool file = false;                 ///< a file of data: any word
  bool overridden = false;           ///< by a scenario or by the user
  /// The value in its unit, for people: "0.0011 /h", "exponential", "true". Up to 12 digits: not for reading back.
  std::string value_text() const;  ///< "0.0011 /h", "exponential", "true"
};

/// All parameters of a model, after the scenario and the user's overrides, in document order. Values may be expressions
/// of other parameters, in any order and in chains of any length; circles are found and named. Const once resolved,
/// read by any number of threads.
///
///     Diagnostics problems;
///     const auto table = ParameterTable::resolve(document, "no repair", {{"lambda", "2e-4 /h"}}, problems);
///     if (const Parameter* p = table.find("mttr")) use(p->value);      // SI: seconds
class ParameterTable {
 public:
  /// Works all values out; after errors too, as far as it goes. O(text * log parameters); does not recurse.
  ///
  /// PAR001 name that is none or used twice, PAR002 no value, PAR003 type, unit or value not finite, PAR004 circle,
  /// PAR005 beyond minimum or maximum, PAR006 override of a parameter that is not there, PAR007 no such choice, PAR008
  /// no such scenario; UNI001, and those of expressions.
  /// @param scenario   name of a scenario of the model, or empty.
  /// @param overrides  name -> text of an expression with its unit, applied after the scenario. Those of properties
  ///                   (is_property_path()) are the document's, which with_properties() changes, and are passed over.
  /// @param problems   to be appended to.
  static ParameterTable resolve(const Document& document, const std::string& scenario,
                                const std::map<std::string, std::string>& overrides, Diagnostics& problems);

  /// Null: there is none. Of several of one name the first. Valid as long as the table. O(log parameters).
  const Parameter* find(std::string_view name) const;
  /// In document order, those with errors included.
  const std::vector<Parameter>& all() const { return parameters_; }

 private:
  friend class ParameterResolver;
  std::vector<Parameter> parameters_;
  std::map<std::string, std::size_t, std::less<>> index_;  ///< by name; of several the first
};

/// A scope of parameters and running indices only: what is constant during a run.
/// What is worked out before a run begins: sizes of arrays, constants of distributions, properties that are read once.
/// Paths name nothing here.
class ParameterScope : public Scope {
 public:
  /// @param table  must outlive the scope.
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

/// Reads a property as a constant; absent or empty: `otherwise`. Errors are appended to the problems, at the element
/// and the property, and `otherwise` is returned.
///
/// EXP codes for the text; EXP005 where a value changes during a run. Scope and problems must outlive it.
class PropertyReader {
 public:
  /// Holds both; they outlive it.
  PropertyReader(Scope& scope, Diagnostics& problems) : scope_(scope), problems_(problems) {}
  /// @returns the value in SI. @param otherwise  [SI]
  double quantity(const Element& element, const char* property, Dimension dimension, double otherwise);
  /// EXP005 from 1e15 on, where doubles no longer tell whole numbers apart.
  long integer(const Element& element, const char* property, long otherwise);
  /// Digits alone give every number up to 2^64 - 1 exactly, an expression those below 1e15. EXP005 for all else,
  /// negative ones among them.
  std::uint64_t natural(const Element& element, const char* property, std::uint64_t otherwise);
  /// The name of a file, in quotes or without, or the value of a parameter of type file or choice of that name; empty:
  /// none. Whether there is such a file is not asked.
  std::string file(const Element& element, const char* property);
  /// EXP003 for what is no condition.
  bool boolean(const Element& element, const char* property, bool otherwise);
  /// A word of `allowed`, or the value of a choice parameter of that name; no expression. DOC002 otherwise.
  std::string choice(const Element& element, const char* property, const std::string& otherwise,
                     const std::vector<Choice>& allowed);

 private:
  /// In SI; nothing where the property is absent, or after a complaint.
  std::optional<double> constant(const Element& element, const char* property, ValueType wanted);
  void complain(const Element& element, const char* property, std::string message);

  Scope& scope_;
  Diagnostics& problems_;
};

}  // namespace ergode
