#include <QtTest>

#include <random>
#include "core/base/text.h"

#include "core/expression/compile.h"
#include "expression_check.h"

using namespace ergode;

namespace {

TestScope plant() {
  TestScope scope;
  scope.constant("lambda", 1.1e-3 / 3600, ValueType::real(Dimension::per_time()));
  scope.constant("mttr", 8 * 3600.0, ValueType::real(Dimension::of_time()));
  scope.constant("n", 4, ValueType::integer());
  scope.constant("yes", 1, ValueType::boolean());
  scope.slot("x", 0);
  scope.slot("crews", 1, ValueType::integer());
  scope.slot("now", 2, ValueType::real(Dimension::of_time()));
  scope.choice("delay_law", "exponential");
  scope.states["EDG[*].Failed"] = {3, 4};
  scope.states["EDG[1..2].Failed"] = {4, 2};
  scope.states["EDG[2].Failed"] = {5, 1};
  scope.states["grid.Lost"] = {6, 1};
  return scope;
}

}  // namespace

class TestCompile : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void quantities_have_their_si_value_data();
  void quantities_have_their_si_value();
  void errors_have_their_code_and_column_data();
  void errors_have_their_code_and_column();
  void what_is_meant_is_of_the_sort_that_is_wanted();
  void predicates_on_states_count_active_ones();
  void choices_compare_with_their_words();
  void a_choice_is_compared_with_nothing_else();
  void a_constant_condition_drops_the_other_branch();
  void lists_are_read_row_by_row();
  void random_quantities_are_distributions_or_values();
  void who_leaves_out_the_names_of_arguments_is_told_them();
  void a_unit_that_is_also_a_name_is_not_guessed_data();
  void a_unit_that_is_also_a_name_is_not_guessed();
  void too_large_for_the_stack_is_an_error_not_a_crash();
  void mutated_texts_give_a_value_or_an_error();
};

void TestCompile::quantities_have_their_si_value_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<double>("si");
  QTest::addColumn<QString>("dimension");
  const auto row = [](const char* text, double si, const char* dimension) {
    QTest::newRow(text) << text << si << dimension;
  };
  row("8 h", 28800, "s");
  row("1.1e-3 /h", 1.1e-3 / 3600, "s-1");
  row("0.2628 /yr", 0.2628 / (8760 * 3600.0), "s-1");
  row("0.2628 /yr - 3e-5 /h", 0, "s-1");
  row("3 W/m^2", 3, "s-3 kg");
  row("2 GiB", 2147483648.0, "B");
  row("20 degC", 293.15, "K");
  row("20 degC - 0 degC", 20, "K");
  row("2 * mttr", 57600, "s");
  row("(2 + 1) h", 10800, "s");
  row("mttr / 1 h", 8, "1");
  row("mttr * lambda", 8 * 1.1e-3, "1");
  row("mttr ^ 2", 28800.0 * 28800.0, "s2");
  row("mttr ^ -1", 1 / 28800.0, "s-1");
  row("1 / mttr", 1 / 28800.0, "s-1");
  row("min(mttr, 3 h, 90 min)", 5400, "s");
  row("max(1, n, 2.5)", 4, "1");
  row("abs(-3 h)", 10800, "s");
  row("if(n > 3, 1 h, 2 h)", 3600, "s");
  row("n > 3 ? 1 : 2", 1, "1");
  row("floor(2.7) + ceil(2.1) + round(2.5)", 8, "1");
  row("mod(7, 4)", 3, "1");
  row("mod(-7, 4)", -3, "1");
  row("mod(26 h, 1 d)", 7200, "s");
  row("sin(0.5) / cos(0.5) - tan(0.5)", 0, "1");
  row("sin(2 * 3.141592653589793 * mttr / 96 h)", 0.5, "1");
  row("clamp(mttr, 1 h, 2 h)", 7200, "s");
  row("clamp(mttr, 9 h, 10 h)", 32400, "s");
  row("clamp(mttr, 1 h, 10 h)", 28800, "s");
  row("table(mttr, 0 h: 1 m, 4 h: 3 m, 12 h: 7 m)", 5, "m");
  row("table(3 h, 4 h: 1 /h, 8 h: 9 /h)", 1 / 3600.0, "s-1");
  row("table(9 h, 4 h: 1 /h, 8 h: 9 /h)", 9 / 3600.0, "s-1");
  row("table(n > 3 ? 1 : 2, 0: 0, 1: n > 3 ? 10 : 20, 2: 30)", 10, "1");
  row("table(1/0, 0: 1, 1: 2)", 2, "1");
  row("table(8 h, 4 h: 1, 8 h: 2, 9 h: 7)", 2, "1");
  row("pow(2, 10) + 2^3^2", 1024 + 512, "1");
  row("-2^2", -4, "1");
  row("sqrt(16) + log(exp(1))", 5, "1");
  row("50 %", 0.5, "1");
  row("8 h / min(2 h, 3 h)", 4, "1");  // the function, not the minute
  row("8 / min(2, 4)", 4, "1");
}

