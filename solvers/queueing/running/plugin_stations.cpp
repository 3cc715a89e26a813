// Stations behind the plugin interface, driven by the network's clock, or by their own where they are down at times.
#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

using Kind = NetworkModel::Kind;

// So often a station may ask to go on at one and the same moment without anybody leaving it.
constexpr std::uint32_t most_idle_calls = 10'000;

template <class Call>
double RunningNetwork::ask_plugin(std::uint32_t node, const Call& call) {
  news_.clear();
  try {
    return call(*plugins_[model_.nodes[node].plugin].station);
  } catch (const PluginGaveUp&) {
    throw GivenUp{};
  } catch (PluginFailure& failure) {
    Diagnostic what = std::move(failure.what_happened);
    what.element = model_.nodes[node].element;
    what.message = what_when(model_.nodes[node].name) + what.message;
    throw ModelFailure(std::move(what));
  }
}

void RunningNetwork::begin_plugins() {
  plugin_at_.clear();
  plugins_.resize(model_.plugins.size());
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    const Node& node = model_.nodes[n];
    if (node.kind != Kind::plugin) continue;
    const NetworkModel::Plugin& plugin = model_.plugins[node.plugin];
    PluginHere& here = plugins_[node.plugin];
    here = {.station = std::move(here.station), .up = plugin_is_up(n)};
    here.record.rows.resize(plugin.what->manifest.station->tables.size());
    if (here.station == nullptr)
      here.station =
          plugin.what->make(plugin.values, seed_, node.element.text(), [this] { return give_up_ && give_up_(); });
    begin_life(n);
  }
}

void RunningNetwork::begin_life(std::uint32_t node) {
  const std::uint64_t life = plugins_[model_.nodes[node].plugin].lives;
  ask_plugin(node,
             [&](PluginStation& station) { return station.begin(replication_, life, news_), PluginStation::never; });
  take_what_it_told(node);
}

bool RunningNetwork::plugin_is_up(std::uint32_t node) const {
  return model_.plugins[model_.nodes[node].plugin].up.evaluate(world_.slots()) != 0.0;
}

void RunningNetwork::enter_plugin(std::uint32_t customer, std::uint32_t node) {
  const Node& there = model_.nodes[node];
  PluginHere& its = plugins_[there.plugin];
  if (!its.up && model_.plugins[there.plugin].loses) return turn_away(customer, node, NetworkModel::Leaving::refused);
  State& state = states_[node];
  Customer& who = customers_[customer];
  count_step(node);
  who.came_s = world_.now();
  ++state.present;
  count_class(there, who.of_class, 1.0);
  world_.set(there.number, static_cast<double>(state.present));
  if (plugin_at_.size() < customers_.size()) plugin_at_.resize(customers_.size(), none);
  plugin_at_[customer] = node;
  // All come at the moment at which its clock stands: none of them is out before it goes on.
  if (!its.up) return its.held_back.push_back(customer);
  arrive_at_plugin(customer, node);
}

void RunningNetwork::arrive_at_plugin(std::uint32_t customer, std::uint32_t node) {
  const NetworkModel::Plugin& plugin = model_.plugins[model_.nodes[node].plugin];
  const std::vector<PluginAttribute>& attributes = plugin.what->manifest.station->attributes;
  PluginHere& its = plugins_[model_.nodes[node].plugin];
  handed_over_.clear();
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const std::uint32_t own = plugin.attribute[a];
    const bool has = own != none && model_.classes[customers_[customer].of_class].carries[own] != 0;
    handed_over_.push_back(has ? attribute_of(customer, own) / plugin.attribute_scale[a] : attributes[a].otherwise);
  }
  // Rounding leads neither back nor past what is due.
  its.shows_s = std::clamp(world_.now() - its.away_s, its.shows_s, std::max(its.shows_s, its.due_s));
  take_news(node, ask_plugin(node, [&](PluginStation& station) {
              return station.arrive(its.shows_s, customer, handed_over_, news_);
            }));
}

void RunningNetwork::advance_plugin(std::uint32_t node) {
  PluginHere& its = plugins_[model_.nodes[node].plugin];
  its.shows_s = its.due_s;
  take_news(node, ask_plugin(node, [&](PluginStation& station) { return station.advance(its.shows_s, news_); }));
}

void RunningNetwork::take_what_it_told(std::uint32_t node) {
  const NetworkModel::Plugin& plugin = model_.plugins[model_.nodes[node].plugin];
  for (const StationNews::Observation& one : news_.observations)
    world_.observations.observe(plugin.stream[one.output], one.value * plugin.output_scale[one.output]);
  if (replication_ == 0) plugins_[model_.nodes[node].plugin].record.take(news_);
}

void RunningNetwork::leave_plugin(std::uint32_t customer, std::uint32_t node) {
  const Node& here = model_.nodes[node];
  State& state = states_[node];
  plugin_at_[customer] = none;
  if (!stay_streams_.empty()) note_stay(customer, node);
  --state.present;
  count_class(here, customers_[customer].of_class, -1.0);
  world_.set(here.number, static_cast<double>(state.present));
}

