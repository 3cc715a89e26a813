#pragma once
#include <string>

#include "core/base/text.h"
#include "solvers/queueing/chain/network_chain.h"

// What expressions of a network are worth in a state of its chain, checked.
namespace ergode {

/// What an expression is when it should not be: whoever asked stops.
[[noreturn]] inline void refuse_value(const NetworkModel::Node& node, const char* what,
                                      const std::string& is_and_wanted) {
  throw OutOfRange{{.code = "RUN002",
                    .element = node.element,
                    .message = std::string(what) + " at \"" + node.name + "\" is " + is_and_wanted + "."}};
}

/// @param unit  in which it is told, of that scale
inline double in_range(const NetworkModel::Node& node, const char* what, double value, double most,
                       const std::string& unit = {}, double scale = 1.0) {
  if (!(value >= 0.0 && value <= most))
    refuse_value(node, what,
                 number_text(value * scale) + unit + "; wanted " +
                     (most < 1e300 ? "0 to " + number_text(most) : std::string("a finite one >= 0")));
  return value;
}

}  // namespace ergode
