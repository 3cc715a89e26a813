#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "app/session/catalogue.h"
#include "core/drawing/diagram_geometry.h"
#include "core/drawing/diagram_picture.h"
#include "core/drawing/svg.h"
#include "core/format/model_file.h"

// After the engine: Qt's keywords are macros.
#include <QtTest>

#include "drawing_check.h"

using namespace ergode;

namespace {

struct Arrangement {
  const char* name;
  Rect a, b;
  const char* kind_a = "state";
  const char* kind_b = "state";
};

const Arrangement arrangements[] = {
    {"beside, wide gap", {100, 300, 140, 60}, {560, 300, 140, 60}},
    {"beside, gap of one label", {100, 300, 140, 60}, {380, 300, 140, 60}},
    {"beside, narrow gap", {100, 300, 140, 60}, {290, 300, 140, 60}},
    {"beside, touching", {100, 300, 140, 60}, {250, 300, 140, 60}},
    {"beside, shifted", {100, 300, 140, 60}, {480, 330, 140, 60}},
    {"beside, hardly facing", {100, 300, 140, 60}, {480, 350, 140, 60}},
    {"beside, second one tall", {100, 300, 140, 60}, {460, 220, 160, 260}},
    {"beside, both tall", {100, 200, 120, 260}, {460, 220, 120, 260}},
    {"above", {300, 100, 140, 60}, {300, 360, 140, 60}},
    {"above, near", {300, 100, 140, 60}, {300, 200, 140, 60}},
    {"above, shifted", {300, 100, 140, 60}, {350, 400, 140, 60}},
    {"above, wide boxes", {100, 100, 640, 150}, {100, 370, 640, 150}},
    {"diagonal, falling", {100, 100, 140, 60}, {500, 400, 140, 60}},
    {"diagonal, rising", {100, 400, 140, 60}, {500, 100, 140, 60}},
    {"diagonal, near", {100, 100, 140, 60}, {280, 200, 140, 60}},
    {"diagonal, steep", {100, 100, 140, 60}, {260, 500, 140, 60}},
    {"small boxes", {100, 300, 60, 40}, {420, 300, 60, 40}},
    {"from a choice", {100, 315, 30, 30}, {420, 300, 140, 60}, "choice", "state"},
};

const char* const labels[] = {
    "rate(lambda)", "rate(mu)", "ccf(run)", "after(lognormal(median = 1.5 h, ef = 8))", "e", "when(level > 3 m)"};
constexpr int most_edges = static_cast<int>(std::size(labels));
constexpr unsigned every_choice = 1U << static_cast<unsigned>(most_edges);

/// The pair with edges in this order; bit k of `back` turns edge k round.
struct Pair {
  Sketch sketch;
  ElementId diagram;
  std::vector<ElementId> edges;
  Pair(const Arrangement& where, const std::vector<int>& order, unsigned back) {
    diagram = sketch.diagram("Pair", "statechart");
    const ElementId system = sketch.diagram("System", "system");
    sketch.node(system, "ccf_group", "CCF A", {0, 0, 150, 44}, {}, {{"cause", "run"}});
    const ElementId a = sketch.node(diagram, where.kind_a, "A", where.a),
                    b = sketch.node(diagram, where.kind_b, "B", where.b);
    for (const int k : order) {
      Value properties{{"trigger", labels[k]}};
      if (k == 3) properties["guard"] = "count(EDG[*].Failed) < 2", properties["action"] = "n := n + 1";
      const bool turned = ((back >> k) & 1U) != 0;
      edges.push_back(sketch.edge(diagram, "transition", turned ? b : a, turned ? a : b, properties));
    }
  }
};

double distance(const Rect& r, const Point& p, const Point& q) {
  const double dx = std::max({0.0, std::min(p.x, q.x) - r.right(), r.x - std::max(p.x, q.x)});
  const double dy = std::max({0.0, std::min(p.y, q.y) - r.bottom(), r.y - std::max(p.y, q.y)});
  return std::hypot(dx, dy);
}

double distance(const Rect& r, const std::vector<Point>& line) {
  double least = 1e9;
  for (std::size_t i = 1; i < line.size(); ++i) least = std::min(least, distance(r, line[i - 1], line[i]));
  return least;
}

/// The first thing that is wrong with the drawing; empty: nothing.
std::string fault(const DiagramGeometry& geometry, const std::vector<ElementId>& edges) {
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const EdgeRoute& mine = *geometry.route(edges[i]);
    for (std::size_t k = 1; k < mine.points.size(); ++k)
      for (const ElementId node : geometry.nodes())
        if (distance(grown(geometry.box(node), -2), mine.points[k - 1], mine.points[k]) == 0.0)
          return "edge " + std::to_string(i) + " runs through a node";
    if (!mine.label) return "edge " + std::to_string(i) + " has no label";
    for (const ElementId node : geometry.nodes())
      if (overlaps(*mine.label, geometry.box(node))) return "label " + std::to_string(i) + " lies on a node";
    const double own = distance(*mine.label, mine.points);
    for (std::size_t j = 0; j < edges.size(); ++j) {
      if (j == i) continue;
      const EdgeRoute& other = *geometry.route(edges[j]);
      const std::string both = std::to_string(i) + " and " + std::to_string(j);
      if (other.label && overlaps(*mine.label, *other.label)) return "labels " + both + " overlap";
      if (distance(*mine.label, other.points) <= own) return "label and foreign line " + both + " are too near";
    }
  }
  return {};
}

}  // namespace

