#include <QtTest>
#include <random>

#include "core/document/document.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

class TestDocument : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void a_new_document_is_a_header_alone();
  void elements_are_found_by_id_section_and_name();
  void children_nodes_edges_and_incident_follow_the_drawing();
  void paths_name_what_encloses_an_element();
  void properties_read_as_text();
  void the_index_follows_random_inserts_and_removals();
  void diagrams_list_what_a_walk_over_all_elements_finds();
};

void TestDocument::a_new_document_is_a_header_alone() {
  const Document document;
  QCOMPARE(document.elements().size(), std::size_t{1});
  QVERIFY(document.model().section == Section::model && document.model().id);
  QVERIFY(document.unknown().empty());
  QVERIFY(!(Document() == document));  // ids are never reused
}

void TestDocument::elements_are_found_by_id_section_and_name() {
  ModelBuilder m;
  const ElementId a = m.parameter("a", "1"), b = m.parameter("b", "2");
  m.measure("a", "count", "true");
  const Document& d = m.document();
  QCOMPARE(d.find(a)->name(), std::string("a"));
  QCOMPARE(d.named(Section::parameter, "b")->id, b);
  QCOMPARE(d.named(Section::parameter, "c"), nullptr);
  QVERIFY(d.named(Section::measure, "a")->id != a);
  QCOMPARE(d.of(Section::parameter).size(), std::size_t{2});
  QCOMPARE(d.find(ElementId(999)), nullptr);
  QCOMPARE(d.index_of(ElementId(999)), d.elements().size());
  QVERIFY(!d.find(ElementId()));
}

void TestDocument::children_nodes_edges_and_incident_follow_the_drawing() {
  ModelBuilder m;
  ChartBuilder chart(m, "Unit"), other(m, "Other");
  const ElementId outer = chart.state("Outer"), inner = chart.state("Inner", outer), second = chart.state("Second");
  other.state("Stranger");
  const ElementId t = chart.transition(inner, second), back = chart.transition(second, inner);
  const Document& d = m.document();
  QCOMPARE(d.children(chart.id(), {}).size(), std::size_t{2});
  QCOMPARE(d.children(chart.id(), outer).front()->id, inner);
  QCOMPARE(d.nodes(chart.id()).size(), std::size_t{3});
  QCOMPARE(d.edges(chart.id()).size(), std::size_t{2});
  QCOMPARE(d.incident(inner).size(), std::size_t{2});
  QCOMPARE(d.incident(outer).size(), std::size_t{0});
  QCOMPARE(d.incident(second).front()->id, t);
  QCOMPARE(d.incident(second).back()->id, back);
}

void TestDocument::paths_name_what_encloses_an_element() {
  ModelBuilder m;
  ChartBuilder chart(m, "EDG");
  const ElementId running = chart.state("Running"), first = chart.state("FirstHour", running),
                  choice = chart.choice(running);
  const ElementId t = chart.transition(first, choice);
  const Document& d = m.document();
  QCOMPARE(d.path(first), std::string("EDG / Running / FirstHour"));
  QCOMPARE(d.path(choice), std::string("EDG / Running / choice"));
  QCOMPARE(d.path(t), std::string("EDG / FirstHour → choice"));
  QCOMPARE(d.path(ElementId(999)), std::string());
}

void TestDocument::properties_read_as_text() {
  Element e;
  e.properties = {{"text", "8 h"}, {"flag", true}, {"whole", 12}, {"real", 0.5}, {"list", {1, 2}}};
  QCOMPARE(e.text("text"), std::string("8 h"));
  QCOMPARE(e.text("flag"), std::string("true"));
  QCOMPARE(e.text("whole"), std::string("12"));
  QCOMPARE(e.text("real"), std::string("0.5"));
  QCOMPARE(e.text("list"), std::string("[1,2]"));
  QCOMPARE(e.text("absent", "otherwise"), std::string("otherwise"));
}

void TestDocument::the_index_follows_random_inserts_and_removals() {
  Document document;
  std::vector<ElementId> mirror = {document.model().id};
  std::mt19937 random(3);
  for (int step = 0; step < 2000; ++step) {
    if (random() % 3 != 0 || mirror.size() == 1) {
      const std::size_t at = 1 + random() % mirror.size();
      const ElementId id(1000 + static_cast<std::uint64_t>(step));
      document.insert(at, {.id = id, .kind = "state"});
      mirror.insert(mirror.begin() + static_cast<std::ptrdiff_t>(at), id);
    } else {
      const std::size_t at = 1 + random() % (mirror.size() - 1);
      document.remove(at);
      QVERIFY(document.find(mirror[at]) == nullptr);
      mirror.erase(mirror.begin() + static_cast<std::ptrdiff_t>(at));
    }
    const std::size_t probe = random() % mirror.size();
    QCOMPARE(document.index_of(mirror[probe]), probe);
    QCOMPARE(document.find(mirror[probe])->id, mirror[probe]);
  }
  QCOMPARE(document.elements().size(), mirror.size());
}

void TestDocument::diagrams_list_what_a_walk_over_all_elements_finds() {
  Document document;
  std::mt19937 random(5);
  const Section sections[] = {Section::node, Section::edge, Section::parameter};
  const auto any = [&](ElementId id) {
    Element e{.id = id, .section = sections[random() % 3], .kind = "state"};
    e.diagram = ElementId(1 + random() % 4), e.parent = ElementId(random() % 3);
    return e;
  };
  for (std::uint64_t step = 0; step < 3000; ++step) {
    const std::size_t size = document.elements().size(), at = 1 + random() % size;
    const std::size_t what = size > 1 ? random() % 6 : 0;
    if (what == 5 && at < size) document.remove(at);
    else if (what >= 3 && at < size)
      document.replace(at, any(what == 3 ? document.elements()[at].id : ElementId(9000 + step)));
    else document.insert(what == 0 ? size : at, any(ElementId(1000 + step)));
    const Document copy = document;
    for (std::uint64_t d = 1; d <= 4; ++d) {
      const ElementId diagram(d), parent(random() % 3);
      std::vector<const Element*> nodes, edges, children;
      for (const Element& e : copy.elements()) {
        if (e.diagram != diagram) continue;
        if (e.is_edge()) edges.push_back(&e);
        if (!e.is_node()) continue;
        nodes.push_back(&e);
        if (e.parent == parent) children.push_back(&e);
      }
      QVERIFY(copy.nodes(diagram) == nodes && copy.edges(diagram) == edges);
      QVERIFY(copy.children(diagram, parent) == children);
    }
  }
}

QTEST_APPLESS_MAIN(TestDocument)
#include "tst_document.moc"
