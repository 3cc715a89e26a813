#include "solvers/cluster/devices/device_measurements.h"

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

constexpr std::size_t most_device_problems = 20;
constexpr std::array<const char*, device_quantities> quantity_columns{"perf_ms", "freq_mhz", "mem_mhz", "temp_c",
                                                                      "power_w"};

/// What is read of each application while rows come.
struct DeviceReading {
  DeviceMeasurements set;
  std::map<std::string, std::uint32_t> number;           ///< of a GPU
  std::set<std::pair<std::uint32_t, std::string>> runs;  ///< GPU and run
};

class DeviceRows {
 public:
  explicit DeviceRows(const std::string& file) : file_(file) {}
  std::variant<std::vector<DeviceMeasurements>, Diagnostics> read(std::string_view text);

 private:
  using Cells = std::vector<std::string>;
  void problem(const char* code, std::size_t row, const std::string& what) {
    if (++found_ > most_device_problems) return;
    problems_.push_back(
        {.code = code, .message = file_ + (row == 0 ? "" : ", row " + std::to_string(row)) + ": " + what});
  }
  std::optional<std::size_t> column(const Cells& head, const std::string& name);
  void find_columns(const Cells& head);
  void take(std::size_t row, const Cells& cells);
  /// Node or cabinet, which is that of the GPU's other runs.
  void place(std::size_t row, const char* what, std::vector<std::string>& places, std::uint32_t gpu, bool first,
             const std::string& seen);

  const std::string& file_;
  Diagnostics problems_;
  std::size_t found_ = 0;
  std::optional<std::size_t> app_, gpu_, node_, cabinet_, run_;
  std::array<std::optional<std::size_t>, device_quantities> quantity_;
  std::vector<DeviceReading> sets_;
};

std::optional<std::size_t> DeviceRows::column(const Cells& head, const std::string& name) {
  const HeaderColumn found = header_column(head, {name, name + "_median"});
  if (!found.twice.empty()) problem("DEV001", 1, found.twice + ".");
  return found.place < head.size() ? std::optional(found.place) : std::nullopt;
}

void DeviceRows::find_columns(const Cells& head) {
  for (auto [at, name] :
       {std::pair(&app_, "app"), {&gpu_, "gpu"}, {&node_, "node"}, {&cabinet_, "cabinet"}, {&run_, "run"}})
    *at = column(head, name);
  for (std::size_t q = 0; q < device_quantities; ++q) quantity_[q] = column(head, quantity_columns[q]);
  if (!quantity_[0]) quantity_[0] = column(head, "perf");
  std::string seen;
  for (const std::string& one : head) seen += (seen.empty() ? "" : ", ") + quotable(std::string(trim(one)));
  if (!gpu_ || !quantity_[0])
    problem(
        "DEV001", 1,
        std::string("there is no column ") + (gpu_ ? "perf_ms" : "gpu") + " among " + seen +
            "; wanted gpu and perf_ms, and as there are app, node, cabinet, run, freq_mhz, mem_mhz, temp_c, power_w.");
}

void DeviceRows::place(std::size_t row, const char* what, std::vector<std::string>& places, std::uint32_t gpu,
                       bool first, const std::string& seen) {
  if (first) return places.push_back(seen);
  if (places[gpu] != seen)
    problem("DEV002", row,
            std::string(what) + " is '" + quotable(seen) + "'; wanted '" + quotable(places[gpu]) +
                "', as in a row before of this GPU.");
}

void DeviceRows::take(std::size_t row, const Cells& cells) {
  const std::string app = app_ ? std::string(trim(cells[*app_])) : std::string();
  const std::string gpu(trim(cells[*gpu_]));
  if (gpu.empty()) return problem("DEV002", row, "gpu is ''; wanted a name or a number.");
  std::array<double, device_quantities> values{};
  for (std::size_t q = 0; q < device_quantities; ++q) {
    if (!quantity_[q]) continue;
    const auto number = parse_number(trim(cells[*quantity_[q]]));
    if (!number || !std::isfinite(*number) || (q == 0 && !(*number > 0.0)))
      return problem("DEV002", row,
                     std::string(quantity_columns[q]) + " is '" + quotable(cells[*quantity_[q]]) +
                         "'; wanted a number" + (q == 0 ? " above 0." : "."));
    values[q] = *number;
  }
  DeviceReading* at = nullptr;
  for (DeviceReading& one : sets_)
    if (one.set.app == app) at = &one;
  if (at == nullptr) at = &sets_.emplace_back(), at->set.app = app;
  DeviceMeasurements& set = at->set;
  const auto [known, first] = at->number.try_emplace(gpu, static_cast<std::uint32_t>(set.gpus.size()));
  const std::uint32_t number = known->second;
  if (first) set.gpus.push_back(gpu);
  if (node_) place(row, "node", set.nodes, number, first, std::string(trim(cells[*node_])));
  if (cabinet_) place(row, "cabinet", set.cabinets, number, first, std::string(trim(cells[*cabinet_])));
  if (run_ && !at->runs.emplace(number, std::string(trim(cells[*run_]))).second)
    problem("DEV002", row,
            "run '" + quotable(cells[*run_]) + "' of GPU '" + quotable(gpu) + "' is there twice; wanted once.");
  set.gpu_of.push_back(number);
  for (std::size_t q = 0; q < device_quantities; ++q)
    if (quantity_[q]) set.values[q].push_back(values[q]);
}

std::variant<std::vector<DeviceMeasurements>, Diagnostics> DeviceRows::read(std::string_view text) {
  const auto parsed = parse_csv(text);
  if (const auto* why = std::get_if<std::string>(&parsed)) {
    problem("DEV001", 0, *why + ".");
    return problems_;
  }
  const auto& rows = std::get<0>(parsed);
  if (rows.size() < 2) {
    problem("DEV001", 0, std::to_string(rows.size()) + " rows; wanted a head and at least one more.");
    return problems_;
  }
  find_columns(rows[0]);
  if (!problems_.empty()) return problems_;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    if (rows[r].size() == rows[0].size()) take(r + 1, rows[r]);
    else
      problem("DEV002", r + 1,
              std::to_string(rows[r].size()) + " cells; wanted " + std::to_string(rows[0].size()) + " as in the head.");
  }
  if (found_ > most_device_problems)
    problems_.back().hint = std::to_string(found_ - most_device_problems) + " more are not shown.";
  if (!problems_.empty()) return problems_;
  std::vector<DeviceMeasurements> out;
  for (DeviceReading& one : sets_) out.push_back(std::move(one.set));
  return out;
}

}  // namespace

const char* device_quantity_name(DeviceQuantity quantity) {
  constexpr std::array<const char*, device_quantities> names{"time", "frequency", "memory_frequency", "temperature",
                                                             "power"};
  return names[static_cast<std::size_t>(quantity)];
}

std::variant<std::vector<DeviceMeasurements>, Diagnostics> read_device_measurements(std::string_view text,
                                                                                    const std::string& file) {
  return DeviceRows(file).read(text);
}

}  // namespace ergode
