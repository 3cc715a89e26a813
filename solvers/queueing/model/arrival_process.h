#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/random/distribution.h"
#include "core/random/markovian_arrival_process.h"

namespace ergode {

/// When customers come whose gaps are not independent draws from one law. Exactly one of `markovian`, `burst` and
/// `times_s` is there.
struct ArrivalProcess {
  /// Gaps by one of two laws, in intervals of lengths of their own. A gap that would end beyond its interval is not
  /// taken: another is drawn from where the next interval begins.
  struct Burst {
    std::array<Distribution, 2> gap, length;  ///< [s]
    bool alternates = true;
    double first = 0.5;  ///< where intervals do not alternate: probability that the next is of the first kind
  };
  /// Where it is in a history: kept with the history.
  struct Place {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::uint32_t at = none;  ///< phase, kind of interval, or number of the next time; none: not begun
    double since_s = 0.0;     ///< of a burst the end of its interval; of times when their list last began
    std::uint8_t nobody = 0;  ///< What next_s() gave last is no arrival: ask again then.
    template <typename Archive>
    void archive(Archive& a) {
      a(at, since_s, nobody);
    }
  };
  std::optional<MarkovianArrivalProcess> markovian;
  std::shared_ptr<const Burst> burst;
  std::shared_ptr<const std::vector<double>> times_s;  ///< ascending, >= 0; at least one
  bool repeats = false;                                ///< the list begins again at its last time, which then is > 0

  /// Arrivals in the long run [1/s], where they are known and there is a long run.
  std::optional<double> rate() const;
  /// When the next customer comes [s], the last having come at `now_s`; infinity: nobody comes any more. Where many
  /// intervals in a row have no arrival, the beginning of one, and `place.nobody`: whoever asks can stop in between.
  double next_s(Place& place, double now_s, RandomStream& stream) const;
};

}  // namespace ergode
