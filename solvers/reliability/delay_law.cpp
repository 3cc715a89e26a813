#include "solvers/reliability/delay_law.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ergode {
namespace {

using TimeLaw = DelayLaw::Kind;
constexpr TimeLaw kinds[] = {TimeLaw::none, TimeLaw::exponential, TimeLaw::uniform, TimeLaw::truncated_exponential};

Diagnostic bad_time(const char* name, double value, TimeLaw kind) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  Diagnostic d;
  d.code = "CCF010";
  d.pointer = name;
  d.message = std::string(name) + " is " + std::string(buffer, end) + " s; the delay law " + to_text(kind) +
              " needs a finite time above 0";
  return d;
}

}  // namespace

double DelayLaw::cdf(double u_s) const {
  if (!(u_s >= 0.0)) return 0.0;
  switch (kind) {
    case TimeLaw::none:
      return 1.0;
    case TimeLaw::exponential:
      return -std::expm1(-u_s / mean_s);
    case TimeLaw::uniform:
      return std::min(1.0, u_s / window_s);
    case TimeLaw::truncated_exponential:
      return u_s >= window_s ? 1.0 : std::expm1(-u_s / mean_s) / std::expm1(-window_s / mean_s);
  }
  return 1.0;
}

double DelayLaw::survival(double u_s) const {
  if (!(u_s >= 0.0)) return 1.0;
  switch (kind) {
    case TimeLaw::none:
      return 0.0;
    case TimeLaw::exponential:
      return std::exp(-u_s / mean_s);
    case TimeLaw::uniform:
      return u_s >= window_s ? 0.0 : (window_s - u_s) / window_s;
    case TimeLaw::truncated_exponential:
      if (u_s >= window_s) return 0.0;
      return std::exp(-u_s / mean_s) * std::expm1(-(window_s - u_s) / mean_s) / std::expm1(-window_s / mean_s);
  }
  return 0.0;
}

double DelayLaw::quantile(double p) const {
  switch (kind) {
    case TimeLaw::none:
      return 0.0;
    case TimeLaw::exponential:
      return -mean_s * std::log1p(-p);
    case TimeLaw::uniform:
      return p * window_s;
    case TimeLaw::truncated_exponential:
      return std::min(window_s, -mean_s * std::log1p(p * std::expm1(-window_s / mean_s)));
  }
  return 0.0;
}

double DelayLaw::mean() const {
  switch (kind) {
    case TimeLaw::none:
      return 0.0;
    case TimeLaw::exponential:
      return mean_s;
    case TimeLaw::uniform:
      return window_s / 2.0;
    case TimeLaw::truncated_exponential: {
      const double x = window_s / mean_s;
      // The two terms cancel for a short window, where the law is nearly uniform.
      if (x < 1e-3) return window_s * (0.5 - x / 12.0);
      return mean_s - window_s / std::expm1(x);
    }
  }
  return 0.0;
}

double DelayLaw::horizon_s() const {
  switch (kind) {
    case TimeLaw::none:
      return 0.0;
    case TimeLaw::exponential:
      return 40.0 * mean_s;
    case TimeLaw::uniform:
      return window_s;
    case TimeLaw::truncated_exponential:
      return std::min(window_s, 40.0 * mean_s);
  }
  return 0.0;
}

Diagnostics DelayLaw::validate() const {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0.0; };
  Diagnostics list;
  const bool needs_mean = kind == TimeLaw::exponential || kind == TimeLaw::truncated_exponential;
  const bool needs_window = kind == TimeLaw::uniform || kind == TimeLaw::truncated_exponential;
  if (needs_mean && !positive(mean_s)) list.push_back(bad_time("delay_mean", mean_s, kind));
  if (needs_window && !positive(window_s)) list.push_back(bad_time("delay_window", window_s, kind));
  return list;
}

const char* to_text(DelayLaw::Kind kind) {
  switch (kind) {
    case TimeLaw::none:
      return "none";
    case TimeLaw::exponential:
      return "exponential";
    case TimeLaw::uniform:
      return "uniform";
    case TimeLaw::truncated_exponential:
      return "truncated_exponential";
  }
  return "none";
}

std::optional<DelayLaw::Kind> parse_delay_kind(std::string_view text) {
  for (const TimeLaw kind : kinds)
    if (text == to_text(kind)) return kind;
  return std::nullopt;
}

}  // namespace ergode
