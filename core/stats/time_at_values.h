#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ergode {

/// Looks at what flows, for how long it has which value: in each stretch at times evenly apart, at least eight and as
/// many as make a thousandth of the mission, whose offset turns by the golden section from stretch to stretch. So many
/// short stretches that are alike are met everywhere in them (Weyl's equidistribution), and not in their middles only.
class TurningLooks {
 public:
  /// @param look(at_s, from_s, to_s)  it is as at `at_s` between those two [s]
  template <class Look>
  void in(double from_s, double to_s, double mission_s, const Look& look) {
    const int looks = 8 + static_cast<int>(1024.0 * std::min(1.0, (to_s - from_s) / mission_s));
    const double each_s = (to_s - from_s) / looks;
    for (int i = 0; i < looks; ++i) {
      const double begin_s = from_s + i * each_s;
      look(begin_s + turn_ * each_s, begin_s, i + 1 < looks ? begin_s + each_s : to_s);
    }
    turn_ += golden;
    if (turn_ >= 1.0) turn_ -= 1.0;
  }

 private:
  static constexpr double golden = 0.6180339887498949;
  double turn_ = 0.5;
};

/// For how long a quantity had which value, in one history: whole numbers from 0 to 4,095, which are numbers of
/// customers, are added up as times; all others go at once to whoever keeps them. 32 KiB. One thread.
///
///     TimeAtValues at(mission_s, 1e6);                          // a million parts
///     at.hold(3.0, 10.0, 12.5, [&](double x, std::uint64_t parts) { ... });
///     at.flush([&](double x, std::uint64_t parts) { ... });     // at the end; begins anew
class TimeAtValues {
 public:
  /// @param length_s  of the history [s], > 0
  /// @param parts     that it is divided into, to count them
  TimeAtValues(double length_s, double parts) : per_s_(parts / length_s), held_s_(whole, 0.0) {}

  /// It was `value` between these two moments [s]. O(1), but for what `keep(value, parts)` costs. Times are rounded to
  /// parts where they end, so that nothing is lost however short they are.
  template <class Keep>
  void hold(double value, double from_s, double to_s, const Keep& keep) {
    const auto place = static_cast<std::size_t>(value >= 0.0 && value < whole ? value : whole);
    if (place < whole && static_cast<double>(place) == value) {
      held_s_[place] += to_s - from_s;
      if (place >= used_) used_ = place + 1;
    } else if (const std::uint64_t parts = at(to_s) - at(from_s); parts > 0) {
      keep(value, parts);
    }
  }
  /// What was added up, rounded to parts; then it is forgotten. O(greatest value that there was).
  template <class Keep>
  void flush(const Keep& keep) {
    for (std::size_t v = 0; v < used_; ++v) {
      if (const std::uint64_t parts = at(held_s_[v]); parts > 0) keep(static_cast<double>(v), parts);
      held_s_[v] = 0.0;
    }
    used_ = 0;
  }

 private:
  static constexpr std::size_t whole = 4096;
  std::uint64_t at(double time_s) const { return static_cast<std::uint64_t>(std::llround(time_s * per_s_)); }

  double per_s_;
  std::vector<double> held_s_;  ///< by value
  std::size_t used_ = 0;
};

}  // namespace ergode
