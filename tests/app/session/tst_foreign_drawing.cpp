// A notation that no part of the program knows works like the built-in ones.
#include <QtTest>
#include <filesystem>
#include <fstream>

#include "app/session/catalogue.h"
#include "app/session/check.h"
#include "app/session/figure.h"
#include "app/session/label.h"
#include "app/session/manual.h"
#include "app/session/rename.h"
#include "core/drawing/diagram_picture.h"
#include "core/format/model_file.h"
#include "tests/support/model_builder.h"
#include "tests/support/token_bucket.h"

using namespace ergode;
using namespace ergode::test;

namespace {

/// Tokens flow into a tank that a chart reads; another chart has a state and a variable called like the tank.
struct Tokens {
  ModelBuilder m;
  ElementId diagram, source, bucket, pipe, guarded, measure;
  Tokens() {
    diagram = m.diagram("Flow", "tokens");
    source = m.node(diagram, {}, "token_source", {{"name", "feed"}, {"rate", "3 /h"}});
    bucket = m.node(diagram, {}, "token_bucket", {{"name", "tank"}, {"capacity", "5"}});
    pipe = m.edge(diagram, "token_pipe", source, bucket);
    m.parameter("most", "5");
    ChartBuilder c(m, "Pump");
    const ElementId off = c.state("Off"), on = c.state("On", {}, "seen := tank.level");
    c.variable("seen"), c.initial(off);
    guarded = c.transition(off, on, "when(tank.level >= most)", "tank.level > 0 and not in(Off.tank)");
    ChartBuilder other(m, "Other");
    const ElementId tank = other.state("tank");
    other.initial(tank), other.variable("tank");
    other.transition(tank, tank, "rate(tank /h)", "in(tank)");
    m.component("pump", "Pump");
    measure = m.measure("mean_level", "time_average", "tank.level / most", {{"label", "level of the tank"}});
  }
  Document relabelled(ElementId id, const std::string& text) const {
    std::string why;
    auto command = relabel(m.document(), id, text, why);
    if (!command) throw std::runtime_error(why);
    CommandStack stack(m.document());
    stack.push(std::move(*command));
    return stack.document();
  }
};

}  // namespace

class TestForeignDrawing : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_notation(token_bucket_notation()); }
  void it_is_drawn_with_its_own_shapes_and_exported();
  void its_label_is_read_with_the_column_of_a_mistake();
  void a_bucket_is_renamed_with_its_uses_in_charts_and_measures();
  void uses_are_listed_with_their_places();
  void what_may_stand_and_be_joined_is_its_own_rule();
  void its_elements_are_known_to_checks_files_and_help();
  void the_room_that_was_there_first_says_why_an_edge_is_refused();
  void a_notation_may_leave_its_rules_out();
  void nobody_else_names_it();
};

void TestForeignDrawing::it_is_drawn_with_its_own_shapes_and_exported() {
  const Tokens t;
  const Picture picture = draw_diagram(t.m.document(), t.diagram, catalogue());
  const auto of = [&](ElementId id, Primitive::Kind kind) {
    return std::count_if(picture.primitives.begin(), picture.primitives.end(),
                         [&](const Primitive& p) { return p.element == id && p.kind == kind; });
  };
  QCOMPARE(of(t.source, Primitive::Kind::ellipse), 1);
  QCOMPARE(of(t.bucket, Primitive::Kind::polygon), 1);
  QCOMPARE(of(t.bucket, Primitive::Kind::text), 2);
  const auto pipe = std::find_if(picture.primitives.begin(), picture.primitives.end(),
                                 [&](const Primitive& p) { return p.element == t.pipe; });
  QVERIFY(pipe != picture.primitives.end() && pipe->dash == Dash::long_dash);
  const auto svg = make_diagram(t.m.document(), t.diagram, "svg", false);
  QVERIFY(svg.has_value());
  for (const char* text : {">3 /h<", ">tank<", ">up to 5<", ">feed<"})
    QVERIFY2(svg->find(text) != std::string::npos, text);
  QVERIFY(svg->find("unknown kind") == std::string::npos);
  // A source that was never placed or sized has the size of its kind.
  const Rect box = DiagramGeometry(t.m.document(), t.diagram, catalogue()).box(t.source);
  QCOMPARE(box.width, 60.0);
  QCOMPARE(box.height, 60.0);
}

void TestForeignDrawing::its_label_is_read_with_the_column_of_a_mistake() {
  const Tokens t;
  QCOMPARE(editable_label(t.m.document(), *t.m.document().find(t.source)), std::string("3 /h"));
  QCOMPARE(t.relabelled(t.source, "  4.5 /d ").find(t.source)->text("rate"), std::string("4.5 /d"));
  QCOMPARE(t.relabelled(t.source, "2 * most / 1 h").find(t.source)->text("rate"), std::string("2 * most / 1 h"));
  std::string why;
  QVERIFY(!relabel(t.m.document(), t.source, "3 h", why));
  QCOMPARE(why, std::string("Column 3: \"h\" does not fit; write a value in /h."));
  QVERIFY(!relabel(t.m.document(), t.source, "3 * (2 +", why));
  QVERIFY2(why.starts_with("Column 9: "), why.c_str());
  QCOMPARE(label_problem(t.m.document(), t.source, "3 h")->code, std::string("EXP004"));
  QVERIFY(!label_problem(t.m.document(), t.source, "3 /h"));
  // A bucket's label is its name; a pipe has none.
  QVERIFY(!relabel(t.m.document(), t.bucket, "a b", why));
  QVERIFY(!catalogue().notation("tokens")->kind("token_pipe")->labelled());
}

