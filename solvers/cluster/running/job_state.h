#pragma once
#include <cstdint>
#include <limits>
#include <string>

namespace ergode {

/// What had become of a job when the run ended: the words of the column `state` of every table `jobs`.
///
///     waiting    it has nothing of what it wants, for the first time or again
///     running    it has hosts or GPUs
///     completed  its work is done
///     killed     it reached its limit of time
///     rejected   it wanted more than there is and never came in
enum class JobState : std::uint8_t { waiting, running, completed, killed, rejected };

inline std::string state_word(JobState state) {
  switch (state) {
    case JobState::running:
      return "running";
    case JobState::completed:
      return "completed";
    case JobState::killed:
      return "killed";
    case JobState::rejected:
      return "rejected";
    case JobState::waiting:
      break;
  }
  return "waiting";
}

/// @name Of a job that has what it wants from start_s until done_s without a break, as a run that ends at end_s has it
/// [s; infinity: never]. What happens at that moment has happened.
/// @{
inline JobState state_at(double end_s, double start_s, double done_s) {
  return done_s <= end_s ? JobState::completed : start_s <= end_s ? JobState::running : JobState::waiting;
}
/// How long it has had it.
inline double held_until(double end_s, double start_s, double done_s) {
  return start_s <= end_s ? (done_s <= end_s ? done_s : end_s) - start_s : 0.0;
}
/// @}

/// A cell for a moment or a time that came before the run ended; else there is no number.
inline double known_by(double end_s, double moment_s, double value) {
  return moment_s <= end_s && moment_s < std::numeric_limits<double>::infinity()
             ? value
             : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace ergode
