#pragma once
#include <QtTest>
#include <cmath>
#include <string>

namespace ergode::test {

/// A number of a published table: relative 1e-5, or half of its last digit where it is printed with fewer.
inline void compare_printed(double value, const std::string& printed, const char* what) {
  const double wanted = std::stod(printed);
  const std::size_t point = printed.find('.');
  const double last =
      point == std::string::npos ? 1.0 : std::pow(10.0, -static_cast<double>(printed.size() - point - 1));
  const double allowed = std::max(1e-5 * std::fabs(wanted), 0.5000001 * last);
  QVERIFY2(std::fabs(value - wanted) <= allowed,
           qPrintable(QString("%1: %2, printed %3").arg(what).arg(value, 0, 'g', 12).arg(printed.c_str())));
}

}  // namespace ergode::test
