#pragma once
#include <qcustomplot.h>

namespace ergode {

/// Tick labels a reader takes in at a glance: "50k", "1.5M" for counts, "2.5×10⁻⁴" for small numbers, and all labels of
/// one axis in the same form.
class ShortTicker : public QCPAxisTicker {
 public:
  /// @param counts  labels are short forms of great numbers
  /// @param whole   what is counted has no parts: no tick stands between two whole numbers
  explicit ShortTicker(bool counts, bool whole = false) : counts_(counts), whole_(whole) { setTickCount(5); }

 protected:
  double getTickStep(const QCPRange& range) override;
  QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale& locale, QChar form,
                                     int precision) override;

 private:
  bool counts_, whole_;
};

/// "1", "100k", "2.5M".
QString count_text(double value);

}  // namespace ergode
