#pragma once
#include <string>
#include <vector>

#include "core/base/ink.h"

namespace ergode {

enum class ArrowHead : std::uint8_t { none, filled, open };

/// How one edge is drawn, as its notation says. Selection, problems and routes are the painter's.
/// Asked for every edge whenever a diagram changes: made from the element's own properties, without looking at others.
struct EdgeLook {
  Role role = Role::transition;
  ArrowHead head = ArrowHead::filled;
  Dash dash = Dash::solid;
  /// The label; broken into lines between these parts first, then within them.
  std::vector<std::string> label{};
  bool clock = false;  ///< A clock stands before the label.
  /// Another element that takes part, named on a pill above the label: `pill_of` is the word by which it is meant
  /// (KindSpec::pill_property), and stands for it where nobody answers to it; empty: no pill. `pill_prefix` is put
  /// before names that do not begin with it: "CCF A". The pill and its words are drawn in `pill_role`, an edge with a
  /// pill in `role_with_pill`.
  std::string pill_of{}, pill_prefix{};
  Role pill_role = Role::transition, role_with_pill = Role::transition;
  /// The name of an element that is told apart by a colour and a dash (KindSpec::told_apart): the edge is drawn like
  /// it; empty, or nobody's name: as it is.
  std::string like{};
};

/// "CCF A" for the name "A" or "CCF A" with the prefix "CCF". "CCFX" is left as it is too.
std::string prefixed(const std::string& prefix, const std::string& name);

}  // namespace ergode
