// Petri nets in PNML: what the standard (ISO/IEC 15909-2) allows is drawn, what it does not is refused by its id.
#include <QtTest>

#include "core/des/lowering.h"
#include "solvers/queueing/exchange/jmt.h"
#include "solvers/queueing/lowering/network_lowering.h"
#include "tests/solvers/queueing/drawn_network.h"

using namespace ergode;
using namespace ergode::test;

namespace {

std::string net(const std::string& inside, const std::string& after = "") {
  return "<pnml><net id='n' type='ptnet'><page id='g'>" + inside + "</page></net>" + after + "</pnml>";
}
/// <what><text>...</text></what>; nothing of an empty text.
std::string label(const std::string& what, const std::string& text) {
  return text.empty() ? "" : "<" + what + "><text>" + text + "</text></" + what + ">";
}
std::string place(const std::string& id, const std::string& tokens = "") {
  return "<place id='" + id + "'>" + label("initialMarking", tokens) + "</place>";
}
std::string transition(const std::string& id) { return "<transition id='" + id + "'/>"; }
std::string arc(const std::string& id, const std::string& from, const std::string& to, const std::string& weight = "") {
  return "<arc id='" + id + "' source='" + from + "' target='" + to + "'>" + label("inscription", weight) + "</arc>";
}
std::string said(const std::string& text) {
  std::string out;
  for (const Diagnostic& one : import_network(text, "model").diagnostics) out += one.code + " " + one.message + "\n";
  return out;
}
const Element* drawn_as(const Document& document, const std::string& name) {
  for (const Element* one : document.of(Section::node))
    if (one->name() == name) return one;
  return nullptr;
}

}  // namespace

