#include <QtTest>

#include "core/expression/parameters.h"
#include "expression_check.h"
#include "tests/support/model_builder.h"

using namespace ergode;
using namespace ergode::test;

class TestParameters : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void values_may_refer_to_later_parameters();
  void circles_are_named();
  void chains_are_as_long_as_the_file();
  void scenarios_and_then_overrides_replace_values();
  void bounds_types_and_names_are_checked_data();
  void bounds_types_and_names_are_checked();
  void choices_take_their_words_only();
  void values_are_shown_in_their_unit();
  void a_parameter_without_a_unit_takes_that_of_its_value();
  void properties_are_read_with_their_dimension();
  void what_changes_during_a_run_is_no_property();
  void seeds_are_read_to_the_last_digit();
};

void TestParameters::values_may_refer_to_later_parameters() {
  ModelBuilder m;
  m.parameter("total", "lambda + mu", {{"unit", "/h"}});
  m.parameter("mu", "2 * lambda", {{"unit", "/h"}});
  m.parameter("lambda", "1e-3 /h", {{"unit", "/h"}});
  m.parameter("tau", "1 / total", {{"type", "time"}, {"unit", "h"}});
  Diagnostics problems;
  const ParameterTable table = ParameterTable::resolve(m.document(), "", {}, problems);
  QVERIFY2(problems.empty(), listed(problems).c_str());
  QVERIFY(std::abs(table.find("total")->value - 3e-3 / 3600) < 1e-18);
  QVERIFY(std::abs(table.find("tau")->value - 3600 / 3e-3) < 1e-6);
  QCOMPARE(table.find("nothing"), nullptr);
}

void TestParameters::circles_are_named() {
  ModelBuilder m;
  m.parameter("a", "b + 1");
  const ElementId b = m.parameter("b", "c * 2");
  m.parameter("c", "d + b");
  m.parameter("d", "4");
  m.parameter("own", "own + 1");
  Diagnostics problems;
  ParameterTable::resolve(m.document(), "", {}, problems);
  QCOMPARE(codes(problems), std::string("PAR004 PAR004"));
  QVERIFY2(problems[0].message.find("b → c → b") != std::string::npos, problems[0].message.c_str());
  QCOMPARE(problems[0].element, b);
  QVERIFY2(problems[1].message.find("own → own") != std::string::npos, problems[1].message.c_str());
}

void TestParameters::chains_are_as_long_as_the_file() {
  constexpr int length = 20000;
  Document document;
  const auto add = [&](const std::string& name, const std::string& value) {
    document.append({.id = ElementId::make(),
                     .section = Section::parameter,
                     .kind = "parameter",
                     .properties = {{"name", name}, {"value", value}}});
  };
  for (int i = 0; i < length; ++i) add("p" + std::to_string(i), "p" + std::to_string(i + 1));
  Document circle = document;
  add("p" + std::to_string(length), "7");
  Diagnostics problems;
  const ParameterTable table = ParameterTable::resolve(document, "", {}, problems);
  QVERIFY2(problems.empty(), listed(problems).c_str());
  QCOMPARE(table.find("p0")->value, 7.0);
  problems.clear();
  ParameterTable::resolve(circle, "", {{"p9", "p2"}, {"p" + std::to_string(length - 1), "p10"}}, problems);
  QCOMPARE(codes(problems), std::string("PAR004 PAR004"));
  for (const Diagnostic& d : problems) QVERIFY(d.message.size() < 400);
}

