// Customers and tokens on the canvas while a history is stepped through or played: where they stand, how they go, and
// how fast time passes.
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

#include "app/gui/canvas/travellers.h"
#include "app/gui/desk/step_desk.h"
#include "app/session/catalogue.h"
#include "core/document/command.h"
#include "core/drawing/dots.h"
#include "core/format/model_file.h"
#include "tests/gui/gui_test.h"
#include "tests/support/model_builder.h"
#include "tests/support/token_bucket.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A model that is drawn in code, open in a window.
struct Played {
  QTemporaryDir folder;
  ModelBuilder m{"10000000 h"};
  ElementId diagram;
  std::unique_ptr<GuiFixture> gui;
  explicit Played(const char* notation = "queueing") : diagram(m.diagram("Net", notation)) {}
  ElementId node(const char* kind, const char* name, Rect box, Value more = Value::object()) {
    more["name"] = name;
    const ElementId id = m.node(diagram, {}, kind, std::move(more));
    boxes[id] = box;
    return id;
  }
  ElementId flow(ElementId from, ElementId to, Value more = Value::object()) {
    return m.edge(diagram, "flow", from, to, std::move(more));
  }
  void open() {
    const std::string path = folder.filePath("model.ergode").toStdString();
    QVERIFY(!save_model(m.document(), path));
    gui = std::make_unique<GuiFixture>(QString::fromStdString(path));
    Edit edit(gui->workspace().document(), "Place");
    for (const auto& [id, box] : boxes) {
      Layout layout;
      layout.bounds = box;
      edit.set_layout(id, layout);
    }
    gui->workspace().push(edit.finish());
    gui->workspace().show_diagram(diagram);
  }
  StepDesk& desk() { return gui->window.step_desk(); }
  const Stepper& history() { return *desk().history(); }
  CanvasView& canvas() { return gui->canvas(); }
  void press(const char* action) { gui->window.actions_table()[action]->trigger(); }
  template <class Widget>
  Widget* find(const char* name) {
    return gui->window.findChild<Widget*>(QLatin1String(name));
  }
  QString caption() { return find<QLabel>("label.step")->text(); }
  /// Lets all arrive who are on their way.
  void settle() { QTRY_COMPARE_WITH_TIMEOUT(canvas().travellers().size(), std::size_t{0}, 5000); }
  std::map<ElementId, Rect> boxes;
};

/// Two classes at three servers.
struct Office : Played {
  ElementId desk_node, in, to_desk, out;
  explicit Office(const char* rate = "9 /h", const char* unit = "h") {
    m.header("time_unit", unit);
    node("job_class", "gold", {20, 20, 110, 34}, {{"priority", "1"}}), node("job_class", "plain", {150, 20, 110, 34});
    in = node("source", "some", {20, 120, 40, 40}, {{"rate", rate}, {"class", "plain"}});
    const ElementId few = node("source", "few", {20, 220, 40, 40}, {{"rate", "2 /h"}, {"class", "gold"}});
    desk_node =
        node("station", "desk", {180, 120, 190, 84}, {{"servers", "3"}, {"service", "exponential(mean = 15 min)"}});
    out = node("sink", "out", {480, 140, 34, 34});
    to_desk = flow(in, desk_node), flow(few, desk_node, {{"class", "gold"}}), flow(desk_node, out);
    open();
  }
};

std::unordered_map<ElementId, std::vector<Present>> by_node(const std::vector<Present>& present) {
  std::unordered_map<ElementId, std::vector<Present>> out;
  for (const Present& one : present) out[one.node].push_back(one);
  return out;
}

double distance(QPointF p, const std::vector<Point>& path) {
  double best = 1e9;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Point a = path[i - 1], b = path[i];
    const double dx = b.x - a.x, dy = b.y - a.y, l = dx * dx + dy * dy;
    const double t = l > 0 ? std::clamp(((p.x() - a.x) * dx + (p.y() - a.y) * dy) / l, 0.0, 1.0) : 0.0;
    best = std::min(best, std::hypot(p.x() - a.x - t * dx, p.y() - a.y - t * dy));
  }
  return best;
}

}  // namespace

