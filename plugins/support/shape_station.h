#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "plugins/abi/ergode_plugin.h"
#include "plugins/support/input_identity.h"

namespace plugin_support {

/// A station with one server whose service time follows from a customer's shape alone: its first attribute, a number of
/// rows; below 1 the one of the form. First come, first served. A shape is simulated when it comes for the first time
/// in the process, for stations of the same parameters and files: replications need not do it again.
///
/// Outputs: 0 service time [us], 1 shapes that came.
/// @tparam Simulation  Simulation(input), double seconds(std::optional<std::uint64_t> rows, const ergode_host&) const,
/// most_rows
template <class Simulation>
class ShapeStation {
 public:
  ShapeStation(const ergode_input& input, const ergode_host& host)
      : host_(host), simulation_(input), times_s_(times_of(input_identity(input))) {}
  double arrive(double now_s, std::uint64_t job, const double* attributes) {
    const double rows = attributes[0];
    const auto key =
        rows >= 1.0 ? static_cast<std::uint64_t>(std::min<double>(std::round(rows), Simulation::most_rows)) : 0;
    auto at = asked_s_.find(key);
    if (at == asked_s_.end()) at = asked_s_.emplace(key, time_of(key)).first;
    waiting_.push_back({job, at->second});
    if (waiting_.size() == 1) end_s_ = now_s + at->second;
    return next();
  }
  double advance(double now_s) {
    while (!waiting_.empty() && end_s_ <= now_s) {
      constexpr double us_of_s = 1e6;
      observe(0, us_of_s * waiting_.front().service_s);
      host_.depart(host_.context, waiting_.front().job, nullptr);
      waiting_.pop_front();
      if (!waiting_.empty()) end_s_ += waiting_.front().service_s;
    }
    return next();
  }
  void finish(double) const { observe(1, static_cast<double>(asked_s_.size())); }
  const ergode_host& host() const { return host_; }

 private:
  struct Waiting {
    std::uint64_t job = 0;
    double service_s = 0.0;
  };
  /// Of stations that are alike.
  struct Times {
    std::mutex mutex;
    std::map<std::uint64_t, double> s;  ///< by rows
  };
  static std::shared_ptr<Times> times_of(const std::string& identity) {
    static std::mutex mutex;
    static std::map<std::string, std::shared_ptr<Times>> all;
    const std::lock_guard lock(mutex);
    auto& out = all[identity];
    if (out == nullptr) out = std::make_shared<Times>();
    return out;
  }
  /// Whoever asks while another simulates the same waits for it.
  double time_of(std::uint64_t rows) {
    const std::lock_guard lock(times_s_->mutex);
    const auto known = times_s_->s.find(rows);
    if (known != times_s_->s.end()) return known->second;
    return times_s_->s.emplace(rows, simulation_.seconds(rows > 0 ? std::optional(rows) : std::nullopt, host_))
        .first->second;
  }
  double next() const { return waiting_.empty() ? std::numeric_limits<double>::infinity() : end_s_; }
  void observe(std::uint32_t output, double value) const { host_.observe(host_.context, output, &value, 1); }
  const ergode_host& host_;
  const Simulation simulation_;
  const std::shared_ptr<Times> times_s_;
  std::map<std::uint64_t, double> asked_s_;  ///< by this station's customers
  std::deque<Waiting> waiting_;
  double end_s_ = 0.0;
};

}  // namespace plugin_support
