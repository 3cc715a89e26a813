// What is drawn of measures divided by cause.
#include <QtTest>
#include <algorithm>
#include <vector>

#include "core/report/report_figures.h"

using namespace ergode;

class TestSplitFigure : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  // Long names of measures leave the legend little room: it goes on below, and nothing is cut or covered.
  void a_legend_without_room_goes_on_below() {
    Split split{.by = "cause", .meaning = "the gravest"};
    split.parts = {{"none", "none"},
                   {"independent", "independent"},
                   {"some", "non-lethal, shared by some"},
                   {"all", "lethal, shared by all components of the group at once"}};
    const Picture picture =
        split_figure(split, {{"station blackout, given loss of offsite power", {0.0, 1.0, 2.0, 3.0}},
                             {"core damage frequency", {0.5, 0.0, 0.0, 0.0}}});
    std::vector<Rect> texts;
    for (const Primitive& one : picture.primitives) {
      const Rect extent = one.extent();
      QVERIFY2(extent.x >= 0.0 && extent.y >= 0.0 && extent.right() <= picture.view.width &&
                   extent.bottom() <= picture.view.height,
               one.text.c_str());
      if (one.kind != Primitive::Kind::text) continue;
      for (const Rect& other : texts) QVERIFY2(!overlaps(other, extent), one.text.c_str());
      texts.push_back(extent);
    }
    for (const Split::Part& part : split.parts)
      QVERIFY2(std::any_of(picture.primitives.begin(), picture.primitives.end(),
                           [&part](const Primitive& one) { return one.text == part.label; }),
               part.label.c_str());
  }
};

QTEST_APPLESS_MAIN(TestSplitFigure)
#include "tst_split_figure.moc"
