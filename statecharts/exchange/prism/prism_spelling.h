#pragma once
#include <map>
#include <set>
#include <string>

#include "statecharts/exchange/prism/prism_syntax.h"

namespace ergode {

/// How names and expressions of a program are written in our language.
class PrismSpelling {
 public:
  explicit PrismSpelling(const PrismProgram& program);

  /// Of a module, a constant or a variable.
  const std::string& module(std::size_t index) const { return modules_[index]; }
  std::string name(const std::string& word) const;
  /// @param inside  module whose own variables stand without its name; the number of modules: in none
  std::string expression(const PrismExpression& e, std::size_t inside,
                         const std::map<std::string, std::string>& instead = {}) const;
  /// A name that nothing else has.
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