class TestPnml : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { register_lowering(network_lowering); }

  // A page that borrows a place and a transition of another draws the same net as one without pages: two tokens go
  // round p, t, q, u, each transition at 1/s: both places hold one in the mean.
  void references_are_what_they_stand_for() {
    const std::string whole = place("p", "2") + transition("t") + place("q") + transition("u");
    const std::string plain =
        net(whole + arc("a", "p", "t") + arc("b", "t", "q") + arc("c", "q", "u") + arc("d", "u", "p"));
    const std::string borrowed =
        net("<page id='h'><referencePlace id='r2' ref='r1'/><referenceTransition id='s' ref='u'/>" +
            arc("c", "q", "s") + arc("d", "s", "r2") + "</page><referencePlace id='r1' ref='p'/>" + whole +
            arc("a", "r1", "t") + arc("b", "t", "q"));
    for (const std::string& text : {plain, borrowed}) {
      ReadOutcome read = import_network(text, "model");
      QVERIFY2(read.document.has_value(), said(text).c_str());
      QCOMPARE(read.document->of(Section::node).size(), std::size_t{4});
      QCOMPARE(read.document->of(Section::edge).size(), std::size_t{4});
      const ResultSet r = solved(*read.document, {.solver = "ctmc-network"});
      QVERIFY(std::fabs(estimate(r, "queue_length/p") - 1.0) < 1e-9);
      QVERIFY(std::fabs(estimate(r, "queue_length/q") - 1.0) < 1e-9);
    }
  }

  void what_is_no_net_is_refused_by_its_id_data() {
    QTest::addColumn<QString>("inside");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* name, const std::string& inside, const char* wanted) {
      QTest::newRow(name) << QString::fromStdString(inside) << QString(wanted);
    };
    const std::string p = place("p", "1"), t = transition("t");
    row("reference to nothing", p + "<referencePlace id='r' ref='z'/>", "\"r\": It stands for \"z\"");
    row("references in a circle", p + "<referencePlace id='r' ref='s'/><referencePlace id='s' ref='r'/>", "\"r\": It");
    row("of another kind", p + "<referenceTransition id='r' ref='p'/>", "\"r\": It stands for a place");
    row("two of one id", p + place("p", "2"), "\"p\": Two nodes");
    row("place to place", p + place("q") + arc("a", "p", "q"),
        "It leads from place \"p\" to place \"q\". From a place flows lead to transitions");
    row("transition to transition", t + transition("u") + arc("a", "t", "u"),
        "from transition \"t\" to transition \"u\"");
    row("no weight", p + t + arc("a", "p", "t", "0"), "\"a\": The weight is \"0\"; wanted a whole number from 1");
    row("a weight of twenty digits", p + t + arc("a", "p", "t", "12345678901234567890"), "\"a\": The weight");
    row("a marking of twenty digits", place("p", "12345678901234567890") + t, "\"p\": The marking");
    row("half a token", place("p", "0.5") + t, "\"p\": The marking is \"0.5\"");
    for (const char* bad : {"-1", "abc", "NaN", " ", "1e30"}) row(bad, place("p", bad) + t, "\"p\": The marking is \"");
    const auto empty = [](const std::string& what) { return "<" + what + "><text></text></" + what + ">"; };
    row("an empty marking", "<place id='p'>" + empty("initialMarking") + "</place>" + t,
        "\"p\": The marking is \"\"; wanted a whole number from 0 to 1000000000.");
    row("an empty capacity", "<place id='p'>" + empty("capacity") + "</place>" + t, "\"p\": The capacity is \"\"");
    row("an empty weight", p + t + "<arc id='a' source='p' target='t'>" + empty("inscription") + "</arc>",
        "\"a\": The weight is \"\"; wanted a whole number from 1");
    row("a position that is none", "<place id='p'><graphics><position x='1e30' y='abc'/></graphics></place>" + t,
        "\"p\": The x of its position is \"1e30\"; wanted a number from -100000 to 100000.");
  }
  void what_is_no_net_is_refused_by_its_id() {
    QFETCH(QString, inside);
    QFETCH(QString, wanted);
    const std::string text = net(inside.toStdString());
    QVERIFY(!import_network(text, "model").document);
    QVERIFY2(QString::fromStdString(said(text)).contains(wanted), said(text).c_str());
  }

  // Two tokens from p to q and back; q has room for one: it is full half of the time, when both move at 1/s. Without
  // the limit it would hold one in the mean.
  void a_place_of_limited_capacity_holds_back() {
    const auto room = [](const char* k) { return "<place id='q'>" + label("capacity", k) + "</place>"; };
    const auto circle = [&](const char* k, const std::string& more) {
      return net(place("p", "2") + room(k) + transition("t") + transition("u") + arc("a", "p", "t") +
                 arc("b", "t", "q") + arc("c", "q", "u") + arc("d", "u", "p") + more);
    };
    const std::string held =
        arc("e", "q", "t").replace(arc("e", "q", "t").find("</arc>"), 6, "<type value='inhibitor'/></arc>");
    for (const auto& [capacity, more, wanted] :
         {std::tuple("1", std::string(), 0.5), std::tuple("2", std::string(), 1.0), std::tuple("", std::string(), 1.0),
          std::tuple("2", held, 0.5)}) {
      const ReadOutcome read = import_network(circle(capacity, more), "model");
      QVERIFY2(read.document.has_value(), listed(read.diagnostics).c_str());
      QVERIFY2(read.diagnostics.empty(), listed(read.diagnostics).c_str());
      const double seen = estimate(solved(*read.document, {.solver = "ctmc-network"}), "queue_length/q");
      QVERIFY2(std::fabs(seen - wanted) < 1e-9, qPrintable(QString::number(seen, 'g', 15)));
    }
    const std::string full =
        "<place id='p'><initialMarking><text>3</text></initialMarking><capacity><text>2</text></capacity></place>";
    QVERIFY2(said(net(full)).find("\"p\": There are 3 tokens in a place of capacity 2") != std::string::npos,
             said(net(full)).c_str());
    const std::string never = net(room("1") + transition("t") + arc("b", "t", "q", "2"));
    QVERIFY2(said(never).find("\"q\": Its capacity is 1, and \"t\" brings 2 at once") != std::string::npos,
             said(never).c_str());
  }

  void what_is_left_out_is_named_once() {
    const std::string kept = "<toolspecific tool='PIPE' version='4'/>", rate = "<rate><value>2</value></rate>";
    const std::string text = net("<place id='p'>" + kept + "</place><place id='q'>" + kept +
                                 "</place><transition id='t'>" + rate + "</transition>");
    QVERIFY2(said(text).find("PNM003 \"p\": what the tool \"PIPE\" keeps there and at 1 more is left out") !=
                 std::string::npos,
             said(text).c_str());
    QVERIFY2(said(text).find("PNM003 \"t\": the label \"rate\" is left out") != std::string::npos, said(text).c_str());
    QVERIFY(import_network(text, "model").document.has_value());
  }

  void pages_in_pages_without_end_are_refused() {
    std::string pages;
    for (int i = 0; i < 50'000; ++i) pages += "<page id='p'>";
    for (int i = 0; i < 50'000; ++i) pages += "</page>";
    const std::string text = net(pages);
    QVERIFY(!import_network(text, "model").document);
    QVERIFY2(said(text).find("PNM001 Not well-formed XML: nested deeper than 256 levels") == 0, said(text).c_str());
  }

  void a_second_net_is_named() {
    const std::string one = place("p", "3") + transition("t") + arc("a", "p", "t", "2");
    const std::string text = net(one, "<net id='m'><name><text>spare</text></name></net><net id='k'/>");
    const ReadOutcome read = import_network(text, "model");
    QVERIFY(read.document.has_value());
    QVERIFY2(said(text).find("PNM003 The net \"spare\" is left out") != std::string::npos, said(text).c_str());
    QVERIFY2(said(text).find("The net \"k\" is left out") != std::string::npos, said(text).c_str());
    QCOMPARE(drawn_as(*read.document, "p")->text("tokens"), std::string("3"));
    QCOMPARE(said(net(one)).find("left out"), std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestPnml)
#include "tst_pnml.moc"
