#include "statecharts/compile/compiled_model.h"

#include <charconv>

#include "core/random/random_stream.h"

namespace ergode {

std::vector<Range> CompiledModel::slot_ranges(double horizon_s) const {
  std::vector<Range> out = table->ranges(horizon_s);
  for (const CountSlot& slot : count_slots) out[slot.slot] = {0.0, static_cast<double>(slot.count)};
  return out;
}

std::string CompiledModel::name(std::uint32_t instance) const {
  const ComponentArray& array = arrays[instances[instance].array];
  return array.array ? array.name + "[" + std::to_string(instances[instance].member + 1) + "]" : array.name;
}

std::string CompiledModel::stream_name(std::size_t stream) const {
  if (stream >= timers.size()) return name(static_cast<std::uint32_t>(stream - timers.size())) + "/branches";
  const TimerSpec timer = timers[stream];
  return name(timer.instance) + "/" + element_of(timer.instance, timer.transition).text();
}

std::vector<std::uint64_t> CompiledModel::stream_keys(std::uint64_t seed) const {
  std::vector<std::uint64_t> out;
  out.reserve(streams());
  std::vector<std::string> tails;  // by clock that members share
  for (const TimerTable::Shared& shared : timers.specs)
    tails.push_back("/" + element_of(shared.instance, shared.transition).text());
  std::string text;
  const auto key = [&](std::uint32_t instance, const std::string& tail) {
    const ComponentArray& array = arrays[instances[instance].array];
    text = array.name;
    if (array.array) {
      std::array<char, 16> digits;
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), instances[instance].member + 1).ptr;
      text += '[';
      text.append(digits.data(), end);
      text += ']';
    }
    text += tail;
    out.push_back(stream_key(seed, text));
  };
  for (std::size_t t = 0; t < timers.size(); ++t) key(timers.instance(t), tails[timers.places[t].spec]);
  for (std::uint32_t i = 0; chances && i < instances.size(); ++i) key(i, "/branches");
  return out;
}

}  // namespace ergode