void TestParameters::scenarios_and_then_overrides_replace_values() {
  ModelBuilder m;
  m.parameter("lambda", "1e-3 /h", {{"unit", "/h"}});
  m.parameter("crews", "0", {{"type", "integer"}});
  m.parameter("twice", "2 * crews", {{"type", "integer"}});
  const ElementId broken = m.scenario("broken", "crews = ");
  m.scenario("repair", "crews = 1, lambda = 2e-3 /h");
  const ElementId wrong = m.scenario("wrong", "crew = 1");
  Diagnostics problems;
  ParameterTable table = ParameterTable::resolve(m.document(), "repair", {{"crews", "3"}}, problems);
  QVERIFY2(problems.empty(), listed(problems).c_str());
  QCOMPARE(table.find("crews")->value, 3.0);
  QCOMPARE(table.find("twice")->value, 6.0);
  QCOMPARE(table.find("lambda")->value_text(), std::string("0.002 /h"));
  QVERIFY(table.find("lambda")->overridden && !table.find("twice")->overridden);

  ParameterTable::resolve(m.document(), "wrong", {}, problems);
  QCOMPARE(codes(problems), std::string("PAR006"));
  QCOMPARE(problems[0].element, wrong);
  QCOMPARE(problems[0].hint, std::string("Did you mean crews?"));
  problems.clear();
  ParameterTable::resolve(m.document(), "repiar", {}, problems);
  QCOMPARE(codes(problems), std::string("PAR008"));
  QCOMPARE(problems[0].hint, std::string("Did you mean repair?"));
  problems.clear();
  ParameterTable::resolve(m.document(), "night", {}, problems);
  QCOMPARE(problems[0].hint, std::string("There are: broken, repair, wrong."));
  m.parameter("rule", "fiof", {{"type", "choice"}, {"choices", "lifo, fifo"}});
  problems.clear();
  ParameterTable::resolve(m.document(), "", {}, problems);
  QCOMPARE(codes(problems), std::string("PAR007"));
  QCOMPARE(problems[0].hint, std::string("Did you mean fifo?"));
  problems.clear();
  m.set(m.document().named(Section::parameter, "rule")->id, "value", "fifo");
  ParameterTable::resolve(m.document(), "broken", {}, problems);
  QCOMPARE(codes(problems), std::string("EXP001"));
  QCOMPARE(problems[0].element, broken);
  QCOMPARE(problems[0].column, 9);
  problems.clear();
  ParameterTable::resolve(m.document(), "", {{"lambda", "2 h"}}, problems);
  QCOMPARE(codes(problems), std::string("EXP004"));
}

void TestParameters::bounds_types_and_names_are_checked_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("more");
  QTest::addColumn<QString>("code");
  const auto row = [](const char* name, const char* value, const char* more, const char* code) {
    QTest::newRow(qPrintable(QString("%1 %2 %3").arg(name, value, more))) << name << value << more << code;
  };
  row("x", "-1 /h", R"({"unit": "/h", "minimum": "0 /h"})", "PAR005");
  row("x", "1.5", R"({"maximum": "1"})", "PAR005");
  row("x", "1", R"({"maximum": "1"})", "");
  row("x", "2 h", R"({"unit": "/h"})", "EXP004");
  row("x", "2", R"({"unit": "bananas"})", "UNI001");
  row("x", "2 bananas", "{}", "UNI001");
  row("x", "1.5", R"({"type": "integer"})", "EXP003");
  row("x", "3", R"({"type": "boolean"})", "EXP003");
  row("x", "3", R"({"type": "matrix"})", "PAR003");
  row("x", "3", R"({"type": "time"})", "EXP004");
  row("x", "a", R"({"type": "choice", "choices": "a, b"})", "");
  row("x", "a", R"({"type": "choice", "choices": "a, b, a, a"})", "PAR003 PAR003");
  row("x", "c", R"({"type": "choice", "choices": "a, b"})", "PAR007");
  row("x", "1 / 0", "{}", "PAR003");
  row("x", "0 / 0", "{}", "EXP005");
  row("2x", "1", "{}", "PAR001");
  row("y", "1", "{}", "PAR001");  // there is a y already
  row("x", "z + 1", "{}", "EXP002");
}

