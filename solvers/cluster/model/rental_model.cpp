#include "solvers/cluster/model/rental_model.h"

#include <cmath>
#include <limits>

namespace ergode {

std::optional<double> RentalModel::Stream::mean_rate() const {
  if (!has_rate) return 1.0 / gap.mean();
  if (!rate.is_constant()) return std::nullopt;
  return rate.value();
}

double RentalModel::Rental::cluster() const {
  // 16 that comes out of a division is 16: some last digits of it, and no GPU that nobody pays.
  constexpr double slack = 16.0 * std::numeric_limits<double>::epsilon();
  return std::floor(budget * (1.0 + slack));
}

std::vector<JobType> RentalModel::types_of(const Rental& rental) const {
  std::vector<JobType> out;
  for (const std::uint32_t s : rental.streams) {
    const Stream& one = streams[s];
    out.push_back({one.mean_rate().value_or(0.0), one.size.mean(), one.speedup,
                   one.start_up_s + rental.of(rental.beyond()).start_up_s});
  }
  return out;
}

}  // namespace ergode
