// What networks may hold, in sentences: whatever a solver does not name is refused.
#include "solvers/queueing/model/known_elements.h"

#include <algorithm>
#include <string>

#include "solvers/queueing/model/traffic.h"

namespace ergode {
namespace {

using Discipline = NetworkModel::Discipline;
using Kind = NetworkModel::Kind;
using M = NetworkModel;

constexpr std::uint32_t known_to_all = bit_of(Kind::source) | bit_of(Kind::station) | bit_of(Kind::delay) |
                                       bit_of(Kind::router) | bit_of(Kind::logger) | bit_of(Kind::sink);

std::string what_it_does(const M::Node& node) {
  const std::string name = "\"" + node.name + "\"";
  switch (node.kind) {
    case Kind::fork:
      return "Customers are split at " + name + "; their parts go on side by side.";
    case Kind::join:
      return "Parts of a customer wait for each other at " + name + ".";
    case Kind::semaphore:
      return "Parts of a customer wait at " + name + " until so many have come.";
    case Kind::scaler:
      return "Parts of a customer come together at " + name + " and are split anew.";
    case Kind::seize:
      return "Customers wait for units of a pool at " + name + ".";
    case Kind::release:
      return "Customers give units of a pool back at " + name + ".";
    case Kind::place:
      return name + " is a place, whose tokens wait for transitions.";
    case Kind::transition:
      return name + " is a transition, which takes tokens from places.";
    case Kind::plugin:
      return "A plugin serves customers at " + name + ", and only it knows how.";
    default:
      return name + " is of a kind that is not known here.";
  }
}

std::string who_is_next(Discipline discipline, const std::string& at) {
  switch (discipline) {
    case Discipline::sjf:
    case Discipline::ljf:
    case Discipline::srpt:
      return "Who is next" + at + " depends on how long services will take.";
    case Discipline::sept:
    case Discipline::lept:
      return "Who is next" + at + " depends on the class of who waits.";
    case Discipline::edd:
      return "Who is next" + at + " depends on due dates.";
    case Discipline::polling:
      return "The server goes round the classes" + at + ".";
    case Discipline::dps:
    case Discipline::gps:
      return "Shares" + at + " are not even.";
    case Discipline::las:
      return "Those who have got least go first" + at + ".";
    case Discipline::lcfs_pr:
      return "The last who came interrupts others" + at + ".";
    case Discipline::ps:
      return "Servers are shared" + at + ".";
    default:
      return "The order of service" + at + " is not known here.";
  }
}

struct Sentence {
  std::uint32_t feature;
  const char* what;
};
constexpr Sentence sentences[] = {{M::patient, "Customers give up"},
                                  {M::balks, "Customers may turn round"},
                                  {M::sets_up, "Servers are set up"},
                                  {M::vacates, "Servers take vacations"},
                                  {M::breaks_down, "Servers fail"},
                                  {M::own_servers, "Servers differ"},
                                  {M::varies_speed, "The speed of the servers is given"},
                                  {M::batches, "Customers are served in batches"},
                                  {M::prioritises, "Classes have priorities"}};
constexpr Sentence readings[] = {{M::reads_in_times, "Times depend on attributes of customers"},
                                 {M::reads_in_ways, "Ways depend on attributes of customers"},
                                 {M::reads_in_patience, "Patience depends on attributes of customers"},
                                 {M::reads_in_balking, "Who turns round depends on attributes of customers"},
                                 {M::reads_in_order, "Who is next depends on priorities of each customer"},
                                 {M::reads_in_units, "Units depend on attributes of customers"},
                                 {M::reads_in_values, "Attributes of customers are set or observed"}};
/// What disciplines, capacities, regions and ways say already, each at its element.
constexpr std::uint32_t said_elsewhere =
    M::polls | M::preempts | M::draws_first | M::may_block | M::holds_before | M::shares | M::by_attained | M::keyed |
    M::in_regions | M::lets_in | M::loses_units | M::takes_away | M::tells_stays | M::tells_services | M::raises_events;

class Guard {
 public:
  Guard(const M& model, const KnownElements& known, Diagnostics& reasons)
      : model_(model), known_(known), reasons_(reasons) {}

