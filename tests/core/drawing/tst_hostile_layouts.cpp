#include <QElapsedTimer>
#include <QtTest>

#include "app/session/catalogue.h"
#include "core/document/layout_limits.h"
#include "core/drawing/diagram_picture.h"
#include "core/drawing/svg.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

constexpr double endless = std::numeric_limits<double>::infinity();

/// A chart of states with these boxes, each joined to the next `ways` times.
struct Drawn {
  Drawn(const std::vector<Rect>& boxes, int ways) : chart(m.diagram("Chart", "statechart")) {
    Document document = m.document();
    std::uint64_t id = 1000;
    std::vector<ElementId> nodes;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      Element state;
      state.id = ElementId(id++), state.kind = "state", state.diagram = chart;
      state.properties["name"] = "S" + std::to_string(i);
      state.layout.bounds = boxes[i];
      nodes.push_back(state.id);
      document.append(std::move(state));
    }
    for (std::size_t i = 1; i < nodes.size(); ++i)
      for (int way = 0; way < ways; ++way) {
        Element edge;
        edge.id = ElementId(id++), edge.section = Section::edge, edge.kind = "transition", edge.diagram = chart;
        edge.source = nodes[i - 1], edge.target = nodes[i];
        edge.properties["trigger"] = "rate(lambda)";
        document.append(std::move(edge));
      }
    made = std::move(document);
  }
  ModelBuilder m;
  ElementId chart;
  Document made;
};

double seconds_to_draw(const Drawn& drawn) {
  QElapsedTimer clock;
  clock.start();
  const std::string svg = to_svg(draw_diagram(drawn.made, drawn.chart, catalogue()), Theme::print());
  return svg.size() > 100 ? static_cast<double>(clock.elapsed()) / 1000.0 : endless;
}

}  // namespace

/// Layouts made to hang whoever draws them. The limits are wall clock and generous: each took minutes or for ever once.
class TestHostileLayouts : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void one_number_neither_passes_the_check_nor_hangs_drawing_data() {
    QTest::addColumn<double>("x");
    QTest::addColumn<double>("width");
    QTest::addColumn<bool>("sound");
    QTest::newRow("far away") << 1e7 << 140.0 << false;
    QTest::newRow("very far away") << -1e300 << 140.0 << false;
    QTest::newRow("not a number") << double(NAN) << 140.0 << false;
    QTest::newRow("infinite") << endless << 140.0 << false;
    QTest::newRow("of infinite size") << 60.0 << endless << false;
    QTest::newRow("of negative size") << 60.0 << -140.0 << false;
    QTest::newRow("of no size") << 60.0 << 0.0 << false;
    QTest::newRow("of huge size") << 60.0 << 1e9 << false;
    QTest::newRow("as far away as may be") << layout_limit << 140.0 << true;
    QTest::newRow("as large as may be") << 60.0 << layout_limit << true;
  }
  void one_number_neither_passes_the_check_nor_hangs_drawing() {
    QFETCH(double, x);
    QFETCH(double, width);
    QFETCH(bool, sound);
    const Drawn drawn({{60, 60, 140, 60}, {x, 60, width, 60}, {400, 200, 140, 60}}, 3);
    const Diagnostics problems = check_layout(drawn.made);
    QCOMPARE(codes(problems), std::string(sound ? "" : "DOC007"));
    if (!sound) {
      QCOMPARE(problems.front().element, drawn.made.nodes(drawn.chart)[1]->id);
      QVERIFY2(problems.front().message.find("wanted") != std::string::npos, problems.front().message.c_str());
    }
    QVERIFY(seconds_to_draw(drawn) < 5);
  }

  void corners_and_labels_have_the_same_limits() {
    Drawn drawn({{60, 60, 140, 60}, {400, 60, 140, 60}}, 2);
    Element edge = *drawn.made.edges(drawn.chart).front();
    edge.layout.way_points = {{1e7, 20}};
    drawn.made.replace(drawn.made.index_of(edge.id), edge);
    QCOMPARE(codes(check_layout(drawn.made)), std::string("DOC007"));
    QVERIFY(seconds_to_draw(drawn) < 5);
    edge.layout.way_points.clear(), edge.layout.label_offset = Point{0, double(NAN)};
    drawn.made.replace(drawn.made.index_of(edge.id), edge);
    QCOMPARE(codes(check_layout(drawn.made)), std::string("DOC007"));
    QCOMPARE(drawable_part(edge.layout), Layout());
    QVERIFY(seconds_to_draw(drawn) < 5);
  }

  // As deep as the reader takes it.
  void nodes_nested_deep_are_drawn() {
    ModelBuilder m;
    ChartBuilder c(m, "Chart");
    std::vector<ElementId> nested = {c.state("S0")};
    for (int i = 1; i < 256; ++i) nested.push_back(c.state("S" + std::to_string(i), nested.back()));
    const DiagramGeometry geometry(m.document(), c.id(), catalogue());
    for (const ElementId id : nested) QVERIFY(geometry.box(id).width > 0.0);
    const std::string svg = to_svg(draw_diagram(m.document(), c.id(), catalogue()), Theme::print());
    for (const char* name : {">S0<", ">S64<", ">S65<", ">S255<"}) QVERIFY2(svg.find(name) != std::string::npos, name);
  }

  void the_cost_depends_on_the_elements_not_on_distances() {
    // The same forty boxes, once near each other and once all over the plane.
    const auto boxes = [](double apart) {
      std::vector<Rect> out;
      for (int i = 0; i < 40; ++i) out.push_back({(i * 7 % 40) * apart, (i * 11 % 40) * apart, 140, 60});
      return out;
    };
    const double near = seconds_to_draw(Drawn(boxes(200), 2)), far = seconds_to_draw(Drawn(boxes(24000), 2));
    QVERIFY2(far < 2 + 10 * near, qPrintable(QString("%1 s, %2 s").arg(near).arg(far)));
  }

  void so_many_elements_are_drawn_in_bounded_time_data() {
    QTest::addColumn<QString>("how");
    for (const char* how : {"in a grid", "on top of each other", "each as large as the plane", "without a place"})
      QTest::newRow(how) << QString(how);
  }
  void so_many_elements_are_drawn_in_bounded_time() {
    QFETCH(QString, how);
    constexpr int many = 100000;
    std::vector<Rect> boxes;
    for (int i = 0; i < many; ++i) {
      if (how == "in a grid") boxes.push_back({(i % 316) * 220.0, (i / 316) * 120.0, 140, 60});
      else if (how == "on top of each other") boxes.push_back({60, 60, 140, 60});
      else if (how == "without a place") boxes.push_back({double(NAN), 0, 1, 1});
      else boxes.push_back({-layout_limit / 2 + i, -layout_limit / 2, layout_limit / 2, layout_limit / 2});
    }
    const double seconds = seconds_to_draw(Drawn(boxes, 1));
    qInfo("%s: %.1f s", qPrintable(how), seconds);
    QVERIFY2(seconds < 120, qPrintable(QString::number(seconds)));
  }

  void so_many_ways_between_two_boxes_are_drawn_in_bounded_time() {
    const double seconds = seconds_to_draw(Drawn({{60, 60, 140, 60}, {400, 60, 140, 60}}, 20000));
    qInfo("%.1f s", seconds);
    QVERIFY2(seconds < 120, qPrintable(QString::number(seconds)));
  }
};

QTEST_GUILESS_MAIN(TestHostileLayouts)
#include "tst_hostile_layouts.moc"
