#include "solvers/simulation/replication_pulse.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/text.h"

namespace ergode {

std::uint64_t ReplicationPulse::packed(std::uint64_t events, double share) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(events))} << 32U |
         std::bit_cast<std::uint32_t>(static_cast<float>(share));
}

std::optional<Diagnostic> ReplicationPulse::late(const AnalysisModel& model, double waited_s) const {
  const std::uint64_t told = told_.load(std::memory_order_relaxed);
  const double events = std::bit_cast<float>(static_cast<std::uint32_t>(told >> 32U));
  const double share = std::bit_cast<float>(static_cast<std::uint32_t>(told));
  if (!(events > 0.0 || share > 0.0)) return std::nullopt;
  const auto time = [&](double seconds) {
    return number_text(model.time_unit.from_si(seconds), 4) + " " + model.time_unit.symbol;
  };
  std::string message = "No replication has ended for " + number_text(waited_s, 2) + " s: the one under way has had " +
                        number_text(events, 2) + " events";
  if (share > 0.0)
    message +=
        " and has come to " + time(share * model.horizon_s) + " of " + time(model.horizon_s) +
        (events > 0.0 ? ", so it would take about " + number_text(events / share, 2) + " events" : std::string());
  return Diagnostic{.severity = Severity::warning,
                    .code = "RUN031",
                    .message = message + ".",
                    .hint =
                        "Are all rates and delays in the units that are meant? A shorter mission or an exact "
                        "solver may do. --wall-time and stopping end the run in the middle of a replication."};
}

std::uint32_t events_between_polls(const CompiledModel& model) {
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(65536 / std::max<std::size_t>(model.instances.size(), 1), 1, 1024));
}

}  // namespace ergode