void TestCompile::quantities_have_their_si_value() {
  QFETCH(QString, text);
  QFETCH(double, si);
  QFETCH(QString, dimension);
  TestScope scope = plant();
  const auto compiled = compile(text.toStdString(), scope);
  if (const auto* error = std::get_if<ExpressionError>(&compiled)) QFAIL(qPrintable(shown_error(*error)));
  const Compiled& value = std::get<Compiled>(compiled);
  QVERIFY(value.program.is_constant());
  QVERIFY2(std::abs(value.program.value() - si) <= 1e-14 * std::max(std::abs(si), 1e-6),
           qPrintable(QString::number(value.program.value(), 'g', 17)));
  QCOMPARE(QString::fromStdString(value.type.dimension.text()), dimension);
}

void TestCompile::errors_have_their_code_and_column_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("code");
  QTest::addColumn<int>("column");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* text, const char* code, int column, const char* part) {
    QTest::newRow(text) << text << code << column << part;
  };
  row("1 + ", "EXP001", 5, "the end");
  row("2 + lamda", "EXP002", 5, "lamda");
  row("frob(2)", "EXP002", 1, "frob");
  row("EDG[9].Failed", "EXP002", 1, "EDG[9]");
  row("8 fortnightz", "UNI001", 3, "fortnightz");
  row("3 /fortnite", "EXP002", 4, "fortnite");
  row("1/tau", "EXP002", 3, "tau");
  row("3 / lamda", "EXP002", 5, "lamda");
  row("mttr + lambda", "EXP004", 8, "same dimension");
  row("mttr + 1", "EXP004", 8, "same dimension");
  row("mttr > 3", "EXP004", 8, "same dimension");
  row("mttr h", "EXP004", 1, "plain number");
  row("2 ^ mttr", "EXP004", 5, "exponent");
  row("mttr ^ 0.5", "EXP004", 8, "power");
  row("exp(mttr)", "EXP004", 5, "a time");
  row("min(mttr, 1)", "EXP004", 11, "same dimension");
  row("not 3", "EXP003", 5, "condition");
  row("yes + 1", "EXP003", 1, "numbers");
  row("x and yes", "EXP003", 1, "condition");
  row("yes ? 1 : yes", "EXP003", 11, "same");
  row("[1, 2]", "EXP003", 1, "list");
  row("[1, 2] + 1", "EXP003", 1, "list");
  row("exponential(mean = 8 h)", "EXP003", 1, "distribution");
  row("EDG[*].Failed", "EXP003", 1, "Several states");
  row("in(EDG[*].Failed)", "EXP003", 4, "one state");
  row("count(3)", "EXP005", 1, "state");
  row("count(EDG[*].Failed, grid.Lost)", "EXP005", 1, "one state");
  row("EDG[crews].Failed", "EXP005", 5, "constant");
  row("EDG[1e300].Failed", "EXP003", 5, "whole number");
  row("EDG[1e14 * 1e14].Failed", "EXP005", 5, "whole number");
  row("EDG[1/0].Failed", "EXP003", 5, "whole number");
  row("EDG[1.5].Failed", "EXP003", 5, "whole number");
  row("abs(1, 2)", "EXP005", 1, "wanted 1");
  row("sin(mttr)", "EXP004", 5, "a time");
  row("mod(mttr, 3)", "EXP004", 11, "same dimension");
  row("clamp(mttr, 3, 4 h)", "EXP004", 13, "same dimension");
  row("clamp(1, 4, 3)", "EXP005", 10, "above");
  row("clamp(1, 4)", "EXP005", 1, "wanted 3");
  row("mttr + 1e308 yr", "EXP006", 8, "infinite in SI units");
  row("table(mttr, 1 h: 2)", "EXP005", 1, "two or more points");
  row("table(mttr)", "EXP005", 1, "two or more points");
  row("table(mttr, 1: 2, 2: 3)", "EXP004", 13, "a time");
  row("table(mttr, 2 h: 2, 1 h: 3)", "EXP005", 21, "ascend");
  row("table(mttr, 1 h: 2, 1 h: 3)", "EXP005", 21, "ascend");
  row("table(mttr, 1 h: 2 h, 2 h: 3)", "EXP004", 28, "same dimension");
  row("table(mttr, x * 1 h: 2, 2 h: 3)", "EXP005", 13, "constant");
  row("max(1 : 2, 3)", "EXP001", 7, "`,` or `)`");
  row("min(1)", "EXP005", 1, "two or more");
  row("sqrt(a = 2)", "EXP005", 1, "named");
  row("0 / 0", "EXP005", 1, "not a number");
  row("sqrt(-1)", "EXP005", 1, "not a number");
}

