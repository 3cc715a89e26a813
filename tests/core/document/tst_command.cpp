#include <QtTest>
#include <random>

#include "core/document/command.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// A chart with a composite state, contents and transitions, laid out.
struct Drawing {
  ModelBuilder model;
  ElementId chart, outer, inner, other, inside, across;
  Drawing() {
    ChartBuilder c(model, "Unit");
    chart = c.id();
    outer = c.state("Outer"), inner = c.state("Inner", outer);
    const ElementId second = c.state("Second", outer);
    other = c.state("Other");
    inside = c.transition(inner, second), across = c.transition(inner, other);
    Edit edit(model.document(), "");
    for (const ElementId id : {outer, inner, second, other}) edit.set_layout(id, {.bounds = Rect{10, 20, 100, 50}});
    edit.set_layout(inside, {.way_points = {{1, 2}, {3, 4}}});
    edit.set_layout(across, {.way_points = {{5, 6}}});
    laid_out = edit.document();
  }
  Document laid_out;
};

/// One random gesture; deterministic in the stream. Returns an empty command now and then.
Command random_gesture(const Document& document, std::mt19937& random, std::uint64_t& next_id) {
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto all = document.elements();
  const auto any = [&] { return all[below(all.size())].id; };
  Edit edit(document, "gesture " + std::to_string(next_id));
  for (std::size_t parts = 1 + below(4); parts > 0; --parts) {
    const ElementId id = any();
    switch (below(9)) {
      case 0:
        edit.insert({.id = ElementId(next_id++),
                     .section = Section::parameter,
                     .kind = "parameter",
                     .properties = {{"name", "p"}, {"value", "1"}}});
        break;
      case 1: {
        const auto diagrams = document.of(Section::diagram);
        const ElementId diagram =
            diagrams.empty() ? edit.insert({.id = ElementId(next_id++), .section = Section::diagram, .kind = "diagram"})
                             : diagrams[below(diagrams.size())]->id;
        const auto nodes = edit.document().nodes(diagram);
        const ElementId parent = nodes.empty() || below(2) == 0 ? ElementId() : nodes[below(nodes.size())]->id;
        edit.insert({.id = ElementId(next_id++),
                     .section = Section::node,
                     .kind = "state",
                     .diagram = diagram,
                     .parent = parent,
                     .properties = {{"name", "s"}},
                     .layout = {.bounds = Rect{0, 0, 9, 9}}});
        break;
      }
      case 2: {
        const Element* from = edit.document().find(id);
        if (from == nullptr || !from->is_node()) break;
        const auto nodes = edit.document().nodes(from->diagram);
        edit.insert({.id = ElementId(next_id++),
                     .section = Section::edge,
                     .kind = "transition",
                     .diagram = from->diagram,
                     .source = id,
                     .target = nodes[below(nodes.size())]->id});
        break;
      }
      case 3:
        edit.remove(id);
        break;
      case 4:
        edit.set(id, "note", static_cast<int>(below(3)));
        break;
      case 5:
        edit.set(id, "note", nullptr);
        break;
      case 6:
        edit.move({id, any()}, static_cast<double>(below(9)) - 4, 3);
        break;
      case 7:
        edit.set_layout(id, below(2) == 0 ? Layout{} : Layout{.bounds = Rect{1, 2, static_cast<double>(below(5)), 4}});
        break;
      default:
        if (const Element* e = edit.document().find(id)) {
          Element after = *e;
          after.properties["name"] = "n" + std::to_string(below(4));
          edit.replace(id, after);
        }
    }
  }
  return edit.finish();
}

}  // namespace

class TestCommand : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void random_gestures_are_undone_and_redone_to_the_same_file();
  void every_nonempty_push_is_one_step();
  void pushing_forgets_what_was_undone();
  void what_is_joined_is_undone_with_the_step_before();
  void the_clean_mark_follows_the_file();
  void changes_that_cancel_out_leave_an_empty_command();
  void touching_an_element_again_and_again_is_one_change();
  void removing_takes_contents_and_incident_edges();
  void removing_a_diagram_takes_everything_drawn_in_it();
  void moving_takes_contents_and_edges_between_them();
  void insertion_keeps_the_sections_together();
  void an_element_never_gets_inside_itself();
  void the_listener_hears_the_touched_ids();
};

