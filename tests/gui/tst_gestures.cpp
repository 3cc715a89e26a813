#include <random>

#include "app/gui/edit/clipboard.h"
#include "app/gui/edit/evaluation.h"
#include "app/gui/edit/gestures.h"
#include "app/session/catalogue.h"
#include "app/session/label.h"
#include "core/document/command.h"
#include "core/drawing/diagram_geometry.h"
#include "core/format/hash.h"
#include "statecharts/notation/transition_label.h"
#include "tests/gui/gui_test.h"
#include "tests/support/model_builder.h"

using namespace ergode;

namespace {

/// Does one random gesture through the same functions as the tools; @returns whether it changed anything.
class RandomUser {
 public:
  RandomUser(Workspace& workspace, unsigned seed) : workspace_(workspace), random_(seed) {}

  void act() {
    const Document& document = workspace_.document();
    const auto nodes = document.nodes(workspace_.diagram());
    const auto edges = document.edges(workspace_.diagram());
    const auto pick = [&](const auto& list) { return list[below(list.size())]->id; };
    switch (nodes.size() < 4 ? 0 : below(12)) {
      case 0:
      case 1: {
        static const std::vector<std::string> kinds{"state", "state", "choice", "final", "note", "initial"};
        const Point at{number(900), number(600)};
        const std::string kind = kinds[below(kinds.size())];
        const ElementId parent = container_at(document, catalogue(), workspace_.diagram(), at);
        if (!workspace_.notation()->refuse_parent(document, kind, document.find(parent)).empty()) return;
        ElementId made;
        return workspace_.push(
            add_node(document, *workspace_.notation(), workspace_.diagram(), parent, kind, at, made));
      }
      case 2:
      case 3: {
        ElementId made;
        std::string why;
        auto command = connect(document, *workspace_.notation(), pick(nodes), pick(nodes), made, why);
        if (command) workspace_.push(std::move(*command));
        return;
      }
      case 4:
        return workspace_.push(
            move_nodes(document, {pick(nodes), pick(nodes)}, number(9) * 10 - 40, number(9) * 10 - 40));
      case 5:
        return workspace_.push(resize_node(document, pick(nodes), {number(50) * 10, number(50) * 10, 80, 60}));
      case 6: {
        std::string why;
        auto command = relabel(document, pick(nodes), "Name" + std::to_string(below(1000)), why);
        if (command) workspace_.push(std::move(*command));
        return;
      }
      case 7:
        return workspace_.push(
            set_property(document, catalogue(), {pick(nodes)}, "description", "note " + std::to_string(below(50))));
      case 8: {
        if (edges.empty()) return;
        std::string why;
        auto command =
            relabel(document, pick(edges), "after(" + std::to_string(below(30)) + " h) [true] / x := 1", why);
        if (command) workspace_.push(std::move(*command));
        return;
      }
      case 9: {
        std::vector<ElementId> made;
        auto command = paste_elements(document, *workspace_.notation(), workspace_.diagram(), {},
                                      copy_elements(document, {pick(nodes)}), {20, 20}, "Paste", made);
        if (command) workspace_.push(std::move(*command));
        return;
      }
      case 10:
        return workspace_.push(align(document, {pick(nodes), pick(nodes), pick(nodes)}, Alignment::left));
      default:
        return workspace_.push(remove_elements(document, {pick(nodes)}));
    }
  }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  double number(std::size_t limit) { return static_cast<double>(below(limit)); }
  Workspace& workspace_;
  std::mt19937 random_;
};

}  // namespace

