#pragma once
#include <qcustomplot.h>

namespace ergode {

/// Tick labels a reader takes in at a glance: "50k", "1.5M" for counts, "2.5×10⁻⁴" for small numbers, and all labels of
/// one axis in the same form.
class ShortTicker : public QCPAxisTicker {
 public:
  explicit ShortTicker(bool counts) : counts_(counts) { setTickCount(5); }

 protected:
  QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale& locale, QChar form,
                                     int precision) override;

 private:
  bool counts_;
};

/// "1", "100k", "2.5M".
QString count_text(double value);

}  // namespace ergode
