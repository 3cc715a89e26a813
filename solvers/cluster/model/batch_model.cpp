#include "solvers/cluster/model/batch_model.h"

#include "core/random/random_stream.h"

namespace ergode {

DrawnDevices BatchModel::Pool::devices(std::uint64_t seed, std::uint64_t replication) const {
  RandomStream speeds(stream_key(seed, element.text() + ".devices"), replication),
      heat(stream_key(seed, element.text() + ".heat"), replication);
  return draw_fleet(variation, std::size_t{hosts} * devices_of_host(), speeds, heat);
}

}  // namespace ergode
