#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "solvers/queueing/lowering/words.h"

namespace ergode {

/// What kinds of the notation are made of.
namespace queueing_kinds {

using Type = PropertyType;

inline constexpr const char* identifier = "Unique in the model; letters, digits and _.";

inline PropertySpec class_reference(std::string help) {
  PropertySpec out = behaviour_property("class", "Class", Type::reference, std::move(help));
  out.reference = "job_class";
  return out;
}

/// A property whose text lists elements of these kinds, or says something of each by its name.
inline PropertySpec naming(const char* kinds, PropertySpec property) {
  property.reference = kinds;
  return property;
}

template <typename Value, std::size_t n>
PropertySpec choice(std::string name, std::string label, std::string help, const Word<Value> (&words)[n]) {
  PropertySpec out =
      behaviour_property(std::move(name), std::move(label), Type::choice, std::move(help), words[0].name);
  out.choices = choices_of(words);
  return out;
}

inline PropertySpec time(std::string name, std::string label, std::string help, std::string otherwise = "") {
  return behaviour_property(std::move(name), std::move(label), Type::expression, std::move(help), std::move(otherwise),
                            "s");
}

inline PropertySpec attributes(std::string help) {
  return behaviour_property("attributes", "Attributes", Type::arguments, std::move(help));
}

inline std::vector<PropertySpec> with_routing(std::vector<PropertySpec> properties) {
  properties.push_back(choice("routing", "Routing", "How customers choose among the flows from here.", routing_words));
  properties.push_back(
      behaviour_property("choices", "Ways looked at", Type::integer, "d of the shortest of d at random.", "2"));
  properties.back().when_property = "routing", properties.back().when_values = {"power_of_d"};
  return properties;
}

}  // namespace queueing_kinds

/// Forks, joins, semaphores, scalers, loggers, pools and their use, regions, transports, places and transitions.
std::vector<KindSpec> special_kinds();

}  // namespace ergode
