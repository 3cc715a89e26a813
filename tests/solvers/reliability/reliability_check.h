#pragma once
#include <QtTest>
#include <cmath>
#include <string>

#include "solvers/reliability/bfr_closed_form.h"
#include "solvers/reliability/ccf_demand.h"
#include "tests/solvers/solver_check.h"

/// Compares with a printed value: within 5e-9 relative plus half a unit of the last printed digit.
inline void compare_printed(double actual, const char* printed) {
  const std::string text = printed;
  const double wanted = std::stod(text);
  const std::size_t exponent = text.find_first_of("eE");
  const std::string mantissa = text.substr(0, exponent);
  const std::size_t point = mantissa.find('.');
  const double decimals = point == std::string::npos ? 0.0 : static_cast<double>(mantissa.size() - point - 1);
  const double power = exponent == std::string::npos ? 0.0 : std::stod(text.substr(exponent + 1));
  const double tolerance = 5e-9 * std::abs(wanted) + 0.5000001 * std::pow(10.0, power - decimals);
  const bool near = std::abs(actual - wanted) <= tolerance;
  QVERIFY2(near, qPrintable(QString("got %1, printed %2").arg(actual, 0, 'g', 15).arg(printed)));
}

/// Compares to a relative tolerance.
inline void compare_relative(double actual, double wanted, double tolerance) {
  const bool near = actual == wanted || std::abs(actual - wanted) <= tolerance * std::abs(wanted);
  QVERIFY2(near, qPrintable(QString("got %1, wanted %2").arg(actual, 0, 'g', 17).arg(wanted, 0, 'g', 17)));
}

namespace ergode::test {

inline BfrRates per_hour(double lambda, double mu, double rho, double omega) {
  return {lambda / hour, mu / hour, rho, omega / hour};
}
/// Rates so high that every number of failures is met.
inline const BfrRates stress = per_hour(0.01, 0.02, 0.5, 0.005);
inline const DelayLaw no_delay{};
inline const DelayLaw exponential_delay{DelayLaw::Kind::exponential, 2 * hour, 0.0};
inline const DelayLaw uniform{DelayLaw::Kind::uniform, 0.0, 6 * hour};

}  // namespace ergode::test
