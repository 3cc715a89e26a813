#pragma once
#include <string>

#include "core/document/document.h"
#include "solvers/reliability/ccf_expansion.h"

namespace ergode {

/// What a drawn common-cause group expands into, with the model's base parameter values; or why it cannot be said yet.
struct GroupExpansion {
  CcfExpansion expansion;
  int members = 0;
  bool demand = false;      ///< Probabilities; else rates in 1/s.
  std::string unit;         ///< Unit to show: "/h" or "".
  double unit_scale = 1.0;  ///< Divide SI values by this.
  std::string not_available;
};
GroupExpansion expand_group(const Document& document, ElementId group);

}  // namespace ergode
