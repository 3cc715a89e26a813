// What can never go on: customers who go round while no time passes, servers that wait for each other.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "solvers/queueing/running/running_network.h"

namespace ergode {

using Kind = NetworkModel::Kind;

// Goes on until somebody comes to where one was before: those between are the circle, or part of it.
void RunningNetwork::note_circle(std::uint32_t node) {
  // Many may move at one moment, and each through many nodes.
  constexpr std::uint64_t each = 64;
  const std::uint64_t least = World::longest_patience / 8 + each * (model_.nodes.size() + customers_.size());
  if (patience_ < least) {
    patience_ = least;
    return circle_.clear();
  }
  if (states_[node].place.nobody != 0)
    fail(model_.nodes[node], "Its intervals are too short for time to pass; wanted longer ones.");
  const bool again = std::find(circle_.begin(), circle_.end(), node) != circle_.end();
  circle_.push_back(node);
  if (!again) return;
  constexpr std::uint64_t most_by_chance = 100'000'000;  // some seconds
  constexpr std::uint64_t most_jobs = 4'000'000;         // that wait elsewhere, and may all end at this moment
  const bool by_chance = may_leave();
  const std::uint64_t enough = by_chance ? most_by_chance : takes_jobs() ? most_jobs : 0;
  if (patience_ < enough) {
    patience_ = enough;
    circle_.clear();
    return;
  }
  constexpr std::size_t most = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(circle_.size(), most); ++i)
    names += (i == 0 ? "\"" : ", \"") + model_.nodes[circle_[i]].name + "\"";
  names += circle_.size() > most ? ", ..." : ".";
  if (by_chance)
    fail(model_.nodes[node], "Customers went through " + std::to_string(steps_) +
                                 " nodes without time passing, and hardly ever take the ways that lead on: " + names);
  fail(model_.nodes[node], "Customers go round without end and without time passing: " + names);
}

// Its parts go all ways: the circle is the shortest on which no time passes.
std::string RunningNetwork::circle_of_splits(std::uint32_t node) const {
  constexpr std::uint32_t nowhere = NetworkModel::none;
  std::vector<std::uint32_t> from(model_.nodes.size(), nowhere), reached{node};
  const auto passes = [&](const Node& here) {
    const bool serves = here.kind == Kind::station || here.kind == Kind::delay;
    return here.kind != Kind::sink && here.kind != Kind::place && here.kind != Kind::plugin &&
           (!serves || std::all_of(here.time.begin(), here.time.end(), [](const auto& t) { return t.always_zero(); }));
  };
  for (std::size_t i = 0; i < reached.size() && from[node] == nowhere; ++i)
    for (const NetworkModel::Ways& ways : model_.nodes[reached[i]].ways)
      for (const std::uint32_t to : ways.target)
        if (from[to] == nowhere && passes(model_.nodes[to])) from[to] = reached[i], reached.push_back(to);
  if (from[node] == nowhere) return {};
  std::string names = '"' + model_.nodes[node].name + '"';
  for (std::uint32_t n = from[node]; n != nowhere; n = n == node ? nowhere : from[n])
    names = '"' + model_.nodes[n].name + "\", " + names;
  return names;
}

void RunningNetwork::fail_of_circle(std::uint32_t node, const std::string& names) const {
  throw ModelFailure({.code = "RUN002",
                      .element = model_.nodes[node].element,
                      .message = what_when(model_.nodes[node].name) +
                                 "Customers are split again and again without time passing, and are ever more" +
                                 (names.empty() ? "" : ": " + names) + "."});
}

bool RunningNetwork::takes_jobs() const {
  return std::any_of(circle_.begin(), circle_.end(),
                     [&](std::uint32_t n) { return model_.nodes[n].handover != NetworkModel::none; });
}

// As a job of the stream whose jobs come to a source of the circle: this moment would be over if they took time.
bool RunningNetwork::comes_back(std::uint32_t sink) const {
  const std::vector<Handover>& all = world_.table().handovers;
  return std::any_of(handed_.begin(), handed_.end(), [&](const HandedOver& one) {
    return one.sink == sink && std::any_of(circle_.begin(), circle_.end(), [&](std::uint32_t n) {
             const std::uint32_t taken = model_.nodes[n].handover;
             return taken != NetworkModel::none && all[taken].from == all[one.handover].to;
           });
  });
}

