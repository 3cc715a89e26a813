// What may be written in a property: names in scope, streams of measures.
#include <QtTest>
#include <algorithm>

#include "app/session/catalogue.h"
#include "app/session/name_offers.h"
#include "core/expression/compile.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

namespace {

struct Farm {
  ModelBuilder m;
  ElementId diagram = m.diagram("Net", "queueing"), desk, out;
  Farm() {
    desk = m.node(diagram, {}, "station", {{"name", "desk"}});
    out = m.node(diagram, {}, "sink", {{"name", "out"}});
    m.parameter("mu", "1 /s");
    ChartBuilder c(m, "Machine");
    const ElementId up = c.state("Up"), down = c.state("Down");
    c.initial(up), c.transition(up, down, "rate(1 /h)");
    m.component("machine", "Machine", "8");
  }
  std::vector<std::string> offers(ElementId id, const char* property) const {
    const Element& element = *m.document().find(id);
    return name_offers(m.document(), element, *catalogue().kind_of(m.document(), element)->property(property));
  }
};

bool has(const std::vector<std::string>& all, const char* name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

}  // namespace

class TestNameOffers : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void an_expression_of_a_station_is_offered_parameters_slots_states_and_laws() {
    const Farm f;
    for (const char* property : {"servers", "service", "capacity"})
      for (const char* name : {"mu", "desk.number", "desk.busy", "machine[*].Up", "exponential(", "count("})
        QVERIFY2(has(f.offers(f.desk, property), name), name);
    QVERIFY(!has(f.offers(f.desk, "servers"), "desk.response_time"));  // a stream is no value
    QVERIFY(!has(f.offers(f.desk, "servers"), "Up"));                  // of another diagram
    QVERIFY(f.offers(f.desk, "name").empty());
  }

  void every_law_that_is_offered_is_one() {
    const Farm f;
    const std::vector<std::string> functions = {"all", "any", "count", "if", "in", "max", "min", "table"};
    for (const std::string& offer : f.offers(f.desk, "service")) {
      if (!offer.ends_with("(")) continue;
      const std::string word = offer.substr(0, offer.size() - 1);
      QVERIFY2(is_distribution(word) || std::find(functions.begin(), functions.end(), word) != functions.end(),
               word.c_str());
    }
  }

  void a_measure_is_offered_streams_and_a_ratio_the_measures_above() {
    Farm f;
    const ElementId wait = f.m.measure("wait", "observed_mean", "", {{"of", ""}});
    const ElementId ratio = f.m.measure("share", "ratio", "");
    f.m.measure("later", "final_value", "desk.number");
    const std::vector<std::string> streams = {"desk.response_time", "desk.waiting_time",    "desk.residence_time",
                                              "out.time_in_system", "system.response_time", "system.waiting_time"};
    QCOMPARE(f.offers(wait, "of"), streams);
    // Another network is of the same system; a node called so has its own streams.
    const ElementId more = f.m.diagram("More", "queueing");
    QCOMPARE(f.offers(wait, "of"), streams);
    f.m.node(more, {}, "sink", {{"name", "system"}});
    const std::vector<std::string> own = {"desk.response_time", "desk.waiting_time", "desk.residence_time",
                                          "out.time_in_system", "system.time_in_system"};
    QCOMPARE(f.offers(wait, "of"), own);
    QCOMPARE(f.offers(ratio, "of"), std::vector<std::string>{"wait"});
    QCOMPARE(f.offers(ratio, "per"), std::vector<std::string>{"wait"});
  }

  void the_word_before_the_cursor_is_completed() {
    const auto word = [](const char* text) { return word_at(text, std::string(text).size()).word; };
    QCOMPARE(word("2*count(mach"), std::string("mach"));
    QCOMPARE(word("2*c"), std::string("c"));
    QCOMPARE(word("count(machine[*].U"), std::string("machine[*].U"));
    QCOMPARE(word("desk.num"), std::string("desk.num"));
    QCOMPARE(word("mu + "), std::string());
    QCOMPARE(word("12.5"), std::string());
    // Behind a number stands its unit.
    for (const char* unit : {"48 h", "48h", "5 mi", "2 + 1e-3 d", "0.05 /h", "0.05/h"})
      QCOMPARE(word(unit), std::string());
    QCOMPARE(word("2/lambda"), std::string("lambda"));
    QCOMPARE(word("x2 /h"), std::string("h"));
    QCOMPARE(word("if(n > 3, h"), std::string("h"));
    QCOMPARE(word_at("mu + nu", 2).word, std::string("mu"));
  }
};

QTEST_APPLESS_MAIN(TestNameOffers)
#include "tst_name_offers.moc"
