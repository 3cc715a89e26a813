#include "solvers/reliability/galileo/fault_tree.h"

#include <QtTest>

#include "tests/solvers/reliability/galileo/sound_tree.h"

using namespace ergode;
using namespace ergode::test;

namespace {

using Kind = TreeElement::Kind;

/// "GAL003 3:1", the first problem.
std::string first_problem(const std::string& text) {
  Diagnostics problems;
  parse_galileo(text, problems);
  if (problems.empty()) return {};
  return problems[0].code + " " + problems[0].pointer.substr(5) + ":" + std::to_string(problems[0].column);
}

}  // namespace

class TestFaultTree : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void every_gate_has_its_spellings();
  void every_law_is_read_with_its_numbers();
  void names_and_spaces_are_free();
  void values_may_be_expressions_of_parameters();
  void inputs_come_before_gates();
  void dependencies_as_inputs_are_left_out_with_a_warning();
  void each_mistake_has_its_code_and_place_data();
  void each_mistake_has_its_code_and_place();
  void the_json_form_is_the_same_tree();
  void mistakes_in_json_name_the_node();
  void mutated_trees_never_crash();
};

void TestFaultTree::every_gate_has_its_spellings() {
  const auto gate = [](const std::string& word) {
    return sound("toplevel T; T and A B; X " + word + " A B; A lambda=1; B lambda=1;").at(1);
  };
  QCOMPARE(gate("and").kind, Kind::conjunction);
  QCOMPARE(gate("OR").kind, Kind::disjunction);
  QCOMPARE(gate("vot2").needed, 2);
  QCOMPARE(gate("1of2").kind, Kind::vote);
  for (const char* word : {"pand", "pand-incl", "pand<="})
    QVERIFY(gate(word).kind == Kind::pand && !gate(word).exclusive);
  for (const char* word : {"pand-excl", "pand<"}) QVERIFY(gate(word).kind == Kind::pand && gate(word).exclusive);
  for (const char* word : {"por", "por-incl", "por<="}) QVERIFY(gate(word).kind == Kind::por && !gate(word).exclusive);
  for (const char* word : {"por-excl", "por<"}) QVERIFY(gate(word).kind == Kind::por && gate(word).exclusive);
  for (const char* word : {"wsp", "hsp", "spare"}) QVERIFY(gate(word).kind == Kind::spare && !gate(word).cold);
  QVERIFY(gate("csp").kind == Kind::spare && gate("csp").cold);
  QCOMPARE(gate("seq").kind, Kind::sequence);
  QCOMPARE(gate("mutex").kind, Kind::mutex);
  QVERIFY(gate("fdep").kind == Kind::dependency && gate("fdep").probability.is(1.0));
  QVERIFY(gate("pdep=0.25").kind == Kind::dependency && gate("pdep = 0.25").probability.is(0.25));
}

void TestFaultTree::every_law_is_read_with_its_numbers() {
  const auto law = [](const std::string& attributes) { return sound("toplevel A; A " + attributes + ";").at(0).law; };
  QVERIFY(law("lambda=1e-4").first.is(1e-4) && !law("lambda=1e-4").dormancy);
  QVERIFY(law("lambda=0 dorm=0.5").dormancy->is(0.5));
  QCOMPARE(law("lambda=4 phases=3").kind, FailureLaw::Kind::erlang);
  QCOMPARE(law("lambda=4 phases=1").kind, FailureLaw::Kind::exponential);
  const FailureLaw weibull = law("rate=4 shape=2.5");
  QVERIFY(weibull.kind == FailureLaw::Kind::weibull && weibull.first.is(4) && weibull.second.is(2.5));
  const FailureLaw lognormal = law("mean=-1 stddev=0.3");
  QVERIFY(lognormal.kind == FailureLaw::Kind::lognormal && lognormal.first.is(-1) && lognormal.second.is(0.3));
  QVERIFY(law("prob=0.4").kind == FailureLaw::Kind::constant);
}

void TestFaultTree::names_and_spaces_are_free() {
  const FaultTree tree = sound(
      "// a comment; with a semicolon\n/* and\n another */ toplevel \"the top; event\";\n"
      "\"the top; event\" and F' \"//b\" ;;\nF' lambda = 1\n dorm= 0.3;\"//b\" lambda =2;");
  QCOMPARE(tree.elements.size(), std::size_t{3});
  QCOMPARE(tree.at(tree.top).name, std::string("the top; event"));
  QVERIFY(tree.at(1).name == "F'" && tree.at(1).law.first.is(1) && tree.at(1).law.dormancy->is(0.3));
  QVERIFY(tree.at(2).name == "//b" && tree.at(2).law.first.is(2));
}