/// Oracle: the geometry of what is drawn, looked at from outside: rectangles and segments.
class TestParallelEdges : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_label_is_nearest_to_its_own_line_in_any_order_of_drawing_data() {
    QTest::addColumn<int>("which");
    for (std::size_t i = 0; i < std::size(arrangements); ++i)
      QTest::newRow(arrangements[i].name) << static_cast<int>(i);
  }
  void every_label_is_nearest_to_its_own_line_in_any_order_of_drawing() {
    QFETCH(int, which);
    const Arrangement& where = arrangements[which];
    std::mt19937 random(20240608);
    int drawn = 0, wrong = 0;
    std::string first;
    for (int n = 2; n <= most_edges; ++n)
      for (unsigned chosen = 0; chosen < every_choice; ++chosen) {  // which labels
        // All drawings of two and three edges, several hundred of each number above.
        const unsigned one_of = n < 4 ? 1 : n == 4 ? 32 : n == 5 ? 64 : 128;
        std::vector<int> order;
        for (int k = 0; k < most_edges; ++k)
          if ((chosen >> k) & 1U) order.push_back(k);
        if (static_cast<int>(order.size()) != n) continue;
        do {
          for (unsigned back = 0; back < every_choice; ++back) {
            const bool repeated = (back & ~chosen) != 0;  // a bit of an edge that is not there
            if (repeated || (one_of > 1 && random() % one_of != 0)) continue;
            const Pair pair(where, order, back);
            const std::string found =
                fault(DiagramGeometry(pair.sketch.document, pair.diagram, catalogue()), pair.edges);
            ++drawn;
            wrong += !found.empty();
            if (!found.empty() && first.empty()) {
              first = found + "; order";
              for (const int k : order) first += " " + std::to_string(k);
              first += ", turned " + std::to_string(back);
            }
          }
        } while (std::next_permutation(order.begin(), order.end()));
      }
    QVERIFY2(wrong == 0, qPrintable(QString("%1 of %2: %3").arg(wrong).arg(drawn).arg(first.c_str())));
    QVERIFY(drawn > 500);
  }
  void moving_an_end_draws_what_opening_draws() {
    for (const Arrangement& where : arrangements) {
      const Pair pair(where, {0, 1, 2, 4}, 2);
      Document moved = pair.sketch.document;
      DiagramGeometry geometry(moved, pair.diagram, catalogue());
      const ElementId b = geometry.nodes()[1];
      Rect there = where.b;
      there.x += 70, there.y += 30;
      geometry.move({{b, there}});
      Element e = *moved.find(b);
      e.layout.bounds = there;
      moved.replace(moved.index_of(b), e);
      const DiagramGeometry opened(moved, pair.diagram, catalogue());
      for (const ElementId edge : pair.edges) {
        QCOMPARE(geometry.route(edge)->points, opened.route(edge)->points);
        QVERIFY(*geometry.route(edge)->label == *opened.route(edge)->label);
      }
    }
  }
  void labels_keep_off_a_third_state_and_its_edges() {
    // The frequent drawing among others: three edges between two states, one more state above and one below.
    for (const double y : {150.0, 200.0, 400.0, 450.0}) {
      Pair pair(arrangements[0], {0, 1, 2}, 2);
      const ElementId third = pair.sketch.node(pair.diagram, "state", "C", {330, y, 140, 60});
      const ElementId a = pair.sketch.document.nodes(pair.diagram)[0]->id;
      pair.edges.push_back(pair.sketch.edge(pair.diagram, "transition", a, third, {{"trigger", "rate(nu)"}}));
      const std::string found = fault(DiagramGeometry(pair.sketch.document, pair.diagram, catalogue()), pair.edges);
      QVERIFY2(found.empty(), found.c_str());
    }
  }
  void no_edge_runs_through_the_label_of_a_parallel_one_in_any_example() {
    int looked_at = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(ERGODE_SOURCE_DIR "/examples")) {
      if (entry.path().extension() != ".ergode") continue;
      const ReadOutcome read = read_model(entry.path().string());
      QVERIFY(read.document.has_value());
      for (const Element* diagram : read.document->of(Section::diagram)) {
        const DiagramGeometry geometry(*read.document, diagram->id, catalogue());
        const auto edges = read.document->edges(diagram->id);
        for (const Element* edge : edges) {
          const bool parallel = std::any_of(edges.begin(), edges.end(), [&](const Element* other) {
            return other != edge &&
                   std::minmax(other->source, other->target) == std::minmax(edge->source, edge->target);
          });
          const EdgeRoute* route = geometry.route(edge->id);
          if (!parallel || route == nullptr || !route->label || !edge->layout.way_points.empty()) continue;
          ++looked_at;
          for (const Element* other : edges)
            if (other != edge && geometry.route(other->id) != nullptr)
              QVERIFY2(distance(*route->label, geometry.route(other->id)->points) > 0,
                       qPrintable(QString("%1: %2 through the label of %3")
                                      .arg(entry.path().c_str(), other->text("trigger").c_str(),
                                           edge->text("trigger").c_str())));
        }
      }
    }
    QVERIFY2(looked_at >= 10, qPrintable(QString::number(looked_at)));
  }
  void pictures_for_the_eye() {
    const char* folder = std::getenv("ERGODE_PICTURES");
    if (folder == nullptr) QSKIP("ERGODE_PICTURES is not set");
    for (std::size_t i = 0; i < std::size(arrangements); ++i)
      for (const std::vector<int>& order :
           {std::vector<int>{0, 1}, {0, 1, 2}, {2, 1, 0}, {0, 1, 2, 4}, {3, 2, 1, 0, 4}}) {
        const Pair pair(arrangements[i], order, 2);
        std::ofstream(std::string(folder) + "/pair" + std::to_string(i) + "_" + std::to_string(order.size()) +
                      std::to_string(order[0]) + ".svg")
            << to_svg(draw_diagram(pair.sketch.document, pair.diagram, catalogue()), Theme::print(), {});
      }
  }
};

QTEST_GUILESS_MAIN(TestParallelEdges)
#include "tst_parallel_edges.moc"
