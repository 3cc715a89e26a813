// Random charts against a plain interpreter of the Recommendation, tests/support/scxml_oracle.h.
#include <QtTest>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>

#include "core/base/text.h"
#include "statecharts/exchange/scxml_reader.h"
#include "statecharts/execute/configuration_defect.h"
#include "tests/statecharts/chart_check.h"
#include "tests/support/random_chart.h"

using namespace ergode;
using namespace ergode::test;

class RandomCharts : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void an_internal_transition_into_its_composite_leaves_the_child_that_was_active_data();
  void an_internal_transition_into_its_composite_leaves_the_child_that_was_active();
  void compiled_charts_go_through_the_configurations_and_values_of_the_recommendation_data();
  void compiled_charts_go_through_the_configurations_and_values_of_the_recommendation();
  void clocks_lead_from_one_legal_configuration_to_another();
  void remembered_steps_are_those_of_the_general_algorithm();
};

namespace {

/// How often something turned up: a comparison that never met a case would show nothing.
struct Met {
  long charts = 0, gave_up = 0, events = 0, moved = 0, multi_word = 0, hops = 0, delayed = 0, halted = 0;
};

struct Compiled {
  ScxmlImport import;
  std::unique_ptr<CompiledCheck> check;
  std::map<std::string, int> ids;  ///< id -> state
};

std::string lines(const std::string& what, const std::string& text) { return what + "\n" + text; }

/// The difference between the compiled chart and the interpreter, with the document; empty: none.
std::string difference(const oracle::Chart& chart, std::mt19937& random, int events, Met& met) {
  oracle::Interpreter plain(chart);
  plain.start();
  if (plain.gave_up()) return ++met.gave_up, std::string();
  const std::string text = oracle::scxml_text(chart);
  const ScxmlImport import = parse_scxml(text, "Random");
  if (!import.document || !import.complete) return lines("the reader refuses it: " + listed(import.diagnostics), text);
  const CompiledCheck check(*import.document);
  if (!check.model) return lines("it does not compile: " + listed(check.problems), text);
  const CompiledModel& model = *check.model;
  const ChartTables& tables = model.charts.front();
  std::map<std::string, int> states;  // id -> number here
  for (int s = 1; s < static_cast<int>(tables.chart.states.size()); ++s) {
    const Element* drawn = import.document->find(tables.chart.states[static_cast<std::size_t>(s)].element);
    states[drawn->text("scxml_id").empty() ? drawn->name() : drawn->text("scxml_id")] = s;
  }
  std::map<std::string, std::uint32_t> slots;
  for (const NamedSlot& variable : model.table->named())
    slots[variable.name.substr(variable.name.find('.') + 1)] = variable.slot;
  ChartHistory history(model, 1);
  ChartReplication& compiled = history.charts();
  history.start(0);
  ++met.charts;
  met.multi_word += tables.words > 1 ? 1 : 0;
  for (const Hop& hop : model.hops) met.hops += hop.known ? 1 : 0;
  std::string given;
  const auto compare = [&]() -> std::string {
    std::string wanted, found;
    for (std::size_t s = 1; s < chart.states.size(); ++s) {
      const std::string& id = chart.states[s].id;
      if (plain.configuration().count(static_cast<int>(s)) > 0) wanted += " " + id;
      const auto known = states.find(id);
      if (known != states.end() && compiled.active(0, known->second)) found += " " + id;
    }
    for (const auto& [name, value] : plain.values()) {
      wanted += " " + name + "=" + number_text(value);
      const auto slot = slots.find(name);
      if (slot != slots.end()) found += " " + name + "=" + number_text(compiled.slots()[slot->second] + 0.0);
    }
    if (wanted == found) return {};
    return lines("after" + given + "\nwanted" + wanted + "\nfound " + found, text);
  };
  if (std::string out = compare(); !out.empty()) return out;
  for (int k = 1; k <= events; ++k) {
    const double seconds = k;
    const long before = plain.microsteps();
    plain.until(1000.0 * seconds);
    const long waited = plain.microsteps() - before;
    const std::string event = random_event(random);
    if (!plain.gave_up()) plain.give(event);
    // A circle without end: nothing to compare from here.
    if (plain.gave_up()) return ++met.gave_up, std::string();
    met.delayed += waited > 0 ? 1 : 0;
    while (!compiled.halted(0) && history.next_time() <= seconds) history.step();
    if (!compiled.halted(0)) history.world().move(seconds);
    given += " " + event;
    const int number = model.event_for(event);
    if (!compiled.halted(0)) compiled.give(0, number >= 0 ? static_cast<std::uint32_t>(number) : ~std::uint32_t{0});
    ++met.events;
    met.moved += plain.microsteps() > before ? 1 : 0;
    if (std::string out = compare(); !out.empty()) return out;
    if (const auto defect = configuration_defect(tables, compiled.configuration().data()))
      return lines("after" + given + ": " + *defect, text);
    if (!plain.running()) return ++met.halted, std::string();
  }
  return {};
}

/// The same chart with some of its events made clocks: `most` of 8 stay events. Rates may read a variable.
Document clocked(const Document& chart, std::mt19937& random, unsigned most) {
  Document document = chart;
  std::string variable;
  for (const Element& element : chart.elements())
    if (element.kind == "variable" && !element.name().empty() && random() % 2 == 0) variable = element.name();
  for (std::size_t e = 0; e < document.elements().size(); ++e) {
    const Element& element = document.elements()[e];
    if (element.kind != "transition" || element.text("trigger").empty() || random() % 8 < most) continue;
    Element timed = element;
    const unsigned kind = static_cast<unsigned>(random()) % 5;
    timed.properties["trigger"] = kind == 0                       ? "rate(1 /s)"
                                  : kind == 1                     ? "rate(0.3 /s)"
                                  : kind == 2                     ? "after(uniform(low = 0.1 s, high = 3 s))"
                                  : kind == 3 || variable.empty() ? "every(1.7 s)"
                                                                  : "rate((" + variable + " > 2 ? 0.5 : 2) * 1 /s)";
    document.replace(e, std::move(timed));
  }
  return document;
}

}  // namespace

