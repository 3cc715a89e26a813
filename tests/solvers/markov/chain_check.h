#pragma once
#include <QtTest>
#include <cmath>
#include <functional>
#include <vector>

#include "solvers/markov/sparse_generator.h"

namespace ergode::test {

/// A chain whose state s has the transitions `row(s)`.
inline SparseGenerator chain(std::size_t states, const std::function<std::vector<RateEntry>(std::uint32_t)>& row) {
  SparseGenerator out;
  for (std::uint32_t s = 0; s < states; ++s) {
    std::vector<RateEntry> entries = row(s);
    out.push_row(entries);
  }
  return out;
}

/// States 0 ... n: up at birth(i), down at death(i).
inline SparseGenerator birth_death(std::uint32_t n, const std::function<double(std::uint32_t)>& birth,
                                   const std::function<double(std::uint32_t)>& death) {
  return chain(n + 1, [&](std::uint32_t i) {
    std::vector<RateEntry> row;
    if (i < n) row.push_back({i + 1, birth(i)});
    if (i > 0) row.push_back({i - 1, death(i)});
    return row;
  });
}

inline std::vector<double> starts_in(std::size_t states, std::size_t state = 0) {
  std::vector<double> out(states, 0.0);
  out[state] = 1.0;
  return out;
}

inline void compare_within(double seen, double wanted, double relative) {
  QVERIFY2(std::fabs(seen - wanted) <= relative * std::fabs(wanted),
           qPrintable(QString("%1, wanted %2").arg(seen, 0, 'g', 16).arg(wanted, 0, 'g', 16)));
}

}  // namespace ergode::test
