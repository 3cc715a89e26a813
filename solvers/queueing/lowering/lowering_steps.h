#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/des/lowering.h"
#include "core/expression/parameters.h"
#include "core/expression/syntax.h"
#include "solvers/queueing/lowering/customer_scope.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "solvers/queueing/running/queueing_part.h"

namespace ergode {

struct DeclarationSyntax;

/// Whether somebody gave the property anything but blanks.
inline bool is_written(const Element& element, const char* property) { return !trim(element.text(property)).empty(); }

/// What a kind of node is called, and which of its properties say how long customers are there.
struct NodeKind {
  const char* word;
  NetworkModel::Kind kind;
  const char* what;  ///< for messages
  const char* law;   ///< property of the time spent, and of times by class
  const char* laws;
};

/// From drawn queueing networks to one NetworkModel: names and slots first, then laws, ways and what is wrong with
/// them. Steps are in network_lowering.cpp (names, classes, who comes where), attribute_lowering.cpp,
/// carried_attributes.cpp, station_lowering.cpp and ways_lowering.cpp.
class NetworkLowering : public NotationLowering {
 public:
  void declare(Lowering& model) override;
  std::shared_ptr<LoweredPart> lower(Lowering& model, Scope& scope) override;

 private:
  using Node = NetworkModel::Node;
  using Duration = NetworkModel::Duration;
  /// @returns false: it was refused
  bool declare_name(Lowering& model, const Element& element, const char* what);
  std::uint32_t add_stream(Lowering& model, const Element& element, const char* word);
  /// Times that pass, of any class. @param range  of one [s]
  std::uint32_t add_stream(Lowering& model, ElementId element, std::string name, Range range);
  void declare_system(Lowering& model);
  /// QN014: it joins what may not be joined.
  void declare_flow(Lowering& model, const Element& flow);
  void declare_shared(Lowering& model, const Element& element);
  void declare_node(Lowering& model, const Element& element, const NodeKind& kind);
  void lower_classes(Lowering& model, PropertyReader& read);
  /// The station or delay that a class names; if it names none the first delay, or else the first station.
  /// @returns NetworkModel::none: told (QN006)
  std::uint32_t find_reference(Lowering& model, const Element& of_class);
  void number_levels();
  void count_first(Lowering& model);
  std::uint32_t class_named(Lowering& model, const Element& at, const char* property = "class");

  /// @name attribute_lowering.cpp
  /// @{
  void declare_attributes(Lowering& model);
  /// @param own  what the element has declared before
  void declare_attributes(Lowering& model, const Element& element, const char* property, std::vector<std::string>& own);
  /// QN017: an attribute called like what expressions know by themselves (`now`) would hide it.
  void check_attribute_names(Lowering& model, Scope& scope);
  void lower_attributes(Lowering& model, Scope& scope);
  /// `name: type = value, ...` of a property. @param all_known  whether the first may read all attributes, else each
  ///     those before it
  std::vector<std::uint32_t> values_of(Lowering& model, Scope& scope, const Element& at, const char* property,
                                       bool all_known);
  void lower_value(Lowering& model, CustomerScope& scope, const Element& at, const char* property,
                   const DeclarationSyntax& written, NetworkModel::AttributeLaw& out);
  /// @returns false: it was refused
  bool geometric(Lowering& model, Scope& scope, const Element& at, const char* property, const Syntax& call,
                 NetworkModel::AttributeLaw& out);
  void show_attribute(CustomerScope& scope, std::uint32_t attribute);
  std::optional<std::uint32_t> attribute_named(std::string_view name);
  bool reads_attributes(const Syntax& syntax);
  bool reads_attributes(const Element& at, const char* property);
  void find_carried();
  void check_reads(Lowering& model);
  /// The first source, place or transition whose customers of the class begin without the attribute; null: nobody's do.
  const Node* born_without(std::uint32_t attribute, std::uint32_t of_class);
  /// What goes with those who leave at a sink for another part of the model.
  void check_handed(Lowering& model);
  /// Reads `jobs` of a source, and declares what it takes of them: QN021.
  void declare_jobs(Lowering& model, const Element& element, Node& node);
  /// @}