void RandomCharts::an_internal_transition_into_its_composite_leaves_the_child_that_was_active_data() {
  QTest::addColumn<QString>("trigger");
  QTest::newRow("event") << "t1";
  QTest::newRow("rate") << "rate(1 /h)";
  QTest::newRow("after") << "after(1 h)";
}

// Oracle: SCXML (2015), section 3.13: the domain of such a transition is its source, and all below it is left.
void RandomCharts::an_internal_transition_into_its_composite_leaves_the_child_that_was_active() {
  QFETCH(QString, trigger);
  ModelBuilder model;
  ChartBuilder chart(model, "C");
  const ElementId a = chart.state("a"), a1 = chart.state("a1", a), a2 = chart.state("a2", a);
  chart.initial(a), chart.initial(a1, a);
  chart.variable("x", "integer", "1");
  chart.transition(a, a2, trigger.toStdString(), "x == 1", "", {{"type", "internal"}});
  model.component("unit", "C");
  TraceRun run(model.document());
  run.start();
  QCOMPARE(run.active(), std::string("a a1"));
  if (trigger == "t1") run.send("t1");
  else run.until(100.0);
  QCOMPARE(run.active(), std::string("a a2"));
}

void RandomCharts::compiled_charts_go_through_the_configurations_and_values_of_the_recommendation_data() {
  QTest::addColumn<int>("seed");
  for (int block = 1; block <= 10; ++block) QTest::addRow("%d", block) << block;
}

// Oracle: the interpreter of the Recommendation's appendix D. 10 x 2,400 charts; those that never come to rest are left
// out.
void RandomCharts::compiled_charts_go_through_the_configurations_and_values_of_the_recommendation() {
  QFETCH(int, seed);
  Met met;
  for (int i = 0; i < 2400; ++i) {
    std::mt19937 random(static_cast<unsigned>(seed * 1000000 + i));
    const ChartTraits traits = random_traits(random);
    const oracle::Chart chart = random_chart(random, traits);
    const std::string found = difference(chart, random, 16, met);
    if (!found.empty()) std::fputs(found.c_str(), stderr);  // the message below is cut
    QVERIFY2(found.empty(), ("chart " + std::to_string(seed) + ":" + std::to_string(i)).c_str());
  }
  qDebug(
      "%ld charts, %ld given up, %ld events (%ld did something, %ld delayed), %ld hops, %ld of several words, "
      "%ld ended",
      met.charts, met.gave_up, met.events, met.moved, met.delayed, met.hops, met.multi_word, met.halted);
  QVERIFY(met.charts >= 2000);
  QVERIFY(met.moved > met.events / 5 && met.hops > 1000 && met.multi_word > 10 && met.delayed > 10 && met.halted > 10);
}

