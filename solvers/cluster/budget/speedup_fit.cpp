#include "solvers/cluster/budget/speedup_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "core/base/csv.h"
#include "core/base/file_access.h"
#include "core/base/text.h"
#include "core/base/text_place.h"

namespace ergode {
namespace {

double fitted_speed(Speedup::Family family, double parameter, double gpus) {
  if (family == Speedup::Family::amdahl) return 1.0 / ((1.0 - parameter) + parameter / gpus);
  return family == Speedup::Family::power ? std::pow(gpus, parameter) : 1.0 + parameter * std::log(gpus);
}

double squares(Speedup::Family family, double parameter, std::span<const SpeedupPoint> points) {
  double out = 0.0;
  for (const SpeedupPoint& one : points) {
    const double off = fitted_speed(family, parameter, one.gpus) - one.speed;
    out += off * off;
  }
  return out;
}

/// GPUs of "114": of one host one, of another one, of a third four. 0: no such text.
double gpus_of_placement(std::string_view text) {
  double out = 0.0;
  for (const char digit : text) {
    if (digit < '1' || digit > '9') return 0.0;
    out += digit - '0';
  }
  return out;
}

}  // namespace

SpeedupFit fit_speedup(Speedup::Family family, std::span<const SpeedupPoint> points) {
  constexpr int steps = 200;
  int best = 0;
  const auto at = [&](double parameter) { return squares(family, parameter, points); };
  for (int i = 1; i <= steps; ++i)
    if (at(static_cast<double>(i) / steps) < at(static_cast<double>(best) / steps)) best = i;
  double low = std::max(0, best - 1) / static_cast<double>(steps),
         high = std::min(steps, best + 1) / static_cast<double>(steps);
  while (high - low > 1e-10) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    if (at(a) <= at(b)) high = b;
    else low = a;
  }
  SpeedupFit out{.parameter = (low + high) / 2.0};
  for (const double end : {0.0, 1.0})
    if (at(end) <= at(out.parameter)) out.parameter = end;
  out.rms = std::sqrt(at(out.parameter) / static_cast<double>(points.size()));
  for (const SpeedupPoint& one : points)
    out.worst = std::max(out.worst, std::fabs(fitted_speed(family, out.parameter, one.gpus) - one.speed));
  return out;
}

std::variant<std::vector<SpeedupPoint>, std::string> read_speeds(std::string_view text, const std::string& file) {
  const auto read = parse_csv(text);
  if (const auto* why = std::get_if<std::string>(&read)) return file + ", " + *why + ".";
  const auto& rows = std::get<0>(read);
  if (rows.size() < 2) return file + " has no rows; wanted a header and measurements.";
  std::string twice;
  const auto column = [&](std::string_view name) {
    const HeaderColumn found = header_column(rows[0], {name});
    if (twice.empty()) twice = found.twice;
    return found.place < rows[0].size() ? static_cast<int>(found.place) : -1;
  };
  const int gpus = column("gpus"), speed = column("speed"), replicas = column("num_replicas"),
            placement = column("placement"), batch = column("local_bsz"), step = column("step_time");
  if (!twice.empty()) return file + ": " + twice + ".";
  const bool plain = gpus >= 0 && speed >= 0;
  if (!plain && !(batch >= 0 && step >= 0 && (replicas >= 0 || placement >= 0)))
    return file +
           " has no columns gpus and speed, nor num_replicas (or placement), local_bsz and step_time; wanted these.";
  std::map<double, double> best;
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto& cells = rows[r];
    const std::string where = file + ", row " + std::to_string(r + 1) + ": ";
    if (cells.size() != rows[0].size())
      return where + std::to_string(cells.size()) + " cells; wanted " + std::to_string(rows[0].size()) +
             " as in the header.";
    std::string wrong;
    const auto number = [&](int c, double least) {
      const std::string& cell = cells[static_cast<std::size_t>(c)];
      const auto value = parse_number(trim(cell));
      if (value && std::isfinite(*value) && *value >= least && *value > 0.0) return *value;
      if (wrong.empty())
        wrong = where + rows[0][static_cast<std::size_t>(c)] + " is '" + quotable(excerpt(cell)) +
                "'; wanted a number " + (least > 0.0 ? "from 1 on." : "above 0.");
      return 1.0;
    };
    double wide = 0.0, here = 0.0;
    if (plain) {
      wide = number(gpus, 1.0), here = number(speed, 0.0);
    } else {
      const std::string cell(placement >= 0 ? trim(cells[static_cast<std::size_t>(placement)]) : std::string_view());
      wide = placement >= 0 ? gpus_of_placement(cell) : number(replicas, 1.0);
      if (wide < 1.0) return where + "placement is '" + quotable(excerpt(cell)) + "'; wanted GPUs by host, as in 114.";
      here = wide * number(batch, 0.0) / number(step, 0.0);
    }
    if (!wrong.empty()) return wrong;
    if (plain && best.contains(wide)) return where + number_text(wide) + " GPUs stand above too; wanted each once.";
    best[wide] = std::max(best[wide], here);
  }
  const auto one = best.find(1.0);
  if (one == best.end()) return file + " has no row of one GPU; wanted one, because speed is told in that of one GPU.";
  const double unit = plain ? 1.0 : one->second;
  std::vector<SpeedupPoint> out;
  for (const auto& [wide, here] : best) out.push_back({wide, here / unit});
  return out;
}

}  // namespace ergode