void TestCompile::errors_have_their_code_and_column() {
  QFETCH(QString, text);
  QFETCH(QString, code);
  QFETCH(int, column);
  QFETCH(QString, part);
  TestScope scope = plant();
  const auto compiled = compile(text.toStdString(), scope);
  const auto* error = std::get_if<ExpressionError>(&compiled);
  QVERIFY(error != nullptr);
  QVERIFY2(QString::fromStdString(error->code) == code && error->column == column, qPrintable(shown_error(*error)));
  QVERIFY2(QString::fromStdString(error->message).contains(part), qPrintable(shown_error(*error)));
  if (text == "2 + lamda") QCOMPARE(error->hint, std::string("Did you mean lambda?"));
}

void TestCompile::what_is_meant_is_of_the_sort_that_is_wanted() {
  TestScope scope = plant();
  scope.things = {"counter", "service"};
  scope.constant("counts", 3);
  const auto hint = [&](const char* text) {
    const auto compiled = compile(text, scope);
    const auto* error = std::get_if<ExpressionError>(&compiled);
    return error != nullptr && error->code == "EXP002" ? error->hint : std::string("no such error");
  };
  QCOMPARE(hint("1 - countex"), std::string("Did you mean counts?"));
  QCOMPARE(hint("1 - servic"), std::string());
  QCOMPARE(hint("countss.number"), std::string("Did you mean counter?"));
  QCOMPARE(hint("counter"), std::string());  // what it is stands in the message
}

void TestCompile::predicates_on_states_count_active_ones() {
  TestScope scope = plant();
  const auto value = [&](const char* text, double failed, double second, double lost) {
    const auto compiled = compile(text, scope);
    const double slots[] = {0, 0, 0, failed, std::min(failed, 2.0), second, lost};
    return std::get<Compiled>(compiled).program.evaluate(slots);
  };
  QCOMPARE(value("count(EDG[*].Failed)", 3, 0, 0), 3.0);
  QCOMPARE(value("count(EDG[1..2].Failed)", 3, 0, 0), 2.0);
  QCOMPARE(value("any(EDG[*].Failed)", 0, 0, 0), 0.0);
  QCOMPARE(value("any(EDG[*].Failed)", 1, 0, 0), 1.0);
  QCOMPARE(value("all(EDG[*].Failed)", 3, 0, 0), 0.0);
  QCOMPARE(value("all(EDG[*].Failed)", 4, 0, 0), 1.0);
  QCOMPARE(value("in(grid.Lost)", 0, 0, 1), 1.0);
  QCOMPARE(value("EDG[2].Failed and grid.Lost", 0, 1, 1), 1.0);
  QCOMPARE(value("EDG[2].Failed and grid.Lost", 0, 1, 0), 0.0);
  QCOMPARE(value("EDG[n - 2].Failed", 0, 1, 0), 1.0);
}

