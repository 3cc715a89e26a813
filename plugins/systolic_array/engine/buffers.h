#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "plugins/systolic_array/engine/array.h"

namespace systolic {

inline constexpr std::int32_t no_word = -1;
/// Cycles from a request to DRAM to its word, and from a request to a buffer to its word.
inline constexpr double dram_latency = 1.0, hit_latency = 1.0;

/// One half of a memory holds what the array reads while the other half is filled, with words in the order in which
/// they are read for the first time since their last copy went. The first half is there when the array begins.
class StreamBuffer {
 public:
  /// @param words  all that there are  @param bandwidth  words a cycle; 0: as many as the array needs so that it never
  /// waits, of which dram().a_cycle() then tells
  StreamBuffer(std::uint64_t bytes, std::uint64_t words, std::uint32_t bandwidth);
  /// Words of one cycle, no_word where nothing is asked for. @returns when they are there
  double read(std::span<const std::int32_t> words, double cycle);
  void finish();
  const Accesses& dram() const { return dram_; }

 private:
  void close_set(double cycle);
  void close_half(double cycle);
  double there(double cycle);
  std::int64_t set_size_, half_sets_;
  double bandwidth_;                                  ///< 0: as needed
  std::vector<std::int64_t> set_of_;                  ///< by word: the newest set it is in
  std::int64_t set_ = 0, in_set_ = 0;                 ///< being read for the first time
  std::int64_t oldest_ = 0, newest_;                  ///< sets that are readable
  double in_half_ = 0.0;                              ///< words of the half that is being read
  double half_begins_ = 0.0;                          ///< when it began to be read
  double room_since_ = 0.0;                           ///< since when there was place for it
  double fetch_begins_ = 0.0, fetched_until_ = -1.0;  ///< of the half that is being read; of those before it
  double first_request_ = 0.0;
  bool requested_ = false, first_half_ = true;
  Accesses dram_;
};

/// As SCALE-Sim 3 fetches with a bandwidth given: along a list, round and round until what is missing comes by, so that
/// a fold at the edge of a half may cost many rounds; and a wait counts twice.
class FetchingBuffer {
 public:
  /// @param list  words in the order in which they are fetched; places with no_word take their time too
  FetchingBuffer(std::uint64_t bytes, std::uint64_t words, std::uint32_t bandwidth, std::vector<std::int32_t> list);
  double read(std::span<const std::int32_t> words, double cycle);
  void finish() {}
  const Accesses& dram() const { return dram_; }

 private:
  void fill_first(double cycle);
  void fetch_more();
  void count(std::size_t line, std::int32_t by);
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
