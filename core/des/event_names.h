#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ergode {

/// Numbers events over the whole model, whichever notation raises them or waits for them: 0, 1, 2, ... in the order in
/// which names first came up. Filled while a model is lowered, const afterwards; numbers are indices into `names`.
///
///     const std::uint32_t demand = slots.events.number("demand");  // while the model is lowered
///     world.raise(demand);                                         // while it runs
class EventNames {
 public:
  /// The event's number, a new one where the name is new. O(1).
  std::uint32_t number(const std::string& name) {
    const auto [place, fresh] = numbers_.emplace(name, static_cast<std::uint32_t>(names.size()));
    if (fresh) names.push_back(name);
    return place->second;
  }
  std::vector<std::string> names;  ///< by number; written by number() only

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace ergode
