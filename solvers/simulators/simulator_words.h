#pragma once
#include "core/base/text.h"
#include "core/document/element.h"
#include "core/plugin/plugin_simulator.h"

namespace ergode {

inline constexpr const char *simulators_word = "simulators", *simulator_word = "simulator";

/// Which outputs of a simulator are measured though nobody drew a measure: words of its property `measured`, the
/// default first.
inline constexpr const char *measured_headline = "headline", *measured_all = "all", *measured_none = "none";

/// The plugin of a drawn simulator; null: it is not here.
inline const SimulatorPlugin* plugin_of_simulator(const Element& element) {
  return find_simulator_plugin(trim(element.text("plugin")));
}

}  // namespace ergode
