#pragma once
#include <stdexcept>
#include <utility>

#include "core/base/diagnostic.h"

namespace ergode {

/// What a plugin did that ends a run, or kept it from beginning; the diagnostic names the plugin, what it was doing and
/// what it said last.
///
/// PLG005 it cannot be loaded or started; PLG011 it does not offer what its manifest says; PLG020 it crashed, or ended
/// unasked; PLG021 the time limit; PLG022 a message that is none, or not what was asked for; PLG023 it reported a
/// failure; PLG024 more output than anybody may make; PLG025 a time that cannot be; PLG033 what it asked of another
/// plugin is no question (plugins/host/target_service.h).
struct PluginFailure : std::runtime_error {
  explicit PluginFailure(Diagnostic why) : std::runtime_error(why.message), what_happened(std::move(why)) {}
  Diagnostic what_happened;
};

}  // namespace ergode
