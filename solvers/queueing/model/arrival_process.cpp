#include "solvers/queueing/model/arrival_process.h"

namespace ergode {

std::optional<double> ArrivalProcess::rate() const {
  if (markovian) return markovian->rate();
  if (times_s && repeats) return static_cast<double>(times_s->size()) / times_s->back();
  if (!burst) return std::nullopt;
  // Where both kinds of gaps are memoryless nothing is lost at the ends of intervals.
  double comes = 0.0, lasts = 0.0;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    if (burst->gap[kind].family() != Distribution::Family::exponential) return std::nullopt;
    const double part = burst->alternates ? 0.5 : kind == 0 ? burst->first : 1.0 - burst->first;
    const double length_s = part * burst->length[kind].mean();
    comes += length_s / burst->gap[kind].mean(), lasts += length_s;
  }
  return lasts < std::numeric_limits<double>::infinity() ? std::optional(comes / lasts) : std::nullopt;
}

double ArrivalProcess::next_s(Place& place, double now_s, RandomStream& stream) const {
  if (markovian) {
    if (place.at == Place::none) place.at = markovian->begin(stream);
    return now_s + markovian->next(place.at, stream);
  }
  if (times_s) {
    if (place.at == Place::none) place.at = 0;
    if (place.at == times_s->size()) {
      if (!repeats) return std::numeric_limits<double>::infinity();
      place.since_s += times_s->back(), place.at = 0;
    }
    return place.since_s + (*times_s)[place.at++];
  }
  const auto change = [&](double begin_s) {
    if (burst->alternates) place.at = place.at == 0 ? 1 : 0;
    else place.at = stream.uniform() < burst->first ? 0 : 1;
    place.since_s = begin_s + burst->length[place.at].sample(stream);
  };
  constexpr int most_intervals = 1024;  // some 0.1 ms
  if (place.at == Place::none) change(now_s);
  for (int intervals = 0; intervals < most_intervals; ++intervals) {
    const double at_s = now_s + burst->gap[place.at].sample(stream);
    place.nobody = 0;
    if (at_s <= place.since_s) return at_s;
    now_s = place.since_s;
    change(now_s);
  }
  place.nobody = 1;
  return now_s;
}

}  // namespace ergode
