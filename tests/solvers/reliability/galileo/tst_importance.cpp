#include "solvers/reliability/galileo/importance.h"

#include <QtTest>
#include <cmath>
#include <random>
#include <set>

#include "tests/solvers/reliability/galileo/sound_tree.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using Kind = TreeElement::Kind;

/// Whether the top event has happened when the basic events of `failed` (a bit each, in order) have.
bool happens(const FaultTree& tree, unsigned failed) {
  std::vector<bool> state(tree.elements.size());
  unsigned bit = 0;
  for (std::size_t i = 0; i < tree.elements.size(); ++i)
    if (tree.elements[i].kind == Kind::basic_event) state[i] = (failed >> bit++ & 1U) != 0;
  for (const int e : failing_order(tree)) {
    const TreeElement& gate = tree.at(e);
    if (gate.kind == Kind::basic_event) continue;
    int count = 0;
    for (const TreeElement::Child& child : gate.children) count += state[static_cast<std::size_t>(child.element)];
    const int all = static_cast<int>(gate.children.size());
    const int needed = gate.kind == Kind::conjunction ? all : gate.kind == Kind::disjunction ? 1 : gate.needed;
    state[static_cast<std::size_t>(e)] = count >= needed;
  }
  return state[static_cast<std::size_t>(tree.top)];
}

/// Probability of the top event by adding up all combinations; `certain`: that event has failed or has not.
double enumerated(const FaultTree& tree, const std::vector<double>& p, int certain = -1, bool failed = false) {
  double out = 0;
  for (unsigned s = 0; s < 1U << p.size(); ++s) {
    double share = happens(tree, s) ? 1 : 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const bool down = (s >> i & 1U) != 0;
      const double q = static_cast<int>(i) != certain ? p[i] : failed ? 1.0 : 0.0;
      share *= down ? q : 1 - q;
    }
    out += share;
  }
  return out;
}

}  // namespace

class TestImportance : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shared_events_of_all_laws_agree_with_enumeration();
  void laws_have_their_distribution_functions();
  void dynamic_trees_are_refused();
  void many_gates_cost_little_and_rare_events_keep_their_digits();
  void a_chain_of_many_gates_needs_no_stack();
  void trees_whose_diagram_explodes_are_refused_with_their_size();
};

void TestImportance::shared_events_of_all_laws_agree_with_enumeration() {
  const FaultTree tree = sound(
      "toplevel T; T vot2 G H E; G or A B F; H and B C D; F vot2 A C E; A lambda=0.3; B prob=0.4; C rate=3 shape=2; "
      "D mean=0.2 stddev=0.8; E lambda=2 phases=3; Unused lambda=1;");
  const double t = 1.7;
  std::vector<double> p;
  for (const TreeElement& e : tree.elements)
    if (e.kind == Kind::basic_event) p.push_back(failure_probability(e.law, t));
  const auto found = tree_importance(tree, t);
  QVERIFY(std::holds_alternative<TreeImportance>(found));
  const auto& importance = std::get<TreeImportance>(found);
  QVERIFY(std::abs(importance.top - enumerated(tree, p)) < 1e-12);
  QCOMPARE(importance.events.size(), p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const EventImportance& e = importance.events[i];
    const int event = static_cast<int>(i);
    QVERIFY2(std::abs(e.with - enumerated(tree, p, event, true)) < 1e-12, e.event.c_str());
    QVERIFY2(std::abs(e.without - enumerated(tree, p, event, false)) < 1e-12, e.event.c_str());
  }
  QCOMPARE(importance.events.back().birnbaum(), 0.0);
}

void TestImportance::laws_have_their_distribution_functions() {
  const auto law = [](const std::string& text, double t) {
    return failure_probability(sound("toplevel A; A " + text + ";").at(0).law, t);
  };
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-14; };
  QVERIFY(near(law("lambda=2", 0.5), 1 - std::exp(-1.0)));
  QVERIFY(near(law("lambda=2 phases=3", 0.5), 1 - std::exp(-1.0) * (1 + 1 + 0.5)));
  QVERIFY(near(law("rate=4 shape=4", 2), 1 - std::exp(-0.0625)));
  QVERIFY(near(law("mean=0.5 stddev=1", std::exp(0.5)), 0.5));
  QVERIFY(near(law("mean=0 stddev=1", std::exp(1.959963984540054)), 0.975));
  QCOMPARE(law("prob=0.3", 9), 0.3);
}

