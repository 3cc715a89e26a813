#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/catalogue/catalogue.h"
#include "core/document/document.h"
#include "solvers/cluster/lowering/rental_words.h"

// What properties of clusters have in common, whatever room of the notation they belong to.
namespace ergode::cluster_properties {

inline PropertySpec name_of_node() { return name_property("Unique in the model; letters, digits and _."); }

/// One of a list of words, the first of which absence means.
template <typename Value, std::size_t n>
PropertySpec choice_of(std::string name, std::string label, std::string help, const RentalWord<Value> (&words)[n]) {
  PropertySpec out =
      behaviour_property(std::move(name), std::move(label), PropertyType::choice, std::move(help), words[0].name);
  out.choices = choices_of(words);
  return out;
}

/// Shown where another property has one of these values only.
inline PropertySpec only_when(PropertySpec property, const char* other, std::vector<std::string> values) {
  property.when_property = other, property.when_values = std::move(values);
  return property;
}

/// With what an empty field says.
inline PropertySpec hinted(PropertySpec property, const char* empty_hint) {
  property.empty_hint = empty_hint;
  return property;
}

inline PropertySpec amount(const char* name, const char* label, const char* help, const char* otherwise = "",
                           const char* unit = "") {
  return behaviour_property(name, label, PropertyType::quantity, help, otherwise, unit);
}

/// @name Of GPUs that are there anyway, and of which jobs have some
/// @{
inline PropertySpec budget_of_gpus() {
  return hinted(amount("budget", "Budget",
                       "What may be spent, >= 0 USD/h: the table spend holds it against what is spent; nothing is "
                       "refused for it.",
                       "", "USD/h"),
                "none");
}
inline PropertySpec pool_speed() {
  return amount("speed", "Speed", "Times as fast as the GPUs that jobs' times are of, > 0.", "1");
}
inline PropertySpec busy_power() { return amount("busy_power", "Power of a busy GPU", ">= 0 W.", "0 W", "W"); }
inline PropertySpec idle_power() { return amount("idle_power", "Power of an idle GPU", ">= 0 W.", "0 W", "W"); }
/// @}

/// A file, or a parameter of type file.
inline PropertySpec file_named(const char* name, const char* label, const char* help, const char* empty_hint = "") {
  PropertySpec out = behaviour_property(name, label, PropertyType::text, help);
  out.reference = "parameter", out.empty_hint = empty_hint;
  return out;
}

/// A column of such a file, by its name.
inline PropertySpec column_named(const char* name, const char* label, const char* help) {
  PropertySpec out = behaviour_property(name, label, PropertyType::text, help);
  out.reference = "column";
  return out;
}

/// @param failing  what happens to a job without any
inline PropertySpec checkpoint_period(const std::string& failing) {
  PropertySpec out = behaviour_property("checkpoint_period", "Checkpoint after", PropertyType::quantity,
                                        "Time of work between two checkpoints, > 0 h; empty: " + failing, "", "h");
  out.empty_hint = "none";
  return out;
}
inline PropertySpec checkpoint_cost() {
  return amount("checkpoint_cost", "Time of a checkpoint", "While it is written the job does not work, >= 0 h.", "0 h",
                "h");
}

/// What expressions and measures may read of the nodes of a diagram.
/// @param slots_of, streams_of  words by kind of node
template <typename SlotsOf, typename StreamsOf>
std::vector<DeclaredName> names_of_nodes(const Document& document, const Element& diagram, const SlotsOf& slots_of,
                                         const StreamsOf& streams_of) {
  std::vector<DeclaredName> out;
  for (const Element* node : document.nodes(diagram.id)) {
    for (const std::string& slot : slots_of(node->kind)) out.push_back({.path = {node->name(), slot}});
    for (const std::string& stream : streams_of(node->kind))
      out.push_back({.path = {node->name(), stream}, .value = false, .stream = true});
  }
  return out;
}

}  // namespace ergode::cluster_properties