void TestForeignDrawing::a_bucket_is_renamed_with_its_uses_in_charts_and_measures() {
  const Tokens t;
  const Document after = t.relabelled(t.bucket, "basin");
  QStringList changes;
  for (const Element& element : t.m.document().elements())
    for (const auto& [key, value] : element.properties.items())
      if (const std::string text = after.find(element.id)->text(key); text != element.text(key))
        changes << QString::fromStdString(key + ": " + text);
  // The other chart's own state and variable of that name stay, and so do labels.
  QCOMPARE(changes, (QStringList{"name: basin", "entry: seen := basin.level", "trigger: when(basin.level >= most)",
                                 "guard: basin.level > 0 and not in(Off.tank)", "expression: basin.level / most"}));
}

void TestForeignDrawing::uses_are_listed_with_their_places() {
  const Tokens t;
  const std::vector<Use> uses = uses_of(t.m.document(), t.bucket);
  QCOMPARE(uses.size(), 4u);
  QVERIFY(uses[1].element == t.guarded);
  QCOMPARE(uses[1].property, std::string("trigger"));
  QCOMPARE(uses[1].begin, 5);
  QVERIFY(uses_of(t.m.document(), t.pipe).empty());
}

void TestForeignDrawing::what_may_stand_and_be_joined_is_its_own_rule() {
  const Tokens t;
  const Document& document = t.m.document();
  const NotationSpec& tokens = *catalogue().notation("tokens");
  const Element *source = document.find(t.source), *bucket = document.find(t.bucket);
  std::string why;
  QCOMPARE(tokens.edge_kind(document, *source, *bucket, why), std::string("token_pipe"));
  QVERIFY(tokens.edge_kind(document, *bucket, *source, why).empty());
  QCOMPARE(why, std::string("A pipe leads from a source to a bucket."));
  QVERIFY(tokens.refuse_parent(document, "token_bucket", nullptr).empty());
  QVERIFY(!tokens.refuse_parent(document, "token_bucket", bucket).empty());
}

void TestForeignDrawing::its_elements_are_known_to_checks_files_and_help() {
  const Tokens t;
  QVERIFY2(find_code(check_model(t.m.document()), "DOC001") == nullptr, listed(check_model(t.m.document())).c_str());
  const ReadOutcome again = parse_model(write_model(t.m.document()));
  QVERIFY(again.document && write_model(*again.document) == write_model(t.m.document()));
  QCOMPARE(help_for(t.m.document(), *t.m.document().find(t.bucket)).name, std::string("kind.token_bucket"));
  const auto [notation, kind] = catalogue().diagram_kind("tokens");
  QVERIFY(notation != nullptr && kind != nullptr && kind->label == "Token diagram");
}

void TestForeignDrawing::the_room_that_was_there_first_says_why_an_edge_is_refused() {
  Catalogue both;
  const auto room = [](const char* name, const char* refusal) {
    NotationSpec out{.name = "shared", .kinds = {{.kind = name}}};
    out.edge_kind = [refusal](const Document&, const Element&, const Element&, std::string& why) {
      why = refusal;
      return std::string();
    };
    out.refuse_parent = [refusal](const Document&, const std::string&, const Element*) { return refusal; };
    return out;
  };
  both.add(room("old", "the old room refuses"));
  both.add(room("new", "the new room refuses"));
  const Tokens t;
  const Element& any = *t.m.document().find(t.source);
  std::string why;
  QVERIFY(both.notation("shared")->edge_kind(t.m.document(), any, any, why).empty());
  QCOMPARE(why, std::string("the old room refuses"));
  QCOMPARE(both.notation("shared")->refuse_parent(t.m.document(), "new", nullptr), std::string("the new room refuses"));
}

void TestForeignDrawing::a_notation_may_leave_its_rules_out() {
  Catalogue bare;
  bare.add(NotationSpec{.name = "bare", .kinds = {{.kind = "thing"}}});
  bare.add(NotationSpec{.name = "bare", .kinds = {{.kind = "other"}}});
  const Tokens t;
  const Element& any = *t.m.document().find(t.source);
  std::string why;
  QVERIFY(bare.notation("bare")->edge_kind(t.m.document(), any, any, why).empty() && !why.empty());
  QVERIFY(bare.notation("bare")->refuse_parent(t.m.document(), "other", nullptr).empty());
}

void TestForeignDrawing::nobody_else_names_it() {
  std::vector<std::string> found;
  int read = 0;
  for (const char* room : {"core", "statecharts", "solvers", "plugins", "app", "examples"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::string(ERGODE_SOURCE_DIR "/") + room)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path());
      const std::string text(std::istreambuf_iterator<char>(file), {});
      ++read;
      for (const char* kind : {"token_source", "token_bucket", "token_pipe"})
        if (text.find(kind) != std::string::npos) found.push_back(entry.path().string());
    }
  QVERIFY(read > 300);
  QVERIFY2(found.empty(), found.empty() ? "" : found.front().c_str());
}

QTEST_APPLESS_MAIN(TestForeignDrawing)
#include "tst_foreign_drawing.moc"
