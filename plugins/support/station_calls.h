#pragma once
#include <cstdint>
#include <exception>
#include <memory>

#include "plugins/abi/ergode_plugin.h"

namespace plugin_support {

/// The station of the interface, made of a class: Station(input, host), double arrive(now, job, attributes) and
/// double advance(now), which return when to go on, void finish(now), host(). What it throws is told and does not pass.
/// @tparam told  says what was thrown and returns ERGODE_FAILED
template <class Station, std::int32_t (*told)(const ergode_host&, const std::exception&)>
struct StationCalls {
  static std::int32_t create(const ergode_input* input, const ergode_host* host, void** station) {
    try {
      *station = std::make_unique<Station>(*input, *host).release();
      return ERGODE_OK;
    } catch (const std::exception& what) {
      return told(*host, what);
    }
  }
  static std::int32_t arrive(void* station, double now, std::uint64_t job, const double* attributes, double* next) {
    return guarded(station, [&](Station& self) { *next = self.arrive(now, job, attributes); });
  }
  static std::int32_t advance(void* station, double now, double* next) {
    return guarded(station, [&](Station& self) { *next = self.advance(now); });
  }
  static std::int32_t finish(void* station, double now) {
    return guarded(station, [&](const Station& self) { self.finish(now); });
  }
  static void destroy(void* station) { std::unique_ptr<Station>(static_cast<Station*>(station)).reset(); }
  static constexpr ergode_station table = {sizeof(ergode_station), 0, create, arrive, advance, finish, destroy};

 private:
  template <class Call>
  static std::int32_t guarded(void* station, Call call) {
    auto& self = *static_cast<Station*>(station);
    try {
      call(self);
      return ERGODE_OK;
    } catch (const std::exception& what) {
      return told(self.host(), what);
    }
  }
};

}  // namespace plugin_support
