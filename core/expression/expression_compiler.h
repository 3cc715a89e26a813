#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/expression/compile.h"

namespace ergode {

/// Type checking and code generation in one walk. Of this room alone: errors leave by fail() (failure.h), which
/// compile() and its like catch. Operators and paths are in compile.cpp, functions in compile_functions.cpp.
class ExpressionCompiler {
 public:
  /// @param scope  outlives it
  explicit ExpressionCompiler(Scope& scope) : scope_(scope) {}

  Compiled compile(const Syntax& s);
  /// Of that type, or a constant that is as good as one.
  Program as(const Syntax& s, ValueType wanted);
  double constant(const Syntax& s, ValueType wanted);

 private:
  static std::string unit_hint(const Dimension& d);
  void check_unit_words(const Syntax& s);
  Compiled bare(const Syntax& s);
  Compiled from(const Symbol& symbol);
  Compiled path(const Syntax& s);
  [[noreturn]] void unknown(const Syntax& s, const std::string& why);
  /// Whether the word alone stands for a value or a state, and not for a thing that has some.
  bool is_value(const std::string& name);
  std::variant<Symbol, StateSet, std::string> resolve(const Syntax& s);
  long index(const Syntax& s);
  Compiled unary(const Syntax& s);
  Compiled binary(const Syntax& s);
  void unit_slip(const Syntax& s);
  std::optional<Compiled> choices(const Syntax& s);
  std::string choice_word(const Syntax& side, const Symbol& choice, const Syntax& beside);
  Dimension dimension_of(const Syntax& s, const ValueType& left, const ValueType& right, int times);
  ValueType power_type(const Syntax& s, const Compiled& base, const Compiled& exponent);

  Compiled states(const Syntax& s, const std::string& function);
  Compiled conditional(const Syntax& s, std::size_t first);
  void arity(const Syntax& s, std::size_t count);
  std::vector<Compiled> alike(const Syntax& s, std::size_t first, std::size_t stride = 1);
  Compiled clamp(const Syntax& s);
  Compiled table(const Syntax& s);
  Compiled call(const Syntax& s);

  Scope& scope_;
};

/// Whole numbers above are not told apart by a double.
inline constexpr double largest_whole = 1e15;

}  // namespace ergode
