#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/des/world.h"
#include "solvers/cluster/model/handed_jobs.h"

namespace ergode {

/// Customers who arrived at sinks since this was last asked become jobs of their streams, in the order of streams.
/// @param streams  with HandedJobs `handed`
/// @param rows     room
/// @param come     (number of the stream, what is handed over of the customer)
/// @returns whether any did
template <typename Streams, typename Come>
bool take_customers_of(World& world, const Streams& streams, std::vector<double>& rows, const Come& come) {
  bool any = false;
  for (std::uint32_t s = 0; s < streams.size(); ++s) {
    const HandedJobs& handed = streams[s].handed;
    if (!handed.any()) continue;
    world.take_handed(handed.handover, rows);
    for (std::size_t at = 0; at < rows.size(); at += handed.width()) ++world.events, come(s, &rows[at]);
    any = any || !rows.empty();
  }
  return any;
}

/// A job that is done, or rejected, becomes a customer, where anybody takes it.
/// @param born_s  since when it has been in the model, whatever it was
/// @param has     by the words of its stream: at most four
inline void hand_on(World& world, const HandedOn::Way& to, double born_s, std::initializer_list<double> has) {
  if (to.handover == HandedJobs::none) return;
  std::array<double, 4> values{};
  for (std::size_t i = 0; i < to.words.size(); ++i) values[i] = has.begin()[to.words[i]];
  world.hand_over(to.handover, born_s, values.data());
}

}  // namespace ergode