void TestParameters::bounds_types_and_names_are_checked() {
  QFETCH(QString, name);
  QFETCH(QString, value);
  QFETCH(QString, more);
  QFETCH(QString, code);
  ModelBuilder m;
  m.parameter("y", "1");
  const ElementId id = m.parameter(name.toStdString(), value.toStdString(), Value::parse(more.toStdString()));
  Diagnostics problems;
  ParameterTable::resolve(m.document(), "", {}, problems);
  QCOMPARE(QString::fromStdString(codes(problems)), code);
  if (!problems.empty()) QCOMPARE(problems[0].element, id);
}

void TestParameters::choices_take_their_words_only() {
  ModelBuilder m;
  m.parameter("law", "uniform", {{"type", "choice"}, {"choices", "none, uniform"}});
  m.parameter("factor", "law == uniform ? 2 : 3");
  Diagnostics problems;
  QCOMPARE(ParameterTable::resolve(m.document(), "", {}, problems).find("factor")->value, 2.0);
  QCOMPARE(ParameterTable::resolve(m.document(), "", {{"law", "none"}}, problems).find("factor")->value, 3.0);
  QCOMPARE(ParameterTable::resolve(m.document(), "", {{"law", "\"none\""}}, problems).find("law")->choice,
           std::string("none"));
  QVERIFY(problems.empty());
  ParameterTable::resolve(m.document(), "", {{"law", "weibull"}}, problems);
  QCOMPARE(codes(problems), std::string("PAR007"));
  QVERIFY(problems[0].message.find("none, uniform") != std::string::npos);
}

void TestParameters::a_parameter_without_a_unit_takes_that_of_its_value() {
  ModelBuilder m;
  m.parameter("lambda", "1e-3 /h");
  m.parameter("rare", "-2 /yr");
  m.parameter("tau", "1/lambda");
  m.parameter("q", "0.3");
  m.parameter("n", "3", {{"type", "integer"}});
  m.scenario("worse", "lambda = 60 /d");
  Diagnostics problems;
  const ParameterTable base = ParameterTable::resolve(m.document(), "", {}, problems);
  QVERIFY(problems.empty());
  QCOMPARE(base.find("lambda")->value_text(), std::string("0.001 /h"));
  QCOMPARE(base.find("lambda")->value, 1e-3 / 3600);
  QCOMPARE(base.find("rare")->value_text(), std::string("-2 /yr"));
  QCOMPARE(base.find("tau")->value_text(), std::string("1000 h"));
  QCOMPARE(base.find("q")->value_text(), std::string("0.3"));
  // A scenario's value is shown in the unit of the model's.
  const ParameterTable worse = ParameterTable::resolve(m.document(), "worse", {}, problems);
  QVERIFY(problems.empty());
  QCOMPARE(worse.find("lambda")->value_text(), std::string("2.5 /h"));
  ParameterTable::resolve(m.document(), "", {{"lambda", "3 h"}}, problems);
  QVERIFY(codes(problems).starts_with("EXP004"));  // lambda; what is made of it has no value either
}

void TestParameters::values_are_shown_in_their_unit() {
  ModelBuilder m;
  m.parameter("lambda", "0.2628 /yr", {{"unit", "/h"}});
  m.parameter("mttr", "8 h", {{"type", "time"}, {"unit", "min"}});
  m.parameter("flag", "1 < 2", {{"type", "boolean"}});
  Diagnostics problems;
  const ParameterTable table = ParameterTable::resolve(m.document(), "", {}, problems);
  QCOMPARE(table.find("lambda")->value_text(), std::string("3e-05 /h"));
  QCOMPARE(table.find("mttr")->value_text(), std::string("480 min"));
  QCOMPARE(table.find("flag")->value_text(), std::string("true"));
}

