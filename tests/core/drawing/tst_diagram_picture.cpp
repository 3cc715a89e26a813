#include <QtTest>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "app/session/catalogue.h"
#include "core/drawing/diagram_picture.h"
#include "core/drawing/svg.h"
#include "core/format/model_file.h"
#include "drawing_check.h"
#include "statecharts/lower/common_cause.h"
#include "statecharts/notation/transition_label.h"

using namespace ergode;

namespace {

bool passes(const Point& a, const Point& b, const Rect& box) {
  const double left = std::min(a.x, b.x), right = std::max(a.x, b.x), top = std::min(a.y, b.y),
               bottom = std::max(a.y, b.y);
  return left < box.right() && right > box.x && top < box.bottom() && bottom > box.y;
}

bool on_border(const Point& p, const Rect& b) {
  const auto close = [](double x, double y) { return std::abs(x - y) < 1e-6; };
  const bool in_x = p.x > b.x - 1e-6 && p.x<b.right() + 1e-6, in_y = p.y> b.y - 1e-6 && p.y < b.bottom() + 1e-6;
  return in_x && in_y && (close(p.x, b.x) || close(p.x, b.right()) || close(p.y, b.y) || close(p.y, b.bottom()));
}

/// `count` states on a loose grid, `edges` transitions between neighbours and far states.
ElementId sketch_field(Sketch& s, int count, int edges, std::vector<ElementId>& nodes) {
  std::mt19937 bits(5);
  const auto d = s.diagram("Field", "statechart");
  const int columns = static_cast<int>(std::ceil(std::sqrt(count)));
  for (int i = 0; i < count; ++i) {
    const double x = 260.0 * (i % columns) + static_cast<double>(bits() % 5) * 10,
                 y = 170.0 * (i / columns) + static_cast<double>(bits() % 4) * 10;
    nodes.push_back(s.node(d, "state", "S" + std::to_string(i), {x, y, 120, 60}));
  }
  for (int e = 0; e < edges; ++e) {
    const int from = static_cast<int>(bits() % static_cast<unsigned>(count));
    const int jump[] = {1, -1, columns, -columns, columns + 1, 2};
    const int to = std::clamp(from + jump[bits() % 6], 0, count - 1);
    s.edge(d, "transition", nodes[static_cast<std::size_t>(from)], nodes[static_cast<std::size_t>(to)],
           {{"trigger", "rate(l" + std::to_string(e % 10) + ")"}});
  }
  return d;
}

void write_for_the_eye(const char* name, const Picture& picture, const Theme& theme) {
  const char* folder = std::getenv("ERGODE_PICTURES");
  if (folder != nullptr) std::ofstream(std::string(folder) + "/" + name) << to_svg(picture, theme);
}

}  // namespace

