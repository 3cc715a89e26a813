#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "statecharts/compile/compiled_model.h"

namespace ergode {

/// Of two transitions that leave a common state the inner source wins, else the one whose state comes first.
/// @param selected  transitions of one component that react together, in the order of their states.
/// @param kept      receives those that are taken.
void resolve_conflicts(const ChartTables& tables, const std::vector<std::uint32_t>& selected,
                       std::vector<std::uint32_t>& kept);

/// Remembers what an event does to a configuration where nothing else can play a part: guards that are constants, and
/// states and transitions without actions, clocks, counted slots, causes, histories and final states. Such a step is
/// then one table entry, as in an automaton that is built while it runs (Thompson's construction of regular
/// expressions, Communications of the ACM 11(6), 1968, pp. 419-422, made lazily). Everything else keeps its general
/// algorithm; the results are the same.
///
/// One per replication: it grows while running, up to a fixed size; a look-up allocates nothing.
class StepMemo {
 public:
  enum class Kind : std::uint8_t { unknown, general, nothing, taken };
  struct Step {
    std::uint64_t next = 0;                ///< the configuration afterwards
    std::uint32_t rows = 0, rows_end = 0;  ///< range of rows(): transitions taken, transition_base + number
    std::uint32_t node = 0;                ///< of the configuration afterwards
    Kind kind = Kind::unknown;
    bool eventless = false;  ///< states are active then from which eventless transitions lead
  };

  explicit StepMemo(const CompiledModel& model);
  /// What the event does to the component in this configuration; Kind::general when it must be worked out.
  const Step& step(std::uint32_t instance, std::uint64_t configuration, std::uint32_t event) {
    Place& place = places_[instance];
    if (!place.usable) return general_;
    if (place.node == none || nodes_[place.node].configuration != configuration) {
      place.node = node(instance, configuration);
      if (place.node == none) return general_;
    }
    const Step& found = steps_[nodes_[place.node].steps + event];
    return found.kind != Kind::unknown ? found : learn(instance, place.node, event);
  }
  /// After a step was taken.
  void moved(std::uint32_t instance, std::uint32_t node) { places_[instance].node = node; }
  const std::uint32_t* row(std::uint32_t index) const { return rows_.data() + index; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Place {
    bool usable = false;
    std::uint32_t node = none;
  };
  struct Node {
    std::uint64_t configuration = 0;
    std::uint32_t steps = 0;
  };
  struct Key {
    std::uint32_t instance;
    std::uint64_t configuration;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((key.configuration ^ key.instance * 0x9E3779B97F4A7C15ULL) *
                                      0xFF51AFD7ED558CCDULL);
    }
  };
  std::uint32_t node(std::uint32_t instance, std::uint64_t configuration);
  const Step& learn(std::uint32_t instance, std::uint32_t at, std::uint32_t event);
  bool select(std::uint32_t instance, std::uint64_t configuration, std::uint32_t event);
  bool apply(std::uint32_t instance, std::uint64_t& configuration) const;
  bool plain(const Instance& owner, std::uint32_t state) const;

  const CompiledModel& model_;
  std::vector<Place> places_;
  std::vector<Node> nodes_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> rows_, selected_, kept_;
  std::unordered_map<Key, std::uint32_t, Hash> known_;
  Step general_;
};

}  // namespace ergode