// Of a way that is taken with some probability nobody knows how often the others come first. Those who are split go all
// ways, so nothing there is chance; a transition without time may lose its tokens to another.
bool RunningNetwork::may_leave() const {
  using M = NetworkModel;
  std::vector<std::uint8_t> seen(model_.nodes.size(), 0);
  for (const std::uint32_t n : circle_) seen[n] = 1;
  const auto loses_tokens = [&](const M::Transition& one) {
    return std::any_of(immediate_.begin(), immediate_.end(), [&](std::uint32_t m) {
      if (seen[m] != 0) return false;
      const auto& others = model_.transitions[model_.nodes[m].transition].takes;
      return std::any_of(one.takes.begin(), one.takes.end(), [&](const M::Arc& arc) {
        return std::any_of(others.begin(), others.end(), [&](const M::Arc& other) { return other.place == arc.place; });
      });
    });
  };
  // Where services last, who comes back to it at one moment has not been served: chance has no part in that.
  const auto lasts = [](const Node& here) {
    return (here.kind == Kind::station || here.kind == Kind::delay) &&
           !std::all_of(here.time.begin(), here.time.end(), [](const M::Duration& t) { return t.always_zero(); });
  };
  const auto stays = [&](const Node& there) {
    const bool serves = there.kind == Kind::station || there.kind == Kind::delay;
    return serves ? lasts(there) : !there.passes() && there.kind != Kind::release;
  };
  std::vector<std::uint32_t> reached(circle_);
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Node& here = model_.nodes[reached[i]];
    if (here.kind == Kind::transition && loses_tokens(model_.transitions[here.transition])) return true;
    if (here.kind == Kind::transition || here.kind == Kind::fork || here.kind == Kind::scaler || lasts(here)) continue;
    for (const M::Leaving leaving : {M::Leaving::done, M::Leaving::refused, M::Leaving::reneged})
      for (const M::Ways& ways : here.ways_of(leaving))
        for (std::size_t w = 0; w < ways.target.size(); ++w) {
          const bool never = !ways.upto.empty() && here.routing == M::Routing::probabilities &&
                             ways.upto[w] <= (w == 0 ? 0.0 : ways.upto[w - 1]);
          if (never || seen[ways.target[w]] != 0) continue;
          if (stays(model_.nodes[ways.target[w]]) && !comes_back(ways.target[w])) return true;
          seen[ways.target[w]] = 1, reached.push_back(ways.target[w]);
        }
  }
  return false;
}

// A station at which every server is kept by somebody who waits for a station at which ... is one of a ring.
void RunningNetwork::look_for_deadlock(std::uint32_t node) {
  std::vector<std::uint8_t> seen(model_.nodes.size(), 0);
  std::vector<std::uint32_t> ring{node};
  seen[node] = 1;
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const State& state = states_[ring[i]];
    // Somebody may still go on by himself, and then the others.
    if (state.held == 0 || state.held + state.down < state.servers || state.working > 0) return;
    for (std::uint32_t target = 0; target < states_.size(); ++target) {
      if (states_[target].more == none || seen[target] != 0) continue;
      Ring<Outside>& outside = more_[states_[target].more].outside;
      for (std::uint32_t o = 0; o < outside.size(); ++o)
        if (outside[o].holds == ring[i]) {
          seen[target] = 1, ring.push_back(target);
          break;
        }
    }
  }
  std::string names;
  for (const std::uint32_t n : ring) names += (names.empty() ? "\"" : ", \"") + model_.nodes[n].name + "\"";
  fail(model_.nodes[node], "Servers wait for each other's room and none can ever go on: " + names + ".");
}

std::string RunningNetwork::what_when(const std::string& name) const {
  const Unit& unit = model_.time_unit;
  return "\"" + name + "\" at time " + number_text(unit.from_si(world_.now())) + " " + unit.symbol + ": ";
}

void RunningNetwork::fail(const Node& node, std::string message) const {
  throw ModelFailure({.code = "RUN002", .element = node.element, .message = what_when(node.name) + message});
}

}  // namespace ergode