class TestGestures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void any_series_of_gestures_is_undone_to_the_start_and_redone_to_the_end() {
    for (const unsigned seed : {1u, 2u, 3u}) {
      Workspace workspace;
      workspace.start_new();
      workspace.set_check([](const Document&) { return Diagnostics(); });
      const Document start = workspace.document();
      const std::string start_hash = file_hash(start);
      RandomUser user(workspace, seed);
      std::size_t done = 0;
      for (int i = 0; i < 400; ++i) {
        const std::size_t before = workspace.history().depth();
        user.act();
        const std::size_t after = workspace.history().depth();
        QVERIFY2(after == before || after == before + 1, "a gesture is at most one undo step");
        done += after - before;
      }
      QVERIFY(done >= 250);
      QCOMPARE(workspace.history().depth(), done);
      const Document end = workspace.document();
      while (workspace.history().can_undo()) {
        QVERIFY(!workspace.history().undo_text().empty());
        workspace.undo();
      }
      QVERIFY(workspace.document() == start);
      QCOMPARE(file_hash(workspace.document()), start_hash);
      QVERIFY(!workspace.modified());
      while (workspace.history().can_redo()) workspace.redo();
      QVERIFY(workspace.document() == end);
    }
  }

  // Oracle: where the nodes were drawn before. One is moved or resized, the others stay.
  void nodes_without_a_place_of_their_own_are_moved_from_where_they_are_drawn() {
    test::ModelBuilder m;
    test::ChartBuilder c(m, "Chart");
    const std::vector<ElementId> nodes = {c.state("A"), c.state("B"), c.state("C")};
    const auto drawn = [&](const Document& document) {
      const DiagramGeometry geometry(document, c.id(), catalogue());
      std::vector<Rect> out;
      for (const ElementId id : nodes) out.push_back(geometry.box(id));
      return out;
    };
    const std::vector<Rect> before = drawn(m.document());
    QVERIFY(before[0].x > 0.0 && before[1].x > before[0].x);
    const auto after = [&](Command command) {
      CommandStack stack(m.document());
      stack.push(std::move(command));
      return drawn(stack.document());
    };
    std::vector<Rect> wanted = before;
    wanted[1].x += 30, wanted[1].y += 50;
    QCOMPARE(after(move_nodes(m.document(), {nodes[1]}, 30, 50)), wanted);
    wanted[1] = {500, 700, 90, 80};
    QCOMPARE(after(resize_node(m.document(), nodes[1], wanted[1])), wanted);
    wanted = before;
    for (Rect& box : wanted) box.x = before[0].x;
    QCOMPARE(after(align(m.document(), nodes, Alignment::left)), wanted);
  }

  void the_canvas_shows_every_element_whatever_was_done_and_undone() {
    GuiFixture gui;
    Workspace& workspace = gui.workspace();
    workspace.set_check([](const Document&) { return Diagnostics(); });
    RandomUser user(workspace, 11);
    for (int i = 0; i < 80; ++i) {
      if (i % 7 == 6) workspace.undo();
      else user.act();
      for (const Element* node : workspace.document().nodes(workspace.diagram()))
        QVERIFY(gui.canvas().scene_items().item(node->id) != nullptr);
    }
    while (workspace.history().can_undo()) workspace.undo();
    QVERIFY(gui.canvas().scene_items().items().isEmpty());
  }

  void pasting_gives_new_ids_and_keeps_the_edges_between_copies() {
    GuiFixture gui(example("02_station_blackout/model.ergode"));
    QVERIFY(gui.opened);
    Workspace& workspace = gui.workspace();
    workspace.show_diagram(workspace.document().named(Section::diagram, "Generator")->id);
    gui.window.actions_table()["edit.select_all"]->trigger();
    gui.window.actions_table()["edit.copy"]->trigger();
    workspace.select({});
    const std::size_t nodes = workspace.document().nodes(workspace.diagram()).size();
    const std::size_t edges = workspace.document().edges(workspace.diagram()).size();
    gui.window.actions_table()["edit.paste"]->trigger();
    gui.window.actions_table()["edit.paste"]->trigger();
    QCOMPARE(workspace.history().depth(), 2u);
    QCOMPARE(workspace.document().edges(workspace.diagram()).size(), 3 * edges);
    QCOMPARE(workspace.document().nodes(workspace.diagram()).size(), 3 * nodes);
    QSet<quint64> ids;
    for (const Element& element : workspace.document().elements()) ids.insert(element.id.bits());
    QCOMPARE(static_cast<std::size_t>(ids.size()), workspace.document().elements().size());
  }

  void brackets_and_slashes_inside_expressions_stay_in_a_transitions_label() {
    const auto read = read_transition_label("rate(1e-3 /h) [count(EDG[*].Failed) >= 3] / x := y / 2; raise(go)");
    QCOMPARE(std::get<PropertyTexts>(read), (PropertyTexts{{"trigger", "rate(1e-3 /h)"},
                                                           {"guard", "count(EDG[*].Failed) >= 3"},
                                                           {"action", "x := y / 2; raise(go)"}}));
    QCOMPARE(std::get<Diagnostic>(read_transition_label("demand [p > 0")).column, 8);
    QCOMPARE(std::get<PropertyTexts>(read_transition_label("")).front().second, std::string());
  }

  void aligned_nodes_share_an_edge_and_distributed_ones_a_gap() {
    GuiFixture gui;
    Workspace& workspace = gui.workspace();
    std::vector<ElementId> ids(3);
    const double places[] = {70, 230, 480};
    for (std::size_t i = 0; i < 3; ++i)
      workspace.push(add_node(workspace.document(), *workspace.notation(), workspace.diagram(), {}, "state",
                              {places[i], 100 + 40.0 * double(i)}, ids[i]));
    workspace.push(align(workspace.document(), ids, Alignment::top));
    workspace.push(distribute(workspace.document(), ids, true));
    const auto box = [&](std::size_t i) { return *workspace.find(ids[i])->layout.bounds; };
    QCOMPARE(box(0).y, box(1).y);
    QCOMPARE(box(1).y, box(2).y);
    QCOMPARE(box(1).x - box(0).right(), box(2).x - box(1).right());
  }

  void expressions_are_worth_what_the_parameters_say() {
    GuiFixture gui;
    Workspace& workspace = gui.workspace();
    Edit edit(workspace.document(), "Parameters");
    for (const auto& [name, value, unit] :
         {std::tuple{"T_repair", "8 h", "h"}, std::tuple{"lambda", "0.2628 /yr", "/yr"}}) {
      Element parameter;
      parameter.section = Section::parameter;
      parameter.kind = "parameter";
      parameter.properties["name"] = name;
      parameter.properties["value"] = value;
      parameter.properties["unit"] = unit;
      edit.insert(parameter);
    }
    edit.set(workspace.document().model().id, "horizon", "2*T_repair");
    workspace.push(edit.finish());
    ElementId a, b, t;
    std::string why;
    workspace.push(
        add_node(workspace.document(), *workspace.notation(), workspace.diagram(), {}, "state", {100, 100}, a));
    workspace.push(
        add_node(workspace.document(), *workspace.notation(), workspace.diagram(), {}, "state", {400, 100}, b));
    workspace.push(*ergode::connect(workspace.document(), *workspace.notation(), a, b, t, why));
    workspace.push(*relabel(workspace.document(), t, "rate(lambda)", why));
    const Element& model = workspace.document().model();
    const PropertySpec* horizon = workspace.kind_of(model)->property("horizon");
    const std::string value = Evaluation(workspace.document()).value(model, *horizon);
    QVERIFY2(value == "= 16 h", value.c_str());
    // 0.2628 /yr is 3e-5 /h, as a year has 8760 h.
    const PropertySpec& trigger = *workspace.kind_of(*workspace.find(t))->first(PropertyType::trigger);
    const std::string delay = Evaluation(workspace.document()).delay(*workspace.find(t), trigger);
    QVERIFY2(delay == "mean 33,333 h, rate 3e-05 /h", delay.c_str());
    QVERIFY(gui.canvas().tip(t).contains("3e-05 /h"));
    // A variable of the chart hides the parameter: its value changes during a run.
    ElementId variable;
    workspace.push(add_node(workspace.document(), *workspace.notation(), workspace.diagram(), {}, "variable",
                            {100, 300}, variable));
    workspace.push(*relabel(workspace.document(), variable, "inner", why));
    workspace.push(*relabel(workspace.document(), t, "rate(inner)", why));
    QCOMPARE(Evaluation(workspace.document()).delay(*workspace.find(t), trigger), std::string());
    workspace.push(*relabel(workspace.document(), t, "rate(3 h)", why));
    QCOMPARE(Evaluation(workspace.document()).delay(*workspace.find(t), trigger), std::string());
  }
};

ERGODE_GUI_TEST(TestGestures)
#include "tst_gestures.moc"
