// Which customers have which attributes wherever they come from, and whether whoever reads one meets only those.
#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "solvers/queueing/lowering/lowering_steps.h"

namespace ergode {
namespace {

using Kind = NetworkModel::Kind;

}  // namespace

// Whatever way a customer becomes one of a class, he has what all ways give; found by taking away until nothing
// changes.
void NetworkLowering::find_carried() {
  const std::size_t count = net().attributes.size();
  using Has = std::vector<std::uint8_t>;
  const auto given_by = [&](const std::vector<std::uint32_t>& laws, Has has) {
    for (const std::uint32_t law : laws) has[net().attribute_laws[law].attribute] = 1;
    return has;
  };
  std::vector<std::uint8_t> origins(net().classes.size(), 0);
  for (NetworkModel::JobClass& one : net().classes) one.carries.assign(count, 1);
  const auto come = [&](std::uint32_t of_class, const Has& with) {
    Has& has = net().classes[of_class].carries;
    const Has before = has;
    for (std::size_t a = 0; a < count; ++a) has[a] = has[a] != 0 && with[a] != 0 ? 1 : 0;
    origins[of_class] = 1;
    return has != before;
  };
  const Has nothing(count, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::uint32_t c = 0; c < net().classes.size(); ++c)
      if (net().classes[c].population > 0) changed |= come(c, given_by(net().classes[c].born, nothing));
    for (const Node& node : net().nodes) {
      const auto born = [&](std::uint32_t c) { changed |= come(c, given_by(net().classes[c].born, nothing)); };
      if (node.kind == Kind::source) {
        Has given = given_by(node.born, nothing);
        for (const std::uint32_t attribute : node.taken) given[attribute] = 1;
        changed |= come(node.emits, given);
      }
      if (node.kind == Kind::place && node.tokens > 0) born(node.emits);
      if (node.kind == Kind::transition)
        for (const std::uint32_t becomes : node.ways[0].becomes) born(becomes == NetworkModel::none ? 0 : becomes);
      if (node.kind == Kind::transition) continue;
      for (const auto* all : {&node.ways, &node.refused, &node.reneged})
        for (std::uint32_t c = 0; c < all->size(); ++c)
          for (const std::uint32_t becomes : (*all)[c].becomes)
            if (becomes != c) changed |= come(becomes, given_by(net().classes[becomes].born, net().classes[c].carries));
    }
  }
  for (std::uint32_t c = 0; c < net().classes.size(); ++c)
    if (origins[c] == 0) net().classes[c].carries = given_by(net().classes[c].born, nothing);
}

const NetworkModel::Node* NetworkLowering::born_without(std::uint32_t attribute, std::uint32_t of_class) {
  const NetworkModel& network = net();
  const auto gives = [&](const std::vector<std::uint32_t>& laws) {
    return std::any_of(laws.begin(), laws.end(),
                       [&](std::uint32_t law) { return network.attribute_laws[law].attribute == attribute; });
  };
  const bool declared = gives(network.classes[of_class].born);
  const auto found = std::find_if(network.nodes.begin(), network.nodes.end(), [&](const Node& node) {
    if (node.kind == Kind::source)
      return node.emits == of_class && !gives(node.born) &&
             std::find(node.taken.begin(), node.taken.end(), attribute) == node.taken.end();
    if (declared) return false;
    if (node.kind == Kind::place) return node.tokens > 0 && node.emits == of_class;
    if (node.kind != Kind::transition) return false;
    const std::vector<std::uint32_t>& made = node.ways[0].becomes;
    return std::any_of(made.begin(), made.end(),
                       [&](std::uint32_t c) { return (c == NetworkModel::none ? 0 : c) == of_class; });
  });
  return found == network.nodes.end() ? nullptr : &*found;
}

