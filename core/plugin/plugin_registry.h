#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ergode {

/// Whether a plugin's label stands before another's in a list for people: by its letters, whatever their case.
inline bool before_for_people(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [&](char x, char y) { return small(x) < small(y); });
}

/// Plugins of one capability by the names of their manifests, in their order. Filled at the start of the program, then
/// const.
template <class Plugin>
class PluginRegistry {
 public:
  const std::vector<Plugin>& all() const { return all_; }
  /// Null: there is none.
  const Plugin* find(std::string_view name) const {
    for (const Plugin& one : all_)
      if (one.manifest.name == name) return &one;
    return nullptr;
  }
  /// Or replaces the one of its name.
  void add(Plugin plugin) {
    const auto place =
        std::lower_bound(all_.begin(), all_.end(), plugin.manifest.name,
                         [](const Plugin& one, const std::string& name) { return one.manifest.name < name; });
    if (place != all_.end() && place->manifest.name == plugin.manifest.name) *place = std::move(plugin);
    else all_.insert(place, std::move(plugin));
  }

 private:
  std::vector<Plugin> all_;
};

}  // namespace ergode
