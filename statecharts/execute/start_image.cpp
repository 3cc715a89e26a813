#include "statecharts/execute/start_image.h"

#include <unordered_map>

namespace ergode {
namespace {

/// Its time needs nothing but its own stream, or it waits for no time.
bool alone(const TimerTable::Shared& clock) {
  switch (clock.kind) {
    case Trigger::Kind::rate:
    case Trigger::Kind::at:
    case Trigger::Kind::every:
      return clock.constant;
    case Trigger::Kind::after:
      return clock.constant || clock.random;
    default:
      return true;
  }
}

class Image {
 public:
  explicit Image(const CompiledModel& model) : model_(model) { out_.configuration.resize(model.words); }

  std::optional<StartImage> take() {
    for (std::uint32_t i = 0; i < model_.instances.size(); ++i)
      if (!enter(i)) return std::nullopt;
    return std::move(out_);
  }

 private:
  bool enter(std::uint32_t instance) {
    const Instance& owner = model_.instances[instance];
    const ChartTables& tables = model_.charts[owner.chart];
    for (const std::uint32_t* at = tables.entries.begin(tables.start_row); at != tables.entries.end(tables.start_row);
         ++at) {
      if ((*at & ChartTables::initial_flag) != 0) {
        const std::size_t row = owner.rows + (*at & ~ChartTables::initial_flag);
        if (model_.transition_actions.begin(row) != model_.transition_actions.end(row)) return false;
        continue;
      }
      const StateInfo& info = model_.states[owner.state_base + *at];
      if (info.entry != info.entry_end || tables.is_final[*at] != 0) return false;
      out_.configuration[owner.configuration + *at / 64] |= std::uint64_t{1} << (*at % 64);
      for (std::uint32_t i = info.slots; i != info.slots_end; ++i) count(model_.state_values[i].of(owner.member));
      for (std::uint32_t i = info.timers; i != info.timers_end; ++i) {
        out_.clocks.push_back(model_.state_values[i].of(owner.member));
        if (!alone(model_.timers.shared(out_.clocks.back()))) return false;
      }
    }
    std::uint64_t eventless = 0;
    for (std::uint32_t w = 0; w < tables.words; ++w)
      eventless |= out_.configuration[owner.configuration + w] & tables.eventless[w];
    if (eventless != 0) out_.asked.push_back(instance);
    return true;
  }

  void count(std::uint32_t slot) {
    const auto [place, fresh] = places_.try_emplace(slot, out_.counts.size());
    if (fresh) out_.counts.push_back({slot, 0.0});
    ++out_.counts[place->second].entered;
  }

  const CompiledModel& model_;
  StartImage out_;
  std::unordered_map<std::uint32_t, std::size_t> places_;
};

}  // namespace

std::optional<StartImage> start_image(const CompiledModel& model) { return Image(model).take(); }

}  // namespace ergode
