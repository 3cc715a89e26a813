#pragma once
#include <stdexcept>
#include <string>

#include "solvers/reliability/galileo/fault_tree.h"
#include "tests/support/model_builder.h"

namespace ergode::test {

/// The tree of that text; throws what is wrong with it.
inline FaultTree sound(const std::string& text) {
  Diagnostics problems;
  FaultTree tree = parse_galileo(text, problems);
  if (has_errors(problems)) throw std::runtime_error(listed(problems));
  return tree;
}

}  // namespace ergode::test