void TestCommand::random_gestures_are_undone_and_redone_to_the_same_file() {
  CommandStack stack(Drawing().laid_out);
  std::mt19937 random(2026);
  std::uint64_t next_id = 1000;
  std::vector<std::string> states = {write_model(stack.document())};
  std::size_t pushed = 0;
  for (int i = 0; i < 500; ++i) {
    Command command = random_gesture(stack.document(), random, next_id);
    const bool empty = command.empty();
    stack.push(std::move(command));
    if (empty) {
      QCOMPARE(write_model(stack.document()), states.back());
      continue;
    }
    ++pushed;
    QVERIFY(write_model(stack.document()) != states.back());
    states.push_back(write_model(stack.document()));
    // What was drawn can always be saved and opened again.
    if (i % 50 == 0)
      QVERIFY2(parse_model(states.back()).document, listed(parse_model(states.back()).diagnostics).c_str());
  }
  QVERIFY2(pushed > 300, qPrintable(QString::number(pushed)));
  QCOMPARE(stack.depth(), pushed);
  for (std::size_t i = pushed; i-- > 0;) {
    stack.undo();
    QCOMPARE(write_model(stack.document()), states[i]);
  }
  QVERIFY(!stack.can_undo());
  for (std::size_t i = 1; i <= pushed; ++i) {
    stack.redo();
    QCOMPARE(write_model(stack.document()), states[i]);
  }
  QVERIFY(!stack.can_redo());
}

void TestCommand::every_nonempty_push_is_one_step() {
  CommandStack stack(Drawing().laid_out);
  Edit nothing(stack.document(), "Nothing");
  stack.push(nothing.finish());
  QCOMPARE(stack.depth(), std::size_t{0});
  Edit edit(stack.document(), "Rename three");
  for (const Element* node : stack.document().of(Section::node)) edit.set(node->id, "name", "x");
  stack.push(edit.finish());
  QCOMPARE(stack.depth(), std::size_t{1});
  QCOMPARE(stack.undo_text(), std::string("Rename three"));
  QCOMPARE(stack.redo_text(), std::string());
  stack.undo();
  QCOMPARE(stack.redo_text(), std::string("Rename three"));
  stack.undo();  // nothing left: no effect
  QCOMPARE(stack.depth(), std::size_t{0});
}

void TestCommand::what_is_joined_is_undone_with_the_step_before() {
  CommandStack stack;
  const std::string empty = write_model(stack.document());
  const auto named = [&](const char* name) {
    Edit edit(stack.document(), "Name");
    edit.set(stack.document().model().id, "name", name);
    return edit.finish();
  };
  stack.join(named("A"));  // there is nothing to join: a step of its own
  QCOMPARE(stack.depth(), std::size_t{1});
  stack.join(named("B"));
  QCOMPARE(stack.depth(), std::size_t{1});
  QCOMPARE(stack.document().model().name(), std::string("B"));
  stack.undo();
  QCOMPARE(write_model(stack.document()), empty);
  stack.redo();
  QCOMPARE(stack.document().model().name(), std::string("B"));
  // What is in the file stays a step of its own.
  stack.mark_clean();
  stack.join(named("C"));
  QCOMPARE(stack.depth(), std::size_t{2});
  QVERIFY(!stack.clean());
  stack.undo();
  QVERIFY(stack.clean());
  // So does what can be redone.
  stack.join(named("D"));
  QCOMPARE(stack.depth(), std::size_t{2});
  QVERIFY(!stack.can_redo());
}

void TestCommand::pushing_forgets_what_was_undone() {
  CommandStack stack;
  const ElementId header = stack.document().model().id;
  const auto name = [&](const char* text) {
    Edit edit(stack.document(), text);
    edit.set(header, "name", text);
    stack.push(edit.finish());
  };
  name("a"), name("b"), name("c");
  stack.undo(), stack.undo();
  name("d");
  QCOMPARE(stack.size(), std::size_t{2});
  QVERIFY(!stack.can_redo());
  stack.undo();
  QCOMPARE(stack.document().model().name(), std::string("a"));
}

void TestCommand::the_clean_mark_follows_the_file() {
  CommandStack stack;
  const auto name = [&](const char* text) {
    Edit edit(stack.document(), text);
    edit.set(stack.document().model().id, "name", text);
    stack.push(edit.finish());
  };
  QVERIFY(stack.clean());
  name("a");
  QVERIFY(!stack.clean());
  stack.undo();
  QVERIFY(stack.clean());
  stack.redo();
  stack.mark_clean();
  QVERIFY(stack.clean());
  stack.undo();
  QVERIFY(!stack.clean());
  name("b");  // the saved state can never be reached again
  QVERIFY(!stack.clean());
  stack.undo();
  QVERIFY(!stack.clean());
  stack.redo();
  QVERIFY(!stack.clean());
  stack.mark_clean();
  QVERIFY(stack.clean());
}

void TestCommand::changes_that_cancel_out_leave_an_empty_command() {
  const Drawing drawing;
  Edit edit(drawing.laid_out, "There and back");
  edit.set(drawing.inner, "name", "X");
  edit.set(drawing.other, "name", "Y");
  edit.move({drawing.outer}, 5, 5);
  edit.move({drawing.outer}, -5, -5);
  edit.set(drawing.other, "name", "Other");
  edit.set(drawing.inner, "name", "Inner");
  const ElementId fresh = edit.insert({.section = Section::node, .kind = "state", .diagram = drawing.chart});
  edit.set(fresh, "name", "Fresh");
  edit.remove(fresh);
  QVERIFY(edit.document() == drawing.laid_out);
  QVERIFY(edit.finish().empty());
}

