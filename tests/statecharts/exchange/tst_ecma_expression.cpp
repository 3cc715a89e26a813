#include <QtTest>
#include <map>

#include "statecharts/exchange/ecma_expression.h"

using namespace ergode;

namespace {

/// x is a number, b a condition, s a text; state "s 1" is called s_1.
class Names : public EcmaScope {
 public:
  std::optional<EcmaValue> name(const std::vector<std::string>& path) override {
    EcmaValue out;
    out.text = path.back();
    if (path[0] == "_event") {
      out.text = "event." + path.back(), out.bound = out.text + " == " + out.text;
      out.event_name = path.back() == "name";
      return out;
    }
    if (path[0] == "b") out.type = EcmaValue::Type::boolean;
    else if (path[0] == "s") out.type = EcmaValue::Type::text;
    else if (path[0] != "x") return std::nullopt;
    return path.size() == 1 ? std::optional(out) : std::nullopt;
  }
  std::optional<std::string> in_state(const std::string& id) override {
    return id == "s 1" ? std::optional<std::string>("in(s_1)") : std::nullopt;
  }
  std::string text_number(const std::string& text) override {
    return std::to_string(1000000 + numbers_.try_emplace(text, numbers_.size() + 1).first->second);
  }
  std::string event_name(const std::string& name) override { return name; }

 private:
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

class EcmaExpression : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void expressions_mean_what_ecmascript_means_data();
  void expressions_mean_what_ecmascript_means();
  void what_ecmascript_cannot_evaluate_is_told_from_what_we_cannot_data();
  void what_ecmascript_cannot_evaluate_is_told_from_what_we_cannot();
  void a_name_that_nobody_declared_fails_where_it_is_read_data();
  void a_name_that_nobody_declared_fails_where_it_is_read();
};

// Oracle: ECMA-262's meaning of each form, worked out by hand.
void EcmaExpression::expressions_mean_what_ecmascript_means_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("wanted");
  const auto row = [](const char* text, const char* wanted) { QTest::newRow(text) << text << wanted; };
  row("1 + 2 * x", "1 + 2 * x");
  row("(1 + 2) * x", "(1 + 2) * x");
  row("x - (1 - 2)", "x - (1 - 2)");
  row("-x", "-x");
  row("x / 3", "x / (3)");
  row("x % 2 == 1", "mod(x, 2) == 1");
  row("x === 99", "x == 99");
  row("x !== 99", "not (x == 99)");
  row("!b", "not b");
  row("!x", "not (abs(x) > 0)");
  row("b && !b || x < 3", "b and not b or x < 3");
  row("b ? 1 : 2", "b ? 1 : 2");
  row("b == true", "b");
  row("b === 1", "false");
  row("'a' == 'a'", "true");
  row("s == 'a'", "s == 1000001");
  row("s == ''", "s == 0");
  row("1 == '1'", "true");
  row("1 === '1'", "false");
  row("'a' + 'b' == 'ab'", "true");
  row("In('s 1')", "in(s_1)");
  row("In('nowhere')", "false");
  row("Math.pow(x, 3)", "pow(x, 3)");
  row("Math.max(x, b)", "max(x, b ? 1 : 0)");
  row("_event.name == 'a.b'", "event.name == \"a.b\"");
  row("_event.data['y'] === 3", "event.y == 3");
  row("typeof _event.data.y === 'undefined'", "not (event.y == event.y)");
  row("typeof x == 'number'", "true");
  row("typeof unheard == 'undefined'", "true");
  row("'sendid' in _event", "true");
  row("x == null", "false");
  row("undefined <= 3", "false");  // undefined is NaN as a number, and no order holds of that
  row("3 > undefined", "false");
  row("x >= null", "x >= 0");
  row("undefined + 1 == 1", "false");
  row("-undefined * 2 != 1", "true");
  row("typeof (undefined - 1) == 'number'", "true");
  row("undefined + 1 === undefined", "false");
}

void EcmaExpression::expressions_mean_what_ecmascript_means() {
  QFETCH(const QString, text);
  QFETCH(const QString, wanted);
  Names names;
  const EcmaResult result = translate_ecma(text.toStdString(), names);
  const auto* error = std::get_if<EcmaError>(&result);
  QVERIFY2(error == nullptr, error == nullptr ? "" : error->message.c_str());
  const EcmaValue& value = std::get<EcmaValue>(result);
  QString seen = QString::fromStdString(text.startsWith(QLatin1Char('!')) ? ecma_condition(value) : value.text);
  QCOMPARE(seen, wanted);
}

void EcmaExpression::what_ecmascript_cannot_evaluate_is_told_from_what_we_cannot_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<bool>("certain");
  for (const char* text : {"return", "{p1: 'v1'", "1, 2, 3]", "\"foo", "x +", "("}) QTest::newRow(text) << text << true;
  for (const char* text : {"{p1: 1}", "f(x)", "x.toString()", "[].concat(x)", "s + 'a'", "s < 'a'", "x = 3", "/re/",
                           "new Date()", "JSON.stringify(_event)", "0x1F", "1e999"})
    QTest::newRow(text) << text << false;
}

void EcmaExpression::what_ecmascript_cannot_evaluate_is_told_from_what_we_cannot() {
  QFETCH(const QString, text);
  QFETCH(const bool, certain);
  Names names;
  const EcmaResult result = translate_ecma(text.toStdString(), names);
  const auto* error = std::get_if<EcmaError>(&result);
  QVERIFY(error != nullptr);
  QCOMPARE(error->certain, certain);
  QVERIFY(!error->message.empty());
}

void EcmaExpression::a_name_that_nobody_declared_fails_where_it_is_read_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("fails");
  const auto row = [](const char* text, const char* fails) { QTest::newRow(text) << text << fails; };
  for (const char* text : {"unheard + 1", "foo.bar.baz", "x.y", "!nope", "nope && true", "-nope", "Math.abs(nope)"})
    row(text, "true");
  row("typeof nope === 'undefined'", ""), row("x + 1", "");
  row("x == 1 && nope", "x == 1"), row("x == 1 || nope", "not (x == 1)");
  row("true || nope", ""), row("false && nope", "");
  row("x == 1 ? nope : 2", "x == 1"), row("x == 1 ? 2 : nope", "not (x == 1)");
}

// Oracle: ECMAScript's order of evaluation: `&&`, `||` and `?:` leave out what does not matter.
void EcmaExpression::a_name_that_nobody_declared_fails_where_it_is_read() {
  QFETCH(const QString, text);
  QFETCH(const QString, fails);
  Names names;
  const EcmaResult result = translate_ecma(text.toStdString(), names);
  const auto* value = std::get_if<EcmaValue>(&result);
  QVERIFY(value != nullptr);
  QCOMPARE(QString::fromStdString(value->fails), fails);
}

QTEST_GUILESS_MAIN(EcmaExpression)
#include "tst_ecma_expression.moc"