void RunningNetwork::take_news(std::uint32_t node, double next_s) {
  const Node& here = model_.nodes[node];
  const NetworkModel::Plugin& plugin = model_.plugins[here.plugin];
  const std::size_t width = plugin.attribute.size();
  PluginHere& its = plugins_[here.plugin];
  const auto wrong = [&](const std::string& what) {
    throw ModelFailure({.code = "PLG025",
                        .element = here.element,
                        .message = what_when(here.name) + "The plugin " + plugin.what->manifest.name + " " + what});
  };
  its.idle_calls = next_s > its.shows_s || !news_.departures.empty() ? 0 : its.idle_calls + 1;
  if (its.idle_calls > most_idle_calls) wrong("wants to go on at this moment again and again, and nobody leaves.");
  its.due_s = next_s;
  if (next_s <= std::numeric_limits<double>::max())
    world_.timers.schedule(first_ + node, std::max(world_.now(), next_s + its.away_s));
  else world_.timers.cancel(first_ + node);
  take_what_it_told(node);
  std::size_t changed = 0;
  for (const StationNews::Departure& one : news_.departures) {
    if (one.job >= plugin_at_.size() || plugin_at_[one.job] != node)
      wrong("let customer " + std::to_string(one.job) + " leave, who is not there.");
    const auto customer = static_cast<std::uint32_t>(one.job);
    const Customer& who = customers_[customer];
    for (std::size_t a = 0; one.changed && a < width; ++a) {
      const double value = news_.attributes[changed++];
      const std::uint32_t own = plugin.attribute[a];
      if (!std::isfinite(value))
        wrong("gave \"" + plugin.what->manifest.station->attributes[a].name + "\" no finite value.");
      if (own != none && model_.classes[who.of_class].carries[own] != 0)
        attribute_of(customer, own) = value * plugin.attribute_scale[a];
    }
    leave_plugin(customer, node);
    world_.observations.observe(here.response, world_.now() - who.came_s, who.of_class);
    const Way way = way_of(node, who.of_class, customer);
    if (watched()) tell_way(customer, node, way);
    become(customer, way.becomes);
    moves_.push_back({customer, way.target});
  }
}

void RunningNetwork::reconsider_plugin(std::uint32_t node) {
  const bool up = plugin_is_up(node);
  if (up == plugins_[model_.nodes[node].plugin].up) return;
  if (up) plugin_comes_up(node);
  else plugin_goes_down(node);
}

void RunningNetwork::plugin_goes_down(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  PluginHere& its = plugins_[here.plugin];
  its.up = false;
  its.shows_s = std::clamp(world_.now() - its.away_s, its.shows_s, std::max(its.shows_s, its.due_s));
  world_.timers.cancel(first_ + node);
  world_.tell(here.name, here.element, "goes down");
  if (!model_.plugins[here.plugin].loses) return;
  ask_plugin(node, [&](PluginStation& station) { return station.finish(its.shows_s, news_), PluginStation::never; });
  take_what_it_told(node);
  lose_those_in_plugin(node);
}

void RunningNetwork::lose_those_in_plugin(std::uint32_t node) {
  std::vector<std::uint32_t> inside;
  for (std::uint32_t who = 0; who < plugin_at_.size(); ++who)
    if (plugin_at_[who] == node) inside.push_back(who);
  std::stable_sort(inside.begin(), inside.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return customers_[a].came_s < customers_[b].came_s; });
  for (const std::uint32_t who : inside) {
    leave_plugin(who, node);
    turn_away(who, node, NetworkModel::Leaving::refused);
  }
}

void RunningNetwork::plugin_comes_up(std::uint32_t node) {
  const Node& here = model_.nodes[node];
  PluginHere& its = plugins_[here.plugin];
  its.up = true;
  world_.tell(here.name, here.element, "is up");
  if (model_.plugins[here.plugin].loses) {
    its.shows_s = 0.0, its.due_s = PluginStation::never;
    ++its.lives;
    begin_life(node);
  }
  its.away_s = world_.now() - its.shows_s;
  if (its.due_s <= std::numeric_limits<double>::max())
    world_.timers.schedule(first_ + node, std::max(world_.now(), its.due_s + its.away_s));
  // Nobody comes meanwhile: who leaves moves on later.
  for (const std::uint32_t customer : its.held_back) arrive_at_plugin(customer, node);
  its.held_back.clear();
}

void RunningNetwork::end(double end_s) {
  if (model_.plugins.empty() || !begun_) return;
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    const Node& node = model_.nodes[n];
    if (node.kind != Kind::plugin) continue;
    PluginHere& its = plugins_[node.plugin];
    if (!its.up && model_.plugins[node.plugin].loses) continue;  // its life is over already
    if (its.up) its.shows_s = std::max(its.shows_s, end_s - its.away_s);
    ask_plugin(n, [&](PluginStation& station) { return station.finish(its.shows_s, news_), PluginStation::never; });
    take_what_it_told(n);
  }
  if (replication_ != 0) return;
  for (std::size_t p = 0; p < plugins_.size(); ++p)
    model_.plugins[p].record->keep(seed_, std::move(plugins_[p].record));
}

}  // namespace ergode