class TestMotion : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_notation(test::token_bucket_notation()); }

  /// Oracle: the history itself, without a window.
  void the_canvas_shows_who_is_where_forwards_and_back() {
    Office o;
    o.press("step.forward");
    std::vector<std::unordered_map<ElementId, std::vector<Present>>> seen;
    for (int i = 0; i < 30; ++i) {
      o.settle();
      QVERIFY(o.canvas().scene_items().present() == by_node(o.history().present()));
      seen.push_back(o.canvas().scene_items().present());
      o.press("step.forward");
    }
    for (int i = 29; i >= 0; --i) {
      o.press("step.back");
      QVERIFY(o.canvas().travellers().size() == 0);
      QVERIFY(o.canvas().scene_items().present() == seen[static_cast<std::size_t>(i)]);
    }
  }

  void after_the_end_everything_looks_as_before() {
    Office o;
    const QImage before = o.canvas().viewport()->grab().toImage();
    for (int i = 0; i < 20; ++i) o.press("step.forward");
    QVERIFY(o.canvas().viewport()->grab().toImage() != before);
    o.press("step.end");
    QVERIFY(o.canvas().scene_items().present().empty());
    QCOMPARE(o.canvas().travellers().size(), std::size_t{0});
    QVERIFY(o.canvas().viewport()->grab().toImage() == before);
    // So does an edit.
    for (int i = 0; i < 20; ++i) o.press("step.forward");
    Edit edit(o.gui->workspace().document(), "Edit");
    edit.set(o.gui->workspace().document().model().id, "question", "Another?");
    o.gui->workspace().push(edit.finish());
    QVERIFY(o.canvas().scene_items().present().empty());
    QCOMPARE(o.canvas().travellers().size(), std::size_t{0});
  }

  void who_moves_goes_along_the_drawn_line_and_is_there_afterwards() {
    Office o;
    o.press("step.forward");
    while (o.history().trace().empty() || o.history().trace().back().element != o.to_desk) {
      o.settle();
      o.press("step.forward");
    }
    auto& travellers = const_cast<Travellers&>(o.canvas().travellers());
    QCOMPARE(travellers.size(), std::size_t{1});
    const std::vector<Point> path = *o.canvas().scene_items().path_of(o.to_desk);
    QVERIFY(distance(travellers.places().front(), {path[0], path[0]}) < 1.0);
    // He is not there before he is seen to arrive, and all others are.
    const auto count = [&] {
      long sum = 0;
      for (const Present& one : o.canvas().scene_items().present().at(o.desk_node))
        sum += one.somebody() ? one.count : 0;
      return sum;
    };
    const auto there = static_cast<long>(o.history().present().size());
    QVERIFY(there > 0);
    const long on_arrival = count() + 1;
    double gone = -1.0;
    for (int i = 0; i < 4; ++i) {
      travellers.pass(0.08);
      QCOMPARE(travellers.size(), std::size_t{1});
      const QPointF at = travellers.places().front();
      QVERIFY(distance(at, path) < 0.5);
      const double from_start = std::hypot(at.x() - path[0].x, at.y() - path[0].y);
      QVERIFY(from_start > gone);
      gone = from_start;
    }
    travellers.pass(1.0);
    QCOMPARE(travellers.size(), std::size_t{0});
    QCOMPARE(count(), on_arrival);
  }

  /// A customer becomes two parts, which are one again; each edge is passed after the one before it.
  void forks_send_several_and_joins_wait_for_the_last() {
    Played p;
    const ElementId in = p.node("source", "in", {20, 100, 40, 40}, {{"interarrival", "1 h"}}),
                    fork = p.node("fork", "fork", {140, 90, 12, 60}),
                    a = p.node("delay", "a", {240, 40, 200, 52}, {{"time", "6 min"}}),
                    b = p.node("delay", "b", {240, 140, 200, 52}, {{"time", "6 min"}}),
                    join = p.node("join", "join", {520, 90, 12, 60}), out = p.node("sink", "out", {620, 100, 34, 34});
    p.flow(in, fork), p.flow(fork, a), p.flow(fork, b), p.flow(a, join), p.flow(b, join);
    const ElementId last = p.flow(join, out);
    p.open();
    p.press("step.forward"), p.press("step.forward");
    auto& travellers = const_cast<Travellers&>(p.canvas().travellers());
    QCOMPARE(travellers.size(), std::size_t{3});           // the customer, and two parts that
    QCOMPARE(travellers.places().size(), std::size_t{1});  // set out when he is at the fork
    travellers.pass(0.46);
    QCOMPARE(travellers.places().size(), std::size_t{2});
    travellers.pass(5.0);
    QCOMPARE(travellers.size(), std::size_t{0});
    p.press("step.forward");  // one part is at the join
    p.settle();
    QCOMPARE(p.canvas().scene_items().present().at(join).front().count, 1u);
    p.press("step.forward");
    QCOMPARE(travellers.places().size(), std::size_t{1});
    travellers.pass(0.46);
    QCOMPARE(travellers.places().size(), std::size_t{1});
    QVERIFY(distance(travellers.places().front(), *p.canvas().scene_items().path_of(last)) < 0.5);
  }

  void nobody_is_seen_to_move_where_that_is_not_wanted() {
    Office o;
    o.press("step.motion");
    for (int i = 0; i < 10; ++i) o.press("step.forward");
    QCOMPARE(o.canvas().travellers().size(), std::size_t{0});
    QVERIFY(o.canvas().scene_items().present() == by_node(o.history().present()));
    o.press("step.motion");
    o.press("step.forward");
    QVERIFY(o.canvas().travellers().size() > 0);
    o.settle();
    // At the greatest speed nobody could be followed.
    o.desk().set_speed(0);
    o.press("step.play");
    QTRY_VERIFY(o.history().steps() > 30);
    QCOMPARE(o.canvas().travellers().size(), std::size_t{0});
    o.press("step.play");
  }

  /// Whatever the model does: time is what the clock says.
  void model_time_passes_at_the_speed_that_was_chosen_data() {
    QTest::addColumn<QString>("rate");
    QTest::newRow("few events") << "0.1 /h";
    QTest::newRow("some") << "9 /h";
    QTest::newRow("many") << "300 /h";
  }
  void model_time_passes_at_the_speed_that_was_chosen() {
    QFETCH(QString, rate);
    Office o(rate.toLatin1().constData());
    o.press("step.model_time");
    QVERIFY(o.desk().clock() == StepDesk::Clock::model_time);
    QCOMPARE(o.desk().rate(), 3600.0);  // one unit of the model's time
    QCOMPARE(o.desk().ask_rate("6 min"), QString());
    o.press("step.forward");
    constexpr int ticks = 90;
    for (int i = 0; i < ticks; ++i) o.desk().pass(1.0 / 30.0);
    const double wanted = ticks / 30.0 * 360.0;
    // A busy machine may have cut a frame short: what is owed is made up for, and no more.
    for (int i = 0; i < 100; ++i) o.desk().pass(1e-12);
    QVERIFY(std::fabs(o.desk().time_s() - wanted) < 1e-6);
    QVERIFY(o.history().now_s() <= wanted);
    Stepper& history = const_cast<Stepper&>(o.history());
    history.step();  // what comes next was not due
    QVERIFY(history.now_s() > wanted);
    QCOMPARE(o.desk().reached_rate(), 0.0);
  }

  // Four to ten of its events a second (and as chance has it), whatever its unit of time, until somebody chooses.
  void a_speed_that_nobody_chose_is_that_of_the_events() {
    for (const auto& [rate, unit] : {std::pair{"9 /h", "h"}, {"9 /h", "s"}, {"2 /s", "h"}, {"0.001 /h", "h"}}) {
      Office o(rate, unit);
      o.press("step.model_time");
      o.press("step.forward");
      QCOMPARE(o.history().steps(), std::size_t{0});  // what was looked ahead is undone
      const double a_second = o.desk().rate();
      Stepper& history = const_cast<Stepper&>(o.history());
      const double from_s = history.now_s();
      constexpr int some = 40;
      for (int i = 0; i < some && !history.ended(); ++i) history.step();
      const double events = some * a_second / (history.now_s() - from_s);
      QVERIFY2(events > 1.5 && events < 25, qPrintable(QString("%1 %2: %3").arg(rate, unit).arg(events)));
      o.desk().set_rate(7.0);
      o.press("step.play");
      QCOMPARE(o.desk().rate(), 7.0);
    }
  }

  void a_model_that_is_too_fast_falls_behind_and_says_so() {
    Office o;
    o.press("step.model_time");
    o.desk().set_rate(1e9);
    o.press("step.forward");
    o.press("step.play");
    QElapsedTimer wall;
    wall.start();
    for (int i = 0; i < 40; ++i) o.desk().pass(1.0 / 30.0);
    QVERIFY2(wall.elapsed() < 4000, qPrintable(QString::number(wall.elapsed())));
    QVERIFY(o.desk().reached_rate() > 0.0 && o.desk().reached_rate() < 1e9);
    QVERIFY2(o.caption().contains("reaches"), qPrintable(o.caption()));
    // The time shown is one that was reached.
    QCOMPARE(o.desk().time_s(), o.history().now_s());
    o.press("step.play");
    QVERIFY(!o.caption().contains("reaches"));
  }

  void speeds_are_chosen_by_list_by_keys_and_by_hand() {
    Office o("9 /h", "min");
    auto* rate = o.find<QComboBox>("choice.step_rate");
    auto* clock = o.find<QComboBox>("choice.step_clock");
    auto* speed = o.find<QComboBox>("choice.step_speed");
    for (const QComboBox* one : {rate, clock, speed}) QVERIFY(!one->accessibleName().isEmpty());
    o.gui->window.show_dock("step");
    QVERIFY(speed->isVisible() && !rate->isVisible());
    o.press("step.faster");
    QCOMPARE(o.desk().speed(), 16);
    QCOMPARE(speed->currentText(), QStringLiteral("16 a second"));
    o.press("step.slower"), o.press("step.slower");
    QCOMPARE(o.desk().speed(), 1);
    clock->setCurrentIndex(1);
    QVERIFY(o.desk().clock() == StepDesk::Clock::model_time);
    QVERIFY(!speed->isVisible() && rate->isVisible());
    QVERIFY(o.gui->window.actions_table()["step.model_time"]->isChecked());
    QCOMPARE(rate->currentText(), QStringLiteral("1 min"));
    for (const char* wanted : {"2 min", "5 min", "10 min", "20 min"}) {
      o.press("step.faster");
      QCOMPARE(rate->currentText(), QLatin1String(wanted));
    }
    o.press("step.slower");
    QCOMPARE(o.desk().rate(), 600.0);
    rate->lineEdit()->setText("90 s");
    Q_EMIT rate->lineEdit()->editingFinished();
    QCOMPARE(o.desk().rate(), 90.0);
    QCOMPARE(rate->currentText(), QStringLiteral("90 s"));
    for (const char* wrong : {"3 kg", "-1 min", "soon", "", "1e30 h"}) {
      QVERIFY(!o.desk().ask_rate(QLatin1String(wrong)).isEmpty());
      QCOMPARE(o.desk().rate(), 90.0);
    }
    QCOMPARE(o.desk().ask_rate("0.5"), QString());
    QCOMPARE(o.desk().rate(), 30.0);
  }

  void it_plays_by_itself_pauses_and_goes_on_by_steps() {
    Office o;
    o.press("step.model_time");
    o.desk().ask_rate("2 h");
    o.press("step.play");
    QTRY_VERIFY(o.desk().time_s() > 3600.0);
    o.press("step.play");
    QVERIFY(!o.desk().playing());
    const double paused = o.desk().time_s();
    const std::size_t steps = o.history().steps();
    o.press("step.forward");
    QCOMPARE(o.history().steps(), steps + 1);
    QVERIFY(o.desk().time_s() >= paused);
    o.press("step.back"), o.press("step.back");
    QCOMPARE(o.history().steps(), steps - 1);
    QCOMPARE(o.desk().time_s(), o.history().now_s());
  }

  void states_of_charts_stay_lit_by_either_clock() {
    QTemporaryDir folder;
    GuiFixture gui(example_copy(blackout, folder));
    for (const bool by_time : {false, true}) {
      gui.window.actions_table()["step.model_time"]->setChecked(by_time);
      gui.window.actions_table()["step.forward"]->trigger();
      QVERIFY(!gui.window.step_desk().active().empty());
      if (by_time)
        for (int i = 0; i < 60; ++i) gui.window.step_desk().pass(1.0 / 30.0);
      else gui.window.actions_table()["step.forward"]->trigger();
      QVERIFY(gui.window.step_desk().history()->steps() > 0);
      QVERIFY(!gui.window.step_desk().active().empty());
      gui.window.actions_table()["step.end"]->trigger();
    }
  }

  void what_is_told_apart_differs_in_shape_and_colour() {
    std::set<std::string> shapes, colours;
    for (int series = 0; series < series_count; ++series) {
      Picture out;
      draw_dot(out, {}, {0, 0}, 5, series);
      const Primitive& dot = out.primitives.front();
      std::string shape = std::to_string(static_cast<int>(dot.kind));
      for (const Point& p : dot.points)
        shape += " " + std::to_string(std::lround(p.x)) + "," + std::to_string(std::lround(p.y));
      shapes.insert(shape), colours.insert(std::to_string(static_cast<int>(dot.fill)));
    }
    QCOMPARE(shapes.size(), std::size_t{series_count});
    QCOMPARE(colours.size(), std::size_t{series_count});
  }

  void a_crowd_is_drawn_with_what_has_no_room_as_a_number() {
    Office o("60 /h");
    o.press("step.forward");
    o.desk().set_clock(StepDesk::Clock::model_time);
    o.desk().ask_rate("2 h");
    while (o.desk().time_s() < 0.8 * 3600.0) o.desk().pass(0.05);
    o.settle();
    DrawOptions options;
    options.history = true, options.present = o.canvas().scene_items().present();
    const Document& document = o.gui->workspace().document();
    const DiagramGeometry geometry(document, o.diagram, catalogue());
    long waiting = 0, dots = 0, more = 0;
    for (const Present& one : options.present.at(o.desk_node))
      if (one.standing == Standing::waiting) waiting += one.count;
    QVERIFY(waiting > 12);
    std::string number;
    for (const Primitive& p : draw_element(document, geometry, o.desk_node, options).primitives) {
      if (p.fill >= Role::series_0 && p.fill <= Role::series_5) ++dots;
      if (p.kind == Primitive::Kind::text && p.text.rfind('+', 0) == 0) more = std::stol(p.text.substr(1));
      if (p.kind == Primitive::Kind::text && p.text == std::to_string(waiting + 3)) number = p.text;
    }
    QCOMPARE(dots + more, waiting + 3);  // and three who are served
    QVERIFY(more > 0 && dots > 5 && !number.empty());
    const QString said = o.canvas().who_is_at(o.desk_node);
    QVERIFY2(said.startsWith("waiting ") && said.contains("served "), qPrintable(said));
    QVERIFY(o.canvas().tip(o.desk_node).contains(said));
  }

  void a_notation_that_nobody_knows_shows_its_tokens_too() {
    Played p("tokens");
    const ElementId source = p.node("token_source", "feed", {20, 80, 60, 60}, {{"rate", "4 /h"}}),
                    tank = p.node("token_bucket", "tank", {300, 80, 110, 70}, {{"capacity", "5"}});
    const ElementId pipe = p.m.edge(p.diagram, "token_pipe", source, tank);
    p.open();
    p.press("step.forward"), p.press("step.forward");
    QCOMPARE(p.canvas().travellers().size(), std::size_t{1});
    QVERIFY(distance(p.canvas().travellers().places().front(), *p.canvas().scene_items().path_of(pipe)) < 0.5);
    p.settle();
    p.press("step.forward");
    p.settle();
    DrawOptions options;
    options.history = true, options.present = p.canvas().scene_items().present();
    QCOMPARE(number_there(options.present.at(tank)), std::uint64_t{2});
    const Document& document = p.gui->workspace().document();
    const Picture drawn = draw_element(document, DiagramGeometry(document, p.diagram, catalogue()), tank, options);
    QVERIFY(std::any_of(drawn.primitives.begin(), drawn.primitives.end(),
                        [](const Primitive& one) { return one.text == "2"; }));
  }
};

ERGODE_GUI_TEST(TestMotion)
#include "tst_motion.moc"
