// Transitions: what they take and where it goes; markings in which one without time is enabled vanish. So do states in
// which somebody waits before a region that has room for him.
#include <algorithm>
#include <map>
#include <utility>

#include "solvers/queueing/chain/network_chain.h"

namespace ergode {

using Arc = NetworkModel::Arc;
using M = NetworkModel;

std::uint32_t NetworkChain::tokens_in(const NetworkState& state, std::uint32_t place, std::uint32_t of_class) const {
  const std::size_t first = place_of_[place] * model_.classes.size();
  if (of_class != M::none) return state.tokens[first + of_class];
  std::uint32_t sum = 0;
  for (std::size_t c = 0; c < model_.classes.size(); ++c) sum += state.tokens[first + c];
  return sum;
}

std::uint32_t NetworkChain::enabled(const NetworkState& state, const M::Transition& transition) const {
  for (const Arc& arc : transition.inhibitors)
    if (tokens_in(state, arc.place, arc.of_class) >= arc.count) return 0;
  std::uint32_t times = M::none;
  for (const Arc& arc : transition.takes)
    times = std::min(times, tokens_in(state, arc.place, arc.of_class) / arc.needs);
  return times == M::none ? 1 : times;  // one that takes nothing is a source
}

// Each who is taken goes on in his class unless the flow names one; who is missing is born, who is left over leaves.
void NetworkChain::fire(Branch from, std::uint32_t node, Branches& out, Flows* flows, double rate) const {
  const std::size_t classes = model_.classes.size();
  const Node& here = model_.nodes[node];
  std::vector<std::uint32_t> taken;
  for (const Arc& arc : model_.transitions[here.transition].takes) {
    const std::uint32_t of_class = arc.of_class == M::none ? 0 : arc.of_class;
    taken.insert(taken.end(), arc.count, of_class);
    from.state.tokens[place_of_[arc.place] * classes + of_class] -= arc.count;
    if (flows != nullptr) flows->served[arc.place * classes + of_class] += rate * from.probability * arc.count;
  }
  if (flows != nullptr) flows->served[node * classes] += rate * from.probability;
  const M::Ways& ways = here.ways[0];
  Branches now, next;
  now.push_back(std::move(from));
  std::size_t who = 0;
  double gathered = 0.0;
  for (std::size_t w = 0; w < ways.target.size(); ++w) {
    const std::uint32_t target = ways.target[w];
    for (std::uint32_t i = 0; i < ways.count[w];) {
      const std::uint32_t was = taken.empty() ? 0 : taken[std::min(who, taken.size() - 1)];
      const std::uint32_t of_class = ways.becomes[w] == M::none ? was : ways.becomes[w];
      std::uint32_t alike = 1;
      // Into a place those who are alike come all at once.
      if (model_.nodes[target].kind == M::Kind::place) {
        while (i + alike < ways.count[w] &&
               (ways.becomes[w] != M::none || taken.empty() || taken[std::min(who + alike, taken.size() - 1)] == was))
          ++alike;
        for (Branch& one : now) add_tokens(one.state, target, of_class, alike);
      } else {
        next.clear();
        go_on(now.size(), gathered);
        for (Branch& one : now) {
          if (model_.nodes[target].passes())
            leave(std::move(one), target, of_class, M::Leaving::done, next, flows, rate);
          else arrive(std::move(one), target, of_class, next, flows, rate);
        }
        join_alike(next);
        now.swap(next);
      }
      i += alike, who += alike;
    }
  }
  for (Branch& one : now) out.push_back(std::move(one));
}

void NetworkChain::join_alike(Branches& branches) {
  if (branches.size() < 2) return;
  std::vector<std::pair<std::u32string, std::size_t>> keys;
  for (std::size_t b = 0; b < branches.size(); ++b) keys.emplace_back(branches[b].state.key(), b);
  std::sort(keys.begin(), keys.end());
  Branches out;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    Branch& one = branches[keys[k].second];
    if (k > 0 && keys[k].first == keys[k - 1].first) out.back().probability += one.probability;
    else out.push_back(std::move(one));
  }
  branches.swap(out);
}

void NetworkChain::go_on(std::size_t customers, double& gathered) const {
  constexpr double operations = 300.0;  // of a state that is copied, and its key
  constexpr double worth_counting = 1000.0;
  gathered += static_cast<double>(customers);
  if (gathered < worth_counting) return;
  budget_.spend(std::exchange(gathered, 0.0) * operations);
  if (budget_.stop_requested()) throw OverBudget{{.code = "RUN003", .message = "It was stopped."}};
}