void TestCompile::choices_compare_with_their_words() {
  TestScope scope = plant();
  const auto value = [&](const char* text) { return std::get<Compiled>(compile(text, scope)).program.value(); };
  QCOMPARE(value("delay_law == exponential"), 1.0);
  QCOMPARE(value("exponential == delay_law"), 1.0);
  QCOMPARE(value("delay_law == \"exponential\""), 1.0);
  QCOMPARE(value("delay_law = none"), 0.0);
  QCOMPARE(value("delay_law != none"), 1.0);
  QCOMPARE(value("if(delay_law == none, 0, 2)"), 2.0);
  QCOMPARE(std::get<Compiled>(compile("yes ? delay_law : \"none\"", scope)).choice, std::string("exponential"));
}

void TestCompile::a_choice_is_compared_with_nothing_else() {
  TestScope scope = plant();
  scope.choice("law", "exponential", {"none", "uniform", "exponential"});
  scope.choice("other", "fast", {"fast", "none"});
  for (const char* good :
       {"law == uniform", "law != \"none\"", "exponential == law", "law == other", "law == law", "\"a\" == \"b\""})
    QVERIFY2(std::holds_alternative<Compiled>(compile(good, scope)), good);
  for (const auto& [text, column] : {std::pair{"law == exponentail", 8},
                                     {"law == 3", 8},
                                     {"3 != law", 1},
                                     {"law == x", 8},
                                     {"law == yes", 8},
                                     {"law == \"Uniform\"", 8},
                                     {"law == EDG[2].Failed", 8},
                                     {"fast == law", 1},
                                     {"law == n + 1", 8}}) {
    const auto compiled = compile(text, scope);
    QVERIFY2(std::holds_alternative<ExpressionError>(compiled), text);
    const ExpressionError& error = std::get<ExpressionError>(compiled);
    QCOMPARE(error.code, std::string("EXP003"));
    QVERIFY2(error.message.find("law; wanted one of: none, uniform, exponential") != std::string::npos,
             error.message.c_str());
    QCOMPARE(error.column, column);
  }
  QCOMPARE(std::get<ExpressionError>(compile("law == exponentail", scope)).hint,
           std::string("Did you mean exponential?"));
}

void TestCompile::a_constant_condition_drops_the_other_branch() {
  TestScope scope = plant();
  const Program kept = std::get<Compiled>(compile("n == 4 ? 7 : x", scope)).program;
  QVERIFY(kept.is_constant() && kept.value() == 7.0);
  const Program moving = std::get<Compiled>(compile("n == 3 ? 7 : x", scope)).program;
  QCOMPARE(std::vector(moving.slots().begin(), moving.slots().end()), (std::vector<std::uint32_t>{0}));
}

void TestCompile::lists_are_read_row_by_row() {
  TestScope scope = plant();
  const auto list = compile_list("[[1 h, mttr], [30 min, 0 h]]", Dimension::of_time(), scope);
  QCOMPARE(std::get<std::vector<double>>(list), (std::vector<double>{3600, 28800, 1800, 0}));
  QCOMPARE(std::get<std::vector<double>>(compile_list("0.5", {}, scope)), (std::vector<double>{0.5}));
  QVERIFY(std::get<std::vector<double>>(compile_list("[]", {}, scope)).empty());
  QCOMPARE(std::get<ExpressionError>(compile_list("[1, x]", {}, scope)).code, std::string("EXP005"));
  QCOMPARE(std::get<ExpressionError>(compile_list("[1, 2 h]", {}, scope)).column, 5);
}