void TestCommand::touching_an_element_again_and_again_is_one_change() {
  const Drawing drawing;
  Edit edit(drawing.laid_out, "Type");
  for (const char* text : {"F", "Fa", "Fai", "Fail", "Failed"}) edit.set(drawing.inner, "name", text);
  const Command command = edit.finish();
  QCOMPARE(command.changes().size(), std::size_t{1});
  QCOMPARE(command.changes()[0].before->name(), std::string("Inner"));
  QCOMPARE(command.changes()[0].after->name(), std::string("Failed"));
  QCOMPARE(command.touched(), (std::vector<ElementId>{drawing.inner}));
}

void TestCommand::removing_takes_contents_and_incident_edges() {
  const Drawing drawing;
  CommandStack stack(drawing.laid_out);
  Edit edit(stack.document(), "Delete");
  edit.remove(drawing.outer);
  stack.push(edit.finish());
  QCOMPARE(stack.document().nodes(drawing.chart).size(), std::size_t{1});
  QCOMPARE(stack.document().edges(drawing.chart).size(), std::size_t{0});
  QCOMPARE(stack.depth(), std::size_t{1});
  stack.undo();
  QCOMPARE(write_model(stack.document()), write_model(drawing.laid_out));
  Edit header(stack.document(), "Delete");
  header.remove(stack.document().model().id);  // the header stays
  QVERIFY(header.finish().empty());
}

void TestCommand::removing_a_diagram_takes_everything_drawn_in_it() {
  const Drawing drawing;
  Edit edit(drawing.laid_out, "Delete");
  edit.remove(drawing.chart);
  QCOMPARE(edit.document().elements().size(), std::size_t{1});
}

void TestCommand::moving_takes_contents_and_edges_between_them() {
  const Drawing drawing;
  Edit edit(drawing.laid_out, "Move");
  edit.move({drawing.outer, drawing.inner}, 7, -3);  // inner is listed and inside: it moves once
  const Document& d = edit.document();
  QCOMPARE(d.find(drawing.outer)->layout.bounds->x, 17.0);
  QCOMPARE(d.find(drawing.inner)->layout.bounds->x, 17.0);
  QCOMPARE(d.find(drawing.inner)->layout.bounds->y, 17.0);
  QCOMPARE(d.find(drawing.other)->layout.bounds->x, 10.0);
  QVERIFY(d.find(drawing.inside)->layout.way_points[1] == (Point{10, 1}));
  QVERIFY(d.find(drawing.across)->layout.way_points[0] == (Point{5, 6}));
}

void TestCommand::insertion_keeps_the_sections_together() {
  const Drawing drawing;
  Edit edit(drawing.laid_out, "Add");
  const ElementId p = edit.insert({.section = Section::parameter, .kind = "parameter"});
  const ElementId q = edit.insert({.section = Section::parameter, .kind = "parameter"});
  const ElementId m = edit.insert({.section = Section::measure, .kind = "measure"});
  const ElementId s = edit.insert({.section = Section::node, .kind = "state", .diagram = drawing.chart});
  QCOMPARE(edit.document().of(Section::parameter).back()->id, q);
  QCOMPARE(edit.document().of(Section::parameter).front()->id, p);
  QCOMPARE(edit.document().nodes(drawing.chart).back()->id, s);
  QVERIFY(edit.document().index_of(m) == edit.document().elements().size() - 1);
  QVERIFY(edit.document().find(p)->id);
}

void TestCommand::an_element_never_gets_inside_itself() {
  const Drawing drawing;
  Edit edit(drawing.laid_out, "Drop into itself");
  edit.set_parent(drawing.outer, drawing.inner);
  edit.set_parent(drawing.inner, drawing.inner);
  QVERIFY(edit.document() == drawing.laid_out);
  edit.set_parent(drawing.other, drawing.inner);
  QCOMPARE(edit.document().find(drawing.other)->parent, drawing.inner);
}

void TestCommand::the_listener_hears_the_touched_ids() {
  const Drawing drawing;
  CommandStack stack(drawing.laid_out);
  std::vector<std::vector<ElementId>> heard;
  stack.changed = [&](const std::vector<ElementId>& ids) { heard.push_back(ids); };
  Edit edit(stack.document(), "Rename");
  edit.set(drawing.inner, "name", "A");
  edit.set(drawing.other, "name", "B");
  stack.push(edit.finish());
  stack.undo();
  stack.redo();
  QCOMPARE(heard.size(), std::size_t{3});
  for (const auto& ids : heard) QCOMPARE(ids, (std::vector<ElementId>{drawing.inner, drawing.other}));
}

QTEST_APPLESS_MAIN(TestCommand)
#include "tst_command.moc"
