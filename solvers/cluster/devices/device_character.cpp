#include "solvers/cluster/devices/device_character.h"

#include <algorithm>
#include <map>

namespace ergode {
namespace {

std::vector<double> medians_by_gpu(const std::vector<double>& values, const DeviceMeasurements& measured) {
  std::vector<std::vector<double>> of_gpu(measured.gpus.size());
  for (std::size_t i = 0; i < values.size(); ++i) of_gpu[measured.gpu_of[i]].push_back(values[i]);
  std::vector<double> out;
  for (std::vector<double>& one : of_gpu) {
    std::sort(one.begin(), one.end());
    out.push_back(quantile_between(one, 0.5));
  }
  return out;
}

std::vector<DeviceCharacter::Group> boxes_of(const std::vector<std::string>& group_of,
                                             const std::vector<double>& medians) {
  std::vector<std::string> names;
  std::map<std::string, std::vector<double>> values;
  for (std::size_t gpu = 0; gpu < group_of.size(); ++gpu) {
    auto& of_group = values[group_of[gpu]];
    if (of_group.empty()) names.push_back(group_of[gpu]);
    of_group.push_back(medians[gpu]);
  }
  std::vector<DeviceCharacter::Group> out;
  for (const std::string& name : names) out.push_back({name, box_statistics(values[name])});
  return out;
}

VarianceComponents components_within(const DeviceMeasurements& measured, const std::vector<double>& medians,
                                     const BoxStatistics& box) {
  constexpr auto out_of_it = ~0U;
  std::vector<std::uint32_t> number(medians.size(), out_of_it), group_of;
  std::uint32_t groups = 0;
  for (std::size_t gpu = 0; gpu < medians.size(); ++gpu)
    if (medians[gpu] >= box.lower_whisker && medians[gpu] <= box.upper_whisker) number[gpu] = groups++;
  std::vector<double> kept;
  const auto& times = measured.of(DeviceQuantity::time);
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::uint32_t group = number[measured.gpu_of[i]];
    if (group != out_of_it) kept.push_back(times[i]), group_of.push_back(group);
  }
  return variance_components(kept, group_of, groups);
}

}  // namespace

DeviceCharacter characterise(const DeviceMeasurements& measured) {
  DeviceCharacter out;
  out.app = measured.app;
  for (std::size_t q = 0; q < device_quantities; ++q) {
    if (measured.values[q].empty()) continue;
    out.quantities.push_back(static_cast<DeviceQuantity>(q));
    out.medians[q] = medians_by_gpu(measured.values[q], measured);
  }
  const auto& times = measured.of(DeviceQuantity::time);
  const auto& medians = out.medians[0];
  out.of_runs = box_statistics(times), out.of_gpus = box_statistics(medians);
  const std::size_t n = out.quantities.size();
  std::vector<std::vector<double>> ranks;
  for (const DeviceQuantity one : out.quantities) ranks.push_back(mean_ranks(measured.of(one)));
  out.spearman.assign(n, std::vector<double>(n)), out.pearson = out.spearman;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      out.spearman[i][j] = out.spearman[j][i] = pearson_correlation(ranks[i], ranks[j]);
      out.pearson[i][j] = out.pearson[j][i] =
          pearson_correlation(measured.of(out.quantities[i]), measured.of(out.quantities[j]));
    }
  out.components = variance_components(times, measured.gpu_of, measured.gpus.size());
  out.without_outliers = components_within(measured, medians, out.of_gpus);
  out.nodes = boxes_of(measured.nodes, medians), out.cabinets = boxes_of(measured.cabinets, medians);
  out.profile = profile_of_devices(medians);
  out.bins = bin_devices(medians);
  return out;
}

}  // namespace ergode