  /// @name station_lowering.cpp
  /// @{
  void lower_node(Lowering& model, Scope& scope, PropertyReader& read, Node& node);
  void lower_source(Lowering& model, Scope& scope, const Element& element, Node& node);
  void lower_source_batch(Lowering& model, Scope& scope, const Element& element, Node& node);
  /// Gives names to numbers of servers that are constant.
  void name_servers(Lowering& model, Scope& scope);
  void lower_station(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Node& node);
  void lower_rules(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Node& node);
  void lower_servers(Lowering& model, Scope& scope, const Element& element, Node& node, NetworkModel::Rules& rules);
  /// QN008: what does not go together.
  void check_rules(Lowering& model, const Element& element, const Node& node);
  Duration duration(Lowering& model, Scope& scope, const Element& at, const char* property, const char* otherwise,
                    Dimension dimension = Dimension::of_time());
  Duration duration(Lowering& model, Scope& scope, const Element& at, const char* property, const Syntax& syntax,
                    Dimension dimension);
  /// The same of any sign.
  Duration quantity(Lowering& model, Scope& scope, const Element& at, const char* property, const Syntax& syntax,
                    Dimension dimension);
  /// By class: the one for all, and what `by_class` says of some.
  std::vector<Duration> durations(Lowering& model, Scope& scope, const Element& at, const char* property,
                                  const char* otherwise, const char* by_class);
  /// Calls `take` for each `class = expression` of a property.
  void for_classes(Lowering& model, const Element& at, const char* property,
                   const std::function<void(std::uint32_t of_class, const Syntax& value)>& take);
  /// What depends on where ways lead: blocking, and times drawn at arrival.
  void look_ahead(Lowering& model);
  /// @}

  /// @name arrivals_lowering.cpp
  /// @{
  /// A time that is a trace: taken one after the other. @returns false: it is none
  bool lower_list(Lowering& model, Scope& scope, const Element& at, const char* property, const Syntax& syntax,
                  Dimension dimension, Duration& out);
  /// Services and stays that depend on those before: map, mmpp. All classes for which one text stands have one process.
  /// @returns false: what is written has no memory; else it is lowered, or refused where it may not stand (QN015)
  bool lower_time_with_memory(Lowering& model, Scope& scope, const Element& at, const char* property,
                              const Syntax& syntax, Duration& out);
  /// Gaps with memory: map, mmpp, burst, trace, schedule. @returns false: what is written is none of these
  bool lower_process(Lowering& model, Scope& scope, const Element& element, Node& node);
  /// @}

  /// @name special_lowering.cpp
  /// @{
  void lower_special(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Node& node);
  /// For whom a join or a scaler waits. @param count  of all classes, of any; 0: all of them
  void lower_quorums(Lowering& model, Scope& scope, const Element& element, Node& node, std::uint32_t count);
  /// A number of parts that stands in a property; 1 where it was refused.
  static std::uint32_t parts_written(Lowering& model, Scope& scope, const Element& element, const char* property,
                                     const Syntax& syntax, long least);
  void lower_shared(Lowering& model, Scope& scope, PropertyReader& read);
  void lower_region(Lowering& model, Scope& scope, PropertyReader& read, const Element& element,
                    NetworkModel::Region& region);
  void lower_transport(Lowering& model, Scope& scope, const Element& element, Node& node);
  void lower_transition(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Node& node);
  /// Flows from places are what transitions take; flows to places of transitions that inhibit likewise.
  void lower_arcs(Lowering& model, Scope& scope, PropertyReader& read);
  void lower_plugin(Lowering& model, Scope& scope, PropertyReader& read, const Element& element, Node& node);
  /// Streams of what the plugin measures (plugin_lowering.cpp, as the one before).
  void declare_plugin(Lowering& model, const Element& element, Node& node);
  /// All flows from a node that splits customers.
  NetworkModel::Ways all_ways(Lowering& model, PropertyReader& read, const Node& node, std::uint32_t of_class);
  std::uint32_t count_of(Lowering& model, PropertyReader& read, const Element& flow);
  /// @}