class TestDiagramPicture : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void label_reads_trigger_guard_action() {
    Element e;
    e.properties = {{"trigger", "demand"}, {"guard", "p > 0"}, {"action", "x := 1"}};
    QCOMPARE(transition_label(e), std::string("demand [p > 0] / x := 1"));
    e.properties = {{"guard", "else"}};
    QCOMPARE(transition_label(e), std::string("[else]"));
    e.properties = {{"trigger", "ccf( run )"}};
    QCOMPARE(common_cause_of(e), std::string("run"));
    e.properties = {{"trigger", "demand"}, {"guard", "ccf(start) and x > 0"}};
    QCOMPARE(common_cause_of(e), std::string("start"));
  }
  void a_pill_has_the_colours_that_its_edge_names() {
    // Of a notation of its own: both colours are none that any other has for pills.
    Catalogue known;
    KindSpec pipe{.kind = "pipe", .label = "Pipe", .section = Section::edge, .named = false};
    pipe.edge_look = [](const Element&) {
      return EdgeLook{.pill_of = "valve", .pill_role = Role::warning, .role_with_pill = Role::selection};
    };
    known.add(
        {.name = "plumbing", .label = "Plumbing", .help = "", .kinds = {{.kind = "tank", .label = "Tank"}, pipe}});
    Sketch s;
    const auto d = s.diagram("House", "plumbing");
    const auto a = s.node(d, "tank", "A", {0, 0, 80, 40}), b = s.node(d, "tank", "B", {400, 0, 80, 40});
    const auto e = s.edge(d, "pipe", a, b);
    int pills = 0, words = 0, lines = 0;
    for (const Primitive& p : draw_diagram(s.document, d, known).primitives) {
      if (p.element != e) continue;
      QVERIFY(p.stroke != Role::ccf && p.fill != Role::ccf);
      if (p.kind == Primitive::Kind::rectangle && p.stroke == Role::warning) ++pills;
      if (p.kind == Primitive::Kind::text && p.fill == Role::warning) ++words;
      if (p.kind == Primitive::Kind::polyline && p.stroke == Role::selection) ++lines;
    }
    QVERIFY(pills == 1 && words == 1 && lines >= 1);
  }
  void edges_attach_to_borders_and_pass_no_foreign_node() {
    Sketch s;
    std::vector<ElementId> nodes;
    const auto d = sketch_field(s, 200, 240, nodes);
    const DiagramGeometry g(s.document, d, catalogue());
    int passed = 0, overlapped = 0, collided = 0;
    for (const Element* e : s.document.edges(d)) {
      const EdgeRoute& route = *g.route(e->id);
      QVERIFY(on_border(route.points.front(), g.box(e->source)));
      QVERIFY(on_border(route.points.back(), g.box(e->target)));
      for (std::size_t i = 1; i < route.points.size(); ++i) {
        const Point a = route.points[i - 1], b = route.points[i];
        QVERIFY(std::abs(a.x - b.x) < 1e-6 || std::abs(a.y - b.y) < 1e-6);
        for (const ElementId n : nodes)
          if (n != e->source && n != e->target && passes(a, b, g.box(n))) ++passed;
      }
      for (const ElementId n : nodes)
        if (overlaps(*route.label, g.box(n))) ++overlapped;
      for (const Element* other : s.document.edges(d))
        if (other->id.bits() < e->id.bits() && overlaps(*route.label, *g.route(other->id)->label)) ++collided;
    }
    QCOMPARE(passed, 0);
    QCOMPARE(overlapped, 0);
    QCOMPARE(collided, 0);
  }
  void parallel_edges_are_ten_pixels_apart() {
    Sketch s;
    const auto d = s.diagram("Pair", "statechart");
    const auto a = s.node(d, "state", "A", {0, 0, 140, 80}), b = s.node(d, "state", "B", {300, 10, 140, 80});
    std::vector<ElementId> edges;
    for (int i = 0; i < 4; ++i)
      edges.push_back(i % 2 == 0 ? s.edge(d, "transition", a, b) : s.edge(d, "transition", b, a));
    const DiagramGeometry g(s.document, d, catalogue());
    for (std::size_t i = 0; i < edges.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const auto& p = g.route(edges[i])->points;
        const auto& q = g.route(edges[j])->points;
        for (std::size_t k = 1; k < p.size(); ++k)
          for (std::size_t l = 1; l < q.size(); ++l) {
            const bool across = std::abs(p[k].y - p[k - 1].y) < 1e-6 && std::abs(q[l].y - q[l - 1].y) < 1e-6;
            const bool meet = std::min(p[k].x, p[k - 1].x) < std::max(q[l].x, q[l - 1].x) &&
                              std::min(q[l].x, q[l - 1].x) < std::max(p[k].x, p[k - 1].x);
            if (across && meet) QVERIFY(std::abs(p[k].y - q[l].y) >= 10.0);
          }
      }
  }
  void manual_way_points_stay_when_an_end_moves() {
    Sketch s;
    const auto d = s.diagram("Ways", "statechart");
    const auto a = s.node(d, "state", "A", {0, 0, 140, 60}), b = s.node(d, "state", "B", {400, 300, 140, 60});
    const std::vector<Point> ways{{200, 30}, {200, 200}, {470, 200}};
    const auto e = s.edge(d, "transition", a, b, {}, ways);
    DiagramGeometry g(s.document, d, catalogue());
    const auto contains = [&] {
      const auto& p = g.route(e)->points;
      return std::search(p.begin(), p.end(), ways.begin(), ways.end()) != p.end();
    };
    QVERIFY(contains());
    QCOMPARE(g.move({{b, {420, 320, 140, 60}}}).size(), std::size_t{1});
    QVERIFY(contains());
    QVERIFY(on_border(g.route(e)->points.back(), g.box(b)));
  }
  void chart_has_its_notation_and_every_primitive_lies_in_the_view() {
    Sketch s;
    const auto system = sketch_system(s);
    const auto d = sketch_generator(s);
    const Picture p = draw_diagram(s.document, d, catalogue());
    std::set<std::string> words;
    for (const Primitive& shape : p.primitives) {
      const Rect r = shape.extent();
      QVERIFY(r.x >= p.view.x && r.y >= p.view.y && r.right() <= p.view.right() && r.bottom() <= p.view.bottom());
      if (shape.kind == Primitive::Kind::text) words.insert(shape.text);
    }
    for (const char* text :
         {"Standby", "Failed", "entry / t0 := now", "after(1 h)", "rate(lambda_run)", "CCF A", "CCF B", "[else]"})
      QVERIFY2(words.contains(text), text);
    write_for_the_eye("chart_light.svg", p, Theme::light());
    write_for_the_eye("chart_dark.svg", p, Theme::dark());
    const Picture q = draw_diagram(s.document, system, catalogue());
    words.clear();
    for (const Primitive& shape : q.primitives)
      if (shape.kind == Primitive::Kind::text) words.insert(shape.text);
    for (const char* text : {"EDG[1..4]", "chart: Generator", "CCF A", "binomial failure rate"})
      QVERIFY2(words.contains(text), text);
    write_for_the_eye("system_light.svg", q, Theme::light());
  }
  void labels_of_the_chart_keep_off_states_and_each_other() {
    Sketch s;
    const auto d = sketch_generator(s);
    const DiagramGeometry g(s.document, d, catalogue());
    for (const Element* e : s.document.edges(d)) {
      const auto& label = g.route(e->id)->label;
      if (!label) continue;
      for (const Element* n : s.document.nodes(d)) {
        if (!g.composite(n->id))
          QVERIFY2(!overlaps(*label, g.box(n->id)),
                   qPrintable(QString::fromStdString(transition_label(*e) + " over " + n->name())));
      }
      for (const Element* other : s.document.edges(d))
        if (other != e && g.route(other->id)->label) QVERIFY(!overlaps(*label, *g.route(other->id)->label));
    }
  }
  void examples_are_drawn_without_collisions_data() {
    QTest::addColumn<QString>("path");
    for (const auto& entry : std::filesystem::directory_iterator(std::string(ERGODE_SOURCE_DIR "/examples")))
      if (const auto path = entry.path() / "model.ergode"; std::filesystem::exists(path))
        QTest::newRow(entry.path().filename().c_str()) << QString::fromStdString(path.string());
  }
  void examples_are_drawn_without_collisions() {
    QFETCH(QString, path);
    const ReadOutcome outcome = read_model(path.toStdString());
    QVERIFY(outcome.document.has_value());
    const Document& document = *outcome.document;
    for (const Element* d : document.of(Section::diagram)) {
      const DiagramGeometry g(document, d->id, catalogue());
      for (const Element* e : document.edges(d->id)) {
        const EdgeRoute& route = *g.route(e->id);
        const std::string what = d->name() + ": " + transition_label(*e);
        for (const Element* n : document.nodes(d->id)) {
          if (g.composite(n->id) || n->kind == "region") {
            const Rect b = g.box(n->id);
            const Rect title{b.x, b.y, b.width, 22};
            if (route.label)
              QVERIFY2(!overlaps(*route.label, title),
                       qPrintable(QString::fromStdString(what + " over the title of " + n->name())));
            continue;
          }
          if (route.label)
            QVERIFY2(!overlaps(*route.label, g.box(n->id)),
                     qPrintable(QString::fromStdString(what + " over " + n->name())));
          if (n->id == e->source || n->id == e->target) continue;
          for (std::size_t i = 1; i < route.points.size(); ++i)
            QVERIFY2(!passes(route.points[i - 1], route.points[i], g.box(n->id)),
                     qPrintable(QString::fromStdString(what + " through " + n->name())));
        }
        for (const Element* other : document.edges(d->id))
          if (other != e && route.label && g.route(other->id)->label)
            QVERIFY(!overlaps(*route.label, *g.route(other->id)->label));
      }
      const std::string name =
          std::filesystem::path(path.toStdString()).parent_path().filename().string() + "_" + d->name() + ".svg";
      write_for_the_eye(name.c_str(), draw_diagram(document, g), Theme::light());
    }
  }
  void regions_are_parted_by_a_dashed_line() {
    Sketch s;
    const auto d = s.diagram("Train", "statechart");
    const auto train = s.node(d, "state", "PumpTrain", {20, 20, 620, 300});
    const auto left = s.node(d, "region", "hardware", {24, 50, 330, 266}, train),
               right = s.node(d, "region", "control", {358, 50, 278, 266}, train);
    const auto a = s.node(d, "state", "Run", {60, 120, 120, 60}, left),
               b = s.node(d, "state", "Down", {220, 220, 120, 60}, left);
    const auto c = s.node(d, "state", "Manual", {440, 120, 120, 60}, right),
               end = s.node(d, "final", "", {490, 240, 24, 24}, right);
    s.edge(d, "transition", a, b, {{"trigger", "rate(3e-5 /h)"}, {"role", "failure"}});
    s.edge(d, "transition", b, a, {{"trigger", "after(8 h)"}});
    s.edge(d, "transition", c, end);
    DrawOptions options;
    options.problems[c] = Severity::error;
    options.active.insert(a);
    options.selected.insert(b);
    const Picture p = draw_diagram(s.document, d, catalogue(), options);
    const auto dashed = std::count_if(p.primitives.begin(), p.primitives.end(),
                                      [&](const Primitive& m) { return m.element == train && m.dash == Dash::dashed; });
    QCOMPARE(dashed, 1);
    QVERIFY(std::any_of(p.primitives.begin(), p.primitives.end(),
                        [&](const Primitive& m) { return m.element == c && m.text == "!"; }));
    write_for_the_eye("regions_light.svg", p, Theme::light());
    write_for_the_eye("regions_dark.svg", p, Theme::dark());
  }
  void unknown_kinds_missing_layout_and_odd_nesting_are_drawn() {
    Sketch s;
    const auto d = s.diagram("Odd", "statechart");
    Element e;
    e.id = ElementId(77);
    e.kind = "teleporter";
    e.diagram = d;
    s.document.append(e);
    const auto outer = s.node(d, "state", "Outer", {0, 0, 400, 300});
    const auto inner = s.node(d, "state", "Inner", {100, 100, 120, 60}, outer);
    s.edge(d, "transition", outer, inner, {{"trigger", "in"}});
    s.edge(d, "transition", inner, outer, {{"trigger", "out"}});
    s.edge(d, "transition", inner, ElementId(123456), {{"trigger", "lost"}});
    s.edge(d, "transition", outer, e.id);
    const auto here = s.node(d, "state", "Here", {100, 100, 0, 0});
    s.edge(d, "transition", here, inner);
    QVERIFY(draw_diagram(s.document, d, catalogue()).primitives.size() > 5);
    QVERIFY(draw_diagram(s.document, ElementId(99), catalogue()).primitives.empty());
    const DiagramGeometry g(s.document, d, catalogue());
    QVERIFY(!draw_element(s.document, g, inner).primitives.empty());
    QVERIFY(draw_element(s.document, g, ElementId(98765)).primitives.empty());
    write_for_the_eye("odd_light.svg", draw_diagram(s.document, d, catalogue()), Theme::light());
  }
  void elements_drawn_alone_are_those_of_the_whole() {
    Sketch s;
    sketch_system(s);
    const auto d = sketch_generator(s);
    const DiagramGeometry g(s.document, d, catalogue());
    const Picture whole = draw_diagram(s.document, g);
    std::size_t alone = 0;
    for (const ElementId id : g.nodes()) alone += draw_element(s.document, g, id).primitives.size();
    for (const ElementId id : g.edges()) alone += draw_element(s.document, g, id).primitives.size();
    QCOMPARE(alone, whole.primitives.size());
  }
  void same_document_gives_the_same_bytes() {
    Sketch s;
    const auto d = sketch_generator(s);
    SvgOptions o;
    o.title = "a < b & \"c\"";
    o.provenance = {{"seed", "7"}, {"model", "<x>"}};
    const std::string first = to_svg(draw_diagram(s.document, d, catalogue()), Theme::print(), o);
    QCOMPARE(to_svg(draw_diagram(s.document, d, catalogue()), Theme::print(), o), first);
    QVERIFY(first.find("seed: 7") != std::string::npos);
    QVERIFY(first.find("a &lt; b &amp; &quot;c&quot;") != std::string::npos);
    QVERIFY(first.find("<x>") == std::string::npos);
  }
  // How long that takes is printed (16 ms is a frame), and depends on what else the machine does; how much is drawn
  // anew does not.
  void a_drag_among_thousand_nodes_draws_its_neighbours_only() {
    Sketch s;
    std::vector<ElementId> nodes;
    const auto d = sketch_field(s, 1000, 1200, nodes);
    const auto clock = [] {
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    const double begin = clock();
    DiagramGeometry g(s.document, d, catalogue());
    const double built = clock() - begin;
    std::vector<double> ticks;
    std::size_t most = 0;
    for (int tick = 0; tick < 100; ++tick) {
      const ElementId n = nodes[static_cast<std::size_t>(tick * 7 % 1000)];
      Rect box = g.box(n);
      box.x += 4;
      const double from = clock();
      const auto touched = g.move({{n, box}});
      most = std::max(most, touched.size());
      for (const ElementId e : touched) draw_element(s.document, g, e);
      draw_element(s.document, g, n);
      ticks.push_back(clock() - from);
    }
    std::sort(ticks.begin(), ticks.end());
    qInfo("1000 nodes, 1200 edges: routed in %.0f ms; drag tick median %.2f ms, p95 %.2f ms, at most %zu elements",
          built, ticks[50], ticks[95], most);
    QVERIFY(most < 60);
  }
  void text_widths_are_those_of_the_font_file() {
    // Advances of DejaVu Sans 2.37 in 1/2048 em: A 1401, i 569, space 651, lambda 1212; bold A 1585; mono 1233.
    QCOMPARE(text_width("A", {2048}), 1401.0);
    QCOMPARE(text_width("i ", {2048}), 569.0 + 651.0);
    QCOMPARE(text_width("\u03bb", {2048}), 1212.0);
    QCOMPARE(text_width("A", {2048, true}), 1585.0);
    QCOMPARE(text_width("\u03bbi", {2048, false, true}), 2466.0);
    QVERIFY(text_width(elided("a long sentence that does not fit", {12}, 80), {12}) <= 80);
    QCOMPARE(elided("short", {12}, 80), std::string("short"));
    QCOMPARE(text_width("\xff\xce", {2048}), 2 * 1401.0);
  }
  void palette_text_has_the_stated_contrast() {
    const auto luminance = [](Color c) {
      const auto part = [](double v) {
        v /= 255;
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
      };
      return 0.2126 * part(c.red) + 0.7152 * part(c.green) + 0.0722 * part(c.blue);
    };
    const auto contrast = [&](Color a, Color b) {
      const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
      return std::max(x, y) / std::min(x, y);
    };
    for (const Theme* t : {&Theme::light(), &Theme::dark()}) {
      for (const Role r : {Role::text, Role::muted, Role::error, Role::ccf})
        for (const Role on : {Role::canvas, Role::panel, Role::node_fill})
          QVERIFY(contrast(t->color(r), t->color(on)) >= 4.5);
      for (std::size_t i = 0; i < series_count; ++i)
        QVERIFY(contrast(t->color(series_role(i)), t->color(Role::canvas)) >= 3.0);
    }
  }
  // Strips of three lines at each station and delay of the queueing examples, and of one at sinks and classes: none on
  // a label or on another strip, as few as can be on nodes.
  void strips_of_numbers_leave_labels_alone() {
    int drawn = 0;
    for (const auto& folder : std::filesystem::directory_iterator(std::string(ERGODE_SOURCE_DIR) + "/examples")) {
      if (!std::filesystem::exists(folder.path() / "model.ergode")) continue;
      const ReadOutcome file = read_model((folder.path() / "model.ergode").string());
      if (!file.document) continue;
      for (const Element* d : file.document->of(Section::diagram)) {
        if (d->text("notation") != "queueing") continue;
        const DiagramGeometry geometry(*file.document, d->id, catalogue());
        DrawOptions options;
        for (const ElementId id : geometry.nodes())
          if (const Element* e = file.document->find(id); e->kind == "station" || e->kind == "delay")
            options.numbers[id] = {.texts = {"rho 0.734", "L 12.35", "W 0.2715 s"}, .share = 0.5};
          else if (e->kind == "sink" || e->kind == "job_class")
            options.numbers[id] = {.texts = {"X 1.3 /s   W 0.2715 s"}, .share = 0.5};
        std::vector<Rect> strips;
        for (const Primitive& p : draw_diagram(*file.document, geometry, options).primitives) {
          const bool strip = p.kind == Primitive::Kind::rectangle && p.radius == 3 &&
                             options.numbers.contains(p.element) && p.fill == ordered_role(0.5);
          if (!strip) continue;
          ++drawn;
          for (const Rect& other : strips)
            if (overlaps(other, p.box))
              QFAIL(qPrintable(
                  QString("%1: strip of %2")
                      .arg(folder.path().filename().c_str(), file.document->find(p.element)->name().c_str())));
          strips.push_back(p.box);
          for (const ElementId edge : geometry.edges())
            if (const EdgeRoute* route = geometry.route(edge); route->label && overlaps(*route->label, p.box))
              QFAIL(qPrintable(QString("%1: %2").arg(folder.path().filename().c_str(),
                                                     file.document->find(p.element)->name().c_str())));
          // Drawn alone it stands in the same place.
          const Picture alone = draw_element(*file.document, geometry, p.element, options);
          QVERIFY(std::any_of(alone.primitives.begin(), alone.primitives.end(), [&](const Primitive& q) {
            return q.fill == p.fill && q.radius == 3 && q.box.x == p.box.x && q.box.y == p.box.y;
          }));
        }
      }
    }
    QVERIFY(drawn > 15);
  }
};

QTEST_APPLESS_MAIN(TestDiagramPicture)
#include "tst_diagram_picture.moc"