void TestImportance::dynamic_trees_are_refused() {
  const auto codes_of = [](const std::string& text) {
    const auto found = tree_importance(sound(text), 1.0);
    return std::holds_alternative<Diagnostics>(found) ? codes(std::get<Diagnostics>(found)) : std::string();
  };
  QCOMPARE(codes_of("toplevel T; T pand A B; A lambda=1; B lambda=1;"), std::string("GAL009"));
  QCOMPARE(codes_of("toplevel T; T and A B; F fdep A B; A lambda=1; B lambda=1;"), std::string("GAL009"));
  QCOMPARE(codes_of("param x; toplevel T; T and A B; A lambda=x; B lambda=1;"), std::string("GAL009"));
}

void TestImportance::many_gates_cost_little_and_rare_events_keep_their_digits() {
  // A thousand pairs under an OR; the top event has a probability of some 1e-17.
  const int n = 1000;
  std::string text = "toplevel T; T or", rest;
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    text += " G" + k;
    rest += "G" + k + " and A" + k + " B" + k + "; A" + k + " prob=1e-10; B" + k + " prob=1e-10;\n";
  }
  const auto found = tree_importance(sound(text + ";" + rest), 1.0);
  QVERIFY(std::holds_alternative<TreeImportance>(found));
  const auto& importance = std::get<TreeImportance>(found);
  QVERIFY(std::abs(importance.top / 1e-17 - 1.0) < 1e-9);
  for (const EventImportance& e : importance.events) {
    QVERIFY(std::abs(e.with / 1e-10 - 1.0) < 1e-6);
    QVERIFY(std::abs(e.without / 0.999e-17 - 1.0) < 1e-9);
  }
  // Nothing happens without it: exactly nothing, so that its worth is infinite.
  const auto both = tree_importance(sound("toplevel T; T and A G; G vot2 B C D; A prob=1e-9; B prob=0.3; C prob=1e-8; "
                                          "D prob=0.2;"),
                                    1.0);
  QCOMPARE(std::get<TreeImportance>(both).events.front().without, 0.0);
}

void TestImportance::a_chain_of_many_gates_needs_no_stack() {
  const int n = 20000;
  std::string text = "toplevel G0;";
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i);
    text += "G" + k + (i % 2 == 0 ? " or" : " and") + " A" + k + (i + 1 < n ? " G" + std::to_string(i + 1) : " B") +
            "; A" + k + " prob=0.5;\n";
  }
  const auto found = tree_importance(sound(text + "B prob=0.5;"), 1.0);
  QVERIFY(std::holds_alternative<TreeImportance>(found));
  QVERIFY(std::abs(std::get<TreeImportance>(found).top - 2.0 / 3.0) < 1e-12);
}

void TestImportance::trees_whose_diagram_explodes_are_refused_with_their_size() {
  // Hundreds of random triples among a hundred events: no order of the variables helps.
  std::mt19937 random(3);
  std::string text = "toplevel T; T and", rest;
  for (int g = 0; g < 300; ++g) {
    const std::string k = std::to_string(g);
    std::set<std::uint32_t> events;
    while (events.size() < 3) events.insert(static_cast<std::uint32_t>(random() % 100));
    text += " G" + k, rest += "G" + k + " or";
    for (const std::uint32_t e : events) rest += " E" + std::to_string(e);
    rest += ";\n";
  }
  for (int e = 0; e < 100; ++e) rest += "E" + std::to_string(e) + " prob=0.1;\n";
  const FaultTree tree = sound(text + ";" + rest);
  const auto found = tree_importance(tree, 1.0);
  QVERIFY(std::holds_alternative<Diagnostics>(found));
  const Diagnostic& d = std::get<Diagnostics>(found).front();
  QCOMPARE(d.code, std::string("GAL011"));
  QVERIFY2(d.message.find("100 basic events") != std::string::npos && d.message.find("500000") != std::string::npos,
           d.message.c_str());
  const auto late = tree_importance(tree, 1.0, Budget({}, {.time_s = 0.1}));
  QCOMPARE(std::get<Diagnostics>(late).front().code, std::string("RUN003"));
}

QTEST_APPLESS_MAIN(TestImportance)
#include "tst_importance.moc"
