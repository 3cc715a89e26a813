#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plugins/systolic_array/engine/array.h"

namespace systolic {

inline constexpr std::int32_t no_word = -1;
/// Cycles from a request to DRAM to its word, and from a request to a buffer to its word.
inline constexpr double dram_latency = 1.0, hit_latency = 1.0;

/// One half of a memory holds what the array reads while the other half is filled. Here DRAM gives as many words a
/// cycle as the array needs so that it never waits: what is fetched ahead is what was read for the first time.
class WishedBuffer {
 public:
  /// @param words  all that there are  @param bandwidth  with which the first half is filled, words a cycle
  WishedBuffer(std::uint64_t bytes, std::uint64_t words, std::uint32_t bandwidth);
  /// Words of one cycle, no_word where nothing is asked for. @returns when they are there
  double read(std::span<const std::int32_t> words, double cycle);
  void finish();
  const Accesses& dram() const { return dram_; }

 private:
  void close_set(double cycle);
  void fetch(std::int64_t first_set, std::int64_t last_set);
  std::int64_t set_size_, half_sets_;
  double first_bandwidth_;
  std::vector<std::int64_t> set_of_;  ///< by word: the newest set it is in
  std::vector<std::uint8_t> asked_;
  std::int64_t set_ = 0, in_set_ = 0;             ///< being filled
  std::int64_t oldest_ = 0, newest_, ahead_ = 0;  ///< sets that are readable; the next to be fetched
  double fetch_starts_ = -2.0, fetch_ends_ = -1.0, first_request_ = 0.0;
  bool requested_ = false, filled_ = false, fetched_ = false;
  Accesses dram_;
};

/// The same with a bandwidth: what is fetched follows a list, round and round, and the array waits for what is late.
class FetchingBuffer {
 public:
  /// @param list  words in the order in which they are fetched; places with no_word take their time too
  /// @param waits_twice  Array::as_reference
  FetchingBuffer(std::uint64_t bytes, std::uint64_t words, std::uint32_t bandwidth, std::vector<std::int32_t> list,
                 bool waits_twice);
  double read(std::span<const std::int32_t> words, double cycle);
  void finish() {}
  const Accesses& dram() const { return dram_; }

 private:
  void fill_first(double cycle);
  void fetch_more();
  void count(std::size_t line, std::int32_t by);
  bool waits_twice_;
  std::vector<std::int32_t> list_;
  std::vector<std::size_t> line_begins_;  ///< in the list; one more than lines
  std::vector<std::int32_t> there_;       ///< by word: how often it is in the half that is read
  std::size_t lines_ = 0, active_ = 0, ahead_ = 0, start_ = 0;
  std::uint64_t half_, other_half_, bandwidth_;
  double last_fetch_ = -1.0;
  bool filled_ = false;
  Accesses dram_;
};

/// Outputs collect in one half while the other is written to DRAM.
class WriteBuffer {
 public:
  /// @param as_reference  Array::as_reference
  WriteBuffer(std::uint64_t bytes, std::uint32_t bandwidth, bool as_reference);
  /// @param words  of one cycle  @returns when they are taken
  double write(std::uint32_t words, double cycle);
  void finish(double cycle);
  const Accesses& dram() const { return dram_; }

 private:
  void close_line();
  double drain(double cycle);
  bool as_reference_;
  std::int64_t size_, half_, free_;
  std::uint32_t bandwidth_, in_line_ = 0;
  std::vector<std::uint32_t> lines_;  ///< words of each, at most the bandwidth
  std::size_t drained_ = 0;           ///< lines
  double drain_ends_ = 0.0;
  bool begun_ = false;
  Accesses dram_;
};

}  // namespace systolic