  bool look() {
    bool strange = false;
    for (const M::Node& node : model_.nodes) {
      if ((bit_of(node.kind) & (known_to_all | known_.kinds)) == 0) {
        strange = true;
        refuse(reasons_, node.element, what_it_does(node));
        continue;
      }
      const bool anybody = node.kind == Kind::sink || std::any_of(node.ways.begin(), node.ways.end(),
                                                                  [](const M::Ways& w) { return !w.target.empty(); });
      if (anybody) look_at(node);
    }
    for (std::uint32_t r = 0; r < model_.regions.size() && !known_.regions; ++r) {
      const M::Region& region = model_.regions[r];
      if (std::none_of(model_.nodes.begin(), model_.nodes.end(), [&](const M::Node& n) { return n.region == r; }))
        continue;
      strange = true;
      refuse(
          reasons_, region.element,
          "There is room for so many customers in the region \"" + region.name + "\", whichever station they are at.");
    }
    return strange;
  }

 private:
  void look_at(const M::Node& node) {
    const std::string name = "\"" + node.name + "\"", at = " at " + name;
    using Routing = M::Routing;
    for (const Sentence& one : readings)
      if ((node.reads & one.feature) != 0) refuse(reasons_, node.element, std::string(one.what) + at + ".");
    const bool fixed = node.routing == Routing::probabilities || node.routing == Routing::random;
    const bool several =
        std::any_of(node.ways.begin(), node.ways.end(), [](const auto& w) { return w.target.size() > 1; });
    if (!known_.choices && !fixed && several)
      refuse(reasons_, node.element, "Where customers go from " + name + " is no matter of fixed probabilities.");
    const bool process = node.process != M::none;
    if (node.handover != M::none)
      refuse(reasons_, node.element, "Customers of " + name + " are jobs of a cluster before.");
    else if (process && !known_.memory)
      refuse(reasons_, node.element, "Customers of " + name + " do not come at random: gaps have memory.");
    else if (!known_.changing && node.kind == Kind::source && !rate_of(node))
      refuse(reasons_, node.element,
             process ? "How many customers come from " + name + " in the long run is not known."
                     : "The rate of " + name + " changes while the model runs.");
    const bool open = std::any_of(node.ways.begin(), node.ways.end(),
                                  [](const auto& w) { return !w.target.empty() && w.upto.empty(); });
    if (!known_.changing && open) refuse(reasons_, node.element, "Ways from " + name + " change while the model runs.");
    if (!known_.batches_come && node.batched)
      refuse(reasons_, node.element, "Customers come several at once from " + name + ".");
    if (!known_.class_changes && changes_class(node))
      refuse(reasons_, node.element, "Customers become another class on the way from " + name + ".");
    if (!known_.times_with_memory)
      for (std::size_t c = 0; c < node.time.size() && c < node.ways.size(); ++c)
        if (node.time[c].process != M::none && !node.ways[c].target.empty())
          refuse(reasons_, node.element, "Times at " + name + " have memory: each depends on the one before.");
    if (node.kind != Kind::station) return;
    if ((bit_of(node.discipline) & known_.disciplines) == 0)
      refuse(reasons_, node.element, who_is_next(node.discipline, at));
    std::uint32_t left = node.features & ~known_.features & ~said_elsewhere;
    // Those that fail are told apart, but need not differ.
    if ((left & M::breaks_down) != 0 && model_.rules[node.rules].speeds.empty()) left &= ~M::own_servers;
    for (const Sentence& one : sentences) {
      if ((left & one.feature) == 0) continue;
      refuse(reasons_, node.element, std::string(one.what) + at + ".");
      left &= ~one.feature;
    }
    if (left != 0) refuse(reasons_, node.element, name + " has a rule that is not known here.");
    if (node.capacity == M::unlimited) return;
    if (node.when_full != M::WhenFull::lose)
      refuse(reasons_, node.element, "Customers wait for room before " + name + " when it is full.");
    else if (!known_.capacities) refuse(reasons_, node.element, name + " turns customers away when it is full.");
  }
  static bool changes_class(const M::Node& node) {
    for (const auto* all : {&node.ways, &node.refused, &node.reneged})
      for (std::uint32_t c = 0; c < all->size(); ++c)
        for (const std::uint32_t becomes : (*all)[c].becomes)
          if (becomes != c) return true;
    return false;
  }

  const M& model_;
  const KnownElements& known_;
  Diagnostics& reasons_;
};

}  // namespace

void refuse(Diagnostics& reasons, ElementId element, std::string why) {
  for (const Diagnostic& known : reasons)
    if (known.element == element && known.message == why) return;
  reasons.push_back({.code = "SOL001", .element = element, .message = std::move(why)});
}

bool refused(const Diagnostics& reasons, ElementId element) {
  return std::any_of(reasons.begin(), reasons.end(), [&](const Diagnostic& d) { return d.element == element; });
}

bool refuse_unknown(const NetworkModel& model, const KnownElements& known, Diagnostics& reasons) {
  return Guard(model, known, reasons).look();
}

}  // namespace ergode