void NetworkChain::add_tokens(NetworkState& state, std::uint32_t place, std::uint32_t of_class,
                              std::uint32_t count) const {
  std::uint32_t& there = state.tokens[place_of_[place] * model_.classes.size() + of_class];
  there += count;  // both are at most so many
  if (there <= M::most_customers) return;
  const Node& node = model_.nodes[place];
  throw OutOfRange{{.code = "RUN002",
                    .element = node.element,
                    .message = "There are " + std::to_string(there) + " tokens in \"" + node.name +
                               "\"; wanted at most " + std::to_string(M::most_customers) + " at one time."}};
}

void NetworkChain::firings(const NetworkState& state, std::uint32_t node, std::uint64_t limit, const Emit& emit,
                           Flows* flows, double weight) const {
  const Node& here = model_.nodes[node];
  const M::Transition& transition = model_.transitions[here.transition];
  double times = enabled(state, transition);
  if (times == 0) return;
  std::vector<double> at;
  const double servers =
      here.servers.is_constant() ? here.servers.value() : here.servers.evaluate(slots(state, at).data());
  times = std::min(times, servers);
  if (!(times > 0.0)) return;
  const double rate = times / here.time[0].mean_s;
  if (transition.takes.empty() && open_customers(state) >= limit) {
    if (flows != nullptr) flows->cut += rate * weight;
    return;
  }
  Branches out;
  fire({state, 1.0}, node, out, flows, rate * weight);
  for (const Branch& one : out) emit(one.state, rate * one.probability);
}

bool NetworkChain::has_room(const NetworkState& state, std::uint32_t region, std::uint32_t of_class) const {
  const M::Region& here = model_.regions[region];
  std::uint32_t inside = 0, alike = 0;
  const auto add = [&](const std::vector<AlikeCustomers>& crowds) {
    for (const AlikeCustomers& one : crowds) inside += one.count, alike += one.of_class == of_class ? one.count : 0;
  };
  for (std::size_t s = 0; s < stations_.size(); ++s) {
    if (model_.nodes[stations_[s].node].region != region) continue;
    add(state.stations[s].served);
    for (const auto& line : state.stations[s].lines) add(line);
  }
  return inside < here.capacity && alike < here.capacity_of[of_class];
}

bool NetworkChain::let_in(Branch& from, Branches& out, Flows* flows, double rate) const {
  for (std::uint32_t r = 0; r < model_.regions.size(); ++r) {
    const std::vector<AlikeCustomers>& line = from.state.before[r];
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (!has_room(from.state, r, line[i].of_class)) continue;
      const AlikeCustomers one = line[i];
      take(from.state.before[r], i);
      arrive(std::move(from), stations_[one.phase].node, one.of_class, out, flows, rate, true);
      return true;
    }
  }
  return false;
}

// The greatest priority first, of equal ones by weight. Those who come to the same marking are one.
void NetworkChain::settle(Branch from, Branches& out, Flows* flows, double rate) const {
  constexpr int most_steps = 10000;
  double gathered = 0.0;
  std::map<std::u32string, Branch> now;
  std::u32string key = from.state.key();
  now.emplace(std::move(key), std::move(from));
  for (int step = 0; !now.empty(); ++step) {
    go_on(now.size(), gathered);
    std::map<std::u32string, Branch> next;
    for (auto& [at, one] : now) {
      Branches fired;
      const auto keep = [&] {
        for (Branch& each : fired) {
          const auto [there, fresh] = next.emplace(each.state.key(), each);
          if (!fresh) there->second.probability += each.probability;
        }
      };
      if (let_in(one, fired, flows, rate)) {
        keep();
        continue;
      }
      long priority = 0;
      double weights = 0.0;
      std::vector<std::uint32_t> candidates;
      for (const std::uint32_t node : immediate_) {
        const M::Transition& t = model_.transitions[model_.nodes[node].transition];
        if ((!candidates.empty() && t.priority < priority) || enabled(one.state, t) == 0) continue;
        if (candidates.empty() || t.priority > priority) candidates.clear(), weights = 0.0, priority = t.priority;
        candidates.push_back(node);
        weights += t.weight;
      }
      if (candidates.empty()) {
        out.push_back(std::move(one));
        continue;
      }
      if (step > most_steps)
        throw OutOfRange{{.code = "RUN002",
                          .element = model_.nodes[candidates.front()].element,
                          .message = "Transitions without time fire without end: \"" +
                                     model_.nodes[candidates.front()].name + "\" is one of them."}};
      for (const std::uint32_t node : candidates)
        fire({one.state, one.probability * model_.transitions[model_.nodes[node].transition].weight / weights}, node,
             fired, flows, rate);
      keep();
    }
    now.swap(next);
  }
}

}  // namespace ergode
