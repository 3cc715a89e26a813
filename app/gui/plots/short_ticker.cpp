#include "app/gui/plots/short_ticker.h"

#include <algorithm>
#include <cmath>

namespace ergode {
namespace {

QString plain(double value) { return QString::number(value, 'g', 6); }

QString power_of_ten(int exponent) {
  static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
  QString out = QStringLiteral("10");
  if (exponent < 0) out += QStringLiteral("⁻");
  for (const QChar digit : QString::number(std::abs(exponent))) out += digits[digit.digitValue()];
  return out;
}

}  // namespace

QString count_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e9) return plain(value / 1e9) + QLatin1Char('G');
  if (size >= 1e6) return plain(value / 1e6) + QLatin1Char('M');
  if (size >= 1e4) return plain(value / 1e3) + QLatin1Char('k');
  return plain(value);
}

double ShortTicker::getTickStep(const QCPRange& range) {
  const double step = QCPAxisTicker::getTickStep(range);
  if (!whole_ || step >= 10) return step;
  // There is nothing between two of what is counted.
  for (const double whole : {1.0, 2.0, 5.0})
    if (step <= whole) return whole;
  return 10;
}

QVector<QString> ShortTicker::createLabelVector(const QVector<double>& ticks, const QLocale&, QChar, int) {
  double largest = 0, smallest = INFINITY;
  for (const double tick : ticks) {
    largest = std::max(largest, std::abs(tick));
    if (tick != 0) smallest = std::min(smallest, std::abs(tick));
  }
  // Sums of steps leave a crumb where zero should be.
  const double crumb = largest * 1e-12;
  const bool scientific = !counts_ && largest > 0 && (smallest < 9e-4 || largest >= 1e6);
  const int exponent = scientific ? static_cast<int>(std::floor(std::log10(largest) + 1e-9)) : 0;
  QVector<QString> out;
  for (const double tick : ticks) {
    if (std::abs(tick) <= crumb) out << QStringLiteral("0");
    else if (counts_) out << count_text(tick);
    else if (scientific)
      out << QStringLiteral("%1×%2").arg(plain(tick / std::pow(10.0, exponent)), power_of_ten(exponent));
    else out << plain(tick);
  }
  return out;
}

}  // namespace ergode