// QN018: somebody comes who lacks what is read of him. Notes on the way what every node reads.
void NetworkLowering::check_reads(Lowering& model) {
  const std::uint32_t first = net().attribute_slot;
  const auto count = static_cast<std::uint32_t>(net().attributes.size());
  std::uint32_t* reads = nullptr;
  ElementId at;
  std::string who;
  std::uint32_t of_class = 0;
  std::vector<std::string> told;
  const auto lacks = [&](std::uint32_t attribute, const char* verb) {
    if (net().classes[of_class].carries[attribute] != 0) return;
    const std::string& class_name = net().classes[of_class].name;
    std::string message =
        who + " " + verb + " \"" + net().attributes[attribute].name + "\", which " +
        (class_name.empty() ? "not all customers" : "not all customers of class \"" + class_name + "\"") + " have";
    const Node* const born = born_without(attribute, of_class);
    const bool token = born != nullptr && born->kind != Kind::source;
    if (born != nullptr)
      message += (born->kind == Kind::source  ? ": those who come from \""
                  : born->kind == Kind::place ? ": the tokens in the beginning of \""
                                              : ": new ones from \"") +
                 born->name + "\" do not";
    message += ".";
    if (std::find(told.begin(), told.end(), message) != told.end()) return;
    told.push_back(message);
    const bool drawn = static_cast<bool>(net().classes[of_class].element);
    model.refuse(*model.document.find(at), "QN018", "", std::move(message),
                 token && drawn       ? "Declare it for the class: what begins as a token has no other source."
                 : token              ? "Draw a class that declares it, and let the tokens be of it."
                 : class_name.empty() ? "Declare it for every source."
                                      : "Declare it for the class, or for every source of it.");
  };
  const auto slot = [&](std::uint32_t number, std::uint32_t bit) {
    if (number < first || number >= first + count) return;
    if (reads != nullptr) *reads |= bit;
    lacks(number - first, "reads");
  };
  const auto program = [&](const Program& of, std::uint32_t bit) {
    for (const std::uint32_t number : of.slots()) slot(number, bit);
  };
  const auto time = [&](const Duration& of, std::uint32_t bit) {
    program(of.value, bit);
    if (of.varying == NetworkModel::none) return;
    for (const std::uint32_t number : net().varying[of.varying].slots()) slot(number, bit);
  };
  for (of_class = 0; of_class < net().classes.size(); ++of_class) {
    const NetworkModel::JobClass& one = net().classes[of_class];
    at = one.element, who = "The class \"" + one.name + "\"";
    time(one.due, 0), program(one.rank, 0);
  }
  for (Node& node : net().nodes) {
    reads = &node.reads, at = node.element, who = "\"" + node.name + "\"";
    told.clear();
    for (of_class = 0; of_class < net().classes.size(); ++of_class) {
      if (node.kind == Kind::transition || of_class >= node.ways.size() || node.ways[of_class].target.empty()) continue;
      if (node.kind != Kind::source && of_class < node.time.size())
        time(node.time[of_class], NetworkModel::reads_in_times);
      for (const auto* all : {&node.ways, &node.refused, &node.reneged})
        if (of_class < all->size())
          for (const Program& one : (*all)[of_class].probability) program(one, NetworkModel::reads_in_ways);
      program(node.units_by, NetworkModel::reads_in_units), program(node.value, NetworkModel::reads_in_values);
      for (const std::uint32_t law : node.sets) {
        lacks(net().attribute_laws[law].attribute, "sets");
        time(net().attribute_laws[law].value, 0);
        node.reads |= NetworkModel::reads_in_values;
      }
      if (node.has(NetworkModel::prioritises) && net().ranked) node.reads |= NetworkModel::reads_in_order;
      if (node.rules == NetworkModel::none) continue;
      const NetworkModel::Rules& rules = net().rules[node.rules];
      program(rules.balking, NetworkModel::reads_in_balking);
      if (of_class < rules.patience.size()) time(rules.patience[of_class], NetworkModel::reads_in_patience);
    }
    using Discipline = NetworkModel::Discipline;
    if ((node.reads & NetworkModel::reads_in_times) != 0 &&
        (node.discipline == Discipline::sept || node.discipline == Discipline::lept))
      model.refuse(*model.document.find(node.element), "QN008", "discipline",
                   "Service times depend on the customer: a class has no expected time of its own.",
                   "sjf and ljf go by the time of each customer.");
  }
}

}  // namespace ergode
