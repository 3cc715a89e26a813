// Stations behind the plugin interface, driven by the network's clock.
#include <cmath>

#include "core/base/text.h"
#include "solvers/queueing/running/plain_stations.h"

namespace ergode {

// So often a station may ask to go on at one and the same moment without anybody leaving it.
constexpr std::uint32_t most_idle_calls = 10'000;

template <class Call>
double RunningNetwork::ask_plugin(std::uint32_t node, const Call& call) {
  news_.clear();
  try {
    return call(*plugins_[model_.nodes[node].plugin]);
  } catch (const PluginGaveUp&) {
    throw GivenUp{};
  } catch (PluginFailure& failure) {
    Diagnostic what = std::move(failure.what_happened);
    what.element = model_.nodes[node].element;
    what.message = what_when(model_.nodes[node].name) + what.message;
    throw ModelFailure(std::move(what));
  }
}

void RunningNetwork::begin_plugins(std::uint64_t replication) {
  plugin_at_.clear();
  idle_calls_.assign(model_.plugins.size(), 0);
  plugins_.resize(model_.plugins.size());
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    const Node& node = model_.nodes[n];
    if (node.kind != NetworkModel::Kind::plugin) continue;
    const NetworkModel::Plugin& plugin = model_.plugins[node.plugin];
    if (plugins_[node.plugin] == nullptr)
      plugins_[node.plugin] =
          plugin.what->make(plugin.values, seed_, node.element.text(), [this] { return give_up_ && give_up_(); });
    ask_plugin(n, [&](PluginStation& station) { return station.begin(replication), PluginStation::never; });
  }
}

void RunningNetwork::enter_plugin(std::uint32_t customer, std::uint32_t node) {
  const Node& there = model_.nodes[node];
  const NetworkModel::Plugin& plugin = model_.plugins[there.plugin];
  const std::vector<PluginAttribute>& attributes = plugin.what->manifest.station->attributes;
  State& state = states_[node];
  Customer& who = customers_[customer];
  count_step(node);
  who.came_s = world_.now();
  ++state.present;
  count_class(there, who.of_class, 1.0);
  world_.set(there.number, static_cast<double>(state.present));
  if (plugin_at_.size() < customers_.size()) plugin_at_.resize(customers_.size(), none);
  plugin_at_[customer] = node;
  handed_over_.clear();
  for (std::size_t a = 0; a < attributes.size(); ++a) {
    const std::uint32_t own = plugin.attribute[a];
    const bool has = own != none && model_.classes[who.of_class].carries[own] != 0;
    handed_over_.push_back(has ? attribute_of(customer, own) / plugin.attribute_scale[a] : attributes[a].otherwise);
  }
  take_news(node, ask_plugin(node, [&](PluginStation& station) {
              return station.arrive(world_.now(), customer, handed_over_, news_);
            }));
}

void RunningNetwork::advance_plugin(std::uint32_t node) {
  take_news(node, ask_plugin(node, [&](PluginStation& station) { return station.advance(world_.now(), news_); }));
}

void RunningNetwork::take_news(std::uint32_t node, double next_s) {
  const Node& here = model_.nodes[node];
  const NetworkModel::Plugin& plugin = model_.plugins[here.plugin];
  const std::size_t width = plugin.attribute.size();
  State& state = states_[node];
  const auto wrong = [&](const std::string& what) {
    throw ModelFailure({.code = "PLG025",
                        .element = here.element,
                        .message = what_when(here.name) + "The plugin " + plugin.what->manifest.name + " " + what});
  };
  std::uint32_t& idle = idle_calls_[here.plugin];
  idle = next_s > world_.now() || !news_.departures.empty() ? 0 : idle + 1;
  if (idle > most_idle_calls) wrong("wants to go on at this moment again and again, and nobody leaves.");
  if (next_s <= std::numeric_limits<double>::max()) world_.timers.schedule(first_ + node, next_s);
  else world_.timers.cancel(first_ + node);
  for (const StationNews::Observation& one : news_.observations)
    world_.observations.observe(plugin.stream[one.output], one.value * plugin.output_scale[one.output]);
  std::size_t changed = 0;
  for (const StationNews::Departure& one : news_.departures) {
    if (one.job >= plugin_at_.size() || plugin_at_[one.job] != node)
      wrong("let customer " + std::to_string(one.job) + " leave, who is not there.");
    const auto customer = static_cast<std::uint32_t>(one.job);
    const Customer& who = customers_[customer];
    plugin_at_[customer] = none;
    for (std::size_t a = 0; one.changed && a < width; ++a) {
      const double value = news_.attributes[changed++];
      const std::uint32_t own = plugin.attribute[a];
      if (!std::isfinite(value))
        wrong("gave \"" + plugin.what->manifest.station->attributes[a].name + "\" no finite value.");
      if (own != none && model_.classes[who.of_class].carries[own] != 0)
        attribute_of(customer, own) = value * plugin.attribute_scale[a];
    }
    --state.present;
    count_class(here, who.of_class, -1.0);
    world_.set(here.number, static_cast<double>(state.present));
    world_.observations.observe(here.response, world_.now() - who.came_s, who.of_class);
    const Way way = way_of(node, who.of_class, customer);
    if (watched()) tell_way(customer, node, way);
    become(customer, way.becomes);
    moves_.push_back({customer, way.target});
  }
}

void RunningNetwork::end(double end_s) {
  if (model_.plugins.empty() || !begun_) return;
  for (std::uint32_t n = 0; n < model_.nodes.size(); ++n) {
    if (model_.nodes[n].kind != NetworkModel::Kind::plugin) continue;
    ask_plugin(n, [&](PluginStation& station) { return station.finish(end_s, news_), PluginStation::never; });
    const NetworkModel::Plugin& plugin = model_.plugins[model_.nodes[n].plugin];
    for (const StationNews::Observation& one : news_.observations)
      world_.observations.observe(plugin.stream[one.output], one.value * plugin.output_scale[one.output]);
  }
}

}  // namespace ergode
