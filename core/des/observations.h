#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/element_id.h"
#include "core/expression/program.h"

namespace ergode {

/// A stream of observations that a part makes while it runs, as its notation declares it when a model is lowered: what
/// a customer waited, how long a job took. Its number is its place in the model's list (SlotTable::streams).
///
///     {.name = "web.response_time", .unit = "ms", .element = station.id, .classes = {"gold", "standard"}}
struct StreamSpec {
  std::string name;                       ///< Path by which measures name it: "web.response_time".
  std::string unit = {};                  ///< Observations are in the SI unit of its dimension; "" dimensionless.
  ElementId element = {};                 ///< What makes them, for diagnostics.
  std::vector<std::string> classes = {};  ///< Names of what observations may be told apart by; empty: they are alike.
  /// What an observation can be [SI]: intervals do not leave it, and where it is one value nothing needs to be seen.
  Range range = {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  bool at_the_end = false;  ///< It is observed when a replication ends, and so never in the course of a long run.
};

/// The number of a stream, or of a class, by name; nothing when there is none. O(number of them).
inline std::optional<std::uint32_t> stream_number(std::span<const StreamSpec> streams, std::string_view name) {
  for (std::uint32_t i = 0; i < streams.size(); ++i)
    if (streams[i].name == name) return i;
  return std::nullopt;
}
inline std::optional<std::uint32_t> class_number(const StreamSpec& stream, std::string_view name) {
  for (std::uint32_t i = 0; i < stream.classes.size(); ++i)
    if (stream.classes[i] == name) return i;
  return std::nullopt;
}

/// Who takes observations: the recorder of a replication. Called on the history's thread, in the order of the model's
/// time.
/// It must not change the world: parts are in the middle of what they do.
class ObservationSink {
 public:
  virtual ~ObservationSink() = default;
  /// @param value     in the SI unit of the stream's dimension
  /// @param of_class  number among the stream's classes; 0 when it has none.
  virtual void observed(std::uint32_t stream, double value, std::uint32_t of_class) = 0;
  /// Several of them, one after the other, of a stream for which Observations::gather() was asked.
  virtual void observed_block(std::uint32_t stream, std::span<const double> values) {
    for (const double value : values) observed(stream, value, 0);
  }
};

/// The way from the parts of a world to whoever measures. A stream that nobody asked for costs a compare.
/// A part calls observe() whenever it has something to tell, and need not know whether anybody asked: measures name
/// streams by text when the model is built, listen() passes on which those are, and all others end at the compare.
///
/// Whoever measures may ask for sums alone until a moment (add_up()): then an observation is two additions, and nobody
/// is called. Or, where neither the moment nor the class counts, for blocks (gather()): then it is one store.
class Observations {
 public:
  struct Sums {
    double sum = 0.0;     ///< of the values [SI]
    std::uint64_t n = 0;  ///< how many they were
  };

  /// From now on these streams are told to `sink`, which must outlive the world's histories; null: none are.
  /// @param wanted  by number of the stream, not 0 where it is wanted; streams beyond its end are not.
  /// @param now_s   the present time of the world [s]; outlives this
  void listen(ObservationSink* sink, const std::vector<std::uint8_t>& wanted, const double* now_s) {
    sink_ = sink, now_s_ = now_s;
    wanted_ = sink_ == nullptr ? std::vector<std::uint8_t>() : wanted;
    streams_.assign(wanted_.size(), {});
  }
  /// Whether anybody wants this stream: for whoever would have to fetch what it tells from far away.
  bool wants(std::uint32_t stream) const noexcept { return stream < wanted_.size() && wanted_[stream] != 0; }
  /// A part observed something now: `stream` from SlotTable::add(), `value` in SI, `of_class` from class_number(). No
  /// allocation here; not for two threads at once.
  [[gnu::always_inline]] void observe(std::uint32_t stream, double value, std::uint32_t of_class = 0) {
    if (!wants(stream)) return;
    Stream& to = streams_[stream];
    if (to.gathered < block_size) {
      to.block[to.gathered] = value;
      if (++to.gathered == block_size) [[unlikely]]
        hand_over(stream);
      return;
    }
    if (*now_s_ < to.until_s) {
      to.sums.sum += value, ++to.sums.n;
      return;
    }
    sink_->observed(stream, value, of_class);
  }
  /// Until then, and not at that moment, observations of the stream are added up and not told.
  void add_up(std::uint32_t stream, double until_s) { streams_[stream].until_s = until_s; }
  /// What was added up since it was last taken.
  Sums take(std::uint32_t stream) { return std::exchange(streams_[stream].sums, {}); }
  /// From now on observations of the stream, whatever their class, come by observed_block(), and what is left of them
  /// when hand_over() is called.
  void gather(std::uint32_t stream) {
    streams_[stream].block.resize(block_size);
    streams_[stream].gathered = 0;
  }
  void hand_over(std::uint32_t stream) {
    Stream& from = streams_[stream];
    sink_->observed_block(stream, {from.block.data(), std::exchange(from.gathered, 0U)});
  }

 private:
  static constexpr std::uint32_t block_size = 256, not_gathered = ~0U;
  struct Stream {
    Sums sums;
    double until_s = -std::numeric_limits<double>::infinity();
    std::vector<double> block;
    std::uint32_t gathered = not_gathered;
  };
  ObservationSink* sink_ = nullptr;
  const double* now_s_ = nullptr;
  std::vector<std::uint8_t> wanted_;  ///< apart from the others: of most streams nothing else is looked at
  std::vector<Stream> streams_;
};

}  // namespace ergode
