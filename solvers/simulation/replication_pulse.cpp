#include "solvers/simulation/replication_pulse.h"

#include <algorithm>
#include <bit>

#include "core/base/special_values.h"
#include "core/base/text.h"

namespace ergode {
namespace {

/// "40 s", "12 min", "3.1 h", "2 days": of the machine's time, which is known roughly.
std::string machine_time(double seconds) {
  constexpr double minute = 60.0, hour = 3600.0, day = 86400.0;
  if (seconds < 2 * minute) return number_text(seconds, 2) + " s";
  if (seconds < 2 * hour) return number_text(seconds / minute, 2) + " min";
  if (seconds < 2 * day) return number_text(seconds / hour, 2) + " h";
  return number_text(seconds / day, 2) + " days";
}

}  // namespace

std::uint64_t ReplicationPulse::packed(std::uint64_t events, double share) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(events))} << 32U |
         std::bit_cast<std::uint32_t>(static_cast<float>(share));
}

double ReplicationPulse::share() const {
  const std::uint64_t told = told_.load(std::memory_order_relaxed);
  return told == 0 ? nan : std::bit_cast<float>(static_cast<std::uint32_t>(told));
}

std::optional<Diagnostic> ReplicationPulse::late(const AnalysisModel& model, double waited_s) const {
  const std::uint64_t told = told_.load(std::memory_order_relaxed);
  const double events = std::bit_cast<float>(static_cast<std::uint32_t>(told >> 32U));
  const double share = std::bit_cast<float>(static_cast<std::uint32_t>(told));
  const double left_s = share > 0.0 ? waited_s / share - waited_s : infinity;
  if (left_s <= soon_s) return std::nullopt;
  const auto time = [&](double seconds) {
    return number_text(model.time_unit.from_si(seconds), 4) + " " + model.time_unit.symbol;
  };
  std::string message = "No replication has ended in the first " + number_text(waited_s, 2) + " s: the one under way ";
  if (told == 0) {
    message += "is still being prepared, or each of its events takes long";
  } else {
    message += "has had " + number_text(events, 2) + " events";
    if (share > 0.0) {
      message += " and has come to " + time(share * model.horizon_s) + " of " + time(model.horizon_s) +
                 ", so it would take about ";
      if (events > 0.0) message += number_text(events / share, 2) + " events and ";
      message += machine_time(waited_s + left_s);
    }
  }
  return Diagnostic{
      .severity = Severity::warning,
      .code = "RUN031",
      .message = message + ".",
      .hint =
          "Are all rates and delays in the units that are meant? A shorter mission or an exact "
          "solver may do. A limit of wall time, and stopping, end the run in the middle of a replication."};
}

std::uint32_t events_between_polls(const CompiledModel& model) {
  return static_cast<std::uint32_t>(
      std::clamp<std::size_t>(65536 / std::max<std::size_t>(model.instances.size(), 1), 1, 1024));
}

}  // namespace ergode