void TestCompile::who_leaves_out_the_names_of_arguments_is_told_them() {
  TestScope scope;
  scope.constant("mttr", 3600.0, ValueType::real(Dimension::of_time()));
  const auto told = [&](const std::string& text) -> std::string {
    const auto made = compile_random(std::get<Syntax>(parse_expression(text)), Dimension::of_time(), scope, {});
    const auto* error = std::get_if<ExpressionError>(&made);
    return error == nullptr || error->code != "EXP005" ? "" : error->message;
  };
  const auto wants = [](const std::string& law, const std::string& form) {
    return law + " wants named arguments: " + form + ".";
  };
  QCOMPARE(told("uniform(2 h, 30 h)"), wants("uniform", "uniform(low = 2 h, high = 30 h)"));
  QCOMPARE(told("uniform(low = 2 h, 30 h)"), wants("uniform", "uniform(low = 2 h, high = 30 h)"));
  // The unit says which form is meant.
  QCOMPARE(told("exponential(8 h)"), wants("exponential", "exponential(mean = 8 h)"));
  QCOMPARE(told("exponential(0.1 /h)"), wants("exponential", "exponential(rate = 0.1 /h)"));
  QCOMPARE(told("weibull(2, mttr)"), wants("weibull", "weibull(shape = 2, scale = mttr)"));
  QCOMPARE(told("pareto(2, 3 h)"), wants("pareto", "pareto(shape = 2, scale = 3 h)"));
  // Nothing fits, or it is too long to be said again: the forms there are.
  QCOMPARE(told("uniform(2, 30)"), wants("uniform", "uniform(low, high)"));
  QCOMPARE(told("uniform(2 h)"), wants("uniform", "uniform(low, high)"));
  QCOMPARE(told("uniform(mttr / 2, 30 h)"), wants("uniform", "uniform(low, high)"));
}

void TestCompile::random_quantities_are_distributions_or_values() {
  TestScope scope = plant();
  const auto read = [&](const char* text) {
    return compile_random(std::get<Syntax>(parse_expression(text)), Dimension::of_time(), scope,
                          DataFiles({.folder = "."}));
  };
  const auto exponential = read("exponential(mean = mttr)");
  QCOMPARE(std::get<Distribution>(std::get<RandomQuantity>(exponential)).mean(), 28800.0);
  QCOMPARE(std::get<Distribution>(std::get<RandomQuantity>(read("exponential(rate = 2 /h)"))).mean(), 1800.0);
  QCOMPARE(std::get<Program>(std::get<RandomQuantity>(read("2 h"))).value(), 7200.0);
  QCOMPARE(std::get<ExpressionError>(read("exponential(mean = 2)")).code, std::string("EXP004"));
  QCOMPARE(std::get<ExpressionError>(read("exponential(8 h)")).code, std::string("EXP005"));
  QCOMPARE(std::get<ExpressionError>(read("exponential(mean = -2 h)")).code, std::string("EXP005"));
  QCOMPARE(std::get<ExpressionError>(read("lognormal(median = 1 h)")).code, std::string("EXP005"));
  QCOMPARE(std::get<ExpressionError>(read("lambda")).code, std::string("EXP004"));
  QCOMPARE(std::get<ExpressionError>(read("empirical(\"no such file.csv\", unit = \"h\")")).code,
           std::string("EXP005"));
  QCOMPARE(std::get<ExpressionError>(read("empirical(\"/etc/hostname\", unit = \"h\")")).code, std::string("EXP008"));
  for (const char* column : {"1.7", "0", "1e300"}) {
    const std::string text = "empirical(\"hours.csv\", column = " + std::string(column) + ", unit = \"h\")";
    QCOMPARE(std::get<ExpressionError>(read(text.c_str())).code, std::string("EXP005"));
  }
}

void TestCompile::a_unit_that_is_also_a_name_is_not_guessed_data() {
  QTest::addColumn<QString>("word");
  for (const char* word :
       {"h",   "hour",  "min", "minute", "s",      "second", "ms", "us", "ns", "d",  "day", "week", "a",  "y",
        "yr",  "year",  "m",   "km",     "cm",     "g",      "kg", "K",  "A",  "V",  "W",   "kW",   "J",  "N",
        "Pa",  "bar",   "mol", "cd",     "Hz",     "C",      "F",  "T",  "L",  "l",  "B",   "bit",  "GB", "GiB",
        "USD", "token", "job", "FLOP",   "demand", "t",      "e",  "u",  "d1", "t1", "m2"})
    if (is_unit_word(word)) QTest::newRow(word) << word;
}

