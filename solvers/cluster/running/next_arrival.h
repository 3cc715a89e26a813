#pragma once
#include <cstdint>
#include <limits>

#include "core/base/text.h"
#include "core/des/world.h"
#include "core/random/random_stream.h"
#include "solvers/cluster/model/job_law.h"

namespace ergode {

/// Waits for the next job of a stream that draws them: at random with its rate, which may change, or after a gap; for
/// nobody once as many have come as may. ModelFailure RUN002 where the rate is none.
/// @param stream  of a model of rentals, pools, fleets or GPU clusters
template <typename Stream>
void await_drawn_job(World& world, std::uint32_t timer, const Stream& stream, RandomStream& gaps) {
  const double* const slots = world.slots();
  if (slots[stream.submitted] >= static_cast<double>(stream.most_jobs)) return world.timers.cancel(timer);
  if (!stream.has_rate) return world.timers.schedule(timer, world.now() + drawn(stream.gap, slots, gaps));
  const double rate = stream.rate.evaluate(slots);
  if (!(rate >= 0.0 && rate <= std::numeric_limits<double>::max()))
    throw ModelFailure({.code = "RUN002",
                        .element = stream.element,
                        .pointer = "rate",
                        .message = "The rate of \"" + stream.name + "\" is " + number_text(rate * 3600.0, 6) +
                                   " /h; wanted a finite rate >= 0."});
  if (rate > 0.0) world.timers.schedule(timer, world.now() + gaps.exponential() / rate);
  else world.timers.cancel(timer);
}

}  // namespace ergode