void TestFaultTree::values_may_be_expressions_of_parameters() {
  const FaultTree tree = sound("param x; toplevel T; T and A B; A lambda=x/2; B lambda=1/3; param y;");
  QVERIFY(!tree.at(1).law.first.number && tree.at(1).law.first.text == "x/2");
  QCOMPARE(*tree.at(2).law.first.number, 1.0 / 3.0);
  QCOMPARE(tree.parameters.size(), std::size_t{2});
}

void TestFaultTree::inputs_come_before_gates() {
  const FaultTree tree = sound("toplevel T; T or G H; H or G B; G and A B; A lambda=1; F fdep T B; B lambda=1;");
  std::string names;
  for (const int e : failing_order(tree)) names += tree.at(e).name;
  QCOMPARE(names, std::string("ABGHT"));
}

void TestFaultTree::dependencies_as_inputs_are_left_out_with_a_warning() {
  Diagnostics problems;
  const FaultTree tree = parse_galileo("toplevel T; T and A F; F fdep A B; A lambda=1; B lambda=1;", problems);
  QCOMPARE(codes(problems), std::string("GAL010"));
  QVERIFY(!has_errors(problems));
  QCOMPARE(tree.at(0).children.size(), std::size_t{1});
}

void TestFaultTree::each_mistake_has_its_code_and_place_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("wanted");
  const auto row = [](const char* name, const char* text, const char* wanted) {
    QTest::newRow(name) << text << wanted;
  };
  const std::string a = "A lambda=1;";
  row("no end", "toplevel A;\nA lambda=1", "GAL001 2:1");
  row("open quote", "toplevel \"A;\nA lambda=1;", "GAL001 1:10");
  row("open comment", "toplevel A; A lambda=1; /* x", "GAL001 1:25");
  row("alone", "toplevel A; A lambda=1;\n  B;", "GAL001 2:3");
  row("unknown gate", "toplevel T;\nT xor A; A lambda=1;", "GAL001 2:3");
  row("attribute in gate", "toplevel T; T and A dorm=1; A lambda=1;", "GAL001 1:21");
  row("word among attributes", "toplevel A; A lambda=1 B;", "GAL001 1:24");
  row("no top", "A lambda=1;", "GAL002 1:1");
  row("two tops", "toplevel A; toplevel A; A lambda=1;", "GAL002 1:13");
  row("top is a constraint", "toplevel S; S seq A B; A lambda=1; B lambda=1;", "GAL002 1:10");
  row("name twice", "toplevel A;\nA lambda=1;\nA lambda=2;", "GAL003 3:1");
  row("parameter twice", "param x; param x; toplevel A; A lambda=x;", "GAL003 1:16");
  row("unknown input", "toplevel T;\nT and A B;\nA lambda=1;", "GAL004 2:9");
  row("unknown top", "toplevel T; A lambda=1;", "GAL004 1:10");
  row("circle", "toplevel T; T and U;\nU or T A; A lambda=1;", "GAL005 1:13");
  row("vote too high", "toplevel T; T vot3 A B; A lambda=1; B lambda=1;", "GAL006 1:13");
  row("vote of zero", "toplevel T; T vot0 A; A lambda=1;", "GAL006 1:13");
  row("of wrong", "toplevel T; T 2of3 A B; A lambda=1; B lambda=1;", "GAL006 1:15");
  row("no inputs", "toplevel T; T and;", "GAL006 1:13");
  row("input twice", "toplevel T; T and A A; A lambda=1;", "GAL006 1:13");
  row("no dependent", "toplevel A; F fdep A; A lambda=1;", "GAL006 1:13");
  row("negative rate", "toplevel A; A lambda=-1;", "GAL007 1:22");
  row("no number", "toplevel A; A lambda=fast;", "GAL007 1:22");
  row("empty value", "toplevel A; A lambda=;", "GAL007 1:22");
  row("infinite", "toplevel A; A lambda=1e999;", "GAL007 1:22");
  row("probability", "toplevel A; A prob=1.5;", "GAL007 1:20");
  row("dormancy", "toplevel A; A lambda=1 dorm=2;", "GAL007 1:29");
  row("phases", "toplevel A; A lambda=1 phases=0;", "GAL007 1:31");
  row("shape zero", "toplevel A; A rate=1 shape=0;", "GAL007 1:28");
  row("pdep", "toplevel A; F pdep=2 A B; A lambda=1; B lambda=1;", "GAL007 1:20");
  row("attribute", "toplevel A; A lamda=1;", "GAL008 1:15");
  row("attribute twice", "toplevel A; A lambda=1 lambda=2;", "GAL008 1:24");
  row("no law", "toplevel A; A dorm=1;", "GAL008 1:13");
  row("two laws", "toplevel A; A lambda=1 prob=0.5;", "GAL008 1:13");
  row("half a law", "toplevel A; A rate=1;", "GAL008 1:13");
  row("phases of a Weibull", "toplevel A; A rate=1 shape=2 phases=2;", "GAL008 1:30");
  row("gate depends", "toplevel T; T and A B; F fdep A T; A lambda=1; B lambda=1;", "GAL009 1:33");
  QString inputs, laws;
  for (int i = 0; i < 800; ++i) {
    inputs += QString(" E%1").arg(i);
    laws += QString(" E%1 lambda=1;").arg(i);
  }
  row("too many spares", qPrintable("toplevel T; T wsp" + inputs + ";" + laws), "GAL009 1:13");
}

