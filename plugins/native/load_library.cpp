#include "plugins/native/load_library.h"

#include <dlfcn.h>

#include <cstring>

namespace ergode {

std::string load_plugin_library(const char* path, const ergode_plugin*& into) {
  // Local binding: what the library exports is not seen by others, which may have functions of the same names.
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::string("it cannot be loaded: ") + dlerror();
  void* const symbol = dlsym(handle, "ergode_plugin_entry");
  if (symbol == nullptr) return "it exports no ergode_plugin_entry";
  ergode_plugin_entry_function entry = nullptr;
  static_assert(sizeof entry == sizeof symbol);
  std::memcpy(&entry, &symbol, sizeof entry);
  into = entry(ERGODE_PLUGIN_ABI_MAJOR);
  const std::string wanted = "; wanted version " + std::to_string(ERGODE_PLUGIN_ABI_MAJOR) + " of the interface";
  if (into == nullptr) return "it does not know this version of the interface" + wanted;
  if (into->size < offsetof(ergode_plugin, station) + sizeof into->station)
    return "its description has " + std::to_string(into->size) + " bytes" + wanted;
  if (into->abi_major != ERGODE_PLUGIN_ABI_MAJOR)
    return "it was built for version " + std::to_string(into->abi_major) + wanted;
  const ergode_simulator* const simulator = into->simulator;
  if (simulator != nullptr && (simulator->size < sizeof(ergode_simulator) || simulator->run == nullptr))
    return "its simulator has no run()" + wanted;
  const ergode_station* const s = into->station;
  if (s != nullptr && (s->size < sizeof(ergode_station) || s->create == nullptr || s->arrive == nullptr ||
                       s->advance == nullptr || s->finish == nullptr || s->destroy == nullptr))
    return "its station lacks a function" + wanted;
  return {};
}

}  // namespace ergode
