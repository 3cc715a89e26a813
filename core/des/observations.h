#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/element_id.h"

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
};

/// The way from the parts of a world to whoever measures. A stream that nobody asked for costs a compare.
/// A part calls observe() whenever it has something to tell, and need not know whether anybody asked: measures name
/// streams by text when the model is built, listen() passes on which those are, and all others end at the compare.
class Observations {
 public:
  /// From now on these streams are told to `sink`, which must outlive the world's histories; null: none are.
  /// @param wanted  by number of the stream, not 0 where it is wanted; streams beyond its end are not.
  void listen(ObservationSink* sink, std::vector<std::uint8_t> wanted) {
    sink_ = sink, wanted_ = std::move(wanted);
    if (sink_ == nullptr) wanted_.clear();
  }
  /// A part observed something now: `stream` from SlotTable::add(), `value` in SI, `of_class` from class_number(). No
  /// allocation here; not for two threads at once.
  void observe(std::uint32_t stream, double value, std::uint32_t of_class = 0) {
    if (stream < wanted_.size() && wanted_[stream] != 0) sink_->observed(stream, value, of_class);
  }

 private:
  ObservationSink* sink_ = nullptr;
  std::vector<std::uint8_t> wanted_;
};

}  // namespace ergode