void TestParameters::properties_are_read_with_their_dimension() {
  ModelBuilder m;
  m.parameter("n", "3", {{"type", "integer"}});
  m.parameter("law", "none", {{"type", "choice"}, {"choices", "none, uniform"}});
  m.header("count", "n + 1"), m.header("mean", "n * 2 h"), m.header("wrong", "2 h"), m.header("huge", "1e300"),
      m.header("law", "law"), m.header("other", "frob"), m.header("endless", "1 / 0");
  Diagnostics problems;
  const ParameterTable table = ParameterTable::resolve(m.document(), "", {}, problems);
  ParameterScope scope(table);
  PropertyReader read(scope, problems);
  const Element& e = m.document().model();
  QCOMPARE(read.integer(e, "count", 7), 4L);
  QCOMPARE(read.integer(e, "absent", 7), 7L);
  QCOMPARE(read.quantity(e, "mean", Dimension::of_time(), 0), 21600.0);
  QCOMPARE(read.choice(e, "law", "uniform", {{"none", "None"}, {"uniform", "Uniform"}}), std::string("none"));
  QVERIFY(problems.empty());
  QCOMPARE(read.quantity(e, "wrong", Dimension::per_time(), 5), 5.0);
  QCOMPARE(read.choice(e, "other", "none", {{"none", "None"}, {"uniform", "Uniform"}}), std::string("none"));
  QCOMPARE(codes(problems), std::string("DOC002 EXP004"));
  problems.clear();
  // A whole number that fits no integer is an error, not the default in silence.
  QCOMPARE(read.integer(e, "huge", 7), 7L);
  QCOMPARE(read.integer(e, "endless", 7), 7L);
  QCOMPARE(problems.size(), std::size_t{2});
}

void TestParameters::what_changes_during_a_run_is_no_property() {
  ModelBuilder m;
  m.header("count", "x"), m.header("flag", "x > 2"), m.header("mean", "x * 2"), m.header("fixed", "x - x < 1 or true");
  TestScope scope;
  scope.slot("x", 0, ValueType::integer());
  Diagnostics problems;
  PropertyReader read(scope, problems);
  const Element& e = m.document().model();
  QCOMPARE(read.integer(e, "count", 7), 7L);
  QCOMPARE(read.natural(e, "count", 7), std::uint64_t{7});
  QCOMPARE(read.boolean(e, "flag", true), true);
  QCOMPARE(read.quantity(e, "mean", {}, 5), 5.0);
  QCOMPARE(codes(problems), std::string("EXP005 EXP005 EXP005 EXP005"));
}

// Oracle: the digits themselves.
void TestParameters::seeds_are_read_to_the_last_digit() {
  ModelBuilder m;
  m.parameter("n", "3", {{"type", "integer"}});
  Diagnostics problems;
  const ParameterTable table = ParameterTable::resolve(m.document(), "", {}, problems);
  ParameterScope scope(table);
  PropertyReader read(scope, problems);
  const auto value = [&](const Value& written) {
    Element e = m.document().model();
    e.properties["seed"] = written;
    return read.natural(e, "seed", 1);
  };
  for (const std::uint64_t good : {std::uint64_t{0}, std::uint64_t{7}, (std::uint64_t{1} << 53U) + 1,
                                   std::uint64_t{9223372036854775808U}, std::uint64_t{18446744073709551615U}}) {
    QCOMPARE(value(Value(good)), good);
    QCOMPARE(value(Value(" " + std::to_string(good) + " ")), good);
  }
  QCOMPARE(value("n + 4"), std::uint64_t{7});
  QCOMPARE(value("1e6"), std::uint64_t{1000000});
  QCOMPARE(value(""), std::uint64_t{1});
  QVERIFY(problems.empty());
  for (const Value& bad : {Value(-1), Value("-3"), Value("18446744073709551616"), Value(1.8446744073709552e19),
                           Value("1e15"), Value("n - 4")})
    QCOMPARE(value(bad), std::uint64_t{1});
  QCOMPARE(codes(problems), std::string("EXP003 EXP005 EXP005 EXP005 EXP005 EXP005"));
  QVERIFY(problems[2].message.find("18446744073709551616; wanted") != std::string::npos);
}

QTEST_APPLESS_MAIN(TestParameters)
#include "tst_parameters.moc"