  /// @name ways_lowering.cpp
  /// @{
  NetworkModel::Ways ways(Lowering& model, const Node& node, std::uint32_t of_class, NetworkModel::Leaving leaving);
  /// Which classes come to which nodes; ways that nobody goes are not asked for.
  void follow(Lowering& model, Scope& scope);
  void enter(Lowering& model, Scope& scope, std::uint32_t node, std::uint32_t of_class);
  void enter_place(Lowering& model, Scope& scope, std::uint32_t place, std::uint32_t of_class);
  void enter_joins(Lowering& model, Scope& scope, std::uint32_t fork, std::uint32_t of_class);
  void go_on(Lowering& model, Scope& scope, const Node& from, const NetworkModel::Ways& ways, std::uint32_t of_class);
  /// QN006: stations that turn closed customers away.
  void check_room(Lowering& model);
  void lower_routing(Lowering& model, PropertyReader& read, Node& node);
  /// @}

  /// QN006: closed classes that no way leads back (closed_ways.cpp).
  void check_ways_back(Lowering& model);
  /// Gives classes that are empty at time zero, and that closed customers become, the reference that they name.
  void refer_followers(Lowering& model);
  /// QN022, a warning: open customers who can never leave.
  void check_ways_out(Lowering& model);
  /// QN022, a warning: forks to which their parts come back before they meet (fork_loops.cpp).
  void check_fork_loops(Lowering& model);

  /// @name number_checks.cpp
  /// QN019, warnings: numbers for which so many never come.
  /// @{
  void check_numbers(Lowering& model);
  void check_splits(Lowering& model);
  /// Of parts of customers who were of the class `whole`. @param all  how many there are at most
  /// @returns whether it was warned of
  bool warn_of_wait(Lowering& model, const Node& node, std::size_t whole, std::uint32_t all,
                    const std::vector<std::uint32_t>& of_class);
  void check_pools(Lowering& model);
  /// @}

  NetworkModel& net() { return out_->model; }
  /// QN004: a property has a value that it may not have. Nothing where its text is refused already: what stands for
  /// its value is nobody's then.
  static void refuse_value(Lowering& model, const Element& at, const std::string& property, std::string message);

  /// Where expressions concern one customer.
  Scope& customers() { return *customers_; }

  Scope* customers_ = nullptr;  ///< while lower() runs
  std::shared_ptr<QueueingPart> out_ = std::make_shared<QueueingPart>();
  std::map<ElementId, std::uint32_t> number_;
  std::map<std::string, std::uint32_t> class_number_;
  std::map<ElementId, std::vector<const Element*>> leaving_;
  std::set<ElementId> misled_;  ///< nodes from which a flow was refused: the sum of their ways is nobody's
  std::vector<std::pair<std::uint32_t, std::uint32_t>> reached_;  ///< node and class, to be gone on from
  std::vector<std::pair<std::uint32_t, std::uint32_t>> limited_;  ///< stations that lose, and closed classes that come
  std::set<std::pair<std::uint32_t, std::uint32_t>> come_;        ///< places and classes of tokens that come there
  std::vector<std::uint8_t> closed_, open_;                       ///< by class: customers stay; come from a source
  std::vector<std::uint8_t> known_;                               ///< by class: somebody of it is somewhere
  std::vector<std::uint8_t> seen_;                                ///< by node: somebody comes there
};

std::span<const NodeKind> node_kinds();

}  // namespace ergode