// Oracle: the general algorithm, which is itself compared with the Recommendation above. Clocks, events, actions,
// counts and rates that read them, in the same charts.
void RandomCharts::remembered_steps_are_those_of_the_general_algorithm() {
  long steps = 0;
  int charts = 0, circles = 0;
  for (unsigned i = 0; i < 600; ++i) {
    std::mt19937 random(i);
    ChartTraits traits = random_traits(random);
    // Of those that go in a circle a few are enough: a million steps each.
    if (i % 64 != 0) traits.errors = traits.early_events = traits.eventless = false;
    if (i % 16 != 0) traits.sends = false;
    const oracle::Chart chart = random_chart(random, traits);
    const ScxmlImport import = parse_scxml(oracle::scxml_text(chart), "Random");
    QVERIFY(import.document && import.complete);
    const CompiledCheck check(clocked(*import.document, random, 1 + i % 7));
    if (!check.model) continue;
    ++charts;
    ChartHistory remembered(*check.model, i), general(*check.model, i);
    general.charts().forget_steps(), general.charts().forget_start();
    std::string ends[2];
    const auto both = [&](const auto& what) {
      ChartHistory* const runs[] = {&remembered, &general};
      for (std::size_t k = 0; k < 2; ++k) try {
          what(*runs[k]);
        } catch (const ModelFailure& failure) {
          ends[k] = failure.diagnostic.message;
        }
      return ends[0].empty() && ends[1].empty();
    };
    bool goes_on = both([](ChartHistory& run) { run.start(0); });
    for (int k = 0; k < 80 && goes_on; ++k, ++steps) {
      const int number = check.model->event_for(random_event(random));
      const bool give = random() % 2 == 0 && number >= 0;
      goes_on = both([&](ChartHistory& run) {
        if (give) run.charts().give(0, static_cast<std::uint32_t>(number));
        else if (run.next_time() < 1e9) run.step();
      });
      const World &a = remembered.world(), &b = general.world();
      const bool same = a.fingerprint == b.fingerprint && a.events == b.events &&
                        remembered.charts().configuration() == general.charts().configuration() &&
                        std::memcmp(a.slots(), b.slots(), a.slot_count() * sizeof(double)) == 0 &&
                        remembered.next_time() == general.next_time();
      QVERIFY2(same && ends[0] == ends[1], ("chart " + std::to_string(i)).c_str());
    }
    circles += goes_on ? 0 : 1;
  }
  QVERIFY2(charts > 500 && steps > 30000 && circles > 10,
           (std::to_string(charts) + " " + std::to_string(steps) + " " + std::to_string(circles)).c_str());
}

// Oracle: the Recommendation's section 3.11 on legal configurations. The same charts with their events made clocks.
void RandomCharts::clocks_lead_from_one_legal_configuration_to_another() {
  long fired = 0;
  int charts = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    std::mt19937 random(i);
    ChartTraits traits = random_traits(random);
    traits.errors = traits.early_events = traits.eventless = false;
    const oracle::Chart chart = random_chart(random, traits);
    const ScxmlImport import = parse_scxml(oracle::scxml_text(chart), "Random");
    QVERIFY(import.document && import.complete);
    const CompiledCheck check(clocked(*import.document, random, 0));
    if (!check.model) continue;  // a guard that reads the event
    ++charts;
    ChartHistory run(*check.model, i);
    try {
      run.start(0);
      for (int k = 0; k < 60 && run.next_time() < 1e9; ++k, ++fired) {
        run.step();
        const auto defect = configuration_defect(check.model->charts.front(), run.charts().configuration().data());
        QVERIFY2(!defect, (std::to_string(i) + ": " + defect.value_or("")).c_str());
      }
    } catch (const ModelFailure& failure) {
      QCOMPARE(QString::fromStdString(failure.diagnostic.code), QString("RUN002"));
    }
  }
  QVERIFY2(charts > 1000 && fired > 20000, (std::to_string(charts) + " " + std::to_string(fired)).c_str());
}

QTEST_GUILESS_MAIN(RandomCharts)
#include "tst_random_charts.moc"
