#include "solvers/queueing/model/traffic.h"

#include <Eigen/Sparse>
#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/text.h"

namespace ergode {

using Kind = NetworkModel::Kind;

std::optional<double> rate_of(const NetworkModel::Node& source) {
  if (source.has_rate) return source.rate.is_constant() ? std::optional(source.rate.evaluate(nullptr)) : std::nullopt;
  // Of a process the mean gap is known, though no law of it.
  if (source.time.empty() || (!source.time[0].drawn && source.process == NetworkModel::none)) return std::nullopt;
  const double mean = source.time[0].mean_s;
  return mean > 0.0 ? std::optional(1.0 / mean) : std::nullopt;
}

std::variant<std::vector<double>, std::string> traffic(const NetworkModel& model, std::uint32_t of_class) {
  const auto nodes = static_cast<Eigen::Index>(model.nodes.size());
  const NetworkModel::JobClass& job_class = model.classes[of_class];
  const bool closed = job_class.population > 0;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(nodes);
  std::vector<Eigen::Triplet<double>> left;
  std::string reasons;  // whoever mends one wants to know of the others
  int counted = 0;
  const auto unknown = [&](const std::string& why) {
    constexpr int most = 8;
    if (counted > most || reasons.find(why) != std::string::npos) return;
    reasons += (reasons.empty() ? "" : "; ") + (counted++ == most ? "and others" : why);
  };
  for (Eigen::Index n = 0; n < nodes; ++n) left.emplace_back(n, n, 1.0);
  for (Eigen::Index n = 0; n < nodes; ++n) {
    const NetworkModel::Node& node = model.nodes[static_cast<std::size_t>(n)];
    if (node.kind == Kind::source && node.emits == of_class) {
      const std::optional<double> rate = rate_of(node);
      const bool process = node.process != NetworkModel::none;
      if (!rate)
        unknown("the rate of \"" + node.name + (process ? "\" is not known" : "\" changes while the model runs"));
      right[n] = rate.value_or(0.0);
    }
    if (node.kind > Kind::sink) unknown("\"" + node.name + "\" is no station, delay or router");
    if (node.ways.size() <= of_class) continue;
    const NetworkModel::Ways& ways = node.ways[of_class];
    if (ways.target.empty()) continue;
    if (node.routing != NetworkModel::Routing::probabilities && node.routing != NetworkModel::Routing::random &&
        ways.target.size() > 1)
      unknown("customers choose their way at \"" + node.name + "\"");
    for (const std::uint32_t becomes : ways.becomes)
      if (becomes != of_class) unknown("customers become another class on the way from \"" + node.name + "\"");
    if (node.batched) unknown("customers come several at once from \"" + node.name + "\"");
    if (ways.upto.empty()) unknown("ways from \"" + node.name + "\" change while the model runs");
    if (!reasons.empty()) continue;
    double before = 0.0;
    for (std::size_t w = 0; w < ways.target.size(); ++w) {
      const double p = ways.upto[w] - before;
      before = ways.upto[w];
      // Of a closed class all is relative to visits of one station.
      if (!(closed && ways.target[w] == job_class.reference)) left.emplace_back(ways.target[w], n, -p);
    }
  }
  if (!reasons.empty()) return reasons;
  if (closed) right[static_cast<Eigen::Index>(job_class.reference)] = 1.0;
  Eigen::SparseMatrix<double> equations(nodes, nodes);
  equations.setFromTriplets(left.begin(), left.end());  // of several flows between two nodes the sum
  Eigen::SparseLU<Eigen::SparseMatrix<double>> solver;
  solver.compute(equations);
  const std::string lost = closed ? "customers may never come back to \"" + model.nodes[job_class.reference].name + "\""
                                  : "customers may never leave";
  if (solver.info() != Eigen::Success) return lost;
  const Eigen::VectorXd found = solver.solve(right);
  const double come = right.sum();
  std::vector<double> out(model.nodes.size());
  for (std::size_t n = 0; n < out.size(); ++n) {
    const double a = found[static_cast<Eigen::Index>(n)];
    // Where nobody leaves the equations have no solution; rounding may leave them a senseless one.
    if (!std::isfinite(a) || a < -1e-9 * come || a > 1e12 * come) return lost;
    out[n] = std::max(a, 0.0);
  }
  return out;
}

std::vector<double> offered_loads(const NetworkModel& model, std::span<const Range> ranges) {
  std::vector<double> out(model.nodes.size(), 0.0);
  std::vector<std::uint8_t> known(model.nodes.size(), 1);
  for (std::uint32_t c = 0; c < model.classes.size(); ++c) {
    if (model.classes[c].population > 0) continue;
    const auto found = traffic(model, c);
    const auto* arrivals = std::get_if<std::vector<double>>(&found);
    if (arrivals == nullptr) return std::vector<double>(model.nodes.size(), 0.0);
    for (std::size_t n = 0; n < out.size(); ++n) {
      const NetworkModel::Node& node = model.nodes[n];
      if (node.kind != Kind::station || (*arrivals)[n] == 0.0) continue;
      constexpr auto infinity = std::numeric_limits<double>::infinity();
      const bool fixed = node.servers.is_constant() || !ranges.empty();
      const double servers = fixed ? node.servers.range(ranges).upper : infinity;
      using M = NetworkModel;
      const bool otherwise = node.has(M::patient | M::balks | M::varies_speed | M::batches | M::own_servers);
      if (otherwise || !node.time[c].drawn || !(servers < infinity)) known[n] = 0;
      else if (servers <= 0.0) out[n] = infinity;
      else out[n] += (*arrivals)[n] * node.time[c].mean_s / servers;
    }
  }
  for (std::size_t n = 0; n < out.size(); ++n)
    if (known[n] == 0) out[n] = 0.0;
  return out;
}

Diagnostics overloads(const NetworkModel& model, std::span<const Range> ranges) {
  Diagnostics out;
  const std::vector<double> loads = offered_loads(model, ranges);
  const auto heaviest = std::max_element(loads.begin(), loads.end());
  for (std::size_t n = 0; n < loads.size(); ++n) {
    const NetworkModel::Node& node = model.nodes[n];
    // A hair below one is one: queues would grow for longer than anybody simulates.
    if (!(loads[n] >= 1.0 - 1e-9) || node.capacity != NetworkModel::unlimited) continue;
    const bool endless = std::any_of(node.time.begin(), node.time.end(), [](const NetworkModel::Duration& time) {
      return time.mean_s == std::numeric_limits<double>::infinity();
    });
    if (endless && loads[n] == std::numeric_limits<double>::infinity()) {
      out.push_back(
          {.severity = Severity::warning,
           .code = "QN010",
           .element = node.element,
           .pointer = "service",
           .message = "Service times at \"" + node.name + "\" have no finite mean: its queue grows without end.",
           .hint = "A law with a lighter tail (pareto: a shape above 1, or a limit), or a capacity."});
      continue;
    }
    const char* servers = node.servers.is_constant() ? " times the work that its servers can do"
                                                     : " times the work that the most servers it can have can do";
    out.push_back({.severity = Severity::warning,
                   .code = "QN010",
                   .element = node.element,
                   .pointer = "servers",
                   .message = "\"" + node.name + "\" gets " + number_text(loads[n], 4) + servers +
                              (loads[n] == *heaviest ? ", the most of all stations" : "") +
                              ": its queue grows without end.",
                   .hint = "More or faster servers, fewer customers, or a capacity."});
  }
  return out;
}

}  // namespace ergode
