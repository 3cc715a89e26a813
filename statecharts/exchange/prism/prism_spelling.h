#pragma once
#include <map>
#include <set>
#include <string>

#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {

/// How names and expressions of a program are written in our language. A name that means something there, that is the
/// unit of time or that is taken, gets _ or _2, _3 behind: the same program gives the same names.
class PrismSpelling {
 public:
  /// @param program  read without errors, with its unit of time; must live as long as this
  explicit PrismSpelling(const PrismProgram& program);

  /// Of a module, by its index; the number of modules: "Globals", the component that holds global variables.
  const std::string& module(std::size_t index) const { return modules_[index]; }
  /// Of a constant or a variable of the program, without its module.
  std::string name(const std::string& word) const;
  /// The expression in our language, fully bracketed; labels must have been written out. `mod` is never negative, as in
  /// PRISM; `log(a, b)` becomes a quotient, `pow` of whole numbers is rounded.
  /// @param inside   module whose own variables stand without its name; the number of modules: the globals; one more:
  ///                 nobody's, every variable has its component's name before it
  /// @param instead  variables of the program -> what is written for them
  std::string expression(const PrismExpression& e, std::size_t inside,
                         const std::map<std::string, std::string>& instead = {}) const;
  /// A name that nothing else has, and that nothing gets later.
  std::string fresh(const std::string& wanted);

 private:
  const PrismProgram& program_;
  std::map<std::string, std::string> names_;
  std::map<std::string, std::size_t> owner_;
  std::vector<std::string> modules_;
  std::set<std::string> taken_;
  std::map<std::string, int> tried_;  ///< next number of fresh names
};

/// Whether the expression reads the variable.
bool reads(const PrismExpression& e, const std::string& variable);

}  // namespace ergode
