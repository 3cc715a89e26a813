#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ergode {

/// Customers one after the other who are alike: of a class, and in which phase of their service; phase 0: not begun.
struct AlikeCustomers {
  std::uint16_t of_class = 0, phase = 0;
  std::uint32_t count = 0;
  bool alike(const AlikeCustomers& other) const { return of_class == other.of_class && phase == other.phase; }
};

/// Who is at a station, in order: who began first, and who came first, stands before.
struct StationState {
  std::vector<AlikeCustomers> served;
  std::vector<std::vector<AlikeCustomers>>
      lines;  ///< by level; the next one is taken from wherever the discipline says
};

/// One state of a network, as numbers and phases: all that decides what comes next.
struct NetworkState {
  std::vector<StationState> stations;  ///< by station of the chain
  std::vector<std::uint32_t> phases;   ///< by source: of the time to its next customer
  std::vector<std::uint32_t> turns;    ///< by node that sends customers round
  std::vector<std::uint32_t> tokens;   ///< [place * classes + class]
  /// Who waits before each region, in order; `phase` says for which station of the chain.
  std::vector<std::vector<AlikeCustomers>> before;
  std::u32string key() const;
  /// From a key; sizes are those of a state of the same chain.
  void read(const std::u32string& key);
};

std::uint32_t count_of(const std::vector<AlikeCustomers>& crowds);
/// Adds one at an end, joining those who are alike.
void push_last(std::vector<AlikeCustomers>& crowds, AlikeCustomers one);
void push_first(std::vector<AlikeCustomers>& crowds, AlikeCustomers one);
/// Adds one where order means nothing: crowds are sorted, so that equal states are the same.
void insert_sorted(std::vector<AlikeCustomers>& crowds, AlikeCustomers one);
/// Takes one out of crowd number `at`; neighbours who then are alike become one.
void take(std::vector<AlikeCustomers>& crowds, std::size_t at);

}  // namespace ergode