void TestFaultTree::each_mistake_has_its_code_and_place() {
  QFETCH(QString, text);
  QFETCH(QString, wanted);
  QCOMPARE(QString::fromStdString(first_problem(text.toStdString())), wanted);
}

void TestFaultTree::the_json_form_is_the_same_tree() {
  const std::string text = R"({"toplevel": "2", "parameters": {"x": {}}, "nodes": [
    {"data": {"id": "0", "name": "A", "type": "be", "distribution": "erlang", "rate": "x/2", "phases": 3, "dorm": 0.5}},
    {"data": {"id": 1, "name": "B", "type": "be", "distribution": "const", "failed": true}},
    {"data": {"id": "2", "name": "T", "type": "vot", "voting": "2", "children": ["0", "1", "3"]}},
    {"data": {"id": "3", "name": "P", "type": "pand", "inclusive": false, "children": [0, 1]}},
    {"data": {"id": "4", "name": "D", "type": "pdep", "probability": "0.3", "children": ["0", "1"]}}]})";
  Diagnostics problems;
  const FaultTree json = parse_tree_json(text, problems);
  QVERIFY2(problems.empty(), listed(problems).c_str());
  const FaultTree tree = sound(
      "param x; toplevel T; A lambda=x/2 phases=3 dorm=0.5; B prob=1; T vot2 A B P; P pand< A B; D pdep=0.3 A B;");
  QCOMPARE(json.elements.size(), tree.elements.size());
  QCOMPARE(json.top, tree.top);
  for (std::size_t i = 0; i < tree.elements.size(); ++i) {
    const TreeElement &a = json.elements[i], &b = tree.elements[i];
    QVERIFY(a.name == b.name && a.kind == b.kind && a.needed == b.needed && a.exclusive == b.exclusive);
    QVERIFY(a.law.kind == b.law.kind && a.law.phases == b.law.phases && a.law.first.text == b.law.first.text);
    QVERIFY(a.law.dormancy.has_value() == b.law.dormancy.has_value() && a.probability.number == b.probability.number);
    QCOMPARE(a.children.size(), b.children.size());
    for (std::size_t c = 0; c < b.children.size(); ++c) QCOMPARE(a.children[c].element, b.children[c].element);
  }
}

void TestFaultTree::mistakes_in_json_name_the_node() {
  const auto first = [](const char* text) {
    Diagnostics problems;
    parse_tree_json(text, problems);
    return problems.empty() ? std::string() : problems[0].code + " " + problems[0].pointer;
  };
  QCOMPARE(first("[1, 2]"), std::string("GAL001 "));
  QCOMPARE(first("{\"toplevel\": 1}"), std::string("GAL001 "));
  QCOMPARE(first("{\"nodes\": [1]}"), std::string("GAL001 /nodes/0"));
  const std::string be = R"({"data": {"id": "0", "name": "A", "type": "be", "rate": "1"}})";
  QCOMPARE(first((R"({"toplevel": "0", "nodes": [)" + be + R"(, {"data": {"id": "1", "name": "G", "type": "xor"}}]})")
                     .c_str()),
           std::string("GAL001 /nodes/1"));
  QCOMPARE(first((R"({"toplevel": "0", "nodes": [)" + be + "," + be + "]}").c_str()), std::string("GAL003 /nodes/1"));
  QCOMPARE(first(R"({"toplevel": "0", "nodes": [{"data": {"id": "0", "name": "A", "type": "be", "rate": "-1"}}]})"),
           std::string("GAL007 /nodes/0"));
}

void TestFaultTree::mutated_trees_never_crash() {
  // In tst_galileo_import.cpp the same is done through to the model.
  const std::string seed =
      "param x; toplevel \"T\"; \"T\" vot2 A 'B C; A lambda=x dorm=0.5; 'B prob=0.25; C rate=2 shape=3;";
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = seed;
    for (int k = 0; k < 1 + i % 6; ++k) text[random() % text.size()] = static_cast<char>(random() % 128);
    Diagnostics problems;
    parse_galileo(text, problems);
    refused += has_errors(problems);
    for (const Diagnostic& d : problems) QVERIFY(d.column >= 1 && d.pointer.starts_with("line ") && !d.message.empty());
  }
  QVERIFY(refused > 1000 && refused < 3000);
}

QTEST_APPLESS_MAIN(TestFaultTree)
#include "tst_fault_tree.moc"
