#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/element_id.h"
#include "core/base/unit.h"

namespace ergode {

/// What kind of value an expression has. Two types that are equal in `base` and `dimension` may be assigned to each
/// other; an integer also stands where a dimensionless real is wanted.
struct ValueType {
  enum class Base { real, integer, boolean, choice };  ///< booleans are 0 or 1, integers whole doubles below 1e15
  Base base = Base::real;
  Dimension dimension;  ///< of reals

  /// A real of this dimension; without one a plain number.
  static ValueType real(Dimension d = {}) { return {Base::real, d}; }
  static ValueType integer() { return {Base::integer, {}}; }
  static ValueType boolean() { return {Base::boolean, {}}; }
  static ValueType choice() { return {Base::choice, {}}; }
  /// Whether it can be computed with.
  bool number() const { return base == Base::real || base == Base::integer; }
  /// For messages: "a time", "a whole number", "a number without unit", "a quantity in s-1".
  std::string text() const;  ///< "a time", "an integer", "a dimensionless number", "a quantity in s-1"
};

/// What a name stands for: a constant (parameter, index), a choice, or a slot that changes during a run. Of `choice`,
/// `constant` and `slot` the first that is there counts.
struct Symbol {
  ValueType type;
  ElementId element;                          ///< The element that is named; null for built-in names.
  std::optional<double> constant;             ///< SI value
  std::optional<std::string> choice;          ///< value of a choice
  std::span<const std::string> choices = {};  ///< words it may be, while the scope lives; none: any
  std::uint32_t slot = 0;                     ///< when not constant: index into what Program::evaluate() reads
};

/// A set of states, as a path names it: EDG[*].Failed. Slot `slot` holds how many of its `size` members are active, 0
/// to `size`; of a single one whether it is.
/// So count(...) is a load, any(...) a comparison with 0 and all(...) one with `size`.
struct StateSet {
  std::uint32_t slot = 0;
  std::uint32_t size = 1;
};

/// A path with its index worked out: `EDG[2].Running` is {"EDG", "Running"}, first = last = 2. Indices count from 1 and
/// are as written: the scope says whether they exist and ascend.
/// `EDG[*].Failed` has all; `EDG[1..3].Failed` first = 1 and last = 3; `EDG.Failed` is not indexed.
struct ResolvedPath {
  std::vector<std::string> words;
  bool indexed = false, all = false;  ///< has brackets; they hold a star, and first and last mean nothing
  long first = 0, last = 0;
};

/// What the names in an expression mean; the compiler asks it and knows no model. Asking for a set of states may add a
/// slot, hence not const. One thread at a time.
///
/// A compiler asks name() for a bare word first and path() for what is left, so a scope may answer either way.
/// Constants are folded into the program; slots are read when it is evaluated.
class Scope {
 public:
  virtual ~Scope() = default;
  /// A single word; nothing when it names no value here (it may still name a state, which path() answers).
  virtual std::optional<Symbol> name(std::string_view word) = 0;
  /// The variable or states a path names, or a sentence for the user why there are none, which becomes EXP002.
  virtual std::variant<Symbol, StateSet, std::string> path(const ResolvedPath& path) = 0;
  /// Names in scope, for "did you mean".
  virtual std::vector<std::string> names() const = 0;
  /// Whether a word names anything, states and components included. Asked of every word of a unit behind a slash:
  /// override it where names() is long, because this walks through them.
  virtual bool declares(std::string_view word) const {
    for (const std::string& name : names())
      if (name == word) return true;
    return false;
  }
};

}  // namespace ergode
