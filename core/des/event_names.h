#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/element_id.h"

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
  /// The same, of an event that an element raises because one of its properties says so.
  std::uint32_t raised_by(ElementId element, std::string property, const std::string& name) {
    raised.push_back({element, std::move(property), number(name)});
    return raised.back().event;
  }
  /// The same, of an event for which an element that is no chart waits: its part is told of it (RunningPart::heard()).
  std::uint32_t heard_by(ElementId element, std::string property, const std::string& name) {
    heard.push_back({element, std::move(property), number(name)});
    return heard.back().event;
  }
  std::vector<std::string> names;  ///< by number; written by number() only
  struct Mention {
    ElementId by;
    std::string property;
    std::uint32_t event = 0;
  };
  std::vector<Mention> raised, heard;  ///< in the order of raised_by() and heard_by(); for checks

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace ergode