void TestCompile::a_unit_that_is_also_a_name_is_not_guessed() {
  QFETCH(QString, word);
  const std::string name = word.toStdString();
  TestScope scope;
  const auto value = [&](const std::string& text) {
    const auto result = compile(text, scope);
    const auto* compiled = std::get_if<Compiled>(&result);
    return compiled == nullptr ? std::get<ExpressionError>(result).code : number_text(compiled->program.value());
  };
  const double scale = parse_unit(name)->scale;
  QCOMPARE(value("6/" + name), number_text(6 * parse_unit("/" + name)->scale));
  scope.constant(name, 4.0);
  QCOMPARE(value("6/" + name), std::string("EXP007"));
  QCOMPARE(value("6 / " + name + " + 1"), std::string("EXP007"));
  QCOMPARE(value("6 h/" + name), std::string("EXP007"));
  QCOMPARE(value("(2 + 4) " + name), std::string("EXP007"));
  QCOMPARE(value("6/(" + name + ")"), number_text(1.5));
  QCOMPARE(value("2 * 3 * " + name), number_text(24.0));
  if (const auto inverse = parse_unit(name + "^-1"); inverse && !std::isdigit(name.back()))
    QCOMPARE(value("6 " + name + "^-1"), number_text(6 * inverse->scale));
  if (parse_unit(name)->offset == 0.0) QCOMPARE(value("6 " + name), number_text(6 * scale));
  const auto error = std::get<ExpressionError>(compile("1 + 6/" + name, scope));
  QCOMPARE(error.column, 7);
  QVERIFY(error.hint.find("/(" + name + ")") != std::string::npos);
}

void TestCompile::too_large_for_the_stack_is_an_error_not_a_crash() {
  TestScope scope = plant();
  std::string nested = "x";
  for (int i = 0; i < 90; ++i) nested = "x - (" + nested + ")";
  const auto compiled = compile(nested, scope);
  QCOMPARE(std::get<ExpressionError>(compiled).code, std::string("EXP006"));
  std::string sum = "x";
  for (int i = 0; i < 300; ++i) sum += " + x";
  const double slots[] = {2.0};
  QCOMPARE(std::get<Compiled>(compile(sum, scope)).program.evaluate(slots), 602.0);
}

void TestCompile::mutated_texts_give_a_value_or_an_error() {
  const std::vector<std::string> seeds = {"count(EDG[*].Failed) >= 3 and not grid.Lost",
                                          "if(delay_law == exponential, 2 * mttr, 3 h)",
                                          "max(x, n) ^ 2 / (crews + 1)",
                                          "now > 8 h ? lambda * mttr : 5 %",
                                          "[1 h, [mttr, 2 h]]",
                                          "lognormal(median = 1.5 h, ef = 8)",
                                          "EDG[1..2].Failed",
                                          "triangular(low = 1 h, mode = 2 h, high = 3 h)",
                                          "hyperexponential(probabilities = [0.3, 0.7], means = [1 h, 2 h])"};
  const std::vector<std::string> words = {" h", "/h", "(", ")", "[", "]",   "EDG", ".",  "*",      "..",  "1e300",
                                          "-",  "n",  "0", "/", "x", "yes", ",",   "==", "count(", "not "};
  std::mt19937 random(12);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  TestScope scope = plant();
  int values = 0;
  const double slots[] = {1.5, 2, 3600, 2, 1, 0, 1};
  for (int i = 0; i < 20000; ++i) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size() + 1);
      if (below(3) == 0) text.erase(at, 1 + below(4));
      else text.insert(at, words[below(words.size())]);
    }
    const auto compiled = compile(text, scope);
    if (const auto* value = std::get_if<Compiled>(&compiled)) ++values, (void)value->program.evaluate(slots);
    else if (std::get<ExpressionError>(compiled).message.empty() || std::get<ExpressionError>(compiled).code.empty())
      QFAIL(text.c_str());
    (void)compile_list(text, Dimension::of_time(), scope);
    const auto syntax = parse_expression(text);
    if (const auto* tree = std::get_if<Syntax>(&syntax)) (void)compile_random(*tree, Dimension::of_time(), scope, {});
  }
  QVERIFY2(values > 200, qPrintable(QString::number(values)));
}

QTEST_APPLESS_MAIN(TestCompile)
#include "tst_compile.moc"
