#pragma once
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "plugins/abi/ergode_plugin.h"

namespace plugin_support {

/// What is wrong with the input, and where in it: "/parameters/model"; empty: everywhere.
struct BadInput : std::runtime_error {
  BadInput(std::string at, const std::string& why) : std::runtime_error(why), pointer(std::move(at)) {}
  std::string pointer;
};

/// A parameter is wrong.
inline BadInput bad_parameter(const std::string& name, const std::string& why) { return {"/parameters/" + name, why}; }

/// Says to the host what was thrown. @returns ERGODE_FAILED
inline std::int32_t told(const ergode_host& host, const std::exception& what) {
  if (dynamic_cast<const std::bad_alloc*>(&what) != nullptr) {
    host.tell(
        host.context, ERGODE_ERROR, nullptr,
        "What is asked for needs more memory than this process may have; wanted smaller sizes or fewer requests.");
    return ERGODE_FAILED;
  }
  const auto* bad = dynamic_cast<const BadInput*>(&what);
  host.tell(host.context, ERGODE_ERROR, bad != nullptr && !bad->pointer.empty() ? bad->pointer.c_str() : nullptr,
            what.what());
  return ERGODE_FAILED;
}

}  // namespace plugin_support
