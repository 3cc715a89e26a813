#include "solvers/cluster/devices/device_profiles.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "solvers/cluster/devices/variation.h"

namespace ergode {
namespace {

constexpr std::array<double, 11> probabilities{0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0};

constexpr DeviceProfile profiles[] = {
    {"sgemm_longhorn",
     "SGEMM, Longhorn (V100)",
     {.9524, .9636, .9739, .9790, .9881, 1.0, 1.0112, 1.0206, 1.0270, 1.0500, 1.2027}},
    {"resnet50_longhorn",
     "ResNet-50, Longhorn (V100)",
     {.9449, .9630, .9704, .9754, .9853, 1.0, 1.0156, 1.0313, 1.0604, 1.1103, 1.1205}},
    {"bert_longhorn",
     "BERT, Longhorn (V100)",
     {.9858, .9864, .9927, .9936, .9969, 1.0, 1.0040, 1.0069, 1.0104, 1.0360, 1.0391}},
    {"pagerank_longhorn",
     "PageRank, Longhorn (V100)",
     {.9707, .9708, .9713, .9716, .9995, 1.0, 1.0008, 1.0017, 1.0021, 1.0030, 1.0036}},
    {"resnet50_frontera",
     "ResNet-50, Frontera (RTX 5000)",
     {.9844, .9864, .9905, .9929, .9960, 1.0, 1.0035, 1.0196, 1.0619, 1.1293, 1.1449}},
    {"bert_frontera",
     "BERT, Frontera (RTX 5000)",
     {.9912, .9918, .9936, .9955, .9974, 1.0, 1.0030, 1.0046, 1.0062, 1.0583, 1.0602}},
    {"pagerank_frontera",
     "PageRank, Frontera (RTX 5000)",
     {.9988, .9992, .9994, .9995, .9997, 1.0, 1.0003, 1.0005, 1.0006, 1.0007, 1.0009}},
    {"resnet50_lonestar6",
     "ResNet-50, Lonestar6 (A100)",
     {.9490, .9586, .9707, .9775, .9879, 1.0, 1.0157, 1.0310, 1.0446, 2.1656, 2.2010}}};

}  // namespace

double SlownessProfile::quantile(double probability) const {
  const auto i = static_cast<std::size_t>(std::lower_bound(p.begin(), p.end(), probability) - p.begin());
  if (i == 0) return values.front();
  if (i == p.size()) return values.back();
  return values[i - 1] + (probability - p[i - 1]) / (p[i] - p[i - 1]) * (values[i] - values[i - 1]);
}

double SlownessProfile::mean_of_greatest(double k) const {
  double sum = 0.0;
  for (std::size_t i = 1; i < p.size(); ++i) {
    // Of the line a + b u times k u^(k - 1): a u^k + b k / (k + 1) u^(k + 1).
    const double b = (values[i] - values[i - 1]) / (p[i] - p[i - 1]), a = values[i - 1] - b * p[i - 1];
    sum += a * (std::pow(p[i], k) - std::pow(p[i - 1], k)) +
           b * k / (k + 1.0) * (std::pow(p[i], k + 1.0) - std::pow(p[i - 1], k + 1.0));
  }
  return sum;
}

double SlownessProfile::median_of_greatest(double k) const { return quantile(std::pow(0.5, 1.0 / k)); }

double SlownessProfile::variation() const {
  const double q1 = quantile(0.25), q3 = quantile(0.75), reach = 1.5 * (q3 - q1);
  return (std::min(values.back(), q3 + reach) - std::max(values.front(), q1 - reach)) / quantile(0.5);
}

SlownessProfile SlownessProfile::scaled_to(double wanted) const {
  constexpr double fastest = 0.05;
  const double middle = quantile(0.5), stretch = wanted / variation();
  SlownessProfile out = *this;
  for (double& x : out.values) x = std::max(fastest, 1.0 + (x / middle - 1.0) * stretch);
  return out;
}

Distribution SlownessProfile::law() const {
  const NamedArgument args[] = {{"p", p}, {"values", values}};
  auto made = make_distribution("quantile_table", args);
  return std::get<Distribution>(std::move(made));
}

std::string SlownessProfile::law_text() const {
  const auto list = [](const std::vector<double>& numbers) {
    std::string out;
    for (const double x : numbers) out += (out.empty() ? "[" : ", ") + number_text(x, 9);
    return out + "]";
  };
  return "quantile_table(p = " + list(p) + ", values = " + list(values) + ")";
}

std::span<const double> profile_probabilities() { return probabilities; }

SlownessProfile profile_of_devices(std::span<const double> medians) {
  std::vector<double> sorted(medians.begin(), medians.end());
  std::sort(sorted.begin(), sorted.end());
  const double middle = quantile_between(sorted, 0.5);
  SlownessProfile out;
  for (const double p : probabilities) out.p.push_back(p), out.values.push_back(quantile_between(sorted, p) / middle);
  return out;
}

SlownessProfile DeviceProfile::profile() const {
  return {{probabilities.begin(), probabilities.end()}, {values.begin(), values.end()}};
}

std::span<const DeviceProfile> device_profiles() { return profiles; }

SlownessProfile profile_of_32_frontera(std::size_t of_class) {
  if (of_class == 0) return {{0.0, 0.5, 0.69, 0.94, 1.0}, {0.9886, 1.0, 1.014, 1.1172, 1.1172}};
  if (of_class < 3) return {{0.0, 0.5, 0.7377, 1.0}, {0.9912, 1.0, 1.0046, 1.0591}};
  return {{0.0, 0.5, 1.0}, {0.999134, 1.0, 1.000866}};
}

const DeviceProfile* find_device_profile(std::string_view name) {
  for (const DeviceProfile& one : profiles)
    if (one.name == name) return &one;
  return nullptr;
}

}  // namespace ergode
