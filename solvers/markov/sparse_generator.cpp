#include "solvers/markov/sparse_generator.h"

#include <algorithm>
#include <cmath>

namespace ergode {

void SparseGenerator::push_row(std::vector<RateEntry>& row) {
  const auto self = static_cast<std::uint32_t>(size());
  std::sort(row.begin(), row.end(), [](const RateEntry& a, const RateEntry& b) { return a.state < b.state; });
  double sum = 0.0;
  const std::size_t first = rows_.other.size();
  for (const RateEntry& entry : row) {
    if (entry.state == self || !(entry.rate > 0.0)) continue;
    sum += entry.rate;
    if (rows_.other.size() > first && rows_.other.back() == entry.state) {
      rows_.rate.back() += entry.rate;
    } else {
      rows_.other.push_back(entry.state);
      rows_.rate.push_back(entry.rate);
    }
  }
  rows_.start.push_back(static_cast<std::uint32_t>(rows_.other.size()));
  exit_.push_back(sum);
}

void SparseGenerator::shrink() {
  rows_.start.shrink_to_fit(), rows_.other.shrink_to_fit(), rows_.rate.shrink_to_fit();
  exit_.shrink_to_fit();
}

RateRows SparseGenerator::incoming() const {
  RateRows in;
  const std::size_t n = size();
  in.start.assign(n + 1, 0);
  in.other.resize(transitions()), in.rate.resize(transitions());
  for (const std::uint32_t target : rows_.other) ++in.start[target + 1];
  for (std::size_t j = 0; j < n; ++j) in.start[j + 1] += in.start[j];
  std::vector<std::uint32_t> next(in.start.begin(), in.start.end() - 1);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t e = rows_.start[i]; e < rows_.start[i + 1]; ++e) {
      const std::uint32_t place = next[rows_.other[e]]++;
      in.other[place] = i;
      in.rate[place] = rows_.rate[e];
    }
  return in;
}

double SparseGenerator::fastest() const { return exit_.empty() ? 0.0 : *std::max_element(exit_.begin(), exit_.end()); }

double residual(const SparseGenerator& generator, std::span<const double> x) {
  const double fastest = generator.fastest();
  if (fastest == 0.0) return 0.0;
  std::vector<double> flow(generator.size());
  const RateRows& rows = generator.rows();
  for (std::size_t i = 0; i < flow.size(); ++i) {
    flow[i] -= x[i] * generator.exit()[i];
    for (std::uint32_t e = rows.start[i]; e < rows.start[i + 1]; ++e) flow[rows.other[e]] += x[i] * rows.rate[e];
  }
  double worst = 0.0;
  for (const double f : flow) worst = std::max(worst, std::fabs(f));
  return worst / fastest;
}

}  // namespace ergode
