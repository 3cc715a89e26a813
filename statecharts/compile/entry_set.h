#pragma once
#include <cstdint>
#include <vector>

#include "statecharts/model/state_chart.h"

namespace ergode {

/// Works out which states a transition enters, with default completion and histories: SCXML (2015), appendix D,
/// addDescendantStatesToEnter and addAncestorStatesToEnter. Used when a chart is compiled, and while running for the
/// few transitions that lead to a history. No allocation after construction but for the growth of listed(). O(states
/// entered and passed on the way), not of all states. One thread.
class EntrySet {
 public:
  /// Marks an entry of listed() that means the actions of a transition: of an initial one, or of a history.
  static constexpr std::uint32_t action_flag = 0x80000000U;

  /// @param chart  without errors; must outlive it
  explicit EntrySet(const StateChart& chart);

  /// What entering `targets` enters: they, what lies between them and the domain, and what completes both.
  /// @param domain   active already; everything entered is inside it
  /// @param targets  states inside the domain, several of them in different regions
  /// @param memory   what the histories remember: for history number h (their order in the chart) `words` words from
  ///                 memory + h * words, a bit per state; all zero: nothing yet. Null: no history remembers anything.
  /// @returns        whether the result holds whatever histories remember.
  bool complete(int domain, const std::vector<int>& targets, const std::uint64_t* memory);
  /// Default entry of the whole chart.
  void complete_chart();
  /// What was found, in document order: states, each followed by the initial (then history) actions that go with it. As
  /// ChartTables::entries; valid until the next call. O(n log n).
  const std::vector<std::uint32_t>& listed();

 private:
  const State& state(int s) const { return chart_.states[static_cast<std::size_t>(s)]; }
  void clear();
  void mark(int s) {
    std::uint8_t& entered = entered_[static_cast<std::size_t>(s)];
    if (entered == 0) entered = 1, marked_.push_back(s);
  }
  bool any_inside(int s) const;
  void descend(int s);
  void climb(int s, int domain);
  void recall(int history);
  void complete_regions(int parallel);

  const StateChart& chart_;
  std::size_t words_;
  std::vector<int> history_number_;                      ///< by state; -1: no history
  std::vector<std::uint8_t> entered_;                    ///< by state
  std::vector<std::int32_t> initial_, default_content_;  ///< by state: transition whose actions are done, or -1
  std::vector<int> marked_, recalled_;                   ///< what is not at rest in the three above
  std::vector<std::uint32_t> list_;
  const std::uint64_t* memory_ = nullptr;
  bool fixed_ = true;
};

}  // namespace ergode
