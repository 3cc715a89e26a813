#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/element_id.h"
#include "core/base/unit.h"

namespace ergode {

/// What kind of value an expression has.
struct ValueType {
  enum class Base { real, integer, boolean, choice };
  Base base = Base::real;
  Dimension dimension;  ///< of reals

  static ValueType real(Dimension d = {}) { return {Base::real, d}; }
  static ValueType integer() { return {Base::integer, {}}; }
  static ValueType boolean() { return {Base::boolean, {}}; }
  static ValueType choice() { return {Base::choice, {}}; }
  bool number() const { return base == Base::real || base == Base::integer; }
  std::string text() const;  ///< "a time", "an integer", "a dimensionless number", "a quantity in s-1"
};

/// What a name stands for: a constant (parameter, index) or a slot that changes during a run.
struct Symbol {
  ValueType type;
  ElementId element;                  ///< The element that is named; null for built-in names.
  std::optional<double> constant;     ///< SI value
  std::optional<std::string> choice;  ///< value of a choice
  std::uint32_t slot = 0;             ///< when not constant
};

/// A set of states, as a path names it: EDG[*].Failed. `slot` counts how many of them are active.
struct StateSet {
  std::uint32_t slot = 0;
  std::uint32_t size = 1;
};

/// A path with its index worked out: `EDG[2].Running` is {"EDG", "Running"}, first = last = 2.
struct ResolvedPath {
  std::vector<std::string> words;
  bool indexed = false, all = false;
  long first = 0, last = 0;
};

/// What the names in an expression mean. Asking for a set of states may add a slot, hence not const.
class Scope {
 public:
  virtual ~Scope() = default;
  virtual std::optional<Symbol> name(std::string_view word) = 0;
  /// The variable or states a path names, or why there are none.
  virtual std::variant<Symbol, StateSet, std::string> path(const ResolvedPath& path) = 0;
  /// Names in scope, for "did you mean".
  virtual std::vector<std::string> names() const = 0;
  /// Whether a word names anything, states and components included. Asked of every word of a unit behind a slash.
  virtual bool declares(std::string_view word) const {
    for (const std::string& name : names())
      if (name == word) return true;
    return false;
  }
};

}  // namespace ergode
